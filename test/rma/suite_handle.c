/* Handles: statements J95 to J101. A handle may be null from the start, where the operation was
 * complete on return: every promise holds for both. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(handle);

enum { COUNT = 1000 }; /* elements of a transfer that may take its time */

static dart_handle_t put_handle(dart_gptr_t at, const int64_t *values, size_t nelem)
{
  dart_handle_t handle = (dart_handle_t)&handle;

  EXPECT_OK(dart_put_handle(at, values, nelem, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle != (dart_handle_t)&handle);
  return handle;
}

static dart_handle_t get_handle(int64_t *values, dart_gptr_t at, size_t nelem)
{
  dart_handle_t handle = (dart_handle_t)&handle;

  EXPECT_OK(dart_get_handle(values, at, nelem, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle != (dart_handle_t)&handle);
  return handle;
}

static void number(int64_t *values, int64_t first, size_t count)
{
  for (size_t i = 0; i < count; i++)
    values[i] = first + (int64_t)i;
}

static int count_wrong(const int64_t *values, int64_t first, size_t count)
{
  int wrong = 0;

  for (size_t i = 0; i < count; i++)
    wrong += values[i] != first + (int64_t)i;
  return wrong;
}

TEST(get_handle_and_wait_local) /* J95 */
{
  static int64_t values[COUNT], got[COUNT];

  number(values, 10000 * me, COUNT);
  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t   at = test_alloc(values, COUNT, unit);
    dart_handle_t handle;

    test_note("unit %d", unit);
    memset(got, 0xff, sizeof got);
    handle = get_handle(got, at, COUNT);
    EXPECT_OK(unit % 2 == 0 ? dart_wait_local(&handle) : dart_wait(&handle));
    EXPECT_TRUE(handle == NULL);
    EXPECT_EQ(count_wrong(got, 10000 * unit, COUNT), 0);
  }
}

TEST(put_handle_and_wait) /* J95 */
{
  static int64_t values[COUNT];

  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t   cells = test_segment(DART_TEAM_ALL, sizeof values, 0xff);
    dart_handle_t handle;

    test_note("distance %d", distance);
    number(values, 10000 * me, COUNT);
    handle = put_handle(test_unit(cells, (me + distance) % n), values, COUNT);
    EXPECT_OK(dart_wait(&handle));
    EXPECT_TRUE(handle == NULL);
    memset(values, 0xee, sizeof values);
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(cells), 10000 * ((me + n - distance) % n), COUNT), 0);
  }
}

TEST(put_handle_wait_local_and_flush) /* J95: local completion first, remote by flush */
{
  static int64_t values[COUNT];

  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t   cells = test_segment(DART_TEAM_ALL, sizeof values, 0xff);
    dart_gptr_t   at    = test_unit(cells, (me + distance) % n);
    dart_handle_t handle;

    test_note("distance %d", distance);
    number(values, 10000 * me, COUNT);
    handle = put_handle(at, values, COUNT);
    EXPECT_OK(dart_wait_local(&handle));
    EXPECT_TRUE(handle == NULL);
    memset(values, 0xee, sizeof values);
    EXPECT_OK(dart_flush(at));
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(cells), 10000 * ((me + n - distance) % n), COUNT), 0);
  }
}

TEST(waitall_of_nothing) /* J96 */
{
  dart_handle_t none[3] = { NULL, NULL, NULL };

  EXPECT_OK(dart_waitall(NULL, 0));
  EXPECT_OK(dart_waitall_local(NULL, 0));
  EXPECT_OK(dart_waitall(none, 0));
  EXPECT_OK(dart_waitall_local(none, 0));
  EXPECT_OK(dart_waitall(none, 3));
  EXPECT_OK(dart_waitall_local(none, 3));
  EXPECT_OK(dart_wait(&none[0]));
  EXPECT_OK(dart_wait_local(&none[0]));
  EXPECT_OK(dart_handle_free(&none[0]));
  EXPECT_OK(dart_wait(NULL));
  EXPECT_OK(dart_wait_local(NULL));
  EXPECT_OK(dart_handle_free(NULL));
  for (int i = 0; i < 3; i++)
    EXPECT_TRUE(none[i] == NULL);
}

/* Get from all units and put to all units at once, null handles between. */
static void exchange(dart_ret_t (*waitall)(dart_handle_t[], size_t), bool flush)
{
  int64_t       values[8], got[64], put = 70 + me;
  dart_gptr_t   source, sink;
  dart_handle_t handles[3 * 64];
  size_t        count = 0;

  if (!EXPECT_TRUE(n <= 64))
    return;
  number(values, 100 * me, 8);
  source = test_alloc(values, 8, 0);
  sink   = test_segment(DART_TEAM_ALL, (size_t)n * sizeof put, 0xff);
  for (int unit = 0; unit < n; unit++) {
    got[unit]        = -1;
    handles[count++] = get_handle(&got[unit], test_at(test_unit(source, unit), 3), 1);
    handles[count++] = NULL;
    handles[count++] = put_handle(test_at(test_unit(sink, unit), (size_t)me), &put, 1);
  }
  EXPECT_OK(waitall(handles, count));
  for (size_t i = 0; i < count; i++)
    EXPECT_TRUE(handles[i] == NULL);
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(got[unit], 100 * unit + 3);
  put = -9;
  if (flush)
    EXPECT_OK(dart_flush_all(sink));
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(test_mine(sink)[unit], 70 + unit);
}

TEST(waitall_completes_a_mixture) /* J96 */
{
  exchange(dart_waitall, false);
}

TEST(waitall_local_completes_a_mixture_here) /* J96 */
{
  exchange(dart_waitall_local, true);
}

TEST(tests_of_nothing_say_yes) /* J97 */
{
  dart_handle_t none[3] = { NULL, NULL, NULL };
  int32_t       yes     = -1;

#define EXPECT_YES(call) \
  do {                   \
    yes = -1;            \
    EXPECT_OK(call);     \
    EXPECT_EQ(yes, 1);   \
  } while (0)

  EXPECT_YES(dart_test(&none[0], &yes));
  EXPECT_YES(dart_test_local(&none[0], &yes));
  EXPECT_YES(dart_testall(none, 3, &yes));
  EXPECT_YES(dart_testall_local(none, 3, &yes));
  EXPECT_YES(dart_testall(none, 0, &yes));
  EXPECT_YES(dart_testall_local(none, 0, &yes));
  EXPECT_YES(dart_testall(NULL, 0, &yes));
  EXPECT_YES(dart_testall_local(NULL, 0, &yes));
#undef EXPECT_YES
}

TEST(testing_alone_completes) /* J98 */
{
  static int64_t values[COUNT], got[COUNT];

  number(values, 10000 * me, COUNT);
  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t   source = test_alloc(values, COUNT, unit);
    dart_gptr_t   sink   = test_segment(DART_TEAM_ALL, sizeof values, 0xff);
    dart_handle_t handle;
    int32_t       done;

    test_note("unit %d", unit);
    memset(got, 0xff, sizeof got);
    handle = get_handle(got, source, COUNT);
    for (done = 0; done != 1; test_pause()) {
      done = -1;
      if (!EXPECT_OK(dart_test_local(&handle, &done)) || !EXPECT_TRUE(done == 0 || done == 1))
        break;
      EXPECT_TRUE(done == 1 || handle != NULL);
    }
    EXPECT_TRUE(handle == NULL);
    EXPECT_EQ(count_wrong(got, 10000 * unit, COUNT), 0);

    handle = put_handle(test_unit(sink, (me + unit) % n), values, COUNT);
    for (done = 0; done != 1; test_pause()) {
      done = -1;
      if (!EXPECT_OK(dart_test(&handle, &done)) || !EXPECT_TRUE(done == 0 || done == 1))
        break;
    }
    EXPECT_TRUE(handle == NULL);
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(sink), 10000 * ((me + n - unit) % n), COUNT), 0);
  }
}

TEST(testall_is_all_or_nothing) /* J98 */
{
  enum { PIECES = 20 };
  static int64_t values[COUNT], got[PIECES][COUNT];
  dart_handle_t  handles[PIECES], before[PIECES];
  dart_gptr_t    source;

  number(values, 10000 * me, COUNT);
  source = test_alloc(values, COUNT, 0);
  for (int local = 0; local < 2; local++) {
    int32_t done = 0;

    memset(got, 0xff, sizeof got);
    for (int i = 0; i < PIECES; i++)
      handles[i] = get_handle(got[i], test_unit(source, (me + i) % n), COUNT);
    while (done != 1) {
      memcpy(before, handles, sizeof handles);
      done = -1;
      if (!EXPECT_OK(local ? dart_testall_local(handles, PIECES, &done)
                           : dart_testall(handles, PIECES, &done)))
        break;
      if (!EXPECT_TRUE(done == 0 || done == 1))
        break;
      for (int i = 0; i < PIECES; i++)
        EXPECT_TRUE(handles[i] == (done ? NULL : before[i]));
      test_pause();
    }
    for (int i = 0; i < PIECES; i++)
      EXPECT_EQ(count_wrong(got[i], 10000 * ((me + i) % n), COUNT), 0);
  }
}

TEST(a_freed_handle_does_not_stop_its_put) /* J99 */
{
  static int64_t values[COUNT];

  number(values, 10000 * me, COUNT);
  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t   cells  = test_segment(DART_TEAM_ALL, sizeof values, 0xff);
    dart_gptr_t   at     = test_unit(cells, (me + distance) % n);
    dart_handle_t handle = put_handle(at, values, COUNT);

    test_note("distance %d", distance);
    EXPECT_OK(dart_handle_free(&handle));
    EXPECT_TRUE(handle == NULL);
    EXPECT_OK(dart_flush(at));
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(cells), 10000 * ((me + n - distance) % n), COUNT), 0);
  }
}

TEST(handles_complete_in_any_order) /* J100 */
{
  enum { HANDLES = 1000 };
  static int64_t       got[HANDLES];
  static dart_handle_t handles[HANDLES];
  static int           order[HANDLES];
  int64_t              values[16];
  dart_gptr_t          source;
  test_random_t        random = { 5 + (uint64_t)me };

  number(values, 100 * me, 16);
  source = test_alloc(values, 16, 0);
  for (int flush = 0; flush < 2; flush++) { /* J100: before the wait, too */
    for (int i = 0; i < HANDLES; i++) {
      int k = (int)(test_random(&random) % (uint64_t)(i + 1));

      order[i]   = order[k];
      order[k]   = i;
      got[i]     = -1;
      handles[i] = get_handle(&got[i], test_at(test_unit(source, i % n), (size_t)i % 16), 1);
    }
    if (flush)
      EXPECT_OK(dart_flush_all(source));
    for (int i = 0; i < HANDLES; i++) {
      EXPECT_OK(dart_wait(&handles[order[i]]));
      EXPECT_TRUE(handles[order[i]] == NULL);
      EXPECT_EQ(got[order[i]], 100 * (order[i] % n) + order[i] % 16);
    }
  }
}

TEST(flush_before_wait_completes_puts) /* J100 */
{
  dart_gptr_t   cells = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0xff);
  dart_handle_t handles[64];
  int64_t       value = 40 + me;

  if (!EXPECT_TRUE(n <= 64))
    return;
  for (int unit = 0; unit < n; unit++)
    handles[unit] = put_handle(test_at(test_unit(cells, unit), (size_t)me), &value, 1);
  EXPECT_OK(dart_flush_all(cells));
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(test_mine(cells)[unit], 40 + unit);
  EXPECT_OK(dart_waitall(handles, (size_t)n));
}

TEST(after_an_error_there_is_no_handle) /* J101 */
{
  dart_gptr_t   gptr   = test_segment(DART_TEAM_ALL, 64, 0x5a);
  int64_t       value  = 1;
  dart_handle_t handle = (dart_handle_t)&handle;

  EXPECT_INVAL(dart_put_handle(DART_GPTR_NULL, &value, 1, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle == NULL);
  handle = (dart_handle_t)&handle;
  EXPECT_INVAL(dart_get_handle(&value, DART_GPTR_NULL, 1, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle == NULL);
  handle = (dart_handle_t)&handle;
  EXPECT_INVAL(dart_put_handle(test_unit(gptr, n), &value, 1, T_INT64, T_INT64, &handle));
  EXPECT_TRUE(handle == NULL);
  handle = (dart_handle_t)&handle;
  EXPECT_INVAL(dart_get_handle(&value, gptr, 1, T_INT64, DART_TYPE_INT, &handle));
  EXPECT_TRUE(handle == NULL);
  EXPECT_EQ(value, 1);
}
