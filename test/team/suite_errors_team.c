/* Groups and teams: bad arguments. See refusal.h. */
#include "refusal.h"

#include <dash/dart/ext/dart_survive.h>

SUITE(errors_team);

TEST(groups_want_groups_and_units)
{
  const int    no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t  segment   = untouched_segment(DART_TEAM_ALL);
  dart_group_t group     = test_group(&me, 1), pieces[2];
  size_t       size      = 0;

  REFUSED(dart_group_create, (NULL), "group is NULL");
  REFUSED(dart_group_destroy, (NULL), "group is NULL");
  REFUSED(dart_group_clone, (NULL, &out.group), "gin is NULL");
  REFUSED(dart_group_clone, (group, NULL), "gout is NULL");
  REFUSED(dart_group_union, (NULL, group, &out.group), "g1 is NULL");
  REFUSED(dart_group_union, (group, NULL, &out.group), "g2 is NULL");
  REFUSED(dart_group_union, (group, group, NULL), "gout is NULL");
  REFUSED(dart_group_intersect, (NULL, group, &out.group), "g1 is NULL");
  REFUSED(dart_group_intersect, (group, NULL, &out.group), "g2 is NULL");
  REFUSED(dart_group_intersect, (group, group, NULL), "gout is NULL");
  REFUSED(dart_group_addmember, (NULL, global_0), "g is NULL");
  REFUSED(dart_group_delmember, (NULL, global_0), "g is NULL");
  REFUSED(dart_group_ismember, (NULL, global_0, &out.answer), "g is NULL");
  REFUSED(dart_group_ismember, (group, global_0, NULL), "ismember is NULL");
  for (int i = 0; i < 4; i++) {
    dart_global_unit_t unit = { no_unit[i] };
    const char        *says = saying("unit %d ", no_unit[i]);

    REFUSED(dart_group_addmember, (group, unit), says);
    REFUSED(dart_group_delmember, (group, unit), says);
    REFUSED(dart_group_ismember, (group, unit, &out.answer), says);
  }
  REFUSED(dart_group_size, (NULL, &out.size), "g is NULL");
  REFUSED(dart_group_size, (group, NULL), "size is NULL");
  REFUSED(dart_group_getmembers, (NULL, (dart_global_unit_t *)local.got), "g is NULL");
  REFUSED(dart_group_getmembers, (group, NULL), "unitids is NULL");
  REFUSED(dart_group_split, (NULL, 2, &out.size, pieces), "g is NULL");
  REFUSED(dart_group_split, (group, 0, &out.size, pieces), "0 pieces");
  REFUSED(dart_group_split, (group, (size_t)INT_MAX + 1, &out.size, pieces), "2147483648 pieces");
  REFUSED(dart_group_split, (group, SIZE_MAX, &out.size, pieces), "18446744073709551615 pieces");
  REFUSED(dart_group_split, (group, 2, NULL, pieces), "nout is NULL");
  REFUSED(dart_group_split, (group, 2, &out.size, NULL), "gout is NULL");

  EXPECT_OK(dart_group_size(group, &size)); /* as before */
  EXPECT_EQ(size, 1);
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST(teams_want_teams_and_units)
{
  const int    no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t  segment   = untouched_segment(DART_TEAM_ALL);
  dart_group_t group     = test_group(&me, 1);
  dart_team_t  team      = DART_TEAM_ALL, gone;
  size_t       size      = 77;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_get_group, (none, &out.group), no_teams[i].says);
    REFUSED(dart_team_create, (none, group, &out.team), no_teams[i].says);
    REFUSED(dart_team_clone, (none, &out.team), no_teams[i].says);
    REFUSED(dart_team_myid, (none, &out.unit), no_teams[i].says);
    REFUSED(dart_team_size, (none, &size), no_teams[i].says);
    REFUSED(dart_team_unit_l2g, (none, unit_0, &out.global), no_teams[i].says);
    REFUSED(dart_team_unit_g2l, (none, global_0, &out.unit), no_teams[i].says);
    gone = none;
    if (none != DART_TEAM_NULL)
      REFUSED(dart_team_destroy, (&gone), no_teams[i].says);
    EXPECT_EQ(gone, none);
  }
  EXPECT_EQ(size, 77);
  for (int i = 0; i < 4; i++) {
    dart_team_unit_t unit = { no_unit[i] };

    REFUSED(dart_team_unit_l2g, (DART_TEAM_ALL, unit, &out.global), saying("unit %d ", no_unit[i]));
  }
  REFUSED(dart_team_destroy, (&team), "team of all units");
  EXPECT_EQ(team, DART_TEAM_ALL);
  REFUSED(dart_team_destroy, (NULL), "teamid is NULL");
  REFUSED(dart_team_get_group, (DART_TEAM_ALL, NULL), "group is NULL");
  REFUSED(dart_team_create, (DART_TEAM_ALL, group, NULL), "newteam is NULL");
  REFUSED(dart_team_clone, (DART_TEAM_ALL, NULL), "newteam is NULL");
  REFUSED(dart_team_myid, (DART_TEAM_ALL, NULL), "myid is NULL");
  REFUSED(dart_team_size, (DART_TEAM_ALL, NULL), "size is NULL");
  REFUSED(dart_team_unit_l2g, (DART_TEAM_ALL, unit_0, NULL), "globalid is NULL");
  REFUSED(dart_team_unit_g2l, (DART_TEAM_ALL, global_0, NULL), "localid is NULL");
  REFUSED(dart_myid, (NULL), "myid is NULL");
  REFUSED(dart_size, (NULL), "size is NULL");
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST_N(2, groups_of_others_make_no_team) /* a member that is not in the parent */
{
  dart_gptr_t  segment = untouched_segment(DART_TEAM_ALL);
  dart_team_t  parent  = test_split(DART_TEAM_ALL, 2);
  int          foreign = (me + 1) % 2;
  dart_group_t group   = test_group(&foreign, 1);

  REFUSED(dart_team_create, (parent, group, &out.team), saying("unit %d ", foreign));
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST(nobody_is_lost_without_the_setting)
{
  dart_gptr_t        segment = untouched_segment(DART_TEAM_ALL);
  dart_unit_status_t status  = DART_UNIT_LOST;
  uint64_t           bits    = 5;
  size_t             nlost   = 0;

  REFUSED(dart_unit_status, (DART_GLOBAL_UNIT_ID(n), &status), saying("unit %d", n));
  REFUSED(dart_unit_status, (global_0, NULL), "status is NULL");
  REFUSED(dart_team_lost, (UNKNOWN_TEAM, NULL, &nlost), "team 12345");
  REFUSED(dart_team_lost, (DART_TEAM_ALL, NULL, NULL), "nunits is NULL");
  nlost = 1;
  REFUSED(dart_team_lost, (DART_TEAM_ALL, NULL, &nlost), "units is NULL");
  REFUSED(dart_team_agree, (UNKNOWN_TEAM, &bits), "team 12345");
  REFUSED(dart_team_shrink, (UNKNOWN_TEAM, &out.team), "team 12345");
  if (!dart_survives()) {
    REFUSED(dart_team_agree, (DART_TEAM_ALL, &bits), "DART_SURVIVE is not 1");
    REFUSED(dart_team_shrink, (DART_TEAM_ALL, &out.team), "DART_SURVIVE is not 1");
  }
  EXPECT_OK(dart_unit_status(global_0, &status));
  EXPECT_EQ(status, DART_UNIT_RUNNING);
  EXPECT_OK(dart_team_lost(DART_TEAM_ALL, NULL, (nlost = 0, &nlost)));
  EXPECT_EQ(nlost, 0);
  EXPECT_OK(dart_lost_handler(NULL, NULL));
  EXPECT_TRUE(!dart_lock_was_broken());
  EXPECT_EQ(bits, 5);
  expect_untouched(segment);
}

TEST(the_life_cycle_has_an_order) /* A2 */
{
  dart_thread_support_level_t level   = DART_THREAD_SINGLE;
  dart_gptr_t                 segment = untouched_segment(DART_TEAM_ALL);

  ROW(dart_init, (NULL, NULL), DART_ERR_OTHER, "already initialised");
  ROW(dart_init_thread, (NULL, NULL, &level), DART_ERR_OTHER, "already initialised");
  REFUSED(dart_init_thread, (NULL, NULL, NULL), "thread_safety is NULL");
  expect_untouched(segment);
}
