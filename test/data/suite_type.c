/* Data types: statements H70 to H79.
 *
 * The reference is the contract's table of where element k of a layout lies: every test of a
 * transfer walks over it, element by element, and expects all other bytes untouched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>

#include "dart_test.h"

SUITE(type);

/* The numbers are promised: programs and libraries are built apart. */
_Static_assert(DART_TYPE_INT8 == 13 && DART_TYPE_UINT8 == 14 && DART_TYPE_UINT16 == 15 &&
                   DART_TYPE_BOOL == 16 && DART_TYPE_FLOAT_COMPLEX == 17 &&
                   DART_TYPE_DOUBLE_COMPLEX == 18 && DART_TYPE_BASIC_END == 19,
               "types of their own");
_Static_assert(_Generic((int16_t)0, short
                        : DART_TYPE_SHORT) == DART_TYPE_INT16 &&
                   _Generic((int32_t)0, int
                            : DART_TYPE_INT) == DART_TYPE_INT32 &&
                   _Generic((uint32_t)0, unsigned
                            : DART_TYPE_UINT) == DART_TYPE_UINT32,
               "names of older types");
_Static_assert(_Generic((int64_t)0, long
                        : DART_TYPE_LONG, long long
                        : DART_TYPE_LONGLONG) == DART_TYPE_INT64 &&
                   _Generic((uint64_t)0, unsigned long
                            : DART_TYPE_ULONG, unsigned long long
                            : DART_TYPE_ULONGLONG) == DART_TYPE_UINT64,
               "names of older types of 64 bits");

static int right_by(int distance)
{
  return (me + distance) % n;
}

static int left_by(int distance)
{
  return (me + n - distance) % n;
}

/* ---- Layouts --------------------------------------------------------------------------------- */

enum { BLOCKS_MAX = 4 };

typedef struct layout {
  const char *name;
  enum { CONTIGUOUS, STRIDED, INDEXED } kind;
  size_t stride, blocklen;                        /* STRIDED */
  size_t count, len[BLOCKS_MAX], off[BLOCKS_MAX]; /* INDEXED */
} layout_t;

static const layout_t layouts[] = {
  { .name = "contiguous", .kind = CONTIGUOUS },
  { .name = "strided 1 1", .kind = STRIDED, .stride = 1, .blocklen = 1 },
  { .name = "strided 2 1", .kind = STRIDED, .stride = 2, .blocklen = 1 },
  { .name = "strided 3 1", .kind = STRIDED, .stride = 3, .blocklen = 1 },
  { .name = "strided 4 1", .kind = STRIDED, .stride = 4, .blocklen = 1 },
  { .name = "strided 5 1", .kind = STRIDED, .stride = 5, .blocklen = 1 },
  { .name = "strided 5 2", .kind = STRIDED, .stride = 5, .blocklen = 2 },
  { .name = "strided 4 4", .kind = STRIDED, .stride = 4, .blocklen = 4 },
  { .name  = "indexed i+1 at 10i",
    .kind  = INDEXED,
    .count = 3,
    .len   = { 1, 2, 3 },
    .off   = { 0, 10, 20 } },
  { .name  = "indexed 2 at 4, 3 at 10, none, 1 at 0",
    .kind  = INDEXED,
    .count = 4,
    .len   = { 2, 3, 0, 1 },
    .off   = { 4, 10, 50, 0 } },
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts, NELEM = 60 }; /* of every layout's instances */

static dart_datatype_t create(const layout_t *layout, dart_datatype_t base)
{
  dart_datatype_t type = base;

  if (layout->kind == STRIDED)
    EXPECT_OK(dart_type_create_strided(base, layout->stride, layout->blocklen, &type));
  if (layout->kind == INDEXED)
    EXPECT_OK(dart_type_create_indexed(base, layout->count, layout->len, layout->off, &type));
  return type;
}

static void destroy(const layout_t *layout, dart_datatype_t *type)
{
  if (layout->kind == CONTIGUOUS)
    return;
  EXPECT_OK(dart_type_destroy(type));
  EXPECT_EQ(*type, DART_TYPE_UNDEFINED);
}

/* Contract, section 1.7. */
static size_t position(const layout_t *layout, size_t k)
{
  size_t instance = 0, first = SIZE_MAX, end = 0, at;

  switch (layout->kind) {
  case CONTIGUOUS: return k;
  case STRIDED: return k / layout->blocklen * layout->stride + k % layout->blocklen;
  case INDEXED: break;
  }
  for (size_t i = 0; i < layout->count; i++) {
    if (layout->len[i] == 0)
      continue;
    instance += layout->len[i];
    first = layout->off[i] < first ? layout->off[i] : first;
    end   = layout->off[i] + layout->len[i] > end ? layout->off[i] + layout->len[i] : end;
  }
  at = k / instance * (end - first);
  k %= instance;
  for (size_t i = 0; i < layout->count; i++) {
    if (k < layout->len[i])
      return at + layout->off[i] + k;
    k -= layout->len[i];
  }
  return SIZE_MAX;
}

/* ---- Transfers between layouts --------------------------------------------------------------- */

enum { SPAN = 1024 }; /* elements of a buffer: beyond the last position of any layout */

static void number(int *buffer, int first)
{
  for (int i = 0; i < SPAN; i++)
    buffer[i] = first + i;
}

/* Elements of `to` come from `from`, which was numbered from `first`; the rest of it is -1. */
static int count_wrong(const int *buffer, const layout_t *to, const layout_t *from, int first,
                       size_t nelem)
{
  int *expected = malloc(SPAN * sizeof *expected), wrong = 0;

  memset(expected, 0xff, SPAN * sizeof *expected);
  for (size_t k = 0; k < nelem; k++)
    expected[position(to, k)] = first + (int)position(from, k);
  for (int i = 0; i < SPAN; i++)
    wrong += buffer[i] != expected[i];
  free(expected);
  return wrong;
}

enum { PLAIN, BLOCKING, HANDLE, WAYS };

static void put(int way, dart_gptr_t at, const int *source, dart_datatype_t from,
                dart_datatype_t to)
{
  dart_handle_t handle = DART_HANDLE_NULL;

  switch (way) {
  case PLAIN: EXPECT_OK(dart_put(at, source, NELEM, from, to)); break;
  case BLOCKING: EXPECT_OK(dart_put_blocking(at, source, NELEM, from, to)); break;
  case HANDLE: EXPECT_OK(dart_put_handle(at, source, NELEM, from, to, &handle)); break;
  }
  EXPECT_OK(way == PLAIN ? dart_flush(at) : dart_wait(&handle));
}

static void get(int way, dart_gptr_t at, int *sink, dart_datatype_t from, dart_datatype_t to)
{
  dart_handle_t handle = DART_HANDLE_NULL;

  switch (way) {
  case PLAIN: EXPECT_OK(dart_get(sink, at, NELEM, from, to)); break;
  case BLOCKING: EXPECT_OK(dart_get_blocking(sink, at, NELEM, from, to)); break;
  case HANDLE: EXPECT_OK(dart_get_handle(sink, at, NELEM, from, to, &handle)); break;
  }
  EXPECT_OK(way == PLAIN ? dart_flush_local(at) : dart_wait_local(&handle));
}

TEST(any_two_layouts_exchange) /* H70 H71 H72 */
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, SPAN * sizeof(int), 0);
  int        *mine = (int *)test_mine(segment), *buffer = malloc(SPAN * sizeof *buffer), round = 0;

  for (int a = 0; a < LAYOUTS; a++) {
    for (int b = 0; b < LAYOUTS; b++, round++) {
      dart_datatype_t from     = create(&layouts[a], DART_TYPE_INT);
      dart_datatype_t to       = create(&layouts[b], DART_TYPE_INT);
      int             distance = round % n, way = round % WAYS;
      dart_gptr_t     at = test_unit(segment, right_by(distance));

      test_note("%s to %s, way %d, distance %d", layouts[a].name, layouts[b].name, way, distance);
      memset(mine, 0xff, SPAN * sizeof *mine);
      number(buffer, 10000 * me);
      test_barrier();
      put(way, at, buffer, from, to);
      test_barrier();
      EXPECT_EQ(count_wrong(mine, &layouts[b], &layouts[a], 10000 * left_by(distance), NELEM), 0);
      test_barrier();

      number(mine, 10000 * me);
      memset(buffer, 0xff, SPAN * sizeof *buffer);
      test_barrier();
      get(way, at, buffer, from, to);
      EXPECT_EQ(count_wrong(buffer, &layouts[b], &layouts[a], 10000 * right_by(distance), NELEM),
                0);
      test_barrier();
      destroy(&layouts[a], &from);
      destroy(&layouts[b], &to);
    }
  }
  free(buffer);
}

TEST(every_base_type_can_be_strided) /* H70 */
{
  enum { COUNT = 20, STRIDE = 3 };
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, COUNT * STRIDE * TEST_TYPE_SIZE_MAX, 0);

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type = &test_types[t];
    dart_datatype_t    strided;
    _Alignas(16) char  values[COUNT * TEST_TYPE_SIZE_MAX];

    EXPECT_OK(dart_type_create_strided(type->id, STRIDE, 1, &strided));
    EXPECT_TRUE(strided < 0 || strided > DART_TYPE_BASIC_END);
    for (size_t i = 0; i < COUNT; i++)
      test_store(type, values, i, test_operand(type, DART_OP_SUM, me, i));
    for (size_t i = 0; i < COUNT * STRIDE; i++)
      test_store(type, test_mine(segment), i, 99);
    test_barrier();
    EXPECT_OK(dart_put_blocking(test_unit(segment, right_by(t)), values, COUNT, type->id, strided));
    test_barrier();
    test_note("%s", type->name);
    for (size_t i = 0; i < COUNT * STRIDE; i++)
      EXPECT_EQ(test_load(type, test_mine(segment), i),
                i % STRIDE != 0 ? 99 : test_operand(type, DART_OP_SUM, left_by(t % n), i / STRIDE));
    test_barrier();
    EXPECT_OK(dart_type_destroy(&strided));
  }
}

TEST(instances_follow_at_the_extent) /* H73 */
{
  const size_t    len[] = { 2, 3 }, off[] = { 4, 10 };
  const int       expected[] = { 4, 5, 10, 11, 12, 13, 14, 19, 20, 21 };
  dart_gptr_t     segment    = test_segment(DART_TEAM_ALL, 64 * sizeof(int), 0);
  int            *mine       = (int *)test_mine(segment), got[10];
  dart_datatype_t type;

  for (int i = 0; i < 64; i++)
    mine[i] = 1000 * me + i;
  test_barrier();
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 2, len, off, &type));
  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_get_blocking(got, test_unit(segment, unit), 10, type, DART_TYPE_INT));
    for (int i = 0; i < 10; i++)
      EXPECT_EQ(got[i], 1000 * unit + expected[i]);
  }
  EXPECT_OK(dart_type_destroy(&type));
}

TEST(arrays_of_an_indexed_type_are_copied)
{
  size_t          len[] = { 1, 1 }, off[] = { 3, 1 }; /* not ascending */
  dart_gptr_t     segment = test_segment(DART_TEAM_ALL, 8 * sizeof(int), 0);
  int             got[2];
  dart_datatype_t type;

  for (int i = 0; i < 8; i++)
    ((int *)test_mine(segment))[i] = 10 * me + i;
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 2, len, off, &type));
  len[0] = off[0] = len[1] = off[1] = 999;
  test_barrier();
  EXPECT_OK(dart_get_blocking(got, test_unit(segment, right_by(1)), 2, type, DART_TYPE_INT));
  EXPECT_EQ(got[0], 10 * right_by(1) + 3);
  EXPECT_EQ(got[1], 10 * right_by(1) + 1);
  EXPECT_OK(dart_type_destroy(&type));
}

TEST(custom_types_move_their_bytes) /* H75 */
{
  enum { ELEMS = 5, LARGEST = 4096, GUARD = 32 };
  const size_t   sizes[] = { 1, 3, 24, LARGEST };
  dart_gptr_t    segment = test_segment(DART_TEAM_ALL, ELEMS * LARGEST + 2 * GUARD, 0);
  unsigned char *mine    = (unsigned char *)test_mine(segment);
  unsigned char *buffer = malloc(ELEMS * LARGEST), *expected = malloc(ELEMS * LARGEST);

  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    size_t          nbytes = ELEMS * sizes[s];
    dart_datatype_t type;
    dart_gptr_t     at = test_byte(test_unit(segment, right_by((int)s)), GUARD);

    test_note("%zu bytes", sizes[s]);
    memset(mine, 0x5a, ELEMS * LARGEST + 2 * GUARD);
    test_fill(buffer, me, (int)s, nbytes);
    test_fill(expected, left_by((int)s % n), (int)s, nbytes);
    test_barrier();
    EXPECT_OK(dart_type_create_custom(sizes[s], &type));
    EXPECT_OK(dart_put_blocking(at, buffer, ELEMS, type, type));
    test_barrier();
    EXPECT_FILLED(mine, 0x5a, GUARD);
    EXPECT_BYTES(mine + GUARD, expected, nbytes);
    EXPECT_FILLED(mine + GUARD + nbytes, 0x5a, GUARD);
    memset(buffer, 0, nbytes);
    test_fill(expected, me, (int)s, nbytes);
    EXPECT_OK(dart_get_blocking(buffer, at, ELEMS, type, type));
    EXPECT_BYTES(buffer, expected, nbytes);
    test_barrier();
    EXPECT_OK(dart_type_destroy(&type));
  }
  free(buffer);
  free(expected);
}

TEST(custom_types_can_be_strided) /* H76 */
{
  enum { SIZE = 12, ELEMS = 6, STRIDE = 2 };
  dart_gptr_t     segment = test_segment(DART_TEAM_ALL, SIZE * ELEMS * STRIDE, 0x5a);
  unsigned char   buffer[SIZE * ELEMS], expected[SIZE * ELEMS];
  unsigned char  *mine = (unsigned char *)test_mine(segment);
  dart_datatype_t custom, strided, same;

  EXPECT_OK(dart_type_create_custom(SIZE, &custom));
  EXPECT_OK(dart_type_create_custom(SIZE, &same));
  EXPECT_OK(dart_type_create_strided(custom, STRIDE, 1, &strided));
  test_fill(buffer, me, 0, sizeof buffer);
  test_fill(expected, left_by(1 % n), 0, sizeof expected);
  EXPECT_OK(dart_put_blocking(test_unit(segment, right_by(1)), buffer, ELEMS, custom, strided));
  test_barrier();
  for (size_t i = 0; i < ELEMS; i++) {
    EXPECT_BYTES(mine + i * STRIDE * SIZE, expected + i * SIZE, SIZE);
    EXPECT_FILLED(mine + (i * STRIDE + 1) * SIZE, 0x5a, SIZE);
  }
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&same));
  EXPECT_OK(dart_type_destroy(&custom));
}

TEST(a_type_may_go_before_its_transfer_is_done) /* H78 */
{
  enum { COUNT = 5000 };
  dart_gptr_t     segment = test_segment(DART_TEAM_ALL, 2 * COUNT * sizeof(int), 0);
  int            *mine = (int *)test_mine(segment), *got = malloc(COUNT * sizeof *got), wrong = 0;
  dart_datatype_t type;

  for (int i = 0; i < 2 * COUNT; i++)
    mine[i] = 100000 * me + i;
  test_barrier();
  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &type));
    EXPECT_OK(dart_get(got, test_unit(segment, unit), COUNT, type, DART_TYPE_INT));
    EXPECT_OK(dart_type_destroy(&type));
    EXPECT_OK(dart_flush_local(test_unit(segment, unit)));
    for (int i = 0; i < COUNT; i++)
      wrong += got[i] != 100000 * unit + 2 * i;
    EXPECT_EQ(wrong, 0);
  }
  free(got);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

TEST(what_does_not_fit_together_is_refused) /* H74 H76: no byte is moved */
{
  dart_datatype_t strided, pairs, longs, indexed, custom4, custom8;
  dart_gptr_t     segment = test_segment(DART_TEAM_ALL, 1024, 0x5a);
  dart_gptr_t     at      = test_unit(segment, right_by(1));
  char            buffer[1024];

  memset(buffer, 0x11, sizeof buffer);
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 5, 2, &pairs));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &longs));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 2, (size_t[]){ 2, 3 }, (size_t[]){ 4, 10 },
                                     &indexed));
  EXPECT_OK(dart_type_create_custom(4, &custom4));
  EXPECT_OK(dart_type_create_custom(8, &custom8));
  {
    const struct {
      size_t          nelem;
      dart_datatype_t one, other;
    } wrong[] = {
      { 3, pairs, DART_TYPE_INT },
      { 3, pairs, strided },
      { 4, indexed, strided },
      { 12, indexed, DART_TYPE_INT },
      { 5, indexed, pairs },
      { 4, strided, DART_TYPE_UINT },
      { 4, strided, DART_TYPE_BYTE },
      { 4, strided, longs },
      { 4, longs, DART_TYPE_LONGLONG },
      { 4, custom4, DART_TYPE_BYTE },
      { 4, custom4, DART_TYPE_INT },
      { 4, custom4, custom8 },
      { 4, custom4, strided },
      { 4, custom8, DART_TYPE_LONG },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      test_note("row %zu", i);
      EXPECT_INVAL(dart_put_blocking(at, buffer, wrong[i].nelem, wrong[i].one, wrong[i].other));
      EXPECT_INVAL(dart_put(at, buffer, wrong[i].nelem, wrong[i].other, wrong[i].one));
      EXPECT_INVAL(dart_get_blocking(buffer, at, wrong[i].nelem, wrong[i].one, wrong[i].other));
      EXPECT_INVAL(dart_get(buffer, at, wrong[i].nelem, wrong[i].other, wrong[i].one));
    }
  }
  test_note("past the end");
  EXPECT_OK(dart_put_blocking(test_byte(at, 1024 - 4), buffer, 1, DART_TYPE_INT, strided));
  EXPECT_INVAL(dart_put_blocking(test_byte(at, 1024 - 8), buffer, 2, DART_TYPE_INT, strided));
  EXPECT_INVAL(dart_put_blocking(at, buffer, SIZE_MAX / 8, DART_TYPE_INT, strided));
  EXPECT_INVAL(dart_put_blocking(at, buffer, SIZE_MAX / 4, DART_TYPE_INT, strided));

  test_note("atomics");
  EXPECT_INVAL(dart_accumulate(at, buffer, 2, strided, DART_OP_SUM)); /* K115 */
  EXPECT_INVAL(dart_accumulate(at, buffer, 2, custom4, DART_OP_REPLACE));
  EXPECT_INVAL(dart_fetch_and_op(at, buffer, buffer + 64, custom4, DART_OP_REPLACE));
  EXPECT_INVAL(dart_compare_and_swap(at, buffer, buffer, buffer + 64, custom4));

  test_note("allocation");
  EXPECT_INVAL(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, strided, &segment)); /* E47 */
  EXPECT_INVAL(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, custom4, &segment));
  EXPECT_INVAL(dart_memalloc(4, strided, &segment));

  test_note("collectives"); /* L128 */
  EXPECT_INVAL(dart_bcast(buffer, 4, strided, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgather(buffer, buffer, 4, indexed, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allreduce(buffer, buffer, 4, strided, DART_OP_SUM, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allreduce(buffer, buffer, 4, custom4, DART_OP_SUM, DART_TEAM_ALL));

  test_note("afterwards");
  test_barrier();
  EXPECT_FILLED(buffer, 0x11, sizeof buffer);
  EXPECT_FILLED(test_mine(at), 0x5a, 1020);
  EXPECT_FILLED((char *)test_mine(at) + 1020, 0x11, 4);
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&pairs));
  EXPECT_OK(dart_type_destroy(&longs));
  EXPECT_OK(dart_type_destroy(&indexed));
  EXPECT_OK(dart_type_destroy(&custom4));
  EXPECT_OK(dart_type_destroy(&custom8));
}

static void expect_text(const char *got, const char *expected)
{
  test_note("'%s', expected '%s'", got, expected);
  EXPECT_TRUE(strcmp(got, expected) == 0);
}

static void first(const void *in, void *inout, size_t n, void *data)
{
  (void)data;
  memcpy(inout, in, n * sizeof(int));
}

TEST(types_and_operators_have_names)
{
  const size_t     zero = 0, one = 1;
  dart_datatype_t  custom, strided, indexed;
  dart_operation_t op;

  expect_text(dart_type_name(DART_TYPE_UNDEFINED), "DART_TYPE_UNDEFINED");
  expect_text(dart_type_name(DART_TYPE_BYTE), "DART_TYPE_BYTE");
  expect_text(dart_type_name(DART_TYPE_INT32), "DART_TYPE_INT");
  expect_text(dart_type_name(DART_TYPE_DOUBLE_COMPLEX), "DART_TYPE_DOUBLE_COMPLEX");
  expect_text(dart_type_name(DART_TYPE_LAST), "no type");
  expect_text(dart_type_name(DART_TYPE_BASIC_END), "no type");
  expect_text(dart_type_name(-1), "no type");
  EXPECT_OK(dart_type_create_custom(24, &custom));
  EXPECT_OK(dart_type_create_strided(custom, 3, 2, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 1, &one, &zero, &indexed));
  expect_text(dart_type_name(custom), "custom type");
  expect_text(dart_type_name(strided), "strided type");
  expect_text(dart_type_name(indexed), "indexed type");
  EXPECT_OK(dart_op_create(first, NULL, true, DART_TYPE_INT, false, &op));
  expect_text(dart_op_name(op), "custom operator");
  expect_text(dart_op_name(DART_OP_MIN), "DART_OP_MIN");
  expect_text(dart_op_name(DART_OP_NO_OP), "DART_OP_NO_OP");
  expect_text(dart_op_name(DART_OP_UNDEFINED), "DART_OP_UNDEFINED");
  expect_text(dart_op_name(DART_OP_LAST), "no operator");
  EXPECT_OK(dart_op_destroy(&op));
  EXPECT_OK(dart_type_destroy(&indexed));
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
  expect_text(dart_strerror(DART_OK), "no error");
  expect_text(dart_strerror(DART_ERR_INVAL), "invalid argument");
  expect_text(dart_strerror(DART_ERR_OTHER), "other error");
  expect_text(dart_strerror((dart_ret_t)77), "unknown result");
}

TEST(the_library_is_of_the_version_of_its_headers)
{
  char numbers[32];

  snprintf(numbers, sizeof numbers, "%d.%d.%d", DART_VERSION_MAJOR, DART_VERSION_MINOR,
           DART_VERSION_PATCH);
  expect_text(dart_version(), numbers);
  expect_text(dart_version(), DART_VERSION_STR);
}

TEST(pool_blocks_can_be_of_custom_types)
{
  dart_datatype_t custom;
  dart_gptr_t     block, next;
  void           *addr, *next_addr;

  EXPECT_OK(dart_type_create_custom(40, &custom));
  EXPECT_OK(dart_memalloc(3, custom, &block));
  EXPECT_OK(dart_memalloc(3, custom, &next));
  EXPECT_OK(dart_gptr_getaddr(block, &addr));
  EXPECT_OK(dart_gptr_getaddr(next, &next_addr));
  EXPECT_TRUE(labs((char *)next_addr - (char *)addr) >= 120);
  EXPECT_OK(dart_memfree(block));
  EXPECT_OK(dart_memfree(next));
  EXPECT_OK(dart_type_destroy(&custom));
}

TEST(what_is_no_layout_is_refused) /* H77 H79 */
{
  const size_t    one[] = { 1 }, none[] = { 0, 0 }, at[] = { 0, 5 };
  dart_datatype_t strided, custom, type, basic = DART_TYPE_INT, undefined = DART_TYPE_UNDEFINED;

  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_custom(8, &custom));

#define EXPECT_NO_TYPE(call)              \
  do {                                    \
    type = 99;                            \
    EXPECT_INVAL(call);                   \
    EXPECT_EQ(type, DART_TYPE_UNDEFINED); \
  } while (0)

  EXPECT_NO_TYPE(dart_type_create_strided(strided, 2, 1, &type));
  EXPECT_NO_TYPE(dart_type_create_strided(DART_TYPE_UNDEFINED, 2, 1, &type));
  EXPECT_NO_TYPE(dart_type_create_strided(DART_TYPE_LAST, 2, 1, &type));
  EXPECT_NO_TYPE(dart_type_create_strided(DART_TYPE_INT, 2, 0, &type));
  EXPECT_NO_TYPE(dart_type_create_strided(DART_TYPE_INT, 0, 0, &type));
  EXPECT_NO_TYPE(dart_type_create_strided(DART_TYPE_INT, 2, 3, &type));
  EXPECT_NO_TYPE(dart_type_create_indexed(strided, 1, one, at, &type));
  EXPECT_NO_TYPE(dart_type_create_indexed(DART_TYPE_INT, 0, one, at, &type));
  EXPECT_NO_TYPE(dart_type_create_indexed(DART_TYPE_INT, 2, none, at, &type));
  EXPECT_NO_TYPE(dart_type_create_custom(0, &type));
#undef EXPECT_NO_TYPE
  EXPECT_INVAL(dart_type_create_strided(DART_TYPE_INT, 2, 1, NULL));
  EXPECT_INVAL(dart_type_create_indexed(DART_TYPE_INT, 1, one, at, NULL));
  EXPECT_INVAL(dart_type_create_custom(8, NULL));

  EXPECT_INVAL(dart_type_destroy(NULL));
  EXPECT_INVAL(dart_type_destroy(&basic));
  EXPECT_EQ(basic, DART_TYPE_INT);
  EXPECT_INVAL(dart_type_destroy(&undefined));
  type = strided;
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_EQ(strided, DART_TYPE_UNDEFINED);
  EXPECT_INVAL(dart_type_destroy(&type)); /* twice */
  EXPECT_OK(dart_type_destroy(&custom));
}
