/* Life cycle and environment: statements A1 to A9, as far as one program can tell them.
 *
 * Each test starts and ends outside the runtime. The first ones must stay first: they are about
 * the time before the first dart_init. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(life);

TEST(config_is_one_object_from_the_start) /* A7 */
{
  dart_config_t *before = NULL, *inside = NULL, *after = NULL;

  dart_config(&before);
  EXPECT_TRUE(before != NULL);
  EXPECT_EQ(before->log_enabled, 1);
  before->log_enabled = 0;

  test_init();
  dart_config(&inside);
  EXPECT_TRUE(inside == before);
  EXPECT_EQ(inside->log_enabled, 0);
  inside->log_enabled = 1;
  EXPECT_OK(dart_exit());

  dart_config(&after);
  EXPECT_TRUE(after == before);
  EXPECT_EQ(after->log_enabled, 1);
}

TEST(there_are_units_from_init_to_exit) /* A1 A5 */
{
  for (int round = 0; round < 2; round++) {
    dart_global_unit_t unit = { 7 };
    size_t             size = 7;

    EXPECT_TRUE(!dart_initialized());
    EXPECT_RET(dart_myid(&unit), DART_ERR_OTHER);
    EXPECT_EQ(unit.id, -1);
    EXPECT_RET(dart_size(&size), DART_ERR_OTHER);
    EXPECT_EQ(size, 0);

    EXPECT_OK(dart_init(NULL, NULL));
    EXPECT_TRUE(dart_initialized());
    EXPECT_OK(dart_myid(&unit));
    EXPECT_OK(dart_size(&size));
    EXPECT_TRUE(size >= 1);
    EXPECT_TRUE(unit.id >= 0 && (size_t)unit.id < size);

    EXPECT_OK(dart_exit());
    EXPECT_TRUE(!dart_initialized());
    EXPECT_RET(dart_myid(&unit), DART_ERR_OTHER);
    EXPECT_EQ(unit.id, -1);
    EXPECT_RET(dart_size(&size), DART_ERR_OTHER);
    EXPECT_EQ(size, 0);
  }
}

TEST(units_are_numbered_without_gaps) /* A1 */
{
  int ids[64];

  test_init();
  if (EXPECT_TRUE(n <= 64)) {
    EXPECT_OK(dart_allgather(&me, ids, 1, DART_TYPE_INT, DART_TEAM_ALL));
    for (int u = 0; u < n; u++)
      EXPECT_EQ(ids[u], u);
  }
  EXPECT_OK(dart_exit());
}

static void exchange_with_right(void)
{
  int64_t     zero = 0, value = 4000 + me;
  dart_gptr_t gptr;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, T_INT64, &gptr));
  *test_mine(gptr) = zero;
  test_barrier();
  EXPECT_OK(dart_put_blocking(test_unit(gptr, (me + 1) % n), &value, 1, T_INT64, T_INT64));
  test_barrier();
  EXPECT_EQ(*test_mine(gptr), 4000 + (me + n - 1) % n);
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(second_init_and_exit_without_init_are_refused) /* A2 */
{
  dart_thread_support_level_t level;

  EXPECT_RET(dart_exit(), DART_ERR_OTHER);
  test_init();
  EXPECT_RET(dart_init(NULL, NULL), DART_ERR_OTHER);
  EXPECT_RET(dart_init_thread(NULL, NULL, &level), DART_ERR_OTHER);
  EXPECT_TRUE(dart_initialized());
  exchange_with_right();
  EXPECT_OK(dart_exit());
  EXPECT_RET(dart_exit(), DART_ERR_OTHER);
}

TEST(init_thread_gives_one_level_to_all) /* A6 */
{
  dart_thread_support_level_t level = (dart_thread_support_level_t)-1;
  int                         mine, first;

  EXPECT_INVAL(dart_init_thread(NULL, NULL, NULL));
  EXPECT_TRUE(!dart_initialized());
  EXPECT_OK(dart_init_thread(NULL, NULL, &level));
  EXPECT_TRUE(level == DART_THREAD_SINGLE || level == DART_THREAD_MULTIPLE);
  mine = first = (int)level;
  EXPECT_OK(dart_bcast(&first, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(mine, first);
  EXPECT_OK(dart_exit());
}

TEST(exit_accepts_what_was_left_alive) /* A9: segments, teams, blocks of the pool, locks */
{
  for (int round = 0; round < 3; round++) {
    dart_group_t all;
    dart_team_t  clone, team;
    dart_gptr_t  here, there, block, registered;
    dart_lock_t  free_lock, held_lock;
    int64_t      value = me, *buffer = malloc(1000 * sizeof *buffer);

    test_init();
    EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
    EXPECT_OK(dart_team_create(DART_TEAM_ALL, all, &team));
    EXPECT_OK(dart_group_destroy(&all));
    EXPECT_OK(dart_team_clone(team, &clone));
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1000, T_INT64, &here));
    EXPECT_OK(dart_team_memalloc_aligned(clone, 1000, T_INT64, &there));
    EXPECT_OK(dart_memalloc(1000, T_INT64, &block));
    EXPECT_OK(dart_team_memregister(clone, 1000, T_INT64, buffer, &registered));
    free(buffer);
    EXPECT_OK(dart_team_lock_init(clone, &free_lock));
    EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &held_lock));
    if (me == 0)
      EXPECT_OK(dart_lock_acquire(held_lock));
    EXPECT_OK(dart_put_blocking(test_unit(there, (me + 1) % n), &value, 1, T_INT64, T_INT64));

    EXPECT_EQ(here.segid, 1); /* of the first segment in every life */
    EXPECT_EQ(there.segid, 1);
    EXPECT_OK(dart_exit());
    EXPECT_OK(dart_team_lock_destroy(&free_lock));
    EXPECT_OK(dart_team_lock_destroy(&held_lock));
  }
}

/* Other cycles must not leave descriptors or memory behind. */
typedef struct usage {
  int  descriptors;
  long virtual_pages, resident_pages;
} usage_t;

static usage_t measure(void)
{
  usage_t usage = { 0, 0, 0 };
  DIR    *dir   = opendir("/proc/self/fd");
  FILE   *statm = fopen("/proc/self/statm", "r");

  if (EXPECT_TRUE(dir != NULL)) {
    while (readdir(dir) != NULL)
      usage.descriptors++;
    closedir(dir);
  }
  if (EXPECT_TRUE(statm != NULL)) {
    EXPECT_EQ(fscanf(statm, "%ld %ld", &usage.virtual_pages, &usage.resident_pages), 2);
    fclose(statm);
  }
  return usage;
}

/* Sanitizers keep what was freed; the one for leaks looks for itself. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_MEASURABLE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMORY_IS_MEASURABLE 0
#endif
#endif
#ifndef MEMORY_IS_MEASURABLE
#define MEMORY_IS_MEASURABLE 1
#endif

TEST(cycles_leave_nothing_behind) /* A3 A5 */
{
  enum { WARM_UP = 5, RESIDENT_MIB = 12, VIRTUAL_MIB = 100 };
  long    pages_per_mib = (1L << 20) / sysconf(_SC_PAGESIZE);
  usage_t before        = { 0, 0, 0 }, after;
  int     cycles        = 0;

  for (int cycle = 0; cycle == 0 || cycle < cycles; cycle++) {
    dart_group_t all;
    dart_team_t  team;
    dart_gptr_t  gptr;

    test_note("cycle %d", cycle);
    test_init();
    cycles = test_rounds(n > 4 ? 100 : 300);

    EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
    EXPECT_OK(dart_team_create(DART_TEAM_ALL, all, &team));
    EXPECT_OK(dart_group_destroy(&all));
    EXPECT_EQ(team, 1);
    EXPECT_OK(dart_team_memalloc_aligned(team, 10000, T_INT64, &gptr));
    EXPECT_EQ(gptr.segid, 1);
    memset(test_mine(gptr), cycle, 10000 * sizeof(int64_t));
    test_barrier();
    EXPECT_OK(dart_team_memfree(gptr));
    EXPECT_OK(dart_team_destroy(&team));
    exchange_with_right();
    EXPECT_OK(dart_exit());
    if (cycle == WARM_UP)
      before = measure();
  }
  after = measure();
  EXPECT_EQ(after.descriptors, before.descriptors);
  if (MEMORY_IS_MEASURABLE) {
    EXPECT_TRUE(after.resident_pages - before.resident_pages < RESIDENT_MIB * pages_per_mib);
    EXPECT_TRUE(after.virtual_pages - before.virtual_pages < VIRTUAL_MIB * pages_per_mib);
  }
}
