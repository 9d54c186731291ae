#ifndef DART__DARTRUN_BIND_H
#define DART__DARTRUN_BIND_H
/* Which core a unit runs on, if the user asked for binding. */
#include <stdint.h>

typedef struct bind bind_t;

/** Plan a core of its own for each of `nunits` units, among the cores dartrun may use itself.
 *  Returns NULL, after one line on stderr, where there are too few or the machine does not tell. */
bind_t *bind_plan(uint32_t nunits);

/** Bind the calling process to the core of `unit`; failing is one line on stderr. */
void bind_unit(const bind_t *bind, uint32_t unit);

void bind_free(bind_t *bind);

#endif
