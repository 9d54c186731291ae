#ifndef DASH__DART__IF__DART_TEAM_GROUP_H__INCLUDED
#define DASH__DART__IF__DART_TEAM_GROUP_H__INCLUDED
/** @file dart_team_group.h
 *  Groups say who; teams act together.
 *
 *  A group is a set of global unit ids, kept in ascending order without duplicates. It belongs to
 *  the unit that made it, and no function on groups involves another unit. A team is made from a
 *  group by the members of an existing team, so teams form a tree below DART_TEAM_ALL; it has
 *  communication, memory and locks of its own. The members of a team are ordered by global id, and
 *  a unit's team id is its position in that order. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** A set of global unit ids, private to the unit that made it. */
typedef struct dart_group_struct *dart_group_t;

#define DART_TEAM_ALL   ((dart_team_t)0)                   /**< all units, from init to exit */
#define DART_TEAM_NULL  ((dart_team_t)-1)                  /**< no team */
#define DART_GROUP_NULL ((struct dart_group_struct *)NULL) /**< no group; not an empty one */

/* ---- Groups: all local ----------------------------------------------------------------------
 *
 * A group returned through a pointer is new and the caller's: to be released by
 * dart_group_destroy. All return DART_ERR_INVAL for a NULL group or pointer, storing NULL or 0 as
 * the result, and DART_ERR_NOMEM if memory for a new group is missing. */

/** Make an empty group. */
dart_ret_t dart_group_create(dart_group_t *group) DART_NOTHROW;

/** Release a group and set `*group` to NULL. A `*group` of NULL is fine: DART_OK. */
dart_ret_t dart_group_destroy(dart_group_t *group) DART_NOTHROW;

/** Make `*gout` a copy of `gin`. */
dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t *gout) DART_NOTHROW;

/** Make `*gout` the group of all units in `g1`, `g2` or both. */
dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                            dart_group_t *gout) DART_NOTHROW;

/** Make `*gout` the group of all units in both `g1` and `g2`; it may be empty. */
dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                dart_group_t *gout) DART_NOTHROW;

/** Add a unit to `g`; a member already is fine. DART_ERR_INVAL: also for an id that is not
 *  0 .. dart_size - 1; the group stays as it was. */
dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;

/** Remove a unit from `g`; not a member is fine. DART_ERR_INVAL: as dart_group_addmember. */
dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;

/** Store 1 if the unit is a member of `g`, 0 if not. DART_ERR_INVAL: as dart_group_addmember; 0 is
 *  stored. */
dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                               int32_t *ismember) DART_NOTHROW;

/** Store the number of members of `g`. */
dart_ret_t dart_group_size(const dart_group_t g, size_t *size) DART_NOTHROW;

/** Write the ids of all members of `g`, ascending, to `unitids`, which has room for
 *  dart_group_size of them. */
dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t *unitids) DART_NOTHROW;

/** Cut `g` into `n` runs of consecutive members: each of the first ones has ceil(size / n), the
 *  last non-empty one may have fewer, and the rest is empty.
 *
 *  All `n` entries of `gout` become new groups, the empty ones too: dart_team_create and
 *  dart_group_destroy take them. `*nout` is the number of those that are not empty.
 *  DART_ERR_INVAL: also for n 0 or > INT_MAX. */
dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t *nout,
                            dart_group_t *gout) DART_NOTHROW;

/** Split `g` by hardware: along the D domains of scope `scope` in the tree `domain`, in the order
 *  of dart_domain_scope_domains.
 *
 *  With n >= D, group i has the members of g in domain i; with fewer, those in the i-th run of
 *  ceil(D / n) domains. `*nout` = min(n, D). All `n` entries of `gout` become new groups, surplus
 *  ones empty; what they held before is overwritten, not released.
 *  DART_ERR_NOTFOUND: no domain of that scope; `*nout` is 0 and gout untouched.
 *  DART_ERR_OTHER: n is 0. */
dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t *domain,
                                     dart_locality_scope_t scope, size_t n, size_t *nout,
                                     dart_group_t *gout) DART_NOTHROW;

/* ---- Teams -------------------------------------------------------------------------------- */

/** Make `*group` the group of the members of `teamid`. Local.
 *  DART_ERR_INVAL: no such team on this unit; `*group` is NULL. */
dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group) DART_NOTHROW;

/** Make a team of the units in `group`, a part of the team `teamid`.
 *
 *  Collective over `teamid`, members of the new team or not; returns when all have arrived. All
 *  future members pass equal groups; the others pass that group too, or NULL. Members get
 *  `*newteam` > 0, the same on each; others get DART_TEAM_NULL, and all do if the group is empty.
 *  An id is not given out again before dart_exit. The new team has no segments, and outlives its
 *  parent if need be.
 *  DART_ERR_INVAL: no such parent on this unit, or a group with units outside of it.
 *  DART_ERR_OTHER: all ids are used up, on every unit of the parent.
 *  DART_ERR_NOMEM: no (shared) memory for the new team, on every unit of the parent. */
dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                            dart_team_t *newteam) DART_NOTHROW;

/** Release a team and set `*teamid` to DART_TEAM_NULL.
 *
 *  Collective over the team; parents and children may go in any order. Segments allocated over the
 *  team go with it; registered memory is left alone. Its locks stay safe to destroy, no more.
 *  A `*teamid` of DART_TEAM_NULL is fine, and local: DART_OK.
 *  DART_ERR_INVAL: DART_TEAM_ALL, or no such team on this unit. */
dart_ret_t dart_team_destroy(dart_team_t *teamid) DART_NOTHROW;

/** Make a team of the same units as `team`, with an id of its own and no segments. Collective over
 *  `team`; errors as dart_team_create. */
dart_ret_t dart_team_clone(dart_team_t team, dart_team_t *newteam) DART_NOTHROW;

/* ---- Queries --------------------------------------------------------------------------------
 *
 * Local, cheap, from any thread. */

/** Store the caller's team id in `teamid`. DART_ERR_INVAL: DART_TEAM_NULL, or no such team on this
 *  unit; the id is -1. */
dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t *myid) DART_NOTHROW;

/** Store the number of units in `teamid`. DART_ERR_INVAL: DART_TEAM_NULL, or no such team on this
 *  unit; `*size` stays as it was. */
dart_ret_t dart_team_size(dart_team_t teamid, size_t *size) DART_NOTHROW;

/** Store the caller's global id. DART_ERR_OTHER: outside of init..exit; the id is -1. */
dart_ret_t dart_myid(dart_global_unit_t *myid) DART_NOTHROW;

/** Store the number of units of the program. DART_ERR_OTHER: outside of init..exit; it is 0. */
dart_ret_t dart_size(size_t *size) DART_NOTHROW;

/** Store the global id of the unit that is `localid` in `team`. DART_ERR_INVAL: no such team on
 *  this unit, or localid not 0 .. size - 1; the id is -1. */
dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid,
                              dart_global_unit_t *globalid) DART_NOTHROW;

/** Store the team id that the unit `globalid` has in `team`: -1 and DART_OK if it is not a member.
 *  DART_ERR_INVAL: no such team on this unit; the id is -1. */
dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid,
                              dart_team_unit_t *localid) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_TEAM_GROUP_H__INCLUDED */
