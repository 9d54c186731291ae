/* Every unit adds 1, 2, 3 to a column of unit 0's matrix of 3 rows and 4 columns. Then each reads
 * the column atomically, by a handle. */
#include <assert.h>
#include <string.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        matrix, column;
  dart_datatype_t    column_type;
  dart_handle_t      handle;
  long              *mine, results[3];
  long               values[3] = { 1, 2, 3 };

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 3 * 4, DART_TYPE_LONG, &matrix);
  if (me.id == 0) {
    dart_gptr_getaddr(matrix, (void **)&mine);
    memset(mine, 0, 3 * 4 * sizeof *mine);
  }
  dart_barrier(DART_TEAM_ALL);

  dart_type_create_strided(DART_TYPE_LONG, 4, 1, &column_type);
  column = matrix;
  dart_gptr_incaddr(&column, sizeof(long)); /* column 1 */
  dart_accumulate_typed(column, values, 3, DART_TYPE_LONG, column_type, DART_OP_SUM);
  dart_flush(column);
  dart_barrier(DART_TEAM_ALL);

  dart_fetch_and_op_handle(column, NULL, results, 3, DART_TYPE_LONG, DART_TYPE_LONG, column_type,
                           DART_OP_NO_OP, &handle);
  dart_wait(&handle);
  for (int row = 0; row < 3; row++)
    assert(results[row] == (row + 1) * (long)n);
  dart_fetch_and_op_typed(column, NULL, results, 3, DART_TYPE_LONG, DART_TYPE_LONG, column_type,
                          DART_OP_NO_OP);
  dart_flush(column);
  assert(results[2] == 3 * (long)n);

  dart_type_destroy(&column_type);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(matrix);

  dart_exit();
  return 0;
}
