#ifndef DART__MPI_TRANSFER_COMPLETION_H
#define DART__MPI_TRANSFER_COMPLETION_H
/* Completion of transfers by MPI: what is outstanding on a team's windows, and flushes.
 *
 * Transfers to a target are numbered when they have been started, once for the team and once for their
 * window; a flush notes up to which number it completed them. So a flush of a target without transfers is
 * a look at two numbers, and any other flush calls MPI only for windows that have something to complete.
 * A flush of all units goes over a list of the units touched since the last one: those to which a transfer
 * was started. */
#include <stdbool.h>
#include <stdint.h>

#include "window/team_windows.h"

/** Count a transfer, after the call that started it: so a flush of another thread does not take it for
 *  flushed before MPI knows of it. `is_get`: the transfer changes nothing at the target. If very many are outstanding
 *  in the process it waits until all are locally complete. */
void dart__completion_started(dart__team_t *team, dart__window_t *window, int32_t unit,
                              bool is_get);

/** A copy for small operands of an operation on a team unit: nothing that was started with it is under way. It is given
 *  back by dart__completion_copied after the operation was counted. May wait. */
dart__copy_t *dart__completion_copy(dart__team_t *team, int32_t unit);
void          dart__completion_copied(dart__team_t *team, dart__copy_t *copy);

/** Whether dart__completion_flush of the unit, -1: dart__completion_flush_all, has nothing to do. */
bool dart__completion_is_flushed(dart__team_t *team, int32_t unit, bool at_target);

/** Complete what was started towards a team unit, or all: remotely, or only locally. */
void dart__completion_flush(dart__team_t *team, int32_t unit, bool at_target);
/** The number of the newest transfer to a team unit; whether those up to a number are known to be complete; and complete
 *  them. (MPI completes later ones with them.) */
uint64_t dart__completion_newest(const dart__team_t *team, int32_t unit);
bool     dart__completion_is_flushed_to(const dart__team_t *team, int32_t unit, bool at_target,
                                        uint64_t last);
void     dart__completion_flush_to(dart__team_t *team, int32_t unit, bool at_target, uint64_t last);

void dart__completion_flush_all(dart__team_t *team, bool at_target);

/** Transfers of this process, in all teams, that are not known to be locally complete. */
uint32_t dart__completion_outstanding(void);

#endif
