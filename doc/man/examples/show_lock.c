/* A record on unit 0 that one unit at a time changes. A release completes nothing: put with
 * dart_put_blocking, or flush before it. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        record;
  dart_lock_t        lock;
  long               value, *mine;
  int32_t            held;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &record);
  dart_team_lock_init(DART_TEAM_ALL, &lock);
  if (me.id == 0) {
    dart_gptr_getaddr(record, (void **)&mine);
    *mine = 0;
  }
  dart_barrier(DART_TEAM_ALL);

  dart_lock_acquire(lock);
  dart_get_blocking(&value, record, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  value++;
  dart_put_blocking(record, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_lock_release(lock);

  do
    dart_lock_try_acquire(lock, &held); /* and do something else meanwhile */
  while (!held);
  dart_lock_release(lock);

  dart_barrier(DART_TEAM_ALL);
  dart_get_blocking(&value, record, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(value == (long)n);
  dart_team_lock_destroy(&lock);
  dart_team_memfree(record);

  dart_exit();
  return 0;
}
