/* Epochs: other calls than flushes complete operations here, and DART may defer an operation until its target can be
 * accessed. So what an operation comes after is known only when it is complete. It comes after what this unit did
 * before the call. It also comes after what the target did before its post, or before a fence that does not wait. The
 * target publishes its clock at a place for that (clock.h), and the origin reads the place when the operation is
 * complete. Fences that wait order all units.
 *
 * Locks exclude each other, whichever unit is first. So two accesses under locks that exclude each other are never a
 * race. Apart from that, a lock orders what the last holder did before what the next holder does, but not between
 * holders that may share it. */
#include <stdlib.h>

#include "compare.h"
#include "member.h"
#include "opening.h"
#include "pending.h"
#include "segment.h"
#include "stuck.h"
#include "underway.h"

enum {
  LOOKS = DART__CHECK_COMPLETION | DART__CHECK_RACES |
          DART__CHECK_COLLECTIVES, /* the checks that need to know the epochs */
  FENCES = DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED | DART_EPOCH_NOSTORE | DART_EPOCH_NOPUT |
           DART_EPOCH_LAZY
};

/* ---- fences --------------------------------------------------------------------------------------- */

/* A fence completes all operations of its epoch: locally in any case, and at their targets if the fence is not lazy. */
static void fenced(dart_gptr_t gptr, int assertions, dart__at_t at)
{
  bool                is_lazy = (assertions & DART_EPOCH_LAZY) != 0;
  bool                waits   = (assertions & DART_EPOCH_NOPRECEDE) == 0;
  bool                opens   = (assertions & DART_EPOCH_NOSUCCEED) == 0;
  dart__check_epoch_t next    = { opens ? DART__EPOCH_FENCE : DART__EPOCH_OUTSIDE,
                               opens && (is_lazy || !waits) };

  if (waits) {
    dart__check_epoch_completed(gptr, true, at);
    dart__check_race_segment(gptr, is_lazy);
  }
  dart__check_epoch_fenced(gptr, next);
}

/* Whether all units have reached the fence, or are not waited for. It may still fail on this one: it has no memory, was the
 * target of a put in spite of DART_EPOCH_NOPUT, had an operation refused, or a unit is lost. DART refuses other calls before
 * it waits. */
static bool has_met(dart_ret_t ret, dart_gptr_t gptr, bool may)
{
  void *own;

  gptr.unitid              = dart__check_team_me(gptr);
  gptr.addr_or_offs.offset = 0;
  return ret == DART_OK || ret == DART_ERR_NOMEM || ret == DART_ERR_UNIT_LOST ||
         (ret == DART_ERR_INVAL && may && pdart_gptr_getaddr(gptr, &own) == DART_OK);
}

dart_ret_t dart_epoch_fence(dart_gptr_t gptr, int assertions)
{
  dart__at_t at           = DART__AT(dart_epoch_fence);
  bool       synchronises = (assertions & (DART_EPOCH_NOPRECEDE | DART_EPOCH_LAZY)) == 0;
  bool       may          = (assertions & ~FENCES) == 0 && dart__check_epoch_may_fence(gptr);
  dart_ret_t ret;

  dart__check_guards(at);
  if (!dart__check_use(gptr, at))
    return DART_ERR_INVAL;
  if (!synchronises) {
    gptr.unitid = dart__check_team_me(gptr);
    dart__check_publish(
        dart__check_between(gptr, gptr.unitid, gptr.unitid, DART__CALL_dart_epoch_fence));
  }
  ret = pdart_epoch_fence(gptr, assertions);
  if (ret != DART_ERR_NOMEM && dart__check_for(LOOKS) && has_met(ret, gptr, may))
    fenced(gptr, assertions, at);
  if (synchronises && dart__check_for(DART__CHECK_RACES) && has_met(ret, gptr, may))
    dart__check_race_collective(gptr.teamid, DART__CALL_dart_epoch_fence, 0);
  return ret;
}

/* ---- post, start, complete, wait -------------------------------------------------------------------- */

static void tell(dart_gptr_t gptr, const dart__check_peers_t *peers, dart__call_t what)
{
  int32_t me = dart__check_team_me(gptr);

  for (size_t i = 0; i < peers->n; i++)
    dart__check_publish(dart__check_between(gptr, me, peers->units[i].id, what));
}

static void hear(dart_gptr_t gptr, const dart__check_peers_t *peers, dart__call_t what)
{
  int32_t me = dart__check_team_me(gptr);

  for (size_t i = 0; i < peers->n; i++)
    dart__check_take(dart__check_between(gptr, peers->units[i].id, me, what));
}

dart_ret_t dart_epoch_post(dart_gptr_t gptr, size_t norigins, const dart_team_unit_t origins[],
                           int assertions)
{
  dart__check_peers_t peers = { norigins, true, (dart_team_unit_t *)origins };
  dart_ret_t          ret;

  if (!dart__check_use(gptr, DART__AT(dart_epoch_post)))
    return DART_ERR_INVAL;
  if (!dart__check_for(LOOKS) || (origins == NULL && norigins > 0))
    return pdart_epoch_post(gptr, norigins, origins, assertions);
  tell(gptr, &peers, DART__CALL_dart_epoch_post);
  ret = pdart_epoch_post(gptr, norigins, origins, assertions);
  if (ret == DART_OK) {
    dart__check_peers_keep(gptr, DART__PEERS_POSTED, peers);
    dart__check_stuck_count(gptr, DART__CALL_dart_epoch_post, norigins, origins);
  }
  return ret;
}

dart_ret_t dart_epoch_start(dart_gptr_t gptr, size_t ntargets, const dart_team_unit_t targets[],
                            int assertions)
{
  dart__check_peers_t peers = { ntargets, (assertions & DART_EPOCH_NOCHECK) == 0,
                                (dart_team_unit_t *)targets };
  dart_ret_t          ret;

  if (!dart__check_use(gptr, DART__AT(dart_epoch_start)))
    return DART_ERR_INVAL;
  ret = pdart_epoch_start(gptr, ntargets, targets, assertions);
  if (ret == DART_OK && dart__check_for(LOOKS)) {
    dart__check_peers_keep(gptr, DART__PEERS_STARTED, peers);
    dart__check_stuck_count(gptr, DART__CALL_dart_epoch_start, ntargets, targets);
  }
  return ret;
}

/* dart_epoch_complete need not wait for its targets. But the clocks that they published before their posts must be read
 * before they can post again. A flush waits for the targets that have operations. */
static dart_ret_t flush_before_complete(dart_gptr_t gptr)
{
  dart_ret_t ret;

  if (!dart__check_for(DART__CHECK_RACES) || !dart__check_race_in_epoch(gptr))
    return DART_OK;
  ret = pdart_flush_all(gptr);
  dart__check_race_epoch_ended(gptr, true, dart__check_race_number());
  return ret;
}

dart_ret_t dart_epoch_complete(dart_gptr_t gptr)
{
  dart__at_t          at = DART__AT(dart_epoch_complete);
  dart__check_peers_t peers;
  dart_ret_t          ret, flushed;

  if (!dart__check_use(gptr, at))
    return DART_ERR_INVAL;
  if (!dart__check_for(LOOKS))
    return pdart_epoch_complete(gptr);
  peers = dart__check_peers_take(gptr, DART__PEERS_STARTED);
  dart__check_stuck_wait(gptr, DART__CALL_dart_epoch_post, peers.is_told ? peers.n : 0, peers.units,
                         at);
  flushed = flush_before_complete(gptr);
  tell(gptr, &peers, DART__CALL_dart_epoch_complete);
  ret = pdart_epoch_complete(gptr);
  dart__check_stuck_waited();
  if (peers.units != NULL) {
    dart__check_stuck_count(gptr, DART__CALL_dart_epoch_complete, peers.n, peers.units);
    if (peers.is_told)
      hear(gptr, &peers, DART__CALL_dart_epoch_post);
    dart__check_epoch_completed(gptr, true, at);
  }
  free(peers.units);
  return ret == DART_OK ? flushed : ret;
}

/* Calls that close an epoch close it also if a far unit has refused an operation, or a unit is lost. */
static bool has_ended(dart_ret_t ret, int assertions)
{
  return ret == DART_OK || ret == DART_ERR_UNIT_LOST ||
         (ret == DART_ERR_INVAL && (assertions & ~DART_EPOCH_LAZY) == 0);
}

static void exposure_ended(dart_gptr_t gptr)
{
  dart__check_peers_t peers = dart__check_peers_take(gptr, DART__PEERS_POSTED);

  hear(gptr, &peers, DART__CALL_dart_epoch_complete);
  free(peers.units);
}

dart_ret_t dart_epoch_wait(dart_gptr_t gptr)
{
  dart__at_t          at = DART__AT(dart_epoch_wait);
  dart__check_peers_t peers;
  dart_ret_t          ret;

  if (!dart__check_use(gptr, at))
    return DART_ERR_INVAL;
  peers = dart__check_peers_of(gptr, DART__PEERS_POSTED);
  dart__check_stuck_wait(gptr, DART__CALL_dart_epoch_complete, peers.n, peers.units, at);
  ret = pdart_epoch_wait(gptr);
  dart__check_stuck_waited();
  dart__check_guards(at);
  if (has_ended(ret, 0)) /* INVAL: a promise was broken, but the epoch has ended */
    exposure_ended(gptr);
  return ret;
}

dart_ret_t dart_epoch_test(dart_gptr_t gptr, int32_t *is_complete)
{
  dart_ret_t ret;

  if (!dart__check_use(gptr, DART__AT(dart_epoch_test)))
    return DART_ERR_INVAL;
  ret = pdart_epoch_test(gptr, is_complete);
  if (ret == DART_ERR_UNIT_LOST || (is_complete != NULL && *is_complete && has_ended(ret, 0)))
    exposure_ended(gptr);
  return ret;
}

/* ---- locks ------------------------------------------------------------------------------------------ */

/* The lock of this unit's portion is held when the call returns. Locks of other portions are acquired by later
 * calls. */
static dart_ret_t locked(dart_ret_t ret, dart_gptr_t gptr, bool all, dart_epoch_lock_t kind,
                         int assertions)
{
  dart__check_epoch_t epoch = { kind == DART_EPOCH_SHARED ? DART__EPOCH_SHARED
                                                          : DART__EPOCH_EXCLUSIVE,
                                (assertions & DART_EPOCH_NOCHECK) == 0 };
  int32_t me;

  if (ret != DART_OK || !dart__check_for(LOOKS))
    return ret;
  dart__check_epoch_locked(gptr, all, epoch.is_told ? epoch.kind : DART__EPOCH_NOCHECK);
  me = dart__check_team_me(gptr);
  if (all || gptr.unitid == me) {
    gptr.unitid = me;
    dart__check_race_opened(dart__check_opening(gptr, epoch));
  }
  return ret;
}

/* Publish the clock for the next unit that locks gptr's unit. */
static void tell_next(dart_gptr_t gptr)
{
  dart__check_epoch_kind_t kind = dart__check_epoch_lock_of(gptr);

  if (kind != DART__EPOCH_OUTSIDE)
    dart__check_publish(dart__check_lock_place(gptr, kind));
}

/* `number` is that of the unit's clock before it was published. */
static dart_ret_t unlocked(dart_ret_t ret, dart_gptr_t gptr, bool all, int assertions,
                           uint64_t number, dart__at_t at)
{
  if (!has_ended(ret, assertions) || !dart__check_for(LOOKS))
    return ret;
  dart__check_epoch_completed(gptr, all, at);
  dart__check_race_epoch_ended(gptr, all, number);
  dart__check_epoch_unlocked(gptr, all);
  return ret;
}

dart_ret_t dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions)
{
  if (!dart__check_use_unit(gptr, DART__AT(dart_epoch_lock)))
    return DART_ERR_INVAL;
  return locked(pdart_epoch_lock(gptr, kind, assertions), gptr, false, kind, assertions);
}

dart_ret_t dart_epoch_unlock(dart_gptr_t gptr, int assertions)
{
  dart__at_t at     = DART__AT(dart_epoch_unlock);
  uint64_t   number = dart__check_race_number();

  if (!dart__check_use_unit(gptr, at))
    return DART_ERR_INVAL;
  if (dart__check_for(DART__CHECK_RACES))
    tell_next(gptr);
  return unlocked(pdart_epoch_unlock(gptr, assertions), gptr, false, assertions, number, at);
}

dart_ret_t dart_epoch_lock_all(dart_gptr_t gptr, int assertions)
{
  if (!dart__check_use(gptr, DART__AT(dart_epoch_lock_all)))
    return DART_ERR_INVAL;
  return locked(pdart_epoch_lock_all(gptr, assertions), gptr, true, DART_EPOCH_SHARED, assertions);
}

dart_ret_t dart_epoch_unlock_all(dart_gptr_t gptr, int assertions)
{
  dart__at_t  at     = DART__AT(dart_epoch_unlock_all);
  uint64_t    number = dart__check_race_number();
  dart_gptr_t each   = gptr;

  if (!dart__check_use(gptr, at))
    return DART_ERR_INVAL;
  each.unitid = 0;
  if (dart__check_for(DART__CHECK_RACES))
    for (size_t size = dart__check_team_size(gptr.teamid); (size_t)each.unitid < size;
         each.unitid++)
      tell_next(each);
  return unlocked(pdart_epoch_unlock_all(gptr, assertions), gptr, true, assertions, number, at);
}
