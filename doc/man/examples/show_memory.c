/* Allocate ten longs on every unit, and put one to the last unit. Then make an array of the
 * program known to the team, and read it from there. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        allocated, registered, last;
  static long        array[10];
  long               value = 1, *mine;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_LONG, &allocated);
  last = allocated; /* unit 0, offset 0 */
  dart_gptr_setunit(&last, DART_TEAM_UNIT_ID((int)n - 1));
  dart_gptr_incaddr(&last, 3 * sizeof(long)); /* bytes */
  if (me.id == 0)
    dart_put_blocking(last, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_barrier(DART_TEAM_ALL);
  if (me.id == (int)n - 1) {
    dart_gptr_getaddr(last, (void **)&mine);
    assert(*mine == 1);
  }
  dart_team_memfree(allocated); /* collective */

  array[9] = me.id;
  dart_team_memregister(DART_TEAM_ALL, 10, DART_TYPE_LONG, array, &registered);
  last = registered;
  dart_gptr_setunit(&last, DART_TEAM_UNIT_ID((int)n - 1));
  dart_gptr_incaddr(&last, 9 * sizeof(long));
  dart_get_blocking(&value, last, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(value == (long)n - 1);
  dart_barrier(DART_TEAM_ALL); /* nobody reads any more */
  dart_team_memderegister(registered);

  dart_exit();
  return 0;
}
