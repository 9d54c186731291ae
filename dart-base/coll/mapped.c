/* See mapped.h. Chunk 1 is the pool's, those of the team follow, newest first. */
#include "coll/mapped.h"

#include <stdbool.h>
#include <unistd.h>

#include <dash/dart/if/dart_globmem.h>

#include "model/world.h"

#define CHUNKS_MOST 64 /* that are looked at: a look takes less than a step */

static const dart__segment_t *pool(void)
{
  const dart__team_t *all = dart__teams[DART_TEAM_ALL];

  return all != NULL ? dart__segment_find(all, DART_SEGMENT_LOCAL) : NULL;
}

static bool is_in(const char *portion, size_t size, const void *buffer, size_t nbytes,
                  uint64_t *offset_out)
{
  *offset_out = (uint64_t)((uintptr_t)buffer - (uintptr_t)portion);
  return portion != NULL && *offset_out < size && nbytes <= size - *offset_out;
}

/* Adopted memory that does not begin with a page: its portions are shorter than those of the chunk, by as much as each
 * unit's begins later. */
static bool is_shifted(const dart__chunk_t *chunk, int32_t slot)
{
  return chunk->arena == NULL &&
         (uintptr_t)chunk->near[slot] % (uintptr_t)sysconf(_SC_PAGESIZE) != 0;
}

dart__mapped_t dart__mapped_find(const dart__team_t *team, const void *buffer, size_t nbytes)
{
  const dart__segment_t *local = pool();
  dart__mapped_t         place = { .chunk = 1 };

  if (buffer == NULL)
    return (dart__mapped_t){ 0 };
  if (local != NULL &&
      is_in(dart__pool_address(dart__world.me, 0), local->nbytes, buffer, nbytes, &place.offset))
    return place;
  for (const dart__chunk_t *chunk = team->chunks; chunk != NULL && place.chunk <= CHUNKS_MOST;
       chunk                      = chunk->next) {
    place.chunk++;
    if (!is_shifted(chunk, team->near_me) &&
        is_in(chunk->near[team->near_me], chunk->nbytes, buffer, nbytes, &place.offset))
      return place;
  }
  return (dart__mapped_t){ 0 };
}

char *dart__mapped_at(const dart__team_t *team, int32_t unit, dart__mapped_t place)
{
  const dart__chunk_t *chunk = team->chunks;

  if (place.chunk == 0)
    return NULL;
  if (place.chunk == 1)
    return dart__pool_address(dart__team_member(team, unit), place.offset);
  while (place.chunk-- > 2)
    chunk = chunk->next;
  return chunk->near[dart__team_near_slot(team, unit)] + place.offset;
}
