/* Far transfers: RMA on the windows of the team, and small ones as requests to the owner.
 *
 * Three roads. A put or get without a handle of a few bytes is collected with others (lanes.c), so
 * that many of them are one message. A blocking one of a few bytes is a request that leaves at once,
 * if the owner is slow to answer (pace.c): who waits for its answer serves others meanwhile, where
 * MPI's own flush spins. All else is MPI's put or get on the window, which is always open: starting
 * is one call, and completing it costs what is outstanding (outstanding.c). A get is complete when its
 * data is here. A put with a notification always goes to the owner by itself, never by a window. */
#include <stdlib.h>

#include "base/counters.h"
#include "base/log.h"
#include "handle.h"
#include "model/world.h"
#include "mpi_port.h"
#include "mpi_type.h"
#include "service.h"

#define PIECE_MOST ((size_t)1 << 30) /* bytes of one MPI call */
#define FEW        128               /* scattered elements that travel as requests */

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

static dart__window_t *window_of(const far_transfer_t *t)
{
  return ((const dart__chunk_port_t *)t->at->segment->chunk->port)->window;
}

/* Bytes of a plain transfer that is no larger than `most`; 0 for all others. */
static size_t small(const far_transfer_t *t, size_t nelem, size_t most)
{
  if (nelem > most || !is_plain(t) || nelem * t->at_type->elem_size > most)
    return 0;
  return nelem * t->at_type->elem_size;
}

/* ---- start ------------------------------------------------------------------------------- */

/* One MPI call; with `request_out`, one that can be waited for. Places are byte offsets from where
 * element 0 lies. */
static void start_call(const far_transfer_t *t, const dart__mpi_layout_t *there,
                       const dart__mpi_layout_t *here, MPI_Request *request_out)
{
  const dart__place_t      *at    = t->at;
  const dart__chunk_port_t *chunk = at->segment->chunk->port;
  MPI_Win                   win   = chunk->window->win;
  MPI_Aint                  disp  = chunk->disp[at->unit] +
                  (MPI_Aint)(at->segment->base + at->offset) + there->nbytes_off;
  char *buffer = (char *)t->buffer + here->nbytes_off;

  dart__count(t->is_put ? DART__COUNT_RMA_PUT : DART__COUNT_RMA_GET);
  if (request_out != NULL)
    dart__count(DART__COUNT_RMA_HANDLE);
  if (t->is_put && request_out == NULL)
    DART__MPI(MPI_Put, buffer, here->count, here->type, at->unit, disp, there->count, there->type,
              win);
  else if (t->is_put)
    DART__MPI(MPI_Rput, buffer, here->count, here->type, at->unit, disp, there->count, there->type,
              win, request_out);
  else if (request_out == NULL)
    DART__MPI(MPI_Get, buffer, here->count, here->type, at->unit, disp, there->count, there->type,
              win);
  else
    DART__MPI(MPI_Rget, buffer, here->count, here->type, at->unit, disp, there->count, there->type,
              win, request_out);
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* `nbytes` bytes in a row on both sides, in as many calls as MPI's counts need. */
static void start_run(const far_transfer_t *t, size_t there_off, size_t here_off, size_t nbytes)
{
  for (size_t from = 0; from < nbytes; from += PIECE_MOST) {
    size_t             count = least(PIECE_MOST, nbytes - from);
    dart__mpi_layout_t there = dart__mpi_bytes(there_off + from, count);
    dart__mpi_layout_t here  = dart__mpi_bytes(here_off + from, count);

    dart__count(DART__COUNT_RMA_RUN);
    start_call(t, &there, &here, NULL);
  }
}

/* Elements [from, to) without MPI's datatypes: of layouts with elements or instances too large for its
 * counts, or where there is no memory for one. */
static void start_by_runs(const far_transfer_t *t, size_t from, size_t to)
{
  size_t size = t->at_type->elem_size;

  for (size_t elem = from, count; elem < to; elem += count) {
    size_t there_at, here_at;
    size_t there_run = dart__type_run(t->at_type, elem, &there_at);
    size_t here_run  = dart__type_run(t->buffer_type, elem, &here_at);

    count = least(least(there_run, here_run), to - elem);
    start_run(t, there_at * size, here_at * size, count * size);
  }
}

/* A request only if there are datatypes. */
static void start_piece(const far_transfer_t *t, size_t from, size_t nelem,
                        MPI_Request *request_out)
{
  dart__mpi_layout_t there, here;

  if (!dart__mpi_layout(t->at_type, from, nelem, &there)) {
    start_by_runs(t, from, from + nelem);
    return;
  }
  if (dart__mpi_layout(t->buffer_type, from, nelem, &here)) {
    start_call(t, &there, &here, request_out);
    dart__mpi_layout_free(&here);
  }
  else {
    start_by_runs(t, from, from + nelem);
  }
  dart__mpi_layout_free(&there);
}

/* Elements of a piece; 0: no pieces, but runs. */
static size_t piece_of(const far_transfer_t *t, size_t nelem, size_t *npieces_out)
{
  size_t piece = dart__mpi_piece(t->at_type, t->buffer_type);

  *npieces_out = piece == 0 ? 0 : (nelem + piece - 1) / piece;
  return piece;
}

/* All of it, to be completed by a flush; requests_out has room for one request per piece, or is
 * NULL. */
static void start(const far_transfer_t *t, size_t nelem, MPI_Request *requests_out)
{
  size_t npieces, piece = piece_of(t, nelem, &npieces);

  if (piece == 0)
    start_by_runs(t, 0, nelem);
  for (size_t i = 0; i < npieces; i++) {
    size_t from = i * piece;

    start_piece(t, from, least(piece, nelem - from),
                requests_out == NULL ? NULL : &requests_out[i]);
  }
  dart__window_started(t->at->team, window_of(t), t->at->unit, !t->is_put);
}

/* NULL: no memory, and nothing was started. */
static dart_handle_t start_with_handle(const far_transfer_t *t, size_t nelem)
{
  size_t        npieces;
  dart_handle_t handle;

  piece_of(t, nelem, &npieces);
  handle = dart__handle_new(t->at->team, window_of(t), t->at->unit, npieces);
  if (handle == DART_HANDLE_NULL)
    return handle;
  handle->is_put   = t->is_put;
  handle->by_flush = !is_plain(t) || npieces == 0;
  start(t, nelem, handle->requests);
  return handle;
}

/* ---- start, and wait --------------------------------------------------------------------- */

/* Whether it goes by messages, so that waiting for it is worth serving others. */
static bool is_message(const far_transfer_t *t)
{
  return window_of(t) == dart__team_port(t->at->team)->dynamic;
}

static dart_unit_t owner_of(const far_transfer_t *t)
{
  return t->at->team->members[t->at->unit];
}

static dart_ret_t request_blocking(const far_transfer_t *t, size_t nbytes)
{
  if (t->is_put)
    dart__service_put(t->at, t->buffer, nbytes);
  else
    dart__service_get(t->at, t->buffer, nbytes);
  dart__count(DART__COUNT_REQUEST_BLOCKING);
  return dart__service_flush(owner_of(t), true);
}

/* One contiguous piece. On a static window a flush is what completes it soonest; on a dynamic one a
 * get has a request, whose wait serves others. */
static void plain_blocking(const far_transfer_t *t, int nbytes, bool is_slow)
{
  const dart__place_t      *at    = t->at;
  const dart__chunk_port_t *chunk = at->segment->chunk->port;
  MPI_Win                   win   = chunk->window->win;
  MPI_Aint    disp  = chunk->disp[at->unit] + (MPI_Aint)(at->segment->base + at->offset);
  int64_t     began = dart__pace_begin();
  MPI_Request               request;

  dart__count(t->is_put ? DART__COUNT_RMA_PUT : DART__COUNT_RMA_GET);
  if (!t->is_put && (is_slow || is_message(t))) {
    DART__MPI(MPI_Rget, t->buffer, nbytes, MPI_BYTE, at->unit, disp, nbytes, MPI_BYTE, win,
              &request);
    if (is_slow)
      dart__service_meet(owner_of(t));
    dart__mpi_wait(&request);
  }
  else {
    if (t->is_put)
      DART__MPI(MPI_Put, t->buffer, nbytes, MPI_BYTE, at->unit, disp, nbytes, MPI_BYTE, win);
    else
      DART__MPI(MPI_Get, t->buffer, nbytes, MPI_BYTE, at->unit, disp, nbytes, MPI_BYTE, win);
    if (is_slow)
      dart__service_meet(owner_of(t));
    DART__MPI(MPI_Win_flush, at->unit, win);
  }
  dart__pace_end(owner_of(t), began, (size_t)nbytes);
  dart__pace_greet(owner_of(t), began);
}

/* Waiting for requests serves others; without memory for them, a flush will do. */
static void start_and_wait(const far_transfer_t *t, size_t nelem)
{
  dart_handle_t handle = start_with_handle(t, nelem);

  if (handle != DART_HANDLE_NULL) {
    dart__far_wait(&handle, true);
    return;
  }
  start(t, nelem, NULL);
  dart__window_flush(t->at->team, t->at->unit, true);
}

static dart_ret_t transfer_blocking(const far_transfer_t *t, size_t nelem)
{
  size_t nbytes  = small(t, nelem, PIECE_MOST);
  bool   is_slow = nbytes > 0 && dart__pace_is_slow(owner_of(t));

  if (is_slow && nbytes <= DART__SERVICE_MOST)
    return request_blocking(t, nbytes);
  if (nbytes > 0) {
    plain_blocking(t, (int)nbytes, is_slow);
  }
  else {
    start_and_wait(t, nelem);
  }
  return DART_OK;
}

/* ---- the seam ---------------------------------------------------------------------------- */

static dart_ret_t start_for_handle(const far_transfer_t *t, size_t nelem, dart_handle_t *handle_out)
{
  *handle_out = start_with_handle(t, nelem);
  if (*handle_out != DART_HANDLE_NULL)
    return DART_OK;
  dart__error("no memory for a handle of %zu elements", nelem);
  return DART_ERR_NOMEM;
}

dart_ret_t dart__far_put(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out)
{
  far_transfer_t t = { at, at_type, (void *)(uintptr_t)src, src_type, true };
  size_t         nbytes;

  if (handle_out != NULL)
    return start_for_handle(&t, nelem, handle_out);
  nbytes = small(&t, nelem, dart__mpi.collect);
  if (nbytes == 0) {
    start(&t, nelem, NULL);
    return DART_OK;
  }
  dart__count(DART__COUNT_AGGREGATED);
  dart__service_put(at, src, nbytes);
  return DART_OK;
}

dart_ret_t dart__far_get(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out)
{
  far_transfer_t t = { at, at_type, dst, dst_type, false };
  size_t         nbytes;

  if (handle_out != NULL)
    return start_for_handle(&t, nelem, handle_out);
  nbytes = small(&t, nelem, dart__mpi.collect);
  if (nbytes == 0) {
    start(&t, nelem, NULL);
    return DART_OK;
  }
  dart__count(DART__COUNT_AGGREGATED);
  dart__service_get(at, dst, nbytes);
  return DART_OK;
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

/* Few scattered elements, a request for each run of them. */
static void request_by_runs(const far_transfer_t *t, size_t nelem)
{
  size_t size = t->at_type->elem_size;

  for (size_t elem = 0, count; elem < nelem; elem += count) {
    size_t        there_at, here_at;
    size_t        there_run = dart__type_run(t->at_type, elem, &there_at);
    size_t        here_run  = dart__type_run(t->buffer_type, elem, &here_at);
    dart__place_t at        = *t->at;

    count = least(least(there_run, here_run), nelem - elem);
    at.offset += there_at * size;
    dart__service_put(&at, (const char *)t->buffer + here_at * size, count * size);
  }
}

/* Put what does not fit a request, ahead of the notification: as a message, which nobody waits for, or
 * where MPI has to lay it out, complete. */
static void put_ahead(const far_transfer_t *t, size_t nelem)
{
  size_t nbytes = nelem * t->at_type->elem_size;

  if (is_plain(t)) {
    dart__count(DART__COUNT_NOTIFY_DATA);
    dart__lanes_send_data(t->at, t->buffer, nbytes);
  } else if (nelem <= FEW && nbytes <= DART__SERVICE_MOST) {
    dart__count(DART__COUNT_NOTIFY_RUNS);
    request_by_runs(t, nelem);
  }
  else {
    dart__count(DART__COUNT_NOTIFY_AFTER_RMA);
    start_and_wait(t, nelem);
  }
}

void dart__far_put_notify(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                          const dart__type_t *src_type, size_t nelem, const dart__place_t *flag,
                          uint64_t by)
{
  far_transfer_t t      = { at, at_type, (void *)(uintptr_t)src, src_type, true };
  size_t         nbytes = nelem == 0 ? 0 : small(&t, nelem, DART__NOTIFIED_MOST);

  if (nbytes > 0)
    dart__count(DART__COUNT_NOTIFY_INLINE);
  else if (nelem > 0)
    put_ahead(&t, nelem);
  dart__service_notify(at, src, nbytes, flag, by);
}

/* ---- flushes: requests, then transfers --------------------------------------------------- */

dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit)
{
  dart_ret_t ret = dart__service_flush(team->members[unit], true);

  dart__window_flush(team, unit, true);
  return ret;
}

dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  dart_ret_t ret = dart__service_flush(team->members[unit], false);

  dart__window_flush(team, unit, false);
  return ret;
}

void dart__far_settle(dart__team_t *team, int32_t unit)
{
  if (team->nnodes == 1)
    return;
  dart__service_settle(team->members[unit]);
  dart__window_flush(team, unit, true);
}

static dart_ret_t flush_all(dart__team_t *team, bool at_target)
{
  dart_ret_t ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__service_flush_team(team, at_target);
  dart__window_flush_all(team, at_target);
  return ret;
}

dart_ret_t dart__far_flush_all(dart__team_t *team)
{
  return flush_all(team, true);
}

dart_ret_t dart__far_flush_local_all(dart__team_t *team)
{
  return flush_all(team, false);
}
