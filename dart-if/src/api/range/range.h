#ifndef DART__API_RANGE_H
#define DART__API_RANGE_H
/* Range locks: what other modules need of them. */
#include <stdbool.h>
#include <stdint.h>

/** Let far units operate on the tables of this unit, from init to exit. */
void dart__range_open(void);
void dart__range_close(void);

/** Whether this unit holds any range of this cycle. */
bool dart__ranges_are_held(void);

#endif
