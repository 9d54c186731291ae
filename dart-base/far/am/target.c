/* See target.h. */
#include "far/am/target.h"

#include <string.h>

#include "data/op.h"
#include "data/type.h"
#include "wait/atomic.h"
#include "wait/near.h"
#include "wait/plain.h"

/* The segment that was selected last. */
typedef struct {
  dart__am_region_t region; /* nbytes is 0 if there is no such segment */
  uint64_t          high;   /* to be added to offsets */
} selected_t;

static selected_t select_segment(const dart__am_host_t *host, const dart__am_selection_t *selection)
{
  selected_t s = { .high = (uint64_t)selection->offset_high << DART__AM_OFFSET_BITS };

  if (!host->resolve(host->context, selection->team, selection->segid, &s.region))
    s.region.nbytes = 0;
  return s;
}

void *dart__am_find(const dart__am_host_t *host, const dart__am_data_t *data)
{
  selected_t s = select_segment(host, &data->selection);

  if (data->nbytes > s.region.nbytes || data->offset > s.region.nbytes - data->nbytes)
    return NULL;
  return s.region.base + data->offset;
}

/* ---- sizes of a record --------------------------------------------------------------------- */

/* Bytes of target memory that a request accesses. */
static size_t extent_of(uint64_t word)
{
  size_t count = dart__am_word_count(word);

  switch (dart__am_word_kind(word)) {
  case DART__AM_PUT:
  case DART__AM_GET:
  case DART__AM_PUT_TYPED: /* at least: see apply_typed */
  case DART__AM_GET_TYPED: return count;
  case DART__AM_INFORM:
  case DART__AM_CALL: return sizeof(uint64_t);
  case DART__AM_EPOCH:
  case DART__AM_TYPE: return count * sizeof(uint64_t);
  case DART__AM_NEAR_UPDATE: return sizeof(uint64_t);
  default: return count * dart__type_basic_size(dart__am_word_type(word));
  }
}

/* Bytes of operands. */
static size_t operands_of(uint64_t word)
{
  switch (dart__am_word_kind(word)) {
  case DART__AM_SELECT: return sizeof(dart__am_selection_t);
  case DART__AM_GET:
  case DART__AM_PING: return 0;
  case DART__AM_CALL: return dart__am_word_count(word);
  case DART__AM_PUT_TYPED: return sizeof(uint64_t) + dart__am_word_count(word);
  case DART__AM_GET_TYPED: return sizeof(uint64_t);
  case DART__AM_SWAP: return 2 * extent_of(word);
  case DART__AM_UPDATES: return extent_of(word) + dart__am_word_count(word) * sizeof(uint32_t);
  case DART__AM_FETCH: return dart__am_word_op(word) == DART_OP_NO_OP ? 0 : extent_of(word);
  default: return extent_of(word);
  }
}

/* Bytes of the result. */
static size_t result_of(uint64_t word)
{
  switch (dart__am_word_kind(word)) {
  case DART__AM_FETCH:
  case DART__AM_SWAP:
  case DART__AM_GET:
  case DART__AM_GET_TYPED: return extent_of(word);
  case DART__AM_TYPE: return dart__am_word_op(word) == DART__AM_TYPE_KEEP ? sizeof(uint64_t) : 0;
  case DART__AM_EPOCH: return dart__am_word_offset(word) * sizeof(uint64_t);
  case DART__AM_CALL: return dart__am_word_op(word) == 0 ? 0 : sizeof(uint64_t);
  default: return 0;
  }
}

/* ---- applying ------------------------------------------------------------------------------ */

/* Elements that nobody else updates meanwhile, by loops that the compiler vectorises. */
static void apply_plainly(char *at, uint64_t word, const char *operands)
{
  dart_operation_t op = dart__am_word_op(word);

  if (op == DART_OP_REPLACE)
    memcpy(at, operands, operands_of(word));
  else if (op != DART_OP_NO_OP)
    dart__op_combine(op, dart__am_word_type(word), operands, at, dart__am_word_count(word));
}

static void fetch(char *at, uint64_t word, const char *operands, char *result)
{
  dart_datatype_t  type = dart__am_word_type(word);
  dart_operation_t op   = dart__am_word_op(word);

  dart__atomic_fetch_elements(at, op == DART_OP_NO_OP ? NULL : operands, result,
                              dart__am_word_count(word), type, op);
}

static void apply_atomic(char *at, uint64_t word, const char *operands, void *result)
{
  dart_datatype_t  type = dart__am_word_type(word);
  dart_operation_t op   = dart__am_word_op(word);

  switch (dart__am_word_kind(word)) {
  case DART__AM_NOTIFY: /* acq_rel: releases what was put before it to the thread that waits */
  case DART__AM_ACCUMULATE:
    dart__atomic_accumulate(at, operands, dart__am_word_count(word), type, op);
    break;
  case DART__AM_FETCH: fetch(at, word, operands, result); break;
  default: dart__atomic_swap(at, operands, operands + extent_of(word), result, type); break;
  }
}

static void apply_call(const dart__am_host_t *host, char *at, uint64_t word, const char *operands,
                       void *result)
{
  uint64_t value = host->called(host->context, at, operands, dart__am_word_count(word));

  if (result_of(word) > 0)
    memcpy(result, &value, sizeof value);
}

/* An accumulate of one word: its cache line is prefetched, and it is applied with the next ones. */
static bool may_be_deferred(const selected_t *s, uint64_t word, size_t nbytes)
{
  return dart__am_word_kind(word) == DART__AM_ACCUMULATE && nbytes <= sizeof(uint64_t) &&
         dart__am_word_count(word) == 1 && s->region.mutex == NULL;
}

/* False: the request names no memory. */
static bool apply(const dart__am_host_t *host, const selected_t *s, dart__deferred_t *updates,
                  uint64_t word, const char *operands, void *result)
{
  const dart__type_t *bytes  = &dart__type_basic[DART_TYPE_BYTE];
  size_t              nbytes = extent_of(word);
  uint64_t            offset = s->high + dart__am_word_offset(word);
  char               *at;

  if (nbytes > s->region.nbytes || offset > s->region.nbytes - nbytes)
    return false;
  at = s->region.base + offset;
  dart__deferred_apply_all(updates); /* this request is applied after them */
  switch (dart__am_word_kind(word)) {
  case DART__AM_PUT: dart__near_put(at, bytes, operands, bytes, nbytes); return true;
  case DART__AM_GET: dart__near_get(result, bytes, at, bytes, nbytes); return true;
  case DART__AM_CALL: apply_call(host, at, word, operands, result); return true;
  default: break;
  }
  if (s->region.is_exclusive && dart__am_word_kind(word) == DART__AM_ACCUMULATE) {
    apply_plainly(at, word, operands);
    return true;
  }
  if (s->region.mutex != NULL)
    dart__mutex_lock(s->region.mutex, &dart__wait_briefly);
  apply_atomic(at, word, operands, result);
  if (s->region.mutex != NULL)
    dart__mutex_unlock(s->region.mutex);
  return true;
}

/* Puts, and notifications by a sum, with nothing on the way that other kinds need. Returns the words of the record, 0: it is
 * none of these, or names no memory. */
static inline size_t apply_signal(const selected_t *s, dart__deferred_t *updates,
                                  const uint64_t *words, bool *notified_out)
{
  dart__am_request_kind_t kind   = dart__am_word_kind(words[0]);
  bool                    is_put = kind == DART__AM_PUT;
  size_t                  nbytes = is_put ? dart__am_word_count(words[0]) : sizeof(uint64_t);
  uint64_t                offset = s->high + dart__am_word_offset(words[0]);

  if (!is_put && (kind != DART__AM_NOTIFY || dart__am_word_op(words[0]) != DART_OP_SUM ||
                  s->region.mutex != NULL))
    return 0;
  if (nbytes > s->region.nbytes || offset > s->region.nbytes - nbytes)
    return 0;
  if (!dart__deferred_is_empty(updates)) /* this request is applied after them */
    dart__deferred_apply_all(updates);
  if (is_put) {
    dart__near_put_bytes(s->region.base + offset, &words[1], nbytes);
  } else {
    /* acq_rel: releases what was put before it to the thread that waits */
    atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)(s->region.base + offset), words[1],
                              memory_order_acq_rel);
    *notified_out = true;
  }
  return 1 + dart__am_words(nbytes);
}

#define RUN_MASK (((uint64_t)1 << DART__AM_OFFSET_AT) - 1) /* all of a word but the offset */

/* Add a run of updates of one word each, alike but for offset and operand: what programs that update words at
 * random places send, decoded once. Returns its words, 0: there is none here. */
static size_t apply_run(const selected_t *s, dart__deferred_t *updates, const uint64_t *words,
                        size_t nwords, uint32_t *refused_out)
{
  uint64_t         alike  = words[0] & RUN_MASK;
  size_t           nbytes = extent_of(words[0]), i;
  dart_datatype_t  type   = dart__am_word_type(alike);
  dart_operation_t op     = dart__am_word_op(alike);

  if (!may_be_deferred(s, alike, nbytes) || nbytes > s->region.nbytes)
    return 0;
  for (i = 0; i < nwords && (words[i] & RUN_MASK) == alike; i += 2) {
    uint64_t offset = s->high + dart__am_word_offset(words[i]);

    if (__builtin_expect(offset > s->region.nbytes - nbytes, 0))
      ++*refused_out;
    else
      dart__deferred_add(updates, s->region.base + offset, &words[i + 1], nbytes, type, op);
  }
  return i;
}

/* Add a run of updates of words in the portions of this node's units, of one type and operator. Returns its words. */
#define KIND_MASK (((uint64_t)1 << DART__AM_COUNT_AT) - 1)
static size_t apply_near_run(const selected_t *s, dart__deferred_t *updates, const uint64_t *words,
                             size_t nwords, uint32_t *refused_out)
{
  const dart__am_region_t *r     = &s->region;
  uint64_t                 alike = words[0] & KIND_MASK;
  size_t                   size  = extent_of(words[0]), i;

  for (i = 0; i < nwords && (words[i] & KIND_MASK) == alike; i += 2) {
    uint64_t offset = s->high + dart__am_word_offset(words[i]);
    size_t   index  = dart__am_word_count(words[i]);

    if (__builtin_expect(r->near == NULL || index >= (size_t)r->nunits || r->nbytes < size ||
                             offset > r->nbytes - size,
                         0))
      ++*refused_out;
    else
      dart__deferred_add(
          updates, r->near[r->units == NULL ? index : (size_t)r->units[index]] + r->start + offset,
          &words[i + 1], size, dart__am_word_type(alike), dart__am_word_op(alike));
  }
  return i;
}

/* Updates that are one request, of words that nobody else updates meanwhile: their lines are fetched while those
 * before are updated. All places are in the region. */
#define AHEAD 16
static void apply_updates_plainly(uint64_t *words, const uint64_t *values, const uint32_t *places,
                                  size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  for (size_t i = 0; i < AHEAD && i < nelem; i++)
    __builtin_prefetch(&words[places[i]], 1);
  for (size_t i = 0; i < nelem; i++) {
    if (i + AHEAD < nelem)
      __builtin_prefetch(&words[places[i + AHEAD]], 1);
    dart__plain_accumulate_one(&words[places[i]], &values[i], type, op);
  }
}

/* Returns how many of them name no memory, or none whose updates are CPU atomics. */
static uint32_t apply_updates(const selected_t *s, dart__deferred_t *updates, uint64_t word,
                              const uint64_t *values)
{
  size_t           nelem = dart__am_word_count(word), size = extent_of(word) / nelem, nrefused = 0;
  size_t           nplaces = s->region.nbytes / size;
  const uint32_t  *places  = (const uint32_t *)(const void *)&values[nelem];
  dart_datatype_t  type    = dart__am_word_type(word);
  dart_operation_t op      = dart__am_word_op(word);

  if (s->region.mutex != NULL)
    return (uint32_t)nelem;
  for (size_t i = 0; i < nelem; i++)
    nrefused += places[i] >= nplaces;
  if (s->region.is_exclusive && nrefused == 0) {
    dart__deferred_apply_all(updates); /* these are applied after them */
    apply_updates_plainly((uint64_t *)(void *)s->region.base, values, places, nelem, type, op);
    return 0;
  }
  for (size_t i = 0; i < nelem; i++)
    if (places[i] < nplaces)
      dart__deferred_add(updates, s->region.base + places[i] * size, &values[i], size, type, op);
  return (uint32_t)nrefused;
}

/* Elements that lie as `type` says. False: some are in no memory. */
static bool apply_typed(const selected_t *s, dart__deferred_t *updates, const dart__type_t *type,
                        uint64_t word, const uint64_t *operands, void *result)
{
  size_t   nelem = dart__am_word_count(word) / type->elem_size, from = operands[0];
  size_t   span   = dart__type_span(type, from + nelem); /* SIZE_MAX: more than there can be */
  uint64_t offset = s->high + dart__am_word_offset(word);
  char    *at     = s->region.base + offset;

  if (span > s->region.nbytes || offset > s->region.nbytes - span)
    return false;
  dart__deferred_apply_all(updates); /* this request is applied after them */
  if (dart__am_word_kind(word) == DART__AM_PUT_TYPED) {
    atomic_thread_fence(memory_order_release); /* as in dart__near_put */
    dart__near_scatter(at, type, from, &operands[1], nelem);
  } else {
    dart__near_gather(result, at, type, from, nelem);
    atomic_thread_fence(memory_order_acquire); /* as in dart__near_get */
  }
  return true;
}

static dart__am_epoch_served_t tell_epoch(const dart__am_host_t *host, dart__deferred_t *updates,
                                          int32_t peer, uint64_t word, const uint64_t *operands,
                                          uint64_t *results)
{
  dart__am_epoch_t about;
  uint64_t         unwanted = 0;

  if (result_of(word) == 0)
    results = &unwanted;
  else /* no stray bytes on the wire */
    memset(results, 0, result_of(word));
  memcpy(&about, operands, sizeof about);
  dart__deferred_apply_all(updates); /* what is in order before it */
  return host->epoch(host, updates, peer, &about, operands + DART__AM_EPOCH_WORDS,
                     dart__am_word_count(word) - DART__AM_EPOCH_WORDS, results);
}

/* An atomic that fetches one word, decoded once. Returns its words, 0: it is none, or names no memory. */
static inline size_t apply_fetch_of_word(const selected_t *s, dart__deferred_t *updates,
                                         const uint64_t *words, uint64_t *result)
{
  uint64_t         offset = s->high + dart__am_word_offset(words[0]), nbytes = s->region.nbytes;
  dart_datatype_t  type = dart__am_word_type(words[0]);
  dart_operation_t op   = dart__am_word_op(words[0]);
  char            *at   = s->region.base + offset;

  if (dart__type_basic_size(type) != sizeof *result || dart__am_word_count(words[0]) != 1 ||
      s->region.mutex != NULL || nbytes < sizeof *result || offset > nbytes - sizeof *result)
    return 0;
  if (!dart__deferred_is_empty(updates)) /* this request is applied after them */
    dart__deferred_apply_all(updates);
  if (dart__am_word_kind(words[0]) == DART__AM_SWAP) {
    dart__atomic_swap(at, &words[1], &words[2], result, type);
    return 3;
  }
  dart__atomic_fetch(at, op == DART_OP_NO_OP ? NULL : &words[1], result, type, op);
  return op == DART_OP_NO_OP ? 1 : 2;
}

/* What programs make many of. Returns the words of the records applied, 0: there is none of these here. */
static inline size_t apply_many(const selected_t *s, dart__deferred_t *updates,
                                const uint64_t *words, size_t nwords, uint64_t *results,
                                dart__am_applied_t *applied)
{
  size_t run;

  switch (dart__am_word_kind(words[0])) {
  case DART__AM_FETCH:
  case DART__AM_SWAP:
    run = apply_fetch_of_word(s, updates, words, &results[applied->nresults]);
    applied->nresults += run > 0;
    return run;
  case DART__AM_ACCUMULATE: return apply_run(s, updates, words, nwords, &applied->refused);
  case DART__AM_NEAR_UPDATE: return apply_near_run(s, updates, words, nwords, &applied->refused);
  default: return apply_signal(s, updates, words, &applied->notified);
  }
}

static bool is_typed(dart__am_request_kind_t kind)
{
  return kind == DART__AM_PUT_TYPED || kind == DART__AM_GET_TYPED;
}

dart__am_applied_t dart__am_apply_batch(const dart__am_host_t *host, dart__deferred_t *updates,
                                        dart__am_known_t **known, int32_t peer,
                                        const uint64_t *words, size_t nwords, uint64_t *results)
{
  selected_t          s       = { .high = 0 };
  dart__am_applied_t  applied = { 0 };
  const dart__type_t *type    = NULL;
  dart__type_room_t   room; /* of `type`, perhaps */
  uint64_t            none; /* where results would be written, if there were any */

  if (results == NULL)
    results = &none;
  for (size_t i = 0; i < nwords;) {
    uint64_t                word = words[i];
    dart__am_request_kind_t kind = dart__am_word_kind(word);
    size_t                  run = apply_many(&s, updates, words + i, nwords - i, results, &applied);

    if (run > 0) {
      i += run;
      continue;
    }
    i++;
    if (kind == DART__AM_SELECT) {
      dart__am_selection_t selection;

      memcpy(&selection, &words[i], sizeof selection);
      s = select_segment(host, &selection);
    } else if (kind == DART__AM_INFORM) {
      host->informed(host->context, peer, words[i]);
    } else if (kind == DART__AM_EPOCH) {
      dart__am_epoch_served_t served =
          tell_epoch(host, updates, peer, word, &words[i], &results[applied.nresults]);

      applied.refused += served == DART__AM_EPOCH_REFUSED;
      applied.notified |= served == DART__AM_EPOCH_NOTIFIED;
    } else if (kind == DART__AM_TYPE) {
      type = dart__am_known_read(known, word, &words[i], &room, &results[applied.nresults]);
    } else if (kind == DART__AM_UPDATES) {
      applied.refused += apply_updates(&s, updates, word, &words[i]);
    } else if (kind != DART__AM_PING) {
      uint64_t *result = &results[applied.nresults];

      if (is_typed(kind) ? !apply_typed(&s, updates, type, word, &words[i], result)
                         : !apply(host, &s, updates, word, (const char *)&words[i], result)) {
        if (result_of(word) > 0) /* no stray bytes on the wire */
          memset(result, 0, result_of(word));
        applied.refused++;
      }
      applied.notified |= kind == DART__AM_NOTIFY;
      applied.granted |= kind == DART__AM_CALL && host->has_grants(host->context);
    }
    applied.nresults += dart__am_words(result_of(word));
    i += dart__am_words(operands_of(word));
  }
  dart__deferred_apply_all(updates);
  return applied;
}

dart__am_applied_t dart__am_apply(const dart__am_host_t *host, dart__deferred_t *updates,
                                  int32_t peer, const uint64_t *words, size_t nwords,
                                  uint64_t *results)
{
  return dart__am_apply_batch(host, updates, NULL, peer, words, nwords, results);
}
