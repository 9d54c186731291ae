/* Collective allocation: segments are cut from chunks.
 *
 * All units agree on the largest size asked for, then make the same moves on the same books: the
 * same segment id, the same chunk, the same offset. What can fail on one unit alone (bookkeeping
 * memory, pages, mapping) is followed by an agreement, and undone on all if it failed on one. */
#include "api/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/if/dart_globmem.h>

#include "api/attend.h"
#include "api/check.h"
#include "api/coll.h"
#include "api/register.h"
#include "base/assert.h"
#include "base/config.h"
#include "base/memory.h"
#include "model/op.h"
#include "port.h"

static size_t round_up(size_t value, size_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

static size_t page_size(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* Collective and agreed. `shared`: other segments can be cut from it too. */
static dart_ret_t open_chunk(dart__team_t *team, size_t nbytes, bool shared, dart__chunk_t **chunk_out)
{
  dart__chunk_t *chunk = calloc(1, sizeof *chunk);
  dart_ret_t     mine  = DART_OK, ret;

  if (chunk != NULL) {
    /* of huge pages too if it can have them, for then every unit's part starts with one */
    chunk->nbytes = round_up(nbytes, nbytes < DART__HUGE_PAGE ? page_size() : DART__HUGE_PAGE);
    if (shared)
      chunk->arena = dart__arena_new(chunk->nbytes, DART__CACHE_LINE);
  }
  if (chunk == NULL || (shared && chunk->arena == NULL))
    mine = DART_ERR_NOMEM;
  ret = dart__coll_agree(team, mine);
  if (ret != DART_OK)
    goto free_chunk;

  mine = dart__port_chunk_open(team, chunk);
  ret  = dart__coll_agree(team, mine);
  if (ret != DART_OK)
    goto close_chunk;
  chunk->next  = team->chunks;
  team->chunks = chunk;
  *chunk_out   = chunk;
  return DART_OK;

close_chunk:
  if (mine == DART_OK)
    dart__port_chunk_close(team, chunk);
free_chunk:
  if (chunk != NULL)
    dart__arena_delete(chunk->arena);
  free(chunk);
  return ret;
}

/* Collective, after a barrier. */
static void close_chunk(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__chunk_t **link = &team->chunks;

  while (*link != chunk)
    link = &(*link)->next;
  *link = chunk->next;
  dart__port_chunk_close(team, chunk);
  dart__arena_delete(chunk->arena);
  free(chunk);
}

/* Find or make room for `nbytes` in every unit's part. Collective: all units do the same. */
static dart_ret_t find_room(dart__team_t *team, size_t nbytes, dart__chunk_t **chunk_out,
                            uint64_t *base_out)
{
  bool       shared = nbytes <= dart__settings.heap_chunk;
  dart_ret_t ret;

  *base_out = 0;
  if (!shared)
    return open_chunk(team, nbytes, false, chunk_out);
  for (dart__chunk_t *chunk = team->chunks; chunk != NULL; chunk = chunk->next)
    if (chunk->arena != NULL && dart__arena_alloc(chunk->arena, nbytes, base_out)) {
      *chunk_out = chunk;
      return DART_OK;
    }
  ret = open_chunk(team, dart__settings.heap_chunk, true, chunk_out);
  if (ret == DART_OK && !dart__arena_alloc((*chunk_out)->arena, nbytes, base_out))
    ret = DART_ERR_NOMEM;
  return ret;
}

static void give_back_room(dart__team_t *team, dart__chunk_t *chunk, uint64_t base)
{
  if (chunk->arena == NULL)
    close_chunk(team, chunk);
  else
    dart__arena_free(chunk->arena, base);
}

/* Pages for the own portion. A shared chunk's are reserved in steps, equally on all units; those
 * of a large segment by what each unit asked for. `*reserved_out`: what holds once all agree. */
static dart_ret_t reserve(dart__team_t *team, dart__chunk_t *chunk, uint64_t base,
                          size_t largest, size_t own, size_t *reserved_out)
{
  size_t to;

  if (chunk->arena == NULL) {
    *reserved_out = chunk->nbytes; /* nothing else is cut from it */
    return dart__port_chunk_reserve(team, chunk, 0, round_up(own, page_size()));
  }
  *reserved_out = chunk->reserved;
  if (base + largest <= chunk->reserved)
    return DART_OK;
  to = round_up(base + largest, round_up(dart__settings.heap_step, page_size()));
  if (to > chunk->nbytes)
    to = chunk->nbytes;
  *reserved_out = to;
  return dart__port_chunk_reserve(team, chunk, chunk->reserved, to);
}

/* ---- segments ---------------------------------------------------------------------------- */

/* The largest and the smallest size asked for. */
static dart_ret_t agree_on_size(dart__team_t *team, size_t own, size_t *largest_out,
                                size_t *smallest_out)
{
  unsigned long sizes[2] = { own, ~(unsigned long)own };
  dart_ret_t    ret = dart__coll_reduce(team, sizes, sizes, 2, DART_TYPE_ULONG, DART_OP_MAX,
                                        DART__EVERY_UNIT);

  *largest_out  = sizes[0];
  *smallest_out = ~sizes[1];
  return ret;
}

static void delete_segment(dart__segment_t *segment)
{
  if (segment == NULL)
    return;
  free(segment->sizes);
  free(segment);
}

/* A segment described by what all know; sizes of portions still to be filled in. NULL: no memory */
static dart__segment_t *new_segment(const dart__team_t *team, size_t largest, bool equal)
{
  dart__segment_t *segment = calloc(1, sizeof *segment);

  if (segment == NULL)
    return NULL;
  segment->nbytes = largest;
  if (!equal) {
    segment->sizes = calloc((size_t)team->nunits, sizeof *segment->sizes);
    if (segment->sizes == NULL) {
      free(segment);
      return NULL;
    }
  }
  return segment;
}

dart_ret_t dart__memory_alloc(dart__team_t *team, size_t own, dart__segment_t **segment_out)
{
  dart__segment_t *segment = NULL;
  dart__chunk_t   *chunk   = NULL;
  size_t           largest, smallest, reserved;
  uint64_t         base;
  int16_t          id;
  dart_ret_t       mine, ret;

  ret = agree_on_size(team, own, &largest, &smallest);
  if (ret != DART_OK)
    return ret;
  id = dart__team_free_segid(team);
  if (id == 0) {
    dart__error("dart_team_memalloc_aligned: team %d has used up its %d segments", team->id,
                INT16_MAX);
    return DART_ERR_OTHER;
  }
  ret = find_room(team, largest, &chunk, &base);
  if (ret != DART_OK)
    return ret;

  segment = new_segment(team, largest, largest == smallest);
  ret     = dart__coll_agree(team, segment == NULL ? DART_ERR_NOMEM : DART_OK);
  if (ret == DART_OK && segment->sizes != NULL)
    ret = dart__coll_allgather(team, &(uint64_t){ own }, segment->sizes, sizeof(uint64_t));
  if (ret != DART_OK)
    goto delete_segment;

  /* Others may use it from far as soon as they have left the agreement below, so this unit must
   * find it before. */
  segment->near  = chunk->near;
  segment->base  = base;
  segment->chunk = chunk;
  segment->id    = id;
  dart__segment_enter(team, segment);
  mine = reserve(team, chunk, base, largest, own, &reserved);
  ret  = dart__coll_agree(team, mine);
  if (ret != DART_OK) {
    if (mine == DART_OK && chunk->arena != NULL)
      dart__port_chunk_release(team, chunk, chunk->reserved, reserved);
    goto leave_segment;
  }
  chunk->reserved = reserved;
  *segment_out    = segment;
  return DART_OK;

leave_segment:
  dart__segment_leave(team, segment);
delete_segment:
  delete_segment(segment);
  give_back_room(team, chunk, base);
  return ret;
}

dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t *gptr)
{
  dart__team_t       *team = dart__check_team(__func__, teamid);
  const dart__type_t *type = dart__type_find(dtype);
  dart__segment_t    *segment;
  size_t              nbytes;
  dart_ret_t          ret;

  if (gptr == NULL) {
    dart__error("%s: gptr is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *gptr = DART_GPTR_NULL;
  if (type == NULL || type->kind != DART__TYPE_BASIC) {
    dart__error("%s: type %#lx is no basic type", __func__, (unsigned long)dtype);
    return DART_ERR_INVAL;
  }
  if (team == NULL || !dart__check_nbytes(__func__, nelem, type->elem_size, &nbytes))
    return DART_ERR_INVAL;
  if (nbytes > SIZE_MAX / 2 / (size_t)team->nunits) {
    dart__error("%s: %zu bytes on each of %d units are more than an address space", __func__,
                nbytes, team->nunits);
    return DART_ERR_INVAL;
  }

  ret = dart__memory_alloc(team, nbytes, &segment);
  if (ret != DART_OK) {
    dart__error("%s: no %zu bytes (here) on every unit of team %d", __func__, nbytes, teamid);
    return ret;
  }
  dart__debug("%s: segment %d of team %d, %zu bytes here", __func__, segment->id, teamid, nbytes);
  gptr->unitid = 0;
  gptr->teamid = teamid;
  gptr->segid  = segment->id;
  return DART_OK;
}

/* After a barrier: nobody accesses the segment any more. */
static void free_segment(dart__team_t *team, dart__segment_t *segment)
{
  dart__segment_leave(team, segment);
  give_back_room(team, segment->chunk, segment->base);
  delete_segment(segment);
}

dart_ret_t dart__memory_free(dart__team_t *team, dart__segment_t *segment)
{
  dart_ret_t flushed, ret;

  /* Units may be late: what they still have under way is completed before the memory goes. */
  dart__attend();
  flushed = dart__far_flush_all(team);
  ret     = dart__coll_barrier(team);
  if (ret != DART_OK)
    return ret;
  free_segment(team, segment);
  return flushed;
}

dart_ret_t dart_team_memfree(dart_gptr_t gptr)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (DART_GPTR_ISNULL(gptr))
    return DART_OK;
  segment = dart__locate_segment(gptr, &team);
  if (segment == NULL || gptr.segid <= 0) {
    dart__error("%s: segment %d of team %d is not allocated", __func__, gptr.segid, gptr.teamid);
    return DART_ERR_INVAL;
  }
  return dart__memory_free(team, segment);
}

void dart__memory_close(dart__team_t *team)
{
  for (int32_t id = 1; id <= INT16_MAX; id++)
    if (team->segments[id] != NULL)
      free_segment(team, team->segments[id]);
  for (int32_t id = -1; id >= INT16_MIN; id--)
    if (team->segments[(uint16_t)id] != NULL)
      dart__deregister(team, team->segments[(uint16_t)id]);
  while (team->chunks != NULL)
    close_chunk(team, team->chunks);
}
