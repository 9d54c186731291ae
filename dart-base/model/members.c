/* See members.h. */
#include "model/members.h"

#include <stddef.h>

dart__members_t dart__members_of(const dart_unit_t *ids, int32_t count)
{
  dart__members_t members = { .count  = count,
                              .first  = ids[0],
                              .stride = count > 1 ? ids[1] - ids[0] : 1 };

  for (int32_t i = 2; i < count && members.ids == NULL; i++)
    if (ids[i] - ids[i - 1] != members.stride)
      members.ids = ids;
  return members;
}

static int32_t find_in_list(const dart__members_t *members, dart_unit_t global)
{
  int32_t low = 0, high = members->count;

  while (low < high) {
    int32_t middle = low + (high - low) / 2;

    if (members->ids[middle] < global)
      low = middle + 1;
    else
      high = middle;
  }
  return low < members->count && members->ids[low] == global ? low : -1;
}

int32_t dart__members_find(const dart__members_t *members, dart_unit_t global)
{
  int32_t index;

  if (global < members->first)
    return -1;
  if (members->ids != NULL)
    return find_in_list(members, global);
  index = (global - members->first) / members->stride;
  return index < members->count && dart__member(members, index) == global ? index : -1;
}
