/* A log that all units write to: each record goes where the shared pointer is, whoever comes
 * first. Ordered writes go in the order of the units. */
#include <assert.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

typedef struct {
  int unit, step;
} record_t;

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_file_t        file;
  record_t           record, *log;
  uint64_t           end;
  size_t             nread;

  dart_init(&argc, &argv);
  dart_myid(&me);
  dart_size(&n);
  dart_file_open(DART_TEAM_ALL, "example.log",
                 DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE, 0644,
                 &file);
  record = (record_t){ .unit = me.id, .step = 1 };
  dart_file_write_shared(file, &record, sizeof record, DART_TYPE_BYTE, NULL); /* in any order */
  dart_barrier(DART_TEAM_ALL);
  record.step = 2;
  dart_file_write_ordered(file, &record, sizeof record, DART_TYPE_BYTE, NULL); /* by number */
  dart_file_tell_shared(file, &end);
  assert(end == 2 * n * sizeof record);

  log = malloc(2 * n * sizeof *log);
  dart_file_read_at(file, 0, log, 2 * n * sizeof *log, DART_TYPE_BYTE, DART_TYPE_BYTE, &nread);
  for (size_t i = 0; i < n; i++) {
    assert(log[i].step == 1);
    assert(log[n + i].step == 2 && log[n + i].unit == (int)i);
  }
  free(log);
  dart_file_close(&file);

  dart_exit();
  return 0;
}
