/* Windows: their life, and the memory of dynamic ones. */
#include <stdlib.h>
#include <string.h>

#include "adversary.h"

static adv_window_t *windows;

adv_window_t *adv_windows(void)
{
  return windows;
}

adv_window_t *adv_window(MPI_Win win)
{
  return adv_object_find(ADV_WINDOW, ADV_HANDLE(win));
}

/* ---- making ----------------------------------------------------------------------------- */

static bool is_unordered(MPI_Info info)
{
  char value[MPI_MAX_INFO_VAL + 1];
  int  found = 0;

  if (info != MPI_INFO_NULL)
    PMPI_Info_get(info, "accumulate_ordering", MPI_MAX_INFO_VAL, value, &found);
  return found && strcmp(value, "none") == 0;
}

static adv_window_t *make(MPI_Win win, MPI_Info info, MPI_Comm comm)
{
  adv_window_t *w = calloc(1, sizeof *w);

  w->win          = win;
  w->is_unordered = is_unordered(info);
  PMPI_Comm_rank(comm, &w->me);
  PMPI_Comm_size(comm, &w->nranks);
  w->locked = calloc((size_t)w->nranks, sizeof *w->locked);
  w->open   = calloc((size_t)w->nranks, sizeof *w->open);
  adv_lock();
  adv_object_add(ADV_WINDOW, ADV_HANDLE(win), w);
  w->next = windows;
  windows = w;
  adv_unlock();
  return w;
}

/* All tell how much memory they have. */
static void make_sized(MPI_Win win, MPI_Info info, MPI_Comm comm, MPI_Aint nbytes, int unit)
{
  adv_window_t *w = make(win, info, comm);

  w->nbytes = calloc((size_t)w->nranks, sizeof *w->nbytes);
  w->unit   = calloc((size_t)w->nranks, sizeof *w->unit);
  PMPI_Allgather(&nbytes, 1, MPI_AINT, w->nbytes, 1, MPI_AINT, comm);
  PMPI_Allgather(&unit, 1, MPI_INT, w->unit, 1, MPI_INT, comm);
}

static bool begin(const char *call, MPI_Comm comm)
{
  if (!adv_enter(call))
    return false;
  adv_collective_begin(comm);
  return true;
}

static int end(MPI_Comm comm, int ret)
{
  adv_collective_end(comm);
  adv_leave();
  return ret;
}

int MPI_Win_create(void *base, MPI_Aint nbytes, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *win)
{
  int ret;

  if (!begin("MPI_Win_create", comm))
    return PMPI_Win_create(base, nbytes, unit, info, comm, win);
  if (nbytes < 0 || unit <= 0)
    adv_refuse("size %lld, displacement unit %d", (long long)nbytes, unit);
  ret = PMPI_Win_create(base, nbytes, unit, info, comm, win);
  if (ret == MPI_SUCCESS)
    make_sized(*win, info, comm, nbytes, unit);
  return end(comm, ret);
}

int MPI_Win_allocate(MPI_Aint nbytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win)
{
  int ret;

  if (!begin("MPI_Win_allocate", comm))
    return PMPI_Win_allocate(nbytes, unit, info, comm, base, win);
  ret = PMPI_Win_allocate(nbytes, unit, info, comm, base, win);
  if (ret == MPI_SUCCESS)
    make_sized(*win, info, comm, nbytes, unit);
  return end(comm, ret);
}

int MPI_Win_allocate_shared(MPI_Aint nbytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *win)
{
  int ret;

  if (!begin("MPI_Win_allocate_shared", comm))
    return PMPI_Win_allocate_shared(nbytes, unit, info, comm, base, win);
  ret = PMPI_Win_allocate_shared(nbytes, unit, info, comm, base, win);
  if (ret == MPI_SUCCESS)
    make_sized(*win, info, comm, nbytes, unit);
  return end(comm, ret);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
  int ret;

  if (!begin("MPI_Win_create_dynamic", comm))
    return PMPI_Win_create_dynamic(info, comm, win);
  ret = PMPI_Win_create_dynamic(info, comm, win);
  if (ret == MPI_SUCCESS)
    make(*win, info, comm)->is_dynamic = true;
  return end(comm, ret);
}

/* ---- memory of dynamic windows ---------------------------------------------------------- */

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint nbytes)
{
  adv_window_t *w;
  int           ret;

  if (!adv_enter("MPI_Win_attach"))
    return PMPI_Win_attach(win, base, nbytes);
  adv_lock();
  w = adv_window(win);
  for (adv_region_t *r = w != NULL ? w->attached : NULL; r != NULL; r = r->next)
    if (adv_does(ADV_ATTACH) && (char *)base < r->base + r->nbytes &&
        r->base < (char *)base + nbytes)
      adv_refuse("%lld bytes at %p overlap %lld at %p, which are attached", (long long)nbytes, base,
                 (long long)r->nbytes, (void *)r->base);
  if (w != NULL) {
    adv_region_t *region = malloc(sizeof *region);

    *region     = (adv_region_t){ w->attached, base, nbytes };
    w->attached = region;
  }
  adv_unlock();
  ret = PMPI_Win_attach(win, base, nbytes);
  adv_leave();
  return ret;
}

/* What others do there, only they know. */
static void refuse_own_ops(const adv_window_t *w, const adv_region_t *region)
{
  MPI_Aint from = (MPI_Aint)(intptr_t)region->base;

  for (const adv_op_t *op = w->ops; op != NULL; op = op->next)
    if (op->target == w->me && op->from < from + region->nbytes && from < op->to)
      adv_refuse("an %s of the rank itself to this memory is outstanding", op->call);
}

static void detach(adv_window_t *w, const void *base)
{
  adv_region_t **link = &w->attached, *region;

  while (*link != NULL && (*link)->base != base)
    link = &(*link)->next;
  region = *link;
  if (region == NULL) {
    adv_refuse("nothing is attached at %p", base);
    return;
  }
  refuse_own_ops(w, region);
  *link = region->next;
  free(region);
}

int MPI_Win_detach(MPI_Win win, const void *base)
{
  adv_window_t *w;
  int           ret;

  if (!adv_enter("MPI_Win_detach"))
    return PMPI_Win_detach(win, base);
  adv_lock();
  w = adv_window(win);
  if (w != NULL)
    detach(w, base);
  adv_unlock();
  ret = PMPI_Win_detach(win, base);
  adv_leave();
  return ret;
}

/* ---- the end of a window ---------------------------------------------------------------- */

static void destroy(adv_window_t *w)
{
  adv_window_t **link = &windows;

  while (*link != w)
    link = &(*link)->next;
  *link = w->next;
  for (adv_region_t *r = w->attached, *next; r != NULL; r = next) {
    next = r->next;
    free(r);
  }
  free(w->nbytes);
  free(w->unit);
  free(w->locked);
  free(w->open);
  free(w);
}

static void check_free(const adv_window_t *w)
{
  if ((w->epoch & ~(unsigned)ADV_EPOCH_FENCE) != 0)
    adv_refuse("an epoch is open");
  for (int r = 0; r < w->nranks; r++)
    if (w->locked[r])
      adv_refuse("an epoch towards rank %d is open", r);
  if (adv_has_ops(w))
    adv_refuse("an operation towards rank %d is not complete: %s", w->ops->target, w->ops->call);
  if (w->requests > 0)
    adv_refuse("%u requests of operations were not completed", w->requests);
}

int MPI_Win_free(MPI_Win *win)
{
  adv_window_t *w;
  int           ret;

  if (!adv_enter("MPI_Win_free"))
    return PMPI_Win_free(win);
  adv_lock();
  w = adv_window(*win);
  if (w != NULL) {
    check_free(w);
    adv_object_remove(ADV_WINDOW, ADV_HANDLE(*win));
    destroy(w);
  }
  adv_unlock();
  ret = PMPI_Win_free(win);
  adv_leave();
  return ret;
}
