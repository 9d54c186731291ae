#ifndef DART__FAR_FAR_HANDLE_H
#define DART__FAR_FAR_HANDLE_H
/* Handles of far operations. One of bytes in a row may have a request of the network, which costs MPICH about 1 KB.
 * Others, and atomics, have a mark: their wait completes what was started up to it. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_communication.h>

#include "far/far_ops.h"
#include "net.h"

struct dart_handle_struct {
  dart_handle_t       next; /* among abandoned ones */
  dart__team_t       *team;
  int32_t             unit;
  bool                is_put;
  bool                has_request;
  dart__net_request_t request; /* with has_request */
  dart__mark_t        mark;    /* without: complete when this is reached */
};

/** A handle, with a request if that is wanted and few handles that are alive have one. NULL: no memory. */
dart_handle_t dart__handle_new(dart__team_t *team, int32_t unit, bool wants_request);

/** The transfer was started, and counted. */
void dart__handle_started(dart_handle_t handle);

/** After a flush of a team unit, or of all (-1): free the handles of transfers to it that the program has
 *  released. */
void dart__handles_flushed(const dart__team_t *team, int32_t unit);

#endif
