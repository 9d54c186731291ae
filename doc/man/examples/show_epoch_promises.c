/* Read the right neighbour's table: all have posted before the barrier, so nothing is checked
 * (NOCHECK); it is only read (NOPUT), and was not stored to since the barrier before (NOSTORE).
 * Then count on unit 0 with locks that are released lazily: the flush completes them all. */
#include <assert.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, count;
  dart_team_unit_t   from, to;
  long              *mine, table[2], one = 1;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 3, DART_TYPE_LONG, &gptr);
  count = right = gptr;
  to            = DART_TEAM_UNIT_ID((me.id + 1) % (int)n);
  from          = DART_TEAM_UNIT_ID((me.id + (int)n - 1) % (int)n);
  dart_gptr_setunit(&right, to);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  mine[0] = me.id;
  mine[1] = -me.id;
  mine[2] = 0;
  dart_barrier(DART_TEAM_ALL);

  dart_epoch_post(gptr, 1, &from, DART_EPOCH_NOCHECK | DART_EPOCH_NOPUT | DART_EPOCH_NOSTORE);
  dart_barrier(DART_TEAM_ALL);
  dart_epoch_start(gptr, 1, &to, DART_EPOCH_NOCHECK);
  dart_get(table, right, 2, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_epoch_complete(gptr);
  dart_epoch_wait(gptr);
  assert(table[0] == to.id && table[1] == -to.id);

  dart_gptr_incaddr(&count, 2 * sizeof(long)); /* on unit 0 */
  for (int i = 0; i < 3; i++) {
    dart_epoch_lock(count, DART_EPOCH_SHARED, 0);
    dart_accumulate(count, &one, 1, DART_TYPE_LONG, DART_OP_SUM);
    dart_epoch_unlock(count, DART_EPOCH_LAZY);
  }
  dart_flush(count);
  dart_barrier(DART_TEAM_ALL);
  if (me.id == 0)
    assert(mine[2] == 3 * (long)n);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
