#ifndef DART__TEAM_GROUP_H
#define DART__TEAM_GROUP_H
/* A group: an ascending list of global ids without duplicates, private to the process. */
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/if/dart_team_group.h>

#include "model/team.h"

struct dart_group_struct {
  size_t       count;
  size_t       room; /* ids that fit into `ids` */
  dart_unit_t *ids;
};

/** A group of `count` ids, ascending (copied; NULL: they are not set yet). NULL: no memory. */
dart_group_t dart__group_new(const dart_unit_t *ids, size_t count);
dart_group_t dart__group_of(const dart__members_t *members); /* a group of these */
void         dart__group_delete(dart_group_t group);

/** The index of `unit`, or the index at which it would have to be inserted. */
size_t dart__group_position(const struct dart_group_struct *group, dart_unit_t unit);
bool   dart__group_has(const struct dart_group_struct *group, dart_unit_t unit);

#endif
