/* Segments of teams. Each portion begins with a page, and behind its last page is a guard page, which crashes every
 * access (guard_pages.h). The rest of the last page is a guard of bytes, which every call that synchronises checks. A
 * portion has only a guard of bytes if the team has many segments, or if memory is short. Each unit knows the sizes of
 * all portions, since DART itself takes the guards for a part of the portion.
 *
 * A freed segment is kept, with its id, until its team has freed some more. So no new segment has the same id for a
 * while, and an access by an old pointer crashes. All units free the same segments in the same order, so they release
 * the same ones. */
#include "segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "check_pool.h"
#include "check_report.h"
#include "guard_pages.h"
#include "member.h"
#include "where.h"

enum {
  KEPT    = 8,   /* freed segments of a team that are kept */
  GUARDED = 4096 /* portions of a team with guard pages; some segments always have them */
};

typedef enum { UNKNOWN, ALIVE, FREED } state_t;

typedef struct {
  state_t             state;
  uint32_t            nunits;
  uint64_t           *sizes;      /* of each unit's portion */
  unsigned char      *guard;      /* of this unit's portion */
  size_t              length;     /* of the guard */
  bool                is_guarded; /* allocated with room for guard pages; the same in all units */
  dart__check_pages_t pages;
  dart__at_t          made, freed;
} segment_t;

typedef struct {
  segment_t *segment; /* by id */
  size_t     count;
  int16_t    kept[KEPT]; /* from the oldest to the newest */
  size_t     nkept;
  size_t     nguarded; /* segments with guard pages, kept ones included */
} book_t;

static book_t books[DART__CHECK_TEAMS];

static segment_t *find_segment(dart_team_t team, int16_t id)
{
  if (team < 0 || team >= DART__CHECK_TEAMS || id <= 0 || (size_t)id >= books[team].count ||
      books[team].segment[id].state == UNKNOWN)
    return NULL;
  return &books[team].segment[id];
}

static segment_t *make_segment(dart_team_t team, int16_t id)
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
  free(book->segment[id].pages.first);
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

  if (!dart__check_begin(
          &report, "memory", at, "%s of %llu bytes at offset %lld, in a portion of %llu bytes",
          dart__check_calls[at.id], (unsigned long long)nbytes, (long long)gptr.addr_or_offs.offset,
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
    return false; /* is_of_team reports this */
  size = segment->sizes[gptr.unitid];
  return nbytes > size || gptr.addr_or_offs.offset > size - nbytes;
}

/* ---- pointers with a wrong team ------------------------------------------------------------------ */

typedef enum { NO_TEAM, NO_SEGMENT, NO_UNIT } wrong_t;

/* A hint for the user: the first team that has a segment of this id, and where it was made. */
static bool find_elsewhere(dart_gptr_t gptr, dart_team_t *team_out, dart__at_t *made_out)
{
  bool is_found = false;

  dart__check_lock();
  for (dart_team_t team = 0; team < DART__CHECK_TEAMS && !is_found; team++) {
    const segment_t *segment = team == gptr.teamid ? NULL : find_segment(team, gptr.segid);

    is_found = segment != NULL && segment->state == ALIVE;
    if (is_found) {
      *team_out = team;
      *made_out = segment->made;
    }
  }
  dart__check_unlock();
  return is_found;
}

static bool begin_wrong(dart__check_report_t *report, wrong_t wrong, dart_gptr_t gptr,
                        dart__at_t at)
{
  const char *call = dart__check_calls[at.id];

  if (wrong == NO_TEAM)
    return dart__check_begin(report, "memory", at,
                             "%s uses a pointer of team %d, of which this unit is not a member",
                             call, gptr.teamid);
  if (wrong == NO_SEGMENT)
    return dart__check_begin(
        report, "memory", at,
        "%s uses a pointer to segment %d of team %d, which has no such segment", call, gptr.segid,
        gptr.teamid);
  return dart__check_begin(report, "memory", at,
                           "%s uses a pointer to unit %d of team %d, which has %zu units", call,
                           gptr.unitid, gptr.teamid, dart__check_team_size(gptr.teamid));
}

static void report_wrong(wrong_t wrong, dart_gptr_t gptr, dart__at_t at)
{
  dart__check_report_t report;
  dart_team_t          team;
  dart__at_t           made;
  char                 what[64];

  if (!begin_wrong(&report, wrong, gptr, at))
    return;
  dart__check_place(&report, "in", at);
  if (find_elsewhere(gptr, &team, &made)) {
    snprintf(what, sizeof what, "segment %d of team %d was made by", gptr.segid, team);
    dart__check_place(&report, what, made);
  }
  dart__check_end(&report);
}

/* Segments of allocators and adopted memory are not recorded here, so DART is asked for this unit's portion; if the
 * segment does not exist, DART writes a line, too. Registered memory may have no portion. */
static bool has_segment(dart_gptr_t gptr, int32_t me)
{
  void *own;

  if (gptr.segid < 0)
    return true;
  gptr.unitid              = me;
  gptr.addr_or_offs.offset = 0;
  return pdart_gptr_getaddr(gptr, &own) == DART_OK;
}

/* Whether the pointer's team has such a segment and, if bytes are accessed, such a unit. Teams with high ids are not
 * known, and DART refuses null pointers. */
static bool is_of_team(dart_gptr_t gptr, uint64_t nbytes, bool is_known, dart__at_t at)
{
  int32_t me;
  size_t  size;

  if (gptr.teamid >= DART__CHECK_TEAMS || DART_GPTR_ISNULL(gptr))
    return true;
  if (!dart__check_team(gptr.teamid, &me, &size))
    report_wrong(NO_TEAM, gptr, at);
  else if (!is_known && !has_segment(gptr, me))
    report_wrong(NO_SEGMENT, gptr, at);
  else if (nbytes > 0 && (gptr.unitid < 0 || (size_t)gptr.unitid >= size))
    report_wrong(NO_UNIT, gptr, at);
  else
    return true;
  return false;
}

bool dart__check_look_up(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at)
{
  const segment_t *segment;
  segment_t        found = { .state = UNKNOWN };

  if (gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL)
    return is_of_team(gptr, nbytes, true, at) &&
           (gptr.unitid != dart__check.me ||
            !dart__check_block_freed(gptr.addr_or_offs.offset, at));
  dart__check_lock();
  segment = find_segment(gptr.teamid, gptr.segid);
  if (segment != NULL)
    found = *segment;
  dart__check_unlock();
  if (found.state == FREED)
    report_freed(&found, gptr, at);
  else if (!is_of_team(gptr, nbytes, found.state == ALIVE, at))
    return false;
  else if (found.state == ALIVE && nbytes > 0 && is_outside(&found, gptr, nbytes))
    report_bounds(&found, gptr, nbytes, at);
  else
    return true;
  return false;
}

bool dart__check_look_up_unit(dart_gptr_t gptr, dart__at_t at)
{
  int32_t me;
  size_t  size;

  if (DART_GPTR_ISNULL(gptr) || !dart__check_team(gptr.teamid, &me, &size) ||
      (gptr.unitid >= 0 && (size_t)gptr.unitid < size))
    return true;
  report_wrong(NO_UNIT, gptr, at);
  return false;
}

/* ---- guards -------------------------------------------------------------------------------------- */

static void look_at_guard(segment_t *segment, dart_team_t team, int id, dart__at_t at)
{
  dart__check_report_t report;
  size_t               first;

  if (segment->state != ALIVE)
    return;
  first = dart__check_intact(segment->guard, segment->length, DART__CHECK_PATTERN);
  if (first == segment->length)
    return;
  memset(segment->guard, DART__CHECK_PATTERN, segment->length);
  if (!dart__check_begin(&report, "memory", segment->made,
                         "bytes behind this unit's portion of segment %d of team %d were changed, "
                         "%zu behind its end",
                         id, team, first))
    return;
  dart__check_line(
      &report,
      "by a store of this unit or of one on its node, since the last call that synchronised");
  dart__check_place(&report, "found in", at);
  dart__check_place(&report, "made by", segment->made);
  dart__check_end(&report);
}

static void look_at_guards(dart__at_t at)
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
  look_at_guards(at);
  dart__check_block_guards(at);
}

/* ---- making ------------------------------------------------------------------------------------- */

/* Units allocate and free the segments of a team together, so all of them get the same answer. */
bool dart__check_segment_has_pages(dart_team_t team)
{
  size_t most = GUARDED / dart__check_team_size(team);

  return books[team].nguarded < (most > 2 * KEPT ? most : 2 * KEPT);
}

/* The length of the guard behind `nbytes` bytes, which ends at the guard page if there is one. */
static size_t guard_length(bool has_page, uint64_t nbytes)
{
  size_t rest = dart__check_pages_room(nbytes) - nbytes - dart__check_page();

  return has_page && rest < DART__CHECK_GUARD ? rest : DART__CHECK_GUARD;
}

/* No unit accesses a portion before all units have filled theirs: the allgather of the sizes comes in between. */
dart_ret_t dart__check_segment_add(dart_gptr_t gptr, uint64_t nbytes, bool has_pages, dart__at_t at)
{
  size_t              nunits  = dart__check_team_size(gptr.teamid);
  uint64_t           *sizes   = dart__check_room(NULL, nunits * sizeof *sizes);
  dart__check_pages_t pages   = { .n = nunits, .sizes = sizes };
  unsigned char      *portion = NULL;
  int32_t             me      = 0;
  dart_ret_t          ret;

  dart__check_team(gptr.teamid, &me, &nunits);
  gptr.unitid = (int16_t)me;
  pdart_gptr_getaddr(gptr, (void **)&portion);
  memset(portion, DART__CHECK_FRESH, nbytes);
  memset(portion + nbytes, DART__CHECK_PATTERN, DART__CHECK_GUARD);
  ret = pdart_allgather(&nbytes, sizes, 1, DART_TYPE_ULONGLONG, gptr.teamid);
  if (ret == DART_ERR_UNIT_LOST) {
    free(sizes);
    return ret;
  }
  if (ret != DART_OK)
    pdart_abort(DART_EXIT_ABORT);
  dart__check_pages_find(&pages, gptr, has_pages);
  dart__check_pages_guard(&pages);
  dart__check_lock();
  *make_segment(gptr.teamid, gptr.segid) =
      (segment_t){ ALIVE,
                   (uint32_t)nunits,
                   sizes,
                   portion + nbytes,
                   guard_length(pages.first[me] != NULL, nbytes),
                   has_pages,
                   pages,
                   at,
                   { 0 } };
  books[gptr.teamid].nguarded += has_pages;
  dart__check_unlock();
  return DART_OK;
}

/* ---- freeing ------------------------------------------------------------------------------------- */

bool dart__check_segment_freed(dart_gptr_t gptr, dart__at_t at)
{
  segment_t *segment;
  bool       is_known;

  dart__check_lock();
  segment  = find_segment(gptr.teamid, gptr.segid);
  is_known = segment != NULL && segment->state == ALIVE;
  if (is_known) {
    look_at_guard(segment, gptr.teamid, gptr.segid, at);
    segment->state = FREED;
    segment->freed = at;
  }
  dart__check_unlock();
  return is_known;
}

/* Release all but the newest `left` segments that the team keeps. Collective over the team. */
static void release(dart_team_t team, size_t left)
{
  book_t *book = &books[team];

  while (book->nkept > left) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    segment_t  *segment;

    gptr.teamid = team;
    gptr.segid  = book->kept[0];
    gptr.unitid = 0;
    memmove(book->kept, book->kept + 1, --book->nkept * sizeof book->kept[0]);
    segment = &book->segment[gptr.segid];
    dart__check_pages_open(&segment->pages);
    book->nguarded -= segment->is_guarded;
    segment->state = UNKNOWN; /* an allocator may get the id, and its segments are not recorded */
    pdart_team_memfree(gptr);
  }
}

bool dart__check_segments_release(dart_team_t team)
{
  bool has_any = books[team].nkept > 0;

  release(team, 0);
  return has_any;
}

void dart__check_segment_keep(dart_gptr_t gptr)
{
  book_t             *book = &books[gptr.teamid];
  dart__check_pages_t pages;

  dart__check_lock();
  pages = book->segment[gptr.segid].pages;
  dart__check_unlock();
  dart__check_pages_close(&pages);
  release(gptr.teamid, KEPT - 1);
  book->kept[book->nkept++] = gptr.segid;
}

static void forget_book(book_t *book)
{
  for (size_t id = 0; id < book->count; id++) {
    free(book->segment[id].sizes);
    free(book->segment[id].pages.first);
  }
  free(book->segment);
  *book = (book_t){ .segment = NULL };
}

void dart__check_segments_open(dart_team_t team)
{
  for (size_t id = 0; team < DART__CHECK_TEAMS && id < books[team].count; id++)
    dart__check_pages_open(&books[team].segment[id].pages);
}

/* The id of a team is not used again, so its records are of no further use. */
void dart__check_segments_team(dart_team_t team)
{
  if (team >= DART__CHECK_TEAMS)
    return;
  dart__check_lock();
  forget_book(&books[team]);
  dart__check_unlock();
}

void dart__check_segments_forget(void)
{
  for (dart_team_t team = 0; team < DART__CHECK_TEAMS; team++) {
    dart__check_segments_open(team);
    forget_book(&books[team]);
  }
}

static void report_segment(dart_team_t team, size_t id)
{
  const segment_t     *segment = &books[team].segment[id];
  dart__check_report_t report;

  if (segment->state != ALIVE ||
      !dart__check_begin(&report, "memory", segment->made,
                         "segment %zu of team %d, %llu bytes here, was never freed", id, team,
                         (unsigned long long)segment->sizes[0]))
    return;
  dart__check_place(&report, "made by", segment->made);
  dart__check_end(&report);
}

/* Units of a team have the same segments, so the first unit reports. */
void dart__check_segments_leaked(void)
{
  int32_t me;
  size_t  size;

  for (dart_team_t team = 0; team < DART__CHECK_TEAMS; team++)
    if (dart__check_team(team, &me, &size) && me == 0 && !dart__check_is_broken(team))
      for (size_t id = 1; id < books[team].count; id++)
        report_segment(team, id);
}

/* ---- loads and stores ---------------------------------------------------------------------------- */

static void report_fault(dart_team_t team, size_t id, int32_t unit, const void *address,
                         dart__at_t at)
{
  const segment_t *segment = &books[team].segment[id];
  uint64_t         offset = (uint64_t)((const unsigned char *)address - segment->pages.first[unit]);
  dart__check_report_t report;
  bool                 is_new;
  char                 where[512];

  if (segment->state == FREED)
    is_new =
        dart__check_begin(&report, "memory", at,
                          "a load or store by a pointer to segment %zu of team %d after it was "
                          "freed",
                          id, team);
  else
    is_new =
        dart__check_begin(&report, "memory", at,
                          "a load or store behind a portion of segment %zu of team %d", id, team);
  if (!is_new)
    return;
  dart__check_line(&report, "at byte %llu of team unit %d's portion of %llu bytes",
                   (unsigned long long)offset, unit, (unsigned long long)segment->sizes[unit]);
  dart__check_where(at.from, where, sizeof where);
  dart__check_line(&report, "in %s", where);
  if (segment->state == FREED)
    dart__check_place(&report, "freed by", segment->freed);
  dart__check_place(&report, "made by", segment->made);
  dart__check_line(&report, "the program cannot continue");
  dart__check_end(&report);
}

/* Runs in the signal's handler, without the lock. A thread that touches a page of a segment holds no lock of malloc or
 * of this library. */
void dart__check_segment_fault(const void *address, const void *from)
{
  for (dart_team_t team = 0; team < DART__CHECK_TEAMS; team++)
    for (size_t id = 1; id < books[team].count; id++) {
      const segment_t *segment = &books[team].segment[id];
      int32_t          unit =
          segment->state == UNKNOWN ? -1 : dart__check_pages_unit(&segment->pages, address);

      if (unit >= 0) {
        report_fault(team, id, unit, address, (dart__at_t){ DART__CALL_dart_near_ptr, from });
        return;
      }
    }
}
