/* Acquire and release a lock: while nobody else wants it, and while all units do nothing but that.
 * What the lock protects is one addition, which tells whether it does. The floor is a pthread mutex
 * that processes share. Contended figures count the passages of all units, so they are the inverse
 * of the throughput. */
#include "micro.h"

#include <stdio.h>

#include <dash/dart/ext/dart_lock_at.h>

static dart_lock_t lock;
static uint64_t    passed[2]; /* turns this unit has done: DART, floor */

/* The counters that the locks protect, a line apart, on one node. NULL on several: DART's is then in
 * the segment, and the floor has none. */
static volatile uint64_t *counter[2];

static void pass(micro_t *m)
{
  uint64_t count;

  if (counter[0] != NULL) {
    ++*counter[0];
    return;
  }
  BENCH_OK(dart_get_blocking(&count, m->segment, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  count++;
  BENCH_OK(dart_put_blocking(m->segment, &count, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void lock_free(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_lock_acquire(lock));
    micro_again();
    BENCH_OK(dart_lock_release(lock));
  }
}

static void lock_contended(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_lock_acquire(lock));
    pass(m);
    BENCH_OK(dart_lock_release(lock));
  }
  passed[0] += n;
}

/* A word of the target, or of unit 0, in the line behind the counters. */
static dart_gptr_t lock_word(const micro_t *m)
{
  dart_gptr_t word = m->place == TOGETHER ? m->segment : m->at;

  dart_gptr_incaddr(&word, LINE);
  return word;
}

static void word_free(micro_t *m, size_t n)
{
  dart_gptr_t word = lock_word(m);

  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_lock_at_acquire(word));
    micro_again();
    BENCH_OK(dart_lock_at_release(word));
  }
  BENCH_OK(dart_flush(word));
}

static void word_contended(micro_t *m, size_t n)
{
  dart_gptr_t word = lock_word(m);

  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_lock_at_acquire(word));
    pass(m);
    BENCH_OK(dart_lock_at_release(word));
  }
  passed[0] += n;
  BENCH_OK(dart_flush(word));
}

static void mutex_free(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    pthread_mutex_lock(&m->meeting->mutex);
    micro_again();
    pthread_mutex_unlock(&m->meeting->mutex);
  }
}

static void mutex_contended(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    pthread_mutex_lock(&m->meeting->mutex);
    ++*counter[1];
    pthread_mutex_unlock(&m->meeting->mutex);
  }
  passed[1] += n;
}

static void prepare(micro_t *m)
{
  BENCH_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  passed[0] = passed[1] = 0;
  counter[0] = counter[1] = NULL;
  if (m->floor && m->partner[FAR] < 0) {
    counter[0] = bench_shared_block(&m->shared, 0);
    counter[1] = counter[0] + LINE / sizeof *counter[0];
  }
  micro_clear(m, (size_t)2 * LINE);
}

static void clean(micro_t *m)
{
  uint64_t all[2], found[2] = { 0, 0 };

  BENCH_OK(dart_team_lock_destroy(&lock));
  BENCH_OK(dart_reduce(passed, all, 2, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_UNIT_ID(0),
                       DART_TEAM_ALL));
  if (m->job.me != 0)
    return;
  if (counter[0] == NULL)
    BENCH_OK(dart_get_blocking(&found[0], m->segment, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  for (int i = 0; i < 2; i++)
    if (counter[i] != NULL)
      found[i] = *counter[i];
  if (found[0] != all[0] || found[1] != all[1]) {
    fprintf(stderr, "lock: %llu passages counted of %llu, in a mutex %llu of %llu\n",
            (unsigned long long)found[0], (unsigned long long)all[0], (unsigned long long)found[1],
            (unsigned long long)all[1]);
    dart_abort(BENCH_FAILED);
  }
}

const case_t lock_cases[] = {
  { .name    = "lock",
    .places  = IN_TEAM,
    .sizes   = SIZE_NONE,
    .dart    = { .loop = lock_free },
    .floor   = { .loop = mutex_free },
    .about   = "acquire and release a free lock",
    .prepare = prepare,
    .clean   = clean },
  { .name     = "lock.contended",
    .places   = IN_TEAM,
    .sizes    = SIZE_NONE,
    .dart     = { .loop = lock_contended, .by = BY_ALL },
    .floor    = { .loop = mutex_contended, .by = BY_ALL },
    .by_units = true,
    .about    = "acquire, add 1, release, by all units at once",
    .prepare  = prepare,
    .clean    = clean },
  { .name    = "lock_at",
    .places  = IN_TEAM | IN_FAR,
    .sizes   = SIZE_NONE,
    .dart    = { .loop = word_free },
    .floor   = { .loop = mutex_free },
    .about   = "acquire and release a free lock in a word: dart_lock_at_acquire",
    .prepare = prepare,
    .clean   = clean },
  { .name     = "lock_at.contended",
    .places   = IN_TEAM,
    .sizes    = SIZE_NONE,
    .dart     = { .loop = word_contended, .by = BY_ALL },
    .floor    = { .loop = mutex_contended, .by = BY_ALL },
    .by_units = true,
    .about    = "the same, adding 1, by all units at once",
    .prepare  = prepare,
    .clean    = clean },
  { 0 },
};
