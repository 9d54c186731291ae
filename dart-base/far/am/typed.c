/* Puts and gets of elements that are not consecutive.
 *
 * The target's layout is named by a TYPE record, which holds for the records after it in its batch, as a SELECT
 * does for the segment (known.h). Elements travel packed: the origin gathers them into the batch, the target
 * scatters them from there; the target of a get gathers into the reply, which the endpoint scatters. So nothing
 * is copied more often than consecutive bytes are. A transfer is cut into pieces that fit a record, of whole
 * instances of the type if these do. */
#include <stdlib.h>

#include "base/assert.h"
#include "base/counters.h"
#include "base/size.h"
#include "data/describe.h"
#include "far/am/endpoint.h"
#include "far/am/instance.h"

typedef struct {
  dart__am_t               *am;
  const dart__am_address_t *at;
  dart__am_endpoint_t      *ep;
  const dart__type_t       *at_type, *type;
  void                     *buffer; /* not written by a put */
  bool                      is_put;
} typed_t;

/* Words of a record of elements apart from these, with its selection. */
#define RECORD_WORDS 4

/* ---- the target's type ---------------------------------------------------------------------- */

static dart__am_place_t *find_known_type(const typed_t *t)
{
  return dart__am_known_find(t->ep->known, t->am->config.types, t->at_type);
}

/* Words of the TYPE record that the open batch still needs. */
static size_t naming_words(const typed_t *t)
{
  const dart__am_place_t *place;

  if (dart__type_is_contiguous(t->at_type))
    return 0;
  place = find_known_type(t);
  if (place != NULL && t->ep->open != NULL && t->ep->open->described == place->number)
    return 0;
  return place != NULL && place->kept == place->number ? 1 : 1 + dart__type_words(t->at_type);
}

/* Append a TYPE record with the description; `place` NULL: it is not kept. */
static void describe_type(const typed_t *t, dart__am_place_t *place)
{
  uint64_t          words[DART__TYPE_WORDS_MOST];
  size_t            nwords = dart__type_words(t->at_type);
  dart__am_record_t r      = { .first = words, .first_bytes = nwords * sizeof words[0] };
  unsigned          index  = 0;
  uint64_t          number = 0;

  if (place != NULL) {
    index          = (unsigned)(place - t->ep->known->place);
    number         = place->number;
    r.result       = &place->kept;
    r.result_bytes = sizeof place->kept;
    r.is_internal  = true;
  }
  dart__count(DART__COUNT_DESCRIBED);
  dart__type_describe(t->at_type, words);
  r.word = dart__am_word(DART__AM_TYPE, index,
                         place == NULL ? DART__AM_TYPE_ONCE : DART__AM_TYPE_KEEP, nwords, number);
  dart__am_endpoint_append(t->ep, NULL, &r);
}

/* Append what naming_words has counted. `*old_out`: a type that has lost its place. */
static void name(const typed_t *t, dart__type_t *old_out)
{
  dart__am_place_t *place;

  if (dart__type_is_contiguous(t->at_type))
    return;
  place = find_known_type(t);
  if (place != NULL && t->ep->open->described == place->number)
    return;
  if (place != NULL && place->kept == place->number) {
    dart__am_record_t r = { .word = dart__am_word(DART__AM_TYPE,
                                                  (unsigned)(place - t->ep->known->place),
                                                  DART__AM_TYPE_KEPT, 0, place->number) };

    dart__am_endpoint_append(t->ep, NULL, &r);
  } else {
    if (place == NULL && t->ep->known != NULL)
      place = dart__am_known_add(t->ep->known, t->am->config.types, t->at_type, old_out);
    describe_type(t, place);
  }
  t->ep->open->described = place == NULL ? 0 : place->number;
}

/* A table for the peer, if there is memory for it. */
static void make_known(const typed_t *t)
{
  dart__am_known_t *known;

  if (t->am->config.types == 0 || t->ep->known != NULL || dart__type_is_contiguous(t->at_type))
    return;
  dart__am_spin_unlock(&t->ep->lock);
  known = dart__am_known_new();
  dart__am_spin_lock(&t->ep->lock);
  if (t->ep->known == NULL)
    t->ep->known = known;
  else
    dart__am_known_delete(known);
}

/* ---- elements ------------------------------------------------------------------------------- */

static dart__am_request_kind_t request_kind(const typed_t *t, bool is_plain)
{
  if (t->is_put)
    return is_plain ? DART__AM_PUT : DART__AM_PUT_TYPED;
  return is_plain ? DART__AM_GET : DART__AM_GET_TYPED;
}

static dart__am_record_t make_record(const typed_t *t, const size_t *from, size_t nelem)
{
  size_t            nbytes = nelem * t->type->elem_size, start = *from * t->type->elem_size;
  bool              is_plain = dart__type_is_contiguous(t->at_type);
  dart__am_record_t r        = { .type = t->type, .from = *from };

  r.word = dart__am_word(request_kind(t, is_plain), 0, 0, nbytes,
                         t->at->offset + (is_plain ? start : 0));
  if (!is_plain) {
    r.first       = from;
    r.first_bytes = sizeof *from;
  }
  if (t->is_put) {
    r.second       = t->buffer;
    r.second_bytes = nbytes;
    return r;
  }
  r.result       = t->buffer;
  r.result_bytes = nbytes;
  if (dart__type_is_contiguous(t->type)) {
    r.result = (char *)t->buffer + start;
    r.type   = NULL;
  }
  return r;
}

/* Make room in the open batch for the record, and for the name of its type; the lock is released, so another
 * thread may change meanwhile what that takes. */
static void reserve_record(const typed_t *t, const dart__am_record_t *r)
{
  size_t nwords = RECORD_WORDS + dart__am_words(r->second_bytes), naming;

  do {
    naming = naming_words(t);
    dart__am_endpoint_reserve(t->am, t->at->peer, t->ep, nwords + naming,
                              dart__am_words(r->result_bytes) + 1);
  } while (naming_words(t) > naming);
}

static uint64_t append_piece(const typed_t *t, size_t from, size_t nelem)
{
  dart__am_record_t r   = make_record(t, &from, nelem);
  dart__type_t      old = { .blocks = NULL };
  uint64_t          number;

  dart__am_spin_lock(&t->ep->lock);
  make_known(t);
  reserve_record(t, &r);
  name(t, &old);
  dart__am_endpoint_append(t->ep, t->at, &r);
  number = dart__am_number(&t->ep->newest);
  dart__am_spin_unlock(&t->ep->lock);
  dart__type_forget(&old); /* without the lock: it may be freed */
  return number;
}

/* Elements of a record at most: whole instances, if any fit. */
static size_t record_elements(const typed_t *t)
{
  size_t words = RECORD_WORDS + 1 + dart__type_words(t->at_type), piece, instance;

  dart__assert(t->am->words > words);
  piece = dart__least(DART__AM_PUT_MOST, (t->am->words - words) * sizeof(uint64_t)) /
          t->type->elem_size;
  instance = dart__type_is_contiguous(t->at_type) ? t->type->elem_count : t->at_type->elem_count;
  dart__assert(piece > 0);
  return piece > instance ? piece - piece % instance : piece;
}

bool dart__am_takes_type(const dart__am_t *am, const dart__type_t *type)
{
  size_t nwords = dart__type_words(type);

  return nwords > 0 && RECORD_WORDS + 1 + nwords + dart__am_words(type->elem_size) <= am->words;
}

uint64_t dart__am_move_typed(dart__am_t *am, const dart__am_address_t *at,
                             const dart__type_t *at_type, void *buffer, const dart__type_t *type,
                             size_t nelem, bool is_put)
{
  typed_t  t      = { am, at, &am->endpoint[at->peer], at_type, type, buffer, is_put };
  size_t   piece  = record_elements(&t);
  uint64_t number = 0;

  dart__count(DART__COUNT_TYPED);
  for (size_t from = 0; from < nelem; from += piece)
    number = append_piece(&t, from, dart__least(nelem - from, piece));
  return number;
}
