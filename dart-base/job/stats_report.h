#ifndef DART__JOB_STATS_REPORT_H
#define DART__JOB_STATS_REPORT_H
/* Statistics of all units, printed when they end, as DART_STATS says (doc/profiling.md). */

/** What the environment says at dart_init: near operations are counted or not, and counting begins. */
void dart__report_open(void);

/** Print what was counted, if unit 0's environment asks for it. Collective over the job, and returns when all units have
 *  called it; this unit's operations are complete. What cannot be written is one line of warning. */
void dart__report(void);

/** The same in a process that ends without dart_exit, alone: only if each unit has a file of its own, or there is one
 *  unit, for others may not come; and as its own environment says. */
void dart__report_left(void);

/** The same in a process whose program aborts the job: the unit that calls it prints its own values wherever they go,
 *  for nobody else will. */
void dart__report_aborted(void);

#endif
