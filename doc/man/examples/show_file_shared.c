/* A log that all units write to: each record goes where the shared pointer is, whoever comes
 * first. Ordered writes go in the order of the units. */
#include <assert.h>

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
  record_t           record;
  uint64_t           end;
  size_t             nread;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
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

  dart_file_seek_shared(file, 0);
  dart_file_read_shared(file, &record, sizeof record, DART_TYPE_BYTE, &nread); /* somebody's */
  assert(nread == sizeof record && record.step == 1);
  dart_barrier(DART_TEAM_ALL);
  dart_file_read_ordered(file, &record, sizeof record, DART_TYPE_BYTE, &nread);
  assert(record.step == 2 && record.unit == me.id);

  dart_file_close(&file);

  dart_exit();
  return 0;
}
