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
#include "mpi/comm.h"
#include "window/team_windows.h"

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

/* A unit's result; the worst of all counts. */
enum { HAS_IT, HAS_NO_FILE, HAS_NO_ROOM };

static int state_of(const name_t *name, int fd, const char *space)
{
  if (space != NULL)
    return HAS_IT;
  return fd < 0 && name->pid >= 0 ? HAS_NO_FILE : HAS_NO_ROOM;
}

/* ---- without a communicator of the node, which is made after the pool: messages of the job's ------------- */

enum { TAG };

static void send_to(const dart__team_t *team, int32_t index, const void *data, size_t nbytes)
{
  MPI_Request request;

  DART__MPI(MPI_Isend, data, (int)nbytes, MPI_BYTE,
            dart__team_member(team, team->node_units[index]), TAG, dart__comm.world, &request);
  dart__mpi_wait(&request);
}

static void receive_from(const dart__team_t *team, int32_t index, void *data, size_t nbytes)
{
  MPI_Request request;

  DART__MPI(MPI_Irecv, data, (int)nbytes, MPI_BYTE,
            dart__team_member(team, team->node_units[index]), TAG, dart__comm.world, &request);
  dart__mpi_wait(&request);
}

/* All units of the node get what the leader has. */
static void tell_node(const dart__team_t *team, void *data, size_t nbytes)
{
  MPI_Comm    node = dart__team_net(team)->node;
  MPI_Request request;

  if (node != MPI_COMM_NULL) {
    DART__MPI(MPI_Ibcast, data, (int)nbytes, MPI_BYTE, 0, node, &request);
    dart__mpi_wait(&request);
  } else if (!dart__team_is_leader(team)) {
    receive_from(team, 0, data, nbytes);
  } else {
    for (int32_t i = 1; i < team->node_nunits; i++)
      send_to(team, i, data, nbytes);
  }
}

/* The maximum over the units of the node. */
static int most_on_node(const dart__team_t *team, int value)
{
  if (dart__team_net(team)->node != MPI_COMM_NULL)
    return dart__mpi_most(dart__team_net(team)->node, value);
  if (!dart__team_is_leader(team))
    send_to(team, 0, &value, sizeof value);
  for (int32_t i = 1; i < team->node_nunits && dart__team_is_leader(team); i++) {
    int other;

    receive_from(team, i, &other, sizeof other);
    value = other > value ? other : value;
  }
  tell_node(team, &value, sizeof value);
  return value;
}

dart_ret_t dart__shared_map(const dart__team_t *team, size_t nbytes, size_t alignment, size_t at,
                            char **space_out)
{
  bool   leads = dart__team_is_leader(team);
  char  *space = NULL;
  name_t name;
  int    fd = -1, state;

  *space_out = NULL;
  if (leads)
    fd = make_file(nbytes, &name);
  tell_node(team, &name, sizeof name);
  if (!leads)
    fd = open_by(&name);
  if (fd >= 0)
    space = map(fd, nbytes, alignment, at);
  state = most_on_node(team, state_of(&name, fd, space));
  if (fd >= 0)
    close(fd); /* all have it now */
  if (state == HAS_IT) {
    *space_out = space;
    return DART_OK;
  }
  if (space != NULL)
    munmap(space, nbytes);
  return state == HAS_NO_FILE ? DART_ERR_NOTFOUND : DART_ERR_NOMEM;
}
