#ifndef DART__MPI_START_FINALIZE_H
#define DART__MPI_START_FINALIZE_H
/* The end of an MPI that DART has started. */

/** End MPI, as the process ends: MPI_Finalize, which does not hang then, or, where that cannot be had, without it.
 *  Collective over the job, after dart_exit. */
void dart__mpi_finalize(void);

#endif
