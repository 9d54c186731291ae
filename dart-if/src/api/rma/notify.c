/* Put with notification.
 *
 * The counter is raised by a CPU atomic that releases the data, and then the target's event is raised, to
 * wake the target if it sleeps. It is the event that announces messages, too: a waiter checks what it waits
 * for whenever its event was raised. If the target is near the origin does both; if it is far, a request
 * that travels with the data or after them does (put_notify in port.h).
 *
 * A waiter reads its event's counter, then its notification counters; a counter is raised before the event.
 * So either the waiter sees the counter, or the event has changed and the waiter does not sleep. */
#include <dash/dart/ext/dart_notify.h>

#include "api/p2p/twosided.h"
#include "api/progress/progress.h"
#include "api/rma/await.h"
#include "api/rma/remote.h"
#include "api/rma/transfer.h"
#include "base/profile.h"
#include "node/near.h"

DART__PROFILED(dart_put_notify);
DART__PROFILED(dart_notify);
DART__PROFILED(dart_notify_wait);
DART__PROFILED(dart_notify_waitany);
DART__PROFILED(dart_notify_waitsome);

typedef _Atomic uint64_t counter_t;

static dart_ret_t check_flag(const char *function, dart_gptr_t flag, dart__address_t *at_out)
{
  dart_ret_t ret = dart__locate(function, flag, sizeof(counter_t), at_out);

  if (ret != DART_OK)
    return ret;
  if (at_out->segment->address != NULL) {
    dart__error("%s: the counter is in registered memory, segment %d", function, flag.segid);
    return DART_ERR_INVAL;
  }
  if (at_out->offset % sizeof(counter_t) != 0) { /* portions start at cache lines */
    dart__error("%s: a counter at offset %llu is not aligned to %zu bytes", function,
                (unsigned long long)at_out->offset, sizeof(counter_t));
    return DART_ERR_INVAL;
  }
  return DART_OK;
}

static dart_unit_t target_of(const dart__address_t *at)
{
  return at->team->members[at->unit];
}

static void raise(const dart__address_t *at, uint64_t by)
{
  dart__progress(); /* apply deferred updates before the notification */
  if (at->near == NULL) {
    dart__far->put_notify(NULL, NULL, NULL, NULL, 0, at, by);
    return;
  }
  /* acq_rel: releases the data; pairs with the acquire in is_reached */
  atomic_fetch_add_explicit((counter_t *)(void *)at->near, by, memory_order_acq_rel);
  dart__event_add(dart__twosided_event(target_of(at)));
}

/* Raise the counter if `ret` is DART_OK; returns `ret`. */
static dart_ret_t raise_if(dart_ret_t ret, const dart__address_t *at, uint64_t by)
{
  if (ret == DART_OK)
    raise(at, by);
  return ret;
}

dart_ret_t dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                           uint64_t by)
{
  dart__transfer_t t;
  dart__address_t  at;
  dart_ret_t       ret = check_flag(__func__, flag, &at);

  if (ret != DART_OK || nelem == 0)
    return raise_if(ret, &at, by);
  ret = dart__transfer(__func__, gptr, src, nelem, dst_type, src_type, &t);
  if (ret != DART_OK)
    return ret;
  if (target_of(&t.at) != target_of(&at)) {
    dart__error("%s: the data go to unit %d, the counter is unit %d's", __func__, target_of(&t.at),
                target_of(&at));
    return DART_ERR_INVAL;
  }
  if (at.near == NULL) {
    dart__progress();
    dart__far->put_notify(&t.at, t.global_type, src, t.local_type, nelem, &at, by);
    return DART_OK;
  }
  if (t.at.near != NULL)
    dart__near_put(t.at.near, t.global_type, src, t.local_type, nelem);
  else /* memory registered by a unit of this node */
    ret = dart__remote_put_blocking(&t.at, t.global_type, src, t.local_type, nelem);
  return raise_if(ret, &at, by);
}

dart_ret_t dart_notify(dart_gptr_t flag, uint64_t by)
{
  dart__address_t at;
  dart_ret_t      ret = check_flag(__func__, flag, &at);

  return raise_if(ret, &at, by);
}

/* ---- waiting ----------------------------------------------------------------------------- */

typedef struct {
  const char        *function;
  const dart_gptr_t *flags;
  const uint64_t    *least;
  size_t             n;
  size_t             index; /* of the first that was found reached */
} wait_t;

static dart_ret_t check_wait(const wait_t *w)
{
  if (w->flags == NULL || w->least == NULL || w->n == 0) {
    dart__error("%s: %zu counters, flags %p, least %p", w->function, w->n, (const void *)w->flags,
                (const void *)w->least);
    return DART_ERR_INVAL;
  }
  for (size_t i = 0; i < w->n; i++) {
    dart__address_t at;
    dart_ret_t      ret = check_flag(w->function, w->flags[i], &at);

    if (ret != DART_OK)
      return ret;
    if (target_of(&at) != dart__world.me) {
      dart__error("%s: the counter is unit %d's, and this is unit %d", w->function, target_of(&at),
                  dart__world.me);
      return DART_ERR_INVAL;
    }
  }
  return DART_OK;
}

/* Whether counter i has reached its least value. The pointer was checked, and points to this unit's
 * memory. */
static bool is_reached(const wait_t *w, size_t i)
{
  dart__address_t at;

  return dart__locate(w->function, w->flags[i], sizeof(counter_t), &at) == DART_OK &&
         /* acquire: pairs with raise, here or at the origin */
         atomic_load_explicit((counter_t *)(void *)at.near, memory_order_acquire) >= w->least[i];
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
  dart__await_t await = { w->function, is_any_reached, w, .timeout_us = timeout_us };

  return dart__await_within(&await) ? DART_OK : DART_PENDING;
}

dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us)
{
  wait_t     w   = { __func__, &flag, &least, 1, 0 };
  dart_ret_t ret = check_wait(&w);

  return ret == DART_OK ? wait_for(&w, timeout_us) : ret;
}

dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index)
{
  wait_t     w   = { __func__, flags, least, n, 0 };
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
  wait_t     w   = { __func__, flags, least, n, 0 };
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
