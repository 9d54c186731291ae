/* Locks: cohorts of near units, after Dice, Marathe and Shavit (Lock Cohorting: A General Technique
 * for Designing NUMA Locks, PPoPP 2012).
 *
 * On each of the team's nodes a mutex in the leader's pool (wait/mutex.h) decides between the node's units and threads;
 * in a team of one node that is all. In a team of several nodes, the holder of the mutex also needs the node's turn.
 * That is a range lock on a single number in a table of the team's first unit (lock/range_table.h), which grants it in
 * the order in which requests come. A node that asks for the turn gets it with the answer if it is free, else by a
 * notification. A node that passes it on sends a message and waits for nothing. A turn stays on the node while near
 * units wait, because a hand-over between nodes costs messages, but for at most MOST_PASSES holders, because far units
 * wait, too. The unit that ends the turn may be another than the unit that asked for it: the cohort stores the ticket
 * that names the request.
 *
 * Where units may be lost a turn is not passed on, so the unit that holds the lock has asked for the turn itself. If it
 * is lost, its request in the table tells that the lock is broken.
 *
 * The message of a release may be under way when another unit of the node asks for the turn, so the table has room for two
 * requests of every node. A third cannot be: the second is granted only after the release of the first has come. */
#include "lock/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_synchronization.h>

#include "base/assert.h"
#include "base/last_call.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "lock/range_table.h"
#include "memory/pool.h"
#include "model/argument_check.h"
#include "model/holds.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "wait/mutex.h"
#include "wait/timed.h"
#include "wait/waiting.h"

DART__PROFILED(dart_team_lock_init, dart_team_lock_destroy, dart_lock_initialized);
DART__PROFILED(dart_lock_acquire, dart_lock_try_acquire, dart_lock_release);

#define MOST_PASSES 64

/* The units of a node. Only the holder of the mutex accesses `ticket` and `passes`. */
typedef struct {
  _Alignas(DART__CACHE_LINE) dart__mutex_t mutex;
  uint64_t ticket; /* of the request that has the turn; 0: this node does not have it */
  uint32_t passes; /* near hand-overs in this turn */
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t waiting; /* number of waiters for the mutex */
} cohort_t;

/* What every unit has in its pool. */
typedef struct {
  cohort_t cohort;  /* used at the node's leader only */
  uint64_t granted; /* counts up when it has the turn */
} state_t;

/* Offsets in this unit's pool. */
typedef struct {
  uint64_t state;
  uint64_t table; /* the team's first unit's, if the team has several nodes; else 0 */
} place_t;

struct dart_lock_struct {
  dart_lock_t   next;  /* of all */
  uint32_t      cycle; /* of init and exit that it belongs to */
  dart_team_t   teamid;
  place_t       own;
  cohort_t     *cohort; /* of this unit's node */
  dart__table_t turns;  /* requests for the turn, one for a node that has or wants it */
  uint64_t      told;   /* grants that this unit has waited for; used by the holder of the mutex */
  _Atomic uintptr_t holder;   /* the thread of this unit that holds it; 0: none does */
  _Atomic uint32_t  nwaiting; /* threads of this unit that wait for it */
  dart__hold_t     *hold;     /* for others to see */
  dart__hold_t      spare;
};

/* All locks of this unit, of former cycles, too. */
static struct {
  pthread_mutex_t guard;
  dart_lock_t     first;
} all = { PTHREAD_MUTEX_INITIALIZER, DART_LOCK_NULL };

/* ---- life -------------------------------------------------------------------------------- */

static void delete_lock(dart_lock_t lock)
{
  dart_lock_t *link = &all.first;

  if (lock == NULL)
    return;
  pthread_mutex_lock(&all.guard);
  while (*link != lock)
    link = &(*link)->next;
  *link = lock->next;
  pthread_mutex_unlock(&all.guard);
  dart__hold_delete(lock->hold);
  free(lock);
}

static dart_lock_t new_lock(const dart__team_t *team)
{
  dart_lock_t lock = calloc(1, sizeof *lock);

  if (lock == NULL)
    return NULL;
  lock->hold   = dart__hold_new(DART__HOLD_LOCK, team->id, -1, &lock->spare);
  lock->cycle  = dart__world.cycle;
  lock->teamid = team->id;
  pthread_mutex_lock(&all.guard);
  lock->next = all.first;
  all.first  = lock;
  pthread_mutex_unlock(&all.guard);
  return lock;
}

static dart_ret_t alloc_place(const dart__team_t *team, place_t *own)
{
  dart_ret_t ret = dart__pool_alloc(sizeof(state_t), &own->state);

  own->table = 0;
  if (ret != DART_OK)
    return ret;
  /* zeroed memory is a free lock; the agreement of all units publishes it */
  memset(dart__pool_address(dart__world.me, own->state), 0, sizeof(state_t));
  if (team->nnodes > 1 && team->me == 0)
    ret = dart__table_new(2 * (uint32_t)team->nnodes, &own->table);
  if (ret != DART_OK)
    dart__pool_free(own->state);
  return ret;
}

static void free_place(const place_t *own)
{
  if (own->table != 0)
    dart__table_delete(own->table);
  dart__pool_free(own->state);
}

/* Hear from the leader where its state is. `table` is where the team's first unit has its table. */
static dart_ret_t share_places(dart__team_t *team, dart_lock_t lock, uint64_t table)
{
  dart_unit_t leader = dart__team_member(team, team->node_units[0]);
  uint64_t    at;

  dart__coll_hear_on_node(team, &lock->own.state, &at, sizeof at, 0);
  lock->cohort = &((state_t *)(void *)dart__pool_address(leader, at))->cohort;
  lock->turns  = (dart__table_t){ dart__team_member(team, 0), table };
  return dart__team_result(team, DART_OK);
}

/* In one agreement: on the worst of all units' results, and on the place of the table, which only the first unit has. */
static dart_ret_t make_lock(const char *function, dart__team_t *team, dart_ret_t mine,
                            dart_lock_t *lock_out)
{
  dart_lock_t   lock = mine == DART_OK ? new_lock(team) : NULL;
  unsigned long most[2];
  dart_ret_t    ret;

  if (mine == DART_OK)
    mine = lock == NULL ? DART_ERR_NOMEM : alloc_place(team, &lock->own);
  most[0] = mine;
  most[1] = mine == DART_OK ? lock->own.table : 0;
  dart__coll_most(team, most, 2);
  ret = dart__team_result(team, (dart_ret_t)most[0]);
  if (ret == DART_OK)
    ret = share_places(team, lock, most[1]);
  if (ret == DART_OK) {
    *lock_out = lock;
  } else {
    if (mine == DART_OK && ret != DART_ERR_UNIT_LOST) /* then others may have the lock */
      free_place(&lock->own);
    delete_lock(lock);
    if (ret == DART_ERR_NOMEM && dart__tells_call())
      dart__error("%s: no memory for a lock on every unit of team %d", function, team->id);
    if (ret == DART_ERR_INVAL && mine == DART_OK)
      dart__error("%s: refused on another unit of team %d", function, team->id);
  }
  return ret;
}

dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (lock != NULL)
    *lock = DART_LOCK_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (lock == NULL)
    dart__error("%s: lock is NULL", __func__);
  dart__team_begin_call(team, __func__);
  return make_lock(__func__, team, lock == NULL ? DART_ERR_INVAL : DART_OK, lock);
}

/* Wait until the messages of this unit's releases have arrived, and agree on `ret` of all units: then those of all units
 * have. */
static dart_ret_t settle(const char *function, dart__team_t *team, dart_ret_t ret)
{
  dart__team_begin_call(team, function);
  if (team->nnodes > 1 && !dart__team_is_on_node(team, 0))
    dart__far_settle(team, 0);
  return dart__coll_agree(team, ret);
}

/* Whether it can be destroyed: nobody holds it, or waits for it. Threads that wait are looked for first: such a thread holds
 * nothing then, or is noted as the holder. Once the team is gone, dart_team_destroy has settled, and this unit is asked
 * alone. */
static dart_ret_t end_use(const char *function, dart_lock_t lock)
{
  dart__team_t *team = dart__team_find(lock->teamid);
  /* acquire: pairs with the release in wait_and_take */
  bool waits = atomic_load_explicit(&lock->nwaiting, memory_order_acquire) != 0;
  /* relaxed: to begin to acquire it while it is destroyed is an error of the program */
  bool       held = atomic_load_explicit(&lock->holder, memory_order_relaxed) != 0;
  dart_ret_t mine = held || waits ? DART_ERR_INVAL : DART_OK;
  dart_ret_t ret  = team == NULL ? mine : settle(function, team, mine);

  if (held)
    dart__error("%s: unit %d holds the lock", function, dart__world.me);
  else if (waits)
    dart__error("%s: a thread of unit %d waits for the lock", function, dart__world.me);
  else if (ret != DART_OK && ret != DART_ERR_UNIT_LOST)
    dart__error("%s: another unit holds the lock, or waits for it", function);
  return ret;
}

dart_ret_t dart_team_lock_destroy(dart_lock_t *lock)
{
  dart_ret_t ret = DART_OK;

  if (lock == NULL || *lock == DART_LOCK_NULL)
    return DART_OK;
  if (dart__world.initialized && (*lock)->cycle == dart__world.cycle) {
    dart__call_note(__func__);
    ret = end_use(__func__, *lock);
    if (ret != DART_OK && ret != DART_ERR_UNIT_LOST)
      return ret;
    if (ret == DART_OK) /* else others may still use it */
      free_place(&(*lock)->own);
  }
  delete_lock(*lock);
  *lock = DART_LOCK_NULL;
  return ret;
}

bool dart_lock_initialized(struct dart_lock_struct const *lock)
{
  return lock != DART_LOCK_NULL;
}

/* ---- between nodes: by the unit that has its node's mutex ------------------------------------ */

static const dart__span_t the_turn = { 0, 0, 1 };

static dart__waiting_t *note_lock_wait(const struct dart_lock_struct *lock)
{
  return dart__waiting_begin(
      "dart_lock_acquire",
      (dart__wait_for_t){ DART__WAIT_LOCK, lock->teamid, -1, (uint64_t)lock->hold->number, 0 });
}

static void begin_turn(dart_lock_t lock, uint64_t ticket)
{
  lock->cohort->ticket = ticket;
  lock->cohort->passes = 0;
}

/* Messages of lost units may be under way, too, so that the table is full for a moment. */
static dart__range_state_t enter_turns(dart_lock_t lock, const dart__range_waiter_t *waiter,
                                       bool may_wait, uint64_t *ticket_out)
{
  dart__turns_t       turns = { 0 };
  dart__range_state_t state;

  while ((state = dart__table_enter(lock->turns, waiter, &the_turn, 1, may_wait, ticket_out)) ==
             DART__RANGE_FULL &&
         dart__survives()) {
    dart__table_leave_lost(lock->turns);
    dart__wait_turn(&turns, &dart__world.wait);
  }
  dart__assert(state != DART__RANGE_FULL);
  if (state == DART__RANGE_HELD)
    dart__table_note_broken(lock->turns, *ticket_out);
  return state;
}

/* Ask for the turn, and wait for it. DART_ERR_UNIT_LOST: nobody gets it any more. */
static dart_ret_t wait_for_turn(dart_lock_t lock)
{
  dart__waiting_t     *waiting = note_lock_wait(lock);
  uint64_t             flag    = lock->own.state + offsetof(state_t, granted), ticket;
  dart__range_waiter_t waiter  = { flag, dart__world.me, 0 };
  dart__range_state_t  state   = enter_turns(lock, &waiter, true, &ticket);
  dart_ret_t           ret     = state == DART__RANGE_GONE ? DART_ERR_UNIT_LOST : DART_OK;

  if (ret == DART_OK && state != DART__RANGE_HELD) {
    dart__timed_t timed = dart__timed_begin(DART__COUNT_LOCK_WAIT);

    ret = dart__table_wait(lock->turns, ticket, flag, &lock->told, -1);
    dart__timed_end(DART__COUNT_LOCK_WAIT, timed);
  }
  dart__waiting_end(waiting);
  if (ret == DART_OK)
    begin_turn(lock, ticket);
  return ret;
}

/* Take the turn if no node has it. DART_PENDING: one has. */
static dart_ret_t try_turn(dart_lock_t lock)
{
  dart__range_waiter_t none = { 0, dart__world.me, 0 };
  uint64_t             ticket;

  switch (enter_turns(lock, &none, false, &ticket)) {
  case DART__RANGE_HELD: begin_turn(lock, ticket); return DART_OK;
  case DART__RANGE_GONE: return DART_ERR_UNIT_LOST;
  default: return DART_PENDING;
  }
}

/* Pass the turn to the next node. */
static void end_turn(dart_lock_t lock)
{
  uint64_t ticket = lock->cohort->ticket;

  lock->cohort->ticket = 0;
  dart__table_leave(lock->turns, ticket);
}

/* ---- use --------------------------------------------------------------------------------- */

static dart__team_t *refuse_lock(const char *function, const struct dart_lock_struct *lock)
{
  if (lock == DART_LOCK_NULL)
    dart__error("%s: lock is NULL", function);
  else if (!dart__world.initialized || lock->cycle != dart__world.cycle)
    dart__error("%s: the lock is from before dart_exit", function);
  else
    dart__error("%s: team %d of the lock was destroyed", function, lock->teamid);
  return NULL;
}

/* The team of a lock that can be used, or NULL. */
static inline dart__team_t *team_of_lock(const char *function, const struct dart_lock_struct *lock)
{
  dart__team_t *team = NULL;

  if (lock != DART_LOCK_NULL && dart__world.initialized && lock->cycle == dart__world.cycle)
    team = dart__team_find(lock->teamid);
  return __builtin_expect(team != NULL, 1) ? team : refuse_lock(function, lock);
}

/* An id of the calling thread, not 0: the address of a thread-local variable. Where only one thread uses DART
 * at a time, locks are held by the unit, and all threads have the same id. */
static inline uintptr_t thread_id(void)
{
  static _Thread_local char own;
  static char               any;

  return (uintptr_t)(dart__world.many_threads ? &own : &any);
}

/* Whether the calling thread holds the lock. Relaxed is enough: only this thread writes its id to `holder`,
 * and when it released the lock it wrote 0 after that, so it reads its id only while it holds the lock. */
static inline bool is_mine(const struct dart_lock_struct *lock)
{
  return atomic_load_explicit(&lock->holder, memory_order_relaxed) == thread_id();
}

static dart_ret_t refuse_holder(const char *function)
{
  return dart__fail(DART_ERR_INVAL, "%s: this thread of unit %d holds the lock already", function,
                    dart__world.me);
}

static inline void note_holder(dart_lock_t lock)
{
  atomic_store_explicit(&lock->holder, thread_id(), memory_order_relaxed); /* see is_mine */
  dart__hold_set(lock->hold, 1);
}

/* This unit has taken the mutex of a lost unit. In a team of several nodes the turn tells whether that unit had the
 * lock. */
static void note_broken_cohort(const dart__team_t *team, const struct dart_lock_struct *lock)
{
  if (team->nnodes == 1)
    dart__lost_note_broken();
  lock->cohort->ticket = 0;
}

/* Wait for the node's mutex, counted in `waiting`, so that its holder sees that there are waiters. */
static void wait_for_cohort(const dart__team_t *team, const struct dart_lock_struct *lock)
{
  cohort_t        *cohort  = lock->cohort;
  dart__waiting_t *waiting = note_lock_wait(lock);
  dart__timed_t    timed   = dart__timed_begin(DART__COUNT_LOCK_WAIT);

  /* relaxed: if the holder misses a waiter, the turn goes to another node first, but no waiter is lost; and
   * the count is decremented under the mutex, so a later holder sees only units that still wait */
  if (team->nnodes > 1)
    atomic_fetch_add_explicit(&cohort->waiting, 1, memory_order_relaxed);
  if (dart__mutex_lock(&cohort->mutex, &dart__world.wait))
    note_broken_cohort(team, lock);
  if (team->nnodes > 1)
    atomic_fetch_sub_explicit(&cohort->waiting, 1, memory_order_relaxed);
  dart__timed_end(DART__COUNT_LOCK_WAIT, timed);
  dart__waiting_end(waiting);
}

/* Hold the lock after waiting for it; `has_mutex`: for the turn alone. Counted until it is noted as held. Not inlined:
 * a lock that is free on a single node is not to save registers for it. */
static __attribute__((noinline)) dart_ret_t wait_and_take(const dart__team_t *team,
                                                          dart_lock_t lock, bool has_mutex)
{
  dart_ret_t ret = DART_OK;

  /* relaxed: the program has told the thread that destroys the lock that this one has begun */
  atomic_fetch_add_explicit(&lock->nwaiting, 1, memory_order_relaxed);
  if (!has_mutex)
    wait_for_cohort(team, lock);
  if (team->nnodes > 1 && lock->cohort->ticket == 0)
    ret = wait_for_turn(lock);
  if (ret == DART_OK)
    note_holder(lock);
  else
    dart__mutex_unlock(&lock->cohort->mutex);
  /* release: pairs with the acquire in end_use, which then sees the holder */
  atomic_fetch_sub_explicit(&lock->nwaiting, 1, memory_order_release);
  return ret;
}

dart_ret_t dart_lock_acquire(dart_lock_t lock)
{
  dart__team_t *team = team_of_lock(__func__, lock);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  dart__progress(); /* the holder may be waiting for deferred updates of this unit */
  if (!dart__mutex_try(&lock->cohort->mutex))
    return wait_and_take(team, lock, false);
  if (team->nnodes > 1 && lock->cohort->ticket == 0)
    return wait_and_take(team, lock, true);
  note_holder(lock);
  return DART_OK;
}

/* The holder may need progress of this unit before it can release the lock. */
static dart_ret_t poll(void)
{
  if (dart__world.pace.progress != NULL)
    dart__world.pace.progress();
  return DART_OK;
}

dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result)
{
  dart__team_t *team = team_of_lock(__func__, lock);
  dart_ret_t    ret  = DART_OK;
  bool          is_broken;

  if (result == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: result is NULL", __func__);
  *result = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  dart__progress(); /* as above */
  if (!dart__lost_try(&lock->cohort->mutex, &is_broken))
    return poll();
  if (is_broken)
    note_broken_cohort(team, lock);
  if (team->nnodes > 1 && lock->cohort->ticket == 0)
    ret = try_turn(lock);
  if (ret != DART_OK) {
    dart__mutex_unlock(&lock->cohort->mutex);
    poll();
    return ret == DART_PENDING ? DART_OK : ret;
  }
  note_holder(lock);
  *result = 1;
  return DART_OK;
}

/* Whether the node keeps its turn for its next unit. */
static bool pass_on(cohort_t *cohort)
{
  /* relaxed: see wait_for_cohort */
  return atomic_load_explicit(&cohort->waiting, memory_order_relaxed) > 0 && !dart__survives() &&
         cohort->passes++ < MOST_PASSES;
}

static inline void release_lock(const dart__team_t *team, dart_lock_t lock)
{
  atomic_store_explicit(&lock->holder, 0, memory_order_relaxed); /* see is_mine */
  dart__hold_set(lock->hold, 0);
  if (team->nnodes > 1 && !pass_on(lock->cohort))
    end_turn(lock);
  dart__mutex_unlock(&lock->cohort->mutex);
}

void dart__lock_release_all(void)
{
  pthread_mutex_lock(&all.guard);
  for (dart_lock_t lock = all.first; lock != DART_LOCK_NULL; lock = lock->next) {
    /* relaxed: threads that took locks have ended their calls, as the program knows */
    bool          is_held = atomic_load_explicit(&lock->holder, memory_order_relaxed) != 0;
    dart__team_t *team    = lock->cycle == dart__world.cycle ? dart__team_find(lock->teamid) : NULL;

    if (is_held && team != NULL)
      release_lock(team, lock);
  }
  pthread_mutex_unlock(&all.guard);
}

dart_ret_t dart_lock_release(dart_lock_t lock)
{
  dart__team_t *team = team_of_lock(__func__, lock);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (!is_mine(lock))
    return dart__fail(DART_ERR_INVAL, "%s: this thread of unit %d does not hold the lock", __func__,
                      dart__world.me);
  dart__progress();
  release_lock(team, lock);
  return DART_OK;
}
