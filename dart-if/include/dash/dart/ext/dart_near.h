#ifndef DASH__DART__EXT__DART_NEAR_H__INCLUDED
#define DASH__DART__EXT__DART_NEAR_H__INCLUDED
/** @file dart_near.h
 *  Memory of other units by plain loads and stores, and pointers that are resolved once (dart_resolved.h).
 *
 *  Memory that a team allocated is mapped by every unit of the node, so a unit may read its
 *  neighbour's rows in place instead of having them copied. Plain accesses order nothing by
 *  themselves: a barrier, a notification or whatever else makes one unit depend on another does, as
 *  for accesses to the caller's portion. They are not atomic towards dart_accumulate and its like. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** The address, in the calling process, of what `gptr` points to, or NULL: the unit is far, or the
 *  memory was registered (dart_team_memregister) by another unit.
 *
 *  For the calling unit it is what dart_gptr_getaddr gives. Valid until the segment is freed, for accesses
 *  within the unit's portion. Units of a node may have the same memory at different addresses, so an
 *  address means nothing to another unit. Local; any thread.
 *
 *  A pointer that points into no portion: NULL, and a log line that says why. */
void *dart_near_ptr(dart_gptr_t gptr) DART_NOTHROW;

/** The units of `teamid` whose allocated memory is near, the caller among them: the first `capacity`
 *  of them to `units`, ascending by team id, and their number to `*nunits`, which may be larger.
 *
 *  `units` may be NULL if `capacity` is 0. Local; any thread. DART_ERR_INVAL: no such team on this
 *  unit, `nunits` NULL, or `units` NULL with a capacity. */
dart_ret_t dart_team_near_units(dart_team_t teamid, size_t capacity, dart_team_unit_t *units,
                                size_t *nunits) DART_NOTHROW;

/** A range of bytes of one portion, resolved. Valid until the segment is freed, in the process that resolved it. */
typedef struct {
  char       *near;   /**< where it is in this process; NULL: each access is a call of the library */
  dart_gptr_t gptr;   /**< its first byte */
  uint64_t    nbytes; /**< its length */
} dart_resolved_t;

/** Resolve `nbytes` bytes from `gptr` on, for the puts and gets of dart_resolved.h. Local; any thread. `near` is NULL for
 *  far memory, for memory that another unit has registered, where the address is not aligned to 8 bytes, in segments
 *  that have had epochs, and if near operations are checked or counted.
 *
 *  DART_ERR_INVAL: `resolved` is NULL, or the range is not within one portion; then `*resolved` has no bytes. */
dart_ret_t dart_resolve(dart_gptr_t gptr, uint64_t nbytes, dart_resolved_t *resolved) DART_NOTHROW;

/** Not for programs: the functions of dart_resolved.h call it before they call the library. Whether an element of a basic
 *  `type` may be at `offset`, a multiple of its size, in a range of `nbytes` bytes: DART_OK, or DART_ERR_INVAL after a
 *  log line that names `function`. */
dart_ret_t dart_resolved_check(const char *function, uint64_t nbytes, uint64_t offset,
                               dart_datatype_t type) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_NEAR_H__INCLUDED */
