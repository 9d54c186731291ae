/* More operations at a time than MPICH has requests for: 2^18, beyond which it ends the program. */
#include <string.h>

#include "base/counters.h"
#include "dart_test.h"
#include "far/completion.h"
#include "model/team.h"

SUITE(requests);

enum { VERY_MANY = (1 << 18) + 1000, AT_A_TIME = 16384 };

static int64_t       values[VERY_MANY];
static dart_handle_t handles[VERY_MANY];

static void number_values(int64_t first)
{
  for (int i = 0; i < VERY_MANY; i++)
    values[i] = first < 0 ? -1 : first + i;
}

static int count_wrong(const int64_t *at, int64_t first)
{
  int wrong = 0;

  for (int i = 0; i < VERY_MANY; i++)
    wrong += at[i] != first + i;
  return wrong;
}

/* The unit that unit 0 has operations on: not of its node. */
static int far_of_first(void)
{
  const dart__team_t *all  = dart__team_find(DART_TEAM_ALL);
  int                 unit = 1;

  while (unit < n - 1 && dart__team_node_of(all, unit) == dart__team_node_of(all, 0))
    unit++;
  EXPECT_TRUE(dart__team_node_of(all, unit) != dart__team_node_of(all, 0));
  return unit;
}

TEST_N(2, very_many_handles_at_a_time)
{
  dart_gptr_t base = test_segment(DART_TEAM_ALL, sizeof values, 0xff);
  dart_gptr_t to   = test_unit(base, far_of_first());
  uint64_t    with = dart__counted(DART__COUNT_RMA_HANDLE);

  if (me == 0) {
    number_values(1000);
    for (int i = 0; i < VERY_MANY; i++)
      EXPECT_OK(
          dart_put_handle(test_at(to, (size_t)i), &values[i], 1, T_INT64, T_INT64, &handles[i]));
    EXPECT_TRUE(dart__completion_outstanding() < AT_A_TIME);
    EXPECT_EQ(dart__counted(DART__COUNT_RMA_HANDLE), with); /* small puts have no request */
    for (int i = 0; i < VERY_MANY; i += 2) /* in another order, by all ways to end one */
      EXPECT_OK(i % 4 == 0 ? dart_wait(&handles[i]) : dart_handle_free(&handles[i]));
    for (int i = 1; i < VERY_MANY; i += 2) {
      int32_t done = 0;

      while (!done && EXPECT_OK(dart_test(&handles[i], &done)))
        ;
    }
    EXPECT_OK(dart_flush_all(base));
    EXPECT_EQ(dart__completion_outstanding(), 0);
  }
  test_barrier();
  if (me == far_of_first())
    EXPECT_EQ(count_wrong(test_mine(base), 1000), 0);
  test_barrier();
  if (me == 0) {
    with = dart__counted(DART__COUNT_RMA_HANDLE);
    number_values(-1);
    for (int i = 0; i < VERY_MANY; i++)
      EXPECT_OK(
          dart_get_handle(&values[i], test_at(to, (size_t)i), 1, T_INT64, T_INT64, &handles[i]));
    EXPECT_EQ(dart__counted(DART__COUNT_RMA_HANDLE) - with, 4096); /* the others are smaller */
    EXPECT_OK(dart_waitall_local(handles, VERY_MANY));
    EXPECT_EQ(count_wrong(values, 1000), 0);
    EXPECT_EQ(dart__completion_outstanding(), 0);
  }
  test_barrier();
}

TEST_N(2, very_many_transfers_at_a_time) /* of more bytes than are collected */
{
  static unsigned char sent[4000];
  dart_gptr_t          base = test_segment(DART_TEAM_ALL, sizeof sent, 0xff);
  dart_gptr_t          to   = test_unit(base, far_of_first());

  test_fill(sent, 0, 7, sizeof sent);
  if (me == 0) {
    for (int i = 0; i < VERY_MANY; i++)
      EXPECT_OK(dart_put(to, sent, sizeof sent, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_TRUE(dart__completion_outstanding() < AT_A_TIME);
    EXPECT_OK(dart_flush(to));
    EXPECT_EQ(dart__completion_outstanding(), 0);
  }
  test_barrier();
  if (me == far_of_first())
    EXPECT_EQ(memcmp(test_mine(base), sent, sizeof sent), 0);
  test_barrier();
}
