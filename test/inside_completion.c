/* Counts of what is outstanding, beyond what 32 bits hold: a flush must not take what is new for what was
 * done long ago. The counts are set here, as they are after so many transfers. */
#include "base/counters.h"
#include "dart_test.h"
#include "memory/team.h"

SUITE(completion);

/* As if so many gets had been started and completed locally, none of them by a flush at the target. */
static void age(dart__outstanding_t *o, uint64_t gets)
{
  atomic_store(&o->started, atomic_load(&o->started) + gets);
  atomic_store(&o->done_local, atomic_load(&o->started));
}

static void age_all(dart_gptr_t gptr, int unit, uint64_t gets)
{
  dart__team_port_t *port = dart__team_port(dart__team_find(gptr.teamid));

  age(&port->unit[unit], gets);
  for (dart__window_t *w = port->windows.first; w != NULL; w = w->next)
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
