#ifndef DART__LOCK_RANGE_TABLE_H
#define DART__LOCK_RANGE_TABLE_H
/* Tables of range locks (lock/range.h) in the pools of units, and requests to them, near and far.
 *
 * A near table is worked on in place. A far one is worked on by its unit, on request. Whoever makes waiters hold
 * what they wait for tells them, near or far, by a notification: it adds 1 to their counter. Whoever lets one come to
 * the head of those that wait tells its unit, too, by the unit's counter of hints (p2p/twosided.h). That may come
 * late, when the unit waits for something else or for nothing, or the object is no more: so it is no part of it. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_globmem.h>

#include "lock/range.h"

/* Where a table is: offset in the pool of a unit, by global id. */
typedef struct {
  int32_t  unit;
  uint64_t offset;
} dart__table_t;

/** Serve the requests of far units, from init on. */
void dart__table_open(void);

/** A new table of this unit, for `capacity` spans. DART_ERR_NOMEM. */
dart_ret_t dart__table_new(uint32_t capacity, uint64_t *offset_out);

/** Free it; no request to it is under way. */
void dart__table_delete(uint64_t offset);

/** As dart__range_enter. `waiter->unit` is a global id, `waiter->flag` the offset of its counter in its pool. */
dart__range_state_t dart__table_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out);

/** A request that is held leaves. Does not wait for a far unit; dart__far_settle does. */
void dart__table_leave(dart__table_t at, uint64_t ticket);

/** All requests of this unit that are held leave; otherwise as above. */
void dart__table_leave_all(dart__table_t at);

/** Where units may be lost, of a near table: all requests leave of units that are. Returns how many were held. */
size_t dart__table_leave_lost(dart__table_t at);

/** As dart__range_is_held, of a near table; false of others. */
bool dart__table_is_held(dart__table_t at, uint64_t ticket, bool *is_broken_out);

/** A request that waits leaves. False: it is held, and its waiter is told. */
bool dart__table_cancel(dart__table_t at, uint64_t ticket);

/** Tell a unit, by global id: 1 is added to the word at `offset` of its pool, by a notification. */
void dart__table_tell(int32_t unit, uint64_t offset);

/** Pointer to the word at `offset` of a unit's pool, by global id. */
dart_gptr_t dart__table_word(int32_t unit, uint64_t offset);

#endif
