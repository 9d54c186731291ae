#ifndef DART__FAR_AGENT_H
#define DART__FAR_AGENT_H
/* The progress agent: a thread of each unit that makes progress while the program computes. */
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

/** Whether this unit is to have an agent, as the settings say. `has_threads`: several threads may call MPI; without that
 *  there is none, and one log line in the job says so. `is_late`: it starts when it is needed; else now. */
bool dart__agent_open(bool has_threads, bool is_late);

/** Start the agent, if there is to be one, and it does not run: far units are about to get to something of this unit's, or
 *  it is about to request something of them. Allocation calls it (memory/pool.c, chunk_new.c). Local; any thread.
 *  DART_ERR_NOMEM: there is no thread for it, as one log line says. */
dart_ret_t dart__agent_start(void);

/** End the agent, if it runs. */
void dart__agent_close(void);

/** Have the agent, if it runs, write to no memory but its stack from the return of a call with true to one with
 *  false. One thread at a time. */
void dart__agent_hold(bool hold);

/** Whether the calling thread is the agent. */
bool dart__agent_is_me(void);

#endif
