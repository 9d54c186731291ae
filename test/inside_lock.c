/* Locks between nodes, and what the program's own operations on the same unit come to. */
#include <stdlib.h>

#include "dart_test.h"
#include "model/world.h"

SUITE(lock);

/* Operations on memory that its owner has deregistered are refused, which a flush tells. They are none of
 * the lock's, whose words are the same unit's. */
TEST_N(2, refused_operations_do_not_break_a_lock)
{
  int64_t     cell = 0, one = 1;
  bool        is_far = dart__world.node_of[me] != dart__world.node_of[0];
  dart_gptr_t gptr;
  dart_lock_t lock;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &cell, &gptr));
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  if (me == 0)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  for (int round = 0; round < 3; round++) {
    if (is_far)
      EXPECT_OK(dart_accumulate(gptr, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_lock_acquire(lock));
    if (is_far)
      EXPECT_OK(dart_accumulate(gptr, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_lock_release(lock));
    if (is_far)
      EXPECT_INVAL(dart_flush(gptr));
    test_barrier();
  }
  if (me != 0)
    EXPECT_OK(dart_team_memderegister(gptr));
  EXPECT_OK(dart_team_lock_destroy(&lock));
  EXPECT_EQ(cell, 0);
}
