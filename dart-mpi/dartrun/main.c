/* dartrun of dart-mpi: starts the mpiexec of the MPI with which DART was built, DART_MPIEXEC. It watches the units, to
 * name those that die (roll.h).
 *
 * dartrun adds nodes: with MPIR_CVAR_NUM_CLIQUES, MPICH divides the processes of one machine into groups that may not
 * share memory, so DART sees several nodes. With another MPI the units divide it, as DART_NODES says. dartrun also
 * passes --bind on, in mpiexec's terms. By default units are not bound, as dartrun does not know how many cores there
 * are where mpiexec starts the units. If there are too few cores, Hydra binds several units to one; and it counts the
 * cores of the whole machine, even if it may not use all of them.
 *
 * The rest is mpiexec's work: starting units, standard input, exit codes. Hydra, MPICH's mpiexec (4.0), ends with the
 * code of MPI_Abort, and so of dart_abort. If all processes end by themselves, it ends with their exit codes, bitwise
 * or-ed; if a signal killed a process, with the number of the signal. If a process exits between MPI_Init and
 * MPI_Finalize, Hydra kills the others and ends with 9, the number of SIGKILL, whatever the code was. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/if/dart.h>

#include "executable.h"
#include "launch.h"
#include "load_layers.h"
#include "roll.h"

const char *argp_program_version = "dartrun (dart-mpi) " DART_VERSION_STR;

static const struct argp_child children[] = { { &launch_argp, 0, NULL, 0 }, { 0 } };

static const struct argp arguments = {
  .args_doc = "PROGRAM [ARG...]",
  .doc      = "Start a DART program by mpiexec.\v"
              "The environment variable DART_MPIEXEC names another mpiexec than " DART_MPIEXEC
         ". Units are not bound by default (auto), unless mpiexec does it by itself. "
         "Signals sent to dartrun go to mpiexec, whose exit code is dartrun's. A unit of this "
         "machine that dies is named, and the code is not 0 then.",
  .children = children,
};

static void set_default(const char *name, const char *value)
{
  if (getenv(name) == NULL)
    launch_set(name, value);
}

/* Without --nodes, mpiexec determines the nodes, and nothing is set. */
static void set_nodes(const launch_t *launch)
{
  if (launch->nnodes == 0)
    return;
  launch_set_number("MPIR_CVAR_NUM_CLIQUES", launch->nnodes);
  launch_set_number("DART_NODES", launch->nnodes);
}

/* UCX, below MPICH, prints where a process crashed, and then other handlers cannot. DART's report also names the
 * unit. */
static void set_backtraces(void)
{
  const char *own = getenv("DART_BACKTRACE");

  if (own == NULL || strcmp(own, "0") != 0)
    set_default("UCX_HANDLE_ERRORS", "none");
}

/* Open MPI's mpiexec refuses more units than cores, and binds units by default. The user's values are kept. Other MPIs
 * do not read these variables. */
static void set_openmpi(void)
{
  set_default("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set_default("OMPI_MCA_hwloc_base_binding_policy", "none"); /* -bind-to outranks it */
}

/* Open MPI's mpiexec passes only its own variables on to other hosts, unless this one names more. */
static void set_openmpi_environment(void)
{
  char  *list = NULL;
  size_t size;
  FILE  *text = open_memstream(&list, &size);

  for (char **variable = environ; text != NULL && *variable != NULL; variable++)
    if (strncmp(*variable, "DART_", 5) == 0 || strncmp(*variable, "UCX_", 4) == 0 ||
        strncmp(*variable, "FI_", 3) == 0 || strncmp(*variable, "LD_PRELOAD=", 11) == 0)
      fprintf(text, "%.*s;", (int)strcspn(*variable, "="), *variable);
  if (text == NULL || fclose(text) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  if (size > 0)
    list[size - 1] = '\0';
  set_default("OMPI_MCA_mca_base_env_list", list);
  free(list);
}

/* The list for mpiexec, in which each host has its number of units: it divides `nunits` evenly, in the order of the
 * hosts, if the user's has no numbers. */
static char *divide_units(const char *hosts, int nunits)
{
  char  *list = NULL;
  size_t size;
  int    nhosts = 1, h = 0;
  FILE  *text = open_memstream(&list, &size);

  for (const char *comma = hosts; (comma = strchr(comma, ',')) != NULL; comma++)
    nhosts++;
  if (text != NULL && strchr(hosts, ':') != NULL)
    fputs(hosts, text);
  else
    for (const char *host = hosts; text != NULL && h < nhosts && h < nunits; h++) {
      int length = (int)strcspn(host, ",");

      fprintf(text, "%s%.*s:%d", h > 0 ? "," : "", length, host,
              nunits / nhosts + (h < nunits % nhosts));
      host += length + 1;
    }
  if (text == NULL || fclose(text) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  return list;
}

/* mpiexec's word for `bind`; NULL: units are not bound. */
static const char *bind_word(launch_bind_t bind)
{
  switch (bind) {
  case LAUNCH_BIND_CPU: return "hwthread";
  case LAUNCH_BIND_CORE: return "core";
  case LAUNCH_BIND_NUMA: return "numa";
  case LAUNCH_BIND_PACKAGE: return "socket";
  default: return NULL;
  }
}

int main(int argc, char **argv)
{
  launch_t    launch  = { .nunits_most = INT_MAX };
  const char *mpiexec = getenv("DART_MPIEXEC"), *option;
  char        nunits[16];
  char      **command, *hosts = NULL;
  size_t      nwords = 0, own = 0;
  int         code;

  launch_keep_standard_streams();
  argp_parse(&arguments, argc, argv, ARGP_IN_ORDER, NULL, &launch);
  launch_check_program(DART_STARTS, launch.command[0], argv);
  launch_check_settings();
  launch_layers();
  set_nodes(&launch);
  set_backtraces();
  set_openmpi();
  if (launch_hosts(&launch, &option) != NULL)
    set_openmpi_environment();
  if (mpiexec == NULL)
    mpiexec = DART_MPIEXEC;

  /* mpiexec TAGS -host LIST -bind-to WHAT -n N, then the command and its final NULL. MPICH's and Open MPI's
   * know the other words. */
  while (launch.command[nwords] != NULL)
    nwords++;
  command = calloc(8 + nwords + 1, sizeof command[0]);
  if (command == NULL)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  snprintf(nunits, sizeof nunits, "%d", launch.nunits);
  command[own++] = (char *)mpiexec;
  if (launch.is_tagged)
    command[own++] = DART_TAG_OPTION;
  if (launch.hosts != NULL) {
    command[own++] = "-host";
    command[own++] = hosts = divide_units(launch.hosts, launch.nunits);
  }
  if (launch.hosts_file != NULL) {
    command[own++] = "-hostfile";
    command[own++] = (char *)launch.hosts_file;
  }
  if (bind_word(launch.bind) != NULL) {
    command[own++] = "-bind-to";
    command[own++] = (char *)bind_word(launch.bind);
  }
  command[own++] = "-n";
  command[own++] = nunits;
  memcpy(command + own, launch.command, nwords * sizeof command[0]);

  code = roll_run(command, (uint32_t)launch.nunits);
  free(command);
  free(hosts);
  return code;
}
