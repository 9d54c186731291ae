#ifndef DART__TRACE_TRACE_JOB_H
#define DART__TRACE_TRACE_JOB_H
/* What the layer knows of the job while it watches: set by dart_init, for all of the layer to read (life.c). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <dash/dart/ext/dart_profile.h>

/* Loaded before a program, the layer comes into every process that it starts, shells and mpiexec too: where DART's
 * shared library is not, its names are NULL, and nothing calls them. */
#ifdef DART__TRACE_PRELOADED
#define DART__TRACE_WEAK(name) extern __typeof__(name) p##name __attribute__((weak));
DART_FUNCTIONS(DART__TRACE_WEAK)
extern unsigned dart_layers __attribute__((weak));
#undef DART__TRACE_WEAK
#endif

typedef struct {
  atomic_bool
        is_on;   /* calls are noted: between dart_init and dart_exit, if somebody asked for it */
  char *reports; /* folders; NULL: not asked for */
  char *traces;
  dart_unit_t   me;    /* global */
  dart_unit_t   node;  /* the least unit whose memory is near */
  dart_hwinfo_t place; /* where this unit runs */
  size_t        nunits;
  uint64_t      begin; /* when the first dart_init was called */
} dart__trace_job_t;

extern dart__trace_job_t dart__trace_job;

/** Nanoseconds of a clock of this host, which goes on steadily. */
static inline uint64_t dart__trace_now(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** Print "dart-trace: ...", one line written at once. */
void dart__trace_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* DART__TRACE_TRACE_JOB_H */
