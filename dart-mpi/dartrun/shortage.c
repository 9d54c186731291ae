/* With less than these figures, MPICH 4.0 over UCX 1.13 did not start. They are compared only after MPI has not
 * started. */
#include "shortage.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FILES_EACH  40                  /* of a unit, and of mpiexec without its units */
#define FILES_MORE  4                   /* of mpiexec, for each unit */
#define MEMORY_EACH (UINT64_C(5) << 20) /* of a unit, in /dev/shm: UCX's buffers are 4.1 MiB */

static bool look_at_files(uint32_t nunits, rlim_t files)
{
  if (files >= FILES_EACH + (rlim_t)FILES_MORE * nunits)
    return false;
  launch_say("MPI did not start: ulimit -n is %llu, which may be too few descriptors",
             (unsigned long long)files);
  return true;
}

static bool look_at_memory(uint32_t nunits)
{
  struct statvfs there;
  uint64_t       left;

  if (statvfs("/dev/shm", &there) != 0) {
    launch_say("MPI did not start: there is no /dev/shm here");
    return true;
  }
  left = (uint64_t)there.f_bavail * there.f_frsize;
  if (left >= MEMORY_EACH * nunits)
    return false;
  launch_say("MPI did not start: /dev/shm has %llu bytes left, which may be too few for %u units",
             (unsigned long long)left, nunits);
  return true;
}

static bool look_at_proc(void)
{
  if (access("/proc/self", F_OK) == 0)
    return false;
  launch_say("MPI did not start: there is no /proc here, which it may need");
  return true;
}

bool shortage_say(uint32_t nunits, rlim_t files)
{
  bool few_files = look_at_files(nunits, files), little_memory = look_at_memory(nunits);

  return look_at_proc() || few_files || little_memory;
}

/* ---- before the start --------------------------------------------------------------------------- */

bool shortage_has_hosts(const launch_t *launch)
{
  static const char *const variables[] = { "HYDRA_HOST_FILE", "SLURM_JOB_ID",  "PBS_NODEFILE",
                                           "PBS_JOBID",       "LSB_JOBID",     "PE_HOSTFILE",
                                           "COBALT_JOBID",    "LOADL_HOSTFILE" };
  const char              *option;

  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    if (getenv(variables[i]) != NULL)
      return true;
  return launch_hosts(launch, &option) != NULL;
}

static unsigned long long most_processes(void)
{
  FILE              *file   = fopen("/proc/sys/kernel/pid_max", "re");
  unsigned long long number = 0;

  if (file == NULL)
    return ULLONG_MAX;
  if (fscanf(file, "%llu", &number) != 1)
    number = 0;
  fclose(file);
  return number > 0 ? number : ULLONG_MAX;
}

void shortage_refuse(const launch_t *launch)
{
  unsigned long long nunits = (unsigned long long)launch->nunits;
  unsigned long long most   = most_processes();
  struct rlimit      files;

  if (getenv("DART_MPIEXEC") != NULL || shortage_has_hosts(launch))
    return;
  if (nunits > most)
    launch_fail(LAUNCH_EXIT_USAGE,
                "-n %llu: this machine runs at most %llu processes (kernel.pid_max)", nunits, most);
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && nunits > files.rlim_cur)
    launch_fail(
        LAUNCH_EXIT_USAGE,
        "-n %llu: mpiexec needs a descriptor for each unit, and has at most %llu (ulimit -n)",
        nunits, (unsigned long long)files.rlim_cur);
}
