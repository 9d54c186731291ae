/* What a step of the program has done in DART: the difference of two reads, by name. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  uint64_t          *before, *after;
  size_t             nstats, barriers;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  nstats = dart_stats_size();
  before = calloc(nstats, sizeof *before);
  after  = calloc(nstats, sizeof *after);

  dart_stats_read(before, nstats);
  dart_barrier(DART_TEAM_ALL);
  dart_stats_read(after, nstats);
  dart_stats_difference(before, after, after, nstats);
  for (size_t i = 0; i < nstats; i++) {
    dart_stats_info_t info;

    dart_stats_describe(i, &info);
    if (me.id == 0 && info.kind == DART_STATS_EVENTS && after[i] > 0)
      printf("%s: %llu (%s)\n", info.name, (unsigned long long)after[i], info.meaning);
  }
  if (dart_stats_find("barrier", &barriers) == DART_OK)
    assert(after[barriers] == 1);
  free(before);
  free(after);

  dart_exit();
  return 0;
}
