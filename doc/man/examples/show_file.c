/* All units write their blocks of an array to one file, in one call, and each reads the block of
 * its right neighbour back. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_file_t        file;
  double             block[100];
  size_t             nread, right = 0;
  uint64_t           nbytes;
  dart_ret_t         ret;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  for (int i = 0; i < 100; i++)
    block[i] = me.id + i / 1000.;
  ret = dart_file_open(DART_TEAM_ALL, "example.dat",
                       DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE,
                       0644, &file);
  if (ret != DART_OK) {
    fprintf(stderr, "example.dat: %s\n", strerror(dart_file_error()));
    dart_abort(EXIT_FAILURE);
  }
  dart_file_write_all(file, (uint64_t)me.id * sizeof block, block, 100, DART_TYPE_DOUBLE,
                      DART_TYPE_DOUBLE, NULL);
  dart_file_size(file, &nbytes);
  assert(nbytes == n * sizeof block);

  right = ((size_t)me.id + 1) % n;
  dart_file_read_at(file, right * sizeof block, block, 100, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE,
                    &nread);
  assert(nread == 100 && block[0] == (double)right);

  dart_file_close(&file);

  dart_exit();
  return 0;
}
