/* See cases.h. */
#include "cases.h"

bench_job_t job;
dart_gptr_t memory;
uint64_t    local[ELEMENTS], other[ELEMENTS];
