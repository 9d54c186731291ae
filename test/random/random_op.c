/* See random_op.h. */
#include "random_op.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_value.h>

#include "need.h"

const op_kind_t op_kinds[NKINDS] = {
#define KIND_ROW(kind, name, who, fields, hows) { name, who, (uint32_t)(fields), hows },
  KINDS(KIND_ROW)
#undef KIND_ROW
};

op_t op_new(kind_t kind)
{
  op_t op;

  memset(&op, 0, sizeof op);
  op.kind = kind;
  op.here = op.word = -1;
  return op;
}

bool op_is_put(const op_t *op)
{
  return op->kind == PUT || op->kind == PUT_HANDLE || op->kind == PUT_BLOCKING ||
         op->kind == PUT_VALUE || op->kind == NOTIFY;
}

bool op_is_get(const op_t *op)
{
  return op->kind == GET || op->kind == GET_HANDLE || op->kind == GET_BLOCKING ||
         op->kind == GET_NOTIFY;
}

bool op_raises(const op_t *op)
{
  return op->kind == NOTIFY || op->kind == GET_NOTIFY;
}

bool op_is_file_shared(const op_t *op)
{
  return op->kind == FILE_APPEND || op->kind == FILE_TAKE || op->kind == FILE_READ_ORDERED ||
         op->kind == FILE_WRITE_ORDERED;
}

bool op_is_file_write(const op_t *op)
{
  return op->kind == FILE_WRITE || op->kind == FILE_APPEND || op->kind == FILE_WRITE_ALL ||
         op->kind == FILE_WRITE_ORDERED;
}

bool op_is_file_access(const op_t *op)
{
  return op_is_file_write(op) || op->kind == FILE_READ || op->kind == FILE_TAKE ||
         op->kind == FILE_READ_ALL || op->kind == FILE_READ_ORDERED;
}

bool op_is_copied(const op_t *op)
{
  switch (op->kind) {
  case STREAM: /* of one element each */
  case PUT_VALUE: return true;
  case PUT:
  case NOTIFY:
    return op->local.kind == LAYOUT_RUN && op->n * layout_elem(&op->local) <= DART_COPIED_MOST;
  case ACCUMULATE: return op->n * type_size(op->type) <= DART_COPIED_MOST;
  default: return false;
  }
}

bool op_is_atomic(const op_t *op)
{
  return op->kind >= ACCUMULATE && op->kind <= SWAP_LOOP;
}

size_t op_updates(const op_t *op)
{
  return (size_t)op->n * (op->kind == STREAM && op->how == STREAM_THRICE ? 3 : 1);
}

/* Mixed, they are all visited by a step of about half of them, which has no divisor in common with their number. */
size_t op_updated(const op_t *op, size_t k)
{
  size_t n = (size_t)op->n, step = n / 2;

  if (op->kind != STREAM || op->how == STREAM_UP)
    return k;
  if (op->how == STREAM_DOWN)
    return n - 1 - k;
  if (op->how == STREAM_THRICE)
    return k % n;
  if (n % 2 == 0)
    step += step % 2 == 0 ? 1 : 2; /* to the next odd number but half */
  return step == 0 ? k : k * step % n;
}

bool op_holds_alone(const op_t *op, size_t run)
{
  return op->how < RANGED_MIXED || (op->how == RANGED_MIXED && run % 2 == 0);
}

uint64_t op_extent(const op_t *op)
{
  switch (op->kind) {
  case STORE:
  case LOAD: return op->n;
  case LOCK_AT:
  case COUNTER: return 8;
  case SECTION:
  case LOCKED: return 8 * op->n;
  case WORD:
  case POLL: return type_size(op->type);
  case FLUSH:
  case ORDER:
  case REFUSED:
  case FLUSH_LOCAL: return 0;
  default:
    return op_is_atomic(op) ? (op->kind == SWAP ? 1 : op->n) * type_size(op->type)
                            : layout_span(&op->remote, op->n);
  }
}

uint64_t op_received(int members, const op_t *op)
{
  uint64_t part = op->n * layout_elem(&op->local);

  return op->kind == ALLGATHER ? part * (uint64_t)members : part;
}

void list_add(list_t *list, const op_t *op)
{
  list->op            = need_more(list->op, list->n, &list->room, sizeof list->op[0]);
  list->op[list->n++] = *op;
}

void list_free(list_t *list)
{
  free(list->op);
  list->op = NULL;
  list->n = list->room = 0;
}
