/* Scatter, gather, allgatherv and alltoall: statements L118 to L130 as far as they are about these.
 * Each test runs on the team of all and on sub-teams, whose units are counted in them. Sizes are
 * chosen around the pieces in which data travel: one piece, a few, and some that do not divide. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(collective_data);

enum { TEAMS = 3, GUARD = 16 };

/* The team of all, and the caller's one of the even and the odd, of the three thirds. */
static void make_teams(dart_team_t team[TEAMS])
{
  team[0] = DART_TEAM_ALL;
  team[1] = test_split(DART_TEAM_ALL, 2);
  team[2] = test_split(DART_TEAM_ALL, 3);
}

/* What unit `from` of a team has for unit `to`: bytes that tell both. */
static void fill_block(char *block, int from, int to, size_t nbytes)
{
  test_fill(block, from, 13 * to, nbytes);
}

/* `nbytes` and a guard behind them, all 0x5a. */
static char *guarded(size_t nbytes)
{
  char *buffer = malloc(nbytes + GUARD);

  memset(buffer, 0x5a, nbytes + GUARD);
  return buffer;
}

static void expect_guard(const char *buffer, size_t nbytes)
{
  EXPECT_FILLED(buffer + nbytes, 0x5a, GUARD);
}

/* ---- Scatter and gather ---------------------------------------------------------------------- */

static void scatter(dart_team_t team, int root, const test_type_t *type, size_t nelem)
{
  int    self = test_team_me(team), size = test_team_size(team);
  size_t block = nelem * type->size, nbytes = self == root ? (size_t)size * block : 0;
  char  *sent = guarded(nbytes), *before = guarded(nbytes), *got = guarded(block);
  char  *expected = guarded(block);

  for (int unit = 0; unit < size && self == root; unit++)
    fill_block(sent + (size_t)unit * block, root, unit, block);
  memcpy(before, sent, nbytes);
  fill_block(expected, root, self, block);
  test_note("scatter in team %d, root %d, %zu of %s", team, root, nelem, type->name);
  EXPECT_OK(dart_scatter(self == root ? sent : NULL, got, nelem, type->id, DART_TEAM_UNIT_ID(root),
                         team));
  EXPECT_BYTES(got, expected, block);
  expect_guard(got, block);
  EXPECT_BYTES(sent, before, nbytes);
  free(sent);
  free(before);
  free(got);
  free(expected);
}

static void gather(dart_team_t team, int root, const test_type_t *type, size_t nelem)
{
  int    self = test_team_me(team), size = test_team_size(team);
  size_t block = nelem * type->size, nbytes = self == root ? (size_t)size * block : 0;
  char  *sent = guarded(block), *before = guarded(block), *got = guarded(nbytes);
  char  *expected = guarded(nbytes);

  for (int unit = 0; unit < size && self == root; unit++)
    fill_block(expected + (size_t)unit * block, unit, root, block);
  fill_block(sent, self, root, block);
  memcpy(before, sent, block);
  test_note("gather in team %d, root %d, %zu of %s", team, root, nelem, type->name);
  EXPECT_OK(
      dart_gather(sent, self == root ? got : NULL, nelem, type->id, DART_TEAM_UNIT_ID(root), team));
  EXPECT_BYTES(got, expected, nbytes);
  expect_guard(got, nbytes);
  EXPECT_BYTES(sent, before, block);
  free(sent);
  free(before);
  free(got);
  free(expected);
}

TEST(scatter_and_gather_for_every_root) /* L118: other units need no large buffer */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int root = 0; root < test_team_size(team[i]); root++) {
      for (int t = 0; t < TEST_TYPES; t++) {
        scatter(team[i], root, &test_types[t], 0);
        scatter(team[i], root, &test_types[t], 1);
        gather(team[i], root, &test_types[t], 0);
        gather(team[i], root, &test_types[t], 1);
      }
      scatter(team[i], root, &test_types[2], 1003);
      gather(team[i], root, &test_types[2], 1003);
      scatter(team[i], root, &test_types[0], 70001);
      gather(team[i], root, &test_types[0], 70001);
    }
  }
}

/* ---- Allgatherv ------------------------------------------------------------------------------ */

/* Counts and places of a team's units, chosen by `shape`; returns how long the receive buffer is. */
enum { RISING, FALLING, BACKWARDS, ONE_HAS_ALL, NOBODY, SHAPES };

static size_t lay_out(int shape, int size, size_t most, size_t *nelem, size_t *displs)
{
  size_t end = 2;

  for (int k = 0; k < size; k++) {
    int unit = shape == BACKWARDS ? size - 1 - k : k; /* in the order of their places */

    nelem[unit]  = shape == RISING        ? (size_t)unit * most
                   : shape == FALLING     ? (size_t)(size - 1 - unit) * most / 2
                   : shape == BACKWARDS   ? most + (size_t)unit
                   : shape == ONE_HAS_ALL ? (unit == size / 2) * most * 5
                                          : 0;
    displs[unit] = end;
    end += nelem[unit] + (size_t)unit % 3; /* gaps of 0, 1 or 2 elements */
  }
  return end + 1;
}

static void allgatherv(dart_team_t team, const test_type_t *type, int shape, size_t most)
{
  enum { PLAIN, NULL_SOURCE, SAME_BUFFER, WAYS };
  int     self = test_team_me(team), size = test_team_size(team);
  size_t *nelem  = calloc((size_t)size, sizeof *nelem),
         *displs = calloc((size_t)size, sizeof *displs);
  size_t nbytes  = lay_out(shape, size, most, nelem, displs) * type->size;
  size_t mine    = nelem[self] * type->size;
  char  *sent = guarded(mine), *got = guarded(nbytes), *expected = guarded(nbytes);

  for (int unit = 0; unit < size; unit++)
    fill_block(expected + displs[unit] * type->size, unit, 1, nelem[unit] * type->size);
  fill_block(sent, self, 1, mine);

  for (int way = 0; way < WAYS; way++) {
    test_note("team %d, shape %d, %zu of %s, way %d", team, shape, most, type->name, way);
    memset(got, 0x5a, nbytes + GUARD);
    if (way != PLAIN)
      memcpy(got + displs[self] * type->size, sent, mine);
    EXPECT_OK(dart_allgatherv(way == PLAIN         ? sent
                              : way == NULL_SOURCE ? NULL
                                                   : got,
                              nelem[self], type->id, got, nelem, displs, team));
    EXPECT_BYTES(got, expected, nbytes); /* the gaps, too */
    expect_guard(got, nbytes);
  }
  free(nelem);
  free(displs);
  free(sent);
  free(got);
  free(expected);
}

TEST(allgatherv_with_counts_and_gaps) /* L120: in place too, in both ways */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int shape = 0; shape < SHAPES; shape++) {
      for (int t = 0; t < TEST_TYPES; t++) {
        allgatherv(team[i], &test_types[t], shape, 1);
        allgatherv(team[i], &test_types[t], shape, 50);
      }
      allgatherv(team[i], &test_types[0], shape, 33333);
      allgatherv(team[i], &test_types[2], shape, 20000);
    }
  }
}

TEST(allgatherv_of_nothing_needs_no_buffers)
{
  size_t *zero = calloc((size_t)n, sizeof *zero);

  EXPECT_OK(dart_allgatherv(NULL, 0, DART_TYPE_INT, NULL, zero, zero, DART_TEAM_ALL));
  free(zero);
}

TEST(allgatherv_wants_arrays_that_fit)
{
  size_t *nelem = calloc((size_t)n, sizeof *nelem), *displs = calloc((size_t)n, sizeof *displs);
  int64_t sent = 1, *got = malloc((size_t)n * sizeof *got);

  for (int unit = 0; unit < n; unit++) {
    nelem[unit]  = 1;
    displs[unit] = (size_t)unit;
  }
  memset(got, 0x5a, (size_t)n * sizeof *got);
  EXPECT_INVAL(dart_allgatherv(&sent, 0, T_INT64, got, nelem, displs, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 2, T_INT64, got, nelem, displs, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, NULL, nelem, displs, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, got, NULL, displs, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, got, nelem, NULL, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 1, DART_TYPE_UNDEFINED, got, nelem, displs, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, got, nelem, displs, 12345));
  displs[n - 1] = SIZE_MAX;
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, got, nelem, displs, DART_TEAM_ALL));
  displs[n - 1] = SIZE_MAX / 8;
  EXPECT_INVAL(dart_allgatherv(&sent, 1, T_INT64, got, nelem, displs, DART_TEAM_ALL));
  displs[n - 1] = (size_t)n - 1;
  nelem[n - 1]  = SIZE_MAX / 4;
  EXPECT_INVAL(dart_allgatherv(&sent, nelem[me], T_INT64, got, nelem, displs, DART_TEAM_ALL));
  EXPECT_FILLED(got, 0x5a, (size_t)n * sizeof *got);
  free(nelem);
  free(displs);
  free(got);
}

/* ---- Alltoall -------------------------------------------------------------------------------- */

static void alltoall(dart_team_t team, const test_type_t *type, size_t nelem)
{
  enum { PLAIN, NULL_SOURCE, SAME_BUFFER, SOME_IN_PLACE, WAYS };
  int    self = test_team_me(team), size = test_team_size(team);
  size_t block = nelem * type->size, nbytes = (size_t)size * block;
  char  *sent = guarded(nbytes), *before = guarded(nbytes), *got = guarded(nbytes);
  char  *expected = guarded(nbytes);

  for (int unit = 0; unit < size; unit++) {
    fill_block(sent + (size_t)unit * block, self, unit, block);
    fill_block(expected + (size_t)unit * block, unit, self, block);
  }
  memcpy(before, sent, nbytes);

  for (int way = 0; way < WAYS; way++) {
    bool in_place = way == NULL_SOURCE || way == SAME_BUFFER || (way == SOME_IN_PLACE && self % 2);

    test_note("team %d, %zu of %s, way %d", team, nelem, type->name, way);
    memset(got, 0x5a, nbytes + GUARD);
    if (in_place)
      memcpy(got, sent, nbytes);
    EXPECT_OK(dart_alltoall(way == NULL_SOURCE ? NULL
                            : in_place         ? got
                                               : sent,
                            got, nelem, type->id, team));
    EXPECT_BYTES(got, expected, nbytes);
    expect_guard(got, nbytes);
    EXPECT_BYTES(sent, before, nbytes);
  }
  free(sent);
  free(before);
  free(got);
  free(expected);
}

TEST(alltoall_transposes_blocks) /* L125: in place too, in both ways, and by some units only */
{
  dart_team_t team[TEAMS];

  make_teams(team);
  for (int i = 0; i < TEAMS; i++) {
    for (int t = 0; t < TEST_TYPES; t++) {
      alltoall(team[i], &test_types[t], 0);
      alltoall(team[i], &test_types[t], 1);
      alltoall(team[i], &test_types[t], 77);
    }
    alltoall(team[i], &test_types[0], 5000);
    alltoall(team[i], &test_types[0], 10001);
    alltoall(team[i], &test_types[0], 100003);
    alltoall(team[i], &test_types[4], 3001);
  }
}

/* ---- Together -------------------------------------------------------------------------------- */

TEST(bad_arguments_are_refused) /* L128 */
{
  const dart_datatype_t  wrong[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20 };
  const dart_team_unit_t zero = DART_TEAM_UNIT_ID(0), many = DART_TEAM_UNIT_ID(n);
  const dart_team_unit_t negative = DART_TEAM_UNIT_ID(-1);
  const size_t           huge     = SIZE_MAX / 8 + 2;
  int64_t               *sent = calloc((size_t)n, 8), *got = malloc((size_t)n * 8);

  memset(got, 0x5a, (size_t)n * 8);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    test_note("type %ld", (long)wrong[i]);
    EXPECT_INVAL(dart_scatter(sent, got, 1, wrong[i], zero, DART_TEAM_ALL));
    EXPECT_INVAL(dart_gather(sent, got, 1, wrong[i], zero, DART_TEAM_ALL));
    EXPECT_INVAL(dart_alltoall(sent, got, 1, wrong[i], DART_TEAM_ALL));
  }
  test_note("root");
  EXPECT_INVAL(dart_scatter(sent, got, 1, T_INT64, many, DART_TEAM_ALL));
  EXPECT_INVAL(dart_scatter(sent, got, 1, T_INT64, negative, DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(sent, got, 1, T_INT64, many, DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(sent, got, 1, T_INT64, negative, DART_TEAM_ALL));
  test_note("team");
  EXPECT_INVAL(dart_scatter(sent, got, 1, T_INT64, zero, DART_TEAM_NULL));
  EXPECT_INVAL(dart_gather(sent, got, 1, T_INT64, zero, 12345));
  EXPECT_INVAL(dart_alltoall(sent, got, 1, T_INT64, 12345));
  test_note("count");
  EXPECT_INVAL(dart_scatter(sent, got, huge, T_INT64, zero, DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(sent, got, huge, T_INT64, zero, DART_TEAM_ALL));
  EXPECT_INVAL(dart_alltoall(sent, got, huge, T_INT64, DART_TEAM_ALL));
  test_note("buffer"); /* needed everywhere: all units refuse */
  EXPECT_INVAL(dart_scatter(sent, NULL, 1, T_INT64, zero, DART_TEAM_ALL));
  EXPECT_INVAL(dart_gather(NULL, got, 1, T_INT64, zero, DART_TEAM_ALL));
  EXPECT_INVAL(dart_alltoall(sent, NULL, 1, T_INT64, DART_TEAM_ALL));
  EXPECT_FILLED(got, 0x5a, (size_t)n * 8);
  free(sent);
  free(got);
}

TEST(custom_types_travel_whole) /* L128: strided and indexed ones do not */
{
  const size_t    length = 3, start = 1;
  dart_datatype_t custom, strided, indexed;
  test_type_t     type       = { .name = "custom of 12 bytes", .size = 12 };
  char            buffer[64] = { 0 };

  EXPECT_OK(dart_type_create_custom(12, &custom));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 3, 1, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 1, &length, &start, &indexed));
  type.id = custom;
  scatter(DART_TEAM_ALL, n - 1, &type, 501);
  gather(DART_TEAM_ALL, n - 1, &type, 501);
  alltoall(DART_TEAM_ALL, &type, 501);
  allgatherv(DART_TEAM_ALL, &type, RISING, 501);

  for (int i = 0; i < 2; i++) {
    dart_datatype_t wrong = i == 0 ? strided : indexed;

    EXPECT_INVAL(dart_scatter(buffer, buffer, 3, wrong, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    EXPECT_INVAL(dart_gather(buffer, buffer, 3, wrong, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    EXPECT_INVAL(dart_alltoall(NULL, buffer, 3, wrong, DART_TEAM_ALL));
  }
  EXPECT_OK(dart_type_destroy(&custom));
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&indexed));
}

TEST(own_portions_are_buffers) /* L129 */
{
  dart_gptr_t source = test_segment(DART_TEAM_ALL, (size_t)n * 64, 0);
  dart_gptr_t sink   = test_segment(DART_TEAM_ALL, (size_t)n * 64, 0x5a);
  int64_t    *from = test_mine(source), *to = test_mine(sink);

  for (int i = 0; i < 8 * n; i++)
    from[i] = 1000 * me + i;
  EXPECT_OK(dart_alltoall(from, to, 8, T_INT64, DART_TEAM_ALL));
  for (int i = 0; i < 8 * n; i++)
    EXPECT_EQ(to[i], 1000 * (i / 8) + 8 * me + i % 8);
  EXPECT_OK(dart_gather(from, to, 8, T_INT64, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  for (int i = 0; i < 8 * n && me == n - 1; i++)
    EXPECT_EQ(to[i], 1000 * (i / 8) + i % 8);
  EXPECT_OK(dart_scatter(from, to, 8, T_INT64, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(to[i], 1000 * (n - 1) + 8 * me + i);
}

TEST_N(4, teams_do_not_mix_their_collectives) /* L130 */
{
  dart_team_t half = test_split(DART_TEAM_ALL, 2), third = test_split(DART_TEAM_ALL, 3);

  for (int round = 0; round < 20; round++) {
    dart_team_t team[3] = { DART_TEAM_ALL, half, third };

    for (int i = 0; i < 3; i++) {
      dart_team_t now  = team[(i + round) % 3];
      int         root = round % test_team_size(now);

      scatter(now, root, &test_types[2], (size_t)round);
      alltoall(now, &test_types[4], (size_t)(2 * round));
      gather(now, root, &test_types[2], (size_t)round);
      allgatherv(now, &test_types[4], round % SHAPES, (size_t)round);
    }
  }
}

TEST(collectives_order_memory) /* along the way the data go */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0xff);
  int        *ids = calloc((size_t)n, sizeof *ids), *got = calloc((size_t)n, sizeof *got);

  for (int round = 0; round < 30; round++) {
    int64_t value = -1;
    int     root = round % n, right = (me + 1) % n;

    *test_mine(cells) = 100 * round + me;
    EXPECT_OK(dart_alltoall(ids, got, 1, DART_TYPE_INT, DART_TEAM_ALL));
    EXPECT_OK(dart_get_blocking(&value, test_unit(cells, right), 1, T_INT64, T_INT64));
    EXPECT_EQ(value, 100 * round + right);
    test_barrier();

    *test_mine(cells) = 100 * round + 50 + me;
    EXPECT_OK(dart_gather(&me, ids, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(root), DART_TEAM_ALL));
    if (me == root)
      EXPECT_OK(dart_get_blocking(&value, test_unit(cells, right), 1, T_INT64, T_INT64));
    if (me == root)
      EXPECT_EQ(value, 100 * round + 50 + right);
    EXPECT_OK(
        dart_scatter(ids, &(int){ 0 }, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(root), DART_TEAM_ALL));
    EXPECT_OK(dart_get_blocking(&value, test_unit(cells, root), 1, T_INT64, T_INT64));
    EXPECT_EQ(value, 100 * round + 50 + root);
    test_barrier();
  }
  free(ids);
  free(got);
}
