/* Global pointers: statements D33 to D40. */
#include <string.h>

#include "dart_test.h"

SUITE(gptr);

enum { UNKNOWN_TEAM = 12345, UNKNOWN_SEGMENT = 77 };

TEST(null_and_equality_ignore_flags_only) /* D33 */
{
  const dart_gptr_t null = DART_GPTR_NULL;
  dart_gptr_t       other;

  EXPECT_TRUE(DART_GPTR_ISNULL(null));
  EXPECT_TRUE(DART_GPTR_EQUAL(null, DART_GPTR_NULL));

  other       = null;
  other.flags = 0x34;
  EXPECT_TRUE(DART_GPTR_ISNULL(other));
  EXPECT_TRUE(DART_GPTR_EQUAL(null, other));

  other        = null;
  other.unitid = 0;
  EXPECT_TRUE(!DART_GPTR_ISNULL(other));
  EXPECT_TRUE(!DART_GPTR_EQUAL(null, other));
  other       = null;
  other.segid = 1;
  EXPECT_TRUE(!DART_GPTR_ISNULL(other));
  EXPECT_TRUE(!DART_GPTR_EQUAL(null, other));
  other        = null;
  other.teamid = DART_TEAM_ALL;
  EXPECT_TRUE(!DART_GPTR_ISNULL(other));
  EXPECT_TRUE(!DART_GPTR_EQUAL(null, other));
  other                     = null;
  other.addr_or_offs.offset = 8;
  EXPECT_TRUE(!DART_GPTR_ISNULL(other));
  EXPECT_TRUE(!DART_GPTR_EQUAL(null, other));
}

TEST(incaddr_and_setunit_change_one_field) /* D34 */
{
  dart_gptr_t gptr  = test_segment(DART_TEAM_ALL, 256, 0);
  dart_gptr_t moved = gptr;

  EXPECT_OK(dart_gptr_incaddr(&moved, 100));
  EXPECT_EQ(moved.addr_or_offs.offset, 100);
  EXPECT_OK(dart_gptr_incaddr(&moved, -60));
  EXPECT_EQ(moved.addr_or_offs.offset, 40);
  moved.addr_or_offs.offset = gptr.addr_or_offs.offset;
  EXPECT_TRUE(DART_GPTR_EQUAL(moved, gptr));

  EXPECT_OK(dart_gptr_setunit(&moved, DART_TEAM_UNIT_ID(n - 1)));
  EXPECT_EQ(moved.unitid, n - 1);
  EXPECT_OK(dart_gptr_setunit(&moved, DART_TEAM_UNIT_ID(0)));
  EXPECT_TRUE(DART_GPTR_EQUAL(moved, gptr));
}

TEST(getaddr_leads_to_this_units_portion) /* D35 */
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, 8 * sizeof(int64_t), 0);
  char       *start, *addr;

  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), (void **)&start));
  for (int i = 0; i < 8; i++) {
    int64_t value = 100 * me + i;

    EXPECT_OK(dart_gptr_getaddr(test_at(test_unit(gptr, me), (size_t)i), (void **)&addr));
    EXPECT_EQ(addr - start, 8 * i);
    memcpy(addr, &value, sizeof value);
  }
  test_barrier();
  for (int unit = 0; unit < n; unit++) {
    for (int i = 0; i < 8; i++) {
      int64_t value = -1;

      EXPECT_OK(dart_get_blocking(&value, test_at(test_unit(gptr, unit), (size_t)i), 1, T_INT64,
                                  T_INT64));
      EXPECT_EQ(value, 100 * unit + i);
    }
  }
}

TEST_N(2, getaddr_of_other_units_is_null) /* D36 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int i = 0; i < 2; i++) {
    dart_gptr_t gptr = test_segment(team[i], 64, 0);

    for (int unit = 0; unit < test_team_size(team[i]); unit++) {
      void *addr = unit == test_team_me(team[i]) ? NULL : &gptr;

      EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, unit), &addr));
      EXPECT_EQ(addr != NULL, unit == test_team_me(team[i]));
    }
  }
}

static void expect_no_place(dart_gptr_t gptr)
{
  dart_gptr_t moved = gptr;
  void       *addr  = &gptr;
  uint16_t    flags = 0x777;

  EXPECT_INVAL(dart_gptr_getaddr(gptr, &addr));
  EXPECT_INVAL(dart_gptr_setaddr(&moved, &moved));
  EXPECT_INVAL(dart_gptr_getflags(gptr, &flags));
  EXPECT_EQ(flags, 0);
  EXPECT_INVAL(dart_gptr_setflags(&moved, 1));
  EXPECT_TRUE(memcmp(&moved, &gptr, sizeof gptr) == 0);
}

TEST(pointers_to_nothing_are_refused) /* D37 D38 */
{
  dart_gptr_t gptr = test_unit(test_segment(DART_TEAM_ALL, 64, 0), me), wrong;

  test_note("null pointer");
  expect_no_place(DART_GPTR_NULL);
  test_note("unknown team");
  wrong        = gptr;
  wrong.teamid = UNKNOWN_TEAM;
  expect_no_place(wrong);
  test_note("unknown segment");
  wrong       = gptr;
  wrong.segid = UNKNOWN_SEGMENT;
  expect_no_place(wrong);
  test_note("unknown registered segment");
  wrong.segid = -UNKNOWN_SEGMENT;
  expect_no_place(wrong);
  test_note("local segment of another team than all");
  wrong        = gptr;
  wrong.segid  = DART_SEGMENT_LOCAL;
  wrong.teamid = test_split(DART_TEAM_ALL, 1);
  expect_no_place(wrong);
}

TEST(setaddr_names_an_own_address) /* D37 */
{
  dart_gptr_t gptr = test_unit(test_segment(DART_TEAM_ALL, 64, 0), n - 1);

  EXPECT_OK(dart_gptr_setaddr(&gptr, test_mine(gptr) + 3));
  EXPECT_EQ(gptr.addr_or_offs.offset, 24);
  EXPECT_EQ(gptr.unitid, n - 1);
}

TEST(flags_belong_to_the_segment) /* D38 */
{
  dart_gptr_t gptr  = test_segment(DART_TEAM_ALL, 64, 0), other, copy;
  uint16_t    flags = 0x777;

  EXPECT_OK(dart_gptr_getflags(gptr, &flags));
  EXPECT_EQ(flags, 0);
  copy = gptr;
  EXPECT_OK(dart_gptr_setflags(&gptr, 0x1234));
  EXPECT_EQ(gptr.flags, 0x34);
  EXPECT_TRUE(DART_GPTR_EQUAL(gptr, copy));
  EXPECT_OK(dart_gptr_getflags(test_byte(copy, 8), &flags));
  EXPECT_EQ(flags, 0x1234);

  other = test_segment(DART_TEAM_ALL, 64, 0);
  EXPECT_OK(dart_gptr_getflags(other, &flags));
  EXPECT_EQ(flags, 0);
}

TEST(flags_do_not_outlive_the_segment) /* D38: a reused id starts fresh */
{
  dart_gptr_t first, second;
  uint16_t    flags = 0x777;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_BYTE, &first));
  EXPECT_OK(dart_gptr_setflags(&first, 0xffff));
  EXPECT_OK(dart_team_memfree(first));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_BYTE, &second));
  EXPECT_EQ(second.segid, first.segid);
  EXPECT_EQ(second.flags, 0);
  EXPECT_OK(dart_gptr_getflags(second, &flags));
  EXPECT_EQ(flags, 0);
  EXPECT_OK(dart_team_memfree(second));
}

TEST(pointers_travel_as_bytes) /* D39 */
{
  for (int root = 0; root < n; root++) {
    dart_gptr_t gptr, block;
    int64_t     value = -1;

    EXPECT_OK(dart_memalloc(2, T_INT64, &block));
    EXPECT_EQ(block.unitid, me);
    value = 9000 + me;
    EXPECT_OK(dart_put_blocking(test_at(block, 1), &value, 1, T_INT64, T_INT64));

    gptr = block;
    EXPECT_OK(
        dart_bcast(&gptr, sizeof gptr, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(root), DART_TEAM_ALL));
    EXPECT_EQ(gptr.unitid, root);
    EXPECT_OK(dart_get_blocking(&value, test_at(gptr, 1), 1, T_INT64, T_INT64));
    EXPECT_EQ(value, 9000 + root);
    test_barrier();
    EXPECT_OK(dart_memfree(block));
  }
}

static void expect_no_target(dart_gptr_t gptr)
{
  int64_t       value = 5, result = 6;
  dart_handle_t handle = (dart_handle_t)&handle;

  EXPECT_INVAL(dart_put(gptr, &value, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_get(&result, gptr, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_put_blocking(gptr, &value, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_get_blocking(&result, gptr, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_put_handle(gptr, &value, 1, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle == NULL);
  handle = (dart_handle_t)&handle;
  EXPECT_INVAL(dart_get_handle(&result, gptr, 1, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle == NULL);
  EXPECT_INVAL(dart_accumulate(gptr, &value, 1, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_accumulate_blocking_local(gptr, &value, 1, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_fetch_and_op(gptr, &value, &result, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_compare_and_swap(gptr, &value, &value, &result, T_INT64));
  EXPECT_INVAL(dart_flush(gptr));
  EXPECT_INVAL(dart_flush_local(gptr));
  EXPECT_EQ(result, 6);
}

TEST(only_units_of_the_team_are_targets) /* D40 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int i = 0; i < 2; i++) {
    dart_gptr_t gptr    = test_segment(team[i], 64, 0x5a);
    const int   wrong[] = { test_team_size(team[i]), test_team_size(team[i]) + 1, -1, 0x7fffff,
                            -0x800000 };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      test_note("team %d, unit %d", team[i], wrong[k]);
      expect_no_target(test_unit(gptr, wrong[k]));
    }
    test_barrier();
    EXPECT_FILLED(test_mine(gptr), 0x5a, 64);
  }
}
