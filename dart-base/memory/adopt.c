/* Adoption: memory that the program has becomes a segment.
 *
 * The segment is allocated in a chunk of its own, with whole pages for what the units want to move. All tell each other
 * where on their first page the memory starts: their heads. By that the portions of the chunk begin later, and all that is
 * near, far, or by the direct map finds them as those of any segment. Then each unit moves its pages there (pages.h). The
 * state of epochs, which lies behind the portion of an allocated segment, is in the pool as for registered memory, because
 * it has to be aligned on every unit.
 *
 * Prepare alone, agree, commit: tables, and what the pages are, are part of the agreement on the allocation; whether
 * the pages were moved is agreed on at the end, and undone if it failed on one unit. */
#include <dash/dart/ext/dart_adopt.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "memory/memory.h"
#include "memory/node_table.h"
#include "memory/pages.h"
#include "memory/pool.h"
#include "memory/segment_state.h"
#include "model/argument_check.h"
#include "model/tell.h"

DART__PROFILED(dart_team_adopt);

/* One call. */
typedef struct {
  char           *addr;
  size_t          nbytes;
  dart__pages_t   pages;
  uint64_t       *epoch_pool; /* by units of the node */
  dart__segment_t described;  /* has the tables, and the block of epochs, for the segment */
} call_t;

static bool prepare_tables(const dart__team_t *team, call_t *call)
{
  call->epoch_pool = calloc((size_t)team->node_nunits, sizeof *call->epoch_pool);
  return call->epoch_pool != NULL &&
         dart__segment_prepare_tables(team, &call->described, sizeof *call->described.heads) &&
         dart__segment_state.alloc(&call->described);
}

/* What the segment has not taken. */
static void discard_call(call_t *call)
{
  if (call->described.has_epoch_block)
    dart__segment_state.release(call->described.epoch_at);
  dart__segment_free_tables(&call->described);
  free(call->epoch_pool);
}

static uint64_t head_of(const call_t *call)
{
  return call->nbytes > 0 ? (uint64_t)(call->addr - call->pages.first) : 0;
}

/* All units tell one another the sizes of their portions, if these differ, and their heads. Agreed. */
static dart_ret_t share_tables(dart__team_t *team, call_t *call, bool sizes_differ)
{
  uint64_t size = call->nbytes, head = head_of(call);

  dart__coll_share_on_node(team, &call->described.epoch_at, call->epoch_pool, sizeof(uint64_t));
  return dart__segment_fill_tables(team, &call->described, sizes_differ ? &size : NULL, &head,
                                   sizeof head);
}

/* Describe the segment as what it is now. It is in the table, of pages as yet, so it is entered anew; nobody knows of
 * it yet. */
static void describe(dart__team_t *team, dart__segment_t *segment, call_t *call, size_t largest)
{
  dart__segment_leave(team, segment);
  dart__segment_free_tables(segment);
  memcpy(segment->tables, call->described.tables, sizeof segment->tables);
  memset(call->described.tables, 0, sizeof segment->tables);
  segment->nbytes                 = largest;
  segment->sizes                  = segment->tables[0];
  segment->heads                  = segment->tables[1];
  segment->adopted                = call->nbytes > 0 ? call->addr : NULL;
  segment->adopted_bytes          = call->nbytes;
  segment->epoch_pool             = call->epoch_pool;
  segment->epoch_at               = call->described.epoch_at;
  segment->has_epoch_block        = true;
  call->epoch_pool                = NULL;
  call->described.has_epoch_block = false;
  for (int32_t i = 0; i < team->node_nunits; i++) {
    int32_t unit = team->node_units[i];

    segment->near[dart__team_near_slot(team, unit)] += segment->heads[unit];
  }
  dart__segment_enter(team, segment);
}

/* Move the pages into the segment, on all units or on none. Agreed. */
static dart_ret_t move_in(dart__team_t *team, dart__segment_t *segment, call_t *call,
                          size_t largest)
{
  char      *shared = segment->near[team->near_me] + segment->base;
  dart_ret_t mine   = dart__pages_share(call->pages, shared), ret;

  describe(team, segment, call, largest);
  ret = dart__coll_agree(team, mine);
  if (ret == DART_OK)
    return DART_OK;
  segment->adopted = NULL;
  if (mine == DART_OK)
    dart__pages_return(call->pages, shared);
  return ret;
}

/* `mine`: whether this unit's memory can be adopted. */
static dart_ret_t adopt(dart__team_t *team, dart_ret_t mine, call_t *call, int16_t *id_out)
{
  bool             is_prepared = prepare_tables(team, call);
  size_t           alone    = 2 * (size_t)sysconf(_SC_PAGESIZE); /* so it has a chunk of its own */
  unsigned long    sizes[2] = { call->nbytes, ~(unsigned long)call->nbytes };
  dart__segment_t *segment;
  dart_ret_t       ret;

  if (mine == DART_OK && !is_prepared)
    mine = DART_ERR_NOMEM;
  ret = dart__memory_alloc(team, mine, call->pages.nbytes, alone, sizes, &segment);
  if (ret == DART_OK) {
    *id_out = segment->id;
    ret     = share_tables(team, call, sizes[0] != ~sizes[1]);
    if (ret == DART_OK)
      ret = move_in(team, segment, call, sizes[0]);
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
