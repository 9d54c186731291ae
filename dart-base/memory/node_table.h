#ifndef DART__MEMORY_NODE_TABLE_H
#define DART__MEMORY_NODE_TABLE_H
/* Tables with some bytes of each unit of a team, by team ids. All units of a node have the same ones, and nobody writes to
 * them once they are filled. So those of a large team lie once for the node, in the pool of the unit that leads it, and only
 * this unit receives them. Units of other teams have their own. */
#include "base/config.h"
#include "model/lost.h"
#include "model/team.h"

static inline bool dart__node_table_is_shared(const dart__team_t *team)
{
  return team->nunits >= dart__settings.scattered;
}

/** Whose the team's tables are: 0: this unit's, else the node's, and how many units have been lost before, and one. */
static inline uint32_t dart__node_table_owner(const dart__team_t *team)
{
  return dart__node_table_is_shared(team) ? dart__lost_count() + 1 : 0;
}

/** Allocate this unit's own table with `nbytes` of each unit; NULL, if it is to be shared. Local. False: no memory. */
bool dart__node_table_prepare(const dart__team_t *team, size_t nbytes, void **table_out);

/** Fill it with the `nbytes` bytes `own` of each unit; a table that is shared is allocated before. Collective and agreed.
 *  DART_ERR_NOMEM. DART_ERR_UNIT_LOST: the team is broken. */
dart_ret_t dart__node_table_fill(dart__team_t *team, const void *own, size_t nbytes, void **table);

/** Free it, when no unit of the node reads it any more; `owner`, of when it was made. Of one that is shared all units of the
 *  node call, and the one that leads it frees it. NULL: nothing. */
void dart__node_table_free(void *table, uint32_t owner);

/** The same of the tables of a segment: sizes of portions, and `place_bytes` of where portions are, 0: none. */
bool dart__segment_prepare_tables(const dart__team_t *team, dart__segment_t *segment,
                                  size_t place_bytes);

/** `own_size`: NULL, if sizes are equal. */
dart_ret_t dart__segment_fill_tables(dart__team_t *team, dart__segment_t *segment,
                                     const uint64_t *own_size, const void *own_place,
                                     size_t place_bytes);
void       dart__segment_free_tables(dart__segment_t *segment);

#endif
