#ifndef DART__LAUNCH_HELD_H
#define DART__LAUNCH_HELD_H
/* The locks that a unit held when it ended, from the record that it has left (model/holds.h). */
#include <stdint.h>

/** "; it held lock 1 of team 0", from a record in a file; "" if the unit held none, or `fd` is -1. Valid until the next
 *  call. */
const char *launch_held(int fd, uint64_t offset);

#endif
