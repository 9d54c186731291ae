#ifndef DART__CHECK_CHECK_SHARED_H
#define DART__CHECK_CHECK_SHARED_H
/* Memory that a file of this library has on every unit. Units are those of the job: the team has all of them. */
#include "check.h"

/** `nbytes` on each unit, not cleared; `*own_out` is the own part. Ends the program if there is no memory.
 *  Collective. */
dart_gptr_t dart__check_share(dart_team_t team, size_t nbytes, void **own_out);

/** The byte at `offset` of a unit's part. */
dart_gptr_t dart__check_part(dart_gptr_t shared, int32_t unit, uint64_t offset);

/** Copy whole words of 8 bytes, perhaps none, of a unit's part to `words`. */
void dart__check_read(void *words, dart_gptr_t shared, int32_t unit, uint64_t offset,
                      size_t nbytes);

#endif
