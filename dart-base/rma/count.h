#ifndef DART__RMA_COUNT_H
#define DART__RMA_COUNT_H
/* Counting of operations, in the general path of their entry points: those on near memory only if the settings ask
 * for it, and then no segment has a direct map, so that all of them come here. */
#include "base/counters.h"
#include "model/rma.h"

/* Memory that the unit registered itself is near, too, though it is not mapped as others' is. */
static inline bool dart__counts_as_near(const dart__address_t *at)
{
  return at->near != NULL || at->unit == at->team->me;
}

/** An operation on `nbytes` at `at`: one of two counters, which are followed by those of the bytes. */
static inline void dart__count_access(const dart__address_t *at, uint64_t nbytes,
                                      dart__counter_t near, dart__counter_t far)
{
  if (!dart__counts_as_near(at))
    dart__count_operation(far, nbytes);
  else if (__builtin_expect(dart__counts_near, 0))
    dart__count_operation(near, nbytes);
}

static inline void dart__count_transfer(bool is_put, const dart__rma_t *rma)
{
  if (is_put)
    dart__count_access(&rma->at, rma->nbytes, DART__COUNT_PUT_NEAR, DART__COUNT_PUT_FAR);
  else
    dart__count_access(&rma->at, rma->nbytes, DART__COUNT_GET_NEAR, DART__COUNT_GET_FAR);
}

static inline void dart__count_atomic(const dart__address_t *at, uint64_t nbytes)
{
  dart__count_access(at, nbytes, DART__COUNT_ATOMIC_NEAR, DART__COUNT_ATOMIC_FAR);
}

/** A notification of the unit that `at` belongs to. */
static inline void dart__count_notify(const dart__address_t *at)
{
  if (!dart__counts_as_near(at))
    dart__count(DART__COUNT_NOTIFY_FAR);
  else if (__builtin_expect(dart__counts_near, 0))
    dart__count(DART__COUNT_NOTIFY_NEAR);
}

#endif
