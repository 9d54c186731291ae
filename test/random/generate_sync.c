/* Draws what makes actors wait for one another. */
#include <dash/dart/if/dart_types.h>

#include "generate.h"
#include "value.h"

static int draw_counter(generator_t *g)
{
  return draw_alive(g, g->scene->counter, COUNTERS_MAX, sizeof g->scene->counter[0]);
}

static int draw_any_team(generator_t *g)
{
  if (draw_chance(&g->draw, 40))
    return 0;
  return draw_alive(g, g->scene->team, TEAMS_MAX, sizeof g->scene->team[0]);
}

/* ---- notifications ------------------------------------------------------------------------- */

/* How the counter grows: it is added to, or set by an operator of which that is the result. */
static void draw_growth(generator_t *g, op_t *op)
{
  static const int opers[] = { DART_OP_REPLACE, DART_OP_REPLACE, DART_OP_MAX, DART_OP_SUM,
                               DART_OP_BOR,     DART_OP_BXOR,    DART_OP_PROD };
  uint64_t         count   = g->scene->counter[op->counter].count;
  size_t           more    = draw_log(&g->draw, 1, 1000);

  op->value = draw_log(&g->draw, 1, 5);
  if (draw_chance(&g->draw, 60))
    return;
  op->oper = opers[draw_below(&g->draw, sizeof opers / sizeof opers[0])];
  if (op->oper == DART_OP_REPLACE || op->oper == DART_OP_MAX)
    op->value = count + more;
  else if (op->oper != DART_OP_PROD)
    op->value = more;
}

void generate_notify(generator_t *g)
{
  op_t     op = op_new(NOTIFY);
  uint64_t size;

  op.counter = draw_counter(g);
  if (op.counter < 0)
    return;
  draw_actor(g, &op);
  if (!draw_portion(g, op.unit, 0, &op.seg, &op.to))
    return;
  op.to = g->scene->counter[op.counter].unit;
  size  = scene_size(g->scene, op.seg, op.to);
  draw_layouts(g, &op, size);
  op.at = draw_below(&g->draw, size - op_extent(&op) + 1);
  draw_growth(g, &op);
  if (draw_chance(&g->draw, 15))
    generate_order(g, &op);
  op.shift = (int)draw_below(&g->draw, 3);
  if (generate_hard(g, &op) && g->nrecent < RECENT_MAX)
    g->recent[g->nrecent++] = op;
}

/* Who knows that data were read overwrites them; who knows that they have come looks at them where they are. */
static void use_what_was_got(generator_t *g, const op_t *await, const op_t *old)
{
  op_t op = op_new(await->unit == old->to && draw_chance(&g->draw, 50) ? STORE : PUT_BLOCKING);

  op.unit   = await->unit;
  op.thread = await->thread;
  op.seg    = old->seg;
  op.to     = old->to;
  op.at     = old->at;
  op.n      = op.kind == STORE ? op_extent(old) : old->n;
  op.local = op.remote = old->remote;
  generate(g, &op);
  if (old->here < 0)
    return;
  op.kind  = await->unit == old->unit ? LOAD : GET_BLOCKING;
  op.seg   = old->here;
  op.to    = old->unit;
  op.at    = old->here_at;
  op.n     = op.kind == LOAD ? layout_span(&old->local, old->n) : old->n;
  op.local = op.remote = old->local;
  generate(g, &op);
}

/* Who waited looks at the data, right then. */
static void look_at_data(generator_t *g, const op_t *await)
{
  for (size_t i = 0; i < g->nrecent; i++) {
    const op_t *old = &g->recent[i];
    op_t        op  = op_new(draw_chance(&g->draw, 50) ? LOAD : GET_BLOCKING);

    if (!op_raises(old) || old->counter != await->counter || draw_chance(&g->draw, 30))
      continue;
    if (old->kind == GET_NOTIFY) {
      use_what_was_got(g, await, old);
      continue;
    }
    op.unit   = await->unit;
    op.thread = await->thread;
    op.seg    = old->seg;
    op.to     = old->to;
    op.at     = old->at;
    op.n      = op.kind == LOAD ? op_extent(old) : old->n;
    op.local = op.remote = old->remote;
    generate(g, &op);
  }
}

static void await_counter(generator_t *g, int counter)
{
  op_t op = op_new(AWAIT);

  op.counter = counter;
  draw_actor(g, &op);
  op.how = (int)draw_range(&g->draw, AWAIT_WAIT, AWAIT_WORD);
  if (op.how != AWAIT_FETCH)
    op.unit = g->scene->counter[op.counter].unit;
  if (generate(g, &op))
    look_at_data(g, &op);
}

void generate_await(generator_t *g)
{
  int counter = draw_counter(g);

  if (counter >= 0)
    await_counter(g, counter);
}

/* The counter is the actor's, that of the data's unit, or anybody's. */
void generate_get_notify(generator_t *g)
{
  op_t     op    = op_new(GET_NOTIFY);
  size_t   whose = draw_below(&g->draw, 10);
  uint64_t size;

  op.counter = draw_counter(g);
  if (op.counter < 0)
    return;
  draw_actor(g, &op);
  if (whose < 5)
    op.unit = g->scene->counter[op.counter].unit;
  if (!draw_portion(g, op.unit, 0, &op.seg, &op.to))
    return;
  if (whose >= 5 && whose < 9)
    op.to = g->scene->counter[op.counter].unit;
  size = scene_size(g->scene, op.seg, op.to);
  draw_layouts(g, &op, size);
  op.at    = draw_below(&g->draw, size - op_extent(&op) + 1);
  op.value = draw_log(&g->draw, 1, 5);
  if (draw_chance(&g->draw, 10))
    draw_growth(g, &op);
  if (draw_chance(&g->draw, 15))
    generate_order(g, &op);
  draw_here(g, &op);
  if (!generate_hard(g, &op))
    return;
  if (g->nrecent < RECENT_MAX)
    g->recent[g->nrecent++] = op;
  if (draw_chance(&g->draw, 50))
    await_counter(g, op.counter);
}

/* ---- flags ----------------------------------------------------------------------------------- */

static void raise_flag(generator_t *g, op_t *op, int type)
{
  size_t size = type_size(type);

  draw_actor(g, op);
  if (!draw_portion(g, op->unit, size, &op->seg, &op->to))
    return;
  op->at    = draw_below(&g->draw, scene_size(g->scene, op->seg, op->to) / size) * size;
  op->n     = 1;
  op->local = op->remote = (layout_t){ .basic = type };
  op->type               = type;
  op->oper               = DART_OP_REPLACE;
}

/* By a loop, or, where the flag is its own, by waiting. */
static void draw_poll(generator_t *g, op_t *poll, const op_t *flag)
{
  poll->seg  = flag->seg;
  poll->to   = flag->to;
  poll->at   = flag->at;
  poll->type = flag->type;
  poll->how  = (int)draw_range(&g->draw, POLL_BLOCKING, POLL_FETCH);
  if (draw_chance(&g->draw, 50)) {
    poll->unit = poll->to;
    poll->how  = (int)draw_range(&g->draw, POLL_WORD, POLL_LOOK);
  }
}

void generate_order(generator_t *g, const op_t *next)
{
  op_t op = op_new(ORDER);

  op.unit   = next->unit;
  op.thread = next->thread;
  op.seg    = next->seg;
  op.to     = next->to;
  op.at     = next->at;
  generate(g, &op);
}

/* What the actor of a flag did to its unit before, and the other may look at now. */
static void look_behind_flag(generator_t *g, const op_t *flag, const op_t *poll)
{
  for (size_t i = 0; i < g->nrecent; i++) {
    const op_t *old = &g->recent[i];
    op_t        op  = op_new(draw_chance(&g->draw, 30) ? LOAD : GET_BLOCKING);

    if (old->unit != flag->unit || old->to != flag->to || draw_chance(&g->draw, 50))
      continue;
    op.unit   = poll->unit;
    op.thread = poll->thread;
    op.seg    = old->seg;
    op.to     = old->to;
    op.at     = old->at;
    op.n      = op.kind == LOAD ? op_extent(old) : old->n;
    op.local = op.remote = old->remote;
    generate(g, &op);
  }
}

/* One actor puts a flag, another waits for it; what the first did before is then the other's. */
void generate_flag(generator_t *g)
{
  static const kind_t kinds[] = { PUT, PUT_VALUE, PUT_HANDLE, PUT_BLOCKING, ACCUMULATE, FETCH };
  static const int types[] = { DART_TYPE_INT, DART_TYPE_UINT, DART_TYPE_LONG, DART_TYPE_ULONGLONG };
  op_t             flag = op_new(kinds[draw_below(&g->draw, 6)]), poll = op_new(POLL);

  raise_flag(g, &flag, types[draw_below(&g->draw, 4)]);
  if (flag.n > 0 && draw_chance(&g->draw, 40))
    generate_order(g, &flag);
  if (flag.n == 0 || !generate_hard(g, &flag))
    return;
  draw_actor(g, &poll);
  draw_poll(g, &poll, &flag);
  if (generate(g, &poll))
    look_behind_flag(g, &flag, &poll);
  if (g->nrecent < RECENT_MAX && !op_is_atomic(&flag))
    g->recent[g->nrecent++] = flag;
}

/* ---- who told something, and stays outside of DART until it was heard ------------------------ */

static op_t meet_first(generator_t *g, const op_t *from, const op_t *to)
{
  op_t op = op_new(MESSAGE);

  op.unit        = from->unit;
  op.thread      = from->thread;
  op.peer        = to->unit;
  op.peer_thread = to->thread;
  op.local       = (layout_t){ .basic = DART_TYPE_BYTE };
  op.tag         = op.thread * THREADS_MAX + op.peer_thread;
  op.n           = draw_below(&g->draw, 2);
  return op;
}

static void hold(generator_t *g, const op_t *told, const op_t *wait)
{
  op_t op = op_new(HOLD);

  op.unit        = told->unit;
  op.thread      = told->thread;
  op.peer        = wait->unit;
  op.peer_thread = wait->thread;
  op.value       = wait->id;
  generate(g, &op);
}

/* DART may expect as much the next time. */
static void notify_in_a_burst(generator_t *g, const op_t *tell, const op_t *meet)
{
  op_t notify = *tell, wait = *meet;

  notify.n = 0;
  for (size_t n = draw_range(&g->draw, 1, 4); n > 0; n--)
    generate(g, &notify);
  generate(g, &wait);
}

static void hold_after_notification(generator_t *g)
{
  op_t tell = op_new(NOTIFY), wait = op_new(AWAIT), meet;

  tell.counter = wait.counter = draw_counter(g);
  if (tell.counter < 0)
    return;
  draw_actor(g, &tell);
  draw_actor(g, &wait);
  wait.unit = tell.to = g->scene->counter[tell.counter].unit;
  wait.how            = (int)draw_below(&g->draw, AWAIT_FETCH);
  meet                = meet_first(g, &wait, &tell);
  tell.seg            = g->scene->counter[tell.counter].seg;
  tell.local = tell.remote = (layout_t){ .basic = DART_TYPE_BYTE };
  tell.value               = 1;
  tell.n                   = draw_log(&g->draw, 0, 1024);
  tell.at                  = draw_below(&g->draw, scene_size(g->scene, tell.seg, tell.to));
  for (size_t bursts = draw_below(&g->draw, 4); bursts > 0; bursts--)
    notify_in_a_burst(g, &tell, &meet);
  if (generate(g, &meet) && generate(g, &tell) && generate(g, &wait))
    hold(g, &tell, &wait);
}

static void hold_after_flag(generator_t *g)
{
  op_t tell = op_new((kind_t)draw_range(&g->draw, PUT, PUT_BLOCKING)), wait = op_new(POLL), meet;

  if (op_is_get(&tell))
    return;
  raise_flag(g, &tell, draw_chance(&g->draw, 50) ? DART_TYPE_INT : DART_TYPE_LONG);
  draw_actor(g, &wait);
  draw_poll(g, &wait, &tell);
  wait.unit = tell.to;
  meet      = meet_first(g, &wait, &tell);
  if (tell.n == 1 && generate(g, &meet) && generate(g, &tell) && generate(g, &wait))
    hold(g, &tell, &wait);
}

void generate_hold(generator_t *g)
{
  if (draw_chance(&g->draw, 50))
    hold_after_notification(g);
  else
    hold_after_flag(g);
}

/* ---- locks ----------------------------------------------------------------------------------- */

void generate_locked(generator_t *g)
{
  op_t     op = op_new(LOCKED);
  uint64_t size;

  op.lock = draw_alive(g, g->scene->lock, LOCKS_MAX, sizeof g->scene->lock[0]);
  if (op.lock < 0)
    return;
  draw_actor(g, &op);
  if (!draw_portion(g, op.unit, 8, &op.seg, &op.to))
    return;
  size  = scene_size(g->scene, op.seg, op.to);
  op.n  = draw_log(&g->draw, 1, size / 8 < 6 ? size / 8 : 6);
  op.at = 8 * draw_below(&g->draw, size / 8 - op.n + 1);
  for (int holders = (int)draw_several(g, 1, 8); holders > 0; holders--) {
    op.how = (int)draw_below(&g->draw, 2);
    generate(g, &op);
    draw_actor(g, &op);
  }
}

/* Elements of a portion, in several runs perhaps; several actors take much the same. */
void generate_ranged(generator_t *g)
{
  op_t     op = op_new(RANGED);
  uint64_t size;

  op.range = draw_alive(g, g->scene->range, RANGES_MAX, sizeof g->scene->range[0]);
  if (op.range < 0)
    return;
  draw_actor(g, &op);
  if (!draw_portion(g, op.unit, 64, &op.seg, &op.to))
    return;
  size = scene_size(g->scene, op.seg, op.to);
  for (int holders = (int)draw_several(g, 1, 10); holders > 0; holders--) {
    op.remote = (layout_t){ .basic = DART_TYPE_LONG };
    draw_layout(g, &op.remote, true);
    op.n   = layout_instance(&op.remote) * draw_log(&g->draw, 1, 12);
    op.at  = 8 * draw_below(&g->draw, size / 8 < 64 ? size / 8 : 64);
    op.how = (int)draw_below(&g->draw, 6);
    generate(g, &op);
    draw_actor(g, &op);
  }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void draw_contents(generator_t *g, op_t *op, size_t most)
{
  size_t nbytes = draw_size(&g->draw, most);

  op->local = (layout_t){ .basic = draw_type(g) };
  if (draw_chance(&g->draw, 20))
    op->local = (layout_t){ .custom = (uint32_t)draw_range(&g->draw, 1, 60) };
  op->n = nbytes / layout_elem(&op->local);
  if (op->n == 0 && !draw_chance(&g->draw, 5))
    op->n = 1;
}

static int draw_tag(generator_t *g, int from_thread, int to_thread)
{
  size_t most = draw_chance(&g->draw, 80) ? 4 : 32767 / 16 - 8;

  return (int)draw_below(&g->draw, most) * 16 + from_thread * THREADS_MAX + to_thread;
}

void generate_message(generator_t *g)
{
  op_t op = op_new(MESSAGE);

  draw_actor(g, &op);
  op.peer        = (int)draw_below(&g->draw, (size_t)g->scene->shape.units);
  op.peer_thread = (int)draw_below(&g->draw, (size_t)g->scene->shape.threads);
  draw_contents(g, &op, g->most);
  op.value = draw_chance(&g->draw, 60) ? 0 : draw_log(&g->draw, 1, 100);
  op.shift = (int)draw_below(&g->draw, 3);
  op.tag   = draw_tag(g, op.thread, op.peer_thread);
  generate(g, &op);
}

void generate_letters(generator_t *g)
{
  op_t op = op_new(LETTERS);

  draw_actor(g, &op);
  draw_contents(g, &op, g->most / 4);
  op.value = draw_range(&g->draw, 1, 6);
  op.tag   = draw_tag(g, op.thread, op.thread);
  generate(g, &op);
}

void generate_ring(generator_t *g)
{
  op_t   op    = op_new(RING);
  size_t units = (size_t)g->scene->shape.units;
  int    thread;

  op.team = draw_any_team(g);
  thread  = scene_thread(g->scene, op.team);
  draw_contents(g, &op, g->most / 2);
  op.shift = (int)draw_below(&g->draw, units > UNITS_SMALL ? units : UNITS_SMALL);
  op.value = draw_below(&g->draw, 5);
  op.tag   = draw_tag(g, thread, thread);
  generate(g, &op);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void draw_reduction(generator_t *g, op_t *op)
{
  op->type = draw_type(g);
  do
    op->oper = (int)draw_range(&g->draw, DART_OP_MIN, DART_OP_LXOR);
  while (!value_has_reduction(op->type, op->oper));
  if (draw_chance(&g->draw, 20))
    op->oper = draw_chance(&g->draw, 50) ? OPER_AFFINE : OPER_MERGE;
  op->n = draw_size(&g->draw, g->most < 40 << 10 ? g->most : 40 << 10) / 16 * 2;
  if (draw_chance(&g->draw, 30) && op->oper != DART_OP_MINMAX)
    op->n++;
  op->how = draw_chance(&g->draw, 70) ? APART : IN_PLACE_SAME;
}

/* Now and then what is received is in everyone's own portion. */
static void draw_portions(generator_t *g, op_t *op, int members)
{
  int      unit = scene_unit(g->scene, op->team, 0), to;
  uint64_t nbytes;

  if (!draw_chance(&g->draw, 25) || !draw_portion(g, unit, 8, &op->here, &to))
    return;
  nbytes = scene_size(g->scene, op->here, unit);
  while (op->n > 0 && op_received(members, op) > nbytes)
    op->n /= 2;
  op->here_at = draw_below(&g->draw, nbytes - op_received(members, op) + 1);
}

void generate_collective(generator_t *g)
{
  op_t   op = op_new((kind_t)draw_range(&g->draw, BARRIER, ALLREDUCE));
  size_t members;

  op.team  = draw_any_team(g);
  members  = (size_t)scene_members(g->scene, op.team);
  op.root  = (int)draw_below(&g->draw, members);
  op.shift = (int)draw_below(&g->draw, 3);
  if (op.kind == REDUCE || op.kind == ALLREDUCE)
    draw_reduction(g, &op);
  else {
    draw_contents(g, &op, g->most / members);
    op.how = (int)draw_below(&g->draw, 3);
    if (op_has(&op, HAS_HERE))
      draw_portions(g, &op, (int)members);
  }
  for (int unit = 0; unit < g->scene->shape.units; unit++)
    op.sizes[unit] = (int64_t)(draw_chance(&g->draw, 20) ? 0 : draw_log(&g->draw, 0, op.n));
  generate(g, &op);
}

void generate_churn(generator_t *g)
{
  op_t op = op_new(CHURN);

  op.team  = draw_any_team(g);
  op.n     = draw_size(&g->draw, g->most);
  op.value = draw_below(&g->draw, 2);
  generate(g, &op);
}

/* Some time outside of DART. */
void generate_pause(generator_t *g)
{
  op_t op = op_new(PAUSE);

  draw_actor(g, &op);
  op.value = draw_log(&g->draw, 1, 3000);
  generate(g, &op);
}
