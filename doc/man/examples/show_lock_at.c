/* A table with a lock in each row. A zeroed word is a free lock; nothing else makes it one. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/if/dart.h>

typedef struct {
  uint64_t lock;
  long     count;
} row_t;

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        table, row, count;
  row_t             *mine;
  long               value;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 4 * sizeof(row_t), DART_TYPE_BYTE, &table);
  dart_gptr_setunit(&table, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(table, (void **)&mine);
  memset(mine, 0, 4 * sizeof *mine);
  dart_barrier(DART_TEAM_ALL);

  row = table; /* row 2 of unit 0 */
  dart_gptr_setunit(&row, DART_TEAM_UNIT_ID(0));
  dart_gptr_incaddr(&row, 2 * sizeof(row_t));
  count = row;
  dart_gptr_incaddr(&count, offsetof(row_t, count));
  dart_lock_at_acquire(row);
  dart_get_blocking(&value, count, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  value++;
  dart_put_blocking(count, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_lock_at_release(row);
  dart_flush(row); /* the release has come there */

  dart_barrier(DART_TEAM_ALL);
  if (me.id == 0)
    assert(mine[2].count == (long)n && mine[1].count == 0);
  dart_team_memfree(table);

  dart_exit();
  return 0;
}
