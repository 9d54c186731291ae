#ifndef RANDOM_TOTALS_H
#define RANDOM_TOTALS_H
/* What all jobs did together: schedules, operations, and the roads that DART's counters tell of. */
#include <stdbool.h>
#include <stdint.h>

enum { ROADS_MAX = 64 };

typedef struct {
  uint64_t jobs, failures, not_started, schedules, operations;
  uint64_t lost, at_risk, firm; /* units; operations of rounds with losses */
  struct {
    char     name[80];
    uint64_t count;
  } road[ROADS_MAX];
  int nroads;
} totals_t;

/** Add a job by what it printed. */
void totals_add(totals_t *totals, const char *output);

/** Print sums; and how often each road was taken, or that it never was. */
void totals_print(const totals_t *totals, bool with_roads);

#endif
