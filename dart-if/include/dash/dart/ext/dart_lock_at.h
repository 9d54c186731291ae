#ifndef DASH__DART__EXT__DART_LOCK_AT_H__INCLUDED
#define DASH__DART__EXT__DART_LOCK_AT_H__INCLUDED
/** @file dart_lock_at.h
 *  Locks in words of the program's memory: one for each row, bucket or object, wherever it lies.
 *
 *  Any 8 bytes, aligned to 8, of memory that a team allocated or registered, or of dart_memalloc, are a lock; zeroed
 *  they are a free one, and nobody has to call anything to make it or to end it. What a lock holds once it was used is
 *  DART's. Its memory is freed while nobody holds it or waits for it, and every release was completed
 *  (dart_lock_at_release).
 *
 *  Units of the lock's node take it by an atomic operation and sleep while it is held, those of other nodes ask
 *  its unit, in one round trip if it is free, which queues them. A running thread may come before one that
 *  sleeps, but a unit that has waited for ten milliseconds, far ones too, has its place: it waits for 5 holders for
 *  each that has its place before it, and 4 more, at most (as for dart_lock_t). A far unit that waits for a
 *  lock that near units hold gets it when the lock's unit next makes progress, by its agent while it computes,
 *  within a millisecond; once it has its place the lock is kept free for it until then. Where that unit has
 *  no agent (DART_PROGRESS=none), far units that wait come before no near one, however long they have waited:
 *  they get the lock if it is free when its unit calls DART, and requests and releases of far units wait for
 *  such a call, too. In registered memory, which cannot be mapped by others, all poll for the lock, and it is
 *  not fair.
 *
 *  What a holder did by plain loads and stores, by blocking operations and by operations it completed is seen by every
 *  later holder. A release completes nothing by itself: flush non-blocking operations before.
 *
 *  Locks are not recursive, and are not bound to a thread: any thread of a unit may release what another one acquired.
 *  A unit that ends while it holds one leaves it held, but in jobs that outlive units (dart_survive.h). Who holds one is
 *  recorded only where DART_HANG is set: launchers name it then. (The mutex is wait/mutex.h's; OpenSHMEM has such locks as shmem_set_lock.) */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Wait for the lock at `gptr`, and hold it. A thread that holds it already waits for ever. Any thread.
 *
 *  DART_ERR_INVAL: `gptr` points to no 8 bytes of a portion, or they are not aligned. DART_ERR_NOMEM: the lock is far
 *  and held, and there is no memory to wait for it. DART_ERR_OTHER, DART_ERR_NOMEM: the lock is in registered
 *  memory, and as dart_compare_and_swap there; DART_ERR_INVAL, too, if a far unit has deregistered it. It is not held
 *  then. What was refused of other operations on that unit is left to the program's next flush. */
dart_ret_t dart_lock_at_acquire(dart_gptr_t gptr) DART_NOTHROW;

/** Hold the lock if it is free: `*result` is 1 if the caller holds it now, else 0. Does not wait, but for the answer of
 *  a far unit; makes progress; called in a loop it succeeds once the lock stays free and nobody waits for it.
 *
 *  A free lock that others wait for may be taken, or not: by a near unit not before one that has waited for ten
 *  milliseconds, nor before near ones that sleep, and by a far one not before far ones.
 *
 *  DART_ERR_INVAL, too: `result` NULL. After an error `*result` is 0. */
dart_ret_t dart_lock_at_try_acquire(dart_gptr_t gptr, int32_t *result) DART_NOTHROW;

/** Let others have the lock, which this unit holds. Waits for nobody; that a far lock is released is certain after
 *  dart_flush of `gptr`. But in registered memory of a far unit it is a round trip, and the lock is released on return.
 *
 *  Errors as of acquire; the lock is not released then. DART_ERR_INVAL, too: nobody holds it. (Of a far lock in other
 *  memory its unit finds that out, and says so in one line.) */
dart_ret_t dart_lock_at_release(dart_gptr_t gptr) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_LOCK_AT_H__INCLUDED */
