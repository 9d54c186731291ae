/* A tool between a program and DART: it counts the program's puts, and says at its end how many there were.
 *
 * dart_put is a weak name of pdart_put, so the one that is defined here gets the calls. Nothing of it is needed in the
 * program: the same functions in a library that is loaded before DART's do for any program that is linked
 * with the shared one. */
#include <inttypes.h>
#include <stdio.h>

#include <dash/dart/ext/dart_profile.h>

static uint64_t nputs, nbytes; /* of this unit */

dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type)
{
  nputs++;
  nbytes += nelem * sizeof(double); /* the program below puts nothing else */
  return pdart_put(gptr, src, nelem, src_type, dst_type);
}

dart_ret_t dart_exit(void)
{
  dart_global_unit_t me;

  pdart_myid(&me);
  printf("unit %d: %" PRIu64 " puts, %" PRIu64 " bytes\n", me.id, nputs, nbytes);
  return pdart_exit();
}

/* ---- the program ------------------------------------------------------------------------------- */

enum { NPUTS = 10 };

/* Every unit writes to the next one. */
int main(int argc, char **argv)
{
  static const double values[NPUTS] = { 1 };
  dart_global_unit_t  me;
  dart_gptr_t         cells;
  size_t              nunits;

  if (dart_init(&argc, &argv) != DART_OK || dart_myid(&me) != DART_OK ||
      dart_size(&nunits) != DART_OK ||
      dart_team_memalloc_aligned(DART_TEAM_ALL, NPUTS, DART_TYPE_DOUBLE, &cells) != DART_OK)
    return 1;
  dart_gptr_setunit(&cells, DART_TEAM_UNIT_ID((dart_unit_t)(((size_t)me.id + 1) % nunits)));
  for (int i = 0; i < NPUTS; i++) {
    dart_gptr_t at = cells;

    dart_gptr_incaddr(&at, (int64_t)((size_t)i * sizeof values[0]));
    dart_put(at, &values[i], 1, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
  }
  dart_flush(cells);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(cells);
  return dart_exit() == DART_OK && nputs == NPUTS ? 0 : 1;
}
