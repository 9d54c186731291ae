/* Teams that their members make alone (dart_team_group.h). */
#include <dash/dart/ext/dart_team_group.h>

#include "dart_test.h"

SUITE(team_group);

/* The team of these units, made by them; others do not call. */
static dart_team_t made(dart_team_t parent, const int *units, int count, int tag)
{
  dart_group_t group = test_group(units, count);
  dart_team_t  team  = 99;

  EXPECT_OK(dart_team_create_group(parent, group, tag, &team));
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_TRUE(team > 0);
  EXPECT_EQ(test_team_size(team), count);
  return team;
}

static void use_and_destroy(dart_team_t team)
{
  test_use_team(team);
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_EQ(team, DART_TEAM_NULL);
}

/* Global ids first, first + step, ... below n. */
static int every(int first, int step, int *units_out)
{
  int count = 0;

  for (int u = first; u < n; u += step)
    units_out[count++] = u;
  return count;
}

TEST(a_team_of_the_caller_alone)
{
  dart_team_t team = made(DART_TEAM_ALL, &me, 1, 0);

  EXPECT_EQ(test_team_me(team), 0);
  use_and_destroy(team);
}

TEST(a_team_of_all)
{
  int units[64], count = every(0, 1, units);

  for (int round = 0; round < 3; round++)
    use_and_destroy(made(DART_TEAM_ALL, units, count, DART_TEAM_TAG_MOST));
}

TEST_N(3, only_members_call) /* the others are in no call until the team is gone */
{
  int units[64], count = every(1, 2, units);

  if (me % 2 == 1) {
    dart_team_t team = made(DART_TEAM_ALL, units, count, 7);

    EXPECT_EQ(test_team_me(team), me / 2);
    use_and_destroy(team);
  }
}

TEST_N(2, disjoint_groups_at_once)
{
  int units[64], count = every(me % 2, 2, units);

  use_and_destroy(made(DART_TEAM_ALL, units, count, 3));
}

TEST_N(2, pairs_in_a_chain) /* each unit is in two groups; even units begin on the right */
{
  dart_team_t team[2] = { DART_TEAM_NULL, DART_TEAM_NULL };

  for (int i = 0; i < 2; i++) {
    int left = (me + i) % 2 == 0 ? me : me - 1;

    if (left >= 0 && left + 1 < n)
      team[i] = made(DART_TEAM_ALL, (int[]){ left, left + 1 }, 2, left);
  }
  EXPECT_TRUE(team[0] != team[1]);
  for (int i = 0; i < 2; i++)
    if (team[i] != DART_TEAM_NULL)
      use_and_destroy(team[i]);
}

TEST_N(3, overlapping_groups_in_the_order_of_their_units) /* all pairs, with one tag */
{
  for (int first = 0; first < n; first++)
    for (int last = first + 1; last < n; last++)
      if (me == first || me == last)
        use_and_destroy(made(DART_TEAM_ALL, (int[]){ first, last }, 2, 0));
}

TEST_N(3, members_of_a_part_know_one_another_by_global_ids)
{
  dart_team_t        half = test_split(DART_TEAM_ALL, 2); /* 0 2 4 ..., 1 3 5 ... */
  int                units[64], count = every(me % 2, 2, units);
  dart_team_t        team = made(half, units, count, 1);
  dart_global_unit_t global;

  EXPECT_OK(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(count - 1), &global));
  EXPECT_EQ(global.id, units[count - 1]);
  use_and_destroy(team);
}

TEST_N(2, ids_differ_from_those_of_all_teams_of_a_unit)
{
  dart_team_t clone, later, team = DART_TEAM_NULL;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &clone));
  if (me < 2)
    team = made(DART_TEAM_ALL, (int[]){ 0, 1 }, 2, 0);
  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &later));
  EXPECT_TRUE(team != clone && team != later && later != clone);
  if (me < 2)
    use_and_destroy(team);
  use_and_destroy(clone);
  use_and_destroy(later);
}

TEST_N(2,
       messages_of_the_program_are_not_taken) /* with the same tags, and on their way meanwhile */
{
  int units[64], count = every(0, 1, units), got = -1;

  EXPECT_OK(dart_send(&me, 1, DART_TYPE_INT, 5, DART_GLOBAL_UNIT_ID((me + 1) % n)));
  use_and_destroy(made(DART_TEAM_ALL, units, count, 5));
  EXPECT_OK(dart_recv(&got, 1, DART_TYPE_INT, 5, DART_GLOBAL_UNIT_ID((me + n - 1) % n)));
  EXPECT_EQ(got, (me + n - 1) % n);
}

TEST_N(
    2,
    teams_are_left_to_the_end) /* dart_exit destroys them: overlapping, made in no common order */
{
  if (me < 2)
    made(DART_TEAM_ALL, (int[]){ 0, 1 }, 2, 0);
  if (me == 0 || me == n - 1)
    made(DART_TEAM_ALL, n > 2 ? (int[]){ 0, n - 1 } : (int[]){ 0, 1 }, 2, 0);
}

/* ---- errors ---------------------------------------------------------------------------------- */

TEST(who_cannot_take_part_is_refused_alone)
{
  dart_group_t own = test_group(&me, 1), empty;
  dart_team_t  team;

  EXPECT_OK(dart_group_create(&empty));
  team = 99;
  EXPECT_REFUSED(dart_team_create_group, (DART_TEAM_ALL, NULL, 0, &team), DART_ERR_INVAL, "NULL");
  EXPECT_EQ(team, DART_TEAM_NULL);
  team = 99;
  EXPECT_REFUSED(dart_team_create_group, (DART_TEAM_ALL, empty, 0, &team), DART_ERR_INVAL,
                 "not in the group");
  EXPECT_EQ(team, DART_TEAM_NULL);
  EXPECT_REFUSED(dart_team_create_group, (DART_TEAM_ALL, own, -1, &team), DART_ERR_INVAL, "tag -1");
  EXPECT_REFUSED(dart_team_create_group, (DART_TEAM_ALL, own, DART_TEAM_TAG_MOST + 1, &team),
                 DART_ERR_INVAL, "tag 32768");
  EXPECT_OK(dart_group_destroy(&own));
  EXPECT_OK(dart_group_destroy(&empty));
}

/* All call, one of them with what is wrong; all get the error, and the next call succeeds. */
TEST(what_is_wrong_on_one_unit_is_told_to_all)
{
  for (int wrong = 0; wrong < n; wrong++) {
    int          units[64], count = every(0, 1, units);
    dart_group_t all  = test_group(units, count);
    dart_team_t  team = 99;

    test_note("unit %d", wrong);
    EXPECT_INVAL(dart_team_create_group(DART_TEAM_ALL, all, 2, me == wrong ? NULL : &team));
    EXPECT_TRUE(me == wrong || team == DART_TEAM_NULL);
    EXPECT_INVAL(dart_team_create_group(me == wrong ? 12345 : DART_TEAM_ALL, all, 2, &team));
    EXPECT_EQ(team, DART_TEAM_NULL);
    EXPECT_OK(dart_group_destroy(&all));
    use_and_destroy(made(DART_TEAM_ALL, units, count, 2));
  }
}

TEST_N(2, parents_that_differ_are_refused)
{
  dart_team_t  clone, team;
  int          units[64], count = every(0, 1, units);
  dart_group_t all = test_group(units, count);

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &clone));
  EXPECT_INVAL(dart_team_create_group(me == n - 1 ? clone : DART_TEAM_ALL, all, 0, &team));
  EXPECT_EQ(team, DART_TEAM_NULL);
  EXPECT_OK(dart_group_destroy(&all));
  EXPECT_OK(dart_team_destroy(&clone));
}

TEST_N(2, units_outside_of_the_parent_are_refused)
{
  dart_team_t  own = made(DART_TEAM_ALL, &me, 1, 0), team = 99;
  dart_group_t pair = test_group((int[]){ me, (me + 1) % n }, 2);

  if (n == 2) { /* both find it, each for its parent */
    EXPECT_INVAL(dart_team_create_group(own, pair, 0, &team));
    EXPECT_EQ(team, DART_TEAM_NULL);
  }
  EXPECT_OK(dart_group_destroy(&pair));
  EXPECT_OK(dart_team_destroy(&own));
}
