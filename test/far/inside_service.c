/* What a unit does for others in a call of its own that does not wait: no more than a few messages,
 * however many have come. */
#include <stdlib.h>
#include <time.h>

#include "base/counters.h"
#include "dart_test.h"

SUITE_WITHOUT_INIT(service);

enum { UPDATES = 8000, MOST = 4 };

TEST_N(2, others_do_not_keep_a_unit_in_its_own_calls)
{
  dart_gptr_t base;
  uint64_t    one = 1, found, most = 0, total = 0;

  setenv("DART_PROGRESS", "none", 1);
  test_init();
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_ULONG, &base));
  *(uint64_t *)test_mine(base) = 0;
  test_barrier();
  if (me > 0) { /* more than fit the batches that may be under way */
    for (int i = 0; i < UPDATES; i++)
      EXPECT_OK(dart_accumulate(base, &one, 1, DART_TYPE_ULONG, DART_OP_SUM));
    EXPECT_OK(dart_flush(base));
  } else {
    nanosleep(&(struct timespec){ 0, 100 * 1000 * 1000 },
              NULL); /* as many as can be are here now */
    do {
      uint64_t before = dart__counted(DART__COUNT_APPLIED), now;

      EXPECT_OK(dart_get_blocking(&found, base, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      now = dart__counted(DART__COUNT_APPLIED) - before;
      total += now;
      most = now > most ? now : most;
    } while (found < (uint64_t)UPDATES * (uint64_t)(n - 1));
    EXPECT_TRUE(most <= MOST);
    EXPECT_TRUE(total > MOST); /* or there was nothing to be kept by */
  }
  test_barrier();
  EXPECT_OK(dart_team_memfree(base));
  EXPECT_OK(dart_exit());
  unsetenv("DART_PROGRESS");
}
