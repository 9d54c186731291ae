/* See shared_map.h. */
#include "window/shared_map.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/log.h"
#include "mpi/comm.h"

/* By what others open the file, and know that it is this one: numbers of processes may be of another namespace. */
typedef struct {
  int64_t  pid; /* 0: there is no file; -1: none so large */
  int64_t  fd;
  uint64_t device, inode;
} name_t;

/* Beyond this limit ftruncate raises SIGXFSZ. */
static bool may_be_so_large(size_t nbytes)
{
  struct rlimit limit;

  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || nbytes <= limit.rlim_cur);
}

/* The file, or -1. */
static int make_file(size_t nbytes, name_t *name_out)
{
  int         fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  struct stat file;

  *name_out = (name_t){ .pid = 0 };
  if (fd < 0)
    return -1;
  if (may_be_so_large(nbytes) && ftruncate(fd, (off_t)nbytes) == 0 && fstat(fd, &file) == 0) {
    *name_out = (name_t){ getpid(), fd, file.st_dev, file.st_ino };
    return fd;
  }
  name_out->pid = -1;
  close(fd);
  return -1;
}

static int open_by(const name_t *name)
{
  struct stat file;
  char        path[64];
  int         fd;

  if (name->pid <= 0)
    return -1;
  snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)name->pid, (long long)name->fd);
  fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &file) == 0 && file.st_dev == name->device && file.st_ino == name->inode)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static char *map(int fd, size_t nbytes, size_t alignment, size_t at)
{
  char *space = dart__memory_aligned_space(nbytes, alignment, at);

  if (space == NULL || mmap(space, nbytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) != MAP_FAILED)
    return space;
  munmap(space, nbytes);
  return NULL;
}

/* What a unit has come to; the worst of all counts. */
enum { HAS_IT, HAS_NO_FILE, HAS_NO_ROOM };

static int state_of(const name_t *name, int fd, const char *space)
{
  if (space != NULL)
    return HAS_IT;
  return fd < 0 && name->pid >= 0 ? HAS_NO_FILE : HAS_NO_ROOM;
}

dart_ret_t dart__shared_map(MPI_Comm node, size_t nbytes, size_t alignment, size_t at,
                            char **space_out)
{
  char       *space = NULL;
  name_t      name;
  MPI_Request request;
  int         me, fd = -1, state;

  *space_out = NULL;
  DART__MPI(MPI_Comm_rank, node, &me);
  if (me == 0)
    fd = make_file(nbytes, &name);
  DART__MPI(MPI_Ibcast, &name, (int)sizeof name, MPI_BYTE, 0, node, &request);
  dart__mpi_wait(&request);
  if (me != 0)
    fd = open_by(&name);
  if (fd >= 0)
    space = map(fd, nbytes, alignment, at);
  state = dart__mpi_most(node, state_of(&name, fd, space));
  if (fd >= 0)
    close(fd); /* all have it now */
  if (state == HAS_IT) {
    *space_out = space;
    return DART_OK;
  }
  if (space != NULL)
    munmap(space, nbytes);
  if (state == HAS_NO_FILE)
    return DART_ERR_NOTFOUND;
  return dart__fail(DART_ERR_NOMEM, "no room for %zu bytes of shared memory", nbytes);
}
