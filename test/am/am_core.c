/* Active messages, promise by promise. Elements of types are in am_types.c; what is refused, fails or is full in
 * am_bounds.c. */
#include "few_peers.h"

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

/* The flush of one that was alone is likely to follow the next, too. */
static void an_atomic_leaves_at_once_if_the_last_was_alone(void **state)
{
  (void)state;
  open_with(2, usual());
  add(0, 1, 0, 1);
  flush(0, 1);
  since(DART__COUNT_BATCH);
  since(DART__COUNT_ACK_REQUEST);
  add(0, 1, 0, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 1);
  flush(0, 1);
  assert_int_equal(since(DART__COUNT_BATCH), 0);
  for (int step = 0; step < 3;
       step++) { /* several: the first one was not known to have followers */
    for (int i = 0; i < 3; i++)
      add(0, 1, 0, 1);
    assert_int_equal(since(DART__COUNT_BATCH), step == 0 ? 1 : 0);
    flush(0, 1);
    assert_int_equal(since(DART__COUNT_BATCH), 1);
  }
  assert_int_equal(since(DART__COUNT_ACK_REQUEST), 0);
  assert_int_equal(*word_of(1, 0), 11);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
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
    assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_OK);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
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
    assert_int_equal(test_flush(peer[0].am, 1, DART__AM_LOCAL), DART_OK);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
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
  assert_int_equal(test_flush(peer[0].am, 1, DART__AM_REMOTE), DART_ERR_INVAL);
  assert_int_equal(second, 0);
  close_all();
}

static void a_grant_is_told_before_the_next_request(void **state)
{
  unsigned char      operand = 1;
  dart__am_address_t object  = test_address(1, 512);

  (void)state;
  open_with(2, usual());
  peer[1].has_grants = true;
  for (int i = 0; i < 3; i++) {
    dart__am_call(peer[0].am, &object, &operand, 1, NULL);
    dart__am_push(peer[0].am);
  }
  for (size_t looks = 1; looks <= 3; looks++) {
    dart__am_progress(peer[1].am, false);
    assert_int_equal(peer[1].called, looks);
  }
  flush(0, 1);
  close_all();
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
  assert_true(dart__am_is_flushed(peer[0].am, 1)); /* which has not made progress */
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
  assert_true(dart__am_peers_count(dart__am_busy(peer[0].am)) == 0);
  dart__am_ask_to(peer[0].am, 1, dart__am_newest(peer[0].am, 1));
  assert_int_equal(since(DART__COUNT_REPLY), 0);
  close_all();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_outstanding_sends_nothing),
    cmocka_unit_test(requests_travel_together),
    cmocka_unit_test(an_atomic_leaves_at_once_if_the_last_was_alone),
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
    cmocka_unit_test(a_grant_is_told_before_the_next_request),
    cmocka_unit_test(units_that_talk_to_each_other_need_no_replies),
    cmocka_unit_test(nothing_waits_for_a_wake),
    cmocka_unit_test(several_are_asked_before_any_is_waited_for),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
