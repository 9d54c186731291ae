/* Epochs in which the victim has a part. Waits for a portion that are given up: portions.c. */
#include "prepare.h"

#include <dash/dart/ext/dart_epoch.h>

static void fenced(void)
{
  segment();
  MUST(dart_epoch_fence(memory, 0));
}

static void posted(void)
{
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(victim);

  segment();
  if (me != victim)
    MUST(dart_epoch_post(memory, 1, &origin, 0));
}

static void held_portion(void)
{
  dart_gptr_t portion;

  segment();
  portion = at_unit(memory, holder());
  if (me == victim) { /* the first operation takes the lock */
    MUST(dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0));
    MUST(dart_put_blocking(portion, in, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  }
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* Too much to be copied when it is put. */
static dart_ret_t put_all_to(int unit)
{
  return dart_put(at_unit(memory, unit), in, 16, DART_TYPE_LONG, DART_TYPE_LONG);
}

/* The call that returned `ret` has completed what was put. */
static dart_ret_t use_again(dart_ret_t ret)
{
  in[0]++;
  dart_flush_all(memory); /* where the debug mode looks */
  return ret;
}

static dart_ret_t fence(void)
{
  dart_ret_t ret = put_all_to((me + 1) % n);

  return ret != DART_OK ? ret : use_again(dart_epoch_fence(memory, 0));
}

/* The first fence of a segment prepares more than others. Its epoch begins all the same: with an operation in it, no other kind
 * can begin. */
static dart_ret_t first_fence(void)
{
  dart_ret_t ret = dart_epoch_fence(memory, 0);

  MUST(put_all_to(me));
  if (dart_epoch_lock(at_unit(memory, me), DART_EPOCH_SHARED, 0) != DART_ERR_INVAL)
    fail("no epoch has begun", __LINE__);
  if (dart_epoch_fence(memory, DART_EPOCH_NOSUCCEED) != DART_ERR_UNIT_LOST)
    fail("a fence that waits for nobody", __LINE__);
  return ret;
}

static dart_ret_t start_and_complete(void)
{
  dart_team_unit_t target = DART_TEAM_UNIT_ID(victim);
  long             value  = 3;
  dart_ret_t       ret    = dart_epoch_start(memory, 1, &target, 0);

  if (ret == DART_OK)
    ret = dart_put(at_unit(memory, victim), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  return ret != DART_OK ? ret : dart_epoch_complete(memory);
}

/* Both kinds of an epoch with the victim at a time. */
static dart_ret_t post_and_start(void)
{
  dart_team_unit_t partner = DART_TEAM_UNIT_ID(victim);
  dart_ret_t       ret     = dart_epoch_post(memory, 1, &partner, 0), waited;

  if (ret != DART_OK)
    return ret;
  ret = dart_epoch_start(memory, 1, &partner, 0);
  if (ret == DART_OK)
    ret = dart_epoch_complete(memory);
  waited = dart_epoch_wait(memory);
  return ret != DART_OK ? ret : waited;
}

static dart_ret_t epoch_wait(void)
{
  return dart_epoch_wait(memory);
}

static dart_ret_t epoch_test(void)
{
  int32_t    done = 0;
  dart_ret_t ret  = DART_OK;

  while (ret == DART_OK && done == 0)
    ret = dart_epoch_test(memory, &done);
  return ret;
}

static dart_ret_t get_in_lock(void)
{
  dart_gptr_t portion = at_unit(memory, victim);
  dart_ret_t  ret     = dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0), unlocked;

  if (ret != DART_OK)
    return ret;
  ret      = dart_get_blocking(out, portion, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  unlocked = dart_epoch_unlock(portion, 0);
  return ret != DART_OK ? ret : unlocked;
}

static dart_ret_t portion_lock(void)
{
  dart_gptr_t portion = at_unit(memory, holder());
  dart_ret_t  ret     = dart_epoch_lock(portion, DART_EPOCH_EXCLUSIVE, 0);

  if (ret != DART_OK)
    return ret;
  MUST(put_all_to(holder()));
  return use_again(dart_epoch_unlock(portion, 0));
}

static dart_ret_t portion_lock_all(void)
{
  dart_ret_t ret = dart_epoch_lock_all(memory, 0);

  if (ret != DART_OK)
    return ret;
  MUST(put_all_to(holder()));
  return use_again(dart_epoch_unlock_all(memory, 0));
}

static const entry_t entries[] = {
  { "epoch_fence", fenced, fence, LOST },
  { "epoch_fence_first", segment, first_fence, LOST },
  { "epoch_start_complete", segment, start_and_complete, AHEAD },
  { "epoch_post_start", segment, post_and_start, LOST },
  { "epoch_wait", posted, epoch_wait, LOST },
  { "epoch_test", posted, epoch_test, LOST },
  { "epoch_lock_get", segment, get_in_lock, EITHER },
  { "epoch_lock", held_portion, portion_lock, EITHER },
  { "epoch_lock_all", held_portion, portion_lock_all, EITHER },
};

const call_table_t epoch_calls = { entries, sizeof entries / sizeof *entries };
