/* See elements.h. */
#include "far/elements.h"

#include <string.h>

#include "base/counters.h"
#include "base/size.h"
#include "far/completion.h"
#include "far/far_handle.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "far/order.h"
#include "net.h"

/* `nbytes` bytes in a row on both sides, in as many calls as the network needs. */
static void start_run(const dart__rma_t *t, size_t target_off, size_t origin_off, size_t nbytes)
{
  dart__chunk_t *chunk  = t->at->segment->chunk;
  uint64_t       offset = dart__far_offset(t->at) + target_off;
  char          *buffer = (char *)t->buffer + origin_off;

  for (size_t from = 0; from < nbytes; from += DART__NET_MOST) {
    size_t count = dart__least(DART__NET_MOST, nbytes - from);

    dart__count(DART__COUNT_RMA_RUN);
    if (t->is_put)
      dart__net_put(t->at->team, chunk, t->at->unit, offset + from, buffer + from, count, NULL);
    else
      dart__net_get(t->at->team, chunk, t->at->unit, offset + from, buffer + from, count, NULL);
  }
}

/* Elements [from, to), run by run. */
static void start_by_runs(const dart__rma_t *t, size_t from, size_t to)
{
  size_t size = t->at_type->elem_size;

  for (size_t elem = from, count; elem < to; elem += count) {
    size_t target_at, origin_at;
    size_t target_run = dart__type_run(t->at_type, elem, &target_at);
    size_t origin_run = dart__type_run(t->buffer_type, elem, &origin_at);

    count = dart__least(dart__least(target_run, origin_run), to - elem);
    start_run(t, target_at * size, origin_at * size, count * size);
  }
}

static void start_transfer(const dart__rma_t *t, size_t nelem)
{
  const dart__address_t *at   = t->at;
  size_t                 from = 0;

  dart__order_wait(at->team, at->unit);
  if (!dart__rma_is_plain(t))
    from = dart__net_transfer(at->team, at->segment->chunk, at->unit, dart__far_offset(at),
                              t->at_type, t->buffer, t->buffer_type, 0, nelem, t->is_put);
  start_by_runs(t, from, nelem);
  dart__completion_started(at->team, at->unit, !t->is_put);
  dart__latency_ping(at->team->members[at->unit]);
}

dart_handle_t dart__rma_start_with_handle(const dart__rma_t *t, size_t nelem)
{
  dart_handle_t handle = dart__handle_new(t->at->team, t->at->unit, false);

  if (handle == DART_HANDLE_NULL)
    return handle;
  handle->is_put = t->is_put;
  start_transfer(t, nelem);
  dart__handle_started(handle);
  return handle;
}

static void start_copied(const dart__rma_t *t, size_t nelem)
{
  dart__rma_t   copied = *t;
  dart__copy_t *copy   = dart__completion_copy(t->at->team, t->at->unit);

  copied.buffer = memcpy(copy->bytes, t->buffer, nelem * t->buffer_type->elem_size);
  start_transfer(&copied, nelem);
  dart__completion_copied(t->at->team, copy);
}

void dart__rma_start(const dart__rma_t *t, size_t nelem)
{
  if (t->is_put && dart__type_is_copied(t->buffer_type, nelem))
    start_copied(t, nelem);
  else
    start_transfer(t, nelem);
}

void dart__rma_blocking(const dart__rma_t *t, size_t nelem)
{
  start_transfer(t, nelem);
  dart__completion_flush(t->at->team, t->at->unit, true);
}
