/* Tables of threads: a list that only grows, and a key by which a thread releases its tables when it ends. */
#include "trace_thread.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t                     mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(dart__trace_thread_t *)     first;
static pthread_once_t                      once = PTHREAD_ONCE_INIT;
static pthread_key_t                       key;
static _Thread_local dart__trace_thread_t *own;

static void release_thread(void *thread)
{
  pthread_mutex_lock(&mutex);
  ((dart__trace_thread_t *)thread)->is_used = false;
  pthread_mutex_unlock(&mutex);
}

static void make_key(void)
{
  (void)pthread_key_create(&key, release_thread);
}

dart__trace_thread_t *dart__trace_threads(void)
{
  return atomic_load_explicit(&first, memory_order_acquire); /* pairs with the store of `take` */
}

/* The tables of a thread that has ended, or new ones. With the mutex. */
static dart__trace_thread_t *take_thread(void)
{
  dart__trace_thread_t *newest = dart__trace_threads(), *thread;

  for (thread = newest; thread != NULL; thread = thread->next)
    if (!thread->is_used)
      return thread;
  thread = calloc(1, sizeof *thread);
  if (thread == NULL)
    return NULL;
  thread->next   = newest;
  thread->number = newest == NULL ? 0 : newest->number + 1;
  atomic_store_explicit(&first, thread, memory_order_release);
  return thread;
}

dart__trace_thread_t *dart__trace_self(void)
{
  if (own != NULL)
    return own;
  pthread_once(&once, make_key);
  pthread_mutex_lock(&mutex);
  own = take_thread();
  if (own != NULL)
    own->is_used = true;
  pthread_mutex_unlock(&mutex);
  (void)pthread_setspecific(key, own);
  return own;
}

dart__trace_traffic_t *dart__trace_row(dart__trace_thread_t *thread, size_t nunits)
{
  dart__trace_traffic_t *row = atomic_load_explicit(&thread->to, memory_order_relaxed);

  if (row == NULL) {
    row = calloc(nunits, sizeof *row);
    atomic_store_explicit(&thread->to, row,
                          memory_order_release); /* pairs with the report's load */
  }
  return row;
}
