/* For cli_pvars.sh: what unit 0 reads of the transport's statistics, "NAME KIND", then the values of two reads, their
 * difference, and a read after a reset. Argument `abort`: ends by dart_abort. `own`: asks for one of DART's own
 * statistics alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart.h>

enum { MOST = 1024 };

static uint64_t first[MOST], second[MOST], between[MOST], anew[MOST];

static void show(size_t from, size_t size)
{
  static const char *const kinds[] = { "events", "bytes", "time", "level", "peak", "value" };
  dart_stats_info_t        info;

  for (size_t i = from; i < size; i++)
    if (dart_stats_describe(i, &info) == DART_OK)
      printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", info.name, kinds[info.kind],
             first[i], second[i], between[i], anew[i]);
}

/* What a program does that does not know that MPI has statistics, too. */
static int read_own(void)
{
  dart_stats_info_t info;
  size_t            index;

  if (dart_stats_find("memory_pool", &index) != DART_OK ||
      dart_stats_describe(index, &info) != DART_OK || dart_stats_read(first, index + 1) != DART_OK)
    return 6;
  return dart_exit() == DART_OK ? 0 : 5;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             own = dart_stats_size(), size, index;
  dart_stats_info_t  info;

  if (dart_init(&argc, &argv) != DART_OK || dart_myid(&me) != DART_OK)
    return 1;
  if (argc > 1 && strcmp(argv[1], "own") == 0)
    return read_own();
  size = dart_stats_size();
  if (size > MOST || dart_stats_read(first, size) != DART_OK ||
      dart_stats_read(second, size) != DART_OK ||
      dart_stats_difference(first, second, between, size) != DART_OK ||
      dart_stats_reset() != DART_OK || dart_stats_read(anew, size) != DART_OK)
    return 2;
  for (size_t i = own; i < size; i++)
    if (dart_stats_describe(i, &info) != DART_OK || dart_stats_find(info.name, &index) != DART_OK ||
        index != i)
      return 3;
  if (me.id == 0)
    show(own, size);
  if (argc > 1)
    dart_abort(4);
  /* and after dart_exit */
  if (dart_exit() != DART_OK || dart_stats_size() != size || dart_stats_read(anew, size) != DART_OK)
    return 5;
  return 0;
}
