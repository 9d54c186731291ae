#ifndef DART__TRACE_TRACE_JOB_H
#define DART__TRACE_TRACE_JOB_H
/* What the layer knows of the job while it records. dart_init sets it (life.c), and all files of the layer read it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <dash/dart/ext/dart_profile.h>

/* A preloaded layer comes into every process that a program starts, also shells and mpiexec. Where DART's shared
 * library is missing, the weak names are NULL, and no function calls them. */
#ifdef DART__TRACE_PRELOADED
#define DART__TRACE_WEAK(name) extern __typeof__(name) p##name __attribute__((weak));
DART_FUNCTIONS(DART__TRACE_WEAK)
extern unsigned                       dart_layers __attribute__((weak));
extern __typeof__(dart__layer_failed) dart__layer_failed __attribute__((weak));
#undef DART__TRACE_WEAK
#endif

typedef struct {
  atomic_bool   is_on;   /* calls are recorded, between dart_init and dart_exit */
  char         *reports; /* folders; NULL: not selected */
  char         *traces;
  dart_unit_t   me;    /* global */
  dart_unit_t   node;  /* the least unit whose memory is near */
  dart_hwinfo_t place; /* the core and processor of this unit */
  size_t        nunits;
  uint64_t      begin; /* when dart_init was called first */
} dart__trace_job_t;

extern dart__trace_job_t dart__trace_job;

/** Nanoseconds of a steady clock of this host. */
static inline uint64_t dart__trace_now(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** Print "dart-trace: ...", one line in one write. */
void dart__trace_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* DART__TRACE_TRACE_JOB_H */
