#ifndef DART__RMA_COMPLETION_H
#define DART__RMA_COMPLETION_H
/* Completion of transfers by MPI: what is outstanding on a team's windows, and the flushes of it.
 *
 * Transfers towards a unit are numbered when they have been started, once for the team and once for
 * the window they go by; a flush notes up to which number it completed them. So a flush of a unit that
 * was not touched is a look at two numbers, and one of a unit that was calls MPI for no other window
 * than those that have something to complete. A flush of all units goes over a list of those that were
 * touched since the last one. */
#include <stdbool.h>
#include <stdint.h>

#include "memory/team.h"

/** Count a transfer, after the call that started it: so a flush of another thread does not count it
 *  as flushed before MPI knows of it. `is_get`: it changes nothing at the target. */
void dart__completion_started(dart__team_t *team, dart__window_t *window, int32_t unit,
                              bool is_get);

/** Complete what was started towards a team unit, or all, at the target too or only here. */
void dart__completion_flush(dart__team_t *team, int32_t unit, bool at_target);
void dart__completion_flush_all(dart__team_t *team, bool at_target);

#endif
