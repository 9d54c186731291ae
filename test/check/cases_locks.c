/* Locks that are acquired while others are held, in one order or in opposite ones. No case waits for ever: units take
 * their turns, and what is reported is what could have happened. */
#include <pthread.h>

#include <dash/dart/ext/dart_lock_at.h>

#include "check.h"

enum { A, B, C, LOCKS };

static dart_lock_t lock[LOCKS];

static void make_locks(void)
{
  for (int i = 0; i < LOCKS; i++)
    dart_team_lock_init(DART_TEAM_ALL, &lock[i]);
}

static void end_locks(void)
{
  dart_barrier(DART_TEAM_ALL);
  for (int i = 0; i < LOCKS; i++)
    dart_team_lock_destroy(&lock[i]);
}

/* The word of a lock in memory that units allocated: `word` of unit `unit`. */
static dart_gptr_t word(dart_gptr_t gptr, int unit, size_t word)
{
  return at(gptr, unit, 2 * word);
}

static dart_ret_t take_range(dart_range_t range, uint64_t first, uint64_t last,
                             dart_range_mode_t mode, int64_t timeout, dart_range_hold_t *hold)
{
  return dart_range_acquire(range, &(dart_range_span_t){ first, last, mode }, 1, timeout, hold);
}

static void order_one(void)
{
  make_locks();
  for (int i = 0; i < 10; i++) {
    dart_lock_acquire(lock[A]);
    dart_lock_acquire(lock[B]);
    dart_lock_acquire(lock[C]);
    dart_lock_release(lock[B]);
    dart_lock_release(lock[C]);
    dart_lock_release(lock[A]);
    dart_lock_acquire(lock[B]);
    dart_lock_acquire(lock[C]);
    dart_lock_release(lock[C]);
    dart_lock_release(lock[B]);
  }
  end_locks();
}

/* Whoever holds the first lock is alone with the others. */
static void order_guarded(void)
{
  make_locks();
  for (int i = 0; i < 5; i++) {
    dart_lock_acquire(lock[A]);
    dart_lock_acquire(lock[me % 2 == 0 ? B : C]);
    dart_lock_acquire(lock[me % 2 == 0 ? C : B]);
    dart_lock_release(lock[B]);
    dart_lock_release(lock[C]);
    dart_lock_release(lock[A]);
  }
  end_locks();
}

/* Who tries does not wait, nor a unit that releases before. */
static void order_tried(void)
{
  int32_t is_held;

  make_locks();
  if (me == 0) {
    dart_lock_acquire(lock[A]);
    dart_lock_acquire(lock[B]);
    dart_lock_release(lock[B]);
    dart_lock_release(lock[A]);
  }
  dart_barrier(DART_TEAM_ALL);
  if (me == 1) {
    dart_lock_acquire(lock[B]);
    dart_lock_try_acquire(lock[A], &is_held);
    if (is_held)
      dart_lock_release(lock[A]);
    dart_lock_release(lock[B]);
    dart_lock_acquire(lock[A]);
    dart_lock_release(lock[A]);
  }
  end_locks();
}

static void order_words(void)
{
  dart_gptr_t gptr = segment(16, 0);
  int         low = me < (me + 1) % n ? me : (me + 1) % n, high = me + (me + 1) % n - low;

  for (int i = 0; i < 10; i++) {
    dart_lock_at_acquire(word(gptr, low, 0));
    dart_lock_at_acquire(word(gptr, high, 0));
    dart_lock_at_release(word(gptr, low, 0));
    dart_lock_at_release(word(gptr, high, 0));
  }
  dart_flush_all(gptr);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

/* The locks of a segment that was freed are not those of another one in its place. */
static void order_freed(void)
{
  for (int i = 0; i < 12; i++) {
    dart_gptr_t gptr = segment(16, 0);

    if (me == i % n) {
      dart_lock_at_acquire(word(gptr, 0, i % 2));
      dart_lock_at_acquire(word(gptr, 0, 1 - i % 2));
      dart_lock_at_release(word(gptr, 0, 0));
      dart_lock_at_release(word(gptr, 0, 1));
    }
    dart_flush_all(gptr);
    dart_barrier(DART_TEAM_ALL);
    dart_team_memfree(gptr);
  }
}

static void order_ranges(void)
{
  dart_range_t      range;
  dart_range_hold_t low, high;

  dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
  for (int i = 0; i < 5; i++) {
    take_range(range, 0, 9, DART_RANGE_EXCLUSIVE, -1, &low);
    take_range(range, 10, 19, DART_RANGE_EXCLUSIVE, -1, &high);
    dart_range_release(&low);
    dart_range_release(&high);
    take_range(range, 20, 29, DART_RANGE_SHARED, -1, &high); /* shared: nobody waits */
    take_range(range, 30, 39, DART_RANGE_SHARED, -1, &low);
    dart_range_release(&high);
    take_range(range, 20, 29, DART_RANGE_SHARED, -1, &high);
    dart_range_release(&low);
    dart_range_release(&high);
    take_range(range, 10, 19, DART_RANGE_EXCLUSIVE, -1, &high); /* a limit: nobody waits for ever */
    if (take_range(range, 0, 9, DART_RANGE_EXCLUSIVE, 0, &low) == DART_OK)
      dart_range_release(&low);
    dart_range_release(&high);
  }
  dart_barrier(DART_TEAM_ALL);
  dart_team_range_destroy(&range);
}

static void opposite_locks(void)
{
  make_locks();
  if (me == 0) {
    dart_lock_acquire(lock[A]);
    dart_lock_acquire(lock[B]);
    dart_lock_release(lock[B]);
    dart_lock_release(lock[A]);
  }
  dart_barrier(DART_TEAM_ALL);
  if (me == 1) {
    dart_lock_acquire(lock[B]);
    dart_lock_acquire(lock[A]);
    dart_lock_release(lock[A]);
    dart_lock_release(lock[B]);
  }
  end_locks();
}

/* Both orders by one unit, in which another one would meet it. */
static void opposite_places(void)
{
  make_locks();
  if (me == 1) {
    dart_lock_acquire(lock[A]);
    dart_lock_acquire(lock[B]);
    dart_lock_release(lock[A]);
    dart_lock_acquire(lock[A]);
    dart_lock_release(lock[A]);
    dart_lock_release(lock[B]);
  }
  end_locks();
}

/* Each unit its own lock and then that of its neighbour, in a ring; of other kinds of locks between. */
static void opposite_ring(void)
{
  dart_gptr_t gptr = segment(16, 0);

  for (int turn = 0; turn < 3; turn++) {
    if (me == turn) {
      dart_lock_at_acquire(word(gptr, turn, 0));
      dart_lock_at_acquire(word(gptr, (turn + 1) % 3, 0));
      dart_lock_at_release(word(gptr, (turn + 1) % 3, 0));
      dart_lock_at_release(word(gptr, turn, 0));
      dart_flush_all(gptr);
    }
    dart_barrier(DART_TEAM_ALL);
  }
  dart_team_memfree(gptr);
}

static void opposite_kinds(void)
{
  dart_gptr_t       gptr = segment(16, 0);
  dart_range_t      range;
  dart_range_hold_t hold;

  dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
  if (me == 1) {
    dart_lock_at_acquire(word(gptr, 2, 1));
    take_range(range, 5, 20, DART_RANGE_SHARED, -1, &hold);
    dart_range_release(&hold);
    dart_lock_at_release(word(gptr, 2, 1));
    dart_flush_all(gptr);
  }
  dart_barrier(DART_TEAM_ALL);
  if (me == 2) {
    take_range(range, 20, 30, DART_RANGE_EXCLUSIVE, -1, &hold);
    dart_lock_at_acquire(word(gptr, 2, 1));
    dart_lock_at_release(word(gptr, 2, 1));
    dart_range_release(&hold);
  }
  dart_flush_all(gptr);
  dart_barrier(DART_TEAM_ALL);
  dart_team_range_destroy(&range);
  dart_team_memfree(gptr);
}

static void *nest(void *unused)
{
  dart_lock_acquire(lock[A]);
  dart_lock_acquire(lock[B]);
  dart_lock_release(lock[B]);
  dart_lock_release(lock[A]);
  return unused;
}

static void *take(void *which)
{
  dart_lock_acquire(*(dart_lock_t *)which);
  dart_lock_release(*(dart_lock_t *)which);
  return NULL;
}

static void in_thread(void *(*run)(void *), void *argument)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, run, argument) != 0)
    abort();
  pthread_join(thread, NULL);
}

/* What one thread holds is not held by the other. */
static void order_threads(void)
{
  make_locks();
  if (me == 1) {
    dart_lock_acquire(lock[A]);
    in_thread(take, &lock[B]);
    dart_lock_release(lock[A]);
    dart_lock_acquire(lock[B]);
    in_thread(take, &lock[A]);
    dart_lock_release(lock[B]);
  }
  end_locks();
}

static void opposite_threads(void)
{
  make_locks();
  if (me == 1) {
    in_thread(nest, NULL);
    dart_lock_acquire(lock[B]);
    dart_lock_acquire(lock[A]);
    dart_lock_release(lock[A]);
    dart_lock_release(lock[B]);
  }
  end_locks();
}

#define OPPOSITE(unit) \
  "*unit " unit ": locks: locks are acquired in opposite orders, which may deadlock"

const case_t lock_cases[] = {
  { "order_one", NULL, order_one, TOGETHER },
  { "order_guarded", NULL, order_guarded, TOGETHER },
  { "order_tried", NULL, order_tried, TOGETHER },
  { "order_words", NULL, order_words, TOGETHER },
  { "order_freed", NULL, order_freed, TOGETHER },
  { "order_ranges", NULL, order_ranges, TOGETHER },
  { "opposite_locks", OPPOSITE("1"), opposite_locks, TOGETHER },
  { "opposite_places", OPPOSITE("1"), opposite_places, TOGETHER },
  { "opposite_ring", OPPOSITE("2"), opposite_ring, TOGETHER },
  { "opposite_kinds", OPPOSITE("2"), opposite_kinds, TOGETHER },
  { "order_threads", NULL, order_threads, THREADS },
  { "opposite_threads", OPPOSITE("1"), opposite_threads, THREADS },
  { NULL, NULL, NULL, TOGETHER },
};
