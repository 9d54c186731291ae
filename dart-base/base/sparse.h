#ifndef DART__BASE_SPARSE_H
#define DART__BASE_SPARSE_H
/* Tables with an entry for every unit, of which a process uses few: those of its node, and of units it speaks to.
 *
 * A large table is pages of the kernel's, which cost memory from the first access on. An array look-up stays one. */
#include <stddef.h>

/* Bytes in front of a table. */
#define DART__SPARSE_HEAD 64

/** A table of `count` zeroed entries of `size` bytes, their product less than SIZE_MAX / 2. NULL: no memory. */
void *dart__sparse_new(size_t count, size_t size);
void  dart__sparse_delete(void *table); /* NULL: nothing */

#endif
