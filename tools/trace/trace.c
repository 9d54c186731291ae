/* Used by all files of dart-trace: messages, and names and times of events. */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "names.h"

void trace_say(const char *format, ...)
{
  char    text[1024];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "dart-trace: %s\n", text);
}

const char *trace_call(unsigned call)
{
  static const char *const names[] = { DART__TRACE_NAMES };

  return call < DART__TRACE_NCALLS ? names[call] : "unknown";
}

uint64_t trace_time(const trace_file_t *file, uint64_t time)
{
  return time + (uint64_t)file->header->to_real_time - (uint64_t)file->ahead;
}

size_t trace_open_calls(const trace_file_t *file)
{
  size_t nopen = 0;

  for (size_t i = 0; i < file->n; i++) {
    nopen += file->event[i].kind == DART__TRACE_ENTER;
    nopen -= file->event[i].kind == DART__TRACE_LEAVE;
  }
  return nopen;
}
