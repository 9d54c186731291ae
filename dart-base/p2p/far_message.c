/* See far_message.h.
 *
 * A receive claims its message first, so that the length is known before any byte is written. Several threads may
 * receive at once: the thread that claimed a message has it. (Hoefler, Bronevetsky, Barrett, de Supinski, Lumsdaine:
 * Efficient MPI Support for Advanced Hybrid Programming Models, EuroMPI 2010.)
 *
 * The network's messages outlive a cycle of init and exit, but those of the program must not. So every unit counts what
 * it sent to each unit and what it received, and at the end of a cycle it receives the rest.
 *
 * Messages of DART's own, which have negative tags, are all received, and not counted. Both sides know their length, so
 * they are received without being claimed; unless units may be lost, for then a receive may be cancelled. */
#include "p2p/far_message.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/sparse.h"
#include "far/engine.h"
#include "far/host.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

#define TRIES 1000 /* retries for memory to receive a message in */

struct dart__far_message {
  enum { WANTED, MATCHED, STARTED } stage; /* of a receive; a send is started */
  dart__net_message_t claimed;
  dart__net_request_t request;
  dart__channel_t     channel;
  dart_unit_t         unit;
  int                 tag; /* the channel's */
  void               *buffer;
  size_t              nbytes;  /* of the message sent, or the buffer to receive in */
  void               *dropped; /* room for a message that is too long for `buffer` */
  unsigned            tries;   /* to allocate that */
};

static struct {
  bool             is_open;
  _Atomic int64_t *sent;     /* unit → messages sent to it in this cycle */
  _Atomic int64_t  received; /* from all */
} counts;

/* ---- messages ---------------------------------------------------------------------------- */

/* NULL: no memory. */
static dart__far_message_t *new_message(dart_unit_t unit, int tag, void *buffer, size_t nbytes)
{
  dart__far_message_t *m = malloc(sizeof *m);

  if (m == NULL)
    return dart__fail(NULL, "no memory for a message to or from unit %d", unit);
  *m = (dart__far_message_t){ .channel = tag < 0 ? DART__CHANNEL_OWN : DART__CHANNEL_PROGRAM,
                              .unit    = unit,
                              .tag     = tag < 0 ? -tag : tag,
                              .buffer  = buffer,
                              .nbytes  = nbytes };
  return m;
}

static bool is_counted(const dart__far_message_t *m)
{
  return m->channel == DART__CHANNEL_PROGRAM;
}

dart_ret_t dart__far_message_send(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                                  dart__far_message_t **message_out)
{
  dart__far_message_t *m = new_message(unit, tag, (void *)(uintptr_t)data, nbytes);

  if (m == NULL)
    return DART_ERR_NOMEM;
  dart__net_send(dart__net.messages, unit, m->channel, m->tag, data, nbytes, &m->request);
  /* relaxed, as all of these counts: read after the barrier of dart_exit */
  if (is_counted(m))
    atomic_fetch_add_explicit(&counts.sent[unit], 1, memory_order_relaxed);
  m->stage     = STARTED;
  *message_out = m;
  return DART_OK;
}

dart_ret_t dart__far_message_recv(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                                  dart__far_message_t **message_out)
{
  dart__far_message_t *m = new_message(unit, tag, buffer, nbytes);

  *message_out = m;
  if (m == NULL)
    return DART_ERR_NOMEM;
  if (m->channel == DART__CHANNEL_OWN && !dart__survives()) {
    dart__net_recv(dart__net.messages, unit, m->channel, m->tag, NULL, buffer, nbytes, &m->request);
    m->stage = STARTED;
  }
  return DART_OK;
}

void dart__far_message_look(dart_unit_t unit, int tag, dart_message_t *found_out,
                            bool *is_found_out)
{
  dart__net_message_t found;

  *is_found_out = dart__net_probe(dart__net.messages, unit == DART_UNIT_ANY ? DART__ANY_PEER : unit,
                                  DART__CHANNEL_PROGRAM, tag == DART_TAG_ANY ? DART__ANY_TAG : tag,
                                  false, &found);
  if (*is_found_out)
    *found_out = (dart_message_t){ .unit   = DART_GLOBAL_UNIT_ID(found.peer),
                                   .tag    = found.tag,
                                   .nbytes = found.nbytes };
}

void dart__far_message_forget(dart__far_message_t *message)
{
  free(message);
}

void dart__far_message_drop(dart__far_message_t *message)
{
  if (message->stage == STARTED)
    dart__net_cancel(dart__net.messages, &message->request);
  free(message->dropped);
  free(message);
}

static bool is_too_long(const dart__far_message_t *m)
{
  return m->claimed.nbytes > m->nbytes;
}

/* Match a message to this receive. False: there is none yet. */
static bool match(dart__far_message_t *m)
{
  if (!dart__net_probe(dart__net.messages, m->unit, m->channel, m->tag, true, &m->claimed))
    return false;
  m->stage = MATCHED;
  if (is_counted(m))
    atomic_fetch_add_explicit(&counts.received, 1, memory_order_relaxed);
  return true;
}

/* Another message of this unit and tag may have been matched than was found, if threads receive at once. */
dart_ret_t dart__far_message_take(dart_message_t *found, void *buffer, size_t nbytes,
                                  dart__far_message_t **message_out)
{
  dart__far_message_t *m = new_message(found->unit.id, found->tag, buffer, nbytes);

  *message_out = NULL;
  if (m == NULL)
    return DART_ERR_NOMEM;
  if (match(m)) {
    found->nbytes = m->claimed.nbytes;
    *message_out  = m;
  } else {
    free(m);
  }
  return DART_OK;
}

/* Room for a message that will be dropped. A message that is matched has to be received, for its sender
 * may wait for that; so a lack of memory is retried for a moment. */
static bool find_room_to_drop(dart__far_message_t *m)
{
  m->dropped = malloc(m->claimed.nbytes);
  if (m->dropped != NULL)
    return true;
  if (m->tries == 0)
    dart__error("no memory to drop a message of %zu bytes", m->claimed.nbytes);
  if (++m->tries == TRIES)
    dart__net_abort(EXIT_FAILURE, false);
  return false;
}

static bool start_receive(dart__far_message_t *m)
{
  if (is_too_long(m) && !find_room_to_drop(m))
    return false;
  dart__net_recv(dart__net.messages, m->unit, m->channel, m->tag, &m->claimed,
                 m->dropped != NULL ? m->dropped : m->buffer, m->claimed.nbytes, &m->request);
  m->stage = STARTED;
  return true;
}

/* Whether the message is complete. */
static bool move_on(dart__far_message_t *m)
{
  if ((m->stage == WANTED && !match(m)) || (m->stage == MATCHED && !start_receive(m)))
    return false;
  return dart__net_is_done(dart__net.messages, &m->request);
}

dart_ret_t dart__far_message_test(dart__far_message_t *m, bool *done_out)
{
  dart_ret_t ret = DART_OK;

  *done_out = move_on(m);
  if (!*done_out)
    return DART_OK;
  if (is_too_long(m))
    ret = dart__fail(DART_ERR_OTHER,
                     "a message of %zu bytes from unit %d, tag %d, does not fit the buffer of %zu",
                     m->claimed.nbytes, m->unit, m->tag, m->nbytes);
  free(m->dropped);
  free(m);
  return ret;
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__far_messages_prepare(void)
{
  counts.received = 0;
  atomic_store_explicit(&dart__messages_expected, 0, memory_order_relaxed);
  counts.sent = dart__sparse_new((size_t)dart__world.nunits, sizeof *counts.sent);
  return counts.sent != NULL ? DART_OK : DART_ERR_NOMEM;
}

void dart__far_messages_open(void)
{
  counts.is_open = true;
}

/* How many messages were sent to this unit in all: each sender says so, and its flush is complete when it was heard.
 * Collective. */
static uint64_t count_expected(void)
{
  for (int32_t u = 0; u < dart__world.nunits; u++) {
    int64_t sent = atomic_load_explicit(&counts.sent[u], memory_order_relaxed);

    if (sent > 0)
      dart__am_inform(dart__engine.am, u, DART__INFORM_MESSAGES | (uint64_t)sent);
  }
  for (int32_t u = 0; u < dart__world.nunits; u++)
    if (atomic_load_explicit(&counts.sent[u], memory_order_relaxed) > 0)
      dart__am_settle(dart__engine.am, u);
  dart__net_agree_on_result(DART_OK);
  return atomic_load_explicit(&dart__messages_expected, memory_order_relaxed);
}

static bool is_dropped(void *message)
{
  return move_on(message);
}

/* Receive one message of any unit, and drop it. */
static void drop_one(void)
{
  dart__far_message_t any = { .channel = DART__CHANNEL_PROGRAM,
                              .unit    = DART__ANY_PEER,
                              .tag     = DART__ANY_TAG };

  dart__wait_for(is_dropped, &any, &dart__world.wait);
  free(any.dropped);
}

void dart__far_messages_close(void)
{
  uint64_t expected = counts.is_open ? count_expected() : 0;

  while (counts.is_open && (uint64_t)counts.received < expected)
    drop_one();
  dart__sparse_delete(counts.sent);
  counts.sent    = NULL;
  counts.is_open = false;
}
