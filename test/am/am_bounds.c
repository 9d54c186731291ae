/* Active messages: requests that are refused, memory that fails, peers that stop, and bounds. */
#include "base/log.h"
#include "few_peers.h"

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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_memory_equal(word_of(1, 0), wanted, sizeof wanted);
  at.segid = TEST_BY_MUTEX;
  dart__am_updates(peer[0].am, &at, values, places, 2, DART_TYPE_ULONG, DART_OP_SUM);
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
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
  config.npeers = 2;
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
