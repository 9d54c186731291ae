#ifndef DART__TRACE_TRACE_REPORT_H
#define DART__TRACE_TRACE_REPORT_H
/* DART_REPORT=FOLDER: a file FOLDER/unit-N.json for each unit, which doc/profiling.md describes. */
#include <stdint.h>

/** Write this unit's file anew; `ended` says how the unit has ended. The new file replaces the old one only when it is
 *  complete. Any thread may call it. */
void dart__trace_report_write(const char *ended);

/** Write the file if the last time was long ago, so that there is a report if the unit is killed. */
void dart__trace_report_now_and_then(uint64_t now);

/** Keep DART's current statistics for the report, as dart_exit clears them. */
void dart__trace_report_statistics(void);

#endif /* DART__TRACE_TRACE_REPORT_H */
