/* Allocators: a segment of a team, and on every unit a private arena for the unit's portion. So blocks are
 * allocated and freed locally, and the portion holds nothing but blocks. */
#include <pthread.h>
#include <stdlib.h>

#include <dash/dart/if/dart_globmem.h>

#include "base/profile.h"
#include "memory/memory.h"
#include "model/argument_check.h"
#include "model/world.h"

DART__PROFILED(dart_allocator_new, dart_allocator_alloc, dart_allocator_free);
DART__PROFILED(dart_allocator_destroy);

#define GRANULE ((size_t)16) /* of blocks: the alignment of any type */

struct dart_allocator_struct {
  uint32_t        cycle; /* of init and exit that it belongs to */
  dart_team_t     team;
  int16_t         segid;
  pthread_mutex_t lock; /* for the arena */
  dart__arena_t  *arena;
};

/* The least power of two that holds `nbytes`; 0: there is none. */
static size_t round_up_to_power(size_t nbytes)
{
  size_t power = GRANULE;

  while (power != 0 && power < nbytes)
    power *= 2;
  return power;
}

static dart_allocator_t make_allocator(dart_team_t team, size_t nbytes)
{
  dart_allocator_t allocator = calloc(1, sizeof *allocator);

  if (allocator == NULL)
    return NULL;
  allocator->cycle = dart__world.cycle;
  allocator->team  = team;
  allocator->arena = dart__arena_new(nbytes, GRANULE);
  if (allocator->arena == NULL) {
    free(allocator);
    return NULL;
  }
  pthread_mutex_init(&allocator->lock, NULL);
  return allocator;
}

static void delete_allocator(dart_allocator_t allocator)
{
  if (allocator == NULL)
    return;
  pthread_mutex_destroy(&allocator->lock);
  dart__arena_delete(allocator->arena);
  free(allocator);
}

dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t teamid, dart_allocator_t *new_allocator)
{
  dart__team_t    *team      = dart__check_team(__func__, teamid);
  size_t           nbytes    = round_up_to_power(pool_size);
  dart_allocator_t allocator = NULL;
  dart__segment_t *segment;
  dart_ret_t       mine = DART_OK, ret;

  if (new_allocator == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: new_allocator is NULL", __func__);
  *new_allocator = NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (nbytes == 0 || nbytes > SIZE_MAX / 2 / (size_t)team->nunits) {
    dart__error("%s: %zu bytes on each of %d units are more than an address space", __func__,
                pool_size, team->nunits);
    mine   = DART_ERR_NOMEM; /* as the others find out, too */
    nbytes = 0;
  } else if ((allocator = make_allocator(teamid, nbytes)) == NULL) {
    mine = DART_ERR_NOMEM;
  }
  ret = dart__memory_alloc(team, mine, nbytes, DART__CACHE_LINE, NULL, &segment);
  if (ret != DART_OK) {
    if (nbytes > 0 && ret != DART_ERR_UNIT_LOST)
      dart__error("%s: no pool of %zu bytes on every unit of team %d", __func__, nbytes, teamid);
    delete_allocator(allocator);
    return ret;
  }
  allocator->segid = segment->id;
  *new_allocator   = allocator;
  return DART_OK;
}

/* NULL: the team was destroyed, or dart_exit called, and the segment was freed with it. */
static dart__team_t *find_team(dart_allocator_t allocator)
{
  return allocator->cycle == dart__world.cycle ? dart__team_find(allocator->team) : NULL;
}

/* The allocator's team, or NULL after a log line. */
static dart__team_t *check_allocator(const char *function, dart_allocator_t allocator)
{
  dart__team_t *team = allocator == NULL ? NULL : find_team(allocator);

  if (allocator == NULL)
    dart__error("%s: allocator is NULL", function);
  else if (team == NULL)
    dart__error("%s: the allocator's team %d is gone", function, allocator->team);
  return team;
}

dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr,
                                dart_allocator_t allocator)
{
  const dart__type_t *type = dart__check_contiguous(__func__, dtype);
  const dart__team_t *team = check_allocator(__func__, allocator);
  size_t              nbytes;
  uint64_t            offset;
  bool                found;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  *gptr = DART_GPTR_NULL;
  if (type == NULL || team == NULL ||
      !dart__check_nbytes(__func__, nelem, type->elem_size, &nbytes))
    return DART_ERR_INVAL;

  pthread_mutex_lock(&allocator->lock);
  found = dart__arena_alloc(allocator->arena, nbytes, &offset);
  pthread_mutex_unlock(&allocator->lock);
  if (!found)
    return dart__fail(DART_ERR_NOMEM,
                      "%s: the pool of segment %d of team %d has no %zu bytes in a row left",
                      __func__, allocator->segid, allocator->team, nbytes);
  gptr->unitid              = team->me;
  gptr->segid               = allocator->segid;
  gptr->teamid              = allocator->team;
  gptr->addr_or_offs.offset = offset;
  return DART_OK;
}

dart_ret_t dart_allocator_free(dart_gptr_t *gptr, dart_allocator_t allocator)
{
  const dart__team_t *team = check_allocator(__func__, allocator);
  bool                freed;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  if (team == NULL)
    return DART_ERR_INVAL;
  if (gptr->teamid != allocator->team || gptr->segid != allocator->segid ||
      gptr->unitid != team->me)
    return dart__fail(DART_ERR_INVAL, "%s: team %d, segment %d, unit %d is not this unit's pool",
                      __func__, gptr->teamid, gptr->segid, (int)gptr->unitid);

  pthread_mutex_lock(&allocator->lock);
  freed = dart__arena_free(allocator->arena, gptr->addr_or_offs.offset);
  pthread_mutex_unlock(&allocator->lock);
  if (!freed)
    return dart__fail(DART_ERR_INVAL, "%s: no block starts at offset %lld", __func__,
                      (long long)gptr->addr_or_offs.offset);
  *gptr = DART_GPTR_NULL;
  return DART_OK;
}

dart_ret_t dart_allocator_destroy(dart_allocator_t *allocator)
{
  dart__team_t    *team;
  dart__segment_t *segment;
  dart_ret_t       ret = DART_OK;

  if (allocator == NULL || *allocator == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", __func__,
                      allocator == NULL ? "allocator" : "*allocator");
  team    = find_team(*allocator);
  segment = team == NULL ? NULL : dart__segment_find(team, (*allocator)->segid);
  if (segment != NULL)
    ret = dart__memory_free(team, segment);
  delete_allocator(*allocator);
  *allocator = NULL;
  return ret;
}
