/* dart-trace FOLDER: turns the events of a run with DART_TRACE=FOLDER into files for programs that show traces.
 *
 * Each thread writes its events to its own file, however the run ends. This program runs afterwards, as one process, so
 * the job needs no communication when it may be about to die. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart.h>

#include "trace.h"

static const trace_form_t *const forms[] = { &trace_otf2, &trace_chrome };

enum { NFORMS = sizeof forms / sizeof forms[0], BAD_INPUT = 2 };

typedef struct {
  const char         *folder;
  const trace_form_t *form; /* NULL: all available ones */
} options_t;

static const char help[] =
    "Usage: dart-trace [OPTION...] FOLDER\n"
    "Make traces of what a run has left with DART_TRACE=FOLDER.\n\n"
    "  -f, --format=FORM  otf2 (FOLDER/otf2/trace.otf2) or chrome (FOLDER/trace.json);\n"
    "                     without it, all\n"
    "  -h, --help         Print this\n"
    "  -V, --version      Print the version\n";

static _Noreturn void refuse(const char *word, const char *why)
{
  trace_say("'%s' %s: see dart-trace --help", word, why);
  exit(BAD_INPUT);
}

static const trace_form_t *form_of(const char *name)
{
  for (size_t i = 0; i < NFORMS; i++)
    if (strcmp(forms[i]->name, name) == 0 && forms[i]->write != NULL)
      return forms[i];
  refuse(name, "is no format here");
}

/* An option of one letter may be one of several in its word. */
static _Noreturn void refuse_option(const char *word, int letter)
{
  char one[] = { '-', (char)letter, '\0' };

  refuse(strncmp(word, "--", 2) == 0 || letter == 0 ? word : one,
         "is no option, or its value is missing or unwanted");
}

static options_t read_options(int argc, char **argv)
{
  static const struct option options[] = { { "format", required_argument, NULL, 'f' },
                                           { "help", no_argument, NULL, 'h' },
                                           { "version", no_argument, NULL, 'V' },
                                           { 0 } };
  options_t                  given     = { 0 };

  for (int key; (key = getopt_long(argc, argv, ":f:hV", options, NULL)) != -1;)
    switch (key) {
    case 'f': given.form = form_of(optarg); break;
    case 'h': fputs(help, stdout); exit(EXIT_SUCCESS);
    case 'V': puts("dart-trace " DART_VERSION_STR); exit(EXIT_SUCCESS);
    default: refuse_option(argv[optind - 1], optopt);
    }
  if (optind == argc)
    refuse("FOLDER", "is missing");
  if (optind + 1 < argc)
    refuse(argv[optind + 1], "is one folder too many");
  given.folder = argv[optind];
  return given;
}

int main(int argc, char **argv)
{
  options_t given = read_options(argc, argv);
  trace_t   trace;
  int       failed = 0;

  trace_read(given.folder, &trace);
  if (trace.ndropped > 0)
    trace_say("%" PRIu64
              " calls were dropped: DART_TRACE_BUFFER sets the room, in MiB for each thread",
              trace.ndropped);
  for (size_t i = 0; i < NFORMS; i++) {
    if (given.form != NULL && given.form != forms[i])
      continue;
    if (forms[i]->write == NULL)
      printf("no %s: this dart-trace was built without its library (Debian: apt install "
             "libopen-trace-format2-dev)\n",
             forms[i]->name);
    else if (forms[i]->write(&trace, given.folder) == 0)
      printf("wrote %s/%s\n", given.folder, forms[i]->file);
    else
      failed = 1;
  }
  trace_forget(&trace);
  return failed;
}
