/* Streams of updates without a result, which the library may put together: near ones wait for their cache lines,
 * far ones for others of their segment. None is lost, and those of a unit on a word are in order, whatever comes
 * between them. */
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_order.h>

#include "dart_test.h"

SUITE(stream);

enum { WORDS = 40, UPDATES = 6000 };

typedef struct {
  uint64_t unit, word, value, other;
} draw_t;

/* The same sequence for whoever knows the unit and the round. */
static draw_t draw(uint64_t unit, uint64_t i)
{
  uint64_t r = (unit * UPDATES + i + 1) * UINT64_C(0x9e3779b97f4a7c15);

  r = (r ^ r >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  r ^= r >> 27;
  return (draw_t){ r % (uint64_t)n, (r >> 16) % WORDS, r >> 40, r >> 32 & 0xff };
}

static dart_gptr_t at(dart_gptr_t segment, uint64_t unit, uint64_t word)
{
  return test_byte(test_unit(segment, (int)unit), word * sizeof(uint64_t));
}

static void accumulate(dart_gptr_t gptr, uint64_t value, dart_operation_t op)
{
  EXPECT_OK(dart_accumulate(gptr, &value, 1, DART_TYPE_ULONG, op));
}

TEST(random_updates_of_all_units_are_atomic)
{
  dart_gptr_t segment       = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  uint64_t    wanted[WORDS] = { 0 }, *mine = (uint64_t *)test_mine(segment);
  int         rounds = test_rounds(UPDATES);

  for (int i = 0; i < rounds; i++) {
    draw_t d = draw((uint64_t)me, (uint64_t)i);

    accumulate(at(segment, d.unit, d.word), d.value, DART_OP_SUM);
  }
  EXPECT_OK(dart_flush_all(segment));
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    for (int i = 0; i < rounds; i++) {
      draw_t d = draw((uint64_t)unit, (uint64_t)i);

      wanted[d.word] += (int)d.unit == me ? d.value : 0;
    }
  for (int word = 0; word < WORDS; word++)
    EXPECT_EQ(mine[word], wanted[word]);
}

/* What comes between two updates of a stream, on words of the same column. */
static void disturb(dart_gptr_t segment, dart_gptr_t other, uint64_t wanted[][WORDS], draw_t d)
{
  uint64_t three[3] = { d.value, d.value + 1, d.value + 2 }, old = 0, first = d.word % (WORDS - 2);

  switch (d.other) {
  case 0:
    EXPECT_OK(dart_accumulate(at(segment, d.unit, first), three, 3, DART_TYPE_ULONG, DART_OP_SUM));
    for (int i = 0; i < 3; i++)
      wanted[d.unit][first + (uint64_t)i] += three[i];
    break;
  case 1:
    EXPECT_OK(dart_fetch_and_op(at(segment, d.unit, d.word), three, &old, DART_TYPE_ULONG,
                                DART_OP_REPLACE));
    EXPECT_OK(dart_flush_local(at(segment, d.unit, d.word)));
    EXPECT_EQ(old, wanted[d.unit][d.word]);
    wanted[d.unit][d.word] = d.value;
    break;
  case 2: EXPECT_OK(dart_flush_local_all(segment)); break;
  case 3: EXPECT_OK(dart_order(at(segment, d.unit, 0))); break;
  case 4: accumulate(at(other, d.unit, d.word), 1, DART_OP_SUM); break;
  case 5:
    EXPECT_OK(dart_accumulate_blocking_local(at(segment, d.unit, d.word), three, 1, DART_TYPE_ULONG,
                                             DART_OP_BXOR));
    wanted[d.unit][d.word] ^= d.value;
    break;
  default: break;
  }
}

/* Each unit has a segment of its own to update, so it knows what is there; in the other segment, how much. */
TEST(updates_of_a_unit_are_in_order)
{
  static uint64_t wanted[64][WORDS], found[WORDS];
  dart_gptr_t     segments[64], other = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  uint64_t count[2] = { 0 }, counts[2]; /* of updates that were made there, and that are there */
  int      rounds   = test_rounds(UPDATES);

  for (int unit = 0; unit < n; unit++)
    segments[unit] = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  memset(wanted, 0, sizeof wanted);
  for (int i = 0; i < rounds; i++) {
    draw_t           d  = draw((uint64_t)me, (uint64_t)i);
    dart_operation_t op = i % 5 == 0        ? DART_OP_REPLACE
                          : i / 50 % 2 == 0 ? DART_OP_SUM
                                            : DART_OP_BXOR;
    uint64_t        *to = &wanted[d.unit][d.word];

    accumulate(at(segments[me], d.unit, d.word), d.value, op);
    *to = op == DART_OP_REPLACE ? d.value : op == DART_OP_SUM ? *to + d.value : *to ^ d.value;
    disturb(segments[me], other, wanted, d);
    count[0] += d.other == 4;
  }
  EXPECT_OK(dart_flush_all(segments[me]));
  test_barrier();
  for (int word = 0; word < WORDS; word++)
    count[1] += ((uint64_t *)test_mine(other))[word];
  EXPECT_OK(dart_allreduce(count, counts, 2, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_EQ(counts[0], counts[1]);
  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_get_blocking(found, test_unit(segments[me], unit), WORDS, DART_TYPE_ULONG,
                                DART_TYPE_ULONG));
    for (int word = 0; word < WORDS; word++)
      EXPECT_EQ(found[word], wanted[unit][word]);
  }
}

/* A long stream by one operator, to one unit, so that what is put together is full: ones to each of `nwords`. */
static void add_ones(dart_gptr_t segment, int unit, uint64_t from, uint64_t nwords, int times)
{
  for (int time = 0; time < times; time++)
    for (uint64_t word = from; word < from + nwords; word++)
      accumulate(at(segment, (uint64_t)unit, word), 1, DART_OP_SUM);
}

static void expect_in_each(dart_gptr_t segment, uint64_t from, uint64_t value)
{
  for (uint64_t word = from; word < WORDS; word++)
    EXPECT_EQ(((uint64_t *)test_mine(segment))[word], value);
}

/* Long enough to be requested together, and with an operator that shows their order. */
TEST(replaced_words_have_the_newest_value)
{
  enum { FEW = 3, LINE = 8 };
  dart_gptr_t segment     = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  uint64_t    wanted[FEW] = { 0 }, found, right = (uint64_t)((me + 1) % n);

  if (n > 1)
    for (uint64_t i = 1; i <= 1000; i++) {
      accumulate(at(segment, right, i % FEW * LINE), i, DART_OP_REPLACE);
      wanted[i % FEW] = i;
      if (i % 97 != 0)
        continue;
      EXPECT_OK(dart_fetch_and_op(at(segment, right, i / 97 % FEW * LINE), NULL, &found,
                                  DART_TYPE_ULONG, DART_OP_NO_OP));
      EXPECT_OK(dart_flush_local(at(segment, right, 0)));
      EXPECT_EQ(found, wanted[i / 97 % FEW]);
    }
  EXPECT_OK(dart_flush_all(segment));
  for (uint64_t word = 0; n > 1 && word < FEW; word++) {
    EXPECT_OK(dart_get_blocking(&found, at(segment, right, word * LINE), 1, DART_TYPE_ULONG,
                                DART_TYPE_ULONG));
    EXPECT_EQ(found, wanted[word]);
  }
}

TEST(a_flush_of_one_unit_covers_a_stream)
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  int         right   = (me + 1) % n;

  for (int times = 1; times < 8; times++) { /* with more and less at the end */
    add_ones(segment, right, 0, WORDS, times);
    EXPECT_OK(dart_flush(test_unit(segment, right)));
    test_barrier();
    expect_in_each(segment, 0, (uint64_t)(times * (times + 1) / 2));
    test_barrier();
  }
}

/* In the caller's portion, which it may load from after any flush; and a stream goes on after it. */
TEST(a_local_flush_applies_a_stream)
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);

  for (int times = 1; times < 8; times++) {
    add_ones(segment, me, 0, WORDS, times);
    EXPECT_OK(times % 2 == 0 ? dart_flush_local(test_unit(segment, me))
                             : dart_flush_local_all(segment));
    expect_in_each(segment, 0, (uint64_t)(times * (times + 1) / 2));
  }
  test_barrier();
}

/* Whoever sees the flag finds the stream that the order came after; its end is part of that. */
TEST_N(2, an_order_is_after_a_stream)
{
  enum { LINE = 8, MANY = 72 };
  static uint64_t flag;
  dart_gptr_t     segment = test_segment(DART_TEAM_ALL, (MANY * LINE + 1) * sizeof(uint64_t), 0);
  dart_gptr_t     flag_at = at(segment, (uint64_t)n - 1, MANY * LINE);
  uint64_t        found;

  for (uint64_t round = 1; round <= 30; round++) {
    if (me == 0) {
      for (uint64_t i = 0; i < MANY; i++)
        accumulate(at(segment, (uint64_t)n - 1, i * LINE), 1, DART_OP_SUM);
      EXPECT_OK(dart_order(flag_at));
      flag = round;
      EXPECT_OK(dart_put(flag_at, &flag, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      nanosleep(&(struct timespec){ 0, 2000000 }, NULL); /* no call brings what is left behind */
    } else if (me == n - 1) {
      do
        EXPECT_OK(dart_get_blocking(&found, flag_at, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      while (found != round);
      for (uint64_t i = 0; i < MANY; i++) {
        EXPECT_OK(dart_fetch_and_op(at(segment, (uint64_t)me, i * LINE), NULL, &found,
                                    DART_TYPE_ULONG, DART_OP_NO_OP));
        EXPECT_OK(dart_flush_local(flag_at));
        EXPECT_EQ(found, round);
      }
    }
    EXPECT_OK(dart_flush_all(segment));
    test_barrier();
  }
}

/* The context has the second half of a stream. */
TEST(a_context_covers_what_a_stream_does_in_it)
{
  enum { TIMES = 11, HALF = WORDS / 2 };
  dart_gptr_t    segment = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  int            right   = (me + 1) % n;
  dart_context_t context;

  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  add_ones(segment, right, 0, HALF, TIMES);
  EXPECT_OK(dart_context_enter(context));
  add_ones(segment, right, HALF, HALF, TIMES);
  EXPECT_OK(dart_context_leave(context));
  EXPECT_OK(dart_context_flush(context));
  test_barrier();
  expect_in_each(segment, HALF, TIMES);
  EXPECT_OK(dart_context_destroy(&context));
}

TEST(what_is_beyond_the_portion_is_refused_in_a_stream)
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, WORDS * sizeof(uint64_t), 0);
  uint64_t    one     = 1;
  int         right   = (me + 1) % n;

  add_ones(segment, right, 0, WORDS, 3);
  EXPECT_INVAL(dart_accumulate(at(segment, (uint64_t)right, WORDS + (1 << 20)), &one, 1,
                               DART_TYPE_ULONG, DART_OP_SUM));
  EXPECT_INVAL(dart_accumulate(test_byte(test_unit(segment, right), 4), &one, 1, DART_TYPE_ULONG,
                               DART_OP_SUM));
  EXPECT_INVAL(dart_accumulate(test_unit(segment, n), &one, 1, DART_TYPE_ULONG, DART_OP_SUM));
  add_ones(segment, right, 0, WORDS, 1);
  EXPECT_INVAL(dart_accumulate(test_unit(segment, right), NULL, 1, DART_TYPE_ULONG, DART_OP_SUM));
  EXPECT_OK(dart_flush_all(segment));
  test_barrier();
  expect_in_each(segment, 0, 4);
}

/* A segment freed while nothing of it is under way, and another one that may have its id. */
TEST(a_stream_goes_on_in_another_segment)
{
  for (int round = 0; round < 5; round++) {
    dart_gptr_t segment;
    int         right = (me + 1) % n;

    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, WORDS + (size_t)round, DART_TYPE_ULONG,
                                         &segment));
    memset(test_mine(segment), 0, WORDS * sizeof(uint64_t));
    test_barrier();
    add_ones(segment, right, 0, WORDS, 3);
    EXPECT_OK(dart_flush_all(segment));
    test_barrier();
    expect_in_each(segment, 0, 3);
    test_barrier();
    add_ones(segment, right, 0, WORDS, 2); /* completed by the end of the segment */
    EXPECT_OK(dart_team_memfree(segment));
  }
}

enum { COUNTED = 300, COUNTS = 5 };

static dart_gptr_t allocate(size_t nbytes)
{
  dart_gptr_t segment;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &segment));
  return segment;
}

/* In this unit's own portion, and again in an epoch, in which updates wait for its end. */
static void count(dart_gptr_t segment, uint64_t by)
{
  dart_gptr_t word = test_unit(segment, me);
  uint64_t   *mine = (uint64_t *)test_mine(segment);

  memset(mine, 0, 2 * sizeof *mine);
  test_barrier();
  for (uint64_t i = 0; i < COUNTED; i++) {
    accumulate(word, by, DART_OP_SUM);
    if (i % 50 == 0) /* another word of the line, by what is no single instruction */
      accumulate(test_byte(word, sizeof *mine), i, DART_OP_MAX);
  }
  EXPECT_OK(dart_flush(word));
  EXPECT_EQ(mine[0], by * COUNTED);
  EXPECT_EQ(mine[1], COUNTED - 50);
  EXPECT_OK(dart_epoch_fence(segment, DART_EPOCH_NOPRECEDE));
  accumulate(word, 1, DART_OP_SUM);
  EXPECT_OK(dart_epoch_fence(segment, DART_EPOCH_NOSUCCEED));
  EXPECT_EQ(mine[0], by * COUNTED + 1);
}

/* The pointer is the same each time; the memory is not, for it does not fit where that of the last segment was. */
TEST(a_word_that_is_counted_in_is_that_of_the_segment_of_now)
{
  dart_gptr_t between[COUNTS];

  for (size_t i = 0; i < COUNTS; i++) {
    dart_gptr_t segment = allocate((i + 1) * 4096);

    count(segment, i + 1);
    between[i] = allocate(4096);
    EXPECT_OK(dart_team_memfree(segment));
  }
  for (size_t i = 0; i < COUNTS; i++)
    EXPECT_OK(dart_team_memfree(between[i]));
}
