/* A table of contexts; the number of a context is its index plus 1. Only one thread uses a context at a time, so its
 * entry does not change while a thread looks for it. */
#include "trace_context.h"

#include <stdatomic.h>
#include <stddef.h>

#include "observe.h"

typedef struct {
  _Atomic(dart_context_t) context; /* NULL: the entry is free */
  dart_team_t             team;
} entry_t;

static entry_t                table[DART__TRACE_CONTEXTS];
static _Thread_local unsigned entered; /* the number of the context that the thread has entered */

static unsigned find_context(dart_context_t context)
{
  for (unsigned i = 0; i < DART__TRACE_CONTEXTS; i++)
    /* acquire: the team; pairs with the release in dart__trace_context_made */
    if (atomic_load_explicit(&table[i].context, memory_order_acquire) == context)
      return i + 1;
  return 0;
}

unsigned dart__trace_context(dart_context_t context, dart_team_t *team_out)
{
  unsigned number = context != DART_CONTEXT_NULL ? find_context(context) : 0;

  if (number != 0)
    *team_out = table[number - 1].team;
  return number;
}

unsigned dart__trace_context_of(dart_team_t team)
{
  return entered != 0 && table[entered - 1].team == team ? entered : 0;
}

void dart__trace_context_made(const dart__trace_frame_t *frame, dart_team_t team,
                              dart_context_t context)
{
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  unsigned           number;

  (void)frame;
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) /* pairs with the clear */
    ;
  number = find_context(DART_CONTEXT_NULL);
  if (number != 0) {
    table[number - 1].team = team;
    atomic_store_explicit(&table[number - 1].context, context, memory_order_release);
  }
  atomic_flag_clear_explicit(&taken, memory_order_release);
}

void dart__trace_context_is(const dart__trace_frame_t *frame, dart_context_t context)
{
  dart_team_t team;

  (void)frame;
  entered = dart__trace_context(context, &team);
}

void dart__trace_context_forget(dart_context_t context)
{
  unsigned number = find_context(context);

  if (number == 0)
    return;
  if (entered == number)
    entered = 0;
  /* release: pairs with the acquire in find, by the next user of the entry */
  atomic_store_explicit(&table[number - 1].context, DART_CONTEXT_NULL, memory_order_release);
}
