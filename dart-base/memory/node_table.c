/* See node_table.h. */
#include "memory/node_table.h"

#include <string.h>

#include "base/config.h"
#include "base/sparse.h"
#include "coll/coll.h"
#include "memory/pool.h"
#include "model/lost.h"
#include "model/world.h"

/* In a broken team a unit may hear nothing. Then it has its own offset: that of its copy, or 0. */
void *dart__node_table_share(dart__team_t *team, const void *own, size_t nbytes)
{
  uint64_t offset = 0;

  if (team->nunits < dart__settings.scattered || team->node_nunits == 1)
    return NULL;
  if (dart__team_is_leader(team) && dart__pool_alloc(nbytes, &offset) == DART_OK)
    memcpy(dart__pool_address(dart__world.me, offset), own, nbytes);
  dart__coll_hear_on_node(team, &offset, &offset, sizeof offset, 0);
  if (offset == 0)
    return NULL;
  return dart__pool_address(dart__team_member(team, team->node_units[0]), offset);
}

/* After a loss other units may still apply what the lost one has sent: then it stays in the pool. */
void dart__node_table_free(const void *shared)
{
  uint64_t offset = (uint64_t)((const char *)shared - dart__pool_address(dart__world.me, 0));

  if (offset < dart__settings.pool && dart__lost_count() == 0)
    dart__pool_free(offset);
}

/* Where a table is in another copy of all of them. */
static const void *moved(const void *table, const void *first, const void *copy)
{
  return table == NULL ? NULL : (const char *)copy + ((const char *)table - (const char *)first);
}

void dart__segment_share_tables(dart__team_t *team, dart__segment_t *segment, const void *first,
                                size_t nbytes)
{
  void *shared = dart__node_table_share(team, first, nbytes);

  if (shared == NULL)
    return;
  segment->sizes = moved(segment->sizes, first, shared);
  segment->low   = moved(segment->low, first, shared);
  segment->heads = moved(segment->heads, first, shared);
  dart__sparse_delete(segment->tables);
  segment->tables        = shared;
  segment->shares_tables = true;
}

void dart__segment_free_tables(dart__segment_t *segment)
{
  if (segment->shares_tables)
    dart__node_table_free(segment->tables);
  else
    dart__sparse_delete(segment->tables);
  segment->tables        = NULL;
  segment->shares_tables = false;
}
