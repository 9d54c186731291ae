/* Each unit adds its number to a word of every unit, with all portions locked shared. Atomic
 * updates need no exclusive lock. */
#include <assert.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, to;
  long              *mine, value;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr);
  to = gptr;
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  *mine = 0;
  dart_barrier(DART_TEAM_ALL);

  value = me.id;
  dart_epoch_lock_all(gptr, 0);
  for (int unit = 0; unit < (int)n; unit++) {
    dart_gptr_setunit(&to, DART_TEAM_UNIT_ID(unit));
    dart_accumulate(to, &value, 1, DART_TYPE_LONG, DART_OP_SUM);
  }
  dart_epoch_unlock_all(gptr, 0);

  dart_barrier(DART_TEAM_ALL);
  assert(*mine == (long)(n * (n - 1) / 2));

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
