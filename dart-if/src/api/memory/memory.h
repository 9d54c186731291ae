#ifndef DART__API_MEMORY_H
#define DART__API_MEMORY_H
/* Collective allocation. */
#include "model/team.h"

/** A segment of which the caller's portion has `own` bytes; sizes may differ. `mine`: whether the caller
 *  has all else it needs. Collective and agreed: the worst of what units bring, or DART_ERR_NOMEM,
 *  DART_ERR_OTHER as in dart_team_memalloc_aligned. */
dart_ret_t dart__memory_alloc(dart__team_t *team, dart_ret_t mine, size_t own,
                              dart__segment_t **segment_out);

/** Free what dart__memory_alloc gave. Collective; safe towards units that are late. */
void dart__memory_free(dart__team_t *team, dart__segment_t *segment);

/** Give back every segment and chunk of a team that ends. Collective, after a barrier of it. */
void dart__memory_close(dart__team_t *team);

#endif
