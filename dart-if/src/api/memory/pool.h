#ifndef DART__API_POOL_H
#define DART__API_POOL_H
/* The local pool: segment 0 of the team of all. Every unit's part is its own to cut blocks from,
 * without the others; all can reach it. DART keeps the small shared state of teams in it too. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "model/team.h"

/** Allocate the tables of a pool of the first team. Local. */
dart_ret_t dart__pool_prepare(dart__team_t *all);

/** Open it as segment 0 of that team. Collective; it may fail on some units only. */
dart_ret_t dart__pool_open(void);

/** The end of it, however far it came. Collective if it was opened on all units. */
void dart__pool_close(void);

/** A block of the own part, aligned to a cache line, with pages. Any thread. DART_ERR_NOMEM: the
 *  pool's address space or the node's memory is used up. */
dart_ret_t dart__pool_alloc(size_t nbytes, uint64_t *offset_out);

/** False: no block of the own part starts there. */
bool dart__pool_free(uint64_t offset);

/** Where `offset` of a unit's part is mapped here; the unit (global id) is near. */
char *dart__pool_address(dart_unit_t unit, uint64_t offset);

/** Unit (global id) → its part, as mapped here; NULL: far. */
char *const *dart__pool_parts(void);

#endif
