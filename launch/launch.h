#ifndef DART__LAUNCH_LAUNCH_H
#define DART__LAUNCH_LAUNCH_H
/* Shared by the launchers of all backends: the command line, and messages.
 *
 * The command line is `dartrun [OPTION...] -n N PROGRAM [ARG...]`. Options end at the program: what
 * comes after it is the program's. The environment variable DART_BIND stands for --bind. A launcher
 * adds its own options as an argp of its own, whose child this one is; the child's input is a
 * launch_t. A command line that is wrong is one line on stderr and exit code LAUNCH_EXIT_USAGE. */
#include <argp.h>

#define LAUNCH_EXIT_USAGE   2
#define LAUNCH_EXIT_FAILURE 1   /* the launcher could not do its work */
#define LAUNCH_EXIT_NOEXEC  127 /* the program could not be started */

/* What launch_say prints of a unit and its process that ended with 0, but too early. */
#define LAUNCH_LEFT   "unit %u (pid %d) has ended without dart_exit"
#define LAUNCH_MISSED "unit %u (pid %d) has ended, and others wait for it in dart_init"

/* What each unit is bound to. */
typedef enum {
  LAUNCH_BIND_AUTO, /* by default: the launcher chooses */
  LAUNCH_BIND_NONE,
  LAUNCH_BIND_CPU,  /* a hardware thread of its own */
  LAUNCH_BIND_CORE, /* a core of its own */
  LAUNCH_BIND_NUMA, /* a NUMA domain, or a package, that units may share */
  LAUNCH_BIND_PACKAGE
} launch_bind_t;

typedef struct {
  int           nunits_most; /* set before parsing: how many units the backend takes */
  int           nunits;
  launch_bind_t bind;
  char        **command; /* the program and its arguments, NULL-terminated */
} launch_t;

extern const struct argp launch_argp;

/** Read `text`, the value of `option`, as a number; exits with one line if it is none from `least`
 *  to `most`. */
int launch_number(const char *option, const char *text, int least, int most);

/** Open /dev/null for those of descriptors 0, 1 and 2 that are closed. A launcher calls it first: a file that it opens
 *  itself would otherwise become a standard stream, of the units too, and be closed as one. */
void launch_keep_standard_streams(void);

/** strerror, with the limit where one was reached. Until the next call. */
const char *launch_reason(int error);

/** Print "dartrun: ...", one line written at once. */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** launch_say, then exit with `code`. */
void launch_fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
