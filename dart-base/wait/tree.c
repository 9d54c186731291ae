/* The tree of barriers: see tree.h. */
#include "wait/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- planning ------------------------------------------------------------------------------ */

static uint32_t *members_to_come(dart__tree_plan_t *plan)
{
  return plan->start + plan->nunits + plan->start[plan->ngroups];
}

/* Units `unit` form a group, and the first of them takes part in what follows. */
static void add_group(dart__tree_plan_t *plan, const uint32_t unit[], uint32_t count)
{
  memcpy(members_to_come(plan), unit, count * sizeof *unit);
  plan->start[plan->ngroups + 1] = plan->start[plan->ngroups] + count;
  plan->ngroups++;
}

/* Groups of equal size, and of their leaders the next ones, until one unit is left: the first. */
static void add_groups(dart__tree_plan_t *plan, uint32_t unit[], uint32_t count, uint32_t fan)
{
  while (count > 1) {
    uint32_t ngroups = (count + fan - 1) / fan;

    for (uint32_t g = 0; g < ngroups; g++) {
      uint32_t from = (uint32_t)((uint64_t)count * g / ngroups);
      uint32_t to   = (uint32_t)((uint64_t)count * (g + 1) / ngroups);

      if (to - from > 1)
        add_group(plan, unit + from, to - from);
      unit[g] = unit[from];
    }
    count = ngroups;
  }
}

static bool are_together(const dart__tree_place_t places[], uint32_t a, uint32_t b, int level)
{
  return level == DART__TREE_LEVELS || places[a].domain[level] == places[b].domain[level];
}

/* Of the `count` units `heads`, ascending, those that share a domain form groups. Returns how many are left. */
static uint32_t add_level(dart__tree_plan_t *plan, const dart__tree_place_t places[], int level,
                          uint32_t heads[], uint32_t count, uint32_t domain[], uint32_t fan)
{
  uint32_t left = 0;

  while (count > 0) {
    uint32_t first = heads[left], n = 0, others = left + 1;

    for (uint32_t i = left; i < left + count; i++)
      if (are_together(places, first, heads[i], level))
        domain[n++] = heads[i];
      else
        heads[others++] = heads[i];
    heads[left++] = first;
    count -= n;
    add_groups(plan, domain, n, fan);
  }
  return left;
}

dart__tree_plan_t *dart__tree_plan(const dart__tree_place_t places[], uint32_t nunits, uint32_t fan)
{
  /* each group has at least two members, of which one takes part in what follows: fewer groups than units, and fewer
   * members than twice as many */
  size_t             most  = 3 * (size_t)nunits;
  dart__tree_plan_t *plan  = malloc(sizeof *plan + most * sizeof *plan->start);
  uint32_t          *heads = malloc(2 * (size_t)nunits * sizeof *heads);
  uint32_t           count = nunits;

  if (plan == NULL || heads == NULL) {
    free(plan);
    free(heads);
    return NULL;
  }
  *plan          = (dart__tree_plan_t){ .nunits = nunits };
  plan->start[0] = 0;
  for (uint32_t unit = 0; unit < nunits; unit++)
    heads[unit] = unit;
  for (int level = 0; level <= DART__TREE_LEVELS; level++)
    count = add_level(plan, places, level, heads, count, heads + nunits, fan);
  free(heads);
  return plan;
}

/* ---- shared memory ------------------------------------------------------------------------- */

static size_t plan_bytes(const dart__tree_plan_t *plan)
{
  return sizeof *plan + (plan->nunits + plan->start[plan->ngroups]) * sizeof *plan->start;
}

/* The barriers follow the plan. */
static size_t barriers_at(const dart__tree_plan_t *plan)
{
  return (plan_bytes(plan) + DART__CACHE_LINE - 1) / DART__CACHE_LINE * DART__CACHE_LINE;
}

size_t dart__tree_bytes(const dart__tree_plan_t *plan)
{
  return barriers_at(plan) + plan->ngroups * sizeof(dart__barrier_t);
}

void dart__tree_format(void *memory, const dart__tree_plan_t *plan, uint32_t episode)
{
  dart__barrier_t *barriers = (void *)((char *)memory + barriers_at(plan));

  memcpy(memory, plan, plan_bytes(plan));
  for (uint32_t g = 0; g < plan->ngroups; g++)
    dart__barrier_init(&barriers[g], dart__tree_count(plan, g), episode);
}

static bool has_unit(const dart__tree_plan_t *plan, uint32_t group, uint32_t unit)
{
  const uint32_t *member = dart__tree_members(plan, group);

  for (uint32_t i = 0; i < dart__tree_count(plan, group); i++)
    if (member[i] == unit)
      return true;
  return false;
}

void dart__tree_open(dart__tree_t *tree, void *memory, uint32_t me)
{
  const dart__tree_plan_t *plan = memory;

  *tree = (dart__tree_t){ .barriers  = (void *)((char *)memory + barriers_at(plan)),
                          .plan      = plan,
                          .me        = me,
                          .member_of = -1 };
  for (uint32_t g = 0; g < plan->ngroups && tree->member_of < 0; g++) {
    if (dart__tree_members(plan, g)[0] == me)
      tree->led[tree->nled++] = (uint16_t)g;
    else if (has_unit(plan, g, me))
      tree->member_of = (int32_t)g;
  }
}

/* ---- steps --------------------------------------------------------------------------------- */

/* A number that is another one than `kind` and than that of other units in the same place: a unit brings it whose group
 * has different kinds, so that the next group has, too. */
static uint32_t unlike(const dart__tree_t *tree, uint32_t kind)
{
  return kind + (tree->me + 1) * UINT32_C(0x9e3779b1);
}

void dart__tree_release(const dart__tree_t *tree, const uint32_t *episode)
{
  bool differ = tree->member_of >= 0 && dart__barrier_differs(&tree->barriers[tree->member_of]);

  for (uint32_t i = tree->nled; i-- > 0;) {
    dart__barrier_t *barrier = &tree->barriers[tree->led[i]];

    if (differ)
      dart__barrier_note_difference(barrier);
    differ = dart__barrier_differs(barrier);
    dart__barrier_open(barrier, episode);
  }
}

static char *slot_of(const dart__tree_data_t *data, uint32_t unit)
{
  return data->slots + unit * data->slot_bytes;
}

/* Combine the data of a group that has arrived in the slot of its leader. */
static void combine_group(const dart__tree_t *tree, uint32_t group, const dart__tree_data_t *data)
{
  const uint32_t *member = dart__tree_members(tree->plan, group);

  for (uint32_t i = 1; i < dart__tree_count(tree->plan, group); i++)
    data->combine(data->context, slot_of(data, member[i]), slot_of(data, tree->me));
}

/* Collect the groups that this unit leads. `*kind`: that to go on with. False: the wait was given up. */
static bool collect_groups(const dart__tree_t *tree, uint32_t before, uint32_t *kind,
                           const dart__tree_data_t *data, const dart__wait_policy_t *policy)
{
  for (uint32_t i = 0; i < tree->nled; i++) {
    uint32_t         group = tree->led[i], episode = before;
    dart__barrier_t *barrier = &tree->barriers[group];

    if (!dart__barrier_collect(barrier, &episode, *kind, policy))
      return false;
    if (dart__barrier_differs(barrier))
      *kind = unlike(tree, *kind);
    if (data != NULL && data->combine != NULL)
      combine_group(tree, group, data);
  }
  return true;
}

/* A unit that gives up neither arrives in the next group nor opens its own: these have not all arrived. */
bool dart__tree_arrive(const dart__tree_t *tree, uint32_t *episode, uint32_t kind, bool is_split,
                       const dart__tree_data_t *data, const dart__wait_policy_t *policy)
{
  uint32_t before = (*episode)++;

  if (!collect_groups(tree, before, &kind, data, policy))
    return false;
  if (tree->member_of >= 0) {
    uint32_t group = (uint32_t)tree->member_of;

    if (!dart__barrier_follow(&tree->barriers[group], &before, kind, policy))
      return false;
    if (data != NULL && tree->nled > 0)
      memcpy(slot_of(data, tree->me), slot_of(data, dart__tree_members(tree->plan, group)[0]),
             data->nbytes);
  } else if (is_split) {
    return true;
  }
  dart__tree_release(tree, episode);
  return false;
}
