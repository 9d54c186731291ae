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

/** Around the public part of a header. What is declared between them, DART's libraries export; all
 *  else is hidden in them. */
#ifdef __GNUC__
#define DART_INTERFACE_ON  _Pragma("GCC visibility push(default)")
#define DART_INTERFACE_OFF _Pragma("GCC visibility pop")
#else
#define DART_INTERFACE_ON
#define DART_INTERFACE_OFF
#endif

#endif /* DASH__DART__IF__DART_UTIL_H__INCLUDED */
