/* The clocks of several hosts are aligned by the program's collective calls. In some of these, no unit returns before
 * the last one has begun. So for each such call and each two hosts, the return on one host came after the beginning on
 * the other. That bounds the difference of their clocks from both sides. (The convex hull of Duda et al., ICDCS 1987,
 * for an offset alone; the calls take the place of messages.)
 *
 * All calls together leave an interval, about as long as the shortest call. Its middle is the offset of a host from the
 * clock of unit 0. If clocks drift apart in the run, the interval is empty, and its middle is still a mean. Units of a
 * host share its clock. Only calls of the team of all units are compared, and only by the first threads. The comparison
 * ends where units disagree about the calls. */
#include "clocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* When the last unit of a host began a call, and when the first one returned. */
typedef struct {
  uint64_t begin, end;
} meeting_t;

typedef struct {
  const char *name;
  meeting_t  *meeting; /* `n` of them, by call */
  bool        is_new;
} host_t;

/* Whether no unit returns from the call before all have begun it. */
static bool is_meeting(const dart__trace_event_t *event)
{
  static const unsigned calls[] = { DART__TRACE_dart_init,      DART__TRACE_dart_init_thread,
                                    DART__TRACE_dart_barrier,   DART__TRACE_dart_allreduce,
                                    DART__TRACE_dart_allgather, DART__TRACE_dart_alltoall };

  /* without elements some calls return at once */
  if (event->bytes == 0 && event->call != DART__TRACE_dart_barrier &&
      event->call != DART__TRACE_dart_init && event->call != DART__TRACE_dart_init_thread)
    return false;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (event->kind == DART__TRACE_ALL_TOGETHER && event->team == 0 && event->call == calls[i])
      return true;
  return false;
}

/* The next meeting of a file from event `*at` on; NULL: there is none. */
static const dart__trace_event_t *next_meeting(const trace_file_t *file, size_t *at)
{
  while (*at < file->n)
    if (is_meeting(&file->event[(*at)++]))
      return &file->event[*at - 1];
  return NULL;
}

static bool is_first_file(const trace_file_t *file)
{
  return file->header->thread == 0;
}

/* How many meetings the first threads of all units have in common. */
static size_t count_common(const trace_t *trace, const trace_file_t *reference)
{
  size_t n = SIZE_MAX;

  for (size_t i = 0; i < trace->nfiles; i++) {
    size_t                     own = 0, other = 0, k = 0;
    const dart__trace_event_t *a, *b;

    if (!is_first_file(&trace->file[i]))
      continue;
    for (; (a = next_meeting(reference, &own)) != NULL &&
           (b = next_meeting(&trace->file[i], &other)) != NULL && a->call == b->call;)
      k++;
    n = k < n ? k : n;
  }
  return n;
}

/* Find the first `n` meetings of the units of a host. */
static bool gather(const trace_t *trace, const char *name, size_t n, host_t *host_out)
{
  *host_out = (host_t){ name, calloc(n, sizeof(meeting_t)), true };
  if (host_out->meeting == NULL)
    return false;
  for (size_t i = 0; i < trace->nfiles; i++) {
    const trace_file_t *file = &trace->file[i];
    size_t              at   = 0;

    if (!is_first_file(file) || strcmp(file->header->host, name) != 0)
      continue;
    for (size_t k = 0; k < n; k++) {
      const dart__trace_event_t *event = next_meeting(file, &at);
      meeting_t                 *one   = &host_out->meeting[k];
      uint64_t begin = trace_time(file, event->time), end = trace_time(file, event->id);

      one->begin = begin > one->begin ? begin : one->begin;
      one->end   = host_out->is_new || end < one->end ? end : one->end;
    }
    host_out->is_new = false;
  }
  return true;
}

/* By how much the clock of `other` is ahead of the clock of `one`. */
static int64_t clock_offset(const host_t *one, const host_t *other, size_t n)
{
  int64_t least = INT64_MIN, most = INT64_MAX;

  for (size_t k = 0; k < n; k++) {
    int64_t below = (int64_t)(other->meeting[k].begin - one->meeting[k].end);
    int64_t above = (int64_t)(other->meeting[k].end - one->meeting[k].begin);

    least = below > least ? below : least;
    most  = above < most ? above : most;
  }
  return least + (most - least) / 2;
}

/* Set the offset of all files of a host from the units of `reference`. */
static void shift_host(trace_t *trace, const host_t *reference, const char *name, size_t n)
{
  host_t  other;
  int64_t ahead;

  if (!gather(trace, name, n, &other)) {
    trace_say("out of memory: the clock of %s is not adjusted", name);
    return;
  }
  ahead = clock_offset(reference, &other, n);
  for (size_t i = 0; i < trace->nfiles; i++)
    if (strcmp(trace->file[i].header->host, name) == 0)
      trace->file[i].ahead = ahead;
  free(other.meeting);
}

/* Whether the file is the first of its host. */
static bool is_first_of_host(const trace_t *trace, size_t file)
{
  for (size_t i = 0; i < file; i++)
    if (strcmp(trace->file[i].header->host, trace->file[file].header->host) == 0)
      return false;
  return true;
}

void clocks_agree(trace_t *trace)
{
  const trace_file_t *reference = &trace->file[0]; /* the first unit's first thread */
  host_t              host      = { 0 };
  size_t              n         = 0;

  for (size_t i = 1; i < trace->nfiles; i++) {
    if (!is_first_of_host(trace, i))
      continue;
    if (host.meeting == NULL) {
      n = count_common(trace, reference);
      if (n == 0 || !gather(trace, reference->header->host, n, &host)) {
        trace_say("no barriers of all units: the clocks of the hosts are not adjusted");
        return;
      }
    }
    shift_host(trace, &host, trace->file[i].header->host, n);
  }
  free(host.meeting);
}
