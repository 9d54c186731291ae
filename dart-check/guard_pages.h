#ifndef DART__CHECK_GUARD_PAGES_H
#define DART__CHECK_GUARD_PAGES_H
/* Pages that this process must not touch: one behind each portion, and those of segments that were freed. A load or
 * store by a pointer of the program's, which no call of DART sees, crashes there. */
#include "check.h"

/** The portions of a segment, as this process has them mapped. Each begins with a page, and has one behind its last. */
typedef struct {
  size_t          n;
  const uint64_t *sizes; /* of each unit's portion, in bytes */
  unsigned char **first; /* of each: its first byte; NULL: it is far, or its pages are left alone */
} dart__check_pages_t;

size_t dart__check_page(void);

/** Bytes of whole pages that `nbytes` bytes need, and the page behind them. */
size_t dart__check_pages_room(uint64_t nbytes);

/** Find the addresses: `pages->first`, which the caller frees. `gptr`: the segment; `guarded`: it has that layout. */
void dart__check_pages_find(dart__check_pages_t *pages, dart_gptr_t gptr, bool guarded);

/** From now on the page behind each portion crashes; all pages; none. */
void dart__check_pages_guard(dart__check_pages_t *pages);
void dart__check_pages_close(const dart__check_pages_t *pages);
void dart__check_pages_open(const dart__check_pages_t *pages);

/** The unit in whose pages `address` is; -1: none. */
int32_t dart__check_pages_unit(const dart__check_pages_t *pages, const void *address);

/** Before a crash by such a page is passed on to whom it would have gone, `explain` is called, in the signal's handler,
 *  with the address and the place of the instruction; until dart__check_faults_close. */
void dart__check_faults_open(void (*explain)(const void *address, const void *from));
void dart__check_faults_close(void);

#endif
