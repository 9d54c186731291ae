/* Put with notification: a batch of requests that is sent at once and applied in order. Data that do not
 * fit the batch are sent before it:
 *
 *   contiguous              messages of data, received in place; the batch waits for them
 *   contiguous, and many    MPI's put, complete before the notification is sent, if the target is awake
 *   scattered, but few      a request for each run of elements
 *   scattered, and many     MPI's put with its own layouts, complete before the notification is sent
 *
 * Get with notification: requests, or data that are asked for, and behind them in the same order either a notification of
 * the target, or an arrival, which updates a flag of this unit when all before it has come (far/am/endpoint.h). MPI's get
 * is no way for it: nobody knows when it is complete before somebody flushes. */
#include "base/counters.h"
#include "base/size.h"
#include "far/elements.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "far/order.h"
#include "far/word_order.h"
#include "model/address.h"
#include "model/world.h"

#define FEW        128  /* scattered elements that travel as requests ... */
#define FEW_BYTES  1024 /* ... if they have no more bytes than this */
#define COPIED     (2 * (size_t)DART__AM_PUT_MOST) /* contiguous bytes that are copied to a batch */
#define EAGER_MOST 8192 /* contiguous bytes that MPI most likely sends eagerly */

#define GOT_MOST   (8 * (size_t)DART__AM_PUT_MOST) /* contiguous bytes that are results of requests */
#define TYPED_MOST (5 * (size_t)DART__AM_PUT_MOST) /* scattered bytes that are */

/* Whether MPI's put is the shorter way for contiguous data: on a static window it moves them once, where messages that
 * are not eager wait for their receiver; unless it moves them slowly. A target that naps or computes could hold up its
 * flush, and with that the caller. */
static bool goes_alone(const dart__rma_t *t, size_t nbytes)
{
  dart_unit_t target = t->at->team->members[t->at->unit];

  return nbytes > EAGER_MOST && dart__engine.by_agents && dart__far_is_reached(t->at) &&
         !dart__latency_is_slow(target) && !dart__latency_puts_slowly(target) &&
         dart__latency_is_awake(target);
}

/* Put few scattered elements by a request for each run of them. */
static void request_by_runs(const dart__rma_t *t, size_t nelem)
{
  dart__am_address_t start = dart__am_address(t->at);
  size_t             size  = t->at_type->elem_size;

  for (size_t elem = 0, count; elem < nelem; elem += count) {
    size_t             target_at, origin_at;
    size_t             target_run = dart__type_run(t->at_type, elem, &target_at);
    size_t             origin_run = dart__type_run(t->buffer_type, elem, &origin_at);
    dart__am_address_t at         = start;

    count = dart__least(dart__least(target_run, origin_run), nelem - elem);
    at.offset += target_at * size;
    dart__am_put(dart__engine.am, &at, (const char *)t->buffer + origin_at * size, count * size);
  }
}

/* Put what does not fit the batch of the notification, ahead of it. */
static void put_ahead(const dart__rma_t *t, size_t nelem)
{
  dart__am_address_t at     = dart__am_address(t->at);
  size_t             nbytes = nelem * t->at_type->elem_size;

  if (dart__rma_is_plain(t) && !goes_alone(t, nbytes)) {
    dart__count(DART__COUNT_NOTIFY_DATA);
    dart__order_wait(t->at->team, t->at->unit);
    dart__am_send_data(dart__engine.am, &at, t->buffer, nbytes);
  } else if (nelem <= FEW && nbytes <= FEW_BYTES) {
    dart__count(DART__COUNT_NOTIFY_RUNS);
    request_by_runs(t, nelem);
  } else {
    int64_t began = dart__now_ns();

    dart__count(DART__COUNT_NOTIFY_AFTER_RMA);
    dart__rma_blocking(t, nelem);
    dart__latency_put_took(t->at->team->members[t->at->unit], dart__now_ns() - began, nbytes);
  }
}

/* Put all but the last piece of plain data by requests; the last travels with the notification. More than a
 * batch takes longer than one message of data that is received in place. A unit that has no agent may compute
 * while its peers wait, and the window of requests to it be full: nothing is sent ahead that would have to wait
 * for it. Bytes of the last piece; 0: the data are too many. */
static size_t put_pieces(const dart__rma_t *t, size_t nbytes)
{
  dart__am_address_t at   = dart__am_address(t->at);
  size_t             most = dart__engine.by_agents ? COPIED : DART__AM_PUT_MOST, done = 0;

  if (nbytes > most)
    return 0;
  for (; nbytes - done > DART__AM_PUT_MOST; done += DART__AM_PUT_MOST) {
    dart__am_put(dart__engine.am, &at, (const char *)t->buffer + done, DART__AM_PUT_MOST);
    at.offset += DART__AM_PUT_MOST;
  }
  return nbytes - done;
}

void dart__far_put_notify(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                          const dart__type_t *src_type, size_t nelem, const dart__signal_t *signal)
{
  dart__rma_t        t    = { at, at_type, (void *)(uintptr_t)src, src_type, true };
  dart__am_address_t flag = dart__am_address(signal->flag), data;
  size_t             nbytes, last;

  dart__word_order_request(signal->flag, dart__word_order_at(signal->flag, sizeof(uint64_t)));
  if (nelem == 0) {
    dart__am_notify(dart__engine.am, &flag, NULL, 0, &flag, signal->value, signal->op);
    return;
  }
  nbytes = dart__plain_bytes(&t, nelem, DART__NET_MOST);
  if (nbytes > 0 && dart__is_word(nbytes))
    dart__word_order_request_too(at, dart__word_order_at(at, nbytes));
  last = put_pieces(&t, nbytes);
  if (last > 0)
    dart__count(DART__COUNT_NOTIFY_INLINE);
  else
    put_ahead(&t, nelem);
  data = dart__am_address(at);
  data.offset += nbytes - last;
  dart__am_notify(dart__engine.am, &data, last == 0 ? NULL : (const char *)src + (nbytes - last),
                  last, &flag, signal->value, signal->op);
}

/* ---- get ------------------------------------------------------------------------------------- */

/* Ask for scattered elements. False: they are too many, or their type is not described in a batch. */
static bool request_typed(const dart__rma_t *t, size_t nelem)
{
  dart__am_address_t at = dart__am_address(t->at);

  if (nelem > TYPED_MOST || nelem * t->at_type->elem_size > TYPED_MOST ||
      !dart__am_takes_type(dart__engine.am, t->at_type))
    return false;
  dart__count(DART__COUNT_NOTIFY_GOT);
  dart__am_get_typed(dart__engine.am, &at, t->at_type, t->buffer, t->buffer_type, nelem);
  return true;
}

static void request_bytes(const dart__rma_t *t, size_t nbytes)
{
  dart__am_address_t at    = dart__am_address(t->at);
  uint64_t           start = at.offset;

  if (nbytes > GOT_MOST) {
    dart__count(DART__COUNT_NOTIFY_GOT_DATA);
    dart__order_wait(t->at->team, t->at->unit);
    dart__am_get_data(dart__engine.am, &at, t->buffer, nbytes);
    return;
  }
  dart__count(DART__COUNT_NOTIFY_GOT);
  for (size_t from = 0; from < nbytes; from += DART__AM_PUT_MOST) {
    at.offset = start + from;
    dart__am_get(dart__engine.am, &at, (char *)t->buffer + from,
                 dart__least(nbytes - from, DART__AM_PUT_MOST));
  }
}

/* The sizes of all elements together were checked: they do not overflow. */
static bool request_get(const dart__rma_t *t, size_t nelem)
{
  size_t nbytes = dart__plain_bytes(t, nelem, SIZE_MAX);

  if (nbytes == 0)
    return request_typed(t, nelem);
  request_bytes(t, nbytes);
  return true;
}

bool dart__far_get_notify(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                          const dart__type_t *dst_type, size_t nelem, const dart__signal_t *signal)
{
  dart__rma_t        t    = { at, at_type, dst, dst_type, false };
  dart__am_address_t flag = dart__am_address(signal->flag);
  dart_unit_t        peer = at->team->members[at->unit];
  bool               here = flag.peer == dart__world.me && signal->flag->near != NULL;

  if ((!here && flag.peer != peer) || !request_get(&t, nelem)) {
    dart__count(DART__COUNT_NOTIFY_AFTER_GET);
    return false;
  }
  if (here)
    dart__am_notify_here(dart__engine.am, peer, signal->flag->near, signal->value, signal->op);
  else
    dart__am_notify(dart__engine.am, &flag, NULL, 0, &flag, signal->value, signal->op);
  return true;
}
