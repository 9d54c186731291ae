#ifndef DART__MEMORY_PAGES_H
#define DART__MEMORY_PAGES_H
/* Pages of the program that become shared memory at the address where they are, and back. */
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/if/dart_types.h>

/** Whole pages of the program. */
typedef struct dart__pages {
  char  *first;
  size_t nbytes; /* 0: none */
} dart__pages_t;

/** The pages on which [at, at + nbytes) lies; the range does not wrap. */
dart__pages_t dart__pages_of(const void *at, size_t nbytes);

/** Whether the pages can be moved: private to the process, readable and writable, and no stack; and no request of a
 *  file is pending. DART_ERR_INVAL; DART_ERR_OTHER: that cannot be found out. Both after a log line. */
dart_ret_t dart__pages_check(const char *function, dart__pages_t pages);

/** Copy the pages to `shared`, pages of shared memory, and map that in their place, too. DART_ERR_NOMEM, after a log
 *  line: they are as they were. */
dart_ret_t dart__pages_share(dart__pages_t pages, char *shared);

/** Undo it: private pages with the contents of `shared`. */
void dart__pages_return(dart__pages_t pages, const char *shared);

#endif
