/* Atomics. Operands and results of one element share a buffer, apart from each other: what lies between
 * must stay as it is. */
#include <string.h>

#include <dash/dart/ext/dart_basic.h>

#include "draw.h"
#include "run_common.h"
#include "value.h"

enum { VALUE_AT = 0, COMPARE_AT = 32, RESULT_AT = 64, FETCH_NBYTES = 96 };

/* ---- accumulate ---------------------------------------------------------------------------- */

static void run_accumulate(thread_t *thread, const op_t *op)
{
  unit_t      *unit   = thread->unit;
  size_t       size   = type_size(op->type);
  buffer_t    *buffer = run_buffer(thread, op, op->n * size, 0, PATTERN_BLANK);
  dart_gptr_t  gptr   = run_gptr(unit, op->seg, op->to, op->at);
  under_way_t *u      = run_start(thread, op, buffer);

  for (size_t k = 0; k < op->n; k++)
    model_operand(&unit->model.scene, op, k, buffer->bytes + k * size);
  if (op->kind == ACCUMULATE)
    RUN_OK(unit, op,
           dart_accumulate(gptr, buffer->bytes, op->n, op->type, (dart_operation_t)op->oper));
  else
    RUN_OK(unit, op,
           dart_accumulate_blocking_local(gptr, buffer->bytes, op->n, op->type,
                                          (dart_operation_t)op->oper));
  run_complete(thread, u, contract_on_return(op));
}

/* One element in each call, and nothing between the calls: DART defers such updates, and puts together those of a far
 * unit, where they follow one another fast. Streams that follow one another are one. */
void run_stream(thread_t *thread, const op_t *op)
{
  unit_t      *unit = thread->unit;
  size_t       size = type_size(op->type), count = op_updates(op);
  buffer_t    *buffer = run_buffer(thread, op, count * size, 0, PATTERN_BLANK);
  dart_gptr_t  gptr   = run_gptr(unit, op->seg, op->to, op->at);
  under_way_t *u      = run_start(thread, op, buffer);
  dart_ret_t   ret    = DART_OK;

  for (size_t k = 0; k < count; k++)
    model_operand(&unit->model.scene, op, k, buffer->bytes + k * size);
  for (size_t k = 0; k < count && ret == DART_OK; k++) {
    dart_gptr_t element = gptr;

    element.addr_or_offs.offset += op_updated(op, k) * size;
    ret =
        dart_accumulate(element, buffer->bytes + k * size, 1, op->type, (dart_operation_t)op->oper);
  }
  RUN_OK(unit, op, ret);
  run_complete(thread, u, contract_on_return(op));
}

/* ---- fetch_and_op, compare_and_swap ---------------------------------------------------------- */

/* A buffer with the operand in its place. */
static buffer_t *fetch_buffer(thread_t *thread, const op_t *op)
{
  buffer_t *buffer = run_buffer(thread, op, FETCH_NBYTES, 0, PATTERN_BLANK);

  if (op->kind == SWAP)
    value_operand(op->type, DART_OP_REPLACE,
                  model_key(&thread->unit->model.scene, op, PATTERN_SOURCE), 0, buffer->bytes);
  else
    model_operand(&thread->unit->model.scene, op, 0, buffer->bytes + VALUE_AT);
  return buffer;
}

/* What is compared: the element that is expected, or another. */
static void swap_compare(const unit_t *unit, const op_t *op, unsigned char *compare)
{
  memcpy(compare, run_expected(unit, op)->bytes, type_size(op->type));
  if (op->how == SWAP_MISS && op->type == DART_TYPE_BOOL)
    compare[0] ^= 1;
  else if (op->how == SWAP_MISS)
    compare[op->id % type_size(op->type)] ^= (unsigned char)(1 << op->id % 8);
}

/* What was not to be written, up to the result. */
static void fill_operands(const unit_t *unit, const op_t *op, unsigned char *to)
{
  uint64_t key = model_key(&unit->model.scene, op, PATTERN_SOURCE);

  pattern_fill(to, model_key(&unit->model.scene, op, PATTERN_BLANK), 0, RESULT_AT);
  if (op->kind == SWAP) {
    value_operand(op->type, DART_OP_REPLACE, key, 0, to + VALUE_AT);
    swap_compare(unit, op, to + COMPARE_AT);
  } else
    model_operand(&unit->model.scene, op, 0, to + VALUE_AT);
}

/* On return operands are the caller's again, but for the result (dart_value.h). */
static void reuse_operands(thread_t *thread, const op_t *op, buffer_t *buffer)
{
  unsigned char operands[RESULT_AT];

  fill_operands(thread->unit, op, operands);
  run_compare(thread->unit, op, "operands, and what lies between", buffer->bytes, operands, NULL,
              sizeof operands);
  pattern_fill(buffer->bytes, model_key(&thread->unit->model.scene, op, PATTERN_POISON), 0,
               RESULT_AT);
}

static void run_fetch(thread_t *thread, const op_t *op)
{
  unit_t     *unit   = thread->unit;
  buffer_t   *buffer = fetch_buffer(thread, op);
  dart_gptr_t gptr   = run_gptr(unit, op->seg, op->to, op->at);
  const void *value  = buffer->bytes + VALUE_AT;
  void       *result = buffer->bytes + RESULT_AT;

  run_start(thread, op, buffer);
  if (op->oper == DART_OP_NO_OP && op->id % 2 == 0)
    value = NULL;
  if (op->is_inline)
    RUN_OK(unit, op, run_inline_fetch(op, gptr, value, result));
  else
    RUN_OK(unit, op, dart_fetch_and_op(gptr, value, result, op->type, (dart_operation_t)op->oper));
  reuse_operands(thread, op, buffer);
}

void run_swap(thread_t *thread, const op_t *op)
{
  unit_t     *unit   = thread->unit;
  buffer_t   *buffer = fetch_buffer(thread, op);
  dart_gptr_t gptr   = run_gptr(unit, op->seg, op->to, op->at);
  void       *value = buffer->bytes + VALUE_AT, *compare = buffer->bytes + COMPARE_AT;

  swap_compare(unit, op, compare);
  run_start(thread, op, buffer);
  if (op->is_inline)
    RUN_OK(unit, op, run_inline_swap(op, gptr, value, compare, buffer->bytes + RESULT_AT));
  else
    RUN_OK(unit, op,
           dart_compare_and_swap(gptr, value, compare, buffer->bytes + RESULT_AT, op->type));
  reuse_operands(thread, op, buffer);
}

void run_atomic(thread_t *thread, const op_t *op)
{
  if (op->kind == FETCH)
    run_fetch(thread, op);
  else
    run_accumulate(thread, op);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Nothing but the result has changed since the call. */
static void check_rest(unit_t *unit, const op_t *op, const buffer_t *buffer)
{
  size_t        size = type_size(op->type);
  unsigned char rest[FETCH_NBYTES];

  pattern_fill(rest, model_key(&unit->model.scene, op, PATTERN_BLANK), 0, sizeof rest);
  pattern_fill(rest, model_key(&unit->model.scene, op, PATTERN_POISON), 0, RESULT_AT);
  memcpy(rest + RESULT_AT, buffer->bytes + RESULT_AT, size);
  run_compare(unit, op, "what lies around the result", buffer->bytes, rest, NULL, sizeof rest);
}

void run_check_atomic(unit_t *unit, const op_t *op, const buffer_t *buffer)
{
  const expect_t *expect = run_expected(unit, op);
  fetched_t      *fetched;

  if (op->kind != FETCH && op->kind != SWAP)
    return;
  if (op->word >= 0) {
    fetched           = &unit->fetched[op - unit->op];
    fetched->is_there = true;
    memcpy(fetched->bytes, buffer->bytes + RESULT_AT, type_size(op->type));
  } else
    run_compare(unit, op, "the element fetched", buffer->bytes + RESULT_AT, expect->bytes,
                expect->vague, expect->nbytes);
  check_rest(unit, op, buffer);
}

/* ---- a loop of compare_and_swap ---------------------------------------------------------------- */

/* What the word shall be: the actor's bits, changed by its operation. */
static uint64_t swapped(const unit_t *unit, const op_t *op, uint64_t old)
{
  const scene_word_t *word    = &unit->model.scene.word[op->word];
  uint64_t            operand = scene_field_operand(&unit->model.scene, word, op);

  switch (op->oper) {
  case DART_OP_SUM: return old + operand;
  case DART_OP_BOR: return old | operand;
  case DART_OP_BAND: return old & operand;
  case DART_OP_BXOR: return old ^ operand;
  default: return old;
  }
}

void run_swap_loop(thread_t *thread, const op_t *op)
{
  unit_t       *unit = thread->unit;
  dart_gptr_t   gptr = run_gptr(unit, op->seg, op->to, op->at);
  unsigned char old[16], compare[16], value[16];
  size_t        size = type_size(op->type);

  RUN_OK(unit, op, dart_fetch_and_op(gptr, NULL, old, op->type, DART_OP_NO_OP));
  RUN_OK(unit, op, dart_flush(gptr));
  do {
    memcpy(compare, old, size);
    value_store(op->type, value, (int64_t)swapped(unit, op, (uint64_t)value_load(op->type, old)));
    RUN_OK(unit, op, dart_compare_and_swap(gptr, value, compare, old, op->type));
    RUN_OK(unit, op, dart_flush(gptr));
  } while (memcmp(old, compare, size) != 0);
}
