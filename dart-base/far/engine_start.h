#ifndef DART__FAR_ENGINE_START_H
#define DART__FAR_ENGINE_START_H
/* The start and the end of the progress engine, its agent and its latency estimates. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

#include "far/engine.h"

/** Open the core of active messages, in a job of several nodes. Collective over the job; agreed.
 *  DART_ERR_NOMEM. */
dart_ret_t dart__engine_open(void);

/** Start the agents where the settings ask for them, and agree on whether all units have one. Collective. */
void dart__engine_start(void);

/** End the agent and the core, after all requests were flushed. Collective; not open: nothing. */
void dart__engine_close(void);

#endif
