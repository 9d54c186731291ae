#ifndef DART__CHECK_OPEN_EPOCHS_H
#define DART__CHECK_OPEN_EPOCHS_H
/* Segments on which this unit has epochs whose accesses are not compared. */
#include "check.h"

/** The unit may access portions of the segment by a start, or by a lock, from now on (false: there is no room to note
 *  it), or no longer. */
bool dart__check_epoch_opened(dart_gptr_t gptr);
void dart__check_epoch_closed(dart_gptr_t gptr);

/** A fence begins, which orders something only if it is not silent: else accesses until the next one are not compared.
 *  false: there is no room to note it. */
bool dart__check_epoch_fence(dart_gptr_t gptr, bool is_silent);

/** Whether accesses to the segment are not compared; and whether that is for a start or a lock. With the lock. */
bool dart__check_in_epoch(dart_gptr_t gptr, bool *is_opened_out);

/** An operation by which the unit waits for its target has returned, or a flush, of one unit or `all`: if that was in
 *  an epoch of gptr's segment, take over what was released to it by who has posted, or unlocked. (epoch.c) */
void dart__check_epoch_entered(dart_gptr_t gptr, bool all);

/** The segment is gone, or all of the team's (`segment` NULL), and its id may be another one's; forget all. */
void dart__check_open_epochs_end(dart_team_t team, const int16_t *segment);
void dart__check_open_epochs_forget(void);

#endif
