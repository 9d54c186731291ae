/* Threads of a unit, each of which gets with a notification (dart_notify.h), while others take in what has come. */
#include <pthread.h>
#include <string.h>

#include <dash/dart/ext/dart_notify.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(notify_threads);

enum { THREADS = 3, ROUNDS = 60, WORDS = 5000 };

typedef struct {
  pthread_t   thread;
  int         number;
  dart_gptr_t gptr, flags; /* the words of unit 0; counters, one a thread, and one for all */
} worker_t;

static int64_t value_of(int unit, size_t place)
{
  return unit * INT64_C(1000000) + (int64_t)place;
}

/* By its own counter, or by a flush, or by nothing: then by the counter of all, in the end. */
static void *work(void *data)
{
  static int64_t kept[THREADS][ROUNDS];
  worker_t      *w      = data;
  dart_gptr_t    own    = test_at(test_unit(w->flags, me), (size_t)w->number);
  dart_gptr_t    of_all = test_at(test_unit(w->flags, me), THREADS);
  int64_t        got[WORDS];
  uint64_t       least = 0, sum = 0;
  int            rounds = test_rounds(ROUNDS);

  for (int round = 0; round < rounds; round++) {
    int         unit  = (me + round + w->number) % n;
    size_t      count = round % 3 == 0 ? WORDS : 1 + (size_t)round;
    dart_gptr_t from  = test_unit(w->gptr, unit);

    EXPECT_OK(dart_get_notify(&kept[w->number][round], test_at(from, (size_t)round), 1, T_INT64,
                              T_INT64, of_all, 1));
    EXPECT_OK(dart_get_notify(got, from, count, T_INT64, T_INT64, own, 1));
    EXPECT_OK(round % 2 == 0 ? dart_notify_wait(own, ++least, -1) : dart_flush_local(from));
    if (round % 2 != 0)
      EXPECT_OK(dart_notify_wait(own, ++least, 0));
    for (size_t i = 0; i < count; i++)
      sum += got[i] != value_of(unit, i);
  }
  EXPECT_OK(dart_notify_wait(of_all, (uint64_t)(rounds * THREADS), -1));
  for (int round = 0; round < rounds; round++)
    sum += kept[w->number][round] != value_of((me + round + w->number) % n, (size_t)round);
  EXPECT_EQ(sum, 0);
  return NULL;
}

TEST(threads_are_told_of_their_own)
{
  worker_t    worker[THREADS];
  dart_gptr_t gptr, flags;

  test_init_threads();
  gptr  = test_segment(DART_TEAM_ALL, WORDS * sizeof(int64_t), 0);
  flags = test_segment(DART_TEAM_ALL, (THREADS + 1) * sizeof(int64_t), 0);
  for (size_t i = 0; i < WORDS; i++)
    test_mine(gptr)[i] = value_of(me, i);
  test_barrier();
  for (int t = 0; t < THREADS; t++) {
    worker[t] = (worker_t){ .number = t, .gptr = gptr, .flags = flags };
    EXPECT_EQ(pthread_create(&worker[t].thread, NULL, work, &worker[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(worker[t].thread, NULL);
  test_barrier();
}
