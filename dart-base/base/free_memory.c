/* Available memory: the file system's limit, and the kernel's own estimate of what it can give
 * without swapping (MemAvailable), less a thirty-second for the rest of the machine.
 *
 * Huge pages for shared memory are a matter of how /dev/shm is mounted, mostly without. But a
 * process may ask the kernel to replace pages that exist by a huge one (MADV_COLLAPSE, Linux 6.1),
 * whatever the mount options are. */
#include "base/free_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/sanitizer.h"
#include "base/size.h"

#if DART__ASAN /* which looks for pointers in allocated memory only, or reports leaks */

void *dart__memory_new_table(size_t nbytes)
{
  return calloc(1, nbytes);
}

void dart__memory_delete_table(void *table, size_t nbytes)
{
  (void)nbytes;
  free(table);
}

#else

void *dart__memory_new_table(size_t nbytes)
{
  void *table = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return table == MAP_FAILED ? NULL : table;
}

void dart__memory_delete_table(void *table, size_t nbytes)
{
  if (table != NULL)
    munmap(table, nbytes);
}

#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

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

/* A file system without a limit of its own reports 0 blocks. */
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

/* ---- memory of the user ------------------------------------------------------------------ */

static bool populates(uintptr_t page, size_t nbytes)
{
  return madvise((void *)page, nbytes, MADV_POPULATE_WRITE) == 0;
}

/* A kernel before 5.14 cannot populate: then it fails for a page that is writable, too, and any page counts
 * as writable. */
static bool can_write(uintptr_t page, size_t nbytes)
{
  char own = 0;

  return populates(page, nbytes) || !populates((uintptr_t)&own & ~(nbytes - 1), nbytes);
}

bool dart__memory_is_writable(const void *at, size_t nbytes)
{
  size_t    page  = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)at & ~(page - 1), last = ((uintptr_t)at + nbytes - 1) & ~(page - 1);

  /* MS_ASYNC only checks that all pages are mapped */
  return msync((void *)first, last - first + page, MS_ASYNC) == 0 && can_write(first, page) &&
         (last == first || can_write(last, page));
}

/* ---- huge pages -------------------------------------------------------------------------- */

void *dart__memory_aligned_space(size_t nbytes, size_t alignment, size_t at)
{
  size_t unit = alignment < DART__HUGE_PAGE ? DART__HUGE_PAGE : alignment, room = nbytes + unit;
  char  *space, *aligned;

  if (room < nbytes)
    return NULL;
  space = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    return NULL;
  aligned = space + (dart__round_up((uintptr_t)space + at, unit) - ((uintptr_t)space + at));
  if (aligned > space)
    munmap(space, (size_t)(aligned - space));
  if (aligned + nbytes < space + room) /* both ends are whole pages if nbytes is */
    munmap(aligned + nbytes, (size_t)(space + room - (aligned + nbytes)));
  return aligned;
}

void dart__memory_make_huge(void *at, size_t nbytes)
{
  static _Atomic bool reported;
  uintptr_t           from = dart__round_up((uintptr_t)at, DART__HUGE_PAGE);
  uintptr_t           to   = ((uintptr_t)at + nbytes) & ~(DART__HUGE_PAGE - 1);

  if (from >= to || dart__settings.huge_pages == DART__HUGE_PAGES_NONE)
    return;
  /* relaxed: only the atomicity of the exchange matters */
  if (madvise((void *)from, to - from, MADV_COLLAPSE) == 0)
    dart__count_operation(DART__COUNT_HUGE, to - from);
  else if (!atomic_exchange_explicit(&reported, true, memory_order_relaxed))
    dart__info("no huge pages for %zu bytes: %s", (size_t)(to - from), strerror(errno));
}
