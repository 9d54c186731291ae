/* Locks: cohorts of near units, after Dice, Marathe and Shavit (Lock Cohorting: A General Technique
 * for Designing NUMA Locks, PPoPP 2012).
 *
 * On each of the team's nodes a mutex in the leader's pool (node/mutex.h) decides between the
 * node's units and threads; in a team of one node that is all. In a team of several nodes, the holder of
 * the mutex also needs the node's turn. Nodes queue as in the list-based lock of Mellor-Crummey and
 * Scott (Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, ACM TOCS 9(1),
 * 1991): the tail of the queue is a word in the pool of the team's first unit, and a unit that
 * queues for its node does so with a ticket in its own pool, so that it waits on its own memory, and its
 * own progress applies what far units write there. A turn stays on the node while near units wait, because
 * a hand-over between nodes costs messages, but for at most MOST_PASSES holders, because far units
 * wait, too. The unit that ends the turn may be another than the unit that began it: the cohort stores the
 * ticket, which near units read in place.
 *
 * Far words are accessed by DART's own atomics. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_synchronization.h>

#include <dash/dart/if/dart_communication.h>

#include "api/coll/coll.h"
#include "api/memory/pool.h"
#include "api/progress/progress.h"
#include "model/check.h"
#include "model/holds.h"
#include "model/world.h"
#include "node/mutex.h"
#include "port.h"

#define MOST_PASSES 64

/* An entry in the queue of nodes. Written by the units of the entries before and after it, which are far. */
typedef struct {
  _Alignas(DART__CACHE_LINE) dart__event_t next; /* team id + 1 of the ticket behind; 0: unknown */
  _Alignas(DART__CACHE_LINE) dart__event_t granted; /* how often this ticket was granted the turn */
} ticket_t;

/* The units of a node. Only the holder of the mutex accesses `ticket` and `passes`. */
typedef struct {
  _Alignas(DART__CACHE_LINE) dart__mutex_t mutex;
  uint32_t ticket; /* team id + 1 of the ticket that has the turn; 0: this node does not have it */
  uint32_t passes; /* near hand-overs in this turn */
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t waiting; /* number of waiters for the mutex */
} cohort_t;

/* What every unit has in its pool. */
typedef struct {
  ticket_t ticket;
  cohort_t cohort; /* used at the node's leader only */

  /* Used at the team's first unit only: team id + 1 of the last ticket in the queue; 0: none. */
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t tail;
} state_t;

struct dart_lock_struct {
  uint32_t          cycle; /* of init and exit that it belongs to */
  dart_team_t       teamid;
  int32_t           me;     /* own team id */
  uint64_t         *states; /* team id → offset of its state_t in its pool */
  cohort_t         *cohort; /* of this unit's node */
  _Atomic uintptr_t holder; /* the thread of this unit that holds it; 0: none does */
  dart__hold_t     *hold;   /* for others to see */
  dart__hold_t      spare;
};

static dart_gptr_t word_of(const dart__team_t *team, const struct dart_lock_struct *lock,
                           int32_t unit, size_t offset)
{
  dart_gptr_t gptr = DART_GPTR_NULL;

  gptr.unitid              = team->members[unit];
  gptr.segid               = DART_SEGMENT_LOCAL;
  gptr.teamid              = DART_TEAM_ALL;
  gptr.addr_or_offs.offset = lock->states[unit] + offset;
  return gptr;
}

static state_t *near_state(const dart__team_t *team, const struct dart_lock_struct *lock,
                           int32_t unit)
{
  return (state_t *)(void *)dart__pool_address(team->members[unit], lock->states[unit]);
}

/* ---- life -------------------------------------------------------------------------------- */

static void delete_lock(dart_lock_t lock)
{
  if (lock == NULL)
    return;
  dart__hold_delete(lock->hold);
  free(lock->states);
  free(lock);
}

static dart_lock_t new_lock(const dart__team_t *team)
{
  dart_lock_t lock = calloc(1, sizeof *lock);

  if (lock == NULL)
    return NULL;
  lock->states = calloc((size_t)team->nunits, sizeof *lock->states);
  if (lock->states == NULL) {
    free(lock);
    return NULL;
  }
  lock->hold   = dart__hold_new(DART__HOLD_LOCK, team->id, -1, &lock->spare);
  lock->cycle  = dart__world.cycle;
  lock->teamid = team->id;
  lock->me     = team->me;
  return lock;
}

static dart_ret_t alloc_state(uint64_t *offset_out)
{
  dart_ret_t ret = dart__pool_alloc(sizeof(state_t), offset_out);

  if (ret == DART_OK) /* zeroed memory is a free lock; the units' allgather publishes it */
    memset(dart__pool_address(dart__world.me, *offset_out), 0, sizeof(state_t));
  return ret;
}

dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  uint64_t      own;
  dart_ret_t    mine, ret;

  if (lock == NULL) {
    dart__error("%s: lock is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *lock = DART_LOCK_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;

  *lock = new_lock(team);
  mine  = *lock == NULL ? DART_ERR_NOMEM : alloc_state(&own);
  ret   = dart__coll_agree(team, mine);
  if (ret != DART_OK) {
    if (mine == DART_OK)
      dart__pool_free(own);
    delete_lock(*lock);
    *lock = DART_LOCK_NULL;
    dart__error("%s: no memory for a lock on every unit of team %d", __func__, teamid);
    return ret;
  }
  dart__coll_share(team, &own, (*lock)->states, sizeof own);
  (*lock)->cohort = &near_state(team, *lock, team->node_units[0])->cohort;
  return DART_OK;
}

dart_ret_t dart_team_lock_destroy(dart_lock_t *lock)
{
  dart__team_t *team;

  if (lock == NULL || *lock == DART_LOCK_NULL)
    return DART_OK;
  if (dart__world.initialized && (*lock)->cycle == dart__world.cycle) {
    /* relaxed: destroying a lock while others use it is an error of the program */
    if (atomic_load_explicit(&(*lock)->holder, memory_order_relaxed) != 0) {
      dart__error("%s: unit %d holds the lock", __func__, dart__world.me);
      return DART_ERR_INVAL;
    }
    team = dart__team_find((*lock)->teamid);
    if (team != NULL) /* else dart_team_destroy was the barrier */
      dart__coll_barrier(team);
    dart__pool_free((*lock)->states[(*lock)->me]);
  }
  delete_lock(*lock);
  *lock = DART_LOCK_NULL;
  return DART_OK;
}

bool dart_lock_initialized(struct dart_lock_struct const *lock)
{
  return lock != DART_LOCK_NULL;
}

/* ---- between nodes: by the unit that has its node's mutex ------------------------------------ */

/* Complete an atomic on a word of a lock. The words exist as long as the team, so this cannot fail; if
 * operations of the program were refused, its next flush reports that. */
static void complete(dart_gptr_t word)
{
  dart__progress();
  if (dart__world.many_nodes)
    dart__far->settle(dart__teams[DART_TEAM_ALL], word.unitid);
}

/* Raise an event of a far ticket. It wakes nobody: the ticket's unit polls it at least once per nap. */
static void raise_far(const dart__team_t *team, const struct dart_lock_struct *lock, int32_t unit,
                      size_t event_offset, uint32_t by)
{
  dart_gptr_t word = word_of(team, lock, unit, event_offset + offsetof(dart__event_t, count));

  dart_accumulate(word, &by, 1, DART_TYPE_UINT, DART_OP_SUM);
  complete(word);
}

/* If the tail is `expected`, make it `desired`. */
static bool swap_tail(const dart__team_t *team, const struct dart_lock_struct *lock,
                      uint32_t expected, uint32_t desired)
{
  dart_gptr_t tail   = word_of(team, lock, 0, offsetof(state_t, tail));
  uint32_t    before = ~expected;

  dart_compare_and_swap(tail, &desired, &expected, &before, DART_TYPE_UINT);
  complete(tail);
  return before == expected;
}

/* This unit's ticket, with no ticket behind it yet. */
static ticket_t *fresh_ticket(const dart__team_t *team, dart_lock_t lock)
{
  ticket_t *own = &near_state(team, lock, lock->me)->ticket;

  /* relaxed: no unit writes it before it finds this ticket in the tail */
  atomic_store_explicit(&own->next.count, 0, memory_order_relaxed);
  return own;
}

static void begin_turn(dart_lock_t lock)
{
  lock->cohort->ticket = (uint32_t)lock->me + 1;
  lock->cohort->passes = 0;
}

/* Append this unit's ticket to the queue of nodes, and wait for the turn. */
static void wait_for_turn(const dart__team_t *team, dart_lock_t lock)
{
  uint32_t    own = (uint32_t)lock->me + 1, before = 0;
  ticket_t   *ticket = fresh_ticket(team, lock);
  uint32_t    turns  = dart__event_count(&ticket->granted);
  dart_gptr_t tail   = word_of(team, lock, 0, offsetof(state_t, tail));

  dart_fetch_and_op(tail, &own, &before, DART_TYPE_UINT, DART_OP_REPLACE);
  complete(tail);
  if (before != 0) {
    raise_far(team, lock, (int32_t)before - 1, offsetof(state_t, ticket.next), own);
    dart__event_wait(&ticket->granted, turns, &dart__world.wait); /* pairs with end_turn */
  }
  begin_turn(lock);
}

/* Take the turn if no node has it. */
static bool try_turn(const dart__team_t *team, dart_lock_t lock)
{
  fresh_ticket(team, lock);
  if (!swap_tail(team, lock, 0, (uint32_t)lock->me + 1))
    return false;
  begin_turn(lock);
  return true;
}

/* Grant the turn to the next node; if there is none, remove the ticket from the tail. */
static void end_turn(const dart__team_t *team, dart_lock_t lock)
{
  uint32_t  ticket = lock->cohort->ticket, next;
  ticket_t *own    = &near_state(team, lock, (int32_t)ticket - 1)->ticket;

  lock->cohort->ticket = 0;
  next                 = dart__event_count(&own->next);
  if (next == 0) {
    if (swap_tail(team, lock, ticket, 0))
      return;
    /* another unit has swapped the tail, and will raise own->next by raise_far */
    next = dart__event_wait(&own->next, 0, &dart__world.wait);
  }
  raise_far(team, lock, (int32_t)next - 1, offsetof(state_t, ticket.granted), 1);
}

/* ---- use --------------------------------------------------------------------------------- */

static dart__team_t *refuse(const char *function, const struct dart_lock_struct *lock)
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
static inline dart__team_t *check(const char *function, const struct dart_lock_struct *lock)
{
  dart__team_t *team = NULL;

  if (lock != DART_LOCK_NULL && dart__world.initialized && lock->cycle == dart__world.cycle)
    team = dart__team_find(lock->teamid);
  return __builtin_expect(team != NULL, 1) ? team : refuse(function, lock);
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
  dart__error("%s: this thread of unit %d holds the lock already", function, dart__world.me);
  return DART_ERR_INVAL;
}

static inline void take(dart_lock_t lock)
{
  atomic_store_explicit(&lock->holder, thread_id(), memory_order_relaxed); /* see is_mine */
  dart__hold_set(lock->hold, 1);
}

/* Wait for the node's mutex, counted in `waiting`, so that its holder sees that there are waiters. */
static inline void enter_cohort(const dart__team_t *team, cohort_t *cohort)
{
  if (dart__mutex_try(&cohort->mutex))
    return;
  /* relaxed: if the holder misses a waiter, the turn goes to another node first, but no waiter is lost; and
   * the count is decremented under the mutex, so a later holder sees only units that still wait */
  if (team->nnodes > 1)
    atomic_fetch_add_explicit(&cohort->waiting, 1, memory_order_relaxed);
  dart__mutex_lock(&cohort->mutex, &dart__world.wait);
  if (team->nnodes > 1)
    atomic_fetch_sub_explicit(&cohort->waiting, 1, memory_order_relaxed);
}

dart_ret_t dart_lock_acquire(dart_lock_t lock)
{
  dart__team_t *team = check(__func__, lock);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  dart__progress(); /* the holder may be waiting for deferred updates of this unit */
  enter_cohort(team, lock->cohort);
  if (team->nnodes > 1 && lock->cohort->ticket == 0)
    wait_for_turn(team, lock);
  take(lock);
  return DART_OK;
}

/* The holder may need progress of this unit before it can release the lock. */
static dart_ret_t poll(void)
{
  if (dart__world.wait.progress != NULL)
    dart__world.wait.progress();
  return DART_OK;
}

dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result)
{
  dart__team_t *team = check(__func__, lock);

  if (result == NULL) {
    dart__error("%s: result is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *result = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  dart__progress(); /* as above */
  if (!dart__mutex_try(&lock->cohort->mutex))
    return poll();
  if (team->nnodes > 1 && lock->cohort->ticket == 0 && !try_turn(team, lock)) {
    dart__mutex_unlock(&lock->cohort->mutex);
    return poll();
  }
  take(lock);
  *result = 1;
  return DART_OK;
}

/* Whether the node keeps its turn for its next unit. */
static bool pass_on(cohort_t *cohort)
{
  /* relaxed: see enter_cohort */
  return atomic_load_explicit(&cohort->waiting, memory_order_relaxed) > 0 &&
         cohort->passes++ < MOST_PASSES;
}

dart_ret_t dart_lock_release(dart_lock_t lock)
{
  dart__team_t *team = check(__func__, lock);

  if (team == NULL)
    return DART_ERR_INVAL;
  if (!is_mine(lock)) {
    dart__error("%s: this thread of unit %d does not hold the lock", __func__, dart__world.me);
    return DART_ERR_INVAL;
  }
  dart__progress();
  atomic_store_explicit(&lock->holder, 0, memory_order_relaxed); /* see is_mine */
  dart__hold_set(lock->hold, 0);
  if (team->nnodes > 1 && !pass_on(lock->cohort))
    end_turn(team, lock);
  dart__mutex_unlock(&lock->cohort->mutex);
  return DART_OK;
}
