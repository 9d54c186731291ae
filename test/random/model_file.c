/* Files in the model. What several append at once, and what overlaps in atomic mode, is left open: the end of the round
 * tells, see run_file.c. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "draw.h"
#include "model.h"
#include "need.h"
#include "op_file.h"

static void open_file(model_t *model, const op_t *op)
{
  memory_t *memory = &model->file[op->file];

  if (memory->data == NULL)
    memory->data = need(FILE_MOST);
  memory->nbytes = FILE_MOST;
  free(memory->vague);
  memory->vague = NULL;
  memset(memory->data, 0, FILE_MOST);
  pattern_fill(memory->data, model_key(&model->scene, op, PATTERN_NEW), 0, op->n);
}

/* Elements one behind the other, as they come from a unit's buffer. */
static unsigned char *given_by(const model_t *model, const op_t *op, int unit)
{
  size_t         span   = layout_span(&op->local, op->n);
  layout_t       run    = { .basic = op->local.basic, .custom = op->local.custom };
  unsigned char *source = need(span), *packed = need(op->n * layout_elem(&op->local));

  pattern_fill(source, model_key(&model->scene, op, PATTERN_GIVEN + unit), 0, span);
  layout_copy(packed, &run, source, &op->local, op->n);
  free(source);
  return packed;
}

static void write_one(model_t *model, const op_t *op, int unit)
{
  memory_t      *memory = &model->file[op->file];
  file_region_t  region = file_region(&model->scene, op, unit);
  size_t         elem   = layout_elem(&region.layout);
  unsigned char *packed;

  if (region.n == 0)
    return;
  packed = given_by(model, op, unit);
  for (uint64_t k = 0; k < region.n; k++) {
    size_t at = region.from + layout_at(&region.layout, k);

    memcpy(memory->data + at, packed + k * elem, elem);
    if (memory->vague != NULL)
      memset(memory->vague + at, 0, elem);
  }
  free(packed);
}

static void read_one(model_t *model, const op_t *op, expect_t *expect)
{
  memory_t      *memory = &model->file[op->file];
  file_region_t  region = file_region(&model->scene, op, model->me);
  size_t         span = layout_span(&op->local, op->n), elem = layout_elem(&op->local);
  size_t         size  = layout_elem(&region.layout);
  layout_t       run   = { .basic = op->local.basic, .custom = op->local.custom };
  uint64_t       there = file_elements_in(&region, model->scene.file[op->file].size);
  unsigned char *packed, *marks;

  if (region.n == 0)
    return;
  expect->count  = there * size / elem;
  expect->bytes  = need(span);
  expect->vague  = need(span);
  expect->nbytes = span;
  packed         = need(op->n * elem);
  marks          = need(op->n * elem);
  for (uint64_t k = 0; k < there; k++) {
    size_t at = region.from + layout_at(&region.layout, k);

    memcpy(packed + k * size, memory->data + at, size);
    if (memory->vague != NULL)
      memcpy(marks + k * size, memory->vague + at, size);
  }
  memset(marks + expect->count * elem, 1, (op->n - expect->count) * elem);
  pattern_fill(expect->bytes, model_key(&model->scene, op, PATTERN_BLANK), 0, span);
  layout_copy(expect->bytes, &op->local, packed, &run, op->n);
  layout_copy(expect->vague, &op->local, marks, &run, op->n);
  free(packed);
  free(marks);
}

static void resize(model_t *model, const op_t *op)
{
  memory_t *memory = &model->file[op->file];
  uint64_t  size   = model->scene.file[op->file].size;

  if (op->n < size)
    memset(memory->data + op->n, 0, size - op->n);
  if (op->n < size && memory->vague != NULL)
    memset(memory->vague + op->n, 0, size - op->n);
}

void model_apply_to_file(model_t *model, const op_t *op, expect_t *expect)
{
  bool is_team = op_kinds[op->kind].who == WHO_TEAM;

  expect->pointer = model->scene.file[op->file].pointer;
  if (op->kind == FILE_OPEN)
    open_file(model, op);
  else if (op->kind == FILE_RESIZE)
    resize(model, op);
  else if (model->scene.file[op->file].atomic)
    return;
  else if (op_is_file_write(op))
    for (int unit = is_team ? 0 : op->unit;
         unit < (is_team ? model->scene.shape.units : op->unit + 1); unit++) {
      if (!is_team || scene_team_id(&model->scene, op->team, unit) >= 0)
        write_one(model, op, unit);
    }
  else if (is_team ? scene_team_id(&model->scene, op->team, model->me) >= 0 : op->unit == model->me)
    read_one(model, op, expect);
}
