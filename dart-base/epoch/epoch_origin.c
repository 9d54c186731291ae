/* See epoch_origin.h. Everything goes through active messages, which a unit
 * handles in the order in which they were sent to it; what is too large for them is flushed before the
 * control messages that follow. */
#include "epoch/epoch_origin.h"

#include <string.h>

#include "base/size.h"
#include "data/describe.h"
#include "epoch/epoch_target.h"
#include "far/am/am.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/word_order.h"
#include "model/world.h"
#include "wait/near.h"

static dart__am_epoch_t about(const dart__team_t *team, const dart__segment_t *segment,
                              uint32_t what, uint64_t value)
{
  return (dart__am_epoch_t){ team->id, segment->id, what | dart__lock_generation(segment), value };
}

static dart_unit_t peer_of(const dart__team_t *team, int32_t unit)
{
  return dart__team_member(team, unit);
}

/* ---- control messages ---------------------------------------------------------------------- */

void dart__epoch_send_control(const dart__team_t *team, const dart__segment_t *segment,
                              int32_t unit, dart__epoch_control_t control, uint64_t value, bool now)
{
  dart__am_epoch_t a = about(team, segment, control, value);

  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, NULL, 0, NULL, 0, now);
}

bool dart__epoch_ask_exposed(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             uint32_t *fence_out)
{
  dart__am_epoch_t a      = about(team, segment, DART__LOCK_EXPOSED, 0);
  uint64_t         result = 0;

  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, NULL, 0, &result, 1, false);
  dart__am_settle(dart__engine.am, peer_of(team, unit));
  *fence_out = (uint32_t)(result - 1);
  return result != 0;
}

/* ---- locks --------------------------------------------------------------------------------- */

static uint32_t flag_of(bool exclusive)
{
  return exclusive ? DART__LOCK_EXCLUSIVE : 0;
}

/* Append a selection of the operation's segment; returns the words used, as all of these do. */
static size_t append_selection(const dart__queued_t *op, uint64_t offset, uint64_t *words)
{
  dart__am_selection_t selection = { op->rma.at.team->id, op->rma.at.segment->id,
                                     (uint32_t)(offset >> DART__AM_OFFSET_BITS) };

  words[0] = dart__am_word(DART__AM_SELECT, 0, 0, 0, 0);
  memcpy(&words[1], &selection, sizeof selection);
  return 2;
}

/* Append a record on `nbytes` from `from` on of an operation. */
static size_t append_some(const dart__queued_t *op, size_t from, size_t nbytes, uint64_t *words)
{
  uint64_t offset = op->rma.at.offset + from;
  size_t   n      = append_selection(op, offset, words);

  if (op->rma.kind == DART__GET) {
    words[n++] = dart__am_word(DART__AM_GET, 0, 0, nbytes, offset);
    return n;
  }
  if (op->rma.kind == DART__PUT)
    words[n++] = dart__am_word(DART__AM_PUT, 0, 0, nbytes, offset);
  else
    words[n++] = dart__am_word(DART__AM_ACCUMULATE, (unsigned)op->rma.type->base, op->rma.op,
                               nbytes / op->rma.type->elem_size, offset);
  words[n + dart__am_words(nbytes) - 1] = 0; /* no stray bytes on the wire */
  memcpy(&words[n], (const char *)dart__queued_source(op) + from, nbytes);
  return n + dart__am_words(nbytes);
}

#define RECORD_MOST ((size_t)3200) /* bytes of one, whole elements of any type */

/* Append a put with types: elements from `from` on. */
static size_t append_elements(const dart__queued_t *op, size_t from, size_t nelem, uint64_t *words)
{
  size_t   size = op->rma.type->elem_size, nbytes = nelem * size;
  bool     is_plain = dart__type_is_contiguous(op->rma.type);
  uint64_t offset   = op->rma.at.offset + (is_plain ? from * size : 0);
  size_t   n        = append_selection(op, offset, words);

  words[n++] = dart__am_word(is_plain ? DART__AM_PUT : DART__AM_PUT_TYPED, 0, 0, nbytes, offset);
  if (!is_plain)
    words[n++] = from;
  words[n + dart__am_words(nbytes) - 1] = 0;
  dart__near_gather(&words[n], dart__queued_source(op), op->rma.local_type, from, nelem);
  return n + dart__am_words(nbytes);
}

static size_t append_typed(const dart__queued_t *op, uint64_t *words)
{
  size_t piece = RECORD_MOST / op->rma.type->elem_size, nwords = dart__type_words(op->rma.type),
         n = 0;

  if (!dart__type_is_contiguous(op->rma.type)) {
    words[n++] = dart__am_word(DART__AM_TYPE, 0, DART__AM_TYPE_ONCE, nwords, 0);
    dart__type_describe(op->rma.type, words + n);
    n += nwords;
  }
  for (size_t from = 0; from < op->rma.nelem; from += piece)
    n += append_elements(op, from, dart__least(op->rma.nelem - from, piece), words + n);
  return n;
}

/* All of an operation. */
static size_t append_records(const dart__queued_t *op, uint64_t *words)
{
  size_t nbytes = op->rma.nbytes, n = 0;

  if (op->rma.local_type != NULL)
    return append_typed(op, words);
  for (size_t from = 0; from < nbytes; from += RECORD_MOST)
    n += append_some(op, from, dart__least(nbytes - from, RECORD_MOST), words + n);
  return n;
}

/* Words of any operations that are sent together: of each the last record is not full. */
#define WORDS_MOST                         \
  (DART__LOCKED_BYTES / sizeof(uint64_t) + \
   4 * (DART__LOCKED_OPS + DART__LOCKED_BYTES / RECORD_MOST))

static size_t append_all(const dart__queued_t *const ops[], size_t nops, uint64_t *words)
{
  size_t nwords = 0;

  for (size_t i = 0; i < nops; i++) {
    size_t nbytes = ops[i]->rma.nbytes;

    if (ops[i]->rma.kind == DART__ACCUMULATE ||
        (ops[i]->rma.kind == DART__PUT && dart__is_word(nbytes)))
      dart__word_order_request_too(&ops[i]->rma.at, dart__word_order_at(&ops[i]->rma.at, nbytes));
    nwords += append_records(ops[i], words + nwords);
  }
  return nwords;
}

/* Words that gets read. */
static size_t result_words(const dart__queued_t *const ops[], size_t nops)
{
  size_t nwords = 0;

  for (size_t i = 0; i < nops; i++)
    if (ops[i]->rma.kind == DART__GET)
      nwords += dart__am_words(ops[i]->rma.nbytes);
  return nwords;
}

void dart__epoch_send_lock(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                           bool exclusive, const dart__queued_t *const ops[], size_t nops,
                           dart__epoch_request_t *request)
{
  uint64_t         words[WORDS_MOST];
  size_t           nwords = append_all(ops, nops, words);
  uint32_t         what   = nops == 0 ? DART__LOCK_ASK : DART__LOCK_APPLY;
  dart__am_epoch_t a =
      about(team, segment, what | flag_of(exclusive), (uint64_t)(uintptr_t)&request->granted);

  request->result = 0;
  atomic_store_explicit(&request->granted, 0, memory_order_relaxed); /* before it is sent */
  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, words, nwords, &request->result,
                 1 + result_words(ops, nops), false);
}

dart_ret_t dart__epoch_lock_answered(const dart__team_t *team, int32_t unit,
                                     const dart__epoch_request_t *request)
{
  dart__am_settle(dart__engine.am, peer_of(team, unit));
  return request->result == DART__LOCK_DONE    ? DART_OK
         : request->result == DART__LOCK_WAITS ? DART_PENDING
                                               : DART_ERR_INVAL;
}

void dart__epoch_send_lock_lazily(const dart__team_t *team, const dart__segment_t *segment,
                                  int32_t unit, bool exclusive, const dart__queued_t *const ops[],
                                  size_t nops, _Atomic uint32_t *done)
{
  uint64_t         words[WORDS_MOST];
  size_t           nwords = append_all(ops, nops, words);
  uint32_t         what   = DART__LOCK_APPLY | DART__LOCK_LAZY | flag_of(exclusive);
  dart__am_epoch_t a      = about(team, segment, what, (uint64_t)(uintptr_t)done);

  /* the agent would send it, if this unit computes next */
  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, words, nwords, NULL, 0,
                 !dart__world.has_agent);
}

void dart__epoch_send_completed(const dart__team_t *team, const dart__segment_t *segment,
                                int32_t unit, const dart__queued_t *const ops[], size_t nops,
                                uint64_t value)
{
  uint64_t         words[WORDS_MOST];
  size_t           nwords = append_all(ops, nops, words);
  dart__am_epoch_t a      = about(team, segment, DART__LOCK_COMPLETED, value);

  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, words, nwords, NULL, 0, true);
}

void dart__epoch_send_unlock(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             bool exclusive, _Atomic uint32_t *done)
{
  uint32_t         flags = flag_of(exclusive) | (done != NULL ? DART__LOCK_LAZY : 0);
  dart__am_epoch_t a = about(team, segment, DART__LOCK_LEAVE | flags, (uint64_t)(uintptr_t)done);

  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, NULL, 0, NULL, 0, true);
}

void dart__epoch_send_report(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                             _Atomic uint32_t *done)
{
  uint32_t         what = DART__LOCK_REPORT | DART__LOCK_LAZY;
  dart__am_epoch_t a    = about(team, segment, what, (uint64_t)(uintptr_t)done);

  dart__am_epoch(dart__engine.am, peer_of(team, unit), &a, NULL, 0, NULL, 0, true);
}
