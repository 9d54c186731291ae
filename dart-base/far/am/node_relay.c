/* See node_relay.h. */
#include "far/am/node_relay.h"

#include <string.h>

#include "base/counters.h"

void dart__am_relay_init(dart__am_relay_t *relay, int32_t node)
{
  memset(relay, 0, sizeof *relay);
  relay->node = node;
}

uint64_t dart__am_relay_add(dart__am_relay_t *relay, size_t words, const dart__am_batch_t *batch)
{
  uint64_t number = 0;

  dart__am_spin_lock(&relay->lock);
  if (relay->nwords + batch->nwords <= words) {
    memcpy(&relay->words[relay->nwords], batch->message.words,
           batch->nwords * sizeof relay->words[0]);
    relay->nwords += batch->nwords;
    relay->nrequests += batch->nrequests;
    number = dart__am_relay_sent(relay) + 1;
  }
  dart__am_spin_unlock(&relay->lock);
  if (number != 0)
    dart__count_by(DART__COUNT_RELAYED, batch->nrequests);
  return number;
}

size_t dart__am_relay_claim(dart__am_relay_t *relay, int32_t me)
{
  size_t nwords = 0;

  dart__am_spin_lock(&relay->lock);
  if (!relay->is_claimed &&
      (relay->sender == me || dart__am_relay_applied(relay) == dart__am_relay_sent(relay)))
    nwords = relay->nwords;
  relay->is_claimed |= nwords > 0;
  dart__am_spin_unlock(&relay->lock);
  return nwords;
}

uint64_t dart__am_relay_take(dart__am_relay_t *relay, int32_t me, dart__am_batch_t *batch)
{
  uint64_t number = 0;

  dart__am_spin_lock(&relay->lock);
  relay->is_claimed = false;
  if (dart__am_batch_fits(batch, relay->nwords, 0, DART__AM_WORDS)) {
    memcpy(&batch->message.words[batch->nwords], relay->words,
           relay->nwords * sizeof relay->words[0]);
    batch->nwords += relay->nwords;
    batch->nrequests += relay->nrequests;
    batch->is_selected = false; /* they have selected segments */
    number             = dart__am_relay_sent(relay) + 1;
    relay->nwords      = 0;
    relay->nrequests   = 0;
    relay->sender      = me;
    /* release: pairs with the acquire in dart__am_relay_sent */
    atomic_store_explicit(&relay->sent, number, memory_order_release);
  }
  dart__am_spin_unlock(&relay->lock);
  dart__event_add(&relay->changed);
  return number;
}

void dart__am_relay_release(dart__am_relay_t *relay)
{
  dart__am_spin_lock(&relay->lock);
  relay->is_claimed = false;
  dart__am_spin_unlock(&relay->lock);
  dart__event_add(&relay->changed);
}

bool dart__am_relay_is_busy(dart__am_relay_t *relay)
{
  bool busy;

  dart__am_spin_lock(&relay->lock);
  busy = relay->is_claimed || dart__am_relay_applied(relay) != dart__am_relay_sent(relay);
  dart__am_spin_unlock(&relay->lock);
  return busy;
}
