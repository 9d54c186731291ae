/* Locks: a queue of units, after Mellor-Crummey and Scott (Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, ACM TOCS 9(1), 1991), the list-based MCS lock.
 *
 * The lock itself is one word, the tail of the queue, in the pool of the team's first unit. Every
 * unit has one queue node per lock in its own pool: who comes after it, and whether it was its
 * turn. A unit swaps itself into the tail and then waits on its own node alone, which costs a near
 * unit no traffic and lets a far one sleep. Words are reached by DART's own atomics, so it does not
 * matter who is near; what near units write, they raise as events, so sleepers wake at once.
 *
 * Threads of a unit exclude each other by a local mutex before one of them queues for the unit. */
#include <pthread.h>
#include <stdlib.h>

#include <dash/dart/if/dart_synchronization.h>

#include <dash/dart/if/dart_communication.h>

#include "api/check.h"
#include "api/coll.h"
#include "api/pool.h"
#include "model/world.h"
#include "port.h"

/* In shared memory, one per unit and lock. Written by the predecessor and the successor. */
typedef struct {
  _Alignas(DART__CACHE_LINE) dart__event_t next;    /* team id + 1 of who comes after; 0: not known */
  _Alignas(DART__CACHE_LINE) dart__event_t granted; /* how often the lock was handed to this unit */
} queue_node_t;

struct dart_lock_struct {
  uint32_t        cycle;      /* of init and exit that it belongs to */
  dart_team_t     teamid;
  int32_t         nunits;
  int32_t         me;         /* own team id */
  uint64_t        tail;       /* in the pool of the team's first unit: team id + 1 of the last; 0 */
  uint64_t       *nodes;      /* team id → offset of its node in its pool */
  queue_node_t   *own;
  pthread_mutex_t threads;    /* held by the thread that has the lock, or queues for it */
  _Atomic pthread_t holder;
  _Atomic bool    held;       /* by `holder` */
};

/* What a unit brings at init. */
typedef struct {
  uint64_t node;
  uint64_t tail;
  uint64_t failed;
} contribution_t;

static dart_unit_t global_id(const dart__team_t *team, int32_t unit)
{
  return team->members[unit];
}

static dart_gptr_t word_at(dart_unit_t unit, uint64_t offset)
{
  dart_gptr_t gptr = DART_GPTR_NULL;

  gptr.unitid              = unit;
  gptr.segid               = DART_SEGMENT_LOCAL;
  gptr.teamid              = DART_TEAM_ALL;
  gptr.addr_or_offs.offset = offset;
  return gptr;
}

static dart_gptr_t tail_of(const dart__team_t *team, const struct dart_lock_struct *lock)
{
  return word_at(global_id(team, 0), lock->tail);
}

/* Add to an event in the queue node of another unit; the caller is the only one who writes it now. */
static dart_ret_t raise_at(const dart__team_t *team, const struct dart_lock_struct *lock,
                           int32_t unit, size_t event_offset, uint32_t by)
{
  dart_unit_t global = global_id(team, unit);
  uint64_t    offset = lock->nodes[unit] + event_offset;
  dart_gptr_t word   = word_at(global, offset + offsetof(dart__event_t, count));
  dart_ret_t  ret;

  if (dart__world.node_of[global] == dart__world.node_of[dart__world.me]) {
    dart__event_t *event = (dart__event_t *)(void *)dart__pool_address(global, offset);

    dart__event_raise(event, dart__event_count(event) + by);
    return DART_OK;
  }
  /* it looks at its node at least once a nap */
  ret = dart_accumulate(word, &by, 1, DART_TYPE_UINT, DART_OP_SUM);
  return ret == DART_OK ? dart_flush(word) : ret;
}

/* ---- life -------------------------------------------------------------------------------- */

static void release_memory(const struct dart_lock_struct *lock)
{
  dart__pool_free(lock->nodes[lock->me]);
  if (lock->me == 0)
    dart__pool_free(lock->tail);
}

static void delete_lock(dart_lock_t lock)
{
  if (lock == NULL)
    return;
  pthread_mutex_destroy(&lock->threads);
  free(lock->nodes);
  free(lock);
}

static dart_lock_t new_lock(const dart__team_t *team)
{
  dart_lock_t lock = calloc(1, sizeof *lock);

  if (lock == NULL)
    return NULL;
  lock->nodes = calloc((size_t)team->nunits, sizeof *lock->nodes);
  if (lock->nodes == NULL) {
    free(lock);
    return NULL;
  }
  lock->cycle  = dart__world.cycle;
  lock->teamid = team->id;
  lock->nunits = team->nunits;
  lock->me     = team->me;
  pthread_mutex_init(&lock->threads, NULL);
  return lock;
}

/* The own queue node, and on the first unit the tail. */
static dart_ret_t place_own(const dart__team_t *team, contribution_t *own)
{
  dart_ret_t ret = dart__pool_alloc(sizeof(queue_node_t), &own->node);

  if (ret != DART_OK)
    return ret;
  *(queue_node_t *)(void *)dart__pool_address(dart__world.me, own->node) = (queue_node_t){ 0 };
  if (team->me != 0)
    return DART_OK;
  ret = dart__pool_alloc(sizeof(uint32_t), &own->tail);
  if (ret == DART_OK)
    *(uint32_t *)(void *)dart__pool_address(dart__world.me, own->tail) = 0;
  else
    dart__pool_free(own->node);
  return ret;
}

dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock)
{
  dart__team_t   *team = dart__check_team(__func__, teamid);
  contribution_t *all, own = { 0, 0, 0 };
  dart_ret_t      mine = DART_OK, ret;

  if (lock == NULL) {
    dart__error("%s: lock is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *lock = DART_LOCK_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;

  *lock = new_lock(team);
  all   = calloc((size_t)team->nunits, sizeof *all);
  mine  = *lock == NULL || all == NULL ? DART_ERR_NOMEM : place_own(team, &own);
  ret   = dart__coll_agree(team, mine);
  if (ret == DART_OK)
    ret = dart__coll_allgather(team, &own, all, sizeof own); /* publishes the nodes, too */
  if (ret != DART_OK) {
    if (mine == DART_OK) {
      dart__pool_free(own.node);
      if (team->me == 0)
        dart__pool_free(own.tail);
    }
    delete_lock(*lock);
    *lock = DART_LOCK_NULL;
    dart__error("%s: no memory for a lock on every unit of team %d", __func__, teamid);
  }
  else {
    (*lock)->tail = all[0].tail;
    (*lock)->own  = (queue_node_t *)(void *)dart__pool_address(dart__world.me, own.node);
    for (int32_t u = 0; u < team->nunits; u++)
      (*lock)->nodes[u] = all[u].node;
  }
  free(all);
  return ret;
}

dart_ret_t dart_team_lock_destroy(dart_lock_t *lock)
{
  dart__team_t *team;
  dart_ret_t    ret = DART_OK;

  if (lock == NULL || *lock == DART_LOCK_NULL)
    return DART_OK;
  if (dart_initialized() && (*lock)->cycle == dart__world.cycle) {
    if ((*lock)->held) {
      dart__error("%s: unit %d holds the lock", __func__, dart__world.me);
      return DART_ERR_INVAL;
    }
    team = dart__team_find((*lock)->teamid);
    if (team != NULL) /* else the team's end was the barrier */
      ret = dart__coll_barrier(team);
    release_memory(*lock);
  }
  delete_lock(*lock);
  *lock = DART_LOCK_NULL;
  return ret;
}

bool dart_lock_initialized(struct dart_lock_struct const *lock)
{
  return lock != DART_LOCK_NULL;
}

/* ---- use --------------------------------------------------------------------------------- */

static dart__team_t *check(const char *function, dart_lock_t lock)
{
  dart__team_t *team = NULL;

  if (lock == DART_LOCK_NULL)
    dart__error("%s: lock is NULL", function);
  else if (!dart_initialized() || lock->cycle != dart__world.cycle)
    dart__error("%s: the lock is from before dart_exit", function);
  else if ((team = dart__team_find(lock->teamid)) == NULL)
    dart__error("%s: team %d of the lock was destroyed", function, lock->teamid);
  return team;
}

/* Whether the calling thread holds it. It alone sets `holder` to itself, so whatever else it reads
 * there means no; no order is needed to read what one wrote oneself. */
static bool is_mine(dart_lock_t lock)
{
  return atomic_load_explicit(&lock->held, memory_order_relaxed) &&
         (!dart__world.many_threads ||
          pthread_equal(atomic_load_explicit(&lock->holder, memory_order_relaxed), pthread_self()));
}

static dart_ret_t refuse_holder(const char *function)
{
  dart__error("%s: this thread of unit %d holds the lock already", function, dart__world.me);
  return DART_ERR_INVAL;
}

static void take(dart_lock_t lock)
{
  atomic_store_explicit(&lock->holder, pthread_self(), memory_order_relaxed);
  atomic_store_explicit(&lock->held, true, memory_order_relaxed);
}

/* Queue up behind the others, and wait for the own turn. */
static dart_ret_t enqueue(const dart__team_t *team, dart_lock_t lock)
{
  uint32_t    own = (uint32_t)lock->me + 1, before = 0;
  uint32_t    turns = dart__event_count(&lock->own->granted);
  dart_gptr_t tail  = tail_of(team, lock);
  dart_ret_t  ret;

  /* relaxed: nobody writes it before the swap below tells of this unit */
  atomic_store_explicit(&lock->own->next.count, 0, memory_order_relaxed);
  ret = dart_fetch_and_op(tail, &own, &before, DART_TYPE_UINT, DART_OP_REPLACE);
  if (ret == DART_OK)
    ret = dart_flush(tail);
  if (ret != DART_OK || before == 0)
    return ret;
  ret = raise_at(team, lock, (int32_t)before - 1, offsetof(queue_node_t, next), own);
  if (ret == DART_OK)
    dart__event_wait(&lock->own->granted, turns, &dart__world.wait); /* pairs with hand_over */
  return ret;
}

dart_ret_t dart_lock_acquire(dart_lock_t lock)
{
  dart__team_t *team  = check(__func__, lock);
  uint32_t      turns = 0;
  dart_ret_t    ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  while (pthread_mutex_trylock(&lock->threads) != 0)
    dart__wait_turn(&turns, &dart__world.wait);
  ret = enqueue(team, lock);
  if (ret == DART_OK)
    take(lock);
  else
    pthread_mutex_unlock(&lock->threads);
  return ret;
}

dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result)
{
  dart__team_t *team = check(__func__, lock);
  uint32_t      own, none = 0, before = 0;
  dart_gptr_t   tail;
  dart_ret_t    ret;

  if (result == NULL) {
    dart__error("%s: result is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *result = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  if (is_mine(lock))
    return refuse_holder(__func__);
  if (pthread_mutex_trylock(&lock->threads) != 0)
    return DART_OK;

  own  = (uint32_t)lock->me + 1;
  tail = tail_of(team, lock);
  /* relaxed: as in enqueue */
  atomic_store_explicit(&lock->own->next.count, 0, memory_order_relaxed);
  ret = dart_compare_and_swap(tail, &own, &none, &before, DART_TYPE_UINT);
  if (ret == DART_OK)
    ret = dart_flush(tail);
  if (ret == DART_OK && before == 0) {
    take(lock);
    *result = 1;
  }
  else {
    pthread_mutex_unlock(&lock->threads);
  }
  return ret;
}

/* Give the lock to who comes next; if nobody does, take this unit out of the tail. */
static dart_ret_t hand_over(const dart__team_t *team, dart_lock_t lock)
{
  uint32_t    next = dart__event_count(&lock->own->next), own = (uint32_t)lock->me + 1;
  uint32_t    none = 0, before = 0;
  dart_gptr_t tail = tail_of(team, lock);
  dart_ret_t  ret;

  if (next == 0) {
    ret = dart_compare_and_swap(tail, &none, &own, &before, DART_TYPE_UINT);
    if (ret == DART_OK)
      ret = dart_flush(tail);
    if (ret != DART_OK || before == own)
      return ret;
    /* someone is between its swap and telling this unit, which it does by raise_at in enqueue */
    next = dart__event_wait(&lock->own->next, 0, &dart__world.wait);
  }
  return raise_at(team, lock, (int32_t)next - 1, offsetof(queue_node_t, granted), 1);
}

dart_ret_t dart_lock_release(dart_lock_t lock)
{
  dart__team_t *team = check(__func__, lock);
  dart_ret_t    ret;

  if (team == NULL)
    return DART_ERR_INVAL;
  if (!is_mine(lock)) {
    dart__error("%s: this thread of unit %d does not hold the lock", __func__, dart__world.me);
    return DART_ERR_INVAL;
  }
  /* relaxed: other threads learn of it by the mutex */
  atomic_store_explicit(&lock->held, false, memory_order_relaxed);
  ret = hand_over(team, lock);
  pthread_mutex_unlock(&lock->threads);
  return ret;
}
