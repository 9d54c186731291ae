/* The report of a unit: the sum of what its threads have counted. It is written as JSON to a new file, which then
 * replaces the old one. */
#include "trace_report.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace_job.h"
#include "trace_memory.h"
#include "trace_thread.h"

static const char *const call_names[] = { DART__TRACE_NAMES };
static const char *const kind_names[] = { "put", "get", "atomic", "notify", "send" };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t        written;    /* when the report was last written */
static uint64_t       *statistics; /* kept for the report; NULL: use the current ones */

enum { NOW_AND_THEN = 1000000000 }; /* ns */

static void put_text(FILE *file, const char *text)
{
  putc('"', file);
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
      fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
    else
      putc(*text, file);
  putc('"', file);
}

/* ---- the parts of a report --------------------------------------------------------------------- */

static void put_place(FILE *file)
{
  const dart_hwinfo_t *place = &dart__trace_job.place;

  fprintf(file, "  \"host\": ");
  put_text(file, place->host);
  fprintf(file, ", \"core\": %d, \"cpu\": %d, \"numa\": %d, \"cores\": %d,\n", place->core_id,
          place->cpu_id, place->numa_id, place->num_cores);
}

static void put_head(FILE *file, const char *ended, uint64_t now)
{
  fprintf(file, "{\n  \"format\": \"dart-report\", \"version\": 1, \"dart\": \"%s\",\n",
          DART_VERSION_STR);
  fprintf(file, "  \"unit\": %d, \"units\": %zu, \"node\": %d, \"pid\": %d,\n", dart__trace_job.me,
          dart__trace_job.nunits, dart__trace_job.node, (int)getpid());
  fprintf(file, "  \"program\": ");
  put_text(file, program_invocation_short_name);
  fprintf(file, ", \"ended\": ");
  put_text(file, ended);
  fprintf(file, ", \"ns\": %" PRIu64 ",\n", now - dart__trace_job.begin);
}

static void add_call(dart__trace_call_t *sum, dart__trace_call_t *one)
{
  uint64_t most = dart__trace_get(&one->most_ns);

  dart__trace_add(&sum->count, dart__trace_get(&one->count));
  dart__trace_add(&sum->ns, dart__trace_get(&one->ns));
  dart__trace_add(&sum->bytes, dart__trace_get(&one->bytes));
  if (most > dart__trace_get(&sum->most_ns))
    dart__trace_set(&sum->most_ns, most);
}

static void put_calls(FILE *file)
{
  const char *before = "";

  fprintf(file, "  \"calls\": [");
  for (unsigned i = 0; i < DART__TRACE_NCALLS; i++) {
    dart__trace_call_t sum = { 0 };

    for (dart__trace_thread_t *t = dart__trace_threads(); t != NULL; t = t->next)
      add_call(&sum, &t->call[i]);
    if (dart__trace_get(&sum.count) == 0)
      continue;
    fprintf(file,
            "%s\n    {\"name\": \"%s\", \"count\": %" PRIu64 ", \"ns\": %" PRIu64
            ", \"most_ns\": %" PRIu64 ", \"bytes\": %" PRIu64 "}",
            before, call_names[i], dart__trace_get(&sum.count), dart__trace_get(&sum.ns),
            dart__trace_get(&sum.most_ns), dart__trace_get(&sum.bytes));
    before = ",";
  }
  fprintf(file, "\n  ],\n");
}

/* What all threads have moved to or from `unit`. */
static dart__trace_traffic_t traffic_of(size_t unit)
{
  dart__trace_traffic_t sum = { 0 };

  for (dart__trace_thread_t *t = dart__trace_threads(); t != NULL; t = t->next) {
    dart__trace_traffic_t *row = atomic_load_explicit(&t->to, memory_order_acquire);

    for (unsigned kind = 0; row != NULL && kind < DART__TRACE_NKINDS; kind++) {
      dart__trace_add(&sum.count[kind], dart__trace_get(&row[unit].count[kind]));
      dart__trace_add(&sum.bytes[kind], dart__trace_get(&row[unit].bytes[kind]));
    }
  }
  return sum;
}

static void put_traffic(FILE *file)
{
  const char *before = "";

  fprintf(file, "  \"traffic\": [");
  for (size_t unit = 0; unit < dart__trace_job.nunits; unit++) {
    dart__trace_traffic_t sum  = traffic_of(unit);
    bool                  none = true;

    for (unsigned kind = 0; kind < DART__TRACE_NKINDS; kind++)
      if (dart__trace_get(&sum.count[kind]) > 0) {
        if (none)
          fprintf(file, "%s\n    {\"unit\": %zu", before, unit);
        fprintf(file, ", \"%s\": [%" PRIu64 ", %" PRIu64 "]", kind_names[kind],
                dart__trace_get(&sum.count[kind]), dart__trace_get(&sum.bytes[kind]));
        none = false;
      }
    if (!none)
      fprintf(file, "}");
    if (!none)
      before = ",";
  }
  fprintf(file, "\n  ],\n");
}

static void put_memory(FILE *file)
{
  dart__trace_sample_t *samples = malloc(DART__TRACE_SAMPLES_MOST * sizeof *samples);
  const char           *names[DART__TRACE_LEVELS_MOST];
  size_t                nlevels  = dart__trace_memory_levels(names);
  size_t                nsamples = samples != NULL ? dart__trace_memory_copy(samples) : 0;

  fprintf(file, "  \"memory\": {\"names\": [");
  for (size_t i = 0; i < nlevels; i++)
    fprintf(file, "%s\"%s\"", i > 0 ? ", " : "", names[i]);
  fprintf(file, "], \"samples\": [");
  for (size_t s = 0; s < nsamples; s++) {
    fprintf(file, "%s\n    [%" PRIu64, s > 0 ? "," : "", samples[s].time - dart__trace_job.begin);
    for (size_t i = 0; i < nlevels; i++)
      fprintf(file, ", %" PRIu64, samples[s].level[i]);
    fprintf(file, "]");
  }
  fprintf(file, "\n  ]},\n");
  free(samples);
}

/* A copy of DART's statistics; NULL: no memory. */
static uint64_t *read_statistics(void)
{
  uint64_t *values = calloc(pdart_stats_size(), sizeof *values);

  if (values != NULL)
    (void)pdart_stats_read(values, pdart_stats_size());
  return values;
}

static void put_statistics(FILE *file)
{
  uint64_t         *values = statistics != NULL ? statistics : read_statistics();
  const char       *before = "";
  dart_stats_info_t info;

  fprintf(file, "  \"statistics\": {");
  for (size_t i = 0; values != NULL && i < pdart_stats_size(); i++)
    if (values[i] != 0 && pdart_stats_describe(i, &info) == DART_OK) {
      fprintf(file, "%s\n    \"%s\": %" PRIu64, before, info.name, values[i]);
      before = ",";
    }
  fprintf(file, "\n  }\n}\n");
  if (values != statistics)
    free(values);
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* False: the file is incomplete. */
static bool write_to(const char *path, const char *ended, uint64_t now)
{
  FILE *file = fopen(path, "we");
  bool  is_whole;

  if (file == NULL)
    return false;
  put_head(file, ended, now);
  put_place(file);
  put_calls(file);
  put_traffic(file);
  put_memory(file);
  put_statistics(file);
  is_whole = ferror(file) == 0;
  return fclose(file) == 0 && is_whole;
}

/* With the mutex. */
static void replace(const char *ended, uint64_t now)
{
  static bool is_told;
  char        path[4096], new_path[4096 + 8];

  snprintf(path, sizeof path, "%s/unit-%d.json", dart__trace_job.reports, dart__trace_job.me);
  snprintf(new_path, sizeof new_path, "%s.new", path);
  written = now;
  if (write_to(new_path, ended, now) && rename(new_path, path) == 0)
    return;
  if (!is_told)
    dart__trace_say("cannot write %s: %s", path, strerror(errno));
  is_told = true;
}

void dart__trace_report_write(const char *ended)
{
  if (dart__trace_job.reports == NULL)
    return;
  pthread_mutex_lock(&mutex);
  replace(ended, dart__trace_now());
  pthread_mutex_unlock(&mutex);
}

void dart__trace_report_now_and_then(uint64_t now)
{
  if (pthread_mutex_trylock(&mutex) != 0)
    return;
  if (now - (written != 0 ? written : dart__trace_job.begin) >= NOW_AND_THEN)
    replace("running", now);
  pthread_mutex_unlock(&mutex);
}

void dart__trace_report_statistics(void)
{
  if (dart__trace_job.reports == NULL)
    return;
  pthread_mutex_lock(&mutex);
  free(statistics);
  statistics = read_statistics();
  pthread_mutex_unlock(&mutex);
}
