/* See prepare.h. */
#include "prepare.h"

#include <stdlib.h>
#include <string.h>

long       *in, *out;
dart_gptr_t memory, registered;

void buffers(void)
{
  in  = calloc((size_t)n * LARGE, sizeof *in);
  out = calloc((size_t)n * LARGE, sizeof *out);
  if (in == NULL || out == NULL)
    fail("no memory", __LINE__);
}

void segment(void)
{
  dart_gptr_t own;
  void       *here;

  buffers();
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 16, DART_TYPE_LONG, &memory));
  own = at_unit(memory, me);
  MUST(dart_gptr_getaddr(own, &here));
  memset(here, 0, 16 * sizeof(long));
  MUST(dart_barrier(DART_TEAM_ALL));
}

void large_segment(void)
{
  buffers();
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, LARGE, DART_TYPE_LONG, &memory));
}

void registered_memory(void)
{
  buffers();
  MUST(dart_team_memregister(DART_TEAM_ALL, 16, DART_TYPE_LONG, in, &registered));
}

int holder(void)
{
  return (victim + 1) % n;
}

void await_victim(void)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;

  while (status == DART_UNIT_RUNNING)
    MUST(dart_unit_status(DART_GLOBAL_UNIT_ID(victim), &status));
}
