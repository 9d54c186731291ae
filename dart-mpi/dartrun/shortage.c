/* With less than these figures, MPICH 4.0 over UCX 1.13 did not start. They are compared only after MPI has not
 * started. */
#include "shortage.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "launch.h"

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
