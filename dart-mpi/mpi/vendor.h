#ifndef DART__MPI_MPI_VENDOR_H
#define DART__MPI_MPI_VENDOR_H
/* What the library asks of the MPI at hand, and what it knows about MPICH and its relatives. What it knows about Open MPI is
 * in base/openmpi.h. MPICH's MPI_Finalize over TCP has a file of its own, start/finalize.c. */
#include <stdbool.h>

#include <mpi.h>

#include "base/openmpi.h"

/* The MPI that a program needs to be started by, as cmake/mpi.cmake and launch/executable.c name it, and whether windows
 * need their turn (window/window.c). */
#ifndef DART__MPI_IS_OPENMPI
#define DART__MPI_IS_OPENMPI      0
#define DART__MPI_WINDOWS_COLLIDE 0
#ifdef MPICH_VERSION
#define DART__MPI_VENDOR "mpich"
#else
#define DART__MPI_VENDOR "mpi"
#endif
#endif

/** This process's rank in MPI_COMM_WORLD as text, before MPI is started. NULL: the launcher does not say. */
const char *dart__vendor_rank(void);

/** The descriptor of the connection to MPICH's process manager; -1: there is none. */
int dart__vendor_manager(void);

/** Whether the launcher takes no notice of a process that exits with an error before MPI is started. */
bool dart__vendor_misses_exits(void);

/** Whether the launcher says that it has started all of `nunits` units on this host. */
bool dart__vendor_is_one_host(int nunits);

/** Into how many nodes MPI has been asked to divide each host, which units go round; 1: it is not divided; -1: in another
 *  way, which MPI knows. */
int dart__vendor_nodes(void);

/** A name that all processes of the job know, and no other job of this host has. */
const char *dart__vendor_job(void);

/** Settings of MPI that DART needs: of the environment, before MPI is started; by the tool interface, if it `runs`. */
void dart__vendor_set_up(bool runs);

/** Whether all units of a collective call got the error with this text. */
bool dart__vendor_is_of_all(const char *text);

/** What may help against an error of MPI in `call`, to follow its text; "": nothing is known. */
const char *dart__vendor_advice(const char *call);

/** Whether the tool interface has lost its variables, so that it must not be asked about them. */
bool dart__vendor_has_no_pvars(void);

/** Whether the performance variable may be opened. */
bool dart__vendor_can_open_pvar(const char *name);

#endif
