/* Placements: whatever nodes units are on, by rule or by tables, ranks and nodes are those of a plain list. */
#include "node_data.h"

#include <stdlib.h>
#include <string.h>

#include "model/placement.h"

#define MOST 200

/* What a list says: nodes numbered by first unit, ranks node by node. */
typedef struct {
  int32_t nunits, nnodes;
  int32_t name[MOST], node[MOST], rank[MOST];
} expected_t;

static int32_t name_at(const void *of, int32_t unit)
{
  return ((const expected_t *)of)->name[unit];
}

static void number(expected_t *e)
{
  int32_t rank = 0;

  e->nnodes = 0;
  for (int32_t u = 0; u < e->nunits; u++) {
    e->node[u] = -1;
    for (int32_t v = 0; v < u && e->node[u] < 0; v++)
      if (e->name[v] == e->name[u])
        e->node[u] = e->node[v];
    if (e->node[u] < 0)
      e->node[u] = e->nnodes++;
  }
  for (int32_t k = 0; k < e->nnodes; k++)
    for (int32_t u = 0; u < e->nunits; u++)
      if (e->node[u] == k)
        e->rank[u] = rank++;
}

static void compare_with(const dart__placement_t *p, const expected_t *e)
{
  assert_int_equal(p->nnodes, e->nnodes);
  assert_int_equal(p->start[0], 0);
  assert_int_equal(p->start[p->nnodes], e->nunits);
  for (int32_t u = 0; u < e->nunits; u++) {
    assert_int_equal(dart__placement_node(p, u), e->node[u]);
    assert_int_equal(dart__placement_rank(p, u), e->rank[u]);
    assert_int_equal(dart__placement_unit(p, e->rank[u]), u);
    assert_true(e->rank[u] >= p->start[e->node[u]] && e->rank[u] < p->start[e->node[u] + 1]);
    for (int32_t k = 0; k < e->nnodes; k++)
      assert_int_equal(dart__placement_is_on(p, u, k), e->node[u] == k);
  }
}

static void compare(expected_t *e, dart__placed_t kind)
{
  dart__placement_t p;

  number(e);
  assert_true(dart__placement_find(&p, e->nunits, MOST, name_at, e));
  assert_int_equal(p.kind, kind);
  compare_with(&p, e);
  dart__placement_clear(&p);
  assert_null(p.start);
}

static void blocks_of_any_size_need_no_table(void **state)
{
  expected_t e;

  (void)state;
  for (int32_t size = 1; size <= 20; size++)
    for (e.nunits = 1; e.nunits <= 60; e.nunits += 7) {
      for (int32_t u = 0; u < e.nunits; u++)
        e.name[u] = MOST - 1 - u / size; /* names need not ascend */
      compare(&e, DART__PLACED_IN_BLOCKS);
    }
  e.nunits = 100;
  for (int32_t u = 0, node = 0; u < e.nunits; u++)
    e.name[u] = node += u % 7 == 0 || u % 11 == 0;
  compare(&e, DART__PLACED_IN_BLOCKS);
}

static void units_in_turn_need_no_table(void **state)
{
  expected_t e;

  (void)state;
  for (int32_t nnodes = 2; nnodes <= 9; nnodes++)
    for (e.nunits = nnodes + 1; e.nunits <= MOST; e.nunits += 13) {
      for (int32_t u = 0; u < e.nunits; u++)
        e.name[u] = u % nnodes;
      compare(&e, DART__PLACED_IN_TURN);
    }
}

static void other_placements_have_tables(void **state)
{
  expected_t e = { .nunits = 3, .name = { 5, 9, 5 } };

  (void)state;
  compare(&e, DART__PLACED_IN_TURN);
  e = (expected_t){ .nunits = 4, .name = { 5, 9, 9, 5 } };
  compare(&e, DART__PLACED_ANYHOW);
  for (int seed = 1; seed <= 50; seed++) {
    srand((unsigned)seed);
    e.nunits = 40 + rand() % (MOST - 40);
    for (int32_t u = 0; u < e.nunits; u++)
      e.name[u] = rand() % (2 + seed % 17);
    compare(&e, DART__PLACED_ANYHOW);
  }
}

/* Of the units of `job` some, by chance: a list, or those of a stride. */
static dart__members_t draw_members(const expected_t *job, dart_unit_t ids[MOST], bool by_rule)
{
  int32_t count = 0, stride = 1 + rand() % 2;

  for (int32_t u = rand() % 3; u < job->nunits; u += by_rule ? stride : 1 + (rand() % 3 == 0))
    ids[count++] = u;
  return dart__members_of(ids, count);
}

/* The team's placement by tables of its own, then by the job's, and then by a copy of its tables. */
static void compare_derived(const dart__placement_t *job, const expected_t *in_job,
                            const dart__members_t *members)
{
  static expected_t e;
  dart__placement_t p;
  int32_t          *copy;
  size_t            before;

  e.nunits = members->count;
  for (int32_t u = 0; u < e.nunits; u++) {
    assert_int_equal(dart__members_find(members, dart__member(members, u)), u);
    e.name[u] = in_job->node[dart__member(members, u)];
  }
  number(&e);
  assert_true(dart__placement_find(&p, e.nunits, job->nnodes, name_at, &e));
  before = dart__placement_elements(&p);
  assert_true(dart__placement_derive(&p, job, members));
  compare_with(&p, &e);
  if (p.kind == DART__PLACED_AS_IN_JOB)
    assert_true(dart__placement_elements(&p) < before);
  else
    assert_int_equal(dart__placement_elements(&p), before);
  copy = calloc(dart__placement_elements(&p), sizeof *copy);
  assert_non_null(copy);
  dart__placement_copy(&p, copy);
  dart__placement_share(&p, copy);
  compare_with(&p, &e);
  dart__placement_clear(&p);
  free(copy);
}

static void teams_of_a_job_in_blocks_are_in_blocks(void **state)
{
  static dart_unit_t ids[MOST];
  static expected_t  e, of_team;
  dart__placement_t  job, p;

  (void)state;
  for (int seed = 1; seed <= 400; seed++) {
    dart__members_t members;

    srand((unsigned)seed);
    e.nunits  = 40 + rand() % (MOST - 40);
    e.name[0] = 0;
    for (int32_t u = 1; u < e.nunits; u++)
      e.name[u] = e.name[u - 1] + (rand() % 8 == 0);
    number(&e);
    assert_true(dart__placement_find(&job, e.nunits, MOST, name_at, &e));
    members        = draw_members(&e, ids, seed % 2);
    of_team.nunits = members.count;
    for (int32_t u = 0; u < members.count; u++)
      of_team.name[u] = e.node[dart__member(&members, u)];
    number(&of_team);
    assert_true(dart__placement_in_blocks(&p, &job, &members));
    assert_int_equal(p.kind, DART__PLACED_IN_BLOCKS);
    assert_int_equal(p.nunits, members.count);
    compare_with(&p, &of_team);
    dart__placement_clear(&p);
    dart__placement_clear(&job);
  }
}

static void teams_refer_to_the_placement_of_the_job(void **state)
{
  static dart_unit_t ids[MOST];
  expected_t         e;
  dart__placement_t  job;

  (void)state;
  for (int seed = 1; seed <= 200; seed++) {
    int32_t nnodes;

    srand((unsigned)seed);
    nnodes   = 2 + rand() % 12;
    e.nunits = 40 + rand() % (MOST - 40);
    for (int32_t u = 0; u < e.nunits; u++)
      e.name[u] = seed % 2 ? u % nnodes : rand() % nnodes;
    number(&e);
    assert_true(dart__placement_find(&job, e.nunits, MOST, name_at, &e));
    for (int by_rule = 0; by_rule < 2; by_rule++) {
      dart__members_t members = draw_members(&e, ids, by_rule);

      compare_derived(&job, &e, &members);
    }
    dart__placement_clear(&job);
  }
}

static void a_large_team_in_disorder_takes_a_bit_for_each_unit(void **state)
{
  static dart_unit_t ids[MOST];
  expected_t         e = { .nunits = MOST };
  dart__placement_t  job, p;
  dart__members_t    members;

  (void)state;
  for (int32_t u = 0; u < MOST; u++)
    e.name[u] = u % 5;
  number(&e);
  assert_true(dart__placement_find(&job, e.nunits, MOST, name_at, &e));
  members = draw_members(&e, ids, false);
  for (int32_t u = 0; u < members.count; u++)
    e.name[u] = ids[u] % 5;
  assert_true(dart__placement_find(&p, members.count, 5, name_at, &e));
  assert_int_equal(p.kind, DART__PLACED_ANYHOW);
  assert_true(dart__placement_derive(&p, &job, &members));
  assert_int_equal(p.kind, DART__PLACED_AS_IN_JOB);
  assert_int_equal(dart__placement_elements(&p), 6 + 5 + 5 + (MOST + 31) / 32);
  dart__placement_clear(&p);
  dart__placement_clear(&job);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(blocks_of_any_size_need_no_table),
                                      cmocka_unit_test(units_in_turn_need_no_table),
                                      cmocka_unit_test(other_placements_have_tables),
                                      cmocka_unit_test(teams_of_a_job_in_blocks_are_in_blocks),
                                      cmocka_unit_test(teams_refer_to_the_placement_of_the_job),
                                      cmocka_unit_test(
                                          a_large_team_in_disorder_takes_a_bit_for_each_unit) };

  return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
