#ifndef DART__PROGRESS_LATENCY_H
#define DART__PROGRESS_LATENCY_H
/* An estimate of how soon units answer, for transfers by MPI. Units are global ids. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

dart_ret_t dart__latency_open(void); /* DART_ERR_NOMEM */
void       dart__latency_close(void);

/** Whether a unit should be asked by a request, whose reply is waited for as DART waits, before MPI's flush
 *  waits for it: it was slow lately, or may need the core of this one. Never without agents. */
bool dart__latency_is_slow(dart_unit_t unit);

/** Around an operation that waits for MPI: when it began, 0 if this one is not measured; and what that
 *  tells of the unit. */
int64_t dart__latency_begin(void);
void    dart__latency_end(dart_unit_t unit, int64_t began, size_t nbytes);

/** In a stream of blocking transfers by MPI: ping their target now and then, or it would go to sleep.
 *  `began` as above. Not from a flush: the ping is a request, to be flushed. */
void dart__latency_ping(dart_unit_t unit, int64_t began);

#endif
