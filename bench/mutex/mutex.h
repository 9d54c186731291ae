#ifndef BENCH_MUTEX_MUTEX_H
#define BENCH_MUTEX_MUTEX_H
/* Mutexes of all units: what those that are compared have in common. */
#include "../common/bench.h"

/* Where a mutex can be measured: one of one node needs memory or a kernel that all units share, and what is measured
 * only while nobody else wants it is none. */
typedef enum { ON_ALL, ON_ONE_NODE, ONLY_FREE } mutex_scope_t;

/* `open` and `close` are collective. */
typedef struct {
  const char   *name;
  mutex_scope_t scope;
  void (*open)(const bench_job_t *job);
  void (*acquire)(void);
  void (*release)(void);
  void (*close)(void);
  void (*meet)(
      void); /* a barrier in which the units that wait make what progress the mutex needs */
} mutex_side_t;

/** Those that need no MPI, and those in plain MPI-3, both ending with one that has no name. */
extern const mutex_side_t mutex_own_sides[];
extern const mutex_side_t mutex_mpi_sides[];

/** The file that fcntl locks, the same on all units: in `folder`, called by `number`. */
void mutex_file(const char *folder, long number);

#endif
