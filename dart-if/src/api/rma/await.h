#ifndef DART__API_AWAIT_H
#define DART__API_AWAIT_H
/* Waiting for what other units tell this one: they change a counter, and then raise this unit's event
 * (dart__twosided_event), as notifications do. Where the change and the look at it are seq_cst, they only nudge it. */
#include <stdbool.h>

/** Return once `is_there(context)`, which is called often. `function` names the caller in the log line if all
 *  other units end without dart_exit. Far units are served meanwhile. */
void dart__await(const char *function, bool (*is_there)(void *context), void *context);

#endif
