/* A mistake in a loop occurs often. So each kind of error is written once for each place of the program, and only
 * counted after that. The table of these is bounded; when it is full, errors are only counted. */
#include "check_report.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "where.h"

#define SITES 256

typedef struct {
  const char *kind;
  const char *format;
  const void *from;
} site_t;

static site_t       written[SITES];
static size_t       nwritten;
static atomic_ulong nfound;
static atomic_flag  is_taken = ATOMIC_FLAG_INIT; /* protects `written`; acquire, release */

static bool is_new(const char *kind, const char *format, const void *from)
{
  bool found = false;

  while (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire))
    ;
  for (size_t i = 0; i < nwritten && !found; i++)
    found = strcmp(written[i].kind, kind) == 0 && strcmp(written[i].format, format) == 0 &&
            written[i].from == from;
  if (!found && nwritten < SITES)
    written[nwritten++] = (site_t){ kind, format, from };
  else
    found = true;
  atomic_flag_clear_explicit(&is_taken, memory_order_release);
  return !found;
}

static void append_text(dart__check_report_t *report, const char *format, va_list args)
{
  size_t room    = sizeof report->text - report->length;
  int    written = vsnprintf(report->text + report->length, room, format, args);

  if (written > 0)
    report->length += (size_t)written < room ? (size_t)written : room - 1;
}

static void put(dart__check_report_t *report, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  append_text(report, format, args);
  va_end(args);
}

bool dart__check_begin(dart__check_report_t *report, const char *kind, dart__at_t at,
                       const char *format, ...)
{
  va_list args;

  atomic_fetch_add_explicit(&nfound, 1, memory_order_relaxed);
  if (!is_new(kind, format, at.from))
    return false;
  report->length = 0;
  put(report, "dart-check: unit %d: %s: ", dart__check.me, kind);
  va_start(args, format);
  append_text(report, format, args);
  va_end(args);
  put(report, "\n");
  return true;
}

void dart__check_line(dart__check_report_t *report, const char *format, ...)
{
  va_list args;

  put(report, "  ");
  va_start(args, format);
  append_text(report, format, args);
  va_end(args);
  put(report, "\n");
}

void dart__check_place(dart__check_report_t *report, const char *what, dart__at_t at)
{
  char where[512];

  dart__check_where(at.from, where, sizeof where);
  dart__check_line(report, "%s %s, %s", what, dart__check_calls[at.id], where);
}

/* A report is written in one piece, so that reports of several units do not mix. */
static void write_all(const char *text, size_t length)
{
  while (length > 0) {
    ssize_t n = write(STDERR_FILENO, text, length);

    if (n <= 0)
      return;
    text += n;
    length -= (size_t)n;
  }
}

void dart__check_end(dart__check_report_t *report)
{
  write_all(report->text, report->length);
}

unsigned long dart__check_count(void)
{
  return atomic_load_explicit(&nfound, memory_order_relaxed);
}

void dart__check_note(bool *once, const char *format, ...)
{
  dart__check_report_t report = { .length = 0 };
  va_list              args;

  if (*once)
    return;
  *once = true;
  put(&report, "dart-check: unit %d: ", dart__check.me);
  va_start(args, format);
  append_text(&report, format, args);
  va_end(args);
  put(&report, "\n");
  dart__check_end(&report);
}
