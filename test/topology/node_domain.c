/* Trees of domains: built from descriptions of machines that nobody has at hand, looked into, and
 * reshaped. No job is needed for that. */
#include "node_machine.h"

#include "topology/domain_build.h"

typedef dart_domain_locality_t domain_t;

/* ---- teams that exist on paper ----------------------------------------------------------- */

enum { UNITS_MAX = 64, TEAM = 5, ID_STEP = 3 }; /* unit u of the team has the global id 3 u */

typedef struct {
  const char *machine;
  int         node;
  int         cpu;
} placed_t;

typedef struct {
  domain_t            *root;
  dart_unit_locality_t units[UNITS_MAX];
  int                  nunits;
} team_t;

static team_t team_of(const placed_t *placed, int nunits)
{
  dart__hardware_t    hardware[UNITS_MAX];
  dart__domain_unit_t units[UNITS_MAX];
  team_t              team = { .nunits = nunits };

  for (int u = 0; u < nunits; u++) {
    hardware[u] = test_hardware_at(placed[u].machine, placed[u].cpu);
    units[u]    = (dart__domain_unit_t){ ID_STEP * u, placed[u].node, &hardware[u] };
  }
  assert_int_equal(dart__domain_build(TEAM, units, nunits, &team.root, team.units), DART_OK);
  return team;
}

/* `nunits` units on the first processor of every `stride`-th core of one machine. */
static team_t team_on(const char *machine, int nunits, int stride, int nthreads)
{
  placed_t placed[UNITS_MAX];

  for (int u = 0; u < nunits; u++)
    placed[u] = (placed_t){ machine, 0, u * stride * nthreads };
  return team_of(placed, nunits);
}

static const placed_t mixed_nodes[] = {
  /* units take turns on three nodes of different build */
  { "pack:2 numa:4 core:16 pu:2", 0, 0 },  { "arm-big-little.xml", 1, 0 },
  { "processors-only.xml", 2, 3 },         { "pack:2 numa:4 core:16 pu:2", 0, 255 },
  { "arm-big-little.xml", 1, 5 },          { "processors-only.xml", 2, 3 },
  { "pack:2 numa:4 core:16 pu:2", 0, 1 },  { "arm-big-little.xml", 1, 1 },
  { "pack:2 numa:4 core:16 pu:2", 0, 30 },
};

enum { MIXED_UNITS = sizeof mixed_nodes / sizeof mixed_nodes[0] };

/* ---- what holds in every tree ------------------------------------------------------------ */

static void check_below(const domain_t *domain)
{
  int nunits = 0;

  assert_true((domain->num_domains == 0) == (domain->children == NULL));
  assert_true((domain->num_units == 0) == (domain->unit_ids == NULL));
  assert_int_equal(domain->num_aliases, 0);
  assert_null(domain->aliases);
  for (int i = 0; i < domain->num_domains; i++) {
    const domain_t *child  = domain->children[i];
    const char     *number = dart__tag_below(domain->domain_tag, child->domain_tag);

    assert_ptr_equal(child->parent, domain);
    assert_int_equal(child->relative_index, i);
    assert_int_equal(child->level, domain->level + 1);
    assert_non_null(number);
    assert_int_equal(number[0], '.');
    assert_null(strchr(number + 1, '.'));
    for (int j = 0; j < i; j++)
      assert_string_not_equal(child->domain_tag, domain->children[j]->domain_tag);
    if (child->scope != DART_LOCALITY_SCOPE_GROUP && domain->scope != DART_LOCALITY_SCOPE_GROUP)
      assert_true(child->scope > domain->scope);
    for (int u = 0; u < child->num_units; u++) { /* theirs together, in order */
      assert_true(nunits < domain->num_units);
      if (domain->scope != DART_LOCALITY_SCOPE_GLOBAL)
        assert_int_equal(domain->unit_ids[nunits].id, child->unit_ids[u].id);
      nunits++;
    }
    check_below(child);
  }
  if (domain->num_domains > 0)
    assert_int_equal(nunits, domain->num_units);
  if (domain->scope == DART_LOCALITY_SCOPE_GLOBAL)
    for (int u = 1; u < domain->num_units; u++)
      assert_true(domain->unit_ids[u - 1].id < domain->unit_ids[u].id);
}

/* A tree as text: tag, scope, number, units of every domain. */
static void print(const domain_t *domain, char *text, size_t size)
{
  size_t used = strlen(text);

  used += (size_t)snprintf(text + used, size - used, "%s %d %d %d:", domain->domain_tag,
                           (int)domain->scope, domain->global_index, domain->num_cores);
  for (int u = 0; u < domain->num_units; u++)
    used += (size_t)snprintf(text + used, size - used, " %d", domain->unit_ids[u].id);
  used += (size_t)snprintf(text + used, size - used, "\n");
  assert_true(used < size);
  for (int i = 0; i < domain->num_domains; i++)
    print(domain->children[i], text, size);
}

static char printed[2][64 * 1024];

static const char *print_into(int which, const domain_t *domain)
{
  printed[which][0] = '\0';
  print(domain, printed[which], sizeof printed[which]);
  return printed[which];
}

static domain_t *at(const domain_t *domain, const char *tag)
{
  domain_t *found = dart__domain_find(domain, tag);

  assert_non_null(found);
  assert_string_equal(found->domain_tag, tag);
  return found;
}

/* "1 2 3": the units, as team ids. */
static void check_units(const domain_t *domain, const char *expected)
{
  char   text[256] = "";
  size_t used      = 0;

  for (int u = 0; u < domain->num_units; u++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", u > 0 ? " " : "",
                             domain->unit_ids[u].id / ID_STEP);
  assert_string_equal(text, expected);
}

static void check_team(const team_t *team)
{
  check_below(team->root);
  assert_string_equal(team->root->domain_tag, ".");
  assert_string_equal(team->root->host, "");
  assert_int_equal(team->root->scope, DART_LOCALITY_SCOPE_GLOBAL);
  assert_int_equal(team->root->level, 0);
  assert_null(team->root->parent);
  assert_int_equal(team->root->num_units, team->nunits);
  assert_int_equal(team->root->num_nodes, team->root->num_domains);
  assert_int_equal(team->root->shared_mem_bytes, 0);
  for (int u = 0; u < team->nunits; u++) {
    const domain_t *leaf = at(team->root, team->units[u].domain_tag);
    bool            here = false;

    assert_int_equal(team->units[u].unit.id, u);
    assert_int_equal(team->units[u].team, TEAM);
    assert_int_equal(leaf->scope, DART_LOCALITY_SCOPE_CORE);
    assert_true(leaf->level > 2);
    assert_int_equal(leaf->global_index, team->units[u].hwinfo.core_id);
    assert_string_equal(leaf->host, team->units[u].hwinfo.host);
    for (int i = 0; i < leaf->num_units; i++)
      here |= leaf->unit_ids[i].id == ID_STEP * u;
    assert_true(here);
  }
}

/* ---- building ---------------------------------------------------------------------------- */

static void every_machine_gives_a_sound_tree(void **state)
{
  static const struct {
    const char *machine;
    int         nunits, stride, nthreads;
  } cases[] = { { "pu:1", 1, 1, 1 },
                { "pu:1", 5, 0, 1 }, /* all on one processor */
                { "pu:4", 8, 1, 0 },
                { "pack:2 numa:4 core:16 pu:2", 1, 77, 2 },
                { "pack:2 numa:4 core:16 pu:2", 64, 2, 2 },
                { "pack:2 numa:4 core:16 pu:2", 64, 1, 1 }, /* two units a core */
                { "pack:2 l3:1 numa:2 core:8 pu:2", 32, 1, 2 },
                { "numa:2 pack:2 l3:2 l2:2 core:2 pu:1", 32, 1, 1 },
                { "numa:40 core:32 pu:4", 40, 32, 4 },
                { "pack:1 l5:1 l4:1 numa:1 l3:1 l2:1 l1d:1 core:12 pu:1", 12, 1, 1 },
                { "arm-big-little.xml", 8, 1, 1 },
                { "recorded-two-cores.xml", 2, 1, 1 },
                { "recorded-two-sockets.xml", 16, 1, 1 }, /* two units a core */
                { "processors-only.xml", 6, 1, 1 },
                { "two-memories.xml", 4, 1, 2 } };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    team_t team = team_on(cases[i].machine, cases[i].nunits, cases[i].stride, cases[i].nthreads);

    check_team(&team);
    assert_int_equal(team.root->num_domains, 1);
    assert_int_equal(team.root->node_id, 0);
    dart__domain_delete(team.root);
  }
}

static void levels_are_nested_by_scope(void **state)
{
  team_t team = team_on("numa:2 pack:2 l3:2 l2:2 core:2 pu:1", 32, 1, 1);

  (void)state;
  assert_int_equal(at(team.root, ".0")->scope, DART_LOCALITY_SCOPE_NODE);
  assert_int_equal(at(team.root, ".0.0")->scope, DART_LOCALITY_SCOPE_MODULE);
  assert_int_equal(at(team.root, ".0.0.1")->scope, DART_LOCALITY_SCOPE_NUMA);
  assert_int_equal(at(team.root, ".0.0.1.1")->scope, DART_LOCALITY_SCOPE_PACKAGE);
  assert_int_equal(at(team.root, ".0.0.1.1")->global_index, 3);
  assert_int_equal(at(team.root, ".0.0.1.1.0")->scope, DART_LOCALITY_SCOPE_CACHE);
  assert_int_equal(at(team.root, ".0.0.1.1.0")->global_index, 6); /* an L3 */
  assert_int_equal(at(team.root, ".0.0.1.1.0.3")->scope, DART_LOCALITY_SCOPE_CORE);
  assert_int_equal(at(team.root, ".0.0.1.1.0.3")->global_index, 27);
  check_units(at(team.root, ".0.0.1.1.0"), "24 25 26 27");
  dart__domain_delete(team.root);

  /* packages around NUMA domains cannot be below them */
  team = team_on("pack:2 numa:4 core:16 pu:2", 64, 2, 2);
  assert_int_equal(at(team.root, ".0.0")->num_domains, 8);
  assert_int_equal(at(team.root, ".0.0.7")->scope, DART_LOCALITY_SCOPE_NUMA);
  assert_int_equal(at(team.root, ".0.0.7.7")->scope, DART_LOCALITY_SCOPE_CORE);
  assert_int_equal(at(team.root, ".0.0.7.7")->global_index, 126);
  dart__domain_delete(team.root);
}

static void units_of_one_core_share_its_leaf(void **state)
{
  const placed_t placed[] = { { "core:4 pu:2", 0, 3 },
                              { "core:4 pu:2", 0, 6 },
                              { "core:4 pu:2", 0, 2 },
                              { "core:4 pu:2", 0, 3 } };
  team_t         team     = team_of(placed, 4);
  int            count;
  domain_t     **leaves;

  (void)state;
  check_team(&team);
  assert_int_equal(
      dart__domain_of_scope("test", team.root, DART_LOCALITY_SCOPE_CORE, &count, &leaves), DART_OK);
  assert_int_equal(count, 2);
  check_units(leaves[0], "0 2 3");
  check_units(leaves[1], "1");
  assert_string_equal(team.units[0].domain_tag, team.units[3].domain_tag);
  free(leaves);
  dart__domain_delete(team.root);
}

static void nodes_may_differ(void **state)
{
  team_t team = team_of(mixed_nodes, MIXED_UNITS);

  (void)state;
  check_team(&team);
  assert_int_equal(team.root->num_nodes, 3);
  assert_int_equal(team.root->node_id, -1);
  assert_int_equal(team.root->is_symmetric, 0);
  assert_int_equal(team.root->num_cores, 128 + 8 + 6);
  check_units(team.root, "0 1 2 3 4 5 6 7 8");
  check_units(at(team.root, ".0"), "0 6 8 3");
  check_units(at(team.root, ".1"), "1 7 4");
  check_units(at(team.root, ".2"), "2 5");
  assert_string_equal(at(team.root, ".1")->host, "arm-board");
  assert_int_equal(at(team.root, ".1")->node_id, 1);
  assert_int_equal(at(team.root, ".1")->num_nodes, 1);
  assert_int_equal(at(team.root, ".2")->global_index, 2);
  assert_int_equal(at(team.root, ".2")->shared_mem_bytes, -1);
  assert_string_equal(team.units[3].domain_tag, ".0.0.1.0"); /* the second NUMA domain in use */
  assert_int_equal(at(team.root, ".0.0.1")->global_index, 7);
  assert_string_equal(team.units[4].domain_tag, ".1.0.0.0.1.0");
  assert_string_equal(team.units[5].domain_tag, ".2.0.0.0");
  dart__domain_delete(team.root);
}

/* Whether the children are alike tells the hardware, not how many units are where. */
static void symmetry_is_that_of_the_hardware(void **state)
{
  const placed_t equal[] = { { "numa:2 core:4 pu:1", 0, 0 },
                             { "numa:2 core:4 pu:1", 1, 0 },
                             { "numa:2 core:4 pu:1", 1, 5 } };
  team_t         team    = team_of(equal, 3);

  (void)state;
  assert_int_equal(team.root->is_symmetric, 1);
  assert_int_equal(at(team.root, ".1.0")->is_symmetric, 1);
  dart__domain_delete(team.root);

  team = team_on("arm-big-little.xml", 8, 1, 1);
  assert_int_equal(team.root->is_symmetric, 1);
  assert_int_equal(at(team.root, ".0.0.0.0")->is_symmetric, 0); /* two clusters */
  assert_int_equal(at(team.root, ".0.0.0.0.0")->is_symmetric, 1);
  dart__domain_delete(team.root);
}

static void cores_are_shared_out_to_units(void **state)
{
  const placed_t placed[] = { { "numa:2 core:8 pu:1", 0, 0 }, { "numa:2 core:8 pu:1", 0, 1 },
                              { "numa:2 core:8 pu:1", 0, 9 }, { "core:2 pu:1", 1, 0 },
                              { "core:2 pu:1", 1, 0 },        { "core:2 pu:1", 1, 1 } };
  team_t         team     = team_of(placed, 6);

  (void)state;
  assert_int_equal(team.root->num_cores, 18);
  assert_int_equal(at(team.root, ".0")->num_cores, 16);
  assert_int_equal(at(team.root, ".0.0")->num_cores, 16);
  assert_int_equal(at(team.root, ".0.0.0")->num_cores, 10); /* 2 of 3 units */
  assert_int_equal(at(team.root, ".0.0.1")->num_cores, 5);
  assert_int_equal(at(team.root, ".1.0")->num_cores, 2);
  assert_int_equal(at(team.root, ".1.0.0.1")->num_cores, 1); /* never 0 */
  dart__domain_delete(team.root);
}

static void nothing_may_be_known(void **state)
{
  dart__hardware_t    blank;
  dart__domain_unit_t units[3];
  team_t              team = { .nunits = 3 };

  (void)state;
  memset(&blank, -1, sizeof blank);
  memset(blank.info.host, 0, sizeof blank.info.host);
  blank.host_cores      = 1;
  blank.info.num_scopes = 1;
  blank.info.scopes[0]  = (dart_locality_scope_pos_t){ DART_LOCALITY_SCOPE_CORE, -1 };
  for (int u = 0; u < 3; u++)
    units[u] = (dart__domain_unit_t){ ID_STEP * u, u / 2, &blank };
  assert_int_equal(dart__domain_build(TEAM, units, 3, &team.root, team.units), DART_OK);
  check_team(&team);
  check_units(at(team.root, ".0.0.0"), "0 1");
  check_units(at(team.root, ".1.0.0"), "2");
  dart__domain_delete(team.root);
}

/* ---- looking up -------------------------------------------------------------------------- */

static void tags_are_compared_by_numbers(void **state)
{
  (void)state;
  assert_string_equal(dart__tag_below(".", ".0.1"), ".0.1");
  assert_string_equal(dart__tag_below(".0.1", ".0.1.10"), ".10");
  assert_string_equal(dart__tag_below(".0.1", ".0.1"), "");
  assert_null(dart__tag_below(".0.1", ".0.10"));
  assert_null(dart__tag_below(".0.1", ".0.10.1"));
  assert_null(dart__tag_below(".0.10", ".0.1"));
  assert_null(dart__tag_below(".0.1", "."));
}

static void find_knows_every_tag_and_no_other(void **state)
{
  static const char *const wrong[] = {
    "",    "..",     "0",          ".1",        ".0.", ".0.0.0.12",
    ".00", ".0.0.x", ".0.0.0.0.0", ".0.0.0.-1", " .",  ".0.0.0.9999999999999999"
  };
  team_t team = team_on("core:12 pu:1", 12, 1, 1);

  (void)state;
  for (int u = 0; u < team.nunits; u++) {
    char tag[32];

    snprintf(tag, sizeof tag, ".0.0.0.%d", u);
    assert_string_equal(team.units[u].domain_tag, tag);
    check_units(at(team.root, tag), tag + 7);
    assert_ptr_equal(at(at(team.root, ".0.0"), tag), at(team.root, tag));
    assert_null(dart__domain_find(at(team.root, ".0.0.0.3"), u == 3 ? "." : tag));
  }
  assert_ptr_equal(at(team.root, "."), team.root);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_null(dart__domain_find(team.root, wrong[i]));
  dart__domain_delete(team.root);
}

static void scopes_are_listed_depth_first(void **state)
{
  team_t     team = team_of(mixed_nodes, MIXED_UNITS);
  int        count;
  domain_t **found;

  (void)state;
  assert_int_equal(
      dart__domain_of_scope("test", team.root, DART_LOCALITY_SCOPE_NUMA, &count, &found), DART_OK);
  assert_int_equal(count, 4);
  assert_string_equal(found[0]->domain_tag, ".0.0.0");
  assert_string_equal(found[1]->domain_tag, ".0.0.1");
  assert_string_equal(found[2]->domain_tag, ".1.0.0");
  assert_string_equal(found[3]->domain_tag, ".2.0.0");
  free(found);
  assert_int_equal(
      dart__domain_of_scope("test", team.root, DART_LOCALITY_SCOPE_GLOBAL, &count, &found),
      DART_OK);
  assert_int_equal(count, 1);
  assert_ptr_equal(found[0], team.root);
  free(found);
  assert_int_equal(dart__domain_of_scope("test", at(team.root, ".2"), DART_LOCALITY_SCOPE_PACKAGE,
                                         &count, &found),
                   DART_ERR_NOTFOUND);
  assert_int_equal(
      dart__domain_of_scope("test", team.root, (dart_locality_scope_t)77, &count, &found),
      DART_ERR_NOTFOUND);
  dart__domain_delete(team.root);
}

/* ---- copies ------------------------------------------------------------------------------ */

static void copies_are_deep(void **state)
{
  team_t    team = team_of(mixed_nodes, MIXED_UNITS);
  domain_t *copy = dart__domain_new();

  (void)state;
  assert_non_null(copy);
  assert_true(dart__domain_copy(copy, team.root));
  check_below(copy);
  assert_string_equal(print_into(0, copy), print_into(1, team.root));
  assert_ptr_not_equal(at(copy, ".0.0.1"), at(team.root, ".0.0.1"));
  at(copy, ".0.0.1")->unit_ids[0].id = 4711;
  check_team(&team);
  dart__domain_delete(team.root);
  assert_int_equal(at(copy, ".0.0.1")->unit_ids[0].id, 4711);
  dart__domain_delete(copy);
}

/* A copy of a part has the parent of the part, but is not below it: not even when that is gone. */
static void the_top_of_a_copy_stands_alone(void **state)
{
  team_t      team = team_of(mixed_nodes, MIXED_UNITS);
  domain_t   *part = dart__domain_new(), *again = dart__domain_new();
  const char *cores[] = { ".0.0.0.0", ".0.0.1.0" };

  (void)state;
  assert_non_null(part);
  assert_non_null(again);
  assert_true(dart__domain_copy(part, at(team.root, ".0")));
  assert_ptr_equal(part->parent, team.root);
  assert_true(dart__domain_is_top(part));
  assert_false(dart__domain_is_top(part->children[0]));
  assert_string_equal(part->host, at(team.root, ".0")->host);
  assert_true(dart__domain_copy(again, part));
  assert_ptr_equal(again->parent, team.root);

  dart__domain_delete(team.root);
  assert_int_equal(dart__domain_exclude(part, 2, cores), DART_OK);
  check_units(part, "8");
  check_below(part);
  assert_int_equal(dart__domain_select(again, 2, cores), DART_OK);
  check_units(again, "0 6 3");
  dart__domain_delete(part);
  dart__domain_delete(again);
}

static void assign_replaces_what_was_there(void **state)
{
  team_t   team  = team_of(mixed_nodes, MIXED_UNITS);
  team_t   other = team_on("core:12 pu:1", 12, 1, 1);
  domain_t holder;

  (void)state;
  assert_true(dart__domain_copy(&holder, other.root)); /* not from malloc */
  assert_int_equal(dart__domain_assign(&holder, at(team.root, ".1")), DART_OK);
  assert_string_equal(print_into(0, &holder), print_into(1, at(team.root, ".1")));
  check_below(&holder);

  assert_int_equal(dart__domain_assign(&holder, holder.children[0]), DART_OK); /* its own part */
  assert_string_equal(print_into(0, &holder), print_into(1, at(team.root, ".1.0")));
  assert_int_equal(dart__domain_assign(&holder, &holder), DART_OK);
  assert_string_equal(print_into(0, &holder), print_into(1, at(team.root, ".1.0")));

  /* in the midst of a tree the place stays */
  assert_int_equal(dart__domain_assign(at(other.root, ".0.0"), &holder), DART_OK);
  check_below(other.root);
  check_units(other.root, "1 4 7");
  check_units(at(other.root, ".0.0.0.0.1"), "4");
  assert_int_equal(at(other.root, ".0.0")->level, 2);
  dart__domain_clear(&holder);
  dart__domain_delete(team.root);
  dart__domain_delete(other.root);
}

/* ---- select, exclude --------------------------------------------------------------------- */

static void select_keeps_ways_and_all_below(void **state)
{
  team_t      team = team_on("numa:2 core:12 pu:1", 24, 1, 1);
  domain_t   *numa = at(team.root, ".0.0.1"), *tenth = at(team.root, ".0.0.0.10");
  const char *tags[] = { ".0.0.0.10", ".0.0.1", ".0.0.0.1", ".0.0.1.3", ".7", ".0.0.0.10" };

  (void)state;
  assert_int_equal(dart__domain_select(team.root, 6, tags), DART_OK);
  check_below(team.root);
  check_units(team.root, "1 10 12 13 14 15 16 17 18 19 20 21 22 23");
  assert_ptr_equal(at(team.root, ".0.0.1"), numa); /* what stays does not move */
  assert_ptr_equal(at(team.root, ".0.0.0.10"), tenth);
  assert_int_equal(tenth->relative_index, 1);
  assert_int_equal(numa->num_domains, 12);
  assert_null(dart__domain_find(team.root, ".0.0.0.0"));
  assert_int_equal(at(team.root, ".0.0.0")->num_cores, 12); /* stays */

  assert_int_equal(dart__domain_select(numa, 1, tags), DART_OK); /* it has none of these */
  check_below(team.root);
  check_units(team.root, "1 10");
  assert_int_equal(numa->num_domains, 0);
  assert_int_equal(numa->num_units, 0);

  tags[0] = ".0.0";
  assert_int_equal(dart__domain_select(at(team.root, ".0.0"), 1, tags), DART_OK); /* itself */
  check_units(team.root, "1 10");
  assert_int_equal(dart__domain_select(team.root, 0, NULL), DART_OK);
  check_below(team.root);
  assert_int_equal(team.root->num_domains, 0);
  assert_int_equal(team.root->num_units, 0);
  dart__domain_delete(team.root);
}

static void exclude_removes_whole_domains(void **state)
{
  team_t      team   = team_on("numa:2 core:12 pu:1", 24, 1, 1);
  const char *tags[] = { ".0.0.0.1", ".0.0.1.3", ".0.0.1.10", ".0.0.9", ".", ".0.0.0.1" };

  (void)state;
  print_into(0, team.root);
  assert_int_equal(dart__domain_exclude(team.root, 0, NULL), DART_OK);
  assert_string_equal(printed[0], print_into(1, team.root));

  assert_int_equal(dart__domain_exclude(team.root, 6, tags), DART_OK);
  check_below(team.root);
  assert_null(dart__domain_find(team.root, ".0.0.0.1"));
  at(team.root, ".0.0.0.10");
  at(team.root, ".0.0.0.11");
  assert_int_equal(at(team.root, ".0.0.0.10")->relative_index, 9);
  assert_int_equal(at(team.root, ".0.0.0")->num_units, 11);
  assert_int_equal(at(team.root, ".0.0.1")->num_units, 10);
  assert_int_equal(team.root->num_units, 21);

  /* one below another, from the inside: all above learn of it */
  tags[0] = ".0.0.1.0";
  tags[1] = ".0.0.1";
  assert_int_equal(dart__domain_exclude(at(team.root, ".0.0"), 2, tags), DART_OK);
  check_below(team.root);
  assert_int_equal(team.root->num_units, 11);
  dart__domain_delete(team.root);
}

/* ---- split ------------------------------------------------------------------------------- */

static void split_parts_are_disjoint_and_complete(void **state)
{
  team_t team = team_of(mixed_nodes, MIXED_UNITS);

  (void)state;
  for (int nparts = 1; nparts <= 12; nparts++) {
    static const dart_locality_scope_t scopes[] = { DART_LOCALITY_SCOPE_GLOBAL,
                                                    DART_LOCALITY_SCOPE_NODE,
                                                    DART_LOCALITY_SCOPE_NUMA,
                                                    DART_LOCALITY_SCOPE_CORE };

    for (int s = 0; s < 4; s++) {
      int        count, seen[MIXED_UNITS] = { 0 };
      domain_t **found, parts[12];

      assert_int_equal(dart__domain_of_scope("test", team.root, scopes[s], &count, &found),
                       DART_OK);
      memset(parts, 0x5a, sizeof parts); /* they may hold anything */
      assert_int_equal(dart__domain_split(team.root, scopes[s], nparts, parts), DART_OK);
      for (int p = 0; p < nparts; p++) {
        int run = (count + nparts - 1) / nparts;

        check_below(&parts[p]);
        assert_string_equal(parts[p].domain_tag, ".");
        for (int u = 0; u < parts[p].num_units; u++)
          seen[parts[p].unit_ids[u].id / ID_STEP]++;
        for (int i = 0; i < count; i++)
          assert_true((dart__domain_find(&parts[p], found[i]->domain_tag) != NULL) ==
                      (i / run == p || (scopes[s] == DART_LOCALITY_SCOPE_GLOBAL)));
        dart__domain_clear(&parts[p]);
      }
      for (int u = 0; u < MIXED_UNITS; u++)
        assert_int_equal(seen[u], 1);
      free(found);
    }
  }
  check_team(&team);
  dart__domain_delete(team.root);
}

static void split_of_a_part_and_of_nothing(void **state)
{
  team_t   team = team_of(mixed_nodes, MIXED_UNITS);
  domain_t parts[3];

  (void)state;
  assert_int_equal(dart__domain_split(at(team.root, ".0"), DART_LOCALITY_SCOPE_NUMA, 2, parts),
                   DART_OK);
  check_units(&parts[0], "0 6 8");
  check_units(&parts[1], "3");
  assert_string_equal(parts[1].domain_tag, ".0");
  assert_true(dart__domain_is_top(&parts[1]));
  dart__domain_clear(&parts[0]);
  dart__domain_clear(&parts[1]);
  assert_int_equal(dart__domain_split(at(team.root, ".2"), DART_LOCALITY_SCOPE_PACKAGE, 3, parts),
                   DART_ERR_NOTFOUND);
  dart__domain_delete(team.root);
}

/* ---- group ------------------------------------------------------------------------------- */

static void a_group_has_exactly_its_domains(void **state)
{
  const char *orders[2][3] = { { ".0.0.0.10", ".0.0.0.1", ".0.0.0.4" },
                               { ".0.0.0.4", ".0.0.0.10", ".0.0.0.1" } };

  (void)state;
  for (int order = 0; order < 2; order++) {
    team_t    team = team_on("core:12 pu:1", 12, 1, 1);
    domain_t *ten = at(team.root, ".0.0.0.10"), *eleven = at(team.root, ".0.0.0.11"), *group;
    char      tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

    assert_int_equal(dart__domain_group(team.root, 3, orders[order], tag), DART_OK);
    check_below(team.root);
    assert_string_equal(tag, ".0.0.0.12");
    group = at(team.root, tag);
    assert_int_equal(group->scope, DART_LOCALITY_SCOPE_GROUP);
    assert_int_equal(group->level, 4);
    assert_int_equal(group->team, TEAM);
    assert_int_equal(group->num_nodes, 1);
    assert_int_equal(group->node_id, 0);
    assert_int_equal(group->num_cores, 3);
    assert_ptr_equal(group, group->parent->children[group->parent->num_domains - 1]);
    check_units(group, "1 4 10");
    assert_int_equal(group->num_domains, 3);
    assert_ptr_equal(ten, at(team.root, ".0.0.0.12.2")); /* moved, not copied */
    assert_ptr_equal(eleven, at(team.root, ".0.0.0.11"));
    assert_null(dart__domain_find(team.root, ".0.0.0.10"));
    assert_int_equal(team.root->num_units, 12);
    dart__domain_delete(team.root);
  }
}

/* Groups are formed one after the other from tags that were read before. */
static void groups_leave_other_tags_alone(void **state)
{
  team_t    team = team_on("numa:4 core:2 pu:1", 8, 1, 1);
  char      tags[4][DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
  domain_t *leaf[8];

  (void)state;
  for (int u = 0; u < 8; u++)
    leaf[u] = at(team.root, team.units[u].domain_tag);
  for (int g = 0; g < 4; g++) { /* the g-th leaf with the (7 - g)-th: of two NUMA domains */
    const char *pair[] = { team.units[g].domain_tag, team.units[7 - g].domain_tag };
    char        units[32];

    snprintf(units, sizeof units, "%d %d", g, 7 - g);
    assert_int_equal(dart__domain_group(team.root, 2, pair, tags[g]), DART_OK);
    check_below(team.root);
    for (int old = 0; old <= g; old++)
      assert_int_equal(at(team.root, tags[old])->num_units, 2);
    check_units(at(team.root, tags[g]), units);
    for (int u = g + 1; u < 7 - g; u++)
      assert_string_equal(leaf[u]->domain_tag, team.units[u].domain_tag);
    assert_int_equal(team.root->num_units, 8);
  }
  assert_string_equal(tags[0], ".0.0.4");
  assert_string_equal(tags[3], ".0.0.7");
  assert_string_equal(leaf[0]->domain_tag, ".0.0.4.0.0"); /* below a copy of its NUMA domain */
  assert_int_equal(at(team.root, ".0.0.4.0")->scope, DART_LOCALITY_SCOPE_NUMA);
  assert_int_equal(at(team.root, ".0.0.4.1")->global_index, 3);
  assert_int_equal(at(team.root, ".0.0.4.1")->num_cores, 1);
  assert_int_equal(at(team.root, ".0.0.5")->global_index, 1);
  assert_int_equal(at(team.root, ".0.0.0")->num_units, 0); /* is left empty */
  dart__domain_delete(team.root);
}

static void groups_of_groups_and_over_nodes(void **state)
{
  team_t      team = team_of(mixed_nodes, MIXED_UNITS);
  char        tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE], outer[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
  const char *nodes[] = { ".2", ".0" }, *deeper[] = { tag, ".1.0.0.0.1" };

  (void)state;
  assert_int_equal(dart__domain_group(team.root, 2, nodes, tag), DART_OK);
  check_below(team.root);
  assert_string_equal(tag, ".3");
  check_units(at(team.root, ".3.0"), "0 6 8 3");
  assert_int_equal(at(team.root, ".3")->num_nodes, 2);
  assert_int_equal(at(team.root, ".3")->node_id, -1);
  assert_int_equal(at(team.root, ".3")->num_cores, 134);
  assert_int_equal(at(team.root, ".3")->is_symmetric, 0);

  assert_int_equal(dart__domain_group(team.root, 2, deeper, outer), DART_OK);
  check_below(team.root);
  assert_string_equal(outer, ".4");
  check_units(at(team.root, ".4"), "4 0 6 8 3 2 5");
  check_units(at(team.root, ".1"), "1 7");
  at(team.root, ".4.1.0.0.1.0"); /* the group in the group, and below it */
  dart__domain_delete(team.root);
}

static void wrong_groups_change_nothing(void **state)
{
  team_t      team                                   = team_on("numa:2 core:2 pu:1", 4, 1, 1);
  const char *unknown[]                              = { ".0.0.0.0", ".0.0.2.0" };
  const char *nested[]                               = { ".0.0.0.0", ".0.0.0" };
  const char *itself[]                               = { "." };
  const char *twice[]                                = { ".0.0.0.1", ".0.0.0.1" };
  char        tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE] = "untouched";
  int         depth                                  = 0;
  dart_ret_t  ret;

  (void)state;
  print_into(0, team.root);
  assert_int_equal(dart__domain_group(team.root, 2, unknown, tag), DART_ERR_NOTFOUND);
  assert_int_equal(dart__domain_group(team.root, 2, nested, tag), DART_ERR_INVAL);
  assert_int_equal(dart__domain_group(team.root, 1, itself, tag), DART_ERR_INVAL);
  assert_string_equal(tag, "untouched");
  assert_string_equal(printed[0], print_into(1, team.root));

  assert_int_equal(dart__domain_group(team.root, 2, twice, tag), DART_OK); /* named twice, one */
  check_below(team.root);
  check_units(at(team.root, tag), "1");

  /* groups in groups, until no tag can name them */
  do {
    domain_t   *leaf  = at(team.root, tag);
    const char *one[] = { tag };

    while (leaf->num_domains > 0)
      leaf = leaf->children[0];
    memcpy(tag, leaf->domain_tag, sizeof tag);
    print_into(0, team.root);
    ret = dart__domain_group(team.root, 1, one, tag);
    check_below(team.root);
  } while (ret == DART_OK && ++depth < 40);
  assert_int_equal(ret, DART_ERR_INVAL);
  assert_in_range(depth, 8, 15);
  assert_string_equal(printed[0], print_into(1, team.root));
  dart__domain_delete(team.root);
}

/* ---- add, move --------------------------------------------------------------------------- */

static void added_domains_become_part_of_the_tree(void **state)
{
  team_t    team  = team_on("core:2 pu:1", 2, 1, 1);
  team_t    other = team_of(mixed_nodes, MIXED_UNITS);
  domain_t *blank = dart__domain_new();

  (void)state;
  /* units have their global ids: those of the other tree are different ones */
  for (int i = 0; i < other.root->num_units; i++)
    other.root->unit_ids[i].id += 100 * ID_STEP;
  assert_int_equal(dart__domain_select(other.root, 0, NULL), DART_OK);
  other.root->scope = DART_LOCALITY_SCOPE_CPU;
  assert_non_null(blank);
  assert_int_equal(dart__domain_add(team.root, other.root, 0), DART_OK);
  check_below(team.root);
  assert_string_equal(other.root->domain_tag, ".1"); /* .0 has its tag already */
  assert_int_equal(other.root->relative_index, 0);
  assert_int_equal(at(team.root, ".0")->relative_index, 1);

  print_into(0, team.root);
  assert_int_equal(dart__domain_add(team.root, blank, 3), DART_ERR_INVAL);      /* no such place */
  assert_int_equal(dart__domain_add(team.root, team.root, -1), DART_ERR_INVAL); /* in itself */
  assert_int_equal(dart__domain_add(at(team.root, ".0"), team.root, -1), DART_ERR_INVAL);
  assert_int_equal(dart__domain_add(team.root, at(team.root, ".0.0"), -1), DART_ERR_INVAL);
  assert_string_equal(printed[0], print_into(1, team.root));

  blank->unit_ids       = calloc(1, sizeof *blank->unit_ids);
  blank->unit_ids[0].id = 50 * ID_STEP;
  blank->num_units      = 1;
  blank->scope          = DART_LOCALITY_SCOPE_CORE;
  assert_int_equal(dart__domain_add(at(team.root, ".0.0.0"), blank, -1), DART_OK);
  check_below(team.root);
  assert_string_equal(blank->domain_tag, ".0.0.0.2");
  assert_int_equal(blank->level, 4);
  check_units(team.root, "0 1 50");
  check_units(at(team.root, ".0"), "0 1 50");
  dart__domain_delete(team.root);
}

static void moved_domains_take_their_units_along(void **state)
{
  team_t    team = team_of(mixed_nodes, MIXED_UNITS);
  domain_t *numa = at(team.root, ".0.0.0"), *arm = at(team.root, ".1.0");

  (void)state;
  print_into(0, team.root);
  assert_int_equal(dart__domain_move(team.root, numa, 0), DART_ERR_INVAL); /* has no parent */
  assert_int_equal(dart__domain_move(numa, numa->children[0], 0), DART_ERR_INVAL);
  assert_int_equal(dart__domain_move(numa, numa, 0), DART_ERR_INVAL);
  assert_int_equal(dart__domain_move(numa, arm, 2), DART_ERR_INVAL);
  assert_int_equal(dart__domain_move(numa, numa->parent, 2), DART_ERR_INVAL); /* without itself 1 */
  assert_string_equal(printed[0], print_into(1, team.root));

  assert_int_equal(dart__domain_move(numa, arm, 0), DART_OK);
  check_below(team.root);
  assert_string_equal(numa->domain_tag, ".1.0.1");
  check_units(at(team.root, ".0"), "3");
  check_units(at(team.root, ".1"), "0 6 8 1 7 4");
  check_units(team.root, "0 1 2 3 4 5 6 7 8");
  assert_int_equal(at(team.root, ".1.0.1.0")->level, 4);

  assert_int_equal(dart__domain_move(numa, arm, -1), DART_OK); /* among its siblings */
  check_below(team.root);
  assert_string_equal(numa->domain_tag, ".1.0.1");
  assert_int_equal(numa->relative_index, 1);

  assert_int_equal(dart__domain_move(at(team.root, ".0.0.1"), arm, 1), DART_OK);
  check_below(team.root);
  assert_int_equal(at(team.root, ".0.0")->num_domains, 0); /* nothing is left there */
  assert_int_equal(at(team.root, ".0")->num_units, 0);
  assert_string_equal(arm->children[1]->domain_tag, ".1.0.2");
  assert_int_equal(dart__domain_move(numa, at(team.root, ".0.0"), 0), DART_OK); /* and back */
  check_below(team.root);
  check_units(at(team.root, ".0.0.0"), "0 6 8");
  dart__domain_delete(team.root);
}

/* ---- size -------------------------------------------------------------------------------- */

/* 100 nodes of 64 units: nothing takes a time that grows with the square of that. */
static void large_teams(void **state)
{
  enum { NODES = 100, PER_NODE = 64, UNITS = NODES * PER_NODE };

  dart__hardware_t     *hardware = calloc(PER_NODE, sizeof *hardware);
  dart__domain_unit_t  *units    = calloc(UNITS, sizeof *units);
  dart_unit_locality_t *located  = calloc(UNITS, sizeof *located);
  const char          **tags     = calloc(UNITS, sizeof *tags);
  domain_t             *root, *parts = calloc(UNITS, sizeof *parts);

  (void)state;
  assert_true(hardware != NULL && units != NULL && located != NULL);
  assert_true(tags != NULL && parts != NULL);
  for (int u = 0; u < PER_NODE; u++)
    hardware[u] = test_hardware_at("pack:2 numa:2 core:16 pu:1", u);
  for (int u = 0; u < UNITS; u++)
    units[u] = (dart__domain_unit_t){ u, u % NODES, &hardware[u / NODES] };
  assert_int_equal(dart__domain_build(TEAM, units, UNITS, &root, located), DART_OK);
  assert_int_equal(root->num_units, UNITS);
  for (int u = 0; u < UNITS; u++) {
    tags[u] = located[u].domain_tag;
    assert_int_equal(at(root, tags[u])->unit_ids[0].id, u);
  }
  assert_int_equal(dart__domain_split(root, DART_LOCALITY_SCOPE_CORE, UNITS, parts), DART_OK);
  for (int u = 0; u < UNITS; u++) {
    assert_int_equal(parts[u].num_units, 1);
    dart__domain_clear(&parts[u]);
  }
  assert_int_equal(dart__domain_select(root, UNITS / 2, tags), DART_OK);
  assert_int_equal(root->num_units, UNITS / 2);
  assert_int_equal(dart__domain_exclude(root, UNITS / 2, tags), DART_OK);
  assert_int_equal(root->num_units, 0);
  dart__domain_delete(root);
  free(hardware);
  free(units);
  free(located);
  free(tags);
  free(parts);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_machine_gives_a_sound_tree),
                                      cmocka_unit_test(levels_are_nested_by_scope),
                                      cmocka_unit_test(units_of_one_core_share_its_leaf),
                                      cmocka_unit_test(nodes_may_differ),
                                      cmocka_unit_test(symmetry_is_that_of_the_hardware),
                                      cmocka_unit_test(cores_are_shared_out_to_units),
                                      cmocka_unit_test(nothing_may_be_known),
                                      cmocka_unit_test(tags_are_compared_by_numbers),
                                      cmocka_unit_test(find_knows_every_tag_and_no_other),
                                      cmocka_unit_test(scopes_are_listed_depth_first),
                                      cmocka_unit_test(copies_are_deep),
                                      cmocka_unit_test(the_top_of_a_copy_stands_alone),
                                      cmocka_unit_test(assign_replaces_what_was_there),
                                      cmocka_unit_test(select_keeps_ways_and_all_below),
                                      cmocka_unit_test(exclude_removes_whole_domains),
                                      cmocka_unit_test(split_parts_are_disjoint_and_complete),
                                      cmocka_unit_test(split_of_a_part_and_of_nothing),
                                      cmocka_unit_test(a_group_has_exactly_its_domains),
                                      cmocka_unit_test(groups_leave_other_tags_alone),
                                      cmocka_unit_test(groups_of_groups_and_over_nodes),
                                      cmocka_unit_test(wrong_groups_change_nothing),
                                      cmocka_unit_test(added_domains_become_part_of_the_tree),
                                      cmocka_unit_test(moved_domains_take_their_units_along),
                                      cmocka_unit_test(large_teams) };

  return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
