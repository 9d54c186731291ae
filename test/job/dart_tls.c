/* A program with more thread-local data than a small stack holds: glibc takes them from the stack of each thread, so
 * the progress agent must have one that is large enough for them and for MPI. Ends with 0 if all that was added
 * arrived, and if there was an agent where there are several nodes. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart.h>

static _Thread_local char much[1024 * 1024];

/* Whether an agent wakes up within some seconds. */
static bool has_agent(void)
{
  static uint64_t values[512];
  size_t          index;

  if (dart_stats_find("agent_wake", &index) != DART_OK)
    return false;
  for (int ms = 0; ms < 5000; ms++) {
    if (dart_stats_read(values, dart_stats_size()) == DART_OK && values[index] > 0)
      return true;
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
  }
  return false;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        cells;
  size_t             n;
  long               one = 1, *mine, expected = 0;
  bool               is_right, is_far = false;

  memset(much, 1, sizeof much);
  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &cells);
  dart_gptr_setunit(&cells, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(cells, (void **)&mine);
  mine[0] = mine[1] = 0;
  dart_barrier(DART_TEAM_ALL);
  for (int round = 0; round < 200; round++)
    for (int unit = 0; unit < (int)n; unit++) {
      dart_gptr_setunit(&cells, DART_TEAM_UNIT_ID(unit));
      is_far = is_far || dart_near_ptr(cells) == NULL;
      dart_accumulate(cells, &one, 1, DART_TYPE_LONG, DART_OP_SUM);
      dart_flush(cells);
      expected++;
    }
  dart_barrier(DART_TEAM_ALL);
  is_right = mine[0] == expected && (!is_far || has_agent());
  if (!is_right)
    printf("unit %d: %ld, not %ld, or no agent\n", me.id, mine[0], expected);
  dart_team_memfree(cells);
  if (dart_exit() != DART_OK || much[sizeof much - 1] != 1)
    return 1;
  return is_right ? 0 : 1;
}
