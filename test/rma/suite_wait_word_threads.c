/* Threads of a unit that wait for words at the same time (dart_wait_word.h): each for its own, all for one, and more of
 * them than are woken. */
#include <pthread.h>
#include <time.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(wait_word_threads);

enum { THREADS = 3, MANY = 10, ROUNDS = 30 }; /* MANY: more than notes of a unit (wait/watches.h) */

typedef struct {
  pthread_t   thread;
  int         number;
  dart_gptr_t gptr; /* of unit 0 */
  int         rounds;
  int         threads;
} worker_t;

static dart_gptr_t word_of(const worker_t *w, int unit, int place)
{
  return test_at(test_unit(w->gptr, unit), (size_t)place);
}

/* Every thread has a token, which goes round all units: by a put, an atomic or a notification. */
static void give(const worker_t *w, int64_t token)
{
  dart_gptr_t at = word_of(w, (me + 1) % n, w->number);

  switch (token % 3) {
  case 0: EXPECT_OK(dart_put_blocking(at, &token, 1, T_INT64, T_INT64)); break;
  case 1: EXPECT_OK(dart_accumulate(at, &token, 1, T_INT64, DART_OP_REPLACE)); break;
  default: EXPECT_OK(dart_notify_op(at, (uint64_t)token, DART_OP_REPLACE)); break;
  }
  EXPECT_OK(dart_flush(at));
}

static void *pass_on(void *argument)
{
  const worker_t *w = argument;

  for (int64_t round = 1; round <= w->rounds; round++) {
    int64_t token =
        round * n + me; /* what this unit gives; it gets one less, unit 0 that of the last */
    int64_t least = me > 0 ? token - 1 : token + n - 1, found = -1;

    if (me == 0)
      give(w, token);
    EXPECT_OK(dart_wait_word(word_of(w, me, w->number), T_INT64, DART_WAIT_EQ, &least, -1));
    EXPECT_OK(dart_get_blocking(&found, word_of(w, me, w->number), 1, T_INT64, T_INT64));
    EXPECT_EQ(found, least);
    if (me > 0)
      give(w, token);
  }
  return NULL;
}

static void run(int threads, int rounds, void *(*work)(void *))
{
  static int64_t zeros[MANY + 1];
  worker_t       worker[MANY];
  dart_gptr_t    gptr;

  test_init_threads();
  gptr = test_alloc(zeros, MANY + 1, 0);
  test_barrier();
  for (int i = 0; i < threads; i++) {
    worker[i] =
        (worker_t){ .number = i, .gptr = gptr, .rounds = test_rounds(rounds), .threads = threads };
    EXPECT_EQ(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
  }
  for (int i = 0; i < threads; i++)
    EXPECT_EQ(pthread_join(worker[i].thread, NULL), 0);
  test_barrier();
}

TEST(each_thread_waits_for_a_word_of_its_own)
{
  run(THREADS, ROUNDS, pass_on);
}

TEST(more_threads_wait_than_are_noted)
{
  run(MANY, 3, pass_on);
}

/* All threads of a unit wait for the same word, whose writer waits until all have seen it; the wait is long enough to
 * sleep every other time. */
static void *see(void *argument)
{
  const worker_t *w = argument;

  for (int64_t round = 1; round <= w->rounds; round++) {
    int64_t one = 1;

    EXPECT_OK(dart_wait_word(word_of(w, me, 0), T_INT64, DART_WAIT_GE, &round, -1));
    EXPECT_OK(dart_accumulate(word_of(w, (me + n - 1) % n, 1), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(word_of(w, (me + n - 1) % n, 1)));
    if (w->number == 0) {
      int64_t all = round * w->threads, next = round + 1;

      EXPECT_OK(dart_wait_word(word_of(w, me, 1), T_INT64, DART_WAIT_EQ, &all, -1));
      if (round % 2 == 0)
        nanosleep(&(struct timespec){ 0, 4000000 }, NULL);
      EXPECT_OK(dart_put_blocking(word_of(w, (me + 1) % n, 0), &next, 1, T_INT64, T_INT64));
    }
  }
  return NULL;
}

static void *start_and_see(void *argument)
{
  const worker_t *w     = argument;
  int64_t         first = 1;

  if (w->number == 0)
    EXPECT_OK(dart_put_blocking(word_of(w, (me + 1) % n, 0), &first, 1, T_INT64, T_INT64));
  return see(argument);
}

TEST(all_threads_see_one_word)
{
  run(THREADS, ROUNDS / 3, start_and_see);
}
