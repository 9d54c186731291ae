#ifndef DART__BASE_LOG_H
#define DART__BASE_LOG_H
/* Diagnostics: one line, one write(2), so that lines of several units do not mix.
 *
 *   [ unit LEVEL ] [ time_ms ] file:line !!! DART: text
 *
 * Errors and warnings are always compiled in; INFO, DEBUG and TRACE only with
 * DART_ENABLE_LOGGING, so that the data path carries nothing of them otherwise. */
#include <stdbool.h>

typedef enum {
  DART__LOG_ERROR,
  DART__LOG_WARN,
  DART__LOG_INFO,
  DART__LOG_DEBUG,
  DART__LOG_TRACE
} dart__log_level_t;

/** Lines carry this unit's id from now on; -1 outside init..exit. */
void dart__log_set_unit(int unit);

/** Print lines up to and including `level`; initially what DART_LOG_LEVEL says, else all. */
void dart__log_set_level(dart__log_level_t level);

bool dart__log_wanted(dart__log_level_t level);

void dart__log(dart__log_level_t level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

#define dart__error(...) dart__log(DART__LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)
#define dart__warn(...)  dart__log(DART__LOG_WARN, __FILE__, __LINE__, __VA_ARGS__)

#ifdef DART_ENABLE_LOGGING
#define DART__LOG_AT(level, ...)                         \
  do {                                                   \
    if (__builtin_expect(dart__log_wanted(level), 0))    \
      dart__log(level, __FILE__, __LINE__, __VA_ARGS__); \
  } while (0)
#else
#define DART__LOG_AT(level, ...)                         \
  do {                                                   \
    if (0)                                               \
      dart__log(level, __FILE__, __LINE__, __VA_ARGS__); \
  } while (0)
#endif

#define dart__info(...)  DART__LOG_AT(DART__LOG_INFO, __VA_ARGS__)
#define dart__debug(...) DART__LOG_AT(DART__LOG_DEBUG, __VA_ARGS__)
#define dart__trace(...) DART__LOG_AT(DART__LOG_TRACE, __VA_ARGS__)

#endif
