/* See members.h. */
#include "model/members.h"

size_t dart__ids_position(const dart_unit_t *ids, size_t count, dart_unit_t unit)
{
  size_t low = 0, high = count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (ids[middle] < unit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

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

int32_t dart__members_find(const dart__members_t *members, dart_unit_t global)
{
  int32_t index;

  if (global < members->first)
    return -1;
  if (members->ids != NULL)
    index = (int32_t)dart__ids_position(members->ids, (size_t)members->count, global);
  else
    index = (global - members->first) / members->stride;
  return index < members->count && dart__member(members, index) == global ? index : -1;
}

int32_t dart__members_below(const dart__members_t *members, dart_unit_t unit, int32_t from,
                            int32_t most)
{
  int32_t left = members->count - from;

  if (members->ids != NULL)
    return from + (int32_t)dart__ids_position(members->ids + from,
                                              (size_t)(most < left ? most : left), unit);
  if (unit <= members->first)
    return 0;
  left = (unit - 1 - members->first) / members->stride + 1;
  return left < members->count ? left : members->count;
}
