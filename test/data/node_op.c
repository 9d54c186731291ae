/* Operators: where they are valid, and every (type, operator) against the slow reference; and the
 * operators a program makes. */
#include <complex.h>

#include "node_data.h"

#include "data/name.h"
#include "data/op.h"
#include "data/type.h"

enum { MOST = 200, GUARD = 32 };

static void validity_is_the_contracts_table(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    TEST_FOR_OPS(op)
    {
      bool reduces = test_op_is_valid(t, op, false);

      assert_int_equal(dart__op_reduces(op, t->type, 4), reduces);
      assert_int_equal(dart__op_reduces(op, t->type, 5), reduces && op != DART_OP_MINMAX);
      assert_int_equal(dart__op_reduces(op, t->type, 0), reduces);
      assert_int_equal(dart__op_is_atomic(op, t->type), test_op_is_valid(t, op, true));
    }
    assert_false(dart__op_reduces(4711, t->type, 1));
    assert_false(dart__op_is_atomic(4711, t->type));
    assert_false(dart__op_reduces(UINTPTR_MAX, t->type, 1));
  }
}

static void other_types_have_no_predefined_operators(void **state)
{
  dart_datatype_t types[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 0, 0 };

  (void)state;
  assert_int_equal(dart_type_create_custom(4, &types[3]), DART_OK);
  assert_int_equal(dart_type_create_strided(DART_TYPE_INT, 2, 1, &types[4]), DART_OK);
  for (size_t i = 0; i < 5; i++)
    TEST_FOR_OPS(op)
    {
      assert_false(dart__op_reduces(op, types[i], 2));
      assert_false(dart__op_is_atomic(op, types[i]));
    }
  dart_type_destroy(&types[3]);
  dart_type_destroy(&types[4]);
}

/* Both buffers misaligned, guards around the one that is written. */
static void check_combine(const test_type_t *t, dart_operation_t op, size_t nelem, uint64_t *random)
{
  static char in[MOST * 16 + 1], inout[MOST * 16 + 2 * GUARD], before[sizeof inout];
  char       *from = in + 1, *to = inout + GUARD - 3, *old = before + GUARD - 3;

  memset(inout, 0x5a, sizeof inout);
  for (size_t i = 0; i < nelem; i++) {
    test_set_random(t, from + i * t->nbytes, random);
    test_set_random(t, to + i * t->nbytes, random);
    if (i % 7 == 0)
      memcpy(to + i * t->nbytes, from + i * t->nbytes, t->nbytes);
  }
  memcpy(before, inout, sizeof before);
  dart__op_combine(op, t->type, from, to, nelem);

  for (size_t i = 0; i < nelem; i++) {
    char          want[16];
    test_number_t a = test_load(t, from + i * t->nbytes), b = test_load(t, old + i * t->nbytes);

    test_store(t, want, test_apply(t, op, i, a, b));
    if (!test_equal(t, to + i * t->nbytes, want))
      fail_msg("%s op %d, element %zu of %zu", t->name, (int)op, i, nelem);
  }
  assert_memory_equal(inout, before, GUARD - 3);
  assert_memory_equal(to + nelem * t->nbytes, old + nelem * t->nbytes,
                      (size_t)(inout + sizeof inout - (to + nelem * t->nbytes)));
}

static void every_operator_equals_the_reference(void **state)
{
  static const size_t counts[] = { 0, 1, 2, 3, 15, 16, 17, 33, 64, 101, MOST };
  uint64_t            random   = 88172645463325252;

  (void)state;
  TEST_FOR_TYPES(t)
  TEST_FOR_OPS(op)
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    if (dart__op_reduces(op, t->type, counts[i]))
      check_combine(t, op, counts[i], &random);
}

static void integers_wrap_and_bytes_are_chars(void **state)
{
  unsigned char byte_in[] = { 200, 200, 1 }, byte[] = { 100, 2, 255 };
  short         short_in = -1, short_inout = SHRT_MIN;
  int           int_in = INT_MAX, int_inout = 2;
  long long     long_in = LLONG_MIN, long_inout = -1;
  char          least[] = { (char)200 }, other[] = { 100 };

  (void)state;
  dart__op_combine(DART_OP_SUM, DART_TYPE_BYTE, byte_in, byte, 3);
  assert_int_equal(byte[0], (200 + 100) % 256);
  assert_int_equal(byte[1], 202);
  assert_int_equal(byte[2], 0);
  dart__op_combine(DART_OP_SUM, DART_TYPE_SHORT, &short_in, &short_inout, 1);
  assert_int_equal(short_inout, SHRT_MAX);
  short_in = short_inout = -1; /* 65535 * 65535 as unsigned short is more than an int */
  dart__op_combine(DART_OP_PROD, DART_TYPE_SHORT, &short_in, &short_inout, 1);
  assert_int_equal(short_inout, 1);
  dart__op_combine(DART_OP_PROD, DART_TYPE_INT, &int_in, &int_inout, 1);
  assert_int_equal(int_inout, -2);
  dart__op_combine(DART_OP_SUM, DART_TYPE_LONGLONG, &long_in, &long_inout, 1);
  assert_true(long_inout == LLONG_MAX);
  dart__op_combine(DART_OP_MIN, DART_TYPE_BYTE, least, other, 1);
  assert_int_equal(other[0], least[0] < 100 ? least[0] : 100);
}

static void complex_numbers_and_bools(void **state)
{
  float _Complex f_in[] = { 1 + 2 * I, I }, f[] = { 3 + 4 * I, I };
  double _Complex d_in = 1 + 2 * I, d = 3 + 4 * I;
  char bytes[sizeof d + 1]; /* operands may lie anywhere */
  bool in[] = { 0, 0, 1, 1 }, inout[] = { 0, 1, 0, 1 }, want[] = { 0, 1, 1, 0 };

  (void)state;
  dart__op_combine(DART_OP_PROD, DART_TYPE_FLOAT_COMPLEX, f_in, f, 2);
  assert_true(f[0] == -5 + 10 * I && f[1] == -1);
  memcpy(bytes + 1, &d, sizeof d);
  dart__op_combine(DART_OP_SUM, DART_TYPE_DOUBLE_COMPLEX, &d_in, bytes + 1, 1);
  memcpy(&d, bytes + 1, sizeof d);
  assert_true(d == 4 + 6 * I);
  dart__op_combine(DART_OP_LXOR, DART_TYPE_BOOL, in, inout, 4);
  assert_memory_equal(inout, want, sizeof want);
  for (dart_operation_t op = DART_OP_UNDEFINED; op <= DART_OP_LAST; op++) {
    bool is_sum   = op == DART_OP_SUM || op == DART_OP_PROD;
    bool is_logic = op >= DART_OP_BAND && op <= DART_OP_LXOR;

    assert_int_equal(dart__op_reduces(op, DART_TYPE_FLOAT_COMPLEX, 2), is_sum);
    assert_int_equal(dart__op_reduces(op, DART_TYPE_DOUBLE_COMPLEX, 2), is_sum);
    assert_int_equal(dart__op_reduces(op, DART_TYPE_BOOL, 2), is_logic);
  }
}

static void pairs_of_minmax_are_independent(void **state)
{
  int in[] = { 5, 1, -3, 9, 7, 7 }, inout[] = { 6, 0, -4, 10, 7, 8 };
  int want[] = { 5, 1, -4, 10, 7, 8 };

  (void)state;
  dart__op_combine(DART_OP_MINMAX, DART_TYPE_INT, in, inout, 6);
  assert_memory_equal(inout, want, sizeof want);
}

/* --- User-defined operators --- */

typedef struct {
  int    calls;
  size_t longest;
} seen_t;

/* 2x2 matrices: associative, not commutative. */
static void multiply_matrices(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  const int *a    = invec;
  int       *b    = inoutvec;
  seen_t    *seen = user_data;

  for (size_t i = 0; i < len; i++, a += 4, b += 4) {
    int c[] = { a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3] };

    memcpy(b, c, sizeof c);
  }
  seen->calls++;
  seen->longest = len > seen->longest ? len : seen->longest;
}

static void user_operators_get_their_operands_in_order(void **state)
{
  int              in[2][4]    = { { 1, 2, 3, 4 }, { 1, 0, 0, 1 } };
  int              inout[2][4] = { { 0, 1, 1, 0 }, { 5, 6, 7, 8 } };
  int              want[2][4]  = { { 2, 1, 4, 3 }, { 5, 6, 7, 8 } };
  seen_t           seen        = { 0, 0 };
  dart_datatype_t  matrix;
  dart_operation_t op;

  (void)state;
  assert_int_equal(dart_type_create_custom(sizeof in[0], &matrix), DART_OK);
  assert_int_equal(dart_op_create(multiply_matrices, &seen, false, matrix, true, &op), DART_OK);
  assert_true(op > DART_OP_LAST);
  assert_true(dart__op_reduces(op, matrix, 2));
  dart__op_combine(op, matrix, in, inout, 2);
  assert_memory_equal(inout, want, sizeof want);
  assert_int_equal(seen.calls, 1);
  assert_int_equal(seen.longest, 2);

  dart__op_combine(op, matrix, in, inout, 0); /* never called with nothing */
  assert_int_equal(seen.calls, 1);

  assert_int_equal(dart_type_destroy(&matrix), DART_OK); /* before the operator */
  assert_int_equal(dart_op_destroy(&op), DART_OK);
  assert_int_equal(op, DART_OP_UNDEFINED);
}

static void user_operators_know_their_type_and_whether_they_commute(void **state)
{
  seen_t           seen = { 0, 0 };
  dart_datatype_t  a, b;
  dart_operation_t of_a, of_int;

  (void)state;
  assert_int_equal(dart_type_create_custom(16, &a), DART_OK);
  assert_int_equal(dart_type_create_custom(16, &b), DART_OK);
  assert_int_equal(dart_op_create(multiply_matrices, &seen, false, a, false, &of_a), DART_OK);
  assert_int_equal(dart_op_create(multiply_matrices, &seen, true, DART_TYPE_INT, false, &of_int),
                   DART_OK);
  assert_true(of_a != of_int);
  assert_true(dart__op_reduces(of_a, a, 1));
  assert_true(dart__op_reduces(of_a, a, 3));
  assert_false(dart__op_reduces(of_a, b, 1)); /* equal in size only */
  assert_false(dart__op_reduces(of_a, DART_TYPE_BYTE, 16));
  assert_true(dart__op_reduces(of_int, DART_TYPE_INT, 1));
  assert_false(dart__op_reduces(of_int, DART_TYPE_UINT, 1));
  assert_false(dart__op_is_atomic(of_int, DART_TYPE_INT));
  assert_false(dart__op_commutes(of_a));
  assert_true(dart__op_commutes(of_int));
  TEST_FOR_OPS(op)
  assert_true(dart__op_commutes(op));
  assert_int_equal(dart_op_destroy(&of_a), DART_OK);
  assert_int_equal(dart_op_destroy(&of_int), DART_OK);
  dart_type_destroy(&a);
  dart_type_destroy(&b);
}

static void bad_operators_are_refused(void **state)
{
  dart_datatype_t  strided, gone;
  dart_operation_t op = 4711;

  (void)state;
  assert_int_equal(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided), DART_OK);
  assert_int_equal(dart_type_create_custom(8, &gone), DART_OK);
  EXPECT_ERROR(DART_ERR_INVAL, dart_op_create(NULL, NULL, true, DART_TYPE_INT, false, &op),
               "op is NULL");
  assert_int_equal(op, DART_OP_UNDEFINED);
  op = 4711;
  EXPECT_ERROR(DART_ERR_INVAL, dart_op_create(multiply_matrices, NULL, true, strided, false, &op),
               "dtype");
  assert_int_equal(op, DART_OP_UNDEFINED);
  EXPECT_ERROR(DART_ERR_INVAL,
               dart_op_create(multiply_matrices, NULL, true, DART_TYPE_UNDEFINED, false, &op),
               "dtype DART_TYPE_UNDEFINED");
  EXPECT_ERROR(DART_ERR_INVAL,
               dart_op_create(multiply_matrices, NULL, true, DART_TYPE_LAST, false, &op),
               "dtype 12");
  EXPECT_ERROR(DART_ERR_INVAL,
               dart_op_create(multiply_matrices, NULL, true, DART_TYPE_INT, false, NULL),
               "new_op is NULL");
  dart_type_destroy(&strided);
  strided = gone;
  dart_type_destroy(&gone);
  EXPECT_ERROR(DART_ERR_INVAL, dart_op_create(multiply_matrices, NULL, true, strided, false, &op),
               "dtype");
}

static void only_created_operators_can_be_destroyed(void **state)
{
  dart_operation_t op, stale;

  (void)state;
  EXPECT_ERROR(DART_ERR_INVAL, dart_op_destroy(NULL), "NULL");
  TEST_FOR_OPS(predefined)
  {
    dart_operation_t value = predefined;
    char             words[64];

    snprintf(words, sizeof words, "op %s is", dart__op_text(value).text);
    EXPECT_ERROR(DART_ERR_INVAL, dart_op_destroy(&value), words);
    assert_true(value == predefined);
  }
  assert_int_equal(dart_op_create(multiply_matrices, NULL, true, DART_TYPE_INT, false, &op),
                   DART_OK);
  stale = op;
  assert_int_equal(dart_op_destroy(&op), DART_OK);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(dart_op_create(multiply_matrices, NULL, true, DART_TYPE_INT, false, &op),
                     DART_OK);
    assert_true(op != stale);
    assert_int_equal(dart_op_destroy(&op), DART_OK);
  }
  assert_false(dart__op_reduces(stale, DART_TYPE_INT, 1));
  EXPECT_ERROR(DART_ERR_INVAL, dart_op_destroy(&stale), "no operator that a program made");

  assert_int_equal(dart_op_create(multiply_matrices, NULL, true, DART_TYPE_INT, false, &op),
                   DART_OK);
  dart__op_clear();
  assert_false(dart__op_reduces(op, DART_TYPE_INT, 1));
}

static int clear(void **state)
{
  (void)state;
  dart__op_clear();
  dart__type_clear();
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(validity_is_the_contracts_table),
                                      cmocka_unit_test(other_types_have_no_predefined_operators),
                                      cmocka_unit_test(every_operator_equals_the_reference),
                                      cmocka_unit_test(integers_wrap_and_bytes_are_chars),
                                      cmocka_unit_test(complex_numbers_and_bools),
                                      cmocka_unit_test(pairs_of_minmax_are_independent),
                                      cmocka_unit_test(user_operators_get_their_operands_in_order),
                                      cmocka_unit_test(
                                          user_operators_know_their_type_and_whether_they_commute),
                                      cmocka_unit_test(bad_operators_are_refused),
                                      cmocka_unit_test(only_created_operators_can_be_destroyed) };

  return cmocka_run_group_tests_name("operators", tests, NULL, clear);
}
