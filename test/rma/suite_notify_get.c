/* Gets of dart/ext/dart_notify.h: the data are here when a counter of this unit says so, and were read when one of their
 * own unit does. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"

SUITE(notify_get);

enum { MOST = 20000 };

static const size_t lengths[] = {
  1, 3, 475, 1000, 3800, 3801, MOST
}; /* elements: in one reply, in several, as messages of their own */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static int64_t value_of(int owner, int round, size_t place)
{
  return owner * INT64_C(1000000000) + round * INT64_C(1000000) + (int64_t)place;
}

static void fill(int64_t *words, int owner, int round, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = value_of(owner, round, i);
}

static int count_wrong(const int64_t *words, int owner, int round, size_t count)
{
  int wrong = 0;

  for (size_t i = 0; i < count; i++)
    wrong += words[i] != value_of(owner, round, i);
  return wrong;
}

/* Each unit has MOST words; counters are apart. */
static dart_gptr_t words(void)
{
  return test_segment(DART_TEAM_ALL, MOST * sizeof(int64_t), 0);
}

static dart_gptr_t counters(size_t count)
{
  return test_segment(DART_TEAM_ALL, count * sizeof(int64_t), 0);
}

static int right(void)
{
  return (me + 1) % n;
}

static int left(void)
{
  return (me + n - 1) % n;
}

/* No flush: the counter alone says it. */
TEST(data_are_here_when_the_own_counter_is_raised)
{
  dart_gptr_t data = words(), flag = test_unit(counters(1), me);
  int64_t    *got = malloc(MOST * sizeof *got);

  fill(test_mine(data), me, 0, MOST);
  test_barrier();
  for (int round = 0; round < test_rounds(100); round++)
    for (size_t k = 0; k < LENGTHS; k++) {
      test_note("round %d, %zu words", round, lengths[k]);
      memset(got, 0xee, MOST * sizeof *got);
      EXPECT_OK(
          dart_get_notify(got, test_unit(data, right()), lengths[k], T_INT64, T_INT64, flag, 1));
      EXPECT_OK(dart_notify_wait(flag, (uint64_t)round * LENGTHS + k + 1, -1));
      EXPECT_EQ(count_wrong(got, right(), 0, lengths[k]), 0);
      if (lengths[k] < MOST)
        EXPECT_FILLED(got + lengths[k], 0xee, sizeof *got);
    }
  test_barrier();
  free(got);
}

/* The owner overwrites its words at once, and yet the other one has got the earlier ones. */
TEST(memory_may_be_overwritten_when_its_units_counter_is_raised)
{
  dart_gptr_t data = words(), flags = counters(2);
  int64_t    *got = malloc(MOST * sizeof *got);

  fill(test_mine(data), me, 0, MOST);
  test_barrier();
  for (int round = 0; round < test_rounds(200); round++) {
    size_t      length = lengths[(size_t)round % LENGTHS];
    dart_gptr_t from   = test_unit(data, right());

    EXPECT_OK(dart_get_notify(got, from, length, T_INT64, T_INT64, test_unit(flags, right()), 1));
    EXPECT_OK(dart_notify_wait(test_unit(flags, me), (uint64_t)round + 1, -1));
    fill(test_mine(data), me, round + 1, MOST);
    EXPECT_OK(dart_flush_local(from));
    EXPECT_EQ(count_wrong(got, right(), round, length), 0);
    EXPECT_OK(dart_notify(test_at(test_unit(flags, left()), 1), 1)); /* the next words are there */
    EXPECT_OK(dart_notify_wait(test_at(test_unit(flags, me), 1), (uint64_t)round + 1, -1));
  }
  test_barrier();
  free(got);
}

/* What one unit got from the next, a third one finds there. */
TEST_N(3, a_third_unit_is_told_that_the_data_have_come)
{
  dart_gptr_t data = words(), copy = words(), flags = counters(1);
  int64_t    *found = malloc(MOST * sizeof *found);

  fill(test_mine(data), me, 7, MOST);
  test_barrier();
  for (size_t k = 0; k < LENGTHS; k++) {
    EXPECT_OK(dart_get_notify(test_mine(copy), test_unit(data, right()), lengths[k], T_INT64,
                              T_INT64, test_unit(flags, left()), 1));
    EXPECT_OK(dart_notify_wait(test_unit(flags, me), k + 1, -1)); /* by the unit to the right */
    EXPECT_OK(dart_get_blocking(found, test_unit(copy, right()), lengths[k], T_INT64, T_INT64));
    EXPECT_EQ(count_wrong(found, (me + 2) % n, 7, lengths[k]), 0);
    EXPECT_OK(dart_flush(test_unit(flags, left())));
    test_barrier();
    memset(test_mine(copy), 0, MOST * sizeof *found);
    test_barrier();
  }
  free(found);
}

TEST(any_flush_of_the_unit_completes_it)
{
  dart_gptr_t data = words(), flags = counters(2), from = test_unit(data, right());
  dart_gptr_t own = test_unit(flags, me);
  int64_t    *got = malloc(MOST * sizeof *got);

  fill(test_mine(data), me, 1, MOST);
  test_barrier();
  for (size_t k = 0; k < LENGTHS * 4; k++) {
    size_t length = lengths[k / 4];

    test_note("%zu words, flush %zu", length, k % 4);
    EXPECT_OK(dart_get_notify(got, from, length, T_INT64, T_INT64, own, 1));
    EXPECT_OK(k % 4 == 0   ? dart_flush_local(from)
              : k % 4 == 1 ? dart_flush(from)
              : k % 4 == 2 ? dart_flush_local_all(from)
                           : dart_flush_all(from));
    EXPECT_EQ(count_wrong(got, right(), 1, length), 0);
    EXPECT_OK(dart_notify_wait(own, k + 1, 0));
    memset(got, 0, MOST * sizeof *got);
    EXPECT_OK(dart_get_notify(got, from, length, T_INT64, T_INT64,
                              test_at(test_unit(flags, right()), 1), 1));
    EXPECT_OK(dart_flush(from));
    EXPECT_EQ(count_wrong(got, right(), 1, length), 0);
    test_barrier();
    EXPECT_OK(dart_notify_wait(test_at(own, 1), k + 1, 0));
    test_barrier();
  }
  free(got);
}

/* More of them under way than a batch has room for, from all units, into one counter. */
TEST(many_may_be_under_way)
{
  enum { EACH = 150 };
  dart_gptr_t data = words(), flag = test_unit(counters(1), me);
  int64_t    *got   = calloc((size_t)n * EACH, sizeof *got);
  int         wrong = 0;

  fill(test_mine(data), me, 2, MOST);
  test_barrier();
  for (int i = 0; i < EACH; i++)
    for (int u = 0; u < n; u++)
      EXPECT_OK(dart_get_notify(&got[u * EACH + i], test_at(test_unit(data, u), (size_t)i), 1,
                                T_INT64, T_INT64, flag, (uint64_t)i + 1));
  EXPECT_OK(dart_notify_wait(flag, (uint64_t)n * EACH * (EACH + 1) / 2, -1));
  for (int u = 0; u < n; u++)
    wrong += count_wrong(got + u * EACH, u, 2, EACH);
  EXPECT_EQ(wrong, 0);
  test_barrier();
  free(got);
}

/* Large and small ones in turns: each counter says that its own data are here. */
TEST(each_has_its_own_counter)
{
  enum { MANY = 30 };
  dart_gptr_t data = words(), flags = counters(MANY);
  int64_t    *got = calloc(MANY * MOST, sizeof *got);

  fill(test_mine(data), me, 3, MOST);
  test_barrier();
  for (size_t k = 0; k < MANY; k++)
    EXPECT_OK(dart_get_notify(got + k * MOST, test_unit(data, right()),
                              lengths[(5 * k + 6) % LENGTHS], T_INT64, T_INT64,
                              test_at(test_unit(flags, me), k), 1));
  for (size_t k = MANY; k-- > 0;) {
    EXPECT_OK(dart_notify_wait(test_at(test_unit(flags, me), k), 1, -1));
    EXPECT_EQ(count_wrong(got + k * MOST, right(), 3, lengths[(5 * k + 6) % LENGTHS]), 0);
  }
  test_barrier();
  free(got);
}

/* More than one message of data. */
TEST(several_megabytes)
{
  enum { WORDS = 300000 };
  dart_gptr_t data = test_segment(DART_TEAM_ALL, WORDS * sizeof(int64_t), 0), flags = counters(2);
  int64_t    *got = calloc(WORDS, sizeof *got);

  fill(test_mine(data), me, 4, WORDS);
  test_barrier();
  EXPECT_OK(dart_get_notify(got, test_unit(data, right()), WORDS, T_INT64, T_INT64,
                            test_unit(flags, me), 1));
  EXPECT_OK(dart_notify_wait(test_unit(flags, me), 1, -1));
  EXPECT_EQ(count_wrong(got, right(), 4, WORDS), 0);
  memset(got, 0, WORDS * sizeof *got);
  EXPECT_OK(dart_get_notify(got, test_unit(data, right()), WORDS, T_INT64, T_INT64,
                            test_at(test_unit(flags, right()), 1), 1));
  EXPECT_OK(dart_notify_wait(test_at(test_unit(flags, me), 1), 1, -1));
  memset(test_mine(data), 0, WORDS * sizeof *got);
  EXPECT_OK(dart_flush(test_unit(data, right())));
  EXPECT_EQ(count_wrong(got, right(), 4, WORDS), 0);
  test_barrier();
  free(got);
}

/* ---- layouts ------------------------------------------------------------------------------------ */

typedef struct {
  dart_datatype_t every_other, blocks;
} types_t;

static types_t make_types(void)
{
  const size_t blocklen[] = { 1, 3, 2 }, offset[] = { 0, 2, 7 }; /* six of ten */
  types_t      t;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &t.every_other));
  EXPECT_OK(dart_type_create_indexed(T_INT64, 3, blocklen, offset, &t.blocks));
  return t;
}

static size_t place_in_blocks(size_t elem)
{
  static const size_t places[] = { 0, 2, 3, 4, 7, 8 };

  return elem / 6 * 9 + places[elem % 6];
}

static void get_scattered(dart_gptr_t data, dart_gptr_t flag, uint64_t least, size_t count,
                          const types_t *t)
{
  enum { ROOM = 12000 };
  static int64_t got[ROOM];
  dart_gptr_t    from  = test_unit(data, right());
  int            wrong = 0;

  EXPECT_OK(dart_get_notify(got, from, count, t->every_other, T_INT64, flag, 1));
  EXPECT_OK(dart_notify_wait(flag, least, -1));
  for (size_t i = 0; i < count; i++)
    wrong += got[i] != value_of(right(), 5, 2 * i);
  memset(got, 0xee, sizeof got);
  EXPECT_OK(dart_get_notify(got, from, count, t->blocks, t->every_other, flag, 1));
  EXPECT_OK(dart_notify_wait(flag, least + 1, -1));
  for (size_t i = 0; i < count; i++) {
    wrong += got[2 * i] != value_of(right(), 5, place_in_blocks(i));
    wrong += i + 1 < count && got[2 * i + 1] != INT64_C(-0x1111111111111112);
  }
  EXPECT_OK(dart_get_notify(got, from, count, T_INT64, t->every_other, flag, 1));
  EXPECT_OK(dart_notify_wait(flag, least + 2, -1));
  for (size_t i = 0; i < count; i++)
    wrong += got[2 * i] != value_of(right(), 5, i);
  EXPECT_EQ(wrong, 0);
}

TEST(scattered_elements)
{
  static const size_t counts[] = { 6, 60, 600, 2400, 6000 };
  types_t             t        = make_types();
  dart_gptr_t         data = words(), flag = test_unit(counters(1), me);

  fill(test_mine(data), me, 5, MOST);
  test_barrier();
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    test_note("%zu elements", counts[k]);
    get_scattered(data, flag, 3 * k + 1, counts[k], &t);
  }
  test_barrier();
  EXPECT_OK(dart_type_destroy(&t.every_other));
  EXPECT_OK(dart_type_destroy(&t.blocks));
}

/* The same told to the unit that has them, which then overwrites them. */
TEST(scattered_elements_were_read)
{
  static const size_t counts[] = { 60, 1200, 6000 };
  types_t             t        = make_types();
  dart_gptr_t         data = words(), flags = counters(1);
  int64_t            *got   = malloc(MOST * sizeof *got);
  int                 wrong = 0;

  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    fill(test_mine(data), me, (int)k, MOST);
    test_barrier();
    EXPECT_OK(dart_get_notify(got, test_unit(data, right()), counts[k], t.every_other, T_INT64,
                              test_unit(flags, right()), 1));
    EXPECT_OK(dart_notify_wait(test_unit(flags, me), k + 1, -1));
    memset(test_mine(data), 0, MOST * sizeof *got);
    EXPECT_OK(dart_flush_local(test_unit(data, right())));
    for (size_t i = 0; i < counts[k]; i++)
      wrong += got[i] != value_of(right(), (int)k, 2 * i);
    test_barrier();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_type_destroy(&t.every_other));
  EXPECT_OK(dart_type_destroy(&t.blocks));
  free(got);
}

/* ---- counters, and memory of other kinds ---------------------------------------------------------- */

/* `gptr`: 64 words of each unit; the first two are counters. */
static void get_in(dart_gptr_t gptr, int64_t *own)
{
  int64_t got[62];

  memset(own, 0, 2 * sizeof *own);
  fill(own + 2, me, 6, 62);
  test_barrier();
  EXPECT_OK(dart_get_notify(got, test_at(test_unit(gptr, right()), 2), 62, T_INT64, T_INT64,
                            test_unit(gptr, me), 5));
  EXPECT_OK(dart_notify_wait(test_unit(gptr, me), 5, -1));
  EXPECT_EQ(count_wrong(got, right(), 6, 62), 0);
  memset(got, 0, sizeof got);
  EXPECT_OK(dart_get_notify(got, test_at(test_unit(gptr, right()), 2), 62, T_INT64, T_INT64,
                            test_at(test_unit(gptr, right()), 1), 9));
  EXPECT_OK(dart_notify_wait(test_at(test_unit(gptr, me), 1), 9, -1));
  memset(own + 2, 0, 62 * sizeof *own);
  EXPECT_OK(dart_flush(test_unit(gptr, right())));
  EXPECT_EQ(count_wrong(got, right(), 6, 62), 0);
  test_barrier();
}

TEST(registered_memory)
{
  static int64_t own[64];
  dart_gptr_t    gptr;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 64, T_INT64, own, &gptr));
  get_in(gptr, own);
  EXPECT_OK(dart_team_memderegister(gptr));
}

TEST(adopted_memory)
{
  static _Alignas(4096) int64_t own[512]; /* a page of its own */
  dart_gptr_t                   gptr;

  EXPECT_OK(dart_team_adopt(DART_TEAM_ALL, own, 64 * sizeof *own, &gptr));
  get_in(gptr, own);
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(memory_of_the_pool)
{
  dart_gptr_t *all = calloc((size_t)n, sizeof *all), own;
  void        *address;
  int64_t      got = 0;

  EXPECT_OK(dart_memalloc(2, T_INT64, &own));
  EXPECT_OK(dart_gptr_getaddr(own, &address));
  ((int64_t *)address)[0] = 0;
  ((int64_t *)address)[1] = value_of(me, 8, 1);
  EXPECT_OK(dart_allgather(&own, all, sizeof own, DART_TYPE_BYTE, DART_TEAM_ALL));
  EXPECT_OK(dart_get_notify(&got, test_at(all[right()], 1), 1, T_INT64, T_INT64, own, 1));
  EXPECT_OK(dart_notify_wait(own, 1, -1));
  EXPECT_EQ(got, value_of(right(), 8, 1));
  test_barrier();
  EXPECT_OK(dart_memfree(own));
  free(all);
}

TEST(without_elements_it_is_a_notification)
{
  dart_gptr_t flags = counters(2), own = test_unit(flags, me);

  EXPECT_OK(dart_get_notify(NULL, DART_GPTR_NULL, 0, T_INT64, T_INT64, own, 3));
  EXPECT_OK(dart_notify_wait(own, 3, 0));
  EXPECT_OK(dart_get_notify(NULL, DART_GPTR_NULL, 0, T_INT64, T_INT64,
                            test_at(test_unit(flags, right()), 1), 4));
  EXPECT_OK(dart_notify_wait(test_at(own, 1), 4, -1));
  test_barrier();
}

TEST(flags_are_set_by_operators)
{
  dart_gptr_t data = words(), flags = counters(2), own = test_unit(flags, me);
  int64_t     got[3];
  uint64_t    seen;

  fill(test_mine(data), me, 9, 3);
  test_barrier();
  for (uint64_t round = 1; round <= 20; round++) {
    seen = 100 - round;
    EXPECT_OK(dart_get_notify_op(got, test_unit(data, right()), 3, T_INT64, T_INT64, own, seen,
                                 DART_OP_REPLACE));
    EXPECT_OK(dart_wait_word(own, DART_TYPE_ULONG, DART_WAIT_EQ, &seen, -1));
    EXPECT_EQ(count_wrong(got, right(), 9, 3), 0);
    EXPECT_OK(dart_get_notify_op(got, test_unit(data, right()), 3, T_INT64, T_INT64,
                                 test_at(test_unit(flags, right()), 1), UINT64_C(1) << round,
                                 DART_OP_BOR));
    seen = (UINT64_C(2) << round) - 2;
    EXPECT_OK(dart_wait_word(test_at(own, 1), DART_TYPE_ULONG, DART_WAIT_GE, &seen, -1));
    EXPECT_OK(dart_flush_all(data));
  }
  test_barrier();
}

/* A program that looks by itself: each look makes progress. */
TEST(looks_find_the_counter)
{
  dart_gptr_t data = words(), own = test_unit(counters(1), me);
  int64_t    *got  = malloc(MOST * sizeof *got);
  uint64_t    seen = 0;

  fill(test_mine(data), me, 10, MOST);
  test_barrier();
  for (size_t k = 0; k < LENGTHS; k++) {
    EXPECT_OK(dart_get_notify(got, test_unit(data, right()), lengths[k], T_INT64, T_INT64, own, 1));
    while (seen < k + 1) {
      EXPECT_OK(dart_fetch_and_op(own, NULL, &seen, DART_TYPE_ULONG, DART_OP_NO_OP));
      EXPECT_OK(dart_flush_local(own));
      test_pause();
    }
    EXPECT_EQ(count_wrong(got, right(), 10, lengths[k]), 0);
  }
  test_barrier();
  free(got);
}

/* ---- with other operations -------------------------------------------------------------------------- */

TEST(an_order_is_between_a_put_and_it)
{
  dart_gptr_t data = words(), own = test_unit(counters(1), me), to = test_unit(data, right());
  int64_t    *sent = malloc(MOST * sizeof *sent), *got = malloc(MOST * sizeof *got);
  uint64_t    least = 0;

  for (size_t k = 0; k < LENGTHS; k++)
    for (size_t j = 0; j < LENGTHS; j++) {
      size_t both = lengths[k] < lengths[j] ? lengths[k] : lengths[j];

      fill(sent, me, (int)(k * LENGTHS + j), MOST);
      EXPECT_OK(dart_put(to, sent, lengths[k], T_INT64, T_INT64));
      EXPECT_OK(dart_order(to));
      EXPECT_OK(dart_get_notify(got, to, lengths[j], T_INT64, T_INT64, own, 1));
      EXPECT_OK(dart_notify_wait(own, ++least, -1));
      EXPECT_EQ(count_wrong(got, me, (int)(k * LENGTHS + j), both), 0);
      EXPECT_OK(dart_flush_local(to));
    }
  EXPECT_OK(dart_flush(to));
  test_barrier();
  free(sent);
  free(got);
}

TEST(a_context_has_it)
{
  dart_gptr_t      data = words(), own = test_unit(counters(1), me);
  dart_team_unit_t unit = DART_TEAM_UNIT_ID(right());
  int64_t         *got  = calloc(MOST, sizeof *got);
  dart_context_t   context;

  fill(test_mine(data), me, 11, MOST);
  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  test_barrier();
  for (size_t k = 0; k < LENGTHS; k++) {
    EXPECT_OK(dart_context_enter(context));
    EXPECT_OK(dart_get_notify(got, test_unit(data, right()), lengths[k], T_INT64, T_INT64, own, 1));
    EXPECT_OK(dart_context_leave(context));
    EXPECT_OK(k % 2 == 0 ? dart_context_flush_local(context)
                         : dart_context_flush_local_unit(context, unit));
    EXPECT_OK(dart_notify_wait(own, k + 1, 0));
    EXPECT_EQ(count_wrong(got, right(), 11, lengths[k]), 0);
    memset(got, 0, MOST * sizeof *got);
  }
  test_barrier();
  EXPECT_OK(dart_context_destroy(&context));
  free(got);
}

TEST(wrong_calls_are_refused)
{
  dart_gptr_t data = test_segment(DART_TEAM_ALL, 64, 0x11), flags = counters(1);
  dart_gptr_t mine = test_unit(flags, me), from = test_unit(data, me);
  int64_t     got  = 7;
  uint64_t    seen = 1;

  EXPECT_REFUSED(dart_get_notify, (&got, from, 1, T_INT64, T_INT64, test_byte(mine, 4), 1),
                 DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_get_notify, (&got, from, 1, T_INT64, T_INT64, test_byte(from, 4), 1),
                 DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_get_notify, (&got, from, 1, T_INT64, T_INT64, DART_GPTR_NULL, 1),
                 DART_ERR_INVAL, "null");
  EXPECT_REFUSED(dart_get_notify, (&got, test_byte(from, 60), 1, T_INT64, T_INT64, mine, 1),
                 DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_get_notify, (NULL, from, 1, T_INT64, T_INT64, mine, 1), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_get_notify, (&got, from, 1, DART_TYPE_INT, T_INT64, mine, 1), DART_ERR_INVAL,
                 "type");
  EXPECT_REFUSED(dart_get_notify_op, (&got, from, 1, T_INT64, T_INT64, mine, 1, DART_OP_UNDEFINED),
                 DART_ERR_INVAL, "operator");
  EXPECT_REFUSED(dart_get_notify_op, (&got, from, 1, T_INT64, T_INT64, mine, 1, DART_OP_MINMAX),
                 DART_ERR_INVAL, "operator");
  EXPECT_EQ(got, 7);
  EXPECT_OK(dart_fetch_and_op(mine, NULL, &seen, DART_TYPE_ULONG, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(mine));
  EXPECT_EQ(seen, 0); /* nothing was raised */
  test_barrier();
}
