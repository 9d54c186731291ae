#ifndef DART__BASE_LOG_H
#define DART__BASE_LOG_H
/* Diagnostics: one line, one write(2), so that lines of several units do not mix.
 *
 *   [ unit LEVEL ] [ time_ms ] file:line !!! DART: text
 *
 * Errors and warnings are always compiled in; INFO, DEBUG and TRACE only with
 * DART_ENABLE_LOGGING, so that the data path carries nothing of them otherwise.
 *
 * A program may make the same mistake in a loop. So an error or a warning is printed DART__LOG_MOST times for each
 * place in DART and each function that it names; further ones are counted, and dart__log_sum_up prints how many.
 * A child of fork has counts of its own. */
#include <stdbool.h>

#define DART__LOG_MOST 100

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

/** Call `trace` after the first error of each place in DART, so that it prints how the program came there. NULL: nothing. */
void dart__log_set_trace(void (*trace)(void));

/** From now on print nothing and count nothing, or do so again. */
void dart__log_mute(bool is_muted);

/** Print for each place how many of its lines were not printed, and begin to count again. Any thread, and handlers of
 *  signals; it takes no lock. A process that ends by exit() does so itself. */
void dart__log_sum_up(void);

/** Print a line, or count it; `file` and a function's name that is the first argument of "%s: ..." stay in place.
 *  Handlers of signals may call it. */
void dart__log(dart__log_level_t level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

#define dart__error(...) dart__log(DART__LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)
#define dart__warn(...)  dart__log(DART__LOG_WARN, __FILE__, __LINE__, __VA_ARGS__)

/** Make one line of a text: a setting's value in it may have more. */
static inline void dart__log_one_line(char *text)
{
  for (; *text != '\0'; text++)
    if (*text == '\n')
      *text = ' ';
}

/** Print an error; the expression has the value `result`: `return dart__fail(DART_ERR_INVAL, "%s: ...", __func__);` */
#define dart__fail(result, ...) (dart__error(__VA_ARGS__), (result))

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
