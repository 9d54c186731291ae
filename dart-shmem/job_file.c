/* The job's file: made, mapped, cut, reserved and released. See job_file.h.
 *
 * The invariant: a page is touched only after fallocate gave it, so that running out of memory is
 * a return value and never a SIGBUS. This holds from the first page on, the header's. */
#include "job_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/free_memory.h"
#include "base/log.h"
#include "model/tell.h"

#define DIRECTORY "/dev/shm"

/* The size asked for, and the smallest one that is accepted. */
#define NBYTES_MOST  (UINT64_C(1) << 56)
#define NBYTES_LEAST (UINT64_C(1) << 30)

/* Pages are reserved in steps of at most this size. Free memory is checked before each step, so units that
 * reserve at the same time see each other. */
#define STEP (UINT64_C(8) << 20)

static uint64_t round_up(uint64_t value, uint64_t power_of_2)
{
  return (value + power_of_2 - 1) & ~(power_of_2 - 1);
}

static uint64_t page_size(void)
{
  return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---------------------------------------------------------------- create and open */

/* For file systems without unnamed files: the file has a name between two calls. */
static int open_and_unlink(void)
{
  uint64_t number;
  char     name[32];
  int      fd;

  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    return -1;
  snprintf(name, sizeof name, "/dart-%016" PRIx64, number);
  fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600); /* closed on exec as well */
  if (fd >= 0)
    shm_unlink(name);
  return fd;
}

static int open_unnamed(void)
{
  int fd = open(DIRECTORY, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  /* a kernel without O_TMPFILE sees O_DIRECTORY in it, and a directory opened for writing */
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    fd = open_and_unlink();
  return fd;
}

/* Make the file as large as it gets, up to NBYTES_MOST. */
static dart_ret_t enlarge(int fd, uint64_t *nbytes_out)
{
  uint64_t      nbytes = NBYTES_MOST;
  struct rlimit limit;

  /* Past this limit ftruncate raises SIGXFSZ. */
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    while (nbytes > limit.rlim_cur)
      nbytes /= 2;
    if (nbytes < NBYTES_LEAST)
      return dart__fail(DART_ERR_OTHER,
                        "the limit on file sizes (ulimit -f) is %" PRIu64
                        " bytes; shared memory needs "
                        "at least %" PRIu64,
                        (uint64_t)limit.rlim_cur, NBYTES_LEAST);
  }

  while (ftruncate(fd, (off_t)nbytes) != 0) {
    if (errno == EINTR)
      continue;
    if ((errno != EFBIG && errno != EINVAL) || nbytes <= NBYTES_LEAST)
      return dart__fail(DART_ERR_OTHER,
                        "cannot make a file of %" PRIu64 " bytes in " DIRECTORY ": %s", nbytes,
                        strerror(errno));
    nbytes /= 2;
  }
  *nbytes_out = nbytes;
  return DART_OK;
}

uint64_t dart__job_record(uint32_t unit)
{
  return round_up(sizeof(dart__job_t), page_size()) +
         unit * round_up(sizeof(dart__record_t), page_size());
}

uint64_t dart__job_note(const dart__job_t *job, uint32_t unit, int16_t team)
{
  return dart__job_record(job->nunits) +
         (unit * (UINT64_C(1) + UINT16_MAX) + (uint16_t)team) * sizeof(uint64_t);
}

static uint64_t places_at(const dart__job_t *job, uint64_t index)
{
  return dart__job_note(job, job->nunits, 0) + index * DART__JOB_PLACE;
}

uint64_t dart__job_place(const dart__job_t *job, uint32_t unit, uint64_t registration)
{
  return places_at(job, registration / page_size() % DART__JOB_PLACES * job->nunits + unit);
}

/* Bytes of the header of a job that does not outlive units. */
static size_t header_bytes(void)
{
  return offsetof(dart__job_t, ballots);
}

/* Ballots of this job's units only. Some may be on the last page of the rest. */
dart_ret_t dart__job_reserve_ballots(int fd, uint32_t nunits)
{
  uint64_t from = round_up(header_bytes(), page_size());
  uint64_t to   = header_bytes() + (uint64_t)nunits * DART__BALLOTS * sizeof(dart__ballot_t);

  return to <= from ? DART_OK : dart__job_reserve(fd, from, to - from, NULL, DART__TELL_EACH);
}

static dart__job_t *map_header(int fd)
{
  void *at = mmap(NULL, sizeof(dart__job_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (at != MAP_FAILED)
    return at;
  return dart__fail(NULL, "cannot map the header of the job: %s", strerror(errno));
}

dart_ret_t dart__job_create(uint32_t nunits, uint32_t nnodes, int *fd_out)
{
  dart__job_t *job;
  uint64_t     nbytes;
  dart_ret_t   ret;
  int          fd = open_unnamed();

  if (fd < 0)
    return dart__fail(DART_ERR_OTHER, "cannot make shared memory in " DIRECTORY ": %s",
                      strerror(errno));
  if ((ret = enlarge(fd, &nbytes)) != DART_OK ||
      (ret = dart__job_reserve(fd, 0, header_bytes(), NULL, DART__TELL_EACH)) != DART_OK)
    goto close_file;
  if (dart__settings.survive == 1 && (ret = dart__job_reserve_ballots(fd, nunits)) != DART_OK)
    goto close_file;
  if ((job = map_header(fd)) == NULL) {
    ret = DART_ERR_OTHER;
    goto close_file;
  }

  /* All other members start as 0. No order is needed: no other process has the file yet. */
  job->nbytes = nbytes;
  job->nunits = nunits;
  job->nnodes = nnodes;
  job->magic  = DART__JOB_MAGIC;
  dart__barrier_init(&job->barrier, nunits, 0);
  atomic_store_explicit(&job->next, places_at(job, DART__JOB_PLACES * nunits),
                        memory_order_relaxed);
  atomic_store_explicit(&job->left, UINT32_MAX, memory_order_relaxed);
  atomic_store_explicit(&job->survives, dart__settings.survive == 1, memory_order_relaxed);
  dart__job_close(job);
  *fd_out = fd;
  return DART_OK;

close_file:
  close(fd);
  return ret;
}

dart_ret_t dart__job_open(int fd, dart__job_t **job_out)
{
  uint64_t magic = 0;
  ssize_t  nread = pread(fd, &magic, sizeof magic, 0); /* fails where a load would be a SIGBUS */

  if (nread < 0)
    return dart__fail(DART_ERR_OTHER, "descriptor %d is not the shared memory of a job: %s", fd,
                      strerror(errno));
  if (nread < (ssize_t)sizeof magic || magic != DART__JOB_MAGIC)
    return dart__fail(DART_ERR_OTHER,
                      "descriptor %d is not the shared memory of a job of this version of DART "
                      "(it begins with %016" PRIx64 ", not %016" PRIx64 ")",
                      fd, magic, DART__JOB_MAGIC);

  dart__job_t *job = map_header(fd);

  if (job == NULL)
    return DART_ERR_OTHER;
  *job_out = job;
  return DART_OK;
}

void dart__job_close(dart__job_t *job)
{
  munmap(job, sizeof *job);
}

/* ---------------------------------------------------------------- cut, reserve, release */

uint64_t dart__job_cut(dart__job_t *job, size_t nbytes)
{
  uint64_t align = nbytes >= DART__HUGE_PAGE ? DART__HUGE_PAGE : page_size();
  uint64_t next  = atomic_load_explicit(&job->next, memory_order_relaxed);
  uint64_t begin;

  /* relaxed: the counter hands out numbers and publishes nothing; the unit that publishes the range to
   * others orders what is in it */
  do {
    begin = round_up(next, align);
    if (begin > job->nbytes || nbytes > job->nbytes - begin)
      return dart__fail(
          0, "cannot cut %zu bytes: %" PRIu64 " of the job's %" PRIu64 " were handed out", nbytes,
          next, job->nbytes);
  } while (!atomic_compare_exchange_weak_explicit(&job->next, &next,
                                                  round_up(begin + nbytes, page_size()),
                                                  memory_order_relaxed, memory_order_relaxed));
  return begin;
}

static void tell_no_room(uint64_t nbytes, uint64_t room, const char *why, uint32_t call)
{
  if (dart__tells_first(call))
    dart__error("no room for %" PRIu64 " bytes of shared memory: " DIRECTORY
                " and the machine have %" PRIu64 " left%s%s",
                nbytes, room, why != NULL ? "; " : "", why != NULL ? why : "");
}

static bool has_room(uint64_t nbytes, const char *why, uint32_t call)
{
  uint64_t room = dart__memory_room(DIRECTORY);

  if (nbytes <= room)
    return true;
  tell_no_room(nbytes, room, why, call);
  return false;
}

dart_ret_t dart__job_reserve(int fd, uint64_t offset, size_t nbytes, const char *why, uint32_t call)
{
  uint64_t at  = offset;
  uint64_t end = round_up(offset + nbytes, page_size());

  /* has_room avoids taking all memory from others only to release it; fallocate decides */
  while (at < end) {
    uint64_t step = end - at < STEP ? end - at : STEP;

    if (!has_room(end - at, why, call))
      goto release;
    while (fallocate(fd, 0, (off_t)at, (off_t)step) != 0) {
      if (errno == EINTR) { /* it undid its work; a profiler's timer would let no large step pass */
        step = round_up(step / 2, page_size());
        continue;
      }
      if (errno == ENOSPC) /* another unit took the room since the look at it */
        tell_no_room(end - at, dart__memory_room(DIRECTORY), why, call);
      else if (dart__tells_first(call))
        dart__error("cannot reserve %zu bytes of shared memory: %s", nbytes, strerror(errno));
      goto release;
    }
    at += step;
  }
  return DART_OK;

release:
  if (at > offset)
    dart__job_release(fd, offset, at - offset);
  return DART_ERR_NOMEM;
}

void dart__job_release(int fd, uint64_t offset, size_t nbytes)
{
  uint64_t length = round_up(nbytes, page_size());

  while (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length) !=
         0) {
    if (errno == EINTR)
      continue;
    dart__warn("cannot release %zu bytes of shared memory: %s", nbytes, strerror(errno));
    return;
  }
}
