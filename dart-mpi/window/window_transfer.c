/* Puts, gets and flushes by MPI, on windows whose access epoch is always open.
 *
 * Each window counts what is outstanding on it towards each unit, so a flush calls MPI only for windows that have
 * something to complete.
 *
 * MPICH 4.0's MPI_Win_flush_local is wrong on windows where UCX moves the data itself: for each target it keeps only
 * what the newest transfer needs, and a put that was sent at once needs nothing locally. So such a put, after a get or
 * after a put whose source UCX is still reading, makes flush_local skip these. There, MPI_Win_flush completes transfers
 * also locally, unless the newest put is the first of what is outstanding. */
#include "base/counters.h"
#include "base/size.h"
#include "model/outstanding.h"
#include "model/world.h"
#include "mpi/messages.h"
#include "net.h"
#include "window/datatype.h"
#include "window/nested_window.h"
#include "window/team_windows.h"

/* ---- bytes ------------------------------------------------------------------------------------ */

/* Count after the call of MPI: the transfer is under way meanwhile. */
static inline void count(dart__window_t *window, int32_t unit, size_t nbytes, bool is_put)
{
  dart__count_operation(is_put ? DART__COUNT_RMA_PUT : DART__COUNT_RMA_GET, nbytes);
  dart__outstanding_start(&window->unit[unit], !is_put);
}

void dart__net_move(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                    void *buffer, size_t nbytes, bool is_put, dart__net_request_t *request_out)
{
  dart__window_t *window = dart__chunk_net(chunk)->window;
  MPI_Aint        disp   = dart__chunk_disp(chunk, unit, offset);
  int             n      = (int)nbytes;
  MPI_Request     request;

  (void)team;
  if (request_out == NULL && is_put)
    DART__MPI(MPI_Put, buffer, n, MPI_BYTE, unit, disp, n, MPI_BYTE, window->win);
  else if (request_out == NULL)
    DART__MPI(MPI_Get, buffer, n, MPI_BYTE, unit, disp, n, MPI_BYTE, window->win);
  else if (is_put)
    DART__MPI(MPI_Rput, buffer, n, MPI_BYTE, unit, disp, n, MPI_BYTE, window->win, &request);
  else
    DART__MPI(MPI_Rget, buffer, n, MPI_BYTE, unit, disp, n, MPI_BYTE, window->win, &request);
  if (request_out != NULL)
    *request_out = dart__mpi_wrap(request);
  count(window, unit, nbytes, is_put);
}

/* ---- elements of types -------------------------------------------------------------------------- */

/* What one MPI call moves. */
static uint64_t layout_bytes(const dart__mpi_layout_t *layout)
{
  MPI_Count nbytes = 1;

  if (layout->type != MPI_BYTE)
    DART__MPI(MPI_Type_size_x, layout->type, &nbytes);
  return (uint64_t)nbytes * (uint64_t)layout->count;
}

static void transfer_piece(dart__window_t *window, int32_t unit, MPI_Aint disp,
                           const dart__mpi_layout_t *target, char *buffer,
                           const dart__mpi_layout_t *origin, bool is_put)
{
  disp += target->nbytes_off;
  buffer += origin->nbytes_off;
  if (is_put)
    DART__MPI(MPI_Put, buffer, origin->count, origin->type, unit, disp, target->count, target->type,
              window->win);
  else
    DART__MPI(MPI_Get, buffer, origin->count, origin->type, unit, disp, target->count, target->type,
              window->win);
  count(window, unit, layout_bytes(origin), is_put);
}

/* MPI counts the elements of a call by int, so they go in pieces. Types too large for that, and types for which there is
 * no memory, are left to the caller. */
size_t dart__window_transfer(dart__team_t *team, dart__chunk_t *chunk, int32_t unit,
                             uint64_t offset, const dart__type_t *at_type, void *buffer,
                             const dart__type_t *type, size_t from, size_t nelem, bool is_put)
{
  size_t   piece = dart__mpi_piece(at_type, type);
  MPI_Aint disp  = dart__chunk_disp(chunk, unit, offset);

  (void)team;
  if (piece == 0)
    return from;
  while (from < nelem) {
    size_t             n = dart__least(piece, nelem - from);
    dart__mpi_layout_t target, origin;

    if (!dart__mpi_layout(at_type, from, n, &target))
      break;
    if (!dart__mpi_layout(type, from, n, &origin)) {
      dart__mpi_layout_free(&target);
      break;
    }
    transfer_piece(dart__chunk_net(chunk)->window, unit, disp, &target, buffer, &origin, is_put);
    dart__mpi_layout_free(&origin);
    dart__mpi_layout_free(&target);
    from += n;
  }
  return from;
}

/* ---- flush --------------------------------------------------------------------------------------- */

/* Whether MPI_Win_flush_local is right for this window and target; see above. */
static bool can_flush_local(const dart__window_t *window, const dart__outstanding_t *o)
{
  return !window->is_static ||
         dart__outstanding_number(&o->last_put) <= dart__outstanding_number(&o->done_local) + 1;
}

static inline void flush_window(dart__window_t *window, int32_t unit, bool at_target)
{
  dart__outstanding_t *o    = &window->unit[unit];
  uint64_t             last = dart__outstanding_number(&o->started);

  if (dart__outstanding_is_done(o, at_target, last))
    return;
  at_target = (at_target && dart__outstanding_has_put(o)) || !can_flush_local(window, o);
  dart__count(DART__COUNT_RMA_FLUSH);
  if (at_target)
    DART__MPI(MPI_Win_flush, unit, window->win);
  else
    DART__MPI(MPI_Win_flush_local, unit, window->win);
  dart__outstanding_note(o, at_target, last);
}

void dart__net_flush(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, bool at_target)
{
  dart__windows_t *windows = &dart__team_net(team)->windows;

  if (chunk != NULL) {
    flush_window(dart__chunk_net(chunk)->window, unit, at_target);
    return;
  }
  if (dart__world.many_threads) /* other threads may make windows, or end them */
    pthread_rwlock_rdlock(&windows->lock);
  for (dart__window_t *w = windows->first; w != NULL; w = w->next)
    flush_window(w, unit, at_target);
  if (dart__world.many_threads)
    pthread_rwlock_unlock(&windows->lock);
}
