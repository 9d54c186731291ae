/* Groups: sorted arrays. */
#include "team/group.h"

#include <stdlib.h>
#include <string.h>

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
  if (count > 0)
    memcpy(group->ids, ids, count * sizeof *ids);
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
  size_t low = 0, high = group->count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (group->ids[middle] < unit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool dart__group_has(const struct dart_group_struct *group, dart_unit_t unit)
{
  size_t at = dart__group_position(group, unit);

  return at < group->count && group->ids[at] == unit;
}
