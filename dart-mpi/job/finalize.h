#ifndef DART__JOB_FINALIZE_H
#define DART__JOB_FINALIZE_H
/* The end of an MPI that DART has started. */

/** Synchronise all units, so that MPI_Finalize does not hang. Collective over the job, after dart_exit. */
void dart__mpi_before_finalize(void);

#endif
