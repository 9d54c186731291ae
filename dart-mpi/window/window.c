/* Windows, the paths of far transfers.
 *
 * Dynamic: a team has one window, to which chunks are attached. Static: every chunk has a window of
 * its own. Both give access to the same memory and are used in the same way; which is faster depends on
 * the network below MPI. Where that has put and get (RDMA, the shared memory of one host) MPICH
 * uses them on static windows alone, and sends messages of its own on dynamic ones. Over TCP
 * everything is messages, and static windows need more of them.
 *
 * Windows stay in one passive-target access epoch for their whole life. MPI has few windows, so beyond
 * STATIC_MOST chunks are attached to the dynamic window nevertheless. */
#include "window/window.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/sparse.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "mpi/vendor.h"

#define STATIC_MOST 256 /* in a process at a time; MPICH has about 2000 */

static bool            are_static;
static _Atomic int32_t nstatic; /* live; only a limit, so all accesses are relaxed */

/* ---- which kind -------------------------------------------------------------------------- */

static bool has_entries(const char *path)
{
  DIR           *dir = opendir(path);
  struct dirent *entry;
  bool           any = false;

  while (dir != NULL && !any && (entry = readdir(dir)) != NULL)
    any = entry->d_name[0] != '.';
  if (dir != NULL)
    closedir(dir);
  return any;
}

/* Whether UCX, which carries MPICH and others, is configured to use TCP only. */
static bool is_set_to_tcp(void)
{
  const char *text = getenv("UCX_TLS");

  if (text == NULL)
    return false;
  for (const char *word = text; *word != '\0'; word += strspn(word, ",")) {
    size_t length = strcspn(word, ",");

    if (!(length == 3 && strncmp(word, "tcp", 3) == 0) &&
        !(length == 4 && strncmp(word, "self", 4) == 0))
      return false;
    word += length;
  }
  return true;
}

void dart__windows_vote(int32_t votes_out[DART__WINDOW_VOTES])
{
  bool dynamic = dart__settings.window == DART__WINDOW_DYNAMIC ||
                 (dart__settings.window == DART__WINDOW_AUTO && is_set_to_tcp());
  bool    rdma = dart__settings.window != DART__WINDOW_AUTO || has_entries("/sys/class/infiniband");
  int32_t host = (int32_t)(dart__host_number() >> 34);

  votes_out[0] = dynamic;
  votes_out[1] = !rdma;
  votes_out[2] = host;
  votes_out[3] = -host;
}

/* Dynamic, if any unit wants dynamic windows, or if there are several hosts without RDMA. */
void dart__windows_choose(const int32_t most[DART__WINDOW_VOTES])
{
  are_static = !most[0] && (!most[1] || most[2] == -most[3]);
  dart__info("windows are %s", are_static ? "static" : "dynamic");
}

bool dart__windows_are_static(void)
{
  return are_static;
}

bool dart__window_wants_static(void)
{
  /* Threads: MPICH 4.0 forgets what one thread starts on a static window while another flushes it,
   * so that the next flush returns too early. */
  return are_static && !dart__world.many_threads &&
         atomic_load_explicit(&nstatic, memory_order_relaxed) < STATIC_MOST;
}

/* ---- turns -----------------------------------------------------------------------------------
 *
 * One window is made at a time on a host, where MPI needs that (mpi/vendor.h, DART__MPI_WINDOWS_COLLIDE). Two teams
 * without a common unit may allocate at the same time. In Open MPI 4.1 their windows may then use the same file in
 * /dev/shm, and the job fails, or the teams change each other's state. So one unit of the team on each host claims a
 * name: that of a socket in the abstract name space, which the kernel removes if the process ends. A team that does not
 * get it on all its hosts releases the names, and tries again after a random time: no team waits for another one while
 * it holds a name, so there is no deadlock. */

enum { NONE = -1, TAKEN = -2 };

/* The socket; TAKEN: another process has the name; NONE: the name cannot be claimed, and the unit goes on without. */
static int claim_name(void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int                fd      = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dart-window-%u-%s",
                        (unsigned)getuid(), dart__vendor_job());
  int error;

  if (fd < 0)
    return NONE;
  if (bind(fd, (struct sockaddr *)&address,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
    return fd;
  error = errno;
  close(fd);
  return error == EADDRINUSE ? TAKEN : NONE;
}

static void nap(unsigned *seed)
{
  nanosleep(&(struct timespec){ 0, rand_r(seed) % (DART__AWAKE_US * 1000) }, NULL);
}

/* The window was made. Local. */
static void end_window_turn(int turn)
{
  if (turn >= 0)
    close(turn);
}

/* Wait for the turn of the team with this communicator. `leads`: this unit claims the name on its host. Collective.
 * Returns what end_window_turn needs. */
static int begin_window_turn(MPI_Comm comm, bool leads)
{
  unsigned seed = (unsigned)dart__world.me + 1;

  while (true) {
    int turn = leads ? claim_name() : NONE;

    if (dart__mpi_most(comm, turn == TAKEN) == 0)
      return turn;
    end_window_turn(turn);
    if (leads)
      nap(&seed);
  }
}

/* ---- opening and closing ----------------------------------------------------------------- */

dart__window_t *dart__window_new(const dart__team_t *team)
{
  dart__window_t *window = calloc(1, sizeof *window);

  if (window == NULL)
    return NULL;
  window->win    = MPI_WIN_NULL;
  window->nunits = team->nunits;
  window->leads  = (dart__comm.is_divided ? team->me : team->node_me) == 0;
  window->unit   = dart__sparse_new((size_t)team->nunits, sizeof *window->unit);
  if (window->unit == NULL) {
    free(window);
    return NULL;
  }
  return window;
}

void dart__window_delete(dart__window_t *window)
{
  if (window != NULL)
    dart__sparse_delete(window->unit);
  free(window);
}

static MPI_Info make_info(void)
{
  MPI_Info info;

  DART__MPI(MPI_Info_create, &info);
  /* DART sends no accumulates by MPI */
  DART__MPI(MPI_Info_set, info, "accumulate_ordering", "none");
  DART__MPI(MPI_Info_set, info, "same_disp_unit", "true");
  DART__MPI(MPI_Info_set, info, "same_size", "true");
  return info;
}

/* A window of MPICH 4.0 needs a communicator, and MPICH fails badly when none is left: the creation of a
 * dynamic window succeeds, and its first use fails; that of a shared window ends the program while it
 * cleans up. So a communicator is made first, to see whether one is left. */
dart_ret_t dart__window_is_possible(MPI_Comm comm)
{
  MPI_Comm   one;
  dart_ret_t ret = DART__MPI_AGREED(MPI_Comm_dup, comm, &one);

  if (ret == DART_OK)
    DART__MPI(MPI_Comm_free, &one);
  return ret;
}

/* Collective. A team of all units has a unit in common with every other one. */
static int take_turn(MPI_Comm comm, const dart__window_t *window)
{
  return DART__MPI_WINDOWS_COLLIDE && window->nunits < dart__world.nunits
             ? begin_window_turn(comm, window->leads)
             : -1;
}

/* Begin the access epoch of a window that MPI has made, and enter it into the team's list. */
static void enter_window(dart__windows_t *all, dart__window_t *window)
{
  DART__MPI(MPI_Win_set_errhandler, window->win, MPI_ERRORS_RETURN);
  DART__MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, window->win);
  pthread_rwlock_wrlock(&all->lock);
  window->next = all->first;
  all->first   = window;
  pthread_rwlock_unlock(&all->lock);
}

/* A static window, or, without memory, a dynamic one. */
static dart_ret_t open_window(dart__windows_t *all, MPI_Comm comm, void *base, size_t nbytes,
                              bool is_static, dart__window_t *window)
{
  MPI_Info   info = make_info();
  int        turn = take_turn(comm, window);
  dart_ret_t ret  = is_static ? DART__MPI_AGREED(MPI_Win_create, base, (MPI_Aint)nbytes, 1, info,
                                                 comm, &window->win)
                              : DART__MPI_AGREED(MPI_Win_create_dynamic, info, comm, &window->win);

  end_window_turn(turn);
  DART__MPI(MPI_Info_free, &info);
  if (ret != DART_OK) {
    window->win = MPI_WIN_NULL;
    return ret;
  }
  dart__count(is_static ? DART__COUNT_WINDOW_STATIC : DART__COUNT_WINDOW_DYNAMIC);
  window->is_static = is_static;
  enter_window(all, window);
  return DART_OK;
}

dart_ret_t dart__window_open_dynamic(dart__windows_t *all, MPI_Comm comm, dart__window_t *window)
{
  dart_ret_t ret = dart__window_is_possible(comm);

  return ret == DART_OK ? open_window(all, comm, NULL, 0, false, window) : ret;
}

dart_ret_t dart__window_open_static(dart__windows_t *all, MPI_Comm comm, void *base, size_t nbytes,
                                    dart__window_t *window)
{
  dart_ret_t ret = open_window(all, comm, base, nbytes, true, window);

  if (ret == DART_OK)
    atomic_fetch_add_explicit(&nstatic, 1, memory_order_relaxed);
  return ret;
}

void dart__window_close(dart__windows_t *all, dart__window_t *window)
{
  pthread_rwlock_wrlock(&all->lock);
  for (dart__window_t **link = &all->first; *link != NULL; link = &(*link)->next)
    if (*link == window) {
      *link = window->next;
      break;
    }
  pthread_rwlock_unlock(&all->lock);
  if (window->is_static)
    atomic_fetch_sub_explicit(&nstatic, 1, memory_order_relaxed);
  DART__MPI(MPI_Win_unlock_all, window->win);
  DART__MPI(MPI_Win_free, &window->win);
}
