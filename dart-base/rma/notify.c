/* Put and get with notification.
 *
 * The flag is updated by a CPU atomic that releases the data, and then the target's event is raised, to wake the target
 * if it sleeps. It is the event that announces messages, too: a waiter checks what it waits for whenever its event was
 * raised. If the target is near the origin does both; if it is far, a request that travels with the data or after them
 * does (dart__far_put_notify). A get is complete before its flag is updated. Far gets are done by dart__far_get_notify,
 * which updates the flag of the calling unit when the data come, or, where it refuses, by a blocking get and a
 * notification.
 *
 * A waiter reads its event's counter, then its flags; a flag is updated before the event is raised.
 * So either the waiter sees the flag, or the event has changed and the waiter does not sleep. */
#include <dash/dart/ext/dart_notify.h>

#include "base/profile.h"
#include "data/name.h"
#include "data/op.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "model/lost.h"
#include "p2p/twosided.h"
#include "rma/context.h"
#include "rma/count.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/words.h"
#include "wait/atomic.h"

DART__PROFILED(dart_put_notify, dart_notify, dart_notify_wait, dart_notify_waitany);
DART__PROFILED(dart_notify_waitsome, dart_put_notify_op, dart_notify_op, dart_get_notify);
DART__PROFILED(dart_get_notify_op);

#define FLAG_BYTES sizeof(uint64_t)

static dart_ret_t check_flag(const char *function, dart_gptr_t flag, dart__address_t *at_out)
{
  dart_ret_t ret = dart__locate(function, flag, FLAG_BYTES, at_out);

  if (ret != DART_OK)
    return ret;
  if (!dart__is_aligned(at_out, FLAG_BYTES))
    return dart__fail(DART_ERR_INVAL, "%s: a counter at offset %lld is not aligned to %zu bytes",
                      function, (long long)at_out->offset, FLAG_BYTES);
  return DART_OK;
}

static dart_unit_t target_of(const dart__address_t *at)
{
  return dart__team_member(at->team, at->unit);
}

/* Its memory was allocated elsewhere, or registered on another node. */
static bool is_far(const dart__address_t *at)
{
  return at->near == NULL && !dart__team_is_on_node(at->team, at->unit);
}

/* seq_cst, and so is the waiter's look before it sleeps: after it dart__event_nudge is enough to wake it. It releases
 * the data; pairs with the acquire in dart__compares. */
static void update_near(const dart__signal_t *signal)
{
  _Atomic uint64_t *flag = (_Atomic uint64_t *)(void *)signal->flag->near;

  switch (signal->op) {
  case DART_OP_SUM: atomic_fetch_add_explicit(flag, signal->value, memory_order_seq_cst); return;
  case DART_OP_REPLACE: atomic_exchange_explicit(flag, signal->value, memory_order_seq_cst); return;
  default:
    dart__atomic_accumulate_one(flag, &signal->value, DART_TYPE_ULONG, signal->op);
    atomic_thread_fence(memory_order_seq_cst);
  }
}

/* Update a flag of this node, and wake its unit. */
static dart_ret_t update(const dart__signal_t *signal)
{
  const dart__address_t *at    = signal->flag;
  dart__event_t         *event = dart__twosided_event(target_of(at));
  dart__rma_t            rma;
  dart_ret_t             ret;

  if (at->near != NULL) {
    update_near(signal);
    dart__event_nudge(event);
    return DART_OK;
  }
  rma = dart__rma_accumulate(at, &signal->value, 1, DART_TYPE_ULONG, signal->op);
  ret = dart__remote_start(&rma, NULL);
  if (ret == DART_OK)
    dart__event_add(event);
  return ret;
}

static dart_ret_t notify(const dart__signal_t *signal)
{
  dart__count_notify(signal->flag);
  if (!is_far(signal->flag))
    return update(signal);
  dart__context_note(signal->flag, dart__far_notify(signal));
  return DART_OK;
}

/* Have the backend transfer far data and update the flag. False: it does not do that. */
static bool transfer_and_notify_far(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart__completion_t completion = rma->kind == DART__PUT ? dart__far_put_notify(rma, signal)
                                                         : dart__far_get_notify(rma, signal);

  if (completion.by == DART__BY_NOTHING)
    return false;
  dart__context_note(&rma->at, completion);
  if (is_far(signal->flag)) /* perhaps of another team */
    dart__context_note(signal->flag, completion);
  dart__count_transfer(rma->kind == DART__PUT, rma);
  dart__count_notify(signal->flag);
  return true;
}

/* Near data are there, or were read, before the flag is updated, which releases that, too: a unit that sees it may
 * read or overwrite them. */
static dart_ret_t transfer_and_notify(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart_ret_t ret = DART_OK;

  if (rma->kind == DART__GET && is_far(&rma->at) && dart__outlives(target_of(&rma->at)))
    return DART_ERR_UNIT_LOST; /* or a counter would be waited for that nothing raises */
  if (is_far(&rma->at) && transfer_and_notify_far(rma, signal))
    return DART_OK;
  if (rma->at.near != NULL)
    dart__transfer_near(rma, rma->kind == DART__PUT);
  else
    ret = dart__remote_blocking(rma);
  if (ret != DART_OK)
    return ret;
  dart__count_transfer(rma->kind == DART__PUT, rma);
  return notify(signal);
}

static dart_ret_t check_op(const char *function, dart_operation_t op)
{
  if (dart__op_is_atomic(op, DART_TYPE_ULONG))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: operator %s does not update a flag", function,
                    dart__op_text(op).text);
}

/* The data of a put go where the counter is. */
static dart_ret_t check_unit(const char *function, const dart__address_t *data,
                             const dart__address_t *flag)
{
  if (target_of(data) == target_of(flag))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: the data go to unit %d, the counter is unit %d's",
                    function, target_of(data), target_of(flag));
}

/* `nelem` 0: only notify. */
static dart_ret_t transfer_notify(const char *function, dart__rma_kind_t kind, dart_gptr_t gptr,
                                  const void *buffer, size_t nelem, dart_datatype_t global_type,
                                  dart_datatype_t local_type, dart_gptr_t flag, uint64_t value,
                                  dart_operation_t op)
{
  dart__rma_t     rma;
  dart__address_t at;
  dart__signal_t  signal = { &at, value, op };
  dart_ret_t      ret    = check_flag(function, flag, &at);

  if (ret == DART_OK)
    ret = check_op(function, op);
  if (ret == DART_OK && nelem > 0)
    ret = dart__transfer(function, gptr, buffer, nelem, global_type, local_type, &rma);
  if (ret == DART_OK && nelem > 0 && kind == DART__PUT)
    ret = check_unit(function, &rma.at, &at);
  if (ret != DART_OK)
    return ret;
  dart__progress(); /* apply deferred updates before the notification */
  if (nelem == 0)
    return notify(&signal);
  rma.kind = kind;
  return transfer_and_notify(&rma, &signal);
}

dart_ret_t dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                           uint64_t by)
{
  return transfer_notify(__func__, DART__PUT, gptr, src, nelem, dst_type, src_type, flag, by,
                         DART_OP_SUM);
}

dart_ret_t dart_put_notify_op(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                              uint64_t value, dart_operation_t op)
{
  return transfer_notify(__func__, DART__PUT, gptr, src, nelem, dst_type, src_type, flag, value,
                         op);
}

dart_ret_t dart_get_notify(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_gptr_t flag, uint64_t by)
{
  return transfer_notify(__func__, DART__GET, gptr, dest, nelem, src_type, dst_type, flag, by,
                         DART_OP_SUM);
}

dart_ret_t dart_get_notify_op(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                              dart_datatype_t dst_type, dart_gptr_t flag, uint64_t value,
                              dart_operation_t op)
{
  return transfer_notify(__func__, DART__GET, gptr, dest, nelem, src_type, dst_type, flag, value,
                         op);
}

static dart_ret_t notify_only(const char *function, dart_gptr_t flag, uint64_t value,
                              dart_operation_t op)
{
  return transfer_notify(function, DART__PUT, flag, NULL, 0, DART_TYPE_BYTE, DART_TYPE_BYTE, flag,
                         value, op);
}

/* The counter of a unit to whose portion there is a direct map: a few instructions on few pages, for others wait. */
dart_ret_t dart_notify(dart_gptr_t flag, uint64_t by)
{
  char *near = dart_inline_bytes(dart__progress_maps, dart_inline_ids(&flag), FLAG_BYTES);

  if (near == NULL || (uintptr_t)near % FLAG_BYTES != 0)
    return notify_only(__func__, flag, by, DART_OP_SUM);
  /* as in update_near */
  atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)near, by, memory_order_seq_cst);
  dart__event_nudge(dart__twosided_event(dart__team_member(dart__teams[flag.teamid], flag.unitid)));
  return DART_OK;
}

dart_ret_t dart_notify_op(dart_gptr_t flag, uint64_t value, dart_operation_t op)
{
  return notify_only(__func__, flag, value, op);
}

/* A wait for counters that are to reach `least`. */
#define WAIT_FOR(flags, least, n, timeout_us)                                                 \
  {                                                                                           \
    __func__, flags, n, DART_TYPE_ULONG, DART_WAIT_GE, least, timeout_us, DART__WAIT_COUNTER, \
        .is_all = false                                                                       \
  }

static __attribute__((noinline)) dart_ret_t go_on(dart_gptr_t flag, uint64_t least,
                                                  int64_t timeout_us, bool is_counted)
{
  dart__words_t w = { "dart_notify_wait",
                      &flag,
                      1,
                      DART_TYPE_ULONG,
                      DART_WAIT_GE,
                      &least,
                      timeout_us,
                      DART__WAIT_COUNTER,
                      .is_counted = is_counted };

  return dart__words_wait(&w);
}

dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us)
{
  bool is_counted = false;

  if (__builtin_expect(
          dart__word_comes(flag, DART_TYPE_ULONG, DART_WAIT_GE, &least, timeout_us, &is_counted),
          1))
    return DART_OK;
  return go_on(flag, least, timeout_us, is_counted);
}

dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index)
{
  dart__words_t w = WAIT_FOR(flags, least, n, timeout_us);

  return dart__words_wait_any(&w, index);
}

dart_ret_t dart_notify_waitsome(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                                int64_t timeout_us, size_t indices[], size_t *count)
{
  dart__words_t w = WAIT_FOR(flags, least, n, timeout_us);

  return dart__words_wait_some(&w, indices, count);
}
