#ifndef DASH__DART__EXT__DART_TEAM_GROUP_H__INCLUDED
#define DASH__DART__EXT__DART_TEAM_GROUP_H__INCLUDED
/** @file dart_team_group.h
 *  Teams that are made by their members alone.
 *
 *  dart_team_create is called by all units of the parent, in the same order. Where units find out by themselves with
 *  whom they work (the nodes of a tree, the owners of a block, those that are ready), the others should neither have
 *  to know nor to come. (MPI_Comm_create_group is the same for communicators: Dinan et al., *Noncollective Communicator
 *  Creation in MPI*, EuroMPI 2011.) */

#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

#define DART_TEAM_TAG_MOST 32767 /**< the largest tag */

/** Make a team of the units in `group`, a part of the team `parent`. It is a team like those of dart_team_create.
 *
 *  Collective over `group`: each of its members calls with the same parent, group and tag, and no other unit does;
 *  returns when all have called and the team is usable. Each gets the same `*newteam` > 0. Others of the parent may be
 *  anywhere, in other calls of this function too, whose groups may overlap: a unit that belongs to several makes them
 *  one after another, and all units in some order that leaves no circle of units each waiting for another's next call.
 *
 *  `tag`, 0 .. DART_TEAM_TAG_MOST, tells calls apart that share units and are under way at the same time: with
 *  DART_THREAD_MULTIPLE any number of threads of a unit may be in this function at once, each with another tag, while
 *  no thread makes or destroys a team in another way. Without that any tag will do.
 *
 *  An id that a unit has for a team it does not get again before dart_exit; teams that share no unit may have the
 *  same id.
 *
 *  Errors on every member alike, with `*newteam` DART_TEAM_NULL: DART_ERR_NOMEM: no (shared) memory for the
 *  team. DART_ERR_OTHER: all ids are used up. DART_ERR_INVAL: `newteam` is NULL on a member; a member does not
 *  know the parent; a unit of the group is not in the parent; members have given different parents or groups, as far
 *  as they met: else they wait for one another for ever, which the debug mode (DART_CHECK) reports. DART_ERR_INVAL on
 *  the caller alone, which the others then wait for: a group that is NULL or without the caller, a tag that is no such
 *  number, a call outside of init and exit. */
dart_ret_t dart_team_create_group(dart_team_t parent, const dart_group_t group, int tag,
                                  dart_team_t *newteam) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_TEAM_GROUP_H__INCLUDED */
