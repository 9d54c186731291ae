/* See copies.h. */
#include "far/copies.h"

#include <stdlib.h>

#include "wait/wait.h"

#define COPIES 16 /* of a block: the ring starts with one, and grows by one */

typedef struct dart__copies_block {
  struct dart__copies_block *older;
  dart__copy_t               copy[COPIES];
} block_t;

/* What is allocated for a ring: with its first block, for teams are often made and ended without a put. */
typedef struct {
  dart__copies_t copies;
  block_t        first;
} ring_t;

/* Only the program's threads come here. */
static void lock_copies(dart__copies_t *copies)
{
  if (dart__world.many_threads)
    pthread_mutex_lock(&copies->lock);
}

static void unlock_copies(dart__copies_t *copies)
{
  if (dart__world.many_threads)
    pthread_mutex_unlock(&copies->lock);
}

/* Its copies are linked in a row, the last one to `end`, or, if that is NULL, to the first. Their bytes are written before
 * they are read. */
static void link_block(dart__copies_t *copies, block_t *block, dart__copy_t *end)
{
  for (size_t i = 0; i < COPIES; i++) {
    block->copy[i].next     = &block->copy[i + 1 < COPIES ? i + 1 : 0];
    block->copy[i].number   = 0;
    block->copy[i].unit     = 0;
    block->copy[i].is_taken = false;
  }
  block->copy[COPIES - 1].next = end != NULL ? end : &block->copy[0];
  block->older                 = copies->blocks;
  copies->blocks               = block;
  copies->nblocks++;
}

dart__copies_t *dart__copies_new(void)
{
  ring_t *ring = malloc(sizeof *ring);

  if (ring == NULL)
    return NULL;
  ring->copies = (dart__copies_t){ .next = &ring->first.copy[0] };
  link_block(&ring->copies, &ring->first, NULL);
  pthread_mutex_init(&ring->copies.lock, NULL);
  return &ring->copies;
}

void dart__copies_delete(dart__copies_t *copies)
{
  if (copies == NULL)
    return;
  for (block_t *block = copies->blocks, *older; block->older != NULL; block = older) {
    older = block->older;
    free(block);
  }
  pthread_mutex_destroy(&copies->lock);
  free(copies); /* with the oldest block */
}

typedef struct {
  dart__copies_t *copies;
  dart__copy_t   *copy;
} take_t;

static bool try_next(void *context)
{
  take_t         *take   = context;
  dart__copies_t *copies = take->copies;
  bool            is_free;

  pthread_mutex_lock(&copies->lock);
  take->copy = copies->next;
  is_free    = !take->copy->is_taken;
  if (is_free) {
    copies->next         = take->copy->next;
    take->copy->is_taken = true;
  }
  pthread_mutex_unlock(&copies->lock);
  return is_free;
}

/* Waits for a thread that took the copy a whole round ago, without the lock. */
dart__copy_t *dart__copies_take_locked(dart__copies_t *copies)
{
  take_t take = { copies, NULL };

  dart__wait_for(try_next, &take, &dart__wait_briefly);
  return take.copy;
}

dart__copy_t *dart__copies_more(dart__copies_t *copies, dart__copy_t *copy)
{
  block_t *block = NULL;

  lock_copies(copies);
  if (copies->nblocks < DART__COPIES_MOST / COPIES)
    block = malloc(sizeof *block);
  if (block != NULL) {
    link_block(copies, block, copy->next);
    copy->next              = &block->copy[0];
    copy->is_taken          = false;
    block->copy[0].is_taken = dart__world.many_threads;
    copies->next            = &block->copy[1];
  }
  unlock_copies(copies);
  return block == NULL ? NULL : &block->copy[0];
}

void dart__copies_started_locked(dart__copies_t *copies, dart__copy_t *copy)
{
  pthread_mutex_lock(&copies->lock);
  copy->is_taken = false;
  pthread_mutex_unlock(&copies->lock);
}
