/* Who makes progress: an agent, calls that wait or poll, dart_progress. Read from the counters of the library, as in
 * suite_path.c. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_progress.h>

#include "file_path.h"
#include "paths.h"

SUITE_WITHOUT_INIT(path_progress);

/* This one comes first: it is then that MPI is started, with threads. */
TEST(an_agent_looks_and_serves)
{
  path_t      path;
  dart_gptr_t served;
  long        one = 1, zero = 0, is_served;

  set("DART_PROGRESS", "thread");
  path   = begin();
  served = test_byte(path.base, sizeof one);
  if (me == 0)
    EXPECT_OK(dart_put_blocking(served, &zero, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  test_barrier();
  look();
  if (path.has_far && me == 0) { /* outside DART: nobody else looks, nor serves the others */
    while (since(DART__COUNT_AGENT_LOOK) < 3 || since(DART__COUNT_AGENT_SERVED) == 0)
      nap_ms(1);
    *(_Atomic long *)dart_near_ptr(served) = 1;
  } else if (dart_near_ptr(served) == NULL) {
    do { /* until then: what comes early is served by unit 0 itself */
      EXPECT_OK(dart_accumulate(path.base, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
      EXPECT_OK(dart_flush(path.base));
      EXPECT_OK(dart_get_blocking(&is_served, served, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    } while (!is_served);
  }
  end(&path);
  set("DART_PROGRESS", NULL);
}

TEST(without_an_agent_none_looks)
{
  path_t path;

  set("DART_PROGRESS", "none");
  path = begin();
  nap_ms(5);
  EXPECT_EQ(since(DART__COUNT_AGENT_LOOK), 0);
  end(&path);
  EXPECT_EQ(since(DART__COUNT_AGENT_SERVED), 0);
  set("DART_PROGRESS", NULL);
}

static bool is_far(dart_gptr_t gptr)
{
  return dart_near_ptr(gptr) == NULL;
}

/* How many units are far from unit 0. */
static long count_far_of_0(const path_t *path)
{
  long count = 0;

  for (int unit = 0; unit < n; unit++)
    count += is_far(test_unit(path->base, unit));
  EXPECT_OK(dart_bcast(&count, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  return count;
}

/* Unit 0 serves the others by what `serve` calls, and hears of their end by a file, without DART. Each of its far units
 * makes EXCHANGES round trips to it meanwhile, that it has to take part in. */
enum { EXCHANGES = 8 };

static void be_served(const path_t *path, void (*serve)(dart_gptr_t own))
{
  const char *file = test_path(DART_TEAM_ALL, "served");
  dart_gptr_t base = test_unit(path->base, 0);
  const long  one = 1, nfar = count_far_of_0(path);
  long        before = -1, last = -1;

  memset(dart_near_ptr(test_unit(path->base, me)), 0, 2 * sizeof one);
  test_barrier();
  if (me == 0 && nfar > 0) {
    while (access(file, F_OK) != 0)
      serve(base);
  } else if (is_far(base)) {
    for (int i = 0; i < EXCHANGES; i++) {
      EXPECT_OK(dart_fetch_and_op(base, &one, &before, DART_TYPE_LONG, DART_OP_SUM));
      EXPECT_OK(dart_flush(base));
      EXPECT_TRUE(before > last);
      last = before;
    }
    EXPECT_OK(dart_fetch_and_op(test_byte(base, 8), &one, &before, DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_flush(base));
    if (before + 1 == nfar) /* all have done so */
      close(open(file, O_CREAT | O_WRONLY, 0600));
  }
  test_barrier();
}

static void call_progress(dart_gptr_t own)
{
  (void)own;
  EXPECT_OK(dart_progress());
  nap_ms(1);
}

/* Unit 0 waits for a file, and progress is all that it calls. */
TEST(without_an_agent_progress_serves)
{
  path_t path;

  set("DART_PROGRESS", "none");
  path = begin();
  look();
  be_served(&path, call_progress);
  if (path.has_far)
    EXPECT_TRUE(since(DART__COUNT_PROGRESS) > 0);
  for (int i = 0; path.has_far && i < 100; i++) { /* in every call */
    look();
    EXPECT_OK(dart_progress());
    EXPECT_TRUE(since(DART__COUNT_PROGRESS) >= 1);
  }
  end(&path);
  EXPECT_INVAL(dart_progress());
  set("DART_PROGRESS", NULL);
}

/* Longer than a tick of the coarse clock. */
static void look_and_sleep(dart_gptr_t own)
{
  long found;

  EXPECT_OK(dart_get_blocking(&found, own, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  nap_ms(15);
}

/* Who looks at a word of its own and sleeps between its looks serves others with each look that finds nothing new. */
TEST(without_an_agent_who_sleeps_between_looks_serves)
{
  path_t path;

  set("DART_PROGRESS", "none");
  path = begin();
  be_served(&path, look_and_sleep);
  if (path.has_far) {
    dart_gptr_t own = test_unit(path.base, me);

    look_and_sleep(own);
    look();
    for (int i = 1; i <= 5; i++) {
      look_and_sleep(own);
      EXPECT_TRUE(since(DART__COUNT_PROGRESS) >= (uint64_t)i);
    }
  }
  end(&path);
  set("DART_PROGRESS", NULL);
}

/* Wait until a file is there, or is not, without a call of DART. */
static void await_file(const char *path, bool is_there)
{
  while ((access(path, F_OK) == 0) != is_there)
    nap_ms(1);
}

/* A test of a context says so of what its target has not applied, and waits for nobody: the target sleeps. */
TEST(without_an_agent_a_test_of_a_context_waits_for_nobody)
{
  static char    large[ROOM];
  const char    *sleeps;
  dart_gptr_t    base;
  dart_context_t context;
  int32_t        done = 1;
  const long     one  = 1;
  path_t         path;

  set("DART_PROGRESS", "none");
  for (int is_large = 0; is_large < 2; is_large++) {
    path   = begin();
    sleeps = test_path(DART_TEAM_ALL, "sleeps");
    test_barrier();
    base = test_unit(path.base, 0);
    if (me == 0 &&
        is_far(test_unit(base, n - 1))) { /* it has left the barrier, which serves others */
      close(open(sleeps, O_CREAT | O_WRONLY, 0600));
      await_file(sleeps, false);
    }
    if (me == n - 1 && is_far(base)) {
      await_file(sleeps, true);
      EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
      EXPECT_OK(dart_context_enter(context));
      if (is_large)
        EXPECT_OK(dart_put(base, large, ROOM, DART_TYPE_BYTE, DART_TYPE_BYTE));
      else
        EXPECT_OK(dart_accumulate(base, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
      for (int i = 0; i < 100; i++) {
        EXPECT_OK(dart_context_test(context, &done));
        EXPECT_EQ(done, 0);
      }
      unlink(sleeps);
    }
    test_barrier();
    if (me == n - 1 && is_far(base)) {
      for (done = 0; !done && EXPECT_OK(dart_context_test(context, &done));)
        ;
      EXPECT_OK(dart_context_destroy(&context));
    }
    end(&path);
  }
  set("DART_PROGRESS", NULL);
}

/* Without agents, too, a unit that waits is told that somebody is at work on its memory, or it would nap between MPI's
 * transfers, which it does not see. No flush waits for that. */
TEST(a_stream_of_transfers_keeps_its_target_awake)
{
  path_t path;
  char   data[2000] = { 0 };

  set("DART_PROGRESS", "none");
  path = begin();
  if (path.has_far && me == 0) {
    look();
    while (since(DART__COUNT_ACK_REQUEST) == 0)
      EXPECT_OK(dart_put_blocking(path.far, data, sizeof data, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_EQ(since(DART__COUNT_BATCH), 0);
    EXPECT_EQ(since(DART__COUNT_FLUSH), 0);
  }
  end(&path);
  set("DART_PROGRESS", NULL);
}
