/* The local pool: a chunk over the team of all units. Its address space is large from the start, so that a
 * unit's portion can grow locally: pages are reserved only for what is in use. */
#include "memory/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/if/dart_globmem.h>

#include "base/assert.h"
#include "base/config.h"
#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "far/agent.h"
#include "far/progress.h"
#include "memory/chunk_new.h"
#include "memory/segment_state.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

DART__PROFILED(dart_memalloc, dart_memfree);

static struct {
  dart__team_t   *all;
  dart__chunk_t  *chunk; /* NULL: not prepared */
  bool            is_open;
  dart__segment_t segment;
  pthread_mutex_t lock; /* of the arena, and the chunk's `reserved` */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

dart_ret_t dart__pool_prepare(dart__team_t *all)
{
  pool.all   = all;
  pool.chunk = dart__chunk_new(
      all, dart__round_up(dart__settings.pool, (size_t)sysconf(_SC_PAGESIZE)), true);
  return pool.chunk == NULL ? DART_ERR_NOMEM : DART_OK;
}

dart__segment_state_t dart__segment_state;

/* The first block of every unit's portion: its state. */
static dart_ret_t alloc_state(void)
{
  dart_ret_t ret = dart__pool_alloc(dart__pool_first(), &pool.segment.epoch_at);

  if (ret == DART_OK)
    memset(dart__pool_address(dart__world.me, pool.segment.epoch_at), 0,
           dart__segment_state.nbytes);
  dart__assert(ret != DART_OK || pool.segment.epoch_at == 0);
  return ret;
}

dart_ret_t dart__pool_open(void)
{
  dart_ret_t ret = dart__net_chunk_open(pool.all, pool.chunk);

  if (ret != DART_OK)
    return ret;
  pool.segment = (dart__segment_t){ .near   = pool.chunk->near,
                                    .nbytes = pool.chunk->nbytes,
                                    .chunk  = pool.chunk,
                                    .id     = DART_SEGMENT_LOCAL };
  dart__pools  = (dart__pools_t){ pool.all, pool.chunk->near };
  dart__segment_enter(pool.all, &pool.segment);
  pool.is_open = true;
  return alloc_state();
}

void dart__pool_close(void)
{
  if (pool.is_open) {
    dart__segment_state.end(&pool.segment);
    dart__segment_leave(pool.all, &pool.segment);
    dart__net_chunk_close(pool.all, pool.chunk);
  }
  dart__chunk_delete(pool.chunk);
  pool.chunk   = NULL;
  pool.is_open = false;
}

/* Reserve pages up to `end`, rounded up, so that not every block needs a system call. */
static dart_ret_t reserve_up_to(uint64_t end)
{
  dart__chunk_t *chunk = pool.chunk;
  size_t         to;
  dart_ret_t     ret;

  if (end <= chunk->reserved)
    return DART_OK;
  to  = dart__chunk_pages(chunk, end);
  ret = dart__net_reserve(pool.all, chunk, chunk->reserved, to);
  if (ret != DART_OK)
    return ret;
  chunk->reserved = to;
  dart__chunk_count(chunk, DART__LEVEL_POOL, to);
  return DART_OK;
}

/* DART has its own blocks in the pool, which dart_memfree of a wrong pointer must not free: so those of dart_memalloc are
 * marked. DART_ERR_NOMEM: there is no memory, which was said; DART_ERR_OTHER: the address space is used up. */
static dart_ret_t alloc_block(size_t nbytes, bool is_users, uint64_t *offset_out)
{
  dart_ret_t ret = DART_ERR_OTHER;
  uint64_t   offset;

  if (dart__world.initialized &&
      dart__agent_start() != DART_OK) /* far units may get to the block */
    return DART_ERR_NOMEM;
  pthread_mutex_lock(&pool.lock);
  if (dart__arena_alloc(pool.chunk->arena, nbytes, &offset)) {
    ret = reserve_up_to(offset + nbytes);
    if (ret == DART_OK)
      *offset_out = offset;
    else
      dart__arena_free(pool.chunk->arena, offset);
    if (ret == DART_OK && is_users)
      *dart__arena_mark(pool.chunk->arena, offset) = true;
  }
  pthread_mutex_unlock(&pool.lock);
  return ret;
}

static bool free_block(uint64_t offset, bool is_users)
{
  const bool *mark;
  bool        freed;

  pthread_mutex_lock(&pool.lock);
  mark  = is_users ? dart__arena_mark(pool.chunk->arena, offset) : NULL;
  freed = (!is_users || (mark != NULL && *mark)) && dart__arena_free(pool.chunk->arena, offset);
  pthread_mutex_unlock(&pool.lock);
  return freed;
}

dart_ret_t dart__pool_alloc(size_t nbytes, uint64_t *offset_out)
{
  return alloc_block(nbytes, false, offset_out) == DART_OK ? DART_OK : DART_ERR_NOMEM;
}

dart_ret_t dart__pool_alloc_for_node(dart__team_t *team, size_t nbytes, uint64_t *offset_out)
{
  bool       leads = dart__team_is_leader(team);
  dart_ret_t mine, ret;

  *offset_out = 0;
  mine        = leads ? dart__pool_alloc(nbytes, offset_out) : DART_OK;
  ret         = dart__coll_agree(team, mine);
  if (ret == DART_OK) {
    dart__coll_hear_on_node(team, offset_out, offset_out, sizeof *offset_out, 0);
    return dart__team_result(team, DART_OK);
  }
  if (leads && mine == DART_OK)
    dart__pool_free(*offset_out);
  *offset_out = 0;
  return ret;
}

bool dart__pool_free(uint64_t offset)
{
  return free_block(offset, false);
}

int32_t dart__pool_slot(dart_unit_t unit)
{
  return dart__team_near_slot(pool.all, unit);
}

bool dart__pool_is_near(dart_unit_t unit)
{
  return dart__team_near(pool.all, pool.chunk->near, unit) != NULL;
}

dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr)
{
  const dart__type_t *type = dart__check_contiguous(__func__, dtype);
  size_t              nbytes;
  uint64_t            offset;
  dart_ret_t          ret;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  *gptr = DART_GPTR_NULL;
  if (type == NULL || !dart__check_nbytes(__func__, nelem, type->elem_size, &nbytes))
    return DART_ERR_INVAL;
  if (dart__check_team(__func__, DART_TEAM_ALL) == NULL)
    return DART_ERR_INVAL;
  ret = alloc_block(nbytes, true, &offset);
  if (ret == DART_ERR_OTHER)
    dart__error("%s: the pool of %zu bytes is used up: no %zu bytes left, see DART_POOL", __func__,
                dart__settings.pool, nbytes);
  if (ret != DART_OK)
    return DART_ERR_OTHER;
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
      gptr.unitid != dart__world.me)
    return dart__fail(DART_ERR_INVAL, "%s: team %d, segment %d, unit %d is not this unit's pool",
                      __func__, gptr.teamid, gptr.segid, (int)gptr.unitid);
  dart__progress(); /* apply deferred updates of the block */
  if (!free_block(gptr.addr_or_offs.offset, true))
    return dart__fail(DART_ERR_INVAL, "%s: no block starts at offset %lld", __func__,
                      (long long)gptr.addr_or_offs.offset);
  return DART_OK;
}
