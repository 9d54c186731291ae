#ifndef DART__LAUNCH_TAG_H
#define DART__LAUNCH_TAG_H
/* Output of units, of which each line gets [unit] in front. A line is passed on when it is complete, or its unit ends. */
#include <stdbool.h>
#include <stdint.h>

#include "children.h"

typedef struct tag tag_t;

/** Before units are started. NULL: not possible, after one line. */
tag_t *tag_open(children_t *children, uint32_t nunits);
void   tag_close(tag_t *tag);

/** In the child that becomes `unit`. */
void tag_become(const tag_t *tag, uint32_t unit);

/** A descriptor is readable. False: it is none of these. */
bool tag_readable(tag_t *tag, int fd);

/** The unit has ended: pass on all that it has written. */
void tag_ended(tag_t *tag, uint32_t unit);

/** In a process that another launcher has started as `unit`, before it executes the program: a process of its own reads
 *  what it writes. If that is not possible, lines get no tag, after one line. */
void tag_own_output(uint32_t unit);

#endif
