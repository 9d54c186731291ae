/* Memory of teams: segments are allocated and freed, addresses are looked up, and memory of the program is registered.
 *
 * Each portion of a segment gets guards, and a freed segment is kept for a while (segment.c). */
#include "board.h"
#include "bytes.h"
#include "check_type.h"
#include "compare.h"
#include "guard_pages.h"
#include "member.h"
#include "nesting.h"
#include "object.h"
#include "open_epochs.h"
#include "opening.h"
#include "pending.h"
#include "segment.h"
#include "stuck.h"
#include "underway.h"

typedef struct {
  dart_team_t     team;
  size_t          alignment; /* 0: no alignment was requested */
  size_t          nelem;
  dart_datatype_t type;
} request_t;

/* The size exceeds an address space: DART refuses it on all units. */
static bool is_too_much(const request_t *request)
{
  return request->nelem >> 46 != 0;
}

static dart_ret_t allocate(const request_t *request, bool has_pages, dart_gptr_t *gptr)
{
  bool            plain     = is_too_much(request);
  dart_datatype_t type      = plain ? request->type : DART_TYPE_BYTE;
  size_t          alignment = request->alignment, page = dart__check_page();
  size_t          nbytes = request->nelem * dart__check_size(request->type);

  if (has_pages && alignment < page)
    alignment = page;
  nbytes = plain       ? request->nelem
           : has_pages ? dart__check_pages_room(nbytes)
                       : nbytes + DART__CHECK_GUARD;
  return alignment == 0 ? pdart_team_memalloc_aligned(request->team, nbytes, type, gptr)
                        : pdart_team_memalign(request->team, alignment, nbytes, type, gptr);
}

static bool is_short(dart_ret_t ret)
{
  return ret == DART_ERR_NOMEM || ret == DART_ERR_OTHER;
}

/* The id of the segment is free or new, and no unit uses a segment of this id before this unit returns. */
static void forget_locks(dart_gptr_t gptr)
{
  int32_t me;
  size_t  size;

  if (dart__check_team(gptr.teamid, &me, &size) && me == 0)
    dart__check_nest_freed(gptr.teamid, gptr.segid, -1, 0, UINT64_MAX);
}

/* If memory is short, all units of the team get the same error. They release the segments that they keep, and try
 * again. */
static dart_ret_t make_segment(const request_t *request, dart_gptr_t *gptr, dart__at_t at)
{
  bool       has_pages = dart__check_segment_has_pages(request->team);
  dart_ret_t ret       = allocate(request, has_pages, gptr);

  if (is_short(ret) && dart__check_segments_release(request->team))
    ret = allocate(request, has_pages, gptr);
  if (is_short(ret) && has_pages) {
    has_pages = false;
    ret       = allocate(request, has_pages, gptr);
  }
  if (ret == DART_OK) {
    forget_locks(*gptr);
    ret = dart__check_segment_add(*gptr, request->nelem * dart__check_size(request->type),
                                  has_pages, at);
    if (ret != DART_OK)
      *gptr = DART_GPTR_NULL;
  }
  return ret;
}

/* Whether this unit takes part in the collective call. DART refuses invalid arguments on this unit alone. */
static bool takes_part(dart_team_t team, dart_datatype_t dtype, const dart_gptr_t *gptr)
{
  int32_t me;
  size_t  size;

  return gptr != NULL && dart__check_team(team, &me, &size) &&
         dart__check_type_number(dtype) < UINT64_C(1) << 40;
}

dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t *gptr)
{
  dart__at_t           at     = DART__AT(dart_team_memalloc_aligned);
  dart__check_record_t record = { .root = 0 };

  if (!takes_part(teamid, dtype, gptr))
    return pdart_team_memalloc_aligned(teamid, nelem, dtype, gptr);
  dart__check_enter(teamid, record, at);
  if (!dart__check_for(DART__CHECK_MEMORY))
    return pdart_team_memalloc_aligned(teamid, nelem, dtype, gptr);
  return make_segment(&(request_t){ teamid, 0, nelem, dtype }, gptr, at);
}

dart_ret_t dart_team_memalign(dart_team_t teamid, size_t alignment, size_t nelem,
                              dart_datatype_t dtype, dart_gptr_t *gptr)
{
  dart__at_t at = DART__AT(dart_team_memalign);

  if (!takes_part(teamid, dtype, gptr))
    return pdart_team_memalign(teamid, alignment, nelem, dtype, gptr);
  dart__check_enter(teamid, (dart__check_record_t){ .other = alignment }, at);
  if (!dart__check_for(DART__CHECK_MEMORY) || alignment == 0) /* DART refuses 0 on all units */
    return pdart_team_memalign(teamid, alignment, nelem, dtype, gptr);
  return make_segment(&(request_t){ teamid, alignment, nelem, dtype }, gptr, at);
}

/* ---- freeing ------------------------------------------------------------------------------------- */

dart_ret_t dart_team_memfree(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_team_memfree);
  bool       is_known;
  dart_ret_t ret;

  if (DART_GPTR_ISNULL(gptr) || gptr.segid <= 0 || !dart__check_access(gptr, 0, at))
    return DART_GPTR_ISNULL(gptr) ? DART_OK : DART_ERR_INVAL;
  dart__check_race_segment(gptr, false);
  dart__check_enter(gptr.teamid, (dart__check_record_t){ .root = (uint64_t)gptr.segid + 1 }, at);
  dart__check_pending_segment(gptr, at);
  is_known = dart__check_segment_freed(gptr, at);
  dart__check_open_epochs_end(gptr.teamid, &gptr.segid);
  dart__check_stuck_end(gptr.teamid, &gptr.segid);
  dart__check_race_freed(gptr);
  if (!is_known) {
    ret = pdart_team_memfree(gptr);
    forget_locks(gptr);
    return ret;
  }
  pdart_flush_all(gptr); /* as DART does before it frees: pending operations write to these pages */
  ret = pdart_barrier(gptr.teamid);
  forget_locks(gptr);
  dart__check_segment_keep(gptr);
  return ret;
}

/* ---- addresses ----------------------------------------------------------------------------------- */

dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void **addr)
{
  if (dart__check_access(gptr, 0, DART__AT(dart_gptr_getaddr)))
    return pdart_gptr_getaddr(gptr, addr);
  if (addr != NULL)
    *addr = NULL;
  return DART_ERR_INVAL;
}

dart_ret_t dart_gptr_setaddr(dart_gptr_t *gptr, void *addr)
{
  if (gptr != NULL && !dart__check_use(*gptr, DART__AT(dart_gptr_setaddr)))
    return DART_ERR_INVAL;
  return pdart_gptr_setaddr(gptr, addr);
}

dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t *flags)
{
  if (dart__check_use(gptr, DART__AT(dart_gptr_getflags)))
    return pdart_gptr_getflags(gptr, flags);
  if (flags != NULL)
    *flags = 0;
  return DART_ERR_INVAL;
}

dart_ret_t dart_gptr_setflags(dart_gptr_t *gptr, uint16_t flags)
{
  if (gptr != NULL && !dart__check_use(*gptr, DART__AT(dart_gptr_setflags)))
    return DART_ERR_INVAL;
  return pdart_gptr_setflags(gptr, flags);
}

void *dart_near_ptr(dart_gptr_t gptr)
{
  return dart__check_access(gptr, 0, DART__AT(dart_near_ptr)) ? pdart_near_ptr(gptr) : NULL;
}

dart_ret_t dart_resolve(dart_gptr_t gptr, uint64_t nbytes, dart_resolved_t *resolved)
{
  if (resolved != NULL)
    *resolved = (dart_resolved_t){ NULL, gptr, 0 };
  return dart__check_access(gptr, nbytes, DART__AT(dart_resolve))
             ? pdart_resolve(gptr, nbytes, resolved)
             : DART_ERR_INVAL;
}

/* ---- registered memory --------------------------------------------------------------------------- */

/* Ids of teams and segments have 16 bits each, and ids of registered memory are never 0. */
static uintptr_t registered_key(dart_gptr_t gptr)
{
  return (uintptr_t)(uint16_t)gptr.teamid << 16 | (uint16_t)gptr.segid;
}

/* The first unit of the team reports, as for segments. */
static dart_ret_t registered(dart_ret_t ret, dart_gptr_t *gptr, dart__at_t at)
{
  int32_t me;
  size_t  size;

  if (ret == DART_OK && dart__check_team(gptr->teamid, &me, &size) && me == 0)
    dart__check_made(ret, DART__CHECK_REGISTERED, registered_key(*gptr), gptr->teamid, at);
  return ret;
}

dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                 void *addr, dart_gptr_t *gptr)
{
  dart__at_t at = DART__AT(dart_team_memregister);

  if (takes_part(teamid, dtype, gptr))
    dart__check_enter(teamid, (dart__check_record_t){ .root = 0 }, at);
  return registered(pdart_team_memregister(teamid, nlelem, dtype, addr, gptr), gptr, at);
}

dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr)
{
  dart__check_record_t record = { .nelem = nelem, .type = dart__check_type_number(dtype) };
  dart__at_t           at     = DART__AT(dart_team_memregister_aligned);

  if (takes_part(teamid, dtype, gptr))
    dart__check_enter(teamid, record, at);
  return registered(pdart_team_memregister_aligned(teamid, nelem, dtype, addr, gptr), gptr, at);
}

dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_team_memderegister);
  dart_ret_t ret;

  if (!dart__check_use(gptr, at))
    return DART_ERR_INVAL;
  dart__check_race_segment(gptr, false);
  ret = pdart_team_memderegister(gptr);
  dart__check_ended(ret, DART__CHECK_REGISTERED, registered_key(gptr), at);
  if (ret == DART_OK) {
    dart__check_open_epochs_end(gptr.teamid, &gptr.segid);
    dart__check_stuck_end(gptr.teamid, &gptr.segid);
    dart__check_race_freed(gptr);
    dart__check_nest_freed(gptr.teamid, gptr.segid, dart__check_team_me(gptr), 0, UINT64_MAX);
  }
  return ret;
}

dart_ret_t dart_team_adopt(dart_team_t teamid, void *addr, size_t nbytes, dart_gptr_t *gptr)
{
  dart_ret_t ret = pdart_team_adopt(teamid, addr, nbytes, gptr);

  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES) && dart__check_team_size(teamid) > 1)
    dart__check_race_collective(teamid, DART__CALL_dart_team_adopt, 0);
  return ret;
}
