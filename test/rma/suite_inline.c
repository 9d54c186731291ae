/* dart/ext/dart_inline.h: what is compiled into the program does what the library does, to near units, to
 * far ones, and with arguments that only the library can refuse. The macro makes the names of the interface
 * mean the inline functions; the library's are behind the pointers. */
#define DART_USE_INLINE
#include <dash/dart/if/dart.h>

#include <dash/dart/ext/dart_near.h>

#include <string.h>

#include "dart_test.h"

SUITE(inline);

enum { WORDS = 16 };

static int64_t word(int writer, int index)
{
  return INT64_C(1000000007) * (writer + 1) + index;
}

/* Every unit writes to the words that belong to it, at every unit, by `put`; all are read back. */
#define EXPECT_ALL(put, get)                                                                 \
  do {                                                                                       \
    dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * WORDS * sizeof(int64_t), 0); \
                                                                                             \
    for (int unit = 0; unit < n; unit++) {                                                   \
      for (int i = 0; i < WORDS; i++) {                                                      \
        int64_t     value = word(me, i), got = -1;                                           \
        dart_gptr_t at = test_at(test_unit(start, unit), (size_t)(me * WORDS + i));          \
                                                                                             \
        EXPECT_OK(put);                                                                      \
        EXPECT_OK(dart_flush(at));                                                           \
        EXPECT_OK(get);                                                                      \
        EXPECT_OK(dart_flush(at));                                                           \
        EXPECT_EQ(got, value);                                                               \
      }                                                                                      \
    }                                                                                        \
    test_barrier();                                                                          \
    for (int writer = 0; writer < n; writer++)                                               \
      for (int i = 0; i < WORDS; i++)                                                        \
        EXPECT_EQ(test_mine(start)[writer * WORDS + i], word(writer, i));                    \
  } while (0)

/* The portion by the segment's map; NULL: there is none. */
static char *mapped(dart_gptr_t gptr)
{
  const dart_inline_map_t *map;

  return dart_inline_portion(dart_inline_tables.maps, dart_inline_ids(&gptr), &map);
}

/* Of a job of several nodes, too: there units of the node are in a list, which takes turns with the library. */
TEST(near_portions_have_a_map)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);

  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t at = test_unit(start, unit);
    int64_t     got;

    if (mapped(at) == NULL)
      EXPECT_OK(dart_get_blocking(&got, at, 1, T_INT64,
                                  T_INT64)); /* it may have been the library's turn */
    EXPECT_TRUE(mapped(at) == (char *)dart_near_ptr(at));
  }
  test_barrier();
}

TEST(the_library_gets_its_turns)
{
  enum { MANY = 1000, TURNS = 128 };
  dart_gptr_t start = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0), own = test_unit(start, me);
  bool        is_listed = false;
  int         direct    = 0;

  for (int unit = 0; unit < n; unit++)
    is_listed = is_listed || dart_near_ptr(test_unit(start, unit)) == NULL;
  for (int round = 0; round < 8; round++) {
    int64_t got;

    for (direct = 0; direct < MANY && mapped(own) != NULL; direct++)
      ;
    EXPECT_OK(dart_get(&got, own, 1, T_INT64, T_INT64)); /* gives new turns, twice as many */
  }
  EXPECT_EQ(direct, is_listed ? TURNS - 1 : MANY);
  test_barrier();
}

TEST(accumulates_give_the_library_its_turns)
{
  dart_gptr_t own = test_unit(test_segment(DART_TEAM_ALL, sizeof(int64_t), 0), me);
  int32_t     one = 1;
  bool        any = false;

  for (int i = 0; i < 1000; i++) {
    EXPECT_OK(dart_accumulate(own, &one, 1, DART_TYPE_INT, DART_OP_SUM));
    any = any || (i > 500 && mapped(own) != NULL);
  }
  EXPECT_TRUE(any);
  EXPECT_OK(dart_flush(own));
  test_barrier();
}

TEST(blocking_words_arrive)
{
  EXPECT_ALL(dart_put_blocking(at, &value, 1, T_INT64, T_INT64),
             dart_get_blocking(&got, at, 1, T_INT64, T_INT64));
}

TEST(words_arrive_with_a_flush)
{
  EXPECT_ALL(dart_put(at, &value, 1, T_INT64, T_INT64), dart_get(&got, at, 1, T_INT64, T_INT64));
}

TEST(words_arrive_by_handle)
{
  dart_handle_t handle = DART_HANDLE_NULL;

  EXPECT_ALL(dart_put_handle(at, &value, 1, T_INT64, T_INT64, &handle) | dart_wait(&handle),
             dart_get_handle(&got, at, 1, T_INT64, T_INT64, &handle) | dart_wait(&handle));
}

TEST(words_of_the_library_and_inline_ones_are_the_same)
{
  EXPECT_ALL((dart_put_blocking)(at, &value, 1, T_INT64, T_INT64),
             dart_inline_get_blocking(&got, at, 1, T_INT64, T_INT64));
  EXPECT_ALL(dart_inline_put_blocking(at, &value, 1, T_INT64, T_INT64),
             (dart_get_blocking)(&got, at, 1, T_INT64, T_INT64));
}

/* Every basic type, at every place of a portion, its last element, and what lies beside it. */
TEST(elements_of_every_type_leave_their_neighbours_alone)
{
  enum { ELEMENTS = 5 };

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type   = &test_types[t];
    dart_gptr_t        start  = test_segment(DART_TEAM_ALL, ELEMENTS * type->size, 0x5a);
    dart_gptr_t        target = test_unit(start, (me + 1) % n);

    test_note("%s", type->name);
    for (size_t i = 1; i < ELEMENTS; i += 3) {
      char    value[TEST_TYPE_SIZE_MAX], got[3 * TEST_TYPE_SIZE_MAX];
      int64_t number = 10 + (int64_t)i + me % 7;

      test_store(type, value, 0, number);
      memset(got, 0x33, sizeof got);
      EXPECT_OK(dart_put_blocking(test_byte(target, i * type->size), value, 1, type->id, type->id));
      EXPECT_OK(dart_get_blocking(got + type->size, test_byte(target, i * type->size), 1, type->id,
                                  type->id));
      EXPECT_FILLED(got, 0x33, type->size);
      EXPECT_EQ(test_load(type, got, 1), number);
      EXPECT_FILLED(got + 2 * type->size, 0x33, type->size);
    }
    test_barrier();
    EXPECT_FILLED(test_mine(start), 0x5a, type->size);
    EXPECT_EQ(test_load(type, test_mine(start), 1), 11 + (me + n - 1) % n % 7);
    EXPECT_FILLED((char *)test_mine(start) + 2 * type->size, 0x5a, 2 * type->size);
    EXPECT_EQ(test_load(type, test_mine(start), 4), 14 + (me + n - 1) % n % 7);
  }
}

/* Constants of all lengths around those that are copied inline; `shift` makes the target misaligned. */
#define EXPECT_BYTES_ARRIVE(count, type, size, shift)                            \
  do {                                                                           \
    unsigned char out[(count) * (size)], in[(count) * (size) + 2];               \
    dart_gptr_t   at = test_byte(target, shift);                                 \
                                                                                 \
    test_note("%d of %d bytes, by %d", (int)(count), (int)(size), (int)(shift)); \
    test_fill(out, me, (count) + (shift), sizeof out);                           \
    memset(in, 0x33, sizeof in);                                                 \
    EXPECT_OK(dart_put_blocking(at, out, count, type, type));                    \
    EXPECT_OK(dart_get_blocking(in + 1, at, count, type, type));                 \
    EXPECT_TRUE(in[0] == 0x33 && in[sizeof in - 1] == 0x33);                     \
    EXPECT_BYTES(in + 1, out, sizeof out);                                       \
    memset(in, 0x33, sizeof in);                                                 \
    EXPECT_OK((dart_get_blocking)(in + 1, at, count, type, type));               \
    EXPECT_BYTES(in + 1, out, sizeof out);                                       \
  } while (0)

TEST(few_elements_of_constant_number_arrive)
{
  dart_gptr_t start  = test_segment(DART_TEAM_ALL, 1024, 0x5a);
  dart_gptr_t target = test_unit(start, (me + 1) % n);

  for (size_t shift = 128; shift < 300; shift += 19) {
    EXPECT_BYTES_ARRIVE(3, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(8, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(15, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(16, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(17, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(32, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(33, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(63, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(64, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(65, DART_TYPE_BYTE, 1, shift);
    EXPECT_BYTES_ARRIVE(5, DART_TYPE_SHORT, 2, shift);
    EXPECT_BYTES_ARRIVE(11, DART_TYPE_INT, 4, shift);
    EXPECT_BYTES_ARRIVE(8, DART_TYPE_LONG, 8, shift);
    EXPECT_BYTES_ARRIVE(2, DART_TYPE_LONG_DOUBLE, 16, shift);
    EXPECT_BYTES_ARRIVE(4, DART_TYPE_LONG_DOUBLE, 16, shift);
  }
  test_barrier();
  EXPECT_FILLED(test_mine(start), 0x5a, 128);
  EXPECT_FILLED((char *)test_mine(start) + 512, 0x5a, 512);
}

/* The same lengths, by the library's copy of few bytes: the number is no constant. */
TEST(few_elements_of_any_number_arrive)
{
  dart_gptr_t start  = test_segment(DART_TEAM_ALL, 512, 0x5a);
  dart_gptr_t target = test_unit(start, (me + 1) % n);

  for (size_t count = 1; count <= 80; count++) {
    unsigned char out[80], in[82];
    size_t        shift = 64 + count % 13;

    test_fill(out, me, (int)count, count);
    memset(in, 0x33, sizeof in);
    EXPECT_OK(
        dart_put_blocking(test_byte(target, shift), out, count, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(
        dart_get_blocking(in + 1, test_byte(target, shift), count, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_TRUE(in[0] == 0x33 && in[count + 1] == 0x33);
    EXPECT_BYTES(in + 1, out, count);
  }
  test_barrier();
  EXPECT_FILLED(test_mine(start), 0x5a, 64);
  EXPECT_FILLED((char *)test_mine(start) + 64 + 12 + 80, 0x5a, 512 - 64 - 12 - 80);
}

/* Source and target overlap in this unit's portion; what arrives is what was there before. */
TEST(overlapping_copies_are_as_by_memmove)
{
  dart_gptr_t    mine = test_unit(test_segment(DART_TEAM_ALL, 256, 0), me);
  unsigned char *at   = (unsigned char *)test_mine(mine), want[256];

  for (size_t count = 16; count <= 64; count++) {
    test_fill(at, me, (int)count, 256);
    memcpy(want, at, 256);
    memmove(want + 105, want + 100, count);
    EXPECT_OK(
        dart_put_blocking(test_byte(mine, 105), at + 100, count, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_BYTES(at, want, 256);
  }
  test_fill(at, me, 0, 256);
  memcpy(want, at, 256);
  memmove(want + 105, want + 100, 48);
  EXPECT_OK(dart_put_blocking(test_byte(mine, 105), at + 100, 48, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_BYTES(at, want, 256);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* All units add to the same word of each type at every unit, half by the library and half inline. */
TEST(inline_atomics_and_those_of_the_library_count_together)
{
  static const dart_datatype_t types[] = {
    DART_TYPE_INT,   DART_TYPE_UINT,     DART_TYPE_LONG,
    DART_TYPE_ULONG, DART_TYPE_LONGLONG, DART_TYPE_ULONGLONG
  };
  const int   rounds = test_rounds(200);
  dart_gptr_t start  = test_segment(DART_TEAM_ALL, 64, 0);

  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (int unit = 0; unit < n; unit++)
      for (int round = 0; round < rounds; round++) {
        dart_gptr_t at    = test_at(test_unit(start, unit), t);
        int64_t     value = 3, found = -1;

        if (round % 2 == 0)
          EXPECT_OK(dart_fetch_and_op(at, &value, &found, types[t], DART_OP_SUM));
        else
          EXPECT_OK((dart_fetch_and_op)(at, &value, &found, types[t], DART_OP_SUM));
        EXPECT_OK(dart_flush(at));
      }
  test_barrier();
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    EXPECT_EQ(test_mine(start)[t], 3 * n * rounds);
}

TEST(every_operator_is_that_of_the_library)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * 16, 0);

  for (int t = 0; t < TEST_TYPES; t++)
    for (dart_operation_t op = DART_OP_MIN; op <= DART_OP_LXOR; op++) {
      const test_type_t *type = &test_types[t];
      dart_gptr_t        at   = test_byte(test_unit(start, (me + 1) % n), (size_t)(16 * me));
      char    first[TEST_TYPE_SIZE_MAX], second[TEST_TYPE_SIZE_MAX], found[TEST_TYPE_SIZE_MAX];
      int64_t a = test_operand(type, op, me, 0), b = test_operand(type, op, me + 1, 1);

      if (op == DART_OP_MINMAX || !test_has_op(type, op))
        continue;
      test_note("%s %s", type->name, test_op_name(op));
      test_store(type, first, 0, a);
      test_store(type, second, 0, b);
      EXPECT_OK(dart_put_blocking(at, first, 1, type->id, type->id));
      EXPECT_OK(dart_fetch_and_op(at, second, found, type->id, op) | dart_flush(at));
      EXPECT_EQ(test_load(type, found, 0), a);
      EXPECT_OK(dart_fetch_and_op(at, NULL, found, type->id, DART_OP_NO_OP) | dart_flush(at));
      EXPECT_EQ(test_load(type, found, 0), test_combine(op, a, b));
      EXPECT_OK(dart_fetch_and_op(at, first, found, type->id, DART_OP_REPLACE) | dart_flush(at));
      EXPECT_OK(dart_get_blocking(found, at, 1, type->id, type->id));
      EXPECT_EQ(test_load(type, found, 0), a);
    }
}

TEST(a_swap_succeeds_only_if_equal)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0);

  for (int t = 0; t < 2; t++) {
    dart_datatype_t type  = t == 0 ? DART_TYPE_INT : DART_TYPE_LONG;
    dart_gptr_t     at    = test_at(test_unit(start, (me + 1) % n), (size_t)me);
    int64_t         first = 0, value = 70 + me, other = 5, found = 0;

    EXPECT_OK(dart_put_blocking(at, &first, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_compare_and_swap(at, &value, &other, &found, type) | dart_flush(at));
    EXPECT_EQ(found, 0);
    EXPECT_OK(dart_compare_and_swap(at, &value, &first, &found, type) | dart_flush(at));
    EXPECT_EQ(found, 0);
    EXPECT_OK(dart_compare_and_swap(at, &other, &first, &found, type) | dart_flush(at));
    EXPECT_EQ(found, 70 + me);
  }
}

/* A stream of accumulates may wait for its cache lines; a blocking get or a fetch ends it. */
TEST(blocking_calls_apply_the_stream_before_them)
{
  enum { UPDATES = 50 };
  dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * 4096, 0);
  dart_gptr_t mine  = test_byte(test_unit(start, (me + 1) % n), (size_t)me * 4096);

  for (int round = 1; round <= 20; round++) {
    int64_t one = 1, got = 0;

    for (int i = 0; i < UPDATES; i++)
      for (size_t line = 0; line < 4; line++)
        EXPECT_OK(dart_accumulate(test_at(mine, 8 * line), &one, 1, T_INT64, DART_OP_SUM));
    if (round % 2 == 0)
      EXPECT_OK(dart_flush(mine)); /* far ones are only complete after it */
    EXPECT_OK(dart_fetch_and_op(test_at(mine, 24), NULL, &got, T_INT64, DART_OP_NO_OP));
    EXPECT_OK(dart_flush(mine));
    EXPECT_EQ(got, UPDATES * round);
    EXPECT_OK(dart_get_blocking(&got, mine, 1, T_INT64, T_INT64));
    EXPECT_EQ(got, UPDATES * round);
  }
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

TEST(wrong_pointers_are_refused_by_every_function)
{
  dart_gptr_t   start   = test_segment(DART_TEAM_ALL, 64, 0), wrong[4];
  const char   *says[4] = { "unit", "exceed", "no segment", "unknown team" };
  int64_t       value = 1, other = 2, got = 3;
  dart_handle_t handle = DART_HANDLE_NULL;

  for (int i = 0; i < 4; i++)
    wrong[i] = start;
  wrong[0].unitid              = n;
  wrong[1].addr_or_offs.offset = 64;
  wrong[2].segid               = 12345;
  wrong[3].teamid              = 12345;
  for (int i = 0; i < 4; i++) {
    dart_gptr_t at = wrong[i];

    EXPECT_REFUSED(dart_put_blocking, (at, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, says[i]);
    EXPECT_REFUSED(dart_get_blocking, (&got, at, 1, T_INT64, T_INT64), DART_ERR_INVAL, says[i]);
    EXPECT_REFUSED(dart_put, (at, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, says[i]);
    EXPECT_REFUSED(dart_get, (&got, at, 1, T_INT64, T_INT64), DART_ERR_INVAL, says[i]);
    EXPECT_REFUSED(dart_put_handle, (at, &value, 1, T_INT64, T_INT64, &handle), DART_ERR_INVAL,
                   says[i]);
    EXPECT_REFUSED(dart_get_handle, (&got, at, 1, T_INT64, T_INT64, &handle), DART_ERR_INVAL,
                   says[i]);
    EXPECT_REFUSED(dart_fetch_and_op, (at, &value, &got, T_INT64, DART_OP_SUM), DART_ERR_INVAL,
                   says[i]);
    EXPECT_REFUSED(dart_compare_and_swap, (at, &value, &other, &got, T_INT64), DART_ERR_INVAL,
                   says[i]);
  }
  EXPECT_EQ(got, 3);
}

TEST(wrong_elements_are_refused)
{
  dart_gptr_t mine  = test_unit(test_segment(DART_TEAM_ALL, 61, 0x5a), me);
  int64_t     value = 1, few[8] = { 0 }, got = 3;
  char        byte = 7;

  EXPECT_REFUSED(dart_put_blocking, (test_byte(mine, 56), &value, 1, T_INT64, T_INT64),
                 DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_put_blocking, (mine, few, 8, T_INT64, T_INT64), DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_put_blocking, (test_byte(mine, UINT64_MAX - 7), &value, 1, T_INT64, T_INT64),
                 DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_put_blocking, (mine, NULL, 1, T_INT64, T_INT64), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_put_blocking, (mine, &value, 1, T_INT64, DART_TYPE_DOUBLE), DART_ERR_INVAL,
                 "type");
  EXPECT_REFUSED(dart_get_blocking, (&got, mine, 1, DART_TYPE_UNDEFINED, DART_TYPE_UNDEFINED),
                 DART_ERR_INVAL, "type");
  EXPECT_REFUSED(dart_put_handle, (mine, &value, 1, T_INT64, T_INT64, NULL), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_fetch_and_op, (test_byte(mine, 4), &value, &got, T_INT64, DART_OP_SUM),
                 DART_ERR_INVAL, "aligned");
  EXPECT_REFUSED(dart_fetch_and_op, (mine, NULL, &got, T_INT64, DART_OP_SUM), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_compare_and_swap, (mine, &value, NULL, &got, T_INT64), DART_ERR_INVAL,
                 "NULL");
  EXPECT_EQ(got, 3);
  EXPECT_FILLED(test_mine(mine), 0x5a, 61);
  EXPECT_OK(dart_put_blocking(test_byte(mine, 60), &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_OK(dart_put_blocking(test_byte(mine, 11), &value, 1, T_INT64, T_INT64)); /* misaligned */
  EXPECT_EQ(((char *)test_mine(mine))[60], 7);
  EXPECT_EQ(((char *)test_mine(mine))[11], 1);
}

/* The pointers are good again with the next segment of the same name. */
TEST(freed_segments_are_not_found)
{
  for (int round = 0; round < 3; round++) {
    dart_gptr_t start = DART_GPTR_NULL;
    int64_t     value = round, got = -1;

    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, T_INT64, &start));
    EXPECT_OK(dart_put_blocking(test_unit(start, me), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_get_blocking(&got, test_unit(start, me), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, round);
    EXPECT_OK(dart_team_memfree(start));
    EXPECT_REFUSED(dart_get_blocking, (&got, test_unit(start, me), 1, T_INT64, T_INT64),
                   DART_ERR_INVAL, "segment");
    test_barrier();
  }
}

TEST(pointers_are_moved)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0);
  int64_t     value = 10 + me;

  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(
        dart_put_blocking(dart_inline_gptr_at(start, DART_TEAM_UNIT_ID(unit), me, sizeof(int64_t)),
                          &value, 1, T_INT64, T_INT64));
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(test_mine(start)[unit], 10 + unit);
}
