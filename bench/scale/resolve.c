/* How long it takes to resolve a pointer to a far unit, of all in any order: tables with an entry for each unit of a large
 * job are in no cache. The least of many rounds, for others may have the core. */
#include <stdlib.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/if/dart.h>

#include "scale.h"
#include "wait/wait.h"

#define ROUNDS  50
#define TARGETS 65536

/* Far units, by chance. */
static void draw_units(dart_gptr_t gptr, int32_t units[TARGETS])
{
  uint64_t state = 1, nunits = (uint64_t)scale_shape.nunits;

  for (int i = 0; i < TARGETS;) {
    state       = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    units[i]    = (int32_t)((state >> 33) % nunits);
    gptr.unitid = units[i];
    i += dart_near_ptr(gptr) == NULL;
  }
}

double resolve_ns(dart_gptr_t gptr)
{
  static int32_t  units[TARGETS];
  dart_resolved_t resolved;
  int64_t         best = INT64_MAX;

  if (scale_nodes(scale_shape) == 1)
    return 0;
  draw_units(gptr, units);
  for (int round = 0; round < ROUNDS; round++) {
    int64_t start = dart__now_ns(), took;

    for (int i = 0; i < TARGETS; i++) {
      gptr.unitid = units[i];
      if (dart_resolve(gptr, sizeof(long), &resolved) != DART_OK || resolved.near != NULL)
        abort();
    }
    took = dart__now_ns() - start;
    best = took < best ? took : best;
  }
  return (double)best / TARGETS;
}
