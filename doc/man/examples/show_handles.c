/* Start a get from every unit, each with a handle, and wait for all of them. Then put by a handle,
 * and test a get until it is complete. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr;
  dart_handle_t      handles[64], one;
  long              *mine, values[64], value;
  int32_t            done = 0;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  assert(n <= 64);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  *mine = 10 * me.id;
  dart_barrier(DART_TEAM_ALL);

  for (int unit = 0; unit < (int)n; unit++) {
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    dart_get_handle(&values[unit], gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handles[unit]);
  }
  dart_waitall(handles, n);
  for (int unit = 0; unit < (int)n; unit++)
    assert(values[unit] == 10 * unit);

  value = -me.id; /* to this unit's own memory, when all have read it */
  dart_barrier(DART_TEAM_ALL);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_put_handle(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG, &one);
  dart_wait(&one); /* complete locally and remotely */
  assert(*mine == -me.id);

  dart_get_handle(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG, &one);
  while (!done) /* and do something else meanwhile */
    dart_test_local(&one, &done);
  assert(one == DART_HANDLE_NULL && value == -me.id);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
