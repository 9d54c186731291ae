#ifndef DART__PORT_H
#define DART__PORT_H
/* Everything a backend supplies: the only seam between DART and what carries it.
 *
 * Far memory exists only where a backend says so (chunk->near[unit] == NULL), so a backend of one
 * node is never asked for the far functions. "Collective" means over the team's units, in the same
 * order on all; the caller has passed a barrier of the team just before, so a backend may block in
 * calls of its transport: nobody it waits for can be waiting for this unit elsewhere. */
#include <stdint.h>

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_initialization.h>

#include "model/chunk.h"
#include "model/place.h"
#include "model/team.h"
#include "model/type.h"

/* ---- the job ---------------------------------------------------------------------------- */

/** Join the job: fills me, nunits, node_of, many_nodes and wait of dart__world. Collective over
 *  the job. `wanted` is what the program asks for, `*provided_out` what it gets. */
dart_ret_t dart__port_init(int *argc, char ***argv, dart_thread_support_level_t wanted,
                           dart_thread_support_level_t *provided_out);

/** Leave the job; all teams are closed. Collective. Init may follow. */
void dart__port_exit(void);

/** A barrier over the job that needs no team: returns the largest of all units' values. */
dart_ret_t dart__port_agree(dart_ret_t mine);

/** End all units. Callable at any time, before init too. */
void dart__port_abort(int code) __attribute__((noreturn));

/** Serve the requests of far units and move what is under way; never blocks. Any thread. */
void dart__port_progress(void);

/** The same now and then: for calls that are often made and do not wait. Only if many_nodes. */
void dart__port_poke(void);

/* ---- teams and memory ------------------------------------------------------------------- */

/** Prepare what the backend needs for a new team, in team->port. Collective over the new team;
 *  its exchange is open already (not yet for the first team). */
dart_ret_t dart__port_team_open(dart__team_t *team);
void       dart__port_team_close(dart__team_t *team);

/** Map a chunk of chunk->nbytes (whole pages) per unit: fills chunk->near and chunk->port. Pages
 *  are not reserved. Collective. On failure nothing is left of it here. */
dart_ret_t dart__port_chunk_open(dart__team_t *team, dart__chunk_t *chunk);
void       dart__port_chunk_close(dart__team_t *team, dart__chunk_t *chunk);

/** Give pages to bytes [from, to) of the own part. Local. DART_ERR_NOMEM: there are not enough. */
dart_ret_t dart__port_chunk_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from,
                                    size_t to);

/** Make the own `nbytes` at `address` known to far units of the team as memory of `chunk`, whose
 *  near table is there already. Collective. */
dart_ret_t dart__port_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                               size_t nbytes);

/** End that. Local: other units may still have it, or have ended it long ago. */
void dart__port_deregister(dart__team_t *team, dart__chunk_t *chunk);

/* ---- between nodes: called by every node's leader while its units wait ------------------ */

dart_ret_t dart__port_nodes_barrier(dart__team_t *team);

/** `buffer` of the leader of node `root` to all leaders. */
dart_ret_t dart__port_nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

/** Combine the leaders' buffers element by element; the result, bitwise equal, goes to all.
 *  `op` commutes. */
dart_ret_t dart__port_nodes_reduce(dart__team_t *team, void *buffer, size_t nelem,
                                   dart_datatype_t type, dart_operation_t op);

/** `buffer` has a block of `nbytes` per unit, listed node by node; each leader has those of its
 *  node's units. Completes it everywhere. */
dart_ret_t dart__port_nodes_gather(dart__team_t *team, void *buffer, size_t nbytes);

/* ---- far operations --------------------------------------------------------------------- */

/** Start a transfer; completed by a flush of at->unit. With `handle_out`, by waiting for it too. */
dart_ret_t dart__far_put(const dart__place_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out);
dart_ret_t dart__far_get(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out);

/** The same, complete at both sides on return. */
dart_ret_t dart__far_put_blocking(const dart__place_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__far_get_blocking(const dart__place_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem);

/** Atomics: applied by the node that owns the word, by CPU atomics. Operands are copied before
 *  return; results are there after a flush of at->unit. */
dart_ret_t dart__far_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                                dart_datatype_t type, dart_operation_t op);
dart_ret_t dart__far_fetch(const dart__place_t *at, const void *value, void *result,
                           dart_datatype_t type, dart_operation_t op);
dart_ret_t dart__far_swap(const dart__place_t *at, const void *value, const void *compare,
                          void *result, dart_datatype_t type);

/** Complete what this process has outstanding towards a team unit, or all of the team's: locally,
 *  or at the target too. Nothing outstanding: no cost. */
dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_all(dart__team_t *team);
dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_local_all(dart__team_t *team);

/** `*handle` is not NULL; it is released and set to NULL. wait: locally complete, or at the target
 *  too. test: whether a wait would not have to wait for the transfer itself; never blocks. */
dart_ret_t dart__far_wait(dart_handle_t *handle, bool at_target);
dart_ret_t dart__far_test(dart_handle_t handle, bool *done_out);
void       dart__far_release(dart_handle_t *handle);

#endif
