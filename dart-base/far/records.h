#ifndef DART__FAR_RECORDS_H
#define DART__FAR_RECORDS_H
/* Puts and gets as requests of far/am. All return the number of the batch that completes them. Sources are copied before
 * return, but for messages. */
#include "base/size.h"
#include "far/engine.h"
#include "far/order.h"
#include "far/word_order.h"
#include "model/rma.h"

/** Bytes in a row, as many records as they need. */
static inline uint64_t dart__records_append(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at    = dart__am_address(&rma->at);
  uint64_t           start = at.offset, number = 0;
  size_t             nbytes = rma->nbytes;

  for (size_t from = 0; from < nbytes; from += DART__AM_PUT_MOST) {
    char  *buffer = (char *)rma->buffer + from;
    size_t count  = dart__least(nbytes - from, DART__AM_PUT_MOST);

    at.offset = start + from;
    number    = is_put ? dart__am_put(dart__engine.am, &at, buffer, count)
                       : dart__am_get(dart__engine.am, &at, buffer, count);
  }
  return number;
}

/** Bytes in a row; a put of a word in order with those before it. */
static inline uint64_t dart__records_start(const dart__rma_t *rma, bool is_put)
{
  if (is_put && dart__is_word(rma->nbytes))
    dart__word_order_request(&rma->at, dart__word_order_at(&rma->at, rma->nbytes));
  return dart__records_append(rma, is_put);
}

/** Elements that are not in a row, which dart__am_takes_type. */
static inline uint64_t dart__records_start_typed(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at = dart__am_address(&rma->at);

  return dart__am_move_typed(dart__engine.am, &at, rma->type, rma->buffer, rma->local_type,
                             rma->nelem, is_put);
}

/** Bytes in a row, as messages that are received in place. */
static inline uint64_t dart__records_start_message(const dart__rma_t *rma, bool is_put)
{
  dart__am_address_t at = dart__am_address(&rma->at);

  dart__order_wait(rma->at.team, rma->at.unit);
  return dart__am_move_data(dart__engine.am, &at, rma->buffer, rma->nbytes, is_put);
}

#endif
