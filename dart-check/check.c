/* See check.h. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

dart__check_t dart__check;

#define NAME(name) #name,
const char *const dart__check_calls[DART__CALLS] = { DART_FUNCTIONS(NAME) };
#undef NAME

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void dart__check_lock_threads(void)
{
  pthread_mutex_lock(&mutex);
}

void dart__check_unlock_threads(void)
{
  pthread_mutex_unlock(&mutex);
}

void *dart__check_room(void *old, size_t nbytes)
{
  void *room = realloc(old, nbytes > 0 ? nbytes : 1);

  if (room == NULL) {
    fprintf(stderr, "dart-check: out of memory for %zu bytes\n", nbytes);
    abort();
  }
  return room;
}
