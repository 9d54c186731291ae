#ifndef DART__SHMEM_DARTRUN_BIND_H
#define DART__SHMEM_DARTRUN_BIND_H
/* Binding units to objects of the machine: cores, NUMA domains and others. */
#include <stdint.h>

#include "launch.h"

typedef struct bind bind_t;

/** Plan to which object each of `nunits` units is bound, among the processors that dartrun may use. NULL: units are not
 *  bound. If the user asked for a binding and it is impossible, one line on stderr says so: there are too few cores, or
 *  the machine does not show them. */
bind_t *bind_plan(launch_bind_t what, uint32_t nunits);

/** Bind the calling process to the object of `unit`. Failure is one line on stderr. */
void bind_unit(const bind_t *bind, uint32_t unit);

void bind_free(bind_t *bind);

#endif
