#ifndef DART__CHECK_UNDERWAY_H
#define DART__CHECK_UNDERWAY_H
/* Accesses that are not complete when their call returns. */
#include "race.h"

void dart__check_underway_open(void);
void dart__check_underway_forget(void);

/** The call has returned `ret`, and its operation is outstanding. `handle`: the program's, or DART_HANDLE_NULL. */
void dart__check_race_started(const dart__check_ticket_t *ticket, dart_ret_t ret, dart_gptr_t gptr,
                              dart_handle_t handle);

/** A number for this moment, for the functions below: operations have started before it or after it. */
uint64_t dart__check_race_moment(void);

/** The number of this unit's clock. */
uint64_t dart__check_race_number(void);

/** A flush of `gptr` has completed operations of before `moment`, perhaps only locally. */
void dart__check_race_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment);

/** Operations on gptr's segment are complete, perhaps only locally. */
void dart__check_race_segment(dart_gptr_t gptr, bool local);

/** The operations of an epoch on gptr's unit, or on all units, are complete. It has ended when the unit's clock had
 *  `number`. */
void dart__check_race_epoch_ended(dart_gptr_t gptr, bool all, uint64_t number);

/** The team's operations are complete; those of before `moment` outside of epochs; the operation of a handle. */
void dart__check_race_team(dart_team_t team);
void dart__check_race_everything(uint64_t moment);
void dart__check_race_handle(dart_handle_t handle);

/** Whether operations in this unit's epoch on gptr's segment are outstanding. */
bool dart__check_race_in_epoch(dart_gptr_t gptr);

/** The program has freed the handle, but the operation is still outstanding. */
void dart__check_race_no_handle(dart_handle_t handle);

/** Entries of the log have moved, from index i to moved[i], and its next cycle begins. With the lock. */
void dart__check_underway_moved(const uint32_t *moved);

#endif
