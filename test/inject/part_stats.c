/* Statistics and names: nothing in them can fail for want of something. That they are gathered and written at dart_exit is
 * part of the second cycle (program.c). */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>
#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/ext/dart_stats.h>

#include "parts.h"

void use_statistics(void)
{
  size_t            size   = dart_stats_size(), index;
  uint64_t         *before = calloc(size, sizeof *before), *after = calloc(size, sizeof *after);
  dart_stats_info_t info;

  EXPECT(strcmp(dart_version(), DART_VERSION_STR) == 0 && dart_strerror(DART_ERR_NOMEM) != NULL &&
         dart_type_name(DART_TYPE_INT) != NULL && dart_op_name(DART_OP_SUM) != NULL);
  FINE(dart_progress());
  FINE(dart_stats_find("barrier", &index));
  FINE(dart_stats_describe(index, &info));
  FINE(dart_stats_read(before, size));
  ALL(NEVER, dart_barrier(DART_TEAM_ALL));
  FINE(dart_stats_read(after, size));
  FINE(dart_stats_difference(before, after, after, size));
  EXPECT(info.kind == DART_STATS_EVENTS && after[index] == 1);
  FINE(dart_stats_reset());
  FINE(dart_stats_read(after, size));
  EXPECT(after[index] == 0);
  free(before);
  free(after);
}
