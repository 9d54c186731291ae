/* All that a unit needs for a chunk is allocated here, before the units agree: the calls that follow are
 * collective, so none of them may fail on one unit for lack of memory for a table. */
#include "memory/chunk_new.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/size.h"
#include "base/sparse.h"
#include "far/agent.h"
#include "model/world.h"
#include "net.h"

/* Larger steps are not faster: 2000 segments of 4 KiB take within 3 % of the same time by steps of 64 KiB and 1 MiB. */
#define STEP ((size_t)64 << 10)

dart__chunk_t *dart__chunk_new(const dart__team_t *team, size_t nbytes, bool shared)
{
  dart__chunk_t *chunk = calloc(1, sizeof *chunk);

  /* dart_init makes the pool; only what follows is for far units to get to */
  if (chunk == NULL || (dart__world.initialized && dart__agent_start() != DART_OK)) {
    free(chunk);
    return NULL;
  }
  chunk->nbytes = nbytes;
  chunk->near   = dart__sparse_new(dart__team_near_slots(team), sizeof *chunk->near);
  if (shared)
    chunk->arena = dart__arena_new(nbytes, DART__CACHE_LINE);
  if (chunk->near != NULL &&
      (!shared || (chunk->arena != NULL && dart__arena_prepare(chunk->arena))) &&
      dart__net_chunk_prepare(team, chunk) == DART_OK)
    return chunk;
  dart__chunk_delete(chunk);
  return NULL;
}

void dart__chunk_count(dart__chunk_t *chunk, dart__level_id_t level, size_t nbytes)
{
  dart__level_add(level, (int64_t)nbytes - (int64_t)chunk->counted);
  chunk->level   = level;
  chunk->counted = nbytes;
}

size_t dart__chunk_pages(const dart__chunk_t *chunk, uint64_t end)
{
  size_t step = dart__round_up(STEP, (size_t)sysconf(_SC_PAGESIZE));

  return dart__least(dart__round_up(end, step), chunk->nbytes);
}

void dart__chunk_delete(dart__chunk_t *chunk)
{
  if (chunk == NULL)
    return;
  dart__level_add(chunk->level, -(int64_t)chunk->counted);
  dart__net_chunk_discard(chunk);
  dart__arena_delete(chunk->arena);
  dart__sparse_delete(chunk->near);
  free(chunk);
}
