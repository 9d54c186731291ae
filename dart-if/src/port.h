#ifndef DART__PORT_H
#define DART__PORT_H
/* Everything a backend supplies: the only seam between DART and what carries it.
 *
 * What a backend of one node does not have are the tables at the end. "Collective" means over the team's units, in the same
 * order on all; the caller has passed a barrier of the team just before, so a backend may block in
 * calls of its transport: nobody it waits for can be waiting for this unit elsewhere.
 *
 * A failure of the transport is no result of any of these: it ends the program, after one line. */
#include <stdint.h>
#include <stdlib.h>

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_initialization.h>

#include "data/type.h"
#include "model/address.h"
#include "model/chunk.h"
#include "model/team.h"

/* ---- the job ---------------------------------------------------------------------------- */

/** Join the job: fills me, nunits, node_of, many_nodes and wait of dart__world. Collective over
 *  the job. `wanted` is what the program asks for, `*provided_out` what it gets. */
dart_ret_t dart__port_init(int *argc, char ***argv, dart_thread_support_level_t wanted,
                           dart_thread_support_level_t *provided_out);

/** Leave the job; all teams are closed. Collective. Init may follow. */
void dart__port_exit(void);

/** A barrier over the job that needs no team: returns the worst of all units' results. */
dart_ret_t dart__port_agree(dart_ret_t mine);

/** End all units. Callable at any time, before init too. */
void dart__port_abort(int code) __attribute__((noreturn));

/** End all units because this one ends with `code`, which is not 0. As dart__port_abort, but not in the
 *  program's name. */
void dart__port_fail(int code) __attribute__((noreturn));

/** This process ends in the midst of a cycle, and all it has begun is complete; the units of its node know
 *  it by the exchanges of its teams. True: all other units have come to their end in the same way, and the
 *  caller closes what is open, collectively. False: others go on, and may use all that is there, but not
 *  this process; it closes nothing. */
bool dart__port_leave(void);

/** The transport and its version, for people: a line without a newline. Callable at any time. */
const char *dart__port_description(void);

/** What a process can tell of an exit code, 0 only for 0. */
static inline int dart__exit_code(int code)
{
  return code != 0 && (code & 0xff) == 0 ? EXIT_FAILURE : code & 0xff;
}

/* ---- teams and memory -------------------------------------------------------------------
 *
 * Tables are made first, alone: `prepare`. The caller sees to it that all units have theirs before
 * anyone calls what is collective. That may still fail on some units only, unless it says "agreed"; the
 * caller then undoes it where it succeeded. */

/** Allocate what the backend needs for a new team, in team->port. Local. DART_ERR_NOMEM: nothing is
 *  left of it. */
dart_ret_t dart__port_team_prepare(dart__team_t *team);

/** Open a prepared team in the transport. Collective over it; its exchange is open already (not yet for
 *  the first team). */
dart_ret_t dart__port_team_open(dart__team_t *team);

/** The end of both, of a team that was only prepared too; of another one, nothing. Collective where it
 *  was opened on all units. */
void dart__port_team_close(dart__team_t *team);

/** Allocate what the backend needs for a chunk, in chunk->port. Local. DART_ERR_NOMEM: nothing is left
 *  of it. */
dart_ret_t dart__port_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk);

/** Free that, if it is there. Local. */
void dart__port_chunk_discard(dart__chunk_t *chunk);

/** Map a chunk of chunk->nbytes (whole pages) per unit, and fill chunk->near. Pages are not reserved.
 *  Collective. DART_ERR_NOMEM: nothing is left of it here. */
dart_ret_t dart__port_chunk_open(dart__team_t *team, dart__chunk_t *chunk);
void       dart__port_chunk_close(dart__team_t *team, dart__chunk_t *chunk);

/** Give pages to bytes [from, to) of the own part. Local. DART_ERR_NOMEM: there are not enough.
 *  The owner is the first to touch them, so the system takes them from the memory of the NUMA domain
 *  it runs on: nothing else has to be done to have a unit's part close to it. */
dart_ret_t dart__port_chunk_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from,
                                    size_t to);

/** Give the pages of bytes [from, to) of the own part back; they can be reserved again. Local. */
void dart__port_chunk_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to);

/** Make the own `nbytes` at `address` known to far units of the team as memory of `chunk`, which is
 *  prepared, and near to nobody. Collective; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__port_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                               size_t nbytes);

/** End that. Local: other units may still have it, or have ended it long ago. */
void dart__port_deregister(dart__team_t *team, dart__chunk_t *chunk);

/* ---- more nodes than one ------------------------------------------------------------------
 *
 * Three tables, of which a backend has all or none: NULL where every job has one node. Then no unit is far,
 * and nobody asks for them. */

#define DART__NODES_ELEMENT ((size_t)32 * 1024)

/** Between nodes: called by every node's leader while its units wait. */
typedef struct {
  void (*barrier)(dart__team_t *team);

  /** `buffer` of the leader of node `root` to all leaders. */
  void (*bcast)(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

  /** Combine the leaders' `send` element by element, by an operator that commutes. The result goes to
   *  `recv` of the leader of node `root`, or, root -1, of all, bitwise equal; `recv` of others is not
   *  looked at. `send` may be `recv`. An element has at most DART__NODES_ELEMENT bytes. */
  void (*reduce)(dart__team_t *team, const void *send, void *recv, size_t nelem,
                 dart_datatype_t type, dart_operation_t op, int32_t root);

  /* Below, bytes [starts[k], starts[k + 1]) of a buffer with a block for every node are node k's. Buffers do not
   * overlap but for a node's own block, which is where it belongs. */

  /** Each leader has the block of its node in `buffer`; completes it on all. */
  void (*allgather)(dart__team_t *team, void *buffer, const size_t *starts);

  /** Each leader's block `send` to the `recv` of the leader of node `root`, whose own is there. */
  void (*gather)(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                 int32_t root);

  /** The blocks in `send` of the leader of node `root`, which keeps its own, to each leader's `recv`. */
  void (*scatter)(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                  int32_t root);

  /** Send to the leader of another node, and receive what it sends in the same call; `send` may be `recv`. */
  void (*swap)(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes, void *recv,
               size_t recv_nbytes);
} dart__nodes_ops_t;

/** Operations on the memory of far units. */
typedef struct {
  /** Start a transfer; completed by a flush of at->unit. With `handle_out`, by waiting for it too; then
   *  DART_ERR_NOMEM: there is no memory for a handle, and nothing was started. */
  dart_ret_t (*put)(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                    const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out);
  dart_ret_t (*get)(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                    const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out);

  /** The same, complete at both sides on return. DART_ERR_INVAL: the memory is gone. */
  dart_ret_t (*put_blocking)(const dart__address_t *at, const dart__type_t *at_type,
                             const void *src, const dart__type_t *src_type, size_t nelem);
  dart_ret_t (*get_blocking)(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                             const dart__type_t *dst_type, size_t nelem);

  /** Atomics: applied by the node that owns the word, by CPU atomics. Operands are copied before
   *  return; results are there after a flush of at->unit. */
  void (*accumulate)(const dart__address_t *at, const void *values, size_t nelem,
                     dart_datatype_t type, dart_operation_t op);
  void (*fetch)(const dart__address_t *at, const void *value, void *result, dart_datatype_t type,
                dart_operation_t op);
  void (*swap)(const dart__address_t *at, const void *value, const void *compare, void *result,
               dart_datatype_t type);

  /** Put, and then raise a counter of the same unit; nelem 0: raise it. The counter is not in registered
   *  memory. Leaves at once; `src` stays in place until a local flush of flag->unit. */
  void (*put_notify)(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                     const dart__type_t *src_type, size_t nelem, const dart__address_t *flag,
                     uint64_t by);

  /** Complete what this process has outstanding towards a team unit, or all of the team's: locally,
   *  or at the target too. Nothing outstanding: no cost. DART_ERR_INVAL, after one line: all is complete,
   *  but some of it found its memory gone, and did nothing. */
  dart_ret_t (*flush)(dart__team_t *team, int32_t unit);
  dart_ret_t (*flush_all)(dart__team_t *team);
  dart_ret_t (*flush_local)(dart__team_t *team, int32_t unit);
  dart_ret_t (*flush_local_all)(dart__team_t *team);

  /** dart__far_flush for DART's own operations: what was refused is left to the next flush to tell. */
  void (*settle)(dart__team_t *team, int32_t unit);

  /** `*handle` is not NULL; it is released and set to NULL. wait: locally complete, or at the target
   *  too. test: whether a wait would not have to wait for the transfer itself; never blocks. */
  void (*wait)(dart_handle_t *handle, bool at_target);
  bool (*test)(dart_handle_t handle);
  void (*release)(dart_handle_t *handle);

  /** Serve the requests of far units and move what is under way, now and then: for calls that are often made and do not wait. */
  void (*poke)(void);

  /** Let what was collected for far units leave; serves nobody. */
  void (*push)(void);
} dart__far_ops_t;

typedef struct dart__far_message dart__far_message_t;

/** Messages to and from far units, by global id; any thread. */
typedef struct {
  /** Start to send, or to receive a message of at most `nbytes`; buffers stay in place until it is
   *  done. Messages match by unit and tag, in the order sent. DART_ERR_INVAL: the backend has no such
   *  tag; DART_ERR_NOMEM. */
  dart_ret_t (*send)(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                     dart__far_message_t **message_out);
  dart_ret_t (*recv)(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                     dart__far_message_t **message_out);

  /** Give up a message to be received that was not moved on yet. */
  void (*forget)(dart__far_message_t *message);

  /** Move the message on; never blocks. `*done_out` true: it is complete, or failed, and released.
   *  DART_ERR_OTHER: one that was received is longer than the buffer; it is lost. */
  dart_ret_t (*test)(dart__far_message_t *message, bool *done_out);
} dart__message_ops_t;

extern const dart__nodes_ops_t *const   dart__nodes;
extern const dart__far_ops_t *const     dart__far;
extern const dart__message_ops_t *const dart__messages;

#endif
