/* Put five elements to two places of the right neighbour: two to offset 1, three to offset 6. What
 * lies between is not touched. */
#include <assert.h>
#include <string.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right;
  dart_datatype_t    two_blocks;
  size_t             length[2] = { 2, 3 }, offset[2] = { 1, 6 };
  long              *mine;
  long               values[5]    = { 10, 11, 12, 13, 14 };
  long               expected[10] = { 0, 10, 11, 0, 0, 0, 12, 13, 14, 0 };

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_LONG, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  memset(mine, 0, 10 * sizeof *mine);
  dart_barrier(DART_TEAM_ALL);

  dart_type_create_indexed(DART_TYPE_LONG, 2, length, offset, &two_blocks);
  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_put(right, values, 5, DART_TYPE_LONG, two_blocks);
  dart_type_destroy(&two_blocks); /* may come before the flush */
  dart_flush(right);
  dart_barrier(DART_TEAM_ALL);
  assert(memcmp(mine, expected, sizeof expected) == 0);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
