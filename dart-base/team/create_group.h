#ifndef DART__TEAM_CREATE_GROUP_H
#define DART__TEAM_CREATE_GROUP_H
/* Teams that their members alone make, for dart_team_shrink. */
#include <dash/dart/if/dart_team_group.h>

/** Make a team of `count` units, ascending, of which this one has the index `me`. Collective over these. `number` is the
 *  same on all, and another one in each call. DART_ERR_UNIT_LOST, on some units: one of them is lost. */
dart_ret_t dart__team_create_of(const char *function, dart_team_t parent, uint64_t number,
                                const dart_unit_t *ids, size_t count, size_t me,
                                dart_team_t *newteam);

#endif
