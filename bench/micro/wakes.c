/* How soon a waiter that sleeps is back. The partner waits for a word; unit 0 lets it do so for some milliseconds,
 * somewhat longer each time, so that it does not go with the times at which the sleeper looks by itself. Then it
 * changes the word, and waits for the answer, which is a notification. The figure is the median of the times between. */
#include "micro.h"

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

enum { WAKES = 5 };

#define ASLEEP_S 0.008 /* before this it yields its core, and naps for a few microseconds only */
#define PHASE_S  0.000373

static uint64_t turn;

static dart_gptr_t word_of(const micro_t *m, dart_unit_t unit)
{
  dart_gptr_t at = m->segment;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit));
  return at;
}

static void by_notify(dart_gptr_t word)
{
  BENCH_OK(dart_notify(word, 1));
}

static void by_put(dart_gptr_t word)
{
  BENCH_OK(dart_put_blocking(word, &turn, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void by_sum(dart_gptr_t word)
{
  uint64_t one = 1;

  BENCH_OK(dart_accumulate(word, &one, 1, DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(word));
}

static double wake(micro_t *m, void (*change)(dart_gptr_t word))
{
  double seconds[WAKES];

  for (int i = 0; i < WAKES; i++) {
    double start = bench_seconds();

    turn++;
    if (m->job.me != 0) {
      BENCH_OK(dart_wait_word(word_of(m, m->job.me), DART_TYPE_ULONG, DART_WAIT_GE, &turn, -1));
      BENCH_OK(dart_notify(word_of(m, 0), 1));
      continue;
    }
    while (bench_seconds() < start + ASLEEP_S + i * PHASE_S)
      continue;
    start = bench_seconds();
    change(word_of(m, m->target));
    BENCH_OK(dart_notify_wait(word_of(m, 0), turn, -1));
    seconds[i] = bench_seconds() - start;
  }
  if (m->job.me != 0)
    return 0;
  bench_sort(seconds, WAKES);
  return seconds[WAKES / 2];
}

static double wake_notify(micro_t *m)
{
  return wake(m, by_notify);
}

static double wake_put(micro_t *m)
{
  return wake(m, by_put);
}

static double wake_sum(micro_t *m)
{
  return wake(m, by_sum);
}

static void prepare(micro_t *m)
{
  turn = 0;
  micro_clear(m, LINE);
}

#define WAKE(way, what)                                                       \
  {                                                                           \
    .name = "wake." #way, .places = IN_NEAR | IN_FAR, .sizes = SIZE_NONE,     \
    .dart  = { .sample = wake_##way, .by = BY_PAIR },                         \
    .about = "dart_wait_word that sleeps, woken by " what, .prepare = prepare \
  }

const case_t wake_cases[] = {
  WAKE(notify, "dart_notify"),
  WAKE(put, "dart_put_blocking"),
  WAKE(sum, "dart_accumulate, dart_flush"),
  { 0 },
};
