/* Write while the program computes: the request is completed by a wait. Atomic mode is for calls
 * that overlap. */
#include <assert.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t  me;
  size_t              n;
  dart_file_t         file;
  dart_file_request_t request;
  long                block[100];
  size_t              nwritten, nread;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  for (int i = 0; i < 100; i++)
    block[i] = 100 * me.id + i;
  dart_file_open(DART_TEAM_ALL, "example.dat",
                 DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE, 0644,
                 &file);
  dart_file_write_at_request(file, (uint64_t)me.id * sizeof block, block, 100, DART_TYPE_LONG,
                             DART_TYPE_LONG, &request);
  /* compute, and leave `block` alone */
  dart_file_wait(&request, &nwritten);
  assert(nwritten == 100 && request == DART_FILE_REQUEST_NULL);

  dart_file_set_atomicity(file, true); /* from here on each call takes effect as a whole */
  dart_file_write_at(file, 0, block, 100, DART_TYPE_LONG, DART_TYPE_LONG,
                     NULL); /* all to one place */
  dart_file_read_at(file, 0, block, 100, DART_TYPE_LONG, DART_TYPE_LONG, &nread);
  assert(nread == 100 && block[99] - block[0] == 99); /* one unit's block, whoever was last */

  dart_file_close(&file);

  dart_exit();
  return 0;
}
