/* Counts of what is outstanding, beyond what 32 bits hold: a flush must not take what is new for what was
 * done long ago. The counts are set here, as they are after so many transfers. */
#include "base/counters.h"
#include "dart_test.h"
#include "far/engine.h"
#include "far/far_team.h"
#include "window/team_windows.h"

SUITE(completion);

/* As if so many gets had been started and completed locally, none of them by a flush at the target. */
static void age(dart__outstanding_t *o, uint64_t gets)
{
  atomic_store(&o->started, atomic_load(&o->started) + gets);
  atomic_store(&o->done_local, atomic_load(&o->started));
}

static void age_all(dart_gptr_t gptr, int unit, uint64_t gets)
{
  dart__team_t *team = dart__team_find(gptr.teamid);

  age(&dart__far_team(team)->unit[unit].outstanding, gets);
  for (dart__window_t *w = dart__team_net(team)->windows.first; w != NULL; w = w->next)
    age(&w->unit[unit], gets);
}

TEST_N(2, a_flush_is_not_skipped_after_many_gets)
{
  static const uint64_t gets[] = { 1, INT32_MAX, (uint64_t)1 << 31, UINT32_MAX, (uint64_t)1 << 32 };
  dart_gptr_t           base   = test_segment(DART_TEAM_ALL, 4096, 0);
  unsigned char         sent[4000], got; /* more than is collected */
  int                   unit = (me + 1) % n;
  dart_gptr_t           to   = test_unit(base, unit);

  if (dart__team_is_on_node(dart__team_find(DART_TEAM_ALL), unit)) {
    test_barrier();
    return;
  }
  for (int i = 0; i < 5; i++) {
    uint64_t flushes;

    test_note("after %llu gets", (unsigned long long)gets[i]);
    EXPECT_OK(dart_get(&got, to, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(to));
    age_all(base, unit, gets[i]);
    test_fill(sent, me, i, sizeof sent);
    EXPECT_OK(dart_put(to, sent, sizeof sent, DART_TYPE_BYTE, DART_TYPE_BYTE));
    flushes = dart__counted(DART__COUNT_RMA_FLUSH);
    EXPECT_OK(dart_flush(to));
    EXPECT_TRUE(dart__counted(DART__COUNT_RMA_FLUSH) > flushes);
    flushes = dart__counted(DART__COUNT_RMA_FLUSH);
    EXPECT_OK(dart_flush(to)); /* nothing is left to do */
    EXPECT_EQ(dart__counted(DART__COUNT_RMA_FLUSH), flushes);
  }
  test_barrier();
}

/* Copies of small operands, each on its own; as many as it takes to come round the ring. */
static int copies_of(dart_team_t team)
{
  dart__copies_t *copies = dart__far_team(dart__team_find(team))->copies;
  dart__copy_t   *first = dart__copies_take(copies), *next = first;
  int             n = 0;

  do {
    dart__copies_started(copies, next);
    next = dart__copies_take(copies);
    n++;
  } while (next != first);
  dart__copies_started(copies, next);
  return n;
}

/* The ring has room for what is outstanding between two flushes, and does not grow with their number: a copy is free
 * again when its own operation is complete, though newer ones are not. */
TEST_N(2, copies_are_free_when_their_own_operation_is_complete)
{
  enum { OUTSTANDING = 50, FLUSHES = 100 };
  dart_gptr_t base      = test_segment(DART_TEAM_ALL, 4096, 0);
  int         unit      = (me + 1) % n, few;
  dart_gptr_t to        = test_unit(base, unit);
  size_t      aggregate = dart__engine.aggregate;

  if (!dart__team_is_on_node(dart__team_find(DART_TEAM_ALL), unit)) {
    few                    = copies_of(DART_TEAM_ALL);
    dart__engine.aggregate = 0; /* they go by MPI */
    for (int64_t i = 0; i < OUTSTANDING * FLUSHES; i++) {
      EXPECT_OK(dart_put(to, &i, 1, DART_TYPE_LONG, DART_TYPE_LONG));
      if (i % OUTSTANDING == OUTSTANDING - 1)
        EXPECT_OK(dart_flush(to));
    }
    dart__engine.aggregate = aggregate;
    EXPECT_TRUE(copies_of(DART_TEAM_ALL) <= few + 2 * OUTSTANDING);
  }
  test_barrier();
}
