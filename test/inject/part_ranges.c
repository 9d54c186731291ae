/* Range locks, and files of a team. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_range.h>

#include "parts.h"

void use_ranges(dart_team_t all)
{
  dart_range_t      range;
  dart_range_hold_t hold;
  dart_range_span_t span[2] = { { 5, 20, DART_RANGE_EXCLUSIVE }, { 100, 900, DART_RANGE_SHARED } };
  dart_ret_t        ret;

  ALL(NOMEM, dart_team_range_init(all, 64, 0, &range));
  for (int i = 0; i < 3; i++) {
    OWN(NOMEM, dart_range_acquire(range, span, 2, -1, &hold));
    FINE(dart_range_release(&hold));
  }
  ret = dart_range_acquire(range, span, 1, 1, &hold);
  EXPECT(ret == DART_OK || ret == DART_PENDING || ret == DART_ERR_NOMEM);
  if (ret == DART_OK)
    FINE(dart_range_release(&hold));
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_range_destroy(&range));
}

enum { NELEM = 20 };

static void use_requests(dart_file_t file, long *data)
{
  dart_file_request_t request;
  int32_t             done = 0;
  size_t              count;
  uint64_t            at   = (uint64_t)me * NELEM * sizeof *data;
  dart_datatype_t     type = DART_TYPE_LONG;

  OWN(NOMEM, dart_file_write_at_request(file, at, data, NELEM, type, type, &request));
  if (dart_file_wait(&request, &count) !=
      DART_OK) /* what a point has made of it shows at the end */
    OWN(NEVER, dart_file_write_at(file, at, data, NELEM, type, type, NULL));
  OWN(NOMEM, dart_file_read_at_request(file, at, data, NELEM, type, type, &request));
  while (done == 0 && dart_file_test(&request, &done, &count) == DART_OK)
    continue;
  EXPECT(request == DART_FILE_REQUEST_NULL && data[NELEM - 1] == me + NELEM - 1);
}

static void use_shared_pointer(dart_file_t file, long *data)
{
  uint64_t        at;
  size_t          count; /* a read that is made again is beyond the end: the pointer has moved */
  dart_datatype_t type = DART_TYPE_LONG;

  ALL(NEVER, dart_file_seek_shared(file, 0));
  OWN(OTHER | NOMEM, dart_file_write_shared(file, data, 10, type, NULL));
  ALL(OTHER | NOMEM, dart_file_write_ordered(file, data, 10, type, NULL));
  FINE(dart_file_tell_shared(file, &at));
  EXPECT(at >= 20 * sizeof *data * (unsigned)n);
  ALL(NEVER, dart_file_seek_shared(file, 0));
  OWN(OTHER | NOMEM, dart_file_read_shared(file, data, 10, type, &count));
  ALL(OTHER | NOMEM, dart_file_read_ordered(file, data, 10, type, &count));
}

static void use_views(dart_file_t file, long *data)
{
  dart_datatype_t type;

  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, (size_t)n, 1, &type));
  ALL(NOMEM, dart_file_set_view(file, (uint64_t)me * sizeof *data, type));
  OWN(OTHER | NOMEM,
      dart_file_write_at(file, 0, data, NELEM, DART_TYPE_LONG, DART_TYPE_LONG, NULL));
  ALL(NOMEM, dart_file_set_view(file, 0, DART_TYPE_BYTE));
  ALL(NOMEM | OTHER, dart_file_write_all(file, (uint64_t)me * sizeof *data, data, NELEM,
                                         DART_TYPE_LONG, type, NULL));
  memset(data, 0, NELEM * sizeof *data);
  ALL(NOMEM | OTHER, dart_file_read_all(file, (uint64_t)me * sizeof *data, data, NELEM,
                                        DART_TYPE_LONG, type, NULL));
  OWN(OTHER | NOMEM, dart_file_read_at(file, (uint64_t)me * sizeof *data, data, NELEM,
                                       DART_TYPE_LONG, type, NULL));
  OWN(NEVER, dart_type_destroy(&type));
  EXPECT(data[0] == me && data[NELEM - 1] == me + NELEM - 1);
}

/* Each unit goes on when its part has failed, for others do not know of it. */
void use_team_files(dart_team_t all)
{
  char        path[4096];
  long       *data   = malloc(NELEM * sizeof *data);
  long        number = getpid();
  dart_file_t file;
  uint64_t    nbytes;

  ALL(NEVER, dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), all));
  snprintf(path, sizeof path, "%s/file-%ld", getenv("INJECT_WORK"), number);
  for (int i = 0; i < NELEM; i++)
    data[i] = me + i;
  ALL(NOMEM | OTHER,
      dart_file_open(all, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  for (int atomic = 0; atomic < 2; atomic++) {
    ALL(NOMEM, dart_file_set_atomicity(file, atomic != 0));
    use_views(file, data);
    use_requests(file, data);
    use_shared_pointer(file, data);
    for (int i = 0; i < NELEM; i++)
      data[i] = me + i;
  }
  ALL(OTHER, dart_file_resize(file, 100));
  ALL(OTHER, dart_file_sync(file));
  OWN(OTHER, dart_file_size(file, &nbytes));
  EXPECT(nbytes == 100 && dart_file_error() >= 0);
  ALL(OTHER, dart_file_close(&file)); /* closed all the same */
  ALL(NOMEM | OTHER, dart_file_open(all, path, DART_FILE_WRITE | DART_FILE_APPEND, 0600, &file));
  FINE(dart_file_tell_shared(file, &nbytes));
  EXPECT(nbytes == 100);
  ALL(OTHER, dart_file_close(&file));
  if (me == 0)
    unlink(path);
  free(data);
}
