#ifndef DART__MEMORY_CHUNK_NEW_H
#define DART__MEMORY_CHUNK_NEW_H
/* A chunk with all its tables, for memory that is mapped or registered. */
#include <stdbool.h>

#include "model/team.h"

/** A chunk of `nbytes` on every unit, which is not open yet; `shared`: several segments can be allocated from
 *  it. Local. NULL: no memory. */
dart__chunk_t *dart__chunk_new(const dart__team_t *team, size_t nbytes, bool shared);

/** Free a chunk that is not open. Local. NULL: nothing. */
void dart__chunk_delete(dart__chunk_t *chunk);

/** Count `nbytes` of memory that is reserved for this unit's portion as `level`, until the chunk is deleted. */
void dart__chunk_count(dart__chunk_t *chunk, dart__level_id_t level, size_t nbytes);

/** How many bytes of a shared chunk are to have pages if `end` bytes are in use: a multiple of the step, so that not
 *  every block takes a system call, or the whole chunk. */
size_t dart__chunk_pages(const dart__chunk_t *chunk, uint64_t end);

#endif
