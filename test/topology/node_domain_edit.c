/* Trees of domains: selecting, excluding, splitting, grouping, adding and moving. */
#include "paper_teams.h"

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

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(select_keeps_ways_and_all_below),
                                      cmocka_unit_test(exclude_removes_whole_domains),
                                      cmocka_unit_test(split_parts_are_disjoint_and_complete),
                                      cmocka_unit_test(split_of_a_part_and_of_nothing),
                                      cmocka_unit_test(a_group_has_exactly_its_domains),
                                      cmocka_unit_test(groups_leave_other_tags_alone),
                                      cmocka_unit_test(groups_of_groups_and_over_nodes),
                                      cmocka_unit_test(wrong_groups_change_nothing),
                                      cmocka_unit_test(added_domains_become_part_of_the_tree),
                                      cmocka_unit_test(moved_domains_take_their_units_along) };

  int failed = cmocka_run_group_tests_name("domain edits", tests, NULL, NULL);

  makes_images = true;
  return failed + cmocka_run_group_tests_name("domain edits in images", tests, NULL, NULL);
}
