#ifndef DART__FAR_ENGINE_START_H
#define DART__FAR_ENGINE_START_H
/* The start and the end of the progress engine, its agent and its latency estimates. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

#include "far/engine.h"

/** Allocate the core of active messages, in a job of several nodes. Local. DART_ERR_NOMEM. */
dart_ret_t dart__engine_prepare(void);

/** Start the agents where the settings ask for them, and agree on whether all units have one, and on `mine`, this unit's
 *  result so far. Collective over the job; agreed: after an error nothing is open. */
dart_ret_t dart__engine_open(dart_ret_t mine);

/** End the agent and the core, after all requests were flushed. Collective; not open: nothing. */
void dart__engine_close(void);

#endif
