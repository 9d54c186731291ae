#ifndef DART__JOB_JOB_H
#define DART__JOB_JOB_H
/* The parts of dart_init, of dart_exit, and of the end of a process without it: a file each. */
#include <stdbool.h>

#include <dash/dart/if/dart_initialization.h>

#include "model/team.h"

/* ---- network.c: the job's network with all that works between nodes -------------------------------- */

/** dart__net_join; in a job of several nodes also the engine, its agents and messages of the program. Collective over the
 *  job; agreed. DART_ERR_NOMEM, DART_ERR_OTHER: nothing is open. */
dart_ret_t dart__network_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                              dart_thread_support_level_t *provided_out);

/** Undo it; all teams are closed. Collective over the job. */
void dart__network_leave(void);

/** This process ends between dart_init and dart_exit: see leave.c. All operations it has started are complete, and
 *  the exchanges of its teams record it as gone for the units of its node. True: all units have ended in the same way,
 *  and the caller closes everything, collectively. False: other units go on, and the caller closes nothing. */
bool dart__network_end(void);

/* ---- relays.c: the memory of relays (far/relayed.h), blocks of the pool ----------------------------- */

/** Have relays, if the job is to have them. Collective over the team of all units; no unit relays anything before a barrier
 *  that follows. */
void dart__relays_open(dart__team_t *all);

/** All that was requested is complete, on all units. The pool ends next, and with it the relays. */
void dart__relays_close(void);

/* ---- close.c ------------------------------------------------------------------------------------------ */

/** Close everything that dart_init opened, in reverse order. Collective over the job; all operations of all units are
 *  complete. */
void dart__close(void);

/* ---- leave.c: a process that ends between init and exit, without dart_exit ---------------------------- */

/** For what is done when the process ends, and may wait for ever: after some seconds `act` is called, by SIGALRM. */
void dart__leave_limit(void (*act)(int));

/* ---- what is checked at init ---------------------------------------------------------------------------- */

/** inline.c: whether all code of the program that reads dart_inline_tables was compiled for this library; if not, one
 *  log line. */
bool dart__inline_fits(const char *function);

/** layers.c: on unit 0, an error for each layer (dash/dart/ext/dart_profile.h) that the environment asks for and that sees
 *  no calls. Others go by its result. `function`: the caller, for the line. DART_ERR_OTHER: there is one. */
dart_ret_t dart__layers_look(const char *function);

/* ---- what is reported ------------------------------------------------------------------------------------ */

/** crash.c: a unit that dies of a signal that means a mistake prints where it was, once, and then dies of it. Not
 *  with DART_BACKTRACE=0, not of signals that have a handler already, and not in builds with sanitizers. */
void dart__crash_open(void);

/** hang.c: from now on SIGUSR1 is a question what this unit waits for, unless the program has a use for it. */
void dart__hang_answer(void);

/** hang.c: if the settings ask for reports, note locks in words (model/holds.h), and watch the waits of this unit if no
 *  launcher does. */
void dart__hang_watch(void);

/** stats.c: begin anew, as dart_stats_reset, but without making the transport's list. */
void dart__stats_begin(void);

/* stats_report.c: statistics of all units, printed when they end, as DART_STATS says (doc/profiling.md). */

/** What the environment says at dart_init: near operations are counted or not, and counting begins. */
void dart__report_open(void);

/** Print what was counted, if unit 0's environment asks for it. Collective over the job, and returns when all units have
 *  called it; this unit's operations are complete. What cannot be written is one line of warning. */
void dart__report(void);

/** dart__report in a process that ends without dart_exit, alone: only if each unit has a file of its own, or there is one
 *  unit, for others may not come; and as its own environment says. */
void dart__report_left(void);

/** dart__report in a process whose program aborts the job: the unit that calls it prints its own values wherever they go,
 *  for nobody else will. */
void dart__report_aborted(void);

#endif
