/* Pages of the program that become shared memory at the address where they are, and back.
 *
 * The shared memory is mapped already, somewhere else. mremap with an old size of 0 maps it once more, at an address of
 * our choice, and in the same step takes away what was there. That works whatever the memory is (a file of DART's or of
 * MPI's, or anonymous), so no backend has to know. Between the copy and that step nobody may write to the pages. The
 * program promises that for its threads. DART's own thread is held (far/agent.h), for the pages of a static variable
 * may have variables of the library on them. */
#include "memory/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "far/agent.h"
#include "model/world.h"
#include "net.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

dart__pages_t dart__pages_of(const void *at, size_t nbytes)
{
  uintptr_t page  = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)at & ~(page - 1);

  if (nbytes == 0)
    return (dart__pages_t){ NULL, 0 };
  return (dart__pages_t){ (char *)first,
                          (((uintptr_t)at + nbytes - 1) & ~(page - 1)) + page - first };
}

/* ---- what lies there ------------------------------------------------------------------------- */

/* One line of /proc/self/maps. */
typedef struct {
  uintptr_t from, to;
  char      may[5]; /* "rw-p" */
  bool      is_stack;
  bool      is_of_file;
} region_t;

static bool next_region(FILE *maps, region_t *region_out)
{
  char          line[5000]; /* longer than any path */
  unsigned long inode;

  if (fgets(line, sizeof line, maps) == NULL)
    return false;
  region_out->is_stack = strstr(line, "[stack]") != NULL;
  if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &region_out->from, &region_out->to,
             region_out->may, &inode) != 4)
    return false;
  region_out->is_of_file = inode != 0;
  return true;
}

/* Of a file that ends before its mapping does, pages cannot be read: reading them raises SIGBUS. A kernel before 5.14
 * cannot say so (EINVAL). */
static bool can_be_read(const region_t *region, uintptr_t from, uintptr_t to)
{
  return !region->is_of_file ||
         madvise((void *)from, (region->to < to ? region->to : to) - from, MADV_POPULATE_READ) ==
             0 ||
         errno == EINVAL;
}

static dart_ret_t refuse_region(const char *function, const region_t *region)
{
  return dart__fail(
      DART_ERR_INVAL,
      "%s: memory at %#" PRIxPTR "-%#" PRIxPTR " (%s%s) cannot be moved: it has to be private, "
      "to be read and written alone, and no stack",
      function, region->from, region->to, region->may, region->is_stack ? ", the stack" : "");
}

/* Lines are in the order of addresses, so the pages are covered from their start on. */
static dart_ret_t check_regions(const char *function, dart__pages_t pages, FILE *maps)
{
  uintptr_t at = (uintptr_t)pages.first, end = at + pages.nbytes;
  region_t  region;

  while (at < end && next_region(maps, &region)) {
    if (region.to <= at)
      continue;
    if (region.from > at)
      break;
    if (region.is_stack || strcmp(region.may, "rw-p") != 0)
      return refuse_region(function, &region);
    if (!can_be_read(&region, at, end))
      return dart__fail(DART_ERR_INVAL,
                        "%s: memory at %#" PRIxPTR "-%#" PRIxPTR " cannot be read: %s", function,
                        region.from, region.to, strerror(errno));
    at = region.to;
  }
  if (at >= end)
    return DART_OK;
  return dart__fail(DART_ERR_OTHER, "%s: /proc/self/maps does not say what is at %#" PRIxPTR,
                    function, at);
}

dart_ret_t dart__pages_check(const char *function, dart__pages_t pages)
{
  const char *work = dart__thread_work();
  FILE       *maps;
  dart_ret_t  ret;

  if (work != NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s are pending, which may write to these pages",
                      function, work);
  maps = fopen("/proc/self/maps", "re");
  if (maps == NULL)
    return dart__fail(DART_ERR_OTHER, "%s: /proc/self/maps: %s", function, strerror(errno));
  ret = check_regions(function, pages, maps);
  fclose(maps);
  return ret;
}

/* ---- there and back -------------------------------------------------------------------------- */

/* Pages of the program's image can have what calls of other libraries go by (.got.plt), so there is no moment at which
 * they are not there. What replaces them is complete first, and then takes their place in one step. In a loop or after
 * a failure everything is copied anew, for this thread may have written to them, too. */

/* What is mapped at `from`, or with `nbytes` 0 a second mapping of it, takes the place of the pages. By syscall: UCX
 * replaces mremap by a function of its own, which loses the address. */
static bool replace(dart__pages_t pages, void *from, size_t nbytes)
{
  return syscall(SYS_mremap, from, nbytes, pages.nbytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                 pages.first) != -1;
}

static bool share(dart__pages_t pages, char *shared)
{
  bool is_done;

  dart__agent_hold(true);
  memcpy(shared, pages.first, pages.nbytes);
  is_done = replace(pages, shared, 0);
  dart__agent_hold(false);
  return is_done;
}

static bool make_private(dart__pages_t pages, const char *shared)
{
  void *copy = mmap(NULL, pages.nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool  is_done;

  if (copy == MAP_FAILED)
    return false;
  dart__agent_hold(true);
  memcpy(copy, shared, pages.nbytes);
  is_done = replace(pages, copy, pages.nbytes);
  dart__agent_hold(false);
  if (!is_done)
    munmap(copy, pages.nbytes);
  return is_done;
}

dart_ret_t dart__pages_share(dart__pages_t pages, char *shared)
{
  if (pages.nbytes == 0 || share(pages, shared))
    return DART_OK;
  return dart__fail(DART_ERR_NOMEM, "cannot map %zu bytes of shared memory at %p: %s", pages.nbytes,
                    (void *)pages.first, strerror(errno));
}

typedef struct {
  dart__pages_t pages;
  const char   *shared;
} adopted_t;

static bool try_private(void *context)
{
  const adopted_t *adopted = context;

  return make_private(adopted->pages, adopted->shared);
}

/* The memory has to be somewhere: a lack is waited out for a while, and then ends the program. */
void dart__pages_return(dart__pages_t pages, const char *shared)
{
  dart__wait_t wait = { .look     = try_private,
                        .context  = &(adopted_t){ pages, shared },
                        .limit_ns = DART__LONGEST_US * INT64_C(1000) };

  if (pages.nbytes == 0 || dart__wait_until(&wait, &dart__world.wait))
    return;
  dart__error("no memory for %zu bytes that were adopted: %s", pages.nbytes, strerror(errno));
  dart__net_abort(EXIT_FAILURE, false);
}
