/* See told.h. */
#include "lock/told.h"

#include "base/last_call.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "memory/pool.h"
#include "model/address.h"
#include "p2p/twosided.h"

/* No progress is made here, unlike in dart_notify: this may be the thread that makes progress. */
void dart__tell(int32_t unit, uint64_t counter, uint64_t by)
{
  dart__address_t at;

  if (dart__locate(dart__call, dart__pool_gptr(unit, counter), sizeof(uint64_t), &at) != DART_OK)
    return;
  if (at.near == NULL) {
    dart__far_notify(&(dart__signal_t){ &at, by, DART_OP_SUM });
    dart__engine_push(); /* it is none of a program's burst of notifications, which may wait for more */
    return;
  }
  /* acq_rel: hands on what was released; pairs with the acquire of dart_notify_wait */
  atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)at.near, by, memory_order_acq_rel);
  dart__event_add(dart__twosided_event(unit));
}

void dart__tell_grant(dart__am_t *am, const dart__grant_t *grant)
{
  const dart__told_t *told = (const dart__told_t *)grant;

  (void)am;
  dart__tell(told->unit, told->counter, told->by);
}

static const dart__grant_kind_t granted = { NULL, dart__tell_grant };

void dart__tell_later(int32_t unit, uint64_t counter, uint64_t by)
{
  dart__told_t *told = dart__grant_new(sizeof *told);

  *told = (dart__told_t){ .unit = unit, .counter = counter, .by = by };
  dart__grant_now(&told->grant, &granted);
}
