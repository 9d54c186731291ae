/* The simulated network at random: two threads of each peer send to all peers, receive in every way there is, put and
 * get, and flush, all at once. Each thread knows what has to come, and what its place on each peer contains. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "test_peers.h"

enum { PEERS = 3, THREADS = 2, ALL = PEERS * THREADS, EACH = 60, MOST = 40000, PLACE = 30000 };

/* What thread `to` of a peer gets from a thread is on one channel, by its tag. */
static const dart__channel_t channel_of[THREADS] = { DART__CHANNEL_OWN, DART__CHANNEL_PROGRAM };

static peers_t        peers;
static char           memory[PEERS][ALL][PLACE];
static dart__region_t region[PEERS];
static _Atomic int    failures, nfinished;

typedef struct {
  int                 id;
  dart__net_comm_t   *comm;
  uint64_t            random;
  int                 nsent[ALL], nreceived[ALL]; /* to and from each thread */
  bool                is_sending, is_receiving[ALL];
  dart__net_request_t sent, received[ALL];
  char                out[MOST], in[ALL][MOST];
  char                expected[PEERS][PLACE];
} thread_t;

static uint64_t draw(thread_t *t, uint64_t most)
{
  return dart__random_next(&t->random) % (most + 1);
}

static void expect(bool holds, const char *what, const thread_t *t)
{
  if (holds)
    return;
  fprintf(stderr, "thread %d: %s\n", t->id, what);
  failures++;
}

/* The bytes of a message are known from its sender and its number. */
static void fill(char *data, size_t nbytes, int from, int to, int number)
{
  for (size_t i = 0; i < nbytes; i++)
    data[i] = (char)(from * 31 + to * 17 + number * 7 + (int)(i % 253));
}

static size_t size_of(int from, int to, int number)
{
  static const size_t sizes[] = { 0, 1, 8, 500, 8191, 8192, 8193, MOST };

  return sizes[(from + 3 * to + number) % 8];
}

static void send_next(thread_t *t)
{
  int to = (int)draw(t, ALL - 1);

  if (t->is_sending && dart__net_is_done(t->comm, &t->sent))
    t->is_sending = false;
  if (t->is_sending || t->nsent[to] == EACH)
    return;
  fill(t->out, size_of(t->id, to, t->nsent[to]), t->id, to, t->nsent[to]);
  dart__net_send(t->comm, to / THREADS, channel_of[to % THREADS], 1 + t->id, t->out,
                 size_of(t->id, to, t->nsent[to]), &t->sent);
  t->nsent[to]++;
  t->is_sending = true;
}

static void check_received(thread_t *t, int from)
{
  static _Thread_local char right[MOST];
  int                       number = t->nreceived[from]++;
  size_t                    nbytes = size_of(from, t->id, number);

  fill(right, nbytes, from, t->id, number);
  expect(memcmp(t->in[from], right, nbytes) == 0, "a message is not what was sent next", t);
  t->is_receiving[from] = false;
}

/* A receive that waits for one thread holds up none from another: their sends may wait for each other otherwise. */
static void receive_next(thread_t *t)
{
  dart__channel_t     channel = channel_of[t->id % THREADS];
  dart__net_message_t found;
  int                 from = (int)draw(t, ALL - 1);

  if (t->is_receiving[from]) {
    if (dart__net_is_done(t->comm, &t->received[from]))
      check_received(t, from);
    return;
  }
  if (t->nreceived[from] == EACH)
    return;
  t->is_receiving[from] = true;
  if (draw(t, 3) == 0) { /* may have to wait */
    dart__net_recv(t->comm, draw(t, 1) == 0 ? DART__ANY_PEER : from / THREADS, channel, 1 + from,
                   NULL, t->in[from], MOST, &t->received[from]);
    return;
  }
  if (channel == DART__CHANNEL_PROGRAM && draw(t, 1) == 0 &&
      dart__net_probe(t->comm, DART__ANY_PEER, channel, DART__ANY_TAG, false, &found) &&
      !t->is_receiving[found.tag - 1]) {
    t->is_receiving[from] = false;
    from                  = found.tag - 1;
    t->is_receiving[from] = true;
  }
  if (!dart__net_probe(t->comm, from / THREADS, channel, 1 + from, true, &found)) {
    t->is_receiving[from] = false;
    return;
  }
  expect(found.nbytes == size_of(from, t->id, t->nreceived[from]), "a length is wrong", t);
  dart__net_recv(t->comm, from / THREADS, channel, 1 + from, &found, t->in[from], found.nbytes,
                 &t->received[from]);
}

static void move(thread_t *t, int peer, bool is_put, char *data, size_t nbytes, size_t at,
                 dart__net_request_t *request_out)
{
  dart__request_t move = { .peer   = peer,
                           .kind   = is_put ? DART__PACKET_PUT : DART__PACKET_GET,
                           .data   = data,
                           .nbytes = nbytes,
                           .there  = 5,
                           .offset = (size_t)t->id * PLACE + at,
                           .mapped = draw(t, 1) == 0 ? &memory[peer][t->id][at] : NULL };

  dart__wire_move(t->comm, &move, request_out);
}

static void put_and_get(thread_t *t)
{
  static _Thread_local char in[PLACE];
  int                       peer   = (int)draw(t, PEERS - 1);
  size_t                    nbytes = draw(t, 5) == 0 ? 1 + draw(t, PLACE - 2) : 1 + draw(t, 20);
  size_t                    at     = draw(t, PLACE - nbytes - 1);
  char                     *out    = &t->expected[peer][at];
  dart__net_request_t       request;

  for (size_t i = 0; i < nbytes; i++)
    out[i] = (char)draw(t, 255);
  if (draw(t, 1) == 0) {
    move(t, peer, true, out, nbytes, at, NULL);
  } else {
    move(t, peer, true, out, nbytes, at, &request);
    while (!dart__net_is_done(t->comm, &request))
      ;
  }
  dart__wire_flush(t->comm, peer, true);
  expect(memcmp(&memory[peer][t->id][at], out, nbytes) == 0, "a put is not there", t);
  move(t, peer, false, in, nbytes, at, NULL);
  dart__wire_flush(t->comm, peer, false);
  expect(memcmp(in, out, nbytes) == 0, "a get brought something else", t);
}

static bool has_all(const thread_t *t)
{
  for (int i = 0; i < ALL; i++)
    if (t->nsent[i] < EACH || t->nreceived[i] < EACH)
      return false;
  return !t->is_sending;
}

static void *run(void *argument)
{
  thread_t *t = argument;

  while (!has_all(t)) {
    send_next(t);
    receive_next(t);
    if (draw(t, 3) == 0)
      put_and_get(t);
  }
  nfinished++;
  while (nfinished < ALL) /* others may need this peer */
    peers_progress(t->comm);
  return NULL;
}

static void run_with(const char *model)
{
  static thread_t threads[ALL];
  pthread_t       handles[ALL];
  const char     *text = getenv("DART_TEST_SEED");
  uint64_t        seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
  char            with_seed[200];

  printf("DART_TEST_SEED=%llu\n", (unsigned long long)seed);
  snprintf(with_seed, sizeof with_seed, "%s,seed=%llu", model, (unsigned long long)seed);
  peers_open(&peers, PEERS, with_seed);
  memset(memory, 0, sizeof memory);
  nfinished = 0;
  for (int p = 0; p < PEERS; p++) {
    region[p] = (dart__region_t){ .id = 5, .base = memory[p][0], .nbytes = sizeof memory[p] };
    dart__region_enter(peers.comm[p], &region[p]);
  }
  for (int i = 0; i < ALL; i++) {
    memset(&threads[i], 0, sizeof threads[i]);
    threads[i].id     = i;
    threads[i].comm   = peers.comm[i / THREADS];
    threads[i].random = seed * 100 + (uint64_t)i;
    assert_int_equal(pthread_create(&handles[i], NULL, run, &threads[i]), 0);
  }
  for (int i = 0; i < ALL; i++)
    pthread_join(handles[i], NULL);
  for (int p = 0; p < PEERS; p++)
    for (int i = 0; i < ALL; i++)
      assert_memory_equal(memory[p][i], threads[i].expected[p], PLACE);
  peers_close(&peers);
  assert_int_equal(failures, 0);
}

/* ---- puts that nobody flushes -------------------------------------------------------------------- */

enum { PUTS = 20000 };

static uint64_t words[2][PUTS]; /* of each of two peers, which its other one puts */

/* What is under way is bounded, at either side; and neither waits for ever while both are pushed back. */
static void *put_all(void *argument)
{
  dart__net_comm_t *comm = argument;
  int32_t           to   = comm->link.config.me == 0;
  uint64_t          values[PUTS];
  int32_t           nlisted, nwaiting;

  for (uint64_t i = 0; i < PUTS; i++) {
    values[i] = i + 1;
    dart__wire_move(comm,
                    &(dart__request_t){ .peer   = to,
                                        .kind   = DART__PACKET_PUT,
                                        .data   = (char *)&values[i],
                                        .nbytes = sizeof values[i],
                                        .there  = 5,
                                        .offset = i * sizeof values[i] },
                    NULL);
    pthread_mutex_lock(&comm->lock);
    nlisted  = (int32_t)comm->peer[to].nlisted;
    nwaiting = comm->nwaiting;
    pthread_mutex_unlock(&comm->lock);
    failures += nlisted > DART__OPS_MOST || nwaiting > 2 * DART__OPS_MOST;
  }
  dart__wire_flush(comm, to, true);
  nfinished++;
  while (nfinished < 2)
    peers_progress(comm);
  return NULL;
}

static void puts_without_a_flush_are_bounded(void **state)
{
  pthread_t      threads[2];
  dart__region_t regions[2];

  (void)state;
  peers_open(&peers, 2, "software");
  nfinished = 0;
  for (int p = 0; p < 2; p++) {
    regions[p] = (dart__region_t){ .id = 5, .base = (char *)words[p], .nbytes = sizeof words[p] };
    dart__region_enter(peers.comm[p], &regions[p]);
  }
  for (int p = 0; p < 2; p++)
    assert_int_equal(pthread_create(&threads[p], NULL, put_all, peers.comm[p]), 0);
  for (int p = 0; p < 2; p++)
    pthread_join(threads[p], NULL);
  for (uint64_t i = 0; i < PUTS; i++)
    assert_true(words[0][i] == i + 1 && words[1][i] == i + 1);
  peers_close(&peers);
  assert_int_equal(failures, 0);
}

/* -------------------------------------------------------------------------------------------------- */

static void without_delays(void **state)
{
  (void)state;
  run_with("software");
}

static void with_jitter(void **state)
{
  (void)state;
  run_with("software,latency=2us,jitter=30us");
}

static void with_a_slow_link(void **state)
{
  (void)state;
  run_with("rdma,latency=1us,bandwidth=1G,jitter=3us");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(puts_without_a_flush_are_bounded),
    cmocka_unit_test(without_delays),
    cmocka_unit_test(with_jitter),
    cmocka_unit_test(with_a_slow_link),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
