#ifndef DART__MPI_MPI_PVAR_H
#define DART__MPI_MPI_PVAR_H
/* The performance variables of MPI's tool interface (MPI_T), as statistics of the transport (port.h). */

/** Start the tool interface, if that was not done before, and with DART_STATS find the variables that this MPI has. MPI
 *  runs. Otherwise dart__port_stats_size finds them. What cannot be had is left out. */
void dart__mpi_pvars_open(void);

#endif
