/* Draws what comes and goes between rounds. */
#include <dash/dart/if/dart_types.h>

#include "generate.h"
#include "value.h"

int draw_free(const void *array, int n, size_t size)
{
  for (int i = 0; i < n; i++)
    if (!*(const bool *)((const char *)array + (size_t)i * size))
      return i;
  return -1;
}

int draw_alive(generator_t *g, const void *array, int n, size_t size)
{
  int start = (int)draw_below(&g->draw, (size_t)n);

  for (int i = 0; i < n; i++) {
    int k = (start + i) % n;

    if (*(const bool *)((const char *)array + (size_t)k * size))
      return k;
  }
  return -1;
}

#define FREE_ONE(what, most)  draw_free(g->scene->what, most, sizeof g->scene->what[0])
#define ALIVE_ONE(what, most) draw_alive(g, g->scene->what, most, sizeof g->scene->what[0])

/* DART_TEAM_ALL more often than others. */
static int draw_team(generator_t *g)
{
  return draw_chance(&g->draw, 50) ? 0 : ALIVE_ONE(team, TEAMS_MAX);
}

/* ---- teams --------------------------------------------------------------------------------- */

static void new_team(generator_t *g)
{
  op_t op = op_new(draw_chance(&g->draw, 70) ? TEAM : CLONE);

  op.team  = FREE_ONE(team, TEAMS_MAX);
  op.of    = draw_team(g);
  op.units = draw_bits(&g->draw) & g->scene->team[op.of].members;
  op.how   = (int)draw_below(&g->draw, 2);
  generate(g, &op);
}

static void end_team(generator_t *g)
{
  op_t op = op_new(END_TEAM);

  op.team = ALIVE_ONE(team, TEAMS_MAX);
  generate(g, &op);
}

/* ---- segments ------------------------------------------------------------------------------ */

/* How large portions may be: mostly small, for then operations meet. */
static size_t draw_small_size(generator_t *g)
{
  size_t pick = draw_below(&g->draw, 100);

  if (pick < 10)
    return draw_log(&g->draw, 1, 300);
  if (pick < 50)
    return draw_log(&g->draw, 300, 8 << 10);
  if (pick < 85 || g->most < 64 << 10)
    return draw_log(&g->draw, 1 << 10, 64 << 10);
  return draw_log(&g->draw, 64 << 10, 400 << 10);
}

/* All portions of a large job together are as large as those of 8 units. */
static size_t draw_portion_size(generator_t *g)
{
  size_t size = draw_small_size(g);

  return (size + generate_more(g, 1) - 1) / generate_more(g, 1);
}

/* Portions: all the same, or each of its own size, some empty. */
static void draw_sizes(generator_t *g, op_t *op, size_t most, size_t elem)
{
  bool   equal = draw_chance(&g->draw, 50);
  size_t size  = most / elem * elem;

  for (int unit = 0; unit < g->scene->shape.units; unit++) {
    if (!equal)
      size = draw_chance(&g->draw, 20) ? 0 : draw_log(&g->draw, 0, most) / elem * elem;
    op->sizes[unit] = (int64_t)size;
  }
}

static void new_allocated(generator_t *g)
{
  op_t op = op_new(ALLOC);

  op.seg  = FREE_ONE(segment, SEGMENTS_MAX);
  op.team = draw_team(g);
  op.type = draw_type(g);
  op.how  = draw_chance(&g->draw, 80) ? ALLOC_FILLED : ALLOC_RAW;
  draw_sizes(g, &op, draw_portion_size(g), type_size(op.type));
  generate(g, &op);
}

/* Memory of the program, or some that has a name already. */
static void new_registered(generator_t *g)
{
  op_t op = op_new(REGISTER);

  op.seg  = FREE_ONE(segment, SEGMENTS_MAX);
  op.team = draw_team(g);
  op.type = draw_type(g);
  op.how  = draw_chance(&g->draw, 75) ? REGISTER_EACH : REGISTER_ALIGNED;
  if (draw_chance(&g->draw, 25))
    op.here = ALIVE_ONE(segment, SEGMENTS_MAX);
  if (op.here >= 0)
    op.here_at = 8 * draw_below(&g->draw, 20);
  else if (draw_chance(&g->draw, 40))
    op.shift = (int)draw_below(&g->draw, 16);
  draw_sizes(g, &op, op.here >= 0 ? draw_log(&g->draw, 16, 1024) : draw_portion_size(g),
             type_size(op.type));
  for (int unit = 1; op.how == REGISTER_ALIGNED && unit < g->scene->shape.units; unit++)
    op.sizes[unit] = op.sizes[0];
  generate(g, &op);
}

static void new_pool_block(generator_t *g)
{
  op_t op = op_new(POOL);

  op.seg = FREE_ONE(segment, SEGMENTS_MAX);
  draw_sizes(g, &op, draw_log(&g->draw, 1, 40 << 10), 1);
  generate(g, &op);
}

static void new_allocator(generator_t *g)
{
  op_t op = op_new(ALLOCATOR);

  op.allocator = FREE_ONE(allocator, ALLOCATORS_MAX);
  op.team      = draw_team(g);
  op.n         = draw_log(&g->draw, 512, 128 << 10);
  generate(g, &op);
}

static void new_allocator_block(generator_t *g)
{
  op_t op = op_new(BLOCK);

  op.seg       = FREE_ONE(segment, SEGMENTS_MAX);
  op.allocator = ALIVE_ONE(allocator, ALLOCATORS_MAX);
  if (op.allocator < 0)
    return;
  draw_sizes(g, &op, draw_log(&g->draw, 1, (size_t)g->scene->allocator[op.allocator].nbytes / 16),
             1);
  generate(g, &op);
}

static void end_segment(generator_t *g)
{
  static const kind_t ends[] = {
    [SEGMENT_ALLOCATED]  = FREE,
    [SEGMENT_REGISTERED] = DEREGISTER,
    [SEGMENT_POOL]       = END_POOL,
    [SEGMENT_BLOCK]      = END_BLOCK,
  };
  int  seg = ALIVE_ONE(segment, SEGMENTS_MAX);
  op_t op;

  if (seg < 0)
    return;
  op       = op_new(ends[g->scene->segment[seg].kind]);
  op.seg   = seg;
  op.units = g->scene->team[g->scene->segment[seg].team].members & ~g->scene->segment[seg].gone;
  if (draw_chance(&g->draw, 50)) /* of registered memory some, and the others later */
    op.units &= draw_bits(&g->draw);
  generate(g, &op);
}

static void end_allocator(generator_t *g)
{
  op_t op = op_new(END_ALLOCATOR);

  op.allocator = ALIVE_ONE(allocator, ALLOCATORS_MAX);
  generate(g, &op);
}

/* ---- locks, words -------------------------------------------------------------------------- */

static void new_lock(generator_t *g)
{
  op_t op = op_new(LOCK);

  op.lock = FREE_ONE(lock, LOCKS_MAX);
  op.team = draw_team(g);
  generate(g, &op);
}

static void end_lock(generator_t *g)
{
  op_t op = op_new(END_LOCK);

  op.lock = ALIVE_ONE(lock, LOCKS_MAX);
  generate(g, &op);
}

/* Few numbers to a stripe, so that calls cross them, or many. */
static void new_range(generator_t *g)
{
  op_t op = op_new(RANGE);

  op.range = FREE_ONE(range, RANGES_MAX);
  op.team  = draw_team(g);
  op.n     = draw_log(&g->draw, 1, 1 << 20);
  generate(g, &op);
}

static void end_range(generator_t *g)
{
  op_t op = op_new(END_RANGE);

  op.range = ALIVE_ONE(range, RANGES_MAX);
  generate(g, &op);
}

/* A place for an element of `size` bytes, wherever it is. */
static bool draw_cell(generator_t *g, op_t *op, size_t size)
{
  int unit = (int)draw_below(&g->draw, (size_t)g->scene->shape.units);

  if (!draw_portion(g, unit, size, &op->seg, &op->to))
    return false;
  op->at = draw_below(&g->draw, scene_size(g->scene, op->seg, op->to) / size) * size;
  return true;
}

static void new_counter(generator_t *g)
{
  op_t op = op_new(COUNTER);

  op.counter = FREE_ONE(counter, COUNTERS_MAX);
  if (op.counter >= 0 && draw_cell(g, &op, 8))
    generate(g, &op);
}

static void new_lock_at(generator_t *g)
{
  op_t op = op_new(LOCK_AT);

  op.lock = FREE_ONE(lock, LOCKS_MAX);
  if (op.lock >= 0 && draw_cell(g, &op, 8))
    generate(g, &op);
}

static void new_word(generator_t *g)
{
  op_t op = op_new(WORD);

  op.word = FREE_ONE(word, WORDS_MAX);
  op.type = draw_type(g);
  op.how  = draw_chance(&g->draw, 40) ? WORD_FIELDS : (int)draw_below(&g->draw, 5);
  if (op.word >= 0 && draw_cell(g, &op, type_size(op.type)))
    generate(g, &op);
}

/* ---- one of them --------------------------------------------------------------------------- */

static void restart(generator_t *g)
{
  op_t op = op_new(RESTART);

  if (draw_chance(&g->draw, 50))
    generate(g, &op);
}

void generate_object(generator_t *g)
{
  static const struct {
    generate_t *generate;
    size_t      weight;
  } objects[] = {
    { new_team, 12 },
    { end_team, 7 },
    { new_allocated, 24 },
    { new_registered, 12 },
    { new_pool_block, 8 },
    { new_allocator, 4 },
    { end_allocator, 2 },
    { new_allocator_block, 8 },
    { end_segment, 13 },
    { new_lock, 4 },
    { new_lock_at, 12 },
    { end_lock, 3 },
    { new_counter, 10 },
    { new_word, 16 },
    { restart, 1 },
    { new_range, 5 },
    { end_range, 2 },
    { generate_new_file, 7 },
    { generate_change_file, 12 },
  };
  size_t sum = 0, pick;

  if (g->id == 0) { /* the first of all: there must be memory */
    new_allocated(g);
    return;
  }
  for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
    sum += objects[i].weight;
  pick = draw_below(&g->draw, sum);
  for (size_t i = 0;; i++) {
    if (pick < objects[i].weight) {
      objects[i].generate(g);
      return;
    }
    pick -= objects[i].weight;
  }
}
