#ifndef DART__FAR_AGENT_H
#define DART__FAR_AGENT_H
/* The progress agent: a thread of each unit that makes progress while the program computes. */
#include <stdbool.h>

/** Start the agent, unless the settings say that there is none; true if it runs. `has_threads`: several
 *  threads may call MPI; without that there is no agent, and one log line in the job says so. */
bool dart__agent_open(bool has_threads);

/** End the agent, if it runs. */
void dart__agent_close(void);

/** Have the agent, if it runs, write to no memory but its stack from the return of a call with true to one with
 *  false. One thread at a time. */
void dart__agent_hold(bool hold);

/** Whether the calling thread is the agent. */
bool dart__agent_is_me(void);

#endif
