/* Active messages between threads, at random: the threads of every peer send all kinds of requests to all
 * peers, over a transport that delays and reorders (thread_transport.h), with windows and batches of any size, peers
 * that stop for a while, and allocations that fail. Each thread knows the expected values, for it has a
 * column of its own in every peer's memory; updates of all threads to shared counters must add up. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "instances.h"

enum {
  PEERS   = 5,     /* at most */
  THREADS = 2,     /* of a peer, at most */
  COLUMN  = 4096,  /* bytes of a thread in every peer's memory */
  LARGE   = 20000, /* bytes of a channel */
  STEPS   = 300
};

typedef struct {
  int      npeers, nthreads, steps;
  unsigned delay, window;
  size_t   batch_bytes, collected;
  bool     is_sent_later, stops;
  unsigned fails; /* every how many-th allocation */
  uint64_t first_batch;
} setting_t;

/* The memory of a peer, with members for every thread of all peers. */
typedef struct {
  _Alignas(64) uint64_t counters[4];      /* that all threads add to */
  uint64_t      own[PEERS * THREADS];     /* that one thread adds to */
  uint64_t      arrived[PEERS * THREADS]; /* notifications from that thread */
  uint64_t      credit[PEERS * THREADS];  /* to that thread of this peer, by [peer] */
  unsigned char column[PEERS * THREADS][COLUMN];
  unsigned char channel[PEERS * THREADS][LARGE];
} memory_t;

static setting_t        setting;
static test_peer_t      peers[PEERS];
static _Atomic int      nready, failures;
static _Atomic uint64_t added[4];

static _Thread_local dart__am_t *mine;

static void progress(void)
{
  dart__am_progress(mine, true);
}

static const dart__wait_policy_t wait_policy = {
  .pace = &(const dart__wait_pace_t){ .spins = 64, .nap_us = 1, .progress = progress }
};

static void expect(bool holds, const char *what, int thread, int step)
{
  if (holds)
    return;
  fprintf(stderr, "thread %d, step %d: %s\n", thread, step, what);
  failures++;
}

/* ---- what a thread does ---------------------------------------------------------------------- */

typedef struct {
  int           id;   /* of all threads */
  int           peer; /* its own */
  int           step;
  uint64_t      random;
  unsigned char expected[PEERS][COLUMN];
  uint64_t      own[PEERS];  /* what it added to its word there */
  uint64_t      sent[PEERS]; /* messages on its channel */
} thread_t;

static void flush(thread_t *t, int peer, bool remote)
{
  bool ok = test_flush(mine, peer, remote ? DART__AM_REMOTE : DART__AM_LOCAL) == DART_OK;

  expect(ok, "a flush failed", t->id, t->step);
}

static bool is_any(const void *unused, int32_t peer)
{
  (void)unused, (void)peer;
  return true;
}

/* A size that fits a record, for any size of batches. */
static size_t draw_size(thread_t *t)
{
  size_t most = setting.batch_bytes - 64;

  return 1 + test_draw(&t->random) % (most < 1000                      ? most
                                      : test_draw(&t->random) % 8 == 0 ? 3000
                                                                       : 300);
}

static void put_and_get(thread_t *t, int peer)
{
  size_t             nbytes = draw_size(t), offset = test_draw(&t->random) % (COLUMN - nbytes);
  size_t             start = offsetof(memory_t, column) + (size_t)t->id * COLUMN + offset;
  unsigned char      data[COLUMN], got[COLUMN];
  dart__am_address_t there = test_address(peer, start);

  for (size_t i = 0; i < nbytes; i++)
    data[i] = (unsigned char)test_draw(&t->random);
  memcpy(&t->expected[peer][offset], data, nbytes);
  dart__am_put(mine, &there, data, nbytes);
  memset(data, 0xee, nbytes); /* it was copied */
  if (test_draw(&t->random) % 2 == 0)
    return;
  dart__am_get(mine, &there, got, nbytes);
  flush(t, peer, test_draw(&t->random) % 2 == 0);
  expect(memcmp(got, &t->expected[peer][offset], nbytes) == 0, "a get brought something else",
         t->id, t->step);
}

static uint64_t look(const uint64_t *word)
{
  return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)word, memory_order_acquire);
}

/* Some of the column there; a flag here says that it has come, and nobody flushes it. */
static void get_and_be_told(thread_t *t, int peer)
{
  size_t             nbytes = draw_size(t), offset = test_draw(&t->random) % (COLUMN - nbytes);
  size_t             start = offsetof(memory_t, column) + (size_t)t->id * COLUMN + offset;
  unsigned char      got[COLUMN];
  uint64_t           flag = test_draw(&t->random), by = 1 + test_draw(&t->random) % 9;
  uint64_t           told  = flag + by;
  dart__turns_t      turns = { 0 };
  dart__am_address_t there = test_address(peer, start);

  if (test_draw(&t->random) % 2 == 0) {
    dart__am_get(mine, &there, got, nbytes);
  } else {
    flush(t, peer, true); /* or data would be read before earlier puts */
    dart__am_move_data(mine, &there, got, nbytes, false);
  }
  dart__am_notify_here(mine, peer, &flag, by, DART_OP_SUM);
  while (look(&flag) != told)
    dart__wait_turn(&turns, &wait_policy);
  expect(memcmp(got, &t->expected[peer][offset], nbytes) == 0, "a flag has come before its data",
         t->id, t->step);
}

/* Types of bytes with 1, 2, 3 or 6 of them in an instance, more than a peer keeps; the first is consecutive. */
enum { TYPES = 26, WHOLE = 6 };
static dart_datatype_t types[TYPES];

static void make_types(void)
{
  types[0] = DART_TYPE_BYTE;
  for (size_t i = 1; i < TYPES; i++) {
    size_t offset[3] = { 9 + i % 3, 0, 4 }, length[3] = { 2, 1, 3 };

    if (i % 3 == 0)
      assert_int_equal(dart_type_create_indexed(DART_TYPE_BYTE, 3, length, offset, &types[i]),
                       DART_OK);
    else
      assert_int_equal(dart_type_create_strided(DART_TYPE_BYTE, 3 + i % 11, 1 + i % 3, &types[i]),
                       DART_OK);
  }
}

static void destroy_types(void)
{
  for (size_t i = 1; i < TYPES; i++)
    assert_int_equal(dart_type_destroy(&types[i]), DART_OK);
}

static const dart__type_t *draw_type(thread_t *t)
{
  return dart__type_find(types[test_draw(&t->random) % TYPES]);
}

static size_t place_in(const dart__type_t *type, size_t k)
{
  size_t place;

  dart__type_run(type, k, &place);
  return place;
}

static void put_and_get_elements(thread_t *t, int peer)
{
  const dart__type_t *at_type = draw_type(t), *type = draw_type(t);
  size_t              nelem  = WHOLE * (1 + test_draw(&t->random) % 40);
  size_t              offset = test_draw(&t->random) % (COLUMN - dart__type_span(at_type, nelem));
  size_t              start  = offsetof(memory_t, column) + (size_t)t->id * COLUMN + offset;
  unsigned char       data[COLUMN], got[COLUMN];
  dart__am_address_t  there = test_address(peer, start);

  for (size_t i = 0; i < COLUMN; i++)
    data[i] = (unsigned char)test_draw(&t->random);
  for (size_t k = 0; k < nelem; k++)
    t->expected[peer][offset + place_in(at_type, k)] = data[place_in(type, k)];
  dart__am_move_typed(mine, &there, at_type, data, type, nelem, true);
  memset(data, 0xee, sizeof data); /* they were copied */
  if (test_draw(&t->random) % 2 == 0)
    return;
  type = draw_type(t);
  memset(got, 0xcc, sizeof got);
  memset(data, 0xcc, sizeof data);
  dart__am_move_typed(mine, &there, at_type, got, type, nelem, false);
  for (size_t k = 0; k < nelem; k++)
    data[place_in(type, k)] = t->expected[peer][offset + place_in(at_type, k)];
  flush(t, peer, test_draw(&t->random) % 2 == 0);
  expect(memcmp(got, data, sizeof got) == 0, "a get brought other elements", t->id, t->step);
}

static void update(thread_t *t, int peer)
{
  uint64_t           by[4], old = 0, word = test_draw(&t->random) % 3;
  dart__am_address_t there = test_address(peer, offsetof(memory_t, counters) + word * 8);
  dart__am_address_t own   = test_address(peer, offsetof(memory_t, own) + (size_t)t->id * 8);

  for (int i = 0; i < 4; i++)
    by[i] = test_draw(&t->random) % 100;
  if (word < 2) { /* two words in one call */
    dart__am_accumulate(mine, &there, by, 2, DART_TYPE_ULONG, DART_OP_SUM);
    added[word] += by[0];
    added[word + 1] += by[1];
  } else {
    dart__am_accumulate(mine, &there, by, 1, DART_TYPE_ULONG, DART_OP_SUM);
    added[word] += by[0];
  }
  there       = test_address(peer, offsetof(memory_t, counters) + 3 * 8); /* all by the mutex */
  there.segid = TEST_BY_MUTEX;
  dart__am_accumulate(mine, &there, &by[2], 1, DART_TYPE_ULONG, DART_OP_SUM);
  added[3] += by[2];
  if (test_draw(&t->random) % 2 == 0) {
    dart__am_fetch(mine, &own, &by[3], &old, 1, DART_TYPE_ULONG, DART_OP_SUM);
    flush(t, peer, false);
    expect(old == t->own[peer], "a fetch brought something else", t->id, t->step);
    t->own[peer] += by[3];
  } else {
    dart__am_swap(mine, &own, &by[3], &t->own[peer], &old, DART_TYPE_ULONG);
    flush(t, peer, false);
    expect(old == t->own[peer], "a swap met something else", t->id, t->step);
    t->own[peer] = by[3];
  }
}

/* Update a word of its own memory under its mutex, in two steps that only the mutex makes atomic. */
static void update_own(thread_t *t)
{
  const dart__wait_policy_t briefly = { .pace = &(const dart__wait_pace_t){ .spins = 50 } };
  test_peer_t              *peer    = &peers[t->peer];
  uint64_t                 *word    = &((memory_t *)(void *)peer->memory)->counters[3];
  uint64_t                  by      = test_draw(&t->random) % 100, before;

  dart__mutex_lock(&peer->mutex, &briefly);
  before = *word;
  sched_yield();
  *word = before + by;
  dart__mutex_unlock(&peer->mutex);
  added[3] += by;
}

static unsigned char content(int thread, uint64_t number, size_t index)
{
  return (unsigned char)(number * 7 + index * 3 + index / 251 + (size_t)thread);
}

static bool is_right(const unsigned char *data, int thread, uint64_t number)
{
  uint32_t nbytes;

  memcpy(&nbytes, data, sizeof nbytes);
  for (size_t i = sizeof nbytes; i < nbytes && i < LARGE; i++)
    if (data[i] != content(thread, number, i))
      return false;
  return nbytes <= LARGE;
}

/* What has come to the thread's channel to a peer, to which nobody else writes; to `data`, which says what that is. */
static void get_back(thread_t *t, int peer, const dart__am_address_t *channel, unsigned char *data,
                     size_t nbytes)
{
  memset(data, 0xdd, nbytes);
  dart__am_move_data(mine, channel, data, nbytes, false);
  flush(t, peer, false);
  expect(is_right(data, t->id, t->sent[peer]), "data are not those that were sent", t->id, t->step);
}

/* The next message on the thread's channel to a peer, when the last one was taken. */
static void send(thread_t *t, int peer)
{
  memory_t          *own    = (memory_t *)(void *)peers[t->peer].memory;
  size_t             nbytes = 4 + test_draw(&t->random) % (LARGE - 4);
  dart__am_address_t channel =
      test_address(peer, offsetof(memory_t, channel) + (size_t)t->id * LARGE);
  dart__am_address_t counter = test_address(peer, offsetof(memory_t, arrived) + (size_t)t->id * 8);
  unsigned char     *data;

  if (look(&own->credit[t->id % THREADS * PEERS + peer]) < t->sent[peer])
    return;
  test_fail_allocations(0);
  data = malloc(nbytes);
  test_fail_allocations(setting.fails);
  t->sent[peer]++;
  for (size_t i = 0; i < nbytes; i++)
    data[i] = content(t->id, t->sent[peer], i);
  memcpy(data, &(uint32_t){ (uint32_t)nbytes }, sizeof(uint32_t));
  if (nbytes < draw_size(t)) {
    dart__am_notify(mine, &channel, data, nbytes, &counter, 1, DART_OP_SUM);
    memset(data, 0xdd, nbytes);
  } else {
    dart__am_move_data(mine, &channel, data, nbytes, true);
    dart__am_notify(mine, NULL, NULL, 0, &counter, 1, DART_OP_SUM);
    flush(t, peer, false);
    get_back(t, peer, &channel, data, nbytes);
  }
  free(data);
}

/* Receive on the channels to this peer that belong to the calling thread. */
static void take(thread_t *t, uint64_t *taken)
{
  memory_t *own = (memory_t *)(void *)peers[t->peer].memory;

  for (int from = 0; from < setting.npeers * THREADS; from++) {
    int                sender = from / THREADS;
    dart__am_address_t credit = test_address(
        sender, offsetof(memory_t, credit) + (size_t)(from % THREADS * PEERS + t->peer) * 8);
    uint64_t number = taken[from] + 1;

    if (from % setting.nthreads != t->id % THREADS || look(&own->arrived[from]) < number)
      continue;
    expect(look(&own->arrived[from]) == number, "a notification came twice", t->id, t->step);
    expect(is_right(own->channel[from], from, number),
           "data are not there when their notification is", t->id, t->step);
    taken[from] = number;
    dart__am_notify(mine, NULL, NULL, 0, &credit, 1, DART_OP_SUM);
  }
}

static void nap(void)
{
  nanosleep(&(struct timespec){ 0, 2000 * 1000 }, NULL);
}

static void *run(void *argument)
{
  thread_t     *t                      = argument;
  uint64_t      taken[PEERS * THREADS] = { 0 };
  dart__turns_t turns                  = { 0 };

  mine = peers[t->peer].am;
  test_fail_allocations(setting.fails);
  for (t->step = 0; t->step < setting.steps; t->step++) {
    int peer = (int)(test_draw(&t->random) % (uint64_t)setting.npeers);

    switch (test_draw(&t->random) % 9) {
    case 0: put_and_get(t, peer); break;
    case 1: put_and_get_elements(t, peer); break;
    case 2:
    case 3:
      update(t, peer);
      update_own(t);
      break;
    case 4: send(t, peer); break;
    case 5: flush(t, peer, test_draw(&t->random) % 2 == 0); break;
    case 7: get_and_be_told(t, peer); break;
    case 6:
      if (test_draw(&t->random) % 2 == 0)
        dart__am_ping(mine, peer);
      else
        dart__am_wake(mine, peer);
      break;
    default:
      expect(dart__am_flush_members(mine, is_any, NULL, DART__AM_REMOTE) == DART_OK,
             "a flush of all failed", t->id, t->step);
      if (setting.stops && test_draw(&t->random) % 8 == 0)
        nap();
    }
    take(t, taken);
    if (test_draw(&t->random) % 4 == 0)
      dart__am_progress(mine, false);
  }
  for (int peer = 0; peer < setting.npeers; peer++) {
    dart__am_address_t there =
        test_address(peer, offsetof(memory_t, column) + (size_t)t->id * COLUMN);
    unsigned char got[COLUMN];
    size_t        most = setting.batch_bytes - 64 < 1024 ? setting.batch_bytes - 64 : 1024;

    for (size_t from = 0; from < COLUMN; from += most) {
      dart__am_address_t block = there;

      block.offset += from;
      dart__am_get(mine, &block, got + from, COLUMN - from < most ? COLUMN - from : most);
    }
    flush(t, peer, true);
    expect(memcmp(got, t->expected[peer], COLUMN) == 0, "a column is something else", t->id, peer);
  }
  nready++;
  while (nready < setting.npeers * setting.nthreads) { /* other peers still need this one */
    take(t, taken);
    dart__wait_turn(&turns, &wait_policy);
  }
  if (t->id % THREADS == 0)
    dart__am_quiesce(mine);
  nready++;
  while (nready < 2 * setting.npeers * setting.nthreads)
    dart__wait_turn(&turns, &wait_policy);
  test_fail_allocations(0);
  return NULL;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void run_with(const setting_t *wanted, uint64_t seed)
{
  static thread_t threads[PEERS * THREADS];
  pthread_t       handles[PEERS * THREADS];
  test_net_t     *net;

  setting = *wanted;
  nready  = 0;
  for (int i = 0; i < 4; i++)
    added[i] = 0;
  make_types();
  net = test_net_new(setting.npeers, setting.delay, seed);
  for (int p = 0; p < setting.npeers; p++) {
    dart__am_config_t config = DART__AM_CONFIG(test_net_transport(net, p), setting.npeers,
                                               &wait_policy, test_host(&peers[p]));

    config.window        = setting.window;
    config.batch_bytes   = setting.batch_bytes;
    config.collected     = setting.collected;
    config.is_sent_later = setting.is_sent_later;
    config.first_batch   = setting.first_batch;
    peers[p]             = (test_peer_t){ .nbytes = sizeof(memory_t) };
    peers[p].memory      = aligned_alloc(64, sizeof(memory_t));
    memset(peers[p].memory, 0, sizeof(memory_t));
    peers[p].am = dart__am_open(&config);
    assert_non_null(peers[p].am);
  }
  for (int i = 0; i < setting.npeers * THREADS; i++) {
    threads[i] = (thread_t){ .id = i, .peer = i / THREADS, .random = seed * 77 + (uint64_t)i };
    if (i % THREADS < setting.nthreads)
      assert_int_equal(pthread_create(&handles[i], NULL, run, &threads[i]), 0);
  }
  for (int i = 0; i < setting.npeers * THREADS; i++)
    if (i % THREADS < setting.nthreads)
      pthread_join(handles[i], NULL);
  for (int word = 0; word < 4; word++) {
    uint64_t sum = 0;

    for (int p = 0; p < setting.npeers; p++)
      sum += ((memory_t *)(void *)peers[p].memory)->counters[word];
    expect(sum == added[word], "updates do not add up", word, 0);
  }
  for (int p = 0; p < setting.npeers; p++) {
    dart__am_close(peers[p].am);
    free(peers[p].memory);
  }
  test_net_delete(net);
  destroy_types();
  assert_int_equal(failures, 0);
}

static const setting_t usual = {
  .npeers = 4, .nthreads = 1, .steps = STEPS, .window = 16, .batch_bytes = 8000, .collected = 1024
};

static uint64_t base_seed(void)
{
  const char *text = getenv("DART_TEST_SEED");
  uint64_t    seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

  printf("DART_TEST_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

#define RUN(...)               \
  do {                         \
    setting_t s = usual;       \
    __VA_ARGS__;               \
    (void)state;               \
    run_with(&s, base_seed()); \
  } while (0)

static void as_usual(void **state)
{
  RUN((void)s);
}
static void with_delays(void **state)
{
  RUN(s.delay = 20);
}
static void tiny_batches(void **state)
{
  RUN(s.batch_bytes = 128; s.delay = 3);
}
static void full_windows(void **state)
{
  RUN(s.window = 1; s.batch_bytes = 256; s.delay = 5);
}
static void little_collected(void **state)
{
  RUN(s.collected = 3; s.is_sent_later = true);
}
static void two_threads_a_peer(void **state)
{
  RUN(s.nthreads = 2; s.delay = 4; s.npeers = 3);
}
static void two_threads_and_full_windows(void **state)
{
  RUN(s.nthreads = 2; s.window = 2; s.batch_bytes = 200; s.npeers = 3);
}
static void counts_beyond_32_bits(void **state)
{
  RUN(s.first_batch = UINT32_MAX - 20; s.batch_bytes = 512; s.delay = 2);
}
static void memory_that_fails(void **state)
{
  RUN(s.fails = 4; s.delay = 2; s.nthreads = 2);
}
static void no_memory(void **state)
{
  RUN(s.fails = 1; s.steps /= 4);
}
static void peers_that_stop(void **state)
{
  RUN(s.stops = true; s.delay = 10; s.window = 4);
}
static void a_peer_alone(void **state)
{
  RUN(s.npeers = 1; s.nthreads = 2; s.delay = 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_usual),
    cmocka_unit_test(with_delays),
    cmocka_unit_test(tiny_batches),
    cmocka_unit_test(full_windows),
    cmocka_unit_test(little_collected),
    cmocka_unit_test(two_threads_a_peer),
    cmocka_unit_test(two_threads_and_full_windows),
    cmocka_unit_test(counts_beyond_32_bits),
    cmocka_unit_test(memory_that_fails),
    cmocka_unit_test(no_memory),
    cmocka_unit_test(peers_that_stop),
    cmocka_unit_test(a_peer_alone),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
