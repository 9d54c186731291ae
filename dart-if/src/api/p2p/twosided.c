/* Messages between two units: by mailboxes on the node (node/mailbox.h), by the backend between nodes.
 *
 * A call has at most one outgoing and one incoming message, near or far, and progresses both in turn until
 * both are done: so a sendrecv never blocks in one of them while its peer needs the other.
 *
 * A near message of at most DART__MAILBOX_EAGER_MOST bytes is eager: it is detached, so its sender need not
 * wait. A unit's detached messages are bounded: beyond DETACHED_BYTES its sends wait, each for its own
 * receive only, which any send may do (never for older messages, whose receive may come after this one's).
 * Messages to the unit itself are always eager, for no other unit receives them while this one waits.
 *
 * Messages of DART's own have negative tags. Where the pool has no room for one, it is in a block that is kept for
 * them, and its sender waits until it is taken. */
#include "api/p2p/twosided.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_communication.h>

#include "api/coll/coll.h"
#include "api/memory/pool.h"
#include "api/progress/gone.h"
#include "api/progress/progress.h"
#include "base/counters.h"
#include "base/profile.h"
#include "model/check.h"
#include "model/world.h"
#include "node/mailbox.h"
#include "node/timed.h"
#include "node/waiting.h"
#include "port.h"

DART__PROFILED(dart_send);
DART__PROFILED(dart_recv);
DART__PROFILED(dart_sendrecv);

#define DETACHED_BYTES ((size_t)1 << 20)

static struct {
  dart__mailbox_t box;
  uint64_t       *inboxes; /* unit → offset of its place_t in its portion of the pool */
  uint64_t        spare;   /* offset of a message of DART's own, for when the pool is used up ... */
  pthread_mutex_t sparing; /* ... held by the thread that has it under way */
} p2p = { .sparing = PTHREAD_MUTEX_INITIALIZER };

/* What every unit has in its pool. */
typedef struct {
  dart__inbox_t   inbox;   /* the first: a mailbox knows of no more */
  uint64_t        hints;   /* see dart__twosided_hints */
  dart__watches_t watches; /* the last: in the node's first unit a page follows, see watch.h */
} place_t;

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__twosided_open(dart__team_t *all)
{
  uint64_t   offset, room = dart__team_is_leader(all) ? DART__WATCH_ROOM : 0;
  dart_ret_t ret = dart__pool_alloc(sizeof(place_t) + room, &offset);

  if (ret == DART_OK) {
    place_t *place = (place_t *)(void *)dart__pool_address(dart__world.me, offset);

    dart__inbox_format(&place->inbox);
    place->hints = 0;
    memset(&place->watches, 0, sizeof place->watches + room);
  }
  if (ret == DART_OK)
    ret = dart__pool_alloc(dart__mailbox_message_bytes(DART__TWOSIDED_OWN_MOST), &p2p.spare);
  p2p.inboxes = calloc((size_t)all->nunits, sizeof *p2p.inboxes);
  if (p2p.inboxes == NULL || !dart__mailbox_open(&p2p.box, dart__world.me, all->nunits,
                                                 dart__pool_portions(), p2p.inboxes))
    ret = DART_ERR_NOMEM;
  ret = dart__coll_agree(all, ret);
  if (ret == DART_OK) {
    dart__coll_share(all, &offset, p2p.inboxes, sizeof offset);
    dart__world.event = dart__mailbox_event(&p2p.box);
    return DART_OK;
  }
  dart__error("dart_init: no memory for the messages of some unit");
  dart__twosided_close();
  return ret;
}

void dart__twosided_close(void)
{
  dart__world.event = NULL;
  dart__mailbox_close(&p2p.box);
  free(p2p.inboxes);
  p2p.inboxes = NULL;
}

dart__event_t *dart__twosided_event(dart_unit_t unit)
{
  return &((dart__inbox_t *)(void *)dart__pool_address(unit, p2p.inboxes[unit]))->event;
}

dart__watches_t *dart__twosided_watches(dart_unit_t unit)
{
  return (dart__watches_t *)(void *)dart__pool_address(unit, p2p.inboxes[unit] +
                                                                 offsetof(place_t, watches));
}

uint64_t dart__twosided_hints(dart_unit_t unit)
{
  return p2p.inboxes[unit] + offsetof(place_t, hints);
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
  bool                 matched; /* `in` is valid */
  bool                 done;
  dart_ret_t           ret; /* once it is done */
} message_t;

static void finish(message_t *m, dart_ret_t ret)
{
  m->done = true;
  m->ret  = ret;
}

static bool is_near(dart_unit_t unit)
{
  return dart__pool_portions()[unit] != NULL;
}

static void give_back(uint64_t offset)
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

/* The spare block; it is the caller's until the message is taken. */
static uint64_t borrow_spare(void)
{
  uint32_t turns = 0;

  while (pthread_mutex_trylock(&p2p.sparing) != 0)
    dart__wait_turn(&turns, &dart__world.wait);
  return p2p.spare;
}

static void start_out_near(message_t *m)
{
  bool   to_self = m->unit == dart__world.me;
  size_t room =
      to_self || m->nbytes < DART__MAILBOX_EAGER_MOST ? m->nbytes : DART__MAILBOX_EAGER_MOST;
  bool     wait = dart__mailbox_reclaim(&p2p.box, DETACHED_BYTES, give_back) > DETACHED_BYTES;
  uint64_t offset;

  wait = !to_self && (wait || m->nbytes > room);
  if (dart__pool_alloc(dart__mailbox_message_bytes(room), &offset) != DART_OK) {
    if (is_own(m)) {
      dart__mailbox_post(&p2p.box, m->unit, m->tag, m->buffer, m->nbytes, borrow_spare(), room,
                         true, &m->out);
      return;
    }
    dart__error("no memory for a message of %zu bytes to unit %d, see DART_POOL", m->nbytes,
                m->unit);
    finish(m, DART_ERR_NOMEM);
    return;
  }
  dart__mailbox_post(&p2p.box, m->unit, m->tag, m->buffer, m->nbytes, offset, room, wait, &m->out);
  if (!wait) {
    dart__mailbox_detach(&p2p.box, &m->out);
    finish(m, DART_OK);
  }
}

static void start_far(message_t *m, bool out)
{
  dart_ret_t ret = out ? dart__messages->send(m->unit, m->tag, m->buffer, m->nbytes, &m->far)
                       : dart__messages->recv(m->unit, m->tag, m->buffer, m->nbytes, &m->far);

  if (ret != DART_OK)
    finish(m, ret);
}

static void progress_far(message_t *m)
{
  bool       done;
  dart_ret_t ret = dart__messages->test(m->far, &done);

  if (done) {
    m->far = NULL;
    finish(m, ret);
  }
}

static void progress_out(message_t *m)
{
  if (m->far != NULL)
    progress_far(m);
  else if (dart__mailbox_feed(&p2p.box, &m->out)) {
    give_back(m->out.offset);
    finish(m, DART_OK);
  }
}

static void progress_in(message_t *m)
{
  if (m->far != NULL) {
    progress_far(m);
    return;
  }
  if (!m->matched) {
    m->matched = dart__mailbox_match(&p2p.box, m->unit, m->tag, &m->in);
    if (!m->matched)
      return;
    if (m->in.nbytes > m->nbytes) {
      dart__error("a message of %zu bytes from unit %d, tag %d, does not fit the buffer of %zu",
                  m->in.nbytes, m->unit, m->tag, m->nbytes);
      dart__mailbox_refuse(&p2p.box, &m->in);
      finish(m, DART_ERR_OTHER);
      return;
    }
  }
  if (dart__mailbox_take(&p2p.box, &m->in, m->buffer))
    finish(m, DART_OK);
}

/* Start both messages, or none if memory is missing: the far receive is started first, for it can be
 * cancelled. */
static bool start(message_t *out, message_t *in)
{
  if (!in->done && !is_near(in->unit))
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
    dart__messages->forget(in->far);
  return false;
}

/* Wait until one of the messages may have made progress. */
static void wait_for_either(const message_t *out, const message_t *in, uint32_t seen,
                            uint32_t *turns, dart__gone_watch_t *watch)
{
  dart__wait_policy_t policy = dart__gone_wait(watch);

  watch->to   = out->done ? -1 : out->unit;
  watch->from = in->done ? -1 : in->unit;
  if (out->far != NULL || in->far != NULL)
    dart__wait_turn(turns, &policy);
  else
    dart__event_wait(dart__mailbox_event(&p2p.box), seen, &policy);
}

static dart__waiting_t *begin_waiting(const char *function, const message_t *out,
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

/* Progress both messages until both are done; one may be done from the start. */
static dart_ret_t transfer(const char *function, message_t *out, message_t *in)
{
  dart__event_t     *event   = dart__mailbox_event(&p2p.box);
  dart__gone_watch_t watch   = { .function = function };
  dart__waiting_t   *waiting = NULL;
  dart__timed_t      timed   = { NULL, 0 };
  bool               waits   = false;
  uint32_t           turns   = 0;

  dart__progress();
  if (!start(out, in))
    return out->ret != DART_OK ? out->ret : in->ret;
  while (!out->done || !in->done) {
    uint32_t seen = dart__event_count(event); /* before the checks: a later arrival changes it */

    if (!out->done)
      progress_out(out);
    if (!in->done)
      progress_in(in);
    if (out->done && in->done)
      break;
    if (!waits) {
      waiting = begin_waiting(function, out, in);
      timed   = dart__timed_begin(DART__COUNT_MESSAGE_WAIT);
      waits   = true;
    }
    wait_for_either(out, in, seen, &turns, &watch);
  }
  dart__timed_end(DART__COUNT_MESSAGE_WAIT, timed);
  dart__waiting_end(waiting);
  return out->ret != DART_OK ? out->ret : in->ret;
}

/* ---- messages of DART's own ---------------------------------------------------------------- */

/* The backend needs a little memory for a far message: a lack of it is waited out. */
static void transfer_own(const char *function, const message_t *out, const message_t *in)
{
  uint32_t  turns = 0;
  message_t copy[2];

  for (;;) {
    copy[0] = *out;
    copy[1] = *in;
    if (transfer(function, &copy[0], &copy[1]) == DART_OK)
      return;
    dart__wait_turn(&turns, &dart__world.wait);
  }
}

void dart__twosided_send(const char *function, dart_unit_t unit, int tag, const void *data,
                         size_t nbytes)
{
  message_t none = { .done = true };

  transfer_own(function,
               &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = (void *)data },
               &none);
}

void dart__twosided_recv(const char *function, dart_unit_t unit, int tag, void *buffer,
                         size_t nbytes)
{
  message_t none = { .done = true };

  transfer_own(function, &none,
               &(message_t){ .unit = unit, .tag = tag, .nbytes = nbytes, .buffer = buffer });
}

/* ---- entry points ------------------------------------------------------------------------ */

static bool check_message(const char *function, const void *buffer, size_t nelem,
                          dart_datatype_t dtype, int tag, dart_global_unit_t unit,
                          message_t *message_out)
{
  const dart__type_t *type = dart__check_contiguous(function, dtype);
  size_t              nbytes;

  if (dart__check_team(function, DART_TEAM_ALL) == NULL || type == NULL ||
      !dart__check_nbytes(function, nelem, type->elem_size, &nbytes))
    return false;
  if (unit.id < 0 || unit.id >= dart__world.nunits) {
    dart__error("%s: unit %d is not in 0..%d", function, unit.id, dart__world.nunits - 1);
    return false;
  }
  if (tag < 0) {
    dart__error("%s: tag %d is negative", function, tag);
    return false;
  }
  if (buffer == NULL && nbytes > 0) {
    dart__error("%s: the buffer for %zu bytes is NULL", function, nbytes);
    return false;
  }
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
