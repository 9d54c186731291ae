/* dart/ext/dart_value.h and dart_order.h: small operands are the caller's on return, and order without completion. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>

#include "dart_test.h"

SUITE(value);

/* More operations than any ring of copies inside has room for. */
enum { OPS = 200, MOST = DART_COPIED_MOST };

static int right_by(int distance)
{
  return (me + distance) % n;
}

static int left_by(int distance)
{
  return (me + n - distance % n) % n;
}

/* Round `round` of the puts below: place k gets so many bytes. */
static size_t length_of(int k)
{
  return (size_t)(1 + k * 37 % MOST);
}

/* Put to every place of a unit's portion, and spoil the source after each call. */
static void put_and_spoil(dart_gptr_t target, int round, dart_datatype_t custom)
{
  unsigned char source[MOST];

  for (int k = 0; k < OPS; k++) {
    size_t      nbytes = length_of(k);
    dart_gptr_t place  = test_byte(target, (uint64_t)k * MOST);

    test_fill(source, me, round + k, nbytes);
    if (custom != DART_TYPE_UNDEFINED && nbytes % 8 == 0)
      EXPECT_OK(dart_put(place, source, nbytes / 8, custom, custom));
    else
      EXPECT_OK(dart_put(place, source, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
    memset(source, 0xee, sizeof source);
  }
}

static void expect_put(const void *mine, int writer, int round)
{
  int wrong = 0;

  for (int k = 0; k < OPS; k++) {
    unsigned char expected[MOST];

    memset(expected, 0x5a, sizeof expected);
    test_fill(expected, writer, round + k, length_of(k));
    wrong += memcmp((const char *)mine + k * MOST, expected, MOST) != 0;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(sources_of_puts_are_copied)
{
  dart_datatype_t custom;

  EXPECT_OK(dart_type_create_custom(8, &custom));
  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t start = test_segment(DART_TEAM_ALL, OPS * MOST, 0x5a);
    dart_gptr_t right = test_unit(start, right_by(distance));

    test_note("distance %d", distance);
    put_and_spoil(right, distance, custom);
    EXPECT_OK(dart_flush(right));
    test_barrier();
    expect_put(test_mine(start), left_by(distance), distance);
    test_barrier();
  }
  EXPECT_OK(dart_type_destroy(&custom));
}

TEST(single_puts_are_copied) /* one, and its flush, again and again: MPI's way on some windows */
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  dart_gptr_t right = test_unit(start, right_by(n / 2 + 1));
  int64_t     got;

  test_barrier();
  for (int i = 0; i < test_rounds(300); i++) {
    int64_t value = 1000 * me + i;

    EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
    value = -1;
    EXPECT_OK(dart_flush(right));
    EXPECT_OK(dart_get_blocking(&got, right, 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 1000 * me + i);
  }
  test_barrier();
}

TEST(sources_may_become_strided) /* elements in a row here, a distance apart there */
{
  enum { ELEMENTS = MOST / sizeof(int64_t), STRIDE = 3 };
  dart_gptr_t     start = test_segment(DART_TEAM_ALL, OPS * ELEMENTS * STRIDE * sizeof(int64_t), 0);
  dart_gptr_t     right = test_unit(start, right_by(1));
  dart_datatype_t strided;
  int64_t         values[ELEMENTS];
  int             wrong = 0;

  test_barrier();
  EXPECT_OK(dart_type_create_strided(T_INT64, STRIDE, 1, &strided));
  for (int k = 0; k < OPS; k++) {
    for (int i = 0; i < (int)ELEMENTS; i++)
      values[i] = 100000 * me + 100 * k + i;
    EXPECT_OK(dart_put(test_at(right, (size_t)k * ELEMENTS * STRIDE), values, ELEMENTS, T_INT64,
                       strided));
    memset(values, 0xee, sizeof values);
  }
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_flush(right));
  test_barrier();
  for (int k = 0; k < OPS * (int)ELEMENTS * STRIDE; k++)
    wrong += test_mine(start)[k] !=
             (k % STRIDE != 0 ? 0
                              : 100000 * left_by(1) + 100 * (k / STRIDE / (int)ELEMENTS) +
                                    k / STRIDE % (int)ELEMENTS);
  EXPECT_EQ(wrong, 0);
  test_barrier();
}

TEST(operands_of_atomics_are_copied)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, 4 * MOST, 0);
  int64_t     values[MOST / sizeof(int64_t)], one, compare, *mine = test_mine(start);
  int64_t    *olds  = malloc(2 * OPS * sizeof *olds);
  dart_gptr_t right = test_unit(start, right_by(1));
  int         wrong = 0;

  test_barrier();
  for (int64_t k = 0; k < OPS; k++) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
      values[i] = k;
    EXPECT_OK(dart_accumulate(right, values, sizeof values / sizeof *values, T_INT64, DART_OP_SUM));
    memset(values, 0xee, sizeof values);
    one = 1;
    EXPECT_OK(dart_fetch_and_op(test_byte(right, MOST), &one, &olds[k], T_INT64, DART_OP_SUM));
    one     = k + 1;
    compare = k;
    EXPECT_OK(
        dart_compare_and_swap(test_byte(right, 2 * MOST), &one, &compare, &olds[OPS + k], T_INT64));
    one = compare = -1;
  }
  EXPECT_OK(dart_flush(right));
  for (int k = 0; k < 2 * OPS; k++)
    wrong += olds[k] != k % OPS;
  EXPECT_EQ(wrong, 0);
  test_barrier();
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    EXPECT_EQ(mine[i], OPS * (OPS - 1) / 2);
  EXPECT_EQ(mine[MOST / sizeof(int64_t)], OPS);
  EXPECT_EQ(mine[2 * MOST / sizeof(int64_t)], OPS);
  test_barrier();
  free(olds);
}

TEST(operands_are_copied_inside_epochs) /* deferred until the target is open, or not */
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, OPS * MOST, 0x5a);
  dart_gptr_t sums = test_segment(DART_TEAM_ALL, MOST, 0), right = test_unit(start, right_by(1));
  int64_t     values[MOST / sizeof(int64_t)];

  EXPECT_OK(dart_epoch_fence(start, 0));
  EXPECT_OK(dart_epoch_fence(sums, 0));
  put_and_spoil(right, 7, DART_TYPE_UNDEFINED);
  for (int64_t k = 0; k < OPS; k++) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
      values[i] = k;
    EXPECT_OK(dart_accumulate(test_unit(sums, right_by(1)), values, sizeof values / sizeof *values,
                              T_INT64, DART_OP_SUM));
    memset(values, 0xee, sizeof values);
  }
  EXPECT_OK(dart_epoch_fence(start, DART_EPOCH_NOSUCCEED));
  EXPECT_OK(dart_epoch_fence(sums, DART_EPOCH_NOSUCCEED));
  expect_put(test_mine(start), left_by(1), 7);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    EXPECT_EQ(test_mine(sums)[i], OPS * (OPS - 1) / 2);

  for (int unit = 0; unit < n; unit++) { /* all want the lock of one */
    if (me == unit)
      memset(test_mine(start), 0x5a, OPS * MOST);
    test_barrier();
    EXPECT_OK(dart_epoch_lock(test_unit(start, unit), DART_EPOCH_EXCLUSIVE, 0));
    put_and_spoil(test_unit(start, unit), 3, DART_TYPE_UNDEFINED);
    EXPECT_OK(dart_epoch_unlock(test_unit(start, unit), 0));
    test_barrier();
    if (me == unit) { /* whoever was last */
      int writer = 0;

      while (writer < n - 1 && *(unsigned char *)test_mine(start) != test_pattern(writer, 3, 0))
        writer++;
      expect_put(test_mine(start), writer, 3);
    }
    test_barrier();
  }
}

TEST(data_of_notifications_are_copied)
{
  dart_gptr_t   start = test_segment(DART_TEAM_ALL, OPS * MOST, 0x5a);
  dart_gptr_t   flags = test_segment(DART_TEAM_ALL, 64, 0);
  unsigned char source[MOST];

  test_barrier();
  for (int k = 0; k < OPS; k++) {
    test_fill(source, me, 9 + k, length_of(k));
    EXPECT_OK(dart_put_notify(test_byte(test_unit(start, right_by(1)), (uint64_t)k * MOST), source,
                              length_of(k), DART_TYPE_BYTE, DART_TYPE_BYTE,
                              test_unit(flags, right_by(1)), 1));
    memset(source, 0xee, sizeof source);
  }
  EXPECT_OK(dart_notify_wait(test_unit(flags, me), OPS, -1));
  expect_put(test_mine(start), left_by(1), 9);
  test_barrier();
}

TEST(values_are_put_as_their_type)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, 128, 0x5a), right = test_unit(start, right_by(1));
  char       *mine = (char *)test_mine(start), expected[128];

  test_barrier();
  EXPECT_OK(dart_put_value(test_byte(right, 0), (bool)true));
  EXPECT_OK(dart_put_value(test_byte(right, 1), (signed char)-5));
  EXPECT_OK(dart_put_value(test_byte(right, 2), (uint16_t)40000));
  EXPECT_OK(dart_put_value(test_byte(right, 4), me));
  EXPECT_OK(dart_put_value(test_byte(right, 8), 3.5));
  EXPECT_OK(dart_put_value(test_byte(right, 16), INT64_C(-7)));
  EXPECT_OK(dart_put_value(test_byte(right, 24), 1.25f));
  EXPECT_OK(dart_put_value_uchar(test_byte(right, 28), 200));
  EXPECT_INVAL(dart_put_value(test_byte(right, 125), 1L));
  EXPECT_OK(dart_flush(right));
  test_barrier();
  memset(expected, 0x5a, sizeof expected);
  expected[0] = 1;
  expected[1] = -5;
  memcpy(expected + 2, &(uint16_t){ 40000 }, 2);
  memcpy(expected + 4, &(int){ left_by(1) }, 4);
  memcpy(expected + 8, &(double){ 3.5 }, 8);
  memcpy(expected + 16, &(int64_t){ -7 }, 8);
  memcpy(expected + 24, &(float){ 1.25f }, 4);
  expected[28] = (char)200;
  EXPECT_BYTES(mine, expected, sizeof expected);
  test_barrier();
}

/* ---- order ------------------------------------------------------------------------------------- */

enum { WORDS = 3000 }; /* more than any collected put, and than a request by one */

/* How a number is put to `words` words. */
typedef enum { BY_PUT, BY_HANDLE, BY_ATOMIC, WAYS } way_t;

static void put_words(dart_gptr_t at, int64_t *source, size_t words, int64_t number, way_t way)
{
  dart_handle_t handle;

  for (size_t i = 0; i < words; i++)
    source[i] = number;
  switch (way) {
  case BY_PUT: EXPECT_OK(dart_put(at, source, words, T_INT64, T_INT64)); break;
  case BY_HANDLE:
    EXPECT_OK(dart_put_handle(at, source, words, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_handle_free(&handle));
    break;
  default: EXPECT_OK(dart_accumulate(at, source, words, T_INT64, DART_OP_REPLACE));
  }
}

/* The second number is put over the first one: it stays. */
static void one_after_the_other(dart_gptr_t start, int distance, size_t first, size_t second,
                                way_t way)
{
  static int64_t sources[4][WORDS];
  dart_gptr_t    right = test_unit(start, right_by(distance));
  size_t         both  = first < second ? first : second;
  int64_t        got[2];
  int            wrong = 0;

  for (int round = 0; round < 4; round++) {
    int64_t number = 10 * round + 1;

    put_words(right, sources[0], first, number, way);
    EXPECT_OK(dart_order(right));
    put_words(right, sources[1], second, number + 1, way == BY_ATOMIC ? BY_PUT : BY_ATOMIC);
    EXPECT_OK(dart_order(right));
    EXPECT_OK(dart_get(&got[0], right, 1, T_INT64, T_INT64)); /* reads the second number */
    EXPECT_OK(dart_order(right));
    put_words(right, sources[2], first, number + 2, way);
    EXPECT_OK(dart_order(right));
    put_words(right, sources[3], second, number + 3, way);
    EXPECT_OK(dart_flush(right));
    EXPECT_EQ(got[0], number + 1);
    test_barrier();
    for (size_t i = 0; i < both; i++)
      wrong += test_mine(start)[i] != number + 3;
    EXPECT_EQ(wrong, 0);
    test_barrier();
  }
}

TEST(later_puts_are_later) /* requests and transfers of MPI, either after either */
{
  static const size_t lengths[] = { 1, 20, WORDS };
  dart_gptr_t         start     = test_segment(DART_TEAM_ALL, WORDS * sizeof(int64_t), 0);

  test_barrier();
  for (int distance = 0; distance < n; distance++)
    for (int way = 0; way < WAYS; way++)
      for (int i = 0; i < 9; i++) {
        test_note("distance %d, way %d, %zu after %zu", distance, way, lengths[i / 3],
                  lengths[i % 3]);
        one_after_the_other(start, distance, lengths[i % 3], lengths[i / 3], (way_t)way);
      }
}

/* Round after round data and then a flag, which its owner polls. */
TEST(whoever_sees_the_flag_sees_the_data)
{
  static const size_t lengths[] = { 1, 40, WORDS };
  static int64_t      source[WORDS];
  dart_gptr_t         data  = test_segment(DART_TEAM_ALL, WORDS * sizeof(int64_t), 0);
  dart_gptr_t         flags = test_segment(DART_TEAM_ALL, 2 * sizeof(int64_t), 0);
  dart_gptr_t         right = test_unit(data, right_by(1));
  int                 wrong = 0;

  test_barrier();
  for (int64_t round = 1; round <= test_rounds(60); round++) {
    size_t  length = lengths[round % 3];
    int64_t flag   = round, seen;

    put_words(right, source, length, round, round % 2 == 0 ? BY_PUT : BY_ATOMIC);
    EXPECT_OK(dart_order(right));
    EXPECT_OK(dart_put(test_unit(flags, right_by(1)), &flag, 1, T_INT64, T_INT64));
    do
      EXPECT_OK(dart_fetch_and_op(test_unit(flags, me), NULL, &seen, T_INT64, DART_OP_NO_OP));
    while (dart_flush(test_unit(flags, me)) == DART_OK && seen < round);
    for (size_t i = 0; i < length; i++)
      wrong += test_mine(data)[i] != round;
    EXPECT_OK(dart_flush(right));
    test_barrier(); /* the data may be overwritten */
  }
  EXPECT_EQ(wrong, 0);
}

TEST(order_wants_a_unit_of_a_live_segment)
{
  dart_gptr_t start;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, T_INT64, &start));
  EXPECT_OK(dart_order(test_unit(start, me)));
  EXPECT_INVAL(dart_order(test_unit(start, n)));
  EXPECT_INVAL(dart_order(DART_GPTR_NULL));
  EXPECT_OK(dart_epoch_fence(start, 0)); /* inside an epoch, too */
  EXPECT_OK(dart_put_value(test_unit(start, right_by(1)), INT64_C(1)));
  EXPECT_OK(dart_order(test_unit(start, right_by(1))));
  EXPECT_OK(dart_put_value(test_unit(start, right_by(1)), INT64_C(2)));
  EXPECT_OK(dart_epoch_fence(start, DART_EPOCH_NOSUCCEED));
  EXPECT_EQ(*test_mine(start), 2);
  EXPECT_OK(dart_team_memfree(start));
  EXPECT_INVAL(dart_order(start));
}
