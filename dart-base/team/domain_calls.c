/* Entry points of trees of domains: they check the arguments and call topology/. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_locality.h>

#include "base/log.h"
#include "base/profile.h"
#include "model/argument_check.h"
#include "team/team_locality.h"
#include "topology/domain.h"
#include "topology/domain_edit.h"

DART__PROFILED(dart_domain_create, dart_domain_clone, dart_domain_destroy, dart_domain_assign);
DART__PROFILED(dart_domain_find, dart_domain_scope_domains, dart_domain_scope_tags);
DART__PROFILED(dart_domain_select, dart_domain_exclude, dart_domain_split_scope, dart_domain_group);
DART__PROFILED(dart_domain_add_subdomain, dart_domain_move_subdomain);

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart_domain_create(dart_domain_locality_t **domain_out)
{
  if (domain_out == NULL)
    return dart__null_argument(__func__, "domain_out");
  *domain_out = dart__domain_new();
  return *domain_out != NULL ? DART_OK : dart__domain_no_memory(__func__);
}

dart_ret_t dart_domain_clone(const dart_domain_locality_t *domain_in,
                             dart_domain_locality_t      **domain_out)
{
  dart_domain_locality_t *copy;

  if (domain_out != NULL)
    *domain_out = NULL;
  if (domain_in == NULL || domain_out == NULL)
    return dart__null_argument(__func__, domain_in == NULL ? "domain_in" : "domain_out");
  copy = dart__domain_new();
  if (copy == NULL || !dart__domain_copy(copy, domain_in)) {
    free(copy);
    return dart__domain_no_memory(__func__);
  }
  *domain_out = copy;
  return DART_OK;
}

dart_ret_t dart_domain_destroy(dart_domain_locality_t *domain)
{
  if (domain == NULL)
    return DART_OK;
  if (!dart__domain_is_top(domain) || dart__locality_is_root(domain))
    return dart__fail(DART_ERR_INVAL, "%s: '%s' is part of %s", __func__, domain->domain_tag,
                      dart__locality_is_root(domain) ? "the team's own tree" : "a tree");
  dart__domain_delete(domain);
  return DART_OK;
}

dart_ret_t dart_domain_assign(dart_domain_locality_t       *domain_lhs,
                              const dart_domain_locality_t *domain_rhs)
{
  if (domain_lhs == NULL || domain_rhs == NULL)
    return dart__null_argument(__func__, domain_lhs == NULL ? "domain_lhs" : "domain_rhs");
  return dart__domain_assign(domain_lhs, domain_rhs);
}

/* ---- looking up -------------------------------------------------------------------------- */

dart_ret_t dart_domain_find(const dart_domain_locality_t *domain_in, const char *domain_tag,
                            dart_domain_locality_t **subdomain_out)
{
  if (subdomain_out != NULL)
    *subdomain_out = NULL;
  if (domain_in == NULL || domain_tag == NULL || subdomain_out == NULL)
    return dart__null_argument(__func__, domain_in == NULL    ? "domain_in"
                                         : domain_tag == NULL ? "domain_tag"
                                                              : "subdomain_out");
  *subdomain_out = dart__domain_find(domain_in, domain_tag);
  if (*subdomain_out != NULL)
    return DART_OK;
  return dart__fail(DART_ERR_NOTFOUND, "%s: no domain '%s' in '%s'", __func__, domain_tag,
                    domain_in->domain_tag);
}

dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t *domain_in,
                                     dart_locality_scope_t scope, int *num_domains_out,
                                     dart_domain_locality_t ***domains_out)
{
  if (num_domains_out != NULL)
    *num_domains_out = 0;
  if (domains_out != NULL)
    *domains_out = NULL;
  if (domain_in == NULL || num_domains_out == NULL || domains_out == NULL)
    return dart__null_argument(__func__, domain_in == NULL         ? "domain_in"
                                         : num_domains_out == NULL ? "num_domains_out"
                                                                   : "domains_out");
  return dart__domain_of_scope(__func__, domain_in, scope, num_domains_out, domains_out);
}

dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t *domain_in,
                                  dart_locality_scope_t scope, int *num_domains_out,
                                  char ***domain_tags_out)
{
  dart_domain_locality_t **found;
  char                   **tags;
  int                      count, copied = 0;
  dart_ret_t               ret;

  if (num_domains_out != NULL)
    *num_domains_out = 0;
  if (domain_tags_out != NULL)
    *domain_tags_out = NULL;
  if (domain_in == NULL || num_domains_out == NULL || domain_tags_out == NULL)
    return dart__null_argument(__func__, domain_in == NULL         ? "domain_in"
                                         : num_domains_out == NULL ? "num_domains_out"
                                                                   : "domain_tags_out");
  ret = dart__domain_of_scope(__func__, domain_in, scope, &count, &found);
  if (ret != DART_OK)
    return ret;
  tags = calloc((size_t)count, sizeof(char *));
  while (tags != NULL && copied < count &&
         (tags[copied] = strdup(found[copied]->domain_tag)) != NULL)
    copied++;
  free(found);
  if (copied == count) {
    *num_domains_out = count;
    *domain_tags_out = tags;
    return DART_OK;
  }
  while (copied-- > 0)
    free(tags[copied]);
  free(tags);
  return dart__domain_no_memory(__func__);
}

/* ---- reshaping --------------------------------------------------------------------------- */

static dart_ret_t check_tags(const char *function, const dart_domain_locality_t *domain, int ntags,
                             const char **tags)
{
  if (domain == NULL || (tags == NULL && ntags > 0))
    return dart__null_argument(function, domain == NULL ? "the domain" : "the array of tags");
  if (ntags < 0)
    return dart__fail(DART_ERR_INVAL, "%s: %d tags", function, ntags);
  for (int i = 0; i < ntags; i++)
    if (tags[i] == NULL)
      return dart__fail(DART_ERR_INVAL, "%s: tag %d of %d is NULL", function, i, ntags);
  return DART_OK;
}

dart_ret_t dart_domain_select(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                              const char **subdomain_tags)
{
  dart_ret_t ret = check_tags(__func__, domain_in, num_subdomain_tags, subdomain_tags);

  return ret != DART_OK ? ret : dart__domain_select(domain_in, num_subdomain_tags, subdomain_tags);
}

dart_ret_t dart_domain_exclude(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                               const char **subdomain_tags)
{
  dart_ret_t ret = check_tags(__func__, domain_in, num_subdomain_tags, subdomain_tags);

  return ret != DART_OK ? ret : dart__domain_exclude(domain_in, num_subdomain_tags, subdomain_tags);
}

dart_ret_t dart_domain_split_scope(const dart_domain_locality_t *domain_in,
                                   dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t *split_domain_out)
{
  if (domain_in == NULL || split_domain_out == NULL)
    return dart__null_argument(__func__, domain_in == NULL ? "domain_in" : "split_domain_out");
  if (num_parts < 1)
    return dart__fail(DART_ERR_INVAL, "%s: cannot split into %d parts", __func__, num_parts);
  return dart__domain_split(domain_in, scope, num_parts, split_domain_out);
}

dart_ret_t dart_domain_group(dart_domain_locality_t *domain_in, int num_group_subdomains,
                             const char **group_subdomain_tags, char *group_domain_tag_out)
{
  dart_ret_t ret = check_tags(__func__, domain_in, num_group_subdomains, group_subdomain_tags);

  if (ret != DART_OK)
    return ret;
  if (group_domain_tag_out == NULL)
    return dart__null_argument(__func__, "group_domain_tag_out");
  if (num_group_subdomains == 0)
    return dart__fail(DART_ERR_INVAL, "%s: no tags, so there is nothing to gather", __func__);
  return dart__domain_group(domain_in, num_group_subdomains, group_subdomain_tags,
                            group_domain_tag_out);
}

dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t *domain,
                                     dart_domain_locality_t *subdomain, int subdomain_rel_id)
{
  if (domain == NULL || subdomain == NULL)
    return dart__null_argument(__func__, domain == NULL ? "domain" : "subdomain");
  if (dart__locality_is_root(subdomain))
    return dart__fail(DART_ERR_INVAL, "%s: '%s' is the root of the team's own tree", __func__,
                      subdomain->domain_tag);
  return dart__domain_add(domain, subdomain, subdomain_rel_id);
}

dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t *domain,
                                      dart_domain_locality_t *new_parent_domain,
                                      int                     new_domain_rel_id)
{
  if (domain == NULL || new_parent_domain == NULL)
    return dart__null_argument(__func__, domain == NULL ? "domain" : "new_parent_domain");
  return dart__domain_move(domain, new_parent_domain, new_domain_rel_id);
}
