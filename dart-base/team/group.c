/* Groups: sorted arrays. */
#include "team/group.h"

#include <stdlib.h>
#include <string.h>

#include "model/members.h"

dart_group_t dart__group_new(const dart_unit_t *ids, size_t count)
{
  dart_group_t group = calloc(1, sizeof *group);

  if (group == NULL)
    return NULL;
  group->room = count > 8 ? count : 8;
  group->ids  = calloc(group->room, sizeof *group->ids);
  if (group->ids == NULL) {
    free(group);
    return NULL;
  }
  group->count = count;
  if (ids != NULL && count > 0)
    memcpy(group->ids, ids, count * sizeof *ids);
  return group;
}

dart_group_t dart__group_of(const dart__members_t *members)
{
  dart_group_t group = dart__group_new(NULL, (size_t)members->count);

  for (int32_t i = 0; group != NULL && i < members->count; i++)
    group->ids[i] = dart__member(members, i);
  return group;
}

void dart__group_delete(dart_group_t group)
{
  if (group == NULL)
    return;
  free(group->ids);
  free(group);
}

size_t dart__group_position(const struct dart_group_struct *group, dart_unit_t unit)
{
  return dart__ids_position(group->ids, group->count, unit);
}

bool dart__group_has(const struct dart_group_struct *group, dart_unit_t unit)
{
  size_t at = dart__group_position(group, unit);

  return at < group->count && group->ids[at] == unit;
}
