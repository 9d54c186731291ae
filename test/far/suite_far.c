/* Operations on memory of other nodes, under every setting that decides how they travel: the kind of
 * window, who makes progress, what is collected.
 *
 * The same promises are checked under each. Settings are read at dart_init, so each test starts and
 * ends outside. Values tell who wrote them and when; targets are far wherever there are nodes to be
 * far from. DART_TEST_UPDATES sets how many updates contend for one word, and with it how many go to many words, for
 * longer runs, or shorter ones where each waits for a call of MPI. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_notify.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(far);

enum { UPDATES = 4000, MOST_WORDS = 512 };

/* ---- the frame --------------------------------------------------------------------------- */

typedef struct setting {
  const char *name, *value;
} setting_t;

static dart_gptr_t segment(size_t nbytes, int fill)
{
  dart_gptr_t gptr;
  void       *mine;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr));
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), &mine));
  memset(mine, fill, nbytes);
  test_barrier();
  return gptr;
}

static void *mine_of(dart_gptr_t gptr)
{
  void *mine;

  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), &mine));
  return mine;
}

static void end(dart_gptr_t gptr)
{
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
}

static long updates(void)
{
  const char *text = getenv("DART_TEST_UPDATES");

  return text != NULL ? atol(text) : UPDATES;
}

static void sleep_ms(long ms)
{
  struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

  nanosleep(&time, NULL);
}

/* ---- promises ---------------------------------------------------------------------------- */

/* Every unit adds to one word in every way there is; all at the same time. */
static void no_update_is_lost(void)
{
  dart_gptr_t word = segment(sizeof(long), 0);
  long        one = 1, count = updates() / n, old, next, seen = 0;

  for (long i = 0; i < count; i++)
    switch (i % 4) {
    case 0:
    case 1: EXPECT_OK(dart_accumulate(word, &one, 1, DART_TYPE_LONG, DART_OP_SUM)); break;
    case 2:
      EXPECT_OK(dart_fetch_and_op(word, &one, &old, DART_TYPE_LONG, DART_OP_SUM));
      EXPECT_OK(dart_flush(word));
      EXPECT_TRUE(old >= seen); /* it only grows, and own updates come in order */
      seen = old;
      break;
    default:
      do {
        EXPECT_OK(dart_fetch_and_op(word, NULL, &old, DART_TYPE_LONG, DART_OP_NO_OP));
        EXPECT_OK(dart_flush_local(word));
        next = old + 1;
        EXPECT_OK(dart_compare_and_swap(word, &next, &old, &seen, DART_TYPE_LONG));
        EXPECT_OK(dart_flush_local(word));
      } while (seen != old);
      break;
    }
  EXPECT_OK(dart_flush(word));
  test_barrier();
  if (me == 0)
    EXPECT_EQ(*(long *)mine_of(word), count * n);
  end(word);
}

/* Sizes on both sides of every threshold. */
static const size_t sizes[] = { 1, 2, 7, 8, 9, 255, 256, 257, 1023, 1024, 1025, 5000 };
enum { SIZES = sizeof sizes / sizeof *sizes, ROOM = 16384 };

static void puts_are_visible_after_a_flush(void)
{
  dart_gptr_t   base = segment(ROOM, 0xee), right = test_unit(base, (me + 1) % n);
  int           left = (me + n - 1) % n;
  unsigned char data[ROOM], *at = mine_of(base);
  size_t        offset = 8;

  test_fill(data, me, 1, sizeof data);
  for (int i = 0; i < SIZES; i++) {
    EXPECT_OK(dart_put(test_byte(right, offset), data + offset, sizes[i], DART_TYPE_BYTE,
                       DART_TYPE_BYTE));
    offset += sizes[i] + 8;
  }
  EXPECT_OK(dart_flush(right));
  test_barrier();
  test_fill(data, left, 1, sizeof data);
  offset = 8;
  for (int i = 0; i < SIZES; i++) {
    EXPECT_BYTES(at + offset, data + offset, sizes[i]);
    EXPECT_FILLED(at + offset + sizes[i], 0xee, 8);
    offset += sizes[i] + 8;
  }
  end(base);
}

/* The source is overwritten as soon as it may be, and what was got is looked at as soon as it may. */
static void buffers_are_free_after_local_completion(void)
{
  dart_gptr_t   base = segment(ROOM, me), to = test_unit(base, (me + 1) % n);
  unsigned char source[5000], got[5000], expected[5000];

  for (int i = 0; i < SIZES; i++) {
    test_note("%zu bytes", sizes[i]);
    test_fill(source, me, i, sizes[i]);
    memcpy(expected, source, sizes[i]);
    EXPECT_OK(dart_put(to, source, sizes[i], DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush_local(to));
    memset(source, 0xdd, sizes[i]);
    EXPECT_OK(dart_flush(to));
    memset(got, 0, sizes[i]);
    EXPECT_OK(dart_get(got, to, sizes[i], DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush_local(to));
    EXPECT_BYTES(got, expected, sizes[i]);
    memset(got, 0, sizes[i]);
    EXPECT_OK(dart_get_blocking(got, to, sizes[i], DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_BYTES(got, expected, sizes[i]);
  }
  end(base);
}

/* What was got is there after a local flush, whatever was put to the unit since; and sources of puts are
 * free, whatever else was put. */
static void a_local_flush_completes_what_came_before_a_put(void)
{
  enum { MOST = 40000, ELEMS = 64 };
  dart_gptr_t     base = segment(2 * MOST, 0x40 + me), to = test_unit(base, (me + 1) % n);
  dart_gptr_t     into = test_byte(to, MOST);
  static char     got[MOST], sent[MOST];
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  for (int i = 0; i < 24; i++) {
    size_t        nbytes     = i % 3 == 0 ? 8 : i % 3 == 1 ? 1024 : MOST;
    bool          contiguous = i / 3 % 2 == 0;
    dart_handle_t handle     = DART_HANDLE_NULL;

    test_note("%zu bytes, then a %s put, form %d", nbytes, contiguous ? "contiguous" : "strided",
              i / 6);
    memset(got, 0, nbytes);
    if (i / 6 == 3)
      EXPECT_OK(dart_get_handle(got, to, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle));
    else
      EXPECT_OK(dart_get(got, to, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
    memset(sent, i, sizeof sent);
    EXPECT_OK(dart_put(into, sent, MOST / 2, DART_TYPE_BYTE, DART_TYPE_BYTE));
    if (contiguous)
      EXPECT_OK(dart_put(test_byte(into, MOST / 2), sent, ELEMS, DART_TYPE_INT, DART_TYPE_INT));
    else
      EXPECT_OK(dart_put(test_byte(into, MOST / 2), sent, ELEMS, strided, DART_TYPE_INT));
    EXPECT_OK(i / 6 == 1   ? dart_flush_local_all(base)
              : i / 6 == 2 ? dart_flush(to)
                           : dart_flush_local(to));
    EXPECT_FILLED(got, 0x40 + (me + 1) % n, nbytes);
    memset(sent, 0xdd, sizeof sent);
    EXPECT_OK(dart_wait_local(&handle));
    EXPECT_OK(dart_flush(to));
    EXPECT_OK(dart_get_blocking(got, into, MOST / 2 + ELEMS, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_FILLED(got, i, MOST / 2 + ELEMS);
  }
  EXPECT_OK(dart_type_destroy(&strided));
  end(base);
}

/* More than any queue holds, to all units in turn, completed by one flush. */
static void many_small_ones_need_one_flush(void)
{
  int         words  = updates() < UPDATES ? (int)(MOST_WORDS * updates() / UPDATES) : MOST_WORDS;
  dart_gptr_t base   = segment((size_t)words * sizeof(long), 0);
  long       *at     = mine_of(base), got[MOST_WORDS];
  const long  one    = 1;
  int         rounds = 4 * n;

  for (int i = 0; i < words * rounds; i++) {
    int         unit = i % n, word = i / n % words;
    dart_gptr_t to = test_byte(test_unit(base, unit), (uint64_t)word * sizeof(long));

    if (i % 2 == 0) {
      EXPECT_OK(dart_accumulate(to, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
    } else {
      long value = 1;

      EXPECT_OK(dart_accumulate_blocking_local(to, &value, 1, DART_TYPE_LONG, DART_OP_SUM));
      value = -1;
    }
  }
  EXPECT_OK(dart_flush_all(base));
  test_barrier();
  for (int i = 0; i < words; i++)
    EXPECT_EQ(at[i], 4 * n);
  for (int u = 0; u < n; u++) {
    for (int i = 0; i < words; i++)
      EXPECT_OK(dart_get(&got[i], test_byte(test_unit(base, u), (uint64_t)i * sizeof(long)), 1,
                         DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_OK(dart_flush_local_all(base));
    for (int i = 0; i < words; i++)
      EXPECT_EQ(got[i], 4 * n);
  }
  end(base);
}

/* Puts, gets and atomics of all kinds and sizes in any order; each unit has a column of its own in
 * everyone's memory, so that it knows what must be there. */
static void random_mixtures_come_out_right(void)
{
  enum { COLUMN = 4096, STEPS = 400 };
  dart_gptr_t    base     = segment((size_t)n * COLUMN, 0);
  unsigned char *expected = calloc((size_t)n, COLUMN), *got = calloc(1, COLUMN);
  test_random_t  random = { 4711 + (uint64_t)me };

  for (int i = 0; i < STEPS && expected != NULL && got != NULL; i++) {
    int            unit   = (int)(test_random(&random) % (uint64_t)n);
    size_t         nbytes = 1 + test_random(&random) % (i % 5 == 0 ? 3000 : 300);
    size_t         offset = test_random(&random) % (COLUMN - nbytes);
    unsigned char *here   = expected + (size_t)unit * COLUMN + offset, data[3000];
    dart_gptr_t    to     = test_byte(test_unit(base, unit), (uint64_t)me * COLUMN + offset);

    test_fill(data, me, i, nbytes);
    if (i % 3 == 0) { /* atomics must not meet puts that are not complete: everything is, here */
      for (size_t k = 0; k < nbytes; k++)
        here[k] ^= data[k];
      EXPECT_OK(dart_accumulate_blocking_local(to, data, nbytes, DART_TYPE_BYTE, DART_OP_BXOR));
    } else {
      memcpy(here, data, nbytes);
      EXPECT_OK(dart_put(to, data, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
    }
    EXPECT_OK(i % 7 == 0 ? dart_flush_all(base) : dart_flush(to));
    EXPECT_OK(dart_get(got, to, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(i % 2 == 0 ? dart_flush_local(to) : dart_flush_local_all(base));
    EXPECT_BYTES(got, here, nbytes);
  }
  test_barrier();
  for (int u = 0; u < n && expected != NULL && got != NULL; u++) {
    EXPECT_OK(dart_get_blocking(got, test_byte(test_unit(base, u), (uint64_t)me * COLUMN), COLUMN,
                                DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_BYTES(got, expected + (size_t)u * COLUMN, COLUMN);
  }
  free(expected);
  free(got);
  end(base);
}

/* Unit 0 looks at a word that another unit changes, in halves that must always be equal. */
static void words_come_in_one_piece(void)
{
  dart_gptr_t word = segment(2 * sizeof(uint64_t), 0);
  uint64_t    value, seen = 0;

  if (n > 1 && me == n - 1)
    for (uint64_t i = 1; i <= 500; i++) {
      value = i << 32 | i;
      EXPECT_OK(dart_put(word, &value, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      EXPECT_OK(dart_flush(word));
    }
  else if (n > 1 && me == 0)
    do {
      EXPECT_OK(dart_get_blocking(&seen, word, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      EXPECT_EQ(seen >> 32, seen & 0xffffffff);
      test_pause();
    } while (seen >> 32 != 500);
  end(word);
}

/* Everyone wants something of unit 0, which stays away for a while. */
static void a_sleeping_target_holds_up_but_loses_nothing(void)
{
  dart_gptr_t base = segment((size_t)(n + 1) * sizeof(long), 0);
  dart_gptr_t own  = test_byte(base, (uint64_t)(me + 1) * sizeof(long));
  long        one = 1, old = -1, value = 100 + me, got = -1;

  if (me == 0) {
    sleep_ms(150);
  } else {
    EXPECT_OK(dart_put(own, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_OK(dart_fetch_and_op(base, &one, &old, DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_flush(base));
    EXPECT_TRUE(old >= 0 && old < n - 1);
    EXPECT_OK(dart_get_blocking(&got, own, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_EQ(got, value);
  }
  test_barrier();
  if (me == 0) {
    long *at = mine_of(base);

    EXPECT_EQ(at[0], n - 1);
    for (int u = 1; u < n; u++)
      EXPECT_EQ(at[u + 1], 100 + u);
  }
  end(base);
}

/* Each unit waits for its left neighbour's word by loads, which make no progress: the agent has
 * to. What is put is not flushed before it was seen either, so the agent sends it, too. */
static void an_agent_serves_units_that_compute(void)
{
  dart_gptr_t    base = segment(2 * sizeof(long), 0), right = test_unit(base, (me + 1) % n);
  long           value = 7 + me, one = 1;
  volatile long *at = mine_of(base);

  EXPECT_OK(dart_put(test_byte(right, sizeof(long)), &one, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  if (test_has_agent()) {
    while (__atomic_load_n(&at[1], __ATOMIC_ACQUIRE) != 1)
      test_pause();
    EXPECT_OK(dart_accumulate(right, &value, 1, DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_flush(right));
    while (__atomic_load_n(&at[0], __ATOMIC_ACQUIRE) == 0)
      test_pause();
    EXPECT_EQ(at[0], 7 + (me + n - 1) % n);
  }
  EXPECT_OK(dart_flush(right));
  end(base);
}

/* Units tell each other several things at a time, and are expected to go on so. Then they tell only
 * one, and look for it by loads: the agent sends what was held back. */
static void an_agent_sends_notifications_that_were_held_back(void)
{
  enum { ROUNDS = 4, MANY = 3 };
  dart_gptr_t        base = segment(sizeof(uint64_t), 0), right = test_unit(base, (me + 1) % n);
  volatile uint64_t *count = mine_of(base);

  for (uint64_t round = 1; round <= ROUNDS; round++) {
    for (int i = 0; i < MANY; i++)
      EXPECT_OK(dart_notify(right, 1));
    EXPECT_OK(dart_notify_wait(test_unit(base, me), round * MANY, -1));
  }
  EXPECT_OK(dart_notify(right, 1));
  while (test_has_agent() && __atomic_load_n(count, __ATOMIC_ACQUIRE) != ROUNDS * MANY + 1)
    test_pause();
  EXPECT_OK(dart_flush(right));
  end(base);
}

/* Unit 0 leaves at once; the others still work on its memory. */
static void a_unit_may_leave_early(void)
{
  dart_gptr_t word = segment(sizeof(long), 0);
  long        one = 1, old = -1;

  if (me != 0) {
    for (int i = 0; i < 50; i++)
      EXPECT_OK(dart_accumulate(word, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
    sleep_ms(20);
    EXPECT_OK(dart_fetch_and_op(word, &one, &old, DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_flush(word));
    EXPECT_TRUE(old >= 50 && old < 51 * (n - 1));
  }
}

/* NULL: as it was. */
static void set(const setting_t *setting, const char *value)
{
  if (strcmp(setting->name, "DART_NET") == 0)
    test_set_net(value);
  else if (value != NULL)
    setenv(setting->name, value, 1);
  else
    unsetenv(setting->name);
}

static void run_with(const setting_t *settings, int count)
{
  for (int i = 0; i < count; i++)
    set(&settings[i], settings[i].value);
  test_init();
  no_update_is_lost();
  puts_are_visible_after_a_flush();
  buffers_are_free_after_local_completion();
  a_local_flush_completes_what_came_before_a_put();
  many_small_ones_need_one_flush();
  random_mixtures_come_out_right();
  words_come_in_one_piece();
  a_sleeping_target_holds_up_but_loses_nothing();
  an_agent_serves_units_that_compute();
  an_agent_sends_notifications_that_were_held_back();
  a_unit_may_leave_early();
  EXPECT_OK(dart_exit());
  for (int i = 0; i < count; i++)
    set(&settings[i], NULL);
}

#define RUN_WITH(...)                                              \
  do {                                                             \
    static const setting_t settings[] = { __VA_ARGS__ };           \
                                                                   \
    run_with(settings, (int)(sizeof settings / sizeof *settings)); \
  } while (0)

/* The one with an agent comes first: it is then that MPI is started, with threads. */
TEST(dynamic_windows_and_an_agent)
{
  RUN_WITH({ "DART_NET", "software" }, { "DART_PROGRESS", "thread" });
}

TEST(static_windows_and_an_agent)
{
  RUN_WITH({ "DART_NET", "rdma" }, { "DART_PROGRESS", "thread" });
}

TEST(dynamic_windows_without_an_agent)
{
  RUN_WITH({ "DART_NET", "software" }, { "DART_PROGRESS", "none" });
}

TEST(static_windows_and_nothing_collected)
{
  RUN_WITH({ "DART_NET", "rdma" }, { "DART_PROGRESS", "none" }, { "DART_AGGREGATE", "0" });
}

TEST(much_collected_without_an_agent)
{
  RUN_WITH({ "DART_PROGRESS", "none" }, { "DART_AGGREGATE", "1024" });
}

TEST(an_agent_that_looks_often)
{
  RUN_WITH({ "DART_PROGRESS", "thread" }, { "DART_TEST_AGENT_NAP", "40" });
}

/* ---- threads ----------------------------------------------------------------------------- */

enum { THREADS = 4 };

typedef struct job {
  dart_gptr_t base;
  int         id;
} job_t;

/* A place of its own on every unit; what was put is got back, while others start and flush. */
static void *put_and_get(void *argument)
{
  const job_t *job = argument;

  for (int round = 0; round < 200; round++) {
    dart_gptr_t at    = test_byte(test_unit(job->base, (me + round) % n),
                                  (uint64_t)(me * THREADS + job->id) * sizeof(int64_t));
    int64_t     value = 1000 * me + 100000 * job->id + round, got = -1;

    EXPECT_OK(dart_put(at, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(round % 2 == 0 ? dart_flush(at) : dart_flush_all(at));
    EXPECT_OK(dart_get(&got, at, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_local(at));
    EXPECT_EQ(got, value);
  }
  return NULL;
}

TEST(threads_do_not_flush_each_others_transfers_away)
{
  dart_thread_support_level_t level = DART_THREAD_SINGLE;
  dart_global_unit_t          unit;
  size_t                      size;
  pthread_t                   threads[THREADS];
  job_t                       jobs[THREADS];
  dart_gptr_t                 base;

  test_set_net("rdma");
  setenv("DART_AGGREGATE", "0", 1);
  EXPECT_OK(dart_init_thread(NULL, NULL, &level));
  EXPECT_OK(dart_myid(&unit));
  EXPECT_OK(dart_size(&size));
  me   = unit.id;
  n    = (int)size;
  base = segment((size_t)n * THREADS * sizeof(int64_t), 0);
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job_t){ base, i };
    if (level != DART_THREAD_MULTIPLE)
      put_and_get(&jobs[i]);
    else
      EXPECT_EQ(pthread_create(&threads[i], NULL, put_and_get, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS && level == DART_THREAD_MULTIPLE; i++)
    EXPECT_EQ(pthread_join(threads[i], NULL), 0);
  end(base);
  EXPECT_OK(dart_exit());
  test_set_net(NULL);
  unsetenv("DART_AGGREGATE");
}

/* Requests of all kinds, in both directions, until the very end: no answer may arrive in the next cycle,
 * where it would be taken for another one's. */
TEST(cycles_hear_nothing_of_each_other)
{
  for (int cycle = 0; cycle < 15; cycle++) {
    dart_gptr_t base, right, left;
    uint64_t    one = 1, old;

    test_init();
    base  = segment(2 * sizeof(uint64_t), 0);
    right = test_unit(base, (me + 1) % n);
    left  = test_unit(base, (me + n - 1) % n);
    for (uint64_t i = 1; i <= 40; i++) {
      EXPECT_OK(dart_notify(right, 1));
      EXPECT_OK(dart_accumulate(test_byte(left, sizeof one), &one, 1, T_INT64, DART_OP_SUM));
      if (i % 3 == 0)
        EXPECT_OK(dart_notify_wait(test_unit(base, me), i, -1));
      if (i % 10 == 0)
        EXPECT_OK(dart_fetch_and_op(test_byte(left, sizeof one), &one, &old, T_INT64, DART_OP_SUM));
      if (i % 20 == 0)
        EXPECT_OK(dart_flush(left));
    }
    EXPECT_OK(dart_notify_wait(test_unit(base, me), 40, -1));
    for (int i = 0; i < cycle % 12; i++) /* so that the last batch has any number */
      EXPECT_OK(dart_notify(right, 1));
    EXPECT_OK(dart_exit());
  }
}

/* Agents come and go. */
TEST(the_agent_ends_with_every_cycle)
{
  for (int i = 0; i < 20; i++) {
    test_init();
    EXPECT_OK(dart_exit());
    EXPECT_TRUE(!test_has_agent());
  }
}
