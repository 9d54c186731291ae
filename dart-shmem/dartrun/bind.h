#ifndef DART__DARTRUN_BIND_H
#define DART__DARTRUN_BIND_H
/* Which part of the machine a unit runs on. */
#include <stdint.h>

#include "launch.h"

typedef struct bind bind_t;

/** Plan what each of `nunits` units is bound to, of what dartrun may use itself. NULL: they are not
 *  bound. If the user asked for more than LAUNCH_BIND_AUTO and it cannot be had, because there are
 *  too few cores or the machine does not tell, that is one line on stderr. */
bind_t *bind_plan(launch_bind_t what, uint32_t nunits);

/** Bind the calling process to the part of `unit`; failing is one line on stderr. */
void bind_unit(const bind_t *bind, uint32_t unit);

void bind_free(bind_t *bind);

#endif
