/* Collectives. Every unit knows what the others give, so each computes what it must get. */
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "run_common.h"
#include "value.h"

typedef struct {
  thread_t       *thread;
  unit_t         *unit;
  const op_t     *op;
  int             n, mine; /* members of the team, and its own id in it */
  dart_team_t     team;
  dart_datatype_t type;
  size_t          size; /* of an element */
  size_t          part; /* bytes of what one member gives */
} collective_t;

static collective_t begin(thread_t *thread, const op_t *op)
{
  unit_t      *unit = thread->unit;
  collective_t c    = { .thread = thread, .unit = unit, .op = op, .team = unit->team[op->team] };

  c.n    = scene_members(&unit->model.scene, op->team);
  c.mine = scene_team_id(&unit->model.scene, op->team, unit->me);
  if (op_has(op, HAS_LOCAL)) {
    c.type = run_type(unit, op, &op->local);
    c.size = layout_elem(&op->local);
  }
  c.part = op->n * c.size;
  return c;
}

static void end(collective_t *c)
{
  if (op_has(c->op, HAS_LOCAL))
    run_end_type(c->unit, c->op, &c->type);
}

/* A buffer for what members give or get. */
static buffer_t *room(const collective_t *c, size_t nbytes)
{
  return run_buffer(c->thread, c->op, nbytes, c->op->shift, PATTERN_BLANK);
}

/* What is received: private, or in this unit's portion, and then there is no buffer. */
static buffer_t *room_or_here(const collective_t *c, unsigned char **bytes_out)
{
  buffer_t *buffer = NULL;

  if (c->op->here < 0)
    buffer = room(c, op_received(c->n, c->op));
  *bytes_out = buffer != NULL ? buffer->bytes : c->unit->own[c->op->here] + c->op->here_at;
  return buffer;
}

/* The bytes of a team's member, from its byte `from` on. */
static void give(const collective_t *c, int member, size_t from, unsigned char *to, size_t nbytes)
{
  int unit = scene_unit(&c->unit->model.scene, c->op->team, member);

  pattern_fill(to, model_key(&c->unit->model.scene, c->op, PATTERN_GIVEN + unit), from, nbytes);
}

static unsigned char *blank(const collective_t *c, size_t nbytes)
{
  unsigned char *bytes = malloc(nbytes + 1);

  if (bytes == NULL)
    run_fail(c->unit, c->op, "out of memory");
  pattern_fill(bytes, model_key(&c->unit->model.scene, c->op, PATTERN_BLANK), 0, nbytes);
  return bytes;
}

/* What is in this unit's portion is compared at the end of the round. Frees `expected`. */
static void check(const collective_t *c, buffer_t *got, unsigned char *expected)
{
  if (got == NULL) {
    free(expected);
    return;
  }
  run_compare(c->unit, c->op, "what the collective gave", got->bytes, expected, NULL, got->nbytes);
  free(expected);
  run_poison(c->thread, got);
}

static dart_team_unit_t root_of(const op_t *op)
{
  return DART_TEAM_UNIT_ID(op->root);
}

/* Some pass NULL where nothing counts. */
static void *bytes_or_null(const buffer_t *buffer)
{
  return buffer != NULL ? buffer->bytes : NULL;
}

void run_barrier(thread_t *thread, const op_t *op)
{
  RUN_OK(thread->unit, op, dart_barrier(thread->unit->team[op->team]));
}

void run_bcast(thread_t *thread, const op_t *op)
{
  collective_t   c = begin(thread, op);
  unsigned char *bytes, *expected = blank(&c, c.part);
  buffer_t      *buffer = room_or_here(&c, &bytes);

  give(&c, op->root, 0, expected, c.part);
  if (c.mine == op->root && c.part > 0)
    memcpy(bytes, expected, c.part);
  RUN_OK(c.unit, op, dart_bcast(bytes, op->n, c.type, root_of(op), c.team));
  check(&c, buffer, expected);
  end(&c);
}

void run_scatter(thread_t *thread, const op_t *op)
{
  collective_t   c        = begin(thread, op);
  buffer_t      *sent     = c.mine == op->root ? room(&c, c.part * (size_t)c.n) : NULL;
  buffer_t      *got      = room(&c, c.part);
  unsigned char *expected = blank(&c, c.part);

  if (sent != NULL)
    give(&c, op->root, 0, sent->bytes, sent->nbytes);
  give(&c, op->root, c.part * (size_t)c.mine, expected, c.part);
  RUN_OK(c.unit, op,
         dart_scatter(bytes_or_null(sent), got->bytes, op->n, c.type, root_of(op), c.team));
  if (sent != NULL)
    run_poison(thread, sent);
  check(&c, got, expected);
  end(&c);
}

void run_gather(thread_t *thread, const op_t *op)
{
  collective_t   c    = begin(thread, op);
  bool           root = c.mine == op->root;
  buffer_t      *sent = room(&c, c.part), *got = root ? room(&c, c.part * (size_t)c.n) : NULL;
  unsigned char *expected;

  give(&c, c.mine, 0, sent->bytes, c.part);
  RUN_OK(c.unit, op,
         dart_gather(sent->bytes, bytes_or_null(got), op->n, c.type, root_of(op), c.team));
  run_poison(thread, sent);
  if (root) {
    expected = blank(&c, got->nbytes);
    for (int i = 0; i < c.n; i++)
      give(&c, i, 0, expected + c.part * (size_t)i, c.part);
    check(&c, got, expected);
  }
  end(&c);
}

/* ---- to all ------------------------------------------------------------------------------------ */

/* What is sent, and how that is said: a buffer of its own, or in place, `mine` bytes at `at` of the
 * receive buffer, which then holds them already. */
static const void *send_side(const collective_t *c, const unsigned char *got, unsigned char *at,
                             size_t mine, buffer_t **sent_out)
{
  *sent_out = NULL;
  if (c->op->how != APART) {
    give(c, c->mine, 0, at, mine);
    return c->op->how == IN_PLACE_SAME ? got : NULL;
  }
  *sent_out = room(c, mine);
  give(c, c->mine, 0, (*sent_out)->bytes, mine);
  return (*sent_out)->bytes;
}

void run_allgather(thread_t *thread, const op_t *op)
{
  collective_t   c   = begin(thread, op);
  size_t         all = c.part * (size_t)c.n;
  unsigned char *bytes, *expected = blank(&c, all);
  buffer_t      *got  = room_or_here(&c, &bytes), *sent;
  const void    *from = send_side(&c, bytes, bytes + c.part * (size_t)c.mine, c.part, &sent);

  for (int i = 0; i < c.n; i++)
    give(&c, i, 0, expected + c.part * (size_t)i, c.part);
  RUN_OK(c.unit, op, dart_allgather(from, bytes, op->n, c.type, c.team));
  if (sent != NULL)
    run_poison(thread, sent);
  check(&c, got, expected);
  end(&c);
}

/* Parts lie in the opposite order of members, with gaps between. */
void run_allgatherv(thread_t *thread, const op_t *op)
{
  collective_t   c = begin(thread, op);
  size_t         nelem[UNITS_MAX], displ[UNITS_MAX], end_at = 0, mine;
  buffer_t      *got, *sent;
  unsigned char *expected;
  const void    *from;

  for (int i = c.n - 1; i >= 0; i--) {
    nelem[i] = (size_t)op->sizes[scene_unit(&c.unit->model.scene, op->team, i)];
    displ[i] = end_at;
    end_at += nelem[i] + op->id % 3;
  }
  got      = room(&c, end_at * c.size);
  expected = blank(&c, got->nbytes);
  mine     = nelem[c.mine];
  for (int i = 0; i < c.n; i++)
    give(&c, i, 0, expected + displ[i] * c.size, nelem[i] * c.size);
  from = send_side(&c, got->bytes, got->bytes + displ[c.mine] * c.size, mine * c.size, &sent);
  RUN_OK(c.unit, op,
         dart_allgatherv(mine > 0 ? from : NULL, mine, c.type, got->bytes, nelem, displ, c.team));
  if (sent != NULL)
    run_poison(thread, sent);
  check(&c, got, expected);
  end(&c);
}

void run_alltoall(thread_t *thread, const op_t *op)
{
  collective_t   c        = begin(thread, op);
  size_t         all      = c.part * (size_t)c.n;
  buffer_t      *got      = room(&c, all), *sent;
  unsigned char *expected = blank(&c, all);
  const void    *from     = send_side(&c, got->bytes, got->bytes, all, &sent);

  for (int i = 0; i < c.n; i++)
    give(&c, i, c.part * (size_t)c.mine, expected + c.part * (size_t)i, c.part);
  RUN_OK(c.unit, op, dart_alltoall(from, got->bytes, op->n, c.type, c.team));
  if (sent != NULL)
    run_poison(thread, sent);
  check(&c, got, expected);
  end(&c);
}

/* ---- reductions ---------------------------------------------------------------------------------- */

static bool is_own_operator(const op_t *op)
{
  return op->oper == OPER_AFFINE || op->oper == OPER_MERGE;
}

/* Of a product of floating point at most UNITS_SMALL members give a factor, or it would be too large to be exact. */
static bool gives_one(const collective_t *c, int member)
{
  int step = (c->n + UNITS_SMALL - 1) / UNITS_SMALL;

  return c->op->oper == DART_OP_PROD && value_is_float(c->op->type) &&
         member % step != (int)(c->op->id % (unsigned)step);
}

/* Element k of a member's operand. */
static void operand(const collective_t *c, int member, size_t k, unsigned char *to)
{
  int      unit = scene_unit(&c->unit->model.scene, c->op->team, member);
  uint64_t key  = model_key(&c->unit->model.scene, c->op, PATTERN_GIVEN + unit);

  if (is_own_operator(c->op))
    pattern_fill(to, key, k * VALUE_OPAQUE, VALUE_OPAQUE);
  else {
    memset(to, 0, c->size);
    if (gives_one(c, member))
      value_store(c->op->type, to, 1);
    else
      value_operand(c->op->type, c->op->oper, key, k, to);
  }
}

static int operator_of(const op_t *op, size_t k)
{
  return op->oper == DART_OP_MINMAX ? (k % 2 == DART_OP_MINMAX_MIN ? DART_OP_MIN : DART_OP_MAX)
                                    : op->oper;
}

/* Element k combined, members in their order. */
static void combined(const collective_t *c, size_t k, unsigned char *to)
{
  unsigned char next[16];

  operand(c, 0, k, to);
  for (int i = 1; i < c->n; i++) {
    operand(c, i, k, next);
    if (c->op->oper == OPER_AFFINE) {
      value_affine(to, next, 1, NULL);
      memcpy(to, next, VALUE_OPAQUE);
    } else if (c->op->oper == OPER_MERGE)
      value_merge(next, to, 1, NULL);
    else
      value_combine(c->op->type, operator_of(c->op, k), to, next);
  }
}

static dart_operation_t make_operator(collective_t *c)
{
  const op_t *op       = c->op;
  dart_operation_t new = (dart_operation_t)op->oper;

  c->type = op->type;
  c->size = type_size(op->type);
  if (is_own_operator(op)) {
    c->size = VALUE_OPAQUE;
    RUN_OK(c->unit, op, dart_type_create_custom(VALUE_OPAQUE, &c->type));
    RUN_OK(c->unit, op,
           dart_op_create(op->oper == OPER_AFFINE ? value_affine : value_merge, NULL,
                          op->oper == OPER_MERGE, c->type, op->id % 2 == 0, &new));
  }
  c->part = op->n * c->size;
  return new;
}

/* Of the padding of a long double nothing is said. */
static void check_reduction(const collective_t *c, buffer_t *got)
{
  size_t        meaning = is_own_operator(c->op) ? c->size : value_meaning(c->op->type);
  unsigned char expected[16];

  for (size_t k = 0; k < c->op->n; k++) {
    combined(c, k, expected);
    run_compare(c->unit, c->op, "an element of the result", got->bytes + k * c->size, expected,
                NULL, meaning);
  }
  run_poison(c->thread, got);
}

void run_reduce(thread_t *thread, const op_t *op)
{
  collective_t     c    = begin(thread, op);
  dart_operation_t oper = make_operator(&c);
  bool             all  = op->kind == ALLREDUCE;
  buffer_t        *sent = room(&c, c.part), *got = NULL;

  for (size_t k = 0; k < op->n; k++)
    operand(&c, c.mine, k, sent->bytes + k * c.size);
  if (all || c.mine == op->root)
    got = all && op->how == IN_PLACE_SAME ? sent : room(&c, c.part);
  if (all)
    RUN_OK(c.unit, op, dart_allreduce(sent->bytes, got->bytes, op->n, c.type, oper, c.team));
  else
    RUN_OK(c.unit, op,
           dart_reduce(sent->bytes, bytes_or_null(got), op->n, c.type, oper, root_of(op), c.team));
  if (got != NULL)
    check_reduction(&c, got);
  run_poison(thread, sent);
  if (is_own_operator(op)) {
    RUN_OK(c.unit, op, dart_op_destroy(&oper));
    run_end_type(c.unit, op, &c.type);
  }
}

/* ---- churn: memory that comes and goes while other threads work ----------------------------------- */

static dart_gptr_t new_memory(const collective_t *c, size_t nbytes, unsigned char **block_out)
{
  dart_gptr_t gptr;

  *block_out = NULL;
  if (c->op->value % 2 == 0) {
    RUN_OK(c->unit, c->op, dart_team_memalloc_aligned(c->team, nbytes, DART_TYPE_BYTE, &gptr));
    return gptr;
  }
  *block_out = malloc(nbytes + 1);
  if (*block_out == NULL)
    run_fail(c->unit, c->op, "out of memory");
  RUN_OK(c->unit, c->op, dart_team_memregister(c->team, nbytes, DART_TYPE_BYTE, *block_out, &gptr));
  return gptr;
}

static void end_memory(const collective_t *c, dart_gptr_t gptr, unsigned char *block)
{
  if (block == NULL)
    RUN_OK(c->unit, c->op, dart_team_memfree(gptr));
  else
    RUN_OK(c->unit, c->op, dart_team_memderegister(gptr));
  free(block);
}

/* Everyone fills its right neighbour's portion, which has a size of its own. */
void run_churn(thread_t *thread, const op_t *op)
{
  collective_t   c     = begin(thread, op);
  int            right = (c.mine + 1) % c.n, left = (c.mine + c.n - 1) % c.n;
  size_t         mine = op->n + (size_t)c.mine, theirs = op->n + (size_t)right;
  buffer_t      *sent = room(&c, theirs);
  unsigned char *block, *expected = blank(&c, mine);
  dart_gptr_t    gptr = new_memory(&c, mine, &block);
  void          *own;

  give(&c, c.mine, 0, sent->bytes, theirs);
  gptr.unitid = right;
  RUN_OK(c.unit, op, dart_put(gptr, sent->bytes, theirs, DART_TYPE_BYTE, DART_TYPE_BYTE));
  RUN_OK(c.unit, op, dart_flush(gptr));
  run_poison(thread, sent);
  RUN_OK(c.unit, op, dart_barrier(c.team));
  gptr.unitid = c.mine;
  RUN_OK(c.unit, op, dart_gptr_getaddr(gptr, &own));
  give(&c, left, 0, expected, mine);
  run_compare(c.unit, op, "new memory", own, expected, NULL, mine);
  free(expected);
  RUN_OK(c.unit, op, dart_barrier(c.team));
  end_memory(&c, gptr, block);
}
