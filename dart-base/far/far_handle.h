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
  dart__mark_t        mark;    /* complete when this is reached; with a request, of a put alone */
};

/** A handle, with a request if that is wanted and few handles that are alive have one; else what is added to its mark
 *  completes it. NULL: no memory. */
dart_handle_t dart__handle_new(dart__team_t *team, int32_t unit, bool wants_request);

/** The handle is done with; its transfer is over, or completed by flushes. */
void dart__handle_delete(dart_handle_t handle);

/** Handles that the program has released before their transfers were done. A thread counts its own. */
extern _Atomic uint32_t dart__handles_released;

/** After a flush of a team unit, or of all (-1): free those of transfers to it. */
void dart__handles_free(const dart__team_t *team, int32_t unit);

static inline void dart__handles_flushed(const dart__team_t *team, int32_t unit)
{
  if (atomic_load_explicit(&dart__handles_released, memory_order_relaxed) > 0)
    dart__handles_free(team, unit);
}

#endif
