/* What all operations share: failures, buffers, what is under way. See run_common.h. */
#include "run_common.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_basic.h>

#include "draw.h"
#include "text.h"

enum { GUARD = 64 };

/* ---- failures ------------------------------------------------------------------------------ */

/* One write, so that lines of several units do not mix. */
void run_fail(const unit_t *unit, const op_t *op, const char *format, ...)
{
  char    line[TEXT_MAX] = "-", what[512], doomed[64] = "", all[TEXT_MAX + 800];
  va_list args;

  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (op != NULL)
    text_op(op, line);
  if (unit->risks.doomed != 0)
    snprintf(doomed, sizeof doomed, "; units %#llx die in this round",
             (unsigned long long)unit->risks.doomed);
  snprintf(all, sizeof all,
           "random: FAILED: unit %d of %d, %d thread(s), seed %llu, salt %llu\n"
           "random: operation: %s\nrandom: %s%s\n",
           unit->me, unit->shape.units, unit->shape.threads, (unsigned long long)unit->seed,
           (unsigned long long)unit->shape.salt, line, what, doomed);
  fputs(all, stderr);
  fflush(NULL);
  dart_abort(EXIT_FAILURE);
}

void run_expect_ok(const unit_t *unit, const op_t *op, dart_ret_t ret, const char *call)
{
  if (ret == DART_ERR_UNIT_LOST && run_may_lose(unit, op))
    run_lose();
  else if (ret != DART_OK)
    run_fail(unit, op, "%.*s returned %d", (int)strcspn(call, "("), call, (int)ret);
}

static size_t count_differences(const unsigned char *found, const unsigned char *expected,
                                const unsigned char *vague, size_t nbytes, size_t *first_out)
{
  size_t count = 0;

  for (size_t i = 0; i < nbytes; i++)
    if (found[i] != expected[i] && (vague == NULL || vague[i] == 0) && count++ == 0)
      *first_out = i;
  return count;
}

static void show(char text[64], const unsigned char *bytes, size_t nbytes)
{
  size_t used = 0;

  text[0] = '\0';
  for (size_t i = 0; i < nbytes && i < 16; i++)
    used += (size_t)snprintf(text + used, 64 - used, "%02x%s", bytes[i], i % 4 == 3 ? " " : "");
}

void run_compare(const unit_t *unit, const op_t *op, const char *what, const void *found,
                 const void *expected, const void *vague, size_t nbytes)
{
  size_t first = 0, count;
  char   is[64], should[64];

  if (nbytes == 0 || (memcmp(found, expected, nbytes) == 0))
    return;
  count = count_differences(found, expected, vague, nbytes, &first);
  if (count == 0)
    return;
  show(is, (const unsigned char *)found + first, nbytes - first);
  show(should, (const unsigned char *)expected + first, nbytes - first);
  run_fail(unit, op, "%s: %zu of %zu bytes differ, the first at %zu: %s instead of %s", what, count,
           nbytes, first, is, should);
}

void run_yield(void)
{
  sched_yield();
}

/* ---- buffers ------------------------------------------------------------------------------- */

static uint64_t guard_key(const op_t *op)
{
  return mix(op->id, 99, 99);
}

buffer_t *run_buffer(thread_t *thread, const op_t *op, size_t nbytes, int shift, int what)
{
  buffer_t *buffer = calloc(1, sizeof *buffer);
  size_t    lead   = GUARD + (size_t)shift;

  if (buffer != NULL)
    buffer->block = aligned_alloc(64, (lead + nbytes + GUARD + 63) / 64 * 64);
  if (buffer == NULL || buffer->block == NULL)
    run_fail(thread->unit, op, "out of memory");
  buffer->op      = op;
  buffer->bytes   = buffer->block + lead;
  buffer->nbytes  = nbytes;
  buffer->next    = thread->buffers;
  thread->buffers = buffer;
  pattern_fill(buffer->block, guard_key(op), 0, lead);
  pattern_fill(buffer->bytes + nbytes, guard_key(op), 0, GUARD);
  pattern_fill(buffer->bytes, model_key(&thread->unit->model.scene, op, what), 0, nbytes);
  return buffer;
}

void run_poison(thread_t *thread, buffer_t *buffer)
{
  pattern_fill(buffer->bytes, model_key(&thread->unit->model.scene, buffer->op, PATTERN_POISON), 0,
               buffer->nbytes);
  buffer->is_poisoned = true;
}

/* Poison, guards: nobody wrote there. */
static void check_buffer(const unit_t *unit, const buffer_t *buffer)
{
  size_t         lead   = (size_t)(buffer->bytes - buffer->block);
  size_t         most   = buffer->nbytes > lead + GUARD ? buffer->nbytes : lead + GUARD;
  unsigned char *expect = malloc(most);

  if (expect == NULL)
    run_fail(unit, buffer->op, "out of memory");
  pattern_fill(expect, guard_key(buffer->op), 0, lead);
  run_compare(unit, buffer->op, "memory before the local buffer", buffer->block, expect, NULL,
              lead);
  run_compare(unit, buffer->op, "memory behind the local buffer", buffer->bytes + buffer->nbytes,
              expect, NULL, GUARD);
  if (buffer->is_poisoned) {
    pattern_fill(expect, model_key(&unit->model.scene, buffer->op, PATTERN_POISON), 0,
                 buffer->nbytes);
    run_compare(unit, buffer->op, "the local buffer, after the operation was complete",
                buffer->bytes, expect, NULL, buffer->nbytes);
  }
  free(expect);
}

void run_end_buffers(thread_t *thread)
{
  buffer_t *next;

  for (buffer_t *buffer = thread->buffers; buffer != NULL; buffer = next) {
    next = buffer->next;
    check_buffer(thread->unit, buffer);
    free(buffer->block);
    free(buffer);
  }
  thread->buffers = NULL;
}

/* ---- what is under way --------------------------------------------------------------------- */

under_way_t *run_start(thread_t *thread, const op_t *op, buffer_t *buffer)
{
  under_way_t *u = calloc(1, sizeof *u);

  if (u == NULL)
    run_fail(thread->unit, op, "out of memory");
  u->op             = op;
  u->buffer         = buffer;
  u->has_handle     = contract_has_handle(op);
  u->next           = thread->under_way;
  thread->under_way = u;
  return u;
}

under_way_t *run_find(thread_t *thread, uint32_t id)
{
  under_way_t *u = thread->under_way;

  while (u != NULL && u->op->id != id)
    u = u->next;
  return u;
}

expect_t *run_expected(const unit_t *unit, const op_t *op)
{
  return &unit->expect[op - unit->op];
}

static void check_result(thread_t *thread, const under_way_t *u)
{
  unit_t         *unit   = thread->unit;
  const op_t     *op     = u->op;
  const expect_t *expect = run_expected(unit, op);

  if (op_is_get(op))
    run_compare(unit, op, "the local buffer", u->buffer->bytes, expect->bytes, expect->vague,
                expect->nbytes);
  else if (op_is_atomic(op))
    run_check_atomic(unit, op, u->buffer);
}

void run_complete(thread_t *thread, under_way_t *u, complete_t how)
{
  if (how == COMPLETE_NOT)
    return;
  if (!u->is_here && u->buffer != NULL) {
    if (!u->is_lost && !run_is_untold(thread->unit, u->op))
      check_result(thread, u);
    run_poison(thread, u->buffer);
  }
  u->is_here = true;
  u->is_there |= how == COMPLETE_THERE || op_is_get(u->op);
}

void run_completed(thread_t *thread, const op_t *by)
{
  for (under_way_t **link = &thread->under_way, *u; (u = *link) != NULL;) {
    if (by != NULL)
      run_complete(thread, u, contract_completes(&thread->unit->model.scene, by, u->op));
    if (u->is_here && u->is_there && !u->has_handle) {
      *link = u->next;
      free(u);
    } else
      link = &u->next;
  }
}

/* ---- words of the list, as DART's ---------------------------------------------------------- */

dart_gptr_t run_gptr(const unit_t *unit, int seg, int to, uint64_t at)
{
  dart_gptr_t gptr = unit->gptr[seg][to];

  gptr.addr_or_offs.offset += at;
  return gptr;
}

static dart_datatype_t base_type(const unit_t *unit, const op_t *op, const layout_t *layout)
{
  dart_datatype_t type = layout->basic;

  if (layout->basic == 0)
    RUN_OK(unit, op, dart_type_create_custom(layout->custom, &type));
  return type;
}

dart_datatype_t run_type(const unit_t *unit, const op_t *op, const layout_t *layout)
{
  dart_datatype_t base = base_type(unit, op, layout), type;
  size_t          len[LAYOUT_BLOCKS_MAX], off[LAYOUT_BLOCKS_MAX];

  if (layout->kind == LAYOUT_RUN)
    return base;
  for (uint32_t i = 0; i < layout->nblocks; i++) {
    len[i] = layout->len[i];
    off[i] = layout->off[i];
  }
  if (layout->kind == LAYOUT_STRIDED)
    RUN_OK(unit, op, dart_type_create_strided(base, layout->stride, layout->blocklen, &type));
  else
    RUN_OK(unit, op, dart_type_create_indexed(base, layout->nblocks, len, off, &type));
  run_end_type(unit, op, &base);
  return type;
}

void run_end_type(const unit_t *unit, const op_t *op, dart_datatype_t *type)
{
  if (*type >= DART_TYPE_BASIC_END || *type < 0)
    RUN_OK(unit, op, dart_type_destroy(type));
}
