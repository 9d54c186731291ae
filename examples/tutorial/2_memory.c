/* Every unit reads its right neighbour's number from the neighbour's memory. */
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        numbers; /* one int on every unit */
  size_t             n;
  int               *mine, seen = -1, right;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &numbers);

  dart_gptr_setunit(&numbers, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(numbers, (void **)&mine); /* this unit's portion is plain memory */
  *mine = 100 + me.id;
  dart_barrier(DART_TEAM_ALL); /* all numbers are there */

  right = (me.id + 1) % (int)n;
  dart_gptr_setunit(&numbers, DART_TEAM_UNIT_ID(right));
  dart_get_blocking(&seen, numbers, 1, DART_TYPE_INT, DART_TYPE_INT);

  dart_team_memfree(numbers); /* collective: nobody reads any more */
  dart_exit();
  return seen == 100 + right ? 0 : 1;
}
