#ifndef DART__MPI_MPI_PVAR_H
#define DART__MPI_MPI_PVAR_H
#include "net.h"

/* The performance variables of MPI's tool interface (MPI_T), as statistics of the network (net.h). */

/** Start the tool interface, if that was not done before, and with DART_STATS find the variables that this MPI has. MPI
 *  runs. Otherwise the first call of dart__mpi_stats.size finds them. What cannot be had is left out. */
void dart__mpi_pvars_open(void);

extern const dart__net_stats_t dart__mpi_stats;

#endif
