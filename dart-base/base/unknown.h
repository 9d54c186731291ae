#ifndef DART__BASE_UNKNOWN_H
#define DART__BASE_UNKNOWN_H
/* Variables of the environment that look like settings of DART, and are none. */

/** Warn of each, with the nearest name that is one. `function`: the caller, for the line. */
void dart__unknown_look(const char *function);

#endif
