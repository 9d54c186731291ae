/* Making and releasing: segments and teams, which all units do together, and memory of one unit. The
 * floor of the latter is malloc; the others have none. How many barriers they cost, the table says. */
#include "micro.h"

#include <stdlib.h>

#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_team_group.h>

enum { BLOCK = 4096, SMALL = 64, ALIGNMENT = 65536 };

static void alloc(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t block;

    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, BLOCK, DART_TYPE_BYTE, &block));
    BENCH_OK(dart_team_memfree(block));
  }
}

static void memalign_all(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t block;

    BENCH_OK(dart_team_memalign(DART_TEAM_ALL, ALIGNMENT, BLOCK, DART_TYPE_BYTE, &block));
    BENCH_OK(dart_team_memfree(block));
  }
}

static void memalloc(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t block;

    BENCH_OK(dart_memalloc(SMALL, DART_TYPE_BYTE, &block));
    micro_again();
    BENCH_OK(dart_memfree(block));
  }
}

static void plain_malloc(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    void *block = malloc(SMALL);

    *(void *volatile *)m->recv = block; /* someone might use it */
    free(block);
  }
}

static dart_ret_t by_parent(dart_group_t group, dart_team_t *team)
{
  return dart_team_create(DART_TEAM_ALL, group, team);
}

static dart_ret_t by_members(dart_group_t group, dart_team_t *team)
{
  return dart_team_create_group(DART_TEAM_ALL, group, 0, team);
}

/* Ids of teams are not used again, so there is a fixed number, whatever time was asked for. */
static double make_teams(dart_ret_t (*create)(dart_group_t group, dart_team_t *team))
{
  enum { TEAMS = 50 };
  dart_group_t all;
  double       start;

  BENCH_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  for (int i = 0; i < TEAMS; i++) {
    dart_team_t made;

    BENCH_OK(create(all, &made));
    BENCH_OK(dart_team_destroy(&made));
  }
  start = bench_seconds() - start;
  BENCH_OK(dart_group_destroy(&all));
  return start / TEAMS;
}

static double team(micro_t *m)
{
  (void)m;
  return make_teams(by_parent);
}

static double team_group(micro_t *m)
{
  (void)m;
  return make_teams(by_members);
}

const case_t memory_cases[] = {
  { .name   = "alloc",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = alloc, .by = BY_ALL },
    .about  = "allocate and free a segment of 4 KiB a unit" },
  { .name   = "memalign",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = memalign_all, .by = BY_ALL },
    .about  = "the same, aligned to 64 KiB: a mapping of its own" },
  { .name   = "memalloc",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = memalloc },
    .floor  = { .loop = plain_malloc },
    .about  = "allocate and free 64 bytes by one unit" },
  { .name   = "team",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .sample = team, .by = BY_ALL },
    .about  = "create and destroy a team of all units" },
  { .name   = "team_group",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .sample = team_group, .by = BY_ALL },
    .about  = "the same by its members, without their parent" },
  { 0 },
};
