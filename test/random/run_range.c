/* Range locks: elements are held by their numbers, and those that are held alone are counted up by plain
 * reads and writes. A sum that comes out is what mutual exclusion means; elements that are held with others do not
 * change while they are. */
#include <stdlib.h>
#include <string.h>

#include "run_common.h"

enum { SPANS_MOST = 104, TIMED_US = 200 };

typedef struct {
  dart_range_span_t span[SPANS_MOST];
  size_t            n;
} spans_t;

/* The number of an element: the same by whatever name its memory is known. Those of every other object are the
 * highest that there are. */
static uint64_t number(const unit_t *unit, const op_t *op, uint64_t at)
{
  uint64_t seg = (uint64_t)scene_memory(&unit->model.scene, op->seg, &at);
  uint64_t low = ((seg * UNITS_MAX + (uint64_t)op->to) << 20) + at / 8;

  return op->range % 2 == 0 ? low : UINT64_MAX - low;
}

static void add_span(spans_t *spans, uint64_t one, uint64_t other, bool is_alone)
{
  spans->span[spans->n++] =
      (dart_range_span_t){ .first = one < other ? one : other,
                           .last  = one < other ? other : one,
                           .mode  = is_alone ? DART_RANGE_EXCLUSIVE : DART_RANGE_SHARED };
}

/* One for each run; now and then its first number once more, shared, which changes nothing. */
static void find_spans(const unit_t *unit, const op_t *op, spans_t *spans)
{
  size_t run = 0;

  spans->n = 0;
  for (size_t k = 0, n; k < op->n; k += n, run++) {
    uint64_t at = op->at + layout_at(&op->remote, k);

    n = layout_run(&op->remote, k, op->n);
    add_span(spans, number(unit, op, at), number(unit, op, at + 8 * (n - 1)),
             op_holds_alone(op, run));
  }
  if (op->id % 4 == 0)
    add_span(spans, number(unit, op, op->at + layout_at(&op->remote, 0)),
             number(unit, op, op->at + layout_at(&op->remote, 0)), false);
}

static dart_range_hold_t acquire(const unit_t *unit, const op_t *op)
{
  static const int64_t limits[] = {
    [RANGED_WAIT] = -1,  [RANGED_TIMED] = TIMED_US, [RANGED_TRY] = 0,
    [RANGED_MIXED] = -1, [RANGED_SHARED] = -1,      [RANGED_SHARED_TRY] = 0
  };
  dart_range_hold_t hold;
  spans_t           spans;
  dart_ret_t        ret;

  find_spans(unit, op, &spans);
  while (true) {
    ret = dart_range_acquire(unit->range[op->range], spans.span, spans.n, limits[op->how], &hold);
    if (ret == DART_OK)
      return hold;
    if (ret == DART_ERR_UNIT_LOST && run_may_lose(unit, op))
      run_lose();
    if (ret != DART_PENDING || limits[op->how] < 0 || hold != DART_RANGE_HOLD_NULL)
      run_fail(unit, op, "dart_range_acquire returned %d", (int)ret);
    run_yield();
  }
}

/* ---- what is done meanwhile ------------------------------------------------------------------ */

static void read_run(const unit_t *unit, const op_t *op, uint64_t at, int64_t *words, size_t n)
{
  dart_gptr_t gptr = run_gptr(unit, op->seg, op->to, at);

  if (op->to == unit->me && op->id % 3 == 0)
    memcpy(words, unit->own[op->seg] + at, 8 * n);
  else
    RUN_OK(unit, op, dart_get_blocking(words, gptr, n, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void write_run(const unit_t *unit, const op_t *op, uint64_t at, const int64_t *words,
                      size_t n)
{
  dart_gptr_t gptr = run_gptr(unit, op->seg, op->to, at);

  if (op->to == unit->me && op->id % 3 == 0)
    memcpy(unit->own[op->seg] + at, words, 8 * n);
  else if (op->id % 3 == 1)
    RUN_OK(unit, op, dart_put(gptr, words, n, DART_TYPE_LONG, DART_TYPE_LONG));
  else
    RUN_OK(unit, op, dart_put_blocking(gptr, words, n, DART_TYPE_LONG, DART_TYPE_LONG));
}

/* All runs are read; those held alone are written, each word one more than it was. */
static void count_up(const unit_t *unit, const op_t *op, int64_t *words)
{
  size_t run = 0;

  for (size_t k = 0, n; k < op->n; k += n, run++) {
    uint64_t at = op->at + layout_at(&op->remote, k);

    n = layout_run(&op->remote, k, op->n);
    read_run(unit, op, at, words + k, n);
    if (!op_holds_alone(op, run))
      continue;
    for (size_t i = k; i < k + n; i++)
      words[i] = (int64_t)((uint64_t)words[i] + 1);
    write_run(unit, op, at, words + k, n);
  }
  if (op->id % 3 == 1)
    RUN_OK(unit, op, dart_flush(run_gptr(unit, op->seg, op->to, op->at)));
}

/* What is held is still what it was when it was read, or what was written then. */
static void look_again(thread_t *thread, const op_t *op, const int64_t *words)
{
  buffer_t *again = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);
  int64_t  *word  = (int64_t *)(void *)again->bytes;

  for (size_t k = 0, n; k < op->n; k += n) {
    n = layout_run(&op->remote, k, op->n);
    read_run(thread->unit, op, op->at + layout_at(&op->remote, k), word + k, n);
  }
  if (!run_has_lost() || !run_is_at_risk(thread->unit, op))
    run_compare(thread->unit, op, "what is held, at a second look", again->bytes, words, NULL,
                8 * op->n);
  run_poison(thread, again);
}

void run_ranged(thread_t *thread, const op_t *op)
{
  unit_t           *unit  = thread->unit;
  buffer_t         *words = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);
  dart_range_hold_t hold  = acquire(unit, op);

  run_go_on();
  count_up(unit, op, (int64_t *)(void *)words->bytes);
  if (op->id % 2 == 0)
    run_yield();
  if (!run_has_lost())
    look_again(thread, op, (const int64_t *)(const void *)words->bytes);
  RUN_OK(unit, op, dart_range_release(&hold));
  if (hold != DART_RANGE_HOLD_NULL)
    run_fail(unit, op, "what was held still has a name");
  run_poison(thread, words);
}
