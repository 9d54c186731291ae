/* Registration of user memory as a segment: every unit brings an address and a size of its own.
 * Registering is collective, the reverse is local, so the units' tables may differ: they agree on
 * an id that is free with all of them. */
#include "api/register.h"

#include <stdlib.h>

#include <dash/dart/if/dart_globmem.h>

#include "api/check.h"
#include "api/coll.h"
#include "model/op.h"
#include "model/place.h"
#include "node/foreign.h"
#include "port.h"

typedef struct {
  uint64_t address;
  uint64_t nbytes;
} contribution_t;

/* The highest negative id that is free on all units; 0: there is none. Everyone proposes the first
 * id free with it that is not above the lowest proposal, until the lowest stays the same: then it
 * was everyone's. */
static dart_ret_t agree_on_id(dart__team_t *team, int16_t *id_out)
{
  int        proposal = dart__team_free_registered(team, -1), lowest, before = 0;
  dart_ret_t ret;

  for (;;) {
    int vote = proposal != 0 ? proposal : INT16_MIN - 1; /* none left here: nor for anyone */

    ret = dart__coll_reduce(team, &vote, &lowest, 1, DART_TYPE_INT, DART_OP_MIN, DART__EVERY_UNIT);
    if (ret != DART_OK)
      return ret;
    *id_out = lowest < INT16_MIN ? 0 : (int16_t)lowest;
    if (lowest == before || *id_out == 0)
      return DART_OK;
    before   = lowest;
    proposal = dart__team_free_registered(team, (int16_t)lowest);
  }
}

static void delete_segment(dart__segment_t *segment)
{
  if (segment == NULL)
    return;
  if (segment->chunk != NULL)
    free(segment->chunk->near);
  free(segment->chunk);
  free(segment->address);
  free(segment->sizes);
  free(segment);
}

static dart__segment_t *new_segment(const dart__team_t *team)
{
  size_t           nunits  = (size_t)team->nunits;
  dart__segment_t *segment = calloc(1, sizeof *segment);

  if (segment == NULL)
    return NULL;
  segment->address = calloc(nunits, sizeof *segment->address);
  segment->sizes   = calloc(nunits, sizeof *segment->sizes);
  segment->chunk   = calloc(1, sizeof *segment->chunk);
  if (segment->chunk != NULL)
    segment->chunk->near = calloc(nunits, sizeof *segment->chunk->near); /* near to no one */
  if (segment->address == NULL || segment->sizes == NULL || segment->chunk == NULL ||
      segment->chunk->near == NULL) {
    delete_segment(segment);
    return NULL;
  }
  segment->near = segment->chunk->near;
  return segment;
}

/* Learn what every unit brings. */
static dart_ret_t collect(dart__team_t *team, void *address, size_t nbytes, dart__segment_t *segment)
{
  contribution_t *all = calloc((size_t)team->nunits, sizeof *all);
  contribution_t  own = { (uint64_t)(uintptr_t)address, nbytes };
  dart_ret_t      ret = dart__coll_agree(team, segment == NULL || all == NULL ? DART_ERR_NOMEM
                                                                              : DART_OK);

  if (ret == DART_OK)
    ret = dart__coll_allgather(team, &own, all, sizeof own);
  for (int32_t u = 0; u < team->nunits && ret == DART_OK; u++) {
    segment->address[u] = all[u].address;
    segment->sizes[u]   = all[u].nbytes;
  }
  free(all);
  return ret;
}

static dart_ret_t reg(dart__team_t *team, void *address, size_t nbytes, int16_t *id_out)
{
  dart__segment_t *segment = new_segment(team);
  dart_ret_t       mine, ret = collect(team, address, nbytes, segment);
  int16_t          id;

  if (ret == DART_OK)
    ret = agree_on_id(team, &id);
  if (ret == DART_OK && id == 0) {
    dart__error("dart_team_memregister: team %d has used up its ids for registered memory", team->id);
    ret = DART_ERR_OTHER;
  }
  if (ret != DART_OK) {
    delete_segment(segment);
    return ret;
  }

  dart__foreign_consent();
  segment->id = id;
  dart__segment_enter(team, segment); /* before others can know of it */
  mine = dart__port_register(team, segment->chunk, address, nbytes);
  ret  = dart__coll_agree(team, mine);
  if (ret == DART_OK) {
    *id_out = id;
    return DART_OK;
  }
  if (mine == DART_OK)
    dart__port_deregister(team, segment->chunk);
  dart__segment_leave(team, segment);
  delete_segment(segment);
  return ret;
}

static dart_ret_t memregister(const char *function, dart_team_t teamid, size_t nelem,
                              dart_datatype_t dtype, void *addr, dart_gptr_t *gptr)
{
  dart__team_t       *team = dart__check_team(function, teamid);
  const dart__type_t *type = dart__type_find(dtype);
  size_t              nbytes;
  dart_ret_t          ret;

  if (gptr == NULL) {
    dart__error("%s: gptr is NULL", function);
    return DART_ERR_INVAL;
  }
  *gptr = DART_GPTR_NULL;
  if (type == NULL || type->kind != DART__TYPE_BASIC) {
    dart__error("%s: type %#lx is no basic type", function, (unsigned long)dtype);
    return DART_ERR_INVAL;
  }
  if (team == NULL || !dart__check_nbytes(function, nelem, type->elem_size, &nbytes))
    return DART_ERR_INVAL;
  if (nbytes > 0 && (addr == NULL || (uintptr_t)addr > UINTPTR_MAX - nbytes)) {
    dart__error("%s: %zu bytes at address %p", function, nbytes, addr);
    return DART_ERR_INVAL;
  }
  ret = reg(team, addr, nbytes, &gptr->segid);
  if (ret != DART_OK) {
    *gptr = DART_GPTR_NULL;
    dart__error("%s: %zu bytes cannot be registered on every unit of team %d", function, nbytes,
                teamid);
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

void dart__deregister(dart__team_t *team, dart__segment_t *segment)
{
  dart__segment_leave(team, segment);
  dart__port_deregister(team, segment->chunk);
  delete_segment(segment);
}

dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (DART_GPTR_ISNULL(gptr))
    return DART_OK;
  segment = dart__locate_segment(gptr, &team);
  if (segment == NULL || gptr.segid >= 0) {
    dart__error("%s: segment %d of team %d is not registered", __func__, gptr.segid, gptr.teamid);
    return DART_ERR_INVAL;
  }
  dart__deregister(team, segment);
  return DART_OK;
}
