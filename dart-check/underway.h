#ifndef DART__CHECK_UNDERWAY_H
#define DART__CHECK_UNDERWAY_H
/* Accesses that are not complete when their call returns. */
#include "race.h"

void dart__check_underway_open(void);
void dart__check_underway_forget(void);

/** The call has returned `ret`, and its operation is under way, with a handle of the program's, or DART_HANDLE_NULL. */
void dart__check_race_started(const dart__check_ticket_t *ticket, dart_ret_t ret, dart_gptr_t gptr,
                              dart_handle_t handle);

/** Operations started before this moment were completed: those that a flush of `gptr` is about; those of its segment,
 *  perhaps locally alone; those of a start or lock that ends when the clock has this number, of gptr's unit or all;
 *  those of a team; all outside of epochs; the one of a handle. */
uint64_t dart__check_race_moment(void);
uint64_t dart__check_race_number(void);
void     dart__check_race_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment);
void     dart__check_race_segment(dart_gptr_t gptr, bool local);
void     dart__check_race_epoch_ended(dart_gptr_t gptr, bool all, uint64_t number);
void     dart__check_race_team(dart_team_t team);
void     dart__check_race_everything(uint64_t moment);
void     dart__check_race_handle(dart_handle_t handle);

/** Whether operations of this unit's epoch on gptr's segment are under way. */
bool dart__check_race_in_epoch(dart_gptr_t gptr);

/** The handle was given up, but not its operation. */
void dart__check_race_no_handle(dart_handle_t handle);

/** Entries of the log have moved: from index i to moved[i], and its next cycle begins. With the lock. */
void dart__check_underway_moved(const uint32_t *moved);

#endif
