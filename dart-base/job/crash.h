#ifndef DART__JOB_CRASH_H
#define DART__JOB_CRASH_H

/** A unit that dies of a signal that means a mistake prints where it was, once, and then dies of it. Not
 *  with DART_BACKTRACE=0, not of signals that have a handler already, and not in builds with sanitizers. */
void dart__crash_open(void);

#endif
