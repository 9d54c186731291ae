/* See vendor.h. Functions for the launcher's environment know all vendors, for it is read before MPI is asked. The others
 * know the MPI they are compiled with. */
#include "mpi/vendor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/plain_call.h"

/* ---- what launchers say ------------------------------------------------------------------------- */

const char *dart__vendor_rank(void)
{
  const char *text = getenv("PMI_RANK"); /* MPICH and others */

  return text != NULL ? text : getenv(DART__OPENMPI_RANK);
}

int dart__vendor_manager(void)
{
  const char *text = getenv("PMI_FD");

  return text != NULL ? atoi(text) : -1;
}

/* Hydra does. */
bool dart__vendor_misses_exits(void)
{
  return getenv("PMI_RANK") != NULL;
}

bool dart__vendor_is_one_host(int nunits)
{
  const char *here = getenv("MPI_LOCALNRANKS"); /* MPICH and its relatives */

  if (here == NULL)
    here = dart__openmpi_local_size();
  return here != NULL && atoi(here) == nunits;
}

#ifdef MPICH_VERSION
/* A setting of MPICH's may have other prefixes, too. */
static const char *mpich_setting(const char *name)
{
  static const char *const prefixes[] = { "MPIR_CVAR_", "MPIR_PARAM_", "MPICH_" };
  const char              *value      = NULL;
  char                     whole[40];

  for (size_t i = 0; value == NULL && i < sizeof prefixes / sizeof *prefixes; i++) {
    snprintf(whole, sizeof whole, "%s%s", prefixes[i], name);
    value = getenv(whole);
  }
  return value;
}
#endif

/* MPICH's: MPIR_CVAR_NUM_CLIQUES, where units go round, as dartrun sets it, is the only one that DART knows. */
int dart__vendor_nodes(void)
{
#ifdef MPICH_VERSION
  const char *cliques = mpich_setting("NUM_CLIQUES");
  char       *end;
  long        parts = 1;

  if (mpich_setting("ODD_EVEN_CLIQUES") != NULL || mpich_setting("EVEN_ODD_CLIQUES") != NULL ||
      mpich_setting("CLIQUES_BY_BLOCK") != NULL || mpich_setting("NOLOCAL") != NULL)
    return -1;
  if (cliques == NULL)
    return 1;
  parts = strtol(cliques, &end, 10);
  return end == cliques || *end != '\0' || parts < 1 || parts > INT_MAX ? -1 : (int)parts;
#else
  return 1;
#endif
}

const char *dart__vendor_job(void)
{
  const char *name = dart__openmpi_job(); /* which alone has a use for it */

  return name != NULL ? name : "job";
}

/* ---- settings ----------------------------------------------------------------------------------- */

/* MPICH looks for address space that is free on all units of a node by asking the kernel about
 * every page: 0.3 ms per MiB of a shared window. DART does not need equal addresses. */
void dart__vendor_set_up(bool runs)
{
  int provided, index, count, value = 0;

  if (!runs) {
    setenv("MPIR_CVAR_SHM_SYMHEAP_RETRY", "0", 0);
    dart__openmpi_set_windows();
    return;
  }
  /* The program has started MPI, so the environment is not read any more. (Before MPI is started,
   * MPI_T cannot be used: MPICH 4.0 does not survive an MPI_T_finalize before MPI_Init.) It is not ended
   * here either: MPICH 4.0 does not survive its next use (dart__vendor_has_no_pvars). */
  if (DART__MPI_CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
    return;
  if (DART__MPI_CALL(MPI_T_cvar_get_index, "MPIR_CVAR_SHM_SYMHEAP_RETRY", &index) == MPI_SUCCESS) {
    MPI_T_cvar_handle handle;

    if (DART__MPI_CALL(MPI_T_cvar_handle_alloc, index, NULL, &handle, &count) == MPI_SUCCESS) {
      if (count == 1 && DART__MPI_CALL(MPI_T_cvar_write, handle, &value) != MPI_SUCCESS)
        dart__info("MPIR_CVAR_SHM_SYMHEAP_RETRY cannot be set; large allocations may be slow");
      MPI_T_cvar_handle_free(&handle);
    }
  }
}

/* ---- errors ------------------------------------------------------------------------------------- */

/* MPICH 4.0 has no error class for errors that its units have agreed on, only messages: that no context id is left for a
 * communicator or window (there are 2048 of them), or that some unit of a node cannot make or map shared memory. The
 * latter was seen with limits on address space and on descriptors, on one unit alone and on all. */
bool dart__vendor_is_of_all(const char *text)
{
  return strstr(text, "Too many communicators") != NULL ||
         strstr(text, "because of fragmentation") != NULL ||
         strstr(text, "allocate shared memory") != NULL ||
         strstr(text, "remove shared memory") != NULL;
}

const char *dart__vendor_advice(const char *call)
{
  return DART__MPI_IS_OPENMPI ? dart__openmpi_advice(call) : "";
}

/* ---- the tool interface --------------------------------------------------------------------------- */

/* Once all who started the tool interface have ended it, MPICH 4.0 has forgotten its variables for ever, and crashes
 * when it is asked for their number. Then it does not know a variable that every MPICH has. */
bool dart__vendor_has_no_pvars(void)
{
#ifdef MPICH_VERSION
  int index;

  return MPI_T_cvar_get_index("MPIR_CVAR_ERROR_CHECKING", &index) != MPI_SUCCESS;
#else
  return false;
#endif
}

bool dart__vendor_can_open_pvar(const char *name)
{
  return !DART__MPI_IS_OPENMPI || dart__openmpi_can_open_pvar(name);
}
