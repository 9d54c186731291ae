/* Messages between two units: by mailboxes on the node (p2p/mailbox.h), by the backend between nodes.
 *
 * A call has at most one outgoing and one incoming message, near or far, and progresses both in turn until
 * both are done: so a sendrecv never blocks in one of them while its peer needs the other.
 *
 * A near message of at most DART__MAILBOX_EAGER_MOST bytes is eager: it is detached, so its sender need not
 * wait. A unit's detached messages are bounded: beyond DETACHED_BYTES its sends wait, each for its own
 * receive only, which any send may do (never for older messages, whose receive may come after this one's).
 * Messages to the unit itself are always eager, for no other unit receives them while this one waits.
 *
 * A receive of any unit or tag, and a probe, look for their message at every turn: in the mailbox, and among the
 * backend's messages, first in the one and next time in the other, so that neither starves. A receive then goes on as
 * one of the message that was found.
 *
 * Messages of DART's own have negative tags, and are found by these tags alone. Where the pool has no room for one, it
 * is in a block that is kept for them, and its sender waits until it is taken. */
#include "p2p/twosided.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_message.h>
#include <dash/dart/if/dart_communication.h>

#include "base/assert.h"
#include "base/counters.h"
#include "base/profile.h"
#include "far/engine.h"
#include "far/gone.h"
#include "far/progress.h"
#include "memory/pool.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"
#include "p2p/far_message.h"
#include "p2p/mailbox.h"
#include "wait/timed.h"
#include "wait/waiting.h"

DART__PROFILED(dart_send, dart_recv, dart_sendrecv, dart_recv_any);
DART__PROFILED(dart_probe, dart_try_probe);

_Static_assert(DART_UNIT_ANY == DART__MAILBOX_ANY && DART_TAG_ANY == DART__MAILBOX_ANY &&
                   DART_UNIT_ANY == DART__WAIT_ANY && DART_TAG_ANY == DART__WAIT_ANY &&
                   DART_UNIT_ANY == DART__GONE_ANY,
               "these are passed on as they are");

#define DETACHED_BYTES ((size_t)1 << 20)

static struct {
  dart__mailbox_t box;
  uint64_t        spare;   /* offset of a message of DART's own, for when the pool is used up ... */
  pthread_mutex_t sparing; /* ... held by the thread that has it under way */
  _Atomic bool    far_first; /* a receive from any unit looks at messages of other nodes first */
} p2p = { .sparing = PTHREAD_MUTEX_INITIALIZER };

/* What every unit has in its pool, at dart__pool_common(). */
typedef struct {
  dart__inbox_t   inbox;   /* the first: a mailbox knows of no more */
  uint64_t        hints;   /* see dart__twosided_hints */
  dart__watches_t watches; /* the last: in the node's first unit a page follows, see watch.h */
} place_t;

_Static_assert(sizeof(place_t) + DART__WATCH_ROOM <= DART__POOL_COMMON, "there is room for it");

static place_t *place_in_pool(dart_unit_t unit)
{
  return (place_t *)(void *)dart__pool_address(unit, dart__pool_common());
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__twosided_prepare(const dart__team_t *all)
{
  size_t     room  = dart__team_is_leader(all) ? DART__WATCH_ROOM : 0;
  place_t   *place = place_in_pool(dart__world.me);
  dart_ret_t ret =
      dart__pool_alloc(dart__mailbox_message_bytes(DART__TWOSIDED_OWN_MOST), &p2p.spare);

  dart__inbox_format(&place->inbox);
  place->hints = 0;
  memset(&place->watches, 0, sizeof place->watches + room);
  if (!dart__mailbox_open(&p2p.box, dart__world.me, all->nunits, dart__pools.near,
                          all->is_scattered ? dart__pool_slot : NULL,
                          dart__pool_common() + offsetof(place_t, inbox)))
    ret = DART_ERR_NOMEM;
  return ret;
}

void dart__twosided_open(void)
{
  dart__world.event = dart__mailbox_event(&p2p.box);
}

void dart__twosided_close(void)
{
  dart__world.event = NULL;
  dart__mailbox_close(&p2p.box);
}

dart__event_t *dart__twosided_event(dart_unit_t unit)
{
  return &place_in_pool(unit)->inbox.event;
}

dart__sleepers_t dart__twosided_sleepers(dart_unit_t unit)
{
  char    *pool  = dart__team_near(dart__pools.all, dart__pools.near, unit);
  place_t *place = (place_t *)(void *)(pool + dart__pool_common());

  return pool == NULL ? (dart__sleepers_t){ .watches = NULL }
                      : (dart__sleepers_t){ &place->watches, &place->inbox.event };
}

uint64_t dart__twosided_hints(void)
{
  return dart__pool_common() + offsetof(place_t, hints);
}

/* ---- one message ------------------------------------------------------------------------- */

typedef struct {
  dart_unit_t          unit; /* the target of an outgoing message, the source of an incoming one */
  int                  tag;
  size_t               nbytes; /* outgoing: of the message; incoming: room in the buffer */
  void                *buffer; /* outgoing: not written to */
  dart__far_message_t *far;    /* NULL: near */
  dart__outgoing_t     out;    /* near: one of the two, by direction */
  dart__incoming_t     in;
  bool                 is_unposted; /* outgoing: the spare block has another message under way */
  bool                 matched;     /* `in` is valid */
  bool                 is_probe;    /* incoming: it is found, and not received */
  dart_message_t      *found; /* incoming: where to say which one was found; NULL: it is named */
  bool                 done;
  dart_ret_t           ret; /* once it is done */
} message_t;

static void finish_message(message_t *m, dart_ret_t ret)
{
  m->done = true;
  m->ret  = ret;
}

static bool is_near(dart_unit_t unit)
{
  return dart__pool_is_near(unit);
}

static void release_block(uint64_t offset)
{
  if (offset == p2p.spare)
    pthread_mutex_unlock(&p2p.sparing);
  else
    dart__pool_free(offset);
}

static bool is_own(const message_t *m)
{
  return m->tag < 0;
}

/* In the spare block, which is the caller's until the message is taken. It does not wait for the block: the thread that
 * has it may wait for a unit that waits for this one to receive. */
static void post_in_spare(message_t *m)
{
  m->is_unposted = pthread_mutex_trylock(&p2p.sparing) != 0;
  if (!m->is_unposted)
    dart__mailbox_post(&p2p.box, m->unit, m->tag, m->buffer, m->nbytes, p2p.spare, m->nbytes, true,
                       &m->out);
}

static void start_out_near(message_t *m)
{
  bool   to_self = m->unit == dart__world.me;
  size_t room =
      to_self || m->nbytes < DART__MAILBOX_EAGER_MOST ? m->nbytes : DART__MAILBOX_EAGER_MOST;
  uint64_t offset;
  size_t detached = dart__mailbox_reclaim(&p2p.box, DETACHED_BYTES, &room, release_block, &offset);
  bool   wait     = !to_self && (detached > DETACHED_BYTES || m->nbytes > room);

  if (offset == 0 && dart__pool_alloc(dart__mailbox_message_bytes(room), &offset) != DART_OK) {
    if (is_own(m)) {
      post_in_spare(m);
      return;
    }
    dart__error("no memory for a message of %zu bytes to unit %d, see DART_POOL", m->nbytes,
                m->unit);
    finish_message(m, DART_ERR_NOMEM);
    return;
  }
  dart__mailbox_post(&p2p.box, m->unit, m->tag, m->buffer, m->nbytes, offset, room, wait, &m->out);
  if (!wait) {
    dart__mailbox_detach(&p2p.box, &m->out);
    finish_message(m, DART_OK);
  }
}

static void start_far(message_t *m, bool out)
{
  dart_ret_t ret = out ? dart__far_message_send(m->unit, m->tag, m->buffer, m->nbytes, &m->far)
                       : dart__far_message_recv(m->unit, m->tag, m->buffer, m->nbytes, &m->far);

  if (ret != DART_OK)
    finish_message(m, ret);
}

static void progress_far(message_t *m)
{
  bool       done;
  dart_ret_t ret = dart__far_message_test(m->far, &done);

  if (done) {
    m->far = NULL;
    finish_message(m, ret);
  }
}

static void give_up_message(message_t *m)
{
  if (m->far != NULL)
    dart__far_message_drop(m->far);
  m->far = NULL;
  finish_message(m, DART_ERR_UNIT_LOST);
}

static void progress_out(message_t *m)
{
  if (m->far != NULL) {
    progress_far(m);
    if (m->done) /* what is sent to a lost unit is dropped */
      m->ret = dart__lost_result(m->unit, m->ret);
  } else if (m->is_unposted) {
    post_in_spare(m);
  } else if (dart__mailbox_feed(&p2p.box, &m->out)) {
    release_block(m->out.offset);
    finish_message(m, DART_OK);
  }
}

/* A near message was matched: refuse it if it does not fit the buffer. */
static void refuse_if_longer(message_t *m)
{
  if (m->in.nbytes <= m->nbytes)
    return;
  dart__error("a message of %zu bytes from unit %d, tag %d, does not fit the buffer of %zu",
              m->in.nbytes, m->unit, m->tag, m->nbytes);
  dart__mailbox_refuse(&p2p.box, &m->in);
  finish_message(m, DART_ERR_OTHER);
}

/* Look for a message in the mailbox. */
static void find_near(message_t *m)
{
  bool (*search)(dart__mailbox_t *, int32_t, int32_t, dart__incoming_t *) =
      m->is_probe ? dart__mailbox_look : dart__mailbox_match;

  if (!search(&p2p.box, m->unit, m->tag, &m->in))
    return;
  *m->found  = (dart_message_t){ DART_GLOBAL_UNIT_ID(m->in.from), m->in.tag, m->in.nbytes };
  m->matched = !m->is_probe;
  m->unit    = m->in.from;
  m->tag     = m->in.tag;
  if (m->is_probe)
    finish_message(m, DART_OK);
  else
    refuse_if_longer(m);
}

/* Look for one of a far unit. */
static void find_far(message_t *m)
{
  dart_message_t found;
  bool           is_found = false;
  dart_ret_t     ret      = DART_OK;

  dart__far_message_look(m->unit, m->tag, &found, &is_found);
  if (is_found && !m->is_probe)
    ret = dart__far_message_take(&found, m->buffer, m->nbytes, &m->far);
  if (ret != DART_OK) {
    finish_message(m, ret);
  } else if (is_found && (m->is_probe || m->far != NULL)) {
    *m->found = found;
    m->unit   = found.unit.id;
    m->tag    = found.tag;
    if (m->is_probe)
      finish_message(m, DART_OK);
  }
}

/* Look for the message on the node and on other nodes. A receive from any unit has taken one of one side: the next one
 * looks at the other side first, so that neither starves. Probes and named units leave the turn as it is. */
static void find_incoming(message_t *m)
{
  bool is_any = m->unit == DART_UNIT_ANY;
  bool near   = is_any || is_near(m->unit);
  bool far    = is_any ? dart__world.many_nodes : !near;
  /* relaxed: threads may have the same turn */
  bool far_first = is_any && atomic_load_explicit(&p2p.far_first, memory_order_relaxed);

  if (far && far_first)
    find_far(m);
  if (near && !m->done && m->far == NULL)
    find_near(m);
  if (far && !far_first && !m->done && !m->matched)
    find_far(m);
  if (is_any && !m->is_probe && (m->far != NULL || m->matched || m->done))
    atomic_store_explicit(&p2p.far_first, m->far == NULL, memory_order_relaxed);
}

static void progress_in(message_t *m)
{
  if (m->found != NULL && m->far == NULL && !m->matched) {
    find_incoming(m);
    if (m->done)
      return;
  }
  if (m->far != NULL) {
    progress_far(m);
    return;
  }
  if (!m->matched && m->found == NULL && dart__mailbox_match(&p2p.box, m->unit, m->tag, &m->in)) {
    m->matched = true;
    refuse_if_longer(m);
  }
  if (m->matched && !m->done && dart__mailbox_take(&p2p.box, &m->in, m->buffer))
    finish_message(m, DART_OK);
}

/* Start both messages, or none if memory is missing: the far receive is started first, for it can be
 * cancelled. */
static bool start_messages(message_t *out, message_t *in)
{
  if (!in->done && in->found == NULL && !is_near(in->unit))
    start_far(in, false);
  if (in->done && in->ret != DART_OK)
    return false;
  if (out->done)
    return true;
  if (!is_own(out))
    dart__count_operation(is_near(out->unit) ? DART__COUNT_SEND_NEAR : DART__COUNT_SEND_FAR,
                          out->nbytes);
  if (is_near(out->unit))
    start_out_near(out);
  else
    start_far(out, true);
  if (!out->done || out->ret == DART_OK)
    return true;
  if (in->far != NULL)
    dart__far_message_forget(in->far);
  return false;
}

/* Whether what it waits for may be a message of another node, which raises no event. */
static bool looks_far(const message_t *in)
{
  return in->found != NULL && !in->matched && dart__world.many_nodes &&
         (in->unit == DART_UNIT_ANY || !is_near(in->unit));
}

/* The messages of one call: one of them may be done from the start. */
typedef struct {
  message_t         *out, *in;
  dart__event_t     *event;
  uint32_t           seen;   /* of the event, before the last look at the messages */
  bool               is_far; /* whether other things than the event tell of progress */
  dart__gone_watch_t watch;
} transfer_t;

static bool is_over(void *context)
{
  transfer_t *t   = context;
  message_t  *out = t->out, *in = t->in;
  uint32_t    count = dart__event_count(t->event); /* first: a later arrival changes it */

  if (count == t->seen && !t->is_far)
    return false;
  t->seen = count;
  if (!out->done)
    progress_out(out);
  if (!in->done)
    progress_in(in);
  t->is_far     = out->far != NULL || in->far != NULL || out->is_unposted || looks_far(in);
  t->watch.to   = out->done ? -1 : out->unit;
  t->watch.from = in->done ? -1 : in->unit;
  return out->done && in->done;
}

/* Whether the message cannot come: its sender is lost or, in a receive from any unit, some unit is lost and the program
 * does not know of it. */
static bool is_in_vain(const message_t *in)
{
  return in->unit == DART_UNIT_ANY ? dart__lost_is_news(dart__teams[DART_TEAM_ALL])
                                   : dart__is_lost(in->unit);
}

/* One end of the call is lost. What it sent before is there by now; and the other message may still be under way. */
static void give_up_lost(message_t *out, message_t *in)
{
  if (!in->done)
    progress_in(in);
  if (!in->done && is_in_vain(in))
    give_up_message(in);
  if (!out->done && dart__is_lost(out->unit)) {
    if (out->far == NULL && !out->is_unposted) /* nobody takes it any more */
      release_block(out->out.offset);
    give_up_message(out);
  }
}

static dart__waiting_t *note_message_wait(const char *function, const message_t *out,
                                          const message_t *in)
{
  dart__wait_for_t what = { DART__WAIT_SENDRECV, DART_TEAM_ALL, out->unit, (uint64_t)out->tag,
                            (uint64_t)in->unit };

  if (in->done)
    what.kind = DART__WAIT_SEND;
  else if (out->done)
    what = (dart__wait_for_t){ DART__WAIT_RECV, DART_TEAM_ALL, in->unit, (uint64_t)in->tag, 0 };
  return dart__waiting_begin(function, what);
}

/* The first look was in vain. */
static void wait_for_messages(const char *function, transfer_t *t)
{
  dart__waiting_t    *waiting = note_message_wait(function, t->out, t->in);
  dart__timed_t       timed   = dart__timed_begin(DART__COUNT_MESSAGE_WAIT);
  dart__wait_policy_t policy  = dart__gone_wait(&t->watch);
  dart__wait_t        wait    = { .look         = is_over,
                                  .context      = t,
                                  .limit_ns     = INT64_MAX,
                                  .looks_once   = true,
                                  .is_of_memory = !t->is_far,
                                  .is_silent    = t->is_far,
                                  .word         = &t->event->count,
                                  .sleepers     = &t->event->sleepers };

  while (!dart__wait_until(&wait, &policy) && !(t->out->done && t->in->done)) {
    give_up_lost(t->out, t->in);
    t->seen = dart__event_count(t->event) - 1; /* look at what was given up */
  }
  dart__timed_end(DART__COUNT_MESSAGE_WAIT, timed);
  dart__waiting_end(waiting);
}

/* Progress both messages until both are done. */
static dart_ret_t transfer(const char *function, message_t *out, message_t *in)
{
  dart__event_t *event = dart__mailbox_event(&p2p.box);
  transfer_t     t = { .out = out, .in = in, .event = event, .watch = { .function = function } };

  dart__progress();
  dart__lost_begin_wait();
  if (!out->done && dart__is_lost(out->unit)) {
    if (in->done)
      return DART_ERR_UNIT_LOST;
    finish_message(out, DART_ERR_UNIT_LOST); /* `in` may come all the same, and its sender waits */
  }
  if (!start_messages(out, in))
    return out->ret != DART_OK ? out->ret : in->ret;
  t.seen = dart__event_count(event) - 1;
  if (!is_over(&t))
    wait_for_messages(function, &t);
  return out->ret != DART_OK ? out->ret : in->ret;
}

/* ---- messages that DART sends itself ---------------------------------------------------------------- */

/* The backend needs a little memory for a far message: a lack of it is waited out. */
static dart_ret_t transfer_own(const char *function, const message_t *out, const message_t *in)
{
  dart__turns_t turns = { 0 };
  message_t     copy[2];
  dart_ret_t    ret;

  for (;;) {
    copy[0] = *out;
    copy[1] = *in;
    ret     = transfer(function, &copy[0], &copy[1]);
    if (ret == DART_OK || ret == DART_ERR_UNIT_LOST)
      return ret;
    dart__wait_turn(&turns, &dart__world.wait);
  }
}

dart_ret_t dart__twosided_send(const char *function, dart_unit_t unit, int tag, const void *data,
                               size_t nbytes)
{
  message_t none = { .done = true };

  return transfer_own(
      function, &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = (void *)data },
      &none);
}

dart_ret_t dart__twosided_recv(const char *function, dart_unit_t unit, int tag, void *buffer,
                               size_t nbytes)
{
  message_t none = { .done = true };

  return transfer_own(function, &none,
                      &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = buffer });
}

dart_ret_t dart__twosided_swap(const char *function, dart_unit_t unit, int tag, const void *data,
                               void *buffer, size_t nbytes)
{
  return transfer_own(
      function, &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = (void *)data },
      &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = buffer });
}

/* ---- entry points ------------------------------------------------------------------------ */

static bool check_unit_and_tag(const char *function, int tag, dart_global_unit_t unit)
{
  if (dart__check_team(function, DART_TEAM_ALL) == NULL)
    return false;
  if (unit.id < 0 || unit.id >= dart__world.nunits)
    return dart__fail(false, "%s: unit %d is not in 0..%d", function, unit.id,
                      dart__world.nunits - 1);
  if (tag < 0)
    return dart__fail(false, "%s: tag %d is negative", function, tag);
  /* for near units, too: whether a tag is valid does not depend on where units run */
  if (tag > dart__net.largest_tag)
    return dart__fail(false, "%s: tag %d exceeds %d, the largest of this MPI", function, tag,
                      dart__net.largest_tag);
  return true;
}

/* Of a receive of any unit or tag, for which valid ones are checked. */
static bool check_pattern(const char *function, int tag, dart_global_unit_t unit)
{
  dart_global_unit_t me = DART_GLOBAL_UNIT_ID(dart__world.me);

  return check_unit_and_tag(function, tag == DART_TAG_ANY ? 0 : tag,
                            unit.id == DART_UNIT_ANY ? me : unit);
}

static bool check_buffer(const char *function, const void *buffer, size_t nelem,
                         dart_datatype_t dtype, size_t *nbytes_out)
{
  const dart__type_t *type = dart__check_contiguous(function, dtype);

  if (type == NULL || !dart__check_nbytes(function, nelem, type->elem_size, nbytes_out))
    return false;
  if (buffer == NULL && *nbytes_out > 0)
    return dart__fail(false, "%s: the buffer for %zu bytes is NULL", function, *nbytes_out);
  return true;
}

static bool check_message(const char *function, const void *buffer, size_t nelem,
                          dart_datatype_t dtype, int tag, dart_global_unit_t unit,
                          message_t *message_out)
{
  size_t nbytes;

  if (!check_unit_and_tag(function, tag, unit) ||
      !check_buffer(function, buffer, nelem, dtype, &nbytes))
    return false;
  *message_out = (message_t){ .unit = unit.id, .tag = tag, .nbytes = nbytes };
  return true;
}

dart_ret_t dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit)
{
  message_t out, none = { .done = true };

  if (!check_message(__func__, sendbuf, nelem, dtype, tag, unit, &out))
    return DART_ERR_INVAL;
  out.buffer = (void *)sendbuf;
  return transfer(__func__, &out, &none);
}

dart_ret_t dart_recv(void *recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit)
{
  message_t in, none = { .done = true };

  if (!check_message(__func__, recvbuf, nelem, dtype, tag, unit, &in))
    return DART_ERR_INVAL;
  in.buffer = recvbuf;
  return transfer(__func__, &none, &in);
}

dart_ret_t dart_sendrecv(const void *sendbuf, size_t send_nelem, dart_datatype_t send_dtype,
                         int send_tag, dart_global_unit_t dest, void *recvbuf, size_t recv_nelem,
                         dart_datatype_t recv_dtype, int recv_tag, dart_global_unit_t src)
{
  message_t out, in;

  if (!check_message(__func__, sendbuf, send_nelem, send_dtype, send_tag, dest, &out) ||
      !check_message(__func__, recvbuf, recv_nelem, recv_dtype, recv_tag, src, &in))
    return DART_ERR_INVAL;
  out.buffer = (void *)sendbuf;
  in.buffer  = recvbuf;
  return transfer(__func__, &out, &in);
}

/* ---- messages that are not named ---------------------------------------------------------- */

static bool check_found(const char *function, const void *out, const char *name)
{
  if (out == NULL)
    dart__error("%s: %s is NULL", function, name);
  return out != NULL;
}

dart_ret_t dart_recv_any(void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_global_unit_t unit, int tag, dart_message_t *message)
{
  message_t in   = { .unit = unit.id, .tag = tag, .buffer = recvbuf, .found = message };
  message_t none = { .done = true };

  if (!check_pattern(__func__, tag, unit) ||
      !check_buffer(__func__, recvbuf, nelem, dtype, &in.nbytes) ||
      !check_found(__func__, message, "message"))
    return DART_ERR_INVAL;
  return transfer(__func__, &none, &in);
}

dart_ret_t dart_probe(dart_global_unit_t unit, int tag, dart_message_t *message)
{
  message_t in   = { .unit = unit.id, .tag = tag, .found = message, .is_probe = true };
  message_t none = { .done = true };

  if (!check_pattern(__func__, tag, unit) || !check_found(__func__, message, "message"))
    return DART_ERR_INVAL;
  return transfer(__func__, &none, &in);
}

dart_ret_t dart_try_probe(dart_global_unit_t unit, int tag, int32_t *found, dart_message_t *message)
{
  message_t in = { .unit = unit.id, .tag = tag, .found = message, .is_probe = true };
  bool      is_vain;

  if (!check_pattern(__func__, tag, unit) || !check_found(__func__, found, "found") ||
      !check_found(__func__, message, "message"))
    return DART_ERR_INVAL;
  dart__progress();
  if (dart__world.many_nodes)
    dart__engine_poke();
  dart__lost_begin_wait();
  is_vain = is_in_vain(&in); /* before the look: what a unit has sent before its loss is there */
  progress_in(&in);
  if (in.done && in.ret != DART_OK)
    return in.ret;
  if (!in.done && is_vain) {
    dart__lost_tell();
    return DART_ERR_UNIT_LOST;
  }
  *found = in.done;
  return DART_OK;
}
