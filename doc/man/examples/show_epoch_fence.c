/* One step of a stencil. Between two fences every unit may access every portion; after the second
 * one all puts are complete, and each unit reads what it was sent. The first fence promises that
 * nothing was issued before it, the last one that nothing comes after it. */
#include <assert.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        halo, right;
  double             edge[64], *mine;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_DOUBLE, &halo);
  right = halo;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  for (int i = 0; i < 64; i++)
    edge[i] = me.id;

  dart_epoch_fence(halo, DART_EPOCH_NOPRECEDE);
  dart_put(right, edge, 64, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
  dart_epoch_fence(halo, DART_EPOCH_NOSUCCEED);

  dart_gptr_setunit(&halo, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(halo, (void **)&mine);
  assert(mine[63] == (me.id + (int)n - 1) % (int)n);

  dart_team_memfree(halo);

  dart_exit();
  return 0;
}
