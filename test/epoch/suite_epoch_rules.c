/* dart/ext/dart_epoch.h: rules of MPI's one-sided communication that hold for epochs of every kind; the list, with
 * the numbers, is in doc/internals/statements.md. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>

#include "dart_test.h"

SUITE(epoch_rules);

enum { ROUNDS = 20 };

/* ---- epochs in which every unit accesses every unit ----------------------------------------- */

typedef enum { FENCE, PSCW, LOCK_ALL, KINDS } kind_t;

static dart_team_unit_t *everyone;

static void begin(dart_gptr_t data, kind_t kind)
{
  everyone = calloc((size_t)n, sizeof *everyone);
  for (int unit = 0; unit < n; unit++)
    everyone[unit] = DART_TEAM_UNIT_ID(unit);
  switch (kind) {
  case FENCE: EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOPRECEDE)); break;
  case PSCW:
    EXPECT_OK(dart_epoch_post(data, (size_t)n, everyone, 0));
    EXPECT_OK(dart_epoch_start(data, (size_t)n, everyone, 0));
    break;
  default: EXPECT_OK(dart_epoch_lock_all(data, 0));
  }
}

/* Afterwards what any unit has done is there. */
static void end(dart_gptr_t data, kind_t kind)
{
  switch (kind) {
  case FENCE: EXPECT_OK(dart_epoch_fence(data, DART_EPOCH_NOSUCCEED)); break;
  case PSCW:
    EXPECT_OK(dart_epoch_complete(data));
    EXPECT_OK(dart_epoch_wait(data));
    break;
  default: EXPECT_OK(dart_epoch_unlock_all(data, 0)); test_barrier();
  }
  free(everyone);
}

/* ---- the rules ------------------------------------------------------------------------------ */

TEST(operations_without_elements_do_nothing) /* R17 */
{
  int64_t     values[2] = { 11, 12 }, other = -1;
  dart_gptr_t data = test_alloc(values, 2, 0);

  for (kind_t kind = FENCE; kind < KINDS; kind++) {
    begin(data, kind);
    for (int unit = 0; unit < n; unit++) {
      EXPECT_OK(dart_put(test_unit(data, unit), &other, 0, T_INT64, T_INT64));
      EXPECT_OK(dart_get(&other, test_unit(data, unit), 0, T_INT64, T_INT64));
      EXPECT_OK(dart_accumulate(test_unit(data, unit), &other, 0, T_INT64, DART_OP_SUM));
    }
    end(data, kind);
    EXPECT_EQ(test_mine(data)[0], 11);
    EXPECT_EQ(test_mine(data)[1], 12);
    EXPECT_EQ(other, -1);
    test_barrier();
  }
}

TEST(its_own_portion_is_accessed_as_any_other) /* R18 */
{
  int64_t     start[2] = { 0, 0 }, one = 1;
  dart_gptr_t data = test_alloc(start, 2, 0), own = test_unit(data, me);

  for (int round = 0; round < ROUNDS; round++)
    for (kind_t kind = FENCE; kind < KINDS; kind++) {
      int64_t value = 1000 * me + round, got = -1, before = test_mine(data)[1];

      begin(data, kind);
      EXPECT_OK(dart_put(own, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_accumulate(test_at(own, 1), &one, 1, T_INT64, DART_OP_SUM));
      end(data, kind);
      EXPECT_EQ(test_mine(data)[0], value);
      EXPECT_EQ(test_mine(data)[1], before + 1);
      begin(data, kind);
      EXPECT_OK(dart_get(&got, own, 1, T_INT64, T_INT64));
      end(data, kind);
      EXPECT_EQ(got, value);
    }
}

/* Bytes of all units are neighbours of each other in one cache line of the target. */
TEST(origins_write_to_disjoint_bytes_of_a_portion) /* R19 */
{
  enum { EACH = 3 };
  size_t      nwords = ((size_t)n * EACH + sizeof(int64_t)) / sizeof(int64_t);
  int64_t    *zeros  = calloc(nwords, sizeof *zeros);
  dart_gptr_t data   = test_alloc(zeros, nwords, 0);

  for (int round = 1; round <= ROUNDS; round++)
    for (kind_t kind = FENCE; kind < KINDS; kind++) {
      unsigned char byte = (unsigned char)(16 * round + me), wrong = 0;
      const char   *bytes = (const char *)test_mine(data);

      begin(data, kind);
      for (int unit = 0; unit < n; unit++)
        for (int i = 0; i < EACH; i++) {
          dart_gptr_t at = test_unit(data, unit);

          EXPECT_OK(dart_gptr_incaddr(&at, i * n + me));
          EXPECT_OK(dart_put(at, &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
        }
      end(data, kind);
      for (int i = 0; i < EACH * n; i++)
        wrong |= (unsigned char)bytes[i] ^ (unsigned char)(16 * round + i % n);
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(bytes[EACH * n], 0);
      test_barrier();
    }
  free(zeros);
}

TEST(accumulates_of_all_units_meet_in_an_element) /* R20 */
{
  int64_t     zero = 0, value = me + 1;
  dart_gptr_t data = test_alloc(&zero, 1, 0);

  for (kind_t kind = FENCE; kind < KINDS; kind++) {
    begin(data, kind);
    for (int i = 0; i < ROUNDS; i++)
      for (int unit = 0; unit < n; unit++)
        EXPECT_OK(dart_accumulate(test_unit(data, unit), &value, 1, T_INT64, DART_OP_SUM));
    end(data, kind);
    EXPECT_EQ(*test_mine(data), (int64_t)(kind + 1) * ROUNDS * n * (n + 1) / 2);
    test_barrier();
  }
}

/* Set an element, in one of the ways that there are. */
static void set(int way, dart_gptr_t at, const int64_t *value)
{
  dart_handle_t handle = DART_HANDLE_NULL;

  switch (way) {
  case 0: EXPECT_OK(dart_accumulate(at, value, 1, T_INT64, DART_OP_REPLACE)); break;
  case 1: EXPECT_OK(dart_put(at, value, 1, T_INT64, T_INT64)); break;
  case 2: EXPECT_OK(dart_put_blocking(at, value, 1, T_INT64, T_INT64)); break;
  default:
    EXPECT_OK(dart_put_handle(at, value, 1, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait_local(&handle));
  }
}

/* Each unit has an element of its own at every other; a sum that came before the element is set would be lost. */
TEST(puts_and_accumulates_of_an_origin_keep_their_order) /* R21 */
{
  enum { WAYS = 4 };
  int64_t    *zeros = calloc((size_t)n, sizeof *zeros), two = 2;
  dart_gptr_t data = test_alloc(zeros, (size_t)n, 0);

  for (kind_t kind = FENCE; kind < KINDS; kind++)
    for (int ways = 0; ways < WAYS * WAYS; ways++) { /* the last way, and that of the others */
      int64_t wrong = 0;

      test_note("kind %d, ways %d", (int)kind, ways);
      begin(data, kind);
      for (int i = 1; i <= ROUNDS; i++)
        for (int unit = 0; unit < n; unit++) {
          dart_gptr_t at    = test_at(test_unit(data, unit), (size_t)me);
          int64_t     value = 1000 * i + me;

          set(i < ROUNDS ? ways / WAYS : ways % WAYS, at, &value);
          EXPECT_OK(dart_accumulate(at, &two, 1, T_INT64, DART_OP_SUM));
        }
      end(data, kind);
      for (int unit = 0; unit < n; unit++)
        wrong += test_mine(data)[unit] != 1000 * ROUNDS + unit + 2;
      EXPECT_EQ(wrong, 0);
      test_barrier();
    }
  free(zeros);
}

/* The lock is still held when the others look. */
TEST(what_is_flushed_under_a_lock_is_there_before_the_unlock) /* R22 */
{
  int64_t     zero = 0;
  dart_gptr_t data = test_alloc(&zero, 1, 0), right = test_unit(data, (me + 1) % n);

  for (int round = 1; round <= ROUNDS; round++) {
    int64_t value = 1000 * round + me;

    EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_SHARED, 0));
    EXPECT_OK(dart_put(right, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(right));
    test_barrier();
    EXPECT_EQ(*test_mine(data), 1000 * round + (me + n - 1) % n);
    test_barrier();
    EXPECT_OK(dart_epoch_unlock(right, 0));
  }
}
