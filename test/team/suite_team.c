/* Teams: statements C20 to C32. */
#include <dash/dart/ext/dart_stats.h>

#include <malloc.h>

#include "dart_test.h"

SUITE(team);

enum { UNKNOWN_TEAM = 12345 };

static dart_team_t clone_of_all(void)
{
  dart_group_t all;
  dart_team_t  team = 99;

  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, all, &team));
  EXPECT_OK(dart_group_destroy(&all));
  return team;
}

TEST(team_all_is_everyone) /* C20 */
{
  dart_group_t       group;
  dart_team_unit_t   unit = { 99 };
  size_t             size = 999;
  dart_global_unit_t member[64];

  EXPECT_OK(dart_team_myid(DART_TEAM_ALL, &unit));
  EXPECT_EQ(unit.id, me);
  EXPECT_OK(dart_team_size(DART_TEAM_ALL, &size));
  EXPECT_EQ(size, n);

  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  EXPECT_OK(dart_group_size(group, &size));
  if (EXPECT_EQ(size, n) && EXPECT_TRUE(n <= 64)) {
    EXPECT_OK(dart_group_getmembers(group, member));
    for (int u = 0; u < n; u++)
      EXPECT_EQ(member[u].id, u);
  }
  EXPECT_OK(dart_group_destroy(&group));
}

TEST(null_and_unknown_teams_are_refused) /* C20 */
{
  const dart_team_t wrong[] = { DART_TEAM_NULL, UNKNOWN_TEAM, INT16_MIN, INT16_MAX };

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dart_team_unit_t unit  = { 99 };
    size_t           size  = 999;
    dart_group_t     group = (dart_group_t)&group;

    test_note("team %d", wrong[i]);
    EXPECT_INVAL(dart_team_myid(wrong[i], &unit));
    EXPECT_EQ(unit.id, -1);
    EXPECT_INVAL(dart_team_size(wrong[i], &size));
    EXPECT_INVAL(dart_team_get_group(wrong[i], &group));
    EXPECT_TRUE(group == NULL);
  }
}

TEST_N(3, team_of_the_last_and_the_first) /* C21: ids ascend with global ids */
{
  dart_team_t team = test_team(DART_TEAM_ALL, (int[]){ n - 1, 0 }, 2);
  int64_t     ids[2];
  dart_gptr_t seen = test_alloc((int64_t[]){ -1, -1 }, 2, 0);

  if (me == 0 || me == n - 1) {
    int64_t id = team;

    EXPECT_TRUE(team > 0);
    EXPECT_EQ(test_team_size(team), 2);
    EXPECT_EQ(test_team_me(team), me == 0 ? 0 : 1);
    EXPECT_OK(dart_put_blocking(test_at(seen, me == 0 ? 0 : 1), &id, 1, T_INT64, T_INT64));
  } else {
    EXPECT_EQ(team, DART_TEAM_NULL);
  }
  test_barrier();
  EXPECT_OK(dart_get_blocking(ids, seen, 2, T_INT64, T_INT64));
  EXPECT_TRUE(ids[0] > 0);
  EXPECT_EQ(ids[0], ids[1]);
}

TEST(empty_group_makes_no_team) /* C22 */
{
  dart_group_t group;
  dart_team_t  team = 99;

  EXPECT_OK(dart_group_create(&group));
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  EXPECT_EQ(team, DART_TEAM_NULL);
  EXPECT_OK(dart_group_destroy(&group));
}

TEST_N(2, halves_put_every_unit_in_one_team) /* C23 */
{
  dart_group_t all, half[2];
  size_t       count;
  dart_team_t  team[2];
  int16_t      lower, upper;
  int          in;

  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  EXPECT_OK(dart_group_split(all, 2, &count, half));
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(dart_team_create(DART_TEAM_ALL, half[i], &team[i]));
    EXPECT_OK(dart_group_destroy(&half[i]));
  }
  EXPECT_OK(dart_group_destroy(&all));

  in = team[0] != DART_TEAM_NULL ? 0 : 1;
  EXPECT_EQ(in, me >= (n + 1) / 2);
  EXPECT_EQ(team[!in], DART_TEAM_NULL);
  if (EXPECT_TRUE(team[in] != DART_TEAM_NULL)) {
    EXPECT_EQ(test_team_size(team[in]), in == 0 ? (n + 1) / 2 : n / 2);
    test_use_team(team[in]);
  }

  lower = team[0];
  upper = team[1];
  EXPECT_OK(dart_bcast(&lower, 1, DART_TYPE_SHORT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_OK(dart_bcast(&upper, 1, DART_TYPE_SHORT, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  EXPECT_TRUE(lower != upper);
  EXPECT_OK(dart_team_destroy(&team[in]));
}

TEST_N(2, non_members_may_pass_null) /* C24 */
{
  bool         member = me != 0;
  dart_group_t group  = DART_GROUP_NULL;
  dart_team_t  team   = 99;

  if (member) {
    EXPECT_OK(dart_group_create(&group));
    for (int u = 1; u < n; u++)
      EXPECT_OK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(u)));
  }
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  EXPECT_OK(dart_group_destroy(&group));
  if (member && EXPECT_TRUE(team > 0)) {
    EXPECT_EQ(test_team_size(team), n - 1);
    EXPECT_EQ(test_team_me(team), me - 1);
    test_use_team(team);
    EXPECT_OK(dart_team_destroy(&team));
  }
  EXPECT_EQ(team, DART_TEAM_NULL);
}

TEST(ids_do_not_come_back) /* C25 */
{
  dart_team_t first = clone_of_all(), second = clone_of_all(), third, destroyed = first;

  EXPECT_TRUE(first > 0);
  EXPECT_TRUE(second > 0);
  EXPECT_TRUE(first != second);
  EXPECT_OK(dart_team_destroy(&first));
  third = clone_of_all();
  EXPECT_TRUE(third != destroyed);
  EXPECT_TRUE(third != second);
  EXPECT_OK(dart_team_destroy(&second));
  EXPECT_OK(dart_team_destroy(&third));
}

TEST_N(4, sub_teams_of_sub_teams) /* C26 */
{
  dart_team_t        outer = test_split(DART_TEAM_ALL, 2); /* 0 2 4 .. and 1 3 5 .. */
  dart_team_t        inner = test_split(outer, 2);         /* 0 4 .., 2 6 .., 1 5 .., 3 7 .. */
  int                size  = test_team_size(inner);
  dart_group_t       group;
  dart_global_unit_t member[64];

  EXPECT_EQ(size, (n - me % 4 + 3) / 4);
  EXPECT_EQ(test_team_me(inner), me / 4);
  EXPECT_OK(dart_team_get_group(inner, &group));
  EXPECT_OK(dart_group_getmembers(group, member));
  EXPECT_OK(dart_group_destroy(&group));
  for (int u = 0; u < size; u++) {
    dart_global_unit_t global = { 99 };
    dart_team_unit_t   back   = { 99 };

    EXPECT_EQ(member[u].id, me % 4 + 4 * u);
    EXPECT_OK(dart_team_unit_l2g(inner, DART_TEAM_UNIT_ID(u), &global));
    EXPECT_EQ(global.id, me % 4 + 4 * u);
    EXPECT_OK(dart_team_unit_g2l(inner, global, &back));
    EXPECT_EQ(back.id, u);
  }
  test_use_team(inner);
  test_use_team(outer);
}

TEST(unit_ids_translate_both_ways) /* C26 */
{
  dart_team_t team = test_split(DART_TEAM_ALL, 2);

  for (int u = 0; u < n; u++) {
    dart_global_unit_t global = { 99 };
    dart_team_unit_t   local  = { 99 };

    EXPECT_OK(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(u), &global));
    EXPECT_EQ(global.id, u);
    EXPECT_OK(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(u), &local));
    EXPECT_EQ(local.id, u);

    EXPECT_OK(dart_team_unit_g2l(team, DART_GLOBAL_UNIT_ID(u), &local));
    EXPECT_EQ(local.id, u % 2 == me % 2 ? u / 2 : -1); /* C28: -1 for non-members */
  }
}

TEST(only_team_units_have_global_ids) /* C27 C28 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int i = 0; i < 2; i++) {
    const int wrong[] = { test_team_size(team[i]), -1, INT32_MAX, INT32_MIN };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      dart_global_unit_t global = { 99 };

      test_note("team %d, unit %d", team[i], wrong[k]);
      EXPECT_INVAL(dart_team_unit_l2g(team[i], DART_TEAM_UNIT_ID(wrong[k]), &global));
      EXPECT_EQ(global.id, -1);
    }
  }
}

TEST(translating_in_unknown_teams_is_refused)
{
  dart_global_unit_t global = { 99 };
  dart_team_unit_t   local  = { 99 };

  EXPECT_INVAL(dart_team_unit_l2g(UNKNOWN_TEAM, DART_TEAM_UNIT_ID(0), &global));
  EXPECT_EQ(global.id, -1);
  EXPECT_INVAL(dart_team_unit_g2l(UNKNOWN_TEAM, DART_GLOBAL_UNIT_ID(0), &local));
  EXPECT_INVAL(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(0), NULL));
  EXPECT_INVAL(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(0), NULL));
}

TEST_N(2, foreign_teams_are_unknown) /* a team's id means nothing to those outside */
{
  dart_team_t      team = test_team(DART_TEAM_ALL, (int[]){ 0 }, 1);
  int16_t          id   = team;
  dart_team_unit_t unit = { 99 };

  EXPECT_OK(dart_bcast(&id, 1, DART_TYPE_SHORT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  if (me != 0) {
    EXPECT_INVAL(dart_team_myid(id, &unit));
    EXPECT_EQ(unit.id, -1);
    EXPECT_INVAL(dart_barrier(id));
  }
}

TEST(clone_is_another_team_of_the_same_units) /* C29 */
{
  dart_team_t source = test_split(DART_TEAM_ALL, 2), copy = 99;

  EXPECT_OK(dart_team_clone(source, &copy));
  EXPECT_TRUE(copy > 0);
  EXPECT_TRUE(copy != source);
  EXPECT_EQ(test_team_size(copy), test_team_size(source));
  EXPECT_EQ(test_team_me(copy), test_team_me(source));
  test_use_team(copy);
  EXPECT_OK(dart_team_destroy(&copy));
  test_use_team(source);

  copy = 99;
  EXPECT_INVAL(dart_team_clone(UNKNOWN_TEAM, &copy));
  EXPECT_EQ(copy, DART_TEAM_NULL);
}

TEST(destroy_resets_the_variable) /* C30 */
{
  dart_team_t      team = clone_of_all(), was = team, all = DART_TEAM_ALL, unknown = UNKNOWN_TEAM;
  dart_team_unit_t unit;

  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_EQ(team, DART_TEAM_NULL);
  EXPECT_INVAL(dart_team_myid(was, &unit));
  EXPECT_EQ(unit.id, -1);
  if (me == 0)
    EXPECT_OK(dart_team_destroy(&team)); /* of a null variable: local */

  EXPECT_INVAL(dart_team_destroy(&all));
  EXPECT_EQ(all, DART_TEAM_ALL);
  EXPECT_INVAL(dart_team_destroy(&unknown));
  EXPECT_INVAL(dart_team_destroy(&was));
  test_use_team(DART_TEAM_ALL);
}

TEST(destroy_takes_the_segments_with_it)
{
  dart_team_t team = clone_of_all();
  dart_gptr_t gptr;
  void       *addr;

  EXPECT_OK(dart_team_memalloc_aligned(team, 1000, T_INT64, &gptr));
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_INVAL(dart_gptr_getaddr(gptr, &addr));
  EXPECT_INVAL(dart_flush(gptr));
}

TEST(child_outlives_its_parent) /* C31 */
{
  dart_team_t  parent = clone_of_all(), child = DART_TEAM_NULL;
  dart_group_t odd;

  EXPECT_OK(dart_group_create(&odd));
  for (int u = n - 1; u >= 0; u--) {
    if (u % 2 == (n - 1) % 2)
      EXPECT_OK(dart_group_addmember(odd, DART_GLOBAL_UNIT_ID(u)));
  }
  EXPECT_OK(dart_team_create(parent, odd, &child));
  EXPECT_OK(dart_group_destroy(&odd));
  EXPECT_OK(dart_team_destroy(&parent));

  EXPECT_EQ(child != DART_TEAM_NULL, me % 2 == (n - 1) % 2);
  if (child != DART_TEAM_NULL) {
    test_use_team(child);
    EXPECT_OK(dart_team_destroy(&child));
  }
}

TEST(teams_come_and_go) /* C31: 200 cycles */
{
  int cycles = test_rounds(200);

  for (int cycle = 0; cycle < cycles; cycle++) {
    dart_team_t team = clone_of_all();

    test_note("cycle %d", cycle);
    if (!EXPECT_TRUE(team > 0))
      return;
    if (cycle % 10 == 0)
      test_use_team(team);
    EXPECT_OK(dart_team_destroy(&team));
  }
}

#ifdef __GLIBC_PREREQ
#define HAS_MALLINFO2 __GLIBC_PREREQ(2, 33)
#else
#define HAS_MALLINFO2 0
#endif

/* Memory of this process that malloc has given out. 0 under sanitizers, which have a malloc of their own, and with another
 * C library. */
static int64_t allocated(void)
{
#if HAS_MALLINFO2
  struct mallinfo2 info = mallinfo2();

  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

/* Where a block of the pool lies that no gap below has room for: the higher, the more is in use. */
static uint64_t pool_reaches(void)
{
  dart_gptr_t block;

  EXPECT_OK(dart_memalloc(1 << 20, DART_TYPE_BYTE, &block));
  EXPECT_OK(dart_memfree(block));
  return block.addr_or_offs.offset;
}

/* What every team loses is missed after each spell of teams; what MPI takes for its messages is not. */
TEST(teams_that_are_gone_take_no_memory)
{
  enum { SPELLS = 10, LEAST = 16 /* bytes: malloc gives no less */ };
  int      cycles = test_rounds(50);
  int64_t  lost   = INT64_MAX;
  uint64_t pool   = 0;

  for (int spell = 0; spell < SPELLS; spell++) {
    int64_t before = allocated(), more;

    for (int cycle = 0; cycle < cycles; cycle++) {
      dart_team_t team = clone_of_all();

      if (spell == 0)
        test_use_team(team);
      EXPECT_OK(dart_team_destroy(&team));
    }
    more = allocated() - before;
    lost = more < lost ? more : lost;
    if (spell == 0)
      pool = pool_reaches();
  }
  EXPECT_EQ(pool_reaches(), pool);
  test_note("%lld bytes in %d cycles", (long long)lost, cycles);
  EXPECT_TRUE(lost < (int64_t)cycles * LEAST);
}

TEST(many_teams_live_at_once)
{
  enum { TEAMS = 40 };
  dart_team_t team[TEAMS];

  for (int i = 0; i < TEAMS; i++)
    team[i] = clone_of_all();
  for (int i = 0; i < TEAMS; i += 7)
    test_use_team(team[i]);
  for (int i = 0; i < TEAMS; i++)
    EXPECT_OK(dart_team_destroy(&team[(i * 7) % TEAMS]));
}

TEST_N(2, overlapping_teams_have_memory_of_their_own)
{
  dart_team_t all = test_split(DART_TEAM_ALL, 1), tail; /* tail: units 1 .. n-1 */
  dart_gptr_t a   = test_segment(all, 4096, 0x11), b;
  int         units[64];

  for (int u = 1; u < n && u < 64; u++)
    units[u - 1] = u;
  tail = test_team(all, units, n - 1);
  if (tail != DART_TEAM_NULL) {
    b = test_segment(tail, 4096, 0x22);
    if (me == 1)
      EXPECT_OK(dart_put_blocking(test_unit(b, n - 2), "\x33", 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_barrier(tail));
    EXPECT_FILLED(test_mine(b), me == n - 1 ? 0x33 : 0x22, 1);
    EXPECT_FILLED((char *)test_mine(b) + 1, 0x22, 4095);
  }
  EXPECT_FILLED(test_mine(a), 0x11, 4096);
}

TEST_N(4, disjoint_teams_do_not_wait_for_each_other) /* C32 */
{
  dart_team_t team = test_split(DART_TEAM_ALL, 2);

  if (me % 2 == 0) {
    for (int i = 0; i < 100; i++)
      EXPECT_OK(dart_barrier(team));
  }
  test_barrier();
}

static uint64_t pool_bytes(void)
{
  size_t   index;
  uint64_t values[200];

  EXPECT_OK(dart_stats_find("memory_pool", &index));
  if (index >= 200 || dart_stats_read(values, index + 1) != DART_OK)
    return 0;
  return values[index];
}

/* The sum over all units of a block of `nlong` numbers, in the team. */
static void expect_sums(dart_team_t team, size_t nlong)
{
  static long in[8192], out[8192];
  long        wrong = 0;

  for (size_t i = 0; i < nlong; i++)
    in[i] = 1000 * me + (long)i;
  EXPECT_OK(dart_allreduce(in, out, nlong, DART_TYPE_LONG, DART_OP_SUM, team));
  for (size_t i = 0; i < nlong; i++)
    wrong += out[i] != 500L * n * (n - 1) + n * (long)i;
  EXPECT_EQ(wrong, 0);
}

/* The buffers for collectives come with the first one on more than a few bytes. */
TEST(teams_take_little_memory_until_they_move_data)
{
  enum { MANY = 100 };
  dart_team_t team[MANY];
  uint64_t    before = pool_bytes();

  for (int i = 0; i < MANY; i++) {
    team[i] = clone_of_all();
    expect_sums(team[i], 1);
  }
  EXPECT_TRUE(pool_bytes() <= before + (4 << 20));
  for (int i = 0; i < 3; i++) { /* twice with the wider ones */
    expect_sums(team[0], 8192);
    expect_sums(team[MANY - 1], i == 0 ? 9 : 100);
  }
  for (int i = 0; i < MANY; i++)
    EXPECT_OK(dart_team_destroy(&team[i]));
}
