/* See op_file.h. What operations may do with files, and what that changes. */
#include "op_file.h"

#include <string.h>

#include <dash/dart/if/dart_types.h>

/* ---- what is accessed -------------------------------------------------------------------------- */

/* The same elements as bytes. */
static layout_t as_bytes(const layout_t *layout)
{
  uint32_t size = (uint32_t)layout_elem(layout);
  layout_t b    = *layout;

  b.basic  = DART_TYPE_BYTE;
  b.custom = 0;
  b.stride *= size;
  b.blocklen *= size;
  for (uint32_t i = 0; i < b.nblocks; i++) {
    b.len[i] *= size;
    b.off[i] *= size;
  }
  return b;
}

/* Whole elements of a view, whose bytes are counted as if nothing lay between them, begin at this one. */
static file_region_t in_view(const scene_file_t *file, int unit, uint64_t at, uint64_t nbytes)
{
  file_region_t region   = { .layout = as_bytes(&file->view), .n = nbytes };
  size_t        instance = layout_instance(&region.layout);

  if (region.layout.kind == LAYOUT_RUN)
    region.from = file->view_at[unit] + at;
  else
    region.from =
        file->view_at[unit] +
        at / instance * (layout_at(&region.layout, instance) - layout_at(&region.layout, 0));
  return region;
}

static bool takes_part(const op_t *op, int unit)
{
  return !op_has(op, HAS_UNITS) || units_have(op->units, unit);
}

/* At the shared pointer: one unit behind the other. */
static uint64_t place(const scene_t *scene, const op_t *op, int unit)
{
  uint64_t at = scene->file[op->file].pointer;

  for (int i = 0; i < unit && op_kinds[op->kind].who == WHO_TEAM; i++)
    if (scene_team_id(scene, op->team, i) >= 0 && takes_part(op, i))
      at += op->n * layout_elem(&op->local);
  return at;
}

file_region_t file_region(const scene_t *scene, const op_t *op, int unit)
{
  const scene_file_t *file   = &scene->file[op->file];
  uint64_t            nbytes = op->n * layout_elem(&op->local), at = op->at;
  file_region_t       region = { .layout = { .basic = DART_TYPE_BYTE }, .n = nbytes };

  if (op_kinds[op->kind].who == WHO_TEAM && op_has(op, HAS_VALUE))
    at += (uint64_t)scene_team_id(scene, op->team, unit) * op->value;
  if (op_is_file_shared(op))
    region.from = place(scene, op, unit);
  else if (file->viewed)
    region = in_view(file, unit, at, nbytes);
  else
    region = (file_region_t){ at, op->remote, op->n };
  if (!takes_part(op, unit))
    region.n = 0;
  return region;
}

bool file_is_contest(const scene_t *scene, const op_t *op)
{
  return scene->file[op->file].atomic && op->kind != FILE_APPEND && op->kind != FILE_TAKE;
}

uint64_t file_elements_in(const file_region_t *region, uint64_t size)
{
  size_t elem = layout_elem(&region->layout);

  for (uint64_t k = 0; k < region->n; k++)
    if (region->from + layout_at(&region->layout, k) + elem > size)
      return k;
  return region->n;
}

/* ---- what is right ----------------------------------------------------------------------------- */

/* Within the file as it may become; in atomic mode what moves the shared pointer reads what was there before the round,
 * for how far it would get behind that is open. */
static bool good_region(const scene_t *scene, const op_t *op, int unit)
{
  const scene_file_t *file   = &scene->file[op->file];
  file_region_t       region = file_region(scene, op, unit);
  uint64_t            span   = layout_span(&region.layout, region.n);

  if (region.n == 0)
    return true;
  if (region.from > FILE_MOST || span > FILE_MOST || region.from + span > FILE_MOST)
    return false;
  if (!file->atomic)
    return true;
  return file->contests <= CONTESTS_MOST &&
         (op_is_file_write(op) || !op_is_file_shared(op) || region.from + span <= file->settled) &&
         region.n * layout_elem(&region.layout) <= CONTEST_MOST;
}

/* Records are all of one size, and there. */
static bool good_record(const scene_file_t *file, const op_t *op)
{
  uint64_t nbytes = op->n * layout_elem(&op->local);

  return op->kind != FILE_TAKE ||
         (nbytes <= RECORD_MOST && (file->taken == 0 || file->taken == nbytes) &&
          file->pointer + nbytes <= file->settled &&
          (file->taken == 0 || (file->pointer - file->take_from) / nbytes < RECORDS_MOST));
}

/* Elements of a view are whole at the beginning of an access, and bytes to it. */
static bool good_layouts(const scene_t *scene, const op_t *op)
{
  const scene_file_t *file = &scene->file[op->file];
  layout_t            view = as_bytes(&file->view);

  if (layout_elem(&op->local) == 0 || op->shift < 0 || op->shift >= 64 || op->n > FILE_MOST ||
      op->at > FILE_MOST || op->value > FILE_MOST)
    return false;
  if (op_is_file_shared(op)) /* others append bytes that are to be told apart */
    return !file->viewed && op->n * layout_elem(&op->local) >= 16 &&
           op->n % layout_instance(&op->local) == 0 && good_record(file, op);
  if (file->viewed && (op->remote.kind != LAYOUT_RUN || op->at % layout_instance(&view) != 0 ||
                       op->value % layout_instance(&view) != 0))
    return false;
  return layout_fits(&op->local, &op->remote, op->n) &&
         layout_is_disjoint(op_is_file_write(op) ? &op->remote : &op->local);
}

static bool good_access(const scene_t *scene, const op_t *op)
{
  const scene_file_t *file = &scene->file[op->file];

  if (!good_layouts(scene, op))
    return false;
  if (op_kinds[op->kind].who == WHO_ACTOR)
    return scene_team_id(scene, file->team, op->unit) >= 0 && good_region(scene, op, op->unit) &&
           (!op_is_file_shared(op) || op->n > 0);
  for (int unit = 0; unit < scene->shape.units; unit++)
    if (scene_team_id(scene, file->team, unit) >= 0 && !good_region(scene, op, unit))
      return false;
  return op->team == file->team;
}

static bool good_view(const scene_t *scene, const op_t *op)
{
  (void)scene;
  for (int unit = 0; unit < UNITS_MAX; unit++)
    if (op->sizes[unit] < 0 || op->sizes[unit] > FILE_MOST)
      return false;
  return op->how == VIEW_ALL ||
         (layout_elem(&op->remote) > 0 && layout_is_disjoint(&op->remote) &&
          layout_span(&op->remote, layout_instance(&op->remote)) < FILE_MOST);
}

bool scene_valid_for_file(const scene_t *scene, const op_t *op)
{
  if (op->file < 0 || op->file >= FILES_MAX ||
      scene->file[op->file].alive != (op->kind != FILE_OPEN))
    return false;
  switch (op->kind) {
  case FILE_OPEN:
  case FILE_RESIZE: return op->n <= FILE_MOST;
  case FILE_SEEK: return op->at <= FILE_MOST;
  case FILE_VIEW: return good_view(scene, op);
  case FILE_CLOSE:
  case FILE_SYNC:
  case FILE_MODE: return true;
  default: return good_access(scene, op);
  }
}

/* ---- what it changes --------------------------------------------------------------------------- */

static void set_view(scene_file_t *file, const op_t *op)
{
  file->viewed = op->how == VIEW_PART;
  file->view   = op->remote;
  for (int unit = 0; unit < UNITS_MAX; unit++)
    file->view_at[unit] = (uint64_t)op->sizes[unit];
}

static void grow(scene_t *scene, const op_t *op, int unit)
{
  file_region_t region = file_region(scene, op, unit);
  uint64_t      end    = region.from + layout_span(&region.layout, region.n);

  if (region.n > 0 && op_is_file_write(op) && end > scene->file[op->file].size)
    scene->file[op->file].size = end;
}

static void use(scene_t *scene, const op_t *op)
{
  scene_file_t *file = &scene->file[op->file];

  if (op->kind == FILE_APPEND && !file->appended) {
    file->appended    = true;
    file->append_from = file->pointer;
    file->append_low  = file->pointer < file->size ? file->pointer : file->size;
  }
  if (op->kind == FILE_TAKE && file->taken == 0) {
    file->taken     = op->n * layout_elem(&op->local);
    file->take_from = file->pointer;
  }
  if (file_is_contest(scene, op))
    file->contests += op_kinds[op->kind].who == WHO_TEAM ? scene_members(scene, op->team) : 1;
  if (op_kinds[op->kind].who == WHO_ACTOR)
    grow(scene, op, op->unit);
  for (int unit = 0; unit < scene->shape.units && op_kinds[op->kind].who == WHO_TEAM; unit++)
    if (scene_team_id(scene, op->team, unit) >= 0)
      grow(scene, op, unit);
  if (op_is_file_shared(op)) {
    uint64_t end = op_kinds[op->kind].who == WHO_ACTOR
                       ? file->pointer + op->n * layout_elem(&op->local)
                       : place(scene, op, scene->shape.units);

    file->pointer = end;
  }
}

void scene_apply_to_file(scene_t *scene, const op_t *op)
{
  scene_file_t *file = &scene->file[op->file];

  switch (op->kind) {
  case FILE_OPEN:
    memset(file, 0, sizeof *file);
    *file = (scene_file_t){
      .alive = true, .team = op->team, .base = op->value, .size = op->n, .settled = op->n
    };
    break;
  case FILE_CLOSE: file->alive = false; break;
  case FILE_RESIZE: file->size = file->settled = op->n; break;
  case FILE_MODE: file->atomic = op->how == MODE_ATOMIC; break;
  case FILE_VIEW: set_view(file, op); break;
  case FILE_SEEK: file->pointer = op->at; break;
  case FILE_SYNC: break;
  default: use(scene, op); break;
  }
}
