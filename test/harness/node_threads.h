#ifndef NODE_THREADS_H
#define NODE_THREADS_H
/* What the tests of waiting, barrier, exchange and mutex share: the ways to wait, threads and
 * processes that run one body, and an alarm, for a wake-up that is lost is a test that never ends.
 *
 * The data that threads hand to one another is plain: under ThreadSanitizer a missing order between
 * writer and reader is a race. Nothing here orders the threads between start and end. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sanitizer.h"
#include "wait/wait.h"

enum { TEST_MOST_THREADS = 8 };

static const uint32_t test_thread_counts[] = { 2, 3, 8 };

#define TEST_FOR_THREADS(n)                                                               \
  for (uint32_t i_ = 0, n; i_ < sizeof test_thread_counts / sizeof *test_thread_counts && \
                           (n = test_thread_counts[i_], true);                            \
       i_++)

static void test_progress(void)
{
}

/* Always asleep, hardly spinning, spinning; alone and with other nodes. Only without progress does
 * a sleeper depend on being woken. The last ones yield before: long, and hardly. */
#define TEST_PACE(...)                 \
  {                                    \
    .pace = &(const dart__wait_pace_t) \
    {                                  \
      __VA_ARGS__                      \
    }                                  \
  }

static const dart__wait_policy_t test_policies[] = {
  TEST_PACE(.spins = 0),
  TEST_PACE(.spins = 50),
  TEST_PACE(.spins = 4000),
  TEST_PACE(.spins = 0, .nap_us = 100, .progress = test_progress),
  TEST_PACE(.spins = 50, .nap_us = 100, .progress = test_progress),
  TEST_PACE(.spins = 4000, .nap_us = 100, .progress = test_progress),
  TEST_PACE(.spins = 50, .yield_us = 1000),
  TEST_PACE(.spins = 0, .yield_us = 1)
};

#define TEST_FOR_POLICIES(policy)                         \
  for (const dart__wait_policy_t *policy = test_policies; \
       policy < test_policies + sizeof test_policies / sizeof *test_policies; policy++)

/* Who spins while others need the core spins its time slices away: fewer rounds show as much. AddressSanitizer looks
 * for what a few rounds do. ThreadSanitizer sees most races whatever the interleaving: unless all tests run, it has a
 * third of the rounds. The interleavings of many are looked for without both. */
static inline uint32_t test_rounds(const dart__wait_policy_t *policy, uint32_t n, uint32_t most)
{
#if DART__ASAN
  most /= 3;
#elif DART__TSAN
  if (getenv("DART_TEST_ALL") == NULL)
    most /= 3;
#endif
  return n > 2 && policy->pace->spins > 1000 ? most / 10 : most;
}

/* --- Checks that any thread may make --- */

static _Atomic int test_failed_line; /* the first one; 0: none */

/* relaxed: it must not order the threads */
#define CHECK(condition)                                                                   \
  do {                                                                                     \
    int none_ = 0;                                                                         \
                                                                                           \
    if (!(condition))                                                                      \
      atomic_compare_exchange_strong_explicit(&test_failed_line, &none_, __LINE__,         \
                                              memory_order_relaxed, memory_order_relaxed); \
  } while (0)

static inline void test_expect_no_failure(const dart__wait_policy_t *policy, uint32_t nthreads)
{
  int line = atomic_exchange(&test_failed_line, 0);

  if (line != 0)
    fail_msg("check in line %d, %u threads, %u spins%s", line, nthreads, policy->pace->spins,
             policy->pace->progress != NULL ? ", progress" : "");
}

/* --- The alarm --- */

static inline void test_hung(int signal_number)
{
  static const char text[] = "a wait never ended\n";

  (void)signal_number;
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
    _exit(2);
  _exit(1);
}

/* Ends the calling process where it hangs, before CTest loses patience. */
static inline void test_watch(void)
{
  const char *seconds = getenv("DART_TEST_TIMEOUT");

  signal(SIGALRM, test_hung);
  alarm(seconds != NULL ? (unsigned)atoi(seconds) : 100);
}

/* --- Threads and processes --- */

/* `me` of `n` bodies over the same `shared`. */
typedef void test_body_t(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy);

typedef struct {
  test_body_t               *body;
  uint32_t                   me, n;
  void                      *shared;
  const dart__wait_policy_t *policy;
  pthread_barrier_t         *start;
} test_thread_t;

static inline void *test_thread(void *argument)
{
  test_thread_t *thread = argument;

  pthread_barrier_wait(thread->start);
  thread->body(thread->me, thread->n, thread->shared, thread->policy);
  return NULL;
}

static inline void test_threads(uint32_t n, test_body_t *body, void *shared,
                                const dart__wait_policy_t *policy)
{
  pthread_barrier_t start;
  pthread_t         id[TEST_MOST_THREADS];
  test_thread_t     threads[TEST_MOST_THREADS];

  assert_int_equal(pthread_barrier_init(&start, NULL, n), 0);
  for (uint32_t me = 0; me < n; me++) {
    threads[me] = (test_thread_t){ body, me, n, shared, policy, &start };
    assert_int_equal(pthread_create(&id[me], NULL, test_thread, &threads[me]), 0);
  }
  for (uint32_t me = 0; me < n; me++)
    assert_int_equal(pthread_join(id[me], NULL), 0);
  pthread_barrier_destroy(&start);
  test_expect_no_failure(policy, n);
}

/* The same between processes; `shared` comes from test_share. */
static inline void test_processes(uint32_t n, test_body_t *body, void *shared,
                                  const dart__wait_policy_t *policy)
{
  pid_t id[TEST_MOST_THREADS];
  int   status;

  for (uint32_t me = 0; me < n; me++) {
    id[me] = fork();
    assert_true(id[me] >= 0);
    if (id[me] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      test_watch();
      body(me, n, shared, policy);
      _exit(atomic_load(&test_failed_line) != 0);
    }
  }
  for (uint32_t me = 0; me < n; me++) {
    assert_int_equal(waitpid(id[me], &status, 0), id[me]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

/* Zeroed memory that processes share. */
static inline void *test_share(size_t nbytes)
{
  void *memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  assert_true(memory != MAP_FAILED);
  return memory;
}

/* --- Disorder --- */

static inline uint32_t test_random(uint32_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Now and then come late, so that others sleep; `state` starts not 0. */
static inline void test_dawdle(uint32_t *state)
{
  uint32_t what = test_random(state) % 64;

  if (what == 0)
    usleep(200);
  else if (what < 8)
    sched_yield();
  else
    for (uint32_t i = 0; i < what * 4; i++)
      dart__cpu_pause();
}

#endif
