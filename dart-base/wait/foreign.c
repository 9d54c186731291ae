/* Copies between processes. Layouts become lists of address ranges, as many at a time as one system
 * call takes; both lists of a call start with the same byte of the data. */
#include "wait/foreign.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "base/counters.h"
#include "base/log.h"
#include "base/size.h"
#include "wait/mutex.h"

#define RANGES 256 /* per call and side; the kernel takes 1024 */

typedef ssize_t move_t(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                       unsigned long, unsigned long);

/* One side of a transfer, and how far it was listed. */
typedef struct {
  uint64_t            base; /* address in its process */
  const dart__type_t *type;
  size_t              next; /* byte of the data to list next */
} side_t;

void dart__foreign_consent(void)
{
  /* fails where the kernel has no such restriction, and needs no consent */
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

bool dart__foreign_reaches(pid_t pid, uint64_t address)
{
  char         byte;
  struct iovec here  = { &byte, sizeof byte };
  struct iovec there = { (void *)(uintptr_t)address, sizeof byte };

  return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof byte;
}

/* The next range, of at most `most` bytes. */
static struct iovec next_range(side_t *side, size_t most)
{
  size_t   size = side->type->elem_size, within = side->next % size, position;
  uint64_t at    = side->base + side->next;
  size_t   count = most;

  if (!dart__type_is_contiguous(side->type)) {
    count =
        dart__least(most, dart__type_run(side->type, side->next / size, &position) * size - within);
    at = side->base + position * size + within;
  }
  side->next += count;
  return (struct iovec){ (void *)(uintptr_t)at, count };
}

/* The ranges of one side, until the list is full or `end` is reached. */
static size_t list_ranges(side_t *side, size_t end, struct iovec *ranges)
{
  size_t n = 0;

  while (n < RANGES && side->next < end)
    ranges[n++] = next_range(side, end - side->next);
  return n;
}

static dart_ret_t report_failed_copy(pid_t pid, ssize_t moved, size_t nbytes)
{
  if (moved < 0 && errno == ESRCH && dart__mutex_tag != 0)
    return DART_ERR_UNIT_LOST; /* where units may be, and the launcher tells it */
  if (moved < 0)
    dart__error("process %d's memory cannot be reached: %s%s", (int)pid, strerror(errno),
                errno == EPERM ? " (may processes of one user trace each other here?)" : "");
  else
    dart__error("%zu of %zu bytes in process %d's memory are not mapped there",
                nbytes - (size_t)moved, nbytes, (int)pid);
  return DART_ERR_OTHER;
}

static dart_ret_t move(move_t *how, pid_t pid, side_t here, side_t there, size_t nelem)
{
  struct iovec ranges_here[RANGES], ranges_there[RANGES];
  size_t       end = nelem * here.type->elem_size;

  dart__count(DART__COUNT_KERNEL);
  while (here.next < end) {
    size_t  first  = here.next;
    size_t  nhere  = list_ranges(&here, end, ranges_here);
    size_t  nthere = list_ranges(&there, here.next, ranges_there);
    ssize_t moved  = how(pid, ranges_here, nhere, ranges_there, nthere, 0);

    if (moved <= 0)
      return report_failed_copy(pid, moved, here.next - first);
    /* A call stops where the shorter list ends, after 2 GiB, and before pages that are not mapped. If such
     * pages come next, the next call fails. */
    here.next = there.next = first + (size_t)moved;
  }
  return DART_OK;
}

dart_ret_t dart__foreign_put(pid_t pid, uint64_t address, const dart__type_t *there_type,
                             const void *src, const dart__type_t *src_type, size_t nelem)
{
  side_t here  = { (uintptr_t)src, src_type, 0 };
  side_t there = { address, there_type, 0 };

  atomic_thread_fence(memory_order_release); /* as any put: earlier stores before the data */
  return move(process_vm_writev, pid, here, there, nelem);
}

dart_ret_t dart__foreign_get(void *dst, const dart__type_t *dst_type, pid_t pid, uint64_t address,
                             const dart__type_t *there_type, size_t nelem)
{
  side_t     here  = { (uintptr_t)dst, dst_type, 0 };
  side_t     there = { address, there_type, 0 };
  dart_ret_t ret   = move(process_vm_readv, pid, here, there, nelem);

  atomic_thread_fence(memory_order_acquire); /* as any get: the data before later loads */
  return ret;
}
