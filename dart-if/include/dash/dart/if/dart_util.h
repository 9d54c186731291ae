#ifndef DASH__DART__IF__DART_UTIL_H__INCLUDED
#define DASH__DART__IF__DART_UTIL_H__INCLUDED
/** @file dart_util.h
 *  Attributes of declarations in the public headers. */

/** After the parameters of a function: it throws no C++ exception. Empty in C. */
#ifdef __cplusplus
#define DART_NOTHROW __attribute__((nothrow))
#else
#define DART_NOTHROW
#endif

/** A declaration that a file may include and not use. */
#define DART_MAYBE_UNUSED __attribute__((unused))

/** A function defined in a header. */
#define DART_INLINE static inline DART_MAYBE_UNUSED

/** Mark the public part of a header for documentation tools; empty for the compiler. */
#define DART_INTERFACE_ON
#define DART_INTERFACE_OFF

#endif /* DASH__DART__IF__DART_UTIL_H__INCLUDED */
