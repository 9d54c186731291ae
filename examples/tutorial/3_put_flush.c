/* Every unit puts a number into each other unit's row, and completes all of them at once. */
#include <stdlib.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        row; /* n ints on every unit: the i-th is unit i's to write */
  size_t             n;
  int               *mine, wrong = 0;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_INT, &row);

  for (int to = 0; to < (int)n; to++) {
    dart_gptr_t target = row;

    dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(to));
    dart_gptr_incaddr(&target, me.id * (int)sizeof(int));
    dart_put(target, &me.id, 1, DART_TYPE_INT, DART_TYPE_INT); /* may not be there yet */
  }
  dart_flush_all(row);         /* all that this unit has put is there */
  dart_barrier(DART_TEAM_ALL); /* and what the others have put is here */

  dart_gptr_setunit(&row, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(row, (void **)&mine);
  for (int from = 0; from < (int)n; from++)
    wrong += mine[from] != from;

  dart_team_memfree(row);
  dart_exit();
  return wrong;
}
