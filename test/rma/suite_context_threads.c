/* Threads of a unit, each with a completion context of its own (dart_context.h). */
#include <pthread.h>

#include <dash/dart/ext/dart_context.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(context_threads);

enum { THREADS = 3, ROUNDS = 20, WORDS = 600 };

typedef struct {
  pthread_t   thread;
  int         number;
  dart_gptr_t gptr;
} worker_t;

/* Puts, of all sizes, to all units; after the flush of its own context, and no other, gets find what was put. */
static void *work(void *data)
{
  worker_t      *w = data;
  dart_context_t context;
  int64_t        sent[WORDS], got[WORDS];

  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  for (int round = 0; round < test_rounds(ROUNDS); round++)
    for (int u = 0; u < n; u++) {
      dart_gptr_t at = test_at(test_unit(w->gptr, u), (size_t)((me * THREADS + w->number) * WORDS));
      size_t      count = round % 2 == 0 ? 1 + (size_t)round : WORDS;

      for (size_t i = 0; i < count; i++)
        sent[i] = (me * THREADS + w->number) * 100000 + round * 1000 + (int)i;
      EXPECT_OK(dart_context_enter(context));
      EXPECT_OK(dart_put(at, sent, count, T_INT64, T_INT64));
      EXPECT_OK(dart_context_flush(context));
      EXPECT_OK(dart_get(got, at, count, T_INT64, T_INT64));
      EXPECT_OK(dart_context_leave(context));
      EXPECT_OK(round % 4 < 2 ? dart_context_flush_unit(context, DART_TEAM_UNIT_ID(u))
                              : dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID(u)));
      EXPECT_BYTES(got, sent, count * sizeof *got);
    }
  EXPECT_OK(dart_context_destroy(&context));
  return NULL;
}

TEST(threads_complete_their_own)
{
  worker_t    worker[THREADS];
  dart_gptr_t gptr;

  test_init_threads();
  gptr = test_segment(DART_TEAM_ALL, (size_t)n * THREADS * WORDS * sizeof(int64_t), 0);
  for (int t = 0; t < THREADS; t++) {
    worker[t] = (worker_t){ .number = t, .gptr = gptr };
    EXPECT_EQ(pthread_create(&worker[t].thread, NULL, work, &worker[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(worker[t].thread, NULL);
  test_barrier();
}
