/* Active messages, promise by promise: a few peers in one thread, which all make progress where one waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/counters.h"
#include "base/log.h"
#include "data/describe.h"
#include "far/am/batch.h"
#include "instances.h"

enum { PEERS = 5, BYTES = 1 << 16 };

static test_peer_t peer[PEERS];
static test_net_t *net;
static int         npeers;

/* Progress of a peer that waits is progress of all peers, except stopped ones. */
static bool is_stopped[PEERS];

static void progress(void)
{
  for (int p = 0; p < npeers; p++)
    if (!is_stopped[p])
      dart__am_progress(peer[p].am, true);
}

static const dart__wait_policy_t wait_policy = {
  .pace = &(const dart__wait_pace_t){ .spins = 1 << 20, .nap_us = 1, .progress = progress }
};

static void open_with(int count, dart__am_config_t config)
{
  npeers = count;
  net    = test_net_new(count, 0, 1);
  for (int p = 0; p < count; p++) {
    peer[p]       = (test_peer_t){ .memory = aligned_alloc(64, BYTES), .nbytes = BYTES };
    is_stopped[p] = false;
    config.comm   = test_net_transport(net, p);
    config.host   = test_host(&peer[p]);
    config.wait   = &wait_policy;
    memset(peer[p].memory, 0, BYTES);
    peer[p].am = dart__am_open(&config);
    assert_non_null(peer[p].am);
  }
}

static dart__am_config_t usual(void)
{
  return DART__AM_CONFIG(NULL, NULL, (dart__am_host_t){ 0 });
}

static void close_all(void)
{
  for (int p = 0; p < npeers; p++)
    dart__am_quiesce(peer[p].am);
  for (int p = 0; p < npeers; p++) {
    dart__am_close(peer[p].am);
    free(peer[p].memory);
  }
  test_net_delete(net);
}

static uint64_t since(dart__counter_t counter)
{
  static uint64_t before[DART__NCOUNTERS];
  uint64_t        now = dart__counted(counter), by = now - before[counter];

  before[counter] = now;
  return by;
}

static uint64_t *word_of(int p, size_t index)
{
  return (uint64_t *)(void *)peer[p].memory + index;
}

static void add(int from, int to, size_t index, uint64_t by)
{
  dart__am_address_t at = test_address(to, index * 8);

  dart__am_accumulate(peer[from].am, &at, &by, 1, DART_TYPE_ULONG, DART_OP_SUM);
}

static void flush(int from, int to)
{
  assert_int_equal(dart__am_flush(peer[from].am, to, DART__AM_REMOTE), DART_OK);
}

static bool is_any(const void *set, int32_t p)
{
  (void)set, (void)p;
  return true;
}

/* ---- what is sent when ---------------------------------------------------------------------- */

static void nothing_outstanding_sends_nothing(void **state)
{
  (void)state;
  open_with(2, usual());
  since(DART__COUNT_BATCH);
  flush(0, 1);
  assert_int_equal(dart__am_flush_members(peer[0].am, is_any, NULL, DART__AM_REMOTE), DART_OK);
  add(0, 1, 0, 1);
  flush(0, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 1);
  flush(0, 1);
  flush(0, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 0);
  close_all();
}

static void requests_travel_together(void **state)
{
  (void)state;
  open_with(2, usual());
  since(DART__COUNT_BATCH);
  for (int i = 0; i < 100; i++)
    add(0, 1, (size_t)i, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 0);
  flush(0, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 1);
  for (int i = 0; i < 100; i++)
    assert_int_equal(*word_of(1, (size_t)i), 1);
  close_all();
}

static void no_more_is_collected_than_may_be(void **state)
{
  enum { MOST = 8, MANY = 200 };
  dart__am_config_t config = usual();

  (void)state;
  config.collected = MOST;
  open_with(PEERS, config);
  since(DART__COUNT_REQUEST);
  for (int i = 0, sent = 0; i < MANY; i++) {
    add(0, 1 + i % (PEERS - 1), 0, 1);
    sent += (int)since(DART__COUNT_REQUEST);
    assert_true(i + 1 - sent <= MOST);
  }
  for (int p = 1; p < PEERS; p++)
    flush(0, p);
  close_all();
}

static void a_push_sends_what_was_collected(void **state)
{
  (void)state;
  open_with(2, usual());
  add(0, 1, 0, 1);
  since(DART__COUNT_BATCH);
  dart__am_push(peer[0].am);
  assert_int_equal(since(DART__COUNT_BATCH), 1);
  while (*word_of(1, 0) == 0)
    dart__am_progress(peer[1].am, false);
  flush(0, 1);
  close_all();
}

static void what_is_old_is_sent_by_progress(void **state)
{
  (void)state;
  open_with(2, usual());
  add(0, 1, 0, 1);
  while (*word_of(1, 0) == 0) { /* no peer waits */
    dart__am_progress(peer[0].am, false);
    dart__am_progress(peer[1].am, false);
  }
  flush(0, 1);
  close_all();
}

static void a_notification_leaves_at_once(void **state)
{
  uint64_t           data = 42;
  dart__am_address_t at = test_address(1, 8), counter = test_address(1, 0);
  dart__am_config_t  config = usual();

  (void)state;
  for (int later = 0; later < 2; later++) {
    config.is_sent_later = later == 1;
    open_with(2, config);
    since(DART__COUNT_BATCH);
    for (int step = 0; step < 4; step++) {
      for (int i = 0; i < 3; i++)
        dart__am_notify(peer[0].am, &at, &data, sizeof data, &counter, 1, DART_OP_SUM);
      dart__am_progress(peer[0].am, true); /* the step ends: the unit waits */
      /* the first steps are not known to be bursts */
      assert_int_equal(since(DART__COUNT_BATCH), later == 0 || step < 2 ? 3 : 1);
    }
    flush(0, 1);
    assert_int_equal(*word_of(1, 0), 12);
    assert_int_equal(*word_of(1, 1), 42);
    assert_true(peer[1].notified > 0);
    close_all();
  }
}

/* Nothing sends them later: the producer computes next, and the target only receives. */
static void notifications_leave_beyond_the_window(void **state)
{
  enum { MANY = 30 }; /* the window is 16 */
  dart__am_address_t counter = test_address(1, 0);

  (void)state;
  open_with(2, usual());
  for (int i = 0; i < MANY; i++)
    dart__am_notify(peer[0].am, NULL, NULL, 0, &counter, 1, DART_OP_SUM);
  for (int i = 0; i < MANY; i++)
    dart__am_progress(peer[1].am, true);
  assert_int_equal(*word_of(1, 0), MANY);
  flush(0, 1);
  close_all();
}

/* ---- order and results ---------------------------------------------------------------------- */

static void requests_of_a_peer_come_in_order(void **state)
{
  uint64_t           one = 1, two = 2, old = 77, found = 0;
  dart__am_address_t at = test_address(1, 64);

  (void)state;
  open_with(2, usual());
  dart__am_accumulate(peer[0].am, &at, &one, 1, DART_TYPE_ULONG, DART_OP_REPLACE);
  dart__am_accumulate(peer[0].am, &at, &two, 1, DART_TYPE_ULONG, DART_OP_SUM);
  dart__am_fetch(peer[0].am, &at, &two, &old, 1, DART_TYPE_ULONG, DART_OP_PROD);
  dart__am_get(peer[0].am, &at, &found, sizeof found);
  dart__am_put(peer[0].am, &at, &one, sizeof one);
  assert_int_equal(old, 77);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
  assert_int_equal(old, 3);
  assert_int_equal(found, 6);
  flush(0, 1);
  assert_int_equal(*word_of(1, 8), 1);
  close_all();
}

static void data_come_before_what_follows(void **state)
{
  static char        data[50000];
  uint64_t           one = 1;
  dart__am_address_t at = test_address(1, 64), counter = test_address(1, 0);

  (void)state;
  open_with(2, usual());
  memset(data, 0x5a, sizeof data);
  dart__am_move_data(peer[0].am, &at, data, sizeof data, true);
  dart__am_notify(peer[0].am, NULL, NULL, 0, &counter, 1, DART_OP_SUM);
  while (*word_of(1, 0) == 0)
    progress();
  assert_memory_equal(peer[1].memory + 64, data, sizeof data);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
  memset(data, 0, sizeof data); /* the source is free */
  dart__am_put(peer[0].am, &counter, &one, sizeof one);
  flush(0, 1);
  assert_int_equal((unsigned char)peer[1].memory[64 + sizeof data - 1], 0x5a);
  close_all();
}

/* What is asked for is read before what follows is applied. */
static void data_are_got_before_what_follows(void **state)
{
  static char        got[2][30000];
  uint64_t           one = 1;
  dart__am_address_t at = test_address(1, 64), late = test_address(1, 128);

  (void)state;
  open_with(2, usual());
  memset(peer[1].memory + 64, 0x5a, sizeof got[0]);
  for (int i = 0; i < 2; i++)
    dart__am_move_data(peer[0].am, &at, got[i], sizeof got[i], false);
  dart__am_put(peer[0].am, &late, &one, sizeof one);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
  for (size_t i = 0; i < sizeof got[0]; i++)
    assert_true(got[0][i] == 0x5a && got[1][i] == 0x5a);
  flush(0, 1);
  assert_int_equal(*word_of(1, 16), 1);
  close_all();
}

/* Nobody flushes: results of several batches and data that were asked for come before the flag, and so do those after
 * which it was not asked for in one call. */
static void a_flag_here_is_updated_when_all_has_come(void **state)
{
  enum { PIECE = 3000, PIECES = 8 };
  static char        got[PIECES * PIECE + 30000];
  uint64_t           flag = 0;
  dart__am_address_t at   = test_address(1, 64);

  (void)state;
  for (int round = 0; round < 3; round++) {
    open_with(2, usual());
    memset(peer[1].memory + 64, 0x5a, sizeof got);
    memset(got, 0, sizeof got);
    flag = 7;
    for (size_t from = 0; round != 1 && from < PIECES * PIECE; from += PIECE) {
      dart__am_address_t some = test_address(1, 64 + from);

      dart__am_get(peer[0].am, &some, got + from, PIECE);
    }
    if (round != 0)
      dart__am_move_data(peer[0].am, &at, got + PIECES * PIECE, 30000, false);
    assert_int_equal(flag, 7);
    dart__am_notify_here(peer[0].am, 1, &flag, 5, DART_OP_SUM);
    for (int looks = 0; flag == 7 && looks < 1000; looks++)
      progress();
    assert_int_equal(flag, 12);
    assert_int_equal(peer[0].notified, 1);
    for (size_t i = 0; i < sizeof got; i++)
      assert_int_equal(got[i], (i < PIECES * PIECE ? round != 1 : round != 0) ? 0x5a : 0);
    assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_OK);
    assert_int_equal(flag, 12);
    close_all();
  }
}

/* More than fit a batch; and local completion includes them. */
static void many_flags_here(void **state)
{
  enum { MANY = 3 * DART__AM_ARRIVALS + 5 };
  uint64_t           flag[MANY] = { 0 }, got[MANY];
  dart__am_config_t  config     = usual();
  dart__am_address_t at;

  (void)state;
  config.window = MANY + 1;
  open_with(3, config);
  is_stopped[1] = true;
  for (size_t i = 0; i < MANY; i++) {
    *word_of(1, i) = 100 + i;
    at             = test_address(1, i * 8);
    dart__am_get(peer[0].am, &at, &got[i], sizeof got[i]);
    dart__am_notify_here(peer[0].am, 1, &flag[i], i + 1, DART_OP_REPLACE);
  }
  for (int looks = 0; looks < 100; looks++)
    progress();
  for (size_t i = 0; i < MANY; i++)
    assert_int_equal(flag[i], 0);
  is_stopped[1] = false;
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
  for (size_t i = 0; i < MANY; i++)
    assert_true(flag[i] == i + 1 && got[i] == 100 + i);
  close_all();
}

/* A peer without an agent that has seen what it waited for calls DART no more. */
static void a_peer_that_has_all_need_not_stay(void **state)
{
  static char        data[50000];
  dart__am_address_t at = test_address(1, 64), counter = test_address(1, 0);
  dart__am_epoch_t   about = { TEST_TEAM, TEST_PLAIN, 1, 40 };

  (void)state;
  for (int by_word = 0; by_word < 2; by_word++) {
    open_with(2, usual());
    dart__am_move_data(peer[0].am, &at, data, sizeof data, true);
    if (by_word)
      dart__am_epoch(peer[0].am, 1, &about, NULL, 0, NULL, 0, true);
    else
      dart__am_notify(peer[0].am, NULL, NULL, 0, &counter, 1, DART_OP_SUM);
    while (peer[1].informed != 40 && *word_of(1, 0) == 0)
      progress();
    is_stopped[1] = true;
    alarm(20); /* or it would wait for ever */
    assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
    alarm(0);
    is_stopped[1] = false;
    close_all();
  }
}

static void a_host_is_informed_after_what_came_before(void **state)
{
  (void)state;
  open_with(3, usual());
  add(2, 1, 0, 1);
  for (uint64_t word = 1; word <= 2000; word++) /* more than fits a batch */
    dart__am_inform(peer[2].am, 1, word << 20);
  flush(2, 1);
  assert_int_equal(peer[1].informer, 2);
  assert_int_equal(peer[1].informed, UINT64_C(2001000) << 20);
  assert_int_equal(*word_of(1, 0), 1);
  close_all();
}

/* Requests that travel inside of another are applied by it, after all before; and a host may answer. */
static void what_is_said_about_epochs_comes_in_order(void **state)
{
  dart__am_epoch_t     about      = { TEST_TEAM, TEST_PLAIN, 1, 40 };
  uint64_t             results[2] = { 0 };
  uint64_t             words[5]   = { dart__am_word(DART__AM_SELECT, 0, 0, 0, 0), 0,
                                      dart__am_word(DART__AM_ACCUMULATE, DART_TYPE_ULONG, DART_OP_PROD, 1, 0), 5,
                                      dart__am_word(DART__AM_GET, 0, 0, 8, 0) };
  dart__am_selection_t selection  = { TEST_TEAM, TEST_PLAIN, 0 };

  (void)state;
  memcpy(&words[1], &selection, sizeof selection);
  open_with(2, usual());
  add(0, 1, 0, 3);
  dart__am_epoch(peer[0].am, 1, &about, words, 5, results, 2, false);
  add(0, 1, 0, 2);
  flush(0, 1);
  assert_int_equal(*word_of(1, 0), 3 * 5 + 2);
  assert_int_equal(results[0], 41);
  assert_int_equal(results[1], 3 * 5); /* what the request inside has read */
  assert_int_equal(peer[1].informed, 40);
  while (peer[0].informed != 40) /* sent back */
    dart__am_progress(peer[0].am, true);
  about.segid = TEST_BY_MUTEX; /* which this host refuses */
  results[0] = results[1] = 9;
  dart__am_epoch(peer[0].am, 1, &about, NULL, 0, results, 2, true);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(results[0], 0);
  assert_int_equal(results[1], 0);
  flush(1, 0);
  close_all();
}

static void a_host_operates_on_objects_for_its_peers(void **state)
{
  unsigned char      operand[3000] = { 5 };
  dart__am_address_t object = test_address(1, 512), beyond = test_address(1, BYTES - 4);
  uint64_t           first = 0, second = 0;

  (void)state;
  open_with(2, usual());
  dart__am_call(peer[0].am, &object, operand, 3, &first);
  for (int i = 0; i < 20; i++) /* more than fit a batch; nobody waits for a result */
    dart__am_call(peer[0].am, &object, operand, sizeof operand, NULL);
  dart__am_call(peer[0].am, &object, operand, 1, &second);
  operand[0] = 0; /* it was copied */
  flush(0, 1);
  assert_int_equal(first, 8);
  assert_int_equal(second, 8 + 20 * 3005 + 6);
  assert_int_equal(*word_of(1, 64), second);
  assert_int_equal(peer[1].called, 3 + 20 * 3000 + 1);
  dart__am_call(peer[0].am, &beyond, operand, 1, &second);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(second, 0);
  close_all();
}

/* ---- elements that are not consecutive -------------------------------------------------------- */

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
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  for (size_t i = 0; i < BYTES / 8; i++)
    assert_int_equal(*word_of(1, i), 0);
  dart__am_move_typed(peer[0].am, &beyond, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 10, false);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(words[9], 0);
  words[9] = 7;
  dart__am_move_typed(peer[0].am, &fits, dart__type_find(type), words,
                      &dart__type_basic[DART_TYPE_ULONG], 10, true);
  flush(0, 1);
  assert_int_equal(*word_of(1, BYTES / 8 - 1), 7);
  close_all();
  assert_int_equal(dart_type_destroy(&type), DART_OK);
}

/* ---- replies ---------------------------------------------------------------------------------- */

static void units_that_talk_to_each_other_need_no_replies(void **state)
{
  (void)state;
  open_with(2, usual());
  since(DART__COUNT_REPLY);
  for (int i = 0; i < 50; i++) {
    add(0, 1, 0, 1);
    dart__am_push(peer[0].am);
    dart__am_progress(peer[1].am, false);
    add(1, 0, 0, 1);
    dart__am_push(peer[1].am);
    dart__am_progress(peer[0].am, false);
  }
  assert_int_equal(since(DART__COUNT_REPLY), 0);
  flush(0, 1);
  flush(1, 0);
  assert_int_equal(*word_of(0, 0) + *word_of(1, 0), 100);
  close_all();
}

/* A peer is kept awake by a message that no flush waits for, of which there is one at a time. */
static void nothing_waits_for_a_wake(void **state)
{
  int64_t quiet;

  (void)state;
  open_with(2, usual());
  since(DART__COUNT_REPLY);
  since(DART__COUNT_ACK_REQUEST);
  for (int i = 0; i < 3; i++)
    dart__am_wake(peer[0].am, 1);
  assert_int_equal(since(DART__COUNT_ACK_REQUEST), 1);
  assert_true(
      dart__am_is_flushed(peer[0].am, 1, DART__AM_REMOTE)); /* which has not made progress */
  flush(0, 1);
  quiet = dart__am_quiet_ns(peer[1].am); /* nothing has come since the clock began */
  dart__am_progress(peer[1].am, false);
  assert_true(dart__am_quiet_ns(peer[1].am) < quiet);
  assert_int_equal(since(DART__COUNT_REPLY), 1);
  dart__am_progress(peer[0].am, false);
  dart__am_wake(peer[0].am, 1); /* the next one */
  assert_int_equal(since(DART__COUNT_ACK_REQUEST), 1);
  add(0, 1, 0, 1);
  flush(0, 1);
  assert_int_equal(*word_of(1, 0), 1);
  close_all();
}

static void several_are_asked_before_any_is_waited_for(void **state)
{
  (void)state;
  open_with(3, usual());
  add(0, 1, 0, 1);
  add(0, 2, 0, 2);
  since(DART__COUNT_REPLY);
  dart__am_ask_to(peer[0].am, 1, dart__am_newest(peer[0].am, 1));
  dart__am_ask_to(peer[0].am, 2, dart__am_newest(peer[0].am, 2));
  dart__am_ask_to(peer[0].am, 2, dart__am_newest(peer[0].am, 2)); /* once is enough */
  assert_int_equal(*word_of(1, 0) + *word_of(2, 0), 0);           /* and it has not waited */
  dart__am_progress(peer[1].am, false);
  dart__am_progress(peer[2].am, false);
  assert_int_equal(*word_of(1, 0) + *word_of(2, 0), 3);
  assert_int_equal(since(DART__COUNT_REPLY), 2);
  dart__am_progress(peer[0].am, false);
  assert_true(dart__am_is_flushed(peer[0].am, -1, DART__AM_REMOTE));
  dart__am_ask_to(peer[0].am, 1, dart__am_newest(peer[0].am, 1));
  assert_int_equal(since(DART__COUNT_REPLY), 0);
  close_all();
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void refused_requests_are_said_once(void **state)
{
  static char        data[20000];
  uint64_t           one = 1, got = 5;
  dart__am_address_t good = test_address(1, 0), no_segment = good,
                     beyond   = test_address(1, BYTES - 4);
  dart__am_address_t far_data = test_address(1, BYTES - 100);

  (void)state;
  open_with(2, usual());
  no_segment.segid = 99;
  dart__am_put(peer[0].am, &no_segment, &one, sizeof one);
  dart__am_put(peer[0].am, &good, &one, sizeof one);
  dart__am_get(peer[0].am, &beyond, &got, sizeof got);
  dart__am_move_data(peer[0].am, &far_data, data, sizeof data, true);
  dart__am_move_data(peer[0].am, &far_data, data, sizeof data, false);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(*word_of(1, 0), 1); /* all others were applied */
  flush(0, 1);
  dart__am_put(peer[0].am, &no_segment, &one, sizeof one);
  dart__am_settle(peer[0].am, 1);        /* does not report it */
  dart__am_ping_blocking(peer[0].am, 1); /* does not report it */
  assert_int_equal(dart__am_flush_members(peer[0].am, is_any, NULL, DART__AM_REMOTE),
                   DART_ERR_INVAL);
  close_all();
}

/* Updates that are alike but for their place are applied as a run: one that names no memory is left out, and one
 * of another kind in between ends it. */
static void a_run_of_updates_leaves_out_what_is_refused(void **state)
{
  uint64_t one = 1, two = 2;

  (void)state;
  open_with(2, usual());
  for (uint64_t i = 0; i < 100; i++) {
    dart__am_address_t at = test_address(1, i % 10 == 3 ? BYTES - 4 : 8 * (i % 4));

    if (i % 7 == 5)
      dart__am_put(peer[0].am, &at, &two, sizeof two);
    else
      dart__am_accumulate(peer[0].am, &at, &one, 1, DART_TYPE_ULONG,
                          i % 11 == 6 ? DART_OP_BOR : DART_OP_SUM);
  }
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  for (uint64_t word = 0; word < 4; word++) {
    uint64_t expected = 0;

    for (uint64_t i = word; i < 100; i += 4)
      if (i % 10 != 3)
        expected = i % 7 == 5 ? two : i % 11 == 6 ? expected | one : expected + one;
    assert_int_equal(*word_of(1, word), expected);
  }
  close_all();
}

/* By CPU atomics and by plain loops, which leave the same; a place that is not there refuses one of them. */
static void updates_that_are_one_request(bool is_alone)
{
  enum { MANY = 61, PLACES = 7 };
  static const dart_operation_t ops[] = { DART_OP_SUM, DART_OP_BXOR, DART_OP_REPLACE,
                                          DART_OP_PROD };
  uint64_t                      values[MANY], wanted[PLACES] = { 0 }, five = 5;
  uint32_t                      places[MANY];
  dart__am_address_t            at = test_address(1, 0), word = test_address(1, 8);

  open_with(2, usual());
  peer[1].is_alone = is_alone;
  for (size_t round = 0; round < 4 * sizeof ops / sizeof *ops; round++) {
    dart_operation_t op = ops[round % (sizeof ops / sizeof *ops)];

    for (size_t i = 0; i < MANY; i++) {
      uint64_t *to = &wanted[i * round % PLACES];

      places[i] = (uint32_t)(i * round % PLACES);
      values[i] = round + i + 2;
      *to       = op == DART_OP_SUM       ? *to + values[i]
                  : op == DART_OP_BXOR    ? *to ^ values[i]
                  : op == DART_OP_REPLACE ? values[i]
                                          : *to * values[i];
    }
    dart__am_updates(peer[0].am, &at, values, places, MANY, DART_TYPE_ULONG, op);
    dart__am_accumulate(peer[0].am, &word, &five, 1, DART_TYPE_ULONG, DART_OP_SUM);
    wanted[1] += five;
  }
  flush(0, 1);
  assert_memory_equal(word_of(1, 0), wanted, sizeof wanted);

  places[5] = BYTES / 8;
  dart__am_updates(peer[0].am, &at, values, places, 9, DART_TYPE_ULONG, DART_OP_REPLACE);
  for (size_t i = 0; i < 9; i++)
    if (i != 5)
      wanted[places[i]] = values[i];
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_memory_equal(word_of(1, 0), wanted, sizeof wanted);
  at.segid = TEST_BY_MUTEX;
  dart__am_updates(peer[0].am, &at, values, places, 2, DART_TYPE_ULONG, DART_OP_SUM);
  assert_int_equal(dart__am_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  close_all();
}

static void updates_of_shared_words_are_one_request(void **state)
{
  (void)state;
  updates_that_are_one_request(false);
}

static void updates_of_own_words_are_one_request(void **state)
{
  (void)state;
  updates_that_are_one_request(true);
}

/* While a peer is held it applies nothing. */
static void a_peer_is_held(void **state)
{
  (void)state;
  open_with(2, usual());
  assert_true(dart__am_hold(peer[1].am));
  assert_false(dart__am_hold(peer[1].am));
  add(0, 1, 0, 1);
  for (int i = 0; i < 100; i++)
    progress();
  assert_int_equal(*word_of(1, 0), 0);
  dart__am_release(peer[1].am);
  flush(0, 1);
  assert_int_equal(*word_of(1, 0), 1);
  close_all();
}

/* One batch, one reply and one pending batch are allocated at the start. */
static void without_memory_requests_wait(void **state)
{
  static unsigned char data[BYTES];
  dart__am_address_t   counter = test_address(1, 0), at = test_address(1, 8);
  dart__am_config_t    config = usual();
  uint64_t             one = 1, got = 0;

  (void)state;
  memset(data, 7, sizeof data);
  open_with(PEERS, config);
  test_fail_allocations(1);
  config.comm = test_net_transport(net, 0);
  assert_null(dart__am_open(&config));
  for (int i = 0; i < 1000; i++)
    add(0, 1 + i % (PEERS - 1), 0, 1);
  dart__am_get(peer[0].am, &counter, &got, sizeof got);
  for (int i = 0; i < 10; i++) {
    dart__am_move_data(peer[0].am, &at, data, BYTES - 8, true);
    dart__am_notify(peer[0].am, &at, &one, sizeof one, &counter, 1, DART_OP_SUM);
    add(2, 1, 0, 1); /* its batches wait for memory that batches hold which wait for data */
  }
  for (int p = 1; p < PEERS; p++)
    flush(0, p);
  flush(2, 1);
  test_fail_allocations(0);
  assert_in_range(got, 250, 260); /* what peer 2 has sent may have come before */
  assert_int_equal(*word_of(1, 0), 270);
  assert_int_equal(*word_of(1, 1), 1);
  assert_int_equal(*word_of(1, 2), UINT64_C(0x0707070707070707));
  for (int p = 2; p < PEERS; p++)
    assert_int_equal(*word_of(p, 0), 250);
  close_all();
}

static void a_peer_that_stops_holds_up_no_other(void **state)
{
  dart__am_config_t config = usual();

  (void)state;
  config.window = 2;
  open_with(3, config);
  is_stopped[1] = true;
  add(0, 1, 0, 1);
  dart__am_push(peer[0].am);
  for (int i = 0; i < 100; i++) {
    add(0, 2, 0, 1);
    flush(0, 2);
  }
  assert_int_equal(*word_of(2, 0), 100);
  assert_int_equal(*word_of(1, 0), 0);
  is_stopped[1] = false;
  flush(0, 1);
  assert_int_equal(*word_of(1, 0), 1);
  close_all();
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Many batches of each of the other peers wait for peer 0. */
static void progress_has_a_budget(void **state)
{
  enum { EACH = 12 };
  uint64_t applied;
  int      total = 0;

  (void)state;
  open_with(PEERS, usual());
  is_stopped[0] = true;
  for (int p = 1; p < PEERS; p++)
    for (int i = 0; i < EACH; i++) {
      add(p, 0, 0, 1);
      dart__am_push(peer[p].am);
    }
  since(DART__COUNT_APPLIED);
  while (total < EACH * (PEERS - 1) / 2) {
    dart__am_progress(peer[0].am, false);
    applied = since(DART__COUNT_APPLIED);
    assert_true(applied > 0 && applied <= 4);
    total += (int)applied;
  }
  while (total < EACH * (PEERS - 1)) {
    dart__am_progress(peer[0].am, true);
    applied = since(DART__COUNT_APPLIED);
    assert_true(applied > 0 && applied <= 16);
    total += (int)applied;
  }
  is_stopped[0] = false;
  for (int p = 1; p < PEERS; p++)
    flush(p, 0);
  assert_int_equal(*word_of(0, 0), EACH * (PEERS - 1));
  close_all();
}

static int      turns;
static uint64_t batches_when_full;

/* The peer starts to receive only when its origin has waited for a while. */
static void progress_late(void)
{
  if (++turns == 50) {
    batches_when_full = dart__counted(DART__COUNT_BATCH);
    is_stopped[1]     = false;
  }
  progress();
}

static void a_window_bounds_what_is_under_way(void **state)
{
  const dart__wait_policy_t late = {
    .pace = &(const dart__wait_pace_t){ .spins = 1 << 20, .nap_us = 1, .progress = progress_late }
  };
  dart__am_config_t config = usual();
  uint64_t          start;

  (void)state;
  config.window      = 3;
  config.batch_bytes = 256;
  open_with(2, config);
  dart__am_quiesce(peer[0].am);
  dart__am_close(peer[0].am);
  config.comm   = test_net_transport(net, 0);
  config.host   = test_host(&peer[0]);
  config.wait   = &late;
  peer[0].am    = dart__am_open(&config);
  turns         = 0;
  is_stopped[1] = true;
  start         = dart__counted(DART__COUNT_BATCH);
  for (int i = 0; i < 1000; i++)
    add(0, 1, 0, 1);
  assert_true(turns >= 50); /* it had to wait */
  assert_int_equal(batches_when_full - start, 3);
  flush(0, 1);
  assert_int_equal(*word_of(1, 0), 1000);
  close_all();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_outstanding_sends_nothing),
    cmocka_unit_test(requests_travel_together),
    cmocka_unit_test(no_more_is_collected_than_may_be),
    cmocka_unit_test(a_push_sends_what_was_collected),
    cmocka_unit_test(what_is_old_is_sent_by_progress),
    cmocka_unit_test(a_notification_leaves_at_once),
    cmocka_unit_test(notifications_leave_beyond_the_window),
    cmocka_unit_test(requests_of_a_peer_come_in_order),
    cmocka_unit_test(data_come_before_what_follows),
    cmocka_unit_test(data_are_got_before_what_follows),
    cmocka_unit_test(a_flag_here_is_updated_when_all_has_come),
    cmocka_unit_test(many_flags_here),
    cmocka_unit_test(a_peer_that_has_all_need_not_stay),
    cmocka_unit_test(a_host_is_informed_after_what_came_before),
    cmocka_unit_test(what_is_said_about_epochs_comes_in_order),
    cmocka_unit_test(a_host_operates_on_objects_for_its_peers),
    cmocka_unit_test(elements_go_where_their_type_says),
    cmocka_unit_test(types_are_described_until_the_peer_keeps_them),
    cmocka_unit_test(nothing_is_kept_of_types_where_that_is_asked_for),
    cmocka_unit_test(without_memory_types_are_described_each_time),
    cmocka_unit_test(elements_beyond_the_memory_are_refused),
    cmocka_unit_test(units_that_talk_to_each_other_need_no_replies),
    cmocka_unit_test(nothing_waits_for_a_wake),
    cmocka_unit_test(several_are_asked_before_any_is_waited_for),
    cmocka_unit_test(refused_requests_are_said_once),
    cmocka_unit_test(a_run_of_updates_leaves_out_what_is_refused),
    cmocka_unit_test(updates_of_shared_words_are_one_request),
    cmocka_unit_test(updates_of_own_words_are_one_request),
    cmocka_unit_test(a_peer_is_held),
    cmocka_unit_test(without_memory_requests_wait),
    cmocka_unit_test(a_peer_that_stops_holds_up_no_other),
    cmocka_unit_test(progress_has_a_budget),
    cmocka_unit_test(a_window_bounds_what_is_under_way),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
