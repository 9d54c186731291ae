/* Where a unit runs, as far as barriers of a node look at it: apart from team_locality.c, for programs without a job. */
#include "team/team_locality.h"

dart__tree_place_t dart__locality_place(const dart__hardware_t *h)
{
  dart__tree_place_t place = { { -1, -1, -1 } };
  int                level = 1;

  for (int i = 0; i < h->info.num_scopes; i++) {
    const dart_locality_scope_pos_t *at = &h->info.scopes[i];

    if (at->scope == DART_LOCALITY_SCOPE_CACHE)
      place.domain[0] = at->index;
    else if (level < DART__TREE_LEVELS &&
             (at->scope == DART_LOCALITY_SCOPE_NUMA || at->scope == DART_LOCALITY_SCOPE_PACKAGE))
      place.domain[level++] = at->index;
  }
  return place;
}
