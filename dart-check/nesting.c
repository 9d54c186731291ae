/* Suppose units acquire lock A and then B at one place, and B and then A at another. The program works until two units
 * do so at the same time. So each acquire of a lock while another is held is recorded as an edge from the held lock to
 * the new one. A circle of edges is reported when its last edge is found, before the acquire that may wait for ever.
 * (Lock orders: the kernel's lockdep; Havelund, Using Runtime Analysis to Guide Model Checking of Java Programs, SPIN
 * 2000.)
 *
 * Edges are entries of one log in memory of unit 0. A unit claims an entry by an atomic, puts its edge there, and reads
 * all entries before it. If two units close a circle at the same time, the one with the later entry reports it. A unit
 * does not put an edge that it has read, so programs that repeat a nesting communicate nothing.
 *
 * Edges do not form a circle if another lock was held around both nestings, as that lock keeps them apart. A try, and
 * an acquire with a time limit, wait for nobody. So they have no edge to their lock, but later acquires have edges from
 * it. A barrier between two nestings does not count: the order is a habit of the program, and another run may meet
 * itself. */
#include "nesting.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "check_report.h"
#include "check_shared.h"
#include "member.h"
#include "object.h"
#include "where.h"

enum {
  LOG     = 1024,  /* entries */
  HELD    = 256,   /* locks that this unit holds, */
  MINE    = 32,    /* and the newest of one thread, whose stack may be small */
  GUARDS  = 8,     /* locks around a nesting; further ones are ignored */
  CIRCLE  = 16,    /* edges of a circle */
  PATIENT = 100000 /* reads of an entry that another unit is writing */
};

typedef struct {
  uint64_t           stamp; /* a hash of the rest, so the entry is whole; 0: it is empty */
  dart__check_lock_t held;  /* kind 0: `wanted` was freed; drop earlier edges with it */
  dart__check_lock_t wanted;
  uint64_t           held_call, held_from, wanted_call, wanted_from;
  uint64_t           unit;
  uint64_t           guards[GUARDS]; /* hashes of the other held locks; 0: none */
} edge_t;

typedef struct {
  uint64_t count; /* of claimed entries, which may exceed LOG */
  edge_t   edge[LOG];
} log_t;

/* A lock that a thread of this unit holds. */
typedef struct {
  dart__check_lock_t lock;
  uintptr_t          key; /* 0: the lock itself is the key */
  dart__at_t         at;
  uint64_t           thread;
} held_t;

static dart_gptr_t memory; /* a log_t at unit 0 */
static edge_t      edges[LOG];
static bool        is_dead[LOG]; /* a word of the edge was freed */
static size_t      nedges;       /* entries that this unit has read */
static held_t      held[HELD];
static size_t      nheld;

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; /* protects `edges` */

void dart__check_nest_open(dart_team_t team)
{
  size_t nbytes = dart__check.me == 0 ? sizeof(log_t) : sizeof(uint64_t);
  void  *own;

  memory = dart__check_share(team, nbytes, &own);
  memset(own, 0, nbytes);
  nedges = nheld = 0;
  pdart_barrier(team); /* no unit may put to a log that is not cleared */
}

/* ---- locks ---------------------------------------------------------------------------------------- */

static uint64_t first_unit(dart_team_t team)
{
  dart_global_unit_t unit = DART_GLOBAL_UNIT_ID(0);

  if (team != DART_TEAM_ALL)
    pdart_team_unit_l2g(team, DART_TEAM_UNIT_ID(0), &unit);
  return (uint64_t)unit.id;
}

static dart__check_lock_t object_of(dart__check_kind_t kind, const void *object, dart__call_t call)
{
  dart_team_t team   = 0;
  uint64_t    serial = 0;

  /* objects of teams with high ids have no numbers; a lock of a destroyed team cannot be acquired */
  if (!dart__check_for(DART__CHECK_LOCKS) ||
      !dart__check_owner(kind, (uintptr_t)object, &team, &serial) || serial == 0 ||
      dart__check_team_size(team) == 0)
    return (dart__check_lock_t){ .kind = 0 };
  return (dart__check_lock_t){
    .kind = call, .team = (uint64_t)team, .first_unit = first_unit(team), .object = serial
  };
}

dart__check_lock_t dart__check_lock_object(const void *lock)
{
  return object_of(DART__CHECK_LOCK, lock, DART__CALL_dart_lock_acquire);
}

static uint64_t portion(int32_t unit, int16_t segment)
{
  return (uint64_t)(uint32_t)unit << 16 | (uint16_t)segment;
}

dart__check_lock_t dart__check_lock_word(dart_gptr_t gptr)
{
  if (!dart__check_for(DART__CHECK_LOCKS) || dart__check_team_size(gptr.teamid) == 0)
    return (dart__check_lock_t){ .kind = 0 };
  return (dart__check_lock_t){ .kind       = DART__CALL_dart_lock_at_acquire,
                               .team       = (uint64_t)gptr.teamid,
                               .first_unit = first_unit(gptr.teamid),
                               .object     = portion(gptr.unitid, gptr.segid),
                               .first      = gptr.addr_or_offs.offset,
                               .last       = gptr.addr_or_offs.offset };
}

dart__check_lock_t dart__check_lock_span(const void *range, const dart_range_span_t *span)
{
  dart__check_lock_t lock = object_of(DART__CHECK_RANGE, range, DART__CALL_dart_range_acquire);

  lock.first     = span->first;
  lock.last      = span->last;
  lock.is_shared = span->mode == DART_RANGE_SHARED;
  return lock;
}

static bool is_same_object(const dart__check_lock_t *a, const dart__check_lock_t *b)
{
  return a->kind == b->kind && a->object == b->object && a->team == b->team &&
         a->first_unit == b->first_unit;
}

static bool locks_conflict(const dart__check_lock_t *a, const dart__check_lock_t *b)
{
  return is_same_object(a, b) && a->first <= b->last && b->first <= a->last &&
         !(a->is_shared && b->is_shared);
}

static void describe_lock(const dart__check_lock_t *lock, char *text, size_t nbytes)
{
  if (lock->kind == DART__CALL_dart_lock_acquire)
    snprintf(text, nbytes, "lock %" PRIu64 " of team %" PRIu64, lock->object, lock->team);
  else if (lock->kind == DART__CALL_dart_range_acquire)
    snprintf(text, nbytes,
             "range object %" PRIu64 " of team %" PRIu64 ", from %" PRIu64 " to %" PRIu64,
             lock->object, lock->team, lock->first, lock->last);
  else
    snprintf(text, nbytes,
             "the lock at offset %" PRIu64 " of unit %d in segment %d of team %" PRIu64,
             lock->first, (int)(lock->object >> 16), (int)(int16_t)lock->object, lock->team);
}

/* ---- held locks ----------------------------------------------------------------------------------- */

static uint64_t this_thread(void)
{
  static _Thread_local char here;

  return dart__check.threads ? (uint64_t)(uintptr_t)&here : 0;
}

void dart__check_nest_taken(const dart__check_lock_t *lock, uintptr_t key, dart__at_t at)
{
  static bool said;

  if (lock->kind == 0)
    return;
  dart__check_lock();
  if (nheld < HELD)
    held[nheld++] = (held_t){ *lock, key, at, this_thread() };
  else
    dart__check_note(&said, "more than %d locks are held; the order of further ones is not checked",
                     HELD);
  dart__check_unlock();
}

static bool is_held_as(const held_t *entry, uintptr_t key, const dart__check_lock_t *lock)
{
  return lock == NULL ? entry->key == key : memcmp(&entry->lock, lock, sizeof *lock) == 0;
}

/* From the newest to the oldest, since most locks are released in reverse order. If `lock` is NULL, all locks with the
 * key are released. */
static void leave_lock(uintptr_t key, const dart__check_lock_t *lock)
{
  dart__check_lock();
  for (size_t i = nheld; i > 0; i--)
    if (is_held_as(&held[i - 1], key, lock)) {
      memmove(&held[i - 1], &held[i], (nheld - i) * sizeof held[0]);
      nheld--;
      if (lock != NULL)
        break;
    }
  dart__check_unlock();
}

void dart__check_nest_left(uintptr_t key)
{
  if (dart__check_for(DART__CHECK_LOCKS) && key != 0)
    leave_lock(key, NULL);
}

void dart__check_nest_left_lock(const dart__check_lock_t *lock)
{
  if (lock->kind != 0)
    leave_lock(0, lock);
}

/* ---- the log; its mutex is held -------------------------------------------------------------------- */

static uint64_t stamp_of(const edge_t *edge)
{
  return dart__check_hash(0, &edge->held, sizeof *edge - sizeof edge->stamp);
}

static void read_edge(size_t place)
{
  dart__check_read(&edges[place], memory, 0, offsetof(log_t, edge) + place * sizeof(edge_t),
                   sizeof(edge_t));
}

static bool is_word_of(const dart__check_lock_t *lock, const dart__check_lock_t *freed)
{
  int32_t unit = (int32_t)(freed->object >> 16);

  return lock->kind == DART__CALL_dart_lock_at_acquire && lock->team == freed->team &&
         lock->first_unit == freed->first_unit && (int16_t)lock->object == (int16_t)freed->object &&
         (unit < 0 || unit == (int32_t)(lock->object >> 16)) && lock->first >= freed->first &&
         lock->first <= freed->last;
}

static bool is_of_freed(const edge_t *edge, const dart__check_lock_t *freed)
{
  return is_word_of(&edge->held, freed) || is_word_of(&edge->wanted, freed);
}

static void forget_held(size_t n, const dart__check_lock_t *freed)
{
  for (size_t i = 0; i < n; i++)
    is_dead[i] = is_dead[i] || is_of_freed(&edges[i], freed);
}

/* Read the entries before `end`. Another unit may be about to write an entry that it has claimed, which takes a
 * moment. */
static void read_until(size_t end)
{
  for (; nedges < end; nedges++) {
    edge_t *edge = &edges[nedges];

    read_edge(nedges);
    for (int looks = 0; stamp_of(edge) != edge->stamp && looks < PATIENT; looks++) {
      sched_yield();
      read_edge(nedges);
    }
    is_dead[nedges] = stamp_of(edge) != edge->stamp || edge->held.kind == 0;
    if (stamp_of(edge) == edge->stamp && edge->held.kind == 0)
      forget_held(nedges, &edge->wanted);
  }
}

/* Claim `by` entries. Returns how many were claimed before; LOG: there is no room. */
static size_t claim(uint64_t by)
{
  dart_gptr_t at    = dart__check_part(memory, 0, offsetof(log_t, count));
  uint64_t    count = LOG;

  if (pdart_fetch_and_op(at, &by, &count, DART_TYPE_ULONGLONG,
                         by == 0 ? DART_OP_NO_OP : DART_OP_SUM) != DART_OK ||
      pdart_flush(at) != DART_OK || count > LOG)
    return LOG;
  return (size_t)count;
}

/* Put the edge, and read all entries before it. Returns the number of its entry; LOG: there was no room. */
static size_t publish(edge_t *edge)
{
  static bool said;
  size_t      place = claim(1);

  if (place == LOG) {
    dart__check_note(&said, "more than %d orders of two locks; further ones are not checked", LOG);
    return LOG;
  }
  edge->stamp = stamp_of(edge);
  pdart_put_blocking(dart__check_part(memory, 0, offsetof(log_t, edge) + place * sizeof *edge),
                     edge, sizeof *edge / sizeof(uint64_t), DART_TYPE_ULONGLONG,
                     DART_TYPE_ULONGLONG);
  read_until(place + 1);
  return place;
}

static bool is_known_edge(const edge_t *edge)
{
  for (size_t i = 0; i < nedges; i++)
    if (!is_dead[i] && memcmp(&edges[i].held, &edge->held, sizeof edge->held) == 0 &&
        memcmp(&edges[i].wanted, &edge->wanted, sizeof edge->wanted) == 0 &&
        memcmp(edges[i].guards, edge->guards, sizeof edge->guards) == 0)
      return true;
  return false;
}

void dart__check_nest_freed(dart_team_t team, int16_t segment, int32_t unit, uint64_t first,
                            uint64_t last)
{
  edge_t edge   = { .unit = (uint64_t)dart__check.me };
  bool   is_any = false;

  if (!dart__check_for(DART__CHECK_LOCKS) || dart__check_team_size(team) == 0)
    return;
  edge.wanted = (dart__check_lock_t){ .kind       = DART__CALL_dart_lock_at_acquire,
                                      .team       = (uint64_t)team,
                                      .first_unit = first_unit(team),
                                      .object     = portion(unit, segment),
                                      .first      = first,
                                      .last       = last };
  pthread_mutex_lock(&reading);
  if (unit < 0)
    read_until(claim(0));
  for (size_t i = 0; i < nedges && !is_any; i++)
    is_any = !is_dead[i] && is_of_freed(&edges[i], &edge.wanted);
  if (is_any)
    publish(&edge);
  pthread_mutex_unlock(&reading);
}

/* ---- circles; the mutex is held --------------------------------------------------------------------- */

typedef struct {
  size_t place[CIRCLE];
  size_t n;
} circle_t;

/* Whether no lock is held around both. */
static bool are_apart(const edge_t *a, const edge_t *b)
{
  for (size_t i = 0; i < GUARDS && a->guards[i] != 0; i++)
    for (size_t k = 0; k < GUARDS && b->guards[k] != 0; k++)
      if (a->guards[i] == b->guards[k])
        return false;
  return true;
}

static bool may_follow(const circle_t *circle, const edge_t *edge)
{
  for (size_t i = 0; i < circle->n; i++)
    if (!are_apart(&edges[circle->place[i]], edge))
      return false;
  return circle->n < CIRCLE;
}

/* Search from the last edge of the circle until its first edge is reached. */
static bool close_circle(circle_t *circle, bool visited[LOG])
{
  const edge_t *first = &edges[circle->place[0]], *last = &edges[circle->place[circle->n - 1]];

  if (locks_conflict(&last->wanted, &first->held))
    return true;
  for (size_t i = 0; i < nedges; i++) {
    if (visited[i] || is_dead[i] || !locks_conflict(&last->wanted, &edges[i].held) ||
        !may_follow(circle, &edges[i]))
      continue;
    visited[i]                 = true;
    circle->place[circle->n++] = i;
    if (close_circle(circle, visited))
      return true;
    circle->n--;
  }
  return false;
}

static dart__at_t place_in(uint64_t call, uint64_t from)
{
  return (dart__at_t){ call < DART__CALLS ? (dart__call_t)call : DART__CALL_dart_lock_acquire,
                       dart__check_place_address(from) };
}

static void report_circle(const circle_t *circle, dart__at_t at)
{
  dart__check_report_t report;
  char                 name[128], what[192];

  if (!dart__check_begin(&report, "locks", at, "%s",
                         circle->n == 1
                             ? "a thread requests a lock that it holds"
                             : "locks are acquired in opposite orders, which may deadlock"))
    return;
  for (size_t i = 0; i < circle->n; i++) {
    const edge_t *edge = &edges[circle->place[i]];

    describe_lock(&edge->held, name, sizeof name);
    snprintf(what, sizeof what, "unit %d held %s, acquired by", (int)edge->unit, name);
    dart__check_place(&report, what, place_in(edge->held_call, edge->held_from));
    describe_lock(&edge->wanted, name, sizeof name);
    snprintf(what, sizeof what, "  and requested %s by", name);
    dart__check_place(&report, what, place_in(edge->wanted_call, edge->wanted_from));
  }
  dart__check_end(&report);
}

static void add_edge(edge_t *edge, dart__at_t at)
{
  bool     visited[LOG] = { false };
  circle_t circle       = { .n = 1 };

  if (is_known_edge(edge))
    return;
  circle.place[0] = publish(edge);
  if (circle.place[0] == LOG)
    return;
  visited[circle.place[0]] = true;
  if (close_circle(&circle, visited))
    report_circle(&circle, at);
}

/* ---- nestings --------------------------------------------------------------------------------------- */

static uint64_t hash_of_lock(const dart__check_lock_t *lock)
{
  return dart__check_hash(0, lock, sizeof *lock);
}

/* The edge from the n-th lock of this thread. Shared locks do not keep nestings apart. */
static edge_t edge_from(const held_t mine[], size_t nmine, size_t n)
{
  edge_t edge    = { .held      = mine[n].lock,
                     .held_call = mine[n].at.id,
                     .held_from = dart__check_place_number(mine[n].at.from),
                     .unit      = (uint64_t)dart__check.me };
  size_t nguards = 0;

  for (size_t i = 0; i < nmine && nguards < GUARDS; i++)
    if (i != n && !mine[i].lock.is_shared)
      edge.guards[nguards++] = hash_of_lock(&mine[i].lock);
  return edge;
}

/* The thread requests a lock that it holds. DART refuses that for a lock object. For other locks, another thread of the
 * unit may release it, if there is one. */
static bool is_own_portion(const dart__check_lock_t *wanted, const dart__check_lock_t *lock)
{
  return locks_conflict(wanted, lock) &&
         (dart__check.threads || wanted->kind == DART__CALL_dart_lock_acquire);
}

static size_t held_by_me(held_t mine[MINE])
{
  uint64_t thread = this_thread();
  size_t   n      = 0;

  dart__check_lock();
  for (size_t i = nheld; i > 0 && n < MINE; i--)
    if (held[i - 1].thread == thread)
      mine[n++] = held[i - 1];
  dart__check_unlock();
  return n;
}

void dart__check_nest_wanted(const dart__check_lock_t locks[], size_t n, dart__at_t at)
{
  held_t mine[MINE];
  size_t nmine;

  if (n == 0 || locks[0].kind == 0)
    return;
  nmine = held_by_me(mine);
  if (nmine == 0)
    return;
  pthread_mutex_lock(&reading);
  for (size_t i = 0; i < nmine; i++) {
    edge_t edge = edge_from(mine, nmine, i);

    edge.wanted_call = at.id;
    edge.wanted_from = dart__check_place_number(at.from);
    for (size_t k = 0; k < n; k++) {
      edge.wanted = locks[k];
      if (!is_own_portion(&locks[k], &mine[i].lock))
        add_edge(&edge, at);
    }
  }
  pthread_mutex_unlock(&reading);
}
