/* Adoption: memory that the program has becomes a segment.
 *
 * The segment is allocated in a chunk of its own, with whole pages for what the units want to move. Then each unit
 * moves its pages there (pages.h), and all tell each other where on their first page the memory starts: their heads. By
 * that the portions of the chunk begin later, and all that is near, far, or by the direct map finds them as those of
 * any segment. The state of epochs, which lies behind the portion of an allocated segment, is in the pool as for
 * registered memory, because it has to be aligned on every unit.
 *
 * Prepare alone, agree, commit: tables, and what the pages are, are part of the agreement on the allocation; whether
 * the pages were moved is told with the heads, and undone if it failed on one unit. */
#include <dash/dart/ext/dart_adopt.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/profile.h"
#include "base/sparse.h"
#include "coll/coll.h"
#include "memory/memory.h"
#include "memory/node_table.h"
#include "memory/pages.h"
#include "memory/pool.h"
#include "memory/segment_state.h"
#include "model/argument_check.h"
#include "model/tell.h"

DART__PROFILED(dart_team_adopt);

/* What a unit tells the others. */
typedef struct {
  uint64_t nbytes;
  uint64_t head;  /* where the memory starts on its pages */
  uint64_t epoch; /* offset in the unit's pool of the shared state of its epochs */
  uint64_t ret;   /* of moving the pages */
} told_t;

/* One call. */
typedef struct {
  char           *addr;
  size_t          nbytes;
  dart__pages_t   pages;
  told_t         *told;       /* by team units */
  uint64_t       *tables;     /* sizes by team units, and heads behind them */
  uint64_t       *epoch_pool; /* by units of the node */
  dart__segment_t epochs;     /* has only their block, until the segment is there */
} call_t;

static bool prepare_tables(const dart__team_t *team, call_t *call)
{
  size_t nunits = (size_t)team->nunits;

  call->told       = calloc(nunits, sizeof *call->told);
  call->tables     = dart__sparse_new(2 * nunits, sizeof *call->tables);
  call->epoch_pool = calloc((size_t)team->node_nunits, sizeof *call->epoch_pool);
  return call->told != NULL && call->tables != NULL && call->epoch_pool != NULL &&
         dart__segment_state.alloc(&call->epochs);
}

/* What the segment has not taken. */
static void discard_call(call_t *call)
{
  if (call->epochs.has_epoch_block)
    dart__segment_state.release(call->epochs.epoch_at);
  free(call->told);
  dart__sparse_delete(call->tables);
  free(call->epoch_pool);
}

static uint64_t head_of(const call_t *call)
{
  return call->nbytes > 0 ? (uint64_t)(call->addr - call->pages.first) : 0;
}

/* Exchange what there is to know of all units' memory. Agreed: the worst result. */
static dart_ret_t exchange_told(dart__team_t *team, call_t *call, dart_ret_t mine)
{
  told_t     own = { call->nbytes, head_of(call), call->epochs.epoch_at, mine };
  dart_ret_t ret = DART_OK;

  dart__coll_share(team, &own, call->told, sizeof own);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  for (int32_t u = 0; u < team->nunits; u++)
    if (call->told[u].ret > ret)
      ret = (dart_ret_t)call->told[u].ret;
  for (int32_t i = 0; i < team->node_nunits; i++)
    call->epoch_pool[i] = call->told[team->node_units[i]].epoch;
  return ret;
}

/* Sizes of portions are one for all, or a table. */
static void set_tables(dart__team_t *team, dart__segment_t *segment, call_t *call)
{
  size_t    nunits = (size_t)team->nunits;
  uint64_t *sizes = call->tables, *heads = sizes + nunits;
  bool      differ = false;

  segment->nbytes = 0;
  for (size_t u = 0; u < nunits; u++) {
    heads[u] = call->told[u].head;
    differ   = differ || call->told[u].nbytes != call->told[0].nbytes;
    if (call->told[u].nbytes > segment->nbytes)
      segment->nbytes = call->told[u].nbytes;
  }
  for (size_t u = 0; u < nunits && differ; u++)
    sizes[u] = call->told[u].nbytes;
  dart__segment_free_tables(segment);
  segment->tables = call->tables;
  segment->sizes  = differ ? sizes : NULL;
  segment->heads  = heads;
  call->tables    = NULL;
  dart__segment_share_tables(team, segment, differ ? sizes : heads,
                             (differ ? 2 : 1) * nunits * sizeof *heads);
}

/* Describe the segment as what it is now. It is in the table, of pages as yet, so it is entered anew; nobody knows of
 * it before the barrier. */
static void commit(dart__team_t *team, dart__segment_t *segment, call_t *call)
{
  dart__segment_leave(team, segment);
  for (int32_t i = 0; i < team->node_nunits; i++) {
    int32_t unit = team->node_units[i];

    segment->near[dart__team_near_slot(team, unit)] += call->told[unit].head;
  }
  set_tables(team, segment, call);
  segment->adopted             = call->nbytes > 0 ? call->addr : NULL;
  segment->adopted_bytes       = call->nbytes;
  segment->epoch_pool          = call->epoch_pool;
  segment->epoch_at            = call->epochs.epoch_at;
  segment->has_epoch_block     = true;
  call->epoch_pool             = NULL;
  call->epochs.has_epoch_block = false;
  dart__segment_enter(team, segment);
  dart__coll_barrier(team);
}

/* Move the pages into the segment, on all units or on none. Agreed. */
static dart_ret_t move_in(dart__team_t *team, dart__segment_t *segment, call_t *call)
{
  char      *shared = segment->near[team->near_me] + segment->base;
  dart_ret_t mine   = dart__pages_share(call->pages, shared);
  dart_ret_t ret    = exchange_told(team, call, mine);

  if (ret == DART_OK)
    commit(team, segment, call);
  else if (mine == DART_OK)
    dart__pages_return(call->pages, shared);
  return ret;
}

/* `mine`: whether this unit's memory can be adopted. */
static dart_ret_t adopt(dart__team_t *team, dart_ret_t mine, call_t *call, int16_t *id_out)
{
  bool             is_prepared = prepare_tables(team, call);
  size_t           alone = 2 * (size_t)sysconf(_SC_PAGESIZE); /* so it has a chunk of its own */
  dart__segment_t *segment;
  dart_ret_t       ret;

  if (mine == DART_OK && !is_prepared)
    mine = DART_ERR_NOMEM;
  ret = dart__memory_alloc(team, mine, call->pages.nbytes, alone, &segment);
  if (ret == DART_OK) {
    *id_out = segment->id;
    ret     = move_in(team, segment, call);
    if (ret != DART_OK)
      dart__memory_free(team, segment);
  }
  discard_call(call);
  return ret;
}

/* An error in this unit's memory is part of the agreement, for the other units cannot detect it. */
static dart_ret_t check_memory(const char *function, const char *addr, size_t nbytes,
                               dart__pages_t *pages_out)
{
  *pages_out = (dart__pages_t){ NULL, 0 };
  if (nbytes == 0)
    return DART_OK;
  if (addr == NULL || (uintptr_t)addr % sizeof(uint64_t) != 0)
    return dart__fail(DART_ERR_INVAL, "%s: address %p is no multiple of %zu in memory", function,
                      (const void *)addr, sizeof(uint64_t));
  if (nbytes > SIZE_MAX / 4 || (uintptr_t)addr > SIZE_MAX / 2 ||
      !dart__memory_is_writable(addr, nbytes))
    return dart__fail(DART_ERR_INVAL,
                      "%s: %zu bytes at address %p are not all there to be written to", function,
                      nbytes, (const void *)addr);
  *pages_out = dart__pages_of(addr, nbytes);
  return dart__pages_check(function, *pages_out);
}

dart_ret_t dart_team_adopt(dart_team_t teamid, void *addr, size_t nbytes, dart_gptr_t *gptr)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  call_t        call = { .addr = addr, .nbytes = nbytes };
  dart_ret_t    mine, ret;
  int16_t       id = 0;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  *gptr = DART_GPTR_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__team_begin_call(team, __func__);
  mine = check_memory(__func__, addr, nbytes, &call.pages);
  ret  = adopt(team, mine, &call, &id);
  if (ret != DART_OK) {
    if (mine == DART_OK && ret != DART_ERR_UNIT_LOST &&
        !dart__was_told(dart__team_call_number(team)))
      dart__error("%s: %zu bytes (here) cannot be adopted on every unit of team %d", __func__,
                  nbytes, teamid);
    return ret;
  }
  gptr->unitid = 0;
  gptr->teamid = teamid;
  gptr->segid  = id;
  return DART_OK;
}
