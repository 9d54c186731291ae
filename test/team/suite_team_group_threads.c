/* Teams that several threads of each unit make at the same time (dart_team_group.h). */
#include <pthread.h>

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
