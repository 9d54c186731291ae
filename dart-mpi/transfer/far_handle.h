#ifndef DART__MPI_TRANSFER_FAR_HANDLE_H
#define DART__MPI_TRANSFER_FAR_HANDLE_H
/* Handles of transfers by MPI, and of atomics. A transfer may have a request for each of its calls of MPI, which costs
 * about 1 KB; or none, as atomics have, and then its wait is one for a mark. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_communication.h>

#include "port.h"
#include "window/team_windows.h"

struct dart_handle_struct {
  dart_handle_t   next; /* among abandoned ones */
  dart__team_t   *team;
  dart__window_t *window;
  int32_t         unit;
  bool            is_put;
  bool            by_flush; /* the requests alone do not show local completion */
  dart__mark_t    mark;     /* without requests: complete when this is reached */
  size_t          nrequests;
  MPI_Request     requests[];
};

/** A handle of so many requests, all null, or, if very many are alive, of none. NULL: no memory. */
dart_handle_t dart__handle_new(dart__team_t *team, dart__window_t *window, int32_t unit,
                               size_t nrequests);

/** Where the requests of a transfer go that is about to start; NULL: it gets none. */
static inline MPI_Request *dart__handle_requests(dart_handle_t handle)
{
  return handle->nrequests > 0 ? handle->requests : NULL;
}

/** The transfer was started, and counted. */
void dart__handle_started(dart_handle_t handle);

/** After a flush of a team unit, or of all (-1): free the handles of transfers to it that the program has
 *  given up. */
void dart__handles_flushed(const dart__team_t *team, int32_t unit);

#endif
