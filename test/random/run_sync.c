/* What makes one actor wait for another: notifications, flags, locks, messages. */
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw.h"
#include "run_common.h"

/* ---- put with notification ------------------------------------------------------------------- */

static dart_gptr_t counter_gptr(const unit_t *unit, int counter)
{
  const scene_counter_t *c = &unit->model.scene.counter[counter];

  return run_gptr(unit, c->seg, c->unit, c->at);
}

/* The function for the counter, and its form with an operator, each with data or without. */
static dart_ret_t notify(const unit_t *unit, const op_t *op, const void *local,
                         dart_datatype_t here, dart_datatype_t there)
{
  dart_gptr_t      flag = counter_gptr(unit, op->counter);
  dart_gptr_t      gptr = run_gptr(unit, op->seg, op->to, op->at);
  dart_operation_t oper = (dart_operation_t)op->oper;

  if (op->n == 0)
    return op->oper == 0 ? dart_notify(flag, op->value) : dart_notify_op(flag, op->value, oper);
  if (op->oper == 0)
    return dart_put_notify(gptr, local, op->n, here, there, flag, op->value);
  return dart_put_notify_op(gptr, local, op->n, here, there, flag, op->value, oper);
}

void run_notify(thread_t *thread, const op_t *op)
{
  unit_t         *unit   = thread->unit;
  dart_datatype_t here   = run_type(unit, op, &op->local);
  dart_datatype_t there  = run_type(unit, op, &op->remote);
  buffer_t       *buffer = NULL;
  under_way_t    *u;
  unsigned char  *local;

  if (op->here < 0)
    buffer = run_buffer(thread, op, layout_span(&op->local, op->n), op->shift, PATTERN_SOURCE);
  local = buffer != NULL ? buffer->bytes : unit->own[op->here] + op->here_at;
  u     = run_start(thread, op, buffer);
  RUN_OK(unit, op, notify(unit, op, local, here, there));
  run_end_type(unit, op, &here);
  run_end_type(unit, op, &there);
  run_complete(thread, u, contract_on_return(op));
}

/* ---- get with notification ------------------------------------------------------------------- */

void run_get_notify(thread_t *thread, const op_t *op)
{
  unit_t         *unit   = thread->unit;
  dart_datatype_t here   = run_type(unit, op, &op->local);
  dart_datatype_t there  = run_type(unit, op, &op->remote);
  dart_gptr_t     flag   = counter_gptr(unit, op->counter);
  dart_gptr_t     gptr   = run_gptr(unit, op->seg, op->to, op->at);
  buffer_t       *buffer = NULL;
  unsigned char  *local;

  if (op->here < 0)
    buffer = run_buffer(thread, op, layout_span(&op->local, op->n), op->shift, PATTERN_BLANK);
  local = buffer != NULL ? buffer->bytes : unit->own[op->here] + op->here_at;
  run_start(thread, op, buffer);
  if (op->oper == 0)
    RUN_OK(unit, op, dart_get_notify(local, gptr, op->n, there, here, flag, op->value));
  else
    RUN_OK(unit, op,
           dart_get_notify_op(local, gptr, op->n, there, here, flag, op->value,
                              (dart_operation_t)op->oper));
  run_end_type(unit, op, &here);
  run_end_type(unit, op, &there);
}

void run_finish_counters(thread_t *thread)
{
  unit_t *unit = thread->unit;

  for (size_t i = 0; i < unit->nops; i++)
    if (unit->op[i].kind == GET_NOTIFY && unit->op[i].unit == unit->me &&
        unit->op[i].thread == thread->id)
      RUN_OK(unit, &unit->op[i], dart_flush(counter_gptr(unit, unit->op[i].counter)));
}

/* ---- waits for counters ----------------------------------------------------------------------- */

/* The counter is looked for among others that nobody raises so far. */
enum { SET = 3, WANTED = 1 };

static void await_set(unit_t *unit, const op_t *op, dart_gptr_t flag, uint64_t least)
{
  dart_gptr_t flags[SET]   = { flag, flag, flag };
  uint64_t    wanted[SET]  = { UINT64_MAX, least, UINT64_MAX - 1 };
  size_t      indices[SET] = { SET, SET, SET }, count = 0;

  if (op->how == AWAIT_ANY)
    RUN_OK(unit, op, dart_notify_waitany(flags, wanted, SET, -1, indices));
  else {
    RUN_OK(unit, op, dart_notify_waitsome(flags, wanted, SET, -1, indices, &count));
    if (count != 1)
      run_fail(unit, op, "%zu counters are there, not 1", count);
  }
  if (indices[0] != WANTED)
    run_fail(unit, op, "counter %zu of the set, not %d", indices[0], WANTED);
}

static void await_by_looks(unit_t *unit, const op_t *op, dart_gptr_t flag, uint64_t least)
{
  dart_ret_t ret;

  while ((ret = dart_notify_wait(flag, least, op->id % 3 == 0 ? 50 : 0)) == DART_PENDING) {
    run_look_for_losses(unit, op);
    run_yield();
  }
  RUN_OK(unit, op, ret);
}

static void await_by_fetches(unit_t *unit, const op_t *op, dart_gptr_t flag, uint64_t least)
{
  uint64_t value = 0;

  while (true) {
    RUN_OK(unit, op, dart_fetch_and_op(flag, NULL, &value, DART_TYPE_ULONG, DART_OP_NO_OP));
    RUN_OK(unit, op, dart_flush(flag));
    if (value >= least)
      return;
    run_look_for_losses(unit, op);
    run_yield();
  }
}

/* Another thread may be told of a loss instead of this one. */
static bool waits_by_looks(const unit_t *unit, const op_t *op)
{
  return unit->risks.doomed != 0 && unit->shape.threads > 1 && op->how != AWAIT_FETCH;
}

void run_await(thread_t *thread, const op_t *op)
{
  unit_t     *unit = thread->unit;
  dart_gptr_t flag = counter_gptr(unit, op->counter);
  uint64_t    least;

  memcpy(&least, run_expected(unit, op)->bytes, sizeof least);
  run_look_for_losses(unit, op);
  switch (waits_by_looks(unit, op) ? AWAIT_LOOK : op->how) {
  case AWAIT_WAIT: RUN_OK(unit, op, dart_notify_wait(flag, least, -1)); break;
  case AWAIT_LOOK: await_by_looks(unit, op, flag, least); break;
  case AWAIT_FETCH: await_by_fetches(unit, op, flag, least); break;
  case AWAIT_WORD:
    RUN_OK(unit, op, dart_wait_word(flag, DART_TYPE_ULONG, DART_WAIT_GE, &least, -1));
    break;
  default: await_set(unit, op, flag, least); break;
  }
  run_completed(thread, op);
}

/* ---- locks ------------------------------------------------------------------------------------- */

static dart_gptr_t lock_gptr(const unit_t *unit, const scene_lock_t *lock)
{
  return run_gptr(unit, lock->seg, lock->unit, lock->at);
}

/* A lock of a team, or in a word of memory. */
static void acquire(unit_t *unit, const op_t *op)
{
  const scene_lock_t *lock = &unit->model.scene.lock[op->lock];

  if (lock->is_word)
    RUN_OK(unit, op, dart_lock_at_acquire(lock_gptr(unit, lock)));
  else
    RUN_OK(unit, op, dart_lock_acquire(unit->lock[op->lock]));
}

static void try_acquire(unit_t *unit, const op_t *op)
{
  const scene_lock_t *lock    = &unit->model.scene.lock[op->lock];
  int32_t             is_mine = 0;

  while (true) {
    if (lock->is_word)
      RUN_OK(unit, op, dart_lock_at_try_acquire(lock_gptr(unit, lock), &is_mine));
    else
      RUN_OK(unit, op, dart_lock_try_acquire(unit->lock[op->lock], &is_mine));
    if (is_mine == 1)
      return;
    run_yield();
  }
}

/* That a word is free again is certain after a flush, which is made now or at the end of the round. */
static void release(unit_t *unit, const op_t *op)
{
  const scene_lock_t *lock = &unit->model.scene.lock[op->lock];

  if (!lock->is_word) {
    RUN_OK(unit, op, dart_lock_release(unit->lock[op->lock]));
    return;
  }
  RUN_OK(unit, op, dart_lock_at_release(lock_gptr(unit, lock)));
  if (op->id % 4 == 0)
    RUN_OK(unit, op, dart_flush(lock_gptr(unit, lock)));
}

void run_end_lock_at(unit_t *unit, const op_t *op, int lock)
{
  RUN_OK(unit, op, dart_flush(lock_gptr(unit, &unit->model.scene.lock[lock])));
}

/* The ways to read and write under a lock: blocking, flushed, or by address where that is its own. */
static void read_words(unit_t *unit, const op_t *op, dart_gptr_t gptr, int64_t *words)
{
  if (op->to == unit->me && op->id % 3 == 0)
    memcpy(words, unit->own[op->seg] + op->at, 8 * op->n);
  else if (op->id % 3 == 1) {
    RUN_OK(unit, op, dart_get(words, gptr, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
    RUN_OK(unit, op, dart_flush_local(gptr));
  } else
    RUN_OK(unit, op, dart_get_blocking(words, gptr, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void write_words(unit_t *unit, const op_t *op, dart_gptr_t gptr, const int64_t *words)
{
  if (op->to == unit->me && op->id % 3 == 0)
    memcpy(unit->own[op->seg] + op->at, words, 8 * op->n);
  else if (op->id % 3 == 1) {
    RUN_OK(unit, op, dart_put(gptr, words, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
    RUN_OK(unit, op, dart_flush(gptr));
  } else
    RUN_OK(unit, op, dart_put_blocking(gptr, words, op->n, DART_TYPE_LONG, DART_TYPE_LONG));
}

/* Every holder adds one to all words, so their distances stay. */
static void check_words(unit_t *unit, const op_t *op, const int64_t *words)
{
  const expect_t *expect = run_expected(unit, op);
  int64_t         was, first;

  if (expect->vague != NULL)
    return;
  memcpy(&first, expect->bytes, 8);
  for (size_t k = 1; k < op->n; k++) {
    memcpy(&was, expect->bytes + 8 * k, 8);
    if ((uint64_t)words[k] - (uint64_t)words[0] != (uint64_t)was - (uint64_t)first)
      run_fail(unit, op, "under the lock word %zu was changed, and word 0 was not", k);
  }
}

void run_locked(thread_t *thread, const op_t *op)
{
  unit_t     *unit  = thread->unit;
  dart_gptr_t gptr  = run_gptr(unit, op->seg, op->to, op->at);
  buffer_t   *words = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);
  buffer_t   *again = run_buffer(thread, op, 8 * op->n, 0, PATTERN_BLANK);
  int64_t    *word  = (int64_t *)(void *)words->bytes;

  if (op->how == LOCKED_ACQUIRE)
    acquire(unit, op);
  else
    try_acquire(unit, op);
  run_go_on();
  read_words(unit, op, gptr, word);
  check_words(unit, op, word);
  run_yield(); /* who should not have the lock, too, has the time to write */
  read_words(unit, op, gptr, (int64_t *)(void *)again->bytes);
  if (!run_has_lost() && !risks_may_drop(&unit->risks, &unit->model.scene, op))
    run_compare(unit, op, "what is locked, at a second look", again->bytes, word, NULL, 8 * op->n);
  for (size_t k = 0; k < op->n; k++)
    word[k] = (int64_t)((uint64_t)word[k] + 1);
  write_words(unit, op, gptr, word);
  release(unit, op);
  run_poison(thread, words);
  run_poison(thread, again);
}

/* ---- messages ---------------------------------------------------------------------------------- */

static void expect_message(unit_t *unit, const op_t *op, const buffer_t *received, uint64_t key,
                           size_t nbytes)
{
  unsigned char *expected = malloc(received->nbytes + 1);

  if (expected == NULL)
    run_fail(unit, op, "out of memory");
  pattern_fill(expected, model_key(&unit->model.scene, op, PATTERN_BLANK), 0, received->nbytes);
  pattern_fill(expected, key, 0, nbytes);
  run_compare(unit, op, "the message, and what it leaves", received->bytes, expected, NULL,
              received->nbytes);
  free(expected);
}

static dart_global_unit_t global(const unit_t *unit, int other)
{
  return DART_GLOBAL_UNIT_ID(unit->global[other]);
}

/* A message may be left of a call that has failed at its receiver: after losses, tags are others. */
static int tag_of(const unit_t *unit, const op_t *op)
{
  return op->tag + 4096 * (int)unit->losses;
}

void run_message(thread_t *thread, const op_t *op)
{
  unit_t         *unit   = thread->unit;
  size_t          size   = layout_elem(&op->local);
  dart_datatype_t type   = run_type(unit, op, &op->local);
  bool            sender = op->unit == unit->me && op->thread == thread->id;
  size_t          room   = (size_t)(op->n + op->value);
  buffer_t       *buffer = run_buffer(thread, op, sender ? op->n * size : room * size, op->shift,
                                sender ? PATTERN_SOURCE : PATTERN_BLANK);

  if (sender)
    RUN_OK(unit, op,
           dart_send(buffer->bytes, op->n, type, tag_of(unit, op), global(unit, op->peer)));
  else {
    RUN_OK(unit, op,
           dart_recv(buffer->bytes, room, type, tag_of(unit, op), global(unit, op->unit)));
    expect_message(unit, op, buffer, model_key(&unit->model.scene, op, PATTERN_SOURCE),
                   op->n * size);
  }
  run_poison(thread, buffer);
  run_end_type(unit, op, &type);
}

/* To oneself: all are sent before the first is received, and received in another order. */
void run_letters(thread_t *thread, const op_t *op)
{
  unit_t         *unit = thread->unit;
  size_t          size = layout_elem(&op->local);
  dart_datatype_t type = run_type(unit, op, &op->local);
  int             n    = (int)op->value;
  buffer_t       *sent, *received;

  for (int i = 0; i < n; i++) {
    sent = run_buffer(thread, op, op->n * size, 0, PATTERN_GIVEN + i);
    RUN_OK(unit, op,
           dart_send(sent->bytes, op->n, type, tag_of(unit, op) + 16 * i, global(unit, unit->me)));
    run_poison(thread, sent);
  }
  for (int i = n - 1; i >= 0; i--) {
    received = run_buffer(thread, op, op->n * size, 1, PATTERN_BLANK);
    RUN_OK(
        unit, op,
        dart_recv(received->bytes, op->n, type, tag_of(unit, op) + 16 * i, global(unit, unit->me)));
    expect_message(unit, op, received, model_key(&unit->model.scene, op, PATTERN_GIVEN + i),
                   op->n * size);
  }
  run_end_type(unit, op, &type);
}

void run_ring(thread_t *thread, const op_t *op)
{
  unit_t         *unit  = thread->unit;
  const scene_t  *scene = &unit->model.scene;
  size_t          size = layout_elem(&op->local), room = (size_t)(op->n + op->value);
  int             n    = scene_members(scene, op->team);
  int             mine = scene_team_id(scene, op->team, unit->me), shift = op->shift % n;
  int             to       = scene_unit(scene, op->team, (mine + shift) % n);
  int             from     = scene_unit(scene, op->team, (mine + n - shift) % n);
  dart_datatype_t type     = run_type(unit, op, &op->local);
  buffer_t       *sent     = run_buffer(thread, op, op->n * size, 0, PATTERN_GIVEN + unit->me);
  buffer_t       *received = run_buffer(thread, op, room * size, 0, PATTERN_BLANK);

  RUN_OK(unit, op,
         dart_sendrecv(sent->bytes, op->n, type, tag_of(unit, op), global(unit, to),
                       received->bytes, room, type, tag_of(unit, op), global(unit, from)));
  expect_message(unit, op, received, model_key(scene, op, PATTERN_GIVEN + from), op->n * size);
  run_poison(thread, sent);
  run_poison(thread, received);
  run_end_type(unit, op, &type);
}

void run_pause(thread_t *thread, const op_t *op)
{
  (void)thread;
  usleep((useconds_t)op->value);
}
