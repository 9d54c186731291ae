/* Several threads of a unit: statements P149 and P150. */
#include <pthread.h>
#include <stdlib.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(thread);

enum { THREADS = 4 };

typedef struct job {
  int                id;
  dart_gptr_t        table;
  dart_team_t        team;
  dart_lock_t        lock;
  dart_handle_t     *handles; /* one per thread */
  int64_t           *got;     /* one per thread */
  pthread_barrier_t *all;
} job_t;

static void run(void *(*work)(void *), job_t *jobs, int count)
{
  pthread_t thread[THREADS];

  for (int i = 0; i < count; i++)
    EXPECT_EQ(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
  for (int i = 0; i < count; i++)
    EXPECT_EQ(pthread_join(thread[i], NULL), 0);
}

/* Slot (writer unit, thread) of the table is its writer's; every unit has such a table. */
static dart_gptr_t slot(const job_t *job, int unit, int writer, int thread)
{
  return test_at(test_unit(job->table, unit), (size_t)(writer * THREADS + thread));
}

static void *put_and_get(void *argument)
{
  const job_t *job = argument;

  for (int round = 0; round < 100; round++) {
    int64_t     value = 1000000 * me + 1000 * job->id + round, got = -1;
    dart_gptr_t at = slot(job, (me + round) % n, me, job->id);

    test_note("thread %d, round %d", job->id, round);
    EXPECT_OK(dart_put(at, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(round % 2 == 0 ? dart_flush(at) : dart_flush_all(at));
    EXPECT_OK(dart_get(&got, at, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_local(at));
    EXPECT_EQ(got, value);
    EXPECT_OK(dart_put_blocking(at, &job->id, 1, DART_TYPE_INT, DART_TYPE_INT));
  }
  return NULL;
}

static void *add_up(void *argument)
{
  const job_t *job = argument;
  int64_t      one = 1, old = -1;

  for (int round = 0; round < 100; round++) {
    dart_gptr_t at = test_unit(job->table, (me + round) % n);

    EXPECT_OK(dart_accumulate(at, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(at, &one, &old, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(at));
    EXPECT_TRUE(old >= 0);
  }
  return NULL;
}

static void *allocate_locally(void *argument)
{
  const job_t *job = argument;

  for (int round = 0; round < 200; round++) {
    size_t        nbytes = 1 + (size_t)(job->id * 37 + round * 11) % 300;
    dart_gptr_t   block;
    unsigned char expected[301], *addr = NULL;

    EXPECT_OK(dart_memalloc(nbytes, DART_TYPE_BYTE, &block));
    EXPECT_OK(dart_gptr_getaddr(block, (void **)&addr));
    test_fill(addr, job->id, round, nbytes);
    test_fill(expected, job->id, round, nbytes);
    test_pause();
    EXPECT_BYTES(addr, expected, nbytes);
    EXPECT_OK(dart_memfree(block));
  }
  return NULL;
}

/* Each starts a get, and waits for that of the next thread. */
static void *wait_for_each_other(void *argument)
{
  job_t *job = argument;

  for (int round = 0; round < 50; round++) {
    int next = (job->id + 1) % THREADS, unit = (me + 1) % n;

    job->got[job->id] = -1;
    EXPECT_OK(dart_get_handle(&job->got[job->id], slot(job, unit, unit, job->id), 1, T_INT64,
                              T_INT64, &job->handles[job->id]));
    pthread_barrier_wait(job->all);
    EXPECT_OK(dart_wait(&job->handles[next]));
    EXPECT_EQ(job->got[next], 7000 * unit + next);
    pthread_barrier_wait(job->all);
  }
  return NULL;
}

static void run_jobs(void *(*work)(void *), job_t pattern)
{
  job_t jobs[THREADS];

  for (int i = 0; i < THREADS; i++) {
    jobs[i]    = pattern;
    jobs[i].id = i;
  }
  run(work, jobs, THREADS);
}

TEST(threads_put_and_get) /* P149 */
{
  test_init_threads();
  run_jobs(put_and_get, (job_t){ .table = test_segment(DART_TEAM_ALL,
                                                       (size_t)n * THREADS * sizeof(int64_t), 0) });
  test_barrier();
}

TEST(threads_add_up) /* P149 */
{
  dart_gptr_t cells;
  int64_t     mine, sum = -1;

  test_init_threads();
  cells = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  run_jobs(add_up, (job_t){ .table = cells });
  test_barrier();
  mine = *test_mine(cells);
  EXPECT_OK(dart_allreduce(&mine, &sum, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_EQ(sum, n * THREADS * 200);
}

TEST(threads_allocate_locally) /* P149 */
{
  test_init_threads();
  run_jobs(allocate_locally, (job_t){ .id = 0 });
}

TEST(threads_wait_for_each_others_handles) /* P149 */
{
  dart_handle_t     handles[THREADS] = { NULL };
  int64_t           got[THREADS];
  pthread_barrier_t all;
  job_t             job = { .handles = handles, .got = got, .all = &all };

  test_init_threads();
  job.table = test_segment(DART_TEAM_ALL, (size_t)n * THREADS * sizeof(int64_t), 0);
  for (int i = 0; i < THREADS; i++)
    test_mine(job.table)[me * THREADS + i] = 7000 * me + i;
  test_barrier();
  EXPECT_EQ(pthread_barrier_init(&all, NULL, THREADS), 0);
  run_jobs(wait_for_each_other, job);
  test_barrier();
  pthread_barrier_destroy(&all);
}

/* ---- Teams at the same time ------------------------------------------------------------------ */

static void *work_on_a_team(void *argument)
{
  const job_t *job  = argument;
  int          self = test_team_me(job->team), size = test_team_size(job->team);

  for (int round = 0; round < 30; round++) {
    int64_t     value = 1000 * round + self, got = -1, buffer[2] = { 5000 + self, round };
    int         sum = -1;
    dart_gptr_t segment, registered;

    test_note("team %d, round %d", job->team, round);
    EXPECT_OK(dart_team_memalloc_aligned(job->team, 10, T_INT64, &segment));
    EXPECT_OK(dart_team_memregister(job->team, 2, T_INT64, buffer, &registered));
    EXPECT_OK(
        dart_put_blocking(test_unit(segment, (self + 1) % size), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_barrier(job->team));
    EXPECT_EQ(*test_mine(segment), 1000 * round + (self + size - 1) % size);
    EXPECT_OK(
        dart_get_blocking(&got, test_unit(registered, (self + 1) % size), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 5000 + (self + 1) % size);
    EXPECT_OK(dart_allreduce(&self, &sum, 1, DART_TYPE_INT, DART_OP_SUM, job->team));
    EXPECT_EQ(sum, size * (size - 1) / 2);
    EXPECT_OK(dart_team_memderegister(registered));
    EXPECT_OK(dart_team_memfree(segment));
  }
  return NULL;
}

TEST_N(4, threads_work_on_two_teams) /* P150: every unit is in both */
{
  job_t jobs[2] = { { .id = 0 }, { .id = 1 } };

  test_init_threads();
  jobs[0].team = test_split(DART_TEAM_ALL, 2);
  jobs[1].team = test_split(DART_TEAM_ALL, 1);
  run(work_on_a_team, jobs, 2);
}

static void *count_under_lock(void *argument)
{
  const job_t *job = argument;

  for (int round = 0; round < 50; round++) {
    int64_t value = -1;

    EXPECT_OK(dart_lock_acquire(job->lock));
    EXPECT_OK(dart_get_blocking(&value, job->table, 1, T_INT64, T_INT64));
    value++;
    EXPECT_OK(dart_put_blocking(job->table, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_release(job->lock));
  }
  return NULL;
}

TEST(a_lock_excludes_threads_of_one_unit) /* P150 */
{
  job_t   job     = { .id = 0 };
  int64_t counted = -1;

  test_init_threads();
  job.table = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &job.lock));
  run_jobs(count_under_lock, job);
  test_barrier();
  EXPECT_OK(dart_get_blocking(&counted, job.table, 1, T_INT64, T_INT64));
  EXPECT_EQ(counted, 50 * THREADS * n);
  test_barrier();
  EXPECT_OK(dart_team_lock_destroy(&job.lock));
}

/* What a thread finds that held the lock before, while other threads of the unit take it and give it
 * back: it is refused nothing that is its own, and given nothing that is not. */
static void *hold_in_turns(void *argument)
{
  job_t  *job = argument;
  int32_t taken;

  for (int round = 0; round < 20; round++) {
    EXPECT_INVAL(dart_lock_release(job->lock));
    EXPECT_OK(dart_lock_try_acquire(job->lock, &taken));
    if (!taken)
      EXPECT_OK(dart_lock_acquire(job->lock));
    EXPECT_INVAL(dart_lock_try_acquire(job->lock, &taken));
    EXPECT_OK(dart_lock_release(job->lock));
  }
  return NULL;
}

TEST(a_lock_knows_which_thread_holds_it)
{
  job_t job = { .id = 0 };

  test_init_threads();
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &job.lock));
  run_jobs(hold_in_turns, job);
  test_barrier();
  EXPECT_OK(dart_team_lock_destroy(&job.lock));
}
