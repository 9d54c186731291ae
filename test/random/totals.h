#ifndef RANDOM_TOTALS_H
#define RANDOM_TOTALS_H
/* What all jobs did together: schedules, operations, and the paths that DART's counters tell of. */
#include <stdbool.h>
#include <stdint.h>

enum { PATHS_MAX = 64, LATE_SECONDS = 5 };

typedef struct {
  uint64_t jobs, failures, not_started, schedules, operations;
  uint64_t lost, at_risk, firm; /* units; operations of rounds with losses */
  uint64_t nlate;               /* jobs of which one took longer than LATE_SECONDS */
  double   longest;             /* seconds */
  struct {
    char     name[80];
    uint64_t count;
  } path[PATHS_MAX];
  int npaths;
} totals_t;

/** Add a job by what it printed. */
void totals_add(totals_t *totals, const char *output);

/** Print sums; and how often each path was taken, or that it never was. */
void totals_print(const totals_t *totals, bool with_paths);

#endif
