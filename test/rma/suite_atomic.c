/* Atomic operations: statements K102 to K115. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(atomic);

static int right_by(int distance)
{
  return (me + distance) % n;
}

/* ---- Accumulate ------------------------------------------------------------------------------ */

TEST(no_increment_is_lost) /* K102 */
{
  int rounds = test_rounds(1000);

  for (int unit = 0; unit < n; unit++) {
    int64_t     zeros[3] = { -1, 0, -1 }, one = 1;
    dart_gptr_t cells = test_alloc(zeros, 3, unit);

    test_note("unit %d", unit);
    for (int i = 0; i < rounds; i++)
      EXPECT_OK(dart_accumulate(test_at(cells, 1), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(cells));
    test_barrier();
    EXPECT_EQ(test_mine(cells)[0], -1);
    EXPECT_EQ(test_mine(cells)[1], me == unit ? n * rounds : 0);
    EXPECT_EQ(test_mine(cells)[2], -1);
  }
}

TEST(increments_beyond_the_smallest_portion) /* there the segment has no direct map */
{
  enum { LAST = 50 };
  dart_gptr_t segment;
  int64_t     one = 1;

  EXPECT_OK(
      dart_team_memalloc_aligned(DART_TEAM_ALL, me == n - 1 ? LAST + 1 : 1, T_INT64, &segment));
  if (me == n - 1)
    test_mine(segment)[LAST] = 0;
  test_barrier();
  for (int i = 0; i < 100; i++)
    EXPECT_OK(
        dart_accumulate(test_at(test_unit(segment, n - 1), LAST), &one, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_flush(test_unit(segment, n - 1)));
  test_barrier();
  if (me == n - 1)
    EXPECT_EQ(test_mine(segment)[LAST], 100 * n);
  test_barrier();
  EXPECT_OK(dart_team_memfree(segment));
}

TEST(accumulate_equals_its_reference) /* K103 K104: every operator on every type it has */
{
  enum { COUNT_MAX = 10000 };
  size_t      count   = (size_t)test_rounds(COUNT_MAX);
  size_t      nbytes  = (count + 2) * TEST_TYPE_SIZE_MAX;
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, nbytes, 0);
  void       *mine = test_mine(segment), *values = malloc(nbytes);

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];

    for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_LXOR; op++) {
      int to = right_by(t + (int)op), from = (me + n - (t + (int)op) % n) % n, wrong = 0;

      if (!test_has_op(type, op))
        continue;
      for (size_t i = 0; i < count + 2; i++) {
        test_store(type, mine, i, test_operand(type, op, me + 3, i));
        test_store(type, values, i, test_operand(type, op, me, i));
      }
      test_barrier();
      EXPECT_OK(dart_accumulate(test_byte(test_unit(segment, to), type->size),
                                (char *)values + type->size, count, type->id, op));
      EXPECT_OK(dart_flush(test_unit(segment, to)));
      test_barrier();

      test_note("%s on %s", test_op_name(op), type->name);
      for (size_t i = 0; i < count + 2; i++) { /* the first and the last are guards */
        int64_t before = test_operand(type, op, me + 3, i);
        int64_t after  = test_combine(op, before, test_operand(type, op, from, i));

        wrong += test_load(type, mine, i) != (i == 0 || i == count + 1 ? before : after);
      }
      EXPECT_EQ(wrong, 0);
      test_barrier();
    }
  }
  free(values);
}

TEST(all_units_accumulate_on_the_same_elements) /* K103 K104 */
{
  enum { COUNT = 40 };
  dart_gptr_t       segment = test_segment(DART_TEAM_ALL, COUNT * TEST_TYPE_SIZE_MAX, 0);
  void             *mine    = test_mine(segment);
  _Alignas(16) char values[COUNT * TEST_TYPE_SIZE_MAX];

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];

    for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_LXOR; op++) {
      bool logical = op == DART_OP_LAND || op == DART_OP_LOR || op == DART_OP_LXOR;
      int  wrong   = 0;

      if (!test_has_op(type, op))
        continue;
      for (size_t i = 0; i < COUNT; i++) {
        test_store(type, mine, i, logical ? 1 : test_operand(type, op, n, i));
        test_store(type, values, i, test_operand(type, op, me, i));
      }
      test_barrier();
      for (int distance = 0; distance < n; distance++)
        EXPECT_OK(
            dart_accumulate(test_unit(segment, right_by(distance)), values, COUNT, type->id, op));
      EXPECT_OK(dart_flush_all(segment));
      test_barrier();

      test_note("%s on %s", test_op_name(op), type->name);
      for (size_t i = 0; i < COUNT; i++) {
        int64_t expected = logical ? 1 : test_operand(type, op, n, i);

        for (int unit = 0; unit < n; unit++)
          expected = test_combine(op, expected, test_operand(type, op, unit, i));
        wrong += test_load(type, mine, i) != expected;
      }
      EXPECT_EQ(wrong, 0);
      test_barrier();
    }
  }
}

TEST(integers_wrap_around) /* K103 */
{
  struct {
    unsigned char      byte;
    short              half;
    int                word;
    unsigned long long wide;
  } * mine;
  dart_gptr_t        segment = test_segment(DART_TEAM_ALL, sizeof *mine, 0);
  dart_gptr_t        right   = test_unit(segment, right_by(1));
  unsigned char      byte    = 10;
  short              half    = 10;
  int                word    = 10;
  unsigned long long wide    = 10;

  mine       = (void *)test_mine(segment);
  mine->byte = 250;
  mine->half = INT16_MAX;
  mine->word = INT32_MAX;
  mine->wide = UINT64_MAX;
  test_barrier();
  EXPECT_OK(dart_accumulate(right, &byte, 1, DART_TYPE_BYTE, DART_OP_SUM));
  EXPECT_OK(dart_accumulate(test_byte(right, 2), &half, 1, DART_TYPE_SHORT, DART_OP_SUM));
  EXPECT_OK(dart_accumulate(test_byte(right, 4), &word, 1, DART_TYPE_INT, DART_OP_SUM));
  EXPECT_OK(dart_accumulate(test_byte(right, 8), &wide, 1, DART_TYPE_ULONGLONG, DART_OP_SUM));
  EXPECT_OK(dart_flush(right));
  test_barrier();
  EXPECT_EQ(mine->byte, 4);
  EXPECT_EQ(mine->half, INT16_MIN + 9);
  EXPECT_EQ(mine->word, INT32_MIN + 9);
  EXPECT_EQ(mine->wide, 9);
}

/* Numbers whose first bit is set are large ones, not negative. */
TEST(unsigned_numbers_are_ordered_as_such)
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 64 * sizeof(uint64_t), 0), to = segment;
  const int   types[] = { 3, 5, 7 }; /* UINT, ULONG, ULONGLONG */

  to.unitid = right_by(1);
  for (int i = 0; i < 6; i++) {
    const test_type_t *type = &test_types[types[i / 2]];
    dart_operation_t   op   = i % 2 == 0 ? DART_OP_MIN : DART_OP_MAX;
    uint64_t           big = type->size == 4 ? 0xfffffff0u : 0xfffffffffffffff0u, old = 0;
    uint64_t           small = 5, got[2] = { 0, 0 };
    char               start[2 * sizeof(uint64_t)], more[2 * sizeof(uint64_t)];

    test_note("%s, %s", type->name, test_op_name(op));
    memcpy(start, &small, type->size);
    memcpy(start + type->size, &big, type->size);
    memcpy(more, &big, type->size);
    memcpy(more + type->size, &small, type->size);
    EXPECT_OK(dart_accumulate(to, start, 2, type->id, DART_OP_REPLACE));
    EXPECT_OK(dart_accumulate(to, more, 2, type->id, op));
    EXPECT_OK(dart_fetch_and_op(to, &big, &old, type->id, op));
    EXPECT_OK(dart_fetch_and_op(test_byte(to, type->size), NULL, &got[1], type->id, DART_OP_NO_OP));
    EXPECT_OK(dart_fetch_and_op(to, NULL, &got[0], type->id, DART_OP_NO_OP));
    EXPECT_OK(dart_flush(to));
    EXPECT_EQ(old, op == DART_OP_MIN ? small : big);
    EXPECT_EQ(got[0], op == DART_OP_MIN ? small : big);
    EXPECT_EQ(got[1], op == DART_OP_MIN ? small : big);
    test_barrier();
  }
}

TEST(accumulate_replaces_and_leaves_alone) /* REPLACE and NO_OP, every type */
{
  enum { COUNT = 9 };
  dart_gptr_t       segment = test_segment(DART_TEAM_ALL, COUNT * TEST_TYPE_SIZE_MAX, 0);
  void             *mine    = test_mine(segment);
  _Alignas(16) char values[COUNT * TEST_TYPE_SIZE_MAX];
  int               left = (me + n - 1) % n;

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];

    for (size_t i = 0; i < COUNT; i++) {
      test_store(type, mine, i, 50 + (int64_t)i);
      test_store(type, values, i, test_operand(type, DART_OP_SUM, me, i));
    }
    test_barrier();
    EXPECT_OK(dart_accumulate(test_unit(segment, right_by(1)), values, COUNT - 1, type->id,
                              DART_OP_NO_OP));
    EXPECT_OK(dart_flush_all(segment));
    test_barrier();
    test_note("%s", type->name);
    for (size_t i = 0; i < COUNT; i++)
      EXPECT_EQ(test_load(type, mine, i), 50 + (int64_t)i);
    test_barrier();
    EXPECT_OK(dart_accumulate(test_unit(segment, right_by(1)), values, COUNT - 1, type->id,
                              DART_OP_REPLACE));
    EXPECT_OK(dart_flush_all(segment));
    test_barrier();
    for (size_t i = 0; i < COUNT; i++)
      EXPECT_EQ(test_load(type, mine, i),
                i < COUNT - 1 ? test_operand(type, DART_OP_SUM, left, i) : 58);
    test_barrier();
  }
}

TEST(blocking_local_has_used_its_source) /* K112 */
{
  enum { COUNT = 500 };
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, COUNT * sizeof(int64_t), 0);
  int64_t     values[COUNT];
  int         wrong = 0;

  for (int distance = 0; distance < n; distance++) {
    for (int i = 0; i < COUNT; i++)
      values[i] = 1000 * me + i;
    EXPECT_OK(dart_accumulate_blocking_local(test_unit(segment, right_by(distance)), values, COUNT,
                                             T_INT64, DART_OP_SUM));
    memset(values, 0x7e, sizeof values);
  }
  EXPECT_OK(dart_flush_all(segment));
  test_barrier();
  for (int i = 0; i < COUNT; i++)
    wrong += test_mine(segment)[i] != 1000 * (n * (n - 1) / 2) + n * i;
  EXPECT_EQ(wrong, 0);
}

TEST(atomics_of_one_unit_keep_their_order) /* K113 */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t     start = -100, one = 1, two = 2, three = 3, old[2] = { -1, -1 };
    dart_gptr_t cell = test_alloc(&start, 1, right_by(distance));

    test_note("distance %d", distance);
    EXPECT_OK(dart_accumulate(cell, &one, 1, T_INT64, DART_OP_REPLACE));
    EXPECT_OK(dart_accumulate(cell, &two, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(cell, NULL, &old[0], T_INT64, DART_OP_NO_OP));
    EXPECT_OK(dart_accumulate(cell, &three, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_compare_and_swap(cell, &one, &one, &old[1], T_INT64)); /* 6 is not 1 */
    EXPECT_OK(dart_flush(cell));
    EXPECT_EQ(old[0], 3);
    EXPECT_EQ(old[1], 6);
    test_barrier();
    EXPECT_EQ(*test_mine(cell), 6);
  }
}

/* ---- Fetch and op ---------------------------------------------------------------------------- */

TEST(fetched_values_are_a_permutation) /* K105: every integer type */
{
  enum { EACH = 12 }; /* n * EACH fits a signed byte for n <= 10 */
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, TEST_TYPE_SIZE_MAX, 0);
  int64_t     fetched[EACH], *all = malloc((size_t)n * EACH * sizeof *all);

  if (!EXPECT_TRUE(n <= 10))
    return;
  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type      = &test_types[t];
    dart_gptr_t        cell      = test_unit(segment, t % n);
    char               seen[128] = { 0 };
    int                missing   = 0;
    _Alignas(16) char  one[TEST_TYPE_SIZE_MAX], old[TEST_TYPE_SIZE_MAX];

    if (type->kind != TEST_SIGNED && type->kind != TEST_UNSIGNED)
      continue;
    test_note("%s", type->name);
    test_store(type, test_mine(segment), 0, 0);
    test_store(type, one, 0, 1);
    test_barrier();
    for (int i = 0; i < EACH; i++) {
      test_store(type, old, 0, -1);
      EXPECT_OK(dart_fetch_and_op(cell, one, old, type->id, DART_OP_SUM));
      EXPECT_OK(i % 2 == 0 ? dart_flush_local(cell) : dart_flush(cell));
      fetched[i] = test_load(type, old, 0);
      if (i > 0)
        EXPECT_TRUE(fetched[i] > fetched[i - 1]);
    }
    EXPECT_OK(dart_allgather(fetched, all, EACH, T_INT64, DART_TEAM_ALL));
    for (int i = 0; i < n * EACH; i++) {
      if (EXPECT_TRUE(all[i] >= 0 && all[i] < n * EACH))
        seen[all[i]] = 1;
    }
    for (int i = 0; i < n * EACH; i++)
      missing += !seen[i];
    EXPECT_EQ(missing, 0);
  }
  free(all);
}

TEST(fetch_returns_the_old_and_stores_the_new) /* K105 K106: every operator on every type */
{
  dart_gptr_t       segment = test_segment(DART_TEAM_ALL, 3 * TEST_TYPE_SIZE_MAX, 0);
  void             *mine    = test_mine(segment);
  _Alignas(16) char value[TEST_TYPE_SIZE_MAX], old[3 * TEST_TYPE_SIZE_MAX];

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];

    for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_NO_OP; op++) {
      int to = right_by(t + (int)op), from = (me + n - (t + (int)op) % n) % n;

      if (!test_has_op(type, op) && op < DART_OP_REPLACE)
        continue;
      test_note("%s on %s", test_op_name(op), type->name);
      for (size_t i = 0; i < 3; i++) {
        test_store(type, mine, i, test_operand(type, op, me + 3, i));
        test_store(type, old, i, 99);
      }
      test_store(type, value, 0, test_operand(type, op, me, 5));
      test_barrier();
      EXPECT_OK(dart_fetch_and_op(test_byte(test_unit(segment, to), type->size), value,
                                  old + type->size, type->id, op));
      EXPECT_OK(dart_flush(test_unit(segment, to)));
      EXPECT_EQ(test_load(type, old, 0), 99);
      EXPECT_EQ(test_load(type, old, 1), test_operand(type, op, to + 3, 1));
      EXPECT_EQ(test_load(type, old, 2), 99);
      test_barrier();
      EXPECT_EQ(test_load(type, mine, 0), test_operand(type, op, me + 3, 0));
      EXPECT_EQ(test_load(type, mine, 1), test_combine(op, test_operand(type, op, me + 3, 1),
                                                       test_operand(type, op, from, 5)));
      EXPECT_EQ(test_load(type, mine, 2), test_operand(type, op, me + 3, 2));
      test_barrier();
    }
  }
}

TEST(floats_add_up) /* K106: fractions, many units, one element */
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 3 * TEST_TYPE_SIZE_MAX, 0);
  int         rounds  = 100;

  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t at = test_unit(segment, unit);
    float       f = 0.5f, old_f = -1;
    double      d = 0.25, old_d = -1;
    long double l = 0.125L, old_l = -1;

    for (int i = 0; i < rounds; i++) {
      EXPECT_OK(dart_fetch_and_op(at, &f, &old_f, DART_TYPE_FLOAT, DART_OP_SUM));
      EXPECT_OK(dart_fetch_and_op(test_byte(at, 16), &d, &old_d, DART_TYPE_DOUBLE, DART_OP_SUM));
      EXPECT_OK(
          dart_fetch_and_op(test_byte(at, 32), &l, &old_l, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
      EXPECT_OK(dart_flush(at));
      EXPECT_TRUE(old_f >= 0.5f * i && old_f < 0.5f * n * rounds);
      EXPECT_TRUE(old_d >= 0.25 * i && old_d < 0.25 * n * rounds);
      EXPECT_TRUE(old_l >= 0.125L * i && old_l < 0.125L * n * rounds);
    }
  }
  test_barrier();
  EXPECT_TRUE(*(float *)test_mine(segment) == 0.5f * n * rounds);
  EXPECT_TRUE(((double *)test_mine(segment))[2] == 0.25 * n * rounds);
  EXPECT_TRUE(((long double *)test_mine(segment))[2] == 0.125L * n * rounds);
}

TEST(no_op_is_an_atomic_read) /* K107 */
{
  for (int unit = 0; unit < n; unit++) {
    int64_t     cell[1] = { 4000 + me }, ignored = 17, got = -1;
    dart_gptr_t at = test_alloc(cell, 1, unit);

    EXPECT_OK(dart_fetch_and_op(at, NULL, &got, T_INT64, DART_OP_NO_OP));
    EXPECT_OK(dart_flush_local(at));
    EXPECT_EQ(got, 4000 + unit);
    got = -1;
    EXPECT_OK(dart_fetch_and_op(at, &ignored, &got, T_INT64, DART_OP_NO_OP));
    EXPECT_OK(dart_flush(at));
    EXPECT_EQ(got, 4000 + unit);
    test_barrier();
    EXPECT_EQ(*test_mine(at), 4000 + me);
  }
}

/* ---- Compare and swap ------------------------------------------------------------------------ */

TEST(swap_returns_the_old_value_either_way) /* K108 K109: every integer type */
{
  dart_gptr_t       segment = test_segment(DART_TEAM_ALL, 3 * TEST_TYPE_SIZE_MAX, 0);
  void             *mine    = test_mine(segment);
  _Alignas(16) char value[TEST_TYPE_SIZE_MAX], compare[TEST_TYPE_SIZE_MAX];
  _Alignas(16) char old[TEST_TYPE_SIZE_MAX];

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];

    for (int distance = 0; distance < n && type->kind <= TEST_UNSIGNED; distance++) {
      dart_gptr_t cell = test_byte(test_unit(segment, right_by(distance)), type->size);
      int         from = (me + n - distance) % n;

      test_note("%s, distance %d", type->name, distance);
      for (size_t i = 0; i < 3; i++)
        test_store(type, mine, i, 10 + me);
      test_store(type, value, 0, 60 + me);
      test_store(type, compare, 0, 11 + right_by(distance)); /* not what is there */
      test_store(type, old, 0, 99);
      test_barrier();
      EXPECT_OK(dart_compare_and_swap(cell, value, compare, old, type->id));
      EXPECT_OK(dart_flush(cell));
      EXPECT_EQ(test_load(type, old, 0), 10 + right_by(distance));
      test_barrier();
      EXPECT_EQ(test_load(type, mine, 1), 10 + me);
      test_barrier();

      test_store(type, compare, 0, 10 + right_by(distance));
      test_store(type, old, 0, 99);
      EXPECT_OK(dart_compare_and_swap(cell, value, compare, old, type->id));
      EXPECT_OK(dart_flush_local(cell));
      EXPECT_EQ(test_load(type, old, 0), 10 + right_by(distance));
      EXPECT_OK(dart_flush(cell));
      test_barrier();
      EXPECT_EQ(test_load(type, mine, 0), 10 + me);
      EXPECT_EQ(test_load(type, mine, 1), 60 + from);
      EXPECT_EQ(test_load(type, mine, 2), 10 + me);
      test_barrier();
    }
  }
}

TEST(bools_stay_bools) /* every operator that they have, on every pair */
{
  static const struct {
    dart_operation_t op;
    bool             result[4]; /* of false, false; false, true; true, false; true, true */
  } cases[] = {
    { DART_OP_BAND, { 0, 0, 0, 1 } },    { DART_OP_LAND, { 0, 0, 0, 1 } },
    { DART_OP_BOR, { 0, 1, 1, 1 } },     { DART_OP_LOR, { 0, 1, 1, 1 } },
    { DART_OP_BXOR, { 0, 1, 1, 0 } },    { DART_OP_LXOR, { 0, 1, 1, 0 } },
    { DART_OP_REPLACE, { 0, 1, 0, 1 } },
  };
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 16, 0x5a),
              right   = test_unit(segment, right_by(1));
  bool *mine          = (bool *)test_mine(segment), old;

  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int pair = 0; pair < 4; pair++) {
      bool there = pair / 2, operand = pair % 2;

      mine[0] = mine[1] = there;
      test_barrier();
      EXPECT_OK(dart_accumulate(right, &operand, 1, DART_TYPE_BOOL, cases[c].op));
      EXPECT_OK(
          dart_fetch_and_op(test_byte(right, 1), &operand, &old, DART_TYPE_BOOL, cases[c].op));
      EXPECT_OK(dart_flush(right));
      EXPECT_EQ(old, there);
      test_barrier();
      test_note("%s, %d", test_op_name(cases[c].op), pair);
      EXPECT_EQ(mine[0], cases[c].result[pair]);
      EXPECT_EQ(mine[1], cases[c].result[pair]);
      test_barrier();
    }
  EXPECT_FILLED((char *)mine + 2, 0x5a, 14);
  for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_PROD; op++)
    EXPECT_INVAL(dart_accumulate(right, &old, 1, DART_TYPE_BOOL, op));
}

TEST(bools_swap) /* false for true, and not true for true */
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 3, 0);
  dart_gptr_t cell    = test_byte(test_unit(segment, right_by(1)), 1);
  const bool  yes = true, no = false;
  bool        old = true;

  test_barrier();
  EXPECT_OK(dart_compare_and_swap(cell, &yes, &no, &old, DART_TYPE_BOOL));
  EXPECT_OK(dart_flush(cell));
  EXPECT_TRUE(!old);
  EXPECT_OK(dart_compare_and_swap(cell, &yes, &no, &old, DART_TYPE_BOOL));
  EXPECT_OK(dart_flush(cell));
  EXPECT_TRUE(old);
  test_barrier();
  EXPECT_TRUE(!((bool *)test_mine(segment))[0]);
  EXPECT_TRUE(((bool *)test_mine(segment))[1]);
  EXPECT_TRUE(!((bool *)test_mine(segment))[2]);
}

TEST(narrow_extremes_are_those_of_their_sign) /* where sign and width of the operands decide */
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 64, 0), right = test_unit(segment, right_by(1));
  unsigned char *mine   = (unsigned char *)test_mine(segment);
  const uint8_t  u8[2]  = { 200, 100 };
  const int8_t   s8[2]  = { -56, 100 };
  const uint16_t u16[2] = { 40000, 7 };

  for (int way = 0; way < 2; way++) { /* one onto the other, and the other way round */
    memcpy(mine, &u8[way], 1);
    memcpy(mine + 1, &u8[way], 1);
    memcpy(mine + 2, &s8[way], 1);
    memcpy(mine + 3, &s8[way], 1);
    memcpy(mine + 4, &u16[way], 2);
    memcpy(mine + 6, &u16[way], 2);
    test_barrier();
    EXPECT_OK(dart_accumulate(right, &u8[!way], 1, DART_TYPE_UINT8, DART_OP_MIN));
    EXPECT_OK(dart_accumulate(test_byte(right, 1), &u8[!way], 1, DART_TYPE_UINT8, DART_OP_MAX));
    EXPECT_OK(dart_accumulate(test_byte(right, 2), &s8[!way], 1, DART_TYPE_INT8, DART_OP_MIN));
    EXPECT_OK(dart_accumulate(test_byte(right, 3), &s8[!way], 1, DART_TYPE_INT8, DART_OP_MAX));
    EXPECT_OK(dart_accumulate(test_byte(right, 4), &u16[!way], 1, DART_TYPE_UINT16, DART_OP_MIN));
    EXPECT_OK(dart_accumulate(test_byte(right, 6), &u16[!way], 1, DART_TYPE_UINT16, DART_OP_MAX));
    EXPECT_OK(dart_flush(right));
    test_barrier();
    EXPECT_EQ(mine[0], 100);
    EXPECT_EQ(mine[1], 200);
    EXPECT_EQ((int8_t)mine[2], -56);
    EXPECT_EQ((int8_t)mine[3], 100);
    EXPECT_EQ(*(uint16_t *)(void *)(mine + 4), 7);
    EXPECT_EQ(*(uint16_t *)(void *)(mine + 6), 40000);
    test_barrier();
  }
}

TEST(complex_numbers_have_a_field) /* sums and products of both parts, and nothing else */
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 64, 0), right = test_unit(segment, right_by(1));
  float _Complex f  = 3 + 4 * I, *in_f;
  double _Complex d = 3 + 4 * I, old = 0, *in_d;

  in_f  = (float _Complex *)test_mine(segment);
  in_d  = (double _Complex *)(void *)((char *)test_mine(segment) + 16);
  *in_f = 1 + 2 * I;
  *in_d = 1 + 2 * I;
  test_barrier();
  EXPECT_OK(dart_accumulate(right, &f, 1, DART_TYPE_FLOAT_COMPLEX, DART_OP_PROD));
  EXPECT_OK(dart_accumulate(test_byte(right, 16), &d, 1, DART_TYPE_DOUBLE_COMPLEX, DART_OP_SUM));
  EXPECT_OK(
      dart_fetch_and_op(test_byte(right, 16), &d, &old, DART_TYPE_DOUBLE_COMPLEX, DART_OP_PROD));
  EXPECT_OK(dart_flush(right));
  EXPECT_TRUE(old == 4 + 6 * I);
  test_barrier();
  EXPECT_TRUE(*in_f == -5 + 10 * I);
  EXPECT_TRUE(*in_d == -12 + 34 * I);
  EXPECT_INVAL(dart_accumulate(right, &f, 1, DART_TYPE_FLOAT_COMPLEX, DART_OP_MAX));
  EXPECT_INVAL(dart_accumulate(right, &d, 1, DART_TYPE_DOUBLE_COMPLEX, DART_OP_BAND));
  EXPECT_INVAL(dart_accumulate(right, &f, 1, DART_TYPE_BOOL, DART_OP_SUM));
  /* C aligns a double _Complex to 8 bytes, an atomic needs 16 */
  EXPECT_INVAL(dart_accumulate(test_byte(right, 8), &d, 1, DART_TYPE_DOUBLE_COMPLEX, DART_OP_SUM));
  test_barrier();
}

TEST(floats_do_not_swap) /* K109 */
{
  const dart_datatype_t wrong[] = { DART_TYPE_FLOAT, DART_TYPE_DOUBLE, DART_TYPE_LONG_DOUBLE,
                                    DART_TYPE_FLOAT_COMPLEX, DART_TYPE_DOUBLE_COMPLEX };
  dart_gptr_t           segment = test_segment(DART_TEAM_ALL, TEST_TYPE_SIZE_MAX, 0x5a);
  char                  value[16], compare[16], old[16];

  memset(value, 1, 16);
  memset(compare, 0x5a, 16);
  memset(old, 3, 16);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    EXPECT_INVAL(
        dart_compare_and_swap(test_unit(segment, right_by(1)), value, compare, old, wrong[i]));
  EXPECT_FILLED(old, 3, 16);
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, 16);
}

TEST(increments_by_swap_lose_nothing) /* K110 */
{
  int rounds = test_rounds(300);

  for (int unit = 0; unit < n; unit++) {
    int64_t     zero = 0;
    dart_gptr_t cell = test_alloc(&zero, 1, unit);

    for (int i = 0; i < rounds; i++) {
      int64_t expected = i, old, next; /* a guess to begin with */

      for (;;) {
        old  = -1;
        next = expected + 1;
        if (!EXPECT_OK(dart_compare_and_swap(cell, &next, &expected, &old, T_INT64)) ||
            !EXPECT_OK(dart_flush(cell)) || old == expected)
          break;
        if (!EXPECT_TRUE(old > expected)) /* it only grows */
          break;
        expected = old;
        test_pause();
      }
    }
    test_barrier();
    EXPECT_EQ(*test_mine(cell), me == unit ? n * rounds : 0);
  }
}

TEST(swap_does_not_fail_without_interference) /* K110 */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0);

  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t cell = test_at(test_unit(cells, unit), (size_t)me);

    for (int64_t i = 0; i < 100; i++) {
      int64_t next = i + 1, old = -1;

      EXPECT_OK(dart_compare_and_swap(cell, &next, &i, &old, T_INT64));
      EXPECT_OK(dart_flush(cell));
      EXPECT_EQ(old, i);
    }
  }
}

/* ---- Mixtures -------------------------------------------------------------------------------- */

TEST(any_mixture_is_atomic) /* K111: every update keeps the upper half equal to the lower */
{
  const int64_t both   = ((int64_t)1 << 32) + 1;
  int           rounds = test_rounds(500);

  for (int unit = 0; unit < n; unit++) {
    int64_t     zero = 0;
    dart_gptr_t cell = test_alloc(&zero, 1, unit);

    for (int i = 0; i < rounds; i++) {
      int64_t old = -1, seen = -1, next;

      switch ((me + i) % 4) {
      case 0: EXPECT_OK(dart_accumulate(cell, &both, 1, T_INT64, DART_OP_SUM)); break;
      case 1:
        next = both * (1000 * (me + 1) + i);
        EXPECT_OK(dart_fetch_and_op(cell, &next, &old, T_INT64, DART_OP_REPLACE));
        EXPECT_OK(dart_flush(cell));
        EXPECT_EQ(old >> 32, old & 0xffffffff);
        break;
      case 2:
        EXPECT_OK(dart_fetch_and_op(cell, &both, &old, T_INT64, DART_OP_SUM));
        EXPECT_OK(dart_flush(cell));
        EXPECT_EQ(old >> 32, old & 0xffffffff);
        break;
      case 3:
        EXPECT_OK(dart_fetch_and_op(cell, NULL, &seen, T_INT64, DART_OP_NO_OP));
        EXPECT_OK(dart_flush(cell));
        EXPECT_EQ(seen >> 32, seen & 0xffffffff);
        next = seen + both;
        EXPECT_OK(dart_compare_and_swap(cell, &next, &seen, &old, T_INT64));
        EXPECT_OK(dart_flush(cell));
        EXPECT_EQ(old >> 32, old & 0xffffffff);
        break;
      }
    }
    EXPECT_OK(dart_flush(cell));
    test_barrier();
    EXPECT_EQ(*test_mine(cell) >> 32, *test_mine(cell) & 0xffffffff);
  }
}

TEST(sums_and_swaps_count_together) /* K111: nothing is lost between the two kinds */
{
  int rounds = test_rounds(300);

  for (int unit = 0; unit < n; unit++) {
    int64_t     zero = 0, one = 1;
    dart_gptr_t cell = test_alloc(&zero, 1, unit);

    for (int i = 0; i < rounds; i++) {
      int64_t expected = 0, old = -1, next;

      if ((me + i) % 2 == 0) {
        EXPECT_OK(dart_accumulate(cell, &one, 1, T_INT64, DART_OP_SUM));
        continue;
      }
      for (;;) {
        next = expected + 1;
        if (!EXPECT_OK(dart_compare_and_swap(cell, &next, &expected, &old, T_INT64)) ||
            !EXPECT_OK(dart_flush(cell)) || old == expected)
          break;
        expected = old;
        test_pause();
      }
    }
    EXPECT_OK(dart_flush(cell));
    test_barrier();
    EXPECT_EQ(*test_mine(cell), me == unit ? n * rounds : 0);
  }
}

TEST(owner_and_others_lose_nothing) /* K114: the owner by its own pointer, on all its elements */
{
  dart_gptr_t cells   = test_segment(DART_TEAM_ALL, 8 * sizeof(int64_t), 0);
  int64_t     ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, old;
  int         rounds  = 100;

  for (int i = 0; i < rounds; i++) {
    EXPECT_OK(dart_accumulate(test_unit(cells, me), ones, 8, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_accumulate(test_unit(cells, right_by(1)), ones, 8, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(test_at(test_unit(cells, right_by(2)), (size_t)i % 8), ones, &old,
                                T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush_local(test_unit(cells, right_by(2))));
  }
  EXPECT_OK(dart_flush_all(cells));
  test_barrier();
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(test_mine(cells)[i], 2 * rounds + rounds / 8 + (i < rounds % 8));
}

TEST(neighbouring_small_elements_do_not_disturb) /* K114 */
{
  enum { COUNT = 24, ROUNDS = 60 };

  for (int t = 0; t < 2; t++) {
    const test_type_t *type  = &test_types[t]; /* BYTE, SHORT */
    dart_gptr_t        cells = test_segment(DART_TEAM_ALL, COUNT * type->size, 0);
    short              one   = 1; /* its first byte is a one too */
    int                wrong = 0;

    if (!EXPECT_EQ(*(char *)&one, 1))
      return;
    for (int unit = 0; unit < n; unit++) {
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = me; i < COUNT; i += n) /* element i is unit i % n's to count on */
          EXPECT_OK(dart_accumulate(test_byte(test_unit(cells, unit), (size_t)i * type->size), &one,
                                    1, type->id, DART_OP_SUM));
      }
    }
    EXPECT_OK(dart_flush_all(cells));
    test_barrier();
    test_note("%s", type->name);
    for (size_t i = 0; i < COUNT; i++)
      wrong += test_load(type, test_mine(cells), i) != ROUNDS;
    EXPECT_EQ(wrong, 0);
  }
}

TEST(atomics_work_on_sub_teams)
{
  dart_team_t team  = test_split(DART_TEAM_ALL, 2);
  int         size  = test_team_size(team);
  dart_gptr_t cells = test_segment(team, sizeof(int64_t), 0);
  int64_t     one   = 1;

  for (int i = 0; i < 50; i++) {
    for (int unit = 0; unit < size; unit++)
      EXPECT_OK(dart_accumulate(test_unit(cells, unit), &one, 1, T_INT64, DART_OP_SUM));
  }
  EXPECT_OK(dart_flush_all(cells));
  EXPECT_OK(dart_barrier(team));
  EXPECT_EQ(*test_mine(cells), 50 * size);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

TEST(operators_without_atomic_form_are_refused) /* K115 */
{
  const struct {
    dart_datatype_t  type;
    dart_operation_t op;
  } wrong[] = {
    { DART_TYPE_INT, DART_OP_MINMAX },    { DART_TYPE_INT, DART_OP_UNDEFINED },
    { DART_TYPE_INT, DART_OP_LAST },      { DART_TYPE_INT, 12345 },
    { DART_TYPE_FLOAT, DART_OP_BAND },    { DART_TYPE_DOUBLE, DART_OP_BXOR },
    { DART_TYPE_DOUBLE, DART_OP_LOR },    { DART_TYPE_LONG_DOUBLE, DART_OP_BOR },
    { DART_TYPE_UNDEFINED, DART_OP_SUM }, { DART_TYPE_LAST, DART_OP_SUM },
    { 1 << 20, DART_OP_REPLACE },         { -1, DART_OP_NO_OP },
  };
  dart_gptr_t       segment = test_segment(DART_TEAM_ALL, 64, 0x5a);
  dart_gptr_t       right   = test_unit(segment, right_by(1));
  _Alignas(16) char value[32], result[32];

  memset(value, 1, sizeof value);
  memset(result, 2, sizeof result);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    test_note("type %ld, operator %s", (long)wrong[i].type, test_op_name(wrong[i].op));
    EXPECT_INVAL(dart_accumulate(right, value, 2, wrong[i].type, wrong[i].op));
    EXPECT_INVAL(dart_accumulate_blocking_local(right, value, 2, wrong[i].type, wrong[i].op));
    EXPECT_INVAL(dart_fetch_and_op(right, value, result, wrong[i].type, wrong[i].op));
  }
  EXPECT_FILLED(result, 2, sizeof result);
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, 64);
}
