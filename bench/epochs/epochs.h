#ifndef BENCH_EPOCHS_H
#define BENCH_EPOCHS_H
/* What the files of this program share.
 *
 * A pattern says with whom each unit exchanges how many bytes in a step; a way is how: by point-to-point
 * messages, or by puts or gets between fences, between post and wait, or under locks. Each way has two
 * sides, DART's and plain MPI's, which do the same on memory of their own. */
#include <dash/dart/ext/dart_epoch.h>

#include "../common/bench.h"

typedef enum { MESSAGES, FENCE, PSCW, LOCK, NWAYS } way_t;

/* An exchange: block k of a unit's `send` goes to block k of the `recv` of its k-th target, which has
 * it as its k-th origin. By gets it is taken from there instead. */
typedef struct {
  bench_job_t       job;
  int32_t           n;         /* targets, and origins */
  dart_team_unit_t *targets;   /* of this unit: where blocks go to */
  dart_team_unit_t *origins;   /* ... and come from */
  size_t            nnames[2]; /* without those named twice, as post and start want them: */
  dart_team_unit_t *unique[2]; /* targets, origins */
  size_t            nbytes;    /* of a block; 0: synchronisation alone */
  bool              gets;
  char             *send, *recv; /* DART's side; of `memory` */
  dart_gptr_t       memory;      /* n blocks to receive, then n to send */
  size_t            most;        /* bytes of a block at most: their distance */
  bool              is_registered;
  void             *block; /* registered memory */
} exchange_t;

/** Do `steps` steps. */
typedef void (*steps_t)(exchange_t *x, size_t steps);

extern const steps_t dart_ways[NWAYS];

/* Plain MPI; a program without MPI has none (no_mpi.c). */
extern const steps_t *const mpi_ways;
void                        mpi_open(exchange_t *x);
void                        mpi_close(void);
char                       *mpi_memory(void); /* blocks as in x->memory */

/** Single figures, see singles.c. Collective. True: what was read back was right. */
bool singles(const bench_job_t *job, double compute);

#endif
