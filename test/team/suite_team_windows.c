/* Teams without a common unit allocate at the same time, for the first time each: MPI makes their windows then. */
#include "dart_test.h"

SUITE(team_windows);

enum { ROUNDS = 40, MOST = 64 };

/* The half of the units that this unit is in; both have units of all nodes, if a node has two. */
static dart_team_t make_half(void)
{
  int         units[2][MOST], count[2] = { 0, 0 };
  dart_team_t team[2];

  for (int u = 0; u < n && u < MOST; u++) {
    int half = u >= n / 2;

    units[half][count[half]++] = u;
  }
  for (int half = 0; half < 2; half++)
    team[half] = test_team(DART_TEAM_ALL, units[half], count[half]);
  return team[me >= n / 2];
}

TEST_N(2, halves_get_memory_of_their_own_at_the_same_time)
{
  for (int round = 0; round < test_rounds(ROUNDS); round++) {
    dart_team_t team = make_half();
    int         size, mine, left, right;
    int64_t     value = 1000 * (round + 1) + me, got = -1;
    dart_gptr_t cells;

    if (team == DART_TEAM_NULL) /* there are more units than MOST */
      return;
    size  = test_team_size(team);
    mine  = test_team_me(team);
    left  = (mine + size - 1) % size;
    right = (mine + 1) % size;
    test_note("round %d", round);
    test_barrier();
    cells = test_segment(team, 2 * sizeof(int64_t), 0);
    EXPECT_OK(dart_put_blocking(test_unit(cells, right), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_barrier(team));
    EXPECT_EQ(test_mine(cells)[0], value - mine + left);
    EXPECT_EQ(test_mine(cells)[1], 0);
    EXPECT_OK(dart_get_blocking(&got, test_unit(cells, right), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, value);
    test_barrier();
  }
}
