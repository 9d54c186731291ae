/* Locality: bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_topology);

TEST(locality_wants_a_team_a_unit_and_a_tag) /* O143 */
{
  const int   no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t segment   = untouched_segment(DART_TEAM_ALL);
  dart_team_t without;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_locality_init, (none), no_teams[i].says);
    REFUSED(dart_team_locality_finalize, (none), no_teams[i].says);
    REFUSED(dart_domain_team_locality, (none, ".", &out.domain), no_teams[i].says);
    REFUSED(dart_unit_locality, (none, unit_0, &out.locality), no_teams[i].says);
  }
  for (int i = 0; i < 4; i++) {
    dart_team_unit_t unit = { no_unit[i] };

    REFUSED(dart_unit_locality, (DART_TEAM_ALL, unit, &out.locality),
            saying("unit %d ", no_unit[i]));
  }
  REFUSED(dart_unit_locality, (DART_TEAM_ALL, unit_0, NULL), "loc is NULL");
  REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, NULL, &out.domain), "domain_tag is NULL");
  REFUSED(dart_domain_team_locality, (DART_TEAM_ALL, ".", NULL), "team_domain_out is NULL");
  ROW(dart_domain_team_locality, (DART_TEAM_ALL, ".99", &out.domain), DART_ERR_NOTFOUND, "'.99'");
  ROW(dart_domain_team_locality, (DART_TEAM_ALL, "", &out.domain), DART_ERR_NOTFOUND, "''");
  ROW(dart_domain_team_locality, (DART_TEAM_ALL, "no tag", &out.domain), DART_ERR_NOTFOUND,
      "'no tag'");

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &without));
  ROW(dart_domain_team_locality, (without, ".", &out.domain), DART_ERR_NOTFOUND,
      saying("team %d ", without));
  ROW(dart_unit_locality, (without, unit_0, &out.locality), DART_ERR_NOTFOUND,
      saying("team %d ", without));
  EXPECT_OK(dart_team_destroy(&without));
  expect_untouched(segment);
}

TEST(domains_want_domains_scopes_and_tags) /* O143 O145 */
{
  const dart_locality_scope_t core     = DART_LOCALITY_SCOPE_CORE,
                              no_scope = (dart_locality_scope_t)4711;
  const char             *dot[] = { "." }, *unknown[] = { ".99" }, *null[] = { NULL };
  const char             *nested[] = { ".0", ".0.0" };
  dart_gptr_t             segment  = untouched_segment(DART_TEAM_ALL);
  dart_domain_locality_t *root = NULL, *copy = NULL, *child, parts[1];
  dart_group_t            group = test_group(&me, 1), pieces[2];
  size_t                  nout  = 7;
  char                    tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (!EXPECT_OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &root)) ||
      !EXPECT_OK(dart_domain_clone(root, &copy)))
    return;
  child = copy->children[0];

  REFUSED(dart_domain_create, (NULL), "domain_out is NULL");
  REFUSED(dart_domain_clone, (NULL, &out.domain), "domain_in is NULL");
  REFUSED(dart_domain_clone, (root, NULL), "domain_out is NULL");
  REFUSED(dart_domain_destroy, (root), "'.'");
  REFUSED(dart_domain_destroy, (child), "'.0'");
  REFUSED(dart_domain_assign, (NULL, root), "domain_lhs is NULL");
  REFUSED(dart_domain_assign, (copy, NULL), "domain_rhs is NULL");
  REFUSED(dart_domain_find, (NULL, ".", &out.domain), "domain_in is NULL");
  REFUSED(dart_domain_find, (root, NULL, &out.domain), "domain_tag is NULL");
  REFUSED(dart_domain_find, (root, ".", NULL), "subdomain_out is NULL");
  ROW(dart_domain_find, (root, ".99", &out.domain), DART_ERR_NOTFOUND, "'.99'");
  REFUSED(dart_domain_scope_tags, (NULL, core, &out.count, &out.tags), "domain_in is NULL");
  REFUSED(dart_domain_scope_tags, (root, core, NULL, &out.tags), "num_domains_out is NULL");
  REFUSED(dart_domain_scope_tags, (root, core, &out.count, NULL), "domain_tags_out is NULL");
  ROW(dart_domain_scope_tags, (root, no_scope, &out.count, &out.tags), DART_ERR_NOTFOUND, "4711");
  REFUSED(dart_domain_scope_domains, (NULL, core, &out.count, &out.domains), "domain_in is NULL");
  REFUSED(dart_domain_scope_domains, (root, core, NULL, &out.domains), "num_domains_out is NULL");
  REFUSED(dart_domain_scope_domains, (root, core, &out.count, NULL), "domains_out is NULL");
  ROW(dart_domain_scope_domains, (root, no_scope, &out.count, &out.domains), DART_ERR_NOTFOUND,
      "4711");

  REFUSED(dart_domain_select, (NULL, 1, dot), "NULL");
  REFUSED(dart_domain_select, (copy, 1, NULL), "NULL");
  REFUSED(dart_domain_select, (copy, 1, null), "tag 0 ");
  REFUSED(dart_domain_select, (copy, -1, dot), "-1 tags");
  REFUSED(dart_domain_exclude, (NULL, 1, dot), "NULL");
  REFUSED(dart_domain_exclude, (copy, 1, NULL), "NULL");
  REFUSED(dart_domain_exclude, (copy, 1, null), "tag 0 ");
  REFUSED(dart_domain_exclude, (copy, INT_MIN, dot), "-2147483648 tags");
  REFUSED(dart_domain_split_scope, (NULL, core, 1, parts), "domain_in is NULL");
  REFUSED(dart_domain_split_scope, (root, core, 1, NULL), "split_domain_out is NULL");
  REFUSED(dart_domain_split_scope, (root, core, 0, parts), "0 parts");
  REFUSED(dart_domain_split_scope, (root, core, -1, parts), "-1 parts");
  ROW(dart_domain_split_scope, (root, no_scope, 1, parts), DART_ERR_NOTFOUND, "4711");
  REFUSED(dart_domain_group, (NULL, 1, dot, tag), "domain is NULL");
  REFUSED(dart_domain_group, (copy, 0, dot, tag), "no tags");
  REFUSED(dart_domain_group, (copy, 1, NULL, tag), "NULL");
  REFUSED(dart_domain_group, (copy, 1, nested, NULL), "group_domain_tag_out is NULL");
  REFUSED(dart_domain_group, (copy, 1, dot, tag), "'.'");
  REFUSED(dart_domain_group, (copy, 2, nested, tag), "'.0'");
  ROW(dart_domain_group, (copy, 1, unknown, tag), DART_ERR_NOTFOUND, "'.99'");
  REFUSED(dart_domain_add_subdomain, (NULL, child, 0), "domain is NULL");
  REFUSED(dart_domain_add_subdomain, (copy, NULL, 0), "subdomain is NULL");
  REFUSED(dart_domain_add_subdomain, (copy, root, 0), "'.'");
  REFUSED(dart_domain_add_subdomain, (copy, child, 0), "'.0'");
  REFUSED(dart_domain_move_subdomain, (NULL, copy, 0), "domain is NULL");
  REFUSED(dart_domain_move_subdomain, (child, NULL, 0), "new_parent_domain is NULL");
  REFUSED(dart_domain_move_subdomain, (copy, child, 0), "'.'");
  REFUSED(dart_domain_move_subdomain, (child, copy, 99), "place 99 ");

  REFUSED(dart_group_locality_split, (NULL, root, core, 2, &out.size, pieces), "g is NULL");
  REFUSED(dart_group_locality_split, (group, NULL, core, 2, &out.size, pieces), "domain is NULL");
  REFUSED(dart_group_locality_split, (group, root, core, 2, NULL, pieces), "nout is NULL");
  REFUSED(dart_group_locality_split, (group, root, core, 2, &out.size, NULL), "gout is NULL");
  ROW(dart_group_locality_split, (group, root, core, 0, &nout, pieces), DART_ERR_OTHER, "0 groups");
  ROW(dart_group_locality_split, (group, root, no_scope, 2, &out.size, pieces), DART_ERR_NOTFOUND,
      "4711");
  EXPECT_TRUE(copy->num_domains == root->num_domains && copy->num_units == n);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_OK(dart_domain_destroy(copy));
  expect_untouched(segment);
}
