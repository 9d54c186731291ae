#ifndef DART_TOOLS_TRACE_CLOCKS_H
#define DART_TOOLS_TRACE_CLOCKS_H
/* The clocks of several hosts. */
#include "trace.h"

/** Find out by how much the clock of each host is ahead of that of unit 0's, and set `ahead` of its files. Of one
 *  host nothing is done. */
void clocks_agree(trace_t *trace);

#endif /* DART_TOOLS_TRACE_CLOCKS_H */
