/* Data types: what is accepted and refused, where elements lie, which layouts go together, and
 * values that outlived their object. */
#include "node_data.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/handle.h"
#include "data/describe.h"
#include "data/name.h"
#include "data/type.h"

#define OVER ((size_t)INT_MAX + 1)

static dart_datatype_t strided(dart_datatype_t base, size_t stride, size_t blocklen)
{
  dart_datatype_t type;

  assert_int_equal(dart_type_create_strided(base, stride, blocklen, &type), DART_OK);
  return type;
}

static dart_datatype_t indexed(dart_datatype_t base, size_t count, const size_t *len,
                               const size_t *off)
{
  dart_datatype_t type;

  assert_int_equal(dart_type_create_indexed(base, count, len, off, &type), DART_OK);
  return type;
}

static dart_datatype_t custom(size_t nbytes)
{
  dart_datatype_t type;

  assert_int_equal(dart_type_create_custom(nbytes, &type), DART_OK);
  return type;
}

static void destroy(dart_datatype_t type)
{
  assert_int_equal(dart_type_destroy(&type), DART_OK);
  assert_int_equal(type, DART_TYPE_UNDEFINED);
}

static void basic_types_have_their_sizes(void **state)
{
  (void)state;
  TEST_FOR_TYPES(t)
  {
    const dart__type_t *type = dart__type_find(t->type);

    assert_non_null(type);
    assert_int_equal(type->kind, DART__TYPE_BASIC);
    assert_int_equal(type->base, t->type);
    assert_int_equal(type->elem_size, t->nbytes);
    assert_int_equal(type->elem_count, 1);
  }
}

static void no_value_but_a_type_is_found(void **state)
{
  static const intptr_t values[] = { 0, 12, 19, -1, 65535, 65536, 65537, INTPTR_MAX, INTPTR_MIN };

  (void)state;
  dart__type_clear();
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    assert_null(dart__type_find(values[i]));
}

static void created_types_are_described(void **state)
{
  size_t              len[] = { 2, 0, 3 }, off[] = { 4, 900, 10 };
  dart_datatype_t     c = custom(24);
  dart_datatype_t     s = strided(c, 7, 3);
  dart_datatype_t     x = indexed(DART_TYPE_SHORT, 3, len, off);
  const dart__type_t *type;

  (void)state;
  assert_true(c > DART_TYPE_BASIC_END && s > DART_TYPE_BASIC_END && x > DART_TYPE_BASIC_END);
  assert_true(c != s && s != x && c != x);

  type = dart__type_find(c);
  assert_int_equal(type->kind, DART__TYPE_CUSTOM);
  assert_int_equal(type->base, c);
  assert_int_equal(type->elem_size, 24);
  assert_int_equal(type->elem_count, 1);
  assert_true(dart__type_is_contiguous(type));

  destroy(c); /* what is made of it does not need it */
  type = dart__type_find(s);
  assert_int_equal(type->kind, DART__TYPE_STRIDED);
  assert_int_equal(type->base, c);
  assert_int_equal(type->elem_size, 24);
  assert_int_equal(type->elem_count, 3);
  assert_int_equal(type->stride, 7);
  assert_false(dart__type_is_contiguous(type));

  len[0] = off[0] = 77; /* arrays are copied */
  type            = dart__type_find(x);
  assert_int_equal(type->kind, DART__TYPE_INDEXED);
  assert_int_equal(type->base, DART_TYPE_SHORT);
  assert_int_equal(type->elem_size, 2);
  assert_int_equal(type->elem_count, 5);
  assert_int_equal(type->block_count, 2);
  assert_int_equal(type->block_offset[0], 4);
  assert_int_equal(type->block_length[1], 3);
  assert_int_equal(type->extent, 9);
  assert_int_equal(type->end, 13);
  assert_false(dart__type_is_contiguous(type));
  destroy(s);
  destroy(x);
}

/* Every refusal: INVAL, result undefined, one line that names the value. */
#define EXPECT_REFUSED(call, words)              \
  do {                                           \
    type = 4711;                                 \
    EXPECT_ERROR(DART_ERR_INVAL, call, words);   \
    assert_int_equal(type, DART_TYPE_UNDEFINED); \
  } while (0)

static void bad_custom_types_are_refused(void **state)
{
  dart_datatype_t type;

  (void)state;
  EXPECT_REFUSED(dart_type_create_custom(0, &type), "num_bytes 0");
  EXPECT_REFUSED(dart_type_create_custom(OVER, &type), "num_bytes 2147483648");
  EXPECT_ERROR(DART_ERR_INVAL, dart_type_create_custom(4, NULL), "newtype is NULL");
  destroy(custom(1));
  destroy(custom(INT_MAX));
}

static void bad_strided_types_are_refused(void **state)
{
  dart_datatype_t type, s = strided(DART_TYPE_INT, 3, 2), gone = custom(3), dead = gone;

  (void)state;
  destroy(gone);
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_INT, 3, 0, &type), "blocklen 0");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_INT, 0, 1, &type), "stride 0");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_INT, 2, 3, &type), "stride 2");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_INT, OVER, 1, &type), "stride 2147483648");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_INT, OVER, OVER, &type), "blocklen 2147483648");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_UNDEFINED, 2, 1, &type),
                 "basetype DART_TYPE_UNDEFINED");
  EXPECT_REFUSED(dart_type_create_strided(DART_TYPE_LAST, 2, 1, &type), "basetype 12");
  EXPECT_REFUSED(dart_type_create_strided(-5, 2, 1, &type), "basetype -5");
  EXPECT_REFUSED(dart_type_create_strided(dead, 2, 1, &type), "is no data type");
  EXPECT_REFUSED(dart_type_create_strided(s, 2, 1, &type), "strided");
  EXPECT_ERROR(DART_ERR_INVAL, dart_type_create_strided(DART_TYPE_INT, 2, 1, NULL),
               "newtype is NULL");
  destroy(s);
  destroy(strided(DART_TYPE_INT, 1, 1));
  destroy(strided(DART_TYPE_INT, INT_MAX, INT_MAX));
}

static void bad_indexed_types_are_refused(void **state)
{
  size_t          len[] = { 1, 2 }, off[] = { 0, 5 }, none[] = { 0, 0 }, over[] = { 1, OVER };
  dart_datatype_t type, x = indexed(DART_TYPE_INT, 2, len, off);

  (void)state;
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 0, len, off, &type), "count 0");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, OVER, len, off, &type),
                 "count 2147483648");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, none, off, &type), "blocklen");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, over, off, &type), "blocklen[1]");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, len, over, &type),
                 "offset[1] is 2147483648");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, NULL, off, &type), "blocklen is NULL");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, len, NULL, &type), "offset is NULL");
  EXPECT_REFUSED(dart_type_create_indexed(DART_TYPE_UNDEFINED, 2, len, off, &type),
                 "basetype DART_TYPE_UNDEFINED");
  EXPECT_REFUSED(dart_type_create_indexed(x, 2, len, off, &type), "indexed");
  EXPECT_ERROR(DART_ERR_INVAL, dart_type_create_indexed(DART_TYPE_INT, 2, len, off, NULL),
               "newtype is NULL");
  destroy(x);
}

static void only_created_types_can_be_destroyed(void **state)
{
  dart_datatype_t values[] = { DART_TYPE_UNDEFINED, DART_TYPE_BYTE, DART_TYPE_LONG_DOUBLE,
                               DART_TYPE_LAST, -1 };
  dart_datatype_t type = custom(8), again = type;

  (void)state;
  EXPECT_ERROR(DART_ERR_INVAL, dart_type_destroy(NULL), "NULL");
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    dart_datatype_t value = values[i];
    char            words[64];

    if (dart__basic_type_name(value) != NULL)
      snprintf(words, sizeof words, "dart_type %s is", dart__basic_type_name(value));
    else
      snprintf(words, sizeof words, "dart_type %ld is", (long)value);
    EXPECT_ERROR(DART_ERR_INVAL, dart_type_destroy(&value), words);
    assert_int_equal(value, values[i]);
  }
  destroy(type);
  EXPECT_ERROR(DART_ERR_INVAL, dart_type_destroy(&again), "no type that a program made");
}

static void a_destroyed_type_is_not_found_again(void **state)
{
  dart_datatype_t stale = custom(8);
  dart_datatype_t other = custom(16);
  dart_datatype_t first;

  (void)state;
  destroy(stale);
  for (int i = 0; i < 1000; i++) { /* slots are used again and again */
    dart_datatype_t type = custom(24);

    assert_true(type != stale && type != other);
    assert_null(dart__type_find(stale));
    destroy(type);
    assert_null(dart__type_find(type));
  }
  assert_int_equal(dart__type_find(other)->elem_size, 16);

  dart__type_clear();
  assert_null(dart__type_find(other));
  first = custom(4); /* in the first slot once more */
  assert_true(first != stale && first != other);
  assert_null(dart__type_find(stale));
  assert_null(dart__type_find(other));
  destroy(first);
}

static void a_type_destroyed_in_use_keeps_its_description(void **state)
{
  size_t              len[] = { 1, 2 }, off[] = { 8, 1 };
  dart_datatype_t     x    = indexed(DART_TYPE_INT, 2, len, off);
  const dart__type_t *type = dart__type_find(x);

  (void)state;
  destroy(x);
  for (int i = 0; i < 10; i++)
    destroy(indexed(DART_TYPE_BYTE, 2, off, len));
  assert_int_equal(type->elem_size, 4);
  assert_int_equal(type->block_offset[0], 8);
  assert_int_equal(type->block_length[1], 2);
}

static void a_full_table_is_an_error_and_recovers(void **state)
{
  static dart_datatype_t types[DART__HANDLE_SLOTS];
  dart_datatype_t        type = 4711;
  size_t                 len = 1, off = 0;

  (void)state;
  dart__type_clear();
  for (size_t i = 0; i < DART__HANDLE_SLOTS; i++)
    types[i] = custom(i + 1);
  EXPECT_ERROR(DART_ERR_NOMEM, dart_type_create_custom(1, &type), "65536");
  assert_int_equal(type, DART_TYPE_UNDEFINED);
  EXPECT_ERROR(DART_ERR_NOMEM, dart_type_create_strided(DART_TYPE_INT, 1, 1, &type), "65536");
  EXPECT_ERROR(DART_ERR_NOMEM, dart_type_create_indexed(DART_TYPE_INT, 1, &len, &off, &type),
               "65536");
  for (size_t i = 0; i < DART__HANDLE_SLOTS; i++)
    assert_int_equal(dart__type_find(types[i])->elem_size, i + 1);
  destroy(types[1000]);
  types[1000] = custom(7);
  assert_int_equal(dart__type_find(types[1000])->elem_size, 7);
  dart__type_clear();
}

static size_t span(dart_datatype_t type, size_t nelem)
{
  return dart__type_span(dart__type_find(type), nelem);
}

static void spans_end_with_the_last_byte(void **state)
{
  size_t          len[] = { 2, 3 }, off[] = { 4, 10 };
  dart_datatype_t s = strided(DART_TYPE_INT, 5, 2), x = indexed(DART_TYPE_INT, 2, len, off);
  dart_datatype_t c = custom(24);

  (void)state;
  assert_int_equal(span(DART_TYPE_DOUBLE, 0), 0);
  assert_int_equal(span(DART_TYPE_DOUBLE, 3), 24);
  assert_int_equal(span(c, 3), 72);
  assert_int_equal(span(s, 0), 0);
  assert_int_equal(span(s, 2), 8);
  assert_int_equal(span(s, 4), 28);
  assert_int_equal(span(s, 6), 48);
  assert_int_equal(span(x, 0), 0);
  assert_int_equal(span(x, 5), 13 * 4);
  assert_int_equal(span(x, 10), 22 * 4);
  destroy(s);
  destroy(x);
  destroy(c);
}

static void spans_that_do_not_fit_say_so(void **state)
{
  size_t          len[] = { 1 }, off[] = { INT_MAX };
  dart_datatype_t s = strided(DART_TYPE_BYTE, 1 << 20, 1), c = custom(INT_MAX);
  dart_datatype_t x = indexed(DART_TYPE_BYTE, 1, len, off);
  dart_datatype_t w = strided(DART_TYPE_DOUBLE, 2, 2);

  (void)state;
  assert_true(span(DART_TYPE_BYTE, SIZE_MAX - 1) == SIZE_MAX - 1);
  assert_true(span(DART_TYPE_SHORT, SIZE_MAX / 2 + 1) == SIZE_MAX);
  assert_true(span(c, SIZE_MAX / INT_MAX + 1) == SIZE_MAX);
  assert_true(span(s, (size_t)1 << 43) == ((((size_t)1 << 43) - 1) << 20) + 1);
  assert_true(span(s, (size_t)1 << 45) == SIZE_MAX);
  assert_true(span(s, SIZE_MAX) == SIZE_MAX);
  assert_true(span(w, SIZE_MAX - 1) == SIZE_MAX);
  assert_true(span(x, SIZE_MAX - 10) == SIZE_MAX);
  destroy(s);
  destroy(c);
  destroy(x);
  destroy(w);
}

static bool go_together(dart_datatype_t a, dart_datatype_t b, size_t nelem)
{
  bool forth = dart__type_compatible(dart__type_find(a), dart__type_find(b), nelem);

  assert_int_equal(dart__type_compatible(dart__type_find(b), dart__type_find(a), nelem), forth);
  return forth;
}

static void only_equal_base_types_go_together(void **state)
{
  dart_datatype_t c12 = custom(12), d12 = custom(12), c4 = custom(4), c1 = custom(1);
  dart_datatype_t s12 = strided(c12, 3, 1), s4 = strided(c4, 3, 1);
  dart_datatype_t si = strided(DART_TYPE_INT, 3, 1), sb = strided(DART_TYPE_BYTE, 3, 1);

  (void)state;
  TEST_FOR_TYPES(a)
  TEST_FOR_TYPES(b)
  assert_int_equal(go_together(a->type, b->type, 7), a == b);
  assert_true(go_together(c12, c12, 7));
  assert_true(go_together(c12, d12, 7));
  assert_false(go_together(c12, c4, 7));
  assert_false(go_together(c4, DART_TYPE_BYTE, 7));
  assert_false(go_together(c4, DART_TYPE_INT, 7)); /* custom stands for bytes, not for numbers */
  assert_true(go_together(c1, DART_TYPE_BYTE, 7));
  assert_true(go_together(s12, c12, 7));
  assert_true(go_together(s12, d12, 7));
  assert_false(go_together(s12, c4, 7));
  assert_false(go_together(s12, s4, 7));
  assert_false(go_together(s4, si, 7));
  assert_true(go_together(si, DART_TYPE_INT, 7));
  assert_false(go_together(si, DART_TYPE_UINT, 7));
  assert_true(go_together(sb, c1, 7));
  destroy(c12);
  assert_true(go_together(s12, d12, 7)); /* its base is gone, its size is not */
  destroy(d12), destroy(c4), destroy(c1), destroy(s12), destroy(s4), destroy(si), destroy(sb);
}

static void only_whole_instances_go_together(void **state)
{
  size_t          len[] = { 1, 2 }, off[] = { 0, 5 };
  dart_datatype_t s = strided(DART_TYPE_INT, 5, 2), x = indexed(DART_TYPE_INT, 2, len, off);

  (void)state;
  for (size_t n = 0; n <= 24; n++) {
    assert_int_equal(go_together(s, DART_TYPE_INT, n), n % 2 == 0);
    assert_int_equal(go_together(x, DART_TYPE_INT, n), n % 3 == 0);
    assert_int_equal(go_together(s, x, n), n % 6 == 0);
    assert_true(go_together(DART_TYPE_INT, DART_TYPE_INT, n));
  }
  destroy(s);
  destroy(x);
}

static void runs_cover_all_elements_in_order(void **state)
{
  static const size_t want[] = { 4, 5, 10, 11, 12, 13, 14, 19, 20, 21 };
  size_t              len[] = { 2, 0, 3 }, off[] = { 4, 0, 10 }, position, elem;
  dart_datatype_t     s = strided(DART_TYPE_INT, 5, 3), x = indexed(DART_TYPE_INT, 3, len, off);

  (void)state;
  for (elem = 0; elem < 30; elem++) {
    assert_int_equal(dart__type_run(dart__type_find(s), elem, &position), 3 - elem % 3);
    assert_int_equal(position, elem / 3 * 5 + elem % 3);
    assert_true(dart__type_run(dart__type_find(DART_TYPE_INT), elem, &position) >= 30 - elem);
    assert_int_equal(position, elem);
  }
  for (elem = 0; elem < 10; elem++) {
    size_t run = dart__type_run(dart__type_find(x), elem, &position);

    assert_int_equal(run, elem % 5 < 2 ? 2 - elem % 5 : 5 - elem % 5);
    for (size_t i = 0; i < run; i++)
      assert_int_equal(position + i, want[elem + i]);
  }
  destroy(s);
  destroy(x);
}

/* Three threads make, look up and destroy types of their own, and look up one of all. */
enum { THREADS = 3, ROUNDS = 1000, ALIVE = 100 };

static void *make_and_destroy(void *common)
{
  dart_datatype_t shared = *(dart_datatype_t *)common;
  dart_datatype_t mine[ALIVE];

  for (size_t round = 0; round < ROUNDS; round++) {
    size_t slot = round % ALIVE;

    if (round >= ALIVE) {
      dart_datatype_t stale = mine[slot];

      if (dart__type_find(stale)->elem_size != round - ALIVE + 1 ||
          dart_type_destroy(&mine[slot]) != DART_OK || dart__type_find(stale) != NULL)
        return "a type was lost, or is found after it was destroyed";
    }
    if (dart_type_create_custom(round + 1, &mine[slot]) != DART_OK)
      return "no type";
    if (dart__type_find(mine[slot])->elem_size != round + 1 ||
        dart__type_find(shared)->elem_size != 4242)
      return "wrong type";
  }
  for (size_t slot = 0; slot < ALIVE; slot++)
    if (dart_type_destroy(&mine[slot]) != DART_OK)
      return "a type was lost at the end";
  return NULL;
}

static void threads_make_and_destroy_types_at_once(void **state)
{
  dart_datatype_t shared = custom(4242);
  pthread_t       thread[THREADS];
  void           *complaint;

  (void)state;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, make_and_destroy, &shared), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(thread[i], &complaint), 0);
    if (complaint != NULL)
      fail_msg("%s", (const char *)complaint);
  }
  destroy(shared);
}

/* The table alone hands over what a handle stands for: the handle itself passes without order, so
 * under ThreadSanitizer a missing release or acquire of the table is a race. */
static void *describe_types(void *argument)
{
  _Atomic(dart_datatype_t) *passed = argument;
  size_t                    wrong  = 0;

  for (size_t i = 1; i <= ROUNDS; i++) {
    dart_datatype_t type;

    while ((type = atomic_load_explicit(passed, memory_order_relaxed)) == DART_TYPE_UNDEFINED)
      sched_yield();
    wrong += dart__type_find(type)->elem_size != i;
    atomic_store_explicit(passed, DART_TYPE_UNDEFINED, memory_order_relaxed);
  }
  return wrong > 0 ? "wrong type" : NULL;
}

static void a_type_is_complete_for_whoever_finds_it(void **state)
{
  static dart_datatype_t   types[ROUNDS];
  _Atomic(dart_datatype_t) passed = DART_TYPE_UNDEFINED;
  pthread_t                reader;
  void                    *complaint;

  (void)state;
  dart__type_clear(); /* blocks of the table are new, too */
  assert_int_equal(pthread_create(&reader, NULL, describe_types, &passed), 0);
  for (size_t i = 0; i < ROUNDS; i++) {
    types[i] = custom(i + 1);
    atomic_store_explicit(&passed, types[i], memory_order_relaxed);
    while (atomic_load_explicit(&passed, memory_order_relaxed) != DART_TYPE_UNDEFINED)
      sched_yield();
  }
  assert_int_equal(pthread_join(reader, &complaint), 0);
  assert_null(complaint);
  for (size_t i = 0; i < ROUNDS; i++)
    destroy(types[i]);
}

static int clear(void **state)
{
  (void)state;
  dart__type_clear();
  return 0;
}

/* Copies share the blocks, which go with the last of them. */
static void copies_outlive_their_type(void **state)
{
  static const size_t length[] = { 2, 1, 3 }, offset[] = { 9, 0, 4 };
  dart_datatype_t     type, again;
  dart__type_t        copy, second;
  size_t              at;

  (void)state;
  assert_int_equal(dart_type_create_indexed(DART_TYPE_INT, 3, length, offset, &type), DART_OK);
  assert_int_equal(dart_type_create_indexed(DART_TYPE_INT, 3, length, offset, &again), DART_OK);
  assert_true(dart__type_copy(dart__type_find(type), &copy));
  assert_true(dart__type_copy(&copy, &second));
  assert_int_equal(dart_type_destroy(&type), DART_OK);
  dart__type_forget(&copy);
  assert_int_equal(dart__type_run(&second, 3, &at), 3);
  assert_int_equal(at, 4);
  assert_true(dart__type_is_like(&second, dart__type_find(again)));
  assert_false(dart__type_is_like(&second, dart__type_find(DART_TYPE_INT)));
  dart__type_forget(&second);
  assert_int_equal(dart_type_destroy(&again), DART_OK);
}

/* What is read from a description lies as the type does. */
static void descriptions_say_how_elements_lie(void **state)
{
  static const size_t length[] = { 2, 1, 3 }, offset[] = { 9, 0, 4 };
  static size_t       ones[DART__TYPE_BLOCKS_MOST + 1], steps[DART__TYPE_BLOCKS_MOST + 1];
  dart_datatype_t     types[4], custom;
  dart__type_t        copy;

  (void)state;
  for (size_t i = 0; i <= DART__TYPE_BLOCKS_MOST; i++) {
    ones[i]  = 1;
    steps[i] = 2 * i;
  }
  assert_int_equal(dart_type_create_strided(DART_TYPE_LONG, 7, 3, &types[0]), DART_OK);
  assert_int_equal(dart_type_create_indexed(DART_TYPE_SHORT, 3, length, offset, &types[1]),
                   DART_OK);
  assert_int_equal(
      dart_type_create_indexed(DART_TYPE_INT, DART__TYPE_BLOCKS_MOST, ones, steps, &types[2]),
      DART_OK);
  assert_int_equal(
      dart_type_create_indexed(DART_TYPE_INT, DART__TYPE_BLOCKS_MOST + 1, ones, steps, &types[3]),
      DART_OK);
  assert_int_equal(dart_type_create_custom(DART__TYPE_ELEMENT_MOST + 1, &custom), DART_OK);
  for (int i = 0; i < 3; i++) {
    const dart__type_t *type = dart__type_find(types[i]), *read;
    dart__type_room_t   room;
    uint64_t            words[DART__TYPE_WORDS_MOST];
    size_t              a, b;

    assert_true(dart__type_words(type) > 0 && dart__type_words(type) <= DART__TYPE_WORDS_MOST);
    dart__type_describe(type, words);
    read = dart__type_read(words, &room);
    assert_true(dart__type_is_like(type, read));
    assert_true(dart__type_copy(read, &copy));
    for (size_t k = 0; k < 3 * type->elem_count; k++) {
      assert_int_equal(dart__type_run(&copy, k, &a), dart__type_run(type, k, &b));
      assert_int_equal(a, b);
    }
    assert_int_equal(dart__type_span(&copy, 50), dart__type_span(type, 50));
    dart__type_forget(&copy);
  }
  assert_int_equal(dart__type_words(dart__type_find(types[3])), 0);
  assert_int_equal(dart__type_words(dart__type_find(custom)), 0);
  for (int i = 0; i < 4; i++)
    assert_int_equal(dart_type_destroy(&types[i]), DART_OK);
  assert_int_equal(dart_type_destroy(&custom), DART_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(basic_types_have_their_sizes),
                                      cmocka_unit_test(no_value_but_a_type_is_found),
                                      cmocka_unit_test(created_types_are_described),
                                      cmocka_unit_test(bad_custom_types_are_refused),
                                      cmocka_unit_test(bad_strided_types_are_refused),
                                      cmocka_unit_test(bad_indexed_types_are_refused),
                                      cmocka_unit_test(only_created_types_can_be_destroyed),
                                      cmocka_unit_test(a_destroyed_type_is_not_found_again),
                                      cmocka_unit_test(
                                          a_type_destroyed_in_use_keeps_its_description),
                                      cmocka_unit_test(a_full_table_is_an_error_and_recovers),
                                      cmocka_unit_test(copies_outlive_their_type),
                                      cmocka_unit_test(descriptions_say_how_elements_lie),
                                      cmocka_unit_test(spans_end_with_the_last_byte),
                                      cmocka_unit_test(spans_that_do_not_fit_say_so),
                                      cmocka_unit_test(only_equal_base_types_go_together),
                                      cmocka_unit_test(only_whole_instances_go_together),
                                      cmocka_unit_test(runs_cover_all_elements_in_order),
                                      cmocka_unit_test(threads_make_and_destroy_types_at_once),
                                      cmocka_unit_test(a_type_is_complete_for_whoever_finds_it) };

  return cmocka_run_group_tests_name("types", tests, NULL, clear);
}
