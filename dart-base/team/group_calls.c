/* Entry points of groups. All are local. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_team_group.h>

#include "base/profile.h"
#include "model/argument_check.h"
#include "model/world.h"
#include "team/group.h"

DART__PROFILED(dart_group_create, dart_group_destroy, dart_group_clone, dart_group_union);
DART__PROFILED(dart_group_intersect, dart_group_addmember, dart_group_delmember);
DART__PROFILED(dart_group_ismember, dart_group_size, dart_group_getmembers, dart_group_split);

static dart_ret_t no_memory(const char *function)
{
  return dart__fail(DART_ERR_NOMEM, "%s: no memory for a group", function);
}

dart_ret_t dart_group_create(dart_group_t *group)
{
  if (group == NULL)
    return dart__null_argument(__func__, "group");
  *group = dart__group_new(NULL, 0);
  return *group != NULL ? DART_OK : no_memory(__func__);
}

dart_ret_t dart_group_destroy(dart_group_t *group)
{
  if (group == NULL)
    return dart__null_argument(__func__, "group");
  dart__group_delete(*group);
  *group = DART_GROUP_NULL;
  return DART_OK;
}

dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t *gout)
{
  if (gout == NULL)
    return dart__null_argument(__func__, "gout");
  *gout = DART_GROUP_NULL;
  if (gin == NULL)
    return dart__null_argument(__func__, "gin");
  *gout = dart__group_new(gin->ids, gin->count);
  return *gout != NULL ? DART_OK : no_memory(__func__);
}

/* Merge two ascending lists: ids that are in either, or only ids that are in both if `both`. */
static dart_ret_t merge_groups(const char *function, const dart_group_t g1, const dart_group_t g2,
                               bool both, dart_group_t *gout)
{
  dart_unit_t *ids;
  size_t       count = 0, i = 0, j = 0;

  if (gout == NULL)
    return dart__null_argument(function, "gout");
  *gout = DART_GROUP_NULL;
  if (g1 == NULL || g2 == NULL)
    return dart__null_argument(function, g1 == NULL ? "g1" : "g2");
  ids = calloc(g1->count + g2->count + 1, sizeof *ids);
  if (ids == NULL)
    return no_memory(function);

  while (i < g1->count || j < g2->count) {
    bool from1 = j == g2->count || (i < g1->count && g1->ids[i] <= g2->ids[j]);
    bool from2 = i == g1->count || (j < g2->count && g2->ids[j] <= g1->ids[i]);

    if (!both || (from1 && from2))
      ids[count++] = from1 ? g1->ids[i] : g2->ids[j];
    i += from1;
    j += from2;
  }
  *gout = dart__group_new(ids, count);
  free(ids);
  return *gout != NULL ? DART_OK : no_memory(function);
}

dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2, dart_group_t *gout)
{
  return merge_groups(__func__, g1, g2, false, gout);
}

dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2, dart_group_t *gout)
{
  return merge_groups(__func__, g1, g2, true, gout);
}

static dart_ret_t check_member(const char *function, const dart_group_t g, dart_global_unit_t unit)
{
  if (g == NULL)
    return dart__null_argument(function, "g");
  if (unit.id >= 0 && unit.id < dart__world.nunits)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: unit %d is not in 0..%d", function, unit.id,
                    dart__world.nunits - 1);
}

dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid)
{
  dart_ret_t ret = check_member(__func__, g, unitid);
  size_t     at;

  if (ret != DART_OK)
    return ret;
  at = dart__group_position(g, unitid.id);
  if (at < g->count && g->ids[at] == unitid.id)
    return DART_OK;
  if (g->count == g->room) {
    dart_unit_t *ids = realloc(g->ids, 2 * g->room * sizeof *ids);

    if (ids == NULL)
      return no_memory(__func__);
    g->ids = ids;
    g->room *= 2;
  }
  memmove(g->ids + at + 1, g->ids + at, (g->count - at) * sizeof *g->ids);
  g->ids[at] = unitid.id;
  g->count++;
  return DART_OK;
}

dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid)
{
  dart_ret_t ret = check_member(__func__, g, unitid);
  size_t     at;

  if (ret != DART_OK)
    return ret;
  at = dart__group_position(g, unitid.id);
  if (at < g->count && g->ids[at] == unitid.id) {
    g->count--;
    memmove(g->ids + at, g->ids + at + 1, (g->count - at) * sizeof *g->ids);
  }
  return DART_OK;
}

dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid, int32_t *ismember)
{
  dart_ret_t ret;

  if (ismember == NULL)
    return dart__null_argument(__func__, "ismember");
  *ismember = 0;
  ret       = check_member(__func__, g, unitid);
  if (ret == DART_OK)
    *ismember = dart__group_has(g, unitid.id);
  return ret;
}

dart_ret_t dart_group_size(const dart_group_t g, size_t *size)
{
  if (size == NULL)
    return dart__null_argument(__func__, "size");
  *size = 0;
  if (g == NULL)
    return dart__null_argument(__func__, "g");
  *size = g->count;
  return DART_OK;
}

dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t *unitids)
{
  if (g == NULL)
    return dart__null_argument(__func__, "g");
  if (unitids == NULL && g->count > 0)
    return dart__null_argument(__func__, "unitids");
  for (size_t i = 0; i < g->count; i++)
    unitids[i] = dart_create_global_unit(g->ids[i]);
  return DART_OK;
}

dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t *nout, dart_group_t *gout)
{
  size_t length;

  if (nout != NULL)
    *nout = 0;
  if (g == NULL || nout == NULL || gout == NULL)
    return dart__null_argument(__func__, g == NULL ? "g" : nout == NULL ? "nout" : "gout");
  if (n == 0 || n > INT_MAX)
    return dart__fail(DART_ERR_INVAL, "%s: cannot split into %zu pieces", __func__, n);

  length = (g->count + n - 1) / n;
  for (size_t i = 0; i < n; i++) {
    size_t from  = i * length < g->count ? i * length : g->count;
    size_t count = g->count - from < length ? g->count - from : length;

    gout[i] = dart__group_new(g->ids + from, count);
    if (gout[i] == NULL) {
      while (i-- > 0)
        dart_group_destroy(&gout[i]);
      return no_memory(__func__);
    }
    *nout += count > 0;
  }
  return DART_OK;
}
