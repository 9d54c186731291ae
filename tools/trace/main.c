/* dart-trace FOLDER: turns the events of a run with DART_TRACE=FOLDER into files for programs that show traces.
 *
 * Each thread writes its events to its own file, however the run ends. This program runs afterwards, as one process, so
 * the job needs no communication when it may be about to die. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dash/dart/if/dart.h>

#include "trace.h"

const char *argp_program_version = "dart-trace " DART_VERSION_STR;

static const trace_form_t *const forms[] = { &trace_otf2, &trace_chrome };

enum { NFORMS = sizeof forms / sizeof forms[0] };

typedef struct {
  const char         *folder;
  const trace_form_t *form; /* NULL: all available ones */
} options_t;

static const struct argp_option options[] = {
  { "format", 'f', "FORM", 0,
    "otf2 (FOLDER/otf2/trace.otf2) or chrome (FOLDER/trace.json); without it, all", 0 },
  { 0 }
};

static const trace_form_t *form_of(const char *name, struct argp_state *state)
{
  for (size_t i = 0; i < NFORMS; i++)
    if (strcmp(forms[i]->name, name) == 0 && forms[i]->write != NULL)
      return forms[i];
  argp_error(state, "there is no format '%s' here", name);
  return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  options_t *given = state->input;

  switch (key) {
  case 'f': given->form = form_of(arg, state); return 0;
  case ARGP_KEY_ARG:
    if (given->folder != NULL)
      argp_usage(state);
    given->folder = arg;
    return 0;
  case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv)
{
  static const struct argp arguments = {
    .options  = options,
    .parser   = parse,
    .args_doc = "FOLDER",
    .doc      = "Make traces of what a run has left with DART_TRACE=FOLDER.",
  };
  options_t given = { 0 };
  trace_t   trace;
  int       failed = 0;

  argp_parse(&arguments, argc, argv, 0, NULL, &given);
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
