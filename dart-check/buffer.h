#ifndef DART__CHECK_BUFFER_H
#define DART__CHECK_BUFFER_H
/* What the program's buffers must be until their operation is complete.
 *
 * Near operations are complete when their call returns, so on one node a program that forgets a flush, or
 * reads a result too early, works by chance. Here results go to a buffer of this library, and the program's
 * has a pattern until a call completes the operation; of a source there is a checksum, which is compared
 * then. A source may be gone by then (a variable of a function that has returned to it, freed memory), so it
 * is read through the kernel, which refuses where there is nothing. */
#include "check.h"

typedef struct {
  const void *source; /* NULL: not looked at, or complete locally */
  uint64_t    hash;   /* of it */
  char       *given;  /* to DART; NULL: no result, or it is there */
  char       *result; /* the program's */
  uint64_t    nbytes;
  dart__at_t  at; /* the call that has started the operation */
} dart__check_buffer_t;

/** What follows needs the lock. A buffer for a result of `nbytes` bytes; `result` itself where there is no room. */
void *dart__check_buffer_new(void *result, uint64_t nbytes);

/** The source of the operation must not change from now on; or its result, which goes to `given`, must not be used. */
void dart__check_buffer_source(dart__check_buffer_t *buffer, const void *source, uint64_t nbytes);
void dart__check_buffer_result(dart__check_buffer_t *buffer, void *given, void *result,
                               uint64_t nbytes);

/** The operation is complete locally by the call `at`: look whether the program has used its buffers; they are the
 *  program's again, and the result is there. Of several operations all are looked at first: they may have the same
 *  buffer, for a result that nobody wants. */
void dart__check_buffer_look(const dart__check_buffer_t *buffer, dart__at_t at);
void dart__check_buffer_end(dart__check_buffer_t *buffer);

/** Whether the result is not there, and is in `nbytes` bytes from `from` on. */
bool dart__check_buffer_is_in(const dart__check_buffer_t *buffer, const void *from,
                              uint64_t nbytes);

/** There is no operation any more. */
void dart__check_buffer_drop(dart__check_buffer_t *buffer);

#endif
