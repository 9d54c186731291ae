#ifndef DASH__DART__EXT__DART_RANGE_H__INCLUDED
#define DASH__DART__EXT__DART_RANGE_H__INCLUDED
/** @file dart_range.h
 *  Range locks: shared and exclusive locks on ranges of 64-bit numbers, for what a team divides among its units
 *  in a way that is known only at run time: bytes of a file, rows of a matrix, keys of a table.
 *
 *  What a number stands for is the program's business: a range object allocates nothing per number. Any number
 *  of ranges may be held at a time, by any number of units. A range is exclusive, then nobody else holds a
 *  number of it, or shared, then others may hold the same numbers shared.
 *
 *  Waiting is fair: the object's numbers are divided into stripes, stripe s belongs to unit s modulo the size
 *  of the team, and each unit serves requests for its stripes in the order in which they come, wherever they
 *  conflict. Requests that conflict with no earlier one are served at once; a request that has come to a unit is
 *  never passed there by a later one that conflicts with it. So one that is for the stripes of one unit waits for at
 *  most the requests that were there before it. One that is for the stripes of several units asks them one after the
 *  other, in ascending order, each when it holds what it wants of those before: in the last ones it can be
 *  passed by requests that came later, until it has come there itself, and it waits for at most the requests that
 *  were at each unit before it. Nobody waits for ever where holders release. Waits sleep (in a job of several
 *  nodes they nap and look, 100 us long at most), but for that of the request that is next, which yields its
 *  core for 100 us at first.
 *
 *  A request within one unit's stripes costs one message and its answer if that unit is far and the ranges are
 *  free, one more message if they are not; one that crosses stripes asks each of their units once. On the node it is
 *  done in shared memory. A far unit answers by its agent while it computes. Without agents (DART_PROGRESS=none) it
 *  answers when it calls DART: until then every acquire waits that it is asked by, also one that must not wait, or has
 *  a time limit. A release waits for nothing, unless so many operations to that unit are under way that their
 *  batches are full: thousands of releases, where it has no agent and computes. What a holder did by
 *  plain loads and stores, by blocking operations and by operations it completed is seen by every later holder of
 *  a conflicting range. (Range locks over one-sided communication: Thakur, Ross, Latham: Implementing Byte-Range
 *  Locks Using MPI One-Sided Communication, EuroPVM/MPI 2005.) */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** A range object: 64-bit numbers of which the units of a team lock ranges. */
typedef struct dart_range_struct *dart_range_t;

#define DART_RANGE_NULL ((dart_range_t)NULL) /**< no range object */

/** What an acquire took, as a whole; named to release it. */
typedef struct dart_range_hold_struct *dart_range_hold_t;

#define DART_RANGE_HOLD_NULL ((dart_range_hold_t)NULL) /**< nothing */

/** Ranges in one acquire at most. */
#define DART_RANGE_SPANS 128

/** Whether others may hold numbers of a range, too. */
typedef enum {
  DART_RANGE_SHARED    = 0, /**< others may hold the same numbers shared */
  DART_RANGE_EXCLUSIVE = 1  /**< nobody else holds a number of it */
} dart_range_mode_t;

/** The numbers from `first` to `last`, both included. */
typedef struct {
  uint64_t          first;
  uint64_t          last;
  dart_range_mode_t mode;
} dart_range_span_t;

/** Make a range object of the units of `teamid`, of which nothing is held.
 *
 *  `stripe`: numbers in a stripe, 0: 2^20. Choose it so that most requests are within one stripe, and
 *  that requests made at the same time are in several. `capacity`: ranges that can be held and waited for at a
 *  time in the stripes of a unit, each about 150 bytes of its memory, at most 2^20; 0: 64 for each unit of the
 *  team, but at least 1024 and at most 32,768. All units give the same.
 *
 *  Collective over the team. `*range` is DART_RANGE_NULL after an error, which is the same on every unit, but for that
 *  of a unit that does not know the team: it returns alone. DART_ERR_INVAL: no such team, a capacity that is too
 *  large, `range` NULL, or units that do not give the same. DART_ERR_NOMEM. */
dart_ret_t dart_team_range_init(dart_team_t teamid, uint64_t stripe, size_t capacity,
                                dart_range_t *range) DART_NOTHROW;

/** Release a range object's memory and set `*range` to DART_RANGE_NULL.
 *
 *  Collective over its team. Once the team is destroyed or
 *  dart_exit has begun this is local, and still needed to free the caller's end. NULL for `range` or `*range`
 *  is fine, and local: DART_OK. DART_ERR_INVAL, on every unit: one of them holds some of it, or a thread waits for some
 *  of it; nothing has changed. (A thread that begins to acquire it meanwhile is not found out.) */
dart_ret_t dart_team_range_destroy(dart_range_t *range) DART_NOTHROW;

/** Hold `n` ranges, all or none; `*hold` names them, for dart_range_release.
 *
 *  Ranges of one call may overlap: a number in several is held in the strongest of their modes. `timeout_us`:
 *  microseconds to wait at most for other requests; 0: do not wait, and take no place before later ones; negative:
 *  no limit. A far unit answers within about a millisecond, or, without an agent,
 *  when it calls DART. Calls that each take several ranges do not deadlock. A thread that holds ranges and acquires more may, as with any lock: take them in one call.
 *  Ranges belong to the unit: any of its threads may release them, and a thread that acquires what
 *  its unit holds in a conflicting mode waits for that. Any thread.
 *
 *  After anything but DART_OK nothing is held, and `*hold` is DART_RANGE_HOLD_NULL. DART_PENDING: others hold
 *  some of it, or came first, and it timed out. DART_ERR_NOMEM: a unit's capacity is used up, or there
 *  is no memory. DART_ERR_INVAL: a NULL, `n` is 0 or more than DART_RANGE_SPANS, a range whose last number is
 *  below its first, or an object of a team that was destroyed. */
dart_ret_t dart_range_acquire(dart_range_t range, const dart_range_span_t spans[], size_t n,
                              int64_t timeout_us, dart_range_hold_t *hold) DART_NOTHROW;

/** Let others have what `*hold` names, and set it to DART_RANGE_HOLD_NULL. Does not wait, unless so many operations
 *  to a unit of its stripes are under way that their batches are full. Others may find it held
 *  for a moment yet, after a barrier, too, if they do not wait. It completes nothing by itself: flush non-blocking
 *  operations before. DART_ERR_INVAL: NULL, or of a team that was destroyed. */
dart_ret_t dart_range_release(dart_range_hold_t *hold) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_RANGE_H__INCLUDED */
