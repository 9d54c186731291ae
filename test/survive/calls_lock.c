/* Locks, and ranges. */
#include "prepare.h"

#include <unistd.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_range.h>

static dart_lock_t             lock;
static dart_range_t            range;
static const dart_range_span_t span = { .first = 0, .last = 9, .mode = DART_RANGE_EXCLUSIVE };

static void new_lock(void)
{
  MUST(dart_team_lock_init(DART_TEAM_ALL, &lock));
}

static void held_lock(void)
{
  new_lock();
  if (me == victim)
    MUST(dart_lock_acquire(lock));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void held_word(void)
{
  segment();
  if (me == victim)
    MUST(dart_lock_at_acquire(at_unit(memory, (victim + 1) % n)));
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* A word of the victim that another unit holds. */
static void held_word_of_victim(void)
{
  segment();
  if (me == holder())
    MUST(dart_lock_at_acquire(at_unit(memory, victim)));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void new_range(void)
{
  MUST(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
}

static void held_range(void)
{
  static dart_range_hold_t hold;

  new_range();
  if (me == victim)
    MUST(dart_range_acquire(range, &span, 1, -1, &hold));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static dart_ret_t lock_init(void)
{
  return dart_team_lock_init(DART_TEAM_ALL, &lock);
}

static dart_ret_t lock_destroy(void)
{
  return dart_team_lock_destroy(&lock);
}

static dart_ret_t lock_acquire(void)
{
  dart_ret_t ret = dart_lock_acquire(lock);

  if (ret == DART_OK)
    MUST(dart_lock_release(lock));
  return ret;
}

/* The victim dies while others hold the lock, or wait for it. */
static dart_ret_t lock_release(void)
{
  dart_ret_t ret = dart_lock_acquire(lock);

  if (ret != DART_OK)
    return ret;
  await_victim();
  return dart_lock_release(lock);
}

static dart_ret_t lock_try(void)
{
  int32_t done = 0;

  while (done == 0) {
    dart_ret_t ret = dart_lock_try_acquire(lock, &done);

    if (ret != DART_OK)
      return ret;
    usleep(1000);
  }
  return dart_lock_release(lock);
}

static dart_ret_t lock_at(void)
{
  dart_gptr_t word = at_unit(memory, (victim + 1) % n);
  dart_ret_t  ret  = dart_lock_at_acquire(word);

  if (ret == DART_OK)
    MUST(dart_lock_at_release(word));
  return ret;
}

static dart_ret_t lock_at_of_victim(void)
{
  dart_ret_t ret = dart_lock_at_acquire(at_unit(memory, victim));

  if (ret == DART_OK)
    MUST(dart_lock_at_release(at_unit(memory, victim)));
  return ret;
}

static dart_ret_t lock_at_try(void)
{
  dart_gptr_t word = at_unit(memory, (victim + 1) % n);
  int32_t     done = 0;

  while (done == 0) {
    MUST(dart_lock_at_try_acquire(word, &done));
    usleep(1000);
  }
  return dart_lock_at_release(word);
}

/* Between nodes word of the release is gone with the victim. */
static dart_ret_t lock_at_try_of_victim(void)
{
  dart_gptr_t word = at_unit(memory, victim);
  int32_t     done = me == holder();
  dart_ret_t  ret  = DART_OK;

  while (done == 0 && ret == DART_OK)
    ret = dart_lock_at_try_acquire(word, &done);
  return ret == DART_OK ? dart_lock_at_release(word) : ret;
}

static dart_ret_t range_init(void)
{
  return dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
}

static dart_ret_t range_destroy(void)
{
  return dart_team_range_destroy(&range);
}

static dart_ret_t range_release(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &span, 1, -1, &hold);

  if (ret != DART_OK)
    return ret;
  await_victim();
  return dart_range_release(&hold);
}

static dart_ret_t range_acquire(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &span, 1, -1, &hold);

  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

static dart_ret_t range_try(void)
{
  dart_range_hold_t hold;
  dart_ret_t        ret;

  while ((ret = dart_range_acquire(range, &span, 1, 0, &hold)) == DART_PENDING)
    usleep(1000);
  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

/* In the tables of all units. */
static dart_ret_t range_of_all(void)
{
  dart_range_span_t all = { .first = 0, .last = UINT64_MAX, .mode = DART_RANGE_EXCLUSIVE };
  dart_range_hold_t hold;
  dart_ret_t        ret = dart_range_acquire(range, &all, 1, -1, &hold);

  if (ret == DART_OK)
    MUST(dart_range_release(&hold));
  return ret;
}

static const entry_t entries[] = {
  { "lock_init", NULL, lock_init, LOST },
  { "lock_destroy", new_lock, lock_destroy, LOST },
  { "lock_acquire", held_lock, lock_acquire, AT_FIRST },
  { "lock_release", new_lock, lock_release, EITHER },
  { "lock_try_acquire", held_lock, lock_try, AT_FIRST },
  { "lock_at_acquire", held_word, lock_at, ONE_DONE },
  { "lock_at_try_acquire", held_word, lock_at_try, ONE_DONE },
  { "lock_at_of_victim", segment, lock_at_of_victim, WORD },
  { "lock_at_try_of_victim", held_word_of_victim, lock_at_try_of_victim, EITHER },
  { "range_init", NULL, range_init, LOST },
  { "range_destroy", new_range, range_destroy, LOST },
  { "range_acquire", held_range, range_acquire, AT_FIRST },
  { "range_release", new_range, range_release, EITHER },
  { "range_try_acquire", held_range, range_try, AT_FIRST },
  { "range_of_all", new_range, range_of_all, EITHER },
};

const call_table_t lock_calls = { entries, sizeof entries / sizeof *entries };
