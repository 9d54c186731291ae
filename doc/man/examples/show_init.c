/* Each unit says who it is. */
#include <assert.h>
#include <stdio.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  printf("unit %d of %zu\n", me.id, n);
  assert(dart_initialized() && me.id >= 0 && me.id < (int)n);

  dart_exit();
  return 0;
}
