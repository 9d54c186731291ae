#ifndef DART__JOB_STATS_H
#define DART__JOB_STATS_H
/* What dart_init does about statistics. */

/** Begin anew, as dart_stats_reset, but without making the transport's list. */
void dart__stats_begin(void);

#endif
