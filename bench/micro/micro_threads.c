/* Two threads of unit 0: one updates a word of a far unit and completes that, again and again, while the other one puts
 * large data to the last unit and completes those. What does the first one wait for? All that the unit has anywhere
 * (dart_flush_all), or its own (the flush of a completion context). Alone it meets nobody. With --threads only: DART is
 * started for threads then, which the other cases are not to pay for. */
#include "micro.h"

#include <dash/dart/ext/dart_context.h>

enum { OPERATIONS = 50, STREAMED = 256 << 10 };

static struct {
  pthread_t      thread;
  dart_context_t context; /* of the stream */
  _Atomic int    is_over;
  _Atomic int    has_begun;
} other;

static dart_context_t own; /* of unit 0's first thread */

static size_t streamed(const micro_t *m)
{
  return m->area - LINE < STREAMED ? m->area - LINE : STREAMED;
}

static void *stream(void *argument)
{
  micro_t    *m  = argument;
  dart_gptr_t at = m->at;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID((dart_unit_t)m->job.nunits - 1));
  dart_gptr_incaddr(&at, LINE);
  BENCH_OK(dart_context_enter(other.context));
  while (atomic_load(&other.is_over) == 0) {
    BENCH_OK(dart_put(at, m->send + LINE, streamed(m), DART_TYPE_BYTE, DART_TYPE_BYTE));
    atomic_store(&other.has_begun, 1);
    BENCH_OK(dart_context_flush(other.context));
  }
  BENCH_OK(dart_context_leave(other.context));
  return NULL;
}

/* Seconds of an update, which is a request, and its completion. */
static double puts_of(micro_t *m, bool by_context)
{
  double start = bench_seconds();

  if (by_context)
    BENCH_OK(dart_context_enter(own));
  for (int i = 0; i < OPERATIONS; i++) {
    BENCH_OK(dart_accumulate(m->at, m->send, 1, DART_TYPE_LONG, DART_OP_SUM));
    BENCH_OK(by_context ? dart_context_flush(own) : dart_flush_all(m->at));
  }
  if (by_context)
    BENCH_OK(dart_context_leave(own));
  return (bench_seconds() - start) / OPERATIONS;
}

static double beside_stream(micro_t *m, bool by_context)
{
  double seconds;

  if (m->job.me != 0)
    return 0;
  atomic_store(&other.is_over, 0);
  atomic_store(&other.has_begun, 0);
  if (pthread_create(&other.thread, NULL, stream, m) != 0)
    bench_fail(__FILE__, __LINE__, "pthread_create", 0);
  while (atomic_load(&other.has_begun) == 0)
    continue;
  seconds = puts_of(m, by_context);
  atomic_store(&other.is_over, 1);
  pthread_join(other.thread, NULL);
  return seconds;
}

static double by_flush(micro_t *m)
{
  return beside_stream(m, false);
}

static double by_context(micro_t *m)
{
  return beside_stream(m, true);
}

static double alone(micro_t *m)
{
  return m->job.me == 0 ? puts_of(m, true) : 0;
}

static void prepare(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_context_create(DART_TEAM_ALL, &own));
  BENCH_OK(dart_context_create(DART_TEAM_ALL, &other.context));
}

static void clean(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_context_destroy(&own));
  BENCH_OK(dart_context_destroy(&other.context));
}

#define THREADS(way, function, what)                                                       \
  {                                                                                        \
    .name = "threads." #way, .places = IN_FAR, .sizes = SIZE_WORD, .needs_threads = true,  \
    .dart = { .sample = function }, .about = "update of a word and its completion, " what, \
    .prepare = prepare, .clean = clean                                                     \
  }

const case_t thread_cases[] = {
  THREADS(alone, alone, "by a context"),
  THREADS(flush_all, by_flush, "by a flush of all, beside a thread that streams"),
  THREADS(context, by_context, "by a context, beside a thread that streams"),
  { 0 },
};
