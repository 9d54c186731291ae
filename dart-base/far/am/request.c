/* Operations as records of a batch (wire.h). Operands are copied before return; results are there after a
 * flush. */
#include <string.h>

#include "base/size.h"
#include "data/type.h"
#include "far/am/endpoint.h"
#include "far/am/instance.h"

#define ELEMENTS_MOST 1024 /* bytes of elements in a record, so that batches fill well */

typedef enum { WITH_OTHERS, IF_ALONE, IF_POSSIBLE, NOW } leave_t; /* when its batch is sent */

/* Programs are iterative: an atomic that is made while nothing is outstanding is likely to be waited for at once, if the
 * last one was. It is sent before the program asks for its completion, and that is under way meanwhile. */
static bool is_likely_alone(dart__am_endpoint_t *ep)
{
  bool is_idle = ep->open == NULL && ep->first == NULL;

  ep->is_alone = ep->is_alone && is_idle;
  return ep->is_alone;
}

/* Append one record to the endpoint of its peer; `at` NULL: it accesses no memory. Returns the number of its batch, as all
 * of these do. */
static inline uint64_t append(dart__am_t *am, int32_t peer, const dart__am_address_t *at,
                              const dart__am_record_t *r, leave_t leave)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];
  bool                 is_alone;
  uint64_t             number;

  dart__am_spin_lock(&ep->lock);
  is_alone = leave == IF_ALONE && is_likely_alone(ep);
  dart__am_endpoint_reserve(am, peer, ep, dart__am_record_words(r),
                            dart__am_words(r->result_bytes));
  dart__am_endpoint_append(ep, at, r);
  number = dart__am_number(&ep->newest);
  if (is_alone || leave == IF_POSSIBLE) /* else progress sends it */
    dart__am_endpoint_send(am, peer, ep, is_alone);
  else if (leave == NOW)
    dart__am_endpoint_send_now(am, peer, ep);
  dart__am_spin_unlock(&ep->lock);
  return number;
}

/* What programs request most. */
static uint64_t append_record(dart__am_t *am, const dart__am_address_t *at,
                              const dart__am_record_t *r)
{
  return append(am, at->peer, at, r, WITH_OTHERS);
}

static uint64_t append_atomic(dart__am_t *am, const dart__am_address_t *at,
                              const dart__am_record_t *r)
{
  return append(am, at->peer, at, r, IF_ALONE);
}

/* ---- put, get ------------------------------------------------------------------------------ */

static dart__am_record_t put_record(uint64_t offset, const void *src, size_t nbytes)
{
  return (dart__am_record_t){ .word        = dart__am_word(DART__AM_PUT, 0, 0, nbytes, offset),
                              .first       = src,
                              .first_bytes = nbytes };
}

uint64_t dart__am_put(dart__am_t *am, const dart__am_address_t *at, const void *src, size_t nbytes)
{
  dart__am_record_t r = put_record(at->offset, src, nbytes);

  return append_record(am, at, &r);
}

uint64_t dart__am_get(dart__am_t *am, const dart__am_address_t *at, void *dst, size_t nbytes)
{
  dart__am_record_t r = { .word         = dart__am_word(DART__AM_GET, 0, 0, nbytes, at->offset),
                          .result       = dst,
                          .result_bytes = nbytes };

  return append_record(am, at, &r);
}

/* ---- atomics ------------------------------------------------------------------------------- */

/* Append an update of one word to an open batch that has room and has selected the segment. Programs that
 * update words at random places do little else, so this takes one call, and no dart__am_record_t. 0: nothing was
 * done. */
static uint64_t append_update(dart__am_t *am, const dart__am_address_t *at, uint64_t word,
                              const void *value)
{
  dart__am_selection_t selection = dart__am_selection_of(at->team, at->segid, at->offset);
  dart__am_endpoint_t *ep        = &am->endpoint[at->peer];
  dart__am_batch_t    *batch;
  uint64_t             number = 0;

  dart__am_spin_lock(&ep->lock);
  batch = ep->open;
  if (batch != NULL && dart__am_batch_has_selected(batch, &selection) &&
      dart__am_endpoint_has_room(am, ep, 2, 0)) {
    batch->message.words[batch->nwords] = word;
    memcpy(&batch->message.words[batch->nwords + 1], value, sizeof(uint64_t));
    batch->nwords += 2;
    batch->nrequests++;
    number = ep->sent + 1;
  }
  dart__am_spin_unlock(&ep->lock);
  return number;
}

/* Elements that fit a record. */
static uint64_t accumulate_some(dart__am_t *am, const dart__am_address_t *at, const void *values,
                                size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__am_record_t r = { .first = values, .first_bytes = nelem * dart__type_basic_size(type) };
  uint64_t          number;

  r.word = dart__am_word(DART__AM_ACCUMULATE, (unsigned)type, op, nelem, at->offset);
  number = r.first_bytes == sizeof(uint64_t) ? append_update(am, at, r.word, values) : 0;
  return number != 0 ? number : append_atomic(am, at, &r);
}

uint64_t dart__am_accumulate(dart__am_t *am, const dart__am_address_t *at, const void *values,
                             size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  size_t   size   = dart__type_basic_size(type), piece;
  uint64_t number = 0;

  if (nelem == 1)
    return accumulate_some(am, at, values, nelem, type, op);
  piece = ELEMENTS_MOST / size;
  for (size_t from = 0; from < nelem; from += piece) {
    dart__am_address_t some = *at;

    some.offset += from * size;
    number = accumulate_some(am, &some, (const char *)values + from * size,
                             nelem - from < piece ? nelem - from : piece, type, op);
  }
  return number;
}

uint64_t dart__am_updates(dart__am_t *am, const dart__am_address_t *at, const uint64_t *values,
                          const uint32_t *places, size_t nelem, dart_datatype_t type,
                          dart_operation_t op)
{
  dart__am_record_t    r  = { .word  = dart__am_word(DART__AM_UPDATES, (unsigned)type, op, nelem, 0),
                              .first = values,
                              .first_bytes  = nelem * sizeof *values,
                              .second       = places,
                              .second_bytes = nelem * sizeof *places };
  dart__am_endpoint_t *ep = &am->endpoint[at->peer];

  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_reserve(am, at->peer, ep, dart__am_record_words(&r), 0);
  dart__am_endpoint_append(ep, at, &r);
  ep->open->nrequests += nelem - 1; /* as many as the accumulates that it stands for */
  dart__am_spin_unlock(&ep->lock);
  return dart__am_newest(am, at->peer);
}

uint64_t dart__am_near_update(dart__am_t *am, const dart__am_address_t *at, uint32_t near_index,
                              uint64_t value, dart_datatype_t type, dart_operation_t op)
{
  dart__am_record_t r = { .word        = dart__am_word(DART__AM_NEAR_UPDATE, (unsigned)type, op,
                                                       near_index, at->offset),
                          .first       = &value,
                          .first_bytes = sizeof value };

  return append_record(am, at, &r);
}

/* Elements that fit a record. `values` is ignored for NO_OP. */
static uint64_t fetch_some(dart__am_t *am, const dart__am_address_t *at, const void *values,
                           void *results, size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  size_t            nbytes = nelem * dart__type_basic_size(type);
  dart__am_record_t r      = { .first        = values,
                               .first_bytes  = op == DART_OP_NO_OP ? 0 : nbytes,
                               .result       = results,
                               .result_bytes = nbytes };

  r.word = dart__am_word(DART__AM_FETCH, (unsigned)type, op, nelem, at->offset);
  return append_atomic(am, at, &r);
}

uint64_t dart__am_fetch(dart__am_t *am, const dart__am_address_t *at, const void *values,
                        void *results, size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  size_t             size   = dart__type_basic_size(type), piece;
  dart__am_address_t some   = *at;
  uint64_t           number = 0;

  if (nelem == 1)
    return fetch_some(am, at, values, results, 1, type, op);
  piece = ELEMENTS_MOST / size;
  for (size_t from = 0; from < nelem; from += piece, some.offset += piece * size)
    number = fetch_some(am, &some, op == DART_OP_NO_OP ? NULL : (const char *)values + from * size,
                        (char *)results + from * size, dart__least(nelem - from, piece), type, op);
  return number;
}

uint64_t dart__am_swap(dart__am_t *am, const dart__am_address_t *at, const void *value,
                       const void *compare, void *result, dart_datatype_t type)
{
  size_t            size = dart__type_basic_size(type);
  dart__am_record_t r    = { .first        = value,
                             .first_bytes  = size,
                             .second       = compare,
                             .second_bytes = size,
                             .result       = result,
                             .result_bytes = size };

  r.word = dart__am_word(DART__AM_SWAP, (unsigned)type, 0, 1, at->offset);
  return append_atomic(am, at, &r);
}

/* ---- messages of data ----------------------------------------------------------------------- */

/* What the next message carries of `nbytes`, from `from` on. */
static dart__am_data_t next_data(const dart__am_address_t *at, size_t from, size_t nbytes,
                                 bool is_got)
{
  return (dart__am_data_t){ .selection = { .team = at->team, .segid = at->segid },
                            .offset    = at->offset + from,
                            .nbytes    = (uint32_t)dart__least(nbytes - from, DART__AM_DATA_MOST),
                            .is_got    = is_got };
}

uint64_t dart__am_move_data(dart__am_t *am, const dart__am_address_t *at, void *buffer,
                            size_t nbytes, bool is_put)
{
  dart__am_endpoint_t *ep     = &am->endpoint[at->peer];
  uint64_t             number = 0;

  dart__am_spin_lock(&ep->lock);
  for (size_t from = 0; from < nbytes; from += DART__AM_DATA_MOST) {
    dart__am_data_t data = next_data(at, from, nbytes, !is_put);

    dart__am_endpoint_reserve(am, at->peer, ep, DART__AM_DATA_WORDS, 0);
    number = ep->sent + 1;
    if (is_put) {
      dart__am_endpoint_add_data(am, at->peer, ep, &data, (char *)buffer + from);
    } else {
      dart__am_endpoint_add_got(ep, &data, (char *)buffer + from);
      dart__am_endpoint_send(am, at->peer, ep, false); /* the peer sends while more is asked for */
    }
  }
  dart__am_spin_unlock(&ep->lock);
  return number;
}

/* ---- notifications ------------------------------------------------------------------------- */

/* Programs are iterative: if a peer was notified four times between the last two waits, and between the
 * two before, then four notifications are likely now, and can share a batch. After a wrong guess a thread
 * that makes progress sends the open batch. */
static bool is_last_of_burst(dart__am_t *am, dart__am_endpoint_t *ep)
{
  /* relaxed: a guess */
  uint64_t waits = atomic_load_explicit(&am->waits, memory_order_relaxed);

  if (ep->wait != waits && ep->burst[0] > 0) {
    ep->burst[2] = ep->burst[1];
    ep->burst[1] = ep->burst[0];
    ep->burst[0] = 0;
  }
  ep->wait = waits;
  ep->burst[0]++;
  return ep->burst[0] >= ep->burst[1] || ep->burst[0] >= ep->burst[2];
}

/* The put, if there are data, and the notification, in one batch. */
static void append_signal(dart__am_t *am, dart__am_endpoint_t *ep, const dart__am_address_t *at,
                          const void *src, size_t nbytes, const dart__am_address_t *flag,
                          uint64_t value, dart_operation_t op)
{
  dart__am_record_t put =
      nbytes > 0 ? put_record(at->offset, src, nbytes) : (dart__am_record_t){ 0 };
  dart__am_record_t signal = { .first = &value, .first_bytes = sizeof value };
  size_t            nwords = dart__am_record_words(&signal);

  signal.word = dart__am_word(DART__AM_NOTIFY, DART_TYPE_ULONG, op, 1, flag->offset);
  if (nbytes > 0)
    nwords += dart__am_record_words(&put);
  dart__am_endpoint_reserve(am, flag->peer, ep, nwords, 0);
  if (nbytes > 0)
    dart__am_endpoint_append(ep, at, &put);
  dart__am_endpoint_append(ep, flag, &signal);
}

uint64_t dart__am_notify(dart__am_t *am, const dart__am_address_t *at, const void *src,
                         size_t nbytes, const dart__am_address_t *flag, uint64_t value,
                         dart_operation_t op)
{
  dart__am_endpoint_t *ep = &am->endpoint[flag->peer];
  uint64_t             number;

  dart__am_spin_lock(&ep->lock);
  append_signal(am, ep, at, src, nbytes, flag, value, op);
  number = ep->sent + 1;
  if (!am->config.is_sent_later) /* nothing may send it later */
    dart__am_endpoint_send_now(am, flag->peer, ep);
  else if (is_last_of_burst(am, ep)) /* if it cannot be sent now, progress sends it */
    dart__am_endpoint_send(am, flag->peer, ep, false);
  dart__am_spin_unlock(&ep->lock);
  return number;
}

/* A record that does nothing keeps it in order with the requests before, some of which may have been sent. */
uint64_t dart__am_notify_here(dart__am_t *am, int32_t peer, void *flag, uint64_t value,
                              dart_operation_t op)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];
  dart__am_record_t    r  = { .word = dart__am_word(DART__AM_PING, 0, 0, 0, 0) };
  uint64_t             number;

  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_reserve(am, peer, ep, dart__am_record_words(&r), 0);
  dart__am_endpoint_append(ep, NULL, &r);
  dart__am_endpoint_add_arrival(am, peer, ep, &(dart__am_arrival_t){ flag, value, op, NULL });
  number = ep->sent + 1;
  if (!am->config.is_sent_later || is_last_of_burst(am, ep))
    dart__am_endpoint_send(am, peer, ep, false); /* if it cannot be sent now, progress sends it */
  dart__am_spin_unlock(&ep->lock);
  return number;
}

/* ---- operations of the peer's host --------------------------------------------------------- */

void dart__am_call(dart__am_t *am, const dart__am_address_t *at, const void *operand, size_t nbytes,
                   uint64_t *result)
{
  dart__am_record_t    r  = { .first        = operand,
                              .first_bytes  = nbytes,
                              .result       = result,
                              .result_bytes = result == NULL ? 0 : sizeof *result };
  dart__am_endpoint_t *ep = &am->endpoint[at->peer];

  r.word = dart__am_word(DART__AM_CALL, 0, result != NULL, nbytes, at->offset);
  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_reserve(am, at->peer, ep, dart__am_record_words(&r),
                            dart__am_words(r.result_bytes));
  dart__am_endpoint_append(ep, at, &r);
  ep->open->nown++;
  if (am->config.is_sent_later) /* if it cannot be sent now, progress sends it */
    dart__am_endpoint_send(am, at->peer, ep, false);
  else
    dart__am_endpoint_send_now(am, at->peer, ep);
  dart__am_spin_unlock(&ep->lock);
}

/* ---- requests that access no memory --------------------------------------------------------- */

void dart__am_epoch(dart__am_t *am, int32_t peer, const dart__am_epoch_t *about,
                    const uint64_t *words, size_t nwords, uint64_t *results, size_t nresults,
                    bool now)
{
  dart__am_record_t r = { .first        = about,
                          .first_bytes  = sizeof *about,
                          .second       = words,
                          .second_bytes = nwords * sizeof *words,
                          .result       = results,
                          .result_bytes = nresults * sizeof *results };

  r.word = dart__am_word(DART__AM_EPOCH, 0, 0, DART__AM_EPOCH_WORDS + nwords, nresults);
  append(am, peer, NULL, &r, now ? NOW : WITH_OTHERS);
}

void dart__am_wake(dart__am_t *am, int32_t peer)
{
  dart__am_endpoint_t *ep = &am->endpoint[peer];

  dart__am_spin_lock(&ep->lock);
  dart__am_endpoint_wake(am, peer, ep);
  dart__am_spin_unlock(&ep->lock);
}

void dart__am_ping(dart__am_t *am, int32_t peer)
{
  append(am, peer, NULL, &(dart__am_record_t){ .word = dart__am_word(DART__AM_PING, 0, 0, 0, 0) },
         IF_POSSIBLE);
}

void dart__am_inform(dart__am_t *am, int32_t peer, uint64_t word)
{
  append(am, peer, NULL,
         &(dart__am_record_t){ .word        = dart__am_word(DART__AM_INFORM, 0, 0, 0, 0),
                               .first       = &word,
                               .first_bytes = sizeof word },
         WITH_OTHERS);
}
