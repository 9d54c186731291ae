/* Messages of several threads at once, and of one cycle of init and exit after another: from the first init on
 * with threads, for MPI starts only once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_message.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(twosided_threads);

enum { THREADS = 4, GUARD = 16 };

static dart_global_unit_t unit(int id)
{
  return (dart_global_unit_t){ (id % n + n) % n };
}

typedef struct worker {
  pthread_t thread;
  int       number;
  void     *shared;
} worker_t;

static void run_threads(void *(*run)(void *), void *shared)
{
  worker_t worker[THREADS];

  for (int t = 0; t < THREADS; t++) {
    worker[t] = (worker_t){ .number = t, .shared = shared };
    EXPECT_EQ(pthread_create(&worker[t].thread, NULL, run, &worker[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(worker[t].thread, NULL);
}

/* ---- A tag for each thread ------------------------------------------------------------------- */

static void *pass_round(void *argument)
{
  static const size_t sizes[] = { 1, 1000, 70000, 262144, 400000, 8 };
  const worker_t     *w       = argument;

  for (int round = 0; round < 24; round++) {
    size_t nbytes = sizes[(size_t)(round + w->number) % 6];
    int    from   = unit(me - 1).id;
    char  *sent = malloc(nbytes), *got = malloc(nbytes + GUARD), *expected = malloc(nbytes);

    test_note("thread %d, round %d", w->number, round);
    test_fill(sent, me + 10 * w->number, round, nbytes);
    test_fill(expected, from + 10 * w->number, round, nbytes);
    memset(got, 0x5a, nbytes + GUARD);
    EXPECT_OK(dart_sendrecv(sent, nbytes, DART_TYPE_BYTE, w->number, unit(me + 1), got, nbytes,
                            DART_TYPE_BYTE, w->number, unit(from)));
    EXPECT_BYTES(got, expected, nbytes);
    EXPECT_FILLED(got + nbytes, 0x5a, GUARD);
    free(sent);
    free(got);
    free(expected);
  }
  return NULL;
}

TEST(threads_with_tags_of_their_own)
{
  test_init_threads();
  run_threads(pass_round, NULL);
}

/* ---- One tag for all ------------------------------------------------------------------------- */

enum { COUNT = 200 }; /* received by each thread */

typedef struct shared {
  bool        is_any;                 /* the sender is not named */
  _Atomic int times[COUNT * THREADS]; /* message → how often it was received */
} shared_t;

/* Some are long enough to travel in pieces. */
static size_t length_of(int message)
{
  return message % 50 == 7 ? 300000 : 8;
}

static void *receive_any(void *argument)
{
  const worker_t *w      = argument;
  shared_t       *shared = w->shared;
  char           *got = malloc(300000), *expected = malloc(300000);
  int             last = -1;

  for (int i = 0; i < COUNT; i++) {
    dart_message_t found   = { unit(me), 0, 0 };
    int            message = -1;

    if (shared->is_any)
      EXPECT_OK(dart_recv_any(got, 300000, DART_TYPE_BYTE, DART_GLOBAL_UNIT_ANY, 5, &found));
    else
      EXPECT_OK(dart_recv(got, 300000, DART_TYPE_BYTE, 5, unit(me - 1)));
    memcpy(&message, got, sizeof message);
    if (!EXPECT_TRUE(message > last && message < COUNT * THREADS)) /* in the order sent */
      continue;
    last = message;
    atomic_fetch_add(&shared->times[message], 1);
    test_fill(expected, unit(me - 1).id, message, length_of(message));
    EXPECT_BYTES(got + sizeof message, expected + sizeof message,
                 length_of(message) - sizeof message);
    EXPECT_TRUE(!shared->is_any || found.nbytes == length_of(message));
  }
  free(got);
  free(expected);
  return NULL;
}

static void *send_all(void *argument)
{
  char *sent = malloc(300000);

  for (int message = 0; message < COUNT * THREADS; message++) {
    test_fill(sent, me, message, length_of(message));
    memcpy(sent, &message, sizeof message);
    EXPECT_OK(dart_send(sent, length_of(message), DART_TYPE_BYTE, 5, unit(me + 1)));
  }
  free(sent);
  return argument;
}

static void receive_the_same(bool is_any)
{
  shared_t *shared = calloc(1, sizeof *shared);
  pthread_t sender;

  shared->is_any = is_any;
  EXPECT_EQ(pthread_create(&sender, NULL, send_all, NULL), 0);
  run_threads(receive_any, shared);
  pthread_join(sender, NULL);
  for (int message = 0; message < COUNT * THREADS; message++) {
    test_note("message %d", message);
    EXPECT_EQ(atomic_load(&shared->times[message]), 1);
  }
  free(shared);
}

TEST(threads_that_receive_the_same) /* each message goes to one of them */
{
  test_init_threads();
  receive_the_same(false);
  receive_the_same(true);
}

/* ---- A thread that waits --------------------------------------------------------------------- */

static void *receive_one(void *argument)
{
  int64_t got = -1;

  EXPECT_OK(dart_recv(&got, 1, T_INT64, 6, unit(me)));
  *(int64_t *)argument = got;
  return NULL;
}

TEST(one_thread_waits_for_another_of_its_unit) /* which is in other calls meanwhile */
{
  int64_t   got = -1, value = 1000 + me, other;
  pthread_t waiting;

  test_init_threads();
  value = 1000 + me;
  EXPECT_EQ(pthread_create(&waiting, NULL, receive_one, &got), 0);
  for (int round = 0; round < 100; round++) {
    EXPECT_OK(
        dart_sendrecv(&value, 1, T_INT64, 7, unit(me + 1), &other, 1, T_INT64, 7, unit(me - 1)));
    EXPECT_EQ(other, 1000 + unit(me - 1).id);
  }
  usleep(1000); /* most likely it sleeps now */
  EXPECT_OK(dart_send(&value, 1, T_INT64, 6, unit(me)));
  pthread_join(waiting, NULL);
  EXPECT_EQ(got, 1000 + me);
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

TEST(messages_do_not_outlive_their_cycle) /* those that nobody received */
{
  for (int64_t cycle = 0; cycle < 3; cycle++) {
    test_init_threads();
    for (int to = 0; to < n; to++) {
      for (int64_t i = 0; i < 10; i++) {
        int64_t value = 1000 * cycle + 100 * i + me;

        EXPECT_OK(dart_send(&value, 1, T_INT64, 3, unit(to)));
      }
    }
    for (int from = 0; from < n; from++) {
      for (int64_t i = 0; i < 4; i++) { /* the rest stays */
        int64_t value = -1;

        EXPECT_OK(dart_recv(&value, 1, T_INT64, 3, unit(from)));
        EXPECT_EQ(value, 1000 * cycle + 100 * i + from);
      }
    }
    EXPECT_OK(dart_exit());
  }
}
