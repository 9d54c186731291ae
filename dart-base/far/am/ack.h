#ifndef DART__FAR_AM_ACK_H
#define DART__FAR_AM_ACK_H
/* Acknowledgement: how many of a peer's batches this unit has applied, which is in the header of every
 * message to that peer.
 *
 * One thread at a time counts what was applied; any thread writes the count into a message. */
#include <stdatomic.h>

#include "base/counters.h"
#include "far/am/wire.h"

typedef struct {
  _Atomic uint64_t applied; /* batches */
  _Atomic uint64_t refused; /* requests in them */
} dart__am_ack_t;

/** The next batch was applied; `refused` of its requests named no memory. */
static inline void dart__am_ack_note(dart__am_ack_t *ack, uint32_t refused)
{
  dart__count(DART__COUNT_APPLIED);
  atomic_fetch_add_explicit(&ack->refused, refused, memory_order_relaxed);
  /* release: pairs with the acquire in dart__am_ack_write, so effects come before their acknowledgement */
  atomic_fetch_add_explicit(&ack->applied, 1, memory_order_release);
}

static inline void dart__am_ack_write(const dart__am_ack_t *ack, dart__am_header_t *header)
{
  /* acquire: pairs with the release in dart__am_ack_note, so `refused` is not older */
  header->acked   = atomic_load_explicit(&ack->applied, memory_order_acquire);
  header->refused = atomic_load_explicit(&ack->refused, memory_order_relaxed);
}

#endif
