/* Draws transfers, atomics, and what completes them. */
#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

#include "generate.h"
#include "value.h"

enum { FEW = 600 }; /* bytes */

/* ---- draws --------------------------------------------------------------------------------- */

void draw_actor(generator_t *g, op_t *op)
{
  op->unit   = (int)draw_below(&g->draw, (size_t)g->scene->shape.units);
  op->thread = (int)draw_below(&g->draw, (size_t)g->scene->shape.threads);
}

int draw_type(generator_t *g)
{
  int type = (int)draw_range(&g->draw, DART_TYPE_BYTE, DART_TYPE_BASIC_END - 2);

  return type < DART_TYPE_LAST ? type : type + 1;
}

int draw_oper(generator_t *g, int type)
{
  int oper;

  do
    oper = (int)draw_range(&g->draw, DART_OP_MIN, DART_OP_NO_OP);
  while (!value_has_atomic(type, oper));
  return oper;
}

bool draw_portion(generator_t *g, int actor_unit, uint64_t least, int *seg_out, int *to_out)
{
  const scene_t *scene = g->scene;

  for (int tries = 0; tries < 8; tries++) {
    int seg = draw_alive(g, scene->segment, SEGMENTS_MAX, sizeof scene->segment[0]);
    int to;

    if (seg < 0 || scene_team_id(scene, scene->segment[seg].team, actor_unit) < 0)
      continue;
    to = draw_member(&g->draw, scene->team[scene->segment[seg].team].members);
    if (scene_size(scene, seg, to) < least)
      continue;
    *seg_out = seg;
    *to_out  = to;
    return true;
  }
  return false;
}

/* ---- layouts ------------------------------------------------------------------------------- */

/* Blocks one after the other with gaps, then in any order; `may_overlap`: anywhere. */
static void draw_blocks(generator_t *g, layout_t *layout, bool may_overlap)
{
  uint32_t end  = (uint32_t)draw_below(&g->draw, 4);
  size_t   most = draw_chance(&g->draw, 80) ? 5 : 20; /* elements of a block */

  layout->nblocks = (uint32_t)draw_range(&g->draw, 1, LAYOUT_BLOCKS_MAX);
  for (uint32_t i = 0; i < layout->nblocks; i++) {
    layout->len[i] = (uint32_t)(draw_chance(&g->draw, 10) ? 0 : draw_log(&g->draw, 1, most));
    layout->off[i] =
        may_overlap ? (uint32_t)draw_below(&g->draw, 20) : end + (uint32_t)draw_below(&g->draw, 5);
    end = layout->off[i] + layout->len[i];
  }
  for (uint32_t i = layout->nblocks - 1; i > 0; i--) {
    uint32_t j   = (uint32_t)draw_below(&g->draw, i + 1);
    uint32_t len = layout->len[i], off = layout->off[i];

    layout->len[i] = layout->len[j];
    layout->off[i] = layout->off[j];
    layout->len[j] = len;
    layout->off[j] = off;
  }
  if (layout_instance(layout) == 0)
    layout->len[0] = 1;
}

void draw_layout(generator_t *g, layout_t *layout, bool is_written)
{
  size_t pick = draw_below(&g->draw, 100);

  if (pick < 55)
    return;
  if (pick < 80) {
    layout->kind     = LAYOUT_STRIDED;
    layout->blocklen = (uint32_t)draw_log(&g->draw, 1, draw_chance(&g->draw, 80) ? 6 : 40);
    layout->stride   = layout->blocklen + (uint32_t)draw_log(&g->draw, 0, 12);
    return;
  }
  layout->kind = LAYOUT_INDEXED;
  draw_blocks(g, layout, !is_written && draw_chance(&g->draw, 20));
}

static void draw_base(generator_t *g, layout_t *layout)
{
  static const uint32_t customs[] = { 1, 2, 3, 7, 8, 12, 16, 24, 40, 100 };

  if (draw_chance(&g->draw, 75))
    layout->basic = draw_type(g);
  else
    layout->custom = customs[draw_below(&g->draw, sizeof customs / sizeof customs[0])];
}

/* The least number of elements that both sides have whole instances of, of which others are multiples. */
static size_t common(const layout_t *a, const layout_t *b)
{
  size_t m = layout_instance(a), n = layout_instance(b), x = m, y = n;

  if (a->kind == LAYOUT_RUN && b->kind == LAYOUT_RUN)
    return 1;
  while (y != 0) {
    size_t rest = x % y;

    x = y;
    y = rest;
  }
  return m / x * n;
}

/* Elements for so many bytes, or what fits. */
static size_t fitting(const op_t *op, size_t nbytes, uint64_t room)
{
  size_t step = common(&op->local, &op->remote), n = nbytes / layout_elem(&op->local) / step;

  if (n == 0 && nbytes > 0)
    n = 1;
  while (n > 0 &&
         (layout_span(&op->remote, n * step) > room || layout_span(&op->local, n * step) > 1 << 20))
    n /= 2;
  return n * step;
}

void draw_layouts(generator_t *g, op_t *op, uint64_t room)
{
  bool   is_put = op_is_put(op);
  size_t most   = g->left < FEW ? FEW : g->left; /* there is always room for little ones */
  size_t nbytes = draw_size(&g->draw, g->most < most ? g->most : most);

  draw_base(g, &op->local);
  op->remote = op->local;
  draw_layout(g, &op->local, !is_put);
  draw_layout(g, &op->remote, is_put);
  if (op->local.custom == 1 && draw_chance(&g->draw, 50)) {
    op->local.custom = 0;
    op->local.basic  = DART_TYPE_BYTE;
  }
  if (nbytes > room && draw_chance(&g->draw, 50))
    nbytes = (size_t)room;
  op->n = fitting(op, nbytes, room);
  if (op->n == 0 && !draw_chance(&g->draw, 3)) { /* nothing at all is rare */
    if (draw_chance(&g->draw, 50))
      op->local.kind = LAYOUT_RUN;
    else
      op->remote.kind = LAYOUT_RUN;
    op->n = fitting(op, nbytes, room);
  }
  if (op->n == 0 && !draw_chance(&g->draw, 3)) {
    op->local.kind = op->remote.kind = LAYOUT_RUN;
    op->n                            = fitting(op, nbytes < room ? nbytes : room, room);
    op->n += op->n == 0 && room >= layout_elem(&op->local);
  }
  g->left -= op->n * layout_elem(&op->local) < g->left ? op->n * layout_elem(&op->local) : g->left;
}

/* Somewhere in a portion: at its start, its end, aligned, or odd. */
static uint64_t draw_offset(generator_t *g, uint64_t most, size_t elem)
{
  switch (draw_below(&g->draw, 5)) {
  case 0: return 0;
  case 1: return most;
  case 2: return draw_below(&g->draw, most / elem + 1) * elem;
  default: return draw_below(&g->draw, most + 1);
  }
}

/* ---- transfers ------------------------------------------------------------------------------- */

static void remember(generator_t *g, const op_t *op)
{
  g->recent[g->nrecent < RECENT_MAX ? g->nrecent : draw_below(&g->draw, RECENT_MAX)] = *op;
  if (g->nrecent < RECENT_MAX)
    g->nrecent++;
}

static bool fresh_place(generator_t *g, op_t *op)
{
  uint64_t size;

  if (!draw_portion(g, op->unit, !draw_chance(&g->draw, 3), &op->seg, &op->to))
    return false;
  size = scene_size(g->scene, op->seg, op->to);
  draw_layouts(g, op, size);
  op->at = draw_offset(g, size - op_extent(op), layout_elem(&op->remote));
  return true;
}

/* The place of an operation before: with other layouts, by the same, or by one that leaves out what that
 * took. */
static bool known_place(generator_t *g, op_t *op)
{
  const op_t *old = g->nrecent > 0 ? &g->recent[draw_below(&g->draw, g->nrecent)] : NULL;
  uint64_t    size;

  if (old == NULL)
    return false;
  op->seg = old->seg;
  op->to  = old->to;
  op->at  = old->at;
  size    = scene_size(g->scene, op->seg, op->to);
  if (draw_chance(&g->draw, 40) && op->at < size) {
    draw_layouts(g, op, size - op->at);
    return true;
  }
  op->n      = old->n;
  op->remote = op->local = old->remote;
  if (op->remote.kind == LAYOUT_STRIDED && op->remote.stride >= 2 * op->remote.blocklen &&
      draw_chance(&g->draw, 50))
    op->at += op->remote.blocklen * layout_elem(&op->remote);
  if (draw_chance(&g->draw, 50))
    op->local.kind = LAYOUT_RUN;
  return true;
}

void draw_here(generator_t *g, op_t *op)
{
  uint64_t span = layout_span(&op->local, op->n);
  int      to;

  op->shift = draw_chance(&g->draw, 50) ? 0 : (int)draw_below(&g->draw, 16);
  if (!draw_chance(&g->draw, 15) || !draw_portion(g, op->unit, span, &op->here, &to))
    return;
  if (scene_size(g->scene, op->here, op->unit) < span)
    op->here = -1;
  else
    op->here_at = draw_below(&g->draw, scene_size(g->scene, op->here, op->unit) - span + 1);
}

/* The inline forms do without a call where it is one element, or a few: see run_inline.c. */
static void draw_form(generator_t *g, op_t *op)
{
  static const uint64_t few[] = { 1, 1, 1, 2, 4, 9, 16, 31, 64 };
  uint64_t              n     = few[draw_below(&g->draw, sizeof few / sizeof few[0])];

  op->is_inline = draw_chance(&g->draw, 40);
  if (!op->is_inline || draw_chance(&g->draw, 30) || n > op->n)
    return;
  op->local.kind = op->remote.kind = LAYOUT_RUN;
  op->n                            = n;
  if (draw_chance(&g->draw, 70) && layout_elem(&op->remote) > 0)
    op->at -= op->at % layout_elem(&op->remote);
}

void generate_transfer(generator_t *g)
{
  op_t op = op_new((kind_t)draw_range(&g->draw, PUT, GET_BLOCKING));

  draw_actor(g, &op);
  if (!(draw_chance(&g->draw, 30) && known_place(g, &op)) && !fresh_place(g, &op))
    return;
  draw_form(g, &op);
  draw_here(g, &op);
  if (generate_hard(g, &op) && op.n > 0)
    remember(g, &op);
}

/* One element, by value. */
void generate_value(generator_t *g)
{
  op_t   op = op_new(PUT_VALUE);
  int    type;
  size_t size;

  draw_actor(g, &op);
  type     = draw_type(g);
  size     = type_size(type);
  op.local = op.remote = (layout_t){ .basic = type };
  op.n                 = 1;
  if (!draw_portion(g, op.unit, size, &op.seg, &op.to))
    return;
  op.at = draw_offset(g, scene_size(g->scene, op.seg, op.to) - size, size);
  if (generate_hard(g, &op))
    remember(g, &op);
}

/* Plain loads and stores: of this unit's portion, or of whatever is near. */
void generate_access(generator_t *g)
{
  op_t op = op_new(draw_chance(&g->draw, 50) ? STORE : LOAD);

  draw_actor(g, &op);
  if (!(draw_chance(&g->draw, 50) && known_place(g, &op)) && !fresh_place(g, &op))
    return;
  op.n = layout_span(&op.remote, op.n);
  if (draw_chance(&g->draw, 60) && scene_size(g->scene, op.seg, op.unit) >= op.at + op.n)
    op.to = op.unit;
  generate_hard(g, &op);
}

/* ---- atomics --------------------------------------------------------------------------------- */

void generate_atomic(generator_t *g)
{
  op_t     op   = op_new((kind_t)draw_range(&g->draw, ACCUMULATE, SWAP));
  int      type = draw_type(g);
  size_t   size = type_size(type);
  uint64_t room;
  bool     again = draw_chance(&g->draw, 60);

  draw_actor(g, &op);
  if (again && g->nrecent > 0) { /* atomics on a word of another, to mix them */
    const op_t *old = &g->recent[draw_below(&g->draw, g->nrecent)];

    op.seg = old->seg;
    op.to  = old->to;
    op.at  = old->at;
    if (op_is_atomic(old)) {
      type = old->type;
      size = type_size(type);
    }
  } else if (!draw_portion(g, op.unit, size, &op.seg, &op.to))
    return;
  room = scene_size(g->scene, op.seg, op.to);
  if (room < size)
    return;
  if (!again)
    op.at = draw_below(&g->draw, room / size) * size;
  op.type  = type;
  op.oper  = draw_oper(g, type);
  op.how   = (int)draw_below(&g->draw, 2);
  op.local = op.remote = (layout_t){ .basic = type }; /* for who comes back here */
  op.n                 = 1;
  op.is_inline         = op_has(&op, HAS_FORM) && draw_chance(&g->draw, 50);
  if (op.kind <= ACCUMULATE_LOCAL && op.at < room)
    op.n = draw_log(&g->draw, 0, (room - op.at) / size < 20000 ? (room - op.at) / size : 20000);
  if (op.at + size <= room && generate_hard(g, &op) && op.n > 0)
    remember(g, &op);
}

/* Another stream of the one before, in a portion that may be another unit's. */
static bool next_stream(generator_t *g, op_t *op, size_t least, size_t most)
{
  size_t   size = type_size(op->type);
  uint64_t room;

  if (draw_chance(&g->draw, 70))
    op->to = draw_member(&g->draw, g->scene->team[g->scene->segment[op->seg].team].members);
  room = scene_size(g->scene, op->seg, op->to) / size;
  if (room < least)
    return false;
  op->n   = draw_log(&g->draw, least, room < most ? room : most);
  op->at  = draw_below(&g->draw, room - op->n + 1) * size;
  op->how = (int)draw_below(&g->draw, 4);
  return generate_hard(g, op);
}

/* One that is long enough for DART to take it for a stream, then more of the same operator, which go on with it: to
 * this unit and that, long and short. Most of 8 bytes, for those of far units are put together. */
void generate_streams(generator_t *g)
{
  static const int types[] = { DART_TYPE_LONG, DART_TYPE_ULONG, DART_TYPE_LONGLONG,
                               DART_TYPE_DOUBLE };
  op_t             op      = op_new(STREAM);

  draw_actor(g, &op);
  op.type  = draw_chance(&g->draw, 80) ? types[draw_below(&g->draw, 4)] : draw_type(g);
  op.oper  = draw_oper(g, op.type);
  op.local = op.remote = (layout_t){ .basic = op.type };
  if (!draw_portion(g, op.unit, 40 * type_size(op.type), &op.seg, &op.to) ||
      !next_stream(g, &op, 40, 400))
    return;
  remember(g, &op);
  for (size_t more = draw_log(&g->draw, 1, 30); more > 0; more--)
    next_stream(g, &op, 1, draw_chance(&g->draw, 60) ? 3 : 200);
}

void generate_shared(generator_t *g)
{
  static const kind_t kinds[] = { ACCUMULATE, ACCUMULATE_LOCAL, FETCH, FETCH, FETCH, SWAP_LOOP };
  static const int bits[] = { DART_OP_SUM, DART_OP_SUM, DART_OP_BOR, DART_OP_BAND, DART_OP_BXOR };
  int              w      = draw_alive(g, g->scene->word, WORDS_MAX, sizeof g->scene->word[0]);
  const scene_word_t *word;
  op_t                op;
  int                 low, width;

  if (w < 0)
    return;
  word = &g->scene->word[w];
  op   = op_new(kinds[draw_below(&g->draw, sizeof kinds / sizeof kinds[0])]);
  draw_actor(g, &op);
  op.word      = w;
  op.seg       = word->seg;
  op.to        = word->unit;
  op.at        = word->at;
  op.type      = word->type;
  op.n         = 1;
  op.is_inline = op_has(&op, HAS_FORM) && draw_chance(&g->draw, 50);
  op.oper      = word->family == WORD_FIELDS ? bits[draw_below(&g->draw, 5)]
                 : word->oper != 0           ? word->oper
                                             : draw_oper(g, word->type);
  width        = scene_field(g->scene, word, actor_number(op.unit, op.thread), &low);
  op.value     = draw_below(&g->draw, (size_t)1 << width);
  if (op.oper == DART_OP_SUM && (width > 1 || g->scene->shape.units <= UNITS_SMALL))
    op.value >>= 1;
  if (op.kind == FETCH && draw_chance(&g->draw, 30))
    op.oper = DART_OP_NO_OP;
  if (word->family == WORD_TURN && word->writer >= 0 && op.oper != DART_OP_NO_OP) {
    op.unit   = actor_unit(word->writer);
    op.thread = actor_thread(word->writer);
  }
  generate(g, &op);
}

/* ---- completion ------------------------------------------------------------------------------ */

/* Handles of the actor, `first` among them, and others by chance. */
static void draw_handles(generator_t *g, op_t *op, uint32_t first)
{
  int    actor = actor_number(op->unit, op->thread);
  size_t n     = rules_pending(g->rules, actor);
  bool   has_handle;

  op->ops[op->nops++] = first;
  for (size_t i = 0; i < n && op->nops < OP_LIST_MAX; i++) {
    const op_t *other = rules_pending_op(g->rules, actor, i, &has_handle);

    if (has_handle && other->id != first && contract_is_request(other) == (op->kind == FILE_WAIT) &&
        draw_chance(&g->draw, 40))
      op->ops[op->nops++] = other->id;
  }
}

static void complete_one(generator_t *g, int actor)
{
  size_t      n = rules_pending(g->rules, actor);
  bool        has_handle;
  const op_t *p;
  op_t        op;

  if (n == 0)
    return;
  p = rules_pending_op(g->rules, actor, draw_below(&g->draw, n), &has_handle);
  if (contract_is_request(p)) {
    op     = op_new(FILE_WAIT);
    op.how = (int)draw_below(&g->draw, 2);
  } else if (has_handle && draw_chance(&g->draw, 70))
    op = op_new(
        (kind_t)draw_range(&g->draw, WAIT, draw_chance(&g->draw, 80) ? TEST_LOCAL : HANDLE_FREE));
  else
    op = op_new((kind_t)draw_range(&g->draw, FLUSH, FLUSH_LOCAL_ALL));
  op.unit   = actor_unit(actor);
  op.thread = actor_thread(actor);
  op.seg    = p->kind == NOTIFY ? g->scene->counter[p->counter].seg : p->seg;
  op.to     = p->to;
  if (op_has(&op, HAS_OPS))
    draw_handles(g, &op, p->id);
  else if (draw_chance(&g->draw, 15)) /* a flush is for all threads of a unit */
    op.thread = (int)draw_below(&g->draw, (size_t)g->scene->shape.threads);
  generate(g, &op);
}

void generate_completion(generator_t *g)
{
  op_t who = op_new(FLUSH);

  draw_actor(g, &who);
  complete_one(g, actor_number(who.unit, who.thread));
}

bool generate_hard(generator_t *g, op_t *op)
{
  for (int tries = 0; tries < 3; tries++) {
    if (generate(g, op))
      return true;
    if (draw_chance(&g->draw, 50)) /* what is under way goes on for longer */
      return false;
    if (op_has(op, HAS_TO) && draw_chance(&g->draw, 30))
      generate_order(g, op);
    else
      complete_one(g, actor_number(op->unit, op->thread));
  }
  return false;
}
