/* Registration of user memory as a segment: every unit contributes an address and a size of its own.
 * Registration is collective but deregistration is local, so the units' tables may differ: they agree on
 * an id that is free on all of them.
 *
 * A unit that deregisters takes its portion out of its own table, so that requests for it are refused and epochs on it
 * are over, and detaches it. It keeps what it knows of the portions of others, which these may have for long, until the
 * id is taken by a new registration: then all have deregistered. */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_globmem.h>

#include "base/free_memory.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "data/name.h"
#include "far/engine.h"
#include "memory/chunk_new.h"
#include "memory/node_table.h"
#include "memory/pool.h"
#include "memory/segment_state.h"
#include "model/address.h"
#include "model/argument_check.h"
#include "model/tell.h"
#include "net.h"
#include "wait/foreign.h"

DART__PROFILED(dart_team_memregister);
DART__PROFILED(dart_team_memregister_aligned);
DART__PROFILED(dart_team_memderegister);

/* What a unit tells those of its node. */
typedef struct {
  uint64_t address;
  uint64_t epoch; /* offset in the unit's pool of the shared state of its epochs, ... */
  uint64_t ends;  /* ... and how many segments have had it before */
} contribution_t;

/* What this unit allocates: the segment, and a table of the node's units' contributions. */
typedef struct {
  dart__segment_t *segment;
  contribution_t  *contributions;
  bool             sizes_differ; /* as was agreed on */
} plan_t;

/* The highest negative id that is free on all units, if all are DART_OK. Each unit proposes the highest id that is free on
 * it and not above the lowest proposal of the round before, until all propose the same. They compare the
 * sizes of their portions, too. */
static dart_ret_t agree_on_segid(dart__team_t *team, dart_ret_t mine, size_t nbytes, plan_t *plan)
{
  int proposal = dart__team_free_registered(team, -1);
  /* negated: the lowest id is the largest; of the complements; the worst result; sizes, and of their complements */
  unsigned long most[5];

  for (;;) {
    most[0] = proposal != 0 ? (unsigned long)-proposal
                            : -INT16_MIN + 1; /* no id is free here, so none on all */
    most[1] = ~most[0];
    most[2] = mine;
    most[3] = nbytes;
    most[4] = ~most[3];
    dart__coll_most(team, most, 5);
    if (dart__team_is_broken(team))
      return DART_ERR_UNIT_LOST;
    if (most[2] != DART_OK)
      return (dart_ret_t)most[2];
    if (most[0] > -INT16_MIN)
      return dart__fail(DART_ERR_OTHER,
                        "dart_team_memregister: team %d has used up its ids for registered memory",
                        team->id);
    if (most[0] == ~most[1]) {
      plan->segment->id     = (int16_t) - (long)most[0];
      plan->segment->nbytes = most[3];
      plan->sizes_differ    = most[3] != ~most[4];
      return DART_OK;
    }
    proposal = dart__team_free_registered(team, (int16_t) - (long)most[0]);
  }
}

static void delete_segment(dart__segment_t *segment)
{
  if (segment == NULL)
    return;
  dart__segment_state.end(segment);
  dart__chunk_delete(segment->chunk);
  free(segment->epoch_pool);
  free(segment->epoch_ends);
  free(segment->address);
  dart__segment_free_tables(segment);
  free(segment);
}

static dart__segment_t *new_segment(const dart__team_t *team)
{
  size_t           nnear   = (size_t)team->node_nunits;
  dart__segment_t *segment = calloc(1, sizeof *segment);

  if (segment == NULL)
    return NULL;
  segment->address    = calloc(nnear, sizeof *segment->address);
  segment->chunk      = dart__chunk_new(team, 0, false); /* near to no unit */
  segment->epoch_pool = calloc(nnear, sizeof *segment->epoch_pool);
  segment->epoch_ends = calloc(nnear, sizeof *segment->epoch_ends);
  if (segment->address == NULL || segment->chunk == NULL || segment->epoch_pool == NULL ||
      segment->epoch_ends == NULL ||
      !dart__segment_prepare_tables(team, segment, sizeof *segment->low) ||
      !dart__segment_state.alloc(segment)) {
    delete_segment(segment);
    return NULL;
  }
  segment->near = segment->chunk->near;
  return segment;
}

/* The other units may access this unit's memory as soon as they know its address. */
static dart_ret_t prepare_registration(dart__team_t *team, plan_t *plan_out)
{
  dart__foreign_consent();
  plan_out->segment       = new_segment(team);
  plan_out->contributions = calloc((size_t)team->node_nunits, sizeof *plan_out->contributions);
  return plan_out->segment != NULL && plan_out->contributions != NULL &&
                 dart__segment_prepare_ended(team)
             ? DART_OK
             : DART_ERR_NOMEM;
}

/* All units tell one another the size of their portions, if these differ, and where they lie in a cache line. */
static dart_ret_t exchange_contributions(dart__team_t *team, void *address, size_t nbytes,
                                         const plan_t *plan)
{
  dart__segment_t *segment = plan->segment;
  contribution_t   own     = { (uint64_t)(uintptr_t)address, segment->epoch_at,
                               dart__segment_state.count_ends(segment) };
  uint64_t         size    = nbytes;
  uint8_t          low     = own.address % DART__CACHE_LINE;
  dart_ret_t       ret;

  dart__coll_share_on_node(team, &own, plan->contributions, sizeof own);
  for (int32_t i = 0; i < team->node_nunits; i++) {
    segment->address[i]    = plan->contributions[i].address;
    segment->epoch_pool[i] = plan->contributions[i].epoch;
    segment->epoch_ends[i] = (uint32_t)plan->contributions[i].ends;
  }
  ret =
      dart__segment_fill_tables(team, segment, plan->sizes_differ ? &size : NULL, &low, sizeof low);
  segment->low = segment->tables[1];
  return ret;
}

/* Remove the segment from the table while no request of a far unit is applied. The thread that applies the next ones,
 * the agent or another, does not find it, and no thread that has found it is still using it. */
static void remove_segment(dart__team_t *team, dart__segment_t *segment)
{
  dart__engine_hold();
  dart__segment_leave(team, segment);
  dart__engine_release();
}

/* Register the memory. Collective and agreed. */
static dart_ret_t enter(dart__team_t *team, dart__segment_t *segment, void *address, size_t nbytes)
{
  dart_ret_t mine, ret;

  delete_segment(dart__segment_take_ended(team, segment->id)); /* all have deregistered it */
  segment->generation = ++team->nregistered;
  dart__segment_enter(team, segment); /* before far units can access it */
  mine = dart__net_register(team, segment->chunk, address, nbytes);
  ret  = team->nnodes > 1 ? dart__coll_agree(team, mine) : mine;
  if (ret == DART_OK)
    return DART_OK;
  if (mine == DART_OK)
    dart__net_chunk_close(team, segment->chunk);
  remove_segment(team, segment);
  return ret;
}

/* `mine`: DART_OK if this unit's memory can be registered. */
static dart_ret_t reg(dart__team_t *team, dart_ret_t mine, void *address, size_t nbytes,
                      int16_t *id_out)
{
  plan_t     plan     = { .sizes_differ = false };
  dart_ret_t prepared = prepare_registration(team, &plan);
  dart_ret_t ret      = agree_on_segid(team, dart__worse(mine, prepared), nbytes, &plan);

  if (ret == DART_OK)
    ret = exchange_contributions(team, address, nbytes, &plan);
  if (ret == DART_OK)
    ret = enter(team, plan.segment, address, nbytes);
  free(plan.contributions);
  if (ret == DART_OK)
    *id_out = plan.segment->id;
  else
    delete_segment(plan.segment);
  return ret;
}

/* An error in this unit's memory is part of the agreement, for the other units cannot detect it. */
static dart_ret_t check_memory(const char *function, size_t nelem, size_t size, const void *addr,
                               size_t *nbytes_out)
{
  if (!dart__check_nbytes(function, nelem, size, nbytes_out))
    return DART_ERR_INVAL;
  if (*nbytes_out == 0 || (addr != NULL && (uintptr_t)addr <= UINTPTR_MAX - *nbytes_out &&
                           dart__memory_is_writable(addr, *nbytes_out)))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL,
                    "%s: %zu bytes at address %p are not all there to be written to", function,
                    *nbytes_out, addr);
}

static dart_ret_t memregister(const char *function, dart_team_t teamid, size_t nelem,
                              dart_datatype_t dtype, void *addr, dart_gptr_t *gptr)
{
  dart__team_t       *team   = dart__check_team(function, teamid);
  const dart__type_t *type   = dart__type_find(dtype);
  size_t              nbytes = 0;
  dart_ret_t          mine, ret;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", function);
  *gptr = DART_GPTR_NULL;
  if (type == NULL || type->kind != DART__TYPE_BASIC)
    return dart__fail(DART_ERR_INVAL, "%s: type %s is no basic type", function,
                      dart__type_text(dtype).text);
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__team_begin_call(team, function);
  mine = check_memory(function, nelem, type->elem_size, addr, &nbytes);
  ret  = reg(team, mine, addr, nbytes, &gptr->segid);
  if (ret != DART_OK) {
    *gptr = DART_GPTR_NULL;
    if (mine == DART_OK && ret != DART_ERR_UNIT_LOST &&
        !dart__was_told(dart__team_call_number(team)))
      dart__error("%s: %zu bytes (here) cannot be registered on every unit of team %d", function,
                  nbytes, teamid);
    return ret;
  }
  gptr->unitid = 0;
  gptr->teamid = teamid;
  return DART_OK;
}

dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                 void *addr, dart_gptr_t *gptr)
{
  return memregister(__func__, teamid, nlelem, dtype, addr, gptr);
}

dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr)
{
  return memregister(__func__, teamid, nelem, dtype, addr, gptr);
}

/* First as an ended segment: another thread finds it all the time. */
static void deregister(dart__team_t *team, dart__segment_t *segment)
{
  dart__segment_end(team, segment);
  remove_segment(team, segment);
  dart__net_chunk_close(team, segment->chunk);
  dart__segment_state.end(segment);
  segment->has_epoch_block = false; /* it is returned */
}

void dart__register_close(dart__team_t *team, int32_t nlive)
{
  for (int id = -1; id >= INT16_MIN && nlive > 0; id--)
    if (dart__segment_find(team, (int16_t)id) != NULL) {
      deregister(team, dart__segment_find(team, (int16_t)id));
      nlive--;
    }
  for (int id = -1; id >= INT16_MIN && team->nended > 0; id--)
    delete_segment(dart__segment_take_ended(team, (int16_t)id));
}

dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (DART_GPTR_ISNULL(gptr))
    return DART_OK;
  dart__call_note(__func__);
  segment = dart__locate_segment(gptr, &team);
  if (segment == NULL || gptr.segid >= 0)
    return dart__fail(DART_ERR_INVAL, "%s: segment %d of team %d is not registered", __func__,
                      gptr.segid, gptr.teamid);
  deregister(team, segment);
  return DART_OK;
}
