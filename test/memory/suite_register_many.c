/* Much memory that is registered at the same time, in single parts. */
#include "dart_test.h"

SUITE(register_many);

enum { PARTS = 100 };

TEST(a_hundred_parts_are_reached)
{
  static int64_t part[PARTS][4096]; /* each on pages of its own */
  dart_gptr_t    gptr[PARTS];
  int            left = (me + n - 1) % n, right = (me + 1) % n;

  for (int i = 0; i < PARTS; i++) {
    part[i][0] = part[i][1] = -1;
    EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 2, T_INT64, part[i], &gptr[i]));
  }
  test_barrier();
  for (int i = 0; i < PARTS; i++) {
    int64_t value = 1000 * me + i;

    EXPECT_OK(dart_put_blocking(test_unit(gptr[i], right), &value, 1, T_INT64, T_INT64));
  }
  test_barrier();
  for (int i = 0; i < PARTS; i++) {
    test_note("part %d", i);
    EXPECT_EQ(part[i][0], 1000 * left + i);
    EXPECT_EQ(part[i][1], -1);
    EXPECT_OK(dart_team_memderegister(gptr[i]));
  }
}
