/* Segments of all kinds: how they come, how they go, and whether every byte of this unit's portion is as it must
 * be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "run_common.h"

enum { LINE = 64, ROOM = 64 }; /* a portion starts at a line; ROOM bytes around registered memory */

/* ---- segments: what all kinds share ---------------------------------------------------------- */

/* The portions by what one pointer names: unit 0's, at its start. */
static void spread(unit_t *unit, const op_t *op, dart_gptr_t gptr, bool is_registered)
{
  const scene_segment_t *segment = &unit->model.scene.segment[op->seg];

  if (gptr.unitid != 0 || gptr.addr_or_offs.offset != 0 ||
      gptr.teamid != unit->team[segment->team] ||
      (is_registered ? gptr.segid >= 0 : gptr.segid <= 0))
    run_fail(unit, op, "the pointer names unit %d, segment %d of team %d, offset %llu", gptr.unitid,
             gptr.segid, gptr.teamid, (unsigned long long)gptr.addr_or_offs.offset);
  for (int i = 0; i < unit->shape.units; i++) {
    gptr.unitid            = scene_team_id(&unit->model.scene, segment->team, i);
    unit->gptr[op->seg][i] = gptr;
  }
}

static size_t own_size(const unit_t *unit, int seg)
{
  return scene_size(&unit->model.scene, seg, unit->me);
}

/* Bytes behind a portion, up to the next line, that belong to nobody. */
static size_t tail_of(const unit_t *unit, int seg)
{
  const scene_segment_t *segment = &unit->model.scene.segment[seg];
  size_t                 size    = own_size(unit, seg);

  if (segment->kind == SEGMENT_REGISTERED || size == 0)
    return 0;
  return (segment->kind == SEGMENT_BLOCK ? 16 - 1 : LINE - 1) & (0 - size);
}

/* Where this unit's portion is; what is in it, if it is filled; and what lies behind it. */
static void enter(unit_t *unit, const op_t *op)
{
  const scene_segment_t *segment = &unit->model.scene.segment[op->seg];
  size_t                 size    = own_size(unit, op->seg);
  bool  is_filled = segment->alias < 0 && (op->kind != ALLOC || op->how == ALLOC_FILLED);
  void *own       = NULL;

  RUN_OK(unit, op, dart_gptr_getaddr(unit->gptr[op->seg][unit->me], &own));
  if (size > 0 && own == NULL)
    run_fail(unit, op, "this unit's portion has no address");
  unit->own[op->seg] = own;
  if (is_filled)
    pattern_fill(own, model_key(&unit->model.scene, op, PATTERN_NEW + unit->me), 0, size);
  if (tail_of(unit, op->seg) > 0)
    memcpy(unit->tail[op->seg], unit->own[op->seg] + size, tail_of(unit, op->seg));
}

static void new_allocated(unit_t *unit, const op_t *op)
{
  dart_gptr_t gptr;

  RUN_OK(unit, op,
         dart_team_memalloc_aligned(unit->team[op->team],
                                    (size_t)op->sizes[unit->me] / type_size(op->type), op->type,
                                    &gptr));
  spread(unit, op, gptr, false);
  enter(unit, op);
  if ((uintptr_t)unit->own[op->seg] % LINE != 0 && own_size(unit, op->seg) > 0)
    run_fail(unit, op, "the portion starts at %p", (void *)unit->own[op->seg]);
}

/* ---- registered memory ----------------------------------------------------------------------- */

static uint64_t room_key(const unit_t *unit, int seg)
{
  return mix(unit->shape.salt, (uint64_t)seg, 77);
}

/* The user's memory: portion, and what is around it. */
static void *new_block(unit_t *unit, const op_t *op)
{
  size_t size = (size_t)op->sizes[unit->me], lead = ROOM + (size_t)op->shift;
  size_t all = (lead + size + ROOM + LINE - 1) / LINE * LINE;

  if (size == 0)
    return NULL;
  unit->block[op->seg]        = aligned_alloc(LINE, all);
  unit->block_nbytes[op->seg] = all;
  if (unit->block[op->seg] == NULL)
    run_fail(unit, op, "out of memory");
  pattern_fill(unit->block[op->seg], room_key(unit, op->seg), 0, all);
  pattern_fill(unit->block[op->seg] + lead,
               model_key(&unit->model.scene, op, PATTERN_NEW + unit->me), 0, size);
  return unit->block[op->seg] + lead;
}

static void new_registered(unit_t *unit, const op_t *op)
{
  size_t      n    = (size_t)op->sizes[unit->me] / type_size(op->type);
  dart_team_t team = unit->team[op->team];
  dart_gptr_t gptr;
  void       *memory = NULL;

  if (op->here < 0)
    memory = new_block(unit, op);
  else if (n > 0)
    memory = unit->own[op->here] + op->here_at;
  if (op->how == REGISTER_ALIGNED)
    RUN_OK(unit, op, dart_team_memregister_aligned(team, n, op->type, memory, &gptr));
  else
    RUN_OK(unit, op, dart_team_memregister(team, n, op->type, memory, &gptr));
  spread(unit, op, gptr, true);
  enter(unit, op);
  if (n > 0 && unit->own[op->seg] != memory)
    run_fail(unit, op, "memory at %p is known as %p", memory, (void *)unit->own[op->seg]);
}

/* Bytes around registered memory; before it goes, and at the end of a round. */
static void check_block(unit_t *unit, const op_t *op, int seg)
{
  size_t         size = own_size(unit, seg), lead, all = unit->block_nbytes[seg];
  unsigned char *block = unit->block[seg], *expected;

  if (block == NULL)
    return;
  expected = malloc(all);
  if (expected == NULL)
    run_fail(unit, op, "out of memory");
  lead = (size_t)(unit->own[seg] - block);
  pattern_fill(expected, room_key(unit, seg), 0, all);
  run_compare(unit, op, "memory before registered memory", block, expected, NULL, lead);
  run_compare(unit, op, "memory behind registered memory", block + lead + size,
              expected + lead + size, NULL, all - lead - size);
  free(expected);
}

void run_end_block(unit_t *unit, int seg)
{
  free(unit->block[seg]);
  unit->block[seg] = NULL;
}

static void deregister(unit_t *unit, const op_t *op)
{
  if (!units_have(op->units, unit->me))
    return;
  check_block(unit, op, op->seg);
  RUN_OK(unit, op, dart_team_memderegister(unit->gptr[op->seg][unit->me]));
  run_end_block(unit, op->seg);
}

/* ---- blocks of one unit: each fills its own, and tells the others where it is -------------------- */

static void exchange(unit_t *unit, const op_t *op, int team, dart_gptr_t mine)
{
  dart_gptr_t all[UNITS_MAX];

  unit->gptr[op->seg][unit->me] = mine;
  enter(unit, op);
  RUN_OK(unit, op, dart_allgather(&mine, all, sizeof mine, DART_TYPE_BYTE, unit->team[team]));
  for (int i = 0; i < unit->shape.units; i++) {
    int id = scene_team_id(&unit->model.scene, team, i);

    if (id >= 0)
      unit->gptr[op->seg][i] = all[id];
  }
}

static void new_pool_block(unit_t *unit, const op_t *op)
{
  dart_gptr_t mine;

  RUN_OK(unit, op, dart_memalloc((size_t)op->sizes[unit->me], DART_TYPE_BYTE, &mine));
  if (mine.unitid != unit->global[unit->me] || mine.segid != DART_SEGMENT_LOCAL ||
      mine.teamid != DART_TEAM_ALL)
    run_fail(unit, op, "the block is unit %d's, in segment %d of team %d", mine.unitid, mine.segid,
             mine.teamid);
  exchange(unit, op, 0, mine);
}

static void new_allocator_block(unit_t *unit, const op_t *op)
{
  dart_gptr_t mine;

  RUN_OK(unit, op,
         dart_allocator_alloc((size_t)op->sizes[unit->me], DART_TYPE_BYTE, &mine,
                              unit->allocator[op->allocator]));
  exchange(unit, op, unit->model.scene.allocator[op->allocator].team, mine);
}

static void end_allocator_block(unit_t *unit, const op_t *op)
{
  dart_gptr_t mine = unit->gptr[op->seg][unit->me];
  int         a    = unit->model.scene.segment[op->seg].allocator;

  RUN_OK(unit, op, dart_allocator_free(&mine, unit->allocator[a]));
  if (!DART_GPTR_ISNULL(mine))
    run_fail(unit, op, "the pointer is not null");
}

/* ---- all kinds ----------------------------------------------------------------------------- */

void run_new_segment(unit_t *unit, const op_t *op)
{
  switch (op->kind) {
  case ALLOC: new_allocated(unit, op); break;
  case REGISTER: new_registered(unit, op); break;
  case POOL: new_pool_block(unit, op); break;
  default: new_allocator_block(unit, op); break;
  }
}

void run_end_segment(unit_t *unit, const op_t *op)
{
  switch (op->kind) {
  case FREE: RUN_OK(unit, op, dart_team_memfree(unit->gptr[op->seg][unit->me])); break;
  case DEREGISTER: deregister(unit, op); break;
  case END_POOL: RUN_OK(unit, op, dart_memfree(unit->gptr[op->seg][unit->me])); break;
  default: end_allocator_block(unit, op); break;
  }
}

/* ---- compare --------------------------------------------------------------------------------------- */

void run_check_segment(unit_t *unit, const op_t *op, int seg)
{
  uint64_t  at     = 0;
  memory_t *memory = model_memory(&unit->model, seg, unit->me, &at);
  size_t    size   = own_size(unit, seg);
  char      what[64];

  if (size > 0) {
    snprintf(what, sizeof what, "s%d:%d", seg, unit->me);
    run_compare(unit, op, what, unit->own[seg], memory->data + at,
                memory->vague != NULL ? memory->vague + at : NULL, size);
    run_compare(unit, op, "memory behind a portion", unit->own[seg] + size, unit->tail[seg], NULL,
                tail_of(unit, seg));
  }
  check_block(unit, op, seg);
}
