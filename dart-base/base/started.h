#ifndef DART__BASE_STARTED_H
#define DART__BASE_STARTED_H
/* What MPI launchers tell the processes that they start, by their environment. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/openmpi.h"

/** How many processes a launcher has started, as it says; NULL: this one alone, or there is no launcher. Set
 *  `*is_first_out` in the process that reports an error for all of them. */
static inline const char *dart__started_processes(bool *is_first_out)
{
  static const char *const names[][2] = { { "PMI_SIZE", "PMI_RANK" }, /* MPICH and others */
                                          { DART__OPENMPI_SIZE, DART__OPENMPI_RANK } };
  const char              *processes  = NULL;

  *is_first_out = true;
  for (int i = 0; i < 2; i++) {
    const char *size = getenv(names[i][0]), *rank = getenv(names[i][1]);

    if (size == NULL)
      continue;
    if (atoi(size) <= 1) /* the other one's job has started this launcher */
      return NULL;
    processes = size;
    *is_first_out &= rank == NULL || atoi(rank) == 0;
  }
  return processes;
}

#endif
