/* Registered memory that ends while far units have something to say about it. */
#include <stdatomic.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>

#include "dart_test.h"
#include "epoch/epoch.h"
#include "epoch/epoch_origin.h"
#include "far/far_ops.h"
#include "far/handlers.h"
#include "model/world.h"

SUITE(register);

/* ---- requests that are being applied ----------------------------------------------------------- */

enum { NOT_YET, APPLYING, APPLIED };

static dart_gptr_t      gptr;
static _Atomic int      state;
static _Atomic uint32_t number; /* of the segment */

/* Somebody who applies a request: it has found the segment, and takes its time. */
static uint64_t apply_slowly(char *object, const void *operand, size_t nbytes)
{
  const dart__segment_t *segment = dart__segment_find(dart__teams[DART_TEAM_ALL], gptr.segid);

  (void)object, (void)operand, (void)nbytes;
  atomic_store(&state, APPLYING);
  usleep(20000);
  if (atomic_load(&number) == segment->number) /* a sanitizer finds it, if it is freed */
    atomic_store(&state, APPLIED);
  return 0;
}

/* What an agent looks at while it applies a request is not freed by its unit, which deregisters the memory. */
TEST_N(2, deregistration_waits_for_who_applies_a_request)
{
  dart__object_handler_t *before = dart__handlers.object[0];
  int64_t                 block = 0, zero = 0;
  dart__team_t           *team = dart__teams[DART_TEAM_ALL];
  dart_gptr_t             cell = test_alloc(&zero, 1, 0);
  dart__address_t         at   = { .team = team, .segment = dart__segment_find(team, cell.segid) };

  if (!dart__world.has_agent)
    return; /* units apply requests in their own calls alone: nothing is beside these */
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
  if (me == 0) {
    dart__handlers.object[0] = apply_slowly;
    atomic_store(&state, NOT_YET);
    atomic_store(&number, dart__segment_find(team, gptr.segid)->number);
  }
  test_barrier();
  if (me == 1) /* of another node */
    dart__far_call(&at, &zero, sizeof zero, NULL);
  while (me == 0 && atomic_load(&state) == NOT_YET)
    usleep(100); /* its agent applies it */
  EXPECT_OK(dart_team_memderegister(gptr));
  if (me == 0)
    EXPECT_EQ(atomic_load(&state), APPLIED);
  test_barrier();
  dart__handlers.object[0] = before;
  test_barrier();
}

/* ---- what comes late ---------------------------------------------------------------------------- */

/* How many units of other nodes hold this unit's portion. */
static uint32_t far_held(void)
{
  dart__team_t *team = dart__teams[DART_TEAM_ALL];

  return atomic_load(&dart__epoch_shared(team, dart__segment_find(team, gptr.segid), me)->far_held);
}

/* Unit 0 has unlocked memory that is registered no more, and that comes when other memory has the id: who holds the lock
 * of that goes on holding it. */
TEST_N(3, late_unlocks_leave_no_lock_of_later_memory)
{
  int64_t          block = 0, got = 0;
  const int32_t    target = 1; /* of another node than the others */
  dart__team_t    *team   = dart__teams[DART_TEAM_ALL];
  dart__segment_t  ended;
  int16_t          id;
  _Atomic uint32_t done = 0;

  EXPECT_TRUE(dart__world_node(target) != dart__world_node(0));
  EXPECT_TRUE(dart__world_node(target) != dart__world_node(2));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
  id    = gptr.segid;
  ended = *dart__segment_find(team, id);
  EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &block, &gptr));
  EXPECT_EQ(gptr.segid, id);
  if (me == 2) {
    EXPECT_OK(dart_epoch_lock(test_unit(gptr, target), DART_EPOCH_SHARED, 0));
    EXPECT_OK(dart_get_blocking(&got, test_unit(gptr, target), 1, T_INT64, T_INT64));
  }
  test_barrier();
  if (me == 0) {
    dart__epoch_send_unlock(team, &ended, target, false, &done);
    EXPECT_INVAL(dart_flush(test_unit(gptr, target))); /* there is nothing to be left */
    while (atomic_load(&done) == 0)
      EXPECT_OK(dart_flush(test_unit(gptr, target)));
  }
  test_barrier();
  if (me == target)
    EXPECT_EQ(far_held(), 1);
  test_barrier();
  if (me == 2)
    EXPECT_OK(dart_epoch_unlock(test_unit(gptr, target), 0));
  test_barrier();
  if (me == target)
    EXPECT_EQ(far_held(), 0);
  EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
}
