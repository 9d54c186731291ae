/* Range locks: see dart_range.h for what they do.
 *
 * Every unit of the team has a table (range_table.h) for the stripes that are its own. A request goes to the tables of
 * the stripes it touches, to each with all spans that touch one of these. Spans that overlap have a stripe in common,
 * and so meet in a table; that a span is in other tables, too, does no harm. The tables are asked in ascending order of
 * their units, and the next one only when the request is held in the one before. So a request waits either for an older
 * one in the same table, or for one that holds its spans there and perhaps waits in a table of a higher unit. These
 * waits cannot form a circle.
 *
 * So fairness holds in each table: a request that waits in one has no place in the next yet. To have one in all tables
 * at once, it would have to enter them before it holds anything, in the same order as every other request with which it
 * shares two tables; or two of them wait for each other. That takes a gate that all requests for several tables pass
 * one by one, each for as many round trips as it has tables. Then a unit that is slow to answer one of them holds up
 * all, also those that want nothing of it. Passing is bounded, and harms less.
 *
 * Stripes, not a hash of single numbers, because requests are ranges; one stripe to a unit in turn, because
 * neighbouring ranges are then served by different units, and the table of a range is arithmetic. */
#include <stdlib.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/ext/dart_range.h>

#include "base/log.h"
#include "base/profile.h"
#include "far/progress.h"
#include "lock/range_object.h"
#include "lock/range_table.h"
#include "memory/pool.h"
#include "model/holds.h"
#include "model/lost.h"
#include "model/world.h"
#include "p2p/twosided.h"
#include "wait/waiting.h"

DART__PROFILED(dart_range_acquire, dart_range_release);

/* A request as held in one table. */
typedef struct {
  dart__table_t table;
  uint64_t      ticket;
} part_t;

struct dart_range_hold_struct {
  dart_range_t range;
  size_t       nparts;
  part_t       parts[];
};

/* ---- which units a request is for ------------------------------------------------------------- */

/* One call of dart_range_acquire. */
typedef struct {
  dart_range_t        range;
  dart__span_t        spans[DART_RANGE_SPANS];
  size_t              n;
  int64_t             end; /* us; when to give up. NEVER: not at all; 0: at once */
  size_t              most_parts;
  uint64_t            lowest, highest; /* of what is held by now */
  dart__range_slot_t *slot;            /* to wait with; NULL: it does not wait */
  dart_range_hold_t   hold;
} acquire_t;

#define NEVER INT64_MAX

static uint64_t stripes_of(dart_range_t range, const dart__span_t *span)
{
  return span->last / range->stripe - span->first / range->stripe; /* without the first */
}

/* The unit that has the first stripe of a span. */
static int32_t first_unit(dart_range_t range, const dart__span_t *span)
{
  return (int32_t)(span->first / range->stripe % (uint64_t)range->nunits);
}

static bool touches(dart_range_t range, const dart__span_t *span, int32_t unit)
{
  int32_t steps = unit - first_unit(range, span);

  return (uint64_t)(steps < 0 ? steps + range->nunits : steps) <= stripes_of(range, span);
}

/* The lowest unit from `unit` on that some span touches; nunits if there is none. A span's units follow one
 * another, from its first on and, after the last, from 0 on: if `unit` is not one of them, the lowest above it
 * is the first. */
static int32_t next_unit(const acquire_t *a, int32_t unit)
{
  int32_t next = a->range->nunits;

  for (size_t i = 0; i < a->n; i++) {
    int32_t first = first_unit(a->range, &a->spans[i]);

    if (unit < a->range->nunits && touches(a->range, &a->spans[i], unit))
      return unit;
    if (first >= unit && first < next)
      next = first;
  }
  return next;
}

/* Units that the spans touch, at most. */
static size_t most_parts(const acquire_t *a)
{
  uint64_t nunits = (uint64_t)a->range->nunits, most = 0;

  for (size_t i = 0; i < a->n && most < nunits; i++) {
    uint64_t more = stripes_of(a->range, &a->spans[i]);

    most += more < nunits ? more + 1 : nunits;
  }
  return (size_t)(most < nunits ? most : nunits);
}

/* The spans that touch stripes of `unit`, to `some`; returns their number. */
static size_t select_spans(const acquire_t *a, int32_t unit, dart__span_t *some)
{
  size_t n = 0;

  for (size_t i = 0; i < a->n; i++)
    if (touches(a->range, &a->spans[i], unit))
      some[n++] = a->spans[i];
  return n;
}

/* ---- acquiring --------------------------------------------------------------------------------- */

static int64_t now_us(void)
{
  return dart__now_ns() / 1000;
}

/* What is left of the time, as dart_notify_wait takes it. */
static int64_t time_left(const acquire_t *a)
{
  int64_t now;

  if (a->end == NEVER)
    return -1;
  now = now_us();
  return a->end > now ? a->end - now : 0;
}

/* Hints to this unit so far. */
static uint64_t hints(void)
{
  char *counter = dart__pool_address(dart__world.me, dart__twosided_hints());

  return atomic_load_explicit((_Atomic uint64_t *)(void *)counter, memory_order_relaxed);
}

/* Wait until the request is granted, or the one before it: the wait that follows begins awake, so the range does not lie
 * idle while this unit is woken. `before`: hints to this unit before it could be told. */
static void wait_until_near(const acquire_t *a, uint64_t before)
{
  dart_gptr_t flags[2] = { dart__pool_gptr(dart__world.me, a->slot->offset),
                           dart__pool_gptr(dart__world.me, dart__twosided_hints()) };
  uint64_t    least[2] = { a->slot->told + 1, before + 1 };
  size_t      index;

  pdart_notify_waitany(flags, least, 2, time_left(a), &index);
}

static dart__waiting_t *note_range_wait(const acquire_t *a)
{
  return dart__waiting_begin("dart_range_acquire",
                             (dart__wait_for_t){ DART__WAIT_RANGE, a->range->teamid,
                                                 a->range->hold->number, a->spans[0].first,
                                                 a->spans[0].last });
}

/* `is_next`: the request before it is granted already. */
static dart_ret_t wait_for_grant(const acquire_t *a, const part_t *part, bool is_next,
                                 uint64_t before)
{
  dart__range_slot_t *slot    = a->slot;
  int64_t             end     = a->end == NEVER ? -1 : a->end;
  dart__waiting_t    *waiting = note_range_wait(a);
  dart_ret_t          ret;

  if (!is_next && !dart__survives())
    wait_until_near(a, before);
  ret = dart__table_wait(part->table, part->ticket, slot->offset, &slot->told, end);
  if (ret == DART_PENDING && !dart__table_cancel(part->table, part->ticket)) /* told just now */
    ret = dart__table_wait(part->table, part->ticket, slot->offset, &slot->told, -1);
  dart__waiting_end(waiting);
  return ret;
}

/* The lowest and the highest of a span's numbers that are in stripes of `unit`; there are some. */
static dart__span_t part_of(dart_range_t range, const dart__span_t *span, int32_t unit)
{
  int32_t      last_unit = (int32_t)(span->last / range->stripe % (uint64_t)range->nunits);
  int32_t      ahead = unit - first_unit(range, span), behind = last_unit - unit;
  uint64_t     from = span->first / range->stripe, to = span->last / range->stripe;
  dart__span_t part = *span;

  if (ahead != 0)
    part.first = (from + (uint64_t)(ahead < 0 ? ahead + range->nunits : ahead)) * range->stripe;
  if (behind != 0)
    part.last =
        (to - (uint64_t)(behind < 0 ? behind + range->nunits : behind) + 1) * range->stripe - 1;
  return part;
}

/* Spans are held in the table of `unit`, too: from where to where what is held reaches. */
static void widen(acquire_t *a, const dart__span_t *spans, size_t n, int32_t unit)
{
  for (size_t i = 0; i < n; i++) {
    dart__span_t part = a->most_parts > 1 ? part_of(a->range, &spans[i], unit) : spans[i];

    a->lowest  = part.first < a->lowest ? part.first : a->lowest;
    a->highest = part.last > a->highest ? part.last : a->highest;
  }
}

/* Hold the spans in one unit's table. */
static dart_ret_t acquire_part(acquire_t *a, int32_t unit, part_t *part)
{
  dart__range_waiter_t waiter = { a->slot == NULL ? 0 : a->slot->offset, dart__world.me, 1 };
  dart__span_t         some[DART_RANGE_SPANS];
  size_t               n      = select_spans(a, unit, some);
  uint64_t             before = hints();
  dart_ret_t           ret;

  part->table = dart__range_table_of(a->range, unit);
  switch (dart__table_enter(part->table, &waiter, some, n, a->slot != NULL, &part->ticket)) {
  case DART__RANGE_HELD:
    ret = DART_OK;
    dart__table_note_broken(part->table, part->ticket);
    break;
  case DART__RANGE_WAITS: ret = wait_for_grant(a, part, false, before); break;
  case DART__RANGE_NEXT: ret = wait_for_grant(a, part, true, before); break;
  case DART__RANGE_BUSY: return DART_PENDING;
  case DART__RANGE_GONE: return DART_ERR_UNIT_LOST;
  default:
    return dart__fail(DART_ERR_NOMEM, "dart_range_acquire: unit %d has no room for %zu more ranges",
                      part->table.unit, n);
  }
  if (ret == DART_OK)
    widen(a, some, n, unit);
  return ret;
}

/* Others may wait for what is held so far, while this unit waits for the rest: so it is noted part by part. */
static void note_part(acquire_t *a)
{
  if (a->hold->nparts++ == 0)
    dart__hold_enter(a->range->hold, a->lowest, a->highest);
  else
    dart__hold_name(a->range->hold, a->lowest, a->highest);
}

static void release_parts(dart_range_hold_t hold)
{
  if (hold->nparts > 0)
    dart__hold_leave(hold->range->hold);
  while (hold->nparts > 0) {
    const part_t *part = &hold->parts[--hold->nparts];

    dart__table_leave(part->table, part->ticket);
  }
}

static dart_ret_t acquire_parts(acquire_t *a)
{
  dart_range_hold_t hold = a->hold;

  for (int32_t unit = next_unit(a, 0); unit < a->range->nunits; unit = next_unit(a, unit + 1)) {
    dart_ret_t ret = acquire_part(a, unit, &hold->parts[hold->nparts]);

    if (ret != DART_OK) {
      release_parts(hold);
      return ret;
    }
    note_part(a);
  }
  return DART_OK;
}

/* Memory for the hold, and to wait with. */
static dart_ret_t prepare_hold(acquire_t *a, int64_t timeout_us)
{
  a->most_parts = most_parts(a);
  a->hold       = malloc(sizeof *a->hold + a->most_parts * sizeof a->hold->parts[0]);
  a->slot       = a->hold == NULL || timeout_us == 0 ? NULL : dart__range_take_slot(a->range);
  if (a->hold == NULL || (timeout_us != 0 && a->slot == NULL)) {
    if (a->hold != NULL)
      dart__range_give_slot(a->range, NULL);
    free(a->hold);
    return dart__fail(DART_ERR_NOMEM, "dart_range_acquire: no memory");
  }
  a->hold->range  = a->range;
  a->hold->nparts = 0;
  return DART_OK;
}

static dart_ret_t acquire(acquire_t *a, int64_t timeout_us)
{
  int64_t    now = timeout_us > 0 ? now_us() + 1 : 0; /* rounded up */
  dart_ret_t ret = prepare_hold(a, timeout_us);

  if (ret != DART_OK)
    return ret;
  a->end = timeout_us < 0 || timeout_us > NEVER - now ? NEVER : now + timeout_us;
  ret    = acquire_parts(a);
  if (a->slot != NULL)
    dart__range_give_slot(a->range, a->slot);
  if (ret != DART_OK)
    free(a->hold);
  return ret;
}

/* ---- entry points -------------------------------------------------------------------------------- */

static bool is_usable(const char *function, const struct dart_range_struct *range)
{
  if (range == DART_RANGE_NULL)
    dart__error("%s: range is NULL", function);
  else if (!dart__world.initialized || range->cycle != dart__world.cycle)
    dart__error("%s: the object is from before dart_exit", function);
  else if (dart__team_find(range->teamid) == NULL)
    dart__error("%s: team %d of the object was destroyed", function, range->teamid);
  else
    return true;
  return false;
}

static bool copy_spans(const char *function, const dart_range_span_t *spans, size_t n,
                       dart__span_t *copy)
{
  if (spans == NULL || n == 0 || n > DART_RANGE_SPANS)
    return dart__fail(false, "%s: %zu spans at %p", function, n, (const void *)spans);
  for (size_t i = 0; i < n; i++) {
    if (spans[i].first > spans[i].last || (unsigned)spans[i].mode > DART_RANGE_EXCLUSIVE)
      return dart__fail(false, "%s: span %zu is from %llu to %llu, mode %d", function, i,
                        (unsigned long long)spans[i].first, (unsigned long long)spans[i].last,
                        (int)spans[i].mode);
    copy[i] = (dart__span_t){ spans[i].first, spans[i].last, spans[i].mode };
  }
  return true;
}

dart_ret_t dart_range_acquire(dart_range_t range, const dart_range_span_t spans[], size_t n,
                              int64_t timeout_us, dart_range_hold_t *hold)
{
  acquire_t  a;
  dart_ret_t ret;

  if (hold == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: hold is NULL", __func__);
  *hold = DART_RANGE_HOLD_NULL;
  if (!is_usable(__func__, range) || !copy_spans(__func__, spans, n, a.spans))
    return DART_ERR_INVAL;
  dart__progress(); /* others may be waiting for deferred updates of this unit */
  a.range   = range;
  a.n       = n;
  a.lowest  = UINT64_MAX;
  a.highest = 0;
  ret       = acquire(&a, timeout_us);
  if (ret == DART_OK)
    *hold = a.hold;
  return ret;
}

/* No progress is made here: this may be the thread that makes progress. */
void dart__range_end(dart_range_hold_t hold)
{
  release_parts(hold);
  free(hold);
}

dart_ret_t dart_range_release(dart_range_hold_t *hold)
{
  if (hold == NULL || *hold == DART_RANGE_HOLD_NULL)
    return dart__fail(DART_ERR_INVAL, "%s: hold is NULL", __func__);
  if (!is_usable(__func__, (*hold)->range))
    return DART_ERR_INVAL;
  dart__progress();
  dart__range_end(*hold);
  *hold = DART_RANGE_HOLD_NULL;
  return DART_OK;
}
