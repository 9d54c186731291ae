#ifndef DART__CHECK_HANDLE_BOOK_H
#define DART__CHECK_HANDLE_BOOK_H
/* Operations with a handle. */
#include "check.h"

/** As these two, of an operation with a handle, of which `handle` is DART's; the program's is returned. */
dart_handle_t dart__check_handle(dart_gptr_t gptr, const void *source, void *buffer, void *result,
                                 uint64_t nbytes, dart_handle_t handle, dart__at_t at);

/** DART's handle of a program's; false: it is none, which is reported. */
bool dart__check_handle_inner(dart_handle_t handle, dart_handle_t *inner_out, dart__at_t at);

/** The operation of a handle is complete, or was given up. */
void dart__check_handle_done(dart_handle_t handle, dart__at_t at);
void dart__check_handle_given_up(dart_handle_t handle);

/** It is not complete, and DART's handle is `inner` now. */
void dart__check_handle_now(dart_handle_t handle, dart_handle_t inner);

#endif
