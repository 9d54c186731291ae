#ifndef BENCH_SCALE_NAMES_H
#define BENCH_SCALE_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "scale.h"

typedef struct {
  char table[64]; /* what the line assigns, or the function */
  char file[56];  /* and the line; empty: not known */
} site_name_t;

/** Name places by addr2line, from the source where it is in its place. */
void names_find(const place_t *places, size_t count, site_name_t *names_out);

#endif
