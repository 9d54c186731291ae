#ifndef DART__CHECK_BUFFER_H
#define DART__CHECK_BUFFER_H
/* What the program must not do with its buffers until their operation is complete.
 *
 * Near operations are complete when their call returns. So on one node a program that forgets a flush, or reads a
 * result too early, works by chance. Here, results go to a buffer of this library, and the program's buffer holds a
 * pattern until a call completes the operation. For a source, a checksum is taken when the operation starts, and
 * compared when it is complete. By then the source may no longer exist: it was freed, or was a variable of a function
 * that has returned. So it is read through the kernel, which fails where nothing is mapped. */
#include "check.h"

typedef struct {
  const void *source; /* NULL: not checked, or complete locally */
  uint64_t    hash;   /* of the source */
  char       *given;  /* passed to DART; NULL: no result, or it is complete */
  char       *result; /* the program's buffer */
  uint64_t    nbytes;
  dart__at_t  at; /* the call that started the operation */
} dart__check_buffer_t;

/** All of these functions need the lock. Allocate a buffer for a result of `nbytes` bytes. Returns `result` itself if
 *  there is no room. */
void *dart__check_buffer_new(void *result, uint64_t nbytes);

/** From now on, the program must not change the source of the operation, or must not use its result. DART writes the
 *  result to `given`. */
void dart__check_buffer_source(dart__check_buffer_t *buffer, const void *source, uint64_t nbytes);
void dart__check_buffer_result(dart__check_buffer_t *buffer, void *given, void *result,
                               uint64_t nbytes);

/** The call `at` has completed the operation locally. `look` reports whether the program has used its buffers. `end`
 *  copies the result to the program's buffer and returns all buffers to the program. Where a call completes several
 *  operations, look at all of them first: they may share a buffer, for a result that nobody needs. */
void dart__check_buffer_look(const dart__check_buffer_t *buffer, dart__at_t at);
void dart__check_buffer_end(dart__check_buffer_t *buffer);

/** Whether the result is not complete and overlaps the `nbytes` bytes at `from`. */
bool dart__check_buffer_is_in(const dart__check_buffer_t *buffer, const void *from,
                              uint64_t nbytes);

/** The operation no longer exists: free its buffer. */
void dart__check_buffer_drop(dart__check_buffer_t *buffer);

#endif
