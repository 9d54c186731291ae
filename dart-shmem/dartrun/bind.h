#ifndef DART__SHMEM_DARTRUN_BIND_H
#define DART__SHMEM_DARTRUN_BIND_H
/* Binding units to objects of the machine: cores, NUMA domains and others. */
#include <stdint.h>

#include "launch.h"

typedef struct bind bind_t;

/** Plan what each of `nunits` units is bound to, among the processors that dartrun may use itself. NULL:
 *  units are not bound. If the user asked for more than LAUNCH_BIND_AUTO and it is not possible, because
 *  there are too few cores or the machine does not show them, that is one line on stderr. */
bind_t *bind_plan(launch_bind_t what, uint32_t nunits);

/** Bind the calling process to the object of `unit`; failing is one line on stderr. */
void bind_unit(const bind_t *bind, uint32_t unit);

void bind_free(bind_t *bind);

#endif
