/* Strided, indexed and custom types inside epochs: deferred as all others are, with every pair of layouts, on all
 * kinds of memory; what may become of types meanwhile; and by which way they go (base/counters.h). */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>

#include "counted.h"
#include "dart_test.h"

SUITE(epoch_types);

enum { LARGE = 20000, FEW = 600, MORE = 6000, BLOCKS = 150, MANY_BLOCKS = 600 };

static int right_of(int unit)
{
  return (unit + 1) % n;
}

static int left_of(int unit)
{
  return (unit + n - 1) % n;
}

static int64_t value_of(int writer, int round, size_t index)
{
  return writer * INT64_C(100000000) + round * INT64_C(100000) + (int64_t)index;
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* `count` blocks of `length` elements, the i-th at first + i * step; 1 block: strided, by `step`. */
typedef struct {
  size_t count, length, first, step;
} layout_t;

static const layout_t layouts[] = {
  { 1, 1, 0, 1 },           /* consecutive */
  { 1, 1, 0, 3 },           /* one by one */
  { 1, 2, 0, 5 },           /* blocks */
  { 3, 2, 4, 3 },           /* few blocks */
  { BLOCKS, 1, 1, 2 },      /* many */
  { MANY_BLOCKS, 1, 0, 2 }, /* more than are described to a far unit */
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static size_t position(const layout_t *l, size_t k)
{
  size_t instance = k / (l->count * l->length), within = k % (l->count * l->length);
  size_t extent = l->count == 1 ? l->step : (l->count - 1) * l->step + l->length;

  return instance * extent + l->first + within / l->length * l->step + within % l->length;
}

static dart_datatype_t make(const layout_t *l, dart_datatype_t base)
{
  dart_datatype_t type   = base;
  size_t         *length = calloc(l->count, sizeof *length);
  size_t         *offset = calloc(l->count, sizeof *offset);

  for (size_t i = 0; i < l->count; i++) {
    length[i] = l->length;
    offset[i] = l->first + i * l->step;
  }
  if (l->count > 1)
    EXPECT_OK(dart_type_create_indexed(base, l->count, length, offset, &type));
  else if (l->step > 1)
    EXPECT_OK(dart_type_create_strided(base, l->step, l->length, &type));
  free(length);
  free(offset);
  return type;
}

static void destroy(dart_datatype_t type, dart_datatype_t base)
{
  if (type != base)
    EXPECT_OK(dart_type_destroy(&type));
}

/* LARGE elements, -1 but for those of a layout. */
static void fill(int64_t *to, const layout_t *l, size_t nelem, int writer, int round)
{
  for (size_t i = 0; i < LARGE; i++)
    to[i] = -1;
  for (size_t k = 0; k < nelem; k++)
    to[position(l, k)] = value_of(writer, round, k);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

typedef enum { BY_FENCE, BY_POST, BY_LOCK, WAYS } way_t;

static void open_epoch(way_t way, dart_gptr_t right)
{
  dart_team_unit_t from = DART_TEAM_UNIT_ID(left_of(me)), to = DART_TEAM_UNIT_ID(right_of(me));

  if (way == BY_FENCE) {
    EXPECT_OK(dart_epoch_fence(right, DART_EPOCH_NOPRECEDE));
  } else if (way == BY_POST) {
    EXPECT_OK(dart_epoch_post(right, 1, &from, 0));
    EXPECT_OK(dart_epoch_start(right, 1, &to, 0));
  } else {
    EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_SHARED, 0));
  }
}

static void close_epoch(way_t way, dart_gptr_t right)
{
  if (way == BY_FENCE) {
    EXPECT_OK(dart_epoch_fence(right, DART_EPOCH_NOSUCCEED));
  } else if (way == BY_POST) {
    EXPECT_OK(dart_epoch_complete(right));
    EXPECT_OK(dart_epoch_wait(right));
  } else {
    EXPECT_OK(dart_epoch_unlock(right, 0));
  }
  test_barrier();
}

/* LARGE elements on every unit. */
static dart_gptr_t memory_of(bool is_registered, int64_t *block)
{
  dart_gptr_t gptr;

  if (!is_registered)
    return test_alloc(block, LARGE, 0);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, LARGE, T_INT64, block, &gptr));
  return gptr;
}

typedef struct {
  dart_gptr_t     right; /* the memory of the unit to the right */
  int64_t        *mine;
  int64_t        *buffer, *expected;
  dart_datatype_t base;
  const layout_t *global, *local;
  size_t          nelem;
  way_t           way;
  int             round;
} exchange_t;

static void put_and_check(exchange_t *x)
{
  dart_datatype_t global = make(x->global, x->base), local = make(x->local, x->base);

  fill(x->mine, x->global, 0, 0, 0);
  fill(x->buffer, x->local, x->nelem, me, x->round);
  test_barrier();
  open_epoch(x->way, x->right);
  look();
  EXPECT_OK(dart_put(x->right, x->buffer, x->nelem, local, global));
  if (dart_near_ptr(x->right) == NULL && x->way != BY_POST) /* its post may have come */
    EXPECT_EQ(since(DART__COUNT_BATCH) + since(DART__COUNT_RMA_PUT), 0);
  destroy(global, x->base); /* it was deferred with all it needs */
  destroy(local, x->base);
  close_epoch(x->way, x->right);
  fill(x->expected, x->global, x->nelem, left_of(me), x->round);
  EXPECT_BYTES(x->mine, x->expected, LARGE * sizeof *x->mine);
  test_barrier();
}

static void get_and_check(exchange_t *x)
{
  dart_datatype_t global = make(x->global, x->base), local = make(x->local, x->base);

  fill(x->mine, x->global, x->nelem, me, x->round);
  fill(x->buffer, x->local, 0, 0, 0);
  test_barrier();
  open_epoch(x->way, x->right);
  EXPECT_OK(dart_get(x->buffer, x->right, x->nelem, global, local));
  destroy(global, x->base);
  destroy(local, x->base);
  close_epoch(x->way, x->right);
  fill(x->expected, x->local, x->nelem, right_of(me), x->round);
  EXPECT_BYTES(x->buffer, x->expected, LARGE * sizeof *x->buffer);
  test_barrier();
}

/* One element is an int64_t, of `base`. */
static void exchange_all(bool is_registered, dart_datatype_t base)
{
  int64_t    *block = calloc(LARGE, sizeof *block);
  exchange_t  x     = { .buffer   = calloc(LARGE, sizeof *block),
                        .expected = calloc(LARGE, sizeof *block),
                        .base     = base };
  dart_gptr_t gptr  = memory_of(is_registered, block);

  x.right = test_unit(gptr, right_of(me));
  x.mine  = is_registered ? block : test_mine(gptr);
  for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++) {
    x.global = &layouts[pair % LAYOUTS];
    x.local  = &layouts[pair / LAYOUTS];
    x.nelem  = pair % 2 == 0 ? FEW : MORE;
    x.way    = (way_t)(x.round++ % WAYS);
    test_note("layout %d to %d, way %d", (int)(x.local - layouts), (int)(x.global - layouts),
              (int)x.way);
    put_and_check(&x);
    get_and_check(&x);
  }
  if (is_registered)
    EXPECT_OK(dart_team_memderegister(gptr));
  free(block);
  free(x.buffer);
  free(x.expected);
}

TEST(every_layout_to_every_other)
{
  exchange_all(false, T_INT64);
}

TEST(every_layout_on_registered_memory)
{
  exchange_all(true, T_INT64);
}

TEST(layouts_of_a_custom_type)
{
  dart_datatype_t custom;

  EXPECT_OK(dart_type_create_custom(sizeof(int64_t), &custom));
  exchange_all(false, custom);
  EXPECT_OK(dart_type_destroy(&custom));
}

/* Single elements that are larger than a request. */
TEST(elements_of_many_bytes)
{
  enum { SIZE = 5000, COUNT = 3 };
  unsigned char   buffer[COUNT * SIZE], expected[2 * COUNT * SIZE];
  dart_gptr_t     gptr  = test_segment(DART_TEAM_ALL, sizeof expected, 0xee);
  dart_gptr_t     right = test_unit(gptr, right_of(me));
  dart_datatype_t custom, strided;

  EXPECT_OK(dart_type_create_custom(SIZE, &custom));
  EXPECT_OK(dart_type_create_strided(custom, 2, 1, &strided));
  for (way_t way = BY_FENCE; way < WAYS; way++) {
    test_fill(buffer, me, (int)way, sizeof buffer);
    open_epoch(way, right);
    EXPECT_OK(dart_put(right, buffer, COUNT, custom, strided));
    close_epoch(way, right);
    test_fill(buffer, left_of(me), (int)way, sizeof buffer);
    memset(expected, 0xee, sizeof expected);
    for (size_t i = 0; i < COUNT; i++)
      memcpy(expected + 2 * i * SIZE, buffer + i * SIZE, SIZE);
    EXPECT_BYTES(test_mine(gptr), expected, sizeof expected);
    test_barrier();
  }
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
}

/* ---- what is told of types ------------------------------------------------------------------- */

/* In one epoch a put for each of `count` types, of `nelem` elements at distances from `first` on, each in a
 * stretch of LARGE / count elements. */
static void put_by_strides(dart_gptr_t gptr, int64_t *values, size_t count, size_t first,
                           size_t nelem, int round)
{
  dart_gptr_t right = test_unit(gptr, right_of(me));

  for (size_t k = 0; k < nelem; k++)
    values[k] = value_of(me, round, k);
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE));
  for (size_t i = 0; i < count; i++) {
    dart_datatype_t type;

    EXPECT_OK(dart_type_create_strided(T_INT64, first + i, 1, &type));
    EXPECT_OK(dart_put(test_at(right, i * (LARGE / count)), values, nelem, T_INT64, type));
    EXPECT_OK(dart_type_destroy(&type));
  }
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
}

static int wrong_strides(const int64_t *mine, size_t count, size_t first, size_t nelem, int round)
{
  int wrong = 0;

  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < nelem; k++)
      wrong += mine[i * (LARGE / count) + k * (first + i)] != value_of(left_of(me), round, k);
  return wrong;
}

/* Equal types need not be the same; and those of one unit are not those of another. */
TEST(types_are_described_once)
{
  enum { ROUNDS = 5, NELEM = 50 };
  int64_t    *zeros = calloc(LARGE, sizeof *zeros), values[NELEM];
  dart_gptr_t gptr  = test_alloc(zeros, LARGE, 0);
  size_t      first = (size_t)me + 2, left = (size_t)left_of(me) + 2;
  bool        is_far = dart_near_ptr(test_unit(gptr, right_of(me))) == NULL;

  for (int round = 0; round < ROUNDS; round++) {
    look();
    put_by_strides(gptr, values, 4, first, NELEM, round);
    EXPECT_OK(dart_flush_all(gptr)); /* now all have said what they keep */
    EXPECT_EQ(since(DART__COUNT_TYPED), is_far ? 4 : 0);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT), 0);
    if (round > 0)
      EXPECT_EQ(since(DART__COUNT_DESCRIBED), 0);
    EXPECT_EQ(wrong_strides(test_mine(gptr), 4, left, NELEM, round), 0);
    test_barrier();
  }
  free(zeros);
}

/* More types than a target keeps, in turns, so that the one that is asked for was always given up. */
TEST(more_types_than_are_kept)
{
  enum { COUNT = 20, ROUNDS = 4, NELEM = 20 };
  int64_t    *zeros  = calloc(LARGE, sizeof *zeros), values[NELEM];
  dart_gptr_t gptr   = test_alloc(zeros, LARGE, 0);
  bool        is_far = dart_near_ptr(test_unit(gptr, right_of(me))) == NULL;

  for (int round = 0; round < ROUNDS; round++) {
    look();
    put_by_strides(gptr, values, COUNT, 30, NELEM, round);
    EXPECT_EQ(since(DART__COUNT_DESCRIBED), is_far ? COUNT : 0);
    EXPECT_EQ(wrong_strides(test_mine(gptr), COUNT, 30, NELEM, round), 0);
    test_barrier();
  }
  free(zeros);
}

/* Puts and gets of all kinds, more than are deferred, in one epoch; gets in many pieces at a time. */
TEST(many_operations_with_types)
{
  enum { COUNT = 300, NELEM = 24, STEP = 60 };
  int64_t        *block = calloc(LARGE, sizeof *block), *got = calloc(LARGE, sizeof *got);
  int64_t         values[NELEM];
  dart_gptr_t     gptr = test_alloc(block, LARGE, 0), right = test_unit(gptr, right_of(me));
  dart_datatype_t types[3] = { T_INT64, make(&layouts[1], T_INT64), make(&layouts[3], T_INT64) };
  int             wrong    = 0;

  for (size_t k = 0; k < NELEM; k++)
    values[k] = value_of(me, 1, k);
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE));
  for (size_t i = 0; i < COUNT; i++)
    EXPECT_OK(dart_put(test_at(right, i * STEP), values, NELEM, T_INT64, types[i % 3]));
  EXPECT_OK(dart_epoch_fence(gptr, 0));
  for (size_t i = 0; i < COUNT; i++)
    EXPECT_OK(dart_get(got + i * STEP, test_at(right, i * STEP), NELEM, types[i % 3],
                       types[(i + 1) % 3]));
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
  for (size_t i = 0; i < COUNT; i++)
    for (size_t k = 0; k < NELEM; k++) {
      static const int of[] = { 0, 1, 3 };
      size_t           to   = position(&layouts[of[i % 3]], k);
      size_t           at   = position(&layouts[of[(i + 1) % 3]], k);

      wrong += test_mine(gptr)[i * STEP + to] != value_of(left_of(me), 1, k);
      wrong += got[i * STEP + at] != value_of(me, 1, k);
    }
  EXPECT_EQ(wrong, 0);
  destroy(types[1], T_INT64);
  destroy(types[2], T_INT64);
  free(block);
  free(got);
}
