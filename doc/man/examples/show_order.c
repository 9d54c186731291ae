/* Put data, then a flag, to the right neighbour. The order makes the data visible before the flag;
 * no flush is needed between the two. */
#include <assert.h>

#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, flag;
  long              *mine;
  long               data = 1, set = 1, zero = 0;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  mine[0] = mine[1] = 0;
  dart_barrier(DART_TEAM_ALL);

  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  flag = right;
  dart_gptr_incaddr(&flag, sizeof(long));
  data = 100 + me.id;
  dart_put(right, &data, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_order(right);
  dart_put(flag, &set, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_flush(flag);

  flag = gptr; /* this unit's flag, which its left neighbour puts */
  dart_gptr_incaddr(&flag, sizeof(long));
  dart_wait_word(flag, DART_TYPE_LONG, DART_WAIT_NE, &zero, -1);
  assert(mine[0] == 100 + (me.id + (int)n - 1) % (int)n);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
