/* Draws files and what is done with them. */
#include <dash/dart/if/dart_types.h>

#include "generate.h"
#include "op_file.h"

#define FREE_FILE(g)  draw_free((g)->scene->file, FILES_MAX, sizeof(g)->scene->file[0])
#define ALIVE_FILE(g) draw_alive(g, (g)->scene->file, FILES_MAX, sizeof(g)->scene->file[0])

/* ---- what comes and goes ------------------------------------------------------------------------ */

/* At the beginning, across a stripe of locks, across what a signed or an unsigned number of 32 bits holds. */
static uint64_t draw_base(generator_t *g)
{
  static const uint64_t bases[] = { 0, 0, (1 << 20) - 3000, (UINT64_C(1) << 31) - 5000,
                                    (UINT64_C(1) << 32) - 5000 };

  return bases[draw_below(&g->draw, sizeof bases / sizeof bases[0])];
}

void generate_new_file(generator_t *g)
{
  op_t op = op_new(FILE_OPEN), mode = op_new(FILE_MODE);

  op.file = FREE_FILE(g);
  if (op.file < 0)
    return;
  op.team  = draw_chance(&g->draw, 60)
                 ? 0
                 : draw_alive(g, g->scene->team, TEAMS_MAX, sizeof g->scene->team[0]);
  op.n     = draw_log(&g->draw, 0, FILE_MOST);
  op.value = draw_base(g);
  op.how   = (int)draw_below(&g->draw, 2);
  if (!generate(g, &op) || draw_chance(&g->draw, 60))
    return;
  mode.file = op.file;
  mode.how  = MODE_ATOMIC;
  generate(g, &mode);
}

/* Each unit's elements between those of the others, as of a distribution, or anywhere. */
static void draw_view(generator_t *g, op_t *op)
{
  uint32_t units = (uint32_t)g->scene->shape.units;
  uint64_t block;

  op->how    = draw_chance(&g->draw, 30) ? VIEW_ALL : VIEW_PART;
  op->remote = (layout_t){ .basic = draw_type(g) };
  draw_layout(g, &op->remote, true);
  if (draw_chance(&g->draw, 60)) {
    op->remote.kind     = LAYOUT_STRIDED;
    op->remote.blocklen = (uint32_t)draw_log(&g->draw, 1, 40);
    op->remote.stride   = units * op->remote.blocklen;
  }
  block = op->remote.blocklen * layout_elem(&op->remote);
  for (uint32_t unit = 0; unit < units; unit++)
    op->sizes[unit] =
        (int64_t)(op->remote.kind == LAYOUT_STRIDED ? unit * block : draw_log(&g->draw, 0, 4096));
}

void generate_change_file(generator_t *g)
{
  static const kind_t kinds[] = { FILE_CLOSE, FILE_RESIZE, FILE_SYNC, FILE_MODE,
                                  FILE_MODE,  FILE_VIEW,   FILE_VIEW, FILE_SEEK };
  op_t                op      = op_new(kinds[draw_below(&g->draw, sizeof kinds / sizeof kinds[0])]);

  op.file = ALIVE_FILE(g);
  if (op.file < 0)
    return;
  op.n = op.at = draw_log(&g->draw, 0, FILE_MOST);
  op.how       = (int)draw_below(&g->draw, 2);
  if (op.kind == FILE_SEEK)
    op.at = draw_below(&g->draw, g->scene->file[op.file].size + 100);
  if (op.kind == FILE_VIEW)
    draw_view(g, &op);
  generate(g, &op);
}

/* ---- accesses ------------------------------------------------------------------------------------- */

/* Where views begin anew, if there are some. */
static uint64_t draw_place(generator_t *g, const scene_file_t *file, uint64_t most)
{
  size_t step = file->viewed ? layout_instance(&file->view) * layout_elem(&file->view) : 1;

  return draw_below(&g->draw, most / step + 1) * step;
}

static void draw_access(generator_t *g, op_t *op)
{
  const scene_file_t *file = &g->scene->file[op->file];
  uint64_t            room = file->size + (draw_chance(&g->draw, 30) ? 3000 : 0), extent;

  if (file->atomic && room > 3000) /* so that they meet */
    room = draw_chance(&g->draw, 80) ? 3000 : room;
  draw_layouts(g, op, room);
  if (file->viewed) {
    op->remote.kind = LAYOUT_RUN;
    op->n /= (uint64_t)g->scene->shape.units;
    op->n -= op->n % layout_instance(&op->local);
  }
  extent    = layout_span(&op->remote, op->n);
  op->at    = draw_place(g, file, room > extent ? room - extent : 0);
  op->shift = draw_chance(&g->draw, 50) ? 0 : (int)draw_below(&g->draw, 16);
  op->how   = op_has(op, HAS_HOW) && draw_chance(&g->draw, 40) ? ACCESS_REQUEST : ACCESS_NOW;
}

static void one_unit(generator_t *g, op_t *op)
{
  draw_actor(g, op);
  draw_access(g, op);
  generate_hard(g, op);
}

/* One unit's data behind another's, or between them, or the same for all. */
static void all_units(generator_t *g, op_t *op)
{
  const scene_file_t *file  = &g->scene->file[op->file];
  uint32_t            units = (uint32_t)scene_members(g->scene, file->team);

  op->team = file->team;
  draw_access(g, op);
  op->units = g->scene->team[0].members;
  if (!draw_chance(&g->draw, 70))
    op->units &= draw_bits(&g->draw);
  if (draw_chance(&g->draw, 50)) {
    op->n /= units;
    op->n -= op->n % (layout_instance(&op->local) * layout_instance(&op->remote));
    op->value = layout_span(&op->remote, op->n);
    op->at /= 2;
  } else if (!file->viewed && draw_chance(&g->draw, 70)) {
    op->local.kind      = LAYOUT_RUN;
    op->remote.kind     = LAYOUT_STRIDED;
    op->remote.blocklen = (uint32_t)draw_log(&g->draw, 1, 60);
    op->remote.stride   = op->remote.blocklen * units;
    op->n               = op->remote.blocklen * (op->n / op->remote.stride);
    op->value           = op->remote.blocklen * layout_elem(&op->remote);
    op->at              = draw_below(&g->draw, 50);
  }
  if (file->viewed)
    op->value = op->at = 0;
  generate(g, op);
}

static void shared_pointer(generator_t *g, op_t *op)
{
  const scene_file_t *file    = &g->scene->file[op->file];
  uint64_t            left    = file->settled > file->pointer ? file->settled - file->pointer : 0;
  int                 records = 1;

  if (op_kinds[op->kind].who == WHO_ACTOR)
    records = (int)draw_several(g, 1, op->kind == FILE_TAKE ? 12 : 6);
  op->team   = file->team;
  op->remote = (layout_t){ .basic = 0 };
  draw_layouts(g, op, op->kind == FILE_TAKE ? 16 + left / (uint64_t)records : 4000);
  op->units = draw_bits(&g->draw) & g->scene->team[0].members;
  for (; records > 0; records--) {
    draw_actor(g, op);
    generate(g, op);
  }
}

/* Several actors at much the same place, in many pieces: in atomic mode none may see a part of another's. Some write
 * beyond the end, and some read there. */
static void contest(generator_t *g, int file)
{
  op_t     op   = op_new(FILE_WRITE);
  uint64_t size = g->scene->file[file].settled, beyond = draw_chance(&g->draw, 30) ? 2000 : 0;
  uint64_t at   = draw_below(&g->draw, (beyond > 0 ? size : size / 2) + 1);
  layout_t type = { .kind     = LAYOUT_STRIDED,
                    .basic    = DART_TYPE_BYTE,
                    .blocklen = (uint32_t)draw_log(&g->draw, 1, 80) };
  uint64_t most;

  type.stride = type.blocklen + (uint32_t)draw_log(&g->draw, 0, 100);
  for (size_t n = draw_several(g, 4, 16); n > 0; n--) {
    op.kind = draw_chance(&g->draw, 60) ? FILE_WRITE : FILE_READ;
    op.file = file;
    draw_actor(g, &op);
    op.local  = (layout_t){ .basic = DART_TYPE_BYTE };
    op.remote = type;
    op.how    = draw_chance(&g->draw, 25) ? ACCESS_REQUEST : ACCESS_NOW;
    most      = (size + beyond - at) / type.stride * type.blocklen;
    op.n      = most < CONTEST_MOST ? most : CONTEST_MOST;
    op.n -= op.n % type.blocklen;
    op.at = at + draw_below(&g->draw, draw_chance(&g->draw, 50) ? 1 : type.stride);
    generate(g, &op);
  }
}

void generate_file(generator_t *g)
{
  static const kind_t kinds[] = { FILE_READ,   FILE_READ,     FILE_WRITE,        FILE_WRITE,
                                  FILE_WRITE,  FILE_READ_ALL, FILE_WRITE_ALL,    FILE_WRITE_ALL,
                                  FILE_APPEND, FILE_APPEND,   FILE_READ_ORDERED, FILE_WRITE_ORDERED,
                                  FILE_TAKE,   FILE_TAKE };
  op_t                op      = op_new(kinds[draw_below(&g->draw, sizeof kinds / sizeof kinds[0])]);

  op.file = ALIVE_FILE(g);
  if (op.file < 0)
    return;
  if (g->scene->file[op.file].atomic && !g->scene->file[op.file].viewed &&
      draw_chance(&g->draw, op_is_file_shared(&op) ? 30 : 70))
    contest(g, op.file);
  else if (op_is_file_shared(&op))
    shared_pointer(g, &op);
  else if (op_kinds[op.kind].who == WHO_TEAM)
    all_units(g, &op);
  else
    one_unit(g, &op);
}
