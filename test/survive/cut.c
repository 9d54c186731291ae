/* See cut.h. All data of a round have its number. */
#include "cut.h"

#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_notify.h>

#include "calls.h"
#include "drawn.h"

#define PIECES  16
#define PIECE   3000 /* longs: more than fit a message, so that they travel behind it */
#define ALL     ((size_t)PIECES * PIECE)
#define MOST_US 10000
#define ROUNDS  64  /* the victim is killed before */
#define LOOKS   100 /* of 1 ms, for what comes after the loss is known */

static dart_gptr_t data, flag; /* at unit 0 */
static long       *here;       /* what `data` points to, there */
static long        values[ALL];

static void fill(long *longs, long round)
{
  for (size_t i = 0; i < ALL; i++)
    longs[i] = round;
}

static void put_pieces(long round)
{
  fill(values, round);
  for (size_t piece = 0; piece < PIECES; piece++) {
    dart_gptr_t at = data;

    at.addr_or_offs.offset += piece * PIECE * sizeof(long);
    MUST(dart_put(at, values + piece * PIECE, PIECE, DART_TYPE_LONG, DART_TYPE_LONG));
  }
}

static void check(const long *longs, long round)
{
  for (size_t i = 0; i < ALL; i++)
    if (longs[i] != round)
      fail("told of data that are not there", __LINE__);
}

/* Each round has data of its own: the victim does not wait. */
static void put_and_notify(long round)
{
  static long all[ROUNDS][ALL];
  dart_gptr_t at = data;

  fill(all[round - 1], round);
  at.addr_or_offs.offset += (size_t)(round - 1) * sizeof *all;
  MUST(dart_put_notify_op(at, all[round - 1], ALL, DART_TYPE_LONG, DART_TYPE_LONG, flag, round,
                          DART_OP_REPLACE));
}

static bool is_told(long round)
{
  dart_ret_t ret = dart_notify_wait(flag, round, -1);

  for (int look = 0; look < LOOKS && ret == DART_ERR_UNIT_LOST; look++) {
    usleep(1000);
    ret = dart_notify_wait(flag, round, 0);
  }
  return ret == DART_OK;
}

static void put_and_complete(long round)
{
  dart_team_unit_t target = DART_TEAM_UNIT_ID(0);

  MUST(dart_epoch_start(data, 1, &target, 0));
  put_pieces(round);
  MUST(dart_epoch_complete(data));
}

static bool is_completed(void)
{
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(n - 1);

  return dart_epoch_post(data, 1, &origin, 0) == DART_OK && dart_epoch_wait(data) == DART_OK;
}

static void put_and_unlock(long round)
{
  MUST(dart_epoch_lock(data, DART_EPOCH_EXCLUSIVE, 0));
  put_pieces(round);
  MUST(dart_epoch_unlock(data, 0));
}

static bool is_unlocked(void)
{
  return dart_epoch_lock(data, DART_EPOCH_SHARED, 0) == DART_OK &&
         dart_get(values, data, ALL, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK &&
         dart_epoch_unlock(data, 0) == DART_OK;
}

static void work(const char *how)
{
  for (long round = 1; round <= ROUNDS; round++) {
    if (*how == 'n')
      put_and_notify(round);
    else if (*how == 'c')
      put_and_complete(round);
    else
      put_and_unlock(round);
  }
  pause();
}

/* Unit 0 is told; or, of a lock, unit 1 looks, as often as it can. */
static void follow(const char *how)
{
  for (long round = 1; round <= ROUNDS; round++) {
    if (*how == 'n') {
      if (!is_told(round))
        return;
      check(here + (size_t)(round - 1) * ALL, round);
    } else if (*how == 'c') {
      if (!is_completed())
        return;
      check(here, round);
    } else {
      if (!is_unlocked())
        return;
      check(values, values[0]);
    }
  }
}

void work_until_cut(const char *how, uint64_t seed)
{
  bool   is_notify = *how == 'n';
  size_t nelem     = is_notify ? ALL * ROUNDS : ALL;

  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, nelem, DART_TYPE_LONG, &data));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &flag));
  if (me == 0) {
    MUST(dart_gptr_getaddr(data, (void **)&here));
    memset(here, 0, ALL * sizeof(long));
    MUST(dart_put_blocking(flag, &(long){ 0 }, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  }
  if (dart_barrier(DART_TEAM_ALL) == DART_ERR_UNIT_LOST)
    return; /* so soon */
  if (me == n - 1) {
    die_after(seed * 7919 % MOST_US);
    work(how);
  } else if (me == (*how == 'u' ? 1 : 0)) {
    follow(how);
  }
}
