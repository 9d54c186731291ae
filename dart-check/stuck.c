/* An origin's start waits for the target's post, at the latest in dart_epoch_complete, and dart_epoch_wait waits for
 * completions. A target that has forgotten its post goes on to the next collective call, and waits there for the
 * origin. So each unit publishes what it waits for in an epoch: for which units, and for which of their calls. A unit
 * that waits in a collective call for such a unit reads that. Its own counts show whether it has made the call. If not,
 * neither unit can continue, as this one is in the collective call.
 *
 * The k-th post that names a unit belongs to that unit's k-th start that names the target. So the counts of both sides
 * can be compared without a message. They are kept as long as the segment. */
#include "stuck.h"

#include <stdlib.h>
#include <string.h>

#include "check_shared.h"
#include "member.h"
#include "where.h"

typedef enum { POSTS, STARTS, COMPLETES, COUNTS } count_t;

/* How often this unit has made each call for each unit of the team. */
typedef struct {
  dart_team_t team;
  int16_t     segment;
  uint64_t   *count; /* COUNTS for each unit */
} book_t;

/* What this unit waits for. */
typedef struct {
  uint64_t number; /* counts waits; odd: the unit waits */
  uint64_t call, from;
  uint64_t what, team, segment;
  uint64_t needs[]; /* for each unit of the job: the number of its call; 0: none */
} wait_t;

static book_t     *books;
static size_t      nbooks, nplaces;
static dart_gptr_t memory;
static wait_t     *own;

void dart__check_stuck_open(dart_team_t team)
{
  size_t nbytes = sizeof *own + dart__check.nunits * sizeof own->needs[0];
  void  *part;

  memory = dart__check_share(team, nbytes, &part);
  own    = part;
  memset(own, 0, nbytes);
  pdart_barrier(team);
}

/* ---- counts --------------------------------------------------------------------------------------- */

static book_t *find_waits(dart_gptr_t gptr)
{
  for (size_t i = 0; i < nbooks; i++)
    if (books[i].team == gptr.teamid && books[i].segment == gptr.segid)
      return &books[i];
  return NULL;
}

static book_t *make_waits(dart_gptr_t gptr, size_t nunits)
{
  book_t *book = find_waits(gptr);
  size_t  nbytes;

  if (book != NULL)
    return book;
  if (nbooks == nplaces) {
    nplaces = 2 * nplaces + 8;
    books   = dart__check_room(books, nplaces * sizeof *books);
  }
  nbytes = nunits * COUNTS * sizeof *books->count;
  book   = &books[nbooks++];
  *book  = (book_t){ gptr.teamid, gptr.segid, dart__check_room(NULL, nbytes) };
  memset(book->count, 0, nbytes);
  return book;
}

static uint64_t *count_in(const book_t *book, int32_t unit, count_t which)
{
  return &book->count[(size_t)unit * COUNTS + which];
}

static count_t count_for(dart__call_t what)
{
  return what == DART__CALL_dart_epoch_post    ? POSTS
         : what == DART__CALL_dart_epoch_start ? STARTS
                                               : COMPLETES;
}

void dart__check_stuck_count(dart_gptr_t gptr, dart__call_t what, size_t n,
                             const dart_team_unit_t units[])
{
  int32_t me;
  size_t  nunits;

  if (!dart__check_for(DART__CHECK_COLLECTIVES) || !dart__check_team(gptr.teamid, &me, &nunits))
    return;
  dart__check_lock();
  for (size_t i = 0; i < n; i++)
    if (units[i].id >= 0 && (size_t)units[i].id < nunits)
      ++*count_in(make_waits(gptr, nunits), units[i].id, count_for(what));
  dart__check_unlock();
}

void dart__check_stuck_end(dart_team_t team, const int16_t *segment)
{
  dart__check_lock();
  for (size_t i = nbooks; i > 0; i--)
    if (books[i - 1].team == team && (segment == NULL || books[i - 1].segment == *segment)) {
      free(books[i - 1].count);
      books[i - 1] = books[--nbooks];
    }
  dart__check_unlock();
}

void dart__check_stuck_forget(void)
{
  while (nbooks > 0)
    free(books[--nbooks].count);
  free(books);
  books   = NULL;
  nplaces = 0;
}

/* ---- waits ---------------------------------------------------------------------------------------- */

static int32_t global_id(dart_team_t team, int32_t member)
{
  dart_global_unit_t unit;

  if (team == DART_TEAM_ALL)
    return member;
  return pdart_team_unit_l2g(team, DART_TEAM_UNIT_ID(member), &unit) == DART_OK ? unit.id : -1;
}

/* A loop calls from one place, and a look-up takes longer than a short operation. */
static uint64_t place_number(const void *from)
{
  static const void *last;
  static uint64_t    number;

  if (from != last) {
    number = dart__check_place_number(from);
    last   = from;
  }
  return number;
}

/* Threads of a unit may wait in several epochs at a time, and make calls for each other, so only one thread is
 * checked. */
void dart__check_stuck_wait(dart_gptr_t gptr, dart__call_t what, size_t n,
                            const dart_team_unit_t units[], dart__at_t at)
{
  const book_t *book;
  count_t       own_count = what == DART__CALL_dart_epoch_post ? STARTS : POSTS;

  if (!dart__check_for(DART__CHECK_COLLECTIVES) || dart__check.threads || n == 0)
    return;
  book = find_waits(gptr);
  if (book == NULL)
    return;
  own->call    = at.id;
  own->from    = place_number(at.from);
  own->what    = what;
  own->team    = (uint64_t)gptr.teamid;
  own->segment = (uint64_t)gptr.segid;
  for (size_t i = 0; i < n; i++) {
    int32_t unit = global_id(gptr.teamid, units[i].id);

    if (unit >= 0)
      own->needs[unit] = *count_in(book, units[i].id, own_count);
  }
  /* release: a unit that reads this number also reads `needs` */
  __atomic_store_n(&own->number, own->number + 1, __ATOMIC_RELEASE);
}

void dart__check_stuck_waited(void)
{
  if (!dart__check_for(DART__CHECK_COLLECTIVES) || own->number % 2 == 0)
    return;
  __atomic_store_n(&own->number, own->number + 1, __ATOMIC_RELEASE);
  memset(own->needs, 0, dart__check.nunits * sizeof own->needs[0]);
}

/* How often this unit has made the call for which the other one waits. Teams with the same id may have different
 * members. */
static uint64_t called(const wait_t *wait, int32_t unit)
{
  dart_gptr_t      gptr = { .teamid = (int16_t)wait->team, .segid = (int16_t)wait->segment };
  dart_team_unit_t member;
  const book_t    *book;

  if (dart__check_team_size(gptr.teamid) == 0 ||
      pdart_team_unit_g2l(gptr.teamid, DART_GLOBAL_UNIT_ID(unit), &member) != DART_OK ||
      member.id < 0)
    return UINT64_MAX;
  book = find_waits(gptr);
  return book == NULL ? 0 : *count_in(book, member.id, count_for((dart__call_t)wait->what));
}

bool dart__check_stuck_for_me(int32_t unit, uint64_t *number, dart__check_stuck_t *stuck_out)
{
  wait_t   wait;
  uint64_t needs, again, before = *number;

  if (dart__check.threads)
    return false;
  dart__check_read(&wait, memory, unit, 0, sizeof wait);
  dart__check_read(&needs, memory, unit,
                   offsetof(wait_t, needs) + (size_t)dart__check.me * sizeof needs, sizeof needs);
  dart__check_read(&again, memory, unit, 0, sizeof again);
  *number = again;
  if (again != wait.number || again != before || again % 2 == 0 || called(&wait, unit) >= needs)
    return false;
  *stuck_out =
      (dart__check_stuck_t){ { (dart__call_t)wait.call, dart__check_place_address(wait.from) },
                             (dart__call_t)wait.what,
                             (dart_team_t)wait.team,
                             (int16_t)wait.segment };
  return true;
}
