#ifndef RANDOM_OP_FILE_H
#define RANDOM_OP_FILE_H
/* Files of a schedule: what an operation accesses of one. */
#include "scene.h"

enum {
  FILE_MOST     = 96 << 10,
  CONTEST_MOST  = 4 << 10,
  CONTESTS_MOST = 100,
  RECORD_MOST   = 4 << 10,
  RECORDS_MOST  = 64
}; /* bytes of a file; of an access in atomic mode; how many of these in
                                                                                          a round */

/** Elements that a unit accesses, as they lie in the file from byte `from` on. */
typedef struct {
  uint64_t from;
  layout_t layout;
  uint64_t n; /* 0: nothing */
} file_region_t;

file_region_t file_region(const scene_t *scene, const op_t *op, int unit);

/** Whether it may overlap others of the round, in atomic mode; what is appended, and taken as records, lies apart. */
bool file_is_contest(const scene_t *scene, const op_t *op);

/** Of these elements, those from the first on that a file of `size` bytes has. */
uint64_t file_elements_in(const file_region_t *region, uint64_t size);

#endif
