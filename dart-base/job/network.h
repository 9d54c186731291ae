#ifndef DART__JOB_NETWORK_H
#define DART__JOB_NETWORK_H
/* Joining the job's network with all that works between nodes, and leaving it. */
#include <stdbool.h>

#include <dash/dart/if/dart_initialization.h>

/** dart__net_join; in a job of several nodes also the engine, its agents and messages of the program. Collective over the
 *  job; agreed. DART_ERR_NOMEM, DART_ERR_OTHER: nothing is open. */
dart_ret_t dart__network_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                              dart_thread_support_level_t *provided_out);

/** Undo it; all teams are closed. Collective over the job. */
void dart__network_leave(void);

/** This process ends between dart_init and dart_exit: see job/leave.c. All operations it has started are complete, and
 *  the exchanges of its teams record it as gone for the units of its node. True: all units have ended in the same way,
 *  and the caller closes everything, collectively. False: other units go on, and the caller closes nothing. */
bool dart__network_end(void);

#endif
