/* Diagnostic lines. The level is read from DART_LOG_LEVEL at the first line, or set by init;
 * a program may silence INFO and below at any time through dart_config()->log_enabled. */
#include "base/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_config.h>

#include "base/clock.h"
#include "base/hash.h"

static const char *const level_name[] = { "ERROR", "WARN", "INFO", "DEBUG", "TRACE" };

static int               log_unit  = -1;
static dart__log_level_t log_level = DART__LOG_TRACE;

void dart__log_set_unit(int unit)
{
  log_unit = unit;
}

void dart__log_set_level(dart__log_level_t level)
{
  log_level = level;
}

static void (*log_trace)(void);

void dart__log_set_trace(void (*trace)(void))
{
  log_trace = trace;
}

static bool log_is_muted;

void dart__log_mute(bool is_muted)
{
  log_is_muted = is_muted;
}

bool dart__log_wanted(dart__log_level_t level)
{
  dart_config_t *config;

  if (level > log_level || log_is_muted)
    return false;
  if (level <= DART__LOG_WARN)
    return true;
  pdart_config(&config);
  return config->log_enabled != 0;
}

static int64_t        start;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static void note_start(void)
{
  start = dart__now_ns();
}

static double milliseconds_since_first_line(void)
{
  pthread_once(&start_once, note_start);
  return (double)(dart__now_ns() - start) * 1e-6;
}

/* ---- one line ---------------------------------------------------------------------------- */

static void print_args(dart__log_level_t level, const char *file, int line, const char *format,
                       va_list args)
{
  char        text[1024];
  const char *name = strrchr(file, '/');
  size_t      used;

  used =
      (size_t)snprintf(text, sizeof text, "[ %4d %-5s ] [ %.3f ] %s:%d %sDART: ", log_unit,
                       level_name[level], milliseconds_since_first_line(),
                       name != NULL ? name + 1 : file, line, level <= DART__LOG_WARN ? "!!! " : "");
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
  if (used > sizeof text - 2)
    used = sizeof text - 2;
  dart__log_one_line(text);
  text[used++] = '\n';

#ifdef DART_LOG_OUTPUT_STDOUT
  fflush(stdout);
  if (write(STDOUT_FILENO, text, used) < 0)
    return;
#else
  if (write(STDERR_FILENO, text, used) < 0)
    return;
#endif
}

static void print(dart__log_level_t level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void print(dart__log_level_t level, const char *file, int line, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  print_args(level, file, line, format, args);
  va_end(args);
}

/* ---- lines that repeat --------------------------------------------------------------------- */

#define SITES 512 /* a power of two; sites that find no slot share one more */

/* A place in DART, and the function that its message names. `key` is written once, by the thread that takes the slot;
 * `is_described` is stored with release behind the other fields, and pairs with the acquire in sum_up. Counts order
 * nothing: relaxed. */
typedef struct {
  _Atomic uint64_t  key; /* 0: free */
  _Atomic uint64_t  nlines;
  _Atomic bool      is_described;
  dart__log_level_t level;
  int               line;
  const char       *file;
  char              function[40];
} site_t;

static site_t sites[SITES + 1];

/* The process that has counted; 0: none yet. A child of fork inherits the counts, but its parent prints them. Relaxed:
 * a child begins with one thread, and sees what its parent wrote before fork. */
static _Atomic pid_t counted_by;

/* Begin to count anew in a child. */
static void count_here(void)
{
  pid_t before = atomic_load_explicit(&counted_by, memory_order_relaxed), own = getpid();

  if (before == own || !atomic_compare_exchange_strong_explicit(
                           &counted_by, &before, own, memory_order_relaxed, memory_order_relaxed))
    return;
  for (size_t i = 0; i <= SITES && before != 0; i++)
    atomic_store_explicit(&sites[i].nlines, 0, memory_order_relaxed);
}

/* Most messages begin with the name of the function that the program has called; "": this one does not. */
static const char *function_of(const char *format, va_list args)
{
  const char *function;
  va_list     copy;

  if (strncmp(format, "%s: ", 4) != 0)
    return "";
  va_copy(copy, args);
  function = va_arg(copy, const char *);
  va_end(copy);
  return function;
}

static uint64_t key_of(const char *file, int line, const char *function)
{
  uint64_t key = dart__hash_text(dart__hash_text(DART__HASH_OF_NOTHING, file), function);

  key = dart__hash(key, &line, sizeof line);
  return key != 0 ? key : 1;
}

static void describe_site(site_t *site, dart__log_level_t level, const char *file, int line,
                          const char *function)
{
  site->level = level;
  site->file  = file;
  site->line  = line;
  snprintf(site->function, sizeof site->function, "%s", function);
  atomic_store_explicit(&site->is_described, true, memory_order_release);
}

static site_t *find_site(dart__log_level_t level, const char *file, int line, const char *function)
{
  uint64_t key = key_of(file, line, function);

  for (size_t i = 0; i < SITES; i++) {
    site_t  *site  = &sites[(key + i) % SITES];
    uint64_t found = atomic_load_explicit(&site->key, memory_order_relaxed);

    if (found == 0 && atomic_compare_exchange_strong_explicit(
                          &site->key, &found, key, memory_order_relaxed, memory_order_relaxed)) {
      describe_site(site, level, file, line, function);
      return site;
    }
    if (found == key)
      return site;
  }
  return &sites[SITES];
}

void dart__log(dart__log_level_t level, const char *file, int line, const char *format, ...)
{
  uint64_t    nlines = 0;
  const char *function;
  va_list     args;

  if (!dart__log_wanted(level))
    return;
  va_start(args, format);
  function = function_of(format, args);
  if (level <= DART__LOG_WARN) {
    count_here();
    nlines = 1 + atomic_fetch_add_explicit(&find_site(level, file, line, function)->nlines, 1,
                                           memory_order_relaxed);
  }
  if (nlines <= DART__LOG_MOST)
    print_args(level, file, line, format, args);
  va_end(args);
  if (nlines == 1 && level == DART__LOG_ERROR && log_trace != NULL)
    log_trace();
  if (nlines == DART__LOG_MOST)
    print(level, file, line, "%s%sthe last of %d such lines: further ones are counted, not printed",
          function, *function != '\0' ? ": " : "", DART__LOG_MOST);
}

void dart__log_sum_up(void)
{
  if (atomic_load_explicit(&counted_by, memory_order_relaxed) != getpid())
    return;
  for (size_t i = 0; i <= SITES; i++) {
    site_t  *site   = &sites[i];
    uint64_t nlines = atomic_exchange_explicit(&site->nlines, 0, memory_order_relaxed);

    if (nlines <= DART__LOG_MOST)
      continue;
    if (atomic_load_explicit(&site->is_described, memory_order_acquire))
      print(site->level, site->file, site->line, "%s%s%" PRIu64 " more such lines were not printed",
            site->function, site->function[0] != '\0' ? ": " : "", nlines - DART__LOG_MOST);
    else
      print(DART__LOG_WARN, __FILE__, __LINE__,
            "%" PRIu64 " more lines of many places were not printed", nlines - DART__LOG_MOST);
  }
}

/* Of calls outside init..exit, at last. A unit that ends otherwise calls dart__log_sum_up. */
static __attribute__((destructor)) void sum_up_at_end(void)
{
  dart__log_sum_up();
}
