/* A cyclic distribution: element k of the file belongs to unit k modulo the number of units. With
 * a view each unit sees its own elements in a row, from offset 0 on. */
#include <assert.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_file_t        file;
  dart_datatype_t    every_nth;
  long               mine[10], all[640];
  size_t             nread;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  assert(n <= 64);
  for (int i = 0; i < 10; i++)
    mine[i] = i * (long)n + me.id;
  dart_file_open(DART_TEAM_ALL, "example.dat",
                 DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE, 0644,
                 &file);
  dart_type_create_strided(DART_TYPE_LONG, n, 1, &every_nth);
  dart_file_set_view(file, (uint64_t)me.id * sizeof(long), every_nth);
  dart_type_destroy(&every_nth);
  dart_file_write_all(file, 0, mine, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);

  dart_file_set_view(file, 0, DART_TYPE_BYTE); /* the whole file again */
  dart_file_read_all(file, 0, all, 10 * n, DART_TYPE_LONG, DART_TYPE_LONG, &nread);
  assert(nread == 10 * n);
  for (long k = 0; k < 10 * (long)n; k++)
    assert(all[k] == k);

  dart_file_close(&file);

  dart_exit();
  return 0;
}
