/* Completion contexts (dart_context.h): what was started in one is complete after its flush, whatever way it takes. */
#include <stdlib.h>

#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_stats.h>

#include "dart_test.h"

SUITE(context);

enum { WORDS = 40000 };

static dart_context_t new_context(void)
{
  dart_context_t context = DART_CONTEXT_NULL;

  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  EXPECT_TRUE(context != DART_CONTEXT_NULL);
  return context;
}

static void end(dart_context_t context)
{
  EXPECT_OK(dart_context_destroy(&context));
  EXPECT_TRUE(context == DART_CONTEXT_NULL);
}

static int64_t value_of(int writer, int place)
{
  return writer * INT64_C(1000000) + place;
}

static int64_t *values_of(int writer, int count)
{
  int64_t *values = malloc((size_t)count * sizeof *values);

  for (int i = 0; i < count; i++)
    values[i] = value_of(writer, i);
  return values;
}

static int count_wrong(const int64_t *values, int writer, int count)
{
  int wrong = 0;

  for (int i = 0; i < count; i++)
    wrong += values[i] != value_of(writer, i);
  return wrong;
}

static dart_gptr_t segment(void)
{
  return test_segment(DART_TEAM_ALL, WORDS * sizeof(int64_t), 0);
}

enum { ROW = 5000 }; /* words, which are too many to be collected */

/* With a row for each unit, in every portion. */
static dart_gptr_t segment_of_rows(void)
{
  return test_segment(DART_TEAM_ALL, (size_t)n * ROW * sizeof(int64_t), 0);
}

static const int sizes[] = {
  1, 8, 40, 400, 5000, WORDS
}; /* words: collected, by requests, by MPI */
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(puts_are_at_their_targets_after_its_flush)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr    = segment();
  int64_t       *sent    = values_of(me, WORDS);

  for (int s = 0; s < SIZES; s++) {
    test_note("%d words", sizes[s]);
    EXPECT_OK(dart_context_enter(context));
    EXPECT_OK(dart_put(test_unit(gptr, (me + 1) % n), sent, (size_t)sizes[s], T_INT64, T_INT64));
    EXPECT_OK(dart_context_leave(context));
    EXPECT_OK(dart_context_flush(context));
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(gptr), (me + n - 1) % n, sizes[s]), 0);
    test_barrier();
    for (int i = 0; i < sizes[s]; i++)
      test_mine(gptr)[i] = 0;
    test_barrier();
  }
  free(sent);
  end(context);
}

TEST(what_gets_and_atomics_fetch_is_there_after_its_flush)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr = segment(), right = test_unit(gptr, (me + 1) % n);
  int64_t       *got = calloc(WORDS, sizeof *got), add = 5, expected, before = -1, swapped = -1;

  for (int i = 0; i < WORDS; i++)
    test_mine(gptr)[i] = value_of(me, i);
  expected = value_of((me + 1) % n, 2);
  test_barrier();
  for (int s = 0; s < SIZES; s++) {
    test_note("%d words", sizes[s]);
    EXPECT_OK(dart_context_enter(context));
    EXPECT_OK(dart_get(got, right, (size_t)sizes[s], T_INT64, T_INT64));
    EXPECT_OK(dart_context_flush_unit(context, DART_TEAM_UNIT_ID((me + 1) % n)));
    EXPECT_OK(dart_context_leave(context));
    EXPECT_EQ(count_wrong(got, (me + 1) % n, sizes[s]), 0);
  }
  test_barrier();
  EXPECT_OK(dart_context_enter(context));
  EXPECT_OK(dart_accumulate(test_at(right, 0), &add, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_fetch_and_op(test_at(right, 1), &add, &before, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_compare_and_swap(test_at(right, 2), &add, &expected, &swapped, T_INT64));
  EXPECT_OK(dart_context_leave(context));
  EXPECT_OK(dart_context_flush(context));
  EXPECT_EQ(before, value_of((me + 1) % n, 1));
  EXPECT_EQ(swapped, expected);
  test_barrier();
  EXPECT_EQ(test_mine(gptr)[0], value_of(me, 0) + 5);
  EXPECT_EQ(test_mine(gptr)[1], value_of(me, 1) + 5);
  EXPECT_EQ(test_mine(gptr)[2], 5);
  free(got);
  end(context);
}

/* No flush, and the target takes no part but by its progress. */
TEST(a_test_finds_the_end_of_all_operations)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr = segment(), right = test_unit(gptr, (me + 1) % n);
  int64_t       *sent = values_of(me, WORDS), *got = calloc(WORDS, sizeof *got);
  int32_t        done = 0;

  EXPECT_OK(dart_context_test(context, &done));
  EXPECT_EQ(done, 1);
  for (int s = 0; s < SIZES; s++) {
    test_note("%d words", sizes[s]);
    EXPECT_OK(dart_context_enter(context));
    EXPECT_OK(dart_put(right, sent, (size_t)sizes[s], T_INT64, T_INT64));
    EXPECT_OK(dart_put(test_unit(gptr, me), sent, 0, T_INT64, T_INT64));
    for (done = 0; !done && EXPECT_OK(dart_context_test(context, &done));)
      ;
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(gptr), (me + n - 1) % n, sizes[s]), 0);
    EXPECT_OK(dart_get(got, right, (size_t)sizes[s], T_INT64, T_INT64));
    EXPECT_OK(dart_context_leave(context));
    for (done = 0; !done && EXPECT_OK(dart_context_test(context, &done));)
      ;
    EXPECT_EQ(count_wrong(got, me, sizes[s]), 0);
    EXPECT_OK(dart_context_test(context, &done));
    EXPECT_EQ(done, 1);
    test_barrier();
    for (int i = 0; i < sizes[s]; i++)
      test_mine(gptr)[i] = got[i] = 0;
    test_barrier();
  }
  free(sent);
  free(got);
  end(context);
}

/* Of all its units, or of the only one that has operations. */
static dart_ret_t flush_local(dart_context_t context, int i)
{
  return i % 2 == 0 ? dart_context_flush_local(context)
                    : dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID((me + 1) % n));
}

TEST(sources_and_results_are_the_callers_after_its_local_flush)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr = segment(), right = test_unit(gptr, (me + 1) % n);
  int64_t       *sent = values_of(me, WORDS), *got = calloc(WORDS, sizeof *got), before = -1;
  const int64_t  one = 1;

  for (int s = 0; s < 2 * SIZES; s++) {
    int size = sizes[s / 2];

    test_note("%d words", size);
    EXPECT_OK(dart_context_enter(context));
    EXPECT_OK(dart_put(right, sent, (size_t)size, T_INT64, T_INT64));
    EXPECT_OK(flush_local(context, s));
    for (int i = 0; i < size; i++)
      sent[i] = -1;
    EXPECT_OK(dart_context_flush(context)); /* which has them still to complete at their target */
    test_barrier();
    EXPECT_EQ(count_wrong(test_mine(gptr), (me + n - 1) % n, size), 0);
    test_barrier();
    EXPECT_OK(dart_get(got, right, (size_t)size, T_INT64, T_INT64));
    EXPECT_OK(flush_local(context, s));
    EXPECT_EQ(count_wrong(got, me, size), 0);
    EXPECT_OK(dart_fetch_and_op(right, &one, &before, T_INT64, DART_OP_SUM));
    EXPECT_OK(flush_local(context, s));
    EXPECT_EQ(before, value_of(me, 0));
    EXPECT_OK(dart_context_leave(context));
    for (int i = 0; i < size; i++)
      sent[i] = value_of(me, i);
    test_barrier();
  }
  free(sent);
  free(got);
  end(context);
}

/* Each unit has something of it: the local flush of one leaves the others to the next. */
TEST(a_local_flush_of_one_unit_is_about_that)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr    = segment();
  int64_t       *got     = calloc((size_t)n * 400, sizeof *got);

  for (int i = 0; i < 400; i++)
    test_mine(gptr)[i] = value_of(me, i);
  test_barrier();
  EXPECT_OK(dart_context_enter(context));
  for (int u = 0; u < n; u++)
    EXPECT_OK(dart_get(got + u * 400, test_unit(gptr, u), 400, T_INT64, T_INT64));
  EXPECT_OK(dart_context_leave(context));
  for (int i = 0; i < n; i++) {
    int u = (me + 1 + i) % n;

    EXPECT_OK(dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID(u)));
    EXPECT_EQ(count_wrong(got + u * 400, u, 400), 0);
  }
  test_barrier();
  free(got);
  end(context);
}

/* Each unit is put to by all, in one of two contexts; what is outside is complete after dart_flush_all, as ever. */
TEST(two_contexts_and_none_share_units)
{
  dart_context_t context[2] = { new_context(), new_context() };
  dart_gptr_t    gptr       = segment();
  int64_t        value[3]   = { 100 + me, 200 + me, 300 + me };

  for (int u = 0; u < n; u++)
    for (int c = 0; c < 3; c++) {
      dart_gptr_t at = test_at(test_unit(gptr, u), (size_t)(3 * me + c));

      if (c < 2)
        EXPECT_OK(dart_context_enter(context[c]));
      EXPECT_OK(dart_put(at, &value[c], 1, T_INT64, T_INT64));
      if (c < 2)
        EXPECT_OK(dart_context_leave(context[c]));
    }
  EXPECT_OK(dart_context_flush(context[1]));
  EXPECT_OK(dart_context_flush(context[0]));
  test_barrier();
  for (int u = 0; u < n; u++)
    for (int c = 0; c < 2; c++)
      EXPECT_EQ(test_mine(gptr)[3 * u + c], (c + 1) * 100 + u);
  EXPECT_OK(dart_flush_all(gptr));
  test_barrier();
  for (int u = 0; u < n; u++)
    EXPECT_EQ(test_mine(gptr)[3 * u + 2], 300 + u);
  end(context[0]);
  end(context[1]);
}

/* How often DART has flushed a window of MPI. */
static uint64_t window_flushes(void)
{
  static uint64_t values[256];
  size_t          index;

  EXPECT_OK(dart_stats_find("rma_flush", &index));
  EXPECT_OK(dart_stats_read(values, dart_stats_size()));
  return values[index];
}

TEST(transfers_of_no_context_are_left_alone)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr    = segment_of_rows();
  int64_t       *sent    = values_of(me, ROW);
  uint64_t       before;

  EXPECT_OK(dart_put(test_at(test_unit(gptr, n - 1), me * ROW), sent, ROW, T_INT64, T_INT64));
  before = window_flushes();
  EXPECT_OK(dart_context_flush(context));
  EXPECT_OK(dart_context_flush_unit(context, DART_TEAM_UNIT_ID(n - 1)));
  EXPECT_EQ(window_flushes(), before);
  EXPECT_OK(dart_flush_all(gptr));
  free(sent);
  end(context);
}

TEST(requests_do_not_wait_for_transfers_of_others)
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr = segment_of_rows(), last = test_unit(gptr, n - 1);
  int64_t       *sent = values_of(me, ROW), one = 1;
  uint64_t       before;

  *test_mine(gptr) = 0;
  test_barrier();
  EXPECT_OK(dart_put(test_at(last, me * ROW + 1), sent, ROW - 1, T_INT64, T_INT64));
  before = window_flushes();
  EXPECT_OK(dart_context_enter(context));
  EXPECT_OK(dart_accumulate(last, &one, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_context_leave(context));
  EXPECT_OK(dart_context_flush(context));
  EXPECT_EQ(window_flushes(), before);
  test_barrier();
  if (me == n - 1)
    EXPECT_EQ(*test_mine(gptr), n);
  EXPECT_OK(dart_flush_all(gptr));
  free(sent);
  end(context);
}

TEST(notified_puts_belong_to_it) /* their sources are free after its flush */
{
  dart_context_t context = new_context();
  dart_gptr_t    gptr = segment(), right = test_unit(gptr, (me + 1) % n);
  int64_t       *sent = values_of(me, 3000);

  EXPECT_OK(dart_context_enter(context));
  EXPECT_OK(dart_put_notify(test_at(right, 1), sent, 3000, T_INT64, T_INT64, right, 1));
  EXPECT_OK(dart_context_leave(context));
  EXPECT_OK(dart_context_flush(context));
  free(sent);
  EXPECT_OK(dart_notify_wait(test_unit(gptr, me), 1, -1));
  EXPECT_EQ(count_wrong(test_mine(gptr) + 1, (me + n - 1) % n, 3000), 0);
  end(context);
}

TEST_N(2, another_team_has_contexts_of_its_own)
{
  dart_team_t    team = test_split(DART_TEAM_ALL, 2);
  int            self = test_team_me(team), size = test_team_size(team);
  dart_gptr_t    gptr = test_segment(team, 64, 0), all = segment();
  int64_t        value = 40 + self;
  dart_context_t context;

  EXPECT_OK(dart_context_create(team, &context));
  EXPECT_OK(dart_context_enter(context));
  EXPECT_OK(dart_put(test_unit(gptr, (self + 1) % size), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put(test_unit(all, (me + 1) % n), &value, 1, T_INT64, T_INT64)); /* in none */
  EXPECT_OK(dart_context_flush(context));
  EXPECT_OK(dart_barrier(team));
  EXPECT_EQ(*test_mine(gptr), 40 + (self + size - 1) % size);
  EXPECT_INVAL(dart_context_flush_unit(context, DART_TEAM_UNIT_ID(size)));
  EXPECT_OK(dart_flush_all(all));
  end(context); /* while this thread is in it */
  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  EXPECT_OK(dart_context_enter(context));
  end(context);
}

TEST(wrong_calls_are_refused)
{
  dart_context_t context = (dart_context_t)&context, other;
  int32_t        done    = 77;

  EXPECT_REFUSED(dart_context_create, (12345, &context), DART_ERR_INVAL, "team 12345");
  EXPECT_TRUE(context == DART_CONTEXT_NULL);
  EXPECT_INVAL(dart_context_create(DART_TEAM_ALL, NULL));
  EXPECT_OK(dart_context_destroy(&context));
  EXPECT_INVAL(dart_context_destroy(NULL));
  EXPECT_INVAL(dart_context_enter(DART_CONTEXT_NULL));
  EXPECT_INVAL(dart_context_leave(DART_CONTEXT_NULL));
  EXPECT_INVAL(dart_context_flush(DART_CONTEXT_NULL));
  EXPECT_INVAL(dart_context_flush_local(DART_CONTEXT_NULL));
  EXPECT_INVAL(dart_context_test(DART_CONTEXT_NULL, &done));
  EXPECT_EQ(done, 0);
  context = new_context();
  other   = new_context();
  EXPECT_REFUSED(dart_context_test, (context, NULL), DART_ERR_INVAL, "is_finished");
  EXPECT_INVAL(dart_context_leave(context));
  EXPECT_OK(dart_context_enter(context));
  EXPECT_REFUSED(dart_context_enter, (other), DART_ERR_INVAL, "in a context");
  EXPECT_INVAL(dart_context_leave(other));
  EXPECT_OK(dart_context_leave(context));
  EXPECT_INVAL(dart_context_flush_unit(context, DART_TEAM_UNIT_ID(n)));
  EXPECT_INVAL(dart_context_flush_unit(context, DART_TEAM_UNIT_ID(-1)));
  EXPECT_REFUSED(dart_context_flush_local_unit, (context, DART_TEAM_UNIT_ID(n)), DART_ERR_INVAL,
                 "unit");
  EXPECT_INVAL(dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID(-1)));
  EXPECT_INVAL(dart_context_flush_local_unit(DART_CONTEXT_NULL, DART_TEAM_UNIT_ID(0)));
  end(context);
  end(other);
}
