#ifndef DART__API_CHUNK_H
#define DART__API_CHUNK_H
/* A chunk with all its tables, for whatever is mapped or made known by it. */
#include <stdbool.h>

#include "model/team.h"

/** A chunk of `nbytes` on every unit, which is not open yet; `shared`: segments are cut from it. Local.
 *  NULL: no memory. */
dart__chunk_t *dart__chunk_new(const dart__team_t *team, size_t nbytes, bool shared);

/** Free one that is not open, or closed again. Local. NULL: nothing. */
void dart__chunk_delete(dart__chunk_t *chunk);

#endif
