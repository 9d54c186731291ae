/* Epochs, in which operations are completed by other calls than flushes.
 *
 * A fence orders what all units of the team did before and do after it, and completes it; but one that nothing
 * preceded waits for nobody, so what its epoch is ordered after is not known. Between start and complete,
 * and with a lock, operations may be put off until their target has posted or has given the lock, and nobody is told
 * when: such accesses are not compared, but what these epochs order besides is known. What the unit has waited for is
 * taken over when a call returns that waits for the target: one that starts its operation at once, a flush, the end. */
#include <stdlib.h>

#include "compare.h"
#include "open_epochs.h"
#include "pending.h"
#include "underway.h"

/* It is not known which accesses are not to be compared, if there was no room to note them. */
static void noted(bool is_noted)
{
  if (!is_noted)
    dart__check_lose_order("too many epochs are open");
}

/* ---- fences --------------------------------------------------------------------------------------- */

dart_ret_t dart_epoch_fence(dart_gptr_t gptr, int assertions)
{
  bool       waits = (assertions & DART_EPOCH_NOPRECEDE) == 0;
  dart_ret_t ret;

  dart__check_guards(DART__AT(dart_epoch_fence));
  dart__check_epochs(gptr);
  ret = pdart_epoch_fence(gptr, assertions);
  if (!dart__check_for(DART__CHECK_RACES))
    return ret;
  if (ret == DART_OK) {
    dart__check_race_segment(gptr);
    noted(dart__check_epoch_fence(gptr, !waits && (assertions & DART_EPOCH_NOSUCCEED) == 0));
  }
  if (waits && (ret == DART_OK || ret == DART_ERR_NOMEM)) /* which others may not have got */
    dart__check_race_collective(gptr.teamid, DART__CALL_dart_epoch_fence, 0);
  return ret;
}

/* ---- post, start, complete, wait -------------------------------------------------------------------- */

enum { STARTS = 64 }; /* epochs of this unit that are started or posted at a time */

typedef struct {
  dart_gptr_t       gptr;
  size_t            n;
  dart_team_unit_t *units; /* targets, or origins; NULL: the entry is free */
} peers_t;

static peers_t started[STARTS], exposed[STARTS];

/* With the lock. */
static peers_t *find(peers_t table[], dart_gptr_t gptr)
{
  for (size_t i = 0; i < STARTS; i++)
    if (table[i].units != NULL && table[i].gptr.teamid == gptr.teamid &&
        table[i].gptr.segid == gptr.segid)
      return &table[i];
  return NULL;
}

static void note(peers_t table[], dart_gptr_t gptr, size_t n, const dart_team_unit_t units[])
{
  bool is_full = true;

  dart__check_lock();
  for (size_t i = 0; i < STARTS && is_full; i++)
    if (table[i].units == NULL) {
      table[i] = (peers_t){ gptr, n, dart__check_room(NULL, n * sizeof *units) };
      for (size_t k = 0; k < n; k++)
        table[i].units[k] = units[k];
      is_full = false;
    }
  dart__check_unlock();
  noted(!is_full);
}

/* What passes between `from` and `to`, team units of the segment's team: at the latter. */
static dart__check_place_t between(dart_gptr_t gptr, int32_t from, int32_t to, dart__call_t what)
{
  dart__check_place_t home;

  gptr.unitid = to;
  home        = dart__check_word(gptr);
  return dart__check_thing(home.home, what,
                           (uint64_t)(uint16_t)gptr.teamid << 16 | (uint16_t)gptr.segid,
                           (uint64_t)from, (uint64_t)to);
}

static int32_t team_me(dart_gptr_t gptr)
{
  dart_team_unit_t me = DART_TEAM_UNIT_ID(-1);

  pdart_team_myid(gptr.teamid, &me);
  return me.id;
}

static void tell(const peers_t *peers, dart__call_t what)
{
  int32_t me = team_me(peers->gptr);

  for (size_t i = 0; i < peers->n; i++)
    dart__check_release(between(peers->gptr, me, peers->units[i].id, what));
}

static void hear(const peers_t *peers, dart__call_t what)
{
  int32_t me = team_me(peers->gptr);

  for (size_t i = 0; i < peers->n; i++)
    dart__check_acquire(between(peers->gptr, peers->units[i].id, me, what));
}

/* The entry of the segment in the table, which has it no longer; its units are freed by who takes it. */
static peers_t take(peers_t table[], dart_gptr_t gptr)
{
  peers_t *found, taken = { .units = NULL };

  dart__check_lock();
  found = find(table, gptr);
  if (found != NULL) {
    taken        = *found;
    found->units = NULL;
  }
  dart__check_unlock();
  return taken;
}

dart_ret_t dart_epoch_post(dart_gptr_t gptr, size_t norigins, const dart_team_unit_t origins[],
                           int assertions)
{
  dart_ret_t ret;

  if (!dart__check_for(DART__CHECK_RACES) || norigins == 0 || origins == NULL)
    return pdart_epoch_post(gptr, norigins, origins, assertions);
  for (size_t i = 0; i < norigins; i++)
    dart__check_release(between(gptr, team_me(gptr), origins[i].id, DART__CALL_dart_epoch_post));
  ret = pdart_epoch_post(gptr, norigins, origins, assertions);
  if (ret == DART_OK)
    note(exposed, gptr, norigins, origins);
  return ret;
}

dart_ret_t dart_epoch_start(dart_gptr_t gptr, size_t ntargets, const dart_team_unit_t targets[],
                            int assertions)
{
  dart_ret_t ret;

  dart__check_epochs(gptr);
  ret = pdart_epoch_start(gptr, ntargets, targets, assertions);
  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES)) {
    note(started, gptr, ntargets, targets);
    noted(dart__check_epoch_opened(gptr));
  }
  return ret;
}

dart_ret_t dart_epoch_complete(dart_gptr_t gptr)
{
  peers_t    peers;
  dart_ret_t ret;

  if (!dart__check_for(DART__CHECK_RACES))
    return pdart_epoch_complete(gptr);
  peers = take(started, gptr);
  tell(&peers, DART__CALL_dart_epoch_complete);
  ret = pdart_epoch_complete(gptr);
  if (peers.units != NULL) {
    hear(&peers, DART__CALL_dart_epoch_post);
    dart__check_race_epoch_ended(gptr, true);
    dart__check_epoch_closed(gptr);
  }
  free(peers.units);
  return ret;
}

static void exposure_ended(dart_gptr_t gptr)
{
  peers_t peers = take(exposed, gptr);

  hear(&peers, DART__CALL_dart_epoch_complete);
  free(peers.units);
}

dart_ret_t dart_epoch_wait(dart_gptr_t gptr)
{
  dart_ret_t ret = pdart_epoch_wait(gptr);

  dart__check_guards(DART__AT(dart_epoch_wait));
  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES))
    exposure_ended(gptr);
  return ret;
}

dart_ret_t dart_epoch_test(dart_gptr_t gptr, int32_t *is_complete)
{
  dart_ret_t ret = pdart_epoch_test(gptr, is_complete);

  if (ret == DART_OK && *is_complete && dart__check_for(DART__CHECK_RACES))
    exposure_ended(gptr);
  return ret;
}

/* ---- locks ------------------------------------------------------------------------------------------ */

/* Locks of a segment share a place, for one call may lock and unlock all units. */
static dart__check_place_t place_of(dart_gptr_t gptr)
{
  return between(gptr, 0, 0, DART__CALL_dart_epoch_lock);
}

static dart_ret_t locked(dart_ret_t ret, dart_gptr_t gptr)
{
  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES)) {
    noted(dart__check_epoch_opened(gptr));
    dart__check_acquire(place_of(gptr));
  }
  return ret;
}

/* What the lock was for may have come after the lock call. */
static dart_ret_t unlocked(dart_ret_t ret, dart_gptr_t gptr, bool all)
{
  if (ret == DART_OK && dart__check_for(DART__CHECK_RACES)) {
    dart__check_race_epoch_ended(gptr, all);
    dart__check_epoch_closed(gptr);
    dart__check_acquire(place_of(gptr));
  }
  return ret;
}

dart_ret_t dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions)
{
  dart__check_epochs(gptr);
  return locked(pdart_epoch_lock(gptr, kind, assertions), gptr);
}

dart_ret_t dart_epoch_unlock(dart_gptr_t gptr, int assertions)
{
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_release(place_of(gptr));
  return unlocked(pdart_epoch_unlock(gptr, assertions), gptr, false);
}

dart_ret_t dart_epoch_lock_all(dart_gptr_t gptr, int assertions)
{
  dart__check_epochs(gptr);
  return locked(pdart_epoch_lock_all(gptr, assertions), gptr);
}

dart_ret_t dart_epoch_unlock_all(dart_gptr_t gptr, int assertions)
{
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_release(place_of(gptr));
  return unlocked(pdart_epoch_unlock_all(gptr, assertions), gptr, true);
}

/* ---- in the middle ---------------------------------------------------------------------------------- */

/* What the unit has waited for to access `unit` in a start's epoch, which has that target; negative: all its targets. */
static void hear_posts(dart_gptr_t gptr, int32_t unit)
{
  const peers_t *peers;
  peers_t        copy = { .units = NULL };

  dart__check_lock();
  peers = find(started, gptr);
  if (peers != NULL) {
    copy = (peers_t){ gptr, 0, dart__check_room(NULL, peers->n * sizeof *peers->units) };
    for (size_t i = 0; i < peers->n; i++)
      if (unit < 0 || peers->units[i].id == unit)
        copy.units[copy.n++] = peers->units[i];
  }
  dart__check_unlock();
  hear(&copy, DART__CALL_dart_epoch_post);
  free(copy.units);
}

void dart__check_epoch_entered(dart_gptr_t gptr, bool all)
{
  bool is_opened;

  if (!dart__check_for(DART__CHECK_RACES))
    return;
  dart__check_lock();
  dart__check_in_epoch(gptr, &is_opened);
  dart__check_unlock();
  if (!is_opened)
    return;
  dart__check_acquire(place_of(gptr));
  hear_posts(gptr, all ? -1 : gptr.unitid);
}
