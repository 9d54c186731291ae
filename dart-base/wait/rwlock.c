/* The fair lock: see rwlock.h.
 *
 * No waiter is forgotten: it takes its ticket and then reads the turn; whoever gives a turn stores it and
 * then reads `next`, all seq_cst. So one of the two sees the other: the waiter its turn, or the giver that
 * the ticket was taken, and then it raises the ticket's event, which the waiter read before the turn. */
#include "wait/rwlock.h"

static dart__event_t *event_of(dart__rwlock_t *lock, uint32_t ticket)
{
  return &lock->turn[ticket % DART__RWLOCK_TURNS];
}

/* It may be the turn of `ticket`: wake it, if it was taken. */
static void wake(dart__rwlock_t *lock, uint32_t ticket)
{
  if (atomic_load_explicit(&lock->next, memory_order_seq_cst) != ticket)
    dart__event_add(event_of(lock, ticket));
}

bool dart__rwlock_try_enter(dart__rwlock_t *lock, uint32_t ticket, bool exclusive)
{
  /* seq_cst: see above; as an acquire it pairs with the stores of a turn */
  if (exclusive)
    return atomic_load_explicit(&lock->exclusive, memory_order_seq_cst) == ticket;
  if (atomic_load_explicit(&lock->shared, memory_order_seq_cst) != ticket)
    return false;
  /* only the holder of this ticket may write `shared` now */
  atomic_store_explicit(&lock->shared, ticket + 1, memory_order_seq_cst);
  wake(lock, ticket + 1);
  return true;
}

bool dart__rwlock_try(dart__rwlock_t *lock, bool exclusive, uint32_t *ticket_out)
{
  _Atomic uint32_t *turn   = exclusive ? &lock->exclusive : &lock->shared;
  uint32_t          ticket = atomic_load_explicit(&lock->next, memory_order_relaxed);

  /* A turn that no ticket has yet stays: only holders before it move it. seq_cst: as in take. */
  if (atomic_load_explicit(turn, memory_order_seq_cst) != ticket ||
      !atomic_compare_exchange_strong_explicit(&lock->next, &ticket, ticket + 1,
                                               memory_order_seq_cst, memory_order_relaxed))
    return false;
  *ticket_out = ticket;
  return dart__rwlock_try_enter(lock, ticket, exclusive);
}

bool dart__rwlock_enter(dart__rwlock_t *lock, uint32_t ticket, bool exclusive,
                        const dart__wait_policy_t *policy)
{
  for (;;) {
    uint32_t seen = dart__event_count(event_of(lock, ticket)); /* before the turn is read */

    if (dart__rwlock_try_enter(lock, ticket, exclusive))
      return true;
    if (dart__event_wait(event_of(lock, ticket), seen, policy) == seen)
      return false;
  }
}

void dart__rwlock_leave(dart__rwlock_t *lock, bool exclusive)
{
  uint32_t next;

  /* seq_cst, both: release what was done under the lock; and see above */
  if (exclusive)
    atomic_fetch_add_explicit(&lock->shared, 1, memory_order_seq_cst);
  next = atomic_fetch_add_explicit(&lock->exclusive, 1, memory_order_seq_cst) + 1;
  wake(lock, next);
}
