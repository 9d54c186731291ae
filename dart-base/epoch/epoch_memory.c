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

/* A state of a segment that has ended, in which no unit is. */
static bool take_ended(uint64_t *offset_out)
{
  bool is_taken = false;

  pthread_mutex_lock(&ended.lock);
  for (uint64_t *link = &ended.first; *link != 0 && !is_taken;) {
    dart__epoch_shared_t *state = state_at(*link - 1);

    is_taken = dart__epoch_is_quiet(state);
    if (is_taken) {
      *offset_out = *link - 1;
      *link       = state->next_ended;
      dart__epoch_renew(state);
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

/* Let in the units that wait for the lock of this unit's portion, which this unit may hold. */
static void end_state(const dart__segment_t *segment, const dart__epoch_t *epoch)
{
  dart__epoch_shared_t       *state = state_at(segment->epoch_at);
  const dart__epoch_target_t *own   = epoch != NULL ? &epoch->target[epoch->own] : NULL;

  dart__epoch_end_state(state, own != NULL && own->has_ticket, own != NULL && own->is_exclusive);
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
