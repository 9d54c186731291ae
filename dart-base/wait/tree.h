#ifndef DART__WAIT_TREE_H
#define DART__WAIT_TREE_H
/* A barrier in groups, for nodes of many cores.
 *
 * In one barrier of all units each of them takes the same cache line from another core, one after the other. Here units
 * are in groups, which follow the machine: of the units that share a cache, then of those groups' leaders in a NUMA
 * domain, and so on, at most `fan` in a group. Each group has a barrier (wait/barrier.h). A leader collects its group,
 * arrives as a member of the next group, and opens its group when it comes back. So a unit waits for lines that only
 * its group writes, and the way to the root and back grows with the logarithm of the units. (Mellor-Crummey and Scott,
 * ACM TOCS 9(1), 1991; for data, which take the same way: Katevenis et al., XHC: XPMEM-based hierarchical collectives,
 * IEEE CLUSTER 2022.)
 *
 * The groups are in shared memory, planned and formatted by one unit, the first of the node, which leads the root. */
#include <stddef.h>

#include "wait/barrier.h"

/* Where a unit runs, from the innermost domain that counts to the outermost: numbers that are equal on two units of the
 * node if they are in the same one. */
#define DART__TREE_LEVELS 3
typedef struct {
  int32_t domain[DART__TREE_LEVELS];
} dart__tree_place_t;

/* Groups, as units of the node by index. Those of group g are member[start[g]] to member[start[g + 1] - 1], ascending, and
 * the first leads it. A unit's groups are in the order in which it passes them. */
typedef struct {
  uint32_t ngroups;
  uint32_t nunits;
  uint32_t start[]; /* [nunits], then `member` */
} dart__tree_plan_t;

/** Plan for nunits > 1 units, with at most `fan` > 1 in a group. NULL: no memory. Freed by the caller. */
dart__tree_plan_t *dart__tree_plan(const dart__tree_place_t places[], uint32_t nunits,
                                   uint32_t fan);

static inline const uint32_t *dart__tree_members(const dart__tree_plan_t *plan, uint32_t group)
{
  return plan->start + plan->nunits + plan->start[group];
}

static inline uint32_t dart__tree_count(const dart__tree_plan_t *plan, uint32_t group)
{
  return plan->start[group + 1] - plan->start[group];
}

/** Bytes of shared memory for the plan, and the plan in it, aligned to a cache line. Barriers are in `episode`. */
size_t dart__tree_bytes(const dart__tree_plan_t *plan);
void   dart__tree_format(void *memory, const dart__tree_plan_t *plan, uint32_t episode);

/* A unit's view of it. */
#define DART__TREE_DEPTH 40 /* groups that a unit leads: 32 of pairs, and one more a level */
typedef struct {
  dart__barrier_t         *barriers; /* [groups]; NULL: there is no tree */
  const dart__tree_plan_t *plan;
  uint32_t                 me;
  uint32_t                 nled;
  uint16_t                 led[DART__TREE_DEPTH]; /* groups that it leads */
  int32_t                  member_of; /* of which it is a member, then; -1: it leads the root */
} dart__tree_t;

/** Open formatted memory as unit `me` of the node. */
void dart__tree_open(dart__tree_t *tree, void *memory, uint32_t me);

/* Data that take the same way: each unit's are in its slot. On the way to the root a leader combines its group's with its
 * own; on the way back it takes the root's, from the slot of its leader. */
typedef struct {
  char  *slots; /* of all units of the node */
  size_t slot_bytes;
  size_t nbytes;                                                      /* of data in each */
  void (*combine)(const void *context, const char *other, char *own); /* or NULL */
  const void *context;
} dart__tree_data_t;

/** All units: arrive, and, unless this unit leads the root and `is_split`, return once all have arrived. True: it does, all
 *  others wait for dart__tree_release, and its slot has the data of all. `data` may be NULL. `episode` and `kind` are as for a barrier.
 *  It returns early, too, if the check of the policy gives the wait up. */
bool dart__tree_arrive(const dart__tree_t *tree, uint32_t *episode, uint32_t kind, bool is_split,
                       const dart__tree_data_t *data, const dart__wait_policy_t *policy);
void dart__tree_release(const dart__tree_t *tree, const uint32_t *episode);

/** The barrier that a unit leaves last: that of the group in which it is a member, or of the root. */
static inline dart__barrier_t *dart__tree_last(const dart__tree_t *tree)
{
  return &tree->barriers[tree->member_of >= 0 ? (uint32_t)tree->member_of
                                              : tree->led[tree->nled - 1]];
}

/** Where this unit finds the data of the root, after that. */
static inline const char *dart__tree_result(const dart__tree_t *tree, const dart__tree_data_t *data)
{
  uint32_t unit =
      tree->nled > 0 ? tree->me : dart__tree_members(tree->plan, (uint32_t)tree->member_of)[0];

  return data->slots + unit * data->slot_bytes;
}

#endif
