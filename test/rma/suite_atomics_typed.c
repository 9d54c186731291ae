/* Atomics on many elements (dart_atomics.h): layouts on either side, results, handles. Elements of the target that a
 * type leaves out stay as they were. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>

#include "dart_test.h"

SUITE(atomics_typed);

enum { MOST = 3000 }; /* elements of a call: several batches of requests */

static dart_datatype_t strided(dart_datatype_t base, size_t stride, size_t blocklen)
{
  dart_datatype_t type = DART_TYPE_UNDEFINED;

  EXPECT_OK(dart_type_create_strided(base, stride, blocklen, &type));
  return type;
}

/* Elements 4, 5, 6, then 0, of every 7 elements: the extent of its blocks. */
static dart_datatype_t indexed(dart_datatype_t base)
{
  const size_t    lengths[] = { 3, 1 }, offsets[] = { 4, 0 };
  dart_datatype_t type = DART_TYPE_UNDEFINED;

  EXPECT_OK(dart_type_create_indexed(base, 2, lengths, offsets, &type));
  return type;
}

/* The layouts of a test: where element k lies, computed apart from the library. */
typedef enum { ROW, COLUMN, BLOCKS, LISTED, LAYOUTS } layout_t;

static size_t place_of(layout_t layout, size_t k)
{
  static const size_t listed[] = { 4, 5, 6, 0 };

  switch (layout) {
  case COLUMN: return k * 3;
  case BLOCKS: return k / 2 * 5 + k % 2;
  case LISTED: return k / 4 * 7 + listed[k % 4];
  default: return k;
  }
}

static dart_datatype_t type_of(layout_t layout, dart_datatype_t base)
{
  switch (layout) {
  case COLUMN: return strided(base, 3, 1);
  case BLOCKS: return strided(base, 5, 2);
  case LISTED: return indexed(base);
  default: return base;
  }
}

static void end_type(dart_datatype_t type, dart_datatype_t base)
{
  if (type != base)
    EXPECT_OK(dart_type_destroy(&type));
}

enum { ROOM = MOST * 3 + 8 }; /* elements that the widest layout needs */

static int64_t *new_values(int64_t value)
{
  int64_t *values = malloc(ROOM * sizeof *values);

  for (size_t i = 0; i < ROOM; i++)
    values[i] = value;
  return values;
}

static const size_t counts[] = { 4, 128, MOST };
enum { COUNTS = sizeof counts / sizeof *counts };

/* ---- layouts ---------------------------------------------------------------------------------- */

static void accumulate_and_fetch(layout_t target, layout_t origin, size_t nelem)
{
  int             right = (me + 1) % n, left = (me + n - 1) % n;
  dart_gptr_t     gptr     = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t dst_type = type_of(target, T_INT64), src_type = type_of(origin, T_INT64);
  int64_t        *values = new_values(-1), *results = new_values(-2), *expected = new_values(0);

  for (size_t k = 0; k < nelem; k++)
    values[place_of(origin, k)] = 1000000 * me + (int64_t)k;
  EXPECT_OK(dart_accumulate_typed(test_unit(gptr, right), values, nelem, src_type, dst_type,
                                  DART_OP_SUM));
  EXPECT_OK(dart_fetch_and_op_typed(test_unit(gptr, right), values, results, nelem, src_type,
                                    src_type, dst_type, DART_OP_SUM));
  end_type(dst_type, T_INT64);
  end_type(src_type, T_INT64);
  EXPECT_OK(dart_flush(test_unit(gptr, right)));
  for (size_t k = 0; k < nelem; k++)
    expected[place_of(target, k)] = 2 * (1000000 * left + (int64_t)k);
  test_barrier();
  EXPECT_BYTES(test_mine(gptr), expected, ROOM * sizeof *expected);
  for (size_t i = 0; i < ROOM; i++)
    expected[i] = -2;
  for (size_t k = 0; k < nelem; k++)
    expected[place_of(origin, k)] = 1000000 * me + (int64_t)k;
  EXPECT_BYTES(results, expected, ROOM * sizeof *expected);
  free(values);
  free(results);
  free(expected);
}

TEST(elements_lie_as_their_types_say)
{
  for (int target = 0; target < LAYOUTS; target++)
    for (int origin = 0; origin < LAYOUTS; origin++)
      for (int c = 0; c < (target == origin ? COUNTS : 2); c++) {
        test_note("layout %d of the target, %d of the buffers, %zu elements", target, origin,
                  counts[c]);
        accumulate_and_fetch((layout_t)target, (layout_t)origin, counts[c]);
      }
}

TEST(values_and_results_may_lie_differently)
{
  enum { COUNT = 8 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t column = type_of(COLUMN, T_INT64), listed = type_of(LISTED, T_INT64);
  int             right = (me + 1) % n;
  int64_t         values[COUNT], results[2 * 7];

  memset(results, -1, sizeof results);
  for (int k = 0; k < COUNT; k++)
    values[k] = 100 * me + k + 1;
  EXPECT_OK(dart_accumulate_typed(test_unit(gptr, right), values, COUNT, T_INT64, column,
                                  DART_OP_REPLACE));
  EXPECT_OK(dart_fetch_and_op_typed(test_unit(gptr, right), NULL, results, COUNT,
                                    DART_TYPE_UNDEFINED, listed, column, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(test_unit(gptr, right)));
  for (size_t k = 0; k < COUNT; k++) {
    EXPECT_EQ(results[place_of(LISTED, k)], values[k]);
    results[place_of(LISTED, k)] = -1;
  }
  EXPECT_FILLED(results, 0xff, sizeof results);
  end_type(column, T_INT64);
  end_type(listed, T_INT64);
}

/* ---- atomicity and order ------------------------------------------------------------------------ */

TEST(every_element_is_updated_atomically)
{
  enum { COUNT = 64, ROUNDS = 40 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t column = type_of(COLUMN, T_INT64);
  int64_t         ones[COUNT], found[COUNT], sums[COUNT], all[COUNT];
  int             rounds = test_rounds(ROUNDS);

  memset(sums, 0, sizeof sums);
  for (int k = 0; k < COUNT; k++)
    ones[k] = 1;
  for (int round = 0; round < rounds; round++) {
    EXPECT_OK(
        dart_fetch_and_op_typed(gptr, ones, found, COUNT, T_INT64, T_INT64, column, DART_OP_SUM));
    EXPECT_OK(dart_flush_local(gptr));
    for (int k = 0; k < COUNT; k++)
      sums[k] += found[k];
  }
  EXPECT_OK(dart_flush(gptr));
  EXPECT_OK(dart_allreduce(sums, all, COUNT, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  /* each number from 0 on was found by one unit, once */
  for (int k = 0; k < COUNT; k++) {
    int64_t total = (int64_t)n * rounds;

    EXPECT_EQ(all[k], total * (total - 1) / 2);
    if (me == 0)
      EXPECT_EQ(test_mine(gptr)[place_of(COLUMN, (size_t)k)], total);
  }
  test_barrier();
  for (int round = 0; round < rounds; round++) {
    EXPECT_OK(dart_accumulate_typed(gptr, ones, COUNT, T_INT64, column, DART_OP_SUM));
    EXPECT_OK(dart_accumulate(test_at(gptr, 0), ones, 1, T_INT64, DART_OP_SUM));
  }
  EXPECT_OK(dart_flush(gptr));
  test_barrier();
  for (int k = 0; k < COUNT && me == 0; k++)
    EXPECT_EQ(test_mine(gptr)[place_of(COLUMN, (size_t)k)], (int64_t)n * rounds * (k == 0 ? 3 : 2));
  end_type(column, T_INT64);
}

TEST(updates_of_an_element_take_effect_in_program_order)
{
  enum { COUNT = 32 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, COUNT * 3 * sizeof(int64_t), 0);
  dart_datatype_t column = type_of(COLUMN, T_INT64);

  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t at = test_unit(gptr, (me + distance) % n);
    int64_t     values[4][COUNT], one = 9, found[COUNT];

    test_note("distance %d", distance);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < COUNT; k++)
        values[i][k] = 100 * i + k;
    for (int i = 0; i < 4; i++)
      EXPECT_OK(dart_accumulate_typed(at, values[i], COUNT, T_INT64, column, DART_OP_REPLACE));
    for (int i = 0; i < 40; i++) /* enough to be deferred */
      EXPECT_OK(dart_accumulate(at, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op_typed(at, values[1], found, COUNT, T_INT64, T_INT64, column,
                                      DART_OP_REPLACE));
    EXPECT_OK(dart_flush(at));
    for (int k = 0; k < COUNT; k++)
      EXPECT_EQ(found[k], 300 + k + (k == 0 ? 360 : 0));
    test_barrier();
  }
  end_type(column, T_INT64);
}

TEST(an_element_that_is_named_twice_is_updated_twice)
{
  const size_t    lengths[] = { 2, 2 }, offsets[] = { 0, 1 };
  dart_gptr_t     gptr = test_segment(DART_TEAM_ALL, 4 * sizeof(int64_t), 0);
  dart_gptr_t     at   = test_unit(gptr, (me + 1) % n);
  dart_datatype_t type;
  int64_t         values[] = { 1, 10, 100, 1000 }, results[4] = { -1, -1, -1, -1 };

  EXPECT_OK(dart_type_create_indexed(T_INT64, 2, lengths, offsets, &type));
  EXPECT_OK(dart_fetch_and_op_typed(at, values, results, 4, T_INT64, T_INT64, type, DART_OP_SUM));
  EXPECT_OK(dart_flush(at));
  EXPECT_EQ(results[1], 0);
  EXPECT_EQ(results[2], 10);
  test_barrier();
  EXPECT_EQ(test_mine(gptr)[0], 1);
  EXPECT_EQ(test_mine(gptr)[1], 110);
  EXPECT_EQ(test_mine(gptr)[2], 1000);
  EXPECT_EQ(test_mine(gptr)[3], 0);
  EXPECT_OK(dart_type_destroy(&type));
}

/* ---- types and operators -------------------------------------------------------------------------- */

static void combine(dart_gptr_t gptr, const test_type_t *type, dart_operation_t op)
{
  enum { COUNT = 5, STRIDE = 2 };
  _Alignas(16) char values[COUNT * TEST_TYPE_SIZE_MAX], before[COUNT * TEST_TYPE_SIZE_MAX],
      found[COUNT * TEST_TYPE_SIZE_MAX];
  dart_gptr_t     at     = test_unit(gptr, (me + 1) % n);
  dart_datatype_t column = strided(type->id, STRIDE, 1);

  for (size_t k = 0; k < COUNT; k++) {
    test_store(type, values, k, test_operand(type, op, 1, k));
    test_store(type, before, k, test_operand(type, op, 0, k));
  }
  EXPECT_OK(dart_accumulate_typed(at, before, COUNT, type->id, column, DART_OP_REPLACE));
  EXPECT_OK(dart_fetch_and_op_typed(at, values, found, COUNT, type->id, type->id, column, op));
  EXPECT_OK(dart_flush_local(at));
  for (size_t k = 0; k < COUNT; k++)
    EXPECT_EQ(test_load(type, found, k), test_load(type, before, k));
  EXPECT_OK(dart_accumulate_typed(at, before, COUNT, type->id, column, DART_OP_REPLACE));
  EXPECT_OK(dart_accumulate_typed(at, values, COUNT, type->id, column, op));
  for (size_t k = 0; k < COUNT; k++)
    EXPECT_OK(dart_fetch_and_op(test_byte(at, k * STRIDE * type->size), NULL,
                                found + k * type->size, type->id, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(at));
  for (size_t k = 0; k < COUNT; k++)
    EXPECT_EQ(test_load(type, found, k),
              test_combine(op, test_load(type, before, k), test_load(type, values, k)));
  end_type(column, type->id);
}

TEST(every_type_and_operator)
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, 10 * TEST_TYPE_SIZE_MAX, 0);

  for (int t = 0; t < TEST_TYPES; t++)
    for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_LXOR; op++) {
      test_note("%s on %s", test_op_name(op), test_types[t].name);
      if (test_has_op(&test_types[t], op) && op != DART_OP_MINMAX)
        combine(gptr, &test_types[t], op);
    }
}

/* ---- handles ---------------------------------------------------------------------------------------- */

TEST(a_handle_completes_its_update)
{
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t column = type_of(COLUMN, T_INT64);
  int64_t        *ones = new_values(1), *found = new_values(-1);

  for (int c = 0; c < COUNTS; c++) {
    dart_gptr_t   at       = test_unit(gptr, (me + 1) % n);
    dart_handle_t handle[] = { (dart_handle_t)ones, (dart_handle_t)ones };
    int32_t       is_done  = 0;
    size_t        wrong    = 0;

    test_note("%zu elements", counts[c]);
    EXPECT_OK(dart_accumulate_handle(at, ones, counts[c], T_INT64, column, DART_OP_SUM, handle));
    EXPECT_OK(dart_wait(handle));
    EXPECT_TRUE(handle[0] == DART_HANDLE_NULL);
    test_barrier();
    for (size_t k = 0; k < counts[c]; k++)
      wrong += test_mine(gptr)[place_of(COLUMN, k)] != 1;
    EXPECT_EQ(wrong, 0);
    test_barrier();
    EXPECT_OK(dart_fetch_and_op_handle(at, ones, found, counts[c], T_INT64, T_INT64, column,
                                       DART_OP_SUM, &handle[0]));
    EXPECT_OK(
        dart_accumulate_handle(at, ones, counts[c], T_INT64, column, DART_OP_SUM, &handle[1]));
    while (is_done == 0)
      EXPECT_OK(dart_testall(handle, 2, &is_done));
    EXPECT_TRUE(handle[0] == DART_HANDLE_NULL && handle[1] == DART_HANDLE_NULL);
    for (size_t k = 0; k < counts[c]; k++)
      wrong += found[k] != 1;
    test_barrier();
    for (size_t k = 0; k < counts[c]; k++) {
      wrong += test_mine(gptr)[place_of(COLUMN, k)] != 3;
      test_mine(gptr)[place_of(COLUMN, k)] = 0;
    }
    EXPECT_EQ(wrong, 0);
    test_barrier();
  }
  free(ones);
  free(found);
  end_type(column, T_INT64);
}

TEST(handles_of_puts_and_atomics_are_waited_for_together)
{
  enum { COUNT = 20, WORDS = 4000 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, (ROOM + WORDS) * sizeof(int64_t), 0);
  dart_gptr_t     at     = test_unit(gptr, (me + n / 2) % n);
  dart_datatype_t column = type_of(COLUMN, T_INT64);
  int64_t        *ones   = new_values(1), found[COUNT][COUNT];
  dart_handle_t   handle[2 * COUNT];
  int             wrong = 0;

  for (int i = 0; i < COUNT; i++) {
    EXPECT_OK(dart_fetch_and_op_handle(at, ones, found[i], COUNT, T_INT64, T_INT64, column,
                                       DART_OP_SUM, &handle[2 * i]));
    EXPECT_OK(
        dart_put_handle(test_at(at, ROOM), ones, WORDS, T_INT64, T_INT64, &handle[2 * i + 1]));
  }
  EXPECT_OK(dart_waitall(handle, 2 * COUNT));
  for (int i = 0; i < 2 * COUNT; i++)
    EXPECT_TRUE(handle[i] == DART_HANDLE_NULL);
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < COUNT; k++)
      wrong += found[i][k] != i; /* one unit adds to each */
  EXPECT_EQ(wrong, 0);
  test_barrier();
  EXPECT_EQ(test_mine(gptr)[ROOM + WORDS - 1], 1);
  free(ones);
  end_type(column, T_INT64);
}

TEST(a_handle_may_be_freed_and_a_flush_completes_the_update)
{
  enum { COUNT = 50 };
  dart_gptr_t   gptr = test_segment(DART_TEAM_ALL, COUNT * sizeof(int64_t), 0);
  int64_t       ones[COUNT];
  dart_handle_t handle = DART_HANDLE_NULL;

  for (int k = 0; k < COUNT; k++)
    ones[k] = 1;
  for (int i = 0; i < 10; i++) {
    EXPECT_OK(dart_accumulate_handle(test_unit(gptr, 0), ones, COUNT, T_INT64, T_INT64, DART_OP_SUM,
                                     &handle));
    EXPECT_OK(dart_handle_free(&handle));
    EXPECT_TRUE(handle == DART_HANDLE_NULL);
  }
  EXPECT_OK(dart_flush(test_unit(gptr, 0)));
  test_barrier();
  for (int k = 0; k < COUNT && me == 0; k++)
    EXPECT_EQ(test_mine(gptr)[k], 10 * n);
}

/* ---- other segments, contexts, epochs --------------------------------------------------------------- */

TEST(registered_memory_is_updated_too)
{
  enum { COUNT = 24 };
  int64_t         memory[COUNT * 3], ones[COUNT], found[COUNT];
  dart_gptr_t     gptr   = DART_GPTR_NULL;
  dart_datatype_t column = type_of(COLUMN, T_INT64);
  int64_t         sum = 0, all = 0;

  memset(memory, 0, sizeof memory);
  for (int k = 0; k < COUNT; k++)
    ones[k] = 1;
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, COUNT * 3, T_INT64, memory, &gptr));
  for (int unit = 0; unit < n; unit++) {
    dart_handle_t handle = DART_HANDLE_NULL;

    EXPECT_OK(
        dart_accumulate_typed(test_unit(gptr, unit), ones, COUNT, T_INT64, column, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op_handle(test_unit(gptr, unit), ones, found, COUNT, T_INT64, T_INT64,
                                       column, DART_OP_SUM, &handle));
    EXPECT_OK(dart_wait(&handle));
    for (int k = 0; k < COUNT; k++)
      EXPECT_TRUE(found[k] >= 1 && found[k] < 2 * n);
    sum += found[COUNT - 1];
  }
  EXPECT_OK(dart_flush_all(gptr));
  test_barrier();
  for (int k = 0; k < COUNT; k++) {
    EXPECT_EQ(memory[3 * k], 2 * n);
    EXPECT_EQ(memory[3 * k + 1], 0);
  }
  EXPECT_OK(dart_allreduce(&sum, &all, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_TRUE(all >= (int64_t)n * n);
  EXPECT_OK(dart_team_memderegister(gptr));
  end_type(column, T_INT64);
}

TEST(they_are_in_contexts)
{
  enum { COUNT = 100 };
  dart_gptr_t     gptr    = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t listed  = type_of(LISTED, T_INT64);
  int64_t        *ones    = new_values(1);
  dart_context_t  context = DART_CONTEXT_NULL;

  EXPECT_OK(dart_context_create(DART_TEAM_ALL, &context));
  EXPECT_OK(dart_context_enter(context));
  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(
        dart_accumulate_typed(test_unit(gptr, unit), ones, COUNT, T_INT64, listed, DART_OP_SUM));
  EXPECT_OK(dart_context_leave(context));
  EXPECT_OK(dart_context_flush(context));
  test_barrier();
  for (size_t k = 0; k < COUNT; k++)
    EXPECT_EQ(test_mine(gptr)[place_of(LISTED, k)], n);
  EXPECT_OK(dart_context_destroy(&context));
  free(ones);
  end_type(listed, T_INT64);
}

TEST(they_are_in_epochs)
{
  enum { COUNT = 40 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, ROOM * sizeof(int64_t), 0);
  dart_datatype_t column = type_of(COLUMN, T_INT64);
  int64_t        *ones   = new_values(1), found[COUNT];
  int             right  = (me + 1) % n;

  EXPECT_OK(dart_epoch_fence(gptr, 0));
  EXPECT_OK(
      dart_accumulate_typed(test_unit(gptr, right), ones, COUNT, T_INT64, column, DART_OP_SUM));
  EXPECT_OK(dart_accumulate_typed(gptr, ones, COUNT, T_INT64, column, DART_OP_SUM));
  EXPECT_OK(dart_epoch_fence(gptr, 0));
  for (int k = 0; k < COUNT; k++)
    EXPECT_EQ(test_mine(gptr)[3 * k], me == 0 ? n + 1 : 1);
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
  EXPECT_OK(dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, 0));
  EXPECT_OK(dart_accumulate(gptr, ones, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(
      dart_fetch_and_op_typed(gptr, ones, found, COUNT, T_INT64, T_INT64, column, DART_OP_SUM));
  if (n > 1)
    EXPECT_INVAL(
        dart_accumulate_typed(test_unit(gptr, 1), ones, COUNT, T_INT64, column, DART_OP_SUM));
  EXPECT_OK(dart_epoch_unlock(gptr, 0));
  for (int k = 1; k < COUNT; k++)
    EXPECT_EQ(found[k], found[1]);
  EXPECT_EQ(found[0] - (n + 1), 2 * (found[1] - (n + 1)) + 1);
  test_barrier();
  EXPECT_EQ(test_mine(gptr)[3], me == 0 ? 2 * n + 1 : 1);
  free(ones);
  end_type(column, T_INT64);
}

/* ---- what is refused -------------------------------------------------------------------------------- */

TEST(wrong_arguments_change_nothing)
{
  enum { COUNT = 6 };
  dart_gptr_t     gptr   = test_segment(DART_TEAM_ALL, 3 * COUNT * sizeof(int64_t), 7);
  dart_gptr_t     at     = test_unit(gptr, (me + 1) % n);
  dart_datatype_t column = type_of(COLUMN, T_INT64), blocks = type_of(BLOCKS, T_INT64);
  dart_datatype_t floats        = strided(DART_TYPE_DOUBLE, 3, 1), custom;
  int64_t         values[COUNT] = { 1, 2, 3, 4, 5, 6 }, results[COUNT];
  dart_handle_t   handle        = (dart_handle_t)values;

  EXPECT_OK(dart_type_create_custom(8, &custom));
  EXPECT_REFUSED(dart_accumulate_typed, (at, values, COUNT, DART_TYPE_INT, column, DART_OP_SUM),
                 DART_ERR_INVAL, "6 elements");
  EXPECT_REFUSED(dart_accumulate_typed, (at, values, 3, T_INT64, blocks, DART_OP_SUM),
                 DART_ERR_INVAL, "3 elements");
  EXPECT_REFUSED(dart_accumulate_typed, (at, values, COUNT, floats, floats, DART_OP_BXOR),
                 DART_ERR_INVAL, "no atomic operation");
  EXPECT_REFUSED(dart_accumulate_typed, (at, values, COUNT, custom, custom, DART_OP_REPLACE),
                 DART_ERR_INVAL, "no atomic operation");
  EXPECT_REFUSED(dart_accumulate_typed, (at, values, COUNT, T_INT64, column, DART_OP_MINMAX),
                 DART_ERR_INVAL, "no atomic operation");
  EXPECT_REFUSED(dart_accumulate_typed, (at, NULL, COUNT, T_INT64, column, DART_OP_SUM),
                 DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_accumulate_typed,
                 (test_byte(at, 4), values, COUNT, T_INT64, column, DART_OP_SUM), DART_ERR_INVAL,
                 "aligned");
  EXPECT_INVAL(dart_accumulate_typed(test_at(at, 3), values, COUNT, T_INT64, column, DART_OP_SUM));
  EXPECT_REFUSED(dart_fetch_and_op_typed,
                 (at, values, NULL, COUNT, T_INT64, T_INT64, column, DART_OP_SUM), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_fetch_and_op_typed,
                 (at, values, results, COUNT, T_INT64, DART_TYPE_INT, column, DART_OP_SUM),
                 DART_ERR_INVAL, "6 elements");
  EXPECT_REFUSED(dart_accumulate_handle,
                 (at, values, COUNT, DART_TYPE_INT, column, DART_OP_SUM, &handle), DART_ERR_INVAL,
                 "6 elements");
  EXPECT_TRUE(handle == DART_HANDLE_NULL);
  EXPECT_REFUSED(dart_accumulate_handle, (at, values, COUNT, T_INT64, column, DART_OP_SUM, NULL),
                 DART_ERR_INVAL, "handle");
  EXPECT_REFUSED(dart_fetch_and_op_handle,
                 (at, values, results, COUNT, T_INT64, T_INT64, column, DART_OP_SUM, NULL),
                 DART_ERR_INVAL, "handle");
  EXPECT_OK(dart_accumulate_typed(at, NULL, 0, T_INT64, column, DART_OP_SUM));
  EXPECT_OK(dart_accumulate_typed(at, NULL, COUNT, T_INT64, column, DART_OP_NO_OP));
  EXPECT_OK(dart_flush(at));
  test_barrier();
  EXPECT_FILLED(test_mine(gptr), 7, 3 * COUNT * sizeof(int64_t));
  end_type(column, T_INT64);
  end_type(blocks, T_INT64);
  end_type(floats, DART_TYPE_DOUBLE);
  end_type(custom, T_INT64);
}
