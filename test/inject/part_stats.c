/* Statistics: nothing in them can fail for want of something. That they are gathered and written at dart_exit is
 * part of the second cycle (program.c). */
#include <stdlib.h>

#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/ext/dart_stats.h>

#include "parts.h"

void use_statistics(void)
{
  size_t            size   = dart_stats_size(), index;
  uint64_t         *before = calloc(size, sizeof *before), *after = calloc(size, sizeof *after);
  dart_stats_info_t info;

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
