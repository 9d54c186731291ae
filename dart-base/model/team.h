#ifndef DART__MODEL_TEAM_H
#define DART__MODEL_TEAM_H
/* Teams: their members, which of their units are near, and which segments they have.
 *
 * Look-ups on the data path are array accesses: team ids are small, and a segment table has a slot
 * for every 16-bit id, of which only touched pages cost memory. The tables of the data path are never
 * reallocated, so they can be read while other threads allocate. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_team_group.h>

#include "model/members.h"
#include "model/placement.h"
#include "model/segment.h"
#include "wait/exchange.h"
#include "wait/waiting.h"

#define DART__MAX_TEAMS    32768
#define DART__MAX_SEGMENTS 65536 /* the slot of a segment is its id as an unsigned number */

/* The collective that this unit is in, for coll/step.h, which compares kinds. */
typedef struct {
  const char *function; /* as dart__call_note has it; NULL: it moves no data of the program's */
  size_t      nbytes;
  int32_t     root; /* -1: there is none, or every unit is one */
  uint32_t    kind;
  uint32_t    number; /* of the call: the same on all units of the team that have made as many */
  uint32_t    kind_without_data; /* of all that move none, since the last dart__team_begin_call */
} dart__collective_t;

/* What is special about a team. */
#define DART__TEAM_BROKEN 1 /* a member is lost, as a thread has seen (dart__team_break) */
#define DART__TEAM_TREE   2 /* its steps have a tree */

typedef struct dart__team {
  dart_team_t id;
  int32_t     nunits;
  int32_t     me;         /* own team id */
  int32_t     near_first; /* the node's units are among the near_span ones from here on; ... */
  int32_t     near_span;  /* ... 0 if they are ... */
  bool is_scattered; /* ... in a large team, and not one behind the other: dart__team_near_slot */
  int32_t near_me;   /* own slot */
  int     near_bits; /* near_table has 2^near_bits entries: index in node_units, plus 1; 0: none */
  uint16_t         *near_table;   /* NULL: not scattered, or by arithmetic */
  dart__members_t   members;      /* the list is this unit's, or shares_lists */
  dart__placement_t nodes;        /* by team ids */
  bool              has_nodes;    /* their tables are the team's; else the job's */
  bool              shares_lists; /* lists are the node's, behind the exchange */
  int32_t           nnodes;
  int32_t           node;       /* own node */
  int32_t           node_first; /* the rank of its first unit */
  int32_t           node_nunits;
  int32_t           node_me;    /* own index in node_units; 0 is the node's leader */
  int32_t          *node_units; /* team ids of this node's units, ascending */
  /* [nnodes + 1], a leader's scratch in collectives: where each node's block starts. NULL: not needed */
  size_t             *node_bytes;
  dart__segment_t   **segments;      /* DART__MAX_SEGMENTS slots */
  int32_t             nsegments;     /* entries of that ... */
  int32_t             most_segments; /* ... and the most that there have been at a time */
  dart__direct_map_t *direct_map;    /* DART__MAX_SEGMENTS slots */
  int32_t             first_free;    /* no positive id below is free */
  uint32_t            nregistered;   /* registrations that were agreed on: the same on all units */
  dart__chunk_t      *chunks;
  dart__exchange_t    exchange;        /* the node's shared buffers, as this unit opened them ... */
  uint64_t            exchange_offset; /* ... and their offset in the pool of the node's leader */
  uint64_t            wide_offset;     /* offset of its wide slots and results; 0: not made yet */
  uint64_t            result_offset;   /* offset of a result that was widened alone; 0: none */
  uint64_t            tree_offset;     /* offset of its tree of barriers; 0: there is none */
  uint64_t            all_offset;      /* offset of those with a piece of every unit; 0: none */
  /* see coll/step.h; NULL: it was called, or of the last one, `widen` was enough */
  void (*widen)(struct dart__team *team);
  void (*widen_result)(struct dart__team *team);
  void (*widen_for_all)(struct dart__team *team);
  dart__wait_policy_t    wait;    /* how units wait in its collectives */
  dart__waiting_t       *waiting; /* the leader's entry during a collective's step; or NULL */
  dart__collective_t     call;
  _Atomic uint8_t        special; /* bits of DART__TEAM_: one look where a step begins */
  void                  *aside;   /* what it writes to instead of slots and results then; or NULL */
  _Atomic uint32_t       nlost;   /* losses in the job that it has looked at */
  uint32_t               nvotes;  /* votes so far: the same on all units that are not lost */
  void                  *net;     /* what the network has of it, see net.h */
  struct dart__far_team *far;     /* far/far_team.h; NULL: one node */
  struct dart__locality *locality; /* team/team_locality.c; NULL: none */
  /* Registered segments of which this unit has deregistered its portion, slot ~id; NULL: it has registered none. Their
   * ids are free on this unit, and taken on those that have not deregistered yet: while they are, it reaches these. */
  dart__segment_t **ended;
  int32_t           nended;
} dart__team_t;

extern dart__team_t *dart__teams[DART__MAX_TEAMS];

/* Ids of teams that this unit has had are below: a look at the whole table would touch 64 pages. */
extern _Atomic int32_t dart__teams_end;

/* Team id, as an unsigned number of 16 bits → the direct maps to the team's segments, by slot, or
 * NULL. The entries of negative ids stay NULL. */
extern const dart__direct_map_t *dart__team_direct[2 * DART__MAX_TEAMS];

/* How often a map or a part of one was taken out of it: what was found by it before holds while this stays. For a process
 * with one thread. */
extern uint64_t dart__team_withdrawn;

/** This thread waits in a step of a collective of the team `subject`; `note` of dart__wait_policy_t, or after
 *  the arrival in the step. */
dart__waiting_t *dart__team_note_wait(void *subject);

/** Whether the team is broken on this unit (model/lost.h). Local: it looks at no loss. */
static inline bool dart__team_is_broken(const dart__team_t *team)
{
  /* acquire: pairs with dart__team_break; this thread finds the loss, too */
  return __builtin_expect(
      (atomic_load_explicit((_Atomic uint8_t *)&team->special, memory_order_acquire) &
       DART__TEAM_BROKEN) != 0,
      0);
}

/** Whether the team is broken, or its steps have a tree. */
static inline bool dart__team_is_special(const dart__team_t *team)
{
  /* acquire: as in dart__team_is_broken, which looks at the same byte */
  return atomic_load_explicit((_Atomic uint8_t *)&team->special, memory_order_acquire) != 0;
}

/** The team, or NULL: unknown, null, or the caller is no member. */
static inline dart__team_t *dart__team_find(dart_team_t id)
{
  return id < 0 ? NULL : dart__teams[id];
}

/** Log that `function` has no such team, and why: there are none before dart_init and after dart_exit. */
void dart__team_error(const char *function, dart_team_t id);

/** The segment, or NULL. */
static inline dart__segment_t *dart__segment_find(const dart__team_t *team, int16_t id)
{
  return team->segments[(uint16_t)id];
}

/** The segment, or the one that has ended under this id, or NULL. */
static inline dart__segment_t *dart__segment_find_known(const dart__team_t *team, int16_t id)
{
  dart__segment_t *segment = team->segments[(uint16_t)id];

  if (__builtin_expect(segment != NULL, 1) || id >= 0 || team->ended == NULL)
    return segment;
  return team->ended[~id];
}

/** Describe a team of these members (a list is copied), of which the caller is one. Local; it is in no table, and has
 *  no shared memory yet. NULL: no memory. */
dart__team_t *dart__team_new(const dart__members_t *members);
void          dart__team_delete(dart__team_t *team);

/** Bytes of the lists by unit and by node that a team has, if it is not of all units. They are the same for all units of a
 *  node. Copy them to memory that these share; and use the copy there, and free this unit's. */
size_t dart__team_lists_bytes(const dart__team_t *team);
void   dart__team_lists_copy(const dart__team_t *team, void *memory);
void   dart__team_lists_share(dart__team_t *team, const void *memory);

/** Free what deleted teams have left for new ones (exit). */
void dart__team_free_spare(void);

/** Enter the team into the table under an id, or remove it. */
void dart__team_enter(dart__team_t *team, dart_team_t id);
void dart__team_leave(dart__team_t *team);

/** Units of the node that has most of the team's. */
int32_t dart__team_widest_node(const dart__team_t *team);

/** Team id of a global id, -1 if the unit is no member. */
int32_t dart__team_unit_of(const dart__team_t *team, dart_unit_t global);

/** The lowest free positive segment id; 0: none left. */
int16_t dart__team_free_segid(dart__team_t *team);

/** The highest free segment id that is not above `from` < 0; 0: none left. */
int16_t dart__team_free_registered(const dart__team_t *team, int16_t from);

/** Enter the segment into the team's table under its id, or remove it. Neither allocates nor frees. */
void dart__segment_enter(dart__team_t *team, dart__segment_t *segment);
void dart__segment_leave(dart__team_t *team, dart__segment_t *segment);

/** Have room for ended segments, before the team's first registration. False: no memory. */
bool dart__segment_prepare_ended(dart__team_t *team);

/** Keep a segment as an ended one, under its id; and take the one with an id out, NULL: there is none. */
void             dart__segment_end(dart__team_t *team, dart__segment_t *segment);
dart__segment_t *dart__segment_take_ended(dart__team_t *team, int16_t id);

/** Remove the segment's direct map, so that entry points take the general path, or restore it. */
void dart__segment_withdraw(dart__team_t *team, const dart__segment_t *segment);
void dart__segment_restore(dart__team_t *team, const dart__segment_t *segment);

/** The number of the team's call that is under way, among those of all teams: even, and not 0. */
static inline uint32_t dart__team_call_number(const dart__team_t *team)
{
  return team->call.number << 16 | ((uint32_t)team->id + 1) << 1;
}

/** The calling unit is in `function`, a collective that moves no data of the program. Calls that do not say so, as a fence,
 *  take the kind of the last that did, which is the same on all units. */
void dart__team_begin_call(dart__team_t *team, const char *function);

/** The step that begins belongs to such a collective. */
static inline void dart__team_forget_call(dart__team_t *team)
{
  team->call.function = NULL;
  team->call.kind     = team->call.kind_without_data;
}

/** The global id of a unit. */
static inline dart_unit_t dart__team_member(const dart__team_t *team, int32_t unit)
{
  return dart__member(&team->members, unit);
}

/** The node of a unit, in the team; and whether it is this unit's. */
static inline int32_t dart__team_node_of(const dart__team_t *team, int32_t unit)
{
  return dart__placement_node(&team->nodes, unit);
}

static inline bool dart__team_is_on_node(const dart__team_t *team, int32_t unit)
{
  if (__builtin_expect(team->nodes.kind == DART__PLACED_IN_BLOCKS, 1))
    return (uint32_t)(unit - team->node_first) < (uint32_t)team->node_nunits;
  return dart__placement_is_on(&team->nodes, unit, team->node);
}

/** The index of a unit when all are listed node by node; the unit at an index; the index of a node's first unit, where
 *  for node nnodes it is nunits. */
static inline int32_t dart__team_rank(const dart__team_t *team, int32_t unit)
{
  return dart__placement_rank(&team->nodes, unit);
}

static inline int32_t dart__team_unit_at(const dart__team_t *team, int32_t rank)
{
  return dart__placement_unit(&team->nodes, rank);
}

static inline int32_t dart__team_node_start(const dart__team_t *team, int32_t node)
{
  return team->nodes.start[node];
}

/** How many units a node has. */
static inline int32_t dart__team_units_on(const dart__team_t *team, int32_t node)
{
  return team->nodes.start[node + 1] - team->nodes.start[node];
}

/** The index of a unit of this node among node_units. */
static inline int32_t dart__team_near_index(const dart__team_t *team, int32_t unit)
{
  return dart__team_rank(team, unit) - team->node_first;
}

/** The index of a unit among node_units that are scattered; -1: it is far. */
int32_t dart__team_find_near(const dart__team_t *team, int32_t unit);

/** Tables of the node's portions have a slot for each unit of the team, of which only those of the node's units are used.
 *  Where these are scattered, each would be on a page of its own, so they are in the order of node_units instead. */
static inline int32_t dart__team_near_slot(const dart__team_t *team, int32_t unit)
{
  return team->is_scattered ? dart__team_find_near(team, unit) : unit;
}

static inline size_t dart__team_near_slots(const dart__team_t *team)
{
  return (size_t)(team->is_scattered ? team->node_nunits : team->nunits);
}

/** The unit's entry in such a table. NULL: the unit is far, or it has none. In a large job no part of the table would be in
 *  a cache for most units, so it is looked at only where it may have one. */
static inline char *dart__team_near(const dart__team_t *team, char *const *near, int32_t unit)
{
  int32_t index;

  if (__builtin_expect((uint32_t)(unit - team->near_first) < (uint32_t)team->near_span, 1))
    return near[unit];
  if (__builtin_expect(!team->is_scattered, 1))
    return NULL;
  index = dart__team_find_near(team, unit);
  return index < 0 ? NULL : near[index];
}

/* The pools of the units (memory/pool.h), from when they are open. */
typedef struct {
  const dart__team_t *all;  /* the first team, also before it is entered */
  char *const        *near; /* slot → a unit's pool, as mapped here */
} dart__pools_t;

extern dart__pools_t dart__pools;

/** Where `offset` of the pool of a near unit (global id) is mapped here. */
static inline char *dart__pool_address(dart_unit_t unit, uint64_t offset)
{
  return dart__pools.near[dart__team_near_slot(dart__pools.all, unit)] + offset;
}

static inline bool dart__team_is_leader(const dart__team_t *team)
{
  return team->node_me == 0;
}

#endif
