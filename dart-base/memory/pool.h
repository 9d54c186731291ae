#ifndef DART__MEMORY_POOL_H
#define DART__MEMORY_POOL_H
/* The local pool: segment 0 of the team of all units. Every unit allocates blocks from its portion locally;
 * all units can access them. DART keeps the small shared state of teams in it, too. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>

#include "memory/segment_state.h"
#include "model/team.h"

/** Allocate the tables of the pool of the first team. Local. */
dart_ret_t dart__pool_prepare(dart__team_t *all);

/* Bytes that every unit has at the same offset, dart__pool_common(): what p2p keeps there. */
#define DART__POOL_COMMON ((size_t)9 << 10)

static inline uint64_t dart__pool_common(void)
{
  return dart__segment_state.nbytes;
}

/** Bytes of the first block of every portion, at offset 0: its state, and what is common. */
static inline uint64_t dart__pool_first(void)
{
  return dart__segment_state.nbytes + DART__POOL_COMMON;
}

/** Open it as segment 0 of that team. Collective; it may fail on some units only. */
dart_ret_t dart__pool_open(void);

/** Close the pool if it is open, and free its tables. Collective if it was opened on all units. */
void dart__pool_close(void);

/** A block of this unit's portion, aligned to a cache line, with pages. Any thread. DART_ERR_NOMEM: the
 *  pool's address space or the node's memory is used up. */
dart_ret_t dart__pool_alloc(size_t nbytes, uint64_t *offset_out);

/** Allocate a block for the units of each node, in the pool of the node's first unit; all of them get its offset. Collective
 *  over the team, whose exchange is open; agreed. DART_ERR_NOMEM: on no node; the offset is 0. */
dart_ret_t dart__pool_alloc_for_node(dart__team_t *team, size_t nbytes, uint64_t *offset_out);

/** Free a block. False: no block of this unit's portion starts at `offset`. */
bool dart__pool_free(uint64_t offset);

/** As dart__pool_address (model/team.h), a global pointer; the unit may be far. */
static inline dart_gptr_t dart__pool_gptr(dart_unit_t unit, uint64_t offset)
{
  return (dart_gptr_t){ .unitid       = unit,
                        .segid        = DART_SEGMENT_LOCAL,
                        .teamid       = DART_TEAM_ALL,
                        .addr_or_offs = { .offset = offset } };
}

/** Whether it is mapped here. */
bool dart__pool_is_near(dart_unit_t unit);

/** The slot of a near unit (global id). */
int32_t dart__pool_slot(dart_unit_t unit);

#endif
