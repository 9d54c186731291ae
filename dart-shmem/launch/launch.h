#ifndef DART__LAUNCH_H
#define DART__LAUNCH_H
/* What the launchers of all backends share: how they are told what to start, and how they complain.
 *
 * The command line is `dartrun [OPTION...] -n N PROGRAM [ARG...]`. Options end at the program: what
 * comes after it is the program's. A launcher adds its own options as an argp of its own, whose
 * child this one is; the child's input is a launch_t. Whatever is wrong is one line on stderr and
 * exit code LAUNCH_EXIT_USAGE. */
#include <argp.h>

#define LAUNCH_EXIT_USAGE   2
#define LAUNCH_EXIT_FAILURE 1   /* the launcher could not do its work */
#define LAUNCH_EXIT_NOEXEC  127 /* the program could not be started */

typedef struct {
  int    nunits_most; /* set before parsing: how many units the backend takes */
  int    nunits;
  char **command; /* the program and its arguments, NULL-terminated */
} launch_t;

extern const struct argp launch_argp;

/** Read `text`, the value of `option`, as a number; exits with one line if it is none from `least`
 *  to `most`. */
int launch_number(const char *option, const char *text, int least, int most);

/** Print "dartrun: ...", one line written at once. */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** launch_say, then exit with `code`. */
void launch_fail(int code, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
