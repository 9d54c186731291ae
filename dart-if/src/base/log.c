/* Diagnostic lines. The level is read from DART_LOG_LEVEL at the first line, or set by init;
 * a program may silence INFO and below at any time through dart_config()->log_enabled. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_config.h>

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

bool dart__log_wanted(dart__log_level_t level)
{
  dart_config_t *config;

  if (level > log_level)
    return false;
  if (level <= DART__LOG_WARN)
    return true;
  pdart_config(&config);
  return config->log_enabled != 0;
}

static struct timespec start;
static pthread_once_t  start_once = PTHREAD_ONCE_INIT;

static void note_start(void)
{
  clock_gettime(CLOCK_MONOTONIC, &start);
}

static double milliseconds_since_first_line(void)
{
  struct timespec now;

  pthread_once(&start_once, note_start);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start.tv_sec) * 1e3 + (double)(now.tv_nsec - start.tv_nsec) * 1e-6;
}

void dart__log(dart__log_level_t level, const char *file, int line, const char *format, ...)
{
  char        text[1024];
  const char *name = strrchr(file, '/');
  size_t      used;
  va_list     args;

  if (!dart__log_wanted(level))
    return;

  used =
      (size_t)snprintf(text, sizeof text, "[ %4d %-5s ] [ %.3f ] %s:%d %sDART: ", log_unit,
                       level_name[level], milliseconds_since_first_line(),
                       name != NULL ? name + 1 : file, line, level <= DART__LOG_WARN ? "!!! " : "");
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  if (used > sizeof text - 2)
    used = sizeof text - 2;
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
