/* dart/ext/dart_epoch.h: what is complete when, for fences, post/start/complete/wait and locks, on all
 * kinds of memory; who is kept out; and what is refused. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "counted.h"
#include "dart_test.h"
#include "epoch_memory.h"

SUITE(epoch);

enum { ROUNDS = 60 };

static void fence(dart_gptr_t gptr, int assertions)
{
  EXPECT_OK(dart_epoch_fence(gptr, assertions));
}

/* ---- fences -------------------------------------------------------------------------------- */

static void fence_rounds(int kind, int first, int last)
{
  memory_t m      = memory_of(kind);
  int64_t *values = malloc(LARGE * sizeof *values);
  int      wrong  = 0;

  fence(m.gptr, first);
  for (int round = 0; round < ROUNDS; round++) {
    size_t length = lengths[round % LENGTHS];

    fill(values, length, round);
    EXPECT_OK(dart_put(test_unit(m.gptr, right_of(me)), values, length, T_INT64, T_INT64));
    fence(m.gptr, round == ROUNDS - 1 ? last : 0);
    memset(values, 0x5a, length * sizeof *values); /* the buffer is the caller's again */
    wrong += wrong_in(m.mine, length, left_of(me), round);
    fence(m.gptr, first);
  }
  EXPECT_EQ(wrong, 0);
  fence(m.gptr, DART_EPOCH_NOSUCCEED);
  end_memory(&m, kind);
  free(values);
}

TEST(puts_are_there_after_a_fence) /* R1 */
{
  for (int kind = 0; kind < KINDS; kind++)
    fence_rounds(kind, 0, 0);
}

/* The fence that begins an epoch does not wait, and units that are ahead do not disturb the others. */
TEST(puts_are_there_after_a_fence_that_nothing_preceded) /* R3 */
{
  for (int kind = 0; kind < KINDS; kind++)
    fence_rounds(kind, DART_EPOCH_NOPRECEDE, DART_EPOCH_NOSUCCEED | DART_EPOCH_NOSTORE);
}

/* Each unit in turn is an epoch ahead: the others come to their fence when they hear from it that its own has returned;
 * not by a barrier, which could be taken for one in the fence. */
TEST(a_fence_that_nothing_preceded_waits_for_nobody) /* R3 */
{
  const int64_t zero = 0;
  dart_gptr_t   word = test_alloc(&zero, 1, 0);

  for (int kind = 0; kind < KINDS; kind++) {
    memory_t m = memory_of(kind);

    fence(m.gptr, DART_EPOCH_NOSUCCEED); /* the first one is with all */
    look();
    for (int ahead = 0; ahead < n; ahead++) {
      const int64_t turn = kind * n + ahead + 1;

      if (me != ahead)
        EXPECT_OK(dart_wait_word(test_unit(word, me), T_INT64, DART_WAIT_EQ, &turn, -1));
      fence(m.gptr, DART_EPOCH_NOPRECEDE);
      for (int unit = 0; me == ahead && unit < n; unit++)
        EXPECT_OK(dart_put_blocking(test_unit(word, unit), &turn, 1, T_INT64, T_INT64));
      test_barrier();
    }
    EXPECT_EQ(since(DART__COUNT_EPOCH_WAIT), 0);
    fence(m.gptr, DART_EPOCH_NOSUCCEED);
    end_memory(&m, kind);
  }
}

/* What the last unit gets into its own portion comes before what the first one puts there in the next epoch. */
TEST_N(2, results_come_before_puts_of_the_next_epoch) /* R2 */
{
  enum { NELEM = 400, ROUNDS = 10 };
  int64_t values[NELEM];

  for (int kind = 0; kind < KINDS; kind++) {
    memory_t m = memory_of(kind);

    for (int round = 1; round <= ROUNDS; round++) {
      fence(m.gptr, DART_EPOCH_NOPRECEDE);
      if (me == n - 1)
        EXPECT_OK(dart_get(m.mine, test_unit(m.gptr, 0), NELEM, T_INT64, T_INT64));
      fence(m.gptr, 0);
      fill(values, NELEM, round);
      if (me == 0)
        EXPECT_OK(dart_put(test_unit(m.gptr, n - 1), values, NELEM, T_INT64, T_INT64));
      fence(m.gptr, DART_EPOCH_NOSUCCEED);
      if (me == n - 1)
        EXPECT_EQ(wrong_in(m.mine, NELEM, 0, round), 0);
    }
    end_memory(&m, kind);
  }
}

/* Refused on one unit alone, where the memory is exposed, the first fence of a segment can be called again. */
TEST(a_first_fence_may_be_refused_and_called_again)
{
  int64_t     zero = 0, value = value_of(me, 7, 0);
  dart_gptr_t data = test_alloc(&zero, 1, 0);

  if (me == 0) {
    EXPECT_OK(dart_epoch_post(data, 0, NULL, 0));
    EXPECT_REFUSED(dart_epoch_fence, (data, 0), DART_ERR_INVAL, "exposed");
    EXPECT_OK(dart_epoch_wait(data));
  }
  fence(data, 0);
  EXPECT_OK(dart_put(test_unit(data, right_of(me)), &value, 1, T_INT64, T_INT64));
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 7, 0));
  test_barrier();
}

/* All units write to one word in turns, an epoch each, and the others read it in the same order. */
TEST(epochs_come_one_after_the_other) /* R2 */
{
  int64_t     zero = 0, got = -1;
  dart_gptr_t word  = test_alloc(&zero, 1, n - 1);
  int         wrong = 0;

  fence(word, 0);
  for (int round = 0; round < ROUNDS; round++) {
    int64_t mine = value_of(me, round, 0);

    if (round % n == me)
      EXPECT_OK(dart_put(word, &mine, 1, T_INT64, T_INT64));
    fence(word, 0);
    EXPECT_OK(dart_get(&got, word, 1, T_INT64, T_INT64));
    fence(word, DART_EPOCH_NOSTORE);
    wrong += got != value_of(round % n, round, 0);
  }
  EXPECT_EQ(wrong, 0);
  fence(word, DART_EPOCH_NOSUCCEED);
}

/* Writers in turns, an epoch each, near and far: the last one wins. */
TEST(writers_of_one_word_keep_the_order_of_epochs) /* R2 */
{
  int64_t     zero = 0, mine[ROUNDS];
  dart_gptr_t word = test_alloc(&zero, 1, 0);

  for (int last = 1; last < ROUNDS; last += 7) {
    fence(word, DART_EPOCH_NOPRECEDE);
    for (int round = 0; round <= last; round++) {
      mine[round] = value_of(me, round, 0);
      if (round % n == me)
        for (int unit = 0; unit < n; unit++)
          EXPECT_OK(dart_put(test_unit(word, unit), &mine[round], 1, T_INT64, T_INT64));
      fence(word, 0);
      if (round % 3 == 0)
        fence(word, DART_EPOCH_NOPRECEDE);
    }
    fence(word, DART_EPOCH_NOSUCCEED);
    EXPECT_EQ(*test_mine(word), value_of(last % n, last, 0));
    test_barrier();
  }
}

TEST(gets_and_accumulates_in_a_fence) /* R4 */
{
  for (int kind = 0; kind < KINDS; kind++) {
    memory_t m   = memory_of(kind);
    int64_t *got = calloc(LENGTHS * LARGE, sizeof *got), one = 1, many[40];

    for (int i = 0; i < 40; i++)
      many[i] = i;
    fill(m.mine, LARGE, 7);
    fence(m.gptr, DART_EPOCH_NOPRECEDE);
    for (size_t l = 0; l < LENGTHS; l++)
      EXPECT_OK(
          dart_get(got + l * LARGE, test_unit(m.gptr, left_of(me)), lengths[l], T_INT64, T_INT64));
    fence(m.gptr, DART_EPOCH_NOPUT);
    for (size_t l = 0; l < LENGTHS; l++)
      EXPECT_EQ(wrong_in(got + l * LARGE, lengths[l], left_of(me), 7), 0);
    fence(m.gptr, 0); /* what follows writes */
    memset(m.mine, 0, 50 * sizeof *m.mine);
    fence(m.gptr, 0);
    for (int unit = 0; unit < n; unit++) {
      EXPECT_OK(dart_accumulate(test_unit(m.gptr, unit), &one, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(
          dart_accumulate(test_at(test_unit(m.gptr, unit), 1), many, 40, T_INT64, DART_OP_SUM));
    }
    fence(m.gptr, DART_EPOCH_NOSUCCEED);
    EXPECT_EQ(m.mine[0], n);
    EXPECT_EQ(m.mine[40], 39 * n);
    end_memory(&m, kind);
    free(got);
  }
}

/* More operations than are deferred. */
TEST(many_operations_in_a_fence)
{
  int64_t    *zeros = calloc(MANY, sizeof *zeros), *values = malloc(MANY * sizeof *values);
  dart_gptr_t data = test_alloc(zeros, MANY, 0);

  for (int round = 0; round < 3; round++) {
    fence(data, DART_EPOCH_NOPRECEDE);
    fill(values, MANY, round);
    for (size_t i = 0; i < MANY; i++)
      EXPECT_OK(
          dart_put(test_at(test_unit(data, right_of(me)), i), &values[i], 1, T_INT64, T_INT64));
    fence(data, DART_EPOCH_NOSUCCEED);
    EXPECT_EQ(wrong_in(test_mine(data), MANY, left_of(me), round), 0);
  }
  free(zeros);
  free(values);
}

/* Elements of a block in `epoch`: by transfers of the network, by requests, by both, by none; or too many for either. */
static size_t block_of(int unit, int epoch, size_t block)
{
  static const size_t few[] = { 0, 3, 100, 500, 512, 1000, 2000, 4000 };
  unsigned            draw  = (unsigned)(unit * 31 + epoch / 3 * 17 + (int)block * 7);

  switch (epoch / 6 % 4) { /* so that epochs of one kind follow one another */
  case 0: return 512;
  case 1: return few[draw % 8];
  case 2: return block == 0 ? 4 : 1000;
  default: return draw % 2 * 600;
  }
}

/* Blocks that every unit puts to both of its neighbours, which see nothing of the next epoch while they look; fences that wait
 * for nobody, and atomics, among them. */
TEST(blocks_of_any_size_in_fences_that_follow_one_another)
{
  enum { MOST = 4000 };
  int64_t *zeros = calloc(2 * MOST + 1, sizeof *zeros), *values = malloc(MOST * sizeof *values),
          one      = 1;
  dart_gptr_t data = test_alloc(zeros, 2 * MOST + 1, 0), sum = test_alloc(zeros, 1, 0);
  int         wrong = 0;

  fence(data, DART_EPOCH_NOPRECEDE);
  for (int epoch = 0; epoch < 72; epoch++) {
    fill(values, MOST, epoch);
    EXPECT_OK(
        dart_put(test_unit(data, right_of(me)), values, block_of(me, epoch, 0), T_INT64, T_INT64));
    EXPECT_OK(dart_put(test_at(test_unit(data, left_of(me)), MOST), values, block_of(me, epoch, 1),
                       T_INT64, T_INT64));
    if (epoch % 5 == 1)
      EXPECT_OK(dart_put_blocking(test_at(test_unit(data, right_of(me)), 2 * MOST), &one, 1,
                                  T_INT64, T_INT64));
    if (epoch % 11 == 10) {
      fence(data, DART_EPOCH_LAZY);
      continue;
    }
    fence(data, epoch % 13 == 12 ? DART_EPOCH_NOSUCCEED : 0);
    wrong += wrong_in(test_mine(data), block_of(left_of(me), epoch, 0), left_of(me), epoch);
    wrong +=
        wrong_in(test_mine(data) + MOST, block_of(right_of(me), epoch, 1), right_of(me), epoch);
    EXPECT_OK(dart_accumulate(test_unit(sum, left_of(me)), &one, 1, T_INT64, DART_OP_SUM));
    fence(data, epoch % 13 == 12 ? DART_EPOCH_NOPRECEDE : DART_EPOCH_NOSTORE);
  }
  EXPECT_EQ(wrong, 0);
  fence(data, DART_EPOCH_NOSUCCEED);
  free(zeros);
  free(values);
}

/* The data of a lazy fence are there after the next one. */
TEST(lazy_fences)
{
  int64_t     zeros[ROUNDS + 1] = { 0 }, values[ROUNDS + 1];
  dart_gptr_t data              = test_alloc(zeros, ROUNDS + 1, 0);

  fence(data, 0);
  fill(values, ROUNDS + 1, 0);
  for (int round = 0; round < ROUNDS; round++) {
    EXPECT_OK(dart_put(test_at(test_unit(data, right_of(me)), (size_t)round), &values[round], 1,
                       T_INT64, T_INT64));
    fence(data, DART_EPOCH_LAZY);
  }
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(wrong_in(test_mine(data), ROUNDS, left_of(me), 0), 0);
}

/* Blocking operations, handles and atomics with a result, in a fence's epoch, and one of a type among them. */
TEST(operations_that_cannot_be_deferred)
{
  int64_t         zeros[64] = { 0 }, values[8], got[8] = { 0 }, one = 1, before = -1;
  dart_gptr_t     data = test_alloc(zeros, 64, 0), right = test_unit(data, right_of(me));
  dart_datatype_t every_other;
  dart_handle_t   handle;

  fill(values, 8, 1);
  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &every_other));
  fence(data, DART_EPOCH_NOPRECEDE);
  EXPECT_OK(dart_put_blocking(right, values, 8, T_INT64, T_INT64));
  EXPECT_OK(dart_get_blocking(got, right, 8, T_INT64, T_INT64));
  EXPECT_EQ(wrong_in(got, 8, me, 1), 0);
  EXPECT_OK(dart_put(test_at(right, 8), values, 8, T_INT64, every_other));
  EXPECT_OK(dart_put_handle(test_at(right, 32), values, 8, T_INT64, T_INT64, &handle));
  EXPECT_OK(dart_wait(&handle));
  EXPECT_OK(dart_fetch_and_op(test_at(right, 50), &one, &before, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_flush(right));
  EXPECT_EQ(before, 0);
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(wrong_in(test_mine(data), 8, left_of(me), 1), 0);
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(test_mine(data)[8 + 2 * i], value_of(left_of(me), 1, (size_t)i));
  EXPECT_EQ(wrong_in(test_mine(data) + 32, 8, left_of(me), 1), 0);
  EXPECT_EQ(test_mine(data)[50], 1);
  EXPECT_OK(dart_type_destroy(&every_other));
}

/* Deferred, and then flushed: there before the fence. */
TEST(a_flush_starts_deferred_operations) /* R13 */
{
  int64_t     zero = 0, value = value_of(me, 3, 0), got = 0;
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));

  fence(data, DART_EPOCH_NOPRECEDE);
  EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush(right));
  EXPECT_OK(dart_get(&got, right, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush_all(right));
  EXPECT_EQ(got, value);
  fence(data, DART_EPOCH_NOSUCCEED);
  EXPECT_EQ(*test_mine(data), value_of(left_of(me), 3, 0));
}

/* ---- post, start, complete, wait ------------------------------------------------------------- */

static dart_team_unit_t unit_id(int unit)
{
  return DART_TEAM_UNIT_ID(unit);
}

static void pscw_rounds(int kind, bool tests)
{
  memory_t         m      = memory_of(kind);
  int64_t         *values = malloc(LARGE * sizeof *values);
  dart_team_unit_t left = unit_id(left_of(me)), right = unit_id(right_of(me));
  int32_t          done;
  int              wrong = 0;

  for (int round = 0; round < ROUNDS; round++) {
    size_t length = lengths[round % LENGTHS];

    fill(values, length, round);
    EXPECT_OK(dart_epoch_post(m.gptr, 1, &left, 0));
    EXPECT_OK(dart_epoch_start(m.gptr, 1, &right, 0));
    EXPECT_OK(dart_put(test_unit(m.gptr, right.id), values, length, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_complete(m.gptr));
    memset(values, 0x5a, length * sizeof *values);
    if (tests)
      for (done = 0; !done && EXPECT_OK(dart_epoch_test(m.gptr, &done));)
        test_pause();
    else
      EXPECT_OK(dart_epoch_wait(m.gptr));
    wrong += wrong_in(m.mine, length, left.id, round);
  }
  EXPECT_EQ(wrong, 0);
  end_memory(&m, kind);
  free(values);
}

TEST(a_ring_by_post_and_start) /* R6 */
{
  for (int kind = 0; kind < KINDS; kind++)
    pscw_rounds(kind, false);
}

TEST(a_ring_by_post_and_test) /* R7 */
{
  pscw_rounds(TEAM, true);
}

/* However much is deferred, it does not wait for the post, which comes after it here. */
TEST(many_operations_before_the_post) /* R5 */
{
  int64_t         *values = malloc(MANY * sizeof *values), *zeros = calloc(MANY, sizeof *zeros);
  dart_gptr_t      data = test_alloc(zeros, MANY, 0);
  dart_team_unit_t left = unit_id(left_of(me)), right = unit_id(right_of(me));

  for (int round = 0; round < 5; round++) {
    fill(values, MANY, round);
    EXPECT_OK(dart_epoch_start(data, 1, &right, 0));
    for (size_t i = 0; i < MANY; i++)
      EXPECT_OK(dart_put(test_at(test_unit(data, right.id), i), &values[i], 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_post(data, 1, &left, 0));
    EXPECT_OK(dart_epoch_complete(data));
    EXPECT_OK(dart_epoch_wait(data));
    EXPECT_EQ(wrong_in(test_mine(data), MANY, left.id, round), 0);
  }
  test_barrier();
  free(values);
  free(zeros);
}

/* Each unit writes to all, in turns of several epochs: a unit may be posted by the next target before it is
 * done with the one before. */
TEST(all_to_all_by_post_and_start) /* R5 */
{
  int64_t          *zeros  = calloc((size_t)n, sizeof *zeros), mine;
  dart_gptr_t       data   = test_alloc(zeros, (size_t)n, 0);
  dart_team_unit_t *others = malloc((size_t)n * sizeof *others);
  int               wrong  = 0;

  for (int unit = 0; unit < n; unit++)
    others[unit] = unit_id((me + unit) % n);
  for (int round = 0; round < ROUNDS; round++) {
    mine = value_of(me, round, 0);
    EXPECT_OK(dart_epoch_post(data, (size_t)n, others, 0));
    EXPECT_OK(dart_epoch_start(data, (size_t)n, others, 0));
    for (int unit = 0; unit < n; unit++)
      if ((unit + round) % 3 != 0) /* nothing for some */
        EXPECT_OK(dart_put(test_at(test_unit(data, unit), (size_t)me), &mine, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_complete(data));
    EXPECT_OK(dart_epoch_wait(data));
    for (int unit = 0; unit < n; unit++)
      if ((me + round) % 3 != 0)
        wrong += test_mine(data)[unit] != value_of(unit, round, 0);
  }
  EXPECT_EQ(wrong, 0);
  test_barrier();
  free(zeros);
  free(others);
}

/* One unit is the target, the others origins one after the other; posts come before starts, and after. */
TEST_N(2, posts_go_with_starts_in_order) /* R5 */
{
  int64_t     zero = 0, got = 0, mine;
  dart_gptr_t data  = test_alloc(&zero, 1, 0);
  int         wrong = 0;

  for (int round = 0; round < ROUNDS; round++) {
    dart_team_unit_t origin = unit_id(1 + round % (n - 1)), target = unit_id(0);

    mine = value_of(me, round, 0);
    if (me == 0) {
      EXPECT_OK(dart_epoch_post(data, 1, &origin, 0));
      EXPECT_OK(dart_epoch_wait(data));
      wrong += *test_mine(data) != value_of(origin.id, round, 0);
    } else if (me == origin.id) {
      EXPECT_OK(dart_epoch_start(data, 1, &target, 0));
      EXPECT_OK(dart_put(data, &mine, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_get(&got, data, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_complete(data));
    }
  }
  EXPECT_EQ(wrong, 0);
  test_barrier();
}

TEST(epochs_with_nobody) /* R8 */
{
  int64_t     zero = 0;
  int32_t     done = 0;
  dart_gptr_t data = test_alloc(&zero, 1, 0);

  EXPECT_OK(dart_epoch_post(data, 0, NULL, 0));
  EXPECT_OK(dart_epoch_start(data, 0, NULL, 0));
  EXPECT_OK(dart_epoch_complete(data));
  EXPECT_OK(dart_epoch_test(data, &done));
  EXPECT_EQ(done, 1);
  fence(data, 0);
  fence(data, DART_EPOCH_NOSUCCEED);
}

/* The program makes sure that posts come before starts. */
TEST(post_and_start_without_check) /* R14 */
{
  int64_t          zero = 0, value;
  dart_gptr_t      data = test_alloc(&zero, 1, 0);
  dart_team_unit_t left = unit_id(left_of(me)), right = unit_id(right_of(me));

  for (int round = 0; round < 10; round++) {
    int checks = round % 2 == 0 ? DART_EPOCH_NOCHECK : 0; /* both in turns */

    value = value_of(me, round, 0);
    EXPECT_OK(dart_epoch_post(data, 1, &left, checks | DART_EPOCH_NOSTORE));
    test_barrier();
    EXPECT_OK(dart_epoch_start(data, 1, &right, checks));
    EXPECT_OK(dart_put(test_unit(data, right.id), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_epoch_complete(data));
    EXPECT_OK(dart_epoch_wait(data));
    EXPECT_EQ(*test_mine(data), value_of(left.id, round, 0));
  }
  test_barrier();
}

TEST(fences_of_what_is_gone)
{
  int64_t    *block = calloc(LARGE, sizeof *block), one = 1, zero = 0;
  dart_gptr_t gptr, cell = test_alloc(&zero, 1, 0);
  int         last   = n - 1;
  bool        is_far = dart_near_ptr(test_unit(cell, last)) == NULL;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, LARGE, T_INT64, block, &gptr));
  fence(gptr, DART_EPOCH_NOPRECEDE);
  test_barrier();
  if (me == last)
    EXPECT_OK(dart_team_memderegister(gptr));
  test_barrier();
  if (me != last) {
    if (is_far)
      EXPECT_RET(dart_put_blocking(test_unit(gptr, last), &one, 1, T_INT64, T_INT64),
                 DART_ERR_INVAL);
    EXPECT_OK(dart_team_memderegister(gptr));
  }
  test_barrier();
  free(block);
}

/* ---- teams, segments, kinds ------------------------------------------------------------------ */

TEST(epochs_of_teams_and_segments_are_independent) /* R16 */
{
  dart_team_t      team = test_split(DART_TEAM_ALL, 2);
  int              size = test_team_size(team), own = test_team_me(team);
  dart_gptr_t      a = test_segment(team, 64, 0), b = test_segment(team, 64, 0);
  int64_t          zero = 0, value = value_of(me, 1, 0);
  dart_gptr_t      all  = test_alloc(&zero, 1, 0);
  dart_team_unit_t self = unit_id(own);
  void            *at;
  int64_t          seen;

  fence(a, 0);
  EXPECT_OK(dart_epoch_post(b, 1, &self, 0));
  EXPECT_OK(dart_epoch_start(b, 1, &self, 0));
  lock(test_unit(all, right_of(me)), DART_EPOCH_SHARED);
  EXPECT_OK(dart_put(test_unit(a, (own + 1) % size), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put(test_unit(b, own), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put(test_unit(all, right_of(me)), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(test_unit(all, right_of(me)), 0));
  EXPECT_OK(dart_epoch_complete(b));
  EXPECT_OK(dart_epoch_wait(b));
  fence(a, DART_EPOCH_NOSUCCEED);
  test_barrier();
  EXPECT_EQ(*test_mine(all), value_of(left_of(me), 1, 0));
  EXPECT_OK(dart_gptr_getaddr(test_unit(b, own), &at));
  memcpy(&seen, at, sizeof seen);
  EXPECT_EQ(seen, value);
  test_barrier();
}

/* A fence's epoch without operations may be left for another kind, and taken up again. */
TEST(kinds_in_turn) /* R15 */
{
  int64_t          zero = 0, value;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), right = test_unit(data, right_of(me));
  dart_team_unit_t from = unit_id(left_of(me)), to = unit_id(right_of(me));

  for (int round = 0; round < 12; round++) {
    value = value_of(me, round, 0);
    switch (round % 4) {
    case 0:
      fence(data, 0);
      EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
      fence(data, 0);
      break;
    case 1:
      EXPECT_OK(dart_epoch_post(data, 1, &from, 0));
      EXPECT_OK(dart_epoch_start(data, 1, &to, 0));
      EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_complete(data));
      EXPECT_OK(dart_epoch_wait(data));
      break;
    case 2:
      lock(right, DART_EPOCH_EXCLUSIVE);
      EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_epoch_unlock(right, 0));
      break;
    default: EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64)); EXPECT_OK(dart_flush(right));
    }
    test_barrier();
    EXPECT_EQ(*test_mine(data), value_of(left_of(me), round, 0));
    test_barrier();
  }
}

/* ---- errors -------------------------------------------------------------------------------- */

TEST(calls_out_of_order_are_refused) /* R15 */
{
  int64_t          zero = 0;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), mine = test_unit(data, me);
  dart_team_unit_t self[2] = { unit_id(me), unit_id(me) }, none = unit_id(n);
  int32_t          done;

  EXPECT_REFUSED(dart_epoch_complete, (data), DART_ERR_INVAL, "no access");
  EXPECT_REFUSED(dart_epoch_wait, (data), DART_ERR_INVAL, "not exposed");
  EXPECT_REFUSED(dart_epoch_test, (data, &done), DART_ERR_INVAL, "not exposed");
  EXPECT_REFUSED(dart_epoch_test, (data, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_epoch_unlock, (mine, 0), DART_ERR_INVAL, "not locked");
  EXPECT_REFUSED(dart_epoch_unlock_all, (data, 0), DART_ERR_INVAL, "not all");
  EXPECT_REFUSED(dart_epoch_fence, (DART_GPTR_NULL, 0), DART_ERR_INVAL, "null");
  EXPECT_REFUSED(dart_epoch_fence, (data, DART_EPOCH_NOCHECK), DART_ERR_INVAL, "assertions");
  EXPECT_REFUSED(dart_epoch_post, (data, 1, self, DART_EPOCH_LAZY), DART_ERR_INVAL, "assertions");
  EXPECT_REFUSED(dart_epoch_post, (data, 2, self, 0), DART_ERR_INVAL, "twice");
  EXPECT_REFUSED(dart_epoch_start, (data, 1, &none, 0), DART_ERR_INVAL, "unit");
  EXPECT_REFUSED(dart_epoch_start, (data, 1, NULL, 0), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_epoch_lock, (mine, (dart_epoch_lock_t)7, 0), DART_ERR_INVAL, "7");
  EXPECT_REFUSED(dart_epoch_lock, (test_unit(data, n), DART_EPOCH_SHARED, 0), DART_ERR_INVAL,
                 "unit");
  EXPECT_OK(dart_epoch_lock(mine, DART_EPOCH_SHARED, 0));
  EXPECT_REFUSED(dart_epoch_lock, (mine, DART_EPOCH_SHARED, 0), DART_ERR_INVAL, "already");
  EXPECT_REFUSED(dart_epoch_lock_all, (data, 0), DART_ERR_INVAL, "already");
  EXPECT_REFUSED(dart_epoch_fence, (data, 0), DART_ERR_INVAL, "another kind");
  EXPECT_REFUSED(dart_epoch_post, (data, 1, self, 0), DART_ERR_INVAL, "another kind");
  EXPECT_REFUSED(dart_epoch_start, (data, 1, self, 0), DART_ERR_INVAL, "open");
  EXPECT_OK(dart_epoch_unlock(mine, 0));
  EXPECT_OK(dart_epoch_post(data, 1, self, 0));
  EXPECT_REFUSED(dart_epoch_post, (data, 1, self, 0), DART_ERR_INVAL, "already");
  EXPECT_REFUSED(dart_epoch_lock, (mine, DART_EPOCH_SHARED, 0), DART_ERR_INVAL, "exposed");
  EXPECT_REFUSED(dart_epoch_fence, (data, 0), DART_ERR_INVAL, "exposed");
  EXPECT_OK(dart_epoch_test(data, &done));
  EXPECT_EQ(done, 0);
  EXPECT_OK(dart_epoch_start(data, 1, self, 0));
  EXPECT_OK(dart_epoch_complete(data));
  EXPECT_OK(dart_epoch_wait(data));
  test_barrier();
}

/* Nothing is sent to a unit that the epoch does not cover. */
TEST_N(2, operations_outside_of_the_epoch_are_refused) /* R15 */
{
  int64_t          zero = 0, value = 1, before;
  dart_gptr_t      data = test_alloc(&zero, 1, 0), mine = test_unit(data, me);
  dart_gptr_t      right = test_unit(data, right_of(me));
  dart_team_unit_t self  = unit_id(me);

  EXPECT_OK(dart_epoch_lock(mine, DART_EPOCH_SHARED, 0));
  EXPECT_REFUSED(dart_put, (right, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "not locked");
  EXPECT_REFUSED(dart_get_blocking, (&value, right, 1, T_INT64, T_INT64), DART_ERR_INVAL,
                 "not locked");
  EXPECT_REFUSED(dart_accumulate, (right, &value, 1, T_INT64, DART_OP_SUM), DART_ERR_INVAL,
                 "not locked");
  EXPECT_REFUSED(dart_fetch_and_op, (right, &value, &before, T_INT64, DART_OP_SUM), DART_ERR_INVAL,
                 "not locked");
  EXPECT_OK(dart_epoch_unlock(mine, 0));
  EXPECT_OK(dart_epoch_post(data, 1, &self, 0));
  EXPECT_REFUSED(dart_put, (right, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "exposed");
  EXPECT_OK(dart_epoch_start(data, 1, &self, 0));
  EXPECT_REFUSED(dart_put, (right, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "not among");
  EXPECT_REFUSED(dart_put, (test_at(mine, 1), &value, 1, T_INT64, T_INT64), DART_ERR_INVAL,
                 "exceed");
  EXPECT_OK(dart_epoch_complete(data));
  EXPECT_OK(dart_epoch_wait(data));
  test_barrier();
  EXPECT_EQ(*test_mine(data), 0);
  test_barrier();
}
