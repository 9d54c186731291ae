#ifndef DART__CHECK_HANDLE_BOOK_H
#define DART__CHECK_HANDLE_BOOK_H
/* Operations with a handle. */
#include "check.h"

/** Record a started operation with a handle; `handle` is DART's. Returns the program's handle. Other arguments: see
 *  pending.h. */
dart_handle_t dart__check_handle(dart_gptr_t gptr, const void *source, void *buffer, void *result,
                                 uint64_t nbytes, dart_handle_t handle, dart__at_t at);

/** DART's handle for a handle of the program. False: the handle is invalid, which is reported. */
bool dart__check_handle_inner(dart_handle_t handle, dart_handle_t *inner_out, dart__at_t at);

/** The operation of a handle is complete; or the program has freed the handle. */
void dart__check_handle_done(dart_handle_t handle, dart__at_t at);
void dart__check_handle_given_up(dart_handle_t handle);

/** The operation is not complete; `inner` is DART's handle now. */
void dart__check_handle_now(dart_handle_t handle, dart_handle_t inner);

#endif
