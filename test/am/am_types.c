/* Active messages: elements that are not consecutive, and the descriptions of their types. */
#include "base/log.h"
#include "data/describe.h"
#include "few_peers.h"

static dart_datatype_t every(size_t stride)
{
  dart_datatype_t type;

  assert_int_equal(dart_type_create_strided(DART_TYPE_ULONG, stride, 1, &type), DART_OK);
  return type;
}

/* `count` blocks of two words, in descending order. */
static dart_datatype_t blocks(size_t count)
{
  static size_t   length[DART__TYPE_BLOCKS_MOST], offset[DART__TYPE_BLOCKS_MOST];
  dart_datatype_t type;

  for (size_t i = 0; i < count; i++) {
    length[i] = 2;
    offset[i] = 3 * (count - 1 - i);
  }
  assert_int_equal(dart_type_create_indexed(DART_TYPE_ULONG, count, length, offset, &type),
                   DART_OK);
  return type;
}

static size_t place_in(const dart__type_t *type, size_t k)
{
  size_t at;

  dart__type_run(type, k, &at);
  return at;
}

/* Put words to a peer, and get them back, by two types that end before it is complete. */
static void there_and_back(dart_datatype_t at_type, dart_datatype_t type, size_t nelem)
{
  static uint64_t     words[BYTES / 8], back[BYTES / 8];
  const dart__type_t *there = dart__type_find(at_type), *here = dart__type_find(type);
  dart__type_t        copies[2];
  dart__am_address_t  at = test_address(1, 64);

  memset(word_of(1, 0), 0, BYTES);
  memset(back, 0, sizeof back);
  for (size_t i = 0; i < BYTES / 8; i++)
    words[i] = i + 1;
  dart__type_copy(there, &copies[0]);
  dart__type_copy(here, &copies[1]);
  dart__am_move_typed(peer[0].am, &at, &copies[0], words, &copies[1], nelem, true);
  dart__am_move_typed(peer[0].am, &at, &copies[0], back, &copies[1], nelem, false);
  dart__type_forget(&copies[0]);
  dart__type_forget(&copies[1]);
  flush(0, 1);
  for (size_t k = 0; k < nelem; k++) {
    uint64_t *there_at = word_of(1, 8 + place_in(there, k)), *here_at = &back[place_in(here, k)];

    assert_int_equal(*there_at, place_in(here, k) + 1);
    assert_int_equal(*here_at, place_in(here, k) + 1);
    *there_at = *here_at = 0;
  }
  for (size_t i = 0; i < BYTES / 8; i++)
    assert_true(*word_of(1, i) == 0 && back[i] == 0); /* nothing else was written */
}

static void elements_go_where_their_type_says(void **state)
{
  static const size_t batch_bytes[] = { 8000, 512 };
  dart_datatype_t     types[4]      = { DART_TYPE_ULONG, every(3), blocks(3), blocks(20) };

  (void)state;
  for (int b = 0; b < 2; b++) {
    dart__am_config_t config = usual();

    config.batch_bytes = batch_bytes[b];
    open_with(2, config);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 4; k++) {
        there_and_back(types[i], types[k], 120);
        there_and_back(types[i], types[k], 1200);
      }
    close_all();
  }
  for (int i = 1; i < 4; i++)
    assert_int_equal(dart_type_destroy(&types[i]), DART_OK);
}

static void put_every(size_t stride, uint64_t value)
{
  dart_datatype_t    type     = every(stride);
  uint64_t           words[2] = { value, value + 1 };
  dart__am_address_t at       = test_address(1, 0);

  dart__am_move_typed(peer[0].am, &at, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 2, true);
  assert_int_equal(dart_type_destroy(&type), DART_OK);
}

/* Told in the first batch; then known, until as many other types were asked for as a peer keeps. */
static void types_are_described_until_the_peer_keeps_them(void **state)
{
  enum { PLACES = 4 };
  dart__am_config_t config = usual();

  (void)state;
  config.types = PLACES;
  open_with(2, config);
  since(DART__COUNT_DESCRIBED);
  for (uint64_t round = 0; round < 3; round++) {
    put_every(7, round);
    put_every(7, round + 10);
    assert_int_equal(since(DART__COUNT_DESCRIBED), round == 0);
    flush(0, 1);
    assert_int_equal(*word_of(1, 7), round + 11);
  }
  for (size_t stride = 10; stride < 10 + PLACES; stride++)
    put_every(stride, stride);
  assert_int_equal(since(DART__COUNT_DESCRIBED), PLACES);
  flush(0, 1);
  for (size_t stride = 10; stride < 10 + PLACES; stride++) {
    put_every(stride, stride + 50);
    flush(0, 1);
    assert_int_equal(*word_of(1, stride), stride + 51);
  }
  assert_int_equal(since(DART__COUNT_DESCRIBED), 0);
  put_every(7, 3);
  assert_int_equal(since(DART__COUNT_DESCRIBED), 1);
  flush(0, 1);
  assert_int_equal(*word_of(1, 7), 4);
  close_all();
}

static void nothing_is_kept_of_types_where_that_is_asked_for(void **state)
{
  dart__am_config_t config = usual();

  (void)state;
  config.types = 0;
  open_with(2, config);
  since(DART__COUNT_DESCRIBED);
  for (uint64_t round = 0; round < 3; round++)
    put_every(7, round);
  flush(0, 1);
  assert_int_equal(*word_of(1, 7), 3);
  assert_int_equal(since(DART__COUNT_DESCRIBED), 3);
  close_all();
}

/* A peer without memory for a description says so, and is told again; an origin without any keeps no account. */
static void without_memory_types_are_described_each_time(void **state)
{
  dart_datatype_t indexed = blocks(20);

  (void)state;
  open_with(2, usual());
  since(DART__COUNT_DESCRIBED);
  put_every(7, 1); /* the origin has its table */
  test_fail_allocations(1);
  flush(0, 1);
  for (uint64_t round = 2; round < 5; round++) {
    put_every(7, round);
    flush(0, 1);
    assert_int_equal(*word_of(1, 7), round + 1);
  }
  assert_int_equal(since(DART__COUNT_DESCRIBED), 4);
  test_fail_allocations(0);
  put_every(7, 5);
  flush(0, 1);
  put_every(7, 6);
  flush(0, 1);
  assert_int_equal(since(DART__COUNT_DESCRIBED), 1);
  test_fail_allocations(1);
  there_and_back(indexed, indexed, 120); /* the table is there, but no room for blocks */
  test_fail_allocations(0);
  close_all();
  assert_int_equal(dart_type_destroy(&indexed), DART_OK);
}

/* The last element alone is enough. */
static void elements_beyond_the_memory_are_refused(void **state)
{
  dart_datatype_t    type      = every(3);
  uint64_t           words[10] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
  dart__am_address_t fits = test_address(1, BYTES - (9 * 3 + 1) * 8), beyond = fits;

  (void)state;
  open_with(2, usual());
  beyond.offset += 8;
  dart__am_move_typed(peer[0].am, &beyond, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 10, true);
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  for (size_t i = 0; i < BYTES / 8; i++)
    assert_int_equal(*word_of(1, i), 0);
  dart__am_move_typed(peer[0].am, &beyond, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 10, false);
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(words[9], 0);
  words[9] = 7;
  dart__am_move_typed(peer[0].am, &fits, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 10, true);
  flush(0, 1);
  assert_int_equal(*word_of(1, BYTES / 8 - 1), 7);
  close_all();
  assert_int_equal(dart_type_destroy(&type), DART_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(elements_go_where_their_type_says),
    cmocka_unit_test(types_are_described_until_the_peer_keeps_them),
    cmocka_unit_test(nothing_is_kept_of_types_where_that_is_asked_for),
    cmocka_unit_test(without_memory_types_are_described_each_time),
    cmocka_unit_test(elements_beyond_the_memory_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
