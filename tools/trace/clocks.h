#ifndef DART_TOOLS_TRACE_CLOCKS_H
#define DART_TOOLS_TRACE_CLOCKS_H
/* The clocks of several hosts. */
#include "trace.h"

/** Compute by how much the clock of each host is ahead of that of unit 0, and set `ahead` in its files. Does nothing if
 *  there is one host. */
void clocks_agree(trace_t *trace);

#endif /* DART_TOOLS_TRACE_CLOCKS_H */
