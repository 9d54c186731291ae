/* Teams that several threads of each unit make at the same time (dart_team_group.h). */
#include <pthread.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_team_group.h>

#include "dart_test.h"

SUITE_WITHOUT_INIT(team_group_threads);

enum { THREADS = 4, ROUNDS = 5 };

typedef struct {
  int         tag;
  dart_team_t team[ROUNDS]; /* DART_TEAM_NULL: this unit is no member */
} maker_t;

/* Thread `tag` makes teams of the units from `tag / 2` on, so groups overlap. Which thread is first differs from unit
 * to unit. */
static void *make(void *data)
{
  maker_t *maker = data;
  int      units[64], count = 0;

  for (int u = maker->tag / 2 % n; u < n; u++)
    units[count++] = u;
  for (int round = 0; round < ROUNDS; round++) {
    dart_group_t group = test_group(units, count);

    maker->team[round] = DART_TEAM_NULL;
    if (me >= units[0])
      EXPECT_OK(dart_team_create_group(DART_TEAM_ALL, group, maker->tag, &maker->team[round]));
    EXPECT_OK(dart_group_destroy(&group));
  }
  return NULL;
}

static void run(maker_t *maker, int count)
{
  pthread_t thread[THREADS];

  for (int i = 0; i < count; i++) {
    maker[i].tag = (i + me) % count;
    EXPECT_TRUE(pthread_create(&thread[i], NULL, make, &maker[i]) == 0);
  }
  for (int i = 0; i < count; i++)
    pthread_join(thread[i], NULL);
}

/* All of a unit's teams have different ids; each has the members of its tag, and works. In the order of tags, for
 * destroying is collective. */
static void check(maker_t *maker, int count)
{
  for (int tag = 0; tag < count; tag++)
    for (int round = 0; round < ROUNDS; round++) {
      dart_team_t *team = &maker[(tag - me % count + count) % count].team[round];
      int          one = 1, sum = 0;

      if (me < tag / 2 % n)
        continue;
      EXPECT_TRUE(*team > 0);
      EXPECT_OK(dart_allreduce(&one, &sum, 1, DART_TYPE_INT, DART_OP_SUM, *team));
      EXPECT_EQ(sum, n - tag / 2 % n);
      for (int i = 0; i < count * ROUNDS; i++) {
        dart_team_t *other = &maker[i / ROUNDS].team[i % ROUNDS];

        EXPECT_TRUE(other == team || *other != *team);
      }
    }
  for (int tag = 0; tag < count; tag++)
    for (int round = 0; round < ROUNDS; round++)
      EXPECT_OK(dart_team_destroy(&maker[(tag - me % count + count) % count].team[round]));
}

TEST(threads_make_overlapping_teams_at_once)
{
  maker_t maker[THREADS];

  test_init_threads();
  run(maker, THREADS);
  check(maker, THREADS);
}

/* ---- without memory ------------------------------------------------------------------------------- */

static void fill_pool(void)
{
  dart_gptr_t block;

  for (size_t nbytes = 1 << 20; nbytes >= 64; nbytes /= 2)
    while (dart_memalloc(nbytes, DART_TYPE_BYTE, &block) == DART_OK)
      ;
}

/* A team of two units, which has no room. */
static void *make_in_vain(void *tag)
{
  int          units[2] = { 0, 1 };
  dart_group_t group    = test_group(units, 2);
  dart_team_t  team;

  for (int round = 0; round < 20; round++)
    EXPECT_RET(dart_team_create_group(DART_TEAM_ALL, group, *(int *)tag, &team), DART_ERR_NOMEM);
  EXPECT_OK(dart_group_destroy(&group));
  return NULL;
}

/* Each thread's messages need the one block that a unit has for them; none keeps it while another thread's partner waits. */
TEST_N(2, threads_make_teams_at_once_where_pools_are_full)
{
  pthread_t thread[2];
  int       tags[2];

  setenv("DART_POOL", "1M", 1);
  test_init_threads();
  unsetenv("DART_POOL");
  fill_pool();
  for (int i = 0; i < 2 && me < 2; i++) {
    tags[i] = (i + me) % 2;
    EXPECT_TRUE(pthread_create(&thread[i], NULL, make_in_vain, &tags[i]) == 0);
  }
  for (int i = 0; i < 2 && me < 2; i++)
    pthread_join(thread[i], NULL);
}
