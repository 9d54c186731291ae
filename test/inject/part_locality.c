/* The description of the machine, and trees of domains. */
#include <stdlib.h>

#include <dash/dart/if/dart_locality.h>

#include "parts.h"

void dart__inject_free(void *memory); /* what DART allocated for the caller */

void use_locality(dart_team_t all)
{
  dart_domain_locality_t *root;
  dart_unit_locality_t   *unit;
  dart_group_t            group, parts[2];
  size_t                  nparts;

  ALL(NOMEM, dart_team_locality_init(all));
  FINE(dart_domain_team_locality(all, ".", &root));
  EXPECT(root->num_units == n);
  OWN(NOMEM, dart_unit_locality(all, DART_TEAM_UNIT_ID(me), &unit));
  EXPECT(unit->unit.id == me);
  OWN(NOMEM, dart_team_get_group(all, &group));
  OWN(NOMEM, dart_group_locality_split(group, root, DART_LOCALITY_SCOPE_CORE, 2, &nparts, parts));
  FINE(dart_group_destroy(&parts[0]));
  FINE(dart_group_destroy(&parts[1]));
  FINE(dart_group_destroy(&group));
  FINE(dart_team_locality_finalize(all));
}

static void look_up(dart_domain_locality_t *tree)
{
  dart_domain_locality_t **found, *one;
  char                   **tags;
  int                      count;

  OWN(NOMEM, dart_domain_scope_domains(tree, DART_LOCALITY_SCOPE_CORE, &count, &found));
  FINE(dart_domain_find(tree, found[0]->domain_tag, &one));
  EXPECT(one == found[0]);
  dart__inject_free(found);
  OWN(NOMEM, dart_domain_scope_tags(tree, DART_LOCALITY_SCOPE_CORE, &count, &tags));
  for (int i = 0; i < count; i++)
    dart__inject_free(tags[i]);
  dart__inject_free(tags);
}

static void free_parts(dart_domain_locality_t *parts, int count)
{
  dart_domain_locality_t *copy;

  for (int i = 0; i < count; i++) { /* the caller's way to release what is in a struct of its own */
    OWN(NOMEM, dart_domain_create(&copy));
    OWN(NOMEM, dart_domain_assign(&parts[i], copy));
    FINE(dart_domain_destroy(copy));
  }
}

void use_trees(void)
{
  dart_domain_locality_t *root, *tree, *other, parts[2];
  const char             *tags[1];
  char                    tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  OWN(NOMEM, dart_domain_team_locality(DART_TEAM_ALL, ".", &root));
  OWN(NOMEM, dart_domain_clone(root, &tree));
  look_up(tree);
  OWN(NOMEM, dart_domain_split_scope(tree, DART_LOCALITY_SCOPE_NODE, 2, parts));
  free_parts(parts, 2);
  tags[0] = tree->children[0]->domain_tag;
  OWN(NOMEM, dart_domain_group(tree, 1, tags, tag));
  tags[0] = tag;
  OWN(NOMEM, dart_domain_select(tree, 1, tags));
  EXPECT(tree->num_domains == 1);
  OWN(NOMEM, dart_domain_create(&other));
  OWN(NOMEM, dart_domain_add_subdomain(tree, other, -1));
  OWN(NOMEM, dart_domain_clone(root->children[0], &other));
  OWN(NOMEM, dart_domain_add_subdomain(tree, other, -1));
  OWN(NOMEM, dart_domain_move_subdomain(tree->children[2], tree->children[1], -1));
  tags[0] = tree->children[1]->domain_tag;
  OWN(NOMEM, dart_domain_exclude(tree, 1, tags));
  EXPECT(tree->num_domains == 1);
  FINE(dart_domain_destroy(tree));
}
