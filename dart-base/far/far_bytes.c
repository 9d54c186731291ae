/* Puts and gets of bytes in a row. Most far operations of most programs are these, and of a word, and a network moves one
 * to a process of its host in less than half a microsecond. So they have a path of their own from the entry point on, by
 * values in registers, with nothing on it that is about types. They take one of three ways:
 *
 *   aggregated   without a handle, few bytes: collected as requests, of which many are one message; unless they
 *                are consecutive and the target's last flush was for a single one (far/burst.h)
 *   request      blocking, few bytes, and the target is slow to respond (far/latency.h): a request that
 *                is sent at once, for a unit that waits for its reply makes progress, where a flush spins
 *   network      all others: dart__net_put and dart__net_get
 *
 * Puts of at most 8 bytes stay in program order with those before them, see far/word_order.h. */
#include "far/far_ops.h"

#include <string.h>

#include "base/counters.h"
#include "base/last_call.h"
#include "base/log.h"
#include "far/completion.h"
#include "far/elements.h"
#include "far/engine.h"
#include "far/far_handle.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "far/order.h"
#include "far/word_order.h"
#include "net.h"
#include "wait/waiting.h"

#define REQUEST_MOST 1024 /* bytes of a blocking transfer that may travel as a request */

/* ---- requests --------------------------------------------------------------------------------- */

static inline void request_bytes(const dart__address_t *at, void *buffer, size_t nbytes,
                                 bool is_put)
{
  dart__am_address_t to = dart__am_address(at);

  if (is_put && dart__is_word(nbytes))
    dart__word_order_request(at, dart__word_order_at(at, nbytes));
  if (is_put)
    dart__am_put(dart__engine.am, &to, buffer, nbytes);
  else
    dart__am_get(dart__engine.am, &to, buffer, nbytes);
}

/* Whether a small put follows a request on its words, which may be outstanding: as another one it is in order, and need
 * not wait for it. */
static inline bool goes_after_request(const dart__address_t *at, size_t nbytes, bool is_put)
{
  return is_put && dart__is_word(nbytes) &&
         __builtin_expect(dart__word_order_requested(at, dart__word_order_at(at, nbytes)), 0);
}

/* Whether the network is the shorter way for a small transfer: if it reaches the memory by itself, and the target is
 * awake. A target that naps would make a flush wait for the end of a nap, each time; a request wakes it for a while. */
static inline bool goes_alone(const dart__address_t *at)
{
  return dart__burst_add(&dart__far_team(at->team)->burst[at->unit]) && dart__far_is_reached(at) &&
         dart__latency_is_awake(at->team->members[at->unit]);
}

/* ---- the network's ---------------------------------------------------------------------------- */

/* Start at the network; with `request_out`, an operation that has a request. What else there is to do comes after it:
 * the transfer is under way meanwhile. */
static inline void call_net(const dart__address_t *at, void *buffer, size_t nbytes, bool is_put,
                            dart__net_request_t *request_out)
{
  dart__chunk_t *chunk  = at->segment->chunk;
  uint64_t       offset = dart__far_offset(at);

  if (is_put)
    dart__net_put(at->team, chunk, at->unit, offset, buffer, nbytes, request_out);
  else
    dart__net_get(at->team, chunk, at->unit, offset, buffer, nbytes, request_out);
}

static inline void start_bytes(const dart__address_t *at, void *buffer, size_t nbytes, bool is_put,
                               dart__net_request_t *request_out)
{
  bool is_word = is_put && dart__is_word(nbytes);

  dart__order_wait(at->team, at->unit);
  if (is_word)
    dart__word_order_transfer(at, dart__word_order_at(at, nbytes));
  call_net(at, buffer, nbytes, is_put, request_out);
  dart__completion_started(at->team, at->unit, !is_put);
  if (is_word)
    dart__word_order_transferred(at, dart__word_order_at(at, nbytes));
  dart__latency_ping_often(at->team->members[at->unit], nbytes);
}

static inline void start_copied(const dart__address_t *at, const void *src, size_t nbytes)
{
  dart__copy_t *copy = dart__completion_copy(at->team, at->unit);

  if (nbytes == sizeof(uint64_t)) /* the common case, in one move */
    memcpy(copy->bytes, src, sizeof(uint64_t));
  else
    memcpy(copy->bytes, src, nbytes);
  start_bytes(at, copy->bytes, nbytes, true, NULL);
  dart__completion_copied(at->team, copy);
}

static dart__far_way_t no_handle(size_t nbytes)
{
  dart__error("no memory for a handle of %zu bytes", nbytes);
  return DART__FAR_NOMEM;
}

static inline dart__far_way_t start_with_handle(const dart__address_t *at, void *buffer,
                                                size_t nbytes, bool is_put,
                                                dart_handle_t *handle_out)
{
  dart_handle_t handle = dart__handle_new(at->team, at->unit, true);

  *handle_out = handle;
  if (handle == NULL)
    return no_handle(nbytes);
  handle->is_put = is_put;
  start_bytes(at, buffer, nbytes, is_put, handle->has_request ? &handle->request : NULL);
  dart__handle_started(handle);
  if (handle->has_request)
    dart__count(DART__COUNT_RMA_HANDLE);
  return DART__BY_NET;
}

/* A put as a request: its handle has a mark. */
static __attribute__((noinline)) dart__far_way_t request_with_handle(const dart__address_t *at,
                                                                     void *buffer, size_t nbytes,
                                                                     dart_handle_t *handle_out)
{
  *handle_out = dart__far_handle_new(at);
  if (*handle_out == NULL)
    return no_handle(nbytes);
  request_bytes(at, buffer, nbytes, true);
  dart__far_handle_mark(*handle_out);
  return DART__BY_REQUESTS;
}

/* Where the network reaches the memory by itself, a flush completes a transfer soonest. Elsewhere a get has a request,
 * and waiting for that makes progress. */
static inline void transfer_and_wait(const dart__address_t *at, void *buffer, size_t nbytes,
                                     bool is_put, bool is_slow)
{
  dart_unit_t         target      = at->team->members[at->unit];
  bool                has_request = !is_put && (is_slow || !dart__far_is_reached(at));
  dart__waiting_t    *waiting;
  dart__net_request_t request;
  int64_t             began;

  dart__order_wait(at->team, at->unit);
  if (is_put && dart__is_word(nbytes))
    dart__word_order_transfer(at, dart__word_order_at(at, nbytes));
  call_net(at, buffer, nbytes, is_put, has_request ? &request : NULL);
  waiting =
      dart__waiting_begin(dart__call, (dart__wait_for_t){ DART__WAIT_FLUSH, -1, target, 0, 0 });
  dart__waiting_stamp(); /* no sleep will: the network waits */
  dart__engine_poke();
  began = dart__latency_begin();
  if (is_slow)
    dart__am_ping_blocking(dart__engine.am, target);
  if (has_request)
    dart__engine_wait(&request);
  else
    dart__net_flush(at->team, at->segment->chunk, at->unit, true);
  dart__waiting_end(waiting);
  if (__builtin_expect(began != 0, 0)) {
    dart__latency_end(target, began, nbytes);
    dart__latency_ping(target); /* often enough */
  }
}

/* ---- the ways ------------------------------------------------------------------------------------ */

/* More than one call of the network can move. */
static dart__rma_t many(const dart__address_t *at, void *buffer, bool is_put)
{
  const dart__type_t *byte = &dart__type_basic[DART_TYPE_BYTE];

  return (dart__rma_t){ at, byte, buffer, byte, is_put };
}

static __attribute__((noinline)) dart__far_way_t start_many(const dart__address_t *at, void *buffer,
                                                            size_t nbytes, bool is_put,
                                                            dart_handle_t *handle_out)
{
  dart__rma_t t = many(at, buffer, is_put);

  if (handle_out == NULL) {
    dart__rma_start(&t, nbytes);
    return DART__BY_NET;
  }
  *handle_out = dart__rma_start_with_handle(&t, nbytes);
  return *handle_out == NULL ? no_handle(nbytes) : DART__BY_NET;
}

static inline __attribute__((always_inline)) dart__far_way_t start_any(const dart__address_t *at,
                                                                       void *buffer, size_t nbytes,
                                                                       bool           is_put,
                                                                       dart_handle_t *handle_out)
{
  if (__builtin_expect(nbytes > DART__NET_MOST, 0))
    return start_many(at, buffer, nbytes, is_put, handle_out);
  if (handle_out != NULL)
    return goes_after_request(at, nbytes, is_put)
               ? request_with_handle(at, buffer, nbytes, handle_out)
               : start_with_handle(at, buffer, nbytes, is_put, handle_out);
  if ((nbytes <= dart__engine.aggregate && !goes_alone(at)) ||
      goes_after_request(at, nbytes, is_put)) {
    dart__count(DART__COUNT_AGGREGATED);
    request_bytes(at, buffer, nbytes, is_put);
    return DART__BY_REQUESTS;
  }
  if (is_put && nbytes <= DART_COPIED_MOST) {
    start_copied(at, buffer, nbytes);
  } else {
    start_bytes(at, buffer, nbytes, is_put, NULL);
  }
  return DART__BY_NET;
}

static inline __attribute__((always_inline)) dart_ret_t blocking(const dart__address_t *at,
                                                                 void *buffer, size_t nbytes,
                                                                 bool is_put)
{
  dart_unit_t target  = at->team->members[at->unit];
  bool        is_slow = dart__latency_is_slow(target);

  if (__builtin_expect(is_slow && nbytes <= REQUEST_MOST, 0)) {
    dart__count(DART__COUNT_REQUEST_BLOCKING);
    request_bytes(at, buffer, nbytes, is_put);
    return dart__am_flush(dart__engine.am, target, DART__AM_REMOTE);
  }
  if (goes_after_request(at, nbytes, is_put)) {
    dart__count(DART__COUNT_REQUEST_BLOCKING);
    request_bytes(at, buffer, nbytes, is_put);
    dart__am_settle(dart__engine.am, target); /* a flush reports what was refused before */
    return DART_OK;
  }
  if (__builtin_expect(nbytes > DART__NET_MOST, 0)) {
    dart__rma_t t = many(at, buffer, is_put);

    dart__engine_poke();
    dart__rma_blocking(&t, nbytes);
  } else {
    transfer_and_wait(at, buffer, nbytes, is_put, is_slow);
  }
  return DART_OK;
}

dart__far_way_t dart__far_put_bytes(const dart__address_t *at, const void *src, size_t nbytes,
                                    dart_handle_t *handle_out)
{
  return start_any(at, (void *)(uintptr_t)src, nbytes, true, handle_out);
}

dart__far_way_t dart__far_get_bytes(const dart__address_t *at, void *dst, size_t nbytes,
                                    dart_handle_t *handle_out)
{
  return start_any(at, dst, nbytes, false, handle_out);
}

dart_ret_t dart__far_put_bytes_blocking(const dart__address_t *at, const void *src, size_t nbytes)
{
  return blocking(at, (void *)(uintptr_t)src, nbytes, true);
}

dart_ret_t dart__far_get_bytes_blocking(const dart__address_t *at, void *dst, size_t nbytes)
{
  return blocking(at, dst, nbytes, false);
}
