#ifndef PAPER_TEAMS_H
#define PAPER_TEAMS_H
/* Trees of teams that exist on paper, on machines that nobody has at hand, and what holds in every tree. */
#include "node_machine.h"

#include "topology/domain_build.h"
#include "topology/domain_image.h"

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

/* Trees are images from now on, each at a place of its own, which stay until the program ends. */
static bool makes_images;
static int  nimages;

static inline team_t team_of(const placed_t *placed, int nunits)
{
  dart__hardware_t    hardware[UNITS_MAX];
  dart__domain_unit_t units[UNITS_MAX];
  team_t              team = { .nunits = nunits };

  for (int u = 0; u < nunits; u++) {
    hardware[u] = test_hardware_at(placed[u].machine, placed[u].cpu);
    units[u]    = (dart__domain_unit_t){ ID_STEP * u, placed[u].node, &hardware[u] };
  }
  assert_int_equal(dart__domain_build(TEAM, units, nunits, &team.root, team.units), DART_OK);
  if (makes_images) {
    dart__domain_image_t image;
    domain_t            *root = dart__domain_image_make(team.root, nimages++, &image);

    assert_non_null(root);
    dart__domain_delete(team.root);
    team.root = root;
  }
  return team;
}

/* `nunits` units on the first processor of every `stride`-th core of one machine. */
static inline team_t team_on(const char *machine, int nunits, int stride, int nthreads)
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

static inline void check_below(const domain_t *domain)
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
static inline void print(const domain_t *domain, char *text, size_t size)
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

static inline const char *print_into(int which, const domain_t *domain)
{
  printed[which][0] = '\0';
  print(domain, printed[which], sizeof printed[which]);
  return printed[which];
}

static inline domain_t *at(const domain_t *domain, const char *tag)
{
  domain_t *found = dart__domain_find(domain, tag);

  assert_non_null(found);
  assert_string_equal(found->domain_tag, tag);
  return found;
}

/* "1 2 3": the units, as team ids. */
static inline void check_units(const domain_t *domain, const char *expected)
{
  char   text[256] = "";
  size_t used      = 0;

  for (int u = 0; u < domain->num_units; u++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", u > 0 ? " " : "",
                             domain->unit_ids[u].id / ID_STEP);
  assert_string_equal(text, expected);
}

static inline void check_team(const team_t *team)
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

#endif
