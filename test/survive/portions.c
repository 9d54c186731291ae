/* Epochs whose wait for a portion is given up, because a unit is lost. A call that has no lock releases none. Each test uses
 * the portion of one unit, the keeper, which survives. */
#include "calls.h"

#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_name.h>

#define KEPT_US   300000
#define EXCLUSIVE 1000 /* in `inside` */

static dart_gptr_t portions; /* an element for each unit, on each unit */
/* A sum over the units that hold the lock: EXCLUSIVE, or 1 for a shared one. Behind it, 1: the keeper has released it. */
static dart_gptr_t inside;

static int keeper(void)
{
  return (victim + 1) % n;
}

static dart_gptr_t element_of(dart_gptr_t gptr, int unit, int index)
{
  gptr.unitid = unit;
  gptr.addr_or_offs.offset += (size_t)index * sizeof(long);
  return gptr;
}

/* Of this unit. */
static long *own_elements(dart_gptr_t gptr)
{
  void *at;

  MUST(dart_gptr_getaddr(element_of(gptr, me, 0), &at));
  return at;
}

static void new_portions(size_t nelem)
{
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, nelem, DART_TYPE_LONG, &portions));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &inside));
  memset(own_elements(portions), 0, nelem * sizeof(long));
  memset(own_elements(inside), 0, 2 * sizeof(long));
  MUST(dart_barrier(DART_TEAM_ALL));
}

static void await_status(void)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;

  for (; status == DART_UNIT_RUNNING; usleep(1000))
    MUST(dart_unit_status(DART_GLOBAL_UNIT_ID(victim), &status));
}

static void expect_lost(dart_ret_t ret, int line)
{
  if (ret != DART_ERR_UNIT_LOST)
    fail(dart_strerror(ret), line);
}

#define LOSES(call) expect_lost(call, __LINE__)

/* ---- locks -------------------------------------------------------------------------------------- */

/* Returns what was there before. */
static long add_to(int index, long by)
{
  long before;

  MUST(dart_fetch_and_op(element_of(inside, keeper(), index), &by, &before, DART_TYPE_LONG,
                         DART_OP_SUM));
  MUST(dart_flush(element_of(inside, keeper(), index)));
  return before;
}

static void kept_portion(void)
{
  new_portions((size_t)n);
  if (me == keeper()) {
    MUST(dart_epoch_lock(element_of(portions, me, 0), DART_EPOCH_EXCLUSIVE, 0));
    add_to(0, EXCLUSIVE);
  }
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* This unit has the lock. */
static void work_inside(bool is_exclusive)
{
  long weight = is_exclusive ? EXCLUSIVE : 1;

  if (add_to(0, weight) >= (is_exclusive ? 1 : EXCLUSIVE))
    fail("another unit has the lock, too", __LINE__);
  usleep(1000);
  add_to(0, -weight);
}

typedef enum { ALONE, BESIDE, ALL, NKINDS } kind_t;

/* Lock the keeper's portion, or all, and unlock, in spite of losses. */
static dart_ret_t use_portion(kind_t kind, int tries)
{
  dart_gptr_t portion = element_of(portions, keeper(), me);
  dart_ret_t  put     = DART_ERR_UNIT_LOST, unlocked;
  long        value   = me;

  if (kind == ALL)
    MUST(dart_epoch_lock_all(portions, 0));
  else
    MUST(dart_epoch_lock(portion, kind == ALONE ? DART_EPOCH_EXCLUSIVE : DART_EPOCH_SHARED, 0));
  while (put == DART_ERR_UNIT_LOST && tries-- > 0)
    put = dart_put_blocking(portion, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  if (put == DART_OK)
    work_inside(kind == ALONE);
  else
    LOSES(put);
  unlocked = kind == ALL ? dart_epoch_unlock_all(portions, 0) : dart_epoch_unlock(portion, 0);
  if (put == DART_OK)
    MUST(unlocked);
  else if (unlocked != DART_OK)
    LOSES(unlocked);
  return put;
}

/* The keeper has its lock for long after the victim is lost, while others give up. */
static dart_ret_t keep_portion(void)
{
  await_status();
  usleep(KEPT_US);
  if (add_to(0, -EXCLUSIVE) != EXCLUSIVE)
    fail("another unit has the lock, too", __LINE__);
  MUST(dart_epoch_unlock(element_of(portions, me, 0), 0));
  add_to(1, 1);
  return DART_OK;
}

static dart_ret_t lock_kept(void)
{
  int        number = (me - keeper() + n) % n, round = 0;
  dart_ret_t ret = DART_OK;

  if (me == keeper())
    return keep_portion();
  for (; add_to(1, 0) == 0; round++)
    use_portion((kind_t)((me + round) % NKINDS), (number / 2 + round) % 2 == 0 ? 1 : 10);
  for (int more = 0; more < NKINDS; more++)
    ret = use_portion((kind_t)more, 1);
  return ret;
}

static void portion_of_victim(void)
{
  long value = 0;

  new_portions((size_t)n);
  if (me == victim) {
    MUST(dart_epoch_lock(element_of(portions, keeper(), 0), DART_EPOCH_EXCLUSIVE, 0));
    MUST(dart_put_blocking(element_of(portions, keeper(), 0), &value, 1, DART_TYPE_LONG,
                           DART_TYPE_LONG));
  }
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* No epoch is open. */
static void use_without_lock(void)
{
  dart_gptr_t own   = element_of(portions, me, 0);
  long        value = 1;

  if (dart_epoch_unlock(own, 0) != DART_ERR_INVAL ||
      dart_epoch_unlock_all(own, 0) != DART_ERR_INVAL)
    fail("it is locked", __LINE__);
  MUST(dart_put_blocking(own, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

/* The victim has the lock of the keeper's portion, which the keeper has no more epoch for than the call says. */
static dart_ret_t lock_own(void)
{
  dart_gptr_t own = element_of(portions, me, 0), other = element_of(portions, (me + 1) % n, 0);
  dart_ret_t  unchecked;
  long        value = 1;

  if (me != keeper())
    return DART_ERR_UNIT_LOST;
  LOSES(dart_epoch_lock(own, DART_EPOCH_EXCLUSIVE, 0));
  use_without_lock();
  LOSES(dart_epoch_lock_all(own, 0));
  use_without_lock();
  unchecked = dart_epoch_lock(own, DART_EPOCH_SHARED, DART_EPOCH_NOCHECK);
  if (unchecked == DART_OK) /* where that is not verified */
    MUST(dart_epoch_unlock(own, 0));
  else
    LOSES(unchecked);
  MUST(dart_epoch_lock(other, DART_EPOCH_EXCLUSIVE, 0));
  LOSES(dart_epoch_lock(own, DART_EPOCH_SHARED, 0));
  MUST(dart_put_blocking(other, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_epoch_unlock(other, 0));
  use_without_lock();
  return DART_ERR_UNIT_LOST;
}

/* ---- messages between the keeper and the others -------------------------------------------------- */

#define SAYS 998 /* a tag */

static void say_to(int unit)
{
  char byte = 0;

  MUST(dart_send(&byte, 1, DART_TYPE_BYTE, SAYS, DART_GLOBAL_UNIT_ID(unit)));
}

static void hear_from(int unit)
{
  char byte;

  MUST(dart_recv(&byte, 1, DART_TYPE_BYTE, SAYS, DART_GLOBAL_UNIT_ID(unit)));
}

/* With each unit but the keeper and the victim. */
static void with_others(void (*what)(int unit))
{
  for (int u = 0; u < n; u++)
    if (u != keeper() && u != victim)
      what(u);
}

/* What others had for this unit was not put. By plain loads: it may be in an epoch. */
static void expect_untouched(int step)
{
  volatile long *own = own_elements(portions);

  for (int u = 0; u < n; u++)
    if (own[u * step] != 0)
      fail("an operation that was given up is there", __LINE__);
}

/* ---- fences ------------------------------------------------------------------------------------- */

static void fenced_portions(void)
{
  new_portions((size_t)n);
  MUST(dart_epoch_fence(portions, 0));
}

static void put_to_keeper(void)
{
  static const long value = 1;

  MUST(dart_put(element_of(portions, keeper(), me), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

/* The keeper has called neither the fence that begins the epoch, nor the one that ends it, when others have given up the
 * latter, and are in the next epoch. */
static dart_ret_t fence_ahead(void)
{
  dart_ret_t ret;

  if (me == keeper()) {
    with_others(hear_from);
    expect_untouched(1);
  }
  MUST(dart_epoch_fence(portions, DART_EPOCH_NOPRECEDE));
  if (me != keeper())
    put_to_keeper();
  ret = dart_epoch_fence(portions, 0);
  if (me != keeper()) {
    put_to_keeper();
    say_to(keeper());
  }
  LOSES(dart_epoch_fence(portions, DART_EPOCH_NOSUCCEED));
  return ret;
}

/* ---- start and complete --------------------------------------------------------------------------- */

#define MANY 1000 /* elements: too many to be sent ahead of a post */

static void posted_by_victim(void)
{
  dart_team_unit_t others[64];
  size_t           nothers = 0;

  new_portions((size_t)n * MANY);
  for (int u = 0; u < n; u++)
    if (u != victim)
      others[nothers++] = DART_TEAM_UNIT_ID(u);
  if (me == victim)
    MUST(dart_epoch_post(portions, nothers, others, 0));
  MUST(dart_barrier(DART_TEAM_ALL));
}

/* Each of the first two posts belongs to an access that was given up. */
static void post_for_one(int unit)
{
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(unit);

  MUST(dart_epoch_post(portions, 1, &origin, 0));
  say_to(unit);
  hear_from(unit);
  LOSES(dart_epoch_wait(portions));
  MUST(dart_epoch_post(portions, 1, &origin, 0));
  LOSES(dart_epoch_wait(portions));
  expect_untouched(MANY);
  MUST(dart_epoch_post(portions, 1, &origin, 0));
  say_to(unit);
  hear_from(unit);
  LOSES(dart_epoch_wait(portions));
  if (own_elements(portions)[unit * MANY] != 1)
    fail("an operation whose access was posted", __LINE__);
  own_elements(portions)[unit * MANY] = 0;
}

/* An access to the keeper that is short enough to be sent ahead of a post. */
static dart_ret_t put_by_start(void)
{
  dart_team_unit_t  target = DART_TEAM_UNIT_ID(keeper());
  static const long value  = 1;

  MUST(dart_epoch_start(portions, 1, &target, 0));
  MUST(dart_put(element_of(portions, keeper(), me * MANY), &value, 1, DART_TYPE_LONG,
                DART_TYPE_LONG));
  return dart_epoch_complete(portions);
}

/* The victim has posted, but not the keeper, when others complete their accesses to both. Then the keeper posts. */
static dart_ret_t complete_unposted(void)
{
  dart_team_unit_t targets[2] = { DART_TEAM_UNIT_ID(victim), DART_TEAM_UNIT_ID(keeper()) };
  dart_gptr_t      cell       = element_of(portions, keeper(), me * MANY);
  static long      many[MANY];
  dart_ret_t       ret;

  if (me == keeper()) {
    with_others(hear_from);
    with_others(post_for_one);
    return DART_ERR_UNIT_LOST;
  }
  MUST(dart_epoch_start(portions, 2, targets, 0));
  many[0] = 1;
  ret = dart_put_blocking(element_of(portions, victim, 0), many, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  if (ret != DART_OK)
    LOSES(ret);
  MUST(dart_put(cell, many, MANY, DART_TYPE_LONG, DART_TYPE_LONG));
  await_status();
  LOSES(dart_epoch_complete(portions));
  say_to(keeper());
  hear_from(keeper());
  LOSES(put_by_start());
  say_to(keeper());
  hear_from(keeper());
  MUST(put_by_start());
  say_to(keeper());
  return DART_ERR_UNIT_LOST;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static const entry_t entries[] = {
  { "epoch_lock_kept", kept_portion, lock_kept, EITHER },
  { "epoch_lock_own", portion_of_victim, lock_own, LOST },
  { "epoch_fence_ahead", fenced_portions, fence_ahead, LOST },
  { "epoch_complete_unposted", posted_by_victim, complete_unposted, LOST },
};

const call_table_t portion_calls = { entries, sizeof entries / sizeof *entries };
