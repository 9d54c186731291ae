#ifndef DART__BASE_MEMORY_H
#define DART__BASE_MEMORY_H
/* How much memory is left, and how large its pages are. The kernel promises memory it may not have;
 * the figures let an allocation that cannot be kept fail before it is made, instead of ending the
 * process later. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DART__HUGE_PAGE ((size_t)2 << 20)

/** Bytes that shared memory in the file system of `directory` can still take: the lesser of what
 *  the file system has room for and what the machine has left. UINT64_MAX: neither tells. */
uint64_t dart__memory_room(const char *directory);

/** An address for a mapping of `nbytes`, to be used with MAP_FIXED: a multiple of DART__HUGE_PAGE, with
 *  `nbytes` of address space behind it that are the caller's to map. NULL: there is none. */
void *dart__memory_aligned_space(size_t nbytes);

/** Put the whole huge pages in [at, at + nbytes), all of it populated or reserved shared memory, into
 *  huge pages: what is in it stays, and other processes may go on using it. A page of the address
 *  map then covers 512 times as much, so random access to large memory waits less for the map than
 *  for the memory. Without effect where the system does not grant it, which is logged once. */
void dart__memory_make_huge(void *at, size_t nbytes);

/** Whether [at, at + nbytes), nbytes > 0, is mapped, and what it begins and ends with can be written. Costs
 *  three system calls, whatever the size. A page in the middle that must not be written is not found. */
bool dart__memory_is_writable(const void *at, size_t nbytes);

#endif
