#ifndef DART__FAR_COMPLETION_H
#define DART__FAR_COMPLETION_H
/* Completion of transfers, the network's puts and gets: what is outstanding towards the units of a team, and flushes.
 *
 * Transfers to a unit are numbered when they have been started (model/outstanding.h). A flush of all units goes over a
 * list of the units touched since the last one: those to which a transfer was started. */
#include <stdbool.h>
#include <stdint.h>

#include "far/far_team.h"

/** Count a transfer, after the call that started it: so a flush of another thread does not take it for
 *  flushed before the network knows of it. `is_get`: the transfer changes nothing at the target. If very many are
 *  outstanding in the process it waits until all are locally complete. Returns its number. */
uint64_t dart__completion_started(dart__team_t *team, int32_t unit, bool is_get);

/** A copy for small operands of an operation on a team unit: nothing that was started with it is under way. It is given
 *  back by dart__completion_copied after the operation was counted. May wait. */
dart__copy_t *dart__completion_copy(dart__team_t *team, int32_t unit);
void          dart__completion_copied(dart__team_t *team, dart__copy_t *copy);

/** Whether the transfers to a team unit up to a number are known to be complete. */
static inline bool dart__completion_is_flushed_to(const dart__team_t *team, int32_t unit,
                                                  bool at_target, uint64_t last)
{
  return dart__outstanding_is_done(&dart__far_team(team)->unit[unit].outstanding, at_target, last);
}

/** Whether dart__completion_flush of the unit has nothing to do. */
static inline bool dart__completion_is_flushed(const dart__team_t *team, int32_t unit,
                                               bool at_target)
{
  const dart__outstanding_t *o = &dart__far_team(team)->unit[unit].outstanding;

  return dart__outstanding_is_done(o, at_target, dart__outstanding_number(&o->started));
}

/** Complete what was started towards a team unit: remotely, or only locally. False: some of it was dropped, for the unit is
 *  lost. The caller tells the program; or, of settle, the next flush does. */
bool dart__completion_flush(dart__team_t *team, int32_t unit, bool at_target);
void dart__completion_settle(dart__team_t *team, int32_t unit, bool at_target);

/** One of these for all units of the team: flush if the caller `tells`. */
bool dart__completion_flush_all(dart__team_t *team, bool at_target, bool tells);

/** Transfers of this process, in all teams, that are not known to be locally complete. */
uint32_t dart__completion_outstanding(void);

#endif
