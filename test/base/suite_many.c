/* Many of everything at once: what programs run into that no statement counts. DART_TEST_SEGMENTS sets how many
 * segments live at once, for runs in which every step of a collective takes long. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dart_test.h"

SUITE(many);

static int segments(void)
{
  const char *text = getenv("DART_TEST_SEGMENTS");

  if (text != NULL)
    return atoi(text);
  return n <= 2 ? 30000 : n <= 4 ? 3000 : 1000; /* the books are the same, waiting is not */
}

TEST(thirty_thousand_segments_live_at_once)
{
  int          many = segments(), right = (me + 1) % n, wrong = 0;
  dart_gptr_t *segment = malloc((size_t)many * sizeof *segment), again;

  dart__log_mute(true);
  for (int i = 0; i < many; i++) {
    if (!EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, T_INT64, &segment[i])))
      dart_abort(EXIT_FAILURE); /* the others go on allocating */
    EXPECT_EQ(segment[i].segid, i + 1);
    *test_mine(segment[i]) = 100000 * (int64_t)me + i;
  }
  dart__log_mute(false);
  test_barrier();
  for (int i = 0; i < many; i += i % 5 + 7) {
    int64_t got = -1;

    EXPECT_OK(dart_get_blocking(&got, test_unit(segment[i], right), 1, T_INT64, T_INT64));
    wrong += got != 100000 * (int64_t)right + i;
  }
  EXPECT_EQ(wrong, 0);
  test_barrier();

  EXPECT_OK(dart_team_memfree(segment[many / 3])); /* a hole in the middle is filled first */
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, T_INT64, &again));
  EXPECT_EQ(again.segid, segment[many / 3].segid);
  for (int i = 0; i < many; i++) /* in another order than they came */
    EXPECT_OK(dart_team_memfree(segment[(int)(((long)i * 7919) % many)]));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, T_INT64, &again));
  EXPECT_EQ(again.segid, 1);
  EXPECT_OK(dart_team_memfree(again));
  free(segment);
}

/* Data move in a team, to a neighbour and by a collective. */
static void use(dart_team_t team, int stamp)
{
  int         self = test_team_me(team), size = test_team_size(team), sum = -1;
  int64_t     value = 1000 * stamp + self;
  dart_gptr_t cells;

  EXPECT_OK(dart_team_memalloc_aligned(team, 1, T_INT64, &cells));
  EXPECT_OK(dart_put_blocking(test_unit(cells, (self + 1) % size), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_allreduce(&self, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
  EXPECT_EQ(sum, size * (size - 1) / 2);
  EXPECT_EQ(*test_mine(cells), 1000 * stamp + (self + size - 1) % size);
  EXPECT_OK(dart_team_memfree(cells));
}

TEST(a_hundred_teams_live_at_once)
{
  enum { TEAMS = 100 };
  dart_team_t team[TEAMS];
  dart_gptr_t cells[TEAMS];

  for (int i = 0; i < TEAMS; i++) {
    EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team[i]));
    EXPECT_OK(dart_team_memalloc_aligned(team[i], 1, T_INT64, &cells[i]));
    *test_mine(cells[i]) = 1000 * i + me;
  }
  test_barrier();
  for (int i = TEAMS - 1; i >= 0; i--) {
    int64_t got = -1;

    test_note("team %d of %d", i, TEAMS);
    EXPECT_OK(dart_get_blocking(&got, test_unit(cells[i], (me + i) % n), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 1000 * i + (me + i) % n);
  }
  for (int i = 0; i < TEAMS; i += 9)
    use(team[i], i);
  for (int i = 0; i < TEAMS; i++) /* in another order, segments and all */
    EXPECT_OK(dart_team_destroy(&team[(i * 37) % TEAMS]));
}

/* ---- Overlapping teams ----------------------------------------------------------------------- */

/* Team k: all units but unit k. Each unit is in n - 1 of them, and works in them in an order of its
 * own as far as that can be without a circle of units that wait for each other: between two
 * barriers of all, what a unit does in its teams is one-sided, and local. */
TEST_N(3, units_use_overlapping_teams_in_orders_of_their_own)
{
  enum { MOST = 16 };
  dart_team_t team[MOST];
  dart_gptr_t cells[MOST];
  int         units[MOST];

  if (!EXPECT_TRUE(n <= MOST))
    return;
  for (int k = 0; k < n; k++) {
    int count = 0;

    for (int u = 0; u < n; u++) {
      if (u != k)
        units[count++] = u;
    }
    team[k] = test_team(DART_TEAM_ALL, units, count);
    if (k != me)
      cells[k] = test_segment(team[k], (size_t)n * sizeof(int64_t), 0);
  }
  for (int round = 0; round < 20; round++) {
    test_barrier();
    for (int i = 0; i < n - 1; i++) { /* from the next unit on, upwards or downwards */
      int k = (me + (round % 2 ? i + 1 : n - 1 - i)) % n, self = test_team_me(team[k]);

      test_note("round %d, team %d", round, k);
      for (int u = 0; u < n - 1; u++) {
        int64_t value = 10000 * round + 100 * k + me;

        EXPECT_OK(dart_put(test_at(test_unit(cells[k], (self + u) % (n - 1)), (size_t)self), &value,
                           1, T_INT64, T_INT64));
        EXPECT_OK(dart_flush(test_unit(cells[k], (self + u) % (n - 1))));
      }
    }
    test_barrier();
    for (int k = 0; k < n; k++) {
      for (int u = 0; k != me && u < n - 1; u++)
        EXPECT_EQ(test_mine(cells[k])[u], 10000 * round + 100 * k + (u < k ? u : u + 1));
    }
  }
}

/* Pairs of neighbours, each unit in two of them: even pairs work first here, odd ones there, so
 * units enter the collectives of their two teams in different orders. */
TEST_N(3, pairs_of_neighbours_work_in_different_orders)
{
  dart_team_t pair[2] = { DART_TEAM_NULL, DART_TEAM_NULL }; /* with the left, with the right */

  for (int low = 0; low + 1 < n; low++) {
    dart_team_t team = test_team(DART_TEAM_ALL, (int[]){ low, low + 1 }, 2);

    if (team != DART_TEAM_NULL)
      pair[me == low] = team;
  }
  for (int round = 0; round < 20; round++) {
    int first = (me + round) % 2; /* its partner starts with the same pair */

    for (int i = 0; i < 2; i++) {
      dart_team_t team = pair[i == 0 ? first : !first];

      test_note("round %d, team %d", round, team);
      if (team != DART_TEAM_NULL)
        use(team, round);
    }
  }
}

/* ---- Odd sizes and alignments ---------------------------------------------------------------- */

TEST(any_alignment_of_source_and_target)
{
  enum { MOST = 40, ROOM = 128 };
  dart_gptr_t   segment = test_segment(DART_TEAM_ALL, ROOM, 0);
  unsigned char sent[ROOM], got[ROOM], expected[ROOM];
  int           to = (me + 1) % n, from = (me + n - 1) % n;

  for (size_t nbytes = 1; nbytes <= MOST; nbytes += nbytes < 18 ? 1 : 5) {
    for (size_t here = 0; here < 9; here++) {
      size_t there = (here * 5 + nbytes) % 17;

      test_note("%zu bytes from %zu to %zu", nbytes, here, there);
      memset(test_mine(segment), 0x5a, ROOM);
      test_barrier();
      test_fill(sent + here, me, (int)here, nbytes);
      EXPECT_OK(dart_put_blocking(test_byte(test_unit(segment, to), there), sent + here, nbytes,
                                  DART_TYPE_BYTE, DART_TYPE_BYTE));
      memset(got, 0x66, sizeof got);
      EXPECT_OK(dart_get_blocking(got + here, test_byte(test_unit(segment, to), there), nbytes,
                                  DART_TYPE_BYTE, DART_TYPE_BYTE));
      memset(expected, 0x66, sizeof expected);
      test_fill(expected + here, me, (int)here, nbytes);
      EXPECT_BYTES(got, expected, sizeof got);
      test_barrier();
      memset(expected, 0x5a, sizeof expected);
      test_fill(expected + there, from, (int)here, nbytes);
      EXPECT_BYTES(test_mine(segment), expected, ROOM);
    }
  }
}

TEST(elements_need_no_alignment_to_be_moved) /* as members of packed structs */
{
  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type    = &test_types[t];
    dart_gptr_t        segment = test_segment(DART_TEAM_ALL, 128, 0x5a);
    unsigned char      sent[128], got[128], expected[128];
    size_t             nbytes = 3 * type->size;
    dart_gptr_t        at     = test_byte(test_unit(segment, (me + t) % n), 5);

    test_note("%s", type->name);
    test_fill(sent + 3, me, t, nbytes);
    EXPECT_OK(dart_put_blocking(at, sent + 3, 3, type->id, type->id));
    memset(got, 0x66, sizeof got);
    EXPECT_OK(dart_get_blocking(got + 1, at, 3, type->id, type->id));
    memset(expected, 0x66, sizeof expected);
    test_fill(expected + 1, me, t, nbytes);
    EXPECT_BYTES(got, expected, sizeof got);
    test_barrier();
    memset(expected, 0x5a, sizeof expected);
    test_fill(expected + 5, (me + n - t % n) % n, t, nbytes);
    EXPECT_BYTES(test_mine(segment), expected, sizeof expected);
  }
}
