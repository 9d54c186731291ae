#ifndef DART__MEMORY_MEMORY_H
#define DART__MEMORY_MEMORY_H
/* Collective allocation, and the end of a team's memory. */
#include "model/team.h"

/** Allocate a segment in which the caller's portion has `own` bytes; sizes may differ. It is aligned to `alignment`, a
 *  power of two, at least DART__CACHE_LINE. `mine`: the caller's result so far. `also`: two values that become the largest
 *  of all units'; NULL: none. Collective and agreed: the worst of
 *  all units' `mine`, DART_ERR_INVAL for alignments that differ, or DART_ERR_NOMEM, DART_ERR_OTHER as in
 *  dart_team_memalloc_aligned. */
dart_ret_t dart__memory_alloc(dart__team_t *team, dart_ret_t mine, size_t own, size_t alignment,
                              unsigned long *also, dart__segment_t **segment_out);

/** Free a segment of dart__memory_alloc. Collective; returns after all units have called it. DART_ERR_UNIT_LOST: the team is
 *  broken, and the segment stays. */
dart_ret_t dart__memory_free(dart__team_t *team, dart__segment_t *segment);

/** Free all segments and chunks of a team that is destroyed. Collective, after a barrier of the team. */
void dart__memory_close(dart__team_t *team);

/** register.c: deregister all segments of a team that ends, `nlive` of which this unit has not deregistered. Local; does
 *  not access the user's memory, which may be unmapped already. */
void dart__register_close(dart__team_t *team, int32_t nlive);

#endif
