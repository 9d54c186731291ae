#ifndef DART__RMA_HANDLE_H
#define DART__RMA_HANDLE_H
/* Handles of transfers by MPI. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_communication.h>

#include "memory/team.h"

struct dart_handle_struct {
  dart_handle_t   next; /* among abandoned ones */
  dart__team_t   *team;
  dart__window_t *window;
  int32_t         unit;
  bool            is_put;
  bool            by_flush; /* the requests alone do not show local completion */
  size_t          nrequests;
  MPI_Request     requests[];
};

/** A handle of so many requests, all null. NULL: no memory. */
dart_handle_t dart__handle_new(dart__team_t *team, dart__window_t *window, int32_t unit,
                               size_t nrequests);

/** After a flush of a team unit, or of all (-1): free the handles of transfers to it that the program has
 *  given up. */
void dart__handles_flushed(const dart__team_t *team, int32_t unit);

#endif
