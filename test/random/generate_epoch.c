/* Draws epochs, and what is done in them alone. */
#include "generate.h"

static int draw_segment(generator_t *g)
{
  return draw_alive(g, g->scene->segment, SEGMENTS_MAX, sizeof g->scene->segment[0]);
}

/* Most of those that there can be, or few. */
static void draw_pairs(generator_t *g, int team, uint64_t pairs[UNITS_MAX])
{
  unsigned percent = draw_chance(&g->draw, 70) ? 75 : 25;

  for (int i = 0; i < g->scene->shape.units; i++)
    for (int j = 0; j < g->scene->shape.units; j++)
      if (scene_team_id(g->scene, team, i) >= 0 && scene_team_id(g->scene, team, j) >= 0 &&
          draw_chance(&g->draw, percent))
        pairs[i] |= unit_set(j);
}

void generate_epoch(generator_t *g)
{
  op_t op = op_new(EPOCH);

  op.seg = draw_segment(g);
  op.how = (int)draw_below(&g->draw, 5);
  if (op.seg < 0)
    return;
  if (op.how == EPOCH_PSCW || op.how == EPOCH_LOCK)
    draw_pairs(g, g->scene->segment[op.seg].team, op.pairs);
  generate(g, &op);
}

/* A segment that has an epoch of a kind; -1: there is none, or none was found. */
static int draw_in_epoch(generator_t *g, int how)
{
  int start = (int)draw_below(&g->draw, SEGMENTS_MAX);

  for (int i = 0; i < SEGMENTS_MAX; i++) {
    int seg = (start + i) % SEGMENTS_MAX;

    if (g->scene->segment[seg].alive &&
        (how < 0 ? g->scene->segment[seg].epoch != 0 : g->scene->segment[seg].epoch == 1 + how))
      return seg;
  }
  return -1;
}

void generate_fence(generator_t *g)
{
  op_t op = op_new(FENCE);

  op.seg = draw_in_epoch(g, EPOCH_FENCE);
  if (op.seg < 0)
    return;
  op.team = g->scene->segment[op.seg].team;
  op.how  = draw_chance(&g->draw, 60) ? FENCE_PLAIN : (int)draw_below(&g->draw, 3);
  generate(g, &op);
}

static bool draw_place(generator_t *g, op_t *op)
{
  draw_actor(g, op);
  op->to = draw_member(&g->draw, g->scene->team[g->scene->segment[op->seg].team].members);
  return scene_size(g->scene, op->seg, op->to) >= 8;
}

void generate_section(generator_t *g)
{
  op_t   op = op_new(SECTION);
  size_t words;

  op.seg = draw_in_epoch(g, EPOCH_SECTIONS);
  for (int holders = op.seg < 0 ? 0 : (int)draw_several(g, 1, 10); holders > 0; holders--) {
    if (!draw_place(g, &op))
      continue;
    words  = scene_size(g->scene, op.seg, op.to) / 8;
    op.n   = draw_log(&g->draw, 1, words < 32 ? words : 32);
    op.at  = 8 * draw_below(&g->draw, words - op.n + 1 < 32 ? words - op.n + 1 : 32);
    op.how = (int)draw_below(&g->draw, 5);
    generate(g, &op);
  }
}

void generate_refused(generator_t *g)
{
  op_t op = op_new(REFUSED);

  op.seg = draw_in_epoch(g, -1);
  if (op.seg < 0 || !draw_place(g, &op))
    return;
  op.how = (int)draw_below(&g->draw, 7);
  generate(g, &op);
}
