#ifndef DART__LOCK_RANGE_TABLE_H
#define DART__LOCK_RANGE_TABLE_H
/* Tables of range locks (lock/range.h) in the pools of units, and requests to them, near and far.
 *
 * A near table is worked on in place. A far one is worked on by its unit, on request. The unit whose call grants a request
 * tells its waiter, near or far (told.h). It also tells the next in the queue, by that unit's counter of hints
 * (p2p/twosided.h). A hint may be late, when the unit waits for something else or for nothing, or the object is gone. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "lock/range.h"

/* Ranges that the table of a unit has room for by default at most: 5 MB, however many units may have ranges in its stripes.
 * And the most that there may be. */
#define DART__RANGES_BY_UNITS 32768
#define DART__RANGES_MOST     ((size_t)1 << 20)

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

/** As dart__range_enter, or DART__RANGE_GONE. `waiter->unit` is a global id, `waiter->flag` the offset of its counter in
 *  its pool. */
dart__range_state_t dart__table_enter(dart__table_t at, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out);

/** This unit waits. If it has the table it is served without a message while nobody is before it, and would not hear of far
 *  requests for many turns: so it looks for them when its next requests leave. */
void dart__table_note_wait(dart__table_t at);

/** A request that is held leaves. Does not wait for a far unit; dart__far_settle does. */
void dart__table_leave(dart__table_t at, uint64_t ticket);

/** All requests of this unit that are held leave; otherwise as above. */
void dart__table_leave_all(dart__table_t at);

/** Where units may be lost: as dart__range_leave_lost. Does not wait for a far unit. */
void dart__table_leave_lost(dart__table_t at);

/** Where units were lost: tell dart_lock_was_broken if such a unit held what this request holds. */
void dart__table_note_broken(dart__table_t at, uint64_t ticket);

/** Whether the table is that of a unit that is lost, in a job of several nodes: it is gone, and so are all holds in it, for
 *  near units, too, as those of far units would never leave. */
bool dart__table_is_gone(dart__table_t at);

/** As dart__range_is_held; false if the table is gone. */
bool dart__table_is_held(dart__table_t at, uint64_t ticket, bool *is_broken_out);

/** Wait until a request is held. Its waiter's counter at `flag` of this unit's pool was `*told` when nothing was awaited,
 *  and is again. Where units may be lost, requests of lost units that are in its way leave, and dart_lock_was_broken is
 *  told if one held. `end_us`: of dart__now_ns; -1: no limit. DART_PENDING: it waits yet. DART_ERR_UNIT_LOST: the table is gone. */
dart_ret_t dart__table_wait(dart__table_t at, uint64_t ticket, uint64_t flag, uint64_t *told,
                            int64_t end_us);

/** A request that waits leaves. False: it is held, and its waiter is told. True, too, if the table is gone. */
bool dart__table_cancel(dart__table_t at, uint64_t ticket);

#endif
