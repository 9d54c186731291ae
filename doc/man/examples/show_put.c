/* Put a row to the right neighbour, and get one back. The row may be changed after
 * dart_flush_local; it is at the neighbour after dart_flush. The barrier tells the neighbour. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right;
  double             row[8], back[8], *mine;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_DOUBLE, &gptr);
  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));

  for (int i = 0; i < 8; i++)
    row[i] = me.id + i / 10.;
  dart_put(right, row, 8, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
  dart_flush_local(right);
  row[0] = -1; /* the row is the program's again */
  dart_flush(right);
  dart_get(back, right, 8, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
  dart_flush(right);
  assert(back[0] == me.id && back[7] == row[7]);

  dart_barrier(DART_TEAM_ALL);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  assert(mine[0] == (me.id + (int)n - 1) % (int)n);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
