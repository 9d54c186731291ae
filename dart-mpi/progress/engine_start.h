#ifndef DART__MPI_PROGRESS_ENGINE_START_H
#define DART__MPI_PROGRESS_ENGINE_START_H
/* The start and the end of the progress engine, its agent and its latency estimates. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

/** Open the core of active messages, over a communicator of its own. Collective over the job; agreed.
 *  DART_ERR_NOMEM. */
dart_ret_t dart__engine_open(void);

/** Start the agents where the settings ask for them, and agree on whether all units have one. Collective.
 *  `mpi_has_threads`: several threads may call MPI. `mpi_reaches_memory`: its puts and gets are no messages. */
void dart__engine_start(bool mpi_has_threads, bool mpi_reaches_memory);

/** End the agent and the core, after all requests were flushed. Collective; not open: nothing. */
void dart__engine_close(void);

#endif
