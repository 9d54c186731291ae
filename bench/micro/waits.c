/* A token that goes round all units, by each way to wait for it: the time of a hop; and signals of two units.
 * All but one unit wait at any time, so with more units than cores it tells how a waiter lets others run, and
 * how soon it is back. The floor is a word in memory the processes share, and a loop that looks at it and
 * yields the core. */
#include "micro.h"

#include <sched.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

static uint64_t passed;  /* hops of all turns before */
static uint64_t arrived; /* tokens that this unit has had, by notifications */

static dart_gptr_t word_of(const micro_t *m, dart_unit_t unit)
{
  dart_gptr_t at = m->segment;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit));
  return at;
}

typedef struct {
  void (*give)(micro_t *m, dart_unit_t unit, uint64_t hop);
  void (*wait)(micro_t *m, uint64_t hop);
} way_t;

/* Hop h goes from unit h - 1 to unit h, both modulo the number of units. */
static void go_round(micro_t *m, size_t n, const way_t *way)
{
  uint64_t nunits = m->job.nunits, me = (uint64_t)m->job.me;

  for (uint64_t hop = 1; hop <= n; hop++) {
    if ((hop - 1) % nunits == me)
      way->give(m, (dart_unit_t)(hop % nunits), passed + hop);
    if (hop % nunits == me)
      way->wait(m, passed + hop);
  }
  passed += n;
  BENCH_OK(dart_flush_all(m->segment));
}

static void notify(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  (void)hop;
  BENCH_OK(dart_notify(word_of(m, unit), 1));
}

static void notify_wait(micro_t *m, uint64_t hop)
{
  (void)hop;
  BENCH_OK(dart_notify_wait(word_of(m, m->job.me), ++arrived, -1));
}

static void put(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  BENCH_OK(dart_put_blocking(word_of(m, unit), &hop, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void wait_word(micro_t *m, uint64_t hop)
{
  BENCH_OK(dart_wait_word(word_of(m, m->job.me), DART_TYPE_ULONG, DART_WAIT_GE, &hop, -1));
}

static _Atomic uint64_t *shared_word(micro_t *m, dart_unit_t unit)
{
  return bench_shared_block(&m->shared, unit);
}

static void store(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  atomic_store_explicit(shared_word(m, unit), hop, memory_order_release);
}

static void poll(micro_t *m, uint64_t hop)
{
  while (atomic_load_explicit(shared_word(m, m->job.me), memory_order_acquire) < hop)
    sched_yield();
}

static void ring_notify(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ notify, notify_wait });
}

static void ring_word(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ put, wait_word });
}

static void ring_poll(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ store, poll });
}

/* The token among the words of a line, by the calls for several words. The others have older tokens, or none. */

enum { WORDS = LINE / sizeof(uint64_t) };

static void put_among(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  dart_gptr_t at = word_of(m, unit);

  dart_gptr_incaddr(&at, (int64_t)(hop % WORDS * sizeof hop));
  BENCH_OK(dart_put_blocking(at, &hop, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void put_line(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  uint64_t *line = (uint64_t *)m->send;

  for (size_t i = 0; i < WORDS; i++)
    line[i] = hop;
  BENCH_OK(dart_put_blocking(word_of(m, unit), line, WORDS, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

/* The floor looks at as many words. */

static void store_among(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  atomic_store_explicit(shared_word(m, unit) + hop % WORDS, hop, memory_order_release);
}

static void poll_any(micro_t *m, uint64_t hop)
{
  _Atomic uint64_t *word = shared_word(m, m->job.me);
  size_t            i    = 0;

  while (atomic_load_explicit(&word[i], memory_order_acquire) < hop)
    if (++i == WORDS) {
      i = 0;
      sched_yield();
    }
}

static void store_line(micro_t *m, dart_unit_t unit, uint64_t hop)
{
  for (size_t i = 0; i < WORDS; i++)
    atomic_store_explicit(shared_word(m, unit) + i, hop, memory_order_release);
}

static void poll_all(micro_t *m, uint64_t hop)
{
  _Atomic uint64_t *word = shared_word(m, m->job.me);

  for (size_t i = 0; i < WORDS; i++)
    while (atomic_load_explicit(&word[i], memory_order_acquire) < hop)
      sched_yield();
}

typedef struct {
  dart_gptr_t at[WORDS];
  uint64_t    value[WORDS];
} words_t;

static words_t words; /* of this unit */

static void find_words(micro_t *m)
{
  for (size_t i = 0; i < WORDS; i++) {
    words.at[i] = word_of(m, m->job.me);
    dart_gptr_incaddr(&words.at[i], (int64_t)(i * sizeof(uint64_t)));
  }
}

static const uint64_t *all(uint64_t hop)
{
  for (size_t i = 0; i < WORDS; i++)
    words.value[i] = hop;
  return words.value;
}

static void wait_any(micro_t *m, uint64_t hop)
{
  size_t index;

  (void)m;
  BENCH_OK(
      dart_wait_word_any(words.at, WORDS, DART_TYPE_ULONG, DART_WAIT_GE, all(hop), -1, &index));
}

static void wait_some(micro_t *m, uint64_t hop)
{
  size_t indices[WORDS], count;

  (void)m;
  BENCH_OK(dart_wait_word_some(words.at, WORDS, DART_TYPE_ULONG, DART_WAIT_GE, all(hop), -1,
                               indices, &count));
}

static void wait_all(micro_t *m, uint64_t hop)
{
  (void)m;
  BENCH_OK(dart_wait_word_all(words.at, WORDS, DART_TYPE_ULONG, DART_WAIT_GE, all(hop), -1));
}

static void ring_any(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ put_among, wait_any });
}

static void ring_some(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ put_among, wait_some });
}

static void ring_all(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ put_line, wait_all });
}

static void ring_poll_any(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ store_among, poll_any });
}

static void ring_poll_all(micro_t *m, size_t n)
{
  go_round(m, n, &(way_t){ store_line, poll_all });
}

/* A word and a signal to the partner, and both back. */

static dart_unit_t other_of(const micro_t *m)
{
  return m->job.me == 0 ? m->target : 0;
}

static void signal_and_wait(micro_t *m, size_t n, dart_operation_t op)
{
  dart_gptr_t there = word_of(m, other_of(m)), data = there, mine = word_of(m, m->job.me);

  dart_gptr_incaddr(&data, sizeof(uint64_t));
  for (size_t i = 0; i < n; i++) {
    uint64_t value = ++passed;

    if (m->job.me != 0)
      BENCH_OK(dart_notify_wait(mine, value, -1));
    BENCH_OK(dart_put_notify_op(data, m->send, 1, DART_TYPE_ULONG, DART_TYPE_ULONG, there,
                                op == DART_OP_SUM ? 1 : value, op));
    if (m->job.me == 0)
      BENCH_OK(dart_notify_wait(mine, value, -1));
  }
  BENCH_OK(dart_flush(there));
}

static void signal_sum(micro_t *m, size_t n)
{
  signal_and_wait(m, n, DART_OP_SUM);
}

static void signal_replace(micro_t *m, size_t n)
{
  signal_and_wait(m, n, DART_OP_REPLACE);
}

static void prepare(micro_t *m)
{
  passed = arrived = 0;
  find_words(m);
  micro_clear(m, LINE);
}

#define RING(way, polled, what)                                                                \
  {                                                                                            \
    .name = "ring." #way, .places = IN_TEAM, .sizes = SIZE_NONE,                               \
    .dart  = { .loop = ring_##way, .by = BY_ALL },                                             \
    .floor = { .loop = ring_##polled, .by = BY_ALL }, .about = "a hop round all units: " what, \
    .prepare = prepare                                                                         \
  }

const case_t wait_cases[] = {
  RING(notify, poll, "dart_notify, dart_notify_wait"),
  RING(word, poll, "dart_put_blocking, dart_wait_word"),
  RING(any, poll_any, "dart_put_blocking, dart_wait_word_any of 8 words"),
  RING(some, poll_any, "dart_put_blocking, dart_wait_word_some of 8 words"),
  RING(all, poll_all, "dart_put_blocking of 8 words, dart_wait_word_all"),
  { .name    = "signal.sum",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_NONE,
    .dart    = { .loop = signal_sum, .by = BY_PAIR },
    .floor   = { .loop = floor_round_trip, .by = BY_PAIR },
    .about   = "a word and a counter raised, there and back: dart_put_notify_op, SUM",
    .prepare = prepare },
  { .name    = "signal.replace",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_NONE,
    .dart    = { .loop = signal_replace, .by = BY_PAIR },
    .floor   = { .loop = floor_round_trip, .by = BY_PAIR },
    .about   = "a word and a flag set, there and back: dart_put_notify_op, REPLACE",
    .prepare = prepare },
  { 0 },
};
