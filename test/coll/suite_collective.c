/* Barrier, bcast, allgather, reduce and allreduce: statements L116 to L130 as far as they are about
 * these. Each test runs on the team of all and on sub-teams, whose units are counted in them. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(collective);

enum { TEAMS = 3 };

/* The team of all, and the caller's one of the even and the odd, of the three thirds. */
static void make_teams(dart_team_t team[TEAMS])
{
  team[0] = DART_TEAM_ALL;
  team[1] = test_split(DART_TEAM_ALL, 2);
  team[2] = test_split(DART_TEAM_ALL, 3);
}

/* ---- Barrier --------------------------------------------------------------------------------- */

TEST(barrier_orders_stores_before_gets) /* L116 */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0xff);

  for (int round = 0; round < 100; round++) {
    int64_t got = -1;

    *test_mine(cells) = 1000 * round + me;
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
    EXPECT_OK(dart_get_blocking(&got, test_unit(cells, (me + 1 + round) % n), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 1000 * round + (me + 1 + round) % n);
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  }
}

TEST(ten_thousand_barriers) /* L116 */
{
  int         barriers = test_rounds(10000);
  dart_gptr_t cells    = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  int64_t     got      = -1;

  for (int i = 1; i <= barriers; i++) {
    *(volatile int64_t *)test_mine(cells) = i;
    if (!EXPECT_OK(dart_barrier(DART_TEAM_ALL)))
      return;
  }
  EXPECT_OK(dart_get_blocking(&got, test_unit(cells, (me + 1) % n), 1, T_INT64, T_INT64));
  EXPECT_EQ(got, barriers);
}

/* ---- Bcast ----------------------------------------------------------------------------------- */

static void bcast(dart_team_t team, int root, const test_type_t *type, size_t nelem)
{
  size_t             nbytes = nelem * type->size, guard = 16;
  unsigned char     *buffer = malloc(nbytes + guard), *expected = malloc(nbytes + 1);
  int                first; /* global id of the root: its bytes differ from those of other teams */
  dart_global_unit_t global = { -1 };

  EXPECT_OK(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(root), &global));
  first = global.id;
  memset(buffer + nbytes, 0x5a, guard);
  test_fill(buffer, me, root, nbytes);
  test_fill(expected, first, root, nbytes);
  EXPECT_OK(dart_bcast(buffer, nelem, type->id, DART_TEAM_UNIT_ID(root), team));
  EXPECT_BYTES(buffer, expected, nbytes);
  EXPECT_FILLED(buffer + nbytes, 0x5a, guard);
  free(buffer);
  free(expected);
}

TEST(bcast_from_every_root_of_every_type) /* L117 */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int root = 0; root < test_team_size(team[i]); root++) {
      for (int t = 0; t < TEST_TYPES; t++) {
        test_note("team %d, root %d, %s", team[i], root, test_types[t].name);
        bcast(team[i], root, &test_types[t], 0);
        bcast(team[i], root, &test_types[t], 1);
        bcast(team[i], root, &test_types[t], 1000);
      }
    }
  }
}

TEST(bcast_of_much) /* L117 */
{
  bcast(DART_TEAM_ALL, n - 1, &test_types[0], (1 << 20) + 1);
  bcast(DART_TEAM_ALL, 0, &test_types[4], 1 << 20); /* LONG: 8 MiB */
}

TEST(bcast_publishes_what_its_root_wrote) /* the data behind a pointer, say */
{
  for (int round = 0; round < 30; round++) {
    int         root = round % n;
    dart_gptr_t block, gptr;
    int64_t     value = -1, *mine;

    EXPECT_OK(dart_memalloc(1, T_INT64, &block));
    EXPECT_OK(dart_gptr_getaddr(block, (void **)&mine));
    *mine = 100 * round + me;
    gptr  = block;
    EXPECT_OK(
        dart_bcast(&gptr, sizeof gptr, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(root), DART_TEAM_ALL));
    EXPECT_OK(dart_get_blocking(&value, gptr, 1, T_INT64, T_INT64));
    EXPECT_EQ(value, 100 * round + root);
    test_barrier();
    EXPECT_OK(dart_memfree(block));
  }
}

/* ---- Allgather ------------------------------------------------------------------------------- */

static void allgather(dart_team_t team, const test_type_t *type, size_t nelem)
{
  enum { PLAIN, NULL_SOURCE, SAME_BUFFER, WAYS };
  int    self = test_team_me(team), size = test_team_size(team);
  size_t block = nelem * type->size, nbytes = (size_t)size * block, guard = 16;
  char  *received = malloc(nbytes + guard), *expected = malloc(nbytes + 1);
  char  *sent = malloc(block + 1);

  for (int unit = 0; unit < size; unit++)
    test_fill(expected + (size_t)unit * block, unit, (int)nelem, block);
  test_fill(sent, self, (int)nelem, block);

  for (int way = 0; way < WAYS; way++) {
    char *own = received + (size_t)self * block;

    test_note("team %d, %zu of %s, way %d", team, nelem, type->name, way);
    memset(received, 0x5a, nbytes + guard);
    if (way != PLAIN && block > 0)
      memcpy(own, sent, block);
    EXPECT_OK(dart_allgather(way == PLAIN         ? sent
                             : way == NULL_SOURCE ? NULL
                                                  : received,
                             received, nelem, type->id, team));
    EXPECT_BYTES(received, expected, nbytes);
    EXPECT_FILLED(received + nbytes, 0x5a, guard);
  }
  free(received);
  free(sent);
  free(expected);
}

TEST(allgather_in_the_order_of_units) /* L119: in place too, in both ways */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int t = 0; t < TEST_TYPES; t++) {
      allgather(team[i], &test_types[t], 0);
      allgather(team[i], &test_types[t], 1);
      allgather(team[i], &test_types[t], 77);
    }
    allgather(team[i], &test_types[0], 100003);
  }
}

/* ---- Reductions ------------------------------------------------------------------------------ */

static int64_t reference(const test_type_t *type, dart_operation_t op, int size, size_t index)
{
  int64_t result = test_operand(type, op, 0, index);

  for (int unit = 1; unit < size; unit++)
    result = test_combine(op, result, test_operand(type, op, unit, index));
  return result;
}

/* For LAND and the like a team of one has its operand, others a truth value. */
static bool is_logical(dart_operation_t op)
{
  return op == DART_OP_LAND || op == DART_OP_LOR || op == DART_OP_LXOR;
}

static void expect_reduced(const test_type_t *type, dart_operation_t op, int size,
                           const void *buffer, size_t nelem)
{
  int wrong = 0;

  for (size_t i = 0; i < nelem; i++) {
    int64_t got = test_load(type, buffer, i), expected = reference(type, op, size, i);

    wrong += is_logical(op) && size == 1 ? !got != !expected : got != expected;
  }
  EXPECT_EQ(wrong, 0);
}

static void allreduce(dart_team_t team, const test_type_t *type, dart_operation_t op, size_t nelem)
{
  int    self = test_team_me(team), size = test_team_size(team);
  size_t nbytes = nelem * type->size, guard = 16;
  char  *sent = malloc(nbytes + 1), *received = malloc(nbytes + guard);
  char  *in_place = malloc(nbytes + guard), *before = malloc(nbytes + 1);

  memset(received, 0x5a, nbytes + guard);
  memset(in_place, 0x5a, nbytes + guard);
  for (size_t i = 0; i < nelem; i++) {
    test_store(type, sent, i, test_operand(type, op, self, i));
    test_store(type, in_place, i, test_operand(type, op, self, i));
  }
  memcpy(before, sent, nbytes);

  test_note("team %d, %s of %zu %s", team, test_op_name(op), nelem, type->name);
  EXPECT_OK(dart_allreduce(sent, received, nelem, type->id, op, team));
  expect_reduced(type, op, size, received, nelem);
  EXPECT_FILLED(received + nbytes, 0x5a, guard);
  EXPECT_BYTES(sent, before, nbytes);

  EXPECT_OK(dart_allreduce(in_place, in_place, nelem, type->id, op, team)); /* L124 */
  expect_reduced(type, op, size, in_place, nelem);
  EXPECT_FILLED(in_place + nbytes, 0x5a, guard);
  free(sent);
  free(received);
  free(in_place);
  free(before);
}

TEST(allreduce_equals_its_reference) /* L121 L124: every operator on every type it has */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int t = 0; t < TEST_TYPES; t++) {
      for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_LXOR; op++) {
        if (!test_has_op(&test_types[t], op))
          continue;
        allreduce(team[i], &test_types[t], op, 1);
        allreduce(team[i], &test_types[t], op, 100);
      }
    }
  }
}

TEST(allreduce_of_much) /* more than fits any buffer inside */
{
  allreduce(DART_TEAM_ALL, &test_types[2], DART_OP_SUM, 300001);
  allreduce(DART_TEAM_ALL, &test_types[10], DART_OP_MAX, 30001);
}

TEST(allreduce_of_nothing)
{
  int64_t value = 5, result = 6;

  EXPECT_OK(dart_allreduce(&value, &result, 0, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_EQ(result, 6);
}

TEST(all_units_get_the_same_bits) /* L121: where the order of additions matters */
{
  enum { COUNT = 200 };
  double        values[COUNT], sums[COUNT], first[COUNT];
  test_random_t random = { 31 + (uint64_t)me };

  for (int i = 0; i < COUNT; i++)
    values[i] = (double)test_random(&random) / (double)(1 + test_random(&random) % 1000003);
  for (int root = 0; root < n; root++) {
    EXPECT_OK(dart_allreduce(values, sums, COUNT, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
    memcpy(first, sums, sizeof first);
    EXPECT_OK(dart_bcast(first, COUNT, DART_TYPE_DOUBLE, DART_TEAM_UNIT_ID(root), DART_TEAM_ALL));
    EXPECT_BYTES(sums, first, sizeof sums);
  }
}

static void min_max(dart_team_t team, const test_type_t *type, size_t nelem)
{
  int    self = test_team_me(team), size = test_team_size(team), wrong = 0;
  size_t nbytes = nelem * type->size;
  void  *sent = malloc(nbytes), *received = malloc(nbytes);

  for (size_t i = 0; i < nelem; i++)
    test_store(type, sent, i, test_operand(type, DART_OP_MIN, self, i));
  memset(received, 0x5a, nbytes);
  test_note("team %d, %zu %s", team, nelem, type->name);
  EXPECT_OK(dart_allreduce(sent, received, nelem, type->id, DART_OP_MINMAX, team));
  for (size_t i = 0; i < nelem; i++) {
    dart_operation_t op       = i % 2 == DART_OP_MINMAX_MIN ? DART_OP_MIN : DART_OP_MAX;
    int64_t          expected = test_operand(type, DART_OP_MIN, 0, i);

    for (int unit = 1; unit < size; unit++)
      expected = test_combine(op, expected, test_operand(type, DART_OP_MIN, unit, i));
    wrong += test_load(type, received, i) != expected;
  }
  EXPECT_EQ(wrong, 0);
  free(sent);
  free(received);
}

TEST(minmax_takes_pairs) /* L122: also through pieces of odd sizes */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int t = 0; t < TEST_TYPES; t++) {
      if (test_types[t].kind == TEST_COMPLEX)
        continue;
      min_max(team[i], &test_types[t], 2);
      min_max(team[i], &test_types[t], 2000);
    }
  }
  min_max(DART_TEAM_ALL, &test_types[2], 200002);
}

TEST(complex_numbers_and_bools_reduce) /* both parts of the former; the latter are 0 and 1 */
{
  double _Complex value = me + 1 - me * I, sum, turn = I, product;
  bool is_last = me == n - 1, any, all, odd;

  EXPECT_OK(dart_allreduce(&value, &sum, 1, DART_TYPE_DOUBLE_COMPLEX, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_TRUE(sum == n * (n + 1) / 2 - n * (n - 1) / 2 * I);
  EXPECT_OK(
      dart_allreduce(&turn, &product, 1, DART_TYPE_DOUBLE_COMPLEX, DART_OP_PROD, DART_TEAM_ALL));
  EXPECT_TRUE(product == (n % 4 == 0 ? 1 : n % 4 == 1 ? I : n % 4 == 2 ? -1 : -I));
  EXPECT_OK(dart_allreduce(&is_last, &any, 1, DART_TYPE_BOOL, DART_OP_LOR, DART_TEAM_ALL));
  EXPECT_OK(dart_allreduce(&is_last, &all, 1, DART_TYPE_BOOL, DART_OP_BAND, DART_TEAM_ALL));
  EXPECT_TRUE(any);
  EXPECT_EQ(all, n == 1);
  is_last = true;
  EXPECT_OK(dart_allreduce(&is_last, &odd, 1, DART_TYPE_BOOL, DART_OP_BXOR, DART_TEAM_ALL));
  EXPECT_EQ(odd, n % 2 == 1);
}

TEST(operators_that_do_not_reduce_are_refused) /* L123 */
{
  const struct {
    dart_datatype_t  type;
    dart_operation_t op;
    size_t           nelem;
  } wrong[] = {
    { DART_TYPE_INT, DART_OP_MINMAX, 1 },
    { DART_TYPE_INT, DART_OP_MINMAX, 3 },
    { DART_TYPE_INT, DART_OP_REPLACE, 2 },
    { DART_TYPE_INT, DART_OP_NO_OP, 2 },
    { DART_TYPE_INT, DART_OP_UNDEFINED, 2 },
    { DART_TYPE_INT, DART_OP_LAST, 2 },
    { DART_TYPE_INT, 12345, 2 },
    { DART_TYPE_FLOAT, DART_OP_BAND, 2 },
    { DART_TYPE_DOUBLE, DART_OP_LXOR, 2 },
    { DART_TYPE_LONG_DOUBLE, DART_OP_BOR, 2 },
    { DART_TYPE_FLOAT_COMPLEX, DART_OP_MAX, 2 },
    { DART_TYPE_DOUBLE_COMPLEX, DART_OP_MINMAX, 2 },
    { DART_TYPE_BOOL, DART_OP_SUM, 2 },
    { DART_TYPE_BOOL, DART_OP_MINMAX, 2 },
    { DART_TYPE_BASIC_END, DART_OP_SUM, 2 },
    { DART_TYPE_UNDEFINED, DART_OP_SUM, 2 },
    { DART_TYPE_LAST, DART_OP_SUM, 2 },
    { 1 << 20, DART_OP_SUM, 2 },
  };
  _Alignas(16) char sent[64], received[64];

  memset(sent, 1, sizeof sent);
  memset(received, 0x5a, sizeof received);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    test_note("%zu of type %ld, operator %s", wrong[i].nelem, (long)wrong[i].type,
              test_op_name(wrong[i].op));
    EXPECT_INVAL(
        dart_allreduce(sent, received, wrong[i].nelem, wrong[i].type, wrong[i].op, DART_TEAM_ALL));
    EXPECT_INVAL(dart_reduce(sent, received, wrong[i].nelem, wrong[i].type, wrong[i].op,
                             DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  }
  EXPECT_FILLED(received, 0x5a, sizeof received);
}

TEST(reduce_to_every_root) /* L118: other units need no buffer */
{
  enum { COUNT = 50 };
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    int self = test_team_me(team[i]), size = test_team_size(team[i]);

    for (int root = 0; root < size; root++) {
      for (int t = 0; t < TEST_TYPES; t++) {
        const test_type_t *type = &test_types[t];
        _Alignas(16) char  sent[COUNT * TEST_TYPE_SIZE_MAX], received[COUNT * TEST_TYPE_SIZE_MAX];

        test_note("team %d, root %d, %s", team[i], root, type->name);
        for (size_t k = 0; k < COUNT; k++)
          test_store(type, sent, k, test_operand(type, DART_OP_SUM, self, k));
        memset(received, 0x5a, sizeof received);
        EXPECT_OK(dart_reduce(sent, self == root || root % 2 == 1 ? received : NULL, COUNT,
                              type->id, DART_OP_SUM, DART_TEAM_UNIT_ID(root), team[i]));
        if (self == root)
          expect_reduced(type, DART_OP_SUM, size, received, COUNT);
      }
    }
  }
}

TEST(reduce_of_much_to_the_last)
{
  enum { COUNT = 200001 };
  const test_type_t *type = &test_types[4];
  int64_t           *sent = malloc(COUNT * sizeof *sent), *received = malloc(COUNT * sizeof *sent);

  for (size_t i = 0; i < COUNT; i++)
    sent[i] = test_operand(type, DART_OP_MAX, me, i);
  EXPECT_OK(dart_reduce(sent, me == n - 1 ? received : NULL, COUNT, type->id, DART_OP_MAX,
                        DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  if (me == n - 1)
    expect_reduced(type, DART_OP_MAX, n, received, COUNT);
  free(sent);
  free(received);
}

/* ---- Together -------------------------------------------------------------------------------- */

TEST(own_portions_are_buffers) /* L129 */
{
  dart_gptr_t source = test_segment(DART_TEAM_ALL, 64, 0);
  dart_gptr_t sink   = test_segment(DART_TEAM_ALL, (size_t)n * 64, 0);
  int64_t    *from = test_mine(source), *to = test_mine(sink);

  for (int i = 0; i < 8; i++)
    from[i] = 10 * me + i;
  EXPECT_OK(dart_allgather(from, to, 8, T_INT64, DART_TEAM_ALL));
  for (int i = 0; i < 8 * n; i++)
    EXPECT_EQ(to[i], 10 * (i / 8) + i % 8);
  EXPECT_OK(dart_allreduce(from, to, 8, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(to[i], 10 * n * (n - 1) / 2 + n * i);
  EXPECT_OK(dart_bcast(from, 8, T_INT64, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(from[i], 10 * (n - 1) + i);
}

TEST_N(4, teams_do_not_mix_their_collectives) /* L130 */
{
  dart_team_t half = test_split(DART_TEAM_ALL, 2), third = test_split(DART_TEAM_ALL, 3);

  for (int round = 0; round < 50; round++) {
    dart_team_t team[3] = { DART_TEAM_ALL, half, third };

    for (int i = 0; i < 3; i++) {
      dart_team_t now  = team[(i + round) % 3];
      int         self = test_team_me(now), size = test_team_size(now);
      int         value = 100 * now + self, sum = -1, from = (size - 1) * (round % 2);

      test_note("round %d, team %d", round, now);
      EXPECT_OK(dart_allreduce(&self, &sum, 1, DART_TYPE_INT, DART_OP_SUM, now));
      EXPECT_EQ(sum, size * (size - 1) / 2);
      EXPECT_OK(dart_bcast(&value, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(from), now));
      EXPECT_EQ(value, 100 * now + from);
    }
  }
}

TEST(collectives_follow_each_other_at_once) /* with units ahead of others by one call */
{
  for (int round = 0; round < 200; round++) {
    int64_t value = 7 * round + me, sum = -1, last = value, all[64];

    test_note("round %d", round);
    EXPECT_OK(dart_bcast(&last, 1, T_INT64, DART_TEAM_UNIT_ID(round % n), DART_TEAM_ALL));
    EXPECT_EQ(last, 7 * round + round % n);
    EXPECT_OK(dart_bcast(&last, 1, T_INT64, DART_TEAM_UNIT_ID((round + 1) % n), DART_TEAM_ALL));
    EXPECT_EQ(last, 7 * round + round % n);
    EXPECT_OK(dart_reduce(&value, &sum, 1, T_INT64, DART_OP_SUM, DART_TEAM_UNIT_ID(n - 1),
                          DART_TEAM_ALL));
    if (me == n - 1)
      EXPECT_EQ(sum, 7 * round * n + n * (n - 1) / 2);
    if (n <= 64)
      EXPECT_OK(dart_allgather(&value, all, 1, T_INT64, DART_TEAM_ALL));
    for (int unit = 0; unit < n && unit < 64; unit++)
      EXPECT_EQ(all[unit], 7 * round + unit);
  }
}
