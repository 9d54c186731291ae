#ifndef DART__BASE_MEMORY_H
#define DART__BASE_MEMORY_H
/* How much memory is left. The kernel promises memory it may not have; these figures let an
 * allocation that cannot be kept fail before it is made, instead of ending the process later. */
#include <stdint.h>

/** Bytes that shared memory in the file system of `directory` can still take: the lesser of what
 *  the file system has room for and what the machine has left. UINT64_MAX: neither tells. */
uint64_t dart__memory_room(const char *directory);

#endif
