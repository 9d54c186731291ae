/* See model.h. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "draw.h"
#include "need.h"
#include "value.h"

void model_open(model_t *model, shape_t shape, int me)
{
  memset(model, 0, sizeof *model);
  scene_open(&model->scene, shape);
  model->me = me;
}

static void end_memory(memory_t *memory)
{
  free(memory->data);
  free(memory->vague);
  memset(memory, 0, sizeof *memory);
}

void model_close(model_t *model)
{
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    for (int unit = 0; unit < UNITS_MAX; unit++)
      end_memory(&model->memory[seg][unit]);
  for (int i = 0; i < FILES_MAX; i++)
    end_memory(&model->file[i]);
}

void model_release(expect_t *expect)
{
  free(expect->bytes);
  free(expect->vague);
  memset(expect, 0, sizeof *expect);
}

uint64_t model_key(const scene_t *scene, const op_t *op, int what)
{
  return mix(scene->shape.salt, op->id, (uint64_t)what);
}

memory_t *model_memory(model_t *model, int seg, int unit, uint64_t *at)
{
  return &model->memory[scene_memory(&model->scene, seg, at)][unit];
}

static memory_t *memory_at(model_t *model, const op_t *op, uint64_t *at)
{
  *at = op->at;
  return model_memory(model, op->seg, op->to, at);
}

/* ---- vague bytes --------------------------------------------------------------------------- */

static void set_vague(memory_t *memory, size_t at, size_t nbytes, bool vague)
{
  if (!vague && memory->vague == NULL)
    return;
  if (memory->vague == NULL)
    memory->vague = need(memory->nbytes);
  memset(memory->vague + at, vague, nbytes);
}

static bool is_vague(const memory_t *memory, size_t at, size_t nbytes)
{
  return memory->vague != NULL && memchr(memory->vague + at, 1, nbytes) != NULL;
}

/* ---- segments ------------------------------------------------------------------------------ */

static void new_memory(model_t *model, const op_t *op)
{
  bool raw = op->kind == ALLOC && op->how == ALLOC_RAW;

  for (int unit = 0; unit < model->scene.shape.units; unit++) {
    memory_t *memory = &model->memory[op->seg][unit];

    end_memory(memory);
    if (model->scene.segment[op->seg].alias >= 0)
      continue;
    memory->nbytes = scene_size(&model->scene, op->seg, unit);
    memory->data   = need(memory->nbytes);
    pattern_fill(memory->data, model_key(&model->scene, op, PATTERN_NEW + unit), 0, memory->nbytes);
    if (raw && memory->nbytes > 0)
      set_vague(memory, 0, memory->nbytes, true);
  }
}

static void new_counter(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  memset(memory->data + at, 0, 8);
  set_vague(memory, at, 8, false);
}

/* Free; what it holds once it was used is DART's. */
static void new_lock_at(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  memset(memory->data + at, 0, 8);
  set_vague(memory, at, 8, true);
}

/* Words start with a value that no operator of their family goes away from at once. */
static void new_word(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);
  size_t    size   = type_size(op->type);
  int64_t   value  = op->how == WORD_EXTREME || op->how == WORD_PRODUCT ||
                  (op->how == WORD_LOGIC && op->id % 2 == 0);

  value_store(op->type, memory->data + at, value);
  set_vague(memory, at, size, false);
  if (value_meaning(op->type) < size)
    set_vague(memory, at + value_meaning(op->type), size - value_meaning(op->type), true);
}

/* ---- transfers ----------------------------------------------------------------------------- */

static bool is_mine(const model_t *model, const op_t *op)
{
  return op->unit == model->me;
}

static void copy_vague(memory_t *to, size_t at, const layout_t *to_layout, const void *vague,
                       const layout_t *from_layout, size_t n)
{
  unsigned char *none = NULL;

  if (vague == NULL && to->vague == NULL)
    return;
  if (to->vague == NULL)
    to->vague = need(to->nbytes);
  if (vague == NULL)
    vague = none = need(layout_span(from_layout, n));
  layout_copy(to->vague + at, to_layout, vague, from_layout, n);
  free(none);
}

static void apply_put(model_t *model, const op_t *op)
{
  uint64_t       at, here_at = op->here_at;
  memory_t      *to = memory_at(model, op, &at), *from = NULL;
  size_t         span  = layout_span(&op->local, op->n);
  unsigned char *given = NULL;

  if (op->n == 0)
    return;
  if (op->here >= 0)
    from = model_memory(model, op->here, op->unit, &here_at);
  else {
    given = need(span);
    pattern_fill(given, model_key(&model->scene, op, PATTERN_SOURCE), 0, span);
  }
  layout_copy(to->data + at, &op->remote, from != NULL ? from->data + here_at : given, &op->local,
              op->n);
  copy_vague(to, at, &op->remote,
             from != NULL && from->vague != NULL ? from->vague + here_at : NULL, &op->local, op->n);
  free(given);
}

static void expect_new(expect_t *expect, size_t nbytes)
{
  expect->bytes  = need(nbytes);
  expect->nbytes = nbytes;
}

static void apply_get(model_t *model, const op_t *op, expect_t *expect)
{
  uint64_t  at, here_at = op->here_at;
  memory_t *from  = memory_at(model, op, &at), *to;
  size_t    span  = layout_span(&op->local, op->n);
  void     *vague = from->vague != NULL ? from->vague + at : NULL;

  if (op->n == 0 && op->here >= 0)
    return;
  if (op->here >= 0) {
    to = model_memory(model, op->here, op->unit, &here_at);
    layout_copy(to->data + here_at, &op->local, from->data + at, &op->remote, op->n);
    copy_vague(to, here_at, &op->local, vague, &op->remote, op->n);
    return;
  }
  if (!is_mine(model, op))
    return;
  expect_new(expect, span);
  pattern_fill(expect->bytes, model_key(&model->scene, op, PATTERN_BLANK), 0, span);
  layout_copy(expect->bytes, &op->local, from->data + at, &op->remote, op->n);
  if (vague != NULL) {
    expect->vague = need(span);
    layout_copy(expect->vague, &op->local, vague, &op->remote, op->n);
  }
}

static void apply_store(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  pattern_fill(memory->data + at, model_key(&model->scene, op, PATTERN_SOURCE), 0, op->n);
  set_vague(memory, at, op->n, false);
}

static void expect_bytes(model_t *model, const op_t *op, size_t nbytes, expect_t *expect)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  if (!is_mine(model, op))
    return;
  expect_new(expect, nbytes);
  memcpy(expect->bytes, memory->data + at, nbytes);
  if (is_vague(memory, at, nbytes)) {
    expect->vague = need(nbytes);
    memcpy(expect->vague, memory->vague + at, nbytes);
  }
}

/* ---- atomics ------------------------------------------------------------------------------- */

void model_operand(const scene_t *scene, const op_t *op, size_t k, void *operand)
{
  const scene_word_t *word = op->word >= 0 ? &scene->word[op->word] : NULL;

  if (word != NULL && word->family == WORD_FIELDS)
    value_store(op->type, operand, (int64_t)scene_field_operand(scene, word, op));
  else
    value_operand(op->type, op->oper, model_key(scene, op, PATTERN_SOURCE), k, operand);
}

/* Padding has no value, whoever wrote it. */
static void forget_padding(memory_t *memory, size_t at, int type)
{
  size_t size = type_size(type), meaning = value_meaning(type);

  if (meaning < size)
    set_vague(memory, at + meaning, size - meaning, true);
}

static void update(memory_t *memory, size_t at, int type, int oper, const void *operand)
{
  size_t size  = type_size(type);
  bool   vague = is_vague(memory, at, value_meaning(type)) && oper != DART_OP_REPLACE;

  if (oper == DART_OP_NO_OP)
    return;
  if (!value_combine(type, oper, memory->data + at, operand))
    vague = true;
  set_vague(memory, at, size, vague);
  forget_padding(memory, at, type);
}

/* The element that was there before; that of a shared word is explained (explain.h). */
static void expect_old(model_t *model, const op_t *op, expect_t *expect)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);
  size_t    size = type_size(op->type), meaning = value_meaning(op->type);

  if (op->word >= 0 || !is_mine(model, op))
    return;
  expect_bytes(model, op, size, expect);
  if (meaning < size || is_vague(memory, at, size)) {
    if (expect->vague == NULL)
      expect->vague = need(size);
    memset(expect->vague + meaning, 1, size - meaning);
  }
}

static void apply_atomic(model_t *model, const op_t *op, expect_t *expect)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);
  size_t    size   = type_size(op->type);
  char      operand[16];

  if (op->kind == FETCH)
    expect_old(model, op, expect);
  for (size_t k = 0; k < op_updates(op); k++) {
    model_operand(&model->scene, op, k, operand);
    update(memory, at + op_updated(op, k) * size, op->type, op->oper, operand);
  }
}

/* A hit compares with what is there; where nobody knows that, nobody knows whether it hits. */
static void apply_swap(model_t *model, const op_t *op, expect_t *expect)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);
  size_t    size   = type_size(op->type);
  char      value[16];

  expect_old(model, op, expect);
  value_operand(op->type, DART_OP_REPLACE, model_key(&model->scene, op, PATTERN_SOURCE), 0, value);
  if (is_vague(memory, at, size))
    set_vague(memory, at, size, true);
  else if (op->how == SWAP_HIT)
    memcpy(memory->data + at, value, size);
}

/* A word of family FIELDS gets the value that the actor's field has after the operation. */
static void apply_swap_loop(model_t *model, const op_t *op)
{
  const scene_word_t *word  = &model->scene.word[op->word];
  int                 actor = actor_number(op->unit, op->thread), low;
  int                 width = scene_field(&model->scene, word, actor, &low);
  uint64_t            at, field, all;
  memory_t           *memory = memory_at(model, op, &at);

  if (width == 0)
    return;
  scene_field_after(&model->scene, word, op, &field);
  all = (uint64_t)value_load(op->type, memory->data + at);
  all = (all & ~(((UINT64_C(1) << width) - 1) << low)) | field << low;
  value_store(op->type, memory->data + at, (int64_t)all);
}

/* ---- counters, locks ----------------------------------------------------------------------- */

static void apply_notify(model_t *model, const op_t *op, expect_t *expect)
{
  const scene_counter_t *counter = &model->scene.counter[op->counter];
  uint64_t               at      = counter->at;
  memory_t              *memory  = model_memory(model, counter->seg, counter->unit, &at);

  uint64_t count = scene_count_after(&model->scene, op);

  if (op_is_put(op))
    apply_put(model, op);
  else
    apply_get(model, op, expect);
  memcpy(memory->data + at, &count, 8);
}

static void add_one(memory_t *memory, size_t at)
{
  uint64_t value;

  memcpy(&value, memory->data + at, 8);
  value++;
  memcpy(memory->data + at, &value, 8);
  set_vague(memory, at, 8, is_vague(memory, at, 8));
}

static void apply_locked(model_t *model, const op_t *op, expect_t *expect)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  expect_bytes(model, op, 8 * op->n, expect);
  for (size_t k = 0; k < op->n; k++)
    add_one(memory, at + 8 * k);
}

/* What is held alone is counted up, in whatever order. */
static void apply_ranged(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);
  size_t    run    = 0;

  for (size_t k = 0, n; k < op->n; k += n, run++) {
    n = layout_run(&op->remote, k, op->n);
    for (size_t i = 0; i < n && op_holds_alone(op, run); i++)
      add_one(memory, at + layout_at(&op->remote, k) + 8 * i);
  }
}

static void apply_await(model_t *model, const op_t *op, expect_t *expect)
{
  if (!is_mine(model, op))
    return;
  expect_new(expect, 8);
  memcpy(expect->bytes, &model->scene.counter[op->counter].count, 8);
}

static void apply_section(model_t *model, const op_t *op)
{
  uint64_t  at;
  memory_t *memory = memory_at(model, op, &at);

  for (size_t k = 0; k < op->n && op->how != SECTION_SHARED; k++)
    add_one(memory, at + 8 * k);
}

/* The parts of members, one after the other, or the root's alone. */
static void apply_received(model_t *model, const op_t *op)
{
  int    members = scene_members(&model->scene, op->team);
  size_t part    = op->n * layout_elem(&op->local);

  for (int unit = 0; unit < model->scene.shape.units && op->here >= 0; unit++) {
    uint64_t  at = op->here_at;
    memory_t *memory;

    if (scene_team_id(&model->scene, op->team, unit) < 0)
      continue;
    memory = model_memory(model, op->here, unit, &at);
    set_vague(memory, at, op_received(members, op), false);
    for (int i = 0; i < (op->kind == ALLGATHER ? members : 1); i++, at += part) {
      int from = scene_unit(&model->scene, op->team, op->kind == ALLGATHER ? i : op->root);

      pattern_fill(memory->data + at, model_key(&model->scene, op, PATTERN_GIVEN + from), 0, part);
    }
  }
}

void model_apply(model_t *model, const op_t *op, expect_t *expect_out)
{
  memset(expect_out, 0, sizeof *expect_out);
  switch (op->kind) {
  case STORE: apply_store(model, op); break;
  case LOAD: expect_bytes(model, op, op->n, expect_out); break;
  case POLL: expect_bytes(model, op, type_size(op->type), expect_out); break;
  case ACCUMULATE:
  case ACCUMULATE_LOCAL:
  case STREAM:
  case FETCH: apply_atomic(model, op, expect_out); break;
  case SWAP: apply_swap(model, op, expect_out); break;
  case SWAP_LOOP: apply_swap_loop(model, op); break;
  case NOTIFY:
  case GET_NOTIFY: apply_notify(model, op, expect_out); break;
  case AWAIT: apply_await(model, op, expect_out); break;
  case LOCKED: apply_locked(model, op, expect_out); break;
  case RANGED: apply_ranged(model, op); break;
  case FILE_OPEN:
  case FILE_RESIZE:
  case FILE_READ:
  case FILE_WRITE:
  case FILE_READ_ALL:
  case FILE_WRITE_ALL:
  case FILE_READ_ORDERED:
  case FILE_WRITE_ORDERED: model_apply_to_file(model, op, expect_out); break;
  case SECTION: apply_section(model, op); break;
  case BCAST:
  case ALLGATHER: apply_received(model, op); break;
  default:
    if (op_is_put(op))
      apply_put(model, op);
    else if (op_is_get(op))
      apply_get(model, op, expect_out);
    break;
  }
  scene_apply(&model->scene, op);
  switch (op->kind) { /* what needs the new scene */
  case ALLOC:
  case REGISTER:
  case POOL:
  case BLOCK: new_memory(model, op); break;
  case COUNTER: new_counter(model, op); break;
  case LOCK_AT: new_lock_at(model, op); break;
  case WORD: new_word(model, op); break;
  default: break;
  }
}
