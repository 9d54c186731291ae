/* See scene.h. What an operation may name is in valid.c. */
#include "scene.h"

#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "value.h"

void scene_open(scene_t *scene, shape_t shape)
{
  memset(scene, 0, sizeof *scene);
  scene->shape           = shape;
  scene->team[0].alive   = true;
  scene->team[0].members = units_below(shape.units);
}

/* ---- who ----------------------------------------------------------------------------------- */

static actors_t thread_of_units(uint64_t units, int thread)
{
  actors_t actors = { { 0 } };

  actors.units[thread] = units;
  return actors;
}

actors_t scene_actors(const scene_t *scene)
{
  actors_t actors = { { 0 } };

  for (int thread = 0; thread < scene->shape.threads; thread++)
    actors.units[thread] = scene->team[0].members;
  return actors;
}

int scene_thread(const scene_t *scene, int team)
{
  return team % scene->shape.threads;
}

int scene_team(const scene_t *scene, const op_t *op)
{
  switch (op->kind) {
  case TEAM:
  case CLONE: return op->of;
  case FREE:
  case DEREGISTER:
  case END_BLOCK:
  case EPOCH:
  case COUNTER:
  case LOCK_AT:
  case WORD: return scene->segment[op->seg].team;
  case FILE_CLOSE:
  case FILE_RESIZE:
  case FILE_SYNC:
  case FILE_MODE:
  case FILE_VIEW:
  case FILE_SEEK: return scene->file[op->file].team;
  case BLOCK:
  case END_ALLOCATOR: return scene->allocator[op->allocator].team;
  case END_LOCK: return scene->lock[op->lock].team;
  case END_RANGE: return scene->range[op->range].team;
  case POOL:
  case END_POOL:
  case MEET:
  case RESTART: return 0;
  default: return op->team;
  }
}

actors_t scene_who(const scene_t *scene, const op_t *op)
{
  actors_t by = actor_set(actor_number(op->unit, op->thread));

  switch (op_kinds[op->kind].who) {
  case WHO_ACTOR: return by;
  case WHO_PAIR: actors_add(&by, actor_number(op->peer, op->peer_thread)); return by;
  case WHO_UNITS: return thread_of_units(scene->team[scene_team(scene, op)].members, 0);
  case WHO_TEAM:
    return thread_of_units(scene->team[op->team].members, scene_thread(scene, op->team));
  default: return scene_actors(scene);
  }
}

int scene_members(const scene_t *scene, int team)
{
  return __builtin_popcountll(scene->team[team].members);
}

int scene_team_id(const scene_t *scene, int team, int unit)
{
  uint64_t members = scene->team[team].members;

  if (!units_have(members, unit))
    return -1;
  return __builtin_popcountll(members & units_below(unit));
}

int scene_unit(const scene_t *scene, int team, int team_id)
{
  uint64_t members = scene->team[team].members;

  for (; team_id > 0 && members != 0; team_id--)
    members &= members - 1;
  return members == 0 ? -1 : __builtin_ctzll(members);
}

/* ---- memory -------------------------------------------------------------------------------- */

int scene_memory(const scene_t *scene, int seg, uint64_t *at)
{
  while (scene->segment[seg].alias >= 0) {
    *at += scene->segment[seg].alias_at;
    seg = scene->segment[seg].alias;
  }
  return seg;
}

uint64_t scene_size(const scene_t *scene, int seg, int unit)
{
  const scene_segment_t *segment = &scene->segment[seg];

  if (unit < 0 || unit >= scene->shape.units || units_have(segment->gone, unit) ||
      segment->sizes[unit] < 0)
    return 0;
  return (uint64_t)segment->sizes[unit];
}

bool scene_is_aligned(const scene_t *scene, int seg, uint64_t at, size_t size)
{
  seg = scene_memory(scene, seg, &at);
  return size > 0 && (at + (uint64_t)scene->segment[seg].shift) % size == 0;
}

/* Whether [at, at + nbytes) of a portion meets [there, there + size) of another name of it. */
static bool meets(const scene_t *scene, int seg, uint64_t at, uint64_t nbytes, int other,
                  uint64_t there, uint64_t size)
{
  seg   = scene_memory(scene, seg, &at);
  other = scene_memory(scene, other, &there);
  return seg == other && at < there + size && there < at + nbytes;
}

bool scene_is_reserved(const scene_t *scene, int seg, int unit, uint64_t at, uint64_t nbytes,
                       int word)
{
  for (int i = 0; i < COUNTERS_MAX; i++) {
    const scene_counter_t *c = &scene->counter[i];

    if (c->alive && c->unit == unit && meets(scene, seg, at, nbytes, c->seg, c->at, 8))
      return true;
  }
  for (int i = 0; i < LOCKS_MAX; i++) {
    const scene_lock_t *l = &scene->lock[i];

    if (l->alive && l->is_word && l->unit == unit &&
        meets(scene, seg, at, nbytes, l->seg, l->at, 8))
      return true;
  }
  for (int i = 0; i < WORDS_MAX; i++) {
    const scene_word_t *w = &scene->word[i];

    if (w->alive && i != word && w->unit == unit &&
        meets(scene, seg, at, nbytes, w->seg, w->at, type_size(w->type)))
      return true;
  }
  return false;
}

/* ---- shared words -------------------------------------------------------------------------- */

int scene_field(const scene_t *scene, const scene_word_t *word, int actor, int *low_out)
{
  int actors = scene->shape.units * scene->shape.threads, bits = value_bits(word->type);
  int index = actor_unit(actor) * scene->shape.threads + actor_thread(actor);
  int width = bits >= actors ? bits / actors : 1;

  if (width > 16)
    width = 16;
  if ((index + 1) * width > bits)
    index = width = 0;
  *low_out = index * width;
  return width;
}

bool scene_field_after(const scene_t *scene, const scene_word_t *word, const op_t *op,
                       uint64_t *field_out)
{
  int      actor = actor_number(op->unit, op->thread), low;
  int      width = scene_field(scene, word, actor, &low);
  uint64_t most = (UINT64_C(1) << width) - 1, field = word->field[actor];

  *field_out = field;
  if (op->oper == DART_OP_NO_OP)
    return true;
  if (width == 0 || op->value > most || (value_is_float(word->type) && op->oper != DART_OP_SUM))
    return false;
  switch (op->oper) {
  case DART_OP_SUM: *field_out = field + op->value; break;
  case DART_OP_BOR: *field_out = field | op->value; break;
  case DART_OP_BAND: *field_out = field & op->value; break;
  case DART_OP_BXOR: *field_out = field ^ op->value; break;
  default: return false;
  }
  return *field_out <= most;
}

uint64_t scene_field_operand(const scene_t *scene, const scene_word_t *word, const op_t *op)
{
  int      low;
  int      width = scene_field(scene, word, actor_number(op->unit, op->thread), &low);
  uint64_t mask  = ((UINT64_C(1) << width) - 1) << low;

  return op->oper == DART_OP_BAND ? (op->value << low & mask) | ~mask : op->value << low;
}

static void use_word(scene_t *scene, const op_t *op)
{
  scene_word_t *word  = &scene->word[op->word];
  int           actor = actor_number(op->unit, op->thread);

  if (op->oper == DART_OP_NO_OP)
    return;
  if (word->family == WORD_FIELDS)
    scene_field_after(scene, word, op, &word->field[actor]);
  else if (word->family == WORD_TURN)
    word->writer = actor;
  word->oper = op->oper;
}

/* ---- counters ------------------------------------------------------------------------------ */

uint64_t scene_count_after(const scene_t *scene, const op_t *op)
{
  uint64_t count = scene->counter[op->counter].count;

  value_combine(DART_TYPE_ULONG, op->oper == 0 ? DART_OP_SUM : op->oper, &count, &op->value);
  return count;
}

/* ---- what comes and goes ------------------------------------------------------------------- */

static void forget_cells(scene_t *scene, int seg)
{
  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].is_word && scene->lock[i].seg == seg)
      scene->lock[i].alive = false;
  for (int i = 0; i < COUNTERS_MAX; i++)
    if (scene->counter[i].alive && scene->counter[i].seg == seg)
      scene->counter[i].alive = false;
  for (int i = 0; i < WORDS_MAX; i++)
    if (scene->word[i].alive && scene->word[i].seg == seg)
      scene->word[i].alive = false;
}

static void end_segment(scene_t *scene, int seg)
{
  forget_cells(scene, seg);
  scene->segment[seg].alive = false;
}

static void end_team(scene_t *scene, int team)
{
  scene->team[team].alive = false;
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (scene->segment[i].alive && scene->segment[i].team == team)
      end_segment(scene, i);
  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].team == team)
      scene->lock[i].alive = false;
  for (int i = 0; i < FILES_MAX; i++)
    if (scene->file[i].team == team)
      scene->file[i].alive = false;
  for (int i = 0; i < RANGES_MAX; i++)
    if (scene->range[i].team == team)
      scene->range[i].alive = false;
  for (int i = 0; i < ALLOCATORS_MAX; i++)
    if (scene->allocator[i].team == team)
      scene->allocator[i].alive = false;
}

static void end_allocator(scene_t *scene, int allocator)
{
  scene->allocator[allocator].alive = false;
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (scene->segment[i].alive && scene->segment[i].kind == SEGMENT_BLOCK &&
        scene->segment[i].allocator == allocator)
      end_segment(scene, i);
}

static void new_segment(scene_t *scene, const op_t *op, segment_kind_t kind)
{
  scene_segment_t *segment = &scene->segment[op->seg];
  int              team    = kind == SEGMENT_POOL    ? 0
                             : kind == SEGMENT_BLOCK ? scene->allocator[op->allocator].team
                                                     : op->team;

  memset(segment, 0, sizeof *segment);
  segment->alive     = true;
  segment->kind      = kind;
  segment->team      = team;
  segment->allocator = op->allocator;
  segment->alias     = -1;
  for (int unit = 0; unit < UNITS_MAX; unit++)
    segment->sizes[unit] = units_have(scene->team[team].members, unit) ? op->sizes[unit] : -1;
  if (kind == SEGMENT_REGISTERED) {
    segment->shift    = op->shift;
    segment->alias    = op->here;
    segment->alias_at = op->here_at;
  }
}

static void deregister(scene_t *scene, const op_t *op)
{
  scene_segment_t *segment = &scene->segment[op->seg];

  segment->gone |= op->units;
  for (int i = 0; i < COUNTERS_MAX; i++)
    if (scene->counter[i].seg == op->seg && units_have(op->units, scene->counter[i].unit))
      scene->counter[i].alive = false;
  for (int i = 0; i < LOCKS_MAX; i++)
    if (scene->lock[i].is_word && scene->lock[i].seg == op->seg &&
        units_have(op->units, scene->lock[i].unit))
      scene->lock[i].alive = false;
  for (int i = 0; i < WORDS_MAX; i++)
    if (scene->word[i].seg == op->seg && units_have(op->units, scene->word[i].unit))
      scene->word[i].alive = false;
  if ((scene->team[segment->team].members & ~segment->gone) == 0)
    segment->alive = false;
}

static void new_word(scene_t *scene, const op_t *op)
{
  scene_word_t *word = &scene->word[op->word];

  memset(word, 0, sizeof *word);
  word->alive  = true;
  word->seg    = op->seg;
  word->unit   = op->to;
  word->at     = op->at;
  word->type   = op->type;
  word->family = op->how;
  word->writer = -1;
}

static void restart(scene_t *scene)
{
  shape_t shape = scene->shape;

  scene_open(scene, shape);
}

/* ---- epochs -------------------------------------------------------------------------------- */

bool scene_same_memory(const scene_t *scene, int a, int b)
{
  const scene_segment_t *one = &scene->segment[a], *other = &scene->segment[b];

  if (a == b || one->kind != other->kind || !one->alive || !other->alive)
    return a == b;
  return one->kind == SEGMENT_POOL ||
         (one->kind == SEGMENT_BLOCK && one->allocator == other->allocator);
}

bool scene_covers(const scene_t *scene, int seg, int unit, int to)
{
  const scene_segment_t *segment = &scene->segment[seg];

  switch (segment->epoch) {
  case 1 + EPOCH_PSCW:
  case 1 + EPOCH_LOCK: return units_have(segment->pairs[unit], to);
  case 1 + EPOCH_SECTIONS: return false;
  default: return true;
  }
}

bool scene_has_part(const scene_t *scene, int seg, int unit)
{
  const scene_segment_t *segment = &scene->segment[seg];

  if (segment->pairs[unit] != 0)
    return true;
  for (int other = 0; other < scene->shape.units; other++)
    if (segment->epoch == 1 + EPOCH_PSCW && units_have(segment->pairs[other], unit))
      return true;
  return false;
}

static void begin_epoch(scene_t *scene, const op_t *op)
{
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene_same_memory(scene, op->seg, seg)) {
      scene->segment[seg].epoch = 1 + op->how;
      scene->segment[seg].lead  = op->seg;
      memcpy(scene->segment[seg].pairs, op->pairs, sizeof op->pairs);
      scene->segment[seg].fenced = false;
      scene->segment[seg].issued = scene->segment[seg].sent = 0;
    }
}

static void fence(scene_t *scene, const op_t *op)
{
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene_same_memory(scene, op->seg, seg)) {
      scene->segment[seg].fenced = true;
      scene->segment[seg].issued = scene->segment[seg].sent = 0;
    }
}

/* Whether it cannot but be an operation of DART that touches memory. */
static bool is_sent(const op_t *op)
{
  if (op_raises(op) || op->oper == DART_OP_NO_OP || (op->n == 0 && op->kind != SWAP))
    return false;
  return op_is_get(op) || op_is_put(op) || op_is_atomic(op);
}

/* An operation is issued in the epoch of its segment. */
static void issue(scene_t *scene, const op_t *op)
{
  uint64_t unit = unit_set(op->unit);

  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene->segment[op->seg].epoch != 0 && scene_same_memory(scene, op->seg, seg)) {
      scene->segment[seg].issued |= unit;
      scene->segment[seg].sent |= is_sent(op) ? unit : 0;
    }
}

void scene_end_contests(scene_t *scene)
{
  for (int i = 0; i < FILES_MAX; i++) {
    scene->file[i].appended = false;
    scene->file[i].contests = 0;
    scene->file[i].taken    = 0;
    scene->file[i].settled  = scene->file[i].size;
  }
}

void scene_end_epochs(scene_t *scene)
{
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    scene->segment[seg].epoch = 0;
}

void scene_apply(scene_t *scene, const op_t *op)
{
  switch (op->kind) {
  case TEAM: scene->team[op->team] = (scene_team_t){ op->units != 0, op->units }; break;
  case CLONE: scene->team[op->team] = scene->team[op->of]; break;
  case END_TEAM: end_team(scene, op->team); break;
  case ALLOC: new_segment(scene, op, SEGMENT_ALLOCATED); break;
  case REGISTER: new_segment(scene, op, SEGMENT_REGISTERED); break;
  case POOL: new_segment(scene, op, SEGMENT_POOL); break;
  case BLOCK: new_segment(scene, op, SEGMENT_BLOCK); break;
  case FREE:
  case END_POOL:
  case END_BLOCK: end_segment(scene, op->seg); break;
  case DEREGISTER: deregister(scene, op); break;
  case ALLOCATOR:
    scene->allocator[op->allocator] = (scene_allocator_t){ true, op->team, op->n };
    break;
  case END_ALLOCATOR: end_allocator(scene, op->allocator); break;
  case LOCK: scene->lock[op->lock] = (scene_lock_t){ .alive = true, .team = op->team }; break;
  case LOCK_AT:
    scene->lock[op->lock] =
        (scene_lock_t){ true, scene->segment[op->seg].team, true, op->seg, op->to, op->at };
    break;
  case END_LOCK: scene->lock[op->lock].alive = false; break;
  case RANGE: scene->range[op->range] = (scene_lock_t){ .alive = true, .team = op->team }; break;
  case END_RANGE: scene->range[op->range].alive = false; break;
  case COUNTER:
    scene->counter[op->counter] = (scene_counter_t){ true, op->seg, op->to, op->at, 0 };
    break;
  case WORD: new_word(scene, op); break;
  case RESTART: restart(scene); break;
  case EPOCH: begin_epoch(scene, op); break;
  case FENCE: fence(scene, op); break;
  default:
    if (op_has(op, HAS_FILE))
      scene_apply_to_file(scene, op);
    if (op_kinds[op->kind].who == WHO_ACTOR && op_has(op, HAS_TO) && op->kind != REFUSED)
      issue(scene, op);
    if (op_raises(op))
      scene->counter[op->counter].count = scene_count_after(scene, op);
    if (op_is_atomic(op) && op->word >= 0)
      use_word(scene, op);
    break;
  }
}

bool scene_has_lock(const scene_t *scene, int unit)
{
  for (int seg = 0; seg < SEGMENTS_MAX; seg++) {
    int epoch = scene->segment[seg].epoch;

    if (epoch == 1 + EPOCH_LOCK_ALL ||
        (epoch == 1 + EPOCH_LOCK && scene_has_part(scene, seg, unit)))
      return true;
  }
  return false;
}
