#ifndef DASH__DART__EXT__DART_ADOPT_H__INCLUDED
#define DASH__DART__EXT__DART_ADOPT_H__INCLUDED
/** @file dart_adopt.h
 *  Static variables, and other memory that the program has already, as memory that a team has allocated.
 *
 *  Registered memory (dart_team_memregister) stays where the program got it, in pages that no other process can
 *  map, so each access of another unit of the node goes through the kernel. Adopted memory is moved: the pages
 *  that it lies on become pages of a segment, and are mapped at the address where they were. The program goes
 *  on using its variables, by their names and through its pointers; for other units they are allocated memory,
 *  loaded and stored where they are near. (OpenSHMEM's symmetric static variables are why; its implementations
 *  map the data segment of the program as a whole, e.g. through XPMEM: Hjelm, *XPMEM*, 2013.) */

#include <stddef.h>

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Make the `nbytes` bytes at `addr` this unit's portion of a new segment, contents and all.
 *
 *  Collective over `teamid`; returns when all units have moved theirs. Addresses and sizes may differ between
 *  units, 0 bytes are fine (then `addr` is not looked at). `addr` is a multiple of 8. `*gptr` points to the
 *  start of team unit 0's portion; dart_gptr_getaddr of the caller's portion gives `addr`. It is an allocated
 *  segment in all: puts, gets, atomics, notifications, locks in its words, epochs, dart_near_ptr. Where
 *  addresses are at the same place of their pages on all units, as those of one static variable are, near
 *  accesses cost what they cost in memory of dart_team_memalloc_aligned; else some nanoseconds more.
 *
 *  Whole pages are moved, so what else lies on the first and the last one comes along, and works as before. No page
 *  can be adopted twice: to adopt two variables that may share one, put them in one structure, or align them to pages.
 *
 *  While units are in this call, and in dart_team_memfree, no other thread of theirs may call DART or write to
 *  these pages: what it wrote could be lost. (DART's agent stops meanwhile. The threads that serve requests of
 *  dart_file.h do not, so none may be pending: this call refuses that, dart_team_memfree does not look.) For the same
 *  reason memory cannot be adopted that hardware or another process writes to: registered with a network (by MPI, or by
 *  dart_team_memregister for a team over several nodes), or with a GPU. A process that fork makes has these
 *  pages in common with its parent, not a copy.
 *
 *  dart_team_memfree, the end of the team, and dart_exit give the pages back: the memory is the program's alone
 *  again, at the same address, with its last contents. The program must not unmap the memory before, or protect
 *  it otherwise. It takes 16 MiB more for a while, and, of memory that a network has pinned, as much again; where that is
 *  not to be had the program ends.
 *
 *  Errors are those of all units: DART_ERR_INVAL: `gptr` is NULL (on the caller alone), an unknown team, or, on
 *  some unit, an address that is no multiple of 8, or memory that is not all there, readable and writable, not
 *  private to its process (System V or mapped shared memory, a segment of DART, adopted already), executable,
 *  mapped from a file that ends before it (a kernel before 5.14 does not tell, and the program ends by SIGBUS),
 *  or the stack of the main thread; or requests of dart_file.h are pending there. (The stack of another thread looks
 *  like any memory, and is not to be adopted either.)
 *  DART_ERR_NOMEM: as dart_team_memalloc_aligned; the segment has a mapping, and between nodes perhaps a
 *  window, of its own. DART_ERR_OTHER: /proc/self/maps cannot be read, or the ids of segments are used up.
 *  After an error all memory is as it was. */
dart_ret_t dart_team_adopt(dart_team_t teamid, void *addr, size_t nbytes,
                           dart_gptr_t *gptr) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_ADOPT_H__INCLUDED */
