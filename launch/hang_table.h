#ifndef DART__LAUNCH_HANG_TABLE_H
#define DART__LAUNCH_HANG_TABLE_H
/* What the units of a job wait for, as a table on stderr, and what follows from it: which unit is the one that the
 * others wait for, or which of them wait for each other. */
#include <stdint.h>

#include "model/record.h"

/** Print it, by one write. `record` of each unit; where waits.pid is 0 the unit has not come to dart_init. */
void table_print(const dart__record_t *record, uint32_t nunits);

#endif
