#ifndef BENCH_MUTEX_MUTEX_H
#define BENCH_MUTEX_MUTEX_H
/* Mutexes of all units: what those that are compared have in common. */
#include "../common/bench.h"

/* `open` and `close` are collective. */
typedef struct {
  const char *name;
  bool        one_node; /* it needs memory or a kernel that all units share */
  void (*open)(const bench_job_t *job);
  void (*acquire)(void);
  void (*release)(void);
  void (*close)(void);
  void (*meet)(
      void); /* a barrier in which the units that wait make what progress the mutex needs */
} mutex_side_t;

/** Those in plain MPI-3, ending with one that has no name. */
extern const mutex_side_t mutex_mpi_sides[];

#endif
