/* Flags: one actor writes a word, another looks for the value in a loop, or waits for it by DART. */
#include <dash/dart/ext/dart_wait_word.h>

#include <string.h>

#include "run_common.h"

/* ---- a loop of gets, or of atomic reads --------------------------------------------------------- */

static void look(unit_t *unit, const op_t *op, dart_gptr_t gptr, void *value)
{
  dart_datatype_t type   = op->type;
  dart_handle_t   handle = DART_HANDLE_NULL;

  switch (op->how) {
  case POLL_BLOCKING: RUN_OK(unit, op, dart_get_blocking(value, gptr, 1, type, type)); break;
  case POLL_FLUSH:
    RUN_OK(unit, op, dart_get(value, gptr, 1, type, type));
    RUN_OK(unit, op, dart_flush_local(gptr));
    break;
  case POLL_HANDLE:
    RUN_OK(unit, op, dart_get_handle(value, gptr, 1, type, type, &handle));
    RUN_OK(unit, op, dart_wait_local(&handle));
    break;
  default:
    RUN_OK(unit, op, dart_fetch_and_op(gptr, NULL, value, type, DART_OP_NO_OP));
    RUN_OK(unit, op, dart_flush(gptr));
    break;
  }
}

/* What is spoiled is known as far as the writer has come to it. */
static bool is_unknown(const unit_t *unit, const op_t *op, const expect_t *expect)
{
  return expect->vague != NULL && !run_is_at_risk(unit, op);
}

static void poll(unit_t *unit, const op_t *op, dart_gptr_t gptr, const expect_t *expect)
{
  uint64_t value;

  do {
    look(unit, op, gptr, &value);
    if (is_unknown(unit, op, expect) || memcmp(&value, expect->bytes, expect->nbytes) == 0)
      return;
    run_look_for_losses(unit, op);
    run_yield();
  } while (true);
}

/* ---- by waiting --------------------------------------------------------------------------------- */

/* The same word several times; it never has the other values. */
enum { SET = 3, WANTED = 1 };

static void wait_for_set(unit_t *unit, const op_t *op, dart_gptr_t gptr, const expect_t *expect)
{
  dart_gptr_t   gptrs[SET]   = { gptr, gptr, gptr };
  size_t        indices[SET] = { SET, SET, SET }, count = 1, size = expect->nbytes;
  unsigned char values[SET * sizeof(uint64_t)];

  for (size_t i = 0; i < SET; i++)
    for (size_t k = 0; k < size; k++)
      values[i * size + k] = (unsigned char)(expect->bytes[k] ^ (i == WANTED ? 0 : 0x55 << i));
  if (op->how == POLL_ANY)
    RUN_OK(unit, op, dart_wait_word_any(gptrs, SET, op->type, DART_WAIT_EQ, values, -1, indices));
  else
    RUN_OK(unit, op,
           dart_wait_word_some(gptrs, SET, op->type, DART_WAIT_EQ, values, -1, indices, &count));
  if (indices[0] != WANTED || count != 1)
    run_fail(unit, op, "%zu words are as said, the first is %zu, not %d", count, indices[0],
             WANTED);
}

static void wait_for_all(unit_t *unit, const op_t *op, dart_gptr_t gptr, const expect_t *expect)
{
  dart_gptr_t   gptrs[2] = { gptr, gptr };
  unsigned char values[2 * sizeof(uint64_t)];

  memcpy(values, expect->bytes, expect->nbytes);
  memcpy(values + expect->nbytes, expect->bytes, expect->nbytes);
  RUN_OK(unit, op, dart_wait_word_all(gptrs, 2, op->type, DART_WAIT_EQ, values, -1));
}

static void wait_by_looks(unit_t *unit, const op_t *op, dart_gptr_t gptr, const expect_t *expect)
{
  int64_t    limit_us = op->id % 3 == 0 ? 50 : 0;
  dart_ret_t ret;

  while ((ret = dart_wait_word(gptr, op->type, DART_WAIT_EQ, expect->bytes, limit_us)) ==
         DART_PENDING) {
    run_look_for_losses(unit, op);
    run_yield();
  }
  RUN_OK(unit, op, ret);
}

/* Where nobody knows what is there, there is nothing to wait for. */
static void wait_for_word(unit_t *unit, const op_t *op, dart_gptr_t gptr, const expect_t *expect)
{
  if (is_unknown(unit, op, expect))
    return;
  switch (unit->risks.doomed != 0 && unit->shape.threads > 1 ? POLL_LOOK : op->how) {
  case POLL_WORD:
    RUN_OK(unit, op, dart_wait_word(gptr, op->type, DART_WAIT_EQ, expect->bytes, -1));
    break;
  case POLL_ALL: wait_for_all(unit, op, gptr, expect); break;
  case POLL_LOOK: wait_by_looks(unit, op, gptr, expect); break;
  default: wait_for_set(unit, op, gptr, expect); break;
  }
}

void run_poll(thread_t *thread, const op_t *op)
{
  unit_t         *unit   = thread->unit;
  const expect_t *expect = run_expected(unit, op);
  dart_gptr_t     gptr   = run_gptr(unit, op->seg, op->to, op->at);

  run_look_for_losses(unit, op);
  if (op->how < POLL_WORD)
    poll(unit, op, gptr, expect);
  else
    wait_for_word(unit, op, gptr, expect);
}
