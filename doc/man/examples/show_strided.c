/* Get a column of the right neighbour's matrix of 4 rows and 5 columns into a vector. The type has
 * blocks of one element, 5 elements apart; elements are counted, not blocks. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        matrix, right;
  dart_datatype_t    column_type;
  long              *mine, column[4];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 4 * 5, DART_TYPE_LONG, &matrix);
  dart_gptr_setunit(&matrix, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(matrix, (void **)&mine);
  for (int i = 0; i < 4 * 5; i++)
    mine[i] = 1000 * me.id + i;
  dart_barrier(DART_TEAM_ALL);

  dart_type_create_strided(DART_TYPE_LONG, 5, 1, &column_type);
  right = matrix;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_gptr_incaddr(&right, 2 * sizeof(long)); /* column 2 */
  dart_get_blocking(column, right, 4, column_type, DART_TYPE_LONG);
  dart_type_destroy(&column_type);
  for (int row = 0; row < 4; row++)
    assert(column[row] == 1000 * ((me.id + 1) % (int)n) + 5 * row + 2);

  dart_team_memfree(matrix);

  dart_exit();
  return 0;
}
