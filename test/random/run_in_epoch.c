/* What is done inside of rounds about epochs: fences between operations, whole epochs of one lock, and calls that must
 * be refused and change nothing. */
#include <pthread.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>

#include "draw.h"
#include "run_common.h"

void run_fence(thread_t *thread, const op_t *op)
{
  static const int flags[] = {
    [FENCE_PLAIN] = 0, [FENCE_LAZY] = DART_EPOCH_LAZY, [FENCE_NOPRECEDE] = DART_EPOCH_NOPRECEDE
  };
  unit_t *unit = thread->unit;

  RUN_OK(unit, op,
         dart_epoch_fence(run_gptr(unit, op->seg, unit->me, 0),
                          flags[op->how] | run_epoch_noput(unit, op, op->seg)));
  run_completed(thread, op);
}

/* ---- sections: lock, count up, unlock ---------------------------------------------------------- */

/* An epoch is its unit's: one thread at a time. */
static pthread_mutex_t section_mutex = PTHREAD_MUTEX_INITIALIZER;

static void get_words(unit_t *unit, const op_t *op, dart_gptr_t gptr, int64_t *words)
{
  if (op->how == SECTION_FLUSHED) {
    RUN_OK(unit, op, dart_get(words, gptr, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
    RUN_OK(unit, op, dart_flush(gptr));
  } else
    RUN_OK(unit, op, dart_get_blocking(words, gptr, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void count_up(unit_t *unit, const op_t *op, dart_gptr_t gptr, int64_t *words)
{
  get_words(unit, op, gptr, words);
  for (size_t k = 0; k < op->n; k++)
    words[k] = (int64_t)((uint64_t)words[k] + 1);
  if (op->how == SECTION_BLOCKING)
    RUN_OK(unit, op, dart_put_blocking(gptr, words, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
  else
    RUN_OK(unit, op, dart_put(gptr, words, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
}

/* The unlock has it all to do. */
static void put_off(unit_t *unit, const op_t *op, dart_gptr_t gptr, int64_t *words)
{
  for (size_t k = 0; k < op->n; k++)
    words[k] = 1;
  RUN_OK(unit, op, dart_accumulate(gptr, words, op->n, DART_TYPE_LONG, DART_OP_SUM));
}

static void look_twice(thread_t *thread, const op_t *op, dart_gptr_t gptr, int64_t *words)
{
  buffer_t *again = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);

  get_words(thread->unit, op, gptr, words);
  run_yield();
  get_words(thread->unit, op, gptr, (int64_t *)(void *)again->bytes);
  if (!run_has_lost())
    run_compare(thread->unit, op, "what is locked, at a second look", again->bytes, words, NULL,
                8 * op->n);
  run_poison(thread, again);
}

void run_section(thread_t *thread, const op_t *op)
{
  unit_t     *unit   = thread->unit;
  bool        shared = op->how == SECTION_SHARED;
  dart_gptr_t gptr   = run_gptr(unit, op->seg, op->to, op->at);
  buffer_t   *buffer = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);
  int64_t    *words  = (int64_t *)(void *)buffer->bytes;
  dart_ret_t  ret;

  pthread_mutex_lock(&section_mutex);
  ret = dart_epoch_lock(gptr, shared ? DART_EPOCH_SHARED : DART_EPOCH_EXCLUSIVE, 0);
  if (ret != DART_OK)
    pthread_mutex_unlock(&section_mutex);
  run_expect_ok(unit, op, ret, "dart_epoch_lock");
  run_go_on();
  if (shared)
    look_twice(thread, op, gptr, words);
  else if (op->how == SECTION_PUT_OFF || op->how == SECTION_LAZY)
    put_off(unit, op, gptr, words);
  else
    count_up(unit, op, gptr, words);
  RUN_OK(unit, op, dart_epoch_unlock(gptr, op->how == SECTION_LAZY ? DART_EPOCH_LAZY : 0));
  pthread_mutex_unlock(&section_mutex);
  run_poison(thread, buffer);
}

/* ---- what must be refused ---------------------------------------------------------------------- */

static void expect_refusal(const unit_t *unit, const op_t *op, dart_ret_t ret)
{
  if (ret != DART_ERR_INVAL)
    run_fail(unit, op, "returned %d, and had to be refused", (int)ret);
}

/* No result, no effect: the end of the round looks at memory. */
static void operate(thread_t *thread, const op_t *op, dart_gptr_t gptr)
{
  buffer_t       *buffer = run_buffer(thread, op, 8, 0, PATTERN_BLANK);
  dart_datatype_t type   = DART_TYPE_LONG;
  unsigned char   before[8];
  int64_t         one = 1;
  dart_ret_t      ret;

  memcpy(before, buffer->bytes, sizeof before);
  switch (op->how) {
  case REFUSED_PUT: ret = dart_put(gptr, buffer->bytes, 1, type, type); break;
  case REFUSED_GET: ret = dart_get_blocking(buffer->bytes, gptr, 1, type, type); break;
  case REFUSED_ACCUMULATE: ret = dart_accumulate(gptr, &one, 1, type, DART_OP_SUM); break;
  default: ret = dart_fetch_and_op(gptr, &one, buffer->bytes, type, DART_OP_SUM); break;
  }
  expect_refusal(thread->unit, op, ret);
  run_compare(thread->unit, op, "the result of what was refused", buffer->bytes, before, NULL, 8);
  run_poison(thread, buffer);
}

static dart_ret_t open_again(const unit_t *unit, const op_t *op, dart_gptr_t gptr)
{
  const scene_segment_t *segment = &unit->model.scene.segment[op->seg];
  dart_team_unit_t       to      = { scene_team_id(&unit->model.scene, segment->team, op->to) };

  if (segment->epoch == 1 + EPOCH_LOCK)
    return dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0);
  return op->id % 2 == 0 ? dart_epoch_lock_all(gptr, 0) : dart_epoch_start(gptr, 1, &to, 0);
}

static dart_ret_t give_flags(const op_t *op, dart_gptr_t gptr)
{
  switch (op->id % 4) {
  case 0: return dart_epoch_start(gptr, 0, NULL, DART_EPOCH_LAZY);
  case 1: return dart_epoch_post(gptr, 0, NULL, DART_EPOCH_NOPRECEDE);
  case 2: return dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOPUT);
  default: return dart_epoch_fence(gptr, DART_EPOCH_NOCHECK);
  }
}

void run_refused(thread_t *thread, const op_t *op)
{
  unit_t     *unit = thread->unit;
  dart_gptr_t gptr = run_gptr(unit, op->seg, op->to, op->at);

  switch (op->how) {
  case REFUSED_AGAIN: expect_refusal(unit, op, open_again(unit, op, gptr)); break;
  case REFUSED_FLAGS: expect_refusal(unit, op, give_flags(op, gptr)); break;
  case REFUSED_NOPRECEDE:
#ifdef DART_ENABLE_ASSERTIONS /* which verify what was promised */
    expect_refusal(unit, op, dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE));
#endif
    break;
  default: operate(thread, op, gptr); break;
  }
}
