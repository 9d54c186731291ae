#ifndef DART__EPOCH_EPOCH_TARGET_H
#define DART__EPOCH_EPOCH_TARGET_H
/* The target's side of epochs: control messages of far units, and their requests for the locks of this unit's
 * portions.
 *
 * A request takes its ticket of the lock (wait/rwlock.h) when it is received, as near units take theirs, so
 * all are served in the order of arrival. One whose turn has not come waits in a list of this process: no
 * thread waits for it. Whenever messages were handled the list is looked through; a near unit that leaves a
 * lock for which a far one waits raises this unit's event, so that it, or its agent, does. A request that
 * brings its operations is entered, applied and left in one go; it never holds the lock between two looks.
 *
 * Memory: a request waits at most once for each thread of a far unit. Of those that do not wait for their unlock
 * LAZY_MOST wait (epoch/unlock.c), or more while that unit has other locks. Each has DART__LOCKED_BYTES of operations
 * at most. What gets have read that came with a request is part of its answer; of one that has waited, of GRANTED. */
#include "model/segment.h"

/* What a unit asks of a far one, beyond dart__epoch_control_t; in dart__am_epoch_t.what. */
enum {
  DART__LOCK_CONTROL = 0xff, /* mask of one of the following, or of a dart__epoch_control_t */
  DART__LOCK_EXPOSED = 0x10, /* result: the last fence left, plus 1 */
  DART__LOCK_ASK,            /* result: a dart__lock_result_t; value: the origin's counter */
  DART__LOCK_APPLY, /* as ASK, and requests: enter, apply them, leave; result: what gets have read, too */
  DART__LOCK_LEAVE,
  DART__LOCK_REPORT, /* nothing: what was requested before it is applied; always LAZY */
  DART__LOCK_COMPLETED, /* DART__EPOCH_COMPLETED, and requests before it, for when this unit has posted */
  DART__LOCK_EXCLUSIVE = 0x100, /* a flag, of ASK, APPLY and LEAVE */
  DART__LOCK_LAZY      = 0x200  /* a flag: no result, but DART__EPOCH_GRANTED in any case */
};

/* Above these, the segment's generation: registered memory may end, and other memory have its id, before what nobody
 * waits for has come, a lazy unlock for example. Modulo 2^22: so many registrations later it would be taken for one of
 * the later memory. */
#define DART__LOCK_GENERATION_AT 10
static inline uint32_t dart__lock_generation(const dart__segment_t *segment)
{
  return segment->generation << DART__LOCK_GENERATION_AT;
}

typedef enum {
  DART__LOCK_REFUSED, /* there is no such segment */
  DART__LOCK_DONE,    /* entered, or applied */
  DART__LOCK_WAITS    /* DART__EPOCH_GRANTED is going to say so */
} dart__lock_result_t;

/** Register the handlers of far/handlers.h, before the network is joined. */
void dart__epoch_serve(void);

#endif
