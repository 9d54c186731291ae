/* For cli_report.sh and cli_trace.sh: a program whose traffic is known. Each unit writes 3 times 5 integers to the next
 * one, fetches 2 from itself, adds to a counter of unit 0 and sends 8 bytes to the next unit.
 *
 * `many`: 20000 more puts. `abort`: unit 1 then aborts while the others wait for it. `exit`: units end without
 * dart_exit. */
#include <string.h>

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

/* A barrier of each of two teams of all units. */
static int teams(void)
{
  dart_team_t team;
  int         ok = 1;

  for (int i = 0; i < 2; i++)
    ok &= dart_team_clone(DART_TEAM_ALL, &team) == DART_OK && dart_barrier(team) == DART_OK &&
          dart_team_destroy(&team) == DART_OK;
  return ok;
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
