/* dart/ext/dart_wait_word.h: every comparison of every integer type, whoever changes the word, and in which memory. */
#include <limits.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "base/last_call.h"
#include "dart_test.h"
#include "p2p/twosided.h"
#include "rma/watch.h"

SUITE(wait_word);

enum { ROUNDS = 30 };

static bool is_integer(const test_type_t *type)
{
  return type->kind == TEST_SIGNED || type->kind == TEST_UNSIGNED;
}

static void nap_ms(long ms)
{
  nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static int next_unit(void)
{
  return (me + 1) % n;
}

static int64_t zeros[64];

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool holds(dart_comparison_t comparison, int64_t a, int64_t b)
{
  const bool as_said[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };

  return as_said[comparison];
}

TEST(every_comparison_of_every_type)
{
  dart_gptr_t word = test_alloc(zeros, 1, me);
  int64_t    *own  = test_mine(word);

  for (int t = 0; t < TEST_TYPES; t++)
    for (int64_t a = -2; is_integer(&test_types[t]) && a <= 2; a++)
      for (int64_t b = -2; b <= 2; b++)
        for (dart_comparison_t c = DART_WAIT_EQ; c <= DART_WAIT_GE; c++) {
          const test_type_t *type = &test_types[t];
          int64_t            value;
          bool               is_as_said;

          if (type->kind == TEST_UNSIGNED && (a < 0) != (b < 0))
            is_as_said = holds(c, a < 0, b < 0); /* what is below zero is very large */
          else
            is_as_said = holds(c, a, b);
          test_note("%s: %ld, comparison %d, %ld", type->name, (long)a, (int)c, (long)b);
          test_store(type, own, 0, a);
          test_store(type, &value, 0, b);
          EXPECT_RET(dart_wait_word(word, type->id, c, &value, 0),
                     is_as_said ? DART_OK : DART_PENDING);
        }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* A word of less than 8 bytes is looked at alone, wherever it lies. */
TEST(neighbours_do_not_matter)
{
  dart_gptr_t    start = test_alloc(zeros, 1, me);
  unsigned char *own   = (unsigned char *)test_mine(start);

  for (int t = 0; t < TEST_TYPES; t++)
    for (size_t i = 0; is_integer(&test_types[t]) && i < 8 / test_types[t].size; i++) {
      const test_type_t *type = &test_types[t];
      int64_t            value;

      memset(own, 0x5a, 8);
      test_store(type, own, i, 7);
      test_store(type, &value, 0, 7);
      EXPECT_OK(
          dart_wait_word(test_byte(start, i * type->size), type->id, DART_WAIT_EQ, &value, 0));
    }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* ---- who changes it --------------------------------------------------------------------------- */

/* In turns of a ring: data, then a word of each size; whoever sees the word sees the data. */
TEST(puts_are_seen_and_the_data_before_them)
{
  dart_gptr_t data = test_alloc(zeros, 1, next_unit()), words = test_alloc(zeros, 1, next_unit());
  int64_t    *own = test_mine(data);

  for (int round = 1; round <= ROUNDS; round++)
    for (int t = 0; t < TEST_TYPES; t++) {
      const test_type_t *type   = &test_types[t];
      int64_t            number = round * TEST_TYPES + t, value;

      if (!is_integer(type))
        continue;
      number = number % 100 + 1;
      test_store(type, &value, 0, number);
      if (me == 0) {
        EXPECT_OK(dart_put_blocking(data, &number, 1, T_INT64, T_INT64));
        EXPECT_OK(dart_put_blocking(words, &value, 1, type->id, type->id));
      }
      EXPECT_OK(dart_wait_word(test_unit(words, me), type->id, DART_WAIT_EQ, &value, -1));
      EXPECT_EQ(*own, number);
      if (me != 0) {
        EXPECT_OK(dart_put_blocking(data, &number, 1, T_INT64, T_INT64));
        EXPECT_OK(dart_put_blocking(words, &value, 1, type->id, type->id));
      }
    }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(atomics_are_seen)
{
  dart_gptr_t words = test_alloc(zeros, 1, 0);
  int         one = 1, before, all = 2 * n;

  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_accumulate(test_unit(words, unit), &one, 1, DART_TYPE_INT, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(test_unit(words, unit), &one, &before, DART_TYPE_INT, DART_OP_SUM));
    EXPECT_OK(dart_flush(test_unit(words, unit)));
  }
  EXPECT_OK(dart_wait_word(test_unit(words, me), DART_TYPE_INT, DART_WAIT_GE, &all, -1));
  EXPECT_OK(dart_wait_word(test_unit(words, me), DART_TYPE_INT, DART_WAIT_LE, &all, 0));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* A word that goes down, and a notification among other words. */
TEST(notifications_are_seen)
{
  dart_gptr_t words = test_alloc(zeros, 2, 0);
  uint64_t    least = 3;

  EXPECT_OK(dart_notify(test_at(test_unit(words, next_unit()), 1), 3));
  EXPECT_OK(
      dart_wait_word(test_at(test_unit(words, me), 1), DART_TYPE_ULONG, DART_WAIT_GE, &least, -1));
  EXPECT_OK(dart_flush(test_unit(words, next_unit())));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* The waiter has slept for a while by then. */
TEST_N(2, sleepers_see_puts_atomics_and_stores)
{
  dart_gptr_t words = test_alloc(zeros, 1, next_unit());
  long        one   = 1;

  for (long round = 1; round <= 9; round++) {
    long *near = dart_near_ptr(words);

    if ((round + me) % 2 == 0)
      nap_ms(8);
    if (round % 3 == 0 && near != NULL)
      __atomic_store_n(near, round, __ATOMIC_RELEASE);
    else if (round % 3 == 1)
      EXPECT_OK(dart_accumulate(words, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
    else
      EXPECT_OK(dart_put(words, &round, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_OK(dart_flush(words));
    EXPECT_OK(dart_wait_word(test_unit(words, me), DART_TYPE_LONG, DART_WAIT_EQ, &round, -1));
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  }
}

/* ---- who wakes whom ---------------------------------------------------------------------------- */

enum {
  PUT_BLOCKING,
  PUT,
  PUT_INLINE,
  PUT_LINE,
  PUT_MANY,
  PUT_STRIDED,
  PUT_HANDLE,
  FETCH,
  FETCH_INLINE,
  SWAP,
  SWAP_INLINE,
  ADD,
  ADD_MANY,
  STREAM,
  PUT_LOCKED,
  PUT_LOCKED_LATER,
  WAYS
};

enum { WORDS = 128 }; /* on each unit; the word is the first */

/* With the lock of the word's portion: at once, or by the unlock, for another portion is locked before. */
static void put_locked(dart_gptr_t word, int64_t value, bool is_deferred)
{
  dart_gptr_t own = test_unit(word, 0);

  if (is_deferred)
    EXPECT_OK(dart_epoch_lock(own, DART_EPOCH_SHARED, 0));
  EXPECT_OK(dart_epoch_lock(word, DART_EPOCH_EXCLUSIVE, 0));
  if (is_deferred)
    EXPECT_OK(dart_put(word, &value, 1, T_INT64, T_INT64));
  else
    EXPECT_OK(dart_put_blocking(word, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(word, 0));
  if (is_deferred)
    EXPECT_OK(dart_epoch_unlock(own, 0));
}

static void add_in_a_stream(dart_gptr_t word, int64_t by)
{
  for (size_t i = 0; i < 200; i++) {
    int64_t one = 1;

    EXPECT_OK(dart_accumulate(test_at(word, 16 + i % 7 * 16), &one, 1, T_INT64, DART_OP_SUM));
  }
  EXPECT_OK(dart_accumulate(word, &by, 1, T_INT64, DART_OP_SUM));
}

/* Raise the word from `from` by `by`, and wait until that is there. */
static void change(int way, dart_gptr_t word, int64_t from, int64_t by)
{
  int64_t         values[WORDS] = { from + by }, before;
  dart_handle_t   handle;
  dart_datatype_t strided;

  switch (way) {
  case PUT_BLOCKING: EXPECT_OK(dart_put_blocking(word, values, 1, T_INT64, T_INT64)); break;
  case PUT: EXPECT_OK(dart_put(word, values, 1, T_INT64, T_INT64)); break;
  case PUT_INLINE: EXPECT_OK(dart_inline_put_blocking(word, values, 1, T_INT64, T_INT64)); break;
  case PUT_LINE: EXPECT_OK(dart_put(word, values, 8, T_INT64, T_INT64)); break;
  case PUT_MANY: EXPECT_OK(dart_put(word, values, WORDS, T_INT64, T_INT64)); break;
  case PUT_STRIDED:
    EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &strided));
    EXPECT_OK(dart_put_blocking(word, values, 4, T_INT64, strided));
    EXPECT_OK(dart_type_destroy(&strided));
    break;
  case PUT_HANDLE:
    EXPECT_OK(dart_put_handle(word, values, 1, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait(&handle));
    break;
  case FETCH: EXPECT_OK(dart_fetch_and_op(word, &by, &before, T_INT64, DART_OP_SUM)); break;
  case FETCH_INLINE:
    EXPECT_OK(dart_inline_fetch_and_op(word, &by, &before, T_INT64, DART_OP_SUM));
    break;
  case SWAP: EXPECT_OK(dart_compare_and_swap(word, values, &from, &before, T_INT64)); break;
  case SWAP_INLINE:
    EXPECT_OK(dart_inline_compare_and_swap(word, values, &from, &before, T_INT64));
    break;
  case ADD: EXPECT_OK(dart_accumulate(word, &by, 1, T_INT64, DART_OP_SUM)); break;
  case ADD_MANY:
    values[0] = by;
    EXPECT_OK(dart_accumulate(word, values, WORDS, T_INT64, DART_OP_SUM));
    break;
  case STREAM: add_in_a_stream(word, by); break;
  default: put_locked(word, from + by, way == PUT_LOCKED_LATER);
  }
  EXPECT_OK(dart_flush(word));
}

/* False: no unit is known to sleep. */
static bool some_unit_sleeps(void)
{
  for (int ms = 0; !dart__is_watched(); ms++) {
    if (ms == 20000)
      return false;
    nap_ms(1);
  }
  return true;
}

/* A unit that is known to sleep for the word has its event raised when the word gets what it waits for, and not by
 * what is before that, nor by its neighbours. False: it never was known to sleep, or it looked by itself between the
 * store and the writer's look for sleepers, and has not to be woken. */
static bool wake(int way, dart_gptr_t word, dart_unit_t sleeper)
{
  dart__event_t *event = dart__twosided_event(sleeper);
  int64_t        other = 5, before;
  uint32_t       count;

  if (!some_unit_sleeps()) {
    change(way, word, 0, 2);
    return false;
  }
  count = dart__event_count(event);
  EXPECT_OK(dart_put_blocking(test_at(word, 1), &other, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_fetch_and_op(test_at(word, 2), &other, &before, T_INT64, DART_OP_SUM));
  change(way, word, 0, 1);
  EXPECT_EQ(dart__event_count(event), count);
  change(way, word, 1, 1);
  EXPECT_TRUE(strcmp(dart__call, "dart_wait_word") != 0); /* it has made no such call */
  return dart__event_count(event) != count;
}

static bool has_barriers(void)
{
  return (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & MEMBARRIER_CMD_GLOBAL_EXPEDITED) >
         0;
}

/* Unit 1 sleeps until unit 0 has changed its words. Whether it was woken, on all units. */
static bool sleeps_and_is_woken(int way, dart_gptr_t words, size_t nbytes)
{
  int64_t two      = 2;
  bool    is_woken = false;

  if (me == 1) {
    memset(test_mine(words), 0, nbytes);
    test_barrier();
    EXPECT_OK(dart_wait_word(test_unit(words, 1), T_INT64, DART_WAIT_EQ, &two, -1));
  } else {
    test_barrier();
    if (me == 0)
      is_woken = wake(way, test_unit(words, 1), 1);
  }
  EXPECT_OK(
      dart_bcast(&is_woken, sizeof is_woken, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  return is_woken;
}

TEST_N(2, who_sleeps_is_woken_by_near_puts_and_atomics)
{
  static int64_t nothing[WORDS];
  dart_gptr_t    words = test_alloc(nothing, WORDS, 0);
  bool           goes  = dart_near_ptr(test_unit(words, 1)) != NULL && has_barriers();

  EXPECT_OK(dart_bcast(&goes, sizeof goes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  for (int way = 0; way < WAYS && goes; way++) {
    int tries = 1;

    test_note("way %d", way);
    while (!sleeps_and_is_woken(way, words, sizeof nothing) && tries < 5)
      tries++; /* it looks by itself about every millisecond */
    EXPECT_TRUE(tries < 5);
  }
  EXPECT_TRUE(!dart__is_watched());
}

/* Atomics that only read, between two words that a unit sleeps for. */
static void read_atomically(dart_gptr_t word)
{
  int64_t found;
  short   part;

  EXPECT_OK(dart_fetch_and_op(word, NULL, &found, T_INT64, DART_OP_NO_OP));
  EXPECT_OK(dart_inline_fetch_and_op(word, NULL, &found, T_INT64, DART_OP_NO_OP));
  EXPECT_OK(dart_fetch_and_op(word, NULL, &part, DART_TYPE_SHORT, DART_OP_NO_OP));
}

/* Who writes between the words wakes the sleeper, a few times, and from then on it looks by itself. */
static void write_between(dart_gptr_t word, dart_unit_t sleeper)
{
  dart__event_t *event = dart__twosided_event(sleeper);
  int64_t        value = 1;
  uint32_t       count = dart__event_count(event);

  read_atomically(word);
  EXPECT_EQ(dart__event_count(event), count);
  EXPECT_OK(dart_put_blocking(word, &value, 1, T_INT64, T_INT64));
  EXPECT_TRUE(dart__event_count(event) != count);
  for (int ms = 0; ms < 20000 && dart__is_watched(); ms++) {
    EXPECT_OK(dart_put_blocking(word, &value, 1, T_INT64, T_INT64));
    nap_ms(1);
  }
  EXPECT_TRUE(!dart__is_watched());
}

TEST_N(2, who_waits_for_several_words_is_not_woken_for_ever)
{
  dart_gptr_t words   = test_alloc(zeros, 3, 0), pair[2];
  int64_t     twos[2] = { 2, 2 };
  size_t      index   = 77;
  bool        goes    = dart_near_ptr(test_unit(words, 1)) != NULL && has_barriers();

  EXPECT_OK(dart_bcast(&goes, sizeof goes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  for (int i = 0; i < 2; i++)
    pair[i] = test_at(test_unit(words, 1), 2 * (size_t)i);
  if (me == 1) {
    EXPECT_OK(dart_wait_word_any(pair, 2, T_INT64, DART_WAIT_EQ, twos, -1, &index));
    EXPECT_EQ(index, 1);
  } else if (me == 0) {
    if (goes && EXPECT_TRUE(some_unit_sleeps()))
      write_between(test_at(test_unit(words, 1), 1), 1);
    EXPECT_OK(dart_put_blocking(pair[1], twos, 1, T_INT64, T_INT64));
  }
  test_barrier();
}

/* One word in each of several segments, of different kinds: unit 1 sleeps for all of them, and they come in turn. */
TEST_N(2, who_waits_for_words_of_several_segments_is_woken_by_each)
{
  enum { SEGMENTS = 4 };
  const int64_t two = 2;
  int64_t       twos[SEGMENTS];
  dart_gptr_t   segments[SEGMENTS], words[SEGMENTS];
  size_t        index = 77;
  bool          goes;

  for (int s = 0; s < SEGMENTS; s++) {
    twos[s]     = two;
    segments[s] = test_alloc(zeros, 3, 0);
    words[s]    = test_at(test_unit(segments[s], 1), 1);
  }
  goes = dart_near_ptr(words[0]) != NULL && has_barriers();
  EXPECT_OK(dart_bcast(&goes, sizeof goes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  for (int s = 0; s < SEGMENTS && goes; s++) {
    bool is_woken = false;

    for (int tries = 0; tries < 5 && !is_woken; tries++) { /* it looks by itself, too */
      int64_t none = 0;

      test_barrier();
      if (me == 1) {
        EXPECT_OK(dart_wait_word_any(words, SEGMENTS, T_INT64, DART_WAIT_EQ, twos, -1, &index));
        EXPECT_EQ(index, s);
        EXPECT_OK(dart_put_blocking(words[s], &none, 1, T_INT64, T_INT64));
      } else if (me == 0) {
        bool     sleeps = EXPECT_TRUE(some_unit_sleeps());
        uint32_t count  = dart__event_count(dart__twosided_event(1));

        EXPECT_OK(dart_put_blocking(words[s], &two, 1, T_INT64, T_INT64));
        is_woken = sleeps && dart__event_count(dart__twosided_event(1)) != count;
      }
      EXPECT_OK(dart_bcast(&is_woken, sizeof is_woken, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0),
                           DART_TEAM_ALL));
    }
    test_note("segment %d", s);
    EXPECT_TRUE(is_woken);
  }
  EXPECT_TRUE(!dart__is_watched());
}

/* ---- where it lies ---------------------------------------------------------------------------- */

TEST(registered_memory)
{
  static int  words[2];
  dart_gptr_t gptr, next;
  int         value = 100 + me, from_before = 100 + (me + n - 1) % n, one = 1;

  words[0] = words[1] = 0;
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 2, DART_TYPE_INT, words, &gptr));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  next = test_unit(gptr, next_unit());
  EXPECT_OK(dart_put_blocking(next, &value, 1, DART_TYPE_INT, DART_TYPE_INT));
  EXPECT_OK(dart_wait_word(test_unit(gptr, me), DART_TYPE_INT, DART_WAIT_EQ, &from_before, -1));
  EXPECT_OK(dart_accumulate(test_byte(next, sizeof(int)), &one, 1, DART_TYPE_INT, DART_OP_SUM));
  EXPECT_OK(dart_flush(next));
  EXPECT_OK(dart_wait_word(test_byte(test_unit(gptr, me), sizeof(int)), DART_TYPE_INT, DART_WAIT_GT,
                           &zeros[0], -1));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_team_memderegister(gptr));
}

TEST(memory_of_the_pool)
{
  dart_gptr_t mine, *all = calloc((size_t)n, sizeof *all);
  short       value = (short)(7 + me), from_before = (short)(7 + (me + n - 1) % n);
  void       *own;

  EXPECT_OK(dart_memalloc(8, DART_TYPE_BYTE, &mine));
  EXPECT_OK(dart_gptr_getaddr(mine, &own));
  memset(own, 0, 8);
  EXPECT_OK(dart_allgather(&mine, all, sizeof mine, DART_TYPE_BYTE, DART_TEAM_ALL));
  EXPECT_OK(dart_put_blocking(test_byte(all[next_unit()], 2), &value, 1, DART_TYPE_SHORT,
                              DART_TYPE_SHORT));
  EXPECT_OK(dart_wait_word(test_byte(mine, 2), DART_TYPE_SHORT, DART_WAIT_EQ, &from_before, -1));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_memfree(mine));
  free(all);
}

/* ---- several words ---------------------------------------------------------------------------- */

/* Each unit is told by all, in an order of its own, and finds them one by one, some, and all. */
TEST(any_some_and_all)
{
  int64_t     *nothing = calloc((size_t)n, sizeof *nothing), *values = malloc((size_t)n * 8);
  dart_gptr_t  start   = test_alloc(nothing, (size_t)n, 0);
  dart_gptr_t *words   = calloc((size_t)n, sizeof *words);
  size_t      *indices = calloc((size_t)n, sizeof *indices), index, count;
  int          left    = n;

  for (int unit = 0; unit < n; unit++) {
    words[unit]  = test_at(test_unit(start, me), (size_t)unit);
    values[unit] = 10 + unit;
  }
  for (int i = 0; i < n; i++) {
    int64_t     value = 10 + me;
    dart_gptr_t to    = test_at(test_unit(start, (me + i) % n), (size_t)me);

    EXPECT_OK(dart_put_blocking(to, &value, 1, T_INT64, T_INT64));
  }
  while (left > 0 && EXPECT_OK(dart_wait_word_any(words, (size_t)n, T_INT64, DART_WAIT_EQ, values,
                                                  -1, &index))) {
    EXPECT_EQ(values[index], 10 + index);
    values[index] = -1; /* not again */
    left--;
  }
  EXPECT_RET(dart_wait_word_any(words, (size_t)n, T_INT64, DART_WAIT_EQ, values, 0, &index),
             DART_PENDING);
  EXPECT_RET(dart_wait_word_all(words, (size_t)n, T_INT64, DART_WAIT_LT, values, 1000),
             DART_PENDING);
  for (int unit = 0; unit < n; unit++)
    values[unit] = unit % 2 == 0 ? 10 + unit : 9 + unit;
  EXPECT_OK(
      dart_wait_word_some(words, (size_t)n, T_INT64, DART_WAIT_LE, values, -1, indices, &count));
  EXPECT_EQ(count, (n + 1) / 2);
  for (size_t i = 0; i < count; i++)
    EXPECT_EQ(indices[i], 2 * i);
  EXPECT_OK(dart_wait_word_all(words, (size_t)n, T_INT64, DART_WAIT_GE, values, -1));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  free(nothing);
  free(values);
  free(words);
  free(indices);
}

/* Words that have compared once count, even if they do no more. */
TEST_N(2, all_need_not_compare_at_the_same_time)
{
  dart_gptr_t start   = test_alloc(zeros, 2, 0), words[2];
  long        ones[2] = { 1, 1 }, two = 2, zero = 0;
  int         seen = 0;

  for (int i = 0; i < 2; i++)
    words[i] = test_at(test_unit(start, 0), (size_t)i);
  /* The first is to be seen while unit 1 naps; where the machine is loaded, in one of the longer naps. */
  for (int ms = 20; !seen && ms < 10000; ms *= 4) {
    if (me == 0) {
      EXPECT_OK(dart_put_blocking(words[1], &zero, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put_blocking(words[0], ones, 1, T_INT64, T_INT64));
    }
    test_barrier();
    if (me == 0) {
      dart_ret_t ret =
          dart_wait_word_all(words, 2, T_INT64, DART_WAIT_EQ, ones, 1000000 + 4000 * (int64_t)ms);

      seen = ret == DART_OK;
      EXPECT_TRUE(ret == DART_OK || ret == DART_PENDING);
    } else if (me == 1) {
      nap_ms(ms);
      EXPECT_OK(dart_put_blocking(words[0], &two, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put_blocking(words[1], ones, 1, T_INT64, T_INT64));
    }
    EXPECT_OK(dart_bcast(&seen, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  }
  EXPECT_TRUE(seen);
}

/* A word that is there at once ends the check: what lies behind it was not looked at. */
TEST(any_looks_before_it_checks_all)
{
  int64_t     two = 2, twos[3] = { 2, 2, 2 };
  dart_gptr_t word[3] = { test_alloc(zeros, 3, me) };
  size_t      index = 77, indices[3], count = 77;

  word[1] = test_at(word[0], 1);
  word[2] = test_at(word[0], 3); /* behind the end */
  EXPECT_INVAL(dart_wait_word_any(word, 3, T_INT64, DART_WAIT_EQ, twos, 0, &index));
  EXPECT_EQ(index, 77);
  for (size_t i = 2; i-- > 0;) {
    EXPECT_OK(dart_put_blocking(word[i], &two, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_wait_word_any(word, 3, T_INT64, DART_WAIT_EQ, twos, -1, &index));
    EXPECT_EQ(index, i);
  }
  EXPECT_INVAL(dart_wait_word_some(word, 3, T_INT64, DART_WAIT_EQ, twos, -1, indices, &count));
  EXPECT_INVAL(dart_wait_word_all(word, 3, T_INT64, DART_WAIT_EQ, twos, -1));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* ---- ranges ------------------------------------------------------------------------------------- */

/* Words that compare are served in turn, whichever index is passed, and the elements between them are not looked at. */
static void serve_in_turn(dart_gptr_t start, size_t count, size_t stride)
{
  const int64_t one = 1, two = 2;
  size_t        index = 77;

  test_note("%zu words, stride %zu", count, stride);
  for (size_t i = 0; i < count * stride; i++)
    EXPECT_OK(
        dart_put_blocking(test_at(start, i), i % stride == 0 ? &one : &two, 1, T_INT64, T_INT64));
  EXPECT_RET(
      dart_wait_word_range(start, count, stride, T_INT64, DART_WAIT_EQ, &two, 0, 1000, &index),
      DART_PENDING);
  EXPECT_EQ(index, 77);
  for (size_t turn = 0; turn < 2 * count + 1; turn++) {
    EXPECT_OK(
        dart_wait_word_range(start, count, stride, T_INT64, DART_WAIT_EQ, &one, turn, -1, &index));
    EXPECT_EQ(index, turn % count);
  }
  for (size_t i = 0; i < count; i++) { /* the only one, from everywhere */
    EXPECT_OK(dart_put_blocking(test_at(start, i * stride), &two, 1, T_INT64, T_INT64));
    for (size_t from = 0; from < count; from++) {
      EXPECT_OK(dart_wait_word_range(start, count, stride, T_INT64, DART_WAIT_GE, &two, from, -1,
                                     &index));
      EXPECT_EQ(index, i);
    }
    EXPECT_OK(dart_put_blocking(test_at(start, i * stride), &one, 1, T_INT64, T_INT64));
  }
}

TEST(a_range_is_served_in_turn)
{
  int64_t     cells[12] = { 0 };
  dart_gptr_t team = test_alloc(zeros, 12, me), user = DART_GPTR_NULL;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 12, T_INT64, cells, &user));
  user = test_unit(user, me);
  for (size_t stride = 1; stride <= 4; stride++) {
    serve_in_turn(team, 12 / stride, stride);
    serve_in_turn(user, 12 / stride, stride);
  }
  serve_in_turn(team, 1, 12);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_team_memderegister(user));
}

/* Every type, at its own stride: neighbours have another value. */
TEST(ranges_of_every_type)
{
  dart_gptr_t start = test_alloc(zeros, 8, me);

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type  = &test_types[t];
    size_t             index = 77, count;
    int64_t            value;

    if (!is_integer(type))
      continue;
    count = 64 / type->size / 3;
    test_store(type, &value, 0, 7);
    for (size_t i = 0; i < 64 / type->size; i++)
      test_store(type, test_mine(start), i, i % 3 == 0 ? 9 : 7);
    test_store(type, test_mine(start), 3 * (count - 1), 7);
    EXPECT_OK(dart_wait_word_range(start, count, 3, type->id, DART_WAIT_EQ, &value, 0, 0, &index));
    EXPECT_EQ(index, count - 1);
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

/* Each unit notifies every unit in a word of its own, by all ways in turn; its owner sleeps for any of many. */
TEST(a_range_is_waited_for_between_units)
{
  enum { MANY = 3000 };
  size_t      nwords = (size_t)n * MANY, index = 0;
  int64_t    *own;
  dart_gptr_t start = test_segment(DART_TEAM_ALL, nwords * sizeof *own, 0);

  own = (int64_t *)(void *)test_mine(start);
  for (int round = 1; round <= 6; round++) {
    const long value = round, by = 1;

    test_barrier();
    if (round % 2 == 0 && me == 0)
      nap_ms(30);
    for (int i = 1; i <= n; i++) {
      int         to   = (me + i) % n;
      dart_gptr_t word = test_at(test_unit(start, to), (size_t)me * MANY + (size_t)round);

      if (round % 3 == 0)
        EXPECT_OK(dart_put_blocking(word, &value, 1, T_INT64, T_INT64));
      else if (round % 3 == 1)
        EXPECT_OK(dart_notify(word, (uint64_t)value));
      else
        for (int k = 0; k < round; k++)
          EXPECT_OK(dart_accumulate(word, &by, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(dart_flush(word));
    }
    for (int seen = 0; seen < n; seen++) {
      EXPECT_OK(dart_wait_word_range(test_unit(start, me), nwords, 1, T_INT64, DART_WAIT_EQ, &value,
                                     index + 1, -1, &index));
      EXPECT_EQ(index % MANY, round);
      EXPECT_EQ(own[index], round);
      own[index] = 0;
    }
    EXPECT_RET(dart_wait_word_range(test_unit(start, me), nwords, 1, T_INT64, DART_WAIT_NE,
                                    &zeros[0], 0, 0, &index),
               DART_PENDING);
  }
  test_barrier();
}

/* Who sleeps for a range is woken by a near put of its last word; between the words it is not for ever. */
TEST_N(2, who_sleeps_for_a_range_is_woken)
{
  dart_gptr_t words = test_alloc(zeros, 5, 0);
  int64_t     two   = 2;
  size_t      index = 77;
  bool        goes  = dart_near_ptr(test_unit(words, 1)) != NULL && has_barriers();

  EXPECT_OK(dart_bcast(&goes, sizeof goes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  if (me == 1) {
    EXPECT_OK(dart_wait_word_range(test_unit(words, 1), 3, 2, T_INT64, DART_WAIT_EQ, &two, 0, -1,
                                   &index));
    EXPECT_EQ(index, 2);
  } else if (me == 0) {
    if (goes && EXPECT_TRUE(some_unit_sleeps()))
      write_between(test_at(test_unit(words, 1), 3), 1);
    EXPECT_OK(dart_put_blocking(test_at(test_unit(words, 1), 4), &two, 1, T_INT64, T_INT64));
  }
  test_barrier();
}

/* ---- time, and errors ------------------------------------------------------------------------- */

TEST(a_wait_ends_with_its_time)
{
  dart_gptr_t     word = test_alloc(zeros, 1, me);
  long            one  = 1;
  struct timespec before, after;

  EXPECT_RET(dart_wait_word(word, T_INT64, DART_WAIT_EQ, &one, 0), DART_PENDING);
  for (int64_t us = 1; us <= 20000; us *= 20) {
    clock_gettime(CLOCK_MONOTONIC, &before);
    EXPECT_RET(dart_wait_word(word, T_INT64, DART_WAIT_EQ, &one, us), DART_PENDING);
    clock_gettime(CLOCK_MONOTONIC, &after);
    EXPECT_TRUE((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >=
                us * 1000); /* not before */
  }
  EXPECT_OK(dart_wait_word(word, T_INT64, DART_WAIT_NE, &one, INT64_MAX));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}

TEST(bad_arguments_are_refused)
{
  dart_gptr_t word = test_alloc(zeros, 2, me), other = test_unit(word, next_unit());
  long        one   = 1;
  size_t      index = 77, count = 77, indices[1];

  EXPECT_REFUSED(dart_wait_word, (word, DART_TYPE_DOUBLE, DART_WAIT_EQ, &one, 0), DART_ERR_INVAL,
                 "integer");
  EXPECT_REFUSED(dart_wait_word, (word, DART_TYPE_UNDEFINED, DART_WAIT_EQ, &one, 0), DART_ERR_INVAL,
                 "integer");
  EXPECT_REFUSED(dart_wait_word, (word, T_INT64, (dart_comparison_t)6, &one, 0), DART_ERR_INVAL,
                 "comparison 6");
  EXPECT_REFUSED(dart_wait_word, (word, T_INT64, DART_WAIT_EQ, NULL, 0), DART_ERR_INVAL, "values");
  EXPECT_REFUSED(dart_wait_word, (test_byte(word, 4), T_INT64, DART_WAIT_EQ, &one, 0),
                 DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_wait_word, (test_at(word, 2), T_INT64, DART_WAIT_EQ, &one, 0), DART_ERR_INVAL,
                 "exceed");
  EXPECT_REFUSED(dart_wait_word, (DART_GPTR_NULL, T_INT64, DART_WAIT_EQ, &one, 0), DART_ERR_INVAL,
                 "null");
  if (n > 1)
    EXPECT_REFUSED(dart_wait_word, (other, T_INT64, DART_WAIT_EQ, &one, 0), DART_ERR_INVAL,
                   "word is unit");
  EXPECT_REFUSED(dart_wait_word_any, (&word, 0, T_INT64, DART_WAIT_EQ, &one, 0, &index),
                 DART_ERR_INVAL, "0 words");
  EXPECT_REFUSED(dart_wait_word_any, (NULL, 1, T_INT64, DART_WAIT_EQ, &one, 0, &index),
                 DART_ERR_INVAL, "pointers");
  EXPECT_REFUSED(dart_wait_word_any, (&word, 1, T_INT64, DART_WAIT_EQ, &one, 0, NULL),
                 DART_ERR_INVAL, "index");
  EXPECT_REFUSED(dart_wait_word_some, (&word, 1, T_INT64, DART_WAIT_EQ, &one, 0, NULL, &count),
                 DART_ERR_INVAL, "indices");
  EXPECT_REFUSED(dart_wait_word_some, (&word, 1, T_INT64, DART_WAIT_EQ, &one, 0, indices, NULL),
                 DART_ERR_INVAL, "count");
  EXPECT_REFUSED(dart_wait_word_all, (&word, 1, DART_TYPE_FLOAT, DART_WAIT_EQ, &one, 0),
                 DART_ERR_INVAL, "integer");
#define REFUSED_RANGE(arguments, word) \
  EXPECT_REFUSED(dart_wait_word_range, arguments, DART_ERR_INVAL, word)
  REFUSED_RANGE((word, 2, 1, DART_TYPE_DOUBLE, DART_WAIT_EQ, &one, 0, 0, &index), "integer");
  REFUSED_RANGE((word, 2, 1, T_INT64, (dart_comparison_t)6, &one, 0, 0, &index), "comparison 6");
  REFUSED_RANGE((word, 0, 1, T_INT64, DART_WAIT_EQ, &one, 0, 0, &index), "0 words");
  REFUSED_RANGE((word, 2, 0, T_INT64, DART_WAIT_EQ, &one, 0, 0, &index), "stride 0");
  REFUSED_RANGE((word, 2, 1, T_INT64, DART_WAIT_EQ, NULL, 0, 0, &index), "value");
  REFUSED_RANGE((word, 2, 1, T_INT64, DART_WAIT_EQ, &one, 0, 0, NULL), "index");
  REFUSED_RANGE((word, 3, 1, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "exceed");
  REFUSED_RANGE((word, 2, 2, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "exceed");
  REFUSED_RANGE((word, SIZE_MAX, 1, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "words");
  REFUSED_RANGE((word, 2, SIZE_MAX / 8, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "");
  REFUSED_RANGE((test_byte(word, 4), 1, 1, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "aligned");
  REFUSED_RANGE((DART_GPTR_NULL, 1, 1, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "null");
  if (n > 1)
    REFUSED_RANGE((other, 1, 1, T_INT64, DART_WAIT_NE, &one, 0, 0, &index), "word is unit");
#undef REFUSED_RANGE
  EXPECT_EQ(index, 77);
  EXPECT_EQ(count, 77);
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
}
