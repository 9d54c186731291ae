#ifndef DART__JOB_START_H
#define DART__JOB_START_H
/* MPI's life: it may be running already, and cannot start twice in a process, while DART can. So an MPI that
 * DART started is ended when the process ends, and one that the program started is the program's to end. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

/** Start MPI for `wanted` threads, unless it runs; `*provided_out`: what it gives. DART_ERR_OTHER: the
 *  program has finalised it. */
dart_ret_t dart__mpi_start(int *argc, char ***argv, int wanted, int *provided_out);

/** Whether DART started MPI, and so has to end it. */
bool dart__mpi_is_ours(void);

#endif
