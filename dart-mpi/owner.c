/* The owner's side of the service: requests of far units, applied to the own memory.
 *
 * Atomics are CPU atomics, as those of near units are, so all atomics on a word are atomic towards
 * each other, which MPI's own accumulates and CPU atomics are not. A batch says once which segment
 * its requests are about, so that applying one is a check of bounds and the access. */
#include "service.h"

#include <string.h>

#include "api/remote.h"
#include "api/twosided.h"
#include "model/op.h"
#include "model/world.h"
#include "node/atomic.h"
#include "node/deferred.h"
#include "node/near.h"

/* The segment that requests are about at the moment. */
typedef struct {
  dart__place_t at;     /* of its first byte */
  uint64_t      nbytes; /* of the own portion; 0 if there is no such segment */
  uint64_t      high;   /* to be added to offsets */
  char         *mapped; /* the own portion, as this process has it */
} selected_t;

/* Updates of one word whose cache lines are under way. Whatever else a batch asks for comes after
 * them, and nothing is left at its end. */
static dart__deferred_t updates;

static const char function[] = "request from another node";

static void select_segment(uint64_t operand, selected_t *s)
{
  dart__selection_t selection;
  dart__team_t     *team;
  dart_gptr_t       gptr = DART_GPTR_NULL;

  memcpy(&selection, &operand, sizeof selection);
  team        = dart__team_find(selection.team);
  gptr.teamid = selection.team;
  gptr.segid  = selection.segid;
  gptr.unitid = team == NULL ? 0 : team->me;
  s->nbytes   = 0;
  s->high     = (uint64_t)selection.offset_high << DART__OFFSET_BITS;
  s->mapped   = NULL;
  if (dart__locate(function, gptr, 0, &s->at) != DART_OK)
    return;
  s->nbytes = dart__segment_size(s->at.segment, s->at.unit);
  s->mapped = s->at.near;
  if (s->mapped == NULL) /* registered memory: nobody else maps it */
    s->mapped = (char *)(uintptr_t)s->at.segment->address[s->at.unit];
}

void *dart__owner_memory(const dart__data_t *data)
{
  selected_t s;
  uint64_t   operand;

  memcpy(&operand, &data->selection, sizeof operand);
  select_segment(operand, &s);
  if (data->nbytes > s.nbytes || data->offset > s.nbytes - data->nbytes)
    return NULL;
  return s.mapped + data->offset;
}

/* Bytes of memory that a request is about. */
static size_t extent_of(uint64_t word)
{
  size_t count = dart__request_count(word);

  switch (dart__request_kind(word)) {
  case DART__PUT:
  case DART__GET:   return count;
  case DART__RAISE: return sizeof(uint64_t);
  default:          return count * dart__type_basic_size(dart__request_type(word));
  }
}

/* Bytes of operands. */
static size_t operands_of(uint64_t word)
{
  switch (dart__request_kind(word)) {
  case DART__SELECT:  return sizeof(dart__selection_t);
  case DART__GET:
  case DART__NOTHING: return 0;
  case DART__SWAP:    return 2 * extent_of(word);
  case DART__FETCH:   return dart__request_op(word) == DART_OP_NO_OP ? 0 : extent_of(word);
  default:            return extent_of(word);
  }
}

/* Bytes of the result. */
static size_t result_of(uint64_t word)
{
  switch (dart__request_kind(word)) {
  case DART__FETCH:
  case DART__SWAP:
  case DART__GET: return extent_of(word);
  default:        return 0;
  }
}

/* An atomic on registered memory, which has a way of its own. */
static dart_ret_t apply_registered(const selected_t *s, uint64_t offset, uint64_t word,
                                   const char *operands, void *result)
{
  dart_datatype_t  type = dart__request_type(word);
  dart_operation_t op   = dart__request_op(word);
  dart__place_t    at   = s->at;

  at.offset = offset;
  switch (dart__request_kind(word)) {
  case DART__ACCUMULATE:
    return dart__remote_accumulate(&at, operands, dart__request_count(word), type, op);
  case DART__FETCH:
    return dart__remote_fetch(&at, operands, result, type, op);
  default:
    return dart__remote_swap(&at, operands, operands + extent_of(word), result, type);
  }
}

/* Raise a counter of ext/dart_notify.h. */
static void raise(char *at, const char *operand)
{
  uint64_t by;

  memcpy(&by, operand, sizeof by);
  /* acq_rel: releases what was put before it to who waits */
  atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)at, by, memory_order_acq_rel);
}

/* False: the request names no memory. */
static bool apply(const selected_t *s, uint64_t word, const char *operands, void *result)
{
  const dart__type_t *bytes  = &dart__type_basic[DART_TYPE_BYTE];
  size_t              nbytes = extent_of(word);
  uint64_t            offset = s->high + dart__request_offset(word);
  dart_datatype_t     type   = dart__request_type(word);
  char               *at;

  if (nbytes > s->nbytes || offset > s->nbytes - nbytes)
    return false;
  at = s->mapped + offset;
  if (dart__request_kind(word) == DART__ACCUMULATE && nbytes <= sizeof(uint64_t) &&
      dart__request_count(word) == 1 && s->at.near != NULL) {
    dart__deferred_add(&updates, at, operands, nbytes, type, dart__request_op(word));
    return true;
  }
  dart__deferred_apply_all(&updates);
  switch (dart__request_kind(word)) {
  case DART__PUT:
    dart__near_put(at, bytes, operands, bytes, nbytes);
    return true;
  case DART__GET:
    dart__near_get(result, bytes, at, bytes, nbytes);
    return true;
  case DART__RAISE:
    raise(at, operands);
    return true;
  default:
    break;
  }
  if (s->at.near == NULL)
    return apply_registered(s, offset, word, operands, result) == DART_OK;
  switch (dart__request_kind(word)) {
  case DART__ACCUMULATE:
    dart__atomic_accumulate(at, operands, dart__request_count(word), type, dart__request_op(word));
    return true;
  case DART__FETCH:
    dart__atomic_fetch(at, operands, result, type, dart__request_op(word));
    return true;
  default:
    dart__atomic_swap(at, operands, operands + nbytes, result, type);
    return true;
  }
}

dart__applied_t dart__owner_apply(const uint64_t *words, size_t nwords, uint64_t *results)
{
  selected_t      s       = { .nbytes = 0 };
  dart__applied_t applied = { 0 };

  for (size_t i = 0; i < nwords;) {
    uint64_t word = words[i++];

    if (dart__request_kind(word) == DART__SELECT)
      select_segment(words[i], &s);
    else if (dart__request_kind(word) != DART__NOTHING &&
             !apply(&s, word, (const char *)&words[i], &results[applied.nresults]))
      applied.refused++;
    applied.raised |= dart__request_kind(word) == DART__RAISE;
    applied.nresults += dart__words(result_of(word));
    i += dart__words(operands_of(word));
  }
  dart__deferred_apply_all(&updates);
  if (applied.raised)
    dart__event_add(dart__twosided_event(dart__world.me)); /* wakes who waits */
  return applied;
}
