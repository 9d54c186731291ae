#ifndef DART__TOPOLOGY_DOMAIN_H
#define DART__TOPOLOGY_DOMAIN_H
/* Trees of domains: operations on trees of the public struct. They do not depend on teams or on the machine;
 * domain_build.h builds the tree of a team.
 *
 * In a tree
 *   - children[i] has relative_index i, level + 1 of its parent, and the parent's tag with one more
 *     number. The number is i, unless siblings were removed or inserted;
 *   - a domain with children has exactly their units: in their order, at GLOBAL ascending;
 *   - all domains but the top come from malloc, and so do their arrays, or are in an image (domain_image.h).
 *
 * The top of a copy keeps the parent pointer of its source. It is not among that parent's children, and the
 * parent may have been freed; so the pointer must not be followed. The interface defines all of the struct
 * except the bytes of `host` behind a name: so host names have at most 62 characters, and the last byte marks
 * such tops.
 *
 * Functions that return dart_ret_t log an error when they fail, and have changed nothing. */
#include <stdbool.h>

#include <dash/dart/if/dart_locality.h>

static inline bool dart__domain_is_top(const dart_domain_locality_t *domain)
{
  return domain->parent == NULL || domain->host[DART_LOCALITY_HOST_MAX_SIZE - 1] != '\0';
}

/** Mark `domain` as a top, whose `parent` must not be followed, or as a child of its parent. */
static inline void dart__domain_mark_top(dart_domain_locality_t *domain, bool top)
{
  domain->host[DART_LOCALITY_HOST_MAX_SIZE - 2] = '\0';
  domain->host[DART_LOCALITY_HOST_MAX_SIZE - 1] = top;
}

/* ---- life: NULL and false mean no memory ------------------------------------------------- */

/** A blank domain: see dart_domain_create. */
dart_domain_locality_t *dart__domain_new(void);

/** Free the contents of `domain` and all domains below it, but not the struct. */
void dart__domain_clear(dart_domain_locality_t *domain);

/** dart__domain_clear, and free the struct. NULL: nothing. */
void dart__domain_delete(dart_domain_locality_t *domain);

/** Make `copy`, whose contents are overwritten, a copy of `source` without children, units and aliases. */
void dart__domain_copy_alone(dart_domain_locality_t *copy, const dart_domain_locality_t *source);

/** Make `copy`, whose contents are overwritten, a top: a copy of `source` and all below it. */
bool dart__domain_copy(dart_domain_locality_t *copy, const dart_domain_locality_t *source);

/* ---- looking up -------------------------------------------------------------------------- */

/** What follows `tag` in `path` if `path` is `tag` or below it, compared number by number; else
 *  NULL. */
const char *dart__tag_below(const char *tag, const char *path);

/** The domain tagged `tag` among `domain` and all below it, or NULL. */
dart_domain_locality_t *dart__domain_find(const dart_domain_locality_t *domain, const char *tag);

/** The domains of `scope` among `domain` and all below it, depth first, but no domain
 *  below another one found: an array to be freed. DART_ERR_NOTFOUND: none. Log lines name `function`. */
dart_ret_t dart__domain_of_scope(const char *function, const dart_domain_locality_t *domain,
                                 dart_locality_scope_t scope, int *count_out,
                                 dart_domain_locality_t ***found_out);

/* ---- for building and reshaping ---------------------------------------------------------- */

/** The tag of child `number` below `parent_tag`; false: it is too long. */
bool dart__tag_child(const char *parent_tag, int number,
                     char tag_out[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE]);

/** Collect the units of `domain` from its children; none, if it has no children. false: no memory; cannot
 *  fail if there are not more units than before. */
bool dart__domain_collect_units(dart_domain_locality_t *domain);

/* ---- reshaping: see the functions of the same names in dart_locality.h ------------------- */

dart_ret_t dart__domain_select(dart_domain_locality_t *domain, int ntags, const char **tags);
dart_ret_t dart__domain_exclude(dart_domain_locality_t *domain, int ntags, const char **tags);
dart_ret_t dart__domain_split(const dart_domain_locality_t *domain, dart_locality_scope_t scope,
                              int nparts, dart_domain_locality_t *parts_out);
dart_ret_t dart__domain_group(dart_domain_locality_t *domain, int ntags, const char **tags,
                              char *tag_out);
dart_ret_t dart__domain_assign(dart_domain_locality_t       *domain,
                               const dart_domain_locality_t *source);
dart_ret_t dart__domain_add(dart_domain_locality_t *domain, dart_domain_locality_t *subdomain,
                            int position);
dart_ret_t dart__domain_move(dart_domain_locality_t *domain, dart_domain_locality_t *new_parent,
                             int position);

#endif
