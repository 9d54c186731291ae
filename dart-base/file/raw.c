/* See raw.h. */
#include "file/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

int dart__raw_read(int fd, void *buffer, size_t nbytes, uint64_t offset, size_t *done_out)
{
  *done_out = 0;
  while (*done_out < nbytes) {
    ssize_t n =
        pread(fd, (char *)buffer + *done_out, nbytes - *done_out, (off_t)(offset + *done_out));

    if (n == 0)
      break;
    if (n > 0)
      *done_out += (size_t)n;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

size_t dart__raw_read_cached(int fd, void *buffer, size_t nbytes, uint64_t offset, bool *can)
{
#ifdef RWF_NOWAIT
  struct iovec piece = { buffer, nbytes };
  ssize_t      n     = preadv2(fd, &piece, 1, (off_t)offset, RWF_NOWAIT);
#else /* musl before 1.2.5 */
  ssize_t n = -1;

  (void)fd, (void)buffer, (void)nbytes, (void)offset;
  errno = ENOSYS;
#endif

  *can = n >= 0 || errno == EAGAIN || errno == EINTR;
  return n > 0 ? (size_t)n : 0;
}

void dart__raw_prefetch(int fd, uint64_t offset, size_t nbytes)
{
  posix_fadvise(fd, (off_t)offset, (off_t)nbytes, POSIX_FADV_WILLNEED);
}

static int write_all(int fd, const void *buffer, size_t nbytes, uint64_t offset, size_t *done_out)
{
  while (*done_out < nbytes) {
    ssize_t n = pwrite(fd, (const char *)buffer + *done_out, nbytes - *done_out,
                       (off_t)(offset + *done_out));

    if (n > 0)
      *done_out += (size_t)n;
    else if (n == 0)
      return EIO; /* a file system that takes nothing and does not say why */
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

int dart__raw_write(int fd, const void *buffer, size_t nbytes, uint64_t offset, uint64_t limit,
                    size_t *done_out)
{
  int error;

  *done_out = 0;
  if (nbytes == 0)
    return 0;
  if (offset + nbytes <= limit)
    return write_all(fd, buffer, nbytes, offset, done_out);
  error = offset < limit ? write_all(fd, buffer, limit - offset, offset, done_out) : 0;
  return error != 0 ? error : EFBIG;
}

uint64_t dart__raw_limit(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur;
}
