/* The JSON of Chrome's trace events, which chrome://tracing and ui.perfetto.dev show. Each unit is a process, and each
 * of its threads is a line. Calls are slices, and the events in them are instants. Times are microseconds from the
 * beginning. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

static const char *event_name(const dart__trace_event_t *event)
{
  switch (event->kind) {
  case DART__TRACE_RMA_PUT: return "put";
  case DART__TRACE_RMA_GET: return "get";
  case DART__TRACE_RMA_ATOMIC: return "atomic";
  case DART__TRACE_DONE: return "complete";
  case DART__TRACE_DONE_HERE: return "complete locally";
  case DART__TRACE_DONE_THERE: return "complete remotely";
  case DART__TRACE_ALL_TOGETHER: return "collective";
  case DART__TRACE_LOCK: return "lock";
  case DART__TRACE_UNLOCK: return "unlock";
  case DART__TRACE_ASK: return "ask for lock";
  case DART__TRACE_SENT: return "send";
  case DART__TRACE_RECEIVED: return "receive";
  default: return NULL;
  }
}

/* The fields that all events have, up to the place for more. */
static void put_head(FILE *json, const trace_t *trace, const trace_file_t *file, const char *phase,
                     const char *name, uint64_t time)
{
  uint64_t ns = trace_time(file, time) - trace->begin;

  fprintf(json, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%" PRIu64 ".%03u,\"name\":\"%s\"",
          phase, file->header->unit, file->header->thread, ns / 1000, (unsigned)(ns % 1000), name);
}

static void put_arguments(FILE *json, const dart__trace_event_t *event)
{
  switch (event->kind) {
  case DART__TRACE_RMA_PUT:
  case DART__TRACE_RMA_GET:
  case DART__TRACE_RMA_ATOMIC:
  case DART__TRACE_SENT:
  case DART__TRACE_RECEIVED:
    fprintf(json, "{\"unit\":%d,\"bytes\":%" PRIu64 ",\"id\":\"%" PRIx64 "\"}", event->unit,
            event->bytes, event->id);
    break;
  case DART__TRACE_ALL_TOGETHER:
    fprintf(json, "{\"team\":%d,\"root\":%d,\"bytes\":%" PRIu64 "}", event->team, event->unit,
            event->bytes);
    break;
  default: fprintf(json, "{\"id\":\"%" PRIx64 "\"}", event->id); break;
  }
}

static void put_event(FILE *json, const trace_t *trace, const trace_file_t *file,
                      const dart__trace_event_t *event)
{
  const char *name = event_name(event);

  if (event->kind == DART__TRACE_ENTER || event->kind == DART__TRACE_LEAVE) {
    put_head(json, trace, file, event->kind == DART__TRACE_ENTER ? "B" : "E",
             trace_call(event->call), event->time);
    fprintf(json, "}");
  } else if (name != NULL) {
    put_head(json, trace, file, "i", name, event->time);
    fprintf(json, ",\"s\":\"t\",\"args\":");
    put_arguments(json, event);
    fprintf(json, "}");
  }
}

static void put_file(FILE *json, const trace_t *trace, const trace_file_t *file)
{
  const dart__trace_event_t *last = file->event + file->n - 1;

  fprintf(json,
          ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"unit %d\"}}",
          file->header->unit, file->header->unit);
  for (size_t i = 0; i < file->n; i++)
    put_event(json, trace, file, &file->event[i]);
  for (size_t nopen = trace_open_calls(file); nopen > 0; nopen--) {
    put_head(json, trace, file, "E", trace_call(last->call), last->time);
    fprintf(json, ",\"args\":{\"returned\":false}}");
  }
}

static int write_chrome(const trace_t *trace, const char *folder)
{
  char  path[4096];
  FILE *json;
  int   failed;

  snprintf(path, sizeof path, "%s/trace.json", folder);
  json = fopen(path, "we");
  if (json == NULL) {
    trace_say("%s: %s", path, strerror(errno));
    return -1;
  }
  fprintf(json, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  fprintf(json, "{\"ph\":\"M\",\"pid\":0,\"name\":\"dropped\",\"args\":{\"calls\":%" PRIu64 "}}",
          trace->ndropped);
  for (size_t i = 0; i < trace->nfiles; i++)
    put_file(json, trace, &trace->file[i]);
  fprintf(json, "\n]}\n");
  failed = ferror(json);
  if (fclose(json) == 0 && !failed)
    return 0;
  trace_say("%s: %s", path, strerror(errno));
  return -1;
}

const trace_form_t trace_chrome = { "chrome", "trace.json", write_chrome };
