#ifndef DART__BASE_OPENMPI_H
#define DART__BASE_OPENMPI_H
/* All that is different with Open MPI, in one place: what its launcher says and needs, its windows, threads and tool
 * interface. dart-mpi (mpi/vendor.h), its dartrun (dartrun/mpiexec.h) and base/started.h use this, and it needs no MPI.
 * Seen with version 4.1; names of version 5 are from its documentation. Where mpi.h was included before, the end of this
 * file says what Open MPI is at compile time. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what its launcher says to processes ---------------------------------------------------------- */

#define DART__OPENMPI_SIZE "OMPI_COMM_WORLD_SIZE"
#define DART__OPENMPI_RANK "OMPI_COMM_WORLD_RANK"

/** How many processes of the job are on this host, as text; NULL: it was not this launcher. */
static inline const char *dart__openmpi_local_size(void)
{
  return getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
}

/** A name that all processes of the job know, and no other job of this host has; NULL: it was not this launcher. */
static inline const char *dart__openmpi_job(void)
{
  return getenv("PMIX_NAMESPACE");
}

/* ---- what its launcher needs ---------------------------------------------------------------------- */

/** Its mpiexec refuses more units than cores, and binds units by default. Call `set` for the variables that change
 *  this. The names are those of version 4, and of PRRTE, which starts the units of version 5
 *  (docs.open-mpi.org/en/v5.0.x/mca.html). */
static inline void dart__openmpi_set_launcher(void (*set)(const char *name, const char *value))
{
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  set("OMPI_MCA_hwloc_base_binding_policy", "none"); /* -bind-to outranks it */
  set("PRTE_MCA_hwloc_default_binding_policy", "none");
}

/** Its mpiexec passes only its own variables on to other hosts, unless this one names more, with ";" between them. */
#define DART__OPENMPI_PASSED_ON "OMPI_MCA_mca_base_env_list"

/* ---- windows and threads -------------------------------------------------------------------------- */

/** Before MPI is started. Version 4.1 hangs in MPI_Win_attach when more parts of memory are attached to a window than it
 *  has places for: 64, unless the environment says otherwise. */
static inline void dart__openmpi_set_windows(void)
{
  setenv("OMPI_MCA_osc_rdma_max_attach", "4096", 0);
}

/** What may help against an error in this call, to follow its text. Version 4.1 chooses a component for each window.
 *  Debian's packages leave out those that can work over TCP (pt2pt, which cannot have threads, and ucx), and then its
 *  text is that the window is invalid. */
static inline const char *dart__openmpi_advice(const char *call)
{
  return strncmp(call, "MPI_Win_create", strlen("MPI_Win_create")) == 0
             ? " (Open MPI may have no component for windows on this network: try "
               "OMPI_MCA_osc=rdma,ucx,sm)"
             : "";
}

/* ---- its tool interface --------------------------------------------------------------------------- */

/** Whether a performance variable may be opened. Version 4.1 offers variables of components that are not in use, and does
 *  not say which these are. It crashes when one of the message transport psm2 is opened (the framework mtl), or, over
 *  TCP, one of osc/rdma. */
static inline bool dart__openmpi_can_open_pvar(const char *name)
{
  return strncmp(name, "mtl_", strlen("mtl_")) != 0 && strncmp(name, "osc_", strlen("osc_")) != 0;
}

#endif

/* ---- at compile time ------------------------------------------------------------------------------ */

/* This is not within the guard: a header may have brought what is above before mpi.h was included. Before version 5,
 * windows of communicators without a common rank must not be made at the same time on a host (window/window.c). */
#if defined OPEN_MPI && !defined DART__MPI_VENDOR
#define DART__MPI_VENDOR          "openmpi"
#define DART__MPI_IS_OPENMPI      1
#define DART__MPI_WINDOWS_COLLIDE (OMPI_MAJOR_VERSION < 5)
#endif
