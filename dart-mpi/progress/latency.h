#ifndef DART__PROGRESS_LATENCY_H
#define DART__PROGRESS_LATENCY_H
/* A latency estimate of targets, for transfers by MPI. Units are global ids. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

dart_ret_t dart__latency_open(void); /* DART_ERR_NOMEM */
void       dart__latency_close(void);

/** Whether a unit should be sent a request, for whose acknowledgement this unit waits with progress, before
 *  it waits in MPI's flush: the target was slow lately, or may need this unit's core. False without
 *  agents. */
bool dart__latency_is_slow(dart_unit_t unit);

/** Whether a unit can be expected to make progress on a transfer by MPI right now, for it was sent a request a
 *  short while ago. If not, the caller sends it one. */
bool dart__latency_is_awake(dart_unit_t unit);

/** Around an operation that waits for MPI: begin returns the time, 0 if this operation is not measured; end
 *  updates the estimate of the unit. */
int64_t dart__latency_begin(void);
void    dart__latency_end(dart_unit_t unit, int64_t began, size_t nbytes);

/** In a stream of transfers by MPI: send their target a keep-alive ping now and then, or its progress would go to
 *  sleep. No flush waits for it. */
void dart__latency_ping(dart_unit_t unit);

#endif
