#ifndef DASH__DART__EXT__DART_ORDER_H__INCLUDED
#define DASH__DART__EXT__DART_ORDER_H__INCLUDED
/** @file dart_order.h
 *  Order without completion.
 *
 *  A program that puts data and then a flag needs the one before the other, and does not care when. A flush
 *  between them gives that, at the price of a round trip. dart_order gives it alone: nothing, where the network or
 *  the memory keeps the order anyway. (shmem_fence of OpenSHMEM is of this kind; ARMCI and GASNet leave it to
 *  blocking operations.) */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Order operations: what the caller did to the unit of `gptr` before takes effect there before what it does to it after.
 *
 *  Puts, gets, atomics and notifications count, of any thread that synchronised with the caller, with or without
 *  handle, on all memory of the pointer's team that a flush of `gptr` is about. Whoever sees the effect of a later
 *  one, by a get, an atomic or a wait that acquires it, sees those of all earlier ones; a later get of the
 *  caller's own reads what it put before; an earlier get reads nothing that was put later. It says nothing about
 *  effects at different units, nor about a get and an earlier write to another place: for these, flush.
 *
 *  Local; any thread. Near memory and requests are in order already: some nanoseconds. It waits, as dart_flush,
 *  if far transfers of MPI are outstanding towards the unit (far puts and gets of more than DART_AGGREGATE
 *  bytes, with a handle, or alone between two flushes); one that is started after the order waits for earlier requests
 *  instead; and for lazy unlocks (dart_epoch.h), as a flush does. On a segment that has had epochs it is dart_flush. What
 *  dart_epoch_complete has left on its way to a target that has not posted yet is in no order with later
 *  operations. Completes nothing that a program could rely on.
 *
 *  DART_ERR_INVAL: null pointer, no such team, segment or unit; on a segment that has had epochs also as
 *  dart_flush. */
dart_ret_t dart_order(dart_gptr_t gptr) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_ORDER_H__INCLUDED */
