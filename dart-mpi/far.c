/* Far transfers: RMA on the team's window, and their completion.
 *
 * The window stays in one epoch, so starting a transfer is one call, and completing it costs what
 * is outstanding: a byte per unit says whether its transfers may still use local buffers, or may
 * not have reached it. A flush of a unit that was not touched is a look at one counter.
 *
 * A get is complete when its data is here. Contiguous transfers with a request are complete
 * locally when the request is; others (an MPI may report a non-contiguous one too early) by flush.
 *
 * Waiting is done on requests as far as possible: their wait loop serves other units and gives the
 * core away, where MPI's own flush spins. */
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi_port.h"
#include "mpi_type.h"

struct dart_handle_struct {
  dart_handle_t next; /* among abandoned ones */
  dart__team_t *team;
  int32_t       unit;
  bool          is_put;
  bool          by_flush; /* the requests alone do not tell */
  size_t        nrequests;
  MPI_Request   requests[];
};

typedef struct {
  const dart__place_t *at;
  const dart__type_t  *at_type;
  void                *buffer; /* not written by a put */
  const dart__type_t  *buffer_type;
  bool                 is_put;
} far_transfer_t;

static bool is_plain(const far_transfer_t *t)
{
  return dart__type_is_contiguous(t->at_type) && dart__type_is_contiguous(t->buffer_type);
}

/* ---- what is outstanding ----------------------------------------------------------------- */

static void mark(dart__team_t *team, int32_t unit, uint8_t bits)
{
  dart__team_port_t *port = team->port;

  /* relaxed, here and below: a flush covers operations that were issued before it, by this thread
   * or by one that synchronised with it, which orders these accesses too */
  if ((atomic_load_explicit(&port->dirty[unit], memory_order_relaxed) & bits) == bits)
    return;
  if (atomic_fetch_or_explicit(&port->dirty[unit], bits, memory_order_relaxed) == 0)
    atomic_fetch_add_explicit(&port->any_dirty, 1, memory_order_relaxed);
}

static void unmark(dart__team_t *team, int32_t unit, uint8_t bits)
{
  dart__team_port_t *port   = team->port;
  uint8_t            before = atomic_fetch_and_explicit(&port->dirty[unit], (uint8_t)~bits,
                                                        memory_order_relaxed);

  if (before != 0 && (before & (uint8_t)~bits) == 0)
    atomic_fetch_sub_explicit(&port->any_dirty, 1, memory_order_relaxed);
}

static bool is_dirty(const dart__team_t *team, int32_t unit, uint8_t bits)
{
  return atomic_load_explicit(&dart__team_port(team)->dirty[unit], memory_order_relaxed) & bits;
}

/* Handles that the program gave up before their transfer was complete. Their requests have to be
 * completed all the same: MPICH 4.0 refuses to free one of a transfer. A flush does it. */
static struct {
  pthread_mutex_t  lock;
  dart_handle_t    first;
  _Atomic uint32_t count;
} abandoned = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void abandon(dart_handle_t handle)
{
  mark(handle->team, handle->unit, DART__DIRTY_LOCAL);
  pthread_mutex_lock(&abandoned.lock);
  handle->next    = abandoned.first;
  abandoned.first = handle;
  atomic_fetch_add_explicit(&abandoned.count, 1, memory_order_relaxed);
  pthread_mutex_unlock(&abandoned.lock);
}

static dart_ret_t complete_requests(dart_handle_t handle)
{
  dart_ret_t ret = DART_OK;

  for (size_t i = 0; i < handle->nrequests && ret == DART_OK; i++)
    ret = dart__mpi_wait(&handle->requests[i]);
  return ret;
}

/* After a flush: what was abandoned towards the unit is complete, MPI only has to say so. */
static dart_ret_t take_back(const dart__team_t *team, int32_t unit)
{
  dart_handle_t taken = NULL;
  dart_ret_t    ret   = DART_OK;

  if (atomic_load_explicit(&abandoned.count, memory_order_relaxed) == 0)
    return DART_OK;
  pthread_mutex_lock(&abandoned.lock);
  for (dart_handle_t *link = &abandoned.first; *link != NULL;) {
    dart_handle_t handle = *link;

    if (handle->team != team || handle->unit != unit) {
      link = &handle->next;
      continue;
    }
    *link        = handle->next;
    handle->next = taken;
    taken        = handle;
    atomic_fetch_sub_explicit(&abandoned.count, 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&abandoned.lock);

  for (dart_handle_t handle = taken, next; handle != NULL; handle = next) {
    dart_ret_t one = complete_requests(handle);

    next = handle->next;
    free(handle);
    if (ret == DART_OK)
      ret = one;
  }
  return ret;
}

/* Clear the marks first: what another thread starts meanwhile sets them again. */
static dart_ret_t flush_by(int (*flush)(int, MPI_Win), uint8_t bits, dart__team_t *team,
                           int32_t unit)
{
  dart_ret_t ret;

  if (!is_dirty(team, unit, bits))
    return DART_OK;
  unmark(team, unit, bits);
  ret = dart__mpi_result(flush(unit, dart__team_port(team)->window), "flush");
  return ret == DART_OK ? take_back(team, unit) : ret;
}

static dart_ret_t flush_window(dart__team_t *team, int32_t unit)
{
  return flush_by(MPI_Win_flush, DART__DIRTY_LOCAL | DART__DIRTY_TARGET, team, unit);
}

static dart_ret_t flush_window_local(dart__team_t *team, int32_t unit)
{
  return flush_by(MPI_Win_flush_local, DART__DIRTY_LOCAL, team, unit);
}

/* ---- start ------------------------------------------------------------------------------- */

/* One MPI call; with `request_out`, one that can be waited for. */
static dart_ret_t start_piece(const far_transfer_t *t, size_t from, size_t nelem,
                              MPI_Request *request_out)
{
  const dart__place_t      *at    = t->at;
  const dart__chunk_port_t *chunk = at->segment->chunk->port;
  MPI_Win                   window = dart__team_port(at->team)->window;
  MPI_Aint                  disp   = chunk->disp[at->unit] +
                  (MPI_Aint)(at->segment->base + at->offset);
  dart__mpi_layout_t there, here;
  char              *buffer;
  dart_ret_t         ret = dart__mpi_layout(t->at_type, from, nelem, &there);

  if (ret != DART_OK)
    return ret;
  ret = dart__mpi_layout(t->buffer_type, from, nelem, &here);
  if (ret != DART_OK) {
    dart__mpi_layout_free(&there);
    return ret;
  }
  buffer = (char *)t->buffer + here.nbytes_off;
  disp += there.nbytes_off;

  if (t->is_put)
    ret = request_out == NULL
              ? DART__MPI(MPI_Put, buffer, here.count, here.type, at->unit, disp, there.count,
                          there.type, window)
              : DART__MPI(MPI_Rput, buffer, here.count, here.type, at->unit, disp, there.count,
                          there.type, window, request_out);
  else
    ret = request_out == NULL
              ? DART__MPI(MPI_Get, buffer, here.count, here.type, at->unit, disp, there.count,
                          there.type, window)
              : DART__MPI(MPI_Rget, buffer, here.count, here.type, at->unit, disp, there.count,
                          there.type, window, request_out);
  dart__mpi_layout_free(&there);
  dart__mpi_layout_free(&here);
  return ret;
}

static size_t piece_of(const far_transfer_t *t, size_t nelem, size_t *npieces_out)
{
  size_t piece = dart__mpi_piece(t->at_type, t->buffer_type);

  *npieces_out = (nelem + piece - 1) / piece;
  return piece;
}

/* All pieces; requests_out has room for one each, or is NULL. */
static dart_ret_t start(const far_transfer_t *t, size_t nelem, MPI_Request *requests_out)
{
  size_t npieces, piece = piece_of(t, nelem, &npieces);

  mark(t->at->team, t->at->unit,
       (uint8_t)((requests_out == NULL || !is_plain(t) ? DART__DIRTY_LOCAL : 0) |
                 (t->is_put ? DART__DIRTY_TARGET : 0)));
  for (size_t i = 0; i < npieces; i++) {
    size_t     from  = i * piece;
    size_t     count = nelem - from < piece ? nelem - from : piece;
    dart_ret_t ret   = start_piece(t, from, count, requests_out == NULL ? NULL : &requests_out[i]);

    if (ret != DART_OK)
      return ret;
  }
  return DART_OK;
}

static dart_ret_t start_with_handle(const far_transfer_t *t, size_t nelem, dart_handle_t *handle_out)
{
  size_t        npieces;
  dart_handle_t handle;
  dart_ret_t    ret;

  piece_of(t, nelem, &npieces);
  handle = malloc(sizeof *handle + npieces * sizeof *handle->requests);
  if (handle == NULL) {
    dart__error("no memory for a handle of %zu requests", npieces);
    return DART_ERR_NOMEM;
  }
  handle->team      = t->at->team;
  handle->unit      = t->at->unit;
  handle->is_put    = t->is_put;
  handle->by_flush  = !is_plain(t);
  handle->nrequests = npieces;
  for (size_t i = 0; i < npieces; i++)
    handle->requests[i] = MPI_REQUEST_NULL;
  ret = start(t, nelem, handle->requests);
  if (ret == DART_OK)
    *handle_out = handle;
  else
    dart__far_release(&handle);
  return ret;
}

/* Start, and wait: for a short transfer there is no need to allocate a handle. */
static dart_ret_t transfer_blocking(const far_transfer_t *t, size_t nelem)
{
  size_t        npieces;
  MPI_Request   request;
  dart_handle_t handle;
  dart_ret_t    ret;

  piece_of(t, nelem, &npieces);
  if (npieces > 1) {
    ret = start_with_handle(t, nelem, &handle);
    return ret == DART_OK ? dart__far_wait(&handle, true) : ret;
  }
  ret = start(t, nelem, &request);
  if (ret == DART_OK)
    ret = dart__mpi_wait(&request);
  if (ret == DART_OK && (t->is_put || !is_plain(t)))
    ret = flush_window(t->at->team, t->at->unit);
  return ret;
}

/* ---- the seam ---------------------------------------------------------------------------- */

dart_ret_t dart__far_put(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out)
{
  far_transfer_t t = { at, at_type, (void *)(uintptr_t)src, src_type, true };

  return handle_out == NULL ? start(&t, nelem, NULL) : start_with_handle(&t, nelem, handle_out);
}

dart_ret_t dart__far_get(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  far_transfer_t t = { at, at_type, dst, dst_type, false };

  return handle_out == NULL ? start(&t, nelem, NULL) : start_with_handle(&t, nelem, handle_out);
}

dart_ret_t dart__far_put_blocking(const dart__place_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem)
{
  far_transfer_t t = { at, at_type, (void *)(uintptr_t)src, src_type, true };

  return transfer_blocking(&t, nelem);
}

dart_ret_t dart__far_get_blocking(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem)
{
  far_transfer_t t = { at, at_type, dst, dst_type, false };

  return transfer_blocking(&t, nelem);
}

dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit)
{
  dart_ret_t ret = dart__service_flush(team->members[unit]);

  return ret == DART_OK ? flush_window(team, unit) : ret;
}

/* Results of atomics are local too, and come with the target's word. */
dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  dart_ret_t ret = dart__service_flush(team->members[unit]);

  return ret == DART_OK ? flush_window_local(team, unit) : ret;
}

static dart_ret_t flush_all(dart__team_t *team, dart_ret_t (*flush)(dart__team_t *, int32_t))
{
  dart_ret_t ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__service_flush_team(team);
  if (atomic_load_explicit(&dart__team_port(team)->any_dirty, memory_order_relaxed) == 0)
    return ret;
  for (int32_t u = 0; u < team->nunits && ret == DART_OK; u++)
    ret = flush(team, u);
  return ret;
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return flush_all(team, flush_window);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return flush_all(team, flush_window_local);
}

/* ---- handles ----------------------------------------------------------------------------- */

dart_ret_t dart__far_wait(dart_handle_t *handle, bool at_target)
{
  dart_handle_t h   = *handle;
  dart_ret_t    ret = complete_requests(h);

  if (ret == DART_OK && h->is_put && at_target)
    ret = flush_window(h->team, h->unit);
  else if (ret == DART_OK && h->by_flush)
    ret = h->is_put ? flush_window_local(h->team, h->unit) : flush_window(h->team, h->unit);
  dart__far_release(handle);
  return ret;
}

dart_ret_t dart__far_test(dart_handle_t handle, bool *done_out)
{
  dart_ret_t ret = DART_OK;
  int        done = 1;

  for (size_t i = 0; i < handle->nrequests && ret == DART_OK && done; i++)
    ret = DART__MPI(MPI_Test, &handle->requests[i], &done, MPI_STATUS_IGNORE);
  dart__port_progress();
  *done_out = done;
  return ret;
}

void dart__far_release(dart_handle_t *handle)
{
  dart_handle_t h    = *handle;
  int           done = 1;

  *handle = DART_HANDLE_NULL;
  for (size_t i = 0; i < h->nrequests && done; i++)
    if (DART__MPI(MPI_Test, &h->requests[i], &done, MPI_STATUS_IGNORE) != DART_OK)
      done = 0;
  if (done)
    free(h);
  else
    abandon(h);
}
