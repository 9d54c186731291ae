/* The same step between neighbours alone: this unit exposes its portion to the left one (post,
 * wait), and accesses that of the right one (start, complete). Other units are not waited for. */
#include <assert.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        halo, right;
  dart_team_unit_t   from, to;
  double             edge[64], *mine;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_DOUBLE, &halo);
  to    = DART_TEAM_UNIT_ID((me.id + 1) % (int)n);
  from  = DART_TEAM_UNIT_ID((me.id + (int)n - 1) % (int)n);
  right = halo;
  dart_gptr_setunit(&right, to);
  for (int i = 0; i < 64; i++)
    edge[i] = me.id;

  dart_epoch_post(halo, 1, &from, 0);
  dart_epoch_start(halo, 1, &to, 0);
  dart_put(right, edge, 64, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
  dart_epoch_complete(halo); /* `edge` is the program's again */
  dart_epoch_wait(halo);     /* what the left neighbour put is here */

  dart_gptr_setunit(&halo, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(halo, (void **)&mine);
  assert(mine[63] == from.id);

  dart_team_memfree(halo);

  dart_exit();
  return 0;
}
