/* See schedule.h. */
#include "schedule.h"

#include "generate.h"

/* What a round is made of, and how often. */
static const struct {
  generate_t *generate;
  int         weight;
} parts[] = {
  { generate_transfer, 40 },  { generate_value, 4 },   { generate_access, 6 },
  { generate_atomic, 14 },    { generate_streams, 4 }, { generate_shared, 12 },
  { generate_completion, 8 }, { generate_notify, 8 },  { generate_await, 6 },
  { generate_flag, 5 },       { generate_locked, 4 },  { generate_message, 4 },
  { generate_ring, 2 },       { generate_letters, 1 }, { generate_collective, 5 },
  { generate_churn, 1 },      { generate_hold, 2 },    { generate_pause, 1 },
  { generate_ranged, 4 },     { generate_fence, 5 },   { generate_section, 5 },
  { generate_refused, 2 },    { generate_file, 12 },   { generate_get_notify, 8 },
};

enum {
  NPARTS       = sizeof parts / sizeof parts[0],
  LEFT_OUT     = 25,
  ROUNDS_MOST  = 9,
  ROUNDS_LARGE = 4, /* in a large job, */
  MORE_OBJECTS = 3  /* which has so many times as many objects */
};

bool generate(generator_t *g, op_t *op)
{
  op->id = g->id + 1;
  if (!rules_take(g->rules, op))
    return false;
  g->id++;
  list_add(g->list, op);
  return true;
}

size_t generate_more(const generator_t *g, size_t n)
{
  size_t units = (size_t)g->scene->shape.units;

  return units > UNITS_SMALL ? n * units / UNITS_SMALL : n;
}

size_t draw_several(generator_t *g, size_t least, size_t most)
{
  if (g->scene->shape.units > UNITS_SMALL && draw_chance(&g->draw, 10))
    most = generate_more(g, most);
  return draw_range(&g->draw, least, most);
}

static void draw_weights(generator_t *g, int weights[NPARTS])
{
  for (int i = 0; i < NPARTS; i++)
    weights[i] = draw_chance(&g->draw, LEFT_OUT) ? 0 : parts[i].weight;
  weights[0] += 1; /* never nothing at all */
}

static generate_t *draw_part(generator_t *g, const int weights[NPARTS])
{
  size_t sum = 0, pick;

  for (int i = 0; i < NPARTS; i++)
    sum += (size_t)weights[i];
  pick = draw_below(&g->draw, sum);
  for (int i = 0;; i++) {
    if (pick < (size_t)weights[i])
      return parts[i].generate;
    pick -= (size_t)weights[i];
  }
}

static void draw_round(generator_t *g, const int weights[NPARTS], bool is_first)
{
  size_t objects = is_first ? draw_range(&g->draw, 4, 14) : draw_log(&g->draw, 0, 4);
  size_t n       = draw_log(&g->draw, generate_more(g, 8), generate_more(g, 250));
  op_t   meet = op_new(MEET), round = op_new(ROUND);

  if (g->scene->shape.units > UNITS_SMALL)
    objects *= MORE_OBJECTS;
  g->left = generate_more(g, 2 << 20);
  for (size_t i = 0; i < objects; i++)
    generate_object(g);
  if (draw_chance(&g->draw, 90))
    generate(g, &meet);
  for (size_t i = draw_chance(&g->draw, 50) ? draw_range(&g->draw, 1, 4) : 0; i > 0; i--)
    generate_epoch(g);
  for (size_t i = 0; i < n; i++)
    draw_part(g, weights)(g);
  round.how = (int)draw_below(&g->draw, 3);
  generate(g, &round);
  g->nrecent = 0;
}

list_t schedule_draw(uint64_t seed, int units, int threads)
{
  list_t      list = { .shape = { units, threads, mix(seed, 5, 5) } };
  generator_t g    = { .draw = { mix(seed, (uint64_t)units, (uint64_t)threads) }, .list = &list };
  int         weights[NPARTS];
  size_t      rounds = draw_log(&g.draw, 1, units > UNITS_SMALL ? ROUNDS_LARGE : ROUNDS_MOST);

  g.rules = rules_new(list.shape);
  g.scene = rules_scene(g.rules);
  g.most  = draw_chance(&g.draw, 30) ? 300 << 10 : draw_log(&g.draw, 64, 20 << 10);
  draw_weights(&g, weights);
  for (size_t i = 0; i < rounds; i++)
    draw_round(&g, weights, i == 0);
  rules_delete(g.rules);
  return list;
}
