#ifndef DART__CHECK_OPEN_EPOCHS_H
#define DART__CHECK_OPEN_EPOCHS_H
/* The epochs that this unit has open on each segment: what completes an operation there, and what it comes after. */
#include "check.h"

typedef enum {
  DART__EPOCH_OUTSIDE,
  DART__EPOCH_FENCE,
  DART__EPOCH_START,
  DART__EPOCH_SHARED, /* by a lock */
  DART__EPOCH_EXCLUSIVE,
  DART__EPOCH_NOCHECK /* by a lock that is not acquired */
} dart__check_epoch_kind_t;

/** The epoch of an operation. */
typedef struct {
  dart__check_epoch_kind_t kind;
  bool                     is_told; /* the target says when it may begin, and nothing else does */
} dart__check_epoch_t;

/** The epoch of an operation on gptr's memory that is about to start. With the lock. */
dart__check_epoch_t dart__check_epoch_of(dart_gptr_t gptr);

/** A fence was called: it ends the epoch before it, and opens the epoch `next`, or none. */
void dart__check_epoch_fenced(dart_gptr_t gptr, dart__check_epoch_t next);

/** Whether no epoch is open but one between fences. */
bool dart__check_epoch_may_fence(dart_gptr_t gptr);

/** The units of a post or start. */
typedef struct {
  size_t            n;
  bool              is_told; /* without DART_EPOCH_NOCHECK */
  dart_team_unit_t *units;   /* of the segment's team; NULL: no epoch */
} dart__check_peers_t;

typedef enum { DART__PEERS_POSTED, DART__PEERS_STARTED, DART__PEERS } dart__check_peers_kind_t;

/** Keep a copy of `peers`; take it when their epoch has ended. The caller frees it. */
void                dart__check_peers_keep(dart_gptr_t gptr, dart__check_peers_kind_t kind,
                                           dart__check_peers_t peers);
dart__check_peers_t dart__check_peers_take(dart_gptr_t gptr, dart__check_peers_kind_t kind);

/** As take, but the copy stays, and is valid until it is taken. */
dart__check_peers_t dart__check_peers_of(dart_gptr_t gptr, dart__check_peers_kind_t kind);

/** Whether this unit has any epoch open. */
bool dart__check_any_epoch(void);

/** gptr's unit was locked, or all units of its team. */
void dart__check_epoch_locked(dart_gptr_t gptr, bool all, dart__check_epoch_kind_t kind);

/** How the team's unit is locked, if the lock is acquired, or will be by a deferred operation; else
 *  DART__EPOCH_OUTSIDE. */
dart__check_epoch_kind_t dart__check_epoch_lock_of(dart_gptr_t gptr);

/** gptr's unit was unlocked, or all units of its team. */
void dart__check_epoch_unlocked(dart_gptr_t gptr, bool all);

/** The segment is freed, or all segments of the team are (`segment` NULL), and its id may be used again; or drop all
 *  entries. */
void dart__check_open_epochs_end(dart_team_t team, const int16_t *segment);
void dart__check_open_epochs_forget(void);

#endif
