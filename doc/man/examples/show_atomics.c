/* A counter on unit 0: each unit draws a number from it, adds to a sum, and the first one to swap
 * leaves its number. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        counter, sum, winner;
  long              *mine;
  long               one = 1, number, nobody = -1, before, total, unit;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 3, DART_TYPE_LONG, &counter);
  sum = winner = counter; /* unit 0's portion */
  dart_gptr_incaddr(&sum, sizeof(long));
  dart_gptr_incaddr(&winner, 2 * sizeof(long));
  if (me.id == 0) {
    dart_gptr_getaddr(counter, (void **)&mine);
    mine[0] = mine[1] = 0;
    mine[2]           = -1;
  }
  dart_barrier(DART_TEAM_ALL);

  dart_fetch_and_op(counter, &one, &number, DART_TYPE_LONG, DART_OP_SUM);
  dart_flush(counter); /* now the result is there */
  assert(number >= 0 && number < (long)n);

  dart_accumulate(sum, &number, 1, DART_TYPE_LONG, DART_OP_SUM);
  unit = me.id;
  dart_compare_and_swap(winner, &unit, &nobody, &before, DART_TYPE_LONG);
  dart_flush(winner);
  assert(before == -1 || (before >= 0 && before < (long)n)); /* -1: this unit was first */

  dart_barrier(DART_TEAM_ALL);
  dart_fetch_and_op(sum, NULL, &total, DART_TYPE_LONG, DART_OP_NO_OP); /* an atomic load */
  dart_flush(sum);
  assert(total == (long)(n * (n - 1) / 2));

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(counter);

  dart_exit();
  return 0;
}
