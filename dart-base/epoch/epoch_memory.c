/* The state of epochs that lies in the pool: that of memory of the program, and posts. See memory/segment_state.h.
 *
 * Other units may still be in the lock of a state when its segment ends. So the block is not freed, but used again as
 * the state of another segment, once nobody holds or wants the lock. */
#include "epoch/epoch_memory.h"

#include <pthread.h>
#include <string.h>

#include "epoch/epoch.h"
#include "memory/pool.h"
#include "memory/segment_state.h"
#include "model/world.h"

static struct {
  pthread_mutex_t lock;
  uint64_t        first; /* offset, plus one, of the first state to be used again */
} ended = { .lock = PTHREAD_MUTEX_INITIALIZER };

static dart__epoch_shared_t *state_at(uint64_t offset)
{
  return (dart__epoch_shared_t *)(void *)dart__pool_address(dart__world.me, offset);
}

/* Whether nobody holds or wants its lock. */
static bool nobody_is_in(const dart__epoch_shared_t *state)
{
  /* seq_cst: as in wait/rwlock.c. All that have a ticket have left: the look is at those first, for both only grow. */
  uint32_t left =
      atomic_load_explicit((_Atomic uint32_t *)&state->lock.exclusive, memory_order_seq_cst);

  return atomic_load_explicit((_Atomic uint32_t *)&state->lock.next, memory_order_seq_cst) == left;
}

/* Begin with it anew. Its lock goes on as it is. A unit that has not heard of the end of the segment before may enter it at
 * any time, and then sees that. relaxed: other units learn of the state by a collective call. */
static void renew(dart__epoch_shared_t *state)
{
  atomic_store_explicit(&state->exposed, 0, memory_order_relaxed);
  atomic_store_explicit(&state->is_read_only, 0, memory_order_relaxed);
  atomic_store_explicit(&state->posts, 0, memory_order_relaxed);
}

/* A state of a segment that has ended, in which no unit is. */
static bool take_ended(uint64_t *offset_out)
{
  bool is_taken = false;

  pthread_mutex_lock(&ended.lock);
  for (uint64_t *link = &ended.first; *link != 0 && !is_taken;) {
    dart__epoch_shared_t *state = state_at(*link - 1);

    is_taken = nobody_is_in(state);
    if (is_taken) {
      *offset_out = *link - 1;
      *link       = state->next_ended;
      renew(state);
    } else {
      link = &state->next_ended;
    }
  }
  pthread_mutex_unlock(&ended.lock);
  return is_taken;
}

static bool alloc_in_pool(dart__segment_t *segment)
{
  segment->has_epoch_block = take_ended(&segment->epoch_at);
  if (segment->has_epoch_block)
    return true;
  segment->has_epoch_block = dart__pool_alloc(DART__EPOCH_ROOM, &segment->epoch_at) == DART_OK;
  if (segment->has_epoch_block)
    memset(state_at(segment->epoch_at), 0, DART__EPOCH_ROOM);
  return segment->has_epoch_block;
}

static uint32_t count_ends(const dart__segment_t *segment)
{
  return atomic_load_explicit(&state_at(segment->epoch_at)->ends, memory_order_relaxed);
}

static void release_in_pool(uint64_t offset)
{
  dart__epoch_shared_t *state = state_at(offset);

  pthread_mutex_lock(&ended.lock);
  state->next_ended = ended.first;
  ended.first       = offset + 1;
  pthread_mutex_unlock(&ended.lock);
}

/* Units that wait for the lock of this unit's portion are let in one after the other, and find out that the segment has
 * ended: what this unit holds is left, and what far units hold, who cannot name the segment any more. Near ones leave it
 * when they unlock: so the state is not used for anything else. */
static void end_state(const dart__segment_t *segment, const dart__epoch_t *epoch)
{
  dart__epoch_shared_t       *state = state_at(segment->epoch_at);
  const dart__epoch_target_t *own   = epoch != NULL ? &epoch->target[epoch->own] : NULL;
  uint32_t                    nfar;

  /* seq_cst: before the lock is left, so that the next to enter it sees this; pairs with dart__epoch_has_ended */
  atomic_fetch_add_explicit(&state->ends, 1, memory_order_seq_cst);
  if (own != NULL && own->has_ticket)
    dart__rwlock_leave(&state->lock, own->is_exclusive);
  /* acq_rel: pairs with those of the thread that serves far units; each is left once */
  nfar = atomic_exchange_explicit(&state->far_held, 0, memory_order_acq_rel);
  if (nfar == DART__EPOCH_FAR_EXCLUSIVE)
    dart__rwlock_leave(&state->lock, true);
  else
    for (; nfar > 0; nfar--)
      dart__rwlock_leave(&state->lock, false);
  if (dart__world.event != NULL && dart__rwlock_has_far(&state->lock))
    dart__event_add(dart__world.event);
  release_in_pool(segment->epoch_at);
}

static void end_segment(dart__segment_t *segment)
{
  dart__epoch_t *epoch = dart__segment_epoch(segment);

  if (segment->has_epoch_block)
    end_state(segment, epoch);
  if (epoch != NULL && epoch->posts != NULL)
    dart__pool_free((uint64_t)((char *)epoch->posts - dart__pool_address(dart__world.me, 0)));
  dart__epoch_delete(segment);
}

void dart__epoch_memory_open(void)
{
  ended.first         = 0;
  dart__segment_state = (dart__segment_state_t){ .nbytes     = DART__EPOCH_ROOM,
                                                 .alloc      = alloc_in_pool,
                                                 .count_ends = count_ends,
                                                 .release    = release_in_pool,
                                                 .end        = end_segment };
}
