/* See mpi_transfer.h. */
#include "transfer/mpi_transfer.h"

#include <string.h>

#include "base/counters.h"
#include "base/last_call.h"
#include "base/size.h"
#include "mpi/comm.h"
#include "progress/engine.h"
#include "progress/latency.h"
#include "transfer/completion.h"
#include "transfer/datatype.h"
#include "transfer/far_handle.h"
#include "transfer/order.h"
#include "transfer/rma.h"
#include "wait/waiting.h"
#include "window/nested_window.h"

#define FEW \
  8192 /* elements that MPI's flush moves so fast that nobody else need be served meanwhile */

/* ---- start ------------------------------------------------------------------------------- */

/* What one MPI call moves. */
static uint64_t layout_bytes(const dart__mpi_layout_t *layout)
{
  MPI_Count nbytes = 1;

  if (layout->type != MPI_BYTE)
    DART__MPI(MPI_Type_size_x, layout->type, &nbytes);
  return (uint64_t)nbytes * (uint64_t)layout->count;
}

/* One MPI call; with `request_out`, one that has a request. */
static void start_call(const dart__rma_t *t, const dart__mpi_layout_t *target,
                       const dart__mpi_layout_t *origin, MPI_Request *request_out)
{
  int      unit   = t->at->unit;
  MPI_Win  win    = dart__window_of(t->at)->win;
  MPI_Aint disp   = dart__disp_of(t->at) + target->nbytes_off;
  char    *buffer = (char *)t->buffer + origin->nbytes_off;

  dart__count_operation(t->is_put ? DART__COUNT_RMA_PUT : DART__COUNT_RMA_GET,
                        layout_bytes(origin));
  if (request_out != NULL)
    dart__count(DART__COUNT_RMA_HANDLE);
  if (t->is_put && request_out == NULL)
    DART__MPI(MPI_Put, buffer, origin->count, origin->type, unit, disp, target->count, target->type,
              win);
  else if (t->is_put)
    DART__MPI(MPI_Rput, buffer, origin->count, origin->type, unit, disp, target->count,
              target->type, win, request_out);
  else if (request_out == NULL)
    DART__MPI(MPI_Get, buffer, origin->count, origin->type, unit, disp, target->count, target->type,
              win);
  else
    DART__MPI(MPI_Rget, buffer, origin->count, origin->type, unit, disp, target->count,
              target->type, win, request_out);
}

/* `nbytes` bytes in a row on both sides, in as many calls as MPI's counts need. */
static void start_run(const dart__rma_t *t, size_t target_off, size_t origin_off, size_t nbytes)
{
  for (size_t from = 0; from < nbytes; from += DART__RMA_PIECE) {
    size_t             count  = dart__least(DART__RMA_PIECE, nbytes - from);
    dart__mpi_layout_t target = dart__mpi_bytes(target_off + from, count);
    dart__mpi_layout_t origin = dart__mpi_bytes(origin_off + from, count);

    dart__count(DART__COUNT_RMA_RUN);
    start_call(t, &target, &origin, NULL);
  }
}

/* Elements [from, to) without MPI's datatypes: for types with elements or instances too large for MPI's
 * counts, or when there is no memory for a datatype. */
static void start_by_runs(const dart__rma_t *t, size_t from, size_t to)
{
  size_t size = t->at_type->elem_size;

  for (size_t elem = from, count; elem < to; elem += count) {
    size_t target_at, origin_at;
    size_t target_run = dart__type_run(t->at_type, elem, &target_at);
    size_t origin_run = dart__type_run(t->buffer_type, elem, &origin_at);

    count = dart__least(dart__least(target_run, origin_run), to - elem);
    start_run(t, target_at * size, origin_at * size, count * size);
  }
}

/* Gives a request only if there is memory for datatypes. */
static void start_piece(const dart__rma_t *t, size_t from, size_t nelem, MPI_Request *request_out)
{
  dart__mpi_layout_t target, origin;

  if (!dart__mpi_layout(t->at_type, from, nelem, &target)) {
    start_by_runs(t, from, from + nelem);
    return;
  }
  if (dart__mpi_layout(t->buffer_type, from, nelem, &origin)) {
    start_call(t, &target, &origin, request_out);
    dart__mpi_layout_free(&origin);
  } else {
    start_by_runs(t, from, from + nelem);
  }
  dart__mpi_layout_free(&target);
}

/* Elements of a piece; 0: the transfer goes by runs, not pieces. */
static size_t split_transfer(const dart__rma_t *t, size_t nelem, size_t *npieces_out)
{
  size_t piece = dart__mpi_piece(t->at_type, t->buffer_type);

  *npieces_out = piece == 0 ? 0 : (nelem + piece - 1) / piece;
  return piece;
}

/* The same in pieces; `requests_out` has room for one request per piece, or is NULL. */
static void start_pieces(const dart__rma_t *t, size_t nelem, MPI_Request *requests_out)
{
  size_t npieces, piece = split_transfer(t, nelem, &npieces);

  if (piece == 0)
    start_by_runs(t, 0, nelem);
  for (size_t i = 0; i < npieces; i++) {
    size_t from = i * piece;

    start_piece(t, from, dart__least(piece, nelem - from),
                requests_out == NULL ? NULL : &requests_out[i]);
  }
}

/* The whole transfer. */
static void start_transfer(const dart__rma_t *t, size_t nelem, MPI_Request *requests_out)
{
  dart__order_wait(t->at->team, t->at->unit);
  start_pieces(t, nelem, requests_out);
  dart__completion_started(t->at->team, dart__window_of(t->at), t->at->unit, !t->is_put);
  dart__latency_ping(t->at->team->members[t->at->unit]);
}

dart_handle_t dart__rma_start_with_handle(const dart__rma_t *t, size_t nelem)
{
  size_t        npieces;
  dart_handle_t handle;

  split_transfer(t, nelem, &npieces);
  handle = dart__handle_new(t->at->team, dart__window_of(t->at), t->at->unit, npieces);
  if (handle == DART_HANDLE_NULL)
    return handle;
  handle->is_put   = t->is_put;
  handle->by_flush = !dart__rma_is_plain(t);
  start_transfer(t, nelem, dart__handle_requests(handle));
  dart__handle_started(handle);
  return handle;
}

static void start_copied(const dart__rma_t *t, size_t nelem)
{
  dart__rma_t   copied = *t;
  dart__copy_t *copy   = dart__completion_copy(t->at->team, t->at->unit);

  copied.buffer = memcpy(copy->bytes, t->buffer, nelem * t->buffer_type->elem_size);
  start_transfer(&copied, nelem, NULL);
  dart__completion_copied(t->at->team, copy);
}

void dart__rma_start(const dart__rma_t *t, size_t nelem)
{
  if (t->is_put && dart__type_is_copied(t->buffer_type, nelem))
    start_copied(t, nelem);
  else
    start_transfer(t, nelem, NULL);
}

/* ---- start, and wait --------------------------------------------------------------------- */

/* Few data of a static window are completed by a flush. Waiting for the requests of a handle makes
 * progress; without memory for a handle, a flush will do. */
void dart__rma_blocking(const dart__rma_t *t, size_t nelem)
{
  bool          is_short = dart__window_of(t->at)->is_static && nelem <= FEW;
  dart_handle_t handle   = is_short ? DART_HANDLE_NULL : dart__rma_start_with_handle(t, nelem);

  if (handle != DART_HANDLE_NULL) {
    dart__far_wait(&handle, true);
    return;
  }
  start_transfer(t, nelem, NULL);
  dart__completion_flush(t->at->team, t->at->unit, true);
}
