#ifndef DART__FAR_ORDER_H
#define DART__FAR_ORDER_H
/* Order without completion (dart_order), towards far units.
 *
 * What a unit does to another travels in two ways. Requests are applied in the order in which they were made: those
 * of a batch one after the other, batches in the order of their numbers. MPI's transfers are ordered by nothing
 * but a flush. So there are four cases, of something before the order and something after it:
 *
 *   request, request     in order already, unless the later one is an update that travels by a relay (far/relayed.h):
 *                        that is a transfer here
 *   transfer, either     a flush of the transfers, by dart_order: there it is known that there are some
 *   request, transfer    a wait for the requests, but only when a transfer is about to start, which in most
 *                        programs does not come, or when the requests have long been applied. dart_order notes the
 *                        number of the newest batch, and transfers start when that is done
 *
 * Data that are messages of their own (dart__am_move_data) are received in place before the other requests of
 * their batch are applied, so for this they are transfers when they come after the order. When they come before it
 * they are requests: later batches wait for them, and later requests of the batch are applied after them.
 *
 * Numbers only grow, so threads need not agree on who has waited for which. */
#include "far/engine.h"
#include "far/far_team.h"
#include "model/address.h"

/** Note that what was requested of the team unit until now comes before transfers that are started later. */
static inline void dart__order_note(dart__team_t *team, int32_t unit)
{
  _Atomic uint64_t *at     = &dart__far_team(team)->unit[unit].ordered;
  uint64_t          newest = dart__am_newest(dart__engine.am, dart__team_member(team, unit));
  /* relaxed: threads that rely on each other's calls synchronise by themselves */
  uint64_t before = atomic_load_explicit(at, memory_order_relaxed);

  while (before < newest && !atomic_compare_exchange_weak_explicit(
                                at, &before, newest, memory_order_relaxed, memory_order_relaxed))
    ;
}

/** Before a transfer: wait for the requests that come before it. */
static inline void dart__order_wait(const dart__team_t *team, int32_t unit)
{
  uint64_t number =
      atomic_load_explicit(&dart__far_team(team)->unit[unit].ordered, memory_order_relaxed);

  if (__builtin_expect(number != 0, 0))
    dart__am_settle_to(dart__engine.am, dart__team_member(team, unit), number);
}

#endif
