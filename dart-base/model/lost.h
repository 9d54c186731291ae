#ifndef DART__MODEL_LOST_H
#define DART__MODEL_LOST_H
/* Units that have died while the others go on (dart_survive.h).
 *
 * The launcher sees each unit end. It numbers the losses from 1, writes the number to the word of the unit, and then
 * raises the count. So all units see losses in one order, and the units that were lost up to some number are the same
 * for all. Waits look at the count after they have slept, and when they have polled for long. Nothing else does, so a
 * job that loses nobody pays nothing. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/ext/dart_survive.h>

#include "model/ballot.h"
#include "model/team.h"
#include "wait/mutex.h"

/* In a unit's word, beside twice its number: it ended by itself, with exit code 0. */
#define DART__LOST_ENDED 1U

/* Memory that all units share with the launcher. */
typedef struct {
  _Atomic uint32_t *count;   /* of losses; NULL: a unit that dies ends the job */
  _Atomic uint32_t *word;    /* of each unit, by global id; 0: it runs */
  _Atomic uint32_t *begun;   /* 1: all have come through dart_init; before, a death ends the job */
  dart__ballot_t   *ballots; /* of each unit, DART__BALLOTS */
} dart__lost_t;

extern dart__lost_t dart__lost;

/** Whether the job goes on without units that die. */
static inline bool dart__survives(void)
{
  return dart__lost.count != NULL;
}

/** Whether it does so already. */
static inline bool dart__survives_now(void)
{
  /* relaxed: all units have passed a barrier since it was written, or none has */
  return dart__survives() && atomic_load_explicit(dart__lost.begun, memory_order_relaxed) != 0;
}

/** How many have been lost. */
static inline uint32_t dart__lost_count(void)
{
  /* acquire: pairs with the launcher's release, so that the words of so many units are seen */
  return dart__lost.count == NULL ? 0
                                  : atomic_load_explicit(dart__lost.count, memory_order_acquire);
}

/** The number of the loss of a unit, from 1; 0: it is not lost. */
uint32_t dart__lost_number(dart_unit_t unit);

static inline bool dart__is_lost(dart_unit_t unit)
{
  return dart__lost_number(unit) != 0;
}

/** Whether the job outlives units, and has outlived this one. For paths that seldom need to know. */
static inline bool dart__outlives(dart_unit_t unit)
{
  return __builtin_expect(dart__survives(), 0) && dart__is_lost(unit);
}

/** What a call returns whose own result is `ret`, and which may have needed this far unit. */
static inline dart_ret_t dart__lost_result(dart_unit_t unit, dart_ret_t ret)
{
  return dart__outlives(unit) ? DART_ERR_UNIT_LOST : ret;
}

dart_unit_status_t dart__unit_status(dart_unit_t unit);

/** Whether a member of the team is lost. Then it is broken on this unit: its collectives end with DART_ERR_UNIT_LOST.
 *  By any thread, while another one may be in a collective of the team. */
bool dart__team_look(dart__team_t *team);

/** Take the team for broken; by any thread. */
void dart__team_break(dart__team_t *team);

/** Of the thread that is in a collective of the team, when it leaves a step because the team is broken: write to memory of
 *  its own from here on. Other threads do not touch the buffers of the team's exchange. */
void dart__team_step_aside(dart__team_t *team);

/** What a collective call of the team returns whose own result is `ret` here. */
static inline dart_ret_t dart__team_result(const dart__team_t *team, dart_ret_t ret)
{
  return dart__team_is_broken(team) ? DART_ERR_UNIT_LOST : ret;
}

/** Combine `*values` over the members of the team that are not lost before they vote: the same on all, which call in the
 *  same order. Members that are lost meanwhile hold up nobody. Returns how many have voted; `voters_out`, unless it is
 *  NULL, gets their global ids, ascending. */
int32_t dart__team_vote(dart__team_t *team, dart__ballot_values_t *values, dart_unit_t *voters_out);

/** The loss of this number is known to the program (dart_team_lost, dart_team_shrink); 0: none is. At most DART__LOST_MOST
 *  units are lost. */
#define DART__LOST_MOST 4096
void dart__lost_acknowledge(uint32_t number);

/* Losses when the last wait of this thread that anybody could end began. */
extern _Thread_local uint32_t dart__lost_begun __attribute__((tls_model("initial-exec")));

/** This thread begins such a wait, or looks once. */
static inline void dart__lost_begin_wait(void)
{
  if (__builtin_expect(dart__survives(), 0))
    dart__lost_begun = dart__lost_count();
}

/** Such a wait is for the members of a team. Whether one was lost of which the program does not know, or since the wait has
 *  begun; whether all but the caller were, and it has no other threads; and whether one of both is so: then the wait ends with
 *  an error. */
bool dart__lost_is_unknown(const dart__team_t *team);
bool dart__lost_is_alone(const dart__team_t *team);
bool dart__lost_is_news(const dart__team_t *team);

/** A lock that this thread has just taken was held by a unit that is lost; and whether there was one since it asked last. */
void dart__lost_note_broken(void);
bool dart__lost_take_broken(void);

/** Try to acquire a lock of the program's. `*is_broken_out`: it was taken from a holder that is lost. */
bool dart__lost_try(dart__mutex_t *mutex, bool *is_broken_out);

/** Call the program's handler for losses that it was not called for. */
void dart__lost_tell(void);
void dart__lost_set_handler(dart_lost_handler_t handler, void *context);

/** A cycle of init and exit begins: nothing is acknowledged, and there is no handler. */
void dart__lost_open(void);

/** The unit whose loss has this number, from 1 to dart__lost_count(). */
dart_unit_t dart__lost_unit(uint32_t number);

#endif
