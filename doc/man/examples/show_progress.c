/* A loop that waits for something outside of DART, here for a thread of the program, and serves
 * units of other nodes meanwhile. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/if/dart.h>

static atomic_bool is_done;

static void *compute(void *unused)
{
  (void)unused;
  atomic_store(&is_done, true);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  atomic_store(&is_done, false);
  pthread_create(&thread, NULL, compute, NULL);
  while (!atomic_load(&is_done))
    assert(dart_progress() == DART_OK);
  pthread_join(thread, NULL);
  dart_barrier(DART_TEAM_ALL);

  dart_exit();
  return 0;
}
