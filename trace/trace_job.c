/* See trace_job.h. */
#include "trace_job.h"

#include <stdarg.h>
#include <stdio.h>

dart__trace_job_t dart__trace_job;

void dart__trace_say(const char *format, ...)
{
  char    text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "dart-trace: %s\n", text);
}
