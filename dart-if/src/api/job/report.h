#ifndef DART__API_REPORT_H
#define DART__API_REPORT_H
/* Statistics of all units, printed at dart_exit as DART_STATS says (doc/statistics.md). */

/** What the environment says at dart_init: near operations are counted or not, and counting begins. */
void dart__report_open(void);

/** Print what was counted, if unit 0's environment asks for it. Collective over the job; this unit's operations
 *  are complete. What cannot be written is one line of warning. */
void dart__report(void);

#endif
