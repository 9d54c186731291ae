#ifndef DART__SHMEM_DARTRUN_UNITS_H
#define DART__SHMEM_DARTRUN_UNITS_H
/* The processes of a program, from the first fork to the end of the last one. */
#include <stdbool.h>
#include <stdint.h>

#include "bind.h"
#include "job_file.h"

typedef struct {
  char        **command; /* program and arguments, NULL-terminated */
  uint32_t      nunits;
  int           job_fd;
  dart__job_t  *job;
  const bind_t *bind; /* NULL: units are not bound */
  char *machines;     /* recorded ones for nodes in turns, with colons between the files; or NULL */
  bool  is_tagged;    /* each line of output gets its unit */
} units_plan_t;

/** Start the units, and watch them until all have ended. Returns the exit code for the launcher: 0 if all units exited
 *  with 0, else the code for the first unit that did not. Called once. */
int units_run(const units_plan_t *plan);

#endif
