#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H
/* The memory of all units, to which operations are applied one after the other. What it says of a byte
 * must be so, unless the byte is *vague*: nobody said what it is, see value.h. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene.h"

typedef struct {
  unsigned char *data;
  unsigned char *vague; /* 1: any value will do; NULL: of no byte */
  size_t         nbytes;
} memory_t;

/* What an operation of this unit must find: a local buffer when it is complete, the element that was
 * there before, the count to wait for. NULL: nothing is expected. */
typedef struct {
  unsigned char *bytes;
  unsigned char *vague; /* NULL: of no byte */
  size_t         nbytes;
  size_t         count;   /* of a file: elements that are there to read */
  uint64_t       pointer; /* of a file: where the shared pointer is before */
} expect_t;

typedef struct model {
  scene_t  scene;
  int      me; /* results are of this unit */
  memory_t memory[SEGMENTS_MAX][UNITS_MAX];
  memory_t file[FILES_MAX];
} model_t;

void model_open(model_t *model, shape_t shape, int me);
void model_close(model_t *model);

/** Apply an operation; what this unit must find goes to `expect_out`. */
void model_apply(model_t *model, const op_t *op, expect_t *expect_out);
/** The same for files: before the scene changes. */
void model_apply_to_file(model_t *model, const op_t *op, expect_t *expect);
void model_release(expect_t *expect);

/** The memory a segment names: of a segment that is another name, that one's, and where in it. */
memory_t *model_memory(model_t *model, int seg, int unit, uint64_t *at);

/** Patterns: of the source of an operation, of a destination before it is written, of a buffer that may
 *  be reused, of new memory of a unit, of what a unit gives to a collective. */
enum {
  PATTERN_SOURCE,
  PATTERN_BLANK,
  PATTERN_POISON,
  PATTERN_NEW   = 16,
  PATTERN_GIVEN = PATTERN_NEW + UNITS_MAX
};
uint64_t model_key(const scene_t *scene, const op_t *op, int what);

/** Element k of an atomic's operands. */
void model_operand(const scene_t *scene, const op_t *op, size_t k, void *operand);

#endif
