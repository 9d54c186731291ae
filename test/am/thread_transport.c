/* See thread_transport.h. */
#include "thread_transport.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = DART__CHANNELS, MANY = 4096 };

dart__net_t dart__net;

#define IS_SEND ((uint64_t)1 << 62) /* in an id */

/* A message sent and not yet received. */
typedef struct message {
  struct message *next;
  const void     *data;
  size_t          nbytes;
  unsigned        delay; /* looks */
  uint64_t        send;  /* the request to be done then; 0: none */
} message_t;

typedef struct {
  message_t *first, *last;
} queue_t;

/* A posted receive, and then what it received. */
typedef struct {
  uint64_t id; /* 0: free */
  int32_t  peer;
  int      channel;
  void    *buffer;
  size_t   most;
  bool     done;
  int32_t  from;
  size_t   nbytes;
} receive_t;

/* A send with a request. */
typedef struct {
  uint64_t id;
  bool     received;
  unsigned delay;
} send_t;

struct dart__net_comm {
  test_net_t     *net;
  int32_t         me;
  pthread_mutex_t lock;  /* of messages under way to this peer, and of its receives */
  queue_t        *queue; /* [npeers][CHANNELS], by sender */
  receive_t       receive[MANY];
  size_t          nreceives; /* slots ever used */
  uint64_t        random;
  pthread_mutex_t sends_lock;
  send_t          send[MANY];
  size_t          nsends; /* slots ever used */
};

struct test_net {
  int32_t           npeers;
  unsigned          delay;
  _Atomic uint64_t  next_id;
  dart__net_comm_t *transport;
};

static uint64_t draw(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void die(const char *what)
{
  fprintf(stderr, "test transport: %s\n", what);
  abort();
}

test_net_t *test_net_new(int32_t npeers, unsigned delay, uint64_t seed)
{
  test_net_t *net = calloc(1, sizeof *net);

  net->npeers    = npeers;
  net->delay     = delay;
  net->next_id   = 1;
  net->transport = calloc((size_t)npeers, sizeof *net->transport);
  for (int32_t peer = 0; peer < npeers; peer++) {
    dart__net_comm_t *t = &net->transport[peer];

    t->net    = net;
    t->me     = peer;
    t->queue  = calloc((size_t)npeers * CHANNELS, sizeof *t->queue);
    t->random = seed * 1000 + (uint64_t)peer;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->sends_lock, NULL);
  }
  return net;
}

void test_net_delete(test_net_t *net)
{
  for (int32_t peer = 0; peer < net->npeers; peer++) {
    dart__net_comm_t *t = &net->transport[peer];

    for (int i = 0; i < net->npeers * CHANNELS; i++)
      if (t->queue[i].first != NULL)
        die("a message was never received");
    free(t->queue);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->sends_lock);
  }
  free(net->transport);
  free(net);
}

dart__net_comm_t *test_net_transport(test_net_t *net, int32_t peer)
{
  return &net->transport[peer];
}

/* ---- sends with requests --------------------------------------------------------------------- */

static uint64_t new_send(dart__net_comm_t *t)
{
  uint64_t id   = atomic_fetch_add(&t->net->next_id, 1) | IS_SEND;
  size_t   slot = 0;

  pthread_mutex_lock(&t->sends_lock);
  while (slot < t->nsends && t->send[slot].id != 0)
    slot++;
  if (slot == MANY)
    die("too many sends at a time");
  if (slot == t->nsends)
    t->nsends++;
  t->send[slot] = (send_t){ .id = id };
  pthread_mutex_unlock(&t->sends_lock);
  return id;
}

static void note_received(dart__net_comm_t *sender, uint64_t id, unsigned delay)
{
  pthread_mutex_lock(&sender->sends_lock);
  for (size_t i = 0; i < sender->nsends; i++)
    if (sender->send[i].id == id) {
      sender->send[i].received = true;
      sender->send[i].delay    = delay;
    }
  pthread_mutex_unlock(&sender->sends_lock);
}

static bool test_send(dart__net_comm_t *t, uint64_t id)
{
  bool done = false;

  pthread_mutex_lock(&t->sends_lock);
  for (size_t i = 0; i < t->nsends; i++)
    if (t->send[i].id == id) {
      done = t->send[i].received && t->send[i].delay == 0;
      if (t->send[i].received && t->send[i].delay > 0)
        t->send[i].delay--;
      if (done)
        t->send[i].id = 0;
    }
  pthread_mutex_unlock(&t->sends_lock);
  return done;
}

/* ---- the calls ----------------------------------------------------------------------------- */

void dart__net_send(dart__net_comm_t *t, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  dart__net_comm_t *to      = &t->net->transport[peer];
  message_t        *message = aligned_alloc(64, 64); /* tests make only malloc and calloc fail */
  queue_t          *queue;
  bool              slow;

  (void)tag; /* far/am/ uses none */
  _Static_assert(sizeof *message <= 64, "a message fits");
  *message = (message_t){ .data = data, .nbytes = nbytes };
  if (request_out != NULL) {
    message->send   = new_send(t);
    request_out->id = message->send;
  }
  pthread_mutex_lock(&to->lock);
  message->delay = to->net->delay == 0 ? 0 : (unsigned)(draw(&to->random) % (to->net->delay + 1));
  queue          = &to->queue[t->me * CHANNELS + (int)channel];
  if (queue->last != NULL)
    queue->last->next = message;
  else
    queue->first = message;
  queue->last = message;
  slow        = to->net->delay > 0 && draw(&to->random) % 4 == 0;
  pthread_mutex_unlock(&to->lock);
  if (slow) /* the message may be received, and replied to, before this call returns */
    sched_yield();
}

void dart__net_recv(dart__net_comm_t *t, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out)
{
  uint64_t id   = atomic_fetch_add(&t->net->next_id, 1);
  size_t   slot = 0;

  (void)tag, (void)claimed;
  request_out->id = id;
  pthread_mutex_lock(&t->lock);
  while (slot < t->nreceives && t->receive[slot].id != 0)
    slot++;
  if (slot == MANY)
    die("too many receives at a time");
  if (slot == t->nreceives)
    t->nreceives++;
  t->receive[slot] = (receive_t){
    .id = id, .peer = peer, .channel = (int)channel, .buffer = buffer, .most = nbytes
  };
  pthread_mutex_unlock(&t->lock);
}

/* The oldest receive that may take a message of this sender. */
static receive_t *match(dart__net_comm_t *t, int32_t from, int channel)
{
  receive_t *oldest = NULL;

  for (size_t i = 0; i < t->nreceives; i++) {
    receive_t *r = &t->receive[i];

    if (r->id != 0 && !r->done && r->channel == channel && (r->peer == from || r->peer < 0) &&
        (oldest == NULL || r->id < oldest->id))
      oldest = r;
  }
  return oldest;
}

/* Receive the first message of one sender, if its delay is over. The lock is held. */
static void deliver(dart__net_comm_t *t, int32_t from, int channel)
{
  queue_t   *queue   = &t->queue[from * CHANNELS + channel];
  message_t *message = queue->first;
  receive_t *r;

  if (message == NULL || message->delay > 0) {
    if (message != NULL && message->delay > 0)
      message->delay--;
    return;
  }
  r = match(t, from, channel);
  if (r == NULL)
    return;
  if (message->nbytes > r->most)
    die("a message is longer than its receive");
  memcpy(r->buffer, message->data, message->nbytes);
  r->done      = true;
  r->from      = from;
  r->nbytes    = message->nbytes;
  queue->first = message->next;
  if (queue->first == NULL)
    queue->last = NULL;
  if (message->send != 0)
    note_received(&t->net->transport[from], message->send,
                  t->net->delay == 0 ? 0 : (unsigned)(draw(&t->random) % (t->net->delay + 1)));
  free(message);
}

/* Look at all senders, in any order. */
static bool test_receive(dart__net_comm_t *t, uint64_t id, dart__net_message_t *message_out)
{
  bool    done = false;
  int32_t start;

  pthread_mutex_lock(&t->lock);
  start = (int32_t)(draw(&t->random) % (uint64_t)t->net->npeers);
  for (int32_t i = 0; i < t->net->npeers; i++)
    for (int channel = 0; channel < CHANNELS; channel++)
      deliver(t, (start + i) % t->net->npeers, channel);
  for (size_t i = 0; i < t->nreceives; i++)
    if (t->receive[i].id == id && t->receive[i].done) {
      done = true;
      if (message_out != NULL)
        *message_out =
            (dart__net_message_t){ .peer = t->receive[i].from, .nbytes = t->receive[i].nbytes };
      t->receive[i].id = 0;
    }
  pthread_mutex_unlock(&t->lock);
  return done;
}

static bool test_one(dart__net_comm_t *t, dart__net_request_t *request,
                     dart__net_message_t *message_out)
{
  bool done = (request->id & IS_SEND) != 0 ? test_send(t, request->id)
                                           : test_receive(t, request->id, message_out);

  if (done)
    *request = DART__NET_DONE;
  return done;
}

/* Any of those that are complete may be the one: the first to be looked at is drawn. */
int dart__net_test(dart__net_comm_t *t, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  int first;

  pthread_mutex_lock(&t->lock);
  first = (int)(draw(&t->random) % (uint64_t)count);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < count; i++) {
    int index = (first + i) % count;

    if (test_one(t, requests[index], message_out))
      return index;
  }
  return -1;
}

void dart__net_cancel(dart__net_comm_t *t, dart__net_request_t *request)
{
  pthread_mutex_lock(&t->lock);
  for (size_t i = 0; i < t->nreceives; i++)
    if (t->receive[i].id == request->id)
      t->receive[i].id = 0;
  pthread_mutex_unlock(&t->lock);
  *request = DART__NET_DONE;
}
