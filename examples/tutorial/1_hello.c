/* Every unit says who it is. */
#include <stdio.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;

  dart_init(&argc, &argv);
  dart_myid(&me);
  dart_size(&n);
  printf("unit %d of %zu\n", me.id, n);
  dart_exit();
  return 0;
}
