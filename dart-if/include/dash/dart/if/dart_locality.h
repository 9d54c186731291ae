#ifndef DASH__DART__IF__DART_LOCALITY_H__INCLUDED
#define DASH__DART__IF__DART_LOCALITY_H__INCLUDED
/** @file dart_locality.h
 *  Where the units of a team run: a tree of domains of the hardware, and a descriptor per unit.
 *
 *    "."         GLOBAL, level 0   the whole team
 *    ".n"        NODE, level 1     a host
 *    ".n.m"      MODULE, level 2   a board of it
 *    ".n.m..."   NUMA, PACKAGE, CACHE ... as far as the hardware shows them, and at the end
 *                CORE, level >= 3  the leaves: each unit is in exactly one, which its descriptor's
 *                                  domain_tag names; units may share one
 *
 *  A domain's tag is the path to it: child j of T is T".j" (".j" below the root). Tags are compared
 *  by components: ".0.1" is not on the way to ".0.10". What is known of the hardware comes from
 *  hwloc where it is there (Broquedis et al., *hwloc: a generic framework for managing hardware
 *  affinities in HPC applications*, PDP 2010). The structs and the meaning of their fields are in
 *  dart_types.h.
 *
 *  The tree and the descriptors of a team belong to DART. They stay where they are until
 *  dart_team_locality_finalize or dart_exit, so each query gives the same pointers, and they may be
 *  written to: later queries see that. Trees made by dart_domain_create and _clone are the
 *  caller's.
 *
 *  All functions are local, except dart_team_locality_init. All return DART_ERR_INVAL for NULL
 *  where no NULL is allowed and DART_ERR_NOMEM if memory is missing; results are then NULL and
 *  0. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- The locality of a team ----------------------------------------------------------------- */

/** Gather where the units of `team` run, and build its tree.
 *
 *  Collective over `team`. DART_TEAM_ALL has its locality from dart_init on; the first query of a domain
 *  builds its tree. Descriptors of units are made when they are asked for. Again is fine, and changes
 *  nothing: DART_OK. DART_ERR_INVAL: no such team on this unit. DART_ERR_NOMEM: no memory, on
 *  every unit. */
dart_ret_t dart_team_locality_init(dart_team_t team) DART_NOTHROW;

/** Release the tree and the descriptors of `team`; dart_team_destroy and dart_exit do so too.
 *  Nothing to release is fine: DART_OK. DART_ERR_INVAL: no such team on this unit. */
dart_ret_t dart_team_locality_finalize(dart_team_t team) DART_NOTHROW;

/** Store the domain tagged `domain_tag` in the tree of `team`: "." for the root.
 *  DART_ERR_NOTFOUND: no domain of that tag, or no dart_team_locality_init before; NULL is stored.
 *  DART_ERR_INVAL: no such team on this unit; NULL is stored. DART_ERR_NOMEM: no memory for the tree of
 *  DART_TEAM_ALL, which the first query builds; NULL is stored. */
dart_ret_t dart_domain_team_locality(dart_team_t team, const char *domain_tag,
                                     dart_domain_locality_t **team_domain_out) DART_NOTHROW;

/** Store the descriptor of the unit that is `unit` in `team`.
 *  DART_ERR_INVAL: no such team or unit; DART_ERR_NOTFOUND: no dart_team_locality_init before;
 *  DART_ERR_NOMEM, on this unit alone: no memory for descriptors of the unit's node. NULL is stored in these
 *  cases. */
dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit,
                              dart_unit_locality_t **loc) DART_NOTHROW;

/* ---- Trees of the caller -------------------------------------------------------------------- */

/** Make a domain without host, tag, units and children: scope UNDEFINED, DART_TEAM_NULL, level and
 *  relative_index 0, other numbers -1. The caller's, until dart_domain_destroy. */
dart_ret_t dart_domain_create(dart_domain_locality_t **domain_out) DART_NOTHROW;

/** Make a copy of a domain and all below it. The caller's, until dart_domain_destroy. Parents
 *  inside are those of the copy; its root keeps the parent of `domain_in`. Aliases are not
 *  copied. */
dart_ret_t dart_domain_clone(const dart_domain_locality_t *domain_in,
                             dart_domain_locality_t **domain_out) DART_NOTHROW;

/** Release a domain of dart_domain_create or dart_domain_clone, with all below it. NULL is fine.
 *  DART_ERR_INVAL: it is part of a larger tree, or the root of a team's own. */
dart_ret_t dart_domain_destroy(dart_domain_locality_t *domain) DART_NOTHROW;

/** Make `domain_lhs` a copy of `domain_rhs` and all below it, like dart_domain_clone; what it held
 *  before is released. In the midst of a tree it keeps its place there: parent, tag and level. */
dart_ret_t dart_domain_assign(dart_domain_locality_t *domain_lhs,
                              const dart_domain_locality_t *domain_rhs) DART_NOTHROW;

/* ---- Looking up ----------------------------------------------------------------------------- */

/** Store the domain tagged `domain_tag` among `domain_in` and all below it. It is part of that
 *  tree.
 *  DART_ERR_NOTFOUND: none; NULL is stored. */
dart_ret_t dart_domain_find(const dart_domain_locality_t *domain_in, const char *domain_tag,
                            dart_domain_locality_t **subdomain_out) DART_NOTHROW;

/** Store the tags of the domains that dart_domain_scope_domains finds: an array of strings. The
 *  caller frees each string and the array with free().
 *  DART_ERR_NOTFOUND: none; 0 and NULL are stored. */
dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t *domain_in,
                                  dart_locality_scope_t scope, int *num_domains_out,
                                  char ***domain_tags_out) DART_NOTHROW;

/** Store all domains of scope `scope` among `domain_in` and all below it, depth first, without
 *  looking below one that was found. The caller frees the array with free(); its entries are part
 *  of the tree.
 *  DART_ERR_NOTFOUND: none; 0 and NULL are stored. */
dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t *domain_in,
                                     dart_locality_scope_t scope, int *num_domains_out,
                                     dart_domain_locality_t ***domains_out) DART_NOTHROW;

/* ---- Reshaping: a clone, or the team's own tree ---------------------------------------------
 *
 * Domains that stay keep their tags, unless a function says otherwise. Children close ranks, with
 * relative_index to match; the units of all domains above a change are updated, num_cores and the
 * descriptors of units are not. On failure the tree is as it was; DART_ERR_INVAL is also for tags
 * that would get longer than DART_LOCALITY_DOMAIN_TAG_MAX_SIZE allows. */

/** Keep, below `domain_in`, only the domains with the given tags, all below those, and the way to
 *  them. Without tags no child remains. */
dart_ret_t dart_domain_select(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                              const char **subdomain_tags) DART_NOTHROW;

/** Remove, below `domain_in`, the domains with the given tags and all below those. Tags that name
 *  nothing are ignored; without tags nothing changes. */
dart_ret_t dart_domain_exclude(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                               const char **subdomain_tags) DART_NOTHROW;

/** Cut the D domains of scope `scope` in `domain_in` into `num_parts` runs of ceil(D / num_parts),
 *  and make part i a copy of `domain_in` with only the i-th run (see dart_domain_select).
 *
 *  `split_domain_out` is the caller's array of `num_parts` structs whose contents do not matter;
 *  what they then point to is the caller's.
 *  DART_ERR_NOTFOUND: no domain of that scope. DART_ERR_INVAL: also for num_parts < 1. */
dart_ret_t dart_domain_split_scope(const dart_domain_locality_t *domain_in,
                                   dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t *split_domain_out) DART_NOTHROW;

/** Gather the domains with the given tags under a new domain of scope GROUP.
 *
 *  The group becomes the last child of P, the closest domain above all of them, with a tag no child
 *  of P has, so it is found from the root on like any domain. The domains move into it, below
 *  copies of what lay between P and them, and get tags to match; no tag outside of the group
 *  changes, so several groups can be formed from tags read before. The group's units are exactly
 *  theirs. Tags come in any order. The group's tag is written to `group_domain_tag_out`, which has
 *  room for DART_LOCALITY_DOMAIN_TAG_MAX_SIZE bytes.
 *  DART_ERR_NOTFOUND: a tag names no domain. DART_ERR_INVAL: also for no tags, and for one domain
 *  above another. */
dart_ret_t dart_domain_group(dart_domain_locality_t *domain_in, int num_group_subdomains,
                             const char **group_subdomain_tags,
                             char *group_domain_tag_out) DART_NOTHROW;

/** Insert `subdomain`, with all below it, as child number `subdomain_rel_id` of `domain`, or as the
 *  last one if that is < 0. It belongs to that tree from then on; its tags and levels, and the
 *  units above it, are updated. DART_ERR_INVAL: also for a number greater than that of the
 *  children. */
dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t *domain,
                                     dart_domain_locality_t *subdomain,
                                     int subdomain_rel_id) DART_NOTHROW;

/** Take `domain`, with all below it, out of its parent and insert it into `new_parent_domain` like
 *  dart_domain_add_subdomain. DART_ERR_INVAL: also if the new parent lies in `domain`. */
dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t *domain,
                                      dart_domain_locality_t *new_parent_domain,
                                      int new_domain_rel_id) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_LOCALITY_H__INCLUDED */
