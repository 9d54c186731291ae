#ifndef DART__BASE_FREE_MEMORY_H
#define DART__BASE_FREE_MEMORY_H
/* Available memory, and huge pages. The kernel overcommits memory; with these figures an allocation that
 * exceeds the memory fails at once, instead of killing the process later. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DART__HUGE_PAGE ((size_t)2 << 20)

/** A large table of zeros, of which only the pages that are used cost memory; NULL: no memory. (calloc clears
 *  memory that was used before, all of it.) */
void *dart__memory_new_table(size_t nbytes);
void  dart__memory_delete_table(void *table, size_t nbytes); /* NULL: nothing */

/** Bytes that shared memory in the file system of `directory` can still take: the minimum of what
 *  the file system and the machine have available. UINT64_MAX: neither is known. */
uint64_t dart__memory_room(const char *directory);

/** An address for a mapping of `nbytes`, to be used with MAP_FIXED, with `nbytes` of address space behind it that are
 *  the caller's to map. What is `at` bytes further is a multiple of `alignment`, a power of two, and of
 *  DART__HUGE_PAGE. NULL: there is none. */
void *dart__memory_aligned_space(size_t nbytes, size_t alignment, size_t at);

/** Put the whole huge pages in [at, at + nbytes), all of it populated or reserved shared memory, into
 *  huge pages: its contents stay, and other processes may go on using it. A TLB entry then covers
 *  512 times as much memory, so random access to large memory has fewer TLB misses. Without effect where the
 *  system does not grant it, which is logged once. */
void dart__memory_make_huge(void *at, size_t nbytes);

/** Whether [at, at + nbytes), nbytes > 0, is mapped, and its first and last page are writable. Costs at most
 *  a few system calls, whatever the size. Read-only pages in the middle are not detected. */
bool dart__memory_is_writable(const void *at, size_t nbytes);

#endif
