#ifndef DART__BASE_KERNEL_H
#define DART__BASE_KERNEL_H
/* Which kernel this process runs on, and on which host, as numbers to compare by. */
#include <stdint.h>

/** The running kernel, by 60 bits of what it drew at its start; 0: not known. A host's name does not tell: that of a
 *  topology from a file, or of containers, may be one for several hosts. */
uint64_t dart__kernel_number(void);

/** The host: processes that have the same have one kernel, one name of the host, and one set of process ids. */
uint64_t dart__host_number(void);

#endif
