#ifndef DART__MEMORY_NODE_TABLE_H
#define DART__MEMORY_NODE_TABLE_H
/* Tables with an entry for each unit of a team. All units of a node have the same ones, and nobody writes to them once they
 * are filled. So those of a large team lie once for the node, in the pool of the unit that leads it. */
#include "model/team.h"

/** A copy for the node of a table that this unit and all others of the node have filled alike; they may free their own. NULL:
 *  the team is not large, or there is no memory, so each keeps its own. All units of the node call. */
void *dart__node_table_share(dart__team_t *team, const void *own, size_t nbytes);

/** Free such a copy, when no unit of the node reads it any more: the unit that leads the node frees it, and for others this
 *  does nothing. */
void dart__node_table_free(const void *shared);

/** Share what this unit has filled of a segment's tables, from `first` on, if the team is large. */
void dart__segment_share_tables(dart__team_t *team, dart__segment_t *segment, const void *first,
                                size_t nbytes);

/** Free the segment's tables. */
void dart__segment_free_tables(dart__segment_t *segment);

#endif
