#ifndef DART__MODEL_WORLD_H
#define DART__MODEL_WORLD_H
/* What this process knows about its job. Written by init and exit, read everywhere. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "model/placement.h"
#include "wait/wait.h"

typedef struct {
  _Atomic bool initialized;  /* from the end of init until exit closes everything */
  bool         many_threads; /* DART_THREAD_MULTIPLE: several threads may call DART at a time */
  bool         many_nodes;   /* some units are far: this unit must make progress to serve them */
  bool         one_host;     /* all units run on this machine, whatever nodes they are on */

  bool has_agent; /* a thread serves far units while the program computes */

  /* Entry points must call dart__progress_now: many_nodes, or own updates are deferred. */
  bool progress_is_due;

  uint32_t          cycle; /* of init and exit, counted: detects objects of former cycles */
  dart_unit_t       me;    /* global id */
  int32_t           nunits;
  int32_t          *node_of; /* global id → a number of its node; NULL once `nodes` are found */
  dart__placement_t nodes;   /* of all units; those of one node are near */
  int32_t           near_first; /* rank of this node's first unit */
  int32_t          *near_pid;   /* process ids of this node's units, by rank from near_first on */

  dart__wait_pace_t   pace; /* how long this unit spins, yields and sleeps: of every policy */
  dart__wait_policy_t wait; /* of waits that check nothing */

  /* Where the launcher finds what locks this unit holds, see holds.h. NULL: there is no launcher that looks. It stays
   * from one cycle to the next. */
  struct dart__holds *holds;
  struct dart__holds *holds_words; /* of locks in words: `holds`, or NULL without DART_HANG */

  /* What a unit of the job has said last, see tell.h. NULL: units do not know of each other's lines. */
  _Atomic uint32_t *told;

  /* Raised when a message or a notification has arrived for this unit. NULL: before init, after exit. */
  dart__event_t *event;
} dart__world_t;

extern dart__world_t dart__world;

/** Add to a counter that only threads of the program change. relaxed: it orders nothing. In a program of one thread this
 *  is a load and a store, which cost less than an atomic addition. */
static inline void dart__world_add(_Atomic uint32_t *counter, uint32_t by)
{
  if (dart__world.many_threads)
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
  else
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

/** Find `nodes` and `near_first` by `node_of`. False: no memory. */
bool dart__world_find_nodes(void);

/** The node of a unit, by global id. */
static inline int32_t dart__world_node(dart_unit_t unit)
{
  return dart__placement_node(&dart__world.nodes, unit);
}

/** The process id of a unit of this node. */
static inline int32_t dart__world_pid(dart_unit_t unit)
{
  return dart__world
      .near_pid[dart__placement_rank(&dart__world.nodes, unit) - dart__world.near_first];
}

/** Set the pace by the settings, if `sharing` units (with this one) share this unit's processors. `progress` and
 *  `pause_us` stay as they are. */
void dart__world_set_pace(uint32_t sharing);

#endif
