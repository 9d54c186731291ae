/* See record.h. */
#include "model/record.h"

#include <unistd.h>

#include "model/world.h"

void dart__record_open(dart__record_t *record)
{
  dart__world.holds = record != NULL ? &record->holds : NULL;
  dart__waits_move(record != NULL ? &record->waits : NULL);
}

bool dart__record_read(int fd, uint64_t offset, dart__record_t *record_out)
{
  return fd >= 0 &&
         pread(fd, record_out, sizeof *record_out, (off_t)offset) == (ssize_t)sizeof *record_out;
}
