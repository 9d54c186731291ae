/* Double each element of the right neighbour's row: one loop, whether the neighbour is near or far. */
#include <assert.h>

#include <dash/dart/ext/dart_resolved.h>
#include <dash/dart/if/dart.h>

enum { N = 100 };

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right;
  dart_resolved_t    row;
  double            *mine, value;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, N, DART_TYPE_DOUBLE, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  for (int i = 0; i < N; i++)
    mine[i] = i;
  dart_barrier(DART_TEAM_ALL);

  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_resolve(right, N * sizeof(double), &row);
  for (uint64_t at = 0; at < N * sizeof(double); at += sizeof(double)) {
    dart_resolved_get(&value, &row, at, DART_TYPE_DOUBLE);
    value *= 2;
    dart_resolved_put(&row, at, &value, DART_TYPE_DOUBLE);
  }
  dart_barrier(DART_TEAM_ALL);
  for (int i = 0; i < N; i++)
    assert(mine[i] == 2 * i);

  dart_team_memfree(gptr);
  dart_exit();
  return 0;
}
