/* Locality: statements O141 to O148, teams that follow the machine, and bad arguments.
 *
 * Nothing here depends on what the machine is like: tests read the tree, and hold it against itself
 * and against what the units can reach. cli_locality.sh runs this suite on other machines too. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <dash/dart/if/dart_locality.h>

#include "dart_test.h"

SUITE(locality);

typedef dart_domain_locality_t domain_t;

enum { UNKNOWN_TEAM = 12345 };

/* ---- What several tests need ----------------------------------------------------------------- */

static domain_t *root_of(dart_team_t team)
{
  domain_t *root = NULL;

  EXPECT_OK(dart_domain_team_locality(team, ".", &root));
  return root;
}

static dart_unit_locality_t *unit_of(dart_team_t team, int unit)
{
  dart_unit_locality_t *located = NULL;

  EXPECT_OK(dart_unit_locality(team, DART_TEAM_UNIT_ID(unit), &located));
  return located;
}

/* NULL, if there is none. Looks at every domain, other than dart_domain_find, and says nothing. */
static domain_t *find(domain_t *domain, const char *tag)
{
  domain_t *found = strcmp(domain->domain_tag, tag) == 0 ? domain : NULL;

  for (int i = 0; i < domain->num_domains && found == NULL; i++)
    found = find(domain->children[i], tag);
  return found;
}

static bool has_unit(const domain_t *domain, int global)
{
  for (int u = 0; u < domain->num_units; u++)
    if (domain->unit_ids[u].id == global)
      return true;
  return false;
}

static domain_t *clone_of(const domain_t *domain)
{
  domain_t *copy = NULL;

  EXPECT_OK(dart_domain_clone(domain, &copy));
  return copy;
}

static domain_t **domains_of(domain_t *domain, dart_locality_scope_t scope, int *count)
{
  domain_t **found = NULL;

  EXPECT_OK(dart_domain_scope_domains(domain, scope, count, &found));
  return found;
}

/* Statement 142, for `domain` and all below it; `team` is the size of the team. */
static void expect_sound(const domain_t *domain, dart_team_t team)
{
  int nunits = 0;

  EXPECT_EQ(domain->team, team);
  EXPECT_EQ(domain->children == NULL, domain->num_domains == 0);
  EXPECT_EQ(domain->unit_ids == NULL, domain->num_units == 0);
  EXPECT_TRUE(domain->aliases == NULL && domain->num_aliases == 0);
  EXPECT_TRUE(strlen(domain->domain_tag) < DART_LOCALITY_DOMAIN_TAG_MAX_SIZE);
  for (int i = 0; i < domain->num_domains; i++) {
    const domain_t *child = domain->children[i];
    char            tag[64];

    snprintf(tag, sizeof tag, "%s.%d", domain->level == 0 ? "" : domain->domain_tag, i);
    EXPECT_TRUE(strcmp(child->domain_tag, tag) == 0);
    EXPECT_TRUE(child->parent == domain);
    EXPECT_EQ(child->relative_index, i);
    EXPECT_EQ(child->level, domain->level + 1);
    EXPECT_TRUE(child->scope > domain->scope);
    EXPECT_TRUE(child->num_units > 0);
    EXPECT_TRUE(child->num_cores >= 1);
    for (int u = 0; u < child->num_units; u++)
      EXPECT_TRUE(has_unit(domain, child->unit_ids[u].id));
    for (int other = 0; other < i; other++)
      for (int u = 0; u < child->num_units; u++)
        EXPECT_TRUE(!has_unit(domain->children[other], child->unit_ids[u].id));
    nunits += child->num_units;
    expect_sound(child, team);
  }
  if (domain->num_domains > 0)
    EXPECT_EQ(nunits, domain->num_units);
  else
    EXPECT_EQ(domain->scope, DART_LOCALITY_SCOPE_CORE);
}

/* Statements 141 to 143 for a team with locality. */
static void expect_located(dart_team_t team)
{
  int       size = test_team_size(team);
  domain_t *root = root_of(team);

  if (!EXPECT_TRUE(root != NULL))
    return;
  EXPECT_TRUE(strcmp(root->domain_tag, ".") == 0 && strcmp(root->host, "") == 0);
  EXPECT_EQ(root->scope, DART_LOCALITY_SCOPE_GLOBAL);
  EXPECT_EQ(root->level, 0);
  EXPECT_EQ(root->global_index, 0);
  EXPECT_EQ(root->relative_index, 0);
  EXPECT_TRUE(root->parent == NULL);
  EXPECT_EQ(root->num_units, size);
  EXPECT_EQ(root->num_nodes, root->num_domains);
  EXPECT_EQ(root->shared_mem_bytes, 0);
  expect_sound(root, team);

  for (int u = 0; u < size; u++) {
    dart_unit_locality_t *located = unit_of(team, u);
    dart_global_unit_t    global;
    domain_t             *leaf;

    EXPECT_OK(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(u), &global));
    EXPECT_EQ(root->unit_ids[u].id, global.id);
    EXPECT_EQ(located->unit.id, u);
    EXPECT_EQ(located->team, team);
    leaf = find(root, located->domain_tag);
    if (!EXPECT_TRUE(leaf != NULL))
      continue;
    EXPECT_EQ(leaf->scope, DART_LOCALITY_SCOPE_CORE);
    EXPECT_TRUE(leaf->level > 2);
    EXPECT_TRUE(has_unit(leaf, global.id));
    EXPECT_EQ(leaf->global_index, located->hwinfo.core_id);
    EXPECT_TRUE(strcmp(leaf->host, located->hwinfo.host) == 0);
  }
  for (int i = 0; i < root->num_domains; i++) {
    EXPECT_EQ(root->children[i]->scope, DART_LOCALITY_SCOPE_NODE);
    EXPECT_EQ(root->children[i]->node_id, i);
    EXPECT_EQ(root->children[i]->num_nodes, 1);
    EXPECT_EQ(root->children[i]->children[0]->scope, DART_LOCALITY_SCOPE_MODULE);
  }
}

/* ---- The team's tree ------------------------------------------------------------------------- */

TEST(every_unit_is_in_one_leaf_of_a_sound_tree) /* O141 O142 */
{
  expect_located(DART_TEAM_ALL);
}

TEST(domains_are_found_by_their_tags) /* O143 */
{
  domain_t             *root    = root_of(DART_TEAM_ALL), *found;
  dart_unit_locality_t *unit    = unit_of(DART_TEAM_ALL, me);
  const char           *wrong[] = { "", "..", ".99", ".0.0.", "0", "tag", ".0.0.0.0.0.0.0.0.0.0" };

  for (domain_t *domain = find(root, unit->domain_tag); domain != NULL; domain = domain->parent) {
    EXPECT_OK(dart_domain_find(root, domain->domain_tag, &found));
    EXPECT_TRUE(found == domain);
    EXPECT_OK(dart_domain_find(domain, domain->domain_tag, &found));
    EXPECT_TRUE(found == domain);
    EXPECT_OK(dart_domain_team_locality(DART_TEAM_ALL, domain->domain_tag, &found));
    EXPECT_TRUE(found == domain);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char quoted[40];

    test_note("tag '%s'", wrong[i]);
    snprintf(quoted, sizeof quoted, "'%s'", wrong[i]);
    found = root;
    EXPECT_REFUSED(dart_domain_find, (root, wrong[i], &found), DART_ERR_NOTFOUND, quoted);
    EXPECT_TRUE(found == NULL);
    found = root;
    EXPECT_REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, wrong[i], &found), DART_ERR_NOTFOUND,
                   quoted);
    EXPECT_TRUE(found == NULL);
  }
}

/* Of the cores of a node, unless it has more units than cores. (Where tests put units of one node on different machines
 * nothing is shared.) */
TEST(shares_of_cores_do_not_add_up_to_more_than_there_are)
{
  const domain_t *root = root_of(DART_TEAM_ALL);

  for (int i = 0; i < root->num_domains; i++) {
    const domain_t *node = root->children[i];
    int             sum = 0, of_host = 0;

    test_note("node %d", i);
    for (int u = 0; u < node->num_units; u++) {
      const dart_hwinfo_t *info = &unit_of(DART_TEAM_ALL, node->unit_ids[u].id)->hwinfo;

      sum += info->num_cores;
      of_host += strcmp(info->host, node->host) == 0;
    }
    EXPECT_TRUE(sum <= node->num_units || sum <= node->num_cores || of_host < node->num_units);
  }
}

TEST(hardware_is_described) /* O147 */
{
  for (int u = 0; u < n; u++) {
    dart_unit_locality_t *located = unit_of(DART_TEAM_ALL, u);
    const dart_hwinfo_t  *info    = &located->hwinfo;

    test_note("unit %d", u);
    EXPECT_TRUE(located == unit_of(DART_TEAM_ALL, u)); /* the same each time */
    EXPECT_TRUE(memchr(info->host, '\0', sizeof info->host) != NULL && info->host[0] != '\0');
    EXPECT_TRUE(info->num_cores >= 1);
    EXPECT_TRUE(info->min_threads == -1 || info->min_threads >= 1);
    EXPECT_TRUE(info->max_threads >= info->min_threads);
    EXPECT_TRUE(info->max_shmem_mbps > 0);
    EXPECT_TRUE(info->system_memory_bytes == -1 || info->system_memory_bytes >= 1);
    if (!EXPECT_TRUE(info->num_scopes >= 1 && info->num_scopes <= 11))
      continue;
    EXPECT_EQ(info->scopes[0].scope, DART_LOCALITY_SCOPE_CORE);
    EXPECT_EQ(info->scopes[0].index, info->core_id);
    for (int i = 0; i < info->num_scopes; i++)
      EXPECT_TRUE(info->scopes[i].scope > DART_LOCALITY_SCOPE_MODULE);
    for (int i = info->num_scopes; i < DART_LOCALITY_MAX_DOMAIN_SCOPES; i++)
      EXPECT_TRUE(info->scopes[i].scope == DART_LOCALITY_SCOPE_UNDEFINED &&
                  info->scopes[i].index == -1);
  }
}

TEST(what_is_written_is_read_until_exit) /* O147 */
{
  dart_unit_locality_t *located = unit_of(DART_TEAM_ALL, me);
  int                   before  = located->hwinfo.num_numa;
  dart_team_t           team;

  located->hwinfo.num_numa             = 4711;
  root_of(DART_TEAM_ALL)->is_symmetric = 42;
  EXPECT_EQ(unit_of(DART_TEAM_ALL, me)->hwinfo.num_numa, 4711);
  EXPECT_EQ(root_of(DART_TEAM_ALL)->is_symmetric, 42);
  EXPECT_OK(dart_team_locality_init(DART_TEAM_ALL)); /* has it already */
  EXPECT_EQ(unit_of(DART_TEAM_ALL, me)->hwinfo.num_numa, 4711);

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team)); /* has descriptors of its own */
  EXPECT_OK(dart_team_locality_init(team));
  EXPECT_EQ(unit_of(team, me)->hwinfo.num_numa, before);

  EXPECT_OK(dart_exit());
  setenv("DASH_MAX_SHMEM_MBPS", "77", 1);
  EXPECT_OK(dart_init(NULL, NULL));
  EXPECT_EQ(unit_of(DART_TEAM_ALL, me)->hwinfo.num_numa, before);
  for (int u = 0; u < n; u++)
    EXPECT_EQ(unit_of(DART_TEAM_ALL, u)->hwinfo.max_shmem_mbps, 77);
  unsetenv("DASH_MAX_SHMEM_MBPS");
  EXPECT_OK(dart_exit());
  EXPECT_OK(dart_init(NULL, NULL));
  EXPECT_EQ(unit_of(DART_TEAM_ALL, me)->hwinfo.max_shmem_mbps, 1235);
}

/* Launchers say how many nodes they make; simulated nodes share the name of their host. */
TEST(what_a_unit_writes_to_a_tree_is_its_own) /* also where the units of a node share it */
{
  dart_team_t team;
  domain_t   *root;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_team_locality_init(team));
  root                         = root_of(team);
  root->unit_ids[0].id         = 1000 + me;
  root->children[0]->num_cores = 2000 + me;
  test_barrier();
  EXPECT_TRUE(root_of(team) == root);
  EXPECT_EQ(root->unit_ids[0].id, 1000 + me);
  EXPECT_EQ(root->children[0]->num_cores, 2000 + me);
  EXPECT_OK(dart_team_locality_finalize(team));
  test_barrier();
  EXPECT_OK(dart_team_locality_init(team)); /* a new one */
  EXPECT_EQ(root_of(team)->unit_ids[0].id, 0);
  EXPECT_TRUE(root_of(team)->children[0]->num_cores != 2000 + me);
  EXPECT_OK(dart_team_destroy(&team));
}

TEST(there_are_as_many_nodes_as_the_launcher_made)
{
  const char *nodes = getenv("DART_NODES");

  if (nodes != NULL)
    EXPECT_EQ(root_of(DART_TEAM_ALL)->num_nodes, strtol(nodes, NULL, 10));
}

/* ---- Copies, select, exclude ----------------------------------------------------------------- */

TEST(copies_are_independent) /* O144 */
{
  domain_t   *root = root_of(DART_TEAM_ALL), *copy = clone_of(root), *other = NULL;
  const char *mine = unit_of(DART_TEAM_ALL, me)->domain_tag;
  domain_t   *leaf = find(copy, mine);

  expect_sound(copy, DART_TEAM_ALL);
  EXPECT_TRUE(leaf != NULL && leaf != find(root, mine));
  EXPECT_OK(dart_domain_create(&other));
  EXPECT_EQ(other->scope, DART_LOCALITY_SCOPE_UNDEFINED);
  EXPECT_EQ(other->team, DART_TEAM_NULL);
  EXPECT_TRUE(other->level == 0 && other->relative_index == 0 && other->num_domains == 0);
  EXPECT_TRUE(other->global_index == -1 && other->num_units == -1 && other->num_nodes == -1 &&
              other->num_cores == -1 && other->shared_mem_bytes == -1);
  EXPECT_TRUE(other->host[0] == '\0' && other->domain_tag[0] == '\0' && other->children == NULL);

  EXPECT_OK(dart_domain_assign(other, copy));
  EXPECT_OK(dart_domain_exclude(copy, 1, &mine));
  EXPECT_TRUE(find(copy, mine) == NULL);
  EXPECT_TRUE(!has_unit(copy, me));
  EXPECT_TRUE(find(other, mine) != NULL);
  expect_sound(other, DART_TEAM_ALL);
  expect_located(DART_TEAM_ALL);
  EXPECT_OK(dart_domain_destroy(copy));
  EXPECT_OK(dart_domain_destroy(other));
  EXPECT_OK(dart_domain_destroy(NULL));
}

TEST(select_leaves_the_way_and_what_is_below) /* O144 */
{
  domain_t   *copy = clone_of(root_of(DART_TEAM_ALL)), *leaf;
  const char *mine = unit_of(DART_TEAM_ALL, me)->domain_tag;

  EXPECT_OK(dart_domain_select(copy, 1, &mine));
  leaf = find(copy, mine);
  EXPECT_TRUE(leaf != NULL && has_unit(leaf, me));
  EXPECT_EQ(copy->num_units, leaf->num_units);
  for (domain_t *domain = leaf->parent; domain != NULL; domain = domain->parent) {
    EXPECT_EQ(domain->num_domains, 1);
    EXPECT_EQ(domain->children[0]->relative_index, 0);
  }
  EXPECT_OK(dart_domain_destroy(copy));
}

/* ---- Scopes, split, group -------------------------------------------------------------------- */

TEST(scopes_list_their_domains) /* O145 */
{
  domain_t *root  = root_of(DART_TEAM_ALL), **leaves;
  char    **tags  = NULL;
  int       count = 0, ntags = 0, nunits = 0;

  leaves = domains_of(root, DART_LOCALITY_SCOPE_CORE, &count);
  EXPECT_OK(dart_domain_scope_tags(root, DART_LOCALITY_SCOPE_CORE, &ntags, &tags));
  EXPECT_EQ(ntags, count);
  for (int i = 0; i < count; i++) {
    nunits += leaves[i]->num_units;
    EXPECT_EQ(leaves[i]->num_domains, 0);
    EXPECT_TRUE(strcmp(leaves[i]->domain_tag, tags[i]) == 0);
    EXPECT_TRUE(tags[i] != leaves[i]->domain_tag);
    free(tags[i]);
  }
  EXPECT_EQ(nunits, n);
  free(tags);
  free(leaves);

  count  = 7;
  leaves = &root;
  EXPECT_REFUSED(dart_domain_scope_domains, (root, DART_LOCALITY_SCOPE_NETWORK, &count, &leaves),
                 DART_ERR_NOTFOUND, "scope 50");
  EXPECT_TRUE(count == 0 && leaves == NULL);
  ntags = 7;
  tags  = (char **)&root;
  EXPECT_REFUSED(dart_domain_scope_tags, (root, (dart_locality_scope_t)77, &ntags, &tags),
                 DART_ERR_NOTFOUND, "scope 77");
  EXPECT_TRUE(ntags == 0 && tags == NULL);
}

TEST(split_parts_have_all_units_once) /* O146 */
{
  domain_t *root = root_of(DART_TEAM_ALL);

  for (int nparts = 1; nparts <= 5; nparts++) {
    domain_t parts[5];

    memset(parts, 0x5a, sizeof parts);
    EXPECT_OK(dart_domain_split_scope(root, DART_LOCALITY_SCOPE_CORE, nparts, parts));
    for (int u = 0; u < n; u++) {
      int times = 0;

      for (int p = 0; p < nparts; p++)
        times += has_unit(&parts[p], u);
      EXPECT_EQ(times, 1);
    }
    for (int p = 0; p < nparts; p++) { /* users copy a part, and release what it holds */
      domain_t *taken = clone_of(&parts[p]);

      EXPECT_EQ(taken->num_units, parts[p].num_units);
      EXPECT_OK(dart_domain_destroy(taken));
      EXPECT_OK(dart_domain_select(&parts[p], 0, NULL));
      EXPECT_EQ(parts[p].num_units, 0);
    }
  }
  expect_located(DART_TEAM_ALL);
}

/* In the team's own tree, by tags read before, in any order. */
TEST(groups_hold_exactly_their_units) /* O146 */
{
  domain_t *root = root_of(DART_TEAM_ALL), **leaves;
  int       count;
  char      tag[2][DART_LOCALITY_DOMAIN_TAG_MAX_SIZE] = { "", "" };
  domain_t *group;

  leaves = domains_of(root, DART_LOCALITY_SCOPE_CORE, &count);
  for (int g = 0; g < 2 && 2 * g + 1 < count; g++) { /* leaves 0 and 1, then 2 and 3 */
    const char *tags[2] = { leaves[2 * g + 1 - g]->domain_tag, leaves[2 * g + g]->domain_tag };
    char        old[2][DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    int         nunits = leaves[2 * g]->num_units + leaves[2 * g + 1]->num_units;

    strcpy(old[0], tags[0]);
    strcpy(old[1], tags[1]);
    tags[0] = old[0];
    tags[1] = old[1];
    EXPECT_OK(dart_domain_group(root, 2, tags, tag[g]));
    EXPECT_OK(dart_domain_team_locality(DART_TEAM_ALL, tag[g], &group));
    EXPECT_EQ(group->scope, DART_LOCALITY_SCOPE_GROUP);
    EXPECT_EQ(group->num_units, nunits);
    for (int i = 0; i < 2; i++) {
      for (int u = 0; u < leaves[2 * g + i]->num_units; u++)
        EXPECT_TRUE(has_unit(group, leaves[2 * g + i]->unit_ids[u].id));
      EXPECT_TRUE(find(root, old[i]) == NULL);
      EXPECT_TRUE(find(group, leaves[2 * g + i]->domain_tag) == leaves[2 * g + i]);
    }
    for (int i = 2 * g + 2; i < count; i++)
      EXPECT_TRUE(find(root, leaves[i]->domain_tag) == leaves[i]);
    EXPECT_EQ(root->num_units, n);
  }
  if (count >= 4)
    EXPECT_TRUE(strcmp(tag[0], tag[1]) != 0);
  free(leaves);

  EXPECT_OK(dart_team_locality_finalize(DART_TEAM_ALL)); /* a fresh tree for the others */
  EXPECT_OK(dart_team_locality_init(DART_TEAM_ALL));
  expect_located(DART_TEAM_ALL);
}

TEST(domains_can_be_added_and_moved)
{
  domain_t *copy = clone_of(root_of(DART_TEAM_ALL)), *more = clone_of(copy);
  domain_t *first    = copy->children[0];
  int       ndomains = copy->num_domains;

  EXPECT_OK(dart_domain_select(more, 0, NULL));
  EXPECT_OK(dart_domain_add_subdomain(copy, more, -1));
  EXPECT_EQ(copy->num_domains, ndomains + 1);
  EXPECT_TRUE(copy->children[ndomains] == more && more->parent == copy);
  EXPECT_EQ(more->level, 1);
  EXPECT_OK(dart_domain_move_subdomain(first, more, 0));
  EXPECT_EQ(first->level, 2);
  EXPECT_TRUE(find(copy, first->domain_tag) == first);
  EXPECT_EQ(more->num_units, first->num_units);
  EXPECT_EQ(copy->num_units, n);
  EXPECT_OK(dart_domain_destroy(copy));
}

/* ---- Teams that follow the machine ----------------------------------------------------------- */

/* Split `group` into `parts` along `scope`, and check that nobody is lost or doubled. */
static void split_group(dart_group_t group, domain_t *domain, dart_locality_scope_t scope,
                        size_t parts, dart_group_t *pieces)
{
  domain_t **found;
  size_t     nout = 99, expected;
  int        count;

  found    = domains_of(domain, scope, &count);
  expected = parts < (size_t)count ? parts : (size_t)count;
  EXPECT_OK(dart_group_locality_split(group, domain, scope, parts, &nout, pieces));
  EXPECT_EQ(nout, expected);
  for (size_t p = 0; p < parts; p++) {
    size_t run = ((size_t)count + parts - 1) / parts, size;

    EXPECT_OK(dart_group_size(pieces[p], &size));
    EXPECT_TRUE(p < nout || size == 0);
    for (int u = 0; u < n; u++) {
      int32_t member, wanted;
      bool    below = false;

      for (size_t d = p * run; d < (p + 1) * run && d < (size_t)count; d++)
        below |= has_unit(found[d], u);
      EXPECT_OK(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(u), &wanted));
      EXPECT_OK(dart_group_ismember(pieces[p], DART_GLOBAL_UNIT_ID(u), &member));
      EXPECT_EQ(member, wanted && below);
    }
  }
  free(found);
}

static void split_into_teams(dart_team_t team, dart_locality_scope_t scope, size_t parts)
{
  dart_group_t group, pieces[8];
  int          sum, mine = 0;

  EXPECT_OK(dart_team_get_group(team, &group));
  split_group(group, root_of(team), scope, parts, pieces);
  EXPECT_OK(dart_group_destroy(&group));
  for (size_t p = 0; p < parts; p++) {
    dart_team_t part;

    EXPECT_OK(dart_team_create(team, pieces[p], &part));
    EXPECT_OK(dart_group_destroy(&pieces[p]));
    if (part == DART_TEAM_NULL)
      continue;
    mine++;
    EXPECT_OK(dart_team_locality_init(part));
    expect_located(part);
    sum = 1;
    EXPECT_OK(dart_allreduce(&(int){ 1 }, &sum, 1, DART_TYPE_INT, DART_OP_SUM, part));
    EXPECT_EQ(sum, test_team_size(part));
    if (scope == DART_LOCALITY_SCOPE_NODE && (size_t)root_of(team)->num_domains <= parts)
      EXPECT_EQ(root_of(part)->num_nodes, 1);
    EXPECT_OK(dart_team_locality_finalize(part));
    EXPECT_OK(dart_team_destroy(&part));
  }
  EXPECT_EQ(mine, 1); /* everybody is in one of them */
}

TEST(groups_are_split_along_the_machine) /* O148 */
{
  static const dart_locality_scope_t scopes[] = { DART_LOCALITY_SCOPE_GLOBAL,
                                                  DART_LOCALITY_SCOPE_NODE,
                                                  DART_LOCALITY_SCOPE_MODULE,
                                                  DART_LOCALITY_SCOPE_CORE };

  for (size_t s = 0; s < sizeof scopes / sizeof scopes[0]; s++)
    for (size_t parts = 1; parts <= 8; parts += parts < 4 ? 1 : 4) {
      test_note("scope %d in %zu parts", scopes[s], parts);
      split_into_teams(DART_TEAM_ALL, scopes[s], parts);
    }
}

/* Domains have global ids: a team whose ids differ from those must not take them for its own. */
TEST_N(3, teams_of_some_units_are_split_too) /* O148 */
{
  int         units[] = { n - 1, 1 };
  dart_team_t team    = test_team(DART_TEAM_ALL, units, 2);

  if (team == DART_TEAM_NULL)
    return;
  EXPECT_OK(dart_team_locality_init(team));
  expect_located(team);
  split_into_teams(team, DART_LOCALITY_SCOPE_NODE, 2);
  split_into_teams(team, DART_LOCALITY_SCOPE_CORE, 5);
}

/* A team of the units of `domain`: they meet, and each writes to its right neighbour. */
static void expect_team_runs(const domain_t *domain)
{
  dart_group_t group;
  dart_team_t  team;
  dart_gptr_t  cells;
  int          at, size;

  EXPECT_OK(dart_group_create(&group));
  for (int u = 0; u < domain->num_units; u++)
    EXPECT_OK(dart_group_addmember(group, domain->unit_ids[u]));
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_EQ(team != DART_TEAM_NULL, has_unit(domain, me));
  if (team == DART_TEAM_NULL)
    return;

  at   = test_team_me(team);
  size = test_team_size(team);
  EXPECT_EQ(size, domain->num_units);
  if (EXPECT_OK(dart_team_memalloc_aligned(team, 1, T_INT64, &cells))) {
    int64_t value = 1000 + at;

    *test_mine(cells) = -1;
    EXPECT_OK(dart_barrier(team));
    EXPECT_OK(dart_put_blocking(test_unit(cells, (at + 1) % size), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_barrier(team));
    EXPECT_EQ(*test_mine(cells), 1000 + (at + size - 1) % size);
    EXPECT_OK(dart_team_memfree(cells));
  }
  EXPECT_OK(dart_team_destroy(&team));
}

static bool has_scope(const domain_t *domain, dart_locality_scope_t scope)
{
  bool has = domain->scope == scope;

  for (int i = 0; i < domain->num_domains; i++)
    has |= has_scope(domain->children[i], scope);
  return has;
}

/* By every scope that this machine has. All units see the same tree, and so make the same teams. */
TEST(parts_of_the_machine_make_teams)
{
  static const dart_locality_scope_t scopes[] = {
    DART_LOCALITY_SCOPE_NODE,    DART_LOCALITY_SCOPE_MODULE, DART_LOCALITY_SCOPE_NUMA,
    DART_LOCALITY_SCOPE_PACKAGE, DART_LOCALITY_SCOPE_CACHE,  DART_LOCALITY_SCOPE_CORE
  };
  domain_t *root = root_of(DART_TEAM_ALL);

  for (size_t s = 0; s < sizeof scopes / sizeof scopes[0]; s++) {
    domain_t   *selected, *rest, *whole, *group, parts[2], **found;
    const char *ends[2];
    char        tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    int         count, expected, all = 0; /* not every node needs to have such domains */

    if (!has_scope(root, scopes[s]))
      continue;
    test_note("scope %d", scopes[s]);
    found   = domains_of(root, scopes[s], &count);
    ends[0] = found[count - 1]->domain_tag;
    ends[1] = found[0]->domain_tag;
    for (int i = 0; i < count; i++)
      all += found[i]->num_units;
    expected = found[0]->num_units + (count > 1 ? found[count - 1]->num_units : 0);
    selected = clone_of(root);
    rest     = clone_of(root);
    whole    = clone_of(root);

    EXPECT_OK(dart_domain_split_scope(root, scopes[s], 2, parts));
    EXPECT_OK(dart_domain_select(selected, 1, ends));
    EXPECT_OK(dart_domain_exclude(rest, 1, ends));
    EXPECT_OK(dart_domain_group(whole, count > 1 ? 2 : 1, ends, tag));
    group = find(whole, tag);
    EXPECT_EQ(parts[0].num_units + parts[1].num_units, all);
    EXPECT_EQ(selected->num_units, found[count - 1]->num_units);
    EXPECT_EQ(selected->num_units + rest->num_units, n);
    EXPECT_EQ(group->num_units, expected);
    EXPECT_EQ(whole->num_units, n);

    for (int p = 0; p < 2; p++) {
      if (parts[p].num_units > 0)
        expect_team_runs(&parts[p]);
      EXPECT_OK(dart_domain_select(&parts[p], 0, NULL)); /* release what it holds */
    }
    expect_team_runs(selected);
    if (rest->num_units > 0)
      expect_team_runs(rest);
    expect_team_runs(group);
    free(found);
    EXPECT_OK(dart_domain_destroy(selected));
    EXPECT_OK(dart_domain_destroy(rest));
    EXPECT_OK(dart_domain_destroy(whole));
  }
}

TEST(a_team_has_locality_from_init_to_finalize) /* O148 */
{
  dart_team_t           team = test_split(DART_TEAM_ALL, 2), first;
  domain_t             *root = (domain_t *)&team;
  dart_unit_locality_t *unit = (dart_unit_locality_t *)&team;

  EXPECT_OK(dart_team_locality_finalize(team)); /* there is nothing to release */
  EXPECT_REFUSED(dart_domain_team_locality, (team, ".", &root), DART_ERR_NOTFOUND, "no locality");
  EXPECT_REFUSED(dart_unit_locality, (team, DART_TEAM_UNIT_ID(0), &unit), DART_ERR_NOTFOUND,
                 "no locality");
  EXPECT_TRUE(root == NULL && unit == NULL);
  EXPECT_OK(dart_team_locality_init(team));
  EXPECT_OK(dart_team_locality_init(team));
  expect_located(team);
  EXPECT_OK(dart_team_locality_finalize(team));
  EXPECT_OK(dart_team_locality_finalize(team));
  EXPECT_REFUSED(dart_domain_team_locality, (team, ".", &root), DART_ERR_NOTFOUND, "no locality");
  EXPECT_OK(dart_team_locality_init(team));
  expect_located(team);

  first = test_team(DART_TEAM_ALL, &(int){ 0 }, 1); /* destroyed with its locality */
  if (me == 0)
    EXPECT_OK(dart_team_locality_init(first));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The NUMA domain of the page at `at`, which is the caller's to write; -1: nobody tells. */
static int node_of(char *at)
{
  void *address = at;
  int   node    = -1;

  *at = 1;
  return syscall(SYS_move_pages, 0, 1UL, &address, NULL, &node, 0) == 0 ? node : -1;
}

static void expect_on_node(char *base, size_t nbytes, int node)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);

  for (char *at = base; at < base + nbytes; at += page)
    if (!EXPECT_EQ(node_of(at), node))
      return;
}

/* DART's memory of a unit that stays on one processor is where the unit's own memory is: what is
 * reserved in advance at init, and what comes later, when a segment or the pool outgrows that.
 * Units are on different processors, as far as there are any. */
TEST(memory_is_on_the_units_numa_domain)
{
  enum { SMALL = 64 << 10, LARGE = 4 << 20 };

  cpu_set_t   before, mine;
  dart_gptr_t gptr;
  void       *address;
  char       *own;
  int         node, skipped = 0;

  CPU_ZERO(&before);
  CPU_ZERO(&mine);
  EXPECT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&mine) == 0; cpu++)
    if (CPU_ISSET(cpu, &before) && skipped++ == me * CPU_COUNT(&before) / n)
      CPU_SET(cpu, &mine);
  EXPECT_OK(dart_exit());
  EXPECT_EQ(sched_setaffinity(0, sizeof mine, &mine), 0);
  own  = mmap(NULL, SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  node = own != MAP_FAILED ? node_of(own) : -1;
  EXPECT_OK(dart_init(NULL, NULL));

  for (size_t nbytes = SMALL; nbytes <= LARGE; nbytes *= LARGE / SMALL) {
    test_note("%zu bytes, NUMA domain %d", nbytes, node);
    if (EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr))) {
      expect_on_node((char *)test_mine(gptr), nbytes, node);
      EXPECT_OK(dart_team_memfree(gptr));
    }
    if (EXPECT_OK(dart_memalloc(nbytes, DART_TYPE_BYTE, &gptr))) {
      if (EXPECT_OK(dart_gptr_getaddr(gptr, &address)))
        expect_on_node(address, nbytes, node);
      EXPECT_OK(dart_memfree(gptr));
    }
  }
  EXPECT_OK(dart_exit());
  munmap(own, SMALL);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_OK(dart_init(NULL, NULL));
}

/* ---- Bad arguments --------------------------------------------------------------------------- */

TEST(bad_arguments_are_refused_in_one_line)
{
  domain_t             *root = root_of(DART_TEAM_ALL), *copy = clone_of(root), *out = root;
  domain_t            **list, part;
  char                **tags;
  dart_unit_locality_t *unit;
  const char           *dot[] = { "." }, *none[] = { ".7.7" }, *null[] = { NULL };
  const char           *nested[] = { ".0", ".0.0" };
  dart_group_t          group, pieces[2] = { NULL, NULL };
  size_t                nout;
  int                   count;
  char                  tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  EXPECT_REFUSED(dart_team_locality_init, (UNKNOWN_TEAM), DART_ERR_INVAL, "team 12345");
  EXPECT_REFUSED(dart_team_locality_init, (DART_TEAM_NULL), DART_ERR_INVAL, "team -1");
  EXPECT_REFUSED(dart_team_locality_finalize, (UNKNOWN_TEAM), DART_ERR_INVAL, "team 12345");
  EXPECT_REFUSED(dart_domain_team_locality, (UNKNOWN_TEAM, ".", &out), DART_ERR_INVAL,
                 "team 12345");
  EXPECT_TRUE(out == NULL);
  EXPECT_REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, NULL, &out), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, ".", NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, ".77", &out), DART_ERR_NOTFOUND, ".77");

  for (int u = -1; u <= n; u += n + 1) {
    char wrong[32];

    snprintf(wrong, sizeof wrong, "unit %d", u);
    unit = unit_of(DART_TEAM_ALL, 0);
    EXPECT_REFUSED(dart_unit_locality, (DART_TEAM_ALL, DART_TEAM_UNIT_ID(u), &unit), DART_ERR_INVAL,
                   wrong);
    EXPECT_TRUE(unit == NULL);
  }
  EXPECT_REFUSED(dart_unit_locality, (UNKNOWN_TEAM, DART_TEAM_UNIT_ID(0), &unit), DART_ERR_INVAL,
                 "team 12345");
  EXPECT_REFUSED(dart_unit_locality, (DART_TEAM_ALL, DART_TEAM_UNIT_ID(0), NULL), DART_ERR_INVAL,
                 "NULL");

  EXPECT_REFUSED(dart_domain_create, (NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_clone, (NULL, &out), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_clone, (root, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_destroy, (root), DART_ERR_INVAL, "the team's own tree");
  EXPECT_REFUSED(dart_domain_destroy, (copy->children[0]), DART_ERR_INVAL, "part of a tree");
  EXPECT_REFUSED(dart_domain_assign, (NULL, root), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_assign, (copy, NULL), DART_ERR_INVAL, "NULL");

  EXPECT_REFUSED(dart_domain_find, (NULL, ".", &out), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_find, (root, NULL, &out), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_find, (root, ".", NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_find, (root, "no tag", &out), DART_ERR_NOTFOUND, "no tag");
  EXPECT_REFUSED(dart_domain_scope_domains, (NULL, DART_LOCALITY_SCOPE_CORE, &count, &list),
                 DART_ERR_INVAL, "NULL");
  EXPECT_TRUE(count == 0 && list == NULL);
  EXPECT_REFUSED(dart_domain_scope_domains, (root, DART_LOCALITY_SCOPE_CORE, NULL, &list),
                 DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_scope_domains, (root, DART_LOCALITY_SCOPE_CORE, &count, NULL),
                 DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_scope_domains, (root, (dart_locality_scope_t)4711, &count, &list),
                 DART_ERR_NOTFOUND, "4711");
  EXPECT_REFUSED(dart_domain_scope_tags, (NULL, DART_LOCALITY_SCOPE_CORE, &count, &tags),
                 DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_scope_tags, (root, DART_LOCALITY_SCOPE_UNDEFINED, &count, &tags),
                 DART_ERR_NOTFOUND, "scope -1");

  EXPECT_REFUSED(dart_domain_select, (NULL, 1, dot), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_select, (copy, 1, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_select, (copy, -1, dot), DART_ERR_INVAL, "-1 tags");
  EXPECT_REFUSED(dart_domain_exclude, (copy, 1, null), DART_ERR_INVAL, "NULL");
  EXPECT_OK(dart_domain_exclude(copy, 1, none));
  EXPECT_REFUSED(dart_domain_split_scope, (copy, DART_LOCALITY_SCOPE_CORE, 0, &part),
                 DART_ERR_INVAL, "0 parts");
  EXPECT_REFUSED(dart_domain_split_scope, (NULL, DART_LOCALITY_SCOPE_CORE, 1, copy), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_domain_split_scope, (root, DART_LOCALITY_SCOPE_CORE, 1, NULL), DART_ERR_INVAL,
                 "NULL");
  EXPECT_REFUSED(dart_domain_split_scope, (root, DART_LOCALITY_SCOPE_CPU, 1, copy),
                 DART_ERR_NOTFOUND, "scope 600");
  EXPECT_REFUSED(dart_domain_group, (copy, 0, dot, tag), DART_ERR_INVAL, "no tags");
  EXPECT_REFUSED(dart_domain_group, (copy, 1, dot, tag), DART_ERR_INVAL, "'.' is the domain");
  EXPECT_REFUSED(dart_domain_group, (copy, 1, none, tag), DART_ERR_NOTFOUND, "'.7.7'");
  EXPECT_REFUSED(dart_domain_group, (copy, 2, nested, tag), DART_ERR_INVAL, "'.0' is above");
  EXPECT_REFUSED(dart_domain_group, (copy, 1, nested, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_add_subdomain, (copy, NULL, 0), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_add_subdomain, (copy, root, 0), DART_ERR_INVAL, "the team's own tree");
  EXPECT_REFUSED(dart_domain_add_subdomain, (copy, copy->children[0], 0), DART_ERR_INVAL,
                 "'.0' is in a tree already");
  EXPECT_REFUSED(dart_domain_move_subdomain, (NULL, copy, 0), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_domain_move_subdomain, (copy, copy->children[0], 0), DART_ERR_INVAL,
                 "'.' has no parent");
  expect_sound(copy, DART_TEAM_ALL);

  EXPECT_OK(dart_group_create(&group));
  EXPECT_REFUSED(dart_group_locality_split,
                 (NULL, root, DART_LOCALITY_SCOPE_CORE, 2, &nout, pieces), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_group_locality_split,
                 (group, NULL, DART_LOCALITY_SCOPE_CORE, 2, &nout, pieces), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_group_locality_split,
                 (group, root, DART_LOCALITY_SCOPE_CORE, 0, &nout, pieces), DART_ERR_OTHER,
                 "0 groups");
  nout = 7;
  EXPECT_REFUSED(dart_group_locality_split,
                 (group, root, DART_LOCALITY_SCOPE_CPU, 2, &nout, pieces), DART_ERR_NOTFOUND,
                 "scope 600");
  EXPECT_TRUE(nout == 0 && pieces[0] == NULL && pieces[1] == NULL);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_OK(dart_domain_destroy(copy));
  expect_located(DART_TEAM_ALL);
}
