/* For cli_report.sh and cli_trace.sh: a program whose traffic is known. Each unit writes 3 times 5 integers to the next
 * one, fetches 2 from itself, adds to a counter of unit 0 and sends 8 bytes to the next unit.
 *
 * `many`: 20000 more puts. `abort`: three more puts of an integer to the next unit, in epochs and around them; unit 1
 * then aborts while the others wait for it. `exit`: units end without dart_exit. */
#include <string.h>

#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart.h>

enum { NCELLS = 16 };

static dart_global_unit_t me;
static size_t             n;

static dart_gptr_t at(dart_gptr_t gptr, size_t unit, size_t cell)
{
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID((dart_unit_t)unit));
  dart_gptr_incaddr(&gptr, (int64_t)(cell * sizeof(int)));
  return gptr;
}

static int transfers(dart_gptr_t cells)
{
  static const int values[5] = { 1, 2, 3, 4, 5 };
  static const int one       = 1;
  const size_t     next      = ((size_t)me.id + 1) % n;
  dart_handle_t    handle;
  int              got[2];

  return dart_put(at(cells, next, 0), values, 5, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_flush(at(cells, next, 0)) == DART_OK &&
         dart_put_blocking(at(cells, next, 5), values, 5, DART_TYPE_INT, DART_TYPE_INT) ==
             DART_OK &&
         dart_put_handle(at(cells, next, 10), values, 5, DART_TYPE_INT, DART_TYPE_INT, &handle) ==
             DART_OK &&
         dart_wait(&handle) == DART_OK &&
         dart_get_blocking(got, at(cells, (size_t)me.id, 0), 2, DART_TYPE_INT, DART_TYPE_INT) ==
             DART_OK &&
         dart_accumulate(at(cells, 0, NCELLS - 1), &one, 1, DART_TYPE_INT, DART_OP_SUM) ==
             DART_OK &&
         dart_flush_all(cells) == DART_OK;
}

static int many_puts(dart_gptr_t cells)
{
  const int value = 1;
  int       ok    = 1;

  for (int i = 0; i < 20000; i++)
    ok &= dart_put(at(cells, (size_t)me.id, 0), &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK;
  return ok && dart_flush(cells) == DART_OK;
}

/* A put in each of two epochs on a segment of their own, while one on `cells` is under way, and a range. */
static int epochs(dart_gptr_t cells)
{
  const int               value   = 1;
  const size_t            next    = ((size_t)me.id + 1) % n;
  const dart_range_span_t spans[] = { { 0, 3, DART_RANGE_SHARED }, { 8, 9, DART_RANGE_SHARED } };
  dart_range_hold_t       hold;
  dart_range_t            range;
  dart_gptr_t             own;

  return dart_team_range_init(DART_TEAM_ALL, 16, 8, &range) == DART_OK &&
         dart_team_memalloc_aligned(DART_TEAM_ALL, NCELLS, DART_TYPE_INT, &own) == DART_OK &&
         dart_put(at(cells, next, 9), &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_epoch_fence(own, 0) == DART_OK &&
         dart_put(at(own, next, 0), &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_epoch_fence(own, DART_EPOCH_NOSUCCEED) == DART_OK &&
         dart_epoch_lock(at(own, next, 0), DART_EPOCH_SHARED, 0) == DART_OK &&
         dart_put(at(own, next, 1), &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_epoch_unlock(at(own, next, 0), 0) == DART_OK && dart_flush_all(cells) == DART_OK &&
         dart_range_acquire(range, spans, 2, -1, &hold) == DART_OK &&
         dart_range_release(&hold) == DART_OK && dart_team_range_destroy(&range) == DART_OK &&
         dart_team_memfree(own) == DART_OK;
}

/* Puts in a context and out of it, to one portion: the context's flush completes the one, then a flush the other. */
static int contexts(dart_gptr_t cells)
{
  static const int values[2] = { 1, 2 };
  const size_t     next      = ((size_t)me.id + 1) % n;
  dart_context_t   context;

  return dart_context_create(DART_TEAM_ALL, &context) == DART_OK &&
         dart_put(at(cells, next, 0), values, 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_context_enter(context) == DART_OK &&
         dart_put(at(cells, next, 2), values, 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
         dart_context_leave(context) == DART_OK &&
         dart_context_flush_unit(context, DART_TEAM_UNIT_ID((dart_unit_t)me.id)) == DART_OK &&
         dart_context_flush_unit(context, DART_TEAM_UNIT_ID((dart_unit_t)next)) == DART_OK &&
         dart_flush(at(cells, next, 0)) == DART_OK && dart_context_destroy(&context) == DART_OK;
}

/* A barrier of each of two teams of all units. */
static int teams(void)
{
  dart_team_t  team;
  dart_group_t all;
  int          ok;

  ok = dart_team_clone(DART_TEAM_ALL, &team) == DART_OK && dart_barrier(team) == DART_OK &&
       dart_team_destroy(&team) == DART_OK && dart_team_get_group(DART_TEAM_ALL, &all) == DART_OK;
  ok = ok && dart_team_create_group(DART_TEAM_ALL, all, 0, &team) == DART_OK &&
       dart_barrier(team) == DART_OK && dart_team_destroy(&team) == DART_OK;
  return ok && dart_group_destroy(&all) == DART_OK;
}

static int messages(void)
{
  const int64_t     value = 7;
  int64_t           got   = 0;
  const dart_unit_t next  = (dart_unit_t)(((size_t)me.id + 1) % n);
  const dart_unit_t last  = (dart_unit_t)(((size_t)me.id + n - 1) % n);

  return dart_sendrecv(&value, 1, DART_TYPE_LONG, 3, DART_GLOBAL_UNIT_ID(next), &got, 1,
                       DART_TYPE_LONG, 3, DART_GLOBAL_UNIT_ID(last)) == DART_OK &&
         got == value;
}

int main(int argc, char **argv)
{
  dart_gptr_t cells;
  dart_lock_t lock;
  const char *how = argc > 1 ? argv[1] : "";

  if (dart_init(&argc, &argv) != DART_OK || dart_myid(&me) != DART_OK || dart_size(&n) != DART_OK ||
      dart_team_memalloc_aligned(DART_TEAM_ALL, NCELLS, DART_TYPE_INT, &cells) != DART_OK ||
      dart_team_lock_init(DART_TEAM_ALL, &lock) != DART_OK)
    return 1;
  if (!transfers(cells) || !messages() || !teams() || dart_lock_acquire(lock) != DART_OK ||
      dart_lock_release(lock) != DART_OK || dart_barrier(DART_TEAM_ALL) != DART_OK)
    return 1;
  if (strcmp(how, "abort") == 0 && !epochs(cells))
    return 1;
  if (strcmp(how, "contexts") == 0 && !contexts(cells))
    return 1;
  if (strcmp(how, "many") == 0 && !many_puts(cells))
    return 1;
  if (strcmp(how, "abort") == 0 && me.id == 1)
    dart_abort(9);
  if (strcmp(how, "exit") == 0)
    return dart_team_lock_destroy(&lock) == DART_OK ? 0 : 1;
  return dart_barrier(DART_TEAM_ALL) == DART_OK && dart_team_lock_destroy(&lock) == DART_OK &&
                 dart_team_memfree(cells) == DART_OK && dart_exit() == DART_OK
             ? 0
             : 1;
}
