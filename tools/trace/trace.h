#ifndef DART_TOOLS_TRACE_H
#define DART_TOOLS_TRACE_H
/* dart-trace: the files of events that a run has left (trace/event.h), and the forms into which they are converted. */
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* The events of a thread, in a mapped file. */
typedef struct {
  const dart__trace_header_t *header;
  const dart__trace_event_t  *event;
  size_t                      n;
  int64_t                     ahead; /* ns by which its clock is ahead of unit 0's (clocks.h) */
} trace_file_t;

typedef struct {
  trace_file_t *file; /* by unit, then thread */
  size_t        nfiles;
  uint32_t      nunits;
  uint64_t      begin, end; /* of all events, ns since 1970 */
  uint64_t      ndropped;
} trace_t;

/* A form into which a trace is converted. */
typedef struct {
  const char *name;
  const char *file; /* in the folder */
  /** Write `trace` into the folder: 0, or -1 after one line. */
  int (*write)(const trace_t *trace, const char *folder);
} trace_form_t;

/** OTF2: FOLDER/otf2/trace.otf2; `write` is NULL in a build without its library. Chrome's: FOLDER/trace.json. */
extern const trace_form_t trace_otf2, trace_chrome;

/** Read all files of a folder. Ends the program after one line if there are none, or if one has another version. */
void trace_read(const char *folder, trace_t *trace_out);

/** Free the memory of a trace. */
void trace_forget(trace_t *trace);

/** The time of an event, in ns since 1970 by the clock of unit 0's host. */
uint64_t trace_time(const trace_file_t *file, uint64_t time);

/** The name of a call. */
const char *trace_call(unsigned call);

/** How many calls had begun and not returned at the end of the file. */
size_t trace_open_calls(const trace_file_t *file);

/** Print "dart-trace: ...", one line. */
void trace_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* DART_TOOLS_TRACE_H */
