#ifndef DART__CHECK_GUARD_PAGES_H
#define DART__CHECK_GUARD_PAGES_H
/* Pages that this process must not touch: one behind each portion, and those of freed segments. A load or store by a
 * pointer of the program calls no function of DART, but crashes there. */
#include "check.h"

/** The portions of a segment, as this process has mapped them. Each portion begins with a page, and has a guard page
 *  behind its last page. */
typedef struct {
  size_t          n;
  const uint64_t *sizes; /* of each unit's portion, in bytes */
  unsigned char **first; /* of each portion; NULL: far, or not guarded */
} dart__check_pages_t;

size_t dart__check_page(void);

/** The bytes of the pages for `nbytes` bytes, and of the guard page. */
size_t dart__check_pages_room(uint64_t nbytes);

/** Find the addresses of the portions of the segment `gptr`: `pages->first`, which the caller frees. `guarded`: the
 *  segment has guard pages. */
void dart__check_pages_find(dart__check_pages_t *pages, dart_gptr_t gptr, bool guarded);

/** From now on, an access crashes: to the guard page of each portion; to all pages; to none. */
void dart__check_pages_guard(dart__check_pages_t *pages);
void dart__check_pages_close(const dart__check_pages_t *pages);
void dart__check_pages_open(const dart__check_pages_t *pages);

/** The unit whose pages contain `address`; -1: none. */
int32_t dart__check_pages_unit(const dart__check_pages_t *pages, const void *address);

/** Until dart__check_faults_close, call `explain` in the signal's handler when the process crashes, before the old
 *  handler gets the signal. Its arguments are the address and the place of the instruction. */
void dart__check_faults_open(void (*explain)(const void *address, const void *from));
void dart__check_faults_close(void);

#endif
