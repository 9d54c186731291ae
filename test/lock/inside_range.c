/* Hints of range locks: whoever comes to the head of those that wait is told, on other nodes, too. */
#include <sched.h>
#include <time.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_range.h>

#include "base/counters.h"
#include "dart_test.h"
#include "far/handlers.h"
#include "file_path.h"
#include "memory/pool.h"
#include "model/holds.h"
#include "model/world.h"
#include "p2p/twosided.h"

SUITE(range);

enum { ROUNDS = 200 };

static int64_t hints(void)
{
  return *(int64_t *)(void *)dart__pool_address(me, dart__twosided_hints());
}

static int64_t sum_of(int64_t mine)
{
  int64_t all = 0;

  EXPECT_OK(dart_allreduce(&mine, &all, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  return all;
}

static void sleep_ms(long ms)
{
  nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

/* The holder lets the others come, the listener last, and lets them in; if one of them is late, in another order. */
static void meet_at(dart_range_t range, int holder, int listener)
{
  dart_range_span_t span = { 0, 9, DART_RANGE_EXCLUSIVE };
  dart_range_hold_t got;

  if (me == holder)
    EXPECT_OK(dart_range_acquire(range, &span, 1, -1, &got));
  test_barrier();
  sleep_ms(me == holder ? 8 : me == listener ? 3 : 0);
  if (me != holder)
    EXPECT_OK(dart_range_acquire(range, &span, 1, -1, &got));
  EXPECT_OK(dart_range_release(&got));
  test_barrier();
}

/* Of three units, two wait for one. All numbers are unit 0's, and the last unit is on another node. */
TEST_N(3, who_is_next_is_told)
{
  dart_range_t range;

  EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, 0, &range));
  for (int holder = 0; holder < n; holder += n - 1) { /* its release is near, then far */
    int     listener = holder == 0 ? n - 1 : 1;
    int64_t before = hints(), told = 0;

    for (int round = 0; round < ROUNDS && told == 0; round++) {
      meet_at(range, holder, listener);
      told = sum_of(me == listener ? hints() - before : 0);
    }
    EXPECT_TRUE(told > 0);
  }
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* All numbers are unit 0's, which computes until its agent has served a unit of another node that holds some of them
 * again and again. What comes before unit 0 has left the barrier is served there. */
TEST_N(2, a_unit_that_computes_does_not_hold_up_its_ranges)
{
  dart_range_span_t span   = { 0, 9, DART_RANGE_EXCLUSIVE };
  dart_gptr_t       flag   = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  bool              is_far = dart__world_node(me) != dart__world_node(0);
  dart_range_hold_t hold;
  dart_range_t      range;
  int64_t           over = 0;

  if (!dart__world.has_agent || n != 3)
    return;
  EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, 0, &range));
  test_barrier();
  if (me == 0) {
    uint64_t served = dart__counted(DART__COUNT_AGENT_SERVED),
             polled = dart__counted(DART__COUNT_PROGRESS);

    while (dart__counted(DART__COUNT_AGENT_SERVED) == served)
      sched_yield();
    EXPECT_EQ(dart__counted(DART__COUNT_PROGRESS), polled);
    *(_Atomic int64_t *)test_mine(flag) = 1;
  }
  while (is_far && over == 0 && EXPECT_OK(dart_range_acquire(range, &span, 1, -1, &hold))) {
    EXPECT_OK(dart_range_release(&hold));
    EXPECT_OK(dart_get_blocking(&over, test_unit(flag, 0), 1, T_INT64, T_INT64));
  }
  test_barrier();
  EXPECT_OK(dart_team_range_destroy(&range));
}

/* ---- ranges that files keep ------------------------------------------------------------------------- */

enum { WRITES = 50, MOST_TRIES = 300 };

static void write_often(dart_file_t file, uint64_t offset, int64_t value)
{
  for (int i = 0; i < WRITES; i++)
    EXPECT_OK(dart_file_write_at(file, offset, &value, 1, T_INT64, T_INT64, NULL));
}

static dart_file_t open_atomic(const char *name)
{
  dart_file_t file = DART_FILE_NULL;

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, name),
                           DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  return file;
}

/* A unit far from unit 0, which has the table, writes the same bytes again and again: not each write asks for them. If
 * the unit is held up between its writes, in one try after the other. */
TEST_N(2, a_file_keeps_what_it_locks_again)
{
  dart_file_t file   = open_atomic("kept");
  bool        is_far = dart__world_node(me) != dart__world_node(0), is_kept = false;

  if (is_far && dart__world.has_agent)
    for (int i = 0; i < MOST_TRIES && !is_kept; i++) {
      uint64_t before = dart__counted(DART__COUNT_REQUEST);

      write_often(file, 8, me);
      is_kept = dart__counted(DART__COUNT_REQUEST) - before < WRITES;
    }
  EXPECT_EQ(is_kept, is_far && dart__world.has_agent);
  EXPECT_OK(dart_file_close(&file));
}

/* Unit 0 and then the far unit keep what the other wants, and compute, without a call of DART, until that has it. */
TEST_N(2, a_unit_that_computes_gives_up_what_it_keeps)
{
  dart_file_t file = open_atomic("given-up");
  dart_gptr_t flag = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);

  for (int64_t round = 1; round <= 20; round++) {
    int computes = round % 2 == 0 ? 0 : 1, writes = 1 - computes; /* 1 is far from 0 */

    test_barrier();
    if (me == computes)
      write_often(file, 8, round);
    test_barrier();
    if (me == computes)
      write_often(file, 8, -round);
    while (me == computes && dart__world.has_agent &&
           atomic_load((_Atomic int64_t *)test_mine(flag)) != round)
      sched_yield();
    if (me == writes) {
      write_often(file, 8, round);
      EXPECT_OK(dart_put_blocking(test_unit(flag, computes), &round, 1, T_INT64, T_INT64));
    }
  }
  EXPECT_OK(dart_file_close(&file));
}

static void look_at_nothing(void)
{
}

/* What looks after ranges that are kept, by agents or by the next call. */
static void look_after(bool looks)
{
  static void (*answer)(void);

  if (!looks)
    answer = dart__handlers.answer;
  __atomic_store_n(&dart__handlers.answer, looks ? answer : look_at_nothing,
                   __ATOMIC_RELEASE); /* the agent reads it */
  if (looks)
    dart__answer_is_due();
}

static bool holds_something(void)
{
  char held[128];

  dart__holds_own(held, sizeof held);
  return held[0] != '\0';
}

/* A kept range is no lock of other bytes: these are asked for, when that was given up. */
TEST_N(2, a_file_asks_for_what_it_does_not_keep)
{
  dart_file_t file   = open_atomic("other");
  bool        is_far = dart__world_node(me) != dart__world_node(0), keeps = false;
  int64_t     value = me;
  uint64_t    before;

  if (is_far && dart__world.has_agent) {
    look_after(false);
    for (int i = 0; i < MOST_TRIES && !keeps; i++) {
      write_often(file, 8, me);
      keeps = holds_something();
    }
    before = dart__counted(DART__COUNT_REQUEST);
    EXPECT_OK(dart_file_write_at(file, 800, &value, 1, T_INT64, T_INT64, NULL));
    EXPECT_TRUE(dart__counted(DART__COUNT_REQUEST) - before >= 2);
    EXPECT_TRUE(keeps);
    look_after(true);
  }
  EXPECT_OK(dart_file_close(&file));
}

/* Whether this unit kept bytes of a file of a team of its own when it, or the team, ended. */
static bool keeps_until_the_end(bool is_closed_first)
{
  dart_team_t team;
  dart_file_t file = DART_FILE_NULL;
  bool        keeps;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_file_open(team, test_path(team, "team"),
                           DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  look_after(false);
  write_often(file, (uint64_t)(1 + me) * 8, me);
  keeps = holds_something();
  if (is_closed_first)
    EXPECT_OK(dart_file_close(&file));
  else
    EXPECT_OK(dart_team_destroy(&team));
  EXPECT_TRUE(!holds_something());
  look_after(true);
  EXPECT_OK(dart_file_close(&file));
  EXPECT_OK(dart_team_destroy(&team));
  return keeps;
}

/* A file ends while a unit keeps bytes of it, and so does its team: with nobody else to release them. */
TEST_N(2, what_is_kept_ends_before_its_file_or_team)
{
  bool can_keep = dart__world.has_agent && dart__teams[DART_TEAM_ALL]->nnodes > 1;

  for (int is_closed_first = 0; is_closed_first < 2; is_closed_first++) {
    int64_t keeps = 0;

    for (int i = 0; i < MOST_TRIES && keeps == 0 && (can_keep || i < 3); i++)
      keeps = sum_of(keeps_until_the_end(is_closed_first));
    EXPECT_EQ(keeps > 0, can_keep);
  }
}
