#ifndef DART__TRACE_TRACE_MEMORY_H
#define DART__TRACE_TRACE_MEMORY_H
/* DART's memory over time: samples of its levels, taken in collective calls. Their number is bounded. */
#include <stddef.h>
#include <stdint.h>

enum { DART__TRACE_LEVELS_MOST = 8, DART__TRACE_SAMPLES_MOST = 512 };

typedef struct {
  uint64_t time; /* dart__trace_now */
  uint64_t level[DART__TRACE_LEVELS_MOST];
} dart__trace_sample_t;

/** Take a sample, unless the last one is recent. Any thread may call it. */
void dart__trace_memory_sample(uint64_t now);

/** Take the last sample. */
void dart__trace_memory_last(uint64_t now);

/** The names of the levels, in their order. Returns how many there are, at most DART__TRACE_LEVELS_MOST. */
size_t dart__trace_memory_levels(const char *names[DART__TRACE_LEVELS_MOST]);

/** Copy the samples so far. Returns how many there are; `samples` has room for DART__TRACE_SAMPLES_MOST. */
size_t dart__trace_memory_copy(dart__trace_sample_t *samples);

#endif /* DART__TRACE_TRACE_MEMORY_H */
