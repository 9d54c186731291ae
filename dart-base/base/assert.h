#ifndef DART__BASE_ASSERT_H
#define DART__BASE_ASSERT_H
/* Assertions: conditions that are false only if DART itself has a bug. Checked in builds with
 * DART_ENABLE_ASSERTIONS: a failure prints the condition and ends the program with DART_EXIT_ASSERT. */
#include <stdlib.h>

#include <dash/dart/if/dart_types.h>

#include "base/log.h"

#ifdef DART_ENABLE_ASSERTIONS
#define dart__assert(condition)                        \
  do {                                                 \
    if (__builtin_expect(!(condition), 0)) {           \
      dart__error("assertion failed: %s", #condition); \
      _Exit(DART_EXIT_ASSERT & 0xff);                  \
    }                                                  \
  } while (0)
#else
#define dart__assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
