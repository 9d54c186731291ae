#ifndef DASH__DART__EXT__DART_NOTIFY_H__INCLUDED
#define DASH__DART__EXT__DART_NOTIFY_H__INCLUDED
/** @file dart_notify.h
 *  Put and get with notification: data, and a word that says they are there, in one call.
 *
 *  A producer puts data to a unit and raises a counter there, in this order; the consumer waits for
 *  the counter instead of for a barrier of all. (The idea is old; a recent account is Belli, Hoefler:
 *  Notified Access: extending remote memory access programming models for producer-consumer
 *  synchronization, IPDPS 2015. GASPI has the same as gaspi_write_notify, and gets as gaspi_read_notify.)
 *
 *  A counter is an aligned 64-bit word in memory that a team allocated or registered, or dart_memalloc
 *  allocated; its owner sets it to 0 before others know of it. It only grows, by what notifications
 *  add, so nothing has to be reset between two uses: the consumer waits for a larger value each
 *  time. Raise counters by the functions of this file alone: other updates wake no waiter.
 *
 *  The forms with an operator make such a word a flag, which may be set, too (as OpenSHMEM's
 *  shmem_put_signal does with SHMEM_SIGNAL_SET). dart_wait_word (dart_wait_word.h) waits for any value of it.
 *
 *  Order. Whoever has seen a counter sees the data of its call. It sees other puts and atomics that the same unit made
 *  before only if they were flushed, or if a dart_order (dart_order.h) of the counter's unit lies between them and the
 *  notification. What a unit does to another after such an order takes effect after the data and the counter of a
 *  dart_put_notify before it. Notifications are part of no epoch (dart_epoch.h): they do not wait for one that is to
 *  be opened, and neither a fence nor another end of an epoch completes or orders them, or what is in the epoch with
 *  them. A dart_flush of both does. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Put `nelem` elements from `src`, laid out as `src_type`, to `gptr`, laid out as `dst_type`, then add
 *  `by` to the counter at `flag`, which belongs to the same unit.
 *
 *  One-sided, and under way on return, or within about a millisecond where a progress agent runs and the
 *  program has lately notified this unit several times in a step. `src` may be reused after dart_flush_local of
 *  `flag`, as after dart_put, or once the consumer is known to have seen the counter. Whoever waited for the
 *  counter, or fetched it by dart_fetch_and_op, sees the data, and whatever else the calling thread had stored
 *  or completed before; notifications of a unit to another arrive in their order. Data of more than 8 bytes do
 *  not: of two puts to the same memory the older may remain, unless the first was flushed, or its counter is
 *  known to have been seen, before the second. Smaller data, and the update of the counter, are in program order
 *  with the unit's other puts and atomics on the same element (dart_communication.h), but for those of an epoch. That
 *  the target was reached is certain after dart_flush of `flag`. Types as for dart_put; `nelem` 0: the notification
 *  alone, and `gptr` is not looked at.
 *
 *  DART_ERR_INVAL, and nothing is written: what dart_put refuses; `flag` is misaligned, out of its
 *  portion, or of another unit than `gptr`. DART_ERR_OTHER: as dart_put; nothing is notified. DART_ERR_OTHER,
 *  DART_ERR_NOMEM: `flag` is in registered memory, and as dart_accumulate there; the data may have been put. */
dart_ret_t dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                           uint64_t by) DART_NOTHROW;

/** Add `by` to the counter at `flag`: dart_put_notify without data. */
dart_ret_t dart_notify(dart_gptr_t flag, uint64_t by) DART_NOTHROW;

/** dart_put_notify with an operator: the word at `flag` becomes `flag` op `value`, atomically, as by dart_accumulate on
 *  DART_TYPE_ULONG: DART_OP_REPLACE sets it, DART_OP_SUM adds, DART_OP_MAX never takes it back, DART_OP_BOR sets bits;
 *  DART_OP_NO_OP only wakes. All of them on a flag are atomic towards each other. All else as dart_put_notify.
 *  DART_ERR_INVAL, too: dart_accumulate does not have `op`. */
dart_ret_t dart_put_notify_op(dart_gptr_t gptr, const void *src, size_t nelem,
                              dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t flag,
                              uint64_t value, dart_operation_t op) DART_NOTHROW;

/** Let the word at `flag` become `flag` op `value`, and wake its waiters: dart_put_notify_op without data. */
dart_ret_t dart_notify_op(dart_gptr_t flag, uint64_t value, dart_operation_t op) DART_NOTHROW;

/** Get `nelem` elements from `gptr`, laid out as `src_type`, to `dest`, laid out as `dst_type`, then add `by` to the
 *  counter at `flag`, which may be any unit's.
 *
 *  A counter of the calling unit says that the data are in `dest`: gaspi_read_notify. A counter of the unit of `gptr`
 *  says that they were read there, and that the memory may be overwritten; they may still be on their way to `dest`.
 *  A counter of a third unit says that they are in `dest`. Whoever waited for the counter, or fetched it by
 *  dart_fetch_and_op, may rely on this.
 *
 *  One-sided, and under way on return as a dart_put_notify. The data are in `dest`, and a counter of the calling unit
 *  was raised, after any flush of `gptr`, too; a counter of another unit after dart_flush of `flag`. Like an unflushed
 *  get, the call is not ordered with the unit's other operations on the same memory; counters of several calls may be
 *  raised in another order than that of the calls. Between nodes the call waits until the data are in `dest` where the
 *  counter is a third unit's, or the calling unit's own in registered memory, and for scattered elements of more than
 *  19000 bytes. Types as for dart_get; `nelem` 0: the notification alone, and `gptr` is not looked at.
 *
 *  DART_ERR_INVAL, and nothing is read: what dart_get refuses; `flag` is misaligned or out of its portion. Other errors
 *  as for dart_get, and nothing is notified. DART_ERR_OTHER, DART_ERR_NOMEM: `flag` is in registered memory, and as
 *  dart_accumulate there; the data are in `dest`. DART_ERR_UNIT_LOST: the far unit of `gptr` was lost before the call; if it
 *  is lost later, the counter is not raised (dart_survive.h). */
dart_ret_t dart_get_notify(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_gptr_t flag, uint64_t by) DART_NOTHROW;

/** dart_get_notify with an operator, as dart_put_notify_op. */
dart_ret_t dart_get_notify_op(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                              dart_datatype_t dst_type, dart_gptr_t flag, uint64_t value,
                              dart_operation_t op) DART_NOTHROW;

/** Wait until the counter at `flag`, in the caller's portion, is at least `least`.
 *
 *  `timeout_us`: microseconds after which it gives up, at the next look at the clock; 0: only look; negative:
 *  no limit. Far units are served meanwhile. DART_PENDING: it timed out. DART_ERR_INVAL: as for
 *  dart_put_notify, or `flag` is another unit's. Any thread; several may wait for the same counter. */
dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us) DART_NOTHROW;

/** Wait until one of `n` counters is at least what `least` says for it: its index to `*index`, the
 *  lowest of those. `n` 0, or a NULL: DART_ERR_INVAL. All else as dart_notify_wait, but that pointers behind the first
 *  counter that is there at once are not looked at, so wrong ones are not found there. */
dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index) DART_NOTHROW;

/** Wait until one or more of `n` counters are at least what `least` says for them, and store all that are: their
 *  number to `*count`, their indices, ascending, to `indices`, which has room for `n`. At DART_PENDING `*count` is 0.
 *  All else as dart_notify_waitany. */
dart_ret_t dart_notify_waitsome(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                                int64_t timeout_us, size_t indices[], size_t *count) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_NOTIFY_H__INCLUDED */
