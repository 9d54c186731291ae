/* Files: opening and closing, and what concerns a file as a whole. See dart_file.h; file.h has the other parts. */
#include <dash/dart/ext/dart_profile.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "far/progress.h"
#include "file/between.h"
#include "file/file.h"
#include "file/file_window.h"
#include "file/range_keep.h"
#include "file/raw.h"
#include "lock/range_table.h"
#include "memory/pool.h"
#include "model/argument_check.h"
#include "model/world.h"

DART__PROFILED(dart_file_open, dart_file_close, dart_file_size, dart_file_resize);
DART__PROFILED(dart_file_sync, dart_file_set_atomicity);

/* ---- opening ---------------------------------------------------------------------------------------- */

#define ALL_FLAGS 63U

static bool check_arguments(const char *function, const char *path, unsigned flags,
                            const dart_file_t *file)
{
  bool writes = (flags & DART_FILE_WRITE) != 0;

  if (path == NULL || file == NULL)
    dart__error("%s: %s is NULL", function, path == NULL ? "path" : "file");
  else if ((flags & ~ALL_FLAGS) != 0 || (flags & (DART_FILE_READ | DART_FILE_WRITE)) == 0 ||
           ((flags & (DART_FILE_TRUNCATE | DART_FILE_CREATE)) != 0 && !writes) ||
           ((flags & DART_FILE_EXCLUSIVE) != 0 && (flags & DART_FILE_CREATE) == 0))
    dart__error("%s: flags %#x: READ or WRITE is missing, or CREATE or TRUNCATE is without WRITE, "
                "EXCLUSIVE "
                "without CREATE, or a bit is none of DART_FILE_...",
                function, flags);
  else
    return true;
  return false;
}

/* Flags of open(2). One unit creates and cuts the file, before the others open it. O_NONBLOCK is for a FIFO, which
 * is refused afterwards: to open it would wait for its other end. */
static int system_flags(unsigned flags, bool is_first)
{
  int how = O_CLOEXEC | O_NONBLOCK;

  if ((flags & DART_FILE_WRITE) == 0)
    how |= O_RDONLY;
  else
    how |= (flags & DART_FILE_READ) != 0 ? O_RDWR : O_WRONLY;
  if (!is_first)
    return how;
  if ((flags & DART_FILE_CREATE) != 0)
    how |= O_CREAT;
  if ((flags & DART_FILE_EXCLUSIVE) != 0)
    how |= O_EXCL;
  if ((flags & DART_FILE_TRUNCATE) != 0)
    how |= O_TRUNC;
  return how;
}

/* This unit's word for the shared pointer; that of the first unit is used. */
static uint64_t *shared_pointer(dart_file_t file)
{
  return (uint64_t *)(void *)dart__pool_address(dart__world.me, file->own_word);
}

/* What a unit has opened. */
typedef struct {
  uint64_t ret, error; /* a dart_ret_t, and an errno */
  uint64_t device, number;
  uint64_t kernel; /* that has numbered them; 0: not known */
  uint64_t word;   /* for the shared pointer */
} opened_t;

_Static_assert(sizeof(opened_t) <= sizeof(dart__file_plan_t), "those of all units have room there");

/* 0, or an errno. */
static int open_it(dart_file_t file, const char *path, bool is_first, unsigned mode)
{
  struct stat status;

  do
    file->fd = open(path, system_flags(file->flags, is_first), mode);
  while (file->fd < 0 && errno == EINTR);
  if (file->fd < 0 || fstat(file->fd, &status) != 0)
    return errno;
  file->block           = (uint64_t)status.st_blksize;
  file->device          = (uint64_t)status.st_dev;
  file->number          = (uint64_t)status.st_ino;
  *shared_pointer(file) = (file->flags & DART_FILE_APPEND) != 0 ? (uint64_t)status.st_size : 0;
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  return S_ISREG(status.st_mode) ? 0 : EINVAL;
}

static opened_t open_own(const char *function, dart_file_t file, const char *path, bool is_first,
                         unsigned mode)
{
  int        error = open_it(file, path, is_first, mode);
  dart_ret_t ret   = error == 0 ? DART_OK : error == ENOENT ? DART_ERR_NOTFOUND : DART_ERR_OTHER;

  if (error != 0)
    dart__error("%s: %s: %s", function, path,
                error == EINVAL ? "no regular file" : strerror(error));
  return (opened_t){ .ret    = ret,
                     .error  = (uint64_t)error,
                     .device = file->device,
                     .number = file->number,
                     .kernel = dart__kernel_number(),
                     .word   = file->own_word };
}

static bool are_same(const opened_t *a, const opened_t *b)
{
  return a->device == b->device && a->number == b->number;
}

/* Whether a unit has opened the same file as the leader of its node, and as the first unit. Kernels may call a device by
 * different numbers, and there are file systems on which they number files differently, too: so that is no error. */
static bool is_same_file(const dart__team_t *team, const opened_t *all, int32_t unit)
{
  const opened_t *own = &all[unit], *first = &all[0];
  const opened_t *leader =
      &all[dart__team_unit_at(team, dart__team_node_start(team, dart__team_node_of(team, unit)))];

  return are_same(own, leader) &&
         (own->kernel == 0 || own->kernel != first->kernel || are_same(own, first));
}

/* Different numbers on different hosts are unlikely enough to be said. */
static void say_differences(const char *function, const dart__team_t *team, const opened_t *all,
                            const char *path)
{
  const opened_t *own = &all[team->me];

  if (!is_same_file(team, all, team->me))
    dart__error("%s: %s is another file than that of unit %d", function, path,
                dart__team_member(
                    team, are_same(own, &all[team->node_units[0]]) ? 0 : team->node_units[0]));
  else if (own->number != all[0].number && dart__team_is_leader(team))
    dart__warn("%s: %s has another inode number than on the host of unit %d: are they one file?",
               function, path, dart__team_member(team, 0));
}

/* What all units have opened decides, so the result is the same on all. */
static dart_ret_t check_all(const char *function, const dart__team_t *team, const opened_t *all,
                            const char *path)
{
  opened_t worst   = { .ret = DART_OK };
  bool     is_same = true;

  for (int32_t u = 0; u < team->nunits; u++) {
    worst.ret   = all[u].ret > worst.ret ? all[u].ret : worst.ret;
    worst.error = all[u].error > worst.error ? all[u].error : worst.error;
    is_same     = is_same && is_same_file(team, all, u);
  }
  if (worst.ret != DART_OK)
    return dart__file_failed(function, team, (dart_ret_t)all[team->me].ret, (dart_ret_t)worst.ret,
                             (int)worst.error);
  say_differences(function, team, all, path);
  return dart__file_failed(function, team,
                           is_same_file(team, all, team->me) ? DART_OK : DART_ERR_INVAL,
                           is_same ? DART_OK : DART_ERR_INVAL, 0);
}

/* Agree on what all units have opened. They tell each other what that is only if it is not the same, or has failed. */
static dart_ret_t agree_on_opened(const char *function, dart__team_t *team, dart_file_t file,
                                  const char *path, const opened_t *own)
{
  opened_t     *all     = (opened_t *)(void *)file->plans;
  unsigned long most[5] = { own->ret, own->device, ~own->device, own->number, ~own->number };

  dart__coll_most(team, most, 5);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  if (most[0] == DART_OK && most[1] == ~most[2] && most[3] == ~most[4])
    return DART_OK;
  dart__coll_share(team, own, all, sizeof *own);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  return check_all(function, team, all, path);
}

/* The worst of all units' results of their arguments, on the first unit, which opens the file then. */
static dart_ret_t collect_arguments(dart__team_t *team, dart_ret_t mine, unsigned flags)
{
  unsigned long most[3] = { mine, flags, ~(unsigned long)flags };

  dart__team_forget_call(team);
  dart__coll_reduce(team, most, most, 3, DART_TYPE_ULONG, DART_OP_MAX, 0);
  return most[0] == DART_OK && most[1] != ~most[2] ? DART_ERR_INVAL : (dart_ret_t)most[0];
}

/* The first unit opens it, and creates and cuts it, if all units' arguments are right: `mine` of this one. Then the
 * others open it. */
static dart_ret_t open_all(const char *function, dart__team_t *team, dart_file_t file,
                           const char *path, unsigned flags, unsigned mode, dart_ret_t mine)
{
  opened_t own = { .ret = collect_arguments(team, mine, flags) }, first;

  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  if (team->me == 0 && own.ret == DART_OK)
    own = open_own(function, file, path, true, mode);
  first = own;
  dart__coll_bcast(team, &first, sizeof first, 0);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  if (first.ret == DART_ERR_INVAL || first.ret == DART_ERR_NOMEM)
    return dart__coll_refused(function, team, mine, (dart_ret_t)first.ret, flags);
  if (first.ret != DART_OK)
    return dart__file_failed(function, team, (dart_ret_t)(team->me == 0 ? own.ret : DART_OK),
                             (dart_ret_t)first.ret, (int)first.error);
  if (team->me != 0)
    own = open_own(function, file, path, false, mode);
  file->name    = first.word;
  file->pointer = dart__pool_gptr(dart__team_member(team, 0), file->name);
  return agree_on_opened(function, team, file, path, &own);
}

static void free_file(dart_file_t file)
{
  dart__file_close_window(file, false);
  dart__file_close_boxes(file, false);
  free(file->stage);
  dart__type_forget(&file->view);
  free(file->plans);
  free(file->domains);
  free(file);
}

static dart_ret_t new_file(const dart__team_t *team, unsigned flags, dart_file_t *file_out)
{
  dart_file_t file = calloc(1, sizeof *file);

  *file_out = file;
  if (file == NULL)
    return DART_ERR_NOMEM;
  file->plans   = calloc((size_t)team->nunits, sizeof(dart__file_plan_t));
  file->domains = calloc((size_t)team->nnodes, sizeof(dart__file_domain_t));
  if (file->plans == NULL || file->domains == NULL || !dart__file_new_window(team, file) ||
      (team->nnodes > 1 && !dart__file_new_boxes(team, file)) ||
      dart__pool_alloc(sizeof(uint64_t), &file->own_word) != DART_OK) {
    free_file(file);
    *file_out = DART_FILE_NULL;
    return DART_ERR_NOMEM;
  }
  file->cycle  = dart__world.cycle;
  file->teamid = team->id;
  file->fd     = -1;
  file->flags  = flags;
  file->limit  = dart__raw_limit();
  file->view   = dart__type_basic[DART_TYPE_BYTE];
  atomic_init(&file->tells_cached, true);
  pthread_mutex_init(&file->turn, NULL);
  return DART_OK;
}

/* `is_open`: the pool that its word is in is there. */
static void delete_file(dart_file_t file, bool is_open)
{
  if (file == NULL)
    return;
  if (file->fd >= 0)
    close(file->fd);
  if (is_open)
    dart__pool_free(file->own_word);
  pthread_mutex_destroy(&file->turn);
  free_file(file);
}

dart_ret_t dart_file_open(dart_team_t teamid, const char *path, unsigned flags, unsigned mode,
                          dart_file_t *file)
{
  dart__team_t *team   = dart__check_team(__func__, teamid);
  dart_file_t   opened = DART_FILE_NULL;
  dart_ret_t    ret;

  if (file != NULL)
    *file = DART_FILE_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__team_begin_call(team, __func__);
  ret = check_arguments(__func__, path, flags, file) ? new_file(team, flags, &opened)
                                                     : DART_ERR_INVAL;
  ret = open_all(__func__, team, opened, path, flags, mode, ret);
  if (ret != DART_OK)
    delete_file(opened, true);
  else
    *file = opened;
  return ret;
}

/* 0, or an errno. */
static int close_system(dart_file_t file)
{
  int fd = file->fd;

  file->fd = -1;
  return close(fd) == 0 || errno == EINTR ? 0 : errno; /* where Linux interrupts it, it is closed */
}

#define NOT_KNOWN INT_MAX /* more than each errno */

/* Whether something was lost that this unit has written: 0, an errno, or NOT_KNOWN before the file is closed. Some file
 * systems say so when any of its descriptors is closed. */
static int find_loss(dart_file_t file)
{
  int fd;

  if (file->lost != 0)
    return file->lost;
  fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    return NOT_KNOWN;
  if (close(fd) != 0 && errno != EINTR)
    file->lost = errno;
  return file->lost;
}

/* Close it on all units, which have agreed on that. `worst` of what find_loss has said on any unit. */
static dart_ret_t close_all(const char *function, dart__team_t *team, dart_file_t file, int own,
                            int worst)
{
  int        error = close_system(file);
  dart_ret_t ret;

  if (own == NOT_KNOWN)
    own = error;
  else if (own == 0 && error != 0)
    dart__warn("%s: %s, after nothing was lost", function, strerror(error));
  ret = own == 0 ? DART_OK : dart__file_refused(function, own);
  if (team == NULL)
    return ret;
  if (worst == NOT_KNOWN)
    return dart__file_agree(function, team, ret, own);
  return dart__file_failed(function, team, ret, worst == 0 ? DART_OK : DART_ERR_OTHER, worst);
}

dart_ret_t dart_file_close(dart_file_t *file)
{
  dart__team_t *team = NULL;
  bool          is_open, is_lost;
  int           own = NOT_KNOWN, worst;
  dart_ret_t    ret;

  if (file == NULL || *file == DART_FILE_NULL)
    return DART_OK;
  is_open = dart__world.initialized && (*file)->cycle == dart__world.cycle;
  dart__range_release_cached();
  if (is_open)
    team = dart__team_find((*file)->teamid);
  ret = dart__file_check_pending(__func__, *file);
  if (team != NULL && ret == DART_OK)
    own = find_loss(*file);
  worst = ret == DART_OK ? own : 0;
  if (team != NULL) /* then nobody uses the shared pointer any more */
    ret = dart__file_agree_done(__func__, team, *file, ret, &worst);
  is_lost = ret == DART_ERR_UNIT_LOST;
  if (ret != DART_OK && !is_lost)
    return ret;
  dart__file_end_requests(*file);
  ret = close_all(__func__, is_lost ? NULL : team, *file, own, worst);
  if (is_lost && ret == DART_OK)
    ret = DART_ERR_UNIT_LOST;
  dart__file_close_window(*file, team != NULL);
  dart__file_close_boxes(*file, team != NULL);
  pdart_team_range_destroy(&(*file)->range);
  delete_file(*file, is_open && !is_lost); /* others may still use its word */
  *file = DART_FILE_NULL;
  return ret;
}

/* ---- as a whole ------------------------------------------------------------------------------------- */

dart_ret_t dart_file_size(dart_file_t file, uint64_t *nbytes)
{
  struct stat status;

  if (nbytes == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: nbytes is NULL", __func__);
  *nbytes = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  dart__progress(); /* may be called in a polling loop */
  if (fstat(file->fd, &status) != 0)
    return dart__file_refused(__func__, errno);
  *nbytes = (uint64_t)status.st_size;
  return DART_OK;
}

/* 0, or an errno. Nobody in atomic mode is inside: all units are here. */
static int resize(dart_file_t file, uint64_t nbytes)
{
  int result;

  if (nbytes > file->limit)
    return EFBIG;
  do
    result = ftruncate(file->fd, (off_t)nbytes);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

dart_ret_t dart_file_resize(dart_file_t file, uint64_t nbytes)
{
  dart__team_t *team = dart__file_check(__func__, file);
  int           error;
  dart_ret_t    ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  ret = nbytes > INT64_MAX || (file->flags & DART_FILE_WRITE) == 0 ? DART_ERR_INVAL : DART_OK;
  if (ret != DART_OK)
    dart__error("%s: %llu bytes, of a file open with flags %#x", __func__,
                (unsigned long long)nbytes, file->flags);
  ret = dart__file_agree_on(__func__, team, file, ret, nbytes);
  if (ret != DART_OK)
    return ret;
  error = team->me == 0 ? resize(file, nbytes) : 0;
  ret   = error == 0 ? DART_OK : dart__file_refused(__func__, error);
  return dart__file_agree(__func__, team, ret, error);
}

/* 0, or an errno. */
static int sync_data(dart_file_t file)
{
  int result;

  do
    result = fdatasync(file->fd);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

/* One unit of each node does it, for the node has one cache, when all of its node have come. */
dart_ret_t dart_file_sync(dart_file_t file)
{
  dart__team_t *team = dart__file_check(__func__, file);
  int           own  = 0, worst;
  dart_ret_t    mine, ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  dart__team_forget_call(team);
  dart__coll_node_barrier(team);
  if (dart__team_is_leader(team))
    own = sync_data(file);
  mine  = own == 0 ? DART_OK : dart__file_refused(__func__, own);
  worst = own;
  ret   = dart__file_agree_done(__func__, team, file, DART_OK, &worst);
  return ret != DART_OK ? ret
                        : dart__file_failed(__func__, team, mine,
                                            worst == 0 ? DART_OK : DART_ERR_OTHER, worst);
}

/* Ranges of the file in stripes of this many bytes: most accesses are within one, and files of some MiB are
 * spread over the units. */
#define STRIPE ((uint64_t)1 << 20)

/* Ranges that one access locks at most, where each unit makes one at a time. */
static size_t spans_of_access(size_t nunits)
{
  size_t spans = DART__RANGES_BY_UNITS / nunits;

  return spans < 1 ? 1 : dart__least(spans, DART_RANGE_SPANS);
}

dart_ret_t dart_file_set_atomicity(dart_file_t file, bool atomic)
{
  dart__team_t *team = dart__file_check(__func__, file);
  size_t        nunits;
  dart_ret_t    ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  ret = dart__file_agree_on(__func__, team, file, dart__file_check_pending(__func__, file), atomic);
  if (ret != DART_OK)
    return ret;
  if (atomic && file->range == DART_RANGE_NULL) {
    nunits      = (size_t)team->nunits;
    file->spans = spans_of_access(nunits);
    ret         = pdart_team_range_init(file->teamid, STRIPE,
                                        dart__least(nunits * file->spans, DART__RANGES_BY_UNITS),
                                        &file->range);
    if (ret != DART_OK)
      return ret;
  }
  ret = dart__coll_barrier(team); /* accesses of before are over */
  if (ret == DART_OK)
    file->is_atomic = atomic;
  return ret;
}
