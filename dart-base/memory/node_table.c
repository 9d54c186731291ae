/* See node_table.h. */
#include "memory/node_table.h"

#include "base/sparse.h"
#include "coll/coll.h"
#include "memory/pool.h"
#include "model/world.h"

bool dart__node_table_prepare(const dart__team_t *team, size_t nbytes, void **table_out)
{
  bool is_shared = dart__node_table_is_shared(team);

  *table_out = is_shared ? NULL : dart__sparse_new((size_t)team->nunits, nbytes);
  return is_shared || *table_out != NULL;
}

dart_ret_t dart__node_table_fill(dart__team_t *team, const void *own, size_t nbytes, void **table)
{
  uint64_t   offset;
  dart_ret_t ret;

  if (!dart__node_table_is_shared(team)) {
    dart__coll_share(team, own, *table, nbytes);
    return dart__team_result(team, DART_OK);
  }
  ret = dart__pool_alloc_for_node(team, (size_t)team->nunits * nbytes, &offset);
  if (ret != DART_OK)
    return ret;
  *table = dart__pool_address(dart__team_member(team, team->node_units[0]), offset);
  dart__coll_share_with_leaders(team, own, *table, nbytes);
  dart__coll_node_barrier(team); /* the leader has filled it */
  return dart__team_result(team, DART_OK);
}

/* After a loss other units may still apply what the lost one has sent: then a table that was made before it stays in the pool. */
void dart__node_table_free(void *table, uint32_t owner)
{
  uint64_t offset;

  if (table == NULL)
    return;
  if (owner == 0) {
    dart__sparse_delete(table);
    return;
  }
  offset = (uint64_t)((const char *)table - dart__pool_address(dart__world.me, 0));
  if (offset < dart__settings.pool && dart__lost_count() + 1 == owner)
    dart__pool_free(offset);
}

bool dart__segment_prepare_tables(const dart__team_t *team, dart__segment_t *segment,
                                  size_t place_bytes)
{
  segment->tables_owner = dart__node_table_owner(team);
  return dart__node_table_prepare(team, sizeof *segment->sizes, &segment->tables[0]) &&
         (place_bytes == 0 || dart__node_table_prepare(team, place_bytes, &segment->tables[1]));
}

dart_ret_t dart__segment_fill_tables(dart__team_t *team, dart__segment_t *segment,
                                     const uint64_t *own_size, const void *own_place,
                                     size_t place_bytes)
{
  dart_ret_t ret = DART_OK;

  if (place_bytes > 0)
    ret = dart__node_table_fill(team, own_place, place_bytes, &segment->tables[1]);
  if (own_size == NULL) {
    dart__node_table_free(segment->tables[0], segment->tables_owner);
    segment->tables[0] = NULL;
  } else if (ret == DART_OK) {
    ret = dart__node_table_fill(team, own_size, sizeof *own_size, &segment->tables[0]);
  }
  segment->sizes = segment->tables[0];
  return ret;
}

void dart__segment_free_tables(dart__segment_t *segment)
{
  for (int i = 0; i < 2; i++)
    dart__node_table_free(segment->tables[i], segment->tables_owner);
  segment->tables[0] = segment->tables[1] = NULL;
  segment->sizes                          = NULL;
}
