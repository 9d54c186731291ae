#ifndef TEST_CHECK_H
#define TEST_CHECK_H
/* Small programs, each right, or wrong in one way. A case is a function that all units call, and its report
 * names that function; what is expected is said beside its name, and compared by the script (cli_check.sh). */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart.h>

/* ALONE: the report comes with dart_exit or at the end, or the case ends the program; CRASHES: so does a signal. BOUND:
 * nothing is reported, but a line has what is expected. THREADS: by a program with several threads. */
typedef enum { TOGETHER, ALONE, CRASHES, BOUND, THREADS } how_t;

typedef struct {
  const char *name;
  const char *
      expected; /* a pattern of the shell, of the first line of the only report; NULL: nothing is reported */
  void (*run)(void);
  how_t how;
} case_t;

extern int          me, n; /* this unit, and how many there are: three at least */
extern const case_t memory_cases[], completion_cases[], collective_cases[], ordered_cases[],
    race_cases[], lock_cases[], epoch_cases[], in_epoch_cases[], bound_cases[];

/** A segment of `nelem` ints of each unit of all, at unit `unit`; all of them 0 when it returns. */
dart_gptr_t segment(size_t nelem, int unit);

/** The same pointer, at another unit, or some elements on. */
dart_gptr_t at(dart_gptr_t gptr, int unit, size_t element);

#endif
