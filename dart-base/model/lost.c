/* Units that are lost: see lost.h. */
#include "model/lost.h"

#include <pthread.h>

#include "base/last_call.h"
#include "base/sparse.h"
#include "model/world.h"

dart__lost_t dart__lost;

/* A bit for each loss that the program knows of. */
static _Atomic uint64_t acknowledged[DART__LOST_MOST / 64 + 1];

_Thread_local uint32_t dart__lost_begun;

static struct {
  pthread_mutex_t     mutex;   /* of the rest; never held while the handler runs */
  dart_lost_handler_t handler; /* NULL: there is none */
  void               *context;
  uint32_t            told; /* losses that it was called for */
} watcher = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* Of a loss that is counted: or a unit would know of one whose team it does not take for broken. */
static uint32_t loss_word(dart_unit_t unit)
{
  uint32_t word = 0;

  if (dart__lost.word !=
      NULL) /* acquire: pairs with the launcher's release; what the unit did before is visible */
    word = atomic_load_explicit(&dart__lost.word[unit], memory_order_acquire);
  return word != 0 && word / 2 <= dart__lost_count() ? word : 0;
}

uint32_t dart__lost_number(dart_unit_t unit)
{
  return loss_word(unit) / 2;
}

dart_unit_status_t dart__unit_status(dart_unit_t unit)
{
  uint32_t word = loss_word(unit);

  if (word == 0)
    return DART_UNIT_RUNNING;
  return (word & DART__LOST_ENDED) != 0 ? DART_UNIT_ENDED : DART_UNIT_LOST;
}

/* Another thread may be in a step: it gives the step up, or has passed it. It may still write its slot for the next step.
 * No unit reads that slot before the thread arrives in that step. */
void dart__team_break(dart__team_t *team)
{
  /* release: pairs with dart__team_is_broken and dart__team_is_special */
  atomic_fetch_or_explicit(&team->special, DART__TEAM_BROKEN, memory_order_release);
}

/* This unit passes no step of the team any more, but others may pass the one that it has left, and read what is there: from
 * here on it writes elsewhere. Without address space for that it goes on as it did. */
void dart__team_step_aside(dart__team_t *team)
{
  dart__exchange_t *x = &team->exchange;

  if (x->shared == NULL || team->aside != NULL)
    return;
  team->aside =
      dart__sparse_new(1, dart__exchange_buffer_bytes(x->nunits, x->slot_bytes, x->result_bytes));
  if (team->aside != NULL)
    x->buffers = team->aside;
}

bool dart__team_look(dart__team_t *team)
{
  uint32_t count = dart__lost_count();

  /* acquire: pairs with the store below. Of several threads each may look at all units: one that has not done so yet does not
   * tell another that the team is whole */
  if (count == atomic_load_explicit(&team->nlost, memory_order_acquire))
    return dart__team_is_broken(team);
  for (int32_t u = 0; u < team->nunits && !dart__team_is_broken(team); u++)
    if (dart__is_lost(dart__team_member(team, u)))
      dart__team_break(team);
  /* release: after the flag */
  atomic_store_explicit(&team->nlost, count, memory_order_release);
  return dart__team_is_broken(team);
}

/* The first member and the id name a team: teams with one id have no unit in common. */
static uint64_t key_of(dart__team_t *team)
{
  uint64_t first = (uint64_t)dart__team_member(team, 0) + 1;

  return first << 48 | (uint64_t)(uint16_t)team->id << 32 | ++team->nvotes;
}

/* What is noted of a vote: steps count from 0 on, by 32 bits, perhaps in another thread. */
#define VOTE_STEP (UINT64_C(1) << 62)

static dart__waiting_t *note_vote(const dart__team_t *team)
{
  return dart__waiting_begin(
      dart__call, (dart__wait_for_t){ DART__WAIT_COLLECTIVE, team->id, team->members.first,
                                      VOTE_STEP | team->nvotes, (uint64_t)team->nunits });
}

int32_t dart__team_vote(dart__team_t *team, dart__ballot_values_t *values, dart_unit_t *voters_out)
{
  dart__vote_t vote = { dart__lost.ballots, &team->members, team->me, key_of(team), dart__is_lost };
  dart__wait_policy_t policy  = { .pace = &dart__world.pace };
  dart__waiting_t    *waiting = note_vote(team);
  int32_t             n       = dart__ballot_vote(&vote, values, voters_out, &policy);

  dart__waiting_end(waiting);
  dart__team_look(team); /* none is to wait in a step that others have left */
  return n;
}

static _Thread_local bool was_broken;

void dart__lost_note_broken(void)
{
  was_broken = true;
}

bool dart__lost_take_broken(void)
{
  bool is_broken = was_broken;

  was_broken = false;
  return is_broken;
}

bool dart__lost_try(dart__mutex_t *mutex, bool *is_broken_out)
{
  *is_broken_out = false;
  if (dart__mutex_try(mutex))
    return true;
  *is_broken_out = dart__mutex_try_broken(mutex);
  return *is_broken_out;
}

/* relaxed, here and below: what the program does about a loss is ordered by itself */
void dart__lost_acknowledge(uint32_t number)
{
  if (number > 0)
    atomic_fetch_or_explicit(&acknowledged[number / 64], UINT64_C(1) << number % 64,
                             memory_order_relaxed);
}

static bool is_acknowledged(uint32_t number)
{
  return (atomic_load_explicit(&acknowledged[number / 64], memory_order_relaxed) >> number % 64 &
          1) != 0;
}

bool dart__lost_is_alone(const dart__team_t *team)
{
  int32_t nlost = 0;

  for (int32_t u = 0; u < team->nunits && dart__lost_count() > 0; u++)
    nlost += dart__is_lost(dart__team_member(team, u));
  return nlost > 0 && nlost == team->nunits - 1 && !dart__world.many_threads;
}

bool dart__lost_is_unknown(const dart__team_t *team)
{
  for (int32_t u = 0; u < team->nunits && dart__lost_count() > 0; u++) {
    uint32_t number = dart__lost_number(dart__team_member(team, u));

    if (number > dart__lost_begun || (number > 0 && !is_acknowledged(number)))
      return true;
  }
  return false;
}

bool dart__lost_is_news(const dart__team_t *team)
{
  return dart__lost_is_unknown(team) || dart__lost_is_alone(team);
}

dart_unit_t dart__lost_unit(uint32_t number)
{
  dart_unit_t unit = 0;

  while (unit < dart__world.nunits - 1 && dart__lost_number(unit) != number)
    unit++;
  return unit;
}

void dart__lost_open(void)
{
  dart__mutex_set_robust(dart__survives() ? dart__is_lost : NULL, dart__world.me);
  dart__world.pace.check_us = dart__survives() ? DART__LATE_US : 0;
  for (size_t i = 0; i < sizeof acknowledged / sizeof *acknowledged; i++)
    atomic_store_explicit(&acknowledged[i], 0, memory_order_relaxed);
  dart__lost_set_handler(NULL, NULL);
}

void dart__lost_set_handler(dart_lost_handler_t handler, void *context)
{
  pthread_mutex_lock(&watcher.mutex);
  watcher.handler = handler;
  watcher.context = context;
  watcher.told    = dart__lost_count();
  pthread_mutex_unlock(&watcher.mutex);
}

/* The number of a loss that this thread is to call the handler for; 0: there is none. */
static uint32_t next_to_tell(dart_lost_handler_t *handler_out, void **context_out)
{
  uint32_t number = 0;

  pthread_mutex_lock(&watcher.mutex);
  if (watcher.handler != NULL && watcher.told < dart__lost_count())
    number = ++watcher.told;
  *handler_out = watcher.handler;
  *context_out = watcher.context;
  pthread_mutex_unlock(&watcher.mutex);
  return number;
}

/* The handler may ask for a unit's status, which would tell of the next loss. */
void dart__lost_tell(void)
{
  static _Thread_local bool is_telling;
  dart_lost_handler_t       handler;
  void                     *context;

  if (is_telling)
    return;
  is_telling = true;
  for (uint32_t number; (number = next_to_tell(&handler, &context)) != 0;)
    handler(DART_GLOBAL_UNIT_ID(dart__lost_unit(number)), context);
  is_telling = false;
}
