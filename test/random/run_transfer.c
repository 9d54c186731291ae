/* Puts and gets in all forms, plain loads and stores, and what completes them. */
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>

#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "run_common.h"

/* ---- put, get ------------------------------------------------------------------------------ */

/* The local side: private, or in this unit's portion. */
static unsigned char *local_side(thread_t *thread, const op_t *op, buffer_t **buffer_out)
{
  *buffer_out = NULL;
  if (op->here >= 0)
    return thread->unit->own[op->here] + op->here_at;
  *buffer_out = run_buffer(thread, op, layout_span(&op->local, op->n), op->shift,
                           op_is_put(op) ? PATTERN_SOURCE : PATTERN_BLANK);
  return (*buffer_out)->bytes;
}

static dart_ret_t transfer(const op_t *op, dart_gptr_t gptr, void *local, dart_datatype_t here,
                           dart_datatype_t there, dart_handle_t *handle)
{
  if (op->is_inline)
    return run_inline_transfer(op, gptr, local, here, there, handle);
  switch (op->kind) {
  case PUT: return dart_put(gptr, local, op->n, here, there);
  case GET: return dart_get(local, gptr, op->n, there, here);
  case PUT_HANDLE: return dart_put_handle(gptr, local, op->n, here, there, handle);
  case GET_HANDLE: return dart_get_handle(local, gptr, op->n, there, here, handle);
  case PUT_BLOCKING: return dart_put_blocking(gptr, local, op->n, here, there);
  default: return dart_get_blocking(local, gptr, op->n, there, here);
  }
}

void run_transfer(thread_t *thread, const op_t *op)
{
  unit_t         *unit = thread->unit;
  buffer_t       *buffer;
  unsigned char  *local  = local_side(thread, op, &buffer);
  dart_gptr_t     gptr   = run_gptr(unit, op->seg, op->to, op->at);
  dart_datatype_t here   = run_type(unit, op, &op->local);
  dart_datatype_t there  = run_type(unit, op, &op->remote);
  dart_handle_t   handle = DART_HANDLE_NULL;
  under_way_t    *u      = run_start(thread, op, buffer);

  run_expect_ok(unit, op, transfer(op, gptr, local, here, there, &handle), op_kinds[op->kind].name);
  u->handle = handle;
  run_end_type(unit, op, &here);
  run_end_type(unit, op, &there);
  run_complete(thread, u, contract_on_return(op));
  run_completed(thread, NULL);
}

/* ---- put by value -------------------------------------------------------------------------- */

static dart_ret_t put_value(dart_gptr_t gptr, int type, const void *bytes)
{
  switch (type) {
#define PUT_OF_TYPE(name, ctype, dtype)        \
  case dtype: {                                \
    ctype value;                               \
    memcpy(&value, bytes, sizeof value);       \
    return dart_put_value_##name(gptr, value); \
  }
    DART_VALUE_TYPES(PUT_OF_TYPE)
#undef PUT_OF_TYPE
  default: return DART_ERR_INVAL;
  }
}

void run_put_value(thread_t *thread, const op_t *op)
{
  unit_t      *unit   = thread->unit;
  buffer_t    *buffer = run_buffer(thread, op, layout_elem(&op->local), 0, PATTERN_SOURCE);
  under_way_t *u      = run_start(thread, op, buffer);

  RUN_OK(unit, op,
         put_value(run_gptr(unit, op->seg, op->to, op->at), op->local.basic, buffer->bytes));
  run_complete(thread, u, contract_on_return(op));
}

/* ---- load, store: by address where there is one ---------------------------------------------- */

static unsigned char *near_address(unit_t *unit, const op_t *op)
{
  if (op->to == unit->me)
    return unit->own[op->seg] + op->at;
  return dart_near_ptr(run_gptr(unit, op->seg, op->to, op->at));
}

void run_store(thread_t *thread, const op_t *op)
{
  unit_t        *unit = thread->unit;
  unsigned char *near = op->n > 0 ? near_address(unit, op) : NULL;
  buffer_t      *buffer;

  if (near != NULL) {
    pattern_fill(near, model_key(&unit->model.scene, op, PATTERN_SOURCE), 0, op->n);
    return;
  }
  buffer = run_buffer(thread, op, op->n, 0, PATTERN_SOURCE);
  RUN_OK(unit, op,
         dart_put_blocking(run_gptr(unit, op->seg, op->to, op->at), buffer->bytes, op->n,
                           DART_TYPE_BYTE, DART_TYPE_BYTE));
  run_poison(thread, buffer);
}

void run_load(thread_t *thread, const op_t *op)
{
  unit_t         *unit   = thread->unit;
  const expect_t *expect = run_expected(unit, op);
  unsigned char  *near   = op->n > 0 ? near_address(unit, op) : NULL;
  buffer_t       *buffer;

  if (near == NULL) {
    buffer = run_buffer(thread, op, op->n, 0, PATTERN_BLANK);
    RUN_OK(unit, op,
           dart_get_blocking(buffer->bytes, run_gptr(unit, op->seg, op->to, op->at), op->n,
                             DART_TYPE_BYTE, DART_TYPE_BYTE));
    near = buffer->bytes;
  }
  run_compare(unit, op, "memory", near, expect->bytes, expect->vague, expect->nbytes);
}

/* ---- flush, wait, test ----------------------------------------------------------------------- */

void run_flush(thread_t *thread, const op_t *op)
{
  unit_t *unit = thread->unit;
  int     team = unit->model.scene.segment[op->seg].team;
  bool    all  = op->kind == FLUSH_ALL || op->kind == FLUSH_LOCAL_ALL;
  int     to   = all ? scene_unit(&unit->model.scene, team, 0) : op->to;

  switch (op->kind) {
  case FLUSH: RUN_OK(unit, op, dart_flush(run_gptr(unit, op->seg, to, op->at))); break;
  case FLUSH_ALL: RUN_OK(unit, op, dart_flush_all(run_gptr(unit, op->seg, to, 0))); break;
  case FLUSH_LOCAL: RUN_OK(unit, op, dart_flush_local(run_gptr(unit, op->seg, to, op->at))); break;
  default: RUN_OK(unit, op, dart_flush_local_all(run_gptr(unit, op->seg, to, 0))); break;
  }
  run_completed(thread, op);
}

void run_order(thread_t *thread, const op_t *op)
{
  RUN_OK(thread->unit, op, dart_order(run_gptr(thread->unit, op->seg, op->to, op->at)));
}

typedef struct {
  under_way_t  *u[OP_LIST_MAX];
  dart_handle_t handle[OP_LIST_MAX];
  size_t        n;
} handles_t;

/* Until the test says yes: one handle by its own function, several by that for all. */
static void test_until_done(const unit_t *unit, const op_t *op, handles_t *h)
{
  int32_t done = 0;

  while (true) {
    if (op->kind == TEST && h->n == 1)
      RUN_OK(unit, op, dart_test(h->handle, &done));
    else if (op->kind == TEST)
      RUN_OK(unit, op, dart_testall(h->handle, h->n, &done));
    else if (h->n == 1)
      RUN_OK(unit, op, dart_test_local(h->handle, &done));
    else
      RUN_OK(unit, op, dart_testall_local(h->handle, h->n, &done));
    if (done == 1)
      return;
    if (done != 0)
      run_fail(unit, op, "a test stored %d", (int)done);
    run_yield();
  }
}

static void wait_for(const unit_t *unit, const op_t *op, handles_t *h)
{
  switch (op->kind) {
  case WAIT:
    if (h->n == 1)
      RUN_OK(unit, op, dart_wait(h->handle));
    else
      RUN_OK(unit, op, dart_waitall(h->handle, h->n));
    break;
  case WAIT_LOCAL:
    if (h->n == 1)
      RUN_OK(unit, op, dart_wait_local(h->handle));
    else
      RUN_OK(unit, op, dart_waitall_local(h->handle, h->n));
    break;
  case HANDLE_FREE:
    for (size_t i = 0; i < h->n; i++)
      RUN_OK(unit, op, dart_handle_free(&h->handle[i]));
    break;
  default: test_until_done(unit, op, h); break;
  }
}

void run_wait(thread_t *thread, const op_t *op)
{
  unit_t   *unit = thread->unit;
  handles_t h    = { .n = (size_t)op->nops };

  for (size_t i = 0; i < h.n; i++) {
    h.u[i]      = run_find(thread, op->ops[i]);
    h.handle[i] = h.u[i]->handle;
  }
  wait_for(unit, op, &h);
  for (size_t i = 0; i < h.n; i++) {
    if (h.handle[i] != DART_HANDLE_NULL)
      run_fail(unit, op, "the handle of operation %u is still there", op->ops[i]);
    h.u[i]->has_handle = false;
  }
  run_completed(thread, op);
}

/* ---- the end of a round ---------------------------------------------------------------------- */

static void give_up_handles(thread_t *thread, const op_t *round)
{
  for (under_way_t *u = thread->under_way; u != NULL; u = u->next)
    if (u->has_handle && contract_is_request(u->op))
      run_file_finish(thread, u, round->how == ROUND_FLUSH);
    else if (u->has_handle && round->how == ROUND_WAIT) {
      run_go_on();
      RUN_OK(thread->unit, u->op, dart_wait(&u->handle));
      u->has_handle = false;
      u->is_lost |= run_has_lost();
      run_complete(thread, u, COMPLETE_THERE);
    } else if (u->has_handle) {
      RUN_OK(thread->unit, u->op, dart_handle_free(&u->handle));
      u->has_handle = false;
    }
}

/* Those that the unit may have held. */
static void finish_locks(unit_t *unit, const op_t *round)
{
  const scene_t *scene = &unit->model.scene;

  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].alive && scene->lock[i].is_word &&
        scene_team_id(scene, scene->lock[i].team, unit->me) >= 0 &&
        !units_have(scene->segment[scene->lock[i].seg].gone, unit->me))
      run_end_lock_at(unit, round, i);
}

void run_finish(thread_t *thread, const op_t *round)
{
  unit_t *unit = thread->unit;

  finish_locks(unit, round);
  give_up_handles(thread, round);
  for (under_way_t *u = thread->under_way; u != NULL; u = u->next) {
    const op_t *op  = u->op;
    int         seg = op->seg;

    if (u->is_there)
      continue;
    if (op->kind == NOTIFY)
      seg = unit->model.scene.counter[op->counter].seg;
    if (unit->model.scene.segment[seg].epoch != 0 && op->kind != GET_NOTIFY)
      continue; /* the end of the epoch completes it */
    if (round->how == ROUND_FLUSH_ALL)
      RUN_OK(unit, round, dart_flush_all(run_gptr(unit, seg, op->to, 0)));
    else
      RUN_OK(unit, op, dart_flush(run_gptr(unit, seg, op->to, 0)));
  }
  run_finish_counters(thread);
}
