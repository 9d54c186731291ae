/* Collective calls that match, and that do not. Unit 1 is the one that errs. */
#include "check.h"

#define MISMATCH \
  "*: collectives: units 0 and 1 of team 0 are in collective calls that do not match: "

static int values[64], more[64];

static void right_calls(void)
{
  size_t counts[64], places[64];

  for (int unit = 0; unit < n; unit++) {
    counts[unit] = (size_t)unit;
    places[unit] = unit == 0 ? 0 : places[unit - 1] + counts[unit - 1];
  }
  for (int round = 0; round < 10; round++) {
    dart_bcast(values, 3, DART_TYPE_INT, DART_TEAM_UNIT_ID(round % n), DART_TEAM_ALL);
    dart_allreduce(values, more, 2, DART_TYPE_INT, DART_OP_MAX, DART_TEAM_ALL);
    dart_gather(values, more, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL);
    dart_allgatherv(values, counts[me], DART_TYPE_INT, more, counts, places, DART_TEAM_ALL);
  }
}

/* Requests differ in size, which they may; a type of each unit's own is the same if its size is. */
static void right_differences(void)
{
  dart_datatype_t type;
  dart_gptr_t     gptr;

  dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)me, DART_TYPE_INT, &gptr);
  dart_team_memfree(gptr);
  dart_type_create_custom(12, &type);
  dart_bcast(values, 2, type, DART_TEAM_UNIT_ID(1), DART_TEAM_ALL);
  dart_type_destroy(&type);
}

static dart_team_t team_of(int first, int count)
{
  dart_team_t  team;
  dart_group_t group;

  dart_group_create(&group);
  for (int unit = first; unit < first + count; unit++)
    dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit));
  dart_team_create(DART_TEAM_ALL, group, &team);
  dart_group_destroy(&group);
  return team;
}

/* Units of different teams need not be in the same call. */
static void right_teams(void)
{
  dart_team_t left = team_of(0, 2), right = team_of(2, n - 2);

  for (int i = 0; i < 5 && left != DART_TEAM_NULL; i++)
    dart_barrier(left);
  for (int i = 0; i < 3 && right != DART_TEAM_NULL; i++)
    dart_bcast(values, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), right);
  dart_team_destroy(&left);
  dart_team_destroy(&right);
}

/* `count` units from `first` on, without `left_out`. */
static dart_group_t group_of(int first, int count, int left_out)
{
  dart_group_t group;

  dart_group_create(&group);
  for (int unit = first; unit < first + count; unit++)
    if (unit != left_out)
      dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit));
  return group;
}

static void make_team(int first, int count)
{
  dart_group_t group = group_of(first, count, -1);
  dart_team_t  team;

  dart_team_create_group(DART_TEAM_ALL, group, 0, &team);
  dart_team_destroy(&team);
  dart_group_destroy(&group);
}

/* One after another with the same tag, by more and by fewer units. */
static void right_groups(void)
{
  for (int round = 0; round < 5; round++) {
    if (me < 2)
      make_team(0, 2);
    make_team(0, n);
    if (me > 0)
      make_team(1, n - 1);
  }
}

/* Unit 0 waits for unit 1, which does not come, and so never hears of the last one's group. */
static void wrong_groups(void)
{
  dart_group_t group = group_of(0, n, me == 0 ? -1 : 1);
  dart_team_t  team;

  setenv("DART_CHECK_PATIENCE", "2", 1);
  if (me == 0 || me == n - 1)
    dart_team_create_group(DART_TEAM_ALL, group, 0, &team);
  dart_group_destroy(&group);
}

/* A call that is refused, here for a team that a unit is not in, is none that others wait for. */
static void right_refusals(void)
{
  dart_team_t team = team_of(0, 1);

  dart_barrier(me == 0 ? team : DART_TEAM_NULL);
  dart_bcast(values, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(n), DART_TEAM_ALL);
  dart_team_destroy(&team);
}

static void wrong_call(void)
{
  if (me == 1)
    dart_bcast(values, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  else
    dart_barrier(DART_TEAM_ALL);
}

static void wrong_root(void)
{
  dart_bcast(values, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(me == 1), DART_TEAM_ALL);
}

static void wrong_count(void)
{
  dart_allreduce(values, more, me == 1 ? 2 : 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL);
}

static void wrong_type(void)
{
  dart_allgather(values, more, 1, me == 1 ? DART_TYPE_FLOAT : DART_TYPE_INT, DART_TEAM_ALL);
}

static void wrong_operator(void)
{
  dart_allreduce(values, more, 1, DART_TYPE_INT, me == 1 ? DART_OP_MIN : DART_OP_MAX,
                 DART_TEAM_ALL);
}

static void wrong_layout(void)
{
  size_t counts[64] = { 0 }, places[64] = { 0 };

  counts[2] = me == 1 ? 2 : 1;
  dart_allgatherv(values, counts[me], DART_TYPE_INT, more, counts, places, DART_TEAM_ALL);
}

static void wrong_segment(void)
{
  dart_gptr_t first = segment(1, 0), second = segment(1, 0);

  dart_team_memfree(me == 1 ? second : first);
  dart_team_memfree(me == 1 ? first : second);
}

static void wrong_end(void)
{
  if (me == 1)
    dart_exit();
  dart_barrier(DART_TEAM_ALL);
}

/* Both units are in both teams. */
static void wrong_order(void)
{
  dart_team_t first = team_of(0, 2), second = team_of(0, 2);

  if (me < 2) {
    dart_barrier(me == 1 ? second : first);
    dart_barrier(me == 1 ? first : second);
  }
}

const case_t collective_cases[] = {
  { "right_calls", NULL, right_calls, TOGETHER },
  { "right_differences", NULL, right_differences, TOGETHER },
  { "right_teams", NULL, right_teams, TOGETHER },
  { "right_refusals", NULL, right_refusals, TOGETHER },
  { "right_groups", NULL, right_groups, TOGETHER },
  { "wrong_call", MISMATCH "call", wrong_call, ALONE },
  { "wrong_root", MISMATCH "root or object", wrong_root, ALONE },
  { "wrong_count", MISMATCH "number of elements", wrong_count, ALONE },
  { "wrong_type", MISMATCH "type", wrong_type, ALONE },
  { "wrong_operator", MISMATCH "operator", wrong_operator, ALONE },
  { "wrong_layout", MISMATCH "other arguments", wrong_layout, ALONE },
  { "wrong_segment", MISMATCH "root or object", wrong_segment, ALONE },
  { "wrong_end", MISMATCH "call", wrong_end, ALONE },
  { "wrong_order",
    "*: collectives: units [01] and [01] wait for each other in collective calls of teams *",
    wrong_order, ALONE },
  { "wrong_groups",
    "*: collectives: units [02] and [02] create teams of different groups with tag 0, *",
    wrong_groups, ALONE },
  { NULL, NULL, NULL, TOGETHER },
};
