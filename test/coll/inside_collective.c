/* Collectives that copy directly between processes, and a copy that the kernel cannot make: all units
 * have to hear of it, not only the one that tried. */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/counters.h"
#include "dart_test.h"
#include "model/team.h"
#include "model/world.h"

SUITE(collective);

enum { NBYTES = 1 << 18, BUFFER = 16 * NBYTES }; /* of a block: enough to be copied directly */

static char *map(int protection)
{
  void *memory = mmap(NULL, BUFFER, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    abort();
  return memory;
}

/* The units on the node of unit 0. */
static dart_team_t first_node(void)
{
  int units[64], count = 0;

  for (int u = 0; u < n && u < 64; u++)
    if (dart__world_node(u) == dart__world_node(0))
      units[count++] = u;
  return test_team(DART_TEAM_ALL, units, count);
}

/* Buffers of the caller, one of which the team's last unit cannot use. */
typedef struct {
  dart_team_t team;
  char       *fine, *bad; /* the same on other units */
} buffers_t;

static buffers_t make_buffers(int protection)
{
  buffers_t b = { .team = first_node() };

  if (b.team == DART_TEAM_NULL)
    return b;
  b.fine = map(PROT_READ | PROT_WRITE);
  b.bad  = test_team_me(b.team) == test_team_size(b.team) - 1 ? map(protection) : b.fine;
  return b;
}

/* Let the kernel copy, as where units share cores. */
static void copy_by_kernel(dart_team_t team)
{
  dart__teams[team]->exchange.direct_least = NBYTES;
}

static void free_buffers(const buffers_t *b)
{
  if (b->bad != b->fine)
    munmap(b->bad, BUFFER);
  munmap(b->fine, BUFFER);
}

TEST_N(2, buffers_in_shared_memory_are_copied_directly)
{
  enum { WORDS = 4096 };
  dart_team_t      team = first_node();
  dart_team_unit_t root = DART_TEAM_UNIT_ID(0);
  dart_gptr_t      segment;
  uint64_t         before = dart__counted(DART__COUNT_COLL_DIRECT);
  int64_t         *words;

  if (team == DART_TEAM_NULL || test_team_size(team) < 2)
    return;
  segment = test_segment(team, 2 * WORDS * sizeof *words, 0);
  words   = test_mine(segment);
  EXPECT_OK(dart_bcast(words, WORDS, DART_TYPE_LONG, root, team));
  EXPECT_OK(dart_allreduce(words, words + WORDS, WORDS, DART_TYPE_LONG, DART_OP_SUM, team));
  EXPECT_EQ(dart__counted(DART__COUNT_COLL_DIRECT), before + 2);
}

TEST_N(2, what_cannot_be_written_fails_on_all)
{
  buffers_t        b      = make_buffers(PROT_READ);
  dart_team_unit_t root   = DART_TEAM_UNIT_ID(0);
  uint64_t         before = dart__counted(DART__COUNT_COLL_DIRECT);

  if (b.team == DART_TEAM_NULL || test_team_size(b.team) < 2)
    return;
  copy_by_kernel(b.team);
  EXPECT_RET(dart_bcast(b.bad, NBYTES, DART_TYPE_BYTE, root, b.team), DART_ERR_OTHER);
  EXPECT_RET(dart_scatter(b.fine + NBYTES, b.bad, NBYTES, DART_TYPE_BYTE, root, b.team),
             DART_ERR_OTHER);
  EXPECT_OK(dart_bcast(b.fine, NBYTES, DART_TYPE_BYTE, root, b.team)); /* the team goes on */
  EXPECT_EQ(dart__counted(DART__COUNT_COLL_DIRECT), before + 3);
  free_buffers(&b);
}

TEST_N(2, what_cannot_be_read_fails_on_all)
{
  buffers_t        b    = make_buffers(PROT_NONE);
  dart_team_unit_t root = DART_TEAM_UNIT_ID(0);

  if (b.team == DART_TEAM_NULL || test_team_size(b.team) < 2)
    return;
  copy_by_kernel(b.team);
  EXPECT_RET(dart_gather(b.bad, b.fine + NBYTES, NBYTES, DART_TYPE_BYTE, root, b.team),
             DART_ERR_OTHER);
  EXPECT_OK(dart_gather(b.fine, b.fine + NBYTES, NBYTES, DART_TYPE_BYTE, root, b.team));
  free_buffers(&b);
}
