/* dartrun of dart-mpi: starts the mpiexec of the MPI with which DART was built, DART_MPIEXEC. It watches the units, to
 * name those that die (roll.h).
 *
 * dartrun adds nodes and tags, and passes --hosts and --bind on, in mpiexec's terms (mpiexec.h). By default
 * units are not bound, as dartrun does not know how many cores there are where mpiexec starts the units. If there are
 * too few cores, Hydra binds several units to one; and it counts the cores of the whole machine, even if it may not use
 * all of them.
 *
 * The rest is mpiexec's work: starting units, standard input, exit codes. Hydra, MPICH's mpiexec (4.0), ends with the
 * code of MPI_Abort, and so of dart_abort. If all processes end by themselves, it ends with their exit codes, bitwise
 * or-ed; if a signal killed a process, with the number of the signal. If a process exits between MPI_Init and
 * MPI_Finalize, Hydra kills the others and ends with 9, the number of SIGKILL, whatever the code was. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executable.h"
#include "launch.h"
#include "load_layers.h"
#include "mpiexec.h"
#include "roll.h"
#include "shortage.h"
#include "tag.h"

static const launch_about_t about = {
  .backend = "dart-mpi",
  .what    = "Usage: dartrun [OPTION...] -n N PROGRAM [ARG...]\n"
             "Start a DART program by mpiexec.\n\n",
  .more    = "\nThe environment variable DART_MPIEXEC names another mpiexec than " DART_MPIEXEC
          ".\nUnits are not bound by default (auto), unless mpiexec does it by itself. Signals\n"
          "sent to dartrun go to mpiexec, SIGHUP and SIGUSR2 to the units of this machine.\n"
          "The exit code is that of mpiexec, or of the unit that was the cause. A unit of this\n"
          "machine that dies is named, and the code is not 0 then.\n",
};

/* --tag: mpiexec starts `dartrun --tagged PROGRAM ARG...` for each unit, which sees to the output and then becomes the
 * program. MPICH's and Open MPI's mpiexec have options of their own for this; but Open MPI 4.1 has another tag, and loses
 * lines if there are many, and both mix what units have written of a line. */

#define TAGGED_WORDS 2 /* before the program */

static char own_path[PATH_MAX];
static char option[] = "--tagged";

/* The words that mpiexec starts before the program. They live until the process ends. */
static char *const *tagged_words(void)
{
  static char *const words[TAGGED_WORDS] = { own_path, option };

  if (readlink("/proc/self/exe", own_path, sizeof own_path - 1) < 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "--tag: cannot read /proc/self/exe: %s", strerror(errno));
  return words;
}

/* If these are the arguments of such a dartrun, become the program, and return only otherwise. */
static void become_tagged(int argc, char **argv)
{
  const char *rank = mpiexec_rank();
  char      **program;

  if (argc <= TAGGED_WORDS || strcmp(argv[1], option) != 0)
    return;
  program = argv + TAGGED_WORDS;
  if (rank != NULL)
    tag_own_output((uint32_t)atoi(rank));
  execvp(program[0], program);
  launch_fail(LAUNCH_EXIT_NOEXEC, "cannot start %s: %s", program[0], strerror(errno));
}

int main(int argc, char **argv)
{
  launch_t    launch  = { .nunits_most = INT_MAX };
  const char *mpiexec = getenv("DART_MPIEXEC"), *option;
  char      **command;
  int         code;

  become_tagged(argc, argv);
  if (mpiexec == NULL || *mpiexec == '\0')
    mpiexec = DART_MPIEXEC;
  launch_keep_standard_streams();
  launch_parse(&about, argc, argv, &launch);
  launch_check_program(DART_STARTS, launch.command[0], argv);
  launch_check_settings();
  mpiexec_check_hosts_file(mpiexec, &launch);
  shortage_refuse(&launch);
  launch_layers(&launch);
  mpiexec_set_up(&launch);
  command = mpiexec_command(mpiexec, &launch, launch.is_tagged ? tagged_words() : NULL,
                            launch.is_tagged ? TAGGED_WORDS : 0);
  code    = roll_run(command, (uint32_t)launch.nunits, shortage_has_hosts(&launch),
                     launch_hosts(&launch, &option) != NULL);
  free(command);
  return code;
}
