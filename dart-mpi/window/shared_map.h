#ifndef DART__MPI_WINDOW_SHARED_MAP_H
#define DART__MPI_WINDOW_SHARED_MAP_H
/* Memory that the units of a node share without a window of MPI.
 *
 * It is a file without a name, which the node's leader makes, and which others open by the leader's descriptor in
 * /proc. Of MPI it takes two collectives that do not block, or, before there is a communicator of the node, messages; a
 * shared window takes some ten that do: with 16 units on two cores these take a second, for units that wait in MPI spin.
 * Where the file cannot be made, or opened by one of the units, there is none, and the caller asks MPI for a window; not
 * where it would be too large, for MPICH 4.0 does not always survive a window that it has no room for. */
#include <stddef.h>

#include <dash/dart/if/dart_types.h>

#include "model/team.h"

/** Map `nbytes` > 0, a multiple of pages, that all units of the team on this node share, where what is `at` bytes further
 *  is a multiple of `alignment` and of huge pages. Address space only: no page is there yet. Collective over the node; the same
 *  on all its units: DART_OK, and *space_out is to be unmapped by munmap; DART_ERR_NOMEM: some unit has no
 *  room for so much; DART_ERR_NOTFOUND: there is no such file. */
dart_ret_t dart__shared_map(const dart__team_t *team, size_t nbytes, size_t alignment, size_t at,
                            char **space_out);

#endif
