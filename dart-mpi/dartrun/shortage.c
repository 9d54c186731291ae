/* With less than these figures, MPICH 4.0 over UCX 1.13 did not start. They are compared only after MPI has not
 * started. */
#include "shortage.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "launch.h"

#define FILES_EACH  40                  /* of a unit, and of mpiexec without its units */
#define FILES_MORE  4                   /* of mpiexec, for each unit */
#define MEMORY_EACH (UINT64_C(5) << 20) /* of a unit, in /dev/shm: UCX's buffers are 4.1 MiB */

static void look_at_files(uint32_t nunits, rlim_t files)
{
  if (files < FILES_EACH + (rlim_t)FILES_MORE * nunits)
    launch_say("MPI did not start: ulimit -n is %llu, which may be too few descriptors",
               (unsigned long long)files);
}

static void look_at_memory(uint32_t nunits)
{
  struct statvfs there;
  uint64_t       left;

  if (statvfs("/dev/shm", &there) != 0) {
    launch_say("MPI did not start: there is no /dev/shm here");
    return;
  }
  left = (uint64_t)there.f_bavail * there.f_frsize;
  if (left < MEMORY_EACH * nunits)
    launch_say("MPI did not start: /dev/shm has %llu bytes left, which may be too few for %u units",
               (unsigned long long)left, nunits);
}

void shortage_say(uint32_t nunits, rlim_t files)
{
  look_at_files(nunits, files);
  look_at_memory(nunits);
  if (access("/proc/self", F_OK) != 0)
    launch_say("MPI did not start: there is no /proc here, which it may need");
}
