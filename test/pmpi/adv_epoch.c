/* Epochs and flushes: they complete what is held on a window. Each of them first executes it, then
 * makes the call of MPI, and then gives the buffers back. */
#include <string.h>

#include "adversary.h"

/* The window of a call on an epoch, with the lock held; NULL: it is none of the adversary's. */
static adv_window_t *look(MPI_Win win, int rank)
{
  adv_window_t *w;

  adv_lock();
  w = adv_window(win);
  if (w != NULL && rank != ADV_ALL_RANKS && (rank < 0 || rank >= w->nranks))
    adv_refuse("rank %d of %d", rank, w->nranks);
  return w;
}

int MPI_Win_lock(int type, int rank, int assert, MPI_Win win)
{
  adv_window_t *w;
  int           ret;

  if (rank == MPI_PROC_NULL || !adv_enter("MPI_Win_lock"))
    return PMPI_Win_lock(type, rank, assert, win);
  w = look(win, rank);
  if (w != NULL && (w->locked[rank] || (w->epoch & ~(unsigned)ADV_EPOCH_FENCE) != 0))
    adv_refuse("an epoch is open towards rank %d already", rank);
  if (w != NULL)
    w->locked[rank] = true;
  adv_unlock();
  ret = PMPI_Win_lock(type, rank, assert, win);
  adv_leave();
  return ret;
}

int MPI_Win_lock_all(int assert, MPI_Win win)
{
  adv_window_t *w;
  int           ret;

  if (!adv_enter("MPI_Win_lock_all"))
    return PMPI_Win_lock_all(assert, win);
  w = look(win, ADV_ALL_RANKS);
  if (w != NULL && (w->epoch & ~(unsigned)ADV_EPOCH_FENCE) != 0)
    adv_refuse("an epoch is open already");
  if (w != NULL)
    w->epoch |= ADV_EPOCH_LOCK_ALL;
  adv_unlock();
  ret = PMPI_Win_lock_all(assert, win);
  adv_leave();
  return ret;
}

static bool is_locked(const adv_window_t *w, int rank)
{
  bool all = (w->epoch & ADV_EPOCH_LOCK_ALL) != 0;

  for (int r = 0; r < w->nranks && rank == ADV_ALL_RANKS && !all; r++)
    all = w->locked[r];
  return all || (rank != ADV_ALL_RANKS && w->locked[rank]);
}

/* Before MPI's call that completes, and after it. */
typedef struct {
  adv_window_t *w;
  int           rank;
  uint64_t      until;
  bool          is_busy; /* MPI's call has something to complete here */
} completion_t;

static completion_t before(MPI_Win win, int rank, bool is_local, bool is_lock)
{
  completion_t c = { .w = look(win, rank), .rank = rank };

  if (c.w != NULL && is_lock && !is_locked(c.w, rank))
    adv_refuse("no lock is held");
  if (c.w != NULL) {
    c.until   = adv_execute(c.w, rank, is_local);
    c.is_busy = adv_is_busy(c.w, rank);
  }
  adv_unlock();
  return c;
}

/* MPI's result, or that of an operation that MPI refused when it was executed. */
static int after(completion_t c, int ret)
{
  adv_lock();
  if (c.w != NULL) {
    adv_executed(c.w, c.rank, c.until);
    ret        = ret == MPI_SUCCESS ? c.w->error : ret;
    c.w->error = MPI_SUCCESS;
  }
  adv_unlock();
  adv_leave();
  return ret;
}

/* A call that completes operations and leaves the epoch as it is. MPI_Win_flush_local of MPICH 4.0
 * does not complete what was followed by a put (doc/internals/mpi-underneath.md), and what follows what is
 * the adversary's choice: so if there is something to complete it makes the call `safe`. */
#define FLUSH(name, safe, parameters, arguments, rank, is_local) \
  int name parameters                                            \
  {                                                              \
    completion_t c;                                              \
    int          ret;                                            \
                                                                 \
    if (!adv_enter(#name))                                       \
      return P##name arguments;                                  \
    c   = before(win, rank, is_local, true);                     \
    ret = c.is_busy ? P##safe arguments : P##name arguments;     \
    return after(c, ret);                                        \
  }                                                              \
  extern int adv_no_semicolon_missing

FLUSH(MPI_Win_flush, MPI_Win_flush, (int rank, MPI_Win win), (rank, win), rank, false);
FLUSH(MPI_Win_flush_all, MPI_Win_flush_all, (MPI_Win win), (win), ADV_ALL_RANKS, false);
FLUSH(MPI_Win_flush_local, MPI_Win_flush, (int rank, MPI_Win win), (rank, win), rank, true);
FLUSH(MPI_Win_flush_local_all, MPI_Win_flush_all, (MPI_Win win), (win), ADV_ALL_RANKS, true);

int MPI_Win_unlock(int rank, MPI_Win win)
{
  completion_t c;
  int          ret;

  if (rank == MPI_PROC_NULL || !adv_enter("MPI_Win_unlock"))
    return PMPI_Win_unlock(rank, win);
  c = before(win, rank, false, true);
  if (c.w != NULL && !c.w->locked[rank])
    adv_refuse("rank %d was not locked by MPI_Win_lock", rank);
  if (c.w != NULL)
    c.w->locked[rank] = false;
  ret = PMPI_Win_unlock(rank, win);
  return after(c, ret);
}

int MPI_Win_unlock_all(MPI_Win win)
{
  completion_t c;
  int          ret;

  if (!adv_enter("MPI_Win_unlock_all"))
    return PMPI_Win_unlock_all(win);
  c = before(win, ADV_ALL_RANKS, false, true);
  if (c.w != NULL && (c.w->epoch & ADV_EPOCH_LOCK_ALL) == 0)
    adv_refuse("the window was not locked by MPI_Win_lock_all");
  if (c.w != NULL)
    c.w->epoch &= ~(unsigned)ADV_EPOCH_LOCK_ALL;
  ret = PMPI_Win_unlock_all(win);
  return after(c, ret);
}

int MPI_Win_fence(int assert, MPI_Win win)
{
  completion_t c;
  int          ret;

  if (!adv_enter("MPI_Win_fence"))
    return PMPI_Win_fence(assert, win);
  c = before(win, ADV_ALL_RANKS, false, false);
  if (c.w != NULL && (is_locked(c.w, ADV_ALL_RANKS) || (c.w->epoch & ADV_EPOCH_START) != 0))
    adv_refuse("another epoch is open");
  ret = PMPI_Win_fence(assert, win);
  if (c.w != NULL)
    c.w->epoch = (assert &MPI_MODE_NOSUCCEED) != 0 ? 0 : ADV_EPOCH_FENCE;
  return after(c, ret);
}

/* Whom a group names, as ranks of the window. */
static void open_towards(adv_window_t *w, MPI_Group group)
{
  MPI_Group all;
  int       n, rank;

  PMPI_Win_get_group(w->win, &all);
  PMPI_Group_size(group, &n);
  for (int i = 0; i < n; i++) {
    PMPI_Group_translate_ranks(group, 1, &i, all, &rank);
    if (rank >= 0)
      w->open[rank] = true;
  }
  PMPI_Group_free(&all);
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
  adv_window_t *w;
  int           ret;

  if (!adv_enter("MPI_Win_start"))
    return PMPI_Win_start(group, assert, win);
  ret = PMPI_Win_start(group, assert, win);
  w   = look(win, ADV_ALL_RANKS);
  if (w != NULL && (w->epoch & ~(unsigned)ADV_EPOCH_FENCE) != 0)
    adv_refuse("an epoch is open already");
  if (w != NULL) {
    w->epoch = ADV_EPOCH_START;
    open_towards(w, group);
  }
  adv_unlock();
  adv_leave();
  return ret;
}

int MPI_Win_complete(MPI_Win win)
{
  completion_t c;
  int          ret;

  if (!adv_enter("MPI_Win_complete"))
    return PMPI_Win_complete(win);
  c = before(win, ADV_ALL_RANKS, false, false);
  if (c.w != NULL && (c.w->epoch & ADV_EPOCH_START) == 0)
    adv_refuse("MPI_Win_start was not called");
  ret = PMPI_Win_complete(win);
  if (c.w != NULL) {
    c.w->epoch = 0;
    memset(c.w->open, 0, (size_t)c.w->nranks * sizeof *c.w->open);
  }
  return after(c, ret);
}

ADV_PLAIN(MPI_Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win));
ADV_PLAIN(MPI_Win_wait, (MPI_Win win), (win));
ADV_PLAIN(MPI_Win_test, (MPI_Win win, int *flag), (win, flag));
ADV_PLAIN(MPI_Win_sync, (MPI_Win win), (win));
ADV_PLAIN(MPI_Win_shared_query, (MPI_Win win, int rank, MPI_Aint *nbytes, int *unit, void *base),
          (win, rank, nbytes, unit, base));
