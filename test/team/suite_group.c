/* Groups: statements B11 to B19. */
#include "dart_test.h"

SUITE(group);

static size_t size_of(dart_group_t group)
{
  size_t size = 999;

  EXPECT_OK(dart_group_size(group, &size));
  return size;
}

static int has(dart_group_t group, int unit)
{
  int32_t is = 999;

  EXPECT_OK(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(unit), &is));
  return is;
}

static void expect_members(dart_group_t group, const int *units, int count)
{
  dart_global_unit_t member[64];

  if (!EXPECT_EQ(size_of(group), count) || !EXPECT_TRUE(count < 64))
    return;
  for (int i = 0; i < 64; i++)
    member[i].id = -77;
  EXPECT_OK(dart_group_getmembers(group, member));
  for (int i = 0; i < count; i++)
    EXPECT_EQ(member[i].id, units[i]);
  EXPECT_EQ(member[count].id, -77);
}

static dart_group_t group_of_all(void)
{
  dart_group_t group;

  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  return group;
}

static const int first[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

TEST(members_ascend_in_whatever_order_they_came) /* B11 */
{
  dart_group_t       group;
  dart_global_unit_t member;

  EXPECT_OK(dart_group_create(&group));
  EXPECT_EQ(size_of(group), 0);
  for (int unit = n - 1; unit >= 0; unit--) {
    EXPECT_OK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)));
    EXPECT_EQ(size_of(group), n - unit);
  }
  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)));
  EXPECT_EQ(size_of(group), n);
  if (n <= 8)
    expect_members(group, first, n);
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(has(group, unit), 1);
  EXPECT_OK(dart_group_destroy(&group));

  group = test_group(&me, 1);
  EXPECT_OK(dart_group_getmembers(group, &member));
  EXPECT_EQ(member.id, me);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(delmember_takes_out_members_only) /* B12 */
{
  dart_group_t group = group_of_all();
  int          gone  = n / 2;

  EXPECT_OK(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(gone)));
  EXPECT_EQ(size_of(group), n - 1);
  EXPECT_OK(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(gone)));
  EXPECT_EQ(size_of(group), n - 1);
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(has(group, unit), unit != gone);
  EXPECT_OK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(gone)));
  if (n <= 8)
    expect_members(group, first, n);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(null_is_no_group) /* B12 */
{
  int32_t            is     = 999;
  size_t             size   = 999;
  dart_global_unit_t member = { -77 };

  EXPECT_INVAL(dart_group_ismember(DART_GROUP_NULL, DART_GLOBAL_UNIT_ID(0), &is));
  EXPECT_EQ(is, 0);
  EXPECT_INVAL(dart_group_size(DART_GROUP_NULL, &size));
  EXPECT_EQ(size, 0);
  EXPECT_INVAL(dart_group_addmember(DART_GROUP_NULL, DART_GLOBAL_UNIT_ID(0)));
  EXPECT_INVAL(dart_group_delmember(DART_GROUP_NULL, DART_GLOBAL_UNIT_ID(0)));
  EXPECT_INVAL(dart_group_getmembers(DART_GROUP_NULL, &member));
  EXPECT_EQ(member.id, -77);
}

TEST(clone_is_independent) /* B13 */
{
  dart_group_t group = group_of_all(), copy;

  EXPECT_OK(dart_group_clone(group, &copy));
  EXPECT_OK(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(0)));
  EXPECT_EQ(has(copy, 0), 1);
  EXPECT_EQ(size_of(copy), n);
  EXPECT_OK(dart_group_delmember(copy, DART_GLOBAL_UNIT_ID(n - 1)));
  EXPECT_EQ(has(group, n - 1), n > 1);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_EQ(size_of(copy), n - 1);
  EXPECT_OK(dart_group_destroy(&copy));

  copy = (dart_group_t)&copy;
  EXPECT_INVAL(dart_group_clone(DART_GROUP_NULL, &copy));
  EXPECT_TRUE(copy == NULL);
}

TEST_N(3, union_and_intersection) /* B14 */
{
  dart_group_t left  = test_group((int[]){ 2, 0 }, 2);
  dart_group_t right = test_group((int[]){ 1, 2 }, 2);
  dart_group_t one   = test_group((int[]){ 1 }, 1);
  dart_group_t out;

  EXPECT_OK(dart_group_union(left, right, &out));
  expect_members(out, first, 3);
  EXPECT_OK(dart_group_destroy(&out));
  EXPECT_OK(dart_group_intersect(left, right, &out));
  expect_members(out, (int[]){ 2 }, 1);
  EXPECT_OK(dart_group_destroy(&out));

  EXPECT_OK(dart_group_intersect(left, one, &out)); /* disjoint: empty, but a group */
  EXPECT_EQ(size_of(out), 0);
  EXPECT_OK(dart_group_addmember(out, DART_GLOBAL_UNIT_ID(1)));
  expect_members(out, (int[]){ 1 }, 1);
  EXPECT_OK(dart_group_destroy(&out));

  expect_members(left, (int[]){ 0, 2 }, 2); /* the operands are as before */
  expect_members(right, (int[]){ 1, 2 }, 2);
  EXPECT_OK(dart_group_destroy(&left));
  EXPECT_OK(dart_group_destroy(&right));
  EXPECT_OK(dart_group_destroy(&one));
}

TEST(union_and_intersection_of_null_are_refused) /* B14 */
{
  dart_group_t group = group_of_all(), out;

  out = (dart_group_t)&out;
  EXPECT_INVAL(dart_group_union(DART_GROUP_NULL, group, &out));
  EXPECT_TRUE(out == NULL);
  out = (dart_group_t)&out;
  EXPECT_INVAL(dart_group_union(group, DART_GROUP_NULL, &out));
  EXPECT_TRUE(out == NULL);
  out = (dart_group_t)&out;
  EXPECT_INVAL(dart_group_intersect(DART_GROUP_NULL, group, &out));
  EXPECT_TRUE(out == NULL);
  out = (dart_group_t)&out;
  EXPECT_INVAL(dart_group_intersect(group, DART_GROUP_NULL, &out));
  EXPECT_TRUE(out == NULL);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(destroy_resets_the_variable) /* B15 */
{
  dart_group_t group;

  EXPECT_OK(dart_group_create(&group));
  EXPECT_TRUE(group != NULL);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_TRUE(group == NULL);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_INVAL(dart_group_destroy(NULL));
  EXPECT_INVAL(dart_group_create(NULL));
}

TEST(only_units_can_be_members) /* B16 */
{
  dart_group_t group = test_group(&me, 1);

  EXPECT_INVAL(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(n)));
  EXPECT_INVAL(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(-1)));
  EXPECT_INVAL(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(INT32_MAX)));
  EXPECT_INVAL(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(INT32_MIN)));
  expect_members(group, &me, 1);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(split_in_one_and_in_halves) /* B17 B19 */
{
  for (int size = 1; size <= n; size++) {
    dart_group_t group, half[2], whole;
    size_t       count = 999;
    int          lower = (size + 1) / 2;

    EXPECT_OK(dart_group_create(&group));
    for (int unit = n - size; unit < n; unit++)
      EXPECT_OK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)));

    test_note("%d members", size);
    EXPECT_OK(dart_group_split(group, 2, &count, half));
    EXPECT_EQ(count, size > 1 ? 2 : 1);
    EXPECT_EQ(size_of(half[0]), lower);
    EXPECT_EQ(size_of(half[1]), size - lower);
    for (int unit = 0; unit < n; unit++) {
      int at = unit - (n - size);

      EXPECT_EQ(has(half[0], unit), at >= 0 && at < lower);
      EXPECT_EQ(has(half[1], unit), at >= lower);
    }
    EXPECT_OK(dart_group_split(group, 1, &count, &whole));
    EXPECT_EQ(count, 1);
    EXPECT_EQ(size_of(whole), size);
    for (int unit = 0; unit < n; unit++)
      EXPECT_EQ(has(whole, unit), has(group, unit));

    EXPECT_OK(dart_group_destroy(&half[0]));
    EXPECT_OK(dart_group_destroy(&half[1]));
    EXPECT_OK(dart_group_destroy(&whole));
    EXPECT_OK(dart_group_destroy(&group));
  }
}

TEST(split_cuts_in_order_and_loses_nobody) /* B18 B19 */
{
  enum { PIECES_MAX = 11 };
  dart_group_t group = group_of_all();

  for (size_t pieces = 1; pieces <= PIECES_MAX; pieces++) {
    dart_group_t piece[PIECES_MAX + 1];
    size_t       count = 999, filled = 0, before = 0;

    for (int i = 0; i <= PIECES_MAX; i++)
      piece[i] = (dart_group_t)&piece[i];
    test_note("%zu pieces", pieces);
    EXPECT_OK(dart_group_split(group, pieces, &count, piece));
    EXPECT_TRUE(piece[pieces] == (dart_group_t)&piece[pieces]); /* and not written */

    for (size_t i = 0; i < pieces; i++) {
      size_t size = size_of(piece[i]);

      filled += size > 0;
      for (size_t unit = before; unit < before + size; unit++)
        EXPECT_EQ(has(piece[i], (int)unit), 1);
      before += size;
    }
    EXPECT_EQ(before, n);
    EXPECT_EQ(count, filled);
    if (pieces > (size_t)n)
      EXPECT_EQ(count, n);
    for (size_t i = 0; i < pieces; i++) {
      EXPECT_OK(dart_group_destroy(&piece[i]));
      EXPECT_TRUE(piece[i] == NULL);
    }
  }
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(all_pieces_of_a_split_make_teams) /* B18: empty ones make none */
{
  enum { PIECES_MAX = 16 };
  dart_group_t group  = group_of_all(), piece[PIECES_MAX];
  size_t       pieces = (size_t)n + 3, count;
  int          mine   = 0;

  if (!EXPECT_TRUE(pieces <= PIECES_MAX))
    return;
  EXPECT_OK(dart_group_split(group, pieces, &count, piece));
  for (size_t i = 0; i < pieces; i++) {
    int         member = has(piece[i], me);
    dart_team_t team   = 99;

    test_note("piece %zu of %zu", i, pieces);
    EXPECT_OK(dart_team_create(DART_TEAM_ALL, piece[i], &team));
    EXPECT_EQ(team != DART_TEAM_NULL, member);
    mine += member;
    EXPECT_OK(dart_team_destroy(&team));
    EXPECT_OK(dart_group_destroy(&piece[i]));
  }
  EXPECT_EQ(mine, 1);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(split_into_no_pieces_is_refused)
{
  dart_group_t group = group_of_all(), piece;
  size_t       count;

  EXPECT_INVAL(dart_group_split(group, 0, &count, &piece));
  EXPECT_INVAL(dart_group_split(DART_GROUP_NULL, 1, &count, &piece));
  EXPECT_INVAL(dart_group_split(group, (size_t)INT32_MAX + 1, &count, &piece));
  EXPECT_OK(dart_group_destroy(&group));
}
