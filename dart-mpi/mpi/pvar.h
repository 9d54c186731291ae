#ifndef DART__MPI_PVAR_H
#define DART__MPI_PVAR_H
/* The performance variables of MPI's tool interface (MPI_T), as statistics of the transport (port.h). */

/** Find those that this MPI has, and begin with them, if that was not done before. MPI runs. What cannot be had is
 *  left out. One thread at a time. */
void dart__mpi_pvars_open(void);

#endif
