#ifndef DART__COLL_STEP_H
#define DART__COLL_STEP_H
/* A step: every collective is a sequence of steps.
 *
 * Units write into the buffers of the team's exchange, end the step, and read there what the other units
 * wrote; wait/exchange.h explains why one barrier a step is enough. In a team over several nodes the
 * leaders communicate in between, while their nodes' other units wait:
 *
 *   write into the slot or the result;
 *   if (dart__step_end(team)) {
 *     <the leaders' communication, on the result>
 *     dart__step_release(team);
 *   }
 *   read from the result.
 *
 * Units of a node that are in different collectives, or disagree on bytes or root, end the job in the first step of
 * these, after one line. */
#include "model/team.h"

/* Bytes of each unit that a result is to have at least, where it has a piece of all. */
#define DART__STEP_PIECE 16

/* Bytes of a result that was widened at least, and until there is one with a piece of all in a large team. */
#define DART__STEP_RESULT ((size_t)64 << 10)

/* In a broken team (model/lost.h) no step waits, and none of its calls reads what others have written: functions look at
 * dart__team_is_broken after a step, and before they use what they found. Another thread may break the team at any time;
 * it stays broken, so dart__team_result reports at the end what was left out.
 *
 * One unit may leave a step so while another passes it: the one that was lost had come to it. What holds then:
 * - A unit that has left a step comes to none after it: it does not arrive in them, and a vote or a loss breaks the team once
 *   for all (dart__team_break). So a unit that passes a step has passed all before, and so have all that entered it.
 * - A unit passes a step only if all of the node have arrived in it, or, of the leader, it has the others' data. So a unit
 *   that gives a wait up opens nothing, and arrives nowhere else (wait/tree.c).
 * - What was written for a step stays until its readers have passed the next one: a unit that has left a step writes
 *   elsewhere (dart__team_step_aside).
 *
 * So units that meet in a step have all had the same results, and are in the same call, as in a team that is whole. */

/** Returns once the node's units have arrived, or the team is broken. True at the leader of a node of a team over several
 *  nodes, whose units now wait for dart__step_release. */
bool dart__step_end(dart__team_t *team);

/** dart__step_end, and data travel with the units: see wait/tree.h. Only where dart__step_is_tree. True at the
 *  leader of each node, of a team of one node, too: the data of the node's units are joined, and go to all of them
 *  with dart__step_release. */
bool dart__step_join(dart__team_t *team, const dart__tree_data_t *data);

/** End steps from the next one on by the tree in this memory (dart__tree_format). Called by all units between the same two
 *  steps. */
static inline void dart__step_use_tree(dart__team_t *team, void *memory)
{
  dart__tree_open(&team->exchange.tree, memory, team->exchange.me);
  /* release: pairs with dart__team_is_special; another thread may break the team */
  atomic_fetch_or_explicit(&team->special, DART__TEAM_TREE, memory_order_release);
}

/** Whether the node's units are in groups, and so are data of at most so many bytes, one slot for each unit. It is the
 *  same on all units of a node. */
static inline bool dart__step_is_tree(const dart__team_t *team, size_t nbytes)
{
  const dart__exchange_t *x = &team->exchange;

  return x->tree.barriers != NULL && nbytes <= x->slot_bytes &&
         nbytes <= x->nunits * (size_t)DART__CACHE_LINE;
}

/** A step without communication of the leaders. */
void dart__step_end_on_node(dart__team_t *team);

/** Make room for pieces of `nbytes`. A team begins with slots of a cache line, which are enough for DART's agreements and for
 *  small operands; its first collective on more data widens them, once. So teams of many units that move little cost
 *  little memory. Collective, with the same `nbytes` on all units. Without memory all stays as it was, and
 *  data travel in smaller pieces. */
static inline void dart__step_make_room(dart__team_t *team, size_t nbytes)
{
  if (nbytes > team->exchange.slot_bytes && team->widen != NULL)
    team->widen(team);
}

/* The most bytes of each unit that travel in one step of dart__coll_share. */
#define DART__STEP_SHARE 48

/** Make the result larger, once, before dart__coll_share of `nbytes` bytes of each unit. Collective, with the same `nbytes`
 *  on all units; without memory all stays as it was. */
static inline void dart__step_make_room_to_share(dart__team_t *team, size_t nbytes)
{
  size_t piece = nbytes < DART__STEP_SHARE ? nbytes : DART__STEP_SHARE;

  if (team->exchange.result_bytes < (size_t)team->nunits * piece && team->widen_result != NULL)
    team->widen_result(team);
}

/** Make room for a collective whose result has a piece of every unit of the team. */
static inline void dart__step_make_room_for_all(dart__team_t *team, size_t nbytes)
{
  size_t piece = nbytes <= DART__CACHE_LINE ? DART__STEP_PIECE : DART__CACHE_LINE;
  bool   is_full;

  if (nbytes <= team->exchange.slot_bytes)
    dart__step_make_room_to_share(team, nbytes);
  is_full = team->exchange.result_bytes < (size_t)team->nunits * piece;
  if ((nbytes > team->exchange.slot_bytes || is_full) && team->widen_for_all != NULL)
    team->widen_for_all(team);
}

/** Called by the leader: let the node's other units continue. */
void dart__step_release(dart__team_t *team);

/** Write which collective this unit is in: "unit 0 is in dart_bcast of 8 bytes with root 1". */
void dart__step_describe(const dart__team_t *team, char *text, size_t nbytes);

/** The function that this unit is in, and its data; NULL: it moves none of the program's. Write such a call of any unit;
 *  `is`: "is" or "was". */
const char *dart__step_call(const dart__team_t *team, const dart__collective_t **data_out);
void        dart__step_write_call(dart_unit_t unit, const char *is, const char *function,
                                  const dart__collective_t *call, char *text, size_t nbytes);

/** Where each node's block starts in a result with `nbytes` for every unit, node by node: the argument
 *  `starts` of coll/nodes.h. */
const size_t *dart__step_blocks(dart__team_t *team, size_t nbytes);

#endif
