/* See elements.h. */
#include "far/elements.h"

#include "base/counters.h"
#include "base/size.h"
#include "far/completion.h"
#include "far/far_team.h"
#include "far/latency.h"
#include "far/order.h"
#include "net.h"

/* `nbytes` bytes in a row on both sides, in as many calls as the network needs. */
static void start_run(const dart__rma_t *rma, size_t target_off, char *buffer, size_t nbytes)
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

uint64_t dart__elements_start(const dart__rma_t *rma, void *buffer)
{
  const dart__address_t *at = &rma->at;

  dart__order_wait(at->team, at->unit);
  if (rma->local_type == NULL)
    start_run(rma, 0, buffer, rma->nbytes);
  else
    dart__elements_by_runs(
        rma, buffer,
        dart__net_transfer(at->team, at->segment->chunk, at->unit, dart__far_offset(at), rma->type,
                           buffer, rma->local_type, 0, rma->nelem, rma->kind == DART__PUT),
        start_run);
  dart__latency_ping(dart__team_member(at->team, at->unit));
  return dart__completion_started(at->team, at->unit, rma->kind == DART__GET);
}
