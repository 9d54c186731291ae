/* Notified puts and gets: batches of requests that are sent at once and applied in order. The data of a put are in the
 * batch of the notification, or arrive before it: the target applies the batch when their messages are there, or the
 * network's put is complete before the batch is sent. Behind the requests of a get is either a notification of its
 * target, or an arrival, which updates a flag of this unit when all before it has come (far/am/endpoint.h). The network's
 * get is no way for it: nobody knows when it is complete before somebody flushes. */
#include "base/counters.h"
#include "far/far_operation.h"
#include "model/world.h"

/* A notification without data, behind all requests to its target. */
static dart__completion_t send_signal(const dart__signal_t *signal)
{
  dart__am_address_t flag = dart__am_address(signal->flag);

  return dart__by_requests(flag.peer, dart__am_notify(dart__engine.am, &flag, NULL, 0, &flag,
                                                      signal->value, signal->op));
}

dart__completion_t dart__far_notify(const dart__signal_t *signal)
{
  dart__word_order_request(signal->flag, dart__word_order_at(signal->flag, sizeof(uint64_t)));
  return send_signal(signal);
}

/* ---- put ----------------------------------------------------------------------------------------- */

/* The last record of the data travels with the notification. */
static inline dart__completion_t put_in_batch(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart__am_address_t data = dart__am_address(&rma->at), flag = dart__am_address(signal->flag);
  dart__rma_t        ahead;
  size_t             last = rma->nbytes;

  dart__count(DART__COUNT_NOTIFY_INLINE);
  if (dart__is_word(rma->nbytes))
    dart__word_order_request_too(&rma->at, dart__word_order_at(&rma->at, rma->nbytes));
  if (rma->nbytes > DART__AM_PUT_MOST) {
    ahead        = *rma;
    ahead.nbytes = (rma->nbytes - 1) / DART__AM_PUT_MOST * DART__AM_PUT_MOST;
    last -= ahead.nbytes;
    data.offset += ahead.nbytes;
    dart__far_request(DART__RECORD, &ahead, true);
  }
  return dart__by_requests(data.peer,
                           dart__am_notify(dart__engine.am, &data,
                                           (const char *)rma->buffer + (rma->nbytes - last), last,
                                           &flag, signal->value, signal->op));
}

/* Wait for a put by ELEMENTS, and note how long it has taken the network. */
static void put_by_net(const dart__rma_t *rma)
{
  int64_t began = dart__now_ns();

  dart__count(DART__COUNT_NOTIFY_AFTER_RMA);
  dart__far_elements_blocking(rma);
  if (!rma->at.segment->chunk->by_requests)
    dart__latency_put_took(dart__team_member(rma->at.team, rma->at.unit), dart__now_ns() - began,
                           rma->nbytes);
}

dart__completion_t dart__far_put_notify(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart__way_t way;

  dart__word_order_request(signal->flag, dart__word_order_at(signal->flag, sizeof(uint64_t)));
  way = dart__way_choose(rma, true, DART__TO_NOTIFY, false);
  switch (way) {
  case DART__RECORD: return put_in_batch(rma, signal);
  case DART__TYPED:
  case DART__MESSAGE:
    dart__count(way == DART__TYPED ? DART__COUNT_NOTIFY_TYPED : DART__COUNT_NOTIFY_DATA);
    dart__far_request(way, rma, true);
    break;
  default: put_by_net(rma);
  }
  return send_signal(signal);
}

/* ---- get ----------------------------------------------------------------------------------------- */

/* False: it would not be a request. */
static bool request_get(const dart__rma_t *rma)
{
  dart__way_t way = dart__way_choose(rma, false, DART__TO_NOTIFY, false);

  if (way != DART__RECORD && way != DART__TYPED && way != DART__MESSAGE)
    return false;
  dart__count(way == DART__MESSAGE ? DART__COUNT_NOTIFY_GOT_DATA : DART__COUNT_NOTIFY_GOT);
  dart__far_request(way, rma, false);
  return true;
}

dart__completion_t dart__far_get_notify(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart_unit_t owner = dart__team_member(signal->flag->team, signal->flag->unit);
  dart_unit_t peer  = dart__team_member(rma->at.team, rma->at.unit);
  bool        here  = owner == dart__world.me && signal->flag->near != NULL;

  if ((!here && owner != peer) || !request_get(rma)) {
    dart__count(DART__COUNT_NOTIFY_AFTER_GET);
    return (dart__completion_t){ .by = DART__BY_NOTHING };
  }
  return here ? dart__by_requests(peer,
                                  dart__am_notify_here(dart__engine.am, peer, signal->flag->near,
                                                       signal->value, signal->op))
              : send_signal(signal);
}
