/* Right programs, each of which does more of something than is looked at: a line says so, and nothing is reported. */
#include "check.h"

enum { MANY = 66000 };

static int values[8000], results[MANY];

/* Unit 0 puts, and then unit 1, to the same place: with 5000 each there are 25 million pairs. */
static void puts_in_turns(int count)
{
  dart_gptr_t gptr = segment(4, 2);
  int         word = 0;

  if (me == 1)
    dart_recv(&word, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(0));
  for (int i = 0; me < 2 && i < count; i++)
    dart_put_blocking(gptr, values, 2, DART_TYPE_INT, DART_TYPE_INT);
  if (me == 0)
    dart_send(&word, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(1));
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void bound_log(void)
{
  puts_in_turns(33000);
}

static void bound_pairs(void)
{
  puts_in_turns(5000);
}

static void bound_parts(void)
{
  dart_gptr_t     gptr = segment(8000, 2);
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, 4, 2, &type);
  if (me == 0)
    dart_put_blocking(gptr, values, 4000, DART_TYPE_INT, type);
  dart_type_destroy(&type);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void atomics_under_way(int count)
{
  dart_gptr_t gptr = segment(4, 2);
  int         one  = 1;

  for (int i = 0; me == 1 && i < count; i++)
    dart_fetch_and_op(gptr, &one, &results[i], DART_TYPE_INT, DART_OP_SUM);
  dart_flush(gptr);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void bound_operations(void)
{
  atomics_under_way(17000);
}

static void bound_underway(void)
{
  atomics_under_way(MANY);
}

/* Five results of 60 MiB each. */
static void bound_results(void)
{
  size_t      nelem = (size_t)15 << 20;
  dart_gptr_t gptr  = segment(me == 0 ? nelem : 1, 0);
  int        *where = malloc(5 * nelem * sizeof *where);

  for (size_t i = 0; me == 0 && i < 5; i++)
    dart_get(where + i * nelem, gptr, nelem, DART_TYPE_INT, DART_TYPE_INT);
  dart_flush(gptr);
  if (where == NULL || (me == 0 && (where[0] != 0 || where[5 * nelem - 1] != 0)))
    dart_abort(3);
  free(where);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void bound_teams(void)
{
  dart_team_t team;

  for (int i = 0; i < 1030; i++) {
    dart_team_clone(DART_TEAM_ALL, &team);
    dart_team_destroy(&team);
  }
  dart_team_clone(DART_TEAM_ALL, &team);
  dart_barrier(team);
  dart_team_destroy(&team);
}

/* More portions than have pages behind them. The last ones have a pattern, and are freed like the others. */
static void bound_segments(void)
{
  static dart_gptr_t all[1500];
  int               *mine;

  for (int i = 0; i < 1500; i++) {
    dart_team_memalloc_aligned(DART_TEAM_ALL, 1024, DART_TYPE_INT, &all[i]);
    dart_gptr_getaddr(at(all[i], me, 1023), (void **)&mine);
    *mine = i;
  }
  dart_barrier(DART_TEAM_ALL);
  if (me == 1)
    mine[1] = 0; /* in the pattern of the last one */
  for (int i = 0; i < 1500; i++)
    dart_team_memfree(all[i]);
}

const case_t bound_cases[] = {
  { "bound_log", "more than 32768 accesses between two calls at which all units meet", bound_log,
    BOUND },
  { "bound_pairs", "more than 20000000 pairs of accesses between two calls at which all units meet",
    bound_pairs, BOUND },
  { "bound_parts",
    "races of accesses in more than 1024 parts, or of indexed types, are not checked", bound_parts,
    BOUND },
  { "bound_operations", "more than 16384 operations are outstanding; further ones are not checked",
    bound_operations, BOUND },
  { "bound_underway", "too many operations are outstanding: races are no longer checked",
    bound_underway, BOUND },
  { "bound_results",
    "results of more than 268435456 bytes are outstanding; further ones are not checked",
    bound_results, BOUND },
  { "bound_teams", "there are too many teams: races are no longer checked", bound_teams, BOUND },
  { "bound_segments",
    "*unit 1: memory: bytes behind this unit's portion of segment * were changed, 0 behind its end",
    bound_segments, ALONE },
  { NULL, NULL, NULL, TOGETHER },
};
