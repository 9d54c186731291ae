/* A table in two levels: blocks of slots that are allocated as needed and never move, so that a
 * reader needs the address of a block and no lock. A slot is in use while it holds its own handle.
 *
 * Generations count through the whole table, over dart__handle_clear too, so no two objects ever
 * share a handle. Freed slots are queued and reused first in, first out, and only when more
 * than QUARANTINE of them are queued: so an object that was removed too early stays intact for some time. */
#include "base/handle.h"

#include <stdlib.h>
#include <string.h>

enum { QUARANTINE = 64 };

#define LAST_GENERATION ((uintptr_t)INTPTR_MAX / DART__HANDLE_SLOTS)

typedef dart__handle_slot_t slot_t;

/* A slot that was never used. */
static bool new_slot(dart__handles_t *handles, size_t *index_out)
{
  size_t index = handles->nslots;

  if (index == DART__HANDLE_SLOTS)
    return false;
  if (index % DART__HANDLE_BLOCK_SLOTS == 0) {
    char *block = calloc(DART__HANDLE_BLOCK_SLOTS, handles->slot_size);

    if (block == NULL)
      return false;
    atomic_store_explicit(&handles->block[index / DART__HANDLE_BLOCK_SLOTS], block,
                          memory_order_release); /* pairs with dart__handle_slot */
  }
  handles->nslots++;
  *index_out = index;
  return true;
}

/* The slot that has been free for longest. */
static bool reuse_slot(dart__handles_t *handles, size_t *index_out)
{
  if (handles->nfree == 0)
    return false;
  *index_out          = handles->first_free;
  handles->first_free = dart__handle_slot(handles, handles->first_free)->next_free;
  handles->nfree--;
  return true;
}

static void release_object(const dart__handles_t *handles, slot_t *slot)
{
  if (handles->release != NULL)
    handles->release(slot->object);
}

void *dart__handle_reserve(dart__handles_t *handles, uintptr_t *handle_out)
{
  void  *object = NULL;
  size_t index;
  bool   found;

  pthread_mutex_lock(&handles->lock);
  found = handles->nfree > QUARANTINE ? reuse_slot(handles, &index)
                                      : new_slot(handles, &index) || reuse_slot(handles, &index);
  if (found) {
    slot_t *slot = dart__handle_slot(handles, index);

    release_object(handles, slot);
    object              = memset(slot->object, 0, handles->object_size);
    handles->generation = handles->generation % LAST_GENERATION + 1;
    *handle_out         = handles->generation * DART__HANDLE_SLOTS + index;
  }
  pthread_mutex_unlock(&handles->lock);
  return object;
}

void dart__handle_publish(dart__handles_t *handles, uintptr_t handle)
{
  atomic_store_explicit(&dart__handle_slot(handles, handle % DART__HANDLE_SLOTS)->handle, handle,
                        memory_order_release); /* the object is written: pairs with find */
}

bool dart__handle_remove(dart__handles_t *handles, uintptr_t handle)
{
  size_t  index = handle % DART__HANDLE_SLOTS;
  slot_t *slot;
  bool    found;

  pthread_mutex_lock(&handles->lock);
  found = dart__handle_find(handles, handle) != NULL;
  if (found) {
    slot = dart__handle_slot(handles, index);
    /* relaxed: the object stays as it is, so there is nothing to be ordered after this */
    atomic_store_explicit(&slot->handle, 0, memory_order_relaxed);
    if (handles->nfree++ == 0)
      handles->first_free = index;
    else
      dart__handle_slot(handles, handles->last_free)->next_free = index;
    handles->last_free = index;
  }
  pthread_mutex_unlock(&handles->lock);
  return found;
}

void dart__handle_clear(dart__handles_t *handles)
{
  pthread_mutex_lock(&handles->lock);
  for (size_t index = 0; index < handles->nslots; index++)
    release_object(handles, dart__handle_slot(handles, index));
  for (size_t i = 0; i < DART__HANDLE_BLOCKS; i++)
    free(atomic_exchange_explicit(&handles->block[i], NULL, memory_order_relaxed));
  handles->nslots = 0;
  handles->nfree  = 0;
  pthread_mutex_unlock(&handles->lock);
}
