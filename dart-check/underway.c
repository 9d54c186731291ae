/* Outstanding operations. An access lasts from its call until it is complete. Other units may continue before that;
 * then their accesses conflict with it, as the flush is missing. What an atomic has found is acquired when its result
 * is complete. */
#include "underway.h"

#include <stdlib.h>

enum { MOST = 65536 }; /* operations */

typedef struct {
  dart__check_ticket_t ticket;
  uint64_t             serial;
  dart_gptr_t          gptr;
  dart_handle_t        handle;
} operation_t;

static operation_t *list;
static size_t       nlist;
static uint64_t     serial;

void dart__check_underway_open(void)
{
  list  = dart__check_room(NULL, MOST * sizeof *list);
  nlist = 0;
}

void dart__check_underway_forget(void)
{
  free(list);
  list = NULL;
}

void dart__check_underway_moved(const uint32_t *moved)
{
  for (size_t i = 0; i < nlist; i++)
    if (list[i].ticket.n > 0) {
      list[i].ticket.first = moved[list[i].ticket.first];
      list[i].ticket.cycle++;
    }
}

static bool writes(const dart__check_ticket_t *ticket)
{
  return ticket->kind == DART__ACCESS_PUT || ticket->kind == DART__ACCESS_UPDATE;
}

void dart__check_race_started(const dart__check_ticket_t *ticket, dart_ret_t ret, dart_gptr_t gptr,
                              dart_handle_t handle)
{
  bool is_full;

  if (!ticket->is_on)
    return;
  if (ret != DART_OK) {
    dart__check_log_forget(ticket);
    return;
  }
  dart__check_lock();
  is_full = nlist == MOST;
  if (!is_full && (ticket->n > 0 || ticket->acquires)) {
    list[nlist++] = (operation_t){ *ticket, ++serial, gptr, handle };
    if (!dart__check_log_end(ticket, DART__ACCESS_UNDER_WAY))
      list[nlist - 1].ticket.n = 0;
  }
  dart__check_unlock();
  if (is_full)
    dart__check_lose_order("too many operations are outstanding");
}

uint64_t dart__check_race_moment(void)
{
  return serial;
}

uint64_t dart__check_race_number(void)
{
  uint64_t number;

  if (!dart__check_for(DART__CHECK_RACES))
    return 0;
  dart__check_lock();
  number = dart__check_now();
  dart__check_unlock();
  return number;
}

typedef struct {
  dart_gptr_t   gptr;
  dart_handle_t handle; /* not NULL: only this operation */
  uint64_t      moment;
  uint64_t      end;     /* number of the unit's clock at which they are complete; 0: now */
  bool          all;     /* all units of the team */
  bool          local;   /* only locally */
  bool          segment; /* only operations on gptr's segment */
  bool          epoch;   /* and only those in epochs */
  bool          team;    /* all segments of the team */
  bool          any;     /* any team */
} which_t;

static bool in_epoch(const operation_t *operation)
{
  return operation->ticket.epoch != DART__EPOCH_OUTSIDE;
}

static bool is_chosen(const operation_t *operation, const which_t *which)
{
  const dart_gptr_t *a = &operation->gptr, *b = &which->gptr;

  if (which->handle != DART_HANDLE_NULL)
    return operation->handle == which->handle;
  if (operation->serial > which->moment || (a->teamid != b->teamid && !which->any))
    return false;
  if (which->team)
    return true;
  if (which->any)
    return !in_epoch(operation);
  if (which->segment || in_epoch(operation)) /* DART may defer it until a flush of its segment */
    return a->segid == b->segid && (which->all || a->unitid == b->unitid) &&
           (!which->epoch || in_epoch(operation));
  return (a->segid == DART_SEGMENT_LOCAL) == (b->segid == DART_SEGMENT_LOCAL) &&
         (which->all || a->unitid == b->unitid);
}

/* Remove the operations that `which` names from the list, and return them. Those that are only complete locally stay in
 * the list. `*n_out`: how many there are. */
static operation_t *take_operations(const which_t *which, size_t *n_out)
{
  operation_t *taken = NULL;
  size_t       kept = 0, n = 0;

  for (size_t i = 0; i < nlist; i++)
    n += is_chosen(&list[i], which);
  taken = n == 0 ? NULL : dart__check_room(NULL, n * sizeof *taken);
  n     = 0;
  for (size_t i = 0; taken != NULL && i < nlist; i++) {
    operation_t *operation = &list[i];

    if (!is_chosen(operation, which)) {
      list[kept++] = *operation;
      continue;
    }
    taken[n++] = *operation;
    if (which->local && writes(&operation->ticket)) {
      operation->ticket.acquires = false;
      list[kept++]               = *operation;
    } else {
      dart__check_log_end(&operation->ticket, which->end != 0 ? which->end : dart__check_now());
    }
  }
  nlist  = taken == NULL ? nlist : kept;
  *n_out = n;
  return taken;
}

static bool is_same(const dart__check_opening_t *a, const dart__check_opening_t *b)
{
  return a->n == b->n && a->place[0].home == b->place[0].home &&
         a->place[0].hash == b->place[0].hash;
}

/* Operations in epochs begin when their target can be accessed: these have begun. */
static void begin_accesses(const operation_t *taken, size_t n)
{
  const dart__check_opening_t *last  = NULL;
  uint64_t                    *clock = NULL;

  for (size_t i = 0; i < n; i++) {
    const dart__check_opening_t *opening = &taken[i].ticket.opening;

    if (opening->n == 0)
      continue;
    if (clock == NULL)
      clock = dart__check_room(NULL, dart__check.nunits * sizeof *clock);
    if (last == NULL || !is_same(opening, last))
      dart__check_acquire_all(opening->place, opening->n, clock);
    last = opening;
    dart__check_log_after(&taken[i].ticket, clock);
  }
  free(clock);
}

static void complete_operations(which_t which)
{
  operation_t *taken;
  size_t       n;

  if (!dart__check_for(DART__CHECK_RACES) || nlist == 0)
    return;
  dart__check_lock();
  taken = take_operations(&which, &n);
  dart__check_unlock();
  begin_accesses(taken, n);
  for (size_t i = 0; i < n; i++)
    if (taken[i].ticket.acquires)
      dart__check_log_result(&taken[i].ticket);
  free(taken);
}

void dart__check_race_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment)
{
  complete_operations((which_t){ .gptr = gptr, .moment = moment, .all = all, .local = local });
}

void dart__check_race_segment(dart_gptr_t gptr, bool local)
{
  complete_operations(
      (which_t){ .gptr = gptr, .moment = serial, .all = true, .segment = true, .local = local });
}

void dart__check_race_epoch_ended(dart_gptr_t gptr, bool all, uint64_t number)
{
  complete_operations((which_t){
      .gptr = gptr, .moment = serial, .end = number, .all = all, .segment = true, .epoch = true });
}

bool dart__check_race_in_epoch(dart_gptr_t gptr)
{
  bool found = false;

  dart__check_lock();
  for (size_t i = 0; i < nlist && !found; i++)
    found = in_epoch(&list[i]) && list[i].gptr.segid == gptr.segid &&
            list[i].gptr.teamid == gptr.teamid;
  dart__check_unlock();
  return found;
}

void dart__check_race_team(dart_team_t team)
{
  complete_operations((which_t){ .gptr = { .teamid = team }, .moment = serial, .team = true });
}

void dart__check_race_everything(uint64_t moment)
{
  complete_operations((which_t){ .moment = moment, .any = true });
}

void dart__check_race_handle(dart_handle_t handle)
{
  if (handle != DART_HANDLE_NULL)
    complete_operations((which_t){ .handle = handle });
}

void dart__check_race_no_handle(dart_handle_t handle)
{
  if (!dart__check_for(DART__CHECK_RACES))
    return;
  dart__check_lock();
  for (size_t i = 0; i < nlist; i++)
    if (list[i].handle == handle)
      list[i].handle = DART_HANDLE_NULL;
  dart__check_unlock();
}
