/* Where all units meet, each sorts its log by the unit whose memory was accessed. Then each unit compares all entries
 * about its own memory. Take two accesses of different units to the same bytes, at least one of which writes. One must
 * have happened before the other: at the call of the later one, the clock has reached the number at which the earlier
 * one was complete.
 *
 * Accesses of one kind to the same bytes form a group. So few pairs of groups are compared where units access a place
 * often. Entries that were compared are dropped, as the meeting orders everything later after them. Entries of
 * operations that are not complete are kept. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_report.h"
#include "check_shared.h"
#include "clock.h"
#include "underway.h"
#include "where.h"

enum { MOST_PAIRS = 20000000 }; /* that a unit compares at a meeting */

static dart_team_t     own_team;
static dart_gptr_t     memory; /* of each unit: an index by unit, then the entries */
static uint64_t       *index_of;
static dart__access_t *posted;

static size_t index_bytes(void)
{
  return (dart__check.nunits + 1) * sizeof *index_of;
}

void dart__check_races_open(dart_team_t team)
{
  void *own;

  own_team = team;
  memory   = dart__check_share(team, index_bytes() + DART__CHECK_LOG * sizeof *posted, &own);
  index_of = own;
  posted   = (dart__access_t *)(void *)((char *)own + index_bytes());
  dart__check_clocks_open();
  dart__check_log_open();
  dart__check_underway_open();
}

void dart__check_races_forget(void)
{
  dart__check_log_forget_all();
  dart__check_underway_forget();
  dart__check_clocks_forget();
}

/* ---- sorting by owner ----------------------------------------------------------------------------- */

/* The few places that log most accesses are looked up once each. */
static uint64_t place_number(uint64_t from)
{
  enum { PLACES = 256 };
  static struct {
    uint64_t from, number;
  } places[PLACES];
  size_t i = (from >> 2) % PLACES;

  if (places[i].from != from) {
    places[i].from   = from;
    places[i].number = dart__check_place_number((const void *)(uintptr_t)from);
  }
  return places[i].number;
}

static void deal_out(const dart__access_t *entries, uint32_t n)
{
  uint64_t *next = index_of;

  memset(next, 0, index_bytes());
  for (uint32_t i = 0; i < n; i++)
    next[entries[i].owner + 1]++;
  for (size_t unit = 0; unit < dart__check.nunits; unit++)
    next[unit + 1] += next[unit];
  for (uint32_t i = n; i > 0; i--) { /* next[unit + 1] goes down to the first entry of its unit */
    dart__access_t *copy = &posted[--next[entries[i - 1].owner + 1]];

    *copy      = entries[i - 1];
    copy->from = place_number(copy->from);
  }
  memmove(next, next + 1, dart__check.nunits * sizeof *next);
  next[dart__check.nunits] = n;
}

typedef struct {
  dart__access_t *entries;
  size_t          n;
  uint64_t      **rows; /* of each unit; NULL: not read yet */
  uint64_t        npairs;
} collected_t;

_Static_assert(sizeof(dart__access_t) % sizeof(uint64_t) == 0, "entries are read in whole words");

static void collect(collected_t *all)
{
  uint64_t range[2];

  for (int32_t unit = 0; (size_t)unit < dart__check.nunits; unit++) {
    size_t n;

    dart__check_read(range, memory, unit, (size_t)dart__check.me * sizeof *index_of, sizeof range);
    n            = range[1] - range[0];
    all->entries = dart__check_room(all->entries, (all->n + n) * sizeof *all->entries);
    dart__check_read(all->entries + all->n, memory, unit, index_bytes() + range[0] * sizeof *posted,
                     n * sizeof *posted);
    all->n += n;
  }
}

static bool is_same_word(const dart__access_t *a, const dart__access_t *b)
{
  return a->is_word && b->is_word && a->offset == b->offset && a->nbytes == b->nbytes;
}

/* Both units update the word by a get and a put. What their gets have found is chance, and orders nothing. */
static bool are_updates(const dart__access_t *a, const dart__access_t *b)
{
  return a->is_updated && b->is_updated && is_same_word(a, b);
}

/* The number for the unit of `other` in the clock of `access`. */
static uint64_t number_for(collected_t *all, const dart__access_t *access,
                           const dart__access_t *other)
{
  uint32_t   row  = are_updates(access, other) ? access->unread_row : access->row;
  uint64_t **rows = &all->rows[access->unit];
  uint32_t   n    = 0;

  if (*rows == NULL) {
    for (size_t i = 0; i < all->n; i++)
      if (all->entries[i].unit == access->unit && all->entries[i].row >= n)
        n = all->entries[i].row + 1;
    *rows = dart__check_room(NULL, (size_t)n * dart__check.nunits * sizeof **rows);
    dart__check_rows_read(access->unit, n, *rows);
  }
  return (*rows)[(size_t)row * dart__check.nunits + (size_t)other->unit];
}

/* ---- groups --------------------------------------------------------------------------------------- */

#define ORDER(a, b)              \
  do {                           \
    if ((a) != (b))              \
      return (a) < (b) ? -1 : 1; \
  } while (0)

static int by_group(const dart__access_t *a, const dart__access_t *b)
{
  ORDER(a->team, b->team);
  ORDER(a->segment, b->segment);
  ORDER(a->offset, b->offset);
  ORDER(a->nbytes, b->nbytes);
  ORDER(a->kind, b->kind);
  ORDER(a->type, b->type);
  ORDER(a->is_word, b->is_word);
  ORDER(a->is_sync, b->is_sync);
  ORDER(a->is_updated, b->is_updated);
  ORDER(a->lock, b->lock);
  return 0;
}

static int by_unit(const void *left, const void *right)
{
  const dart__access_t *a = left, *b = right;
  int                   order = by_group(a, b);

  if (order != 0)
    return order;
  ORDER(a->unit, b->unit);
  ORDER(a->start, b->start);
  return 0;
}

static bool is_write(const dart__access_t *access)
{
  return access->kind == DART__ACCESS_PUT || access->kind == DART__ACCESS_UPDATE;
}

static bool is_atomic(const dart__access_t *access)
{
  return access->kind == DART__ACCESS_READ || access->kind == DART__ACCESS_UPDATE;
}

static bool is_same_type(const dart__access_t *a, const dart__access_t *b)
{
  return a->type == b->type || ((a->type == 0 || b->type == 0) && is_same_word(a, b));
}

/* Whether the locks of the portion keep the two accesses apart. */
static bool exclude_each_other(const dart__access_t *a, const dart__access_t *b)
{
  return a->lock != 0 && b->lock != 0 &&
         (a->lock == DART__EPOCH_EXCLUSIVE || b->lock == DART__EPOCH_EXCLUSIVE);
}

/* Whether accesses of two groups conflict if nothing orders them. */
static bool accesses_conflict(const dart__access_t *a, const dart__access_t *b)
{
  if ((!is_write(a) && !is_write(b)) || a->nbytes == 0 || b->nbytes == 0 ||
      exclude_each_other(a, b))
    return false;
  if (is_atomic(a) && is_atomic(b))
    return !is_same_type(a, b);
  return !is_same_word(a, b) || are_updates(a, b) ||
         !((a->is_sync && !is_write(a)) ||
           (b->is_sync && !is_write(b))); /* one unit polls a flag */
}

/* ---- reports -------------------------------------------------------------------------------------- */

static void describe_access(dart__check_report_t *report, const dart__access_t *access)
{
  char what[32];

  snprintf(what, sizeof what, "unit %d:", access->unit);
  dart__check_place(
      report, what,
      (dart__at_t){ (dart__call_t)access->call, dart__check_place_address(access->from) });
}

static void report_race(collected_t *all, const dart__access_t *a, const dart__access_t *b)
{
  dart__check_report_t report;
  bool                 is_mixed       = is_atomic(a) && is_atomic(b);
  bool                 a_synchronised = number_for(all, b, a) >= a->start;
  bool                 b_synchronised = number_for(all, a, b) >= b->start;

  if (!dart__check_begin(
          &report, "races",
          (dart__at_t){ (dart__call_t)a->call, dart__check_place_address(a->from) },
          "units %d and %d access the same bytes, from %llu on, of this unit's portion", a->unit,
          b->unit, (unsigned long long)(a->offset > b->offset ? a->offset : b->offset)))
    return;
  describe_access(&report, a);
  describe_access(&report, b);
  dart__check_line(&report, "in segment %d of team %d", a->segment, a->team);
  if (is_mixed)
    dart__check_line(&report,
                     "missing: one type for all atomics of an element, or a synchronisation");
  else if (a_synchronised || b_synchronised)
    dart__check_line(&report, "missing: a flush or a wait by unit %d before the units synchronise",
                     a_synchronised ? a->unit : b->unit);
  else
    dart__check_line(&report, "missing: a synchronisation of the two units between the accesses");
  dart__check_end(&report);
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static uint64_t end_of(const dart__access_t *access, bool is_seen)
{
  return is_seen ? access->start : access->end;
}

/* Compare the accesses of two units, each in the order of its calls, and report at most one race. */
static void compare_runs(collected_t *all, const dart__access_t *a, size_t na,
                         const dart__access_t *b, size_t nb)
{
  bool is_seen = is_same_word(a, b) && (a->is_sync || b->is_sync);

  for (size_t j = 0; j < nb && all->npairs < MOST_PAIRS; j++) {
    uint64_t reached = number_for(all, &b[j], a);

    for (size_t i = 0; i < na; i++, all->npairs++)
      if (end_of(&a[i], is_seen) > reached && end_of(&b[j], is_seen) > number_for(all, &a[i], b)) {
        report_race(all, &a[i], &b[j]);
        return;
      }
  }
}

/* The end of the run of accesses of one unit that begins at `i`. */
static size_t run_end(const collected_t *all, size_t i, size_t end)
{
  int32_t unit = all->entries[i].unit;

  while (i < end && all->entries[i].unit == unit)
    i++;
  return i;
}

static size_t group_end(const collected_t *all, size_t i)
{
  size_t end = i + 1;

  while (end < all->n && by_group(&all->entries[i], &all->entries[end]) == 0)
    end++;
  return end;
}

static void compare_groups(collected_t *all, size_t a, size_t a_end, size_t b, size_t b_end)
{
  if (!accesses_conflict(&all->entries[a], &all->entries[b]))
    return;
  for (size_t i = a, i_end; i < a_end; i = i_end) {
    i_end = run_end(all, i, a_end);
    for (size_t j = a == b ? i_end : b, j_end; j < b_end; j = j_end) {
      j_end = run_end(all, j, b_end);
      if (all->entries[i].unit != all->entries[j].unit)
        compare_runs(all, &all->entries[i], i_end - i, &all->entries[j], j_end - j);
    }
  }
}

static void compare_all(collected_t *all)
{
  static bool said;

  qsort(all->entries, all->n, sizeof *all->entries, by_unit);
  for (size_t a = 0, a_end; a < all->n; a = a_end) {
    const dart__access_t *first = &all->entries[a];

    a_end = group_end(all, a);
    for (size_t b = a, b_end; b < all->n && all->npairs < MOST_PAIRS; b = b_end) {
      const dart__access_t *other = &all->entries[b];

      if (other->team != first->team || other->segment != first->segment ||
          other->offset >= first->offset + first->nbytes)
        break;
      b_end = b == a ? a_end : group_end(all, b);
      compare_groups(all, a, a_end, b, b_end);
      all->npairs++;
    }
  }
  if (all->npairs >= MOST_PAIRS)
    dart__check_note(&said,
                     "more than %d pairs of accesses between two calls at which all units "
                     "meet; races of further ones are not checked",
                     MOST_PAIRS);
}

/* Drop the compared entries from the log. */
static void renew(uint32_t n)
{
  uint32_t *moved;

  dart__check_lock();
  moved = dart__check_log_compared(n);
  dart__check_underway_moved(moved);
  dart__check_unlock();
  free(moved);
}

static void compare_recorded(void)
{
  uint32_t              n;
  const dart__access_t *entries = dart__check_log(&n);
  uint64_t              mine[2] = { n, dart__check_order_lost() }, sum[2];
  collected_t           all     = { .entries = NULL };

  deal_out(entries, n);
  if (pdart_allreduce(mine, sum, 2, DART_TYPE_ULONGLONG, DART_OP_SUM, own_team) != DART_OK)
    abort();
  if (sum[0] == 0)
    return;
  if (sum[1] == 0) {
    all.rows = dart__check_room(NULL, dart__check.nunits * sizeof *all.rows);
    memset(all.rows, 0, dart__check.nunits * sizeof *all.rows);
    collect(&all);
    compare_all(&all);
    for (size_t unit = 0; unit < dart__check.nunits; unit++)
      free(all.rows[unit]);
    free(all.rows);
    free(all.entries);
  }
  pdart_barrier(own_team); /* all units have read the entries */
  renew(n);
}

void dart__check_race_collective(dart_team_t team, dart__call_t call, int32_t root)
{
  bool has_root = call == DART__CALL_dart_bcast || call == DART__CALL_dart_scatter ||
                  call == DART__CALL_dart_reduce || call == DART__CALL_dart_gather;

  dart__check_clocks_collective(team, call, root);
  if (team == DART_TEAM_ALL && !has_root)
    compare_recorded();
}
