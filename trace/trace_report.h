#ifndef DART__TRACE_TRACE_REPORT_H
#define DART__TRACE_TRACE_REPORT_H
/* DART_REPORT=FOLDER: a file FOLDER/unit-N.json for each unit, which doc/tracing.md describes. */
#include <stdint.h>

/** Write this unit's file anew: `ended` says how the unit has ended. Any thread; it is there as a whole, or as it
 *  was. */
void dart__trace_report_write(const char *ended);

/** Write it if the last time was long ago, so that something is there if the unit is killed. */
void dart__trace_report_now_and_then(uint64_t now);

/** Keep the statistics of DART for the report as they are now, for dart_exit ends them. */
void dart__trace_report_statistics(void);

#endif /* DART__TRACE_TRACE_REPORT_H */
