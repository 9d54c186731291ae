#ifndef DART__JOB_INLINE_H
#define DART__JOB_INLINE_H
/* The library's side of dash/dart/ext/dart_inline.h. */
#include <stdbool.h>

/** Whether all code of the program that reads dart_inline_tables was compiled for this library; if not, one
 *  log line. */
bool dart__inline_fits(const char *function);

#endif
