#ifndef VICTIMS_H
#define VICTIMS_H
/* Units that kill themselves at drawn moments, to show that the others go on. */
#include <stdint.h>

#include "resilient.h"

/* How both programs start: PROGRAM [none|one|two|pair|node [SEED [FILE]]]. */
typedef struct {
  const char *kind; /* how many die: a pair is a unit and its buddy; of a node all units die */
  uint64_t    seed;
  const char *path; /* of checkpoints; NULL: they are in memory */
} options_t;

/* dart_init, and what was asked for. Ends the program if that makes no sense. */
options_t victims_init(int *argc, char ***argv);

/* Draw who dies in which of the phases 0 .. nphases - 1. */
void victims_draw(const options_t *options, const array_t *a, long nphases);

/* At the start of each phase: if this unit is to die in it, it does so, at once or a moment later. None dies in phase
 * `nphases`, where results are verified. */
void victims_start(long phase, long nphases);

#endif
