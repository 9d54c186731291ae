/* Messages between two units: by letters on the node (node/mailbox.h), by the backend beyond it.
 *
 * A call has up to one message going out and one coming in, and moves both on in turns until both
 * are done, whatever way each goes: so a sendrecv never waits for one side while the other needs it.
 *
 * A near message that fits a letter is left to its receiver, so its sender need not wait. What a
 * unit has left that way is bounded: beyond LEFT_BYTES its sends wait, each for its own receive
 * only, as all may (never for older messages, whose receive may come after this one's). Messages to
 * oneself are always left whole, for nobody else will take them. */
#include "api/p2p/twosided.h"

#include <stdlib.h>

#include <dash/dart/if/dart_communication.h>

#include "api/coll/coll.h"
#include "api/memory/pool.h"
#include "api/progress/gone.h"
#include "api/progress/progress.h"
#include "model/check.h"
#include "model/world.h"
#include "node/mailbox.h"
#include "port.h"

#define LEFT_BYTES ((size_t)1 << 20)

static struct {
  dart__mailbox_t box;
  uint64_t       *inboxes; /* unit → offset of its inbox in its pool */
} post;

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__twosided_open(dart__team_t *all)
{
  uint64_t   offset;
  dart_ret_t ret = dart__pool_alloc(sizeof(dart__inbox_t), &offset);

  if (ret == DART_OK)
    dart__inbox_format((dart__inbox_t *)(void *)dart__pool_address(dart__world.me, offset));
  post.inboxes = calloc((size_t)all->nunits, sizeof *post.inboxes);
  if (post.inboxes == NULL ||
      !dart__mailbox_open(&post.box, dart__world.me, all->nunits, dart__pool_parts(), post.inboxes))
    ret = DART_ERR_NOMEM;
  ret = dart__coll_agree(all, ret);
  if (ret == DART_OK) {
    dart__coll_share(all, &offset, post.inboxes, sizeof offset);
    dart__world.event = dart__mailbox_event(&post.box);
    return DART_OK;
  }
  dart__error("dart_init: no memory for the messages of some unit");
  dart__twosided_close();
  return ret;
}

void dart__twosided_close(void)
{
  dart__world.event = NULL;
  dart__mailbox_close(&post.box);
  free(post.inboxes);
  post.inboxes = NULL;
}

dart__event_t *dart__twosided_event(dart_unit_t unit)
{
  return &((dart__inbox_t *)(void *)dart__pool_address(unit, post.inboxes[unit]))->event;
}

/* ---- a message on its way ---------------------------------------------------------------- */

typedef struct {
  dart_unit_t          unit; /* to which, from which */
  int                  tag;
  size_t               nbytes; /* going out: of the message; coming in: room in the buffer */
  void                *buffer; /* going out: not written to */
  dart__far_message_t *far;    /* NULL: near */
  dart__outgoing_t     out;    /* near: only one of the two */
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
  return dart__pool_parts()[unit] != NULL;
}

static void give_back(uint64_t offset)
{
  dart__pool_free(offset);
}

static void start_out_near(message_t *m)
{
  bool     to_self = m->unit == dart__world.me;
  size_t   room    = to_self || m->nbytes < DART__LETTER_ROOM ? m->nbytes : DART__LETTER_ROOM;
  bool     wait    = dart__mailbox_reclaim(&post.box, LEFT_BYTES, give_back) > LEFT_BYTES;
  uint64_t offset;

  wait = !to_self && (wait || m->nbytes > room);
  if (dart__pool_alloc(dart__letter_bytes(room), &offset) != DART_OK) {
    dart__error("no memory for a message of %zu bytes to unit %d, see DART_POOL", m->nbytes,
                m->unit);
    finish(m, DART_ERR_NOMEM);
    return;
  }
  dart__mailbox_post(&post.box, m->unit, m->tag, m->buffer, m->nbytes, offset, room, wait, &m->out);
  if (!wait) {
    dart__mailbox_leave(&post.box, &m->out);
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

static void move_far(message_t *m)
{
  bool       done;
  dart_ret_t ret = dart__messages->test(m->far, &done);

  if (done) {
    m->far = NULL;
    finish(m, ret);
  }
}

static void move_out(message_t *m)
{
  if (m->far != NULL)
    move_far(m);
  else if (dart__mailbox_feed(&post.box, &m->out)) {
    give_back(m->out.offset);
    finish(m, DART_OK);
  }
}

static void move_in(message_t *m)
{
  if (m->far != NULL) {
    move_far(m);
    return;
  }
  if (!m->matched) {
    m->matched = dart__mailbox_match(&post.box, m->unit, m->tag, &m->in);
    if (!m->matched)
      return;
    if (m->in.nbytes > m->nbytes) {
      dart__error("a message of %zu bytes from unit %d, tag %d, does not fit the buffer of %zu",
                  m->in.nbytes, m->unit, m->tag, m->nbytes);
      dart__mailbox_refuse(&post.box, &m->in);
      finish(m, DART_ERR_OTHER);
      return;
    }
  }
  if (dart__mailbox_take(&post.box, &m->in, m->buffer))
    finish(m, DART_OK);
}

/* Both, or, where memory is missing, none: what is received is only made ready here, so it comes
 * first. */
static bool start(message_t *out, message_t *in)
{
  if (!in->done && !is_near(in->unit))
    start_far(in, false);
  if (in->done && in->ret != DART_OK)
    return false;
  if (out->done)
    return true;
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

/* Until something may have come, or has been served. */
static void wait_for_either(const message_t *out, const message_t *in, uint32_t seen,
                            uint32_t *turns, dart__gone_watch_t *watch)
{
  dart__wait_policy_t policy = dart__gone_wait(watch);

  watch->to   = out->done ? -1 : out->unit;
  watch->from = in->done ? -1 : in->unit;
  if (out->far != NULL || in->far != NULL)
    dart__wait_turn(turns, &policy);
  else
    dart__event_wait(dart__mailbox_event(&post.box), seen, &policy);
}

/* Move both on until both are done; one may be from the start. */
static dart_ret_t converse(const char *function, message_t *out, message_t *in)
{
  dart__event_t     *event = dart__mailbox_event(&post.box);
  dart__gone_watch_t watch = { .function = function };
  uint32_t           turns = 0;

  dart__progress();
  if (!start(out, in))
    return out->ret != DART_OK ? out->ret : in->ret;
  for (;;) {
    uint32_t seen = dart__event_count(event); /* before the look: what comes later changes it */

    if (!out->done)
      move_out(out);
    if (!in->done)
      move_in(in);
    if (out->done && in->done)
      return out->ret != DART_OK ? out->ret : in->ret;
    wait_for_either(out, in, seen, &turns, &watch);
  }
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
  return converse(__func__, &out, &none);
}

dart_ret_t dart_recv(void *recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit)
{
  message_t in, none = { .done = true };

  if (!check_message(__func__, recvbuf, nelem, dtype, tag, unit, &in))
    return DART_ERR_INVAL;
  in.buffer = recvbuf;
  return converse(__func__, &none, &in);
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
  return converse(__func__, &out, &in);
}
