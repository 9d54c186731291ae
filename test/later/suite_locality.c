/* Locality: statements O141 to O148.
 *
 * What the machine looks like is not ours to know, so the runtime's tree is tested for its form,
 * and the functions that cut and join trees on one made here:
 *
 *   .  -+- .0 -+- .0.0 -+- .0.0.0 .. .0.0.11    node, module, 12 cores with units 0 .. 11
 *       +- .1 -+- .1.0 -+- .1.0.0 .1.0.1        node, module, 2 cores with units 12, 13 */
#include <dash/dart/if/dart_locality.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(locality);

typedef dart_domain_locality_t domain_t;

static domain_t *find(const domain_t *in, const char *tag)
{
  domain_t *found = NULL;

  EXPECT_OK(dart_domain_find(in, tag, &found));
  return found;
}

static void expect_gone(const domain_t *in, const char *tag)
{
  domain_t *found = (domain_t *)&found;

  EXPECT_RET(dart_domain_find(in, tag, &found), DART_ERR_NOTFOUND);
  EXPECT_TRUE(found == NULL);
}

static bool has_unit(const domain_t *domain, int unit)
{
  for (int i = 0; i < domain->num_units; i++) {
    if (domain->unit_ids[i].id == unit)
      return true;
  }
  return false;
}

/* Fields that follow from the place in the tree, for the whole tree below `domain`. */
static void check_form(const domain_t *domain)
{
  int units = 0;

  test_note("domain %s", domain->domain_tag);
  EXPECT_EQ(domain->children == NULL, domain->num_domains == 0);
  EXPECT_EQ(domain->unit_ids == NULL, domain->num_units == 0);
  for (int i = 0; i < domain->num_domains; i++) {
    const domain_t *child = domain->children[i];
    char            tag[64];

    snprintf(tag, sizeof tag, "%s.%d", domain->level == 0 ? "" : domain->domain_tag, i);
    EXPECT_TRUE(strcmp(child->domain_tag, tag) == 0);
    EXPECT_TRUE(child->parent == domain);
    EXPECT_EQ(child->relative_index, i);
    EXPECT_EQ(child->level, domain->level + 1);
    EXPECT_EQ(child->team, domain->team);
    EXPECT_TRUE(child->scope > domain->scope || child->scope == DART_LOCALITY_SCOPE_GROUP ||
                domain->scope == DART_LOCALITY_SCOPE_GROUP);
    for (int u = 0; u < child->num_units; u++) {
      EXPECT_TRUE(has_unit(domain, child->unit_ids[u].id));
      for (int k = 0; k < i; k++)
        EXPECT_TRUE(!has_unit(domain->children[k], child->unit_ids[u].id));
    }
    units += child->num_units;
  }
  if (domain->num_domains > 0)
    EXPECT_EQ(units, domain->num_units);
  for (int i = 0; i < domain->num_domains; i++)
    check_form(domain->children[i]);
}

static domain_t *root_of(dart_team_t team)
{
  domain_t *root = NULL;

  EXPECT_OK(dart_domain_team_locality(team, ".", &root));
  return root;
}

/* ---- The runtime's tree ---------------------------------------------------------------------- */

static void check_team(dart_team_t team)
{
  domain_t *root = root_of(team);
  int       size = test_team_size(team);

  EXPECT_TRUE(strcmp(root->domain_tag, ".") == 0);
  EXPECT_EQ(root->scope, DART_LOCALITY_SCOPE_GLOBAL);
  EXPECT_EQ(root->level, 0);
  EXPECT_EQ(root->relative_index, 0);
  EXPECT_TRUE(root->parent == NULL);
  EXPECT_EQ(root->team, team);
  EXPECT_EQ(root->num_units, size);
  EXPECT_TRUE(root->num_nodes >= 1);
  EXPECT_EQ(root->num_domains, root->num_nodes);
  for (int i = 0; i < root->num_domains; i++) {
    EXPECT_EQ(root->children[i]->scope, DART_LOCALITY_SCOPE_NODE);
    EXPECT_TRUE(root->children[i]->num_domains >= 1);
    for (int k = 0; k < root->children[i]->num_domains; k++)
      EXPECT_EQ(root->children[i]->children[k]->scope, DART_LOCALITY_SCOPE_MODULE);
  }
  check_form(root);

  for (int unit = 0; unit < size; unit++) {
    dart_unit_locality_t *locality = NULL;
    dart_global_unit_t    global   = { -1 };
    domain_t             *leaf;

    test_note("team %d, unit %d", team, unit);
    EXPECT_OK(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(unit), &global));
    EXPECT_EQ(root->unit_ids[unit].id, global.id); /* all, ascending */
    EXPECT_OK(dart_unit_locality(team, DART_TEAM_UNIT_ID(unit), &locality));
    EXPECT_EQ(locality->unit.id, unit);
    EXPECT_EQ(locality->team, team);
    leaf = find(root, locality->domain_tag);
    EXPECT_EQ(leaf->scope, DART_LOCALITY_SCOPE_CORE);
    EXPECT_TRUE(leaf->level > 2);
    EXPECT_EQ(leaf->num_domains, 0);
    EXPECT_TRUE(has_unit(leaf, global.id));
  }
}

TEST(every_unit_has_a_core) /* O141 O142 */
{
  check_team(DART_TEAM_ALL);
}

TEST(sub_teams_have_trees_of_their_own) /* O148 */
{
  dart_team_t team = test_split(DART_TEAM_ALL, 2);
  domain_t   *root = (domain_t *)&root;

  EXPECT_RET(dart_domain_team_locality(team, ".", &root), DART_ERR_NOTFOUND);
  EXPECT_TRUE(root == NULL);
  EXPECT_OK(dart_team_locality_init(team));
  check_team(team);
  root = root_of(team);
  EXPECT_OK(dart_team_locality_init(team)); /* again: no effect */
  EXPECT_TRUE(root_of(team) == root);
  EXPECT_OK(dart_team_locality_finalize(team));
  EXPECT_OK(dart_team_locality_finalize(team));
  EXPECT_RET(dart_domain_team_locality(team, ".", &root), DART_ERR_NOTFOUND);
}

static void find_all(const domain_t *root, const domain_t *domain)
{
  domain_t *by_team = NULL;

  EXPECT_TRUE(find(root, domain->domain_tag) == domain);
  EXPECT_OK(dart_domain_team_locality(DART_TEAM_ALL, domain->domain_tag, &by_team));
  EXPECT_TRUE(by_team == domain);
  for (int i = 0; i < domain->num_domains; i++)
    find_all(root, domain->children[i]);
}

TEST(domains_are_found_by_their_tags) /* O143 */
{
  const char           *unknown[] = { ".99", ".0.99.0", "", "x", "..", ".0." };
  domain_t             *root      = root_of(DART_TEAM_ALL), *found;
  dart_unit_locality_t *locality  = (dart_unit_locality_t *)&locality;

  find_all(root, root);
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    test_note("tag '%s'", unknown[i]);
    expect_gone(root, unknown[i]);
    found = (domain_t *)&found;
    EXPECT_RET(dart_domain_team_locality(DART_TEAM_ALL, unknown[i], &found), DART_ERR_NOTFOUND);
    EXPECT_TRUE(found == NULL);
  }
  EXPECT_INVAL(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(n), &locality));
  EXPECT_TRUE(locality == NULL);
  locality = (dart_unit_locality_t *)&locality;
  EXPECT_INVAL(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(-1), &locality));
  EXPECT_TRUE(locality == NULL);
}

TEST(hardware_is_described) /* O147 */
{
  const char *mbps  = getenv("DASH_MAX_SHMEM_MBPS");
  int         shmem = mbps != NULL && atoi(mbps) > 0 ? atoi(mbps) : 1235;

  for (int unit = 0; unit < n; unit++) {
    dart_unit_locality_t *locality = NULL, *again = NULL;
    dart_hwinfo_t        *hw;
    int                   cores;

    EXPECT_OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &locality));
    hw = &locality->hwinfo;
    test_note("unit %d", unit);
    EXPECT_TRUE(hw->host[0] != '\0');
    EXPECT_TRUE(memchr(hw->host, '\0', sizeof hw->host) != NULL);
    EXPECT_TRUE(hw->num_cores >= 1);
    EXPECT_TRUE(hw->min_threads == -1 || hw->min_threads >= 1);
    EXPECT_TRUE(hw->max_threads == -1 || hw->max_threads >= 1);
    EXPECT_EQ(hw->max_shmem_mbps, shmem);
    EXPECT_TRUE(hw->num_scopes >= 1 && hw->num_scopes <= 11);
    EXPECT_EQ(hw->scopes[0].scope, DART_LOCALITY_SCOPE_CORE);
    for (int i = 1; i < hw->num_scopes; i++)
      EXPECT_TRUE(hw->scopes[i].scope < hw->scopes[i - 1].scope); /* upwards */
    for (int i = hw->num_scopes; i < DART_LOCALITY_MAX_DOMAIN_SCOPES; i++) {
      EXPECT_EQ(hw->scopes[i].scope, DART_LOCALITY_SCOPE_UNDEFINED);
      EXPECT_EQ(hw->scopes[i].index, -1);
    }

    cores         = hw->num_cores;
    hw->num_cores = 4321; /* the user's to write */
    EXPECT_OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &again));
    EXPECT_TRUE(again == locality);
    EXPECT_EQ(again->hwinfo.num_cores, 4321);
    again->hwinfo.num_cores = cores;
  }
}

/* ---- A tree made here ------------------------------------------------------------------------ */

static domain_t *make_domain(dart_locality_scope_t scope, int unit)
{
  domain_t *domain = NULL;

  EXPECT_OK(dart_domain_create(&domain));
  EXPECT_EQ(domain->scope, DART_LOCALITY_SCOPE_UNDEFINED);
  EXPECT_EQ(domain->team, DART_TEAM_NULL);
  EXPECT_EQ(domain->num_domains, 0);
  EXPECT_TRUE(domain->children == NULL);
  domain->scope     = scope;
  domain->num_units = unit >= 0;
  if (unit >= 0) {
    domain->unit_ids       = malloc(sizeof *domain->unit_ids);
    domain->unit_ids[0].id = unit;
  }
  return domain;
}

static void add(domain_t *parent, domain_t *child)
{
  EXPECT_OK(dart_domain_add_subdomain(parent, child, -1));
}

static domain_t *make_tree(void)
{
  domain_t *root = make_domain(DART_LOCALITY_SCOPE_GLOBAL, -1);
  int       unit = 0;

  strcpy(root->domain_tag, ".");
  for (int node = 0; node < 2; node++) {
    domain_t *at     = make_domain(DART_LOCALITY_SCOPE_NODE, -1);
    domain_t *module = make_domain(DART_LOCALITY_SCOPE_MODULE, -1);

    add(root, at);
    add(at, module);
    for (int core = 0; core < (node == 0 ? 12 : 2); core++)
      add(module, make_domain(DART_LOCALITY_SCOPE_CORE, unit++));
  }
  check_form(root);
  EXPECT_EQ(root->num_units, 14);
  return root;
}

static void expect_units(const domain_t *domain, const int *units, int count)
{
  EXPECT_EQ(domain->num_units, count);
  for (int i = 0; i < count; i++)
    EXPECT_TRUE(has_unit(domain, units[i]));
}

TEST(clones_are_deep) /* O144 */
{
  domain_t   *root = make_tree(), *copy = NULL;
  domain_t   *assigned = make_domain(DART_LOCALITY_SCOPE_CORE, 3);
  const char *leaf     = ".0.0.3";

  EXPECT_OK(dart_domain_clone(root, &copy));
  check_form(copy);
  EXPECT_EQ(copy->num_units, 14);
  EXPECT_TRUE(find(copy, ".0.0.3") != find(root, ".0.0.3"));
  EXPECT_OK(dart_domain_exclude(copy, 1, &leaf));
  expect_gone(copy, ".0.0.3");
  EXPECT_EQ(find(root, ".0.0.3")->unit_ids[0].id, 3);
  EXPECT_EQ(copy->num_units, 13);
  EXPECT_EQ(root->num_units, 14);

  EXPECT_OK(dart_domain_assign(assigned, root));
  check_form(assigned);
  EXPECT_EQ(assigned->num_units, 14);
  EXPECT_OK(dart_domain_destroy(root));
  EXPECT_EQ(find(assigned, ".1.0.1")->unit_ids[0].id, 13);
  EXPECT_EQ(find(copy, ".1.0.0")->unit_ids[0].id, 12);
  EXPECT_OK(dart_domain_destroy(assigned));
  EXPECT_OK(dart_domain_destroy(copy));
  EXPECT_OK(dart_domain_destroy(NULL));
}

TEST(exclude_takes_whole_components) /* O144: ".0.0.1" is no part of ".0.0.10" */
{
  domain_t   *root   = make_tree();
  const char *tags[] = { ".0.0.1", ".1" };

  EXPECT_OK(dart_domain_exclude(root, 0, tags));
  EXPECT_EQ(root->num_units, 14);
  EXPECT_OK(dart_domain_exclude(root, 2, tags));
  expect_gone(root, ".0.0.1");
  expect_gone(root, ".1");
  expect_gone(root, ".1.0");
  expect_gone(root, ".1.0.1");
  EXPECT_EQ(find(root, ".0.0.10")->unit_ids[0].id, 10);
  EXPECT_EQ(find(root, ".0.0.11")->unit_ids[0].id, 11);
  EXPECT_EQ(root->num_units, 11);
  EXPECT_EQ(root->num_domains, 1);
  EXPECT_EQ(find(root, ".0.0")->num_domains, 11);
  EXPECT_EQ(find(root, ".0.0.2")->relative_index, 1); /* compacted; its tag stays */
  EXPECT_OK(dart_domain_destroy(root));
}

TEST(select_keeps_paths_and_subtrees) /* O144 */
{
  domain_t   *root   = make_tree();
  const char *tags[] = { ".0.0.1", ".1" };

  EXPECT_OK(dart_domain_select(root, 2, tags));
  EXPECT_EQ(find(root, ".0.0.1")->unit_ids[0].id, 1);
  EXPECT_EQ(find(root, ".1.0.1")->unit_ids[0].id, 13); /* below a selected one */
  expect_gone(root, ".0.0.0");
  expect_gone(root, ".0.0.10");
  expect_units(root, (int[]){ 1, 12, 13 }, 3);
  expect_units(find(root, ".0"), (int[]){ 1 }, 1);
  EXPECT_EQ(find(root, ".0.0.1")->relative_index, 0);
  EXPECT_OK(dart_domain_select(root, 0, tags));
  EXPECT_EQ(root->num_domains, 0);
  EXPECT_TRUE(root->children == NULL);
  EXPECT_OK(dart_domain_destroy(root));
}

TEST(domains_of_a_scope_are_listed) /* O145 */
{
  domain_t  *root = make_tree(), **domains = NULL;
  char     **tags = NULL;
  int        count = -1;

  EXPECT_OK(dart_domain_scope_domains(root, DART_LOCALITY_SCOPE_CORE, &count, &domains));
  EXPECT_EQ(count, 14);
  for (int i = 0; i < count; i++)
    EXPECT_EQ(domains[i]->unit_ids[0].id, i);
  free(domains);
  EXPECT_OK(dart_domain_scope_tags(root, DART_LOCALITY_SCOPE_NODE, &count, &tags));
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(strcmp(tags[0], ".0") == 0);
  EXPECT_TRUE(strcmp(tags[1], ".1") == 0);
  for (int i = 0; i < count; i++)
    free(tags[i]);
  free(tags);

  domains = (domain_t **)&domains;
  EXPECT_RET(dart_domain_scope_domains(root, DART_LOCALITY_SCOPE_NETWORK, &count, &domains),
             DART_ERR_NOTFOUND);
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(domains == NULL);
  EXPECT_OK(dart_domain_destroy(root));
}

TEST(split_shares_out_all_units) /* O146 */
{
  domain_t *root = make_tree(), *empty = make_domain(DART_LOCALITY_SCOPE_UNDEFINED, -1);
  domain_t  part[5];

  for (int parts = 1; parts <= 5; parts++) {
    int each = (14 + parts - 1) / parts;

    test_note("%d parts", parts);
    memset(part, 0, sizeof part);
    EXPECT_OK(dart_domain_split_scope(root, DART_LOCALITY_SCOPE_CORE, parts, part));
    for (int i = 0; i < parts; i++) {
      for (int unit = 0; unit < 14; unit++)
        EXPECT_EQ(has_unit(&part[i], unit), unit / each == i);
      EXPECT_OK(dart_domain_assign(&part[i], empty)); /* its content is ours to free */
    }
  }
  EXPECT_RET(dart_domain_split_scope(root, DART_LOCALITY_SCOPE_NETWORK, 2, part),
             DART_ERR_NOTFOUND);
  EXPECT_EQ(root->num_units, 14);
  EXPECT_OK(dart_domain_destroy(empty));
  EXPECT_OK(dart_domain_destroy(root));
}

TEST(groups_collect_domains) /* O146: in any order of tags, one group after the other */
{
  domain_t   *root = make_tree(), *group;
  const char *one[] = { ".0.0.10", ".0.0.1" }, *two[] = { ".0.0.2", ".1.0.0" };
  const char *wrong[] = { ".0", ".0.0.4" }, *unknown[] = { ".0.0.4", ".7" };
  char        tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE] = "";

  EXPECT_OK(dart_domain_group(root, 2, one, tag));
  group = find(root, tag);
  EXPECT_EQ(group->scope, DART_LOCALITY_SCOPE_GROUP);
  EXPECT_TRUE(strncmp(tag, ".0.0.", 5) == 0 && strchr(tag + 5, '.') == NULL);
  expect_units(group, (int[]){ 1, 10 }, 2);
  EXPECT_EQ(find(root, ".0.0.11")->unit_ids[0].id, 11); /* other tags stay */
  EXPECT_EQ(find(root, ".0.0.2")->unit_ids[0].id, 2);

  EXPECT_OK(dart_domain_group(root, 2, two, tag)); /* across nodes: below the root */
  group = find(root, tag);
  EXPECT_EQ(group->scope, DART_LOCALITY_SCOPE_GROUP);
  EXPECT_EQ(group->level, 1);
  expect_units(group, (int[]){ 2, 12 }, 2);
  EXPECT_EQ(root->num_units, 14);
  EXPECT_EQ(find(root, ".1.0.1")->unit_ids[0].id, 13);
  EXPECT_TRUE(!has_unit(find(root, ".1"), 12));

  EXPECT_INVAL(dart_domain_group(root, 0, one, tag));
  EXPECT_INVAL(dart_domain_group(root, 2, wrong, tag)); /* one above the other */
  EXPECT_RET(dart_domain_group(root, 2, unknown, tag), DART_ERR_NOTFOUND);
  EXPECT_EQ(find(root, ".0.0.4")->unit_ids[0].id, 4);
  EXPECT_EQ(root->num_units, 14);
  EXPECT_OK(dart_domain_destroy(root));
}

TEST(subdomains_can_be_moved)
{
  domain_t *root = make_tree();

  EXPECT_OK(dart_domain_move_subdomain(find(root, ".0.0.5"), find(root, ".1.0"), 0));
  check_form(root);
  EXPECT_EQ(find(root, ".1.0.0")->unit_ids[0].id, 5);
  EXPECT_EQ(find(root, ".1.0")->num_units, 3);
  EXPECT_EQ(find(root, ".0.0")->num_units, 11);
  EXPECT_EQ(root->num_units, 14);
  EXPECT_OK(dart_domain_destroy(root));
}

/* ---- Groups of units by locality ------------------------------------------------------------- */

TEST(group_locality_split_partitions_the_team) /* O148 */
{
  enum { PIECES_MAX = 12 };
  domain_t    *root = root_of(DART_TEAM_ALL), **cores = NULL;
  int          leaves = 0;
  dart_group_t all;

  EXPECT_OK(dart_domain_scope_domains(root, DART_LOCALITY_SCOPE_CORE, &leaves, &cores));
  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  for (size_t pieces = 1; pieces <= PIECES_MAX; pieces++) {
    dart_group_t piece[PIECES_MAX];
    size_t       count = 999, used = pieces < (size_t)leaves ? pieces : (size_t)leaves;
    size_t       each  = ((size_t)leaves + used - 1) / used;

    test_note("%zu pieces of %d cores", pieces, leaves);
    EXPECT_OK(dart_group_locality_split(all, root, DART_LOCALITY_SCOPE_CORE, pieces, &count,
                                        piece));
    EXPECT_EQ(count, used);
    for (size_t i = 0; i < pieces; i++) {
      for (int unit = 0; unit < n; unit++) {
        int32_t is       = -1;
        bool    expected = false;

        for (size_t leaf = i * each; leaf < (i + 1) * each && leaf < (size_t)leaves; leaf++)
          expected = expected || (i < used && has_unit(cores[leaf], unit));
        EXPECT_OK(dart_group_ismember(piece[i], DART_GLOBAL_UNIT_ID(unit), &is));
        EXPECT_EQ(is, expected);
      }
      EXPECT_OK(dart_group_destroy(&piece[i]));
    }
  }
  EXPECT_OK(dart_group_destroy(&all));
  free(cores);
}
