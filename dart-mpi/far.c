/* Far transfers: RMA on the team's window, and their completion.
 *
 * The window stays in one epoch, so starting a transfer is one call, and completing it costs what
 * is outstanding: counts per unit tell whether transfers were started since the last flush. A flush
 * of a unit that was not touched is a look at two numbers.
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

/* After the call that started it, so that a flush of another thread does not count it as flushed
 * before MPI knows of it. release: pairs with the acquire in is_done. */
static void count_started(dart__team_t *team, int32_t unit)
{
  dart__team_port_t *port = team->port;

  atomic_fetch_add_explicit(&port->unit[unit].started, 1, memory_order_release);
  atomic_fetch_add_explicit(&port->all.started, 1, memory_order_release);
}

/* Whether all that was started is done; `*started_out` is what a flush from now on completes. */
static bool is_done(dart__outstanding_t *o, const _Atomic uint32_t *done, uint32_t *started_out)
{
  *started_out = atomic_load_explicit(&o->started, memory_order_acquire);
  /* acquire: pairs with note_done of the thread that flushed for us */
  return (int32_t)(*started_out - atomic_load_explicit((_Atomic uint32_t *)done,
                                                       memory_order_acquire)) <= 0;
}

static void note_done(_Atomic uint32_t *done, uint32_t started)
{
  uint32_t before = atomic_load_explicit(done, memory_order_relaxed);

  while ((int32_t)(started - before) > 0 &&
         !atomic_compare_exchange_weak_explicit(done, &before, started, memory_order_release,
                                                memory_order_relaxed))
    ;
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
  pthread_mutex_lock(&abandoned.lock);
  handle->next    = abandoned.first;
  abandoned.first = handle;
  atomic_fetch_add_explicit(&abandoned.count, 1, memory_order_relaxed);
  pthread_mutex_unlock(&abandoned.lock);
  count_started(handle->team, handle->unit); /* so that a flush comes by, if one was there already */
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

static dart_ret_t flush_window(dart__team_t *team, int32_t unit)
{
  dart__team_port_t   *port = team->port;
  dart__outstanding_t *o    = &port->unit[unit];
  uint32_t             started;
  dart_ret_t           ret;

  if (is_done(o, &o->done_there, &started))
    return DART_OK;
  ret = DART__MPI(MPI_Win_flush, unit, port->window);
  if (ret == DART_OK)
    ret = take_back(team, unit);
  note_done(&o->done_here, started);
  note_done(&o->done_there, started);
  return ret;
}

static dart_ret_t flush_window_local(dart__team_t *team, int32_t unit)
{
  dart__team_port_t   *port = team->port;
  dart__outstanding_t *o    = &port->unit[unit];
  uint32_t             started;
  dart_ret_t           ret;

  if (is_done(o, &o->done_here, &started))
    return DART_OK;
  ret = DART__MPI(MPI_Win_flush_local, unit, port->window);
  note_done(&o->done_here, started);
  return ret;
}

/* ---- start ------------------------------------------------------------------------------- */

/* One MPI call; with `request_out`, one that can be waited for. Places are byte offsets from where
 * element 0 lies. */
static dart_ret_t start_call(const far_transfer_t *t, const dart__mpi_layout_t *there,
                             const dart__mpi_layout_t *here, MPI_Request *request_out)
{
  const dart__place_t      *at     = t->at;
  const dart__chunk_port_t *chunk  = at->segment->chunk->port;
  MPI_Win                   window = dart__team_port(at->team)->window;
  MPI_Aint                  disp   = chunk->disp[at->unit] +
                  (MPI_Aint)(at->segment->base + at->offset) + there->nbytes_off;
  char *buffer = (char *)t->buffer + here->nbytes_off;

  if (t->is_put)
    return request_out == NULL
               ? DART__MPI(MPI_Put, buffer, here->count, here->type, at->unit, disp, there->count,
                           there->type, window)
               : DART__MPI(MPI_Rput, buffer, here->count, here->type, at->unit, disp, there->count,
                           there->type, window, request_out);
  return request_out == NULL
             ? DART__MPI(MPI_Get, buffer, here->count, here->type, at->unit, disp, there->count,
                         there->type, window)
             : DART__MPI(MPI_Rget, buffer, here->count, here->type, at->unit, disp, there->count,
                         there->type, window, request_out);
}

static dart_ret_t start_piece(const far_transfer_t *t, size_t from, size_t nelem,
                              MPI_Request *request_out)
{
  dart__mpi_layout_t there, here;
  dart_ret_t         ret = dart__mpi_layout(t->at_type, from, nelem, &there);

  if (ret != DART_OK)
    return ret;
  ret = dart__mpi_layout(t->buffer_type, from, nelem, &here);
  if (ret == DART_OK) {
    ret = start_call(t, &there, &here, request_out);
    dart__mpi_layout_free(&here);
  }
  dart__mpi_layout_free(&there);
  return ret;
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Layouts with instances too large for MPI's counts: every run of elements is a call. */
static dart_ret_t start_by_runs(const far_transfer_t *t, size_t nelem)
{
  size_t     size = t->at_type->elem_size, most = ((size_t)1 << 30) / size;
  dart_ret_t ret  = DART_OK;

  for (size_t elem = 0, count; elem < nelem && ret == DART_OK; elem += count) {
    size_t there_at, here_at;
    size_t there_run = dart__type_run(t->at_type, elem, &there_at);
    size_t here_run  = dart__type_run(t->buffer_type, elem, &here_at);

    count = least(least(there_run, here_run), least(most, nelem - elem));
    ret   = start_call(t,
                       &(dart__mpi_layout_t){ (MPI_Aint)(there_at * size), (int)(count * size),
                                              MPI_BYTE, false },
                       &(dart__mpi_layout_t){ (MPI_Aint)(here_at * size), (int)(count * size),
                                              MPI_BYTE, false },
                       NULL);
  }
  return ret;
}

/* Elements of a piece; 0: no pieces, but runs. */
static size_t piece_of(const far_transfer_t *t, size_t nelem, size_t *npieces_out)
{
  size_t piece = dart__mpi_piece(t->at_type, t->buffer_type);

  *npieces_out = piece == 0 ? 0 : (nelem + piece - 1) / piece;
  return piece;
}

/* All of it; requests_out has room for one request per piece, or is NULL. `by_flush`: the next
 * flush is to complete it, which is not needed where the request alone does. */
static dart_ret_t start(const far_transfer_t *t, size_t nelem, MPI_Request *requests_out,
                        bool by_flush)
{
  size_t     npieces, piece = piece_of(t, nelem, &npieces);
  dart_ret_t ret = piece == 0 ? start_by_runs(t, nelem) : DART_OK;

  for (size_t i = 0; i < npieces && ret == DART_OK; i++) {
    size_t from = i * piece;

    ret = start_piece(t, from, least(piece, nelem - from),
                      requests_out == NULL ? NULL : &requests_out[i]);
  }
  if (by_flush) /* a failed one too: part of it may be under way */
    count_started(t->at->team, t->at->unit);
  return ret;
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
  ret = start(t, nelem, handle->requests, true);
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
  if (npieces != 1) {
    ret = start_with_handle(t, nelem, &handle);
    return ret == DART_OK ? dart__far_wait(&handle, true) : ret;
  }
  ret = start(t, nelem, &request, t->is_put || !is_plain(t));
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

  return handle_out == NULL ? start(&t, nelem, NULL, true) : start_with_handle(&t, nelem, handle_out);
}

dart_ret_t dart__far_get(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  far_transfer_t t = { at, at_type, dst, dst_type, false };

  return handle_out == NULL ? start(&t, nelem, NULL, true) : start_with_handle(&t, nelem, handle_out);
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

static dart_ret_t flush_all(dart__team_t *team, dart_ret_t (*flush)(dart__team_t *, int32_t),
                            _Atomic uint32_t *done)
{
  uint32_t   started;
  dart_ret_t ret = dart__service_flush_team(team);

  if (is_done(&dart__team_port(team)->all, done, &started))
    return ret;
  for (int32_t u = 0; u < team->nunits && ret == DART_OK; u++)
    ret = flush(team, u);
  if (ret == DART_OK)
    note_done(done, started);
  return ret;
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return team->nnodes == 1
             ? DART_OK
             : flush_all(team, flush_window, &dart__team_port(team)->all.done_there);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return team->nnodes == 1
             ? DART_OK
             : flush_all(team, flush_window_local, &dart__team_port(team)->all.done_here);
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
