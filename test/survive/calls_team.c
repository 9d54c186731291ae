/* Making and ending teams, and memory. */
#include "prepare.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart_locality.h>

#include "memory/pool.h"
#include "p2p/twosided.h"

static dart_team_t      team;
static dart_allocator_t allocator;

static void new_team(void)
{
  MUST(dart_team_clone(DART_TEAM_ALL, &team));
}

static void new_allocator(void)
{
  MUST(dart_allocator_new(4096, DART_TEAM_ALL, &allocator));
}

static dart_ret_t team_create(void)
{
  dart_group_t group;
  dart_ret_t   ret;

  MUST(dart_team_get_group(DART_TEAM_ALL, &group));
  ret = dart_team_create(DART_TEAM_ALL, group, &team);
  MUST(dart_group_destroy(&group));
  return ret;
}

static dart_ret_t team_create_group(void)
{
  dart_group_t group;
  dart_ret_t   ret;

  MUST(dart_team_get_group(DART_TEAM_ALL, &group));
  ret = dart_team_create_group(DART_TEAM_ALL, group, 3, &team);
  MUST(dart_group_destroy(&group));
  return ret;
}

static void die_of_timer(int signal)
{
  (void)signal;
  raise(SIGKILL);
}

/* ---- where pools are full ------------------------------------------------------------------------ */

#define LEAST  UINT64_C(64) /* the smallest block of a pool */
#define BLOCKS 1024

static uint64_t block[BLOCKS]; /* all that there was in this unit's pool, but for `room` */
static int      nblocks;
static size_t   room; /* bytes: it is enough for a team, and nothing is left then */

static void fill_pool(void)
{
  for (size_t nbytes = UINT64_C(1) << 40; nbytes >= LEAST; nbytes /= 2)
    while (nblocks < BLOCKS && dart__pool_alloc(nbytes, &block[nblocks]) == DART_OK)
      nblocks++;
}

static void empty_pool(void)
{
  while (nblocks > 0)
    dart__pool_free(block[--nblocks]);
}

/* The unit of this node that is `step` further round, of those that live. */
static int near_neighbour(int step, bool has_victim)
{
  int unit = me;

  do
    unit = (unit + step + n) % n;
  while (!is_near(unit) || (unit == victim && !has_victim));
  return unit;
}

/* A unit that sends returns the blocks of its messages that were taken. It waits until a long one is taken. */
static void return_blocks(bool has_victim)
{
  static long from[LARGE], to[LARGE];
  int         next = near_neighbour(1, has_victim), before = near_neighbour(-1, has_victim);

  if (next != me)
    MUST(dart_sendrecv(from, LARGE, DART_TYPE_LONG, 5, DART_GLOBAL_UNIT_ID(next), to, LARGE,
                       DART_TYPE_LONG, 5, DART_GLOBAL_UNIT_ID(before)));
}

static dart_ret_t create_in_room(size_t nbytes, bool has_victim)
{
  uint64_t   there;
  dart_ret_t ret;

  return_blocks(has_victim);
  MUST(dart__pool_alloc(nbytes, &there));
  fill_pool();
  dart__pool_free(there);
  ret = team_create_group();
  empty_pool();
  return ret;
}

/* Find the smallest room, by halves. */
static void find_room(void)
{
  size_t least = 0, most = 1 << 16;

  while (most - least > LEAST) {
    room = (least + most) / 2 / LEAST * LEAST;
    if (create_in_room(room, true) != DART_OK) {
      least = room;
      continue;
    }
    MUST(dart_team_destroy(&team));
    most = room;
  }
  room = most;
}

#define TAG_OF_GROUP (-1 - 3) /* of team_create_group's messages */

/* The first member of a group that dies when it has told some of the others that the team can be made: they agree along a
 * binomial tree. */
static void lead_group(void)
{
  char message[24];

  signal(SIGALRM, die_of_timer); /* where the others do not call before it is lost */
  setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 1, 0 } }, NULL);
  for (int child = 1; child < n; child *= 2)
    MUST(dart__twosided_recv(__func__, child, TAG_OF_GROUP, message, sizeof message));
  MUST(dart__twosided_send(__func__, 1, TAG_OF_GROUP, message, sizeof message));
  raise(SIGKILL);
}

/* Unit 1 goes on with the team, and tells the others of its node. Its message is there until they take it: they do, though for
 * them the team has failed. */
static void little_room(void)
{
  find_room();
  if (me != victim || victim != 0)
    return;
  MUST(dart_barrier(DART_TEAM_ALL)); /* of `meet` */
  lead_group();
}

static dart_ret_t team_create_group_full(void)
{
  return create_in_room(room, false);
}

/* ---- cloned teams, memory ------------------------------------------------------------------------ */

static dart_ret_t team_clone(void)
{
  return dart_team_clone(DART_TEAM_ALL, &team);
}

static dart_ret_t team_destroy(void)
{
  return dart_team_destroy(&team);
}

static dart_ret_t locality_init(void)
{
  return dart_team_locality_init(team);
}

static dart_ret_t memalloc(void)
{
  return dart_team_memalloc_aligned(DART_TEAM_ALL, 1000, DART_TYPE_LONG, &memory);
}

static dart_ret_t memalign(void)
{
  return dart_team_memalign(DART_TEAM_ALL, 1 << 16, 1000, DART_TYPE_LONG, &memory);
}

static dart_ret_t memalloc_large(void)
{
  return dart_team_memalloc_aligned(DART_TEAM_ALL, 10 << 20, DART_TYPE_LONG, &memory);
}

static dart_ret_t memfree(void)
{
  return dart_team_memfree(memory);
}

/* The victim dies in a barrier, which it has called twice: the first time together with the others, after this. */
static void segment_and_barriers(void)
{
  struct itimerval time = { .it_value = { 0, 50000 } };

  segment();
  if (me != victim)
    return;
  MUST(dart_barrier(DART_TEAM_ALL));
  signal(SIGALRM, die_of_timer);
  setitimer(ITIMER_REAL, &time, NULL);
  dart_barrier(DART_TEAM_ALL);
  fail("the barrier", __LINE__);
}

/* All others but one are in that barrier, too. That one learns of the loss by the agreement alone, and does not take what
 * they have left in the barrier for their part of the next call. */
static dart_ret_t memfree_after_agree(void)
{
  uint64_t bits = 1;

  if (me != (victim + 1) % n && dart_barrier(DART_TEAM_ALL) != DART_ERR_UNIT_LOST)
    fail("dart_barrier", __LINE__);
  if (dart_team_agree(DART_TEAM_ALL, &bits) != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  return dart_team_memfree(memory);
}

static dart_ret_t memregister(void)
{
  return dart_team_memregister(DART_TEAM_ALL, 100, DART_TYPE_LONG, out, &registered);
}

static dart_ret_t memregister_aligned(void)
{
  return dart_team_memregister_aligned(DART_TEAM_ALL, 100, DART_TYPE_LONG, out, &registered);
}

static dart_ret_t memderegister(void)
{
  return dart_team_memderegister(registered);
}

static dart_ret_t adopt(void)
{
  return dart_team_adopt(DART_TEAM_ALL, in, 100000, &registered);
}

static dart_ret_t allocator_new(void)
{
  return dart_allocator_new(4096, DART_TEAM_ALL, &allocator);
}

static dart_ret_t allocator_destroy(void)
{
  return dart_allocator_destroy(&allocator);
}

static const entry_t entries[] = {
  { "team_create", NULL, team_create, LOST },
  { "team_create_group", NULL, team_create_group, LOST },
  { "team_create_group_full", little_room, team_create_group_full, LOST },
  { "team_clone", NULL, team_clone, LOST },
  { "team_destroy", new_team, team_destroy, DONE },
  { "team_locality_init", new_team, locality_init, LOST },
  { "team_memalloc", NULL, memalloc, LOST },
  { "team_memalign", NULL, memalign, LOST },
  { "team_memalloc_large", NULL, memalloc_large, LOST },
  { "team_memfree", segment, memfree, LOST },
  { "team_memfree_after_agree", segment_and_barriers, memfree_after_agree, LOST },
  { "team_memregister", buffers, memregister, LOST },
  { "team_memregister_aligned", buffers, memregister_aligned, LOST },
  { "team_memderegister", registered_memory, memderegister, EITHER },
  { "team_adopt", buffers, adopt, LOST },
  { "allocator_new", NULL, allocator_new, LOST },
  { "allocator_destroy", new_allocator, allocator_destroy, LOST },
};

const call_table_t team_calls = { entries, sizeof entries / sizeof *entries };
