/* A list with one entry for each segment on which this unit has an open epoch. */
#include "open_epochs.h"

#include <stdlib.h>
#include <string.h>

/* How a unit is locked. */
typedef struct {
  uint8_t kind;  /* dart__check_epoch_kind_t */
  bool    taken; /* by an operation, or because it is this unit's lock */
} lock_t;

typedef struct {
  int16_t             team, segment;
  dart__check_epoch_t fence;
  dart__check_peers_t peers[DART__PEERS];
  lock_t             *locks; /* of each unit of the team; NULL: none */
  size_t              nlocked, nunits;
  int32_t             me;
} entry_t;

static entry_t *entries;
static size_t   count, nplaces;

/* ---- the list; the lock is held ------------------------------------------------------------------- */

static entry_t *find_epoch(dart_gptr_t gptr)
{
  for (size_t i = 0; i < count; i++)
    if (entries[i].segment == gptr.segid && entries[i].team == gptr.teamid)
      return &entries[i];
  return NULL;
}

static entry_t *make_epoch(dart_gptr_t gptr)
{
  dart_team_unit_t me    = DART_TEAM_UNIT_ID(-1);
  entry_t         *entry = find_epoch(gptr);

  if (entry != NULL)
    return entry;
  if (count == nplaces) {
    nplaces = 2 * nplaces + 16;
    entries = dart__check_room(entries, nplaces * sizeof *entries);
  }
  entry  = &entries[count++];
  *entry = (entry_t){ .team = gptr.teamid, .segment = gptr.segid };
  pdart_team_myid(gptr.teamid, &me);
  pdart_team_size(gptr.teamid, &entry->nunits);
  entry->me = me.id;
  return entry;
}

static void end_epoch(entry_t *entry)
{
  for (int kind = 0; kind < DART__PEERS; kind++)
    free(entry->peers[kind].units);
  free(entry->locks);
  *entry = entries[--count];
}

static void end_if_unused(entry_t *entry)
{
  if (entry->fence.kind == DART__EPOCH_OUTSIDE && entry->nlocked == 0 &&
      entry->peers[DART__PEERS_POSTED].units == NULL &&
      entry->peers[DART__PEERS_STARTED].units == NULL)
    end_epoch(entry);
}

static lock_t *lock_of(const entry_t *entry, int32_t unit)
{
  return entry->locks == NULL || unit < 0 || (size_t)unit >= entry->nunits ? NULL
                                                                           : &entry->locks[unit];
}

dart__check_epoch_t dart__check_epoch_of(dart_gptr_t gptr)
{
  const entry_t *entry = count == 0 ? NULL : find_epoch(gptr);
  lock_t        *lock;

  if (entry == NULL)
    return (dart__check_epoch_t){ DART__EPOCH_OUTSIDE, false };
  lock = lock_of(entry, gptr.unitid);
  if (lock != NULL && lock->kind != DART__EPOCH_OUTSIDE) {
    lock->taken = true;
    return (dart__check_epoch_t){ (dart__check_epoch_kind_t)lock->kind,
                                  lock->kind != DART__EPOCH_NOCHECK };
  }
  if (entry->peers[DART__PEERS_STARTED].units != NULL)
    return (dart__check_epoch_t){ DART__EPOCH_START, entry->peers[DART__PEERS_STARTED].is_told };
  return entry->fence;
}

/* ---- epochs --------------------------------------------------------------------------------------- */

/* A fence's epoch without operations may be left by opening another epoch. */
static void leave_fence(entry_t *entry)
{
  entry->fence = (dart__check_epoch_t){ DART__EPOCH_OUTSIDE, false };
}

void dart__check_epoch_fenced(dart_gptr_t gptr, dart__check_epoch_t next)
{
  entry_t *entry;

  dart__check_lock();
  entry = next.kind == DART__EPOCH_OUTSIDE ? find_epoch(gptr) : make_epoch(gptr);
  if (entry != NULL) {
    entry->fence = next;
    end_if_unused(entry);
  }
  dart__check_unlock();
}

void dart__check_peers_keep(dart_gptr_t gptr, dart__check_peers_kind_t kind,
                            dart__check_peers_t peers)
{
  dart_team_unit_t *copy = NULL;
  entry_t          *entry;

  if (peers.n > 0) {
    copy = dart__check_room(NULL, peers.n * sizeof *copy);
    memcpy(copy, peers.units, peers.n * sizeof *copy);
  }
  peers.units = copy;
  dart__check_lock();
  entry = copy == NULL ? find_epoch(gptr) : make_epoch(gptr);
  if (entry != NULL) {
    free(entry->peers[kind].units);
    entry->peers[kind] = peers;
    leave_fence(entry); /* also for an empty group */
    end_if_unused(entry);
  }
  dart__check_unlock();
}

dart__check_peers_t dart__check_peers_take(dart_gptr_t gptr, dart__check_peers_kind_t kind)
{
  dart__check_peers_t peers = { .units = NULL };
  entry_t            *entry;

  dart__check_lock();
  entry = find_epoch(gptr);
  if (entry != NULL) {
    peers              = entry->peers[kind];
    entry->peers[kind] = (dart__check_peers_t){ .units = NULL };
    end_if_unused(entry);
  }
  dart__check_unlock();
  return peers;
}

dart__check_peers_t dart__check_peers_of(dart_gptr_t gptr, dart__check_peers_kind_t kind)
{
  const entry_t      *entry;
  dart__check_peers_t peers = { .units = NULL };

  dart__check_lock();
  entry = find_epoch(gptr);
  if (entry != NULL)
    peers = entry->peers[kind];
  dart__check_unlock();
  return peers;
}

bool dart__check_any_epoch(void)
{
  return count > 0;
}

/* The units of the call: from `*first_out` to before the returned one. */
static size_t range_of(const entry_t *entry, dart_gptr_t gptr, bool all, size_t *first_out)
{
  *first_out = all || gptr.unitid < 0 ? 0 : (size_t)gptr.unitid;
  return all || *first_out >= entry->nunits ? entry->nunits : *first_out + 1;
}

void dart__check_epoch_locked(dart_gptr_t gptr, bool all, dart__check_epoch_kind_t kind)
{
  entry_t *entry;
  size_t   unit, last;

  dart__check_lock();
  entry = make_epoch(gptr);
  if (entry->locks == NULL) {
    entry->locks = dart__check_room(NULL, entry->nunits * sizeof *entry->locks);
    memset(entry->locks, 0, entry->nunits * sizeof *entry->locks);
  }
  for (last = range_of(entry, gptr, all, &unit); unit < last; unit++) {
    entry->nlocked += entry->locks[unit].kind == DART__EPOCH_OUTSIDE;
    entry->locks[unit] = (lock_t){ (uint8_t)kind, (int32_t)unit == entry->me };
  }
  leave_fence(entry);
  end_if_unused(entry);
  dart__check_unlock();
}

dart__check_epoch_kind_t dart__check_epoch_lock_of(dart_gptr_t gptr)
{
  dart__check_epoch_kind_t kind = DART__EPOCH_OUTSIDE;
  const entry_t           *entry;
  const lock_t            *lock;

  dart__check_lock();
  entry = find_epoch(gptr);
  lock  = entry == NULL ? NULL : lock_of(entry, gptr.unitid);
  if (lock != NULL && lock->taken && lock->kind != DART__EPOCH_NOCHECK)
    kind = (dart__check_epoch_kind_t)lock->kind;
  dart__check_unlock();
  return kind;
}

void dart__check_epoch_unlocked(dart_gptr_t gptr, bool all)
{
  entry_t *entry;
  size_t   unit, last;

  dart__check_lock();
  entry = find_epoch(gptr);
  if (entry != NULL && entry->locks != NULL) {
    for (last = range_of(entry, gptr, all, &unit); unit < last; unit++) {
      entry->nlocked -= entry->locks[unit].kind != DART__EPOCH_OUTSIDE;
      entry->locks[unit] = (lock_t){ DART__EPOCH_OUTSIDE, false };
    }
    end_if_unused(entry);
  }
  dart__check_unlock();
}

bool dart__check_epoch_may_fence(dart_gptr_t gptr)
{
  const entry_t *entry;
  bool           may;

  dart__check_lock();
  entry = find_epoch(gptr);
  may   = entry == NULL || (entry->nlocked == 0 && entry->peers[DART__PEERS_POSTED].units == NULL &&
                          entry->peers[DART__PEERS_STARTED].units == NULL);
  dart__check_unlock();
  return may;
}

/* ---- the end of segments --------------------------------------------------------------------------- */

void dart__check_open_epochs_end(dart_team_t team, const int16_t *segment)
{
  dart__check_lock();
  for (size_t i = count; i > 0; i--)
    if (entries[i - 1].team == team && (segment == NULL || entries[i - 1].segment == *segment))
      end_epoch(&entries[i - 1]);
  dart__check_unlock();
}

void dart__check_open_epochs_forget(void)
{
  while (count > 0)
    end_epoch(&entries[count - 1]);
  free(entries);
  entries = NULL;
  nplaces = 0;
}
