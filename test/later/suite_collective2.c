/* Scatter, gather, allgatherv, alltoall, operators of the user: statements L118 to L128 as far as
 * they are about these. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(collective2);

enum { TEAMS = 3 };

static void make_teams(dart_team_t team[TEAMS])
{
  team[0] = DART_TEAM_ALL;
  team[1] = test_split(DART_TEAM_ALL, 2);
  team[2] = test_split(DART_TEAM_ALL, 3);
}

/* ---- Blocks from one to all, from all to one, from all to all -------------------------------- */

static void scatter(dart_team_t team, int root, const test_type_t *type, size_t nelem)
{
  int            self = test_team_me(team), size = test_team_size(team);
  size_t         block = nelem * type->size, guard = 16;
  unsigned char *sent = malloc((size_t)size * block + 1), *received = malloc(block + guard);
  unsigned char *expected = malloc(block + 1);

  for (int unit = 0; unit < size; unit++)
    test_fill(sent + (size_t)unit * block, unit, root, block);
  test_fill(expected, self, root, block);
  memset(received, 0x5a, block + guard);
  EXPECT_OK(dart_scatter(self == root ? sent : NULL, received, nelem, type->id,
                         DART_TEAM_UNIT_ID(root), team));
  EXPECT_BYTES(received, expected, block);
  EXPECT_FILLED(received + block, 0x5a, guard);
  free(sent);
  free(received);
  free(expected);
}

static void gather(dart_team_t team, int root, const test_type_t *type, size_t nelem)
{
  int            self = test_team_me(team), size = test_team_size(team);
  size_t         block = nelem * type->size, nbytes = (size_t)size * block, guard = 16;
  unsigned char *sent = malloc(block + 1), *received = malloc(nbytes + guard);
  unsigned char *expected = malloc(nbytes + 1);

  for (int unit = 0; unit < size; unit++)
    test_fill(expected + (size_t)unit * block, unit, root, block);
  test_fill(sent, self, root, block);
  memset(received, 0x5a, nbytes + guard);
  EXPECT_OK(dart_gather(sent, self == root ? received : NULL, nelem, type->id,
                        DART_TEAM_UNIT_ID(root), team));
  if (self == root) {
    EXPECT_BYTES(received, expected, nbytes);
    EXPECT_FILLED(received + nbytes, 0x5a, guard);
  }
  free(sent);
  free(received);
  free(expected);
}

TEST(scatter_and_gather_for_every_root) /* L118 */
{
  const size_t counts[] = { 0, 1, 77 };
  dart_team_t  team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int root = 0; root < test_team_size(team[i]); root++) {
      for (int t = 0; t < TEST_TYPES; t++) {
        for (int c = 0; c < 3; c++) {
          test_note("team %d, root %d, %zu %s", team[i], root, counts[c], test_types[t].name);
          scatter(team[i], root, &test_types[t], counts[c]);
          gather(team[i], root, &test_types[t], counts[c]);
        }
      }
    }
  }
  scatter(DART_TEAM_ALL, n - 1, &test_types[4], 100003);
  gather(DART_TEAM_ALL, n - 1, &test_types[4], 100003);
}

static void alltoall(dart_team_t team, const test_type_t *type, size_t nelem)
{
  enum { PLAIN, NULL_SOURCE, SAME_BUFFER, WAYS };
  int            self = test_team_me(team), size = test_team_size(team);
  size_t         block = nelem * type->size, nbytes = (size_t)size * block, guard = 16;
  unsigned char *sent = malloc(nbytes + 1), *received = malloc(nbytes + guard);
  unsigned char *expected = malloc(nbytes + 1);

  for (int unit = 0; unit < size; unit++) {
    test_fill(sent + (size_t)unit * block, self, unit, block);
    test_fill(expected + (size_t)unit * block, unit, self, block);
  }
  for (int way = 0; way < WAYS; way++) {
    test_note("team %d, %zu %s, way %d", team, nelem, type->name, way);
    memset(received, 0x5a, nbytes + guard);
    if (way != PLAIN)
      memcpy(received, sent, nbytes);
    EXPECT_OK(dart_alltoall(way == PLAIN ? sent : way == NULL_SOURCE ? NULL : received, received,
                            nelem, type->id, team));
    EXPECT_BYTES(received, expected, nbytes);
    EXPECT_FILLED(received + nbytes, 0x5a, guard);
  }
  free(sent);
  free(received);
  free(expected);
}

TEST(alltoall_transposes_blocks) /* L125 */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int t = 0; t < TEST_TYPES; t++) {
      alltoall(team[i], &test_types[t], 0);
      alltoall(team[i], &test_types[t], 1);
      alltoall(team[i], &test_types[t], 77);
    }
    alltoall(team[i], &test_types[4], 20011);
  }
}

/* Unit i sends `first + i * step` elements (not less than none); blocks stand `gap` apart, in the
 * order of units or against it. */
static void allgatherv(dart_team_t team, int first, int step, size_t gap, bool reversed)
{
  enum { PLAIN, NULL_SOURCE, SAME_BUFFER, WAYS };
  int     self = test_team_me(team), size = test_team_size(team);
  size_t *counts = malloc((size_t)size * sizeof *counts);
  size_t *displs = malloc((size_t)size * sizeof *displs), total = gap;
  int    *sent, *received, *expected;

  for (int i = 0; i < size; i++) {
    int unit = reversed ? size - 1 - i : i, count = first + unit * step;

    counts[unit] = count > 0 ? (size_t)count : 0;
    displs[unit] = total;
    total += counts[unit] + gap;
  }
  sent     = malloc((counts[self] + 1) * sizeof *sent);
  received = malloc((total + 1) * sizeof *received);
  expected = malloc((total + 1) * sizeof *expected);
  memset(expected, 0xff, total * sizeof *expected);
  for (int unit = 0; unit < size; unit++) {
    for (size_t k = 0; k < counts[unit]; k++)
      expected[displs[unit] + k] = 1000 * unit + (int)k;
  }
  for (size_t k = 0; k < counts[self]; k++)
    sent[k] = 1000 * self + (int)k;

  for (int way = 0; way < WAYS; way++) {
    const int *source = way == PLAIN ? sent : way == NULL_SOURCE ? NULL : received;

    test_note("team %d, %d + %d each, gap %zu, way %d", team, first, step, gap, way);
    memset(received, 0xff, total * sizeof *received);
    if (way != PLAIN)
      memcpy(received + displs[self], sent, counts[self] * sizeof *sent);
    EXPECT_OK(dart_allgatherv(source, counts[self], DART_TYPE_INT, received, counts, displs, team));
    EXPECT_BYTES(received, expected, total * sizeof *received);
  }
  free(counts);
  free(displs);
  free(sent);
  free(received);
  free(expected);
}

TEST(allgatherv_takes_any_counts_and_gaps) /* L120 */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    allgatherv(team[i], 0, 1, 0, false);   /* 0, 1, 2, ...: the first sends nothing */
    allgatherv(team[i], 0, 1, 3, false);
    allgatherv(team[i], 2, -1, 2, false);  /* 2, 1, 0, 0, ... */
    allgatherv(team[i], 0, 0, 1, false);   /* nobody sends anything */
    allgatherv(team[i], 5, 2, 1, true);
    allgatherv(team[i], 10007, 1001, 0, false);
  }
}

TEST(blocks_in_own_portions) /* L129 */
{
  size_t      nbytes = (size_t)n * sizeof(int64_t);
  dart_gptr_t source = test_segment(DART_TEAM_ALL, nbytes, 0);
  dart_gptr_t sink   = test_segment(DART_TEAM_ALL, nbytes, 0xff);
  int64_t     mine   = -1;

  for (int unit = 0; unit < n; unit++)
    test_mine(source)[unit] = 100 * me + unit;
  EXPECT_OK(dart_alltoall(test_mine(source), test_mine(sink), 1, T_INT64, DART_TEAM_ALL));
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(test_mine(sink)[unit], 100 * unit + me);
  EXPECT_OK(dart_scatter(test_mine(source), &mine, 1, T_INT64, DART_TEAM_UNIT_ID(n - 1),
                         DART_TEAM_ALL));
  EXPECT_EQ(mine, 100 * (n - 1) + me);
  EXPECT_OK(dart_gather(&mine, test_mine(sink), 1, T_INT64, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  for (int unit = 0; unit < n && me == 0; unit++)
    EXPECT_EQ(test_mine(sink)[unit], 100 * (n - 1) + unit);
}

/* ---- Operators of the user ------------------------------------------------------------------- */

typedef struct seen {
  int    calls, stretch; /* added to every sum */
  size_t longest;
} seen_t;

static void stretched_sum(const void *in, void *inout, size_t len, void *user)
{
  const int *a    = in;
  int       *b    = inout;
  seen_t    *seen = user;

  for (size_t i = 0; i < len; i++)
    b[i] += a[i] + seen->stretch;
  seen->calls++;
  seen->longest = len > seen->longest ? len : seen->longest;
}

TEST(user_operators_get_their_data) /* L126 */
{
  enum { COUNT = 3000 };
  dart_team_t team[TEAMS];
  int        *sent = malloc(COUNT * sizeof *sent), *received = malloc(COUNT * sizeof *received);

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    int              self = test_team_me(team[i]), size = test_team_size(team[i]);
    seen_t           seen = { 0, 1000, 0 };
    dart_operation_t op   = DART_OP_UNDEFINED;

    EXPECT_OK(dart_op_create(stretched_sum, &seen, true, DART_TYPE_INT, false, &op));
    EXPECT_TRUE(op > DART_OP_NO_OP);
    for (size_t nelem = 1; nelem <= COUNT; nelem += COUNT - 1) {
      int wrong = 0;

      test_note("team %d, %zu elements", team[i], nelem);
      seen.longest = 0;
      for (size_t k = 0; k < nelem; k++)
        sent[k] = 10 * self + (int)k;
      memset(received, 0xff, COUNT * sizeof *received);
      EXPECT_OK(dart_allreduce(sent, received, nelem, DART_TYPE_INT, op, team[i]));
      for (size_t k = 0; k < nelem; k++)
        wrong += received[k] != 10 * (size * (size - 1) / 2) + size * (int)k + 1000 * (size - 1);
      EXPECT_EQ(wrong, 0);
      EXPECT_TRUE(seen.longest <= nelem);
      for (int root = 0; root < size; root++) {
        wrong = 0;
        EXPECT_OK(dart_reduce(sent, self == root ? received : NULL, nelem, DART_TYPE_INT, op,
                              DART_TEAM_UNIT_ID(root), team[i]));
        for (size_t k = 0; k < nelem && self == root; k++)
          wrong += received[k] != 10 * (size * (size - 1) / 2) + size * (int)k + 1000 * (size - 1);
        EXPECT_EQ(wrong, 0);
      }
    }
    EXPECT_OK(dart_op_destroy(&op));
    EXPECT_EQ(op, DART_OP_UNDEFINED);
  }
  free(sent);
  free(received);
}

typedef struct extreme {
  double value;
  int    unit, padding;
} extreme_t;

static void smaller(const void *in, void *inout, size_t len, void *user)
{
  const extreme_t *a = in;
  extreme_t       *b = inout;

  (void)user;
  for (size_t i = 0; i < len; i++) {
    if (a[i].value < b[i].value)
      b[i] = a[i];
  }
}

TEST(user_operators_take_types_of_the_user) /* L126: the type goes before the operator */
{
  enum { COUNT = 5 };
  extreme_t        sent[COUNT], received[COUNT];
  dart_datatype_t  type;
  dart_operation_t op;

  EXPECT_OK(dart_type_create_custom(sizeof(extreme_t), &type));
  EXPECT_OK(dart_op_create(smaller, NULL, true, type, true, &op));
  for (int i = 0; i < COUNT; i++)
    sent[i] = (extreme_t){ .value = (double)((me + i) % n), .unit = me };
  EXPECT_OK(dart_allreduce(sent, received, COUNT, type, op, DART_TEAM_ALL));
  for (int i = 0; i < COUNT; i++) {
    EXPECT_TRUE(received[i].value == 0);
    EXPECT_EQ(received[i].unit, (COUNT * n - i) % n);
  }
  EXPECT_OK(dart_type_destroy(&type));
  EXPECT_OK(dart_op_destroy(&op));
}

typedef struct matrix {
  uint64_t a, b, c, d;
} matrix_t;

static matrix_t multiply(matrix_t x, matrix_t y)
{
  return (matrix_t){ x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d,
                     x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d };
}

static void product(const void *in, void *inout, size_t len, void *user)
{
  const matrix_t *a = in;
  matrix_t       *b = inout;

  (void)user;
  for (size_t i = 0; i < len; i++)
    b[i] = multiply(a[i], b[i]);
}

static matrix_t matrix_of(int unit, int index)
{
  return (matrix_t){ (uint64_t)unit + 2, (uint64_t)index + 1, (uint64_t)unit * 3 + 1, 5 };
}

TEST(order_is_kept_where_it_matters) /* L127 */
{
  enum { COUNT = 700 };
  dart_team_t      team[TEAMS];
  matrix_t        *sent = malloc(COUNT * sizeof *sent), *received = malloc(COUNT * sizeof *sent);
  dart_datatype_t  type;
  dart_operation_t op;

  make_teams(team);
  EXPECT_OK(dart_type_create_custom(sizeof(matrix_t), &type));
  EXPECT_OK(dart_op_create(product, NULL, false, type, false, &op));
  for (int i = 0; i < TEAMS; i++) {
    int self = test_team_me(team[i]), size = test_team_size(team[i]);

    for (int k = 0; k < COUNT; k++)
      sent[k] = matrix_of(self, k);
    for (int root = -1; root < size; root++) { /* -1: allreduce */
      int wrong = 0;

      test_note("team %d, root %d", team[i], root);
      memset(received, 0, COUNT * sizeof *received);
      if (root < 0)
        EXPECT_OK(dart_allreduce(sent, received, COUNT, type, op, team[i]));
      else
        EXPECT_OK(dart_reduce(sent, received, COUNT, type, op, DART_TEAM_UNIT_ID(root), team[i]));
      for (int k = 0; k < COUNT && (root < 0 || root == self); k++) {
        matrix_t expected = matrix_of(0, k);

        for (int unit = 1; unit < size; unit++)
          expected = multiply(expected, matrix_of(unit, k));
        wrong += memcmp(&received[k], &expected, sizeof expected) != 0;
      }
      EXPECT_EQ(wrong, 0);
    }
  }
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_OK(dart_type_destroy(&type));
  free(sent);
  free(received);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

TEST(operators_are_for_their_type_and_for_reductions) /* K115 L128 */
{
  seen_t           seen = { 0, 0, 0 };
  dart_datatype_t  strided, custom;
  dart_operation_t op = 99, gone;
  dart_gptr_t      segment = test_segment(DART_TEAM_ALL, 64, 0x5a);
  _Alignas(16) int sent[16] = { 0 }, received[16];

  memset(received, 0x5a, sizeof received);
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_custom(4, &custom));
  EXPECT_INVAL(dart_op_create(stretched_sum, &seen, true, strided, false, &op));
  EXPECT_EQ(op, DART_OP_UNDEFINED);
  op = 99;
  EXPECT_INVAL(dart_op_create(stretched_sum, &seen, true, DART_TYPE_UNDEFINED, false, &op));
  EXPECT_EQ(op, DART_OP_UNDEFINED);
  op = 99;
  EXPECT_INVAL(dart_op_create(NULL, &seen, true, DART_TYPE_INT, false, &op));
  EXPECT_EQ(op, DART_OP_UNDEFINED);
  EXPECT_INVAL(dart_op_create(stretched_sum, &seen, true, DART_TYPE_INT, false, NULL));

  EXPECT_OK(dart_op_create(stretched_sum, &seen, true, DART_TYPE_INT, false, &op));
  EXPECT_INVAL(dart_allreduce(sent, received, 4, DART_TYPE_UINT, op, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allreduce(sent, received, 4, custom, op, DART_TEAM_ALL));
  EXPECT_INVAL(dart_reduce(sent, received, 4, DART_TYPE_LONG, op, DART_TEAM_UNIT_ID(0),
                           DART_TEAM_ALL));
  EXPECT_INVAL(dart_accumulate(test_unit(segment, 0), sent, 1, DART_TYPE_INT, op));
  EXPECT_INVAL(dart_fetch_and_op(test_unit(segment, 0), sent, received, DART_TYPE_INT, op));
  gone = op;
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_INVAL(dart_allreduce(sent, received, 4, DART_TYPE_INT, gone, DART_TEAM_ALL));
  EXPECT_INVAL(dart_op_destroy(&gone));
  EXPECT_INVAL(dart_op_destroy(&op));
  EXPECT_INVAL(dart_op_destroy(NULL));
  op = DART_OP_SUM;
  EXPECT_INVAL(dart_op_destroy(&op));
  EXPECT_EQ(op, DART_OP_SUM);

  EXPECT_INVAL(dart_scatter(sent, received, 1, strided, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(sent, received, 1, strided, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_INVAL(dart_alltoall(sent, received, 1, strided, DART_TEAM_ALL));
  EXPECT_INVAL(dart_scatter(sent, received, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(n), DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(sent, received, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(-1), DART_TEAM_ALL));
  EXPECT_INVAL(dart_alltoall(sent, received, 1, DART_TYPE_INT, 12345));
  EXPECT_EQ(seen.calls, 0);
  EXPECT_FILLED(received, 0x5a, sizeof received);
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, 64);
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
}
