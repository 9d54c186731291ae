/* Turns at the locks of dart/ext/dart_epoch.h: in the order of arrival, whoever comes and whatever holders, waiters and
 * targets do meanwhile: they sleep, are stopped, or compute. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "counted.h"
#include "dart_test.h"
#include "epoch/epoch.h"
#include "epoch_memory.h"
#include "model/world.h"

SUITE(epoch_turns);

/* ---- slow holders ---------------------------------------------------------------------------- */

/* Turns under an exclusive lock: each unit appends its id to a log, in three accesses, and in some turns `rests`
 * between them. Nobody else comes in between, and every unit gets all its turns. */
static void turns_with(void (*rests)(int), int ms)
{
  enum { TURNS = 8 };
  int64_t    *zeros     = calloc((size_t)n * TURNS + 1, sizeof *zeros);
  dart_gptr_t log       = test_alloc(zeros, (size_t)n * TURNS + 1, n - 1);
  int         turns[64] = { 0 };

  for (int turn = 0; turn < TURNS; turn++) {
    int64_t length = -1, id = me + 1;

    lock(log, DART_EPOCH_EXCLUSIVE);
    EXPECT_OK(dart_get_blocking(&length, log, 1, T_INT64, T_INT64));
    if (turn % 4 == 1 && me <= 1)
      rests(ms);
    EXPECT_OK(dart_put(test_at(log, 1 + (size_t)length), &id, 1, T_INT64, T_INT64));
    length++;
    EXPECT_OK(dart_put(log, &length, 1, T_INT64, T_INT64));
    unlock(log);
  }
  test_barrier();
  if (me == n - 1) {
    EXPECT_EQ(test_mine(log)[0], (int64_t)n * TURNS);
    for (int i = 0; i < n * TURNS; i++)
      turns[test_mine(log)[1 + i] & 63]++;
    for (int unit = 0; unit < n; unit++)
      EXPECT_EQ(turns[unit + 1], TURNS);
  }
  test_barrier();
  free(zeros);
}

static void sleep_some(int ms)
{
  nap_ms(ms);
}

/* Stop this process for a while: a child lets it go on, again and again, for the first time may be before the stop. */
static void be_stopped(int ms)
{
  pid_t self = getpid(), child = fork();

  if (child == 0) {
    while (getppid() == self) {
      nap_ms(ms);
      kill(self, SIGCONT);
    }
    _exit(0);
  }
  if (!EXPECT_TRUE(child > 0))
    return;
  raise(SIGSTOP);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

TEST(holders_that_sleep)
{
  turns_with(sleep_some, 15);
}

TEST(holders_that_are_stopped)
{
  turns_with(be_stopped, 15);
}

/* ---- in the order of arrival ------------------------------------------------------------------- */

/* Append its own id to a log, whose first element is its length. */
static void append(dart_gptr_t log)
{
  int64_t length = -1, id = me;

  EXPECT_OK(dart_get_blocking(&length, log, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put(test_at(log, 1 + (size_t)length), &id, 1, T_INT64, T_INT64));
  length++;
  EXPECT_OK(dart_put(log, &length, 1, T_INT64, T_INT64));
}

/* A child that stops this process soon, and then lets it go on. */
static pid_t stop_soon(void)
{
  pid_t self = getpid(), child = fork();

  if (child != 0)
    return child;
  nap_ms(2);
  kill(self, SIGSTOP);
  nap_ms(15);
  kill(self, SIGCONT);
  _exit(0);
}

/* The lock of this unit's portion. */
static const dart__rwlock_t *own_lock(dart_gptr_t gptr)
{
  const dart__team_t *team = dart__teams[DART_TEAM_ALL];

  return &dart__epoch_shared(team, dart__segment_find(team, gptr.segid), me)->lock;
}

/* Wait until so many others are in its queue; `first`: tickets that were taken before. `own` is any memory of this
 * unit's. */
static void await_others(dart_gptr_t own, const dart__rwlock_t *queue, uint32_t first, int others)
{
  int64_t found;

  while (atomic_load(&queue->next) - first < (uint32_t)others)
    EXPECT_OK(dart_get_blocking(&found, own, 1, T_INT64, T_INT64)); /* serves far ones, too */
}

/* Locks are granted in the order of arrival: a unit that asks again has its turn after all that waited, though it was
 * stopped while it held the lock, and one of them while it waited. */
TEST(who_asks_again_comes_last)
{
  int64_t    *zeros = calloc((size_t)n + 2, sizeof *zeros);
  dart_gptr_t log   = test_alloc(zeros, (size_t)n + 2, 0);
  pid_t       child = 0;

  if (me == 0) {
    const dart__rwlock_t *queue = own_lock(log);
    uint32_t              first;

    lock(log, DART_EPOCH_EXCLUSIVE);
    first = atomic_load(&queue->next);
    test_barrier();
    append(log);
    await_others(log, queue, first, n - 1);
    be_stopped(15);
    unlock(log);
  } else {
    test_barrier();
    if (me == 1)
      child = stop_soon();
  }
  lock(log, DART_EPOCH_EXCLUSIVE);
  append(log);
  unlock(log);
  if (child > 0)
    waitpid(child, NULL, 0);
  test_barrier();
  if (me == 0) {
    EXPECT_EQ(test_mine(log)[0], n + 1);
    EXPECT_EQ(test_mine(log)[1], 0);
    EXPECT_EQ(test_mine(log)[1 + n], 0);
    for (int i = 1; i < n; i++)
      EXPECT_TRUE(test_mine(log)[1 + i] != 0);
  }
  test_barrier();
  free(zeros);
}

/* Unit `target` holds its portion until all others ask for it, one after the other, two of three to read: whoever came
 * after a writer finds what that has written, and whoever came before does not. */
static void come_one_by_one(dart_gptr_t data, dart_gptr_t go, int target)
{
  const int64_t one   = 1;
  int           place = (me - target + n) % n - 1; /* in the queue */
  dart_gptr_t   word  = test_unit(data, target);
  int64_t       got   = -1;

  if (me == target) {
    const dart__rwlock_t *queue = own_lock(data);
    uint32_t              first;

    lock(word, DART_EPOCH_EXCLUSIVE);
    first = atomic_load(&queue->next);
    for (int k = 1; k < n; k++) {
      EXPECT_OK(dart_put_blocking(test_unit(go, (me + k) % n), &one, 1, T_INT64, T_INT64));
      await_others(test_unit(go, me), queue, first, k);
    }
    unlock(word);
    return;
  }
  EXPECT_OK(dart_wait_word(test_unit(go, me), T_INT64, DART_WAIT_EQ, &one, -1));
  lock(word, place % 3 == 2 ? DART_EPOCH_EXCLUSIVE : DART_EPOCH_SHARED);
  EXPECT_OK(dart_get_blocking(&got, word, 1, T_INT64, T_INT64));
  EXPECT_EQ(got, place / 3);
  got++;
  if (place % 3 == 2)
    EXPECT_OK(dart_put(word, &got, 1, T_INT64, T_INT64));
  unlock(word);
}

TEST(readers_and_writers_come_in_the_order_of_arrival) /* R23 */
{
  for (int last = 0; last < 2; last++) {
    int64_t     zero = 0;
    dart_gptr_t data = test_alloc(&zero, 1, 0), go = test_alloc(&zero, 1, 0);
    int         target = last ? n - 1 : 0;

    come_one_by_one(data, go, target);
    test_barrier();
    if (me == target)
      EXPECT_EQ(*test_mine(data), (n - 1) / 3);
    test_barrier();
  }
}

/* One turn; a writer changes both words, and readers find them equal. */
static void take_turn(dart_gptr_t word, bool writes, int64_t turn)
{
  int64_t first = -1, second = -2;

  lock(word, writes ? DART_EPOCH_EXCLUSIVE : DART_EPOCH_SHARED);
  if (writes) {
    EXPECT_OK(dart_put_blocking(word, &turn, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_put(test_at(word, 1), &turn, 1, T_INT64, T_INT64));
  } else {
    EXPECT_OK(dart_get_blocking(&first, word, 1, T_INT64, T_INT64));
    sched_yield(); /* for others to come, who would keep the lock shared for ever */
    EXPECT_OK(dart_get_blocking(&second, test_at(word, 1), 1, T_INT64, T_INT64));
    EXPECT_EQ(first, second);
  }
  unlock(word);
}

/* The least of all units' counts of turns. */
static int64_t least(dart_gptr_t counts)
{
  int64_t count = -1, min = INT64_MAX;

  for (int unit = 0; unit < n; unit++) { /* one word each: others put meanwhile */
    EXPECT_OK(dart_get_blocking(&count, test_at(counts, (size_t)unit), 1, T_INT64, T_INT64));
    min = count < min ? count : min;
  }
  return min;
}

/* All go on until each has had its turns: so neither the writer nor any reader is kept out for ever. */
TEST(a_writer_among_readers_gets_its_turns_and_they_theirs) /* R23 */
{
  int64_t zeros[64] = { 0 };
  int     turns     = test_rounds(20);

  for (int last = 0; last < 2;
       last++) { /* the writer: the target, then the last unit, which may be far */
    dart_gptr_t data = test_alloc(zeros, 2, 0), counts = test_alloc(zeros, (size_t)n, 0);
    int64_t     done = 0;

    while (least(counts) < turns) {
      done++;
      take_turn(data, me == (last ? n - 1 : 0), done);
      EXPECT_OK(dart_put_blocking(test_at(counts, (size_t)me), &done, 1, T_INT64, T_INT64));
    }
    test_barrier();
  }
}

/* ---- targets that compute ------------------------------------------------------------------------ */

/* One of the others' turns: both words of the target grow, the second one by what a later unlock has done. */
static void count_up(dart_gptr_t to, int assertions)
{
  int64_t got = -1, one = 1;

  lock(to, DART_EPOCH_EXCLUSIVE);
  EXPECT_OK(dart_get_blocking(&got, to, 1, T_INT64, T_INT64));
  got++;
  EXPECT_OK(dart_put(to, &got, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(to, assertions));
  EXPECT_OK(dart_flush(to));
  lock(to, DART_EPOCH_EXCLUSIVE); /* travels with its operation */
  EXPECT_OK(dart_accumulate(test_at(to, 1), &one, 1, T_INT64, DART_OP_SUM));
  unlock(to);
}

/* Stay outside of DART, and say so by a store, until the others have had all their turns. */
static void compute_until(const int64_t *word, int64_t value, int64_t *flag, bool has_far)
{
  look();
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
    sched_yield();
  EXPECT_EQ(since(DART__COUNT_PROGRESS), 0);
  EXPECT_EQ(since(DART__COUNT_AGENT_SERVED) > 0, has_far);
}

static void await_flag(dart_gptr_t flag)
{
  int64_t found = 0;

  while (found == 0)
    EXPECT_OK(dart_get_blocking(&found, flag, 1, T_INT64, T_INT64));
}

/* The last unit calls DART again only when all turns of the others are over. */
TEST(locks_of_a_target_that_computes) /* R23 */
{
  int  rounds = test_rounds(10), target = n - 1;
  bool is_served = dart__world.has_agent || !dart__world.many_nodes;

  for (int kind = 0; kind < KINDS && is_served; kind++) {
    memory_t    m       = memory_of(kind);
    dart_gptr_t flag    = test_alloc((int64_t[1]){ 0 }, 1, target);
    bool        has_far = false;

    for (int unit = 0; unit < n; unit++)
      has_far |= dart_near_ptr(test_unit(flag, unit)) == NULL;
    test_barrier();
    if (me == target) {
      compute_until(&m.mine[1], (int64_t)(n - 1) * rounds, test_mine(flag), has_far);
    } else {
      await_flag(flag);
      for (int round = 0; round < rounds; round++)
        count_up(test_unit(m.gptr, target), round % 2 ? DART_EPOCH_LAZY : 0);
    }
    test_barrier();
    if (me == target)
      EXPECT_EQ(m.mine[0], (int64_t)(n - 1) * rounds);
    end_memory(&m, kind);
  }
}
