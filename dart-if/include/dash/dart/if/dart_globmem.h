#ifndef DASH__DART__IF__DART_GLOBMEM_H__INCLUDED
#define DASH__DART__IF__DART_GLOBMEM_H__INCLUDED
/** @file dart_globmem.h
 *  Global memory: how it is named, where it comes from and how it goes.
 *
 *  Memory comes in segments, of three kinds that the sign of the segment id tells apart:
 *
 *    segid 0    what one unit allocates alone (dart_memalloc); always in DART_TEAM_ALL
 *    segid > 0  allocated by a team together (dart_team_memalloc_aligned, dart_allocator_new)
 *    segid < 0  the user's own memory, made known to a team (dart_team_memregister)
 *
 *  Each member of the team owns a portion of the segment. The owner reaches it by plain loads and
 *  stores, through dart_gptr_getaddr; every member reaches all portions by the operations of
 *  dart_communication.h, in all three kinds alike. Ids are small: each team counts up from 1 and
 *  down from -1, gives out the one closest to 0 that is free on all members, and all members agree
 *  on it.
 *
 *  On one node, portions are shared memory. On several, they also belong to a window of the team
 *  that reaches across nodes, one nested in the other: Zhou, Idrees and Gracia, *Leveraging MPI-3
 *  shared-memory extensions for efficient PGAS runtime systems*, Euro-Par 2015. */

#include <dash/dart/if/dart_util.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_team_group.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- Global pointers ------------------------------------------------------------------------ */

/** The name of a byte of global memory: 128 bits, valid on every member of its team. Plain data:
 *  it may be copied, sent and stored in global memory as bytes.
 *
 *  Arithmetic is writing to fields: `unitid` names another unit of the same segment, and
 *  `addr_or_offs.offset` counts bytes from the start of that unit's portion: 0 in what DART gives
 *  for memory of a team, any offset for a block that one unit allocated. Pointers may point outside
 *  of the portion, accesses may not. */
typedef struct {
  dart_unit_t  unitid : 24; /**< the unit's id in team `teamid` */
  unsigned int flags  : 8;  /**< the user's; see dart_gptr_setflags */
  int16_t      segid;       /**< the segment, among those of team `teamid` */
  int16_t      teamid;      /**< the team, as dart_team_t */
  union {
    uint64_t offset;        /**< bytes from the start of the unit's portion */
    void    *addr;          /**< the same 8 bytes; an offset too, never an address */
  } addr_or_offs;
} dart_gptr_t;

/** The segment of dart_memalloc. */
#define DART_SEGMENT_LOCAL ((int16_t)0)

/** The pointer to nothing: unit -1 and segment 0 of no team. In C an expression for use inside
 *  functions, in C++ a constant expression. */
#ifdef __cplusplus
#define DART_GPTR_NULL (dart_gptr_t { -1, 0, 0, DART_TEAM_NULL, { 0 } })
#else
#define DART_GPTR_NULL                                                          \
  ((dart_gptr_t) { .unitid = -1, .flags = 0, .segid = 0,                        \
                   .teamid = DART_TEAM_NULL, .addr_or_offs = { .offset = 0 } })
#endif

/** Whether a global pointer is null, whatever its flags. Evaluates `gptr` several times. */
#define DART_GPTR_ISNULL(gptr)                                                  \
  ((gptr).unitid < 0 && (gptr).segid == 0 && (gptr).teamid == DART_TEAM_NULL && \
   (gptr).addr_or_offs.addr == 0)

/** Whether two global pointers name the same byte in the same way; flags do not count. Evaluates
 *  its arguments several times. */
#define DART_GPTR_EQUAL(a, b)                                                   \
  ((a).unitid == (b).unitid && (a).segid == (b).segid &&                        \
   (a).teamid == (b).teamid &&                                                  \
   (a).addr_or_offs.offset == (b).addr_or_offs.offset)

/** Store the address of `gptr` in this process, if the calling unit owns it: what it names is then
 *  accessible by loads and stores until the segment is freed. For another unit's memory, also on
 *  the same node, store NULL: DART_OK, so this also asks "is it mine?".
 *
 *  Local. If the portion is empty the address may be anything, NULL included.
 *  DART_ERR_INVAL: null pointer, no such team or segment, no such unit; `*addr` is NULL. */
dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void **addr) DART_NOTHROW;

/** Let `gptr` name the byte at `addr` of the caller's own portion of its segment: only the offset
 *  changes, so `gptr->unitid` should be the caller.
 *
 *  Local. DART_ERR_INVAL: null pointer, no such team or segment. */
dart_ret_t dart_gptr_setaddr(dart_gptr_t *gptr, void *addr) DART_NOTHROW;

/** Move `gptr` by `offs` bytes, which may be negative. Local, unchecked: DART_OK. */
DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_incaddr(dart_gptr_t *gptr, int64_t offs)
{
  gptr->addr_or_offs.offset += (uint64_t)offs;
  return DART_OK;
}

/** Let `gptr` name the same offset on another unit, by its id in the pointer's team. Local,
 *  unchecked: DART_OK. */
DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_setunit(dart_gptr_t *gptr, dart_team_unit_t unit)
{
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* ids of units have 24 bits */
#endif
  gptr->unitid = unit.id;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
  return DART_OK;
}

/** Store the 16 flags this unit keeps for the segment of `gptr`: 0 in a new segment.
 *
 *  Local. DART_ERR_INVAL: null pointer, no such team or segment; 0 is stored. */
dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t *flags) DART_NOTHROW;

/** Keep `flags` for the segment of `gptr`, on this unit only, and put their low 8 bits into
 *  `gptr->flags`. Flags mean nothing to DART.
 *
 *  Local. DART_ERR_INVAL: null pointer, no such team or segment. */
dart_ret_t dart_gptr_setflags(dart_gptr_t *gptr, uint16_t flags) DART_NOTHROW;

/* ---- Memory of one unit --------------------------------------------------------------------- */

/** Allocate `nelem` elements of `dtype` in the caller's own memory, reachable by all units.
 *
 *  Local: no other unit takes part; a broadcast or a put tells others the pointer. `dtype` is basic
 *  or custom. `*gptr` names the caller by global id, DART_TEAM_ALL and segment 0. A block is
 *  whole cache lines of 64 bytes, so it is aligned for every type and shares no line with another.
 *  Contents are unspecified. nelem 0 gives a block as well, different from all others.
 *  DART_ERR_OTHER: no memory left, `*gptr` is DART_GPTR_NULL; smaller requests may still succeed.
 *  DART_ERR_INVAL: another dtype. */
dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr) DART_NOTHROW;

/** Free a block of dart_memalloc. Local; called by the unit that allocated it, when nobody uses
 *  the block any more.
 *  DART_ERR_INVAL: anything that dart_memalloc did not give this unit, or that is freed already. */
dart_ret_t dart_memfree(dart_gptr_t gptr) DART_NOTHROW;

/* ---- Allocators: a pool per unit of a team -------------------------------------------------- */

/** A pool of memory on each unit of a team, from which each unit allocates alone. The books on it lie
 *  outside of the pool: blocks fill it to the last byte, and what is freed coalesces. */
typedef struct dart_allocator_struct *dart_allocator_t;

/** Make an allocator with a pool of `pool_size` bytes on every unit, rounded up to a power of two.
 *
 *  Collective over `team`; usable by every member on return. `*new_allocator` is NULL on failure.
 *  DART_ERR_INVAL: no such team on this unit. DART_ERR_NOMEM: no memory, on every unit.
 *  DART_ERR_OTHER: 32767 segments of the team are alive. */
dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team, dart_allocator_t *new_allocator);

/** Allocate `nelem` elements of `dtype` (basic or custom) from the caller's own pool.
 *
 *  Local, from any thread. `*gptr` names the caller by its team id, the allocator's team and a
 *  segid > 0; other units reach the block once they know the pointer. Blocks are rounded up to, and
 *  aligned to, a multiple of 16 bytes; nelem 0 gives a block as well.
 *  DART_ERR_NOMEM: the pool has no such block; `*gptr` is DART_GPTR_NULL.
 *  DART_ERR_INVAL: NULL, or another dtype. */
dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr,
                                dart_allocator_t allocator);

/** Give a block back to the caller's own pool and set `*gptr` to DART_GPTR_NULL. Local, from any
 *  thread; called by the unit that allocated it.
 *  DART_ERR_INVAL: NULL, or nothing that this unit has allocated from `allocator`. */
dart_ret_t dart_allocator_free(dart_gptr_t *gptr, dart_allocator_t allocator);

/** Release an allocator with its pools and all blocks in them, and set `*allocator` to NULL.
 *
 *  Collective over its team; if that was destroyed, local, for the pools went with it.
 *  DART_ERR_INVAL: NULL. */
dart_ret_t dart_allocator_destroy(dart_allocator_t *allocator);

/* ---- Memory of a team ----------------------------------------------------------------------- */

/** Allocate a segment in which the caller owns `nelem` elements of `dtype`.
 *
 *  Collective over `teamid`. Each unit may ask for another size, 0 included, and gets a portion of
 *  that size; `dtype` is basic. `*gptr` is the same on all members: unit 0, offset 0, a segid > 0;
 *  it is not null even if nobody asked for anything. Portions start on a multiple of 64 bytes.
 *  Contents are unspecified. On return every portion can be accessed, without a barrier.
 *  DART_ERR_INVAL: no such team on this unit, or another dtype; on every unit if one asks for more than
 *  an address space.
 *  DART_ERR_NOMEM: one of the units lacks (shared) memory; no unit gets any, and the program can go
 *  on with a smaller request. DART_ERR_OTHER: 32767 segments of the team are alive. In all these
 *  cases `*gptr` is DART_GPTR_NULL. */
dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t *gptr) DART_NOTHROW;

/** Free a segment of dart_team_memalloc_aligned, with all portions.
 *
 *  Collective over its team. Only `teamid` and `segid` of `gptr` count. A unit has completed its
 *  own operations on the segment before it calls; those of units that have yet to call are safe.
 *  The next allocation of the team may get the same segid. The null pointer is fine, and local:
 *  DART_OK.
 *  DART_ERR_INVAL: no such team or segment, or segid <= 0. */
dart_ret_t dart_team_memfree(dart_gptr_t gptr) DART_NOTHROW;

/** Make memory of the user a segment of the team, in which the caller owns the `nlelem` elements of
 *  `dtype` at `addr`.
 *
 *  Collective over `teamid`. Each unit passes its own memory and size, and 0 elements at NULL if it
 *  has none; `dtype` is basic. Any writable memory will do, of any alignment (atomics need aligned
 *  elements), and it may be registered more than once. It stays the user's, who may load and store
 *  there at any time. `*gptr` is the same on all members: unit 0, offset 0, a segid < 0. On return
 *  every portion can be accessed.
 *  DART_ERR_INVAL: no such team on this unit, or another dtype; on every unit if one gives invalid
 *  memory: NULL with nlelem > 0, more than an address space, memory that is not there, or whose first
 *  or last byte cannot be written. A part in between that cannot be written is not found out.
 *  DART_ERR_NOMEM: no memory for this, on every unit. DART_ERR_OTHER: 32767 registrations of the team
 *  are alive. `*gptr` is then DART_GPTR_NULL. */
dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                 void *addr, dart_gptr_t *gptr) DART_NOTHROW;

/** dart_team_memregister with the same `nelem` on every unit. */
dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr) DART_NOTHROW;

/** End the caller's part in a segment of registered memory.
 *
 *  Local: no other unit need call, now or ever, and this waits for none. On return the caller may
 *  free its memory; others must have stopped accessing it. Only `teamid` and `segid` of `gptr`
 *  count. The segid serves again once all members have deregistered. The null pointer is fine:
 *  DART_OK.
 *  The caller reaches the portion of another unit as before until that unit deregisters: by puts,
 *  gets, atomics, notifications and flushes, not in epochs, for those that it has on the segment end.
 *  DART_ERR_INVAL: no such team or segment on this unit, or segid >= 0; the caller has called
 *  already. So then are all accesses to its own portion. */
dart_ret_t dart_team_memderegister(dart_gptr_t gptr) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_GLOBMEM_H__INCLUDED */
