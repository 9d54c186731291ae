/* See operation.h. */
#include "operation.h"

#include <stdlib.h>

#include "check_report.h"
#include "open_epochs.h"

enum { MOST = 16384 }; /* operations in the list */

dart__operations_t dart__operations;

/* The context that the thread has entered, and the team whose memory it is for. */
static _Thread_local struct {
  const void *context; /* NULL: none */
  dart_team_t team;
} entered;

void dart__check_context_entered(const void *context, dart_team_t team)
{
  entered.context = context;
  entered.team    = team;
}

void dart__check_context_left(const void *context)
{
  if (entered.context == context)
    entered.context = NULL;
}

bool dart__operation_in_epoch(dart_gptr_t gptr)
{
  return dart__check_epoch_of(gptr).kind != DART__EPOCH_OUTSIDE;
}

/* An operation in an epoch belongs to no context. */
const void *dart__operation_context(dart_gptr_t gptr)
{
  return gptr.teamid == entered.team && !dart__operation_in_epoch(gptr) ? entered.context : NULL;
}

bool dart__operation_fits(void)
{
  static bool said;

  if (dart__operations.n < MOST)
    return true;
  dart__check_note(&said, "more than %d operations are outstanding; further ones are not checked",
                   MOST);
  return false;
}

dart__operation_t *dart__operation_add(dart_gptr_t gptr, dart__at_t at)
{
  dart__operation_t *operation;

  if (!dart__operation_fits())
    return NULL;
  if (dart__operations.operation == NULL)
    dart__operations.operation = dart__check_room(NULL, MOST * sizeof(dart__operation_t *));
  operation  = dart__check_room(NULL, sizeof *operation);
  *operation = (dart__operation_t){
    .serial   = ++dart__operations.serial,
    .gptr     = gptr,
    .buffer   = { .at = at },
    .in_epoch = dart__operation_in_epoch(gptr),
    .context  = dart__operation_context(gptr),
  };
  dart__operations.operation[dart__operations.n++] = operation;
  return operation;
}

void dart__operations_sweep(void)
{
  size_t kept = 0;

  for (size_t i = 0; i < dart__operations.n; i++) {
    dart__operation_t *operation = dart__operations.operation[i];

    if (operation->is_done && !operation->has_handle)
      free(operation);
    else
      dart__operations.operation[kept++] = operation;
  }
  dart__operations.n = kept;
}
