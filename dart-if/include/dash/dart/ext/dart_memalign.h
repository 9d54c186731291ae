#ifndef DASH__DART__EXT__DART_MEMALIGN_H__INCLUDED
#define DASH__DART__EXT__DART_MEMALIGN_H__INCLUDED
/** @file dart_memalign.h
 *  Memory of a team whose portions are aligned to more than a cache line: for vectors and pages, devices, or huge
 *  pages of the program's own. (shmem_align of OpenSHMEM is the same for the memory of all.) */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

#define DART_ALIGNMENT_MOST ((size_t)1 << 30) /**< the largest alignment of a portion */

/** dart_team_memalloc_aligned, with portions that start at a multiple of `alignment` bytes, a power of two of at most
 *  DART_ALIGNMENT_MOST.
 *
 *  Every unit's portion does, at the address that dart_gptr_getaddr gives its owner; offsets count from there, and
 *  so are the same on all units. Where another unit of the node maps a portion (dart_near_ptr) it may be aligned to a
 *  page only. An alignment of 64 and less is free. Up to a page it costs as many bytes more; beyond, the
 *  segment has a mapping, and between nodes perhaps a window, for itself alone, but no more pages.
 *
 *  Collective over `teamid`, `alignment` is the same on all units; freed by dart_team_memfree. Errors as
 *  dart_team_memalloc_aligned, and DART_ERR_INVAL on every unit: an alignment that is no such number, or differs. */
dart_ret_t dart_team_memalign(dart_team_t teamid, size_t alignment, size_t nelem,
                              dart_datatype_t dtype, dart_gptr_t *gptr) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_MEMALIGN_H__INCLUDED */
