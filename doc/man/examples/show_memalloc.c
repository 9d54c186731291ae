/* Unit 0 allocates a block alone, and tells the others its global pointer. Blocks of an allocator
 * come from a pool of the team. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        block = DART_GPTR_NULL;
  dart_allocator_t   pool;
  long               value = 7;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  if (me.id == 0) {
    dart_memalloc(1, DART_TYPE_LONG, &block);
    dart_put_blocking(block, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  }
  dart_bcast(&block, sizeof block, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  dart_get_blocking(&value, block, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(value == 7 && !DART_GPTR_ISNULL(block));
  dart_barrier(DART_TEAM_ALL);
  if (me.id == 0)
    dart_memfree(block);

  dart_allocator_new(4096, DART_TEAM_ALL, &pool);
  dart_allocator_alloc(16, DART_TYPE_LONG, &block, pool);
  dart_put_blocking(block, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_allocator_free(&block, pool);
  dart_allocator_destroy(&pool);

  dart_exit();
  return 0;
}
