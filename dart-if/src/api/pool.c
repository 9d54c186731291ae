/* The local pool: a chunk over the team of all whose address space is large from the start, so that
 * it can grow without the other units: only the pages of what is in use are reserved. */
#include "api/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include <dash/dart/if/dart_globmem.h>

#include "api/check.h"
#include "base/config.h"
#include "model/world.h"
#include "port.h"

static struct {
  dart__team_t   *all;
  dart__chunk_t  *chunk;
  dart__segment_t segment;
  pthread_mutex_t lock; /* of the arena and the chunk's `reserved` */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

dart_ret_t dart__pool_open(dart__team_t *all)
{
  dart_ret_t ret;

  pool.chunk = calloc(1, sizeof *pool.chunk);
  if (pool.chunk == NULL)
    return DART_ERR_NOMEM;
  pool.chunk->nbytes = dart__settings.pool;
  pool.chunk->arena  = dart__arena_new(pool.chunk->nbytes, DART__CACHE_LINE);
  ret                = pool.chunk->arena == NULL ? DART_ERR_NOMEM : DART_OK;
  if (ret == DART_OK)
    ret = dart__port_chunk_open(all, pool.chunk);
  if (ret != DART_OK) {
    dart__arena_delete(pool.chunk->arena);
    free(pool.chunk);
    pool.chunk = NULL;
    return ret;
  }
  pool.all     = all;
  pool.segment = (dart__segment_t){ .near   = pool.chunk->near,
                                    .nbytes = pool.chunk->nbytes,
                                    .chunk  = pool.chunk,
                                    .id     = DART_SEGMENT_LOCAL };
  dart__segment_enter(all, &pool.segment);
  return DART_OK;
}

void dart__pool_close(dart__team_t *all)
{
  if (pool.chunk == NULL)
    return;
  dart__segment_leave(all, &pool.segment);
  dart__port_chunk_close(all, pool.chunk);
  dart__arena_delete(pool.chunk->arena);
  free(pool.chunk);
  pool.chunk = NULL;
}

/* Pages up to `end`, and some more, so that not every block asks for its own. */
static dart_ret_t reserve_up_to(uint64_t end)
{
  dart__chunk_t *chunk = pool.chunk;
  size_t         step  = dart__settings.heap_step;
  size_t         to    = (end + step - 1) / step * step;
  dart_ret_t     ret;

  if (end <= chunk->reserved)
    return DART_OK;
  if (to > chunk->nbytes)
    to = chunk->nbytes;
  ret = dart__port_chunk_reserve(pool.all, chunk, chunk->reserved, to);
  if (ret == DART_OK)
    chunk->reserved = to;
  return ret;
}

dart_ret_t dart__pool_alloc(size_t nbytes, uint64_t *offset_out)
{
  dart_ret_t ret = DART_ERR_NOMEM;

  pthread_mutex_lock(&pool.lock);
  if (dart__arena_alloc(pool.chunk->arena, nbytes, offset_out)) {
    ret = reserve_up_to(*offset_out + nbytes);
    if (ret != DART_OK)
      dart__arena_free(pool.chunk->arena, *offset_out);
  }
  pthread_mutex_unlock(&pool.lock);
  return ret;
}

bool dart__pool_free(uint64_t offset)
{
  bool freed;

  pthread_mutex_lock(&pool.lock);
  freed = dart__arena_free(pool.chunk->arena, offset);
  pthread_mutex_unlock(&pool.lock);
  return freed;
}

char *dart__pool_address(dart_unit_t unit, uint64_t offset)
{
  return pool.chunk->near[unit] + offset;
}

dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr)
{
  const dart__type_t *type = dart__check_contiguous(__func__, dtype);
  size_t              nbytes;
  uint64_t            offset;

  if (gptr == NULL) {
    dart__error("%s: gptr is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *gptr = DART_GPTR_NULL;
  if (type == NULL || !dart__check_nbytes(__func__, nelem, type->elem_size, &nbytes))
    return DART_ERR_INVAL;
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  if (dart__pool_alloc(nbytes, &offset) != DART_OK) {
    dart__error("%s: the pool of %zu bytes, or memory, is used up: no %zu bytes left, see DART_POOL",
                __func__, dart__settings.pool, nbytes);
    return DART_ERR_OTHER;
  }
  gptr->unitid              = dart__world.me;
  gptr->segid               = DART_SEGMENT_LOCAL;
  gptr->teamid              = DART_TEAM_ALL;
  gptr->addr_or_offs.offset = offset;
  return DART_OK;
}

dart_ret_t dart_memfree(dart_gptr_t gptr)
{
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  if (gptr.segid != DART_SEGMENT_LOCAL || gptr.teamid != DART_TEAM_ALL ||
      gptr.unitid != dart__world.me) {
    dart__error("%s: team %d, segment %d, unit %d is not this unit's pool", __func__, gptr.teamid,
                gptr.segid, (int)gptr.unitid);
    return DART_ERR_INVAL;
  }
  if (!dart__pool_free(gptr.addr_or_offs.offset)) {
    dart__error("%s: no block starts at offset %llu", __func__,
                (unsigned long long)gptr.addr_or_offs.offset);
    return DART_ERR_INVAL;
  }
  return DART_OK;
}
