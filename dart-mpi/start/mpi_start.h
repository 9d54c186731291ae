#ifndef DART__MPI_START_MPI_START_H
#define DART__MPI_START_MPI_START_H
/* Starting MPI. It may be running already, and cannot start twice in a process, while DART can. So an MPI
 * that DART started is finalised when the process ends; one that the program started, by the program. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

/** Start MPI with thread level `wanted`, unless it runs; `*provided_out`: its thread level. DART_ERR_OTHER:
 *  the program has finalised it. */
dart_ret_t dart__mpi_start(int *argc, char ***argv, int wanted, int *provided_out);

/** Have the end of the process, or of an MPI that is not ours, end DART, too. Once MPI has been started; asked for
 *  again, nothing. DART_ERR_NOMEM: it cannot be, and the next dart_init tries again. */
dart_ret_t dart__mpi_watch_end(void);

/** Whether DART started MPI, and so has to end it. */
bool dart__mpi_is_ours(void);

#endif
