#ifndef DART__MODEL_PLACEMENT_H
#define DART__MODEL_PLACEMENT_H
/* Which node each unit of a job, or of a team, is on.
 *
 * Nodes are numbered by their first unit. A unit's rank is its index in the list of all units, node by node, those of a
 * node ascending. In most jobs units are dealt to nodes in blocks or in turn, and then all but where each node's ranks
 * start is arithmetic; else there are tables. Those of a large team are small, for they refer to the job's placement. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/members.h"

typedef enum {
  DART__PLACED_IN_BLOCKS, /* of any sizes: ranks are the units themselves */
  DART__PLACED_IN_TURN,   /* unit u is on node u mod nnodes */
  DART__PLACED_ANYHOW,
  DART__PLACED_AS_IN_JOB /* a team: its members are where the job has them */
} dart__placed_t;

typedef struct dart__placement {
  dart__placed_t kind;
  int32_t        nunits;
  int32_t        nnodes;
  const int32_t *start;     /* node → rank of its first unit; [nnodes] = nunits */
  const int32_t *node_of;   /* DART__PLACED_ANYHOW: unit → node; else NULL, as is ... */
  const int32_t *unit_at;   /* rank → unit */
  bool           is_shared; /* the tables are another's to free */

  /* DART__PLACED_AS_IN_JOB; the tables follow `start`. */
  const struct dart__placement *job;
  dart__members_t               members;
  const int32_t                *number; /* node of the job → node, if it has members */
  const int32_t                *home;   /* node → node of the job */
  const uint32_t               *bits; /* rank in the job → a bit: whether the unit is a member */
} dart__placement_t;

/** Find the placement of `nunits` > 0 units. Unit u is on the node that node_at(of, u) names, from 0 to nids - 1, a
 *  name for each node. False: no memory. */
bool dart__placement_find(dart__placement_t *p, int32_t nunits, int32_t nids,
                          int32_t (*node_at)(const void *of, int32_t unit), const void *of);

/** Find the placement of these members of a job whose units are in blocks, where each node's members follow one another. The
 *  time does not grow with the members, but with the nodes and the logarithm of their units. False: no memory. */
bool dart__placement_in_blocks(dart__placement_t *p, const dart__placement_t *job,
                               const dart__members_t *members);

/** Replace the tables of the placement of these members of a job, if it has some, by tables that are smaller, where these
 *  are: a bit for each unit of the job. False: no memory. */
bool dart__placement_derive(dart__placement_t *p, const dart__placement_t *job,
                            const dart__members_t *members);

/** Free its tables; also of a zeroed one. */
void dart__placement_clear(dart__placement_t *p);

/** Elements of its tables, one behind the other. Copy them; and use such a copy, which another frees, in place of them. */
size_t dart__placement_elements(const dart__placement_t *p);
void   dart__placement_copy(const dart__placement_t *p, int32_t to[]);
void   dart__placement_share(dart__placement_t *p, const int32_t from[]);

/* For what is not arithmetic. */
int32_t dart__placement_search_node(const dart__placement_t *p, int32_t unit);
int32_t dart__placement_search_rank(const dart__placement_t *p, int32_t unit);
int32_t dart__placement_search_unit(const dart__placement_t *p, int32_t rank);

static inline int32_t dart__placement_node(const dart__placement_t *p, int32_t unit)
{
  if (p->nnodes == 1)
    return 0;
  if (p->kind == DART__PLACED_IN_TURN)
    return unit % p->nnodes;
  return p->node_of != NULL ? p->node_of[unit] : dart__placement_search_node(p, unit);
}

static inline bool dart__placement_is_on(const dart__placement_t *p, int32_t unit, int32_t node)
{
  if (p->kind == DART__PLACED_IN_BLOCKS)
    return unit >= p->start[node] && unit < p->start[node + 1];
  return dart__placement_node(p, unit) == node;
}

static inline int32_t dart__placement_rank(const dart__placement_t *p, int32_t unit)
{
  if (p->kind == DART__PLACED_IN_BLOCKS)
    return unit;
  if (p->kind == DART__PLACED_IN_TURN)
    return p->start[unit % p->nnodes] + unit / p->nnodes;
  return dart__placement_search_rank(p, unit);
}

static inline int32_t dart__placement_unit(const dart__placement_t *p, int32_t rank)
{
  if (p->kind == DART__PLACED_IN_BLOCKS)
    return rank;
  return p->unit_at != NULL ? p->unit_at[rank] : dart__placement_search_unit(p, rank);
}

#endif
