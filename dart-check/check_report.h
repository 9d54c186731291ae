#ifndef DART__CHECK_CHECK_REPORT_H
#define DART__CHECK_CHECK_REPORT_H
/* Reports: one block of plain text for each error, written in one piece. */
#include "check.h"

typedef struct {
  char   text[4096];
  size_t length;
} dart__check_report_t;

/** Begin a report of the kind `kind` ("memory") about the call `at`. False: this error was reported for this place
 *  before, so it is counted, and there is nothing to write. */
bool dart__check_begin(dart__check_report_t *report, const char *kind, dart__at_t at,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Add a line. */
void dart__check_line(dart__check_report_t *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Add a line that says what the call did, and where it is in the source. */
void dart__check_place(dart__check_report_t *report, const char *what, dart__at_t at);

/** Write the report to stderr. */
void dart__check_end(dart__check_report_t *report);

/** How many errors this unit has found, repeated ones included. */
unsigned long dart__check_count(void);

/** Write one line that is not an error, for example about what is no longer checked. Each `once` is written once. */
void dart__check_note(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
