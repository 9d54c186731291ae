/* Trees of domains: how they are built, looked up and copied. What changes them is in node_domain_edit.c. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paper_teams.h"

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

/* A process that maps the image of another has an equal tree; what it writes is its own; and a file that is no longer that
 * image is none. */
static void an_image_is_mapped_by_others(void **state)
{
  team_t               team = team_of(mixed_nodes, MIXED_UNITS);
  dart__domain_image_t image, other;
  domain_t            *root;
  int                  status;

  (void)state;
  root = dart__domain_image_make(team.root, 7, &image);
  assert_non_null(root);
  assert_null(dart__domain_image_make(team.root, 7, &other)); /* the place is taken */
  check_below(root);
  assert_string_equal(print_into(0, team.root), print_into(1, root));
  if (fork() == 0) {
    munmap(root, image.nbytes);
    assert_ptr_equal(dart__domain_image_map(&image, 7), root);
    assert_string_equal(printed[0], print_into(1, root));
    at(root, ".1.0")->num_cores = 99;
    assert_int_equal(dart__domain_select(root, 0, NULL), DART_OK);
    dart__domain_delete(root);
    dart__domain_image_drop(root, &image);
    other = image;
    other.inode++;
    assert_null(dart__domain_image_map(&other, 7));
    _exit(0);
  }
  wait(&status);
  assert_int_equal(status, 0);
  assert_string_equal(printed[0], print_into(1, root));
  dart__domain_delete(root);
  dart__domain_image_drop(root, &image);
  assert_null(dart__domain_image_map(&image, 7));
  dart__domain_delete(team.root);
}

/* Only an image some of which is in another tree stays mapped when its tree ends. */
static void an_image_stays_for_what_left_it(void **state)
{
  team_t               team = team_of(mixed_nodes, MIXED_UNITS);
  dart__domain_image_t image;
  domain_t            *root, *own = dart__domain_new();

  (void)state;
  root = dart__domain_image_make(team.root, 8 + 1024, &image); /* the same place as 8 */
  assert_non_null(root);
  assert_int_equal(dart__domain_move(at(root, ".1.0"), at(root, ".0"), -1), DART_OK);
  dart__domain_delete(root);
  dart__domain_image_drop(root, &image);

  root = dart__domain_image_make(team.root, 8, &image);
  assert_non_null(root); /* nothing is there any more */
  snprintf(own->domain_tag, sizeof own->domain_tag, ".");
  assert_int_equal(dart__domain_move(at(root, ".1"), own, -1), DART_OK);
  dart__domain_delete(root);
  dart__domain_image_drop(root, &image);
  assert_string_equal(own->children[0]->domain_tag, ".0");
  assert_null(dart__domain_image_make(team.root, 8, &image));
  dart__domain_delete(own);
  dart__domain_delete(team.root);
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
                                      cmocka_unit_test(an_image_is_mapped_by_others),
                                      cmocka_unit_test(an_image_stays_for_what_left_it),
                                      cmocka_unit_test(large_teams) };

  return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
