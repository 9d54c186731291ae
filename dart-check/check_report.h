#ifndef DART__CHECK_CHECK_REPORT_H
#define DART__CHECK_CHECK_REPORT_H
/* Reports: one block of plain text for each finding, written at once. */
#include "check.h"

typedef struct {
  char   text[4096];
  size_t length;
} dart__check_report_t;

/** Begin a report of the kind `kind` ("memory") about the call `at`. False: this kind was reported of this
 *  place before, so it is counted, and there is nothing to write. */
bool dart__check_begin(dart__check_report_t *report, const char *kind, dart__at_t at,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** One more line. */
void dart__check_line(dart__check_report_t *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A line: what the call was about, and where in the source it is. */
void dart__check_place(dart__check_report_t *report, const char *what, dart__at_t at);

/** Write it to stderr. */
void dart__check_end(dart__check_report_t *report);

/** How many findings this unit has had, repeated ones too. */
unsigned long dart__check_count(void);

/** One line, which is no finding, for example of what is not looked at any more; each `once` is said once. */
void dart__check_note(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
