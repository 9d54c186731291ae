/* Groups: domains from anywhere below another domain are moved below a new one.
 *
 * The group is first built outside of the tree, with copies of the domains between its members and their
 * closest common ancestor, and with its tags: all that can fail is done there. Then the members are moved
 * from their parents to the group, and the group is inserted. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "topology/domain_edit.h"
#include "topology/domain_set.h"

typedef dart_domain_locality_t domain_t;

/* A group being built. */
typedef struct {
  dart__domain_set_t members;   /* the domains to be grouped */
  dart__domain_set_t ancestors; /* domains above members */
  domain_t          *above; /* the closest common ancestor, which becomes the parent of the group */
} group_t;

/* Find the closest common ancestor of the members. An error, if a member is above another. */
static dart_ret_t check_group(const domain_t *domain, group_t *group)
{
  if (dart__domain_set_has(&group->members, domain))
    return dart__fail(DART_ERR_INVAL, "dart_domain_group: '%s' is the domain itself, not below it",
                      domain->domain_tag);
  for (size_t i = 0; i < group->members.count; i++)
    if (dart__domain_set_has(&group->ancestors, group->members.members[i]))
      return dart__fail(DART_ERR_INVAL,
                        "dart_domain_group: '%s' is above another domain of the group",
                        group->members.members[i]->domain_tag);
  group->above = group->members.members[0]->parent;
  for (size_t i = 1; i < group->members.count; i++)
    while (!dart__domain_lies_in(group->members.members[i], group->above))
      group->above = group->above->parent;
  return DART_OK;
}

/* Free the copies of ancestors, but not the members below them. */
static void delete_copies(const group_t *group, domain_t *copy)
{
  for (int i = 0; i < copy->num_domains; i++)
    if (!dart__domain_set_has(&group->members, copy->children[i]))
      delete_copies(group, copy->children[i]);
  copy->num_domains = 0;
  dart__domain_delete(copy);
}

/* Give `copy` the members below `source` as children, and copies of the domains between; the members
 * themselves are not changed yet. Copies get their tags here, to check that the tags below fit. */
static dart_ret_t copy_ancestors(const group_t *group, const domain_t *source, domain_t *copy)
{
  dart_ret_t ret = DART_OK;

  copy->children = calloc((size_t)source->num_domains, sizeof(domain_t *));
  if (copy->children == NULL)
    return DART_ERR_NOMEM;
  for (int i = 0; i < source->num_domains && ret == DART_OK; i++) {
    domain_t *child = source->children[i], *below;
    char      tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    bool      member = dart__domain_set_has(&group->members, child);

    if (!member && !dart__domain_set_has(&group->ancestors, child))
      continue;
    if (!dart__tag_child(copy->domain_tag, copy->num_domains, tag) ||
        (member && !dart__domain_fits(child, tag)))
      return DART_ERR_INVAL;
    if (member) {
      copy->children[copy->num_domains++] = child;
      continue;
    }
    below = dart__domain_new();
    if (below == NULL)
      return DART_ERR_NOMEM;
    dart__domain_copy_alone(below, child);
    copy->children[copy->num_domains] = below;
    below->parent                     = copy;
    below->relative_index             = copy->num_domains++;
    dart__domain_retag(below, tag, copy->level + 1);
    ret = copy_ancestors(group, child, below);
    if (ret == DART_OK && child->num_units > 0 && child->num_cores > 0) { /* by its units */
      below->num_cores = (int)((int64_t)child->num_cores * below->num_units / child->num_units);
      below->num_cores = below->num_cores > 0 ? below->num_cores : 1;
    }
  }
  if (ret == DART_OK && !dart__domain_collect_units(copy))
    ret = DART_ERR_NOMEM;
  return ret;
}

static domain_t *new_group(const domain_t *above)
{
  domain_t *group = dart__domain_new();

  if (group == NULL)
    return NULL;
  memcpy(group->host, above->host, sizeof group->host);
  dart__domain_mark_top(group, false);
  group->scope        = DART_LOCALITY_SCOPE_GROUP;
  group->team         = above->team;
  group->level        = above->level + 1;
  group->global_index = 0;
  for (int i = 0; i < above->num_domains; i++)
    group->global_index += above->children[i]->scope == DART_LOCALITY_SCOPE_GROUP;
  return group;
}

/* Describe the group by its children. */
static void describe_group(domain_t *group, const domain_t *above)
{
  group->num_cores = 0;
  group->num_nodes = 0;
  for (int i = 0; i < group->num_domains; i++) {
    group->num_cores += group->children[i]->num_cores;
    group->num_nodes += group->children[i]->num_nodes;
  }
  if (above->node_id >= 0)
    group->num_nodes = 1;
  group->node_id      = group->num_nodes == 1 ? group->children[0]->node_id : -1;
  group->is_symmetric = group->num_domains == 1 || above->is_symmetric == 1;
}

/* Move the members from their parents to the group. */
static void move_members(const group_t *group, domain_t *copy)
{
  char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  for (int i = 0; i < copy->num_domains; i++) {
    domain_t *child = copy->children[i];

    if (!dart__domain_set_has(&group->members, child)) {
      move_members(group, child);
      continue;
    }
    dart__domain_take_out(child);
    child->parent         = copy;
    child->relative_index = i;
    if (dart__tag_child(copy->domain_tag, i, tag))
      dart__domain_retag(child, tag, copy->level + 1);
  }
}

/* Collect the units of the members' former ancestors, from the parent of the group down. */
static void collect_ancestors(const group_t *group, domain_t *domain)
{
  for (int i = 0; i < domain->num_domains; i++)
    if (dart__domain_set_has(&group->ancestors, domain->children[i]))
      collect_ancestors(group, domain->children[i]);
  dart__domain_close_ranks(domain);
  dart__domain_collect_units(domain);
}

static dart_ret_t form_group(group_t *group, char *tag_out)
{
  domain_t  *above = group->above, *copy = new_group(above);
  dart_ret_t ret = DART_ERR_INVAL;

  if (copy == NULL || !dart__domain_make_room(above, 0))
    ret = DART_ERR_NOMEM;
  else if (dart__tag_child(above->domain_tag, dart__domain_fresh_number(above), copy->domain_tag))
    ret = copy_ancestors(group, above, copy);
  if (ret == DART_ERR_INVAL)
    dart__error("dart_domain_group: tags below a group in '%s' would have more than %d characters",
                above->domain_tag, DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
  if (ret != DART_OK) {
    if (copy != NULL)
      delete_copies(group, copy);
    return ret == DART_ERR_NOMEM ? dart__domain_no_memory("dart_domain_group") : ret;
  }

  move_members(group, copy);
  describe_group(copy, above);
  dart__domain_put_in(above, copy, above->num_domains);
  collect_ancestors(group, above);
  dart__domain_collect_above(above);
  memcpy(tag_out, copy->domain_tag, sizeof copy->domain_tag);
  return DART_OK;
}

dart_ret_t dart__domain_group(domain_t *domain, int ntags, const char **tags, char *tag_out)
{
  group_t     group = { 0 };
  const char *missing;
  dart_ret_t  ret;

  if (!dart__domain_set_find(domain, ntags, tags, &group.members, &missing)) {
    ret = dart__domain_no_memory("dart_domain_group");
  } else if (missing != NULL) {
    ret = dart__fail(DART_ERR_NOTFOUND, "dart_domain_group: no domain '%s' in '%s'", missing,
                     domain->domain_tag);
  } else if (!dart__domain_set_above(domain, &group.members, &group.ancestors)) {
    ret = dart__domain_no_memory("dart_domain_group");
  } else {
    ret = check_group(domain, &group);
    if (ret == DART_OK)
      ret = form_group(&group, tag_out);
  }
  free(group.members.members);
  free(group.ancestors.members);
  return ret;
}
