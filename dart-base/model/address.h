#ifndef DART__MODEL_ADDRESS_H
#define DART__MODEL_ADDRESS_H
/* A resolved address: what a global pointer points to, checked.
 *
 * dart__locate checks every global pointer before memory is accessed. It finds team and segment (two array look-ups),
 * and checks the unit, and that `nbytes` bytes from the offset on lie in the unit's portion. It returns the near
 * address, which is one load from the chunk's table for units that may be near. The direct map below is a shorter path
 * with the same checks. */
#include <string.h>

#include <dash/dart/ext/dart_inline_near.h>
#include <dash/dart/if/dart_globmem.h>

#include "base/last_call.h"
#include "model/team.h"

typedef struct {
  dart__team_t    *team;
  dart__segment_t *segment;
  int32_t          unit;   /* team id */
  uint64_t         offset; /* bytes from the start of the unit's portion */
  char            *near;   /* where it is mapped in this process; NULL: it is not */
} dart__address_t;

/** Log in one line why dart__locate refuses a pointer; returns DART_ERR_INVAL. */
dart_ret_t dart__locate_error(const char *function, dart_gptr_t gptr, size_t nbytes)
    __attribute__((cold));

/** The segment of a pointer and its team; unit and offset are not checked. NULL: there is none. */
static inline dart__segment_t *dart__locate_segment(dart_gptr_t gptr, dart__team_t **team_out)
{
  dart__team_t *team = dart__team_find(gptr.teamid);

  *team_out = team;
  return team == NULL ? NULL : dart__segment_find(team, gptr.segid);
}

/** Such a segment, or registered memory of which this unit has deregistered its portion: what was started on other
 *  units' portions goes on, and so does what is done to them. */
static inline dart__segment_t *dart__locate_known(dart_gptr_t gptr, dart__team_t **team_out)
{
  dart__team_t *team = dart__team_find(gptr.teamid);

  *team_out = team;
  return team == NULL ? NULL : dart__segment_find_known(team, gptr.segid);
}

/** Whether it is aligned to `size` bytes, a power of 2 of at most DART__CACHE_LINE. Of a far portion the offset tells: it
 *  starts at a cache line, unless it was registered or adopted. */
static inline bool dart__is_aligned(const dart__address_t *at, size_t size)
{
  uint64_t               address = (uint64_t)(uintptr_t)at->near;
  const dart__segment_t *segment = at->segment;

  if (at->near == NULL) {
    address = at->offset;
    if (segment->low != NULL)
      address += segment->low[at->unit];
    else if (segment->heads != NULL)
      address += segment->heads[at->unit];
  }
  return (address & (size - 1)) == 0;
}

/** Where this unit's portion starts, as the program knows it. */
static inline char *dart__own_start(const dart__team_t *team, const dart__segment_t *segment)
{
  if (segment->adopted != NULL)
    return segment->adopted;
  return segment->address != NULL ? (char *)(uintptr_t)segment->address[team->node_me]
                                  : segment->near[team->near_me] + segment->base;
}

/** Where memory of the calling unit is in its process, allocated or registered. */
static inline void *dart__own_address(const dart__address_t *at)
{
  return at->segment->address == NULL
             ? at->near
             : (char *)(uintptr_t)at->segment->address[at->team->node_me] + at->offset;
}

/** Resolve `gptr` for an access to `nbytes` bytes. `function` names the caller in the log line. */
static inline dart_ret_t dart__locate(const char *function, dart_gptr_t gptr, size_t nbytes,
                                      dart__address_t *address_out)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_known(gptr, &team);
  uint64_t         offset  = gptr.addr_or_offs.offset;
  uint64_t         size;
  char            *near;

  dart__call_note(function);
  /* a negative unit is a large unsigned number */
  if (__builtin_expect(segment == NULL || (uint32_t)gptr.unitid >= (uint32_t)team->nunits, 0))
    goto refuse;
  near = dart__team_near(team, segment->near, gptr.unitid);
  size = dart__segment_size(segment, gptr.unitid);
  if (__builtin_expect(nbytes > size || offset > size - nbytes, 0))
    goto refuse;

  address_out->team    = team;
  address_out->segment = segment;
  address_out->unit    = gptr.unitid;
  address_out->offset  = offset;
  address_out->near    = near;
  if (__builtin_expect(near != NULL, 1))
    address_out->near = near + segment->base + offset;
  else if (__builtin_expect(dart__segment_has_ended(segment), 0) && gptr.unitid == team->me)
    goto refuse;
  return DART_OK;

refuse:
  dart__locate_error(function, gptr, nbytes);
  return DART_ERR_INVAL; /* so that compilers see it */
}

#endif
