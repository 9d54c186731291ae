#ifndef BENCH_FILES_FILES_H
#define BENCH_FILES_FILES_H
/* Writing one file from many units: what the sides that are compared have in common. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/bench.h"

/* Bytes of one write: `count` blocks, a stride apart in the file, contiguous in memory. */
typedef struct {
  uint64_t offset;
  size_t   block;
  size_t   stride;
  size_t   count;
} files_access_t;

/* A way to write a file. Collective, but for `write`. */
typedef struct {
  const char *name;
  void (*open)(const char *path, bool atomic);
  void (*set)(const files_access_t
                  *access); /* the layout of the writes that follow; the offset may differ */
  void (*write)(const files_access_t *access, const void *data);
  void (*write_all)(const files_access_t *access, const void *data);
  void (*close)(void);
} files_side_t;

extern const files_side_t files_dart;

/** ROMIO's, or NULL where there is no MPI. */
const files_side_t *files_romio(void);

#endif
