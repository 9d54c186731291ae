/* Every unit says who it is. */
#include <stdio.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  printf("unit %d of %zu\n", me.id, n);
  dart_exit();
  return 0;
}
