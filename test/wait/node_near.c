/* Near copies: every pair of layouts against the positions of the contract, in buffers of exactly
 * the span, at odd addresses; and words that are polled while they are overwritten. */
#include "node_data.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "data/type.h"
#include "wait/near.h"

enum { GUARD = 64, SHIFTS = 4 };

/* A layout as the contract describes it, apart from the library's own description. */
typedef struct {
  size_t stride, blocklen;      /* blocklen 0: not strided */
  size_t count, len[5], off[5]; /* count 0: not indexed; neither: contiguous */
} layout_t;

static const layout_t layouts[] = {
  { .count = 0 },
  { .stride = 1, .blocklen = 1 },
  { .stride = 2, .blocklen = 1 },
  { .stride = 7, .blocklen = 1 },
  { .stride = 3, .blocklen = 3 },
  { .stride = 4, .blocklen = 3 },
  { .stride = 11, .blocklen = 2 },
  { .count = 1, .len = { 1 }, .off = { 0 } },
  { .count = 2, .len = { 2, 3 }, .off = { 4, 10 } },
  { .count = 3, .len = { 1, 1, 1 }, .off = { 9, 3, 6 } },               /* descending, one by one */
  { .count = 5, .len = { 0, 3, 0, 1, 2 }, .off = { 99, 20, 0, 2, 7 } }, /* with empty blocks */
  { .count = 2, .len = { 2, 2 }, .off = { 3, 5 } },                     /* adjacent blocks */
  { .count = 3, .len = { 5, 1, 9 }, .off = { 0, 7, 12 } }               /* longer ones */
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static size_t elements_per_instance(const layout_t *layout)
{
  size_t nelem = 0;

  for (size_t i = 0; i < layout->count; i++)
    nelem += layout->len[i];
  return nelem > 0 ? nelem : layout->blocklen > 0 ? layout->blocklen : 1;
}

/* Contract, section 1.7: the table of positions. */
static size_t position(const layout_t *layout, size_t k)
{
  size_t most = 0, least = SIZE_MAX, per_instance = elements_per_instance(layout);
  size_t j = k / per_instance, i = 0;

  if (layout->blocklen > 0)
    return k / layout->blocklen * layout->stride + k % layout->blocklen;
  if (layout->count == 0)
    return k;
  for (size_t b = 0; b < layout->count; b++)
    if (layout->len[b] > 0) {
      most  = layout->off[b] + layout->len[b] > most ? layout->off[b] + layout->len[b] : most;
      least = layout->off[b] < least ? layout->off[b] : least;
    }
  for (k %= per_instance; k >= layout->len[i]; i++)
    k -= layout->len[i];
  return j * (most - least) + layout->off[i] + k;
}

static dart_datatype_t make(const layout_t *layout, dart_datatype_t base)
{
  dart_datatype_t type = base;

  if (layout->blocklen > 0)
    assert_int_equal(dart_type_create_strided(base, layout->stride, layout->blocklen, &type),
                     DART_OK);
  else if (layout->count > 0)
    assert_int_equal(dart_type_create_indexed(base, layout->count, layout->len, layout->off, &type),
                     DART_OK);
  return type;
}

/* Whether the instances of a layout lie apart: otherwise it is no destination. */
static bool overlaps_itself(const layout_t *layout, size_t nelem)
{
  for (size_t k = 0; k < nelem; k++)
    for (size_t l = 0; l < k; l++)
      if (position(layout, k) == position(layout, l))
        return true;
  return false;
}

typedef enum { COPY, PUT, GET } how_t;

/* Source and expected destination, byte by byte; the copy's buffers are as long as the spans say,
 * so that a sanitizer sees one byte too many. */
static void check_copy(how_t how, const layout_t *dst_layout, const layout_t *src_layout,
                       const dart__type_t *dst_type, const dart__type_t *src_type, size_t nelem,
                       size_t shift)
{
  size_t size = dst_type->elem_size, src_span = 0, dst_span = 0;
  char  *src, *dst, *want;

  for (size_t k = 0; k < nelem; k++) {
    size_t src_end = (position(src_layout, k) + 1) * size;
    size_t dst_end = (position(dst_layout, k) + 1) * size;

    src_span = src_end > src_span ? src_end : src_span;
    dst_span = dst_end > dst_span ? dst_end : dst_span;
  }
  assert_int_equal(dart__type_span(src_type, nelem), src_span);
  assert_int_equal(dart__type_span(dst_type, nelem), dst_span);

  src  = malloc(shift + src_span + 1);
  dst  = malloc(GUARD + shift + dst_span + GUARD);
  want = malloc(GUARD + shift + dst_span + GUARD);
  assert_true(src != NULL && dst != NULL && want != NULL);
  for (size_t i = 0; i < shift + src_span; i++)
    src[i] = (char)(i * 7 + i / 251);
  memset(dst, 0xa5, GUARD + shift + dst_span + GUARD);
  memcpy(want, dst, GUARD + shift + dst_span + GUARD);
  for (size_t k = 0; k < nelem; k++)
    memcpy(want + GUARD + shift + position(dst_layout, k) * size,
           src + shift + position(src_layout, k) * size, size);

  if (how == COPY)
    dart__near_copy(dst + GUARD + shift, dst_type, src + shift, src_type, nelem);
  else if (how == PUT)
    dart__near_put(dst + GUARD + shift, dst_type, src + shift, src_type, nelem);
  else
    dart__near_get(dst + GUARD + shift, dst_type, src + shift, src_type, nelem);
  if (memcmp(dst, want, GUARD + shift + dst_span + GUARD) != 0)
    fail_msg("how %d, layouts %d to %d, %zu elements of %zu bytes, shift %zu", (int)how,
             (int)(src_layout - layouts), (int)(dst_layout - layouts), nelem, size, shift);
  free(src);
  free(dst);
  free(want);
}

static void check_all_pairs(dart_datatype_t base)
{
  static const size_t instances[] = { 0, 1, 2, 7 };
  dart_datatype_t     type[LAYOUTS];

  for (size_t i = 0; i < LAYOUTS; i++)
    type[i] = make(&layouts[i], base);
  for (size_t s = 0; s < LAYOUTS; s++)
    for (size_t d = 0; d < LAYOUTS; d++) {
      const dart__type_t *src = dart__type_find(type[s]), *dst = dart__type_find(type[d]);
      size_t both = elements_per_instance(&layouts[s]) * elements_per_instance(&layouts[d]);

      for (size_t i = 0; i < 4; i++) {
        assert_true(dart__type_compatible(src, dst, instances[i] * both));
        if (overlaps_itself(&layouts[d], instances[i] * both))
          continue;
        for (size_t shift = 0; shift < SHIFTS; shift++)
          for (how_t how = COPY; how <= GET; how++)
            check_copy(how, &layouts[d], &layouts[s], dst, src, instances[i] * both, shift);
      }
    }
  for (size_t i = 0; i < LAYOUTS; i++)
    if (type[i] != base)
      assert_int_equal(dart_type_destroy(&type[i]), DART_OK);
}

static void all_layouts_of_basic_types(void **state)
{
  (void)state;
  check_all_pairs(DART_TYPE_BYTE);
  check_all_pairs(DART_TYPE_SHORT);
  check_all_pairs(DART_TYPE_FLOAT);
  check_all_pairs(DART_TYPE_ULONG);
  check_all_pairs(DART_TYPE_LONG_DOUBLE);
}

static void all_layouts_of_custom_types(void **state)
{
  static const size_t sizes[] = { 3, 16, 24 };

  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    dart_datatype_t base;

    assert_int_equal(dart_type_create_custom(sizes[i], &base), DART_OK);
    check_all_pairs(base);
    assert_int_equal(dart_type_destroy(&base), DART_OK);
  }
}

/* Any part of a buffer, packed, and back into one that is empty. */
static void check_part(const layout_t *layout, const dart__type_t *type, size_t from, size_t nelem)
{
  size_t size = type->elem_size, span = dart__type_span(type, from + nelem);
  char  *buffer = malloc(span), *back = calloc(1, span + 1), *packed = malloc(nelem * size);

  assert_true(buffer != NULL && back != NULL && packed != NULL);
  for (size_t i = 0; i < span; i++)
    buffer[i] = (char)(1 + i % 127);
  dart__near_gather(packed, buffer, type, from, nelem);
  for (size_t k = 0; k < nelem; k++)
    assert_memory_equal(packed + k * size, buffer + position(layout, from + k) * size, size);
  dart__near_scatter(back, type, from, packed, nelem);
  for (size_t k = 0; k < nelem; k++) {
    char *element = back + position(layout, from + k) * size;

    assert_memory_equal(element, packed + k * size, size);
    memset(element, 0, size);
  }
  for (size_t i = 0; i <= span; i++)
    assert_int_equal(back[i], 0);
  free(buffer);
  free(back);
  free(packed);
}

static void parts_of_all_layouts(void **state)
{
  static const dart_datatype_t bases[] = { DART_TYPE_BYTE, DART_TYPE_INT, DART_TYPE_LONG_DOUBLE };

  (void)state;
  for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++)
    for (size_t i = 0; i < LAYOUTS; i++) {
      dart_datatype_t type = make(&layouts[i], bases[b]);

      for (size_t from = 0; from < 20; from++)
        for (size_t nelem = 1; nelem < 40 && !overlaps_itself(&layouts[i], from + nelem); nelem++)
          check_part(&layouts[i], dart__type_find(type), from, nelem);
      if (type != bases[b])
        assert_int_equal(dart_type_destroy(&type), DART_OK);
    }
}

/* Odd lengths of contiguous elements, and of the unrolled loops' remainders. */
static void all_lengths(void **state)
{
  dart_datatype_t type = make(&layouts[2], DART_TYPE_INT);

  (void)state;
  for (size_t nelem = 0; nelem <= 40; nelem++)
    for (size_t shift = 0; shift < SHIFTS; shift++) {
      const dart__type_t *byte    = dart__type_find(DART_TYPE_BYTE);
      const dart__type_t *dense   = dart__type_find(DART_TYPE_INT);
      const dart__type_t *strided = dart__type_find(type);

      check_copy(PUT, &layouts[0], &layouts[0], byte, byte, nelem, shift);
      check_copy(GET, &layouts[0], &layouts[0], byte, byte, nelem, shift);
      check_copy(PUT, &layouts[2], &layouts[0], strided, dense, nelem, shift);
      check_copy(GET, &layouts[0], &layouts[2], dense, strided, nelem, shift);
      check_copy(COPY, &layouts[2], &layouts[2], strided, strided, nelem, shift);
    }
  assert_int_equal(dart_type_destroy(&type), DART_OK);
}

static void contiguous_buffers_may_overlap(void **state)
{
  const dart__type_t *type   = dart__type_find(DART_TYPE_INT);
  int                 a[10]  = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  int                 want[] = { 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };

  (void)state;
  dart__near_put(a + 1, type, a, type, 9);
  assert_memory_equal(a, want, sizeof want);
  dart__near_get(a, type, a + 1, type, 9);
  assert_memory_equal(a, want + 1, 9 * sizeof(int));
}

/* Copies of pages, some of which go down: base/copy.h. The distances are those of it, and beside it. */
static void pages_may_overlap(void **state)
{
  enum { PAGE = 4096, ROOM = 8 * PAGE };
  static const size_t lengths[] = { 2048, 2049, 2112, 4096, 5000, 8191, 8192 };
  char               *got = malloc(ROOM), *want = malloc(ROOM), *from = got + 3 * PAGE;

  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (int pages = -2; pages <= 2; pages++)
      for (int lines = -2; lines <= 66; lines++) {
        ptrdiff_t ahead = pages * PAGE + lines;

        for (size_t at = 0; at < ROOM; at++)
          want[at] = got[at] = (char)(at * 7 + at / 251);
        memmove(want + 3 * PAGE + ahead, want + 3 * PAGE, lengths[i]);
        dart__near_get_bytes(from + ahead, from, lengths[i]);
        assert_memory_equal(got, want, ROOM);
      }
  free(got);
  free(want);
}

static void words_are_moved_only_when_aligned(void **state)
{
  static const size_t sizes[] = { 1, 2, 4, 8 };
  _Alignas(8) char    near[16];
  char                local[16] = "abcdefghijklmno";

  (void)state;
  for (size_t i = 0; i < 4; i++)
    for (size_t shift = 0; shift < 8; shift++) {
      memset(near, 0, sizeof near);
      assert_int_equal(dart__near_put_word(near + shift, local + 1, sizes[i]),
                       shift % sizes[i] == 0);
      assert_int_equal(near[shift], shift % sizes[i] == 0 ? 'b' : 0);
      assert_int_equal(near[shift + sizes[i]], 0);
    }
  for (size_t nbytes = 0; nbytes <= 16; nbytes++)
    if (nbytes != 1 && nbytes != 2 && nbytes != 4 && nbytes != 8) {
      assert_false(dart__near_put_word(near, local, nbytes));
      assert_false(dart__near_get_word(local, near, nbytes));
    }
}

/* --- Between threads --- */

enum { OVERWRITES = 20000 };

typedef struct {
  const dart__type_t *type;
  _Alignas(8) char near[3 * 8]; /* the element in the middle is shared */
  int data;
  int torn;
  int data_seen;
} cell_t;

/* All bytes of the element are alike, and the last overwrite has only ones. */
static void *poll_cell(void *argument)
{
  cell_t       *cell = argument;
  unsigned char seen[8];

  do {
    sched_yield();
    dart__near_get(seen, cell->type, cell->near + 8, cell->type, 1);
    for (size_t i = 1; i < cell->type->elem_size; i++)
      cell->torn += seen[i] != seen[0];
  } while (seen[0] != 0xff);
  cell->data_seen = cell->data; /* under ThreadSanitizer a race, unless put and get pair */
  return NULL;
}

static void polled_words_are_never_torn_and_publish(void **state)
{
  static const dart_datatype_t types[] = { DART_TYPE_BYTE, DART_TYPE_SHORT, DART_TYPE_FLOAT,
                                           DART_TYPE_LONG };

  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    cell_t        cell = { .type = dart__type_find(types[i]) };
    unsigned char value[8];
    pthread_t     poller;

    assert_int_equal(pthread_create(&poller, NULL, poll_cell, &cell), 0);
    for (int k = 0; k <= OVERWRITES; k++) {
      memset(value, k == OVERWRITES ? 0xff : k % 255, sizeof value);
      if (k == OVERWRITES)
        cell.data = 4711;
      dart__near_put(cell.near + 8, cell.type, value, cell.type, 1);
    }
    assert_int_equal(pthread_join(poller, NULL), 0);
    assert_int_equal(cell.torn, 0);
    assert_int_equal(cell.data_seen, 4711);
  }
}

/* A long put, then a flag; who sees the flag gets all of the data, each time anew. */
enum { LENGTH = 300, MESSAGES = 200 };

typedef struct {
  const dart__type_t *layout;
  int                 data[2 * LENGTH];
  int                 flag, answer;
  int                 wrong;
} channel_t;

/* One int. Not inlined, and room for two: gcc warns of words that are larger than an int. */
static __attribute__((noinline)) void put_int(int *near, const int *value)
{
  const dart__type_t *type = dart__type_find(DART_TYPE_INT);

  dart__near_put(near, type, value, type, 1);
}

static __attribute__((noinline)) int get_int(const int *near)
{
  const dart__type_t *type = dart__type_find(DART_TYPE_INT);
  int                 value[2];

  dart__near_get(value, type, near, type, 1);
  return value[0];
}

static void *receive(void *argument)
{
  channel_t          *channel = argument;
  const dart__type_t *type    = dart__type_find(DART_TYPE_INT);
  int                 local[LENGTH];

  for (int message = 1; message <= MESSAGES; message++) {
    while (get_int(&channel->flag) != message)
      sched_yield();
    dart__near_get(local, type, channel->data, channel->layout, LENGTH);
    for (int i = 0; i < LENGTH; i++)
      channel->wrong += local[i] != message * 1000 + i;
    put_int(&channel->answer, &message);
  }
  return NULL;
}

static void a_flag_put_after_the_data_publishes_them(void **state)
{
  dart_datatype_t     types[] = { DART_TYPE_INT, make(&layouts[2], DART_TYPE_INT) };
  const dart__type_t *type    = dart__type_find(DART_TYPE_INT);

  (void)state;
  for (size_t t = 0; t < 2; t++) {
    channel_t channel = { .layout = dart__type_find(types[t]) };
    int       local[LENGTH];
    pthread_t receiver;

    assert_int_equal(pthread_create(&receiver, NULL, receive, &channel), 0);
    for (int message = 1; message <= MESSAGES; message++) {
      for (int i = 0; i < LENGTH; i++)
        local[i] = message * 1000 + i;
      dart__near_put(channel.data, channel.layout, local, type, LENGTH);
      put_int(&channel.flag, &message);
      while (get_int(&channel.answer) != message)
        sched_yield();
    }
    assert_int_equal(pthread_join(receiver, NULL), 0);
    assert_int_equal(channel.wrong, 0);
  }
  assert_int_equal(dart_type_destroy(&types[1]), DART_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_layouts_of_basic_types),
                                      cmocka_unit_test(all_layouts_of_custom_types),
                                      cmocka_unit_test(parts_of_all_layouts),
                                      cmocka_unit_test(all_lengths),
                                      cmocka_unit_test(contiguous_buffers_may_overlap),
                                      cmocka_unit_test(pages_may_overlap),
                                      cmocka_unit_test(words_are_moved_only_when_aligned),
                                      cmocka_unit_test(polled_words_are_never_torn_and_publish),
                                      cmocka_unit_test(a_flag_put_after_the_data_publishes_them) };

  return cmocka_run_group_tests_name("near copies", tests, NULL, NULL);
}
