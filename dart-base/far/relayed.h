#ifndef DART__FAR_RELAYED_H
#define DART__FAR_RELAYED_H
/* Updates that travel by the relays of the node (far/am/node_relay.h): accumulates of one element of 8 bytes.
 *
 * Relays pay where a unit updates words of so many units on other nodes that its batches to them stay small: so a job
 * either has them for all of its updates, or has none. Any unit of a node may have to send what others collected, and to
 * apply what is for others. So there are none unless every unit has an agent, for a unit that computes must not hold up
 * others; and only segments that all units have made together travel so. In completion contexts, epochs and programs of
 * several threads, operations are completed one by one, and nothing is relayed. */
#include <stdbool.h>

#include "far/engine.h"
#include "model/address.h"
#include "model/world.h"

/** What stands for the node of a unit as a peer (dart__am_node_peer), if by_relays. */
static inline int32_t dart__relayed_peer(dart_unit_t unit)
{
  return dart__am_node_peer(dart__engine.am, dart__world_node(unit));
}

/** Find the relay of the unit's node, which is made by the first unit that needs it. False: there is no memory for it, and
 *  updates are not relayed. */
bool dart__relayed_find(dart_unit_t unit);

/** Whether updates of such memory, which is far, are relayed. */
static inline bool dart__is_relayed(const dart__address_t *at)
{
  const dart__segment_t *segment = at->segment;

  return __builtin_expect(dart__engine.by_relays, 0) && at->team->nunits == dart__world.nunits &&
         segment->id != DART_SEGMENT_LOCAL && segment->address == NULL && segment->heads == NULL &&
         segment->sizes == NULL && dart__segment_epoch(segment) == NULL &&
         dart__relayed_find(dart__team_member(at->team, at->unit));
}

/** Update the word at `offset` of a portion; dart__is_relayed. Returns the number of the batch that completes it, of
 *  dart__relayed_peer. */
uint64_t dart__relayed_update(const dart__address_t *at, uint64_t offset, uint64_t value,
                              dart_datatype_t type, dart_operation_t op);

/** Complete what was relayed to the node of a unit. */
static inline void dart__relayed_settle(dart_unit_t unit)
{
  if (__builtin_expect(dart__engine.by_relays, 0))
    dart__am_settle(dart__engine.am, dart__relayed_peer(unit));
}

/** Whether this job is to have relays: the same on all units. After dart__engine_open. */
bool dart__relayed_is_wanted(void);

/** Have relays. `find`: that of a node, in memory that the node's units share; all of them get the same. NULL: there is
 *  no memory for it. */
struct dart__am_relay;
void dart__relayed_open(struct dart__am_relay *(*find)(int32_t node, size_t nbytes));

/** Relay nothing any more. All that this unit has requested is complete. */
void dart__relayed_close(void);

#endif
