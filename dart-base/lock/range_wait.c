/* Waiting for a request in a table of ranges: see range_table.h.
 *
 * A unit that is lost leaves requests behind, which have to leave, and it may not have told those whom it has let in. So
 * where units may be lost the wait is in pieces. After each loss it has requests of lost units leave, and now and then it
 * asks whether it holds. Once units were lost a waiter may be told late, for a wait that is over; so then it asks each time
 * that it is told. */
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_profile.h>

#include "lock/range_table.h"
#include "memory/pool.h"
#include "model/lost.h"
#include "model/world.h"

#define MOST_VAIN 10 /* pieces after which it asks */

static int64_t piece_of(int64_t end_us, int64_t *left_out)
{
  int64_t now = end_us < 0 ? 0 : dart__now_ns() / 1000;

  *left_out = end_us < 0 ? INT64_MAX : end_us > now ? end_us - now : 0;
  return *left_out < DART__LATE_US ? *left_out : DART__LATE_US;
}

/* Whether the request is held; notes that it was held by a unit that is lost. */
static bool holds(dart__table_t table, uint64_t ticket)
{
  bool is_broken, is_held = dart__table_is_held(table, ticket, &is_broken);

  if (is_held && is_broken)
    dart__lost_note_broken();
  return is_held;
}

void dart__table_note_broken(dart__table_t table, uint64_t ticket)
{
  if (dart__lost_count() > 0)
    holds(table, ticket);
}

/* Wait until this unit is told, for at most so long. */
static dart_ret_t wait_to_be_told(uint64_t flag, uint64_t *told, int64_t timeout_us)
{
  dart_ret_t ret = pdart_notify_wait(dart__pool_gptr(dart__world.me, flag), *told + 1, timeout_us);

  *told += ret == DART_OK;
  return ret;
}

dart_ret_t dart__table_wait(dart__table_t table, uint64_t ticket, uint64_t flag, uint64_t *told,
                            int64_t end_us)
{
  uint32_t      count = 0, nvain = 0;
  dart__turns_t turns = { 0 };
  int64_t       left, piece = piece_of(end_us, &left);

  dart__table_note_wait(table);
  if (!dart__survives())
    return wait_to_be_told(flag, told, end_us < 0 ? -1 : left);

  do {
    dart_ret_t ret;

    if (dart__table_is_gone(table))
      return DART_ERR_UNIT_LOST;
    if (dart__lost_count() != count) {
      count = dart__lost_count();
      dart__table_leave_lost(table);
    }
    piece = piece_of(end_us, &left);
    ret   = wait_to_be_told(flag, told, piece);
    if (ret == DART_OK && dart__lost_count() == 0)
      return DART_OK;
    if (ret == DART_ERR_UNIT_LOST) /* a loss that is news ends each piece at once */
      dart__wait_turn(&turns, &dart__world.wait);
    nvain = ret == DART_OK ? MOST_VAIN : nvain + 1;
    if (nvain >= MOST_VAIN && dart__lost_count() > 0) {
      nvain = count = 0; /* what it waits for now may be of a lost unit, too */
      if (holds(table, ticket))
        return DART_OK;
    }
  } while (left > 0);
  return DART_PENDING;
}
