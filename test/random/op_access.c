/* See op_access.h. */
#include "op_access.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "contract.h"
#include "need.h"
#include "op_file.h"

/* ---- what an operation accesses ------------------------------------------------------------ */

static layout_t bytes(void)
{
  return (layout_t){ .basic = DART_TYPE_BYTE };
}

static access_t *touch(touches_t *touches, const op_t *op, access_class_t class, int actor)
{
  access_t *access = &touches->touch[touches->n++];

  memset(access, 0, sizeof *access);
  access->class   = class;
  access->actor   = actor;
  access->op      = op->id;
  access->counter = -1;
  access->lead    = -1;
  return access;
}

static void lies_at(const scene_t *scene, access_t *access, int seg, int unit, uint64_t at,
                    const layout_t *layout, uint64_t n)
{
  access->name   = seg;
  access->memory = scene_memory(scene, seg, &at);
  access->unit   = unit;
  access->from   = at;
  access->to     = at + layout_span(layout, n);
  access->layout = *layout;
  access->n      = n;
}

/* What belongs to an epoch is what goes there by DART, but for notifications, and what a unit does with its own
 * portion by itself. */
static int lead_of(const scene_t *scene, const op_t *op)
{
  bool is_plain = op->kind == STORE || op->kind == LOAD;

  if (scene->segment[op->seg].epoch == 0 || op_raises(op) || (is_plain && op->to != op->unit))
    return -1;
  return scene->segment[op->seg].lead;
}

/* Whether the counter of a notified get says that the data have come, not only that they were read. */
static bool tells_of_arrival(const scene_t *scene, const op_t *op)
{
  int unit = scene->counter[op->counter].unit;

  return unit == op->unit || unit != op->to;
}

static void touch_transfer(const scene_t *scene, touches_t *touches, const op_t *op, int actor)
{
  access_t *there = touch(touches, op, op_is_put(op) ? WRITES : READS, actor);

  lies_at(scene, there, op->seg, op->to, op->at, &op->remote, op->n);
  there->lead    = lead_of(scene, op);
  there->is_ours = true;
  there->is_word = op_is_put(op) && op->remote.kind == LAYOUT_RUN && op->local.kind == LAYOUT_RUN &&
                   layout_span(&op->remote, op->n) <= 8;
  there->is_fresh =
      op_is_put(op) && op->here < 0 && op->n == 1; /* eight bytes of a pattern, or four */
  if (op_is_get(op))
    there->is_here = true; /* the memory was read when the data are here */
  if (op_raises(op))
    there->counter = op->counter;
  if (op->here >= 0) {
    access_t *here = touch(touches, op, op_is_put(op) ? READS : WRITES, actor);

    lies_at(scene, here, op->here, op->unit, op->here_at, &op->local, op->n);
    here->is_here = true;
    if (op->kind == GET_NOTIFY && tells_of_arrival(scene, op))
      here->counter = op->counter;
  }
}

static void touch_range(const scene_t *scene, touches_t *touches, const op_t *op,
                        access_class_t class, int actor, int key)
{
  access_t *access = touch(touches, op, class, actor);
  layout_t  run    = bytes();

  lies_at(scene, access, op->seg, op->to, op->at, &run, op_extent(op));
  access->key     = key;
  access->lead    = lead_of(scene, op);
  access->is_ours = op_is_atomic(op);
  access->is_word = class == UPDATES && op_is_atomic(op);
  access->is_fresh =
      class == UPDATES && op->oper == DART_OP_REPLACE && op->n == 1 && op->kind != SWAP;
}

/* Elements whose numbers are held in a range object: any others may be held, and the same ones, in turn. */
static void touch_held(const scene_t *scene, touches_t *touches, const op_t *op, int actor)
{
  access_t *access = touch(touches, op, HOLDS, actor);

  lies_at(scene, access, op->seg, op->to, op->at, &op->remote, op->n);
  access->key = op->range;
}

/* A counter that is raised, or looked at: its owner has set it before. */
static void touch_counter(const scene_t *scene, touches_t *touches, const op_t *op, int actor)
{
  const scene_counter_t *c      = &scene->counter[op->counter];
  access_t              *access = touch(touches, op, RAISES, actor);
  layout_t               run    = bytes();

  lies_at(scene, access, c->seg, c->unit, c->at, &run, 8);
  access->key = op->counter;
}

/* A lock in a word, which its owner has set free before. */
static void touch_lock(const scene_t *scene, touches_t *touches, const op_t *op, int actor)
{
  const scene_lock_t *l      = &scene->lock[op->lock];
  access_t           *access = touch(touches, op, RAISES, actor);
  layout_t            run    = bytes();

  lies_at(scene, access, l->seg, l->unit, l->at, &run, 8);
  access->key = COUNTERS_MAX + op->lock;
}

/* What is new is filled by its owners. */
static void touch_new(const scene_t *scene, touches_t *touches, const op_t *op)
{
  layout_t run  = bytes();
  int      team = scene_team(scene, op);

  if ((op->kind == ALLOC && op->how == ALLOC_RAW) || (op->kind == REGISTER && op->here >= 0))
    return;
  for (int unit = 0; unit < scene->shape.units; unit++)
    if (scene_team_id(scene, team, unit) >= 0 && op->sizes[unit] > 0) {
      access_t *access = touch(touches, op, WRITES, actor_number(unit, 0));

      access->name   = op->seg;
      access->memory = op->seg;
      access->unit   = unit;
      access->to     = (uint64_t)op->sizes[unit];
      access->layout = run;
      access->n      = access->to;
    }
}

/* Who writes behind the end of a file moves it, and who reads there finds it. Where it is depends on all that may come
 * before, which may be what stands later in the list; so all count that go beyond what was the end for sure. In atomic
 * mode the end of the round tells whether what they found has an order. */
static void touch_end(const scene_t *scene, touches_t *touches, const op_t *op, int actor)
{
  access_class_t class = file_is_contest(scene, op) ? CONTESTS
                         : op_is_file_write(op)     ? GROWS
                                                    : READS;
  access_t *access     = touch(touches, op, class, actor);

  access->memory = SEGMENTS_MAX + 2 * FILES_MAX + op->file;
  access->key    = op->file;
  access->to     = 1;
  access->layout = bytes();
  access->n      = 1;
}

/* What a unit accesses of a file, by which of its threads. */
static void touch_portion(const scene_t *scene, touches_t *touches, const op_t *op, int unit,
                          int thread)
{
  const scene_file_t *file = &scene->file[op->file];
  access_class_t class     = op_is_file_write(op) ? WRITES : READS;
  file_region_t region     = file_region(scene, op, unit);
  access_t     *access;

  if (region.n == 0)
    return;
  access         = touch(touches, op, file->atomic ? CONTESTS : class, actor_number(unit, thread));
  access->memory = SEGMENTS_MAX + op->file;
  access->key    = op->file;
  access->from   = region.from;
  access->to     = region.from + layout_span(&region.layout, region.n);
  access->layout = region.layout;
  access->n      = region.n;
  if (op->kind == FILE_TAKE) { /* any record from the first on */
    access->class  = TAKES;
    access->from   = file->taken != 0 ? file->take_from : file->pointer;
    access->to     = FILE_MOST;
    access->layout = bytes();
    access->n      = access->to - access->from;
    return;
  }
  if (op->kind != FILE_APPEND) {
    if (access->to > file->settled)
      touch_end(scene, touches, op, access->actor);
    return;
  }
  access->class  = APPENDS;
  access->from   = file->appended               ? file->append_low
                   : file->pointer < file->size ? file->pointer
                                                : file->size;
  access->to     = FILE_MOST;
  access->layout = bytes();
  access->n      = access->to - access->from;
}

/* The shared pointer: those that append, and those that take records, move it in any order, all others in one. */
static void touch_pointer(const scene_t *scene, touches_t *touches, const op_t *op)
{
  bool is_one          = op_kinds[op->kind].who == WHO_ACTOR;
  access_class_t class = op->kind == FILE_APPEND ? APPENDS : op->kind == FILE_TAKE ? TAKES : WRITES;
  int       first      = is_one ? 0 : scene_unit(scene, op->team, 0);
  access_t *access     = touch(touches, op, class,
                           is_one ? actor_number(op->unit, op->thread)
                                      : actor_number(first, scene_thread(scene, op->team)));

  access->memory = SEGMENTS_MAX + FILES_MAX + op->file;
  access->key    = op->file;
  access->to     = 1;
  access->layout = bytes();
  access->n      = 1;
}

static void touch_file(const scene_t *scene, touches_t *touches, const op_t *op)
{
  if (op_is_file_shared(op))
    touch_pointer(scene, touches, op);
  if (op_kinds[op->kind].who == WHO_ACTOR) {
    touch_portion(scene, touches, op, op->unit, op->thread);
    return;
  }
  for (int unit = 0; unit < scene->shape.units; unit++)
    if (scene_team_id(scene, op->team, unit) >= 0)
      touch_portion(scene, touches, op, unit, scene_thread(scene, op->team));
}

/* What a collective puts into portions. */
static void touch_received(const scene_t *scene, touches_t *touches, const op_t *op)
{
  uint64_t nbytes = op_received(scene_members(scene, op->team), op);
  layout_t run    = bytes();

  for (int unit = 0; unit < scene->shape.units && op->here >= 0; unit++)
    if (scene_team_id(scene, op->team, unit) >= 0)
      lies_at(scene, touch(touches, op, WRITES, actor_number(unit, scene_thread(scene, op->team))),
              op->here, unit, op->here_at, &run, nbytes);
}

void access_find(const scene_t *scene, const knowledge_t know[ACTORS_MAX], const op_t *op,
                 touches_t *touches)
{
  int actor = actor_number(op->unit, op->thread);

  touches->n = 0;
  switch (op->kind) {
  case ALLOC:
  case REGISTER:
  case POOL:
  case BLOCK: touch_new(scene, touches, op); break;
  case COUNTER:
  case LOCK_AT:
  case WORD: touch_range(scene, touches, op, WRITES, actor_number(op->to, 0), 0); break;
  case STORE: touch_range(scene, touches, op, WRITES, actor, 0); break;
  case LOAD:
  case POLL: touch_range(scene, touches, op, READS, actor, 0); break;
  case AWAIT: touch_counter(scene, touches, op, actor); break;
  case BCAST:
  case ALLGATHER: touch_received(scene, touches, op); break;
  case LOCKED:
    touch_range(scene, touches, op, LOCKS, actor, op->lock);
    if (scene->lock[op->lock].is_word)
      touch_lock(scene, touches, op, actor);
    break;
  case SECTION: /* the lock of the portion holds all of it */
    touch_range(scene, touches, op, HOLDS, actor, -1 - scene->segment[op->seg].lead);
    break;
  case FILE_READ:
  case FILE_WRITE:
  case FILE_APPEND:
  case FILE_TAKE:
  case FILE_READ_ALL:
  case FILE_WRITE_ALL:
  case FILE_READ_ORDERED:
  case FILE_WRITE_ORDERED: touch_file(scene, touches, op); break;
  case RANGED: touch_held(scene, touches, op, actor); break;
  default:
    if (op_is_put(op) || op_is_get(op))
      touch_transfer(scene, touches, op, actor);
    if (op_raises(op))
      touch_counter(scene, touches, op, actor);
    if (op_is_atomic(op) && op->word >= 0)
      touch_range(scene, touches, op, SHARES, actor, op->word);
    else if (op_is_atomic(op))
      touch_range(scene, touches, op, UPDATES, actor, op->type);
    break;
  }
  for (int i = 0; i < touches->n; i++)
    touches->touch[i].then = know[touches->touch[i].actor];
}

/* ---- two accesses -------------------------------------------------------------------------- */

/* Of elements that lie apart that is found by marking them. */
bool access_overlap(const access_t *a, const access_t *b)
{
  uint64_t       from = a->from < b->from ? a->from : b->from;
  uint64_t       to   = a->to > b->to ? a->to : b->to;
  unsigned char *map;
  bool           found;

  if (a->memory != b->memory || a->unit != b->unit || a->from >= b->to || b->from >= a->to)
    return false;
  if (a->layout.kind == LAYOUT_RUN && b->layout.kind == LAYOUT_RUN)
    return true;
  map = need(to - from);
  layout_mark(&a->layout, a->n, map + (a->from - from), 1);
  found = layout_mark(&b->layout, b->n, map + (b->from - from), 1);
  free(map);
  return found;
}

bool access_agree(const access_t *a, const access_t *b)
{
  if (a->class != b->class)
    return false;
  switch (a->class) {
  case READS: return true;
  case UPDATES: /* memory with two names is updated by one of them */
    return a->actor == b->actor && a->key == b->key && a->name == b->name;
  case SHARES:
  case HOLDS:
  case APPENDS:
  case TAKES:
  case GROWS:
  case CONTESTS:
  case RAISES: return a->key == b->key;
  case LOCKS: return a->key == b->key && a->from == b->from && a->to == b->to;
  default: return false;
  }
}

/* Where others append, or access at once, nobody knows what there is before the end of the round. */
bool access_is_known(const access_t *access, const knowledge_t *know, int actor)
{
  if (access->class == APPENDS || access->class == TAKES || access->class == CONTESTS)
    return false;
  return actors_have(&access->seen, actor) ||
         (access->done != 0 && know->clock[access->done_by] >= access->done);
}

bool access_is_program_ordered(const access_t *old, const access_t *new)
{
  return old->is_word && new->is_word && old->actor == new->actor && old->lead == new->lead &&
         old->name == new->name;
}

bool access_is_fenced(const access_t *old, const access_t *new)
{
  return actors_have(&old->fenced, new->actor) &&
         (new->lead == old->lead || new->unit == actor_unit(new->actor));
}

bool access_is_ordered(const scene_t *scene, const access_t *old, int actor, uint32_t event,
                       int unit, int seg)
{
  return old->ordered != 0 && old->ordered_by == actor && old->ordered < event &&
         old->unit == unit && scene->segment[seg].epoch == 0 &&
         contract_same_scope(scene, old->name, seg);
}
