/* Memory that is left: the file system's limit, and the kernel's own estimate of what it can give
 * without swapping (MemAvailable), less a thirty-second for the rest of the machine. */
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

static uint64_t machine_room(void)
{
  uint64_t kib = UINT64_MAX >> 10;
  char     line[128];
  FILE    *meminfo = fopen("/proc/meminfo", "re");

  if (meminfo == NULL)
    return UINT64_MAX;
  while (fgets(line, sizeof line, meminfo) != NULL)
    if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
      break;
  fclose(meminfo);
  return (kib - kib / 32) << 10;
}

/* A file system without a limit of its own says that it has 0 blocks. */
static uint64_t file_room(const char *directory)
{
  struct statvfs fs;

  if (statvfs(directory, &fs) != 0 || fs.f_blocks == 0)
    return UINT64_MAX;
  return (uint64_t)fs.f_bavail * fs.f_frsize;
}

uint64_t dart__memory_room(const char *directory)
{
  uint64_t machine = machine_room(), file = file_room(directory);

  return machine < file ? machine : file;
}
