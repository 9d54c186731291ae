/* The simulated network, promise by promise: a few peers in one thread. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "test_peers.h"

enum { MANY = 1000, PAIRS = 300, LARGE = 100000 };

static peers_t             peers;
static char                large[3 * LARGE], got[3 * LARGE];
static dart__net_message_t message;

static void open_with(int32_t count, const char *model)
{
  peers_open(&peers, count, model);
}

static dart__net_comm_t *comm(int32_t peer)
{
  return peers.comm[peer];
}

static dart__net_request_t send_word(int32_t from, int32_t to, dart__channel_t channel, int tag,
                                     const uint64_t *word)
{
  dart__net_request_t request;

  dart__net_send(comm(from), to, channel, tag, word, sizeof *word, &request);
  return request;
}

static bool is_done(int32_t peer, dart__net_request_t *request)
{
  return dart__net_is_done(comm(peer), request);
}

/* With progress of all peers. */
static void await(int32_t peer, dart__net_request_t *request)
{
  while (!is_done(peer, request))
    for (int32_t other = 0; other < peers.count; other++)
      peers_progress(comm(other));
}

static uint64_t recv_word(int32_t peer, int32_t from, dart__channel_t channel, int tag)
{
  dart__net_request_t        request;
  dart__net_request_t *const requests[] = { &request };
  uint64_t                   word       = 0;

  dart__net_recv(comm(peer), from, channel, tag, NULL, &word, sizeof word, &request);
  while (dart__net_test(comm(peer), requests, 1, &message) < 0)
    for (int32_t other = 0; other < peers.count; other++)
      peers_progress(comm(other));
  return word;
}

/* ---- messages ----------------------------------------------------------------------------------- */

static void messages_come_in_order_and_are_named(void **state)
{
  uint64_t words[MANY];

  (void)state;
  open_with(3, "rdma");
  for (uint64_t i = 0; i < 10; i++) {
    words[i] = i;
    send_word(i % 2 ? 1 : 2, 0, DART__CHANNEL_PROGRAM, (int)i, &words[i]);
  }
  for (uint64_t i = 1; i < 10; i += 2) {
    assert_int_equal(recv_word(0, 1, DART__CHANNEL_PROGRAM, DART__ANY_TAG), i);
    assert_int_equal(message.peer, 1);
    assert_int_equal(message.tag, i);
    assert_int_equal(message.nbytes, 8);
  }
  assert_int_equal(recv_word(0, DART__ANY_PEER, DART__CHANNEL_PROGRAM, 4), 4);
  assert_int_equal(message.peer, 2);
  for (uint64_t i = 0; i < 10; i += 2)
    if (i != 4)
      assert_int_equal(recv_word(0, DART__ANY_PEER, DART__CHANNEL_PROGRAM, DART__ANY_TAG), i);
  peers_close(&peers);
}

static void receives_take_messages_in_the_order_posted(void **state)
{
  dart__net_request_t requests[4], sent;
  uint64_t            words[4] = { 0 }, values[2] = { 11, 12 };

  (void)state;
  open_with(2, "rdma");
  for (int i = 0; i < 4; i++)
    dart__net_recv(comm(0), i == 1 ? 1 : DART__ANY_PEER, DART__CHANNEL_AM, 0, NULL, &words[i], 8,
                   &requests[i]);
  dart__net_cancel(comm(0), &requests[0]);
  for (int i = 0; i < 2; i++) {
    sent = send_word(1, 0, DART__CHANNEL_AM, 0, &values[i]);
    await(1, &sent);
  }
  assert_true(is_done(0, &requests[1]) && is_done(0, &requests[2]));
  assert_false(is_done(0, &requests[3]));
  assert_int_equal(words[1], 11);
  assert_int_equal(words[2], 12);
  dart__net_cancel(comm(0), &requests[3]);
  peers_close(&peers);
}

static void a_claimed_message_is_found_by_nobody_else(void **state)
{
  dart__net_request_t sent, received;
  dart__net_message_t found, other;

  (void)state;
  open_with(2, "rdma");
  dart__net_send(comm(1), 0, DART__CHANNEL_OWN, 5, large, sizeof large, &sent);
  assert_false(dart__net_probe(comm(0), 1, DART__CHANNEL_OWN, 4, true, &found));
  assert_true(dart__net_probe(comm(0), 1, DART__CHANNEL_OWN, 5, false, &found));
  assert_true(dart__net_probe(comm(0), 1, DART__CHANNEL_OWN, 5, true, &found));
  assert_false(dart__net_probe(comm(0), 1, DART__CHANNEL_OWN, 5, true, &other));
  assert_int_equal(found.nbytes, sizeof large);
  memset(got, 0, sizeof got);
  dart__net_recv(comm(0), found.peer, DART__CHANNEL_OWN, found.tag, &found, got, found.nbytes,
                 &received);
  assert_false(is_done(1, &sent));
  await(0, &received);
  await(1, &sent);
  assert_memory_equal(got, large, sizeof large);
  peers_close(&peers);
}

/* The unit that fetches makes no progress after its send, as one that computes. */
static void a_message_does_not_wait_for_what_is_fetched(void **state)
{
  dart__net_request_t sent, received, word_sent;
  dart__net_message_t found;
  uint64_t            word = 1;

  (void)state;
  open_with(2, "rdma");
  dart__net_recv(comm(0), 1, DART__CHANNEL_OWN, 5, NULL, got, sizeof large, &received);
  dart__net_send(comm(1), 0, DART__CHANNEL_OWN, 5, large, sizeof large, &sent);
  assert_false(is_done(0, &received));
  word_sent = send_word(0, 1, DART__CHANNEL_PROGRAM, 6, &word);
  assert_true(dart__net_probe(comm(1), 0, DART__CHANNEL_PROGRAM, 6, false, &found));
  assert_int_equal(recv_word(1, 0, DART__CHANNEL_PROGRAM, 6), 1);
  await(0, &received);
  await(1, &sent);
  await(0, &word_sent);
  assert_memory_equal(got, large, sizeof large);
  peers_close(&peers);
}

/* ---- what is full ------------------------------------------------------------------------------- */

static void a_full_inbox_pushes_back(void **state)
{
  enum { SENT = 4 * MANY };
  static uint64_t     words[SENT];
  dart__net_request_t request;

  (void)state;
  open_with(2, "rdma");
  for (uint64_t i = 0; i < SENT; i++) {
    words[i] = i;
    dart__net_send(comm(0), 1, DART__CHANNEL_REPLY, 0, &words[i], i % 3 == 0 ? 0 : 8,
                   i + 1 < SENT ? NULL : &request);
  }
  assert_false(is_done(0, &request));
  for (uint64_t i = 0; i < SENT; i++) {
    assert_int_equal(recv_word(1, 0, DART__CHANNEL_REPLY, 0), i % 3 == 0 ? 0 : i);
    assert_int_equal(message.nbytes, i % 3 == 0 ? 0 : 8);
  }
  assert_true(is_done(0, &request));
  peers_close(&peers);
}

/* The receiver keeps some of them, and others are offers. */
static void messages_that_nobody_receives_hold_up_no_other(void **state)
{
  enum { UNWANTED = 400, EMPTY = 20 * MANY };
  static dart__net_request_t empty[EMPTY];
  dart__net_request_t        unwanted[UNWANTED], request;
  dart__net_message_t        found;
  uint64_t                   word = 9;

  (void)state;
  open_with(2, "rdma");
  for (int i = 0; i < EMPTY; i++) {
    dart__net_send(comm(0), 1, DART__CHANNEL_OWN, 1, NULL, 0, &empty[i]);
    peers_progress(comm(1));
  }
  assert_false(is_done(0, &empty[EMPTY - 1]));
  for (int i = 0; i < UNWANTED; i++) {
    dart__net_send(comm(0), 1, DART__CHANNEL_PROGRAM, 1, large, 8000, &unwanted[i]);
    peers_progress(comm(1));
  }
  assert_false(is_done(0, &unwanted[UNWANTED - 1]));
  for (int i = 0; i < 3; i++) {
    request = send_word(0, 1, DART__CHANNEL_AM, 0, &word);
    assert_int_equal(recv_word(1, 0, DART__CHANNEL_AM, 0), 9);
    await(0, &request);
    dart__net_send(comm(0), 1, DART__CHANNEL_DATA, 0, large, LARGE, NULL);
    dart__net_recv(comm(1), 0, DART__CHANNEL_DATA, 0, NULL, got, LARGE, &request);
    await(1, &request);
  }
  for (int i = 0; i < UNWANTED; i++) {
    assert_true(dart__net_probe(comm(1), 0, DART__CHANNEL_PROGRAM, 1, true, &found));
    assert_int_equal(found.nbytes, 8000);
    memset(got, 1, 8000);
    dart__net_recv(comm(1), found.peer, DART__CHANNEL_OWN, found.tag, &found, got, found.nbytes,
                   &request);
    await(1, &request);
    assert_memory_equal(got, large, 8000);
    await(0, &unwanted[i]);
  }
  for (int i = 0; i < EMPTY; i++) {
    dart__net_recv(comm(1), 0, DART__CHANNEL_OWN, 1, NULL, NULL, 0, &request);
    await(1, &request);
    await(0, &empty[i]);
  }
  peers_close(&peers);
}

/* ---- puts and gets ------------------------------------------------------------------------------ */

typedef enum { BY_PEER, MAPPED, BY_KERNEL, WAYS } way_t;

static char           memory[3 * LARGE];
static dart__region_t region  = { .id = 77, .base = memory, .nbytes = sizeof memory };
static dart__region_t another = { .id = 78, .base = memory + LARGE, .nbytes = LARGE };

static dart__net_request_t move_in(const dart__region_t *where, int32_t from, int32_t to,
                                   bool is_put, char *data, size_t nbytes, uint64_t offset,
                                   way_t way)
{
  dart__net_request_t request;

  dart__wire_move(comm(from),
                  &(dart__request_t){ .peer    = to,
                                      .kind    = is_put ? DART__PACKET_PUT : DART__PACKET_GET,
                                      .data    = data,
                                      .nbytes  = nbytes,
                                      .there   = where->id,
                                      .offset  = offset,
                                      .mapped  = way != BY_PEER ? where->base + offset : NULL,
                                      .process = way == BY_KERNEL ? getpid() : 0 },
                  &request);
  return request;
}

static dart__net_request_t move(int32_t from, int32_t to, bool is_put, char *data, size_t nbytes,
                                uint64_t offset, way_t way)
{
  return move_in(&region, from, to, is_put, data, nbytes, offset, way);
}

static void bytes_go_where_they_should(void **state)
{
  static const size_t sizes[] = { 1, 8, 9, 8191, 8192, 8193, LARGE };

  (void)state;
  for (way_t way = BY_PEER; way < WAYS; way++) {
    open_with(3, "software,latency=1us,jitter=2us");
    dart__region_enter(comm(1), &region);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      dart__net_request_t put, get;

      memset(memory, 0, sizeof memory);
      memset(got, 0, sizeof got);
      put = move(0, 1, true, large, sizes[i], 1000, way);
      await(0, &put);
      while (memcmp(memory + 1000, large, sizes[i]) != 0)
        for (int p = 0; p < 3; p++)
          peers_progress(comm(p));
      assert_int_equal(memory[999], 0);
      assert_int_equal(memory[1000 + sizes[i]], 0);
      get = move(0, 1, false, got, sizes[i], 1000, way);
      await(0, &get);
      assert_memory_equal(got, large, sizes[i]);
      assert_int_equal(got[sizes[i]], 0);
      while (dart__wire_flush(comm(2), 1, true))
        ;
    }
    assert_false(dart__wire_flush(comm(0), 2, true));
    dart__region_leave(comm(1), &region);
    peers_close(&peers);
  }
}

static void a_target_that_stops_holds_up_no_other(void **state)
{
  dart__net_request_t stuck, moved;

  (void)state;
  open_with(3, "software");
  dart__region_enter(comm(2), &region);
  dart__region_enter(comm(1), &(dart__region_t){ .id = 77, .base = got, .nbytes = sizeof got });
  stuck = move(0, 1, true, large, sizeof large, 0, BY_PEER);
  moved = move(0, 2, true, large, LARGE, 0, BY_PEER);
  while (!is_done(0, &moved))
    peers_progress(comm(2));
  assert_false(is_done(0, &stuck));
  await(0, &stuck);
  peers_progress(comm(1));
  peers_progress(comm(2));
  dart__wire_flush(comm(0), 1, true);
  dart__wire_flush(comm(0), 2, true);
  assert_memory_equal(memory, large, LARGE);
  assert_memory_equal(got, large, sizeof large);
  peers_close(&peers);
}

/* Packets that wait for their time take up to 4 MiB of their receiver; the others wait at their senders. */
static void what_is_under_way_is_bounded(void **state)
{
  enum { PUTS = 40 };
  dart__net_request_t puts[PUTS];

  (void)state;
  memset(memory, 0, sizeof memory);
  open_with(2, "software,latency=20ms");
  dart__region_enter(comm(1), &region);
  for (int i = 0; i < PUTS; i++)
    puts[i] = move(0, 1, true, large, sizeof large, 0, BY_PEER);
  while (!is_done(0, &puts[PUTS - 1])) {
    peers_progress(comm(1));
    assert_true(comm(1)->link.nheld < ((size_t)4 << 20) + 2 * DART__PACKET_MOST);
  }
  for (int i = 0; i < PUTS - 1; i++)
    assert_true(is_done(0, &puts[i]));
  while (comm(0)->peer[1].nlisted > 0)
    for (int32_t peer = 0; peer < 2; peer++)
      peers_progress(comm(peer));
  assert_memory_equal(memory, large, sizeof large);
  dart__region_leave(comm(1), &region);
  peers_close(&peers);
}

/* As it would, again and again, where their target is late. */
static void a_local_flush_passes_no_puts_that_were_sent(void **state)
{
  uint64_t words[MANY];

  (void)state;
  open_with(2, "software");
  dart__region_enter(comm(1), &region);
  for (uint64_t i = 0; i < MANY; i++) {
    words[i] = i;
    move(0, 1, true, (char *)&words[i], sizeof words[i], i * sizeof words[i], BY_PEER);
  }
  assert_int_equal(comm(0)->peer[1].nlisted, MANY);
  assert_true(TAILQ_EMPTY(&comm(0)->peer[1].ops));
  assert_true(dart__wire_flush(comm(0), 1, false));
  while (comm(0)->peer[1].nlisted > 0)
    for (int32_t peer = 0; peer < 2; peer++)
      peers_progress(comm(peer));
  assert_memory_equal(memory, words, sizeof words);
  peers_close(&peers);
}

static void many_puts_are_all_completed(void **state)
{
  enum { PUTS = 10 * MANY };
  static char values[PUTS];

  (void)state;
  open_with(2, "rdma,latency=1us");
  memset(memory, 0, PUTS);
  for (uint64_t i = 0; i < PUTS; i++)
    values[i] = (char)(i + 1);
  for (uint64_t i = 0; i < PUTS; i++)
    dart__wire_move(comm(0),
                    &(dart__request_t){ .peer   = 1,
                                        .kind   = DART__PACKET_PUT,
                                        .data   = values + i,
                                        .nbytes = 1,
                                        .mapped = memory + i },
                    NULL);
  assert_true(dart__wire_flush(comm(0), 1, true));
  for (uint64_t i = 0; i < PUTS; i++)
    assert_int_equal(memory[i], (char)(i + 1));
  peers_close(&peers);
}

/* ---- time --------------------------------------------------------------------------------------- */

static void nothing_comes_before_its_time(void **state)
{
  int64_t             start;
  uint64_t            word = 3;
  dart__net_request_t request;

  (void)state;
  open_with(2, "rdma,latency=3ms,bandwidth=10M");
  dart__region_enter(comm(1), &region);
  start = dart__now_ns();
  send_word(0, 1, DART__CHANNEL_AM, 0, &word);
  assert_int_equal(recv_word(1, 0, DART__CHANNEL_AM, 0), 3);
  assert_true(dart__now_ns() - start >= 3000000);
  start   = dart__now_ns();
  request = move(0, 1, true, large, LARGE, 0, MAPPED); /* takes 10 ms of a link */
  await(0, &request);
  assert_true(dart__now_ns() - start >= 13000000);
  start   = dart__now_ns();
  request = move(0, 1, false, got, 8, 0, MAPPED);
  await(0, &request);
  assert_true(dart__now_ns() - start >= 6000000);
  peers_close(&peers);
}

/* Of many pairs of messages, each after the one before, how often the second has come when the first has not. */
static int overtaken_messages(dart__channel_t one, int one_tag, dart__channel_t two, int two_tag)
{
  const dart__channel_t channels[] = { one, two };
  const int             tags[]     = { one_tag, two_tag };
  int                   overtaken  = 0;

  for (int i = 0; i < PAIRS; i++) {
    dart__net_request_t requests[2];
    uint64_t            sent[2] = { 1, 2 }, words[2];
    bool                is_over = false, is_overtaken = false;

    for (int k = 0; k < 2; k++)
      send_word(0, 1, channels[k], tags[k], &sent[k]);
    for (int k = 0; k < 2; k++)
      dart__net_recv(comm(1), 0, channels[k], tags[k], NULL, &words[k], 8, &requests[k]);
    while (!is_over) {
      bool has_second = is_done(1, &requests[1]);

      is_over = is_done(1, &requests[0]) && has_second;
      is_overtaken |= has_second && !is_over;
    }
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 2);
    overtaken += is_overtaken;
  }
  return overtaken;
}

static void jitter_reorders_what_is_not_ordered(void **state)
{
  (void)state;
  open_with(2, "rdma,jitter=500us,seed=5"); /* much more than a look takes */
  assert_int_equal(overtaken_messages(DART__CHANNEL_OWN, 3, DART__CHANNEL_OWN, 3), 0);
  assert_int_equal(overtaken_messages(DART__CHANNEL_AM, 0, DART__CHANNEL_AM, 0), 0);
  assert_true(overtaken_messages(DART__CHANNEL_OWN, 3, DART__CHANNEL_OWN, 4) > PAIRS / 10);
  assert_true(overtaken_messages(DART__CHANNEL_AM, 0, DART__CHANNEL_REPLY, 0) > PAIRS / 10);
  peers_close(&peers);
}

static void program_messages_keep_their_order_with_any_tag(void **state)
{
  dart__net_request_t sent[50];
  uint64_t            words[50];

  (void)state;
  open_with(2, "rdma,jitter=20us,seed=5");
  for (uint64_t i = 0; i < 50; i++) {
    words[i] = i;
    sent[i]  = send_word(0, 1, DART__CHANNEL_PROGRAM, (int)(i * 7 % 5), &words[i]);
  }
  for (uint64_t i = 0; i < 50; i++)
    assert_int_equal(recv_word(1, 0, DART__CHANNEL_PROGRAM, DART__ANY_TAG), i);
  for (uint64_t i = 0; i < 50; i++)
    await(0, &sent[i]);
  peers_close(&peers);
}

/* The same of puts, the second one to a region of its own or not; those to one place have values that tell which was the
 * last. */
static int overtaken_puts(const dart__region_t *second, size_t nbytes, uint64_t distance, way_t way)
{
  static char values[2][16] = { { 1 }, { 2 } };
  const char *there         = second->base + distance;
  int         overtaken     = 0;

  for (int i = 0; i < PAIRS; i++) {
    dart__net_request_t puts[2];
    bool                is_second_first = false;

    memset(memory, 0, 200);
    memset(another.base, 0, 200);
    for (int k = 0; k < 2; k++)
      puts[k] = move_in(k == 0 ? &region : second, 0, 1, true, values[k], nbytes,
                        (uint64_t)k * distance, way);
    while (comm(0)->peer[1].nlisted > 0) {
      for (int peer = 0; peer < 2; peer++)
        peers_progress(comm(peer));
      is_second_first |= there != memory && *there != 0 && memory[0] == 0;
    }
    await(0, &puts[0]);
    await(0, &puts[1]);
    overtaken += there != memory ? is_second_first : memory[0] == 1;
  }
  return overtaken;
}

static void only_small_puts_to_one_place_are_ordered(void **state)
{
  (void)state;
  open_with(2, "software,jitter=500us,seed=6");
  dart__region_enter(comm(1), &region);
  dart__region_enter(comm(1), &another);
  for (way_t way = BY_PEER; way < WAYS; way++) {
    assert_int_equal(overtaken_puts(&region, 8, 0, way), 0);
    assert_int_equal(overtaken_puts(&region, 1, 0, way), 0);
    assert_int_equal(overtaken_puts(&region, 8, 4, way), 0);
    assert_true(overtaken_puts(&region, 8, 64, way) > PAIRS / 20);
    assert_true(overtaken_puts(&region, 16, 0, way) > PAIRS / 20);
    assert_true(overtaken_puts(&another, 8, 0, way) > PAIRS / 20);
  }
  peers_close(&peers);
}

/* ---- peers that are lost -------------------------------------------------------------------------- */

static void sends_to_a_lost_peer_are_done(void **state)
{
  static dart__net_request_t sent[MANY];
  dart__net_request_t        offered, fetched;

  (void)state;
  peers_open_mortal(&peers, 3, "rdma");
  dart__net_send(comm(0), 1, DART__CHANNEL_OWN, 1, large, sizeof large, &offered);
  for (int i = 0; i < MANY; i++)
    dart__net_send(comm(0), 1, DART__CHANNEL_AM, 0, large, 2000, &sent[i]);
  assert_false(is_done(0, &offered) || is_done(0, &sent[MANY - 1]));
  peers_lose(1);
  assert_true(is_done(0, &offered));
  for (int i = 0; i < MANY; i++)
    assert_true(is_done(0, &sent[i]));
  dart__net_send(comm(0), 1, DART__CHANNEL_OWN, 1, large, sizeof large, &offered);
  assert_true(is_done(0, &offered));
  dart__net_recv(comm(2), 0, DART__CHANNEL_OWN, 1, NULL, got, sizeof got, &fetched);
  dart__net_send(comm(0), 2, DART__CHANNEL_OWN, 1, large, sizeof large, &offered);
  await(2, &fetched); /* others go on */
  await(0, &offered);
  assert_memory_equal(got, large, sizeof large);
  peers_close(&peers);
}

/* What has come is there, but nothing that the peer would have to send yet. */
static void receives_from_a_lost_peer_are_cancelled(void **state)
{
  dart__net_request_t        named, any, sent[2];
  dart__net_request_t *const requests[] = { &any };
  uint64_t                   word       = 17;

  (void)state;
  peers_open_mortal(&peers, 2, "rdma");
  send_word(1, 0, DART__CHANNEL_PROGRAM, 3, &word);
  dart__net_send(comm(1), 0, DART__CHANNEL_OWN, 1, large, sizeof large, &sent[0]);
  dart__net_send(comm(1), 0, DART__CHANNEL_AM, 0, large, sizeof large, &sent[1]);
  dart__net_recv(comm(0), 1, DART__CHANNEL_OWN, 1, NULL, got, sizeof got, &named);
  dart__net_recv(comm(0), DART__ANY_PEER, DART__CHANNEL_AM, 0, NULL, got, sizeof got, &any);
  peers_progress(comm(0));
  peers_progress(comm(1)); /* some of the bytes are on their way */
  peers_lose(1);
  assert_false(is_done(0, &named));
  assert_int_equal(dart__net_test(comm(0), requests, 1, &message), 0);
  assert_int_equal(message.nbytes, 0);
  memset(got, 0, sizeof got);
  dart__net_cancel(comm(0), &named);
  assert_true(named.id == DART__NET_DONE.id);
  assert_int_equal(recv_word(0, 1, DART__CHANNEL_PROGRAM, 3), 17);
  for (size_t i = 0; i < sizeof got; i++)
    assert_int_equal(got[i], 0);
  for (int i = 0; i < 2; i++) /* their memory, which would go with the peer's process */
    dart__net_cancel(comm(1), &sent[i]);
  peers_close(&peers);
}

/* Of two that are alive one gives a message up; then the other gets no byte of it. */
static void a_message_that_is_given_up_is_not_read(void **state)
{
  dart__net_request_t sent, received;

  (void)state;
  peers_open_mortal(&peers, 2, "rdma");
  memset(got, 0, sizeof got);
  dart__net_send(comm(1), 0, DART__CHANNEL_LEADERS, 1, large, sizeof large, &sent);
  dart__net_recv(comm(0), 1, DART__CHANNEL_LEADERS, 1, NULL, got, sizeof got, &received);
  dart__net_cancel(comm(1), &sent);
  for (int i = 0; i < 10; i++)
    assert_false(is_done(0, &received) || (peers_progress(comm(1)), false));
  dart__net_cancel(comm(0), &received);
  assert_int_equal(got[0], 0);
  peers_close(&peers);
}

static void puts_to_a_lost_peer_are_done(void **state)
{
  dart__net_request_t request;
  dart__region_t      region = { .id = 1, .base = got, .nbytes = sizeof got };
  dart__request_t     get    = {
           .kind = DART__PACKET_GET, .peer = 1, .data = got, .nbytes = LARGE, .there = 1
  };

  (void)state;
  peers_open_mortal(&peers, 2, "software");
  dart__region_enter(comm(1), &region);
  dart__wire_move(comm(0), &get, &request);
  assert_false(is_done(0, &request));
  peers_lose(1);
  dart__wire_flush(comm(0), 1, true);
  assert_true(is_done(0, &request));
  peers_close(&peers);
}

/* A sender dies with a claim in the inbox. */
static void a_claim_of_a_lost_peer_is_passed(void **state)
{
  dart__inbox_t      *inbox;
  dart__net_request_t sent;
  uint64_t            head = 0, word = 23;

  (void)state;
  peers_open_mortal(&peers, 3, "rdma");
  inbox = (void *)peers.inboxes;
  assert_true(dart__inbox_enter(inbox, 1));
  assert_non_null(dart__inbox_claim(inbox, 100, &head));
  sent = send_word(2, 0, DART__CHANNEL_OWN, 1, &word);
  assert_false(is_done(2, &sent));
  peers_progress(comm(0));
  assert_false(is_done(2, &sent));
  peers_lose(1);
  assert_int_equal(recv_word(0, 2, DART__CHANNEL_OWN, 1), 23);
  assert_true(is_done(2, &sent));
  peers_close(&peers);
}

/* ---- the setting -------------------------------------------------------------------------------- */

static void the_setting_is_read_or_refused(void **state)
{
  static const char *const bad[] = { "",
                                     "rdm",
                                     "rdma,",
                                     "latency",
                                     "latency=",
                                     "latency=2",
                                     "latency=2s",
                                     "latency=-1us",
                                     "latency=0x10us",
                                     "latency=1e3us",
                                     "bandwidth=1e400",
                                     "seed=99999999999999999999",
                                     "jitter=1m",
                                     "bandwidth=1",
                                     "seed=x",
                                     "bandwidth=1T",
                                     "rdma latency=1us",
                                     "seed=1,seed=",
                                     "rdma,software",
                                     "rdma,rdma",
                                     "seed=1,latency=1us,seed=1",
                                     "jitter=0,jitter=0" };
  dart__net_model_t        model;

  (void)state;
  assert_null(dart__net_model_read("rdma", &model));
  assert_false(model.is_software || model.has_delays);
  assert_null(
      dart__net_model_read("software,latency=2us,bandwidth=10G,jitter=1.5us,seed=7", &model));
  assert_true(model.is_software && model.has_delays);
  assert_true(model.latency_ns == 2000 && model.jitter_ns == 1500 && model.bandwidth == 1e10);
  assert_int_equal(model.seed, 7);
  assert_null(dart__net_model_read("latency=0,rdma", &model));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (dart__net_model_read(bad[i], &model) == NULL)
      fail_msg("accepted: %s", bad[i]);
  assert_string_equal(dart__net_model_read("rdma,latnecy=1us,seed=1", &model),
                      "latnecy=1us,seed=1");
}

/* ---- threads -------------------------------------------------------------------------------------- */

enum { HUGE = 32 << 20 };

typedef struct {
  char        *to, *from;
  _Atomic bool is_over;
} long_put_t;

static void *put_by_kernel(void *context)
{
  long_put_t *put = context;

  dart__wire_move(comm(0),
                  &(dart__request_t){ .kind    = DART__PACKET_PUT,
                                      .peer    = 1,
                                      .data    = put->from,
                                      .nbytes  = HUGE,
                                      .mapped  = put->to,
                                      .process = getpid() },
                  NULL);
  dart__wire_flush(comm(0), 1, true);
  put->is_over = true;
  return NULL;
}

/* While the kernel copies what has been under way for its latency, other threads make progress: one has begun when the first
 * byte was there, and has ended before the last. */
static void a_long_copy_holds_up_no_thread(void **state)
{
  long_put_t put  = { .to = calloc(1, HUGE), .from = calloc(1, HUGE) };
  bool       seen = false;
  pthread_t  thread;

  (void)state;
  open_with(2, "rdma,latency=1us");
  put.from[0] = put.from[HUGE - 1] = 1;
  for (int round = 0; round < 50 && !seen; round++) {
    put.to[0] = put.to[HUGE - 1] = 0;
    put.is_over                  = false;
    assert_int_equal(pthread_create(&thread, NULL, put_by_kernel, &put), 0);
    while (!put.is_over && !seen)
      if (__atomic_load_n(put.to, __ATOMIC_ACQUIRE) == 1) {
        peers_progress(comm(0));
        seen = __atomic_load_n(&put.to[HUGE - 1], __ATOMIC_ACQUIRE) == 0;
      }
    pthread_join(thread, NULL);
    assert_int_equal(put.to[HUGE - 1], 1);
  }
  assert_true(seen);
  peers_close(&peers);
  free(put.from);
  free(put.to);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(messages_come_in_order_and_are_named),
    cmocka_unit_test(receives_take_messages_in_the_order_posted),
    cmocka_unit_test(a_claimed_message_is_found_by_nobody_else),
    cmocka_unit_test(a_message_does_not_wait_for_what_is_fetched),
    cmocka_unit_test(a_full_inbox_pushes_back),
    cmocka_unit_test(messages_that_nobody_receives_hold_up_no_other),
    cmocka_unit_test(bytes_go_where_they_should),
    cmocka_unit_test(a_target_that_stops_holds_up_no_other),
    cmocka_unit_test(what_is_under_way_is_bounded),
    cmocka_unit_test(a_local_flush_passes_no_puts_that_were_sent),
    cmocka_unit_test(many_puts_are_all_completed),
    cmocka_unit_test(nothing_comes_before_its_time),
    cmocka_unit_test(jitter_reorders_what_is_not_ordered),
    cmocka_unit_test(program_messages_keep_their_order_with_any_tag),
    cmocka_unit_test(only_small_puts_to_one_place_are_ordered),
    cmocka_unit_test(sends_to_a_lost_peer_are_done),
    cmocka_unit_test(receives_from_a_lost_peer_are_cancelled),
    cmocka_unit_test(a_message_that_is_given_up_is_not_read),
    cmocka_unit_test(puts_to_a_lost_peer_are_done),
    cmocka_unit_test(a_claim_of_a_lost_peer_is_passed),
    cmocka_unit_test(the_setting_is_read_or_refused),
    cmocka_unit_test(a_long_copy_holds_up_no_thread),
  };

  for (size_t i = 0; i < sizeof large; i++)
    large[i] = (char)(1 + i * 31 % 120);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
