#ifndef DART_TOOLS_TRACE_H
#define DART_TOOLS_TRACE_H
/* dart-trace: the files of events that a run has left (trace/event.h), and what is made of them. */
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* The events of a thread, in a file that is mapped. */
typedef struct {
  const dart__trace_header_t *header;
  const dart__trace_event_t  *event;
  size_t                      n;
  int64_t                     ahead; /* ns that its clock is ahead of that of unit 0 (clocks.h) */
} trace_file_t;

typedef struct {
  trace_file_t *file; /* by unit, then thread */
  size_t        nfiles;
  uint32_t      nunits;
  uint64_t      begin, end; /* of all, ns since 1970 */
  uint64_t      ndropped;
} trace_t;

/* A form in which a trace is written. */
typedef struct {
  const char *name;
  /** Write `trace` into the folder: 0, or -1 after one line. */
  int (*write)(const trace_t *trace, const char *folder);
} trace_form_t;

/** OTF2: FOLDER/otf2/trace.otf2; `write` is NULL where this was built without its library. Chrome's:
 *  FOLDER/trace.json. */
extern const trace_form_t trace_otf2, trace_chrome;

/** Read all files of a folder; ends the program after one line if there are none, or one is of another version. */
void trace_read(const char *folder, trace_t *trace_out);

/** Give back what a trace has of memory. */
void trace_forget(trace_t *trace);

/** When it happened, ns since 1970 by the clock of unit 0's host. */
uint64_t trace_time(const trace_file_t *file, uint64_t time);

/** The name of a call. */
const char *trace_call(unsigned call);

/** Calls that had begun and had not returned at the end of the file: their number. */
size_t trace_open_calls(const trace_file_t *file);

/** Print "dart-trace: ...", one line. */
void trace_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* DART_TOOLS_TRACE_H */
