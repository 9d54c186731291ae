/* Operators of the program in reduce and allreduce: statements L126 to L128, and K115. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(operator);

/* ---- A commutative one, with user data ------------------------------------------------------- */

/* An element that no basic type could be: three numbers, each reduced in its own way. */
typedef struct triple {
  int64_t smallest, sum, count;
} triple_t;

typedef struct seen {
  int64_t weight; /* read by the operator */
  size_t  longest, shortest;
  int     calls;
} seen_t;

static void combine(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  const triple_t *in    = invec;
  triple_t       *inout = inoutvec;
  seen_t         *seen  = user_data;

  for (size_t i = 0; i < len; i++) {
    inout[i].smallest = in[i].smallest < inout[i].smallest ? in[i].smallest : inout[i].smallest;
    inout[i].sum += in[i].sum;
    inout[i].count += in[i].count + seen->weight;
  }
  seen->longest  = len > seen->longest ? len : seen->longest;
  seen->shortest = len < seen->shortest ? len : seen->shortest;
  seen->calls++;
}

static triple_t triple_of(int unit, size_t index)
{
  return (triple_t){ (int64_t)(index * 7 + (size_t)unit * 5) % 23, 1000 * unit + (int64_t)index,
                     1 };
}

/* All results of `size` units: weight 10 for each of the size - 1 combinations. */
static int count_wrong(const triple_t *got, int first_unit, int step, int size, size_t nelem)
{
  int wrong = 0;

  for (size_t i = 0; i < nelem; i++) {
    triple_t expected = { INT64_MAX, 0, size + 10 * (size - 1) };

    for (int u = 0; u < size; u++) {
      triple_t one = triple_of(first_unit + u * step, i);

      expected.smallest = one.smallest < expected.smallest ? one.smallest : expected.smallest;
      expected.sum += one.sum;
    }
    wrong += memcmp(&got[i], &expected, sizeof expected) != 0;
  }
  return wrong;
}

static void reduce_triples(dart_team_t team, int step, size_t nelem)
{
  int              self = test_team_me(team), size = test_team_size(team), first = me - self * step;
  seen_t           seen = { 10, 0, SIZE_MAX, 0 };
  triple_t        *sent = calloc(nelem, sizeof *sent), *got = calloc(nelem, sizeof *got);
  dart_datatype_t  type;
  dart_operation_t op;

  test_note("team %d, %zu elements", team, nelem);
  for (size_t i = 0; i < nelem; i++)
    sent[i] = triple_of(me, i);
  EXPECT_OK(dart_type_create_custom(sizeof *sent, &type));
  EXPECT_OK(dart_op_create(combine, &seen, true, type, false, &op));
  EXPECT_TRUE(op > DART_OP_LAST);

  EXPECT_OK(dart_allreduce(sent, got, nelem, type, op, team));
  EXPECT_EQ(count_wrong(got, first, step, size, nelem), 0);
  for (int root = 0; root < size; root++) {
    memset(got, 0, nelem * sizeof *got);
    EXPECT_OK(dart_reduce(sent, self == root ? got : NULL, nelem, type, op, DART_TEAM_UNIT_ID(root),
                          team));
    if (self == root)
      EXPECT_EQ(count_wrong(got, first, step, size, nelem), 0);
  }
  EXPECT_OK(dart_allreduce(sent, sent, nelem, type, op, team)); /* in place */
  EXPECT_EQ(count_wrong(sent, first, step, size, nelem), 0);

  EXPECT_EQ(seen.weight, 10);
  if (seen.calls > 0) { /* whoever combines: it need not be this unit */
    EXPECT_TRUE(seen.shortest >= 1 && seen.longest <= nelem);
    if (nelem == 1)
      EXPECT_EQ(seen.longest, 1);
  }
  EXPECT_OK(dart_type_destroy(&type)); /* before the operator */
  EXPECT_EQ(type, DART_TYPE_UNDEFINED);
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_EQ(op, DART_OP_UNDEFINED);
  free(sent);
  free(got);
}

TEST(operators_of_the_program_reduce) /* L126: with user data, and elements of any size */
{
  for (int step = 1; step <= 3; step++) {
    dart_team_t team = step == 1 ? DART_TEAM_ALL : test_split(DART_TEAM_ALL, step);

    reduce_triples(team, step, 1);
    reduce_triples(team, step, 77);
    reduce_triples(team, step, 5001);
  }
}

static void add_ints(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  for (size_t i = 0; i < len; i++)
    ((int *)inoutvec)[i] += ((const int *)invec)[i];
  *(bool *)user_data |= len != 1;
}

TEST(one_element_is_combined_alone) /* L126: len is 1 where nelem is */
{
  dart_operation_t op[3];
  bool             longer = false;

  for (int i = 0; i < 3; i++)
    EXPECT_OK(dart_op_create(add_ints, &longer, true, DART_TYPE_INT, i == 1, &op[i]));
  EXPECT_TRUE(op[0] != op[1] && op[1] != op[2] && op[0] != op[2]);
  for (int round = 0; round < 30; round++) {
    int sum = -1, value = round + me;

    EXPECT_OK(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, op[round % 3], DART_TEAM_ALL));
    EXPECT_EQ(sum, n * round + n * (n - 1) / 2);
  }
  EXPECT_TRUE(!longer);
  for (int i = 0; i < 3; i++)
    EXPECT_OK(dart_op_destroy(&op[i]));
}

/* ---- One that does not commute --------------------------------------------------------------- */

/* Products of these differ whenever two factors change places. */
typedef struct matrix {
  uint32_t at[2][2];
} matrix_t;

static matrix_t product(matrix_t a, matrix_t b)
{
  matrix_t c;

  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      c.at[i][j] = a.at[i][0] * b.at[0][j] + a.at[i][1] * b.at[1][j];
  return c;
}

static void multiply(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  const matrix_t *in    = invec;
  matrix_t       *inout = inoutvec;

  (void)user_data;
  for (size_t i = 0; i < len; i++)
    inout[i] = product(in[i], inout[i]);
}

static matrix_t matrix_of(int unit, size_t index)
{
  return (
      matrix_t){ { { 1 + (uint32_t)unit, 2 + (uint32_t)index }, { 3, 5 + 7 * (uint32_t)unit } } };
}

static int count_wrong_products(const matrix_t *got, int first_unit, int step, int size,
                                size_t nelem)
{
  int wrong = 0;

  for (size_t i = 0; i < nelem; i++) {
    matrix_t expected = matrix_of(first_unit, i);

    for (int u = 1; u < size; u++)
      expected = product(expected, matrix_of(first_unit + u * step, i));
    wrong += memcmp(&got[i], &expected, sizeof expected) != 0;
  }
  return wrong;
}

TEST(factors_stay_in_the_order_of_the_team) /* L127 */
{
  const size_t     sizes[] = { 1, 50, 5003 };
  matrix_t        *sent = malloc(5003 * sizeof *sent), *got = malloc(5003 * sizeof *got);
  dart_datatype_t  type;
  dart_operation_t op;

  for (size_t i = 0; i < 5003; i++)
    sent[i] = matrix_of(me, i);
  EXPECT_OK(dart_type_create_custom(sizeof(matrix_t), &type));
  EXPECT_OK(dart_op_create(multiply, NULL, false, type, true, &op));
  for (int step = 1; step <= 3; step++) {
    dart_team_t team = step == 1 ? DART_TEAM_ALL : test_split(DART_TEAM_ALL, step);
    int         self = test_team_me(team), size = test_team_size(team), first = me - self * step;

    for (int s = 0; s < 3; s++) {
      test_note("team %d, %zu matrices", team, sizes[s]);
      memset(got, 0, sizes[s] * sizeof *got);
      EXPECT_OK(dart_allreduce(sent, got, sizes[s], type, op, team));
      EXPECT_EQ(count_wrong_products(got, first, step, size, sizes[s]), 0);
      for (int root = 0; root < size; root++) {
        memset(got, 0, sizes[s] * sizeof *got);
        EXPECT_OK(dart_reduce(sent, self == root ? got : NULL, sizes[s], type, op,
                              DART_TEAM_UNIT_ID(root), team));
        if (self == root)
          EXPECT_EQ(count_wrong_products(got, first, step, size, sizes[s]), 0);
      }
    }
  }
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_OK(dart_type_destroy(&type));
  free(sent);
  free(got);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

TEST(operators_serve_their_own_type_only) /* L128 */
{
  dart_datatype_t  strided, custom;
  dart_operation_t op      = 4711;
  int              sent[2] = { 1, 2 }, got[2] = { -1, -1 };
  bool             longer;

  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_custom(4, &custom));
  EXPECT_INVAL(dart_op_create(add_ints, &longer, true, strided, false, &op));
  EXPECT_EQ(op, DART_OP_UNDEFINED);
  EXPECT_OK(dart_op_create(add_ints, &longer, true, DART_TYPE_INT, false, &op));
  EXPECT_INVAL(dart_allreduce(sent, got, 2, DART_TYPE_UINT, op, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allreduce(sent, got, 2, custom, op, DART_TEAM_ALL));
  EXPECT_INVAL(dart_reduce(sent, got, 2, DART_TYPE_FLOAT, op, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(got[0], -1);
  EXPECT_EQ(got[1], -1);
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
}

TEST(operators_of_the_program_are_not_atomic) /* K115 */
{
  dart_gptr_t      segment = test_segment(DART_TEAM_ALL, 64, 0x5a);
  dart_gptr_t      right   = test_unit(segment, (me + 1) % n);
  int              value = 1, result = 2;
  bool             longer;
  dart_operation_t op;

  EXPECT_OK(dart_op_create(add_ints, &longer, true, DART_TYPE_INT, false, &op));
  EXPECT_REFUSED(dart_accumulate, (right, &value, 1, DART_TYPE_INT, op), DART_ERR_INVAL,
                 "type DART_TYPE_INT");
  EXPECT_REFUSED(dart_accumulate_blocking_local, (right, &value, 1, DART_TYPE_INT, op),
                 DART_ERR_INVAL, "type DART_TYPE_INT");
  EXPECT_REFUSED(dart_fetch_and_op, (right, &value, &result, DART_TYPE_INT, op), DART_ERR_INVAL,
                 "type DART_TYPE_INT");
  EXPECT_EQ(result, 2);
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, 64);
  EXPECT_OK(dart_op_destroy(&op));
}
