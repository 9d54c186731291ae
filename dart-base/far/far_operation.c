/* Operations on far memory: they are started by the way that far/way.h chooses.
 *
 * Most far operations of most programs are puts and gets of bytes in a row, and of a word, and a network moves one to a
 * process of its host in less than half a microsecond. So the direction and what completes the operation are constants
 * here: each entry point has code of its own, with only these two branches before it. */
#include <string.h>

#include "base/counters.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/size.h"
#include "far/completion.h"
#include "far/far_handle.h"
#include "far/far_operation.h"
#include "far/order.h"
#include "far/poll_budget.h"
#include "far/way.h"
#include "model/lost.h"
#include "wait/waiting.h"

#define INLINED static inline __attribute__((always_inline))

/* ---- requests --------------------------------------------------------------------------------------
 *
 * Each returns the number of the batch that completes it. Sources are copied before return, but for messages. */

/* Bytes in a row, as many records as they need. */
INLINED uint64_t append_records(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at    = dart__am_address(&rma->at);
  uint64_t           start = at.offset, number = 0;
  size_t             nbytes = rma->nbytes;

  for (size_t from = 0; from < nbytes; from += DART__AM_PUT_MOST) {
    char  *buffer = (char *)rma->buffer + from;
    size_t count  = dart__least(nbytes - from, DART__AM_PUT_MOST);

    at.offset = start + from;
    number    = is_put ? dart__am_put(dart__engine.am, &at, buffer, count)
                       : dart__am_get(dart__engine.am, &at, buffer, count);
  }
  return number;
}

/* Bytes in a row; a put of a word in order with those before it. */
INLINED uint64_t start_records(const dart__rma_t *rma, bool is_put)
{
  if (is_put && dart__is_word(rma->nbytes))
    dart__word_order_request(&rma->at, dart__word_order_at(&rma->at, rma->nbytes));
  return append_records(rma, is_put);
}

/* Elements that are not in a row, which dart__am_takes_type. */
INLINED uint64_t start_typed(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at = dart__am_address(&rma->at);

  return dart__am_move_typed(dart__engine.am, &at, rma->type, rma->buffer, rma->local_type,
                             rma->nelem, is_put);
}

/* Bytes in a row, as messages that are received in place. */
INLINED uint64_t start_message(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at = dart__am_address(&rma->at);

  dart__order_wait(rma->at.team, rma->at.unit);
  return dart__am_move_data(dart__engine.am, &at, rma->buffer, rma->nbytes, is_put);
}

INLINED uint64_t request_by(dart__way_t way, const dart__rma_t *rma, bool is_put)
{
  switch (way) {
  case DART__RECORD: return start_records(rma, is_put);
  case DART__TYPED: return start_typed(rma, is_put);
  default: return start_message(rma, is_put);
  }
}

static void request_run(const dart__rma_t *rma, size_t target_off, char *buffer, size_t nbytes)
{
  dart__rma_t run = *rma;

  run.at.offset += target_off;
  run.buffer = buffer;
  run.nbytes = nbytes;
  append_records(&run, rma->kind == DART__PUT);
}

/* A call for each run of consecutive elements from number `from` on: `nbytes` from `target_off` on at the target. */
INLINED void by_runs(const dart__rma_t *rma, char *buffer, size_t from,
                     void (*start_run)(const dart__rma_t *rma, size_t target_off, char *buffer,
                                       size_t nbytes))
{
  size_t size = rma->type->elem_size;

  for (size_t elem = from, count; elem < rma->nelem; elem += count) {
    size_t target_at, origin_at;
    size_t target_run = dart__type_run(rma->type, elem, &target_at);
    size_t origin_run = dart__type_run(rma->local_type, elem, &origin_at);

    count = dart__least(dart__least(target_run, origin_run), rma->nelem - elem);
    start_run(rma, target_at * size, buffer + origin_at * size, count * size);
  }
}

/* Any elements, run by run, of a chunk of which the network has no puts and gets. */
static uint64_t request_elements(const dart__rma_t *rma)
{
  by_runs(rma, rma->buffer, 0, request_run);
  return dart__am_newest(dart__engine.am, dart__team_member(rma->at.team, rma->at.unit));
}

void dart__far_request(dart__way_t way, const dart__rma_t *rma, bool is_put)
{
  request_by(way, rma, is_put);
}

/* ---- the network's puts and gets of bytes in a row ------------------------------------------------ */

INLINED void call_net(const dart__rma_t *rma, void *buffer, bool is_put,
                      dart__net_request_t *request_out)
{
  const dart__address_t *at = &rma->at;

  dart__net_move(at->team, at->segment->chunk, at->unit, dart__far_offset(at), buffer, rma->nbytes,
                 is_put, request_out);
}

/* What a transfer of the network is to come after: an order, and updates of the same words that travel by a relay. No
 * request on these words is outstanding, or it would have become one, too (dart__way_follows). */
INLINED void wait_for_order(const dart__rma_t *rma, bool is_word)
{
  const dart__address_t *at = &rma->at;

  dart__order_wait(at->team, at->unit);
  if (is_word)
    dart__word_order_wait_relayed(at, dart__word_order_at(at, rma->nbytes));
}

/* Start at the network; with `request_out`, an operation that has a request. What else there is to do comes after it:
 * the transfer is under way meanwhile. */
INLINED dart__completion_t start_net(const dart__rma_t *rma, void *buffer, bool is_put,
                                     dart__net_request_t *request_out)
{
  const dart__address_t *at      = &rma->at;
  bool                   is_word = is_put && dart__is_word(rma->nbytes);
  uint64_t               number;

  wait_for_order(rma, is_word);
  call_net(rma, buffer, is_put, request_out);
  number = dart__completion_started(at->team, at->unit, !is_put);
  if (is_word)
    dart__word_order_transferred(at, dart__word_order_at(at, rma->nbytes), number);
  dart__latency_ping_often(dart__team_member(at->team, at->unit), rma->nbytes);
  return dart__by_net(rma, number);
}

/* ---- ... and of any elements: in one call, if it knows their types, else by a call for each run -------- */

/* `nbytes` bytes in a row on both sides, in as many calls as the network needs. */
static void move_run(const dart__rma_t *rma, size_t target_off, char *buffer, size_t nbytes)
{
  const dart__address_t *at     = &rma->at;
  uint64_t               offset = dart__far_offset(at) + target_off;

  for (size_t from = 0; from < nbytes; from += DART__NET_MOST) {
    size_t count = dart__least(DART__NET_MOST, nbytes - from);

    dart__count(DART__COUNT_RMA_RUN);
    dart__net_move(at->team, at->segment->chunk, at->unit, offset + from, buffer + from, count,
                   rma->kind == DART__PUT, NULL);
  }
}

/* From or to `buffer`, which is rma->buffer or a copy of it. */
static dart__completion_t start_elements(const dart__rma_t *rma, void *buffer)
{
  const dart__address_t *at = &rma->at;

  dart__order_wait(at->team, at->unit);
  if (rma->local_type == NULL)
    move_run(rma, 0, buffer, rma->nbytes);
  else
    by_runs(rma, buffer,
            dart__net_transfer(at->team, at->segment->chunk, at->unit, dart__far_offset(at),
                               rma->type, buffer, rma->local_type, 0, rma->nelem,
                               rma->kind == DART__PUT),
            move_run);
  dart__latency_ping(dart__team_member(at->team, at->unit));
  return dart__by_net(rma, dart__completion_started(at->team, at->unit, rma->kind == DART__GET));
}

/* A put from a copy of its source. */
INLINED dart__completion_t start_copied(const dart__rma_t *rma, bool is_in_a_row)
{
  dart__team_t      *team = rma->at.team;
  dart__copy_t      *copy = dart__completion_copy(team, rma->at.unit);
  dart__completion_t completion;

  if (rma->nbytes == sizeof(uint64_t)) /* the common case, in one move */
    memcpy(copy->bytes, rma->buffer, sizeof(uint64_t));
  else
    memcpy(copy->bytes, rma->buffer, rma->nbytes);
  completion =
      is_in_a_row ? start_net(rma, copy->bytes, true, NULL) : start_elements(rma, copy->bytes);
  dart__completion_copied(team, copy, completion.number);
  return completion;
}

void dart__far_elements_blocking(const dart__rma_t *rma)
{
  if (rma->at.segment->chunk->by_requests) {
    request_elements(rma);
    dart__am_settle(dart__engine.am, dart__team_member(rma->at.team, rma->at.unit));
    return;
  }
  start_elements(rma, rma->buffer);
  dart__completion_settle(rma->at.team, rma->at.unit, true);
}

/* A put takes a flush. A get has a request, which takes less time, and waiting for it makes progress. */
INLINED void transfer_and_wait(const dart__rma_t *rma, bool is_put, bool is_slow)
{
  const dart__address_t *at     = &rma->at;
  dart_unit_t            target = dart__team_member(at->team, at->unit);
  dart__waiting_t       *waiting;
  dart__net_request_t    request;
  int64_t                began;

  wait_for_order(rma, is_put && dart__is_word(rma->nbytes));
  call_net(rma, rma->buffer, is_put, is_put ? NULL : &request);
  waiting =
      dart__waiting_begin(dart__call, (dart__wait_for_t){ DART__WAIT_FLUSH, -1, target, 0, 0 });
  dart__waiting_stamp(); /* no sleep will: the network waits */
  dart__engine_poke();
  began = dart__latency_begin();
  if (is_slow)
    dart__am_ping_blocking(dart__engine.am, target);
  if (is_put)
    dart__net_flush(at->team, at->segment->chunk, at->unit, true);
  else
    dart__engine_wait(&request);
  dart__waiting_end(waiting);
  if (__builtin_expect(began != 0, 0)) {
    dart__latency_end(target, began, rma->nbytes);
    dart__latency_ping(target); /* often enough */
  }
}

/* ---- puts and gets -------------------------------------------------------------------------------- */

INLINED dart__completion_t start_by(dart__way_t way, const dart__rma_t *rma, bool is_put)
{
  dart_unit_t target = dart__team_member(rma->at.team, rma->at.unit);

  switch (way) {
  case DART__RECORD:
  case DART__TYPED:
  case DART__MESSAGE: return dart__by_requests(target, request_by(way, rma, is_put));
  case DART__NET: return start_net(rma, rma->buffer, is_put, NULL);
  case DART__NET_COPY: return start_copied(rma, true);
  default:
    if (__builtin_expect(rma->at.segment->chunk->by_requests, 0))
      return dart__by_requests(target, request_elements(rma));
    return is_put && dart__rma_is_copied(rma) ? start_copied(rma, false)
                                              : start_elements(rma, rma->buffer);
  }
}

#define REQUESTED_FROM ((size_t)8192) /* bytes of a put: less is complete soon */

/* A handle of bytes in a row that go by the network has a request, unless they are a small put, whose remote completion a
 * test finds out soon if all units have agents. */
INLINED dart__completion_t start_with_handle(const dart__rma_t *rma, bool is_put,
                                             dart_handle_t *handle_out)
{
  dart__way_t   way      = dart__way_choose(rma, is_put, DART__TO_HANDLE, false);
  bool          is_small = is_put && rma->nbytes < REQUESTED_FROM && dart__engine.by_agents;
  dart_handle_t handle =
      dart__handle_new(rma->at.team, rma->at.unit, way == DART__NET && !is_small);
  dart__completion_t completion;

  *handle_out = handle;
  if (handle == NULL) {
    dart__error("no memory for a handle of %zu bytes", rma->nbytes);
    return (dart__completion_t){ .by = DART__BY_NOTHING };
  }
  handle->is_put = is_put;
  if (handle->has_request) {
    completion = start_net(rma, rma->buffer, is_put, &handle->request);
    dart__count(DART__COUNT_RMA_HANDLE);
  } else {
    completion = start_by(way, rma, is_put);
  }
  dart__mark_add(&handle->mark, completion);
  return completion;
}

INLINED dart__completion_t start(const dart__rma_t *rma, bool is_put, dart_handle_t *handle_out)
{
  dart__way_t way;

  if (handle_out != NULL)
    return start_with_handle(rma, is_put, handle_out);
  way = dart__way_choose(rma, is_put, DART__TO_FLUSH, false);
  if (way == DART__RECORD || way == DART__TYPED) {
    dart__count(DART__COUNT_AGGREGATED);
    dart__poll_budget_reset();
  }
  return start_by(way, rma, is_put);
}

/* By requests. A flush reports what was refused before, unless the target is fast. */
INLINED dart_ret_t request_and_wait(dart__way_t way, const dart__rma_t *rma, bool is_put,
                                    bool tells)
{
  dart__team_t *team = rma->at.team;
  dart__mark_t  mark = { 0 };

  dart__count(DART__COUNT_REQUEST_BLOCKING);
  mark.requests = request_by(way, rma, is_put);
  dart__far_complete_to(team, rma->at.unit, &mark, true);
  return tells ? dart__am_report(dart__engine.am, dart__team_member(team, rma->at.unit)) : DART_OK;
}

INLINED dart_ret_t blocking(const dart__rma_t *rma, bool is_put)
{
  bool        is_slow = dart__latency_is_slow(dart__team_member(rma->at.team, rma->at.unit));
  dart__way_t way     = dart__way_choose(rma, is_put, DART__TO_RETURN, is_slow);
  dart_ret_t  ret     = DART_OK;

  switch (way) {
  case DART__RECORD: ret = request_and_wait(DART__RECORD, rma, is_put, is_slow); break;
  case DART__TYPED:
  case DART__MESSAGE: ret = request_and_wait(way, rma, is_put, true); break;
  case DART__NET: transfer_and_wait(rma, is_put, is_slow); break;
  default: dart__engine_poke(); dart__far_elements_blocking(rma);
  }
  return __builtin_expect(dart__survives(), 0) ? dart__far_outcome(rma->at.team, rma->at.unit, ret)
                                               : ret;
}

/* ---- atomics, and calls ------------------------------------------------------------------------------
 *
 * A request to the target, which applies it by a CPU atomic, as near units apply theirs. So every atomic on a word ends as
 * the same kind of access, and atomics of near and far units are atomic towards each other. */

static uint64_t request_atomic(const dart__rma_t *rma)
{
  dart__am_address_t at   = dart__am_address(&rma->at);
  dart_datatype_t    type = rma->type->base;

  dart__word_order_request(&rma->at, dart__word_order_at(&rma->at, rma->nbytes));
  dart__poll_budget_reset();
  switch (rma->kind) {
  case DART__ACCUMULATE:
    return dart__am_accumulate(dart__engine.am, &at, rma->buffer, rma->nelem, type, rma->op);
  case DART__FETCH:
    return dart__am_fetch(dart__engine.am, &at, rma->buffer, rma->result, rma->nelem, type,
                          rma->op);
  default: return dart__am_swap(dart__engine.am, &at, rma->buffer, rma->compare, rma->result, type);
  }
}

static dart__completion_t request_update(const dart__rma_t *rma)
{
  return dart__by_requests(dart__team_member(rma->at.team, rma->at.unit), request_atomic(rma));
}

dart__completion_t dart__far_updates(const dart__address_t *at, const uint64_t *values,
                                     const uint32_t *places, size_t nelem, dart_datatype_t type,
                                     dart_operation_t op)
{
  dart__am_address_t target = dart__am_address(at);
  uint64_t           number = 0;

  if (dart__way_of_update(at) == DART__RELAY) {
    dart__word_order_relay(at, dart__word_order_of_all(at));
    for (size_t i = 0; i < nelem; i++)
      number = dart__relayed_update(at, places[i] * sizeof(uint64_t), values[i], type, op);
    return dart__by_requests(dart__relayed_peer(target.peer), number);
  }
  target.offset = 0;
  dart__word_order_request(at, dart__word_order_of_all(at));
  return dart__by_requests(
      target.peer, dart__am_updates(dart__engine.am, &target, values, places, nelem, type, op));
}

dart__completion_t dart__far_update(const dart__rma_t *rma)
{
  const dart__address_t *at = &rma->at;
  uint64_t               value;

  if (dart__way_of_update(at) == DART__RECORD)
    return request_update(rma);
  memcpy(&value, rma->buffer, sizeof value);
  dart__word_order_relay(at, dart__word_order_at(at, sizeof value));
  return dart__by_requests(dart__relayed_peer(dart__team_member(at->team, at->unit)),
                           dart__relayed_update(at, at->offset, value, rma->type->base, rma->op));
}

dart_ret_t dart__far_call(const dart__address_t *at, const void *operand, size_t nbytes,
                          uint64_t *result_out)
{
  dart__am_address_t object = dart__am_address(at);

  dart__am_call(dart__engine.am, &object, operand, nbytes, result_out);
  if (result_out == NULL)
    return DART_OK;
  dart__am_settle(dart__engine.am, object.peer);
  return dart__lost_result(object.peer, DART_OK);
}

/* ---- any operation ---------------------------------------------------------------------------------- */

dart__completion_t dart__far_start(const dart__rma_t *rma, dart_handle_t *handle_out)
{
  switch (rma->kind) {
  case DART__PUT: return start(rma, true, handle_out);
  case DART__GET: return start(rma, false, handle_out);
  default: return request_update(rma);
  }
}

dart_ret_t dart__far_blocking(const dart__rma_t *rma)
{
  return rma->kind == DART__PUT ? blocking(rma, true) : blocking(rma, false);
}

/* Of large puts by the network some are completed at once, to see how fast it moves them. */
static dart__completion_t start_measured(const dart__rma_t *rma)
{
  int64_t            began      = dart__latency_begin();
  dart__completion_t completion = start_net(rma, rma->buffer, true, NULL);

  if (began != 0) {
    dart__completion_settle(rma->at.team, rma->at.unit, true);
    dart__latency_put_took(dart__team_member(rma->at.team, rma->at.unit), dart__now_ns() - began,
                           rma->nbytes);
  }
  return completion;
}

dart__completion_t dart__far_start_in_order(const dart__rma_t *rma, bool of_fence)
{
  bool        is_put = rma->kind == DART__PUT;
  dart__way_t way;

  if (!is_put && rma->kind != DART__GET)
    return request_update(rma);
  way = dart__way_choose(rma, is_put, of_fence ? DART__TO_FENCE : DART__TO_RECORD, false);
  return way == DART__NET && is_put && rma->nbytes > DART__PUT_RECORDS_MOST
             ? start_measured(rma)
             : start_by(way, rma, is_put);
}

bool dart__far_is_moved(const dart__rma_t *rma)
{
  return rma->kind == DART__PUT && rma->local_type == NULL &&
         dart__way_may_move(rma, DART__TO_FENCE);
}

bool dart__far_leaves_at_once(const dart__rma_t *rma)
{
  return dart__far_is_moved(rma) || (rma->kind == DART__PUT && rma->local_type == NULL &&
                                     rma->nbytes > DART__PUT_RECORDS_MOST);
}
