#ifndef DART__LAUNCH_HANG_TABLE_H
#define DART__LAUNCH_HANG_TABLE_H
/* What the units of a job wait for, as a table on stderr, and a conclusion: which unit blocks the others, or which
 * units wait for each other. */
#include <stdint.h>

#include "model/record.h"

/** Print the table by one write. `record`: that of each unit; if waits.pid is 0, the unit has not called dart_init; if it is
 *  below, the unit is lost. */
void table_print(const dart__record_t *record, uint32_t nunits);

#endif
