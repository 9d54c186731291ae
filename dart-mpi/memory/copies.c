/* See copies.h. */
#include "memory/copies.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define COPIES 64

struct dart__copies {
  pthread_mutex_t lock;
  unsigned        next;
  dart__copy_t    copy[COPIES];
};

dart__copies_t *dart__copies_new(void)
{
  dart__copies_t *copies = calloc(1, sizeof *copies);

  if (copies != NULL)
    pthread_mutex_init(&copies->lock, NULL);
  return copies;
}

void dart__copies_delete(dart__copies_t *copies)
{
  if (copies == NULL)
    return;
  pthread_mutex_destroy(&copies->lock);
  free(copies);
}

/* The next copy of the ring; waits for a thread that took it a whole round ago. The lock is held, and given up
 * meanwhile. */
static dart__copy_t *take_next(dart__copies_t *copies)
{
  for (;;) {
    dart__copy_t *copy = &copies->copy[copies->next % COPIES];

    if (!copy->is_taken) {
      copies->next++;
      copy->is_taken = true;
      return copy;
    }
    pthread_mutex_unlock(&copies->lock);
    sched_yield();
    pthread_mutex_lock(&copies->lock);
  }
}

dart__copy_t *dart__copies_take(dart__copies_t *copies)
{
  dart__copy_t *copy;

  pthread_mutex_lock(&copies->lock);
  copy = take_next(copies);
  pthread_mutex_unlock(&copies->lock);
  return copy;
}

void dart__copies_started(dart__copies_t *copies, dart__copy_t *copy)
{
  pthread_mutex_lock(&copies->lock);
  copy->is_taken = false;
  pthread_mutex_unlock(&copies->lock);
}
