#ifndef DART__LAUNCH_LAUNCH_H
#define DART__LAUNCH_LAUNCH_H
/* Shared by the launchers of all backends: the command line, and messages.
 *
 * The command line is `dartrun [OPTION...] -n N PROGRAM [ARG...]`. Options end at the program: everything behind it
 * belongs to the program. The environment variable DART_BIND is the default of --bind. For an invalid command line, one
 * line goes to stderr, and the exit code is LAUNCH_EXIT_USAGE. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#define LAUNCH_EXIT_USAGE   2
#define LAUNCH_EXIT_FAILURE 1   /* the launcher could not do its work */
#define LAUNCH_EXIT_NOEXEC  127 /* the program could not be started */

/* The message about a unit that a signal has killed: unit, process, signal and its name. */
#define LAUNCH_KILLED "unit %u (pid %d) was killed by signal %d (%s)"

/* The message about a unit that exited with another code than 0: unit, process and code. */
#define LAUNCH_EXITED "unit %u (pid %d) exited with code %d"

/* The message about a unit that exited with 0, but too early: unit and process. */
#define LAUNCH_LEFT   "unit %u (pid %d) has ended without dart_exit"
#define LAUNCH_MISSED "unit %u (pid %d) has ended, and others wait for it in dart_init"

/* What each unit is bound to. */
typedef enum {
  LAUNCH_BIND_AUTO, /* the default: the launcher chooses */
  LAUNCH_BIND_NONE,
  LAUNCH_BIND_CPU,  /* a hardware thread of its own */
  LAUNCH_BIND_CORE, /* a core of its own */
  LAUNCH_BIND_NUMA, /* a NUMA domain, or a package, that units may share */
  LAUNCH_BIND_PACKAGE
} launch_bind_t;

typedef struct {
  int           nunits_most; /* set before parsing: the most units that the backend supports */
  int           nunits;
  int           nnodes;     /* of --nodes; 0: not given */
  const char   *hosts;      /* of --hosts; NULL: not given */
  const char   *hosts_file; /* of --hosts-file; NULL: not given */
  launch_bind_t bind;
  bool          is_tagged; /* [unit] before each line of output */
  char        **command;   /* the program and its arguments, NULL-terminated */
} launch_t;

/* What --version and --help say of a launcher. */
typedef struct {
  const char *backend;
  const char *what; /* before the options */
  const char *more; /* behind them */
} launch_about_t;

/** Read the command line. --help and --version end the process. */
void launch_parse(const launch_about_t *about, int argc, char **argv, launch_t *launch);

/** The value of --hosts or --hosts-file, and in `*option_out` which of them it is; NULL: none was given. */
const char *launch_hosts(const launch_t *launch, const char **option_out);

/** Whether `text` is HOST or HOST:UNITS, with 1 unit or more. */
bool launch_is_host(const char *text);

/** Set an environment variable of the units, or exit with one line. */
void launch_set(const char *name, const char *value);
void launch_set_number(const char *name, int value);

/** Read the settings of DART (base/config.h). Exit after one line if one means nothing, where each unit would print it. */
void launch_check_settings(void);

/** Open /dev/null for those of descriptors 0, 1 and 2 that are closed. A launcher calls this first: otherwise a file
 *  that it opens would become a standard stream, also of the units, and be closed as one. */
void launch_keep_standard_streams(void);

/** Raise this process's limit on descriptors as far as possible; `*before_out` is what it was, for the units. */
void launch_raise_files(struct rlimit *before_out);

/** Write all of it, also where the stream is full and does not block. False: nobody reads it, see errno. */
bool launch_write(int fd, const char *bytes, size_t nbytes);

/** From now on `look` is called every 10 ms while this process waits for room in a stream that nobody reads. It writes
 *  nothing. NULL: no longer. */
void launch_look_while_full(void (*look)(void *owner), void *owner);

/** strerror, with the limit if one was reached. Valid until the next call. */
const char *launch_reason(int error);

/** Print "dartrun: ...", one line in one write. */
void launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** launch_say, then exit with `code`. */
void launch_fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
