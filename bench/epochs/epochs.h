#ifndef BENCH_EPOCHS_H
#define BENCH_EPOCHS_H
/* What the files of this program share.
 *
 * A pattern says with whom each unit exchanges how many bytes in a step; a way is how: by point-to-point
 * messages, or by puts or gets between fences, between post and wait, or under locks; puts of the halo also by a
 * flush and a barrier, and with notifications. Each way has two sides, DART's and plain MPI's, which do the same on
 * memory of their own; MPI has no notifications. */
#include <dash/dart/ext/dart_epoch.h>

#include "../common/bench.h"

typedef enum { HALO, RIGHT, ALL } pattern_t;
typedef enum { PUTS, GETS, BOTH } operations_t;

typedef struct {
  pattern_t    pattern;
  operations_t operations;
  uint64_t     least, most; /* bytes */
  uint64_t     repeats;
  uint64_t     milliseconds; /* of one repetition, about */
  uint64_t     compute;      /* milliseconds, in the single figures */
  bool         overhead, registered, singles, csv, quick;
} options_t;

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
  dart_gptr_t memory;    /* n blocks to receive, n to send, and n to receive in every other step */
  dart_gptr_t counters;  /* n on each unit, for notifications: how many of the k-th origin came */
  uint64_t    nnotified; /* steps with notifications, of all units */
  size_t      most;      /* bytes of a block at most: their distance */
  bool        is_registered;
  void       *block; /* registered memory */
} exchange_t;

/** Everything of a pattern, collective; close frees it. */
void exchange_open(exchange_t *x, const options_t *o);
void exchange_close(exchange_t *x);

/* ---- ways --------------------------------------------------------------------------------------- */

typedef enum { MESSAGES, FENCE, PSCW, LOCK, FLUSH, NOTIFY, NKINDS } kind_t;

typedef struct {
  const char *name;
  kind_t      kind;
  bool        gets;
} way_t;

enum { NWAYS = 9, SIDES = 2, MOST_REPEATS = 101 };
extern const way_t ways[NWAYS]; /* the first one: messages */

/** Whether these operations ask for the way. */
bool way_is_wanted(int way, const options_t *o);

/** Do `steps` steps. */
typedef void (*steps_t)(exchange_t *x, size_t steps);

extern const steps_t dart_ways[NKINDS];

/* Plain MPI; a program without MPI has none (no_mpi_epochs.c). NULL: there is no such way. */
extern const steps_t *const mpi_ways;
void                        mpi_open(exchange_t *x);
void                        mpi_close(void);
char                       *mpi_memory(void); /* blocks as in x->memory */

/** Seconds of a step, [way][side]; 0: it is not wanted, or there is no such side. False: what came was wrong.
 *  Collective. */
bool measure(exchange_t *x, const options_t *o, double seconds[NWAYS][SIDES]);

/** Sorts the values. */
double median(double *values, size_t n);

/** Single figures, see singles.c. Collective. True: what was read back was right. */
bool singles(const bench_job_t *job, const options_t *o);

/* ---- output, by unit 0 -------------------------------------------------------------------------- */

void report_start(const exchange_t *x, const options_t *o);
void report_sizes(const exchange_t *x, const options_t *o, double seconds[NWAYS][SIDES]);

/** The header of CSV, which is that of the micro benchmark without the kinds of windows. */
void report_csv_head(void);
/** A line of CSV: `floor` is what the figure is measured against, in seconds; 0: there is none. */
void report_csv(const bench_job_t *job, const char *name, size_t nbytes, double dart, double floor,
                double mpi);

#endif
