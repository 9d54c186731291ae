#ifndef DART__FILE_BETWEEN_H
#define DART__FILE_BETWEEN_H
/* Exchange of a collective call's data with the windows of other nodes. */
#include "file/collective_call.h"

/** Allocate what describes the boxes of a file, which are not open. The team has more nodes than one. Local. False: no
 *  memory. */
bool dart__file_new_boxes(const dart__team_t *team, dart_file_t file);

/** Make the boxes, unless they are open. Collective; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__file_open_boxes(dart__team_t *team, dart_file_t file);

/** Free both, if they are there. Collective, unless the team is gone, and its memory with it: `is_open` false. */
void dart__file_close_boxes(dart_file_t file, bool is_open);

/** Begin to exchange what this unit accesses in all other nodes' areas of a round, when that of the round before has
 *  ended: what it sends is under way meanwhile. */
void dart__file_begin_between(dart__file_call_t *c, uint64_t round);

/** Go on until all is exchanged of a round that was begun, also what others access in this node's area: writing, into
 *  its windows, reading, out of them, once they are read. Collective. Windows may be used by others of the
 *  node at the same time. */
void dart__file_end_between(dart__file_call_t *c, uint64_t round);

#endif
