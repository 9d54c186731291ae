#ifndef WRITE_LIMIT_H
#define WRITE_LIMIT_H
/* For programs of tests that include it once: the process is killed in the midst of a write of the system. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bytes that this process may write yet; -1: any number. It is killed when it has written a part of the call that
 * would be beyond. */
static int64_t room = -1;

ssize_t pwrite(int fd, const void *buffer, size_t nbytes, off_t offset);

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *buffer, size_t nbytes,
                                                      off_t offset)
{
  bool dies = room >= 0 && room < (int64_t)nbytes;

  if (room >= 0)
    room -= dies ? 0 : (int64_t)nbytes;
  nbytes = dies ? nbytes / 2 : nbytes;
  if (syscall(SYS_pwrite64, fd, buffer, nbytes, offset) != (long)nbytes)
    exit(9);
  if (dies)
    raise(SIGKILL);
  return (ssize_t)nbytes;
}

#endif
