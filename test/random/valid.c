/* Whether an operation names what is there: alive, in bounds, of the right kind, by somebody who may.
 * One function for each field, one for each kind that asks for more. */
#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

#include "scene.h"
#include "value.h"

#define NOTIFIED_MOST (UINT64_MAX / 4) /* what a counter holds; more is never there */

enum {
  SENSIBLE    = 1 << 22, /* more bytes than any operation has */
  RANGED_MOST = 100      /* elements that are held in one call */
};

/* ---- numbers of things --------------------------------------------------------------------- */

static bool team_is_alive(const scene_t *scene, int team)
{
  return team >= 0 && team < TEAMS_MAX && scene->team[team].alive;
}

static bool is_member(const scene_t *scene, int team, int unit)
{
  return team_is_alive(scene, team) && unit >= 0 && unit < scene->shape.units &&
         units_have(scene->team[team].members, unit);
}

static bool segment_is_alive(const scene_t *scene, int seg)
{
  return seg >= 0 && seg < SEGMENTS_MAX && scene->segment[seg].alive;
}

/* A unit that deregistered has no such segment any more, and nobody may use its portion. */
static bool may_use(const scene_t *scene, int seg, int unit)
{
  return segment_is_alive(scene, seg) && is_member(scene, scene->segment[seg].team, unit) &&
         !units_have(scene->segment[seg].gone, unit);
}

static bool is_actor(const scene_t *scene, int unit, int thread)
{
  return unit >= 0 && unit < scene->shape.units && thread >= 0 && thread < scene->shape.threads;
}

/* ---- what all operations with a field have in common --------------------------------------- */

static bool creates_segment(const op_t *op)
{
  return op->kind == ALLOC || op->kind == REGISTER || op->kind == POOL || op->kind == BLOCK;
}

static bool good_team(const scene_t *scene, const op_t *op)
{
  if (op->kind != TEAM && op->kind != CLONE)
    return team_is_alive(scene, op->team);
  return op->team > 0 && op->team < TEAMS_MAX && !scene->team[op->team].alive;
}

static bool good_segment(const scene_t *scene, const op_t *op)
{
  if (!creates_segment(op))
    return segment_is_alive(scene, op->seg);
  return op->seg >= 0 && op->seg < SEGMENTS_MAX && !scene->segment[op->seg].alive;
}

static bool good_place(const scene_t *scene, const op_t *op)
{
  uint64_t extent = op_extent(op);

  return may_use(scene, op->seg, op->to) && extent <= SENSIBLE && op->at <= SENSIBLE &&
         op->at + extent <= scene_size(scene, op->seg, op->to) &&
         (extent == 0 || !scene_is_reserved(scene, op->seg, op->to, op->at, extent, op->word));
}

/* The local buffer in this unit's portion, of which no byte is a counter or a shared word. */
static bool good_here(const scene_t *scene, const op_t *op)
{
  uint64_t span = layout_span(&op->local, op->n);

  if (op->here < 0)
    return true;
  return may_use(scene, op->here, op->unit) && op->here_at <= SENSIBLE &&
         op->here_at + span <= scene_size(scene, op->here, op->unit) &&
         (span == 0 || !scene_is_reserved(scene, op->here, op->unit, op->here_at, span, -1));
}

static bool good_sizes(const op_t *op)
{
  for (int unit = 0; unit < UNITS_MAX; unit++)
    if (op->sizes[unit] < 0 || op->sizes[unit] > SENSIBLE)
      return false;
  return true;
}

static bool good_fields(const scene_t *scene, const op_t *op)
{
  return (!op_has(op, HAS_BY) || is_actor(scene, op->unit, op->thread)) &&
         (!op_has(op, HAS_PEER) || is_actor(scene, op->peer, op->peer_thread)) &&
         (!op_has(op, HAS_TEAM) || good_team(scene, op)) &&
         (!op_has(op, HAS_OF) || team_is_alive(scene, op->of)) &&
         (!op_has(op, HAS_SEG) || good_segment(scene, op)) &&
         (!op_has(op, HAS_TO) || good_place(scene, op)) &&
         (!op_has(op, HAS_SIZES) || good_sizes(op)) && (op->n <= SENSIBLE) &&
         (!op_has(op, HAS_BY) || !op_has(op, HAS_SEG | HAS_TO) ||
          may_use(scene, op->seg, op->unit));
}

/* ---- segments ------------------------------------------------------------------------------ */

/* Whether another segment is a name for memory of this one, or of units of it. */
static bool has_alias(const scene_t *scene, int seg)
{
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (scene->segment[i].alive && scene->segment[i].alias == seg)
      return true;
  return false;
}

static bool is_of_kind(const scene_t *scene, const op_t *op, segment_kind_t kind)
{
  return scene->segment[op->seg].kind == kind && !has_alias(scene, op->seg);
}

static bool team_has_alias(const scene_t *scene, int team)
{
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (scene->segment[i].alive && scene->segment[i].team == team && has_alias(scene, i))
      return true;
  return false;
}

static bool allocator_has_alias(const scene_t *scene, int allocator)
{
  for (int i = 0; i < SEGMENTS_MAX; i++)
    if (scene->segment[i].alive && scene->segment[i].kind == SEGMENT_BLOCK &&
        scene->segment[i].allocator == allocator && has_alias(scene, i))
      return true;
  return false;
}

static bool good_parts(const scene_t *scene, const op_t *op)
{
  size_t size = type_size(op->type);

  for (int unit = 0; unit < scene->shape.units; unit++)
    if (is_member(scene, op->team, unit) && op->sizes[unit] % (int64_t)size != 0)
      return false;
  return true;
}

/* Memory that has a name already: there on all units that give some. */
static bool good_alias(const scene_t *scene, const op_t *op)
{
  if (op->here < 0)
    return op->shift >= 0 && op->shift < 64;
  if (op->shift != 0)
    return false;
  for (int unit = 0; unit < scene->shape.units; unit++)
    if (is_member(scene, op->team, unit) && op->sizes[unit] > 0 &&
        (!may_use(scene, op->here, unit) || op->here_at > SENSIBLE ||
         op->here_at + (uint64_t)op->sizes[unit] > scene_size(scene, op->here, unit)))
      return false;
  return segment_is_alive(scene, op->here);
}

static bool good_register(const scene_t *scene, const op_t *op)
{
  int first = scene_unit(scene, op->team, 0);

  for (int unit = 0; op->how == REGISTER_ALIGNED && unit < scene->shape.units; unit++)
    if (is_member(scene, op->team, unit) && op->sizes[unit] != op->sizes[first])
      return false;
  return good_parts(scene, op) && good_alias(scene, op);
}

static bool good_deregister(const scene_t *scene, const op_t *op)
{
  const scene_segment_t *segment = &scene->segment[op->seg];

  return is_of_kind(scene, op, SEGMENT_REGISTERED) && op->units != 0 &&
         (op->units & segment->gone) == 0 && (op->units & ~scene->team[segment->team].members) == 0;
}

/* An allocator must have room however it is divided: few blocks, each a small part of the pool. */
static bool good_block(const scene_t *scene, const op_t *op)
{
  int      a = op->allocator, blocks = 0;
  uint64_t most;

  if (a < 0 || a >= ALLOCATORS_MAX || !scene->allocator[a].alive)
    return false;
  most = scene->allocator[a].nbytes / 16;
  for (int i = 0; i < SEGMENTS_MAX; i++)
    blocks += scene->segment[i].alive && scene->segment[i].kind == SEGMENT_BLOCK &&
              scene->segment[i].allocator == a;
  for (int unit = 0; unit < scene->shape.units; unit++)
    if ((uint64_t)op->sizes[unit] + 16 > most)
      return false;
  return blocks < 4;
}

static bool good_counter(const scene_t *scene, const op_t *op)
{
  return op->counter >= 0 && op->counter < COUNTERS_MAX && !scene->counter[op->counter].alive &&
         scene_is_aligned(scene, op->seg, op->at, 8);
}

static bool good_lock_at(const scene_t *scene, const op_t *op)
{
  return op->lock >= 0 && op->lock < LOCKS_MAX && !scene->lock[op->lock].alive &&
         scene_is_aligned(scene, op->seg, op->at, 8);
}

static bool good_word(const scene_t *scene, const op_t *op)
{
  return op->word >= 0 && op->word < WORDS_MAX && !scene->word[op->word].alive &&
         scene_is_aligned(scene, op->seg, op->at, type_size(op->type)) &&
         (op->how != WORD_LOGIC || !value_is_float(op->type));
}

/* ---- transfers, atomics -------------------------------------------------------------------- */

static bool good_transfer(const scene_t *scene, const op_t *op)
{
  const layout_t *written = op_is_put(op) ? &op->remote : &op->local;

  return layout_elem(&op->local) > 0 && layout_fits(&op->local, &op->remote, op->n) &&
         layout_is_disjoint(written) && op->shift >= 0 && op->shift < 64 &&
         layout_span(&op->local, op->n) <= SENSIBLE && good_here(scene, op);
}

/* One element of a type that dart_put_value has, of which any bytes are a value. */
static bool good_value(const op_t *op)
{
  int type = op->local.basic;

  return op->n == 1 && op->local.kind == LAYOUT_RUN && op->remote.kind == LAYOUT_RUN && type != 0 &&
         type != DART_TYPE_BOOL && type != DART_TYPE_LONG_DOUBLE && type < DART_TYPE_FLOAT_COMPLEX;
}

/* A counter only grows, so that who waits for what it holds then does not find that before. That of a put is of the
 * same unit, that of a get of any. */
static bool good_notify(const scene_t *scene, const op_t *op)
{
  if (op->counter < 0 || op->counter >= COUNTERS_MAX || !scene->counter[op->counter].alive ||
      (op->kind == NOTIFY && scene->counter[op->counter].unit != op->to) ||
      op->value > NOTIFIED_MOST)
    return false;
  return (op->oper == 0 || value_has_atomic(DART_TYPE_ULONG, op->oper)) &&
         scene_count_after(scene, op) > scene->counter[op->counter].count &&
         scene_count_after(scene, op) <= NOTIFIED_MOST &&
         may_use(scene, scene->counter[op->counter].seg, op->unit) && good_transfer(scene, op);
}

static bool good_await(const scene_t *scene, const op_t *op)
{
  return op->counter >= 0 && op->counter < COUNTERS_MAX && scene->counter[op->counter].alive &&
         (op->how == AWAIT_FETCH || scene->counter[op->counter].unit == op->unit) &&
         may_use(scene, scene->counter[op->counter].seg, op->unit);
}

static bool good_use_of_word(const scene_t *scene, const op_t *op)
{
  const scene_word_t *word;
  uint64_t            field;

  if (op->word >= WORDS_MAX || !scene->word[op->word].alive)
    return false;
  word = &scene->word[op->word];
  if (op->seg != word->seg || op->to != word->unit || op->at != word->at ||
      op->type != word->type || op->n != 1 || !value_has_atomic(op->type, op->oper))
    return false;
  if (op->kind == SWAP_LOOP && (word->family != WORD_FIELDS || value_is_float(op->type)))
    return false;
  if (word->family == WORD_FIELDS)
    return scene_field_after(scene, word, op, &field);
  if (op->oper == DART_OP_NO_OP)
    return true;
  if (word->oper != 0 && word->oper != op->oper)
    return false;
  switch (word->family) {
  case WORD_TURN:
    return op->oper == DART_OP_REPLACE &&
           (word->writer < 0 || word->writer == actor_number(op->unit, op->thread));
  case WORD_EXTREME: return op->oper == DART_OP_MIN || op->oper == DART_OP_MAX;
  case WORD_PRODUCT: return op->oper == DART_OP_PROD;
  default: return op->oper == DART_OP_LAND || op->oper == DART_OP_LOR || op->oper == DART_OP_LXOR;
  }
}

static bool good_atomic(const scene_t *scene, const op_t *op)
{
  bool one = op->kind == FETCH || op->kind == SWAP || op->kind == SWAP_LOOP;

  if (!scene_is_aligned(scene, op->seg, op->at, type_size(op->type)) || (one && op->n != 1))
    return false;
  if (op->word >= 0)
    return op->kind != SWAP && op->kind != STREAM && good_use_of_word(scene, op);
  if (op->kind == SWAP)
    return !value_is_float(op->type);
  return op->kind != SWAP_LOOP && value_has_atomic(op->type, op->oper);
}

/* Of a flag that is polled all bytes arrive at once, and are few; a word is waited for by its owner. */
static bool good_poll(const scene_t *scene, const op_t *op)
{
  size_t size = type_size(op->type);

  if ((size != 4 && size != 8) || !scene_is_aligned(scene, op->seg, op->at, size))
    return false;
  if (op->how < POLL_WORD)
    return scene->segment[op->seg].kind != SEGMENT_REGISTERED;
  return op->to == op->unit && !value_is_float(op->type);
}

static bool good_locked(const scene_t *scene, const op_t *op)
{
  return op->lock >= 0 && op->lock < LOCKS_MAX && scene->lock[op->lock].alive && op->n > 0 &&
         is_member(scene, scene->lock[op->lock].team, op->unit) &&
         (!scene->lock[op->lock].is_word || may_use(scene, scene->lock[op->lock].seg, op->unit));
}

/* Numbers of elements: a few runs of them. */
static bool good_ranged(const scene_t *scene, const op_t *op)
{
  const layout_t *layout = &op->remote;

  return op->range >= 0 && op->range < RANGES_MAX && scene->range[op->range].alive && op->n > 0 &&
         op->n <= RANGED_MOST && is_member(scene, scene->range[op->range].team, op->unit) &&
         layout->basic == DART_TYPE_LONG && layout_is_disjoint(layout) &&
         op->n % layout_instance(layout) == 0 && scene_is_aligned(scene, op->seg, op->at, 8);
}

static bool good_range(const scene_t *scene, const op_t *op)
{
  return op->range >= 0 && op->range < RANGES_MAX && !scene->range[op->range].alive && op->n > 0;
}

/* ---- several at once ----------------------------------------------------------------------- */

static bool is_other(const op_t *op)
{
  return actor_number(op->unit, op->thread) != actor_number(op->peer, op->peer_thread);
}

static bool good_message(const op_t *op)
{
  return layout_elem(&op->local) > 0 && op->local.kind == LAYOUT_RUN && op->tag >= 0 &&
         op->tag <= 32767 && (op->kind != LETTERS || (op->value > 0 && op->value <= 8));
}

/* What is received may lie in everyone's own portion of a segment, at the same place. */
static bool good_portions(const scene_t *scene, const op_t *op)
{
  uint64_t nbytes = op_received(scene_members(scene, op->team), op);

  for (int unit = 0; unit < scene->shape.units && op->here >= 0; unit++)
    if (is_member(scene, op->team, unit) &&
        (!may_use(scene, op->here, unit) || op->here_at > SENSIBLE || nbytes > SENSIBLE ||
         op->here_at + nbytes > scene_size(scene, op->here, unit) ||
         (nbytes > 0 && scene_is_reserved(scene, op->here, unit, op->here_at, nbytes, -1))))
      return false;
  return true;
}

static bool good_collective(const scene_t *scene, const op_t *op)
{
  return op->local.kind == LAYOUT_RUN && (!op_has(op, HAS_HERE) || good_portions(scene, op)) &&
         (!op_has(op, HAS_ROOT) || (op->root >= 0 && op->root < scene_members(scene, op->team)));
}

static bool good_reduction(const scene_t *scene, const op_t *op)
{
  if (op->oper == OPER_AFFINE || op->oper == OPER_MERGE)
    return good_collective(scene, op) && op->how != IN_PLACE_NULL;
  return value_has_reduction(op->type, op->oper) && good_collective(scene, op) &&
         op->how != IN_PLACE_NULL && (op->oper != DART_OP_MINMAX || op->n % 2 == 0);
}

static bool good_for_kind(const scene_t *scene, const op_t *op)
{
  if (!scene_valid_in_epochs(scene, op))
    return false;
  switch (op->kind) {
  case TEAM: return (op->units & ~scene->team[op->of].members) == 0;
  case END_TEAM: return op->team != 0 && !team_has_alias(scene, op->team);
  case ALLOC: return good_parts(scene, op);
  case REGISTER: return good_register(scene, op);
  case DEREGISTER: return good_deregister(scene, op);
  case FREE: return is_of_kind(scene, op, SEGMENT_ALLOCATED);
  case END_POOL: return is_of_kind(scene, op, SEGMENT_POOL);
  case END_BLOCK: return is_of_kind(scene, op, SEGMENT_BLOCK);
  case ALLOCATOR:
    return op->allocator >= 0 && op->allocator < ALLOCATORS_MAX &&
           !scene->allocator[op->allocator].alive && op->n > 0;
  case END_ALLOCATOR:
    return op->allocator >= 0 && op->allocator < ALLOCATORS_MAX &&
           scene->allocator[op->allocator].alive && !allocator_has_alias(scene, op->allocator);
  case BLOCK: return good_block(scene, op);
  case LOCK: return op->lock >= 0 && op->lock < LOCKS_MAX && !scene->lock[op->lock].alive;
  case END_LOCK: return op->lock >= 0 && op->lock < LOCKS_MAX && scene->lock[op->lock].alive;
  case RANGE: return good_range(scene, op);
  case END_RANGE: return op->range >= 0 && op->range < RANGES_MAX && scene->range[op->range].alive;
  case RANGED: return good_ranged(scene, op);
  case FILE_OPEN:
  case FILE_CLOSE:
  case FILE_RESIZE:
  case FILE_SYNC:
  case FILE_MODE:
  case FILE_VIEW:
  case FILE_SEEK:
  case FILE_READ:
  case FILE_WRITE:
  case FILE_APPEND:
  case FILE_TAKE:
  case FILE_READ_ALL:
  case FILE_WRITE_ALL:
  case FILE_READ_ORDERED:
  case FILE_WRITE_ORDERED: return scene_valid_for_file(scene, op);
  case COUNTER: return good_counter(scene, op);
  case LOCK_AT: return good_lock_at(scene, op);
  case WORD: return good_word(scene, op);
  case PUT_VALUE: return good_value(op) && good_transfer(scene, op);
  case NOTIFY:
  case GET_NOTIFY: return good_notify(scene, op);
  case AWAIT: return good_await(scene, op);
  case POLL: return good_poll(scene, op);
  case LOCKED: return good_locked(scene, op) && scene_is_aligned(scene, op->seg, op->at, 8);
  case LETTERS: return good_message(op);
  case HOLD: return is_other(op);
  case MESSAGE: return good_message(op) && is_other(op);
  case RING: return good_message(op) && op->shift >= 0;
  case REDUCE:
  case ALLREDUCE: return good_reduction(scene, op);
  case BCAST:
  case SCATTER:
  case GATHER:
  case ALLGATHER:
  case ALLGATHERV:
  case ALLTOALL: return good_collective(scene, op);
  default:
    if (op_is_put(op) || op_is_get(op))
      return good_transfer(scene, op);
    return !op_is_atomic(op) || good_atomic(scene, op);
  }
}

bool scene_valid(const scene_t *scene, const op_t *op)
{
  return good_fields(scene, op) && good_for_kind(scene, op);
}
