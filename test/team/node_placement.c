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

static void compare(expected_t *e, dart__placed_t kind)
{
  dart__placement_t p;

  number(e);
  assert_true(dart__placement_find(&p, e->nunits, MOST, name_at, e));
  assert_int_equal(p.kind, kind);
  assert_int_equal(p.nnodes, e->nnodes);
  assert_int_equal(p.start[0], 0);
  assert_int_equal(p.start[p.nnodes], e->nunits);
  for (int32_t u = 0; u < e->nunits; u++) {
    assert_int_equal(dart__placement_node(&p, u), e->node[u]);
    assert_int_equal(dart__placement_rank(&p, u), e->rank[u]);
    assert_int_equal(dart__placement_unit(&p, e->rank[u]), u);
    assert_true(e->rank[u] >= p.start[e->node[u]] && e->rank[u] < p.start[e->node[u] + 1]);
    for (int32_t k = 0; k < e->nnodes; k++)
      assert_int_equal(dart__placement_is_on(&p, u, k), e->node[u] == k);
  }
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

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(blocks_of_any_size_need_no_table),
                                      cmocka_unit_test(units_in_turn_need_no_table),
                                      cmocka_unit_test(other_placements_have_tables) };

  return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
