#ifndef DART__COLL_MAPPED_H
#define DART__COLL_MAPPED_H
/* Buffers of a collective in memory that all units of the node have mapped: in the pool, or in a segment of the
 * team. Other units can load and store there, so nothing has to be copied twice, or by the kernel.
 *
 * All units of a team have its chunks in the same order, so a place is the number of a chunk and an offset. */
#include <stddef.h>
#include <stdint.h>

#include "model/team.h"

typedef struct {
  uint64_t chunk;  /* 0: other units have not mapped the buffer */
  uint64_t offset; /* from the start of its unit's portion */
} dart__mapped_t;

/** Where `nbytes` bytes of this unit are, if they are in its own portion. The team has one node. */
dart__mapped_t dart__mapped_find(const dart__team_t *team, const void *buffer, size_t nbytes);

/** The address in this process of a place that `unit` (team id) has found; NULL: it was none. */
char *dart__mapped_at(const dart__team_t *team, int32_t unit, dart__mapped_t place);

#endif
