/* Segments of teams. Each portion is allocated with a guard behind it, whose bytes are looked at in every
 * call that synchronises; and each unit knows the sizes of all portions, since DART itself would take the
 * guard for a part of the portion.
 *
 * A segment that was freed is kept, and its id with it, until its team has freed some more: so an access to
 * it is told from one to a new segment that has its id. All units free the same segments in the same order,
 * so they give back the same ones. Where memory is short all units are told so, and give back all of the
 * team's, and try again. */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "compare.h"
#include "memory.h"
#include "object.h"
#include "open_epochs.h"
#include "pending.h"
#include "report.h"
#include "type.h"
#include "underway.h"

enum { KEPT = 8 }; /* freed segments of a team that are kept */

typedef enum { UNKNOWN, ALIVE, FREED } state_t;

typedef struct {
  state_t        state;
  uint32_t       nunits;
  uint64_t      *sizes; /* of each unit's portion */
  unsigned char *guard; /* of the own one */
  dart__at_t     made, freed;
} segment_t;

typedef struct {
  segment_t *segment; /* by id */
  size_t     count;
  int16_t    kept[KEPT]; /* the first in it is the first to go */
  size_t     nkept;
} book_t;

static book_t books[DART__CHECK_TEAMS];

static segment_t *find(dart_team_t team, int16_t id)
{
  if (team < 0 || team >= DART__CHECK_TEAMS || id <= 0 || (size_t)id >= books[team].count ||
      books[team].segment[id].state == UNKNOWN)
    return NULL;
  return &books[team].segment[id];
}

static segment_t *make(dart_team_t team, int16_t id)
{
  book_t *book = &books[team];
  size_t  count;

  if ((size_t)id >= book->count) {
    count         = 2 * (size_t)id + 8;
    book->segment = dart__check_room(book->segment, count * sizeof *book->segment);
    memset(book->segment + book->count, 0, (count - book->count) * sizeof *book->segment);
    book->count = count;
  }
  free(book->segment[id].sizes);
  return &book->segment[id];
}

/* ---- accesses ------------------------------------------------------------------------------------ */

static void report_freed(const segment_t *segment, dart_gptr_t gptr, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "memory", at, "%s uses segment %d of team %d after it was freed",
                         dart__check_calls[at.id], gptr.segid, gptr.teamid))
    return;
  dart__check_place(&report, "in", at);
  dart__check_place(&report, "freed by", segment->freed);
  dart__check_place(&report, "made by", segment->made);
  dart__check_end(&report);
}

static void report_bounds(const segment_t *segment, dart_gptr_t gptr, uint64_t nbytes,
                          dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "memory", at,
                         "%s of %llu bytes at offset %llu, in a portion of %llu bytes",
                         dart__check_calls[at.id], (unsigned long long)nbytes,
                         (unsigned long long)gptr.addr_or_offs.offset,
                         (unsigned long long)segment->sizes[gptr.unitid]))
    return;
  dart__check_line(&report, "of team unit %d, segment %d of team %d", gptr.unitid, gptr.segid,
                   gptr.teamid);
  dart__check_place(&report, "in", at);
  dart__check_place(&report, "made by", segment->made);
  dart__check_end(&report);
}

static bool is_outside(const segment_t *segment, dart_gptr_t gptr, uint64_t nbytes)
{
  uint64_t size;

  if (gptr.unitid < 0 || (uint32_t)gptr.unitid >= segment->nunits)
    return false; /* DART says so */
  size = segment->sizes[gptr.unitid];
  return nbytes > size || gptr.addr_or_offs.offset > size - nbytes;
}

bool dart__check_access(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at)
{
  const segment_t *segment;
  segment_t        found = { .state = UNKNOWN };

  if (!dart__check_for(DART__CHECK_MEMORY))
    return true;
  if (gptr.segid == DART_SEGMENT_LOCAL)
    return gptr.teamid != DART_TEAM_ALL || gptr.unitid != dart__check.me ||
           !dart__check_block_freed(gptr.addr_or_offs.offset, at);
  dart__check_lock();
  segment = find(gptr.teamid, gptr.segid);
  if (segment != NULL)
    found = *segment;
  dart__check_unlock();
  if (found.state == FREED)
    report_freed(&found, gptr, at);
  else if (found.state == ALIVE && nbytes > 0 && is_outside(&found, gptr, nbytes))
    report_bounds(&found, gptr, nbytes, at);
  else
    return true;
  return false;
}

/* ---- guards -------------------------------------------------------------------------------------- */

size_t dart__check_intact(const unsigned char *bytes, size_t n, int pattern)
{
  size_t i = 0;

  while (i < n && bytes[i] == pattern)
    i++;
  return i;
}

static void look_at_guard(segment_t *segment, dart_team_t team, int id, dart__at_t at)
{
  dart__check_report_t report;
  size_t               first;

  if (segment->state != ALIVE)
    return;
  first = dart__check_intact(segment->guard, DART__CHECK_GUARD, DART__CHECK_PATTERN);
  if (first == DART__CHECK_GUARD)
    return;
  memset(segment->guard, DART__CHECK_PATTERN, DART__CHECK_GUARD);
  if (!dart__check_begin(&report, "memory", segment->made,
                         "bytes behind this unit's portion of segment %d of team %d were changed, "
                         "%zu behind its end",
                         id, team, first))
    return;
  dart__check_line(
      &report,
      "by a store of this unit, or of one of its node, since the last call that synchronised");
  dart__check_place(&report, "found in", at);
  dart__check_place(&report, "made by", segment->made);
  dart__check_end(&report);
}

void dart__check_segment_guards(dart__at_t at)
{
  dart__check_lock();
  for (dart_team_t team = 0; team < DART__CHECK_TEAMS; team++)
    for (size_t id = 1; id < books[team].count; id++)
      look_at_guard(&books[team].segment[id], team, (int)id, at);
  dart__check_unlock();
}

void dart__check_guards(dart__at_t at)
{
  if (!dart__check_for(DART__CHECK_MEMORY))
    return;
  dart__check_segment_guards(at);
  dart__check_block_guards(at);
}

/* ---- making -------------------------------------------------------------------------------------- */

/* Give back the freed segments of a team, but for the newest `left`. Collective. */
static void give_back(dart_team_t team, size_t left)
{
  book_t *book = &books[team];

  while (book->nkept > left) {
    dart_gptr_t gptr = DART_GPTR_NULL;

    gptr.teamid = team;
    gptr.segid  = book->kept[0];
    gptr.unitid = 0;
    memmove(book->kept, book->kept + 1, --book->nkept * sizeof book->kept[0]);
    book->segment[gptr.segid].state =
        UNKNOWN; /* the id may become an allocator's, which has no entry */
    pdart_team_memfree(gptr);
  }
}

typedef struct {
  dart_team_t     team;
  size_t          alignment; /* 0: none was asked for */
  size_t          nelem;
  dart_datatype_t type;
} request_t;

/* More than an address space: DART refuses it, on all units. */
static bool is_too_much(const request_t *request)
{
  return request->nelem >> 46 != 0;
}

static dart_ret_t allocate(const request_t *request, dart_gptr_t *gptr)
{
  bool            plain = is_too_much(request);
  dart_datatype_t type  = plain ? request->type : DART_TYPE_BYTE;
  size_t          nelem =
      plain ? request->nelem : request->nelem * dart__check_size(request->type) + DART__CHECK_GUARD;

  return request->alignment == 0
             ? pdart_team_memalloc_aligned(request->team, nelem, type, gptr)
             : pdart_team_memalign(request->team, request->alignment, nelem, type, gptr);
}

/* Fill the own portion, and enter it in the book. Nobody accesses a portion before all have filled theirs,
 * for the sizes are exchanged in between. */
static void enter(dart_gptr_t gptr, uint64_t nbytes, int32_t me, size_t nunits, dart__at_t at)
{
  uint64_t      *sizes   = dart__check_room(NULL, nunits * sizeof *sizes);
  unsigned char *portion = NULL;
  segment_t     *segment;

  gptr.unitid = me;
  pdart_gptr_getaddr(gptr, (void **)&portion);
  memset(portion, DART__CHECK_FRESH, nbytes);
  memset(portion + nbytes, DART__CHECK_PATTERN, DART__CHECK_GUARD);
  if (pdart_allgather(&nbytes, sizes, 1, DART_TYPE_ULONGLONG, gptr.teamid) != DART_OK)
    pdart_abort(DART_EXIT_ABORT);
  dart__check_lock();
  segment  = make(gptr.teamid, gptr.segid);
  *segment = (segment_t){ ALIVE, (uint32_t)nunits, sizes, portion + nbytes, at, { 0 } };
  dart__check_unlock();
}

static dart_ret_t make_segment(const request_t *request, dart_gptr_t *gptr, dart__at_t at)
{
  int32_t    me;
  size_t     nunits;
  dart_ret_t ret = allocate(request, gptr);

  if ((ret == DART_ERR_NOMEM || ret == DART_ERR_OTHER) && books[request->team].nkept > 0) {
    give_back(request->team, 0);
    ret = allocate(request, gptr);
  }
  if (ret == DART_OK && dart__check_team(request->team, &me, &nunits))
    enter(*gptr, request->nelem * dart__check_size(request->type), me, nunits, at);
  return ret;
}

/* Whether this unit takes part in the call, however it ends: DART refuses others on this unit alone. */
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
  if (!dart__check_for(DART__CHECK_MEMORY) || alignment == 0) /* which DART refuses on all units */
    return pdart_team_memalign(teamid, alignment, nelem, dtype, gptr);
  return make_segment(&(request_t){ teamid, alignment, nelem, dtype }, gptr, at);
}

/* ---- freeing ------------------------------------------------------------------------------------- */

/* Not NULL: the segment is one of the book, and not freed before. */
static segment_t *begin_free(dart_gptr_t gptr, dart__at_t at)
{
  segment_t *segment = find(gptr.teamid, gptr.segid);

  if (segment == NULL || segment->state != ALIVE)
    return NULL;
  look_at_guard(segment, gptr.teamid, gptr.segid, at);
  segment->state = FREED;
  segment->freed = at;
  return segment;
}

dart_ret_t dart_team_memfree(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_team_memfree);
  book_t    *book;
  segment_t *segment;

  if (DART_GPTR_ISNULL(gptr) || gptr.segid <= 0 || !dart__check_access(gptr, 0, at))
    return DART_GPTR_ISNULL(gptr) ? DART_OK : DART_ERR_INVAL;
  dart__check_race_segment(gptr);
  dart__check_enter(gptr.teamid, (dart__check_record_t){ .root = (uint64_t)gptr.segid + 1 }, at);
  dart__check_pending_segment(gptr, at);
  dart__check_lock();
  segment = begin_free(gptr, at);
  dart__check_unlock();
  dart__check_no_epochs(gptr.teamid, &gptr.segid);
  dart__check_open_epochs_end(gptr.teamid, &gptr.segid);
  if (segment == NULL)
    return pdart_team_memfree(gptr);
  book = &books[gptr.teamid];
  give_back(gptr.teamid, KEPT - 1);
  book->kept[book->nkept++] = gptr.segid;
  return DART_OK;
}

static void forget(book_t *book)
{
  for (size_t id = 0; id < book->count; id++)
    free(book->segment[id].sizes);
  free(book->segment);
  *book = (book_t){ .segment = NULL };
}

/* A team's id is not given out again, so its book is of no use any more. */
void dart__check_segments_team(dart_team_t team, dart__at_t at)
{
  (void)at;
  if (team >= DART__CHECK_TEAMS)
    return;
  dart__check_lock();
  forget(&books[team]);
  dart__check_unlock();
}

void dart__check_segments_forget(void)
{
  for (dart_team_t team = 0; team < DART__CHECK_TEAMS; team++)
    forget(&books[team]);
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

void *dart_near_ptr(dart_gptr_t gptr)
{
  return dart__check_access(gptr, 0, DART__AT(dart_near_ptr)) ? pdart_near_ptr(gptr) : NULL;
}

/* ---- registered memory --------------------------------------------------------------------------- */

dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                 void *addr, dart_gptr_t *gptr)
{
  if (takes_part(teamid, dtype, gptr))
    dart__check_enter(teamid, (dart__check_record_t){ .root = 0 }, DART__AT(dart_team_memregister));
  return pdart_team_memregister(teamid, nlelem, dtype, addr, gptr);
}

dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr)
{
  dart__check_record_t record = { .nelem = nelem, .type = dart__check_type_number(dtype) };

  if (takes_part(teamid, dtype, gptr))
    dart__check_enter(teamid, record, DART__AT(dart_team_memregister_aligned));
  return pdart_team_memregister_aligned(teamid, nelem, dtype, addr, gptr);
}

dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
  dart_ret_t ret;

  dart__check_race_segment(gptr);
  ret = pdart_team_memderegister(gptr);
  if (ret == DART_OK) {
    dart__check_no_epochs(gptr.teamid, &gptr.segid);
    dart__check_open_epochs_end(gptr.teamid, &gptr.segid);
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
