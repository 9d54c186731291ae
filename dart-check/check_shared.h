#ifndef DART__CHECK_CHECK_SHARED_H
#define DART__CHECK_CHECK_SHARED_H
/* Memory that a file of this library has on every unit, in a team of all units. So units are named by their global
 * ids. */
#include "check.h"

/** Allocate `nbytes` on each unit, not cleared; `*own_out` is this unit's part. Ends the program if there is no memory.
 *  Collective. */
dart_gptr_t dart__check_share(dart_team_t team, size_t nbytes, void **own_out);

/** The byte at `offset` of the unit's part. */
dart_gptr_t dart__check_part(dart_gptr_t shared, int32_t unit, uint64_t offset);

/** Copy `nbytes`, a multiple of 8 or 0, from the unit's part to `words`; zeros, if they are gone with the
 *  unit. */
void dart__check_read(void *words, dart_gptr_t shared, int32_t unit, uint64_t offset,
                      size_t nbytes);

#endif
