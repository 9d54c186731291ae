#ifndef DART__FAR_COMPLETION_H
#define DART__FAR_COMPLETION_H
/* Completion of transfers, the network's puts and gets: what is outstanding towards the units of a team, and flushes.
 *
 * Transfers to a unit are numbered when they have been started (model/outstanding.h). A flush of all units goes over a
 * list of the units touched since the last one: those to which a transfer was started. */
#include <stdbool.h>
#include <stdint.h>

#include "far/far_team.h"

/** Transfers of this process, in all teams, that are not known to be locally complete. Only a bound: relaxed. */
extern _Atomic uint32_t dart__completion_transfers;

#define DART__COMPLETION_MOST 16384 /* of them; each takes MPICH about 1 KB */

static inline uint32_t dart__completion_outstanding(void)
{
  return atomic_load_explicit(&dart__completion_transfers, memory_order_relaxed);
}

/* The rare parts of what follows: note that the unit was touched; complete all transfers locally; another copy than
 * `copy`, which is under way. */
void          dart__completion_touch(dart__far_team_t *far, int32_t unit);
void          dart__completion_limit(dart__team_t *team);
dart__copy_t *dart__completion_copy_instead(dart__team_t *team, dart__copy_t *copy);

/** Count a transfer, after the call that started it: so a flush of another thread does not take it for
 *  flushed before the network knows of it. `is_get`: the transfer changes nothing at the target. Returns its number. */
static inline uint64_t dart__completion_count(dart__team_t *team, int32_t unit, bool is_get)
{
  dart__far_unit_t *u      = &dart__far_team(team)->unit[unit];
  uint64_t          number = dart__outstanding_start(&u->outstanding, is_get);

  if (__builtin_expect(!atomic_load_explicit(&u->is_touched, memory_order_seq_cst), 0))
    dart__completion_touch(team->far, unit); /* seq_cst: see unlist in completion.c */
  dart__world_add(&dart__completion_transfers, 1);
  return number;
}

/** dart__completion_count. If very many are outstanding in the process it waits until all are locally complete. */
static inline uint64_t dart__completion_started(dart__team_t *team, int32_t unit, bool is_get)
{
  uint64_t number = dart__completion_count(team, unit, is_get);

  if (__builtin_expect(dart__completion_outstanding() >= DART__COMPLETION_MOST, 0))
    dart__completion_limit(team);
  return number;
}

/** Whether the transfers to a team unit up to a number are known to be complete. */
static inline bool dart__completion_is_flushed_to(const dart__team_t *team, int32_t unit,
                                                  bool at_target, uint64_t last)
{
  return dart__outstanding_is_done(&dart__far_team(team)->unit[unit].outstanding, at_target, last);
}

/** A copy for small operands of an operation on a team unit: nothing that was started with it is under way. It is given
 *  back by dart__completion_copied with the number of the operation, or that of a later one. May wait. */
static inline dart__copy_t *dart__completion_copy(dart__team_t *team, int32_t unit)
{
  dart__copy_t *copy = dart__copies_take(dart__far_team(team)->copies);

  if (__builtin_expect(!dart__completion_is_flushed_to(team, copy->unit, false, copy->number), 0))
    copy = dart__completion_copy_instead(team, copy);
  copy->unit = unit;
  return copy;
}

static inline void dart__completion_copied(dart__team_t *team, dart__copy_t *copy, uint64_t number)
{
  copy->number = number;
  dart__copies_started(dart__far_team(team)->copies, copy);
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

#endif
