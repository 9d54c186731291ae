#ifndef DART__TRACE_TRACE_MEMORY_H
#define DART__TRACE_TRACE_MEMORY_H
/* DART's memory over time: samples of its levels, taken in collective calls, and never more than a fixed number. */
#include <stddef.h>
#include <stdint.h>

enum { DART__TRACE_LEVELS_MOST = 8, DART__TRACE_SAMPLES_MOST = 512 };

typedef struct {
  uint64_t time; /* dart__trace_now */
  uint64_t level[DART__TRACE_LEVELS_MOST];
} dart__trace_sample_t;

/** Take a sample, unless one was taken shortly before. Any thread. */
void dart__trace_memory_sample(uint64_t now);

/** Take one in any case: the last one. */
void dart__trace_memory_last(uint64_t now);

/** The names of levels, in their order: how many there are, at most DART__TRACE_LEVELS_MOST. */
size_t dart__trace_memory_levels(const char *names[DART__TRACE_LEVELS_MOST]);

/** A copy of the samples so far: their number. `samples` has room for DART__TRACE_SAMPLES_MOST. */
size_t dart__trace_memory_copy(dart__trace_sample_t *samples);

#endif /* DART__TRACE_TRACE_MEMORY_H */
