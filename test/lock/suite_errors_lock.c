/* Locks with bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_lock);

TEST(locks_want_a_team_and_a_holder) /* N137 N138 */
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);
  dart_lock_t lock, late;
  dart_team_t team;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_lock_init, (none, &out.lock), no_teams[i].says);
  }
  REFUSED(dart_team_lock_init, (DART_TEAM_ALL, NULL), "lock is NULL");
  REFUSED(dart_lock_acquire, (NULL), "lock is NULL");
  REFUSED(dart_lock_try_acquire, (NULL, &out.answer), "lock is NULL");
  REFUSED(dart_lock_release, (NULL), "lock is NULL");

  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  REFUSED(dart_lock_try_acquire, (lock, NULL), "result is NULL");
  REFUSED(dart_lock_release, (lock), saying("unit %d ", me));
  EXPECT_OK(dart_lock_acquire(lock));
  REFUSED(dart_lock_acquire, (lock), saying("unit %d ", me));
  REFUSED(dart_lock_try_acquire, (lock, &out.answer), saying("unit %d ", me));
  EXPECT_OK(dart_lock_release(lock));
  test_barrier();
  if (me == 0)
    EXPECT_OK(dart_lock_acquire(lock));
  late = lock;
  REFUSED(dart_team_lock_destroy, (&late), me == 0 ? "unit 0 holds" : "another unit holds");
  if (me == 0)
    EXPECT_OK(dart_lock_release(lock));
  EXPECT_OK(dart_team_lock_destroy(&lock));

  test_note("the team is gone");
  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_team_lock_init(team, &late));
  EXPECT_OK(dart_team_destroy(&team));
  REFUSED(dart_lock_acquire, (late), "team ");
  REFUSED(dart_lock_try_acquire, (late, &out.answer), "team ");
  REFUSED(dart_lock_release, (late), "team ");
  EXPECT_OK(dart_team_lock_destroy(&late));
  expect_untouched(segment);
}
