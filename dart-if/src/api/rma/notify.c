/* Put with notification.
 *
 * The flag is updated by a CPU atomic that releases the data, and then the target's event is raised, to
 * wake the target if it sleeps. It is the event that announces messages, too: a waiter checks what it waits
 * for whenever its event was raised. If the target is near the origin does both; if it is far, a request
 * that travels with the data or after them does (put_notify in port.h).
 *
 * A waiter reads its event's counter, then its flags; a flag is updated before the event is raised.
 * So either the waiter sees the flag, or the event has changed and the waiter does not sleep. */
#include <dash/dart/ext/dart_notify.h>

#include "api/p2p/twosided.h"
#include "api/progress/progress.h"
#include "api/rma/await.h"
#include "api/rma/context.h"
#include "api/rma/count.h"
#include "api/rma/remote.h"
#include "api/rma/transfer.h"
#include "api/rma/wait_word.h"
#include "base/profile.h"
#include "data/op.h"
#include "node/atomic.h"
#include "node/near.h"

DART__PROFILED(dart_put_notify);
DART__PROFILED(dart_notify);
DART__PROFILED(dart_notify_wait);
DART__PROFILED(dart_notify_waitany);
DART__PROFILED(dart_notify_waitsome);
DART__PROFILED(dart_put_notify_op);
DART__PROFILED(dart_notify_op);

#define FLAG_BYTES sizeof(uint64_t)

static dart_ret_t check_flag(const char *function, dart_gptr_t flag, dart__address_t *at_out)
{
  dart_ret_t ret = dart__locate(function, flag, FLAG_BYTES, at_out);

  if (ret != DART_OK)
    return ret;
  if (!dart__is_aligned(at_out, FLAG_BYTES)) {
    dart__error("%s: a counter at offset %llu is not aligned to %zu bytes", function,
                (unsigned long long)at_out->offset, FLAG_BYTES);
    return DART_ERR_INVAL;
  }
  return DART_OK;
}

static dart_unit_t target_of(const dart__address_t *at)
{
  return at->team->members[at->unit];
}

/* Its memory was allocated elsewhere, or registered on another node. */
static bool is_far(const dart__address_t *at)
{
  return at->near == NULL && !dart__team_is_on_node(at->team, at->unit);
}

/* Update a flag of this node, and wake its unit. */
static dart_ret_t update(const dart__signal_t *signal)
{
  const dart__address_t *at  = signal->flag;
  dart_ret_t             ret = DART_OK;

  if (at->near !=
      NULL) /* acq_rel: releases the data; pairs with the acquire in dart__word_compares */
    dart__atomic_accumulate_one(at->near, &signal->value, DART_TYPE_ULONG, signal->op);
  else
    ret = dart__remote_accumulate(at, &signal->value, 1, DART_TYPE_ULONG, signal->op);
  if (ret == DART_OK)
    dart__event_add(dart__twosided_event(target_of(at)));
  return ret;
}

static dart_ret_t notify(const dart__signal_t *signal)
{
  dart__progress(); /* apply deferred updates before the notification */
  dart__count_notify(signal->flag);
  if (!is_far(signal->flag))
    return update(signal);
  dart__far->put_notify(NULL, NULL, NULL, NULL, 0, signal);
  dart__context_note(signal->flag);
  return DART_OK;
}

static dart_ret_t put_and_notify(const dart__transfer_t *t, const void *src, size_t nelem,
                                 const dart__signal_t *signal)
{
  size_t     nbytes = nelem * t->global_type->elem_size;
  dart_ret_t ret    = DART_OK;

  dart__progress();
  dart__count_notify(signal->flag);
  if (is_far(signal->flag)) {
    dart__count_put(&t->at, nbytes);
    dart__far->put_notify(&t->at, t->global_type, src, t->local_type, nelem, signal);
    dart__context_note(signal->flag);
    return DART_OK;
  }
  if (t->at.near != NULL)
    dart__near_put(t->at.near, t->global_type, src, t->local_type, nelem);
  else /* memory registered by a unit of this node */
    ret = dart__remote_put_blocking(&t->at, t->global_type, src, t->local_type, nelem);
  if (ret != DART_OK)
    return ret;
  dart__count_put(&t->at, nbytes);
  return update(signal);
}

static dart_ret_t check_op(const char *function, dart_operation_t op)
{
  if (dart__op_is_atomic(op, DART_TYPE_ULONG))
    return DART_OK;
  dart__error("%s: operator %#lx does not update a flag", function, (unsigned long)op);
  return DART_ERR_INVAL;
}

/* `nelem` 0: only notify. */
static dart_ret_t put_notify(const char *function, dart_gptr_t gptr, const void *src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                             uint64_t value, dart_operation_t op)
{
  dart__transfer_t t;
  dart__address_t  at;
  dart__signal_t   signal = { &at, value, op };
  dart_ret_t       ret    = check_flag(function, flag, &at);

  if (ret == DART_OK)
    ret = check_op(function, op);
  if (ret != DART_OK)
    return ret;
  if (nelem == 0)
    return notify(&signal);
  ret = dart__transfer(function, gptr, src, nelem, dst_type, src_type, &t);
  if (ret != DART_OK)
    return ret;
  if (target_of(&t.at) != target_of(&at)) {
    dart__error("%s: the data go to unit %d, the counter is unit %d's", function, target_of(&t.at),
                target_of(&at));
    return DART_ERR_INVAL;
  }
  return put_and_notify(&t, src, nelem, &signal);
}

dart_ret_t dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                           uint64_t by)
{
  return put_notify(__func__, gptr, src, nelem, src_type, dst_type, flag, by, DART_OP_SUM);
}

dart_ret_t dart_put_notify_op(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                              uint64_t value, dart_operation_t op)
{
  return put_notify(__func__, gptr, src, nelem, src_type, dst_type, flag, value, op);
}

dart_ret_t dart_notify(dart_gptr_t flag, uint64_t by)
{
  return put_notify(__func__, flag, NULL, 0, DART_TYPE_BYTE, DART_TYPE_BYTE, flag, by, DART_OP_SUM);
}

dart_ret_t dart_notify_op(dart_gptr_t flag, uint64_t value, dart_operation_t op)
{
  return put_notify(__func__, flag, NULL, 0, DART_TYPE_BYTE, DART_TYPE_BYTE, flag, value, op);
}

typedef struct {
  const char        *function;
  const dart_gptr_t *flags;
  const uint64_t    *least;
  size_t             n;
  size_t             index; /* of the first that was found reached */
  dart__address_t    at;    /* the first counter */
} wait_t;

static dart_ret_t check_wait(wait_t *w)
{
  if (w->flags == NULL || w->least == NULL || w->n == 0) {
    dart__error("%s: %zu counters, flags %p, least %p", w->function, w->n, (const void *)w->flags,
                (const void *)w->least);
    return DART_ERR_INVAL;
  }
  for (size_t i = w->n; i-- > 0;) { /* the first one last, to keep its address */
    dart_ret_t ret = check_flag(w->function, w->flags[i], &w->at);

    if (ret != DART_OK)
      return ret;
    if (target_of(&w->at) != dart__world.me) {
      dart__error("%s: the counter is unit %d's, and this is unit %d", w->function,
                  target_of(&w->at), dart__world.me);
      return DART_ERR_INVAL;
    }
  }
  return DART_OK;
}

static bool is_reached(const wait_t *w, size_t i)
{
  dart__address_t at;

  if (i == 0)
    return dart__word_compares(&w->at, DART_TYPE_ULONG, DART_WAIT_GE, &w->least[0]);
  return dart__locate(w->function, w->flags[i], FLAG_BYTES, &at) == DART_OK &&
         dart__word_compares(&at, DART_TYPE_ULONG, DART_WAIT_GE, &w->least[i]);
}

/* The lowest index from `i` on whose counter is reached, n if none is. */
static size_t next_reached(const wait_t *w, size_t i)
{
  while (i < w->n && !is_reached(w, i))
    i++;
  return i;
}

static bool is_any_reached(void *context)
{
  wait_t *w = context;

  w->index = next_reached(w, 0);
  return w->index < w->n;
}

/* Wait until a counter is reached: the lowest index of those to w->index. */
static dart_ret_t wait_for(wait_t *w, int64_t timeout_us)
{
  dart_gptr_t   flag  = w->flags[0];
  dart__await_t await = { w->function,
                          is_any_reached,
                          w,
                          DART__COUNT_NOTIFY_WAIT,
                          .timeout_us = timeout_us,
                          .what       = { DART__WAIT_COUNTER, flag.teamid, flag.segid,
                                          flag.addr_or_offs.offset, w->least[0] } };

  return dart__await_within(&await) ? DART_OK : DART_PENDING;
}

dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us)
{
  wait_t     w   = { __func__, &flag, &least, 1, .index = 0 };
  dart_ret_t ret = check_wait(&w);

  return ret == DART_OK ? wait_for(&w, timeout_us) : ret;
}

dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index)
{
  wait_t     w   = { __func__, flags, least, n, .index = 0 };
  dart_ret_t ret = check_wait(&w);

  if (ret == DART_OK && index == NULL) {
    dart__error("%s: index is NULL", __func__);
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  ret = wait_for(&w, timeout_us);
  if (ret == DART_OK)
    *index = w.index;
  return ret;
}

dart_ret_t dart_notify_waitsome(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                                int64_t timeout_us, size_t indices[], size_t *count)
{
  wait_t     w   = { __func__, flags, least, n, .index = 0 };
  dart_ret_t ret = check_wait(&w);

  if (ret == DART_OK && (indices == NULL || count == NULL)) {
    dart__error("%s: %s is NULL", __func__, indices == NULL ? "indices" : "count");
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  *count = 0;
  ret    = wait_for(&w, timeout_us);
  for (size_t i = w.index; ret == DART_OK && i < n; i = next_reached(&w, i + 1))
    indices[(*count)++] = i;
  return ret;
}
