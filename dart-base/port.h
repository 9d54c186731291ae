#ifndef DART__PORT_H
#define DART__PORT_H
/* The interface of a backend: all that the library needs from it, and nothing else.
 *
 * A backend for jobs on a single node leaves out the tables at the end. "Collective" means over the team's
 * units, in the same order on all; the caller has passed a barrier of the team just before, so a backend may
 * block in calls of its transport: no unit that it waits for can be waiting for this unit elsewhere.
 * "Agreed": the result is the same on all units.
 *
 * None of these functions returns a failure of the transport: it ends the program, after one log line. */
#include <stdint.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_initialization.h>

#include "data/type.h"
#include "epoch/epoch.h"
#include "model/address.h"
#include "model/chunk.h"
#include "model/team.h"
#include "wait/deferred.h"

/* ---- the job ---------------------------------------------------------------------------- */

/** Join the job: fills me, nunits, node_of, many_nodes and wait of dart__world. Collective over
 *  the job. `wanted` is the level the program asks for, `*provided_out` the one it gets. */
dart_ret_t dart__port_init(int *argc, char ***argv, dart_thread_support_level_t wanted,
                           dart_thread_support_level_t *provided_out);

/** Leave the job; all teams are closed. Collective. dart__port_init may be called again afterwards. */
void dart__port_exit(void);

/** A barrier over the job that needs no team: returns the worst of all units' results. */
dart_ret_t dart__port_agree(dart_ret_t mine);

/** The same; DART_ERR_INVAL if all results are DART_OK, and `value`, which is not negative, is not the same on all. */
dart_ret_t dart__port_agree_on(dart_ret_t mine, int32_t value);

/** End all units. Callable at any time, before init too. */
void dart__port_abort(int code) __attribute__((noreturn));

/** End all units because this one ends with `code`, which is not 0. As dart__port_abort, but the program has
 *  not asked for it. */
void dart__port_fail(int code) __attribute__((noreturn));

/** Called when this process ends between init and exit. All operations it has started are complete, and the
 *  exchanges of its teams record it as gone for the units of its node. True: all units have ended in the
 *  same way, and the caller closes everything, collectively. False: other units go on; they may still access
 *  this unit's memory, but it serves no requests, and the caller closes nothing. */
bool dart__port_leave(void);

/** The transport and its version, as human-readable text without a newline. Callable at any time. */
const char *dart__port_description(void);

/** The exit status that a process can return for `code`: 8 bits, 0 only for 0. */
static inline int dart__exit_code(int code)
{
  return code != 0 && (code & 0xff) == 0 ? EXIT_FAILURE : code & 0xff;
}

/* ---- statistics of the transport --------------------------------------------------------
 *
 * What the transport's own library counts, read beside DART's own by dart_stats.h. Any thread, at any time. */

/** How many there are: none before the first dart__port_init, and a constant number after it. The first call after it
 *  makes the list, and sums count from there; with DART_STATS dart__port_init has made it. */
size_t dart__port_stats_size(void);

/** Describe the one at `index`, which is less than what dart__port_stats_size has returned: a name with a prefix of the transport. Texts stay. */
dart_stats_info_t dart__port_stats_describe(size_t index);

/** Its value: DART_STATS_EVENTS and DART_STATS_TIME since the last reset, DART_STATS_VALUE as it is. */
uint64_t dart__port_stats_read(size_t index);

/** Begin anew, if the list was made. */
void dart__port_stats_reset(void);

/* ---- teams and memory -------------------------------------------------------------------
 *
 * `prepare` allocates tables, locally. The caller ensures that it has succeeded on all units before any unit
 * calls the collective part, which may still fail on some units only, unless it is "agreed"; the caller then
 * undoes it where it succeeded. */

/** Allocate what the backend needs for a new team, in team->port. Local. DART_ERR_NOMEM: nothing
 *  stays allocated. */
dart_ret_t dart__port_team_prepare(dart__team_t *team);

/** Open a prepared team in the transport. Collective over the team. Its exchange is open already, except that
 *  of the first team, where the result is agreed. */
dart_ret_t dart__port_team_open(dart__team_t *team);

/** Undo both, or only `prepare` if the team is not open; nothing if it is not prepared. Collective if the
 *  team was opened on all units. */
void dart__port_team_close(dart__team_t *team);

/** Allocate what the backend needs for a chunk, in chunk->port. Local. DART_ERR_NOMEM: nothing stays
 *  allocated. */
dart_ret_t dart__port_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk);

/** Free chunk->port, unless it is NULL. Local. */
void dart__port_chunk_discard(dart__chunk_t *chunk);

/** Map a chunk of chunk->nbytes (whole pages) per unit, this unit's portion aligned as chunk->alignment says, and fill
 *  chunk->near. Pages are not reserved.
 *  Collective. DART_ERR_NOMEM: nothing stays mapped on this unit. */
dart_ret_t dart__port_chunk_open(dart__team_t *team, dart__chunk_t *chunk);
void       dart__port_chunk_close(dart__team_t *team, dart__chunk_t *chunk);

/** Portions of a chunk, which one segment has for itself, begin later by now: unit u's by `heads[u]` bytes, in
 *  `near` they do already. Local. */
void dart__port_chunk_shift(const dart__team_t *team, dart__chunk_t *chunk, const uint64_t *heads);

/** Between a call with true and one with false, no thread of the backend's own writes to memory of this process.
 *  Returns when that is so. One thread at a time; between the two it calls nothing of the backend. */
void dart__port_hold(bool hold);

/** Reserve pages for bytes [from, to) of this unit's portion of the chunk. Local. DART_ERR_NOMEM: there are
 *  not enough. This unit is the first to touch the pages, so the system takes them from the NUMA domain that
 *  the unit runs on (first touch): nothing else is needed to place a portion close to its unit. */
dart_ret_t dart__port_chunk_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from,
                                    size_t to);

/** Give back the pages of bytes [from, to) of this unit's portion; they can be reserved again. Local. */
void dart__port_chunk_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to);

/** Register this unit's `nbytes` at `address` with the transport as its portion of `chunk`, so that far units
 *  of the team can access it. The chunk is prepared, and near to no unit. Collective; agreed.
 *  DART_ERR_NOMEM. */
dart_ret_t dart__port_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                               size_t nbytes);

/** Undo dart__port_register. Local: other units may not have done so yet, or long ago. */
void dart__port_deregister(dart__team_t *team, dart__chunk_t *chunk);

/* ---- more nodes than one ------------------------------------------------------------------
 *
 * A backend has all four tables or none. They are NULL where every job has one node: then no unit is far,
 * and they are not used. */

/* Bytes of the largest element that `reduce` takes. */
#define DART__NODES_ELEMENT ((size_t)64 * 1024)

/** Collectives between nodes: called by the leader of every node of the team while the node's other units
 *  wait. */
typedef struct {
  void (*barrier)(dart__team_t *team);

  /** `buffer` of the leader of node `root` to all leaders. */
  void (*bcast)(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);

  /** Combine the leaders' `send` element by element, by an operator that commutes. The result goes to
   *  `recv` of the leader of node `root`, or, root -1, of all, bitwise equal; `recv` of others is not
   *  looked at. `send` may be `recv`. An element has at most DART__NODES_ELEMENT bytes. */
  void (*reduce)(dart__team_t *team, const void *send, void *recv, size_t nelem,
                 dart_datatype_t type, dart_operation_t op, int32_t root);

  /* Below, bytes [starts[k], starts[k + 1]) of a buffer with a block for every node are node k's. Buffers
   * do not overlap but for a node's own block, which is where it belongs. */

  /** Each leader has the block of its node in `buffer`; completes it on all. */
  void (*allgather)(dart__team_t *team, void *buffer, const size_t *starts);

  /** Each leader's block `send` to the `recv` of the leader of node `root`, whose own is there. */
  void (*gather)(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                 int32_t root);

  /** The blocks in `send` of the leader of node `root`, which keeps its own, to each leader's `recv`. */
  void (*scatter)(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                  int32_t root);

  /** Send to the leader of another node, and receive what that leader sends in its call. `send` may be
   *  `recv`. */
  void (*swap)(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes, void *recv,
               size_t recv_nbytes);
} dart__nodes_ops_t;

/** A notification: an atomic update of an aligned word of 64 bits, by an operator of DART_TYPE_ULONG; then
 *  whoever waits there is woken. */
typedef struct {
  const dart__address_t *flag;
  uint64_t               value;
  dart_operation_t       op;
} dart__signal_t;

/** What was started towards a unit of a team until some moment, by the ways that it takes: numbers that only grow.
 *  Zeroed: nothing. */
typedef struct {
  uint64_t requests;  /* applied by the unit */
  uint64_t transfers; /* by the transport alone */
  uint64_t pinged;    /* of test_to: transfers behind which the unit was asked for a sign of life */
} dart__mark_t;

/** Operations on the memory of far units. */
typedef struct {
  /** Start a transfer; a flush of at->unit completes it. With `handle_out`, waiting for the handle does, too;
   *  then DART_ERR_NOMEM: there is no memory for a handle, and nothing was started. Without one, a source of at
   *  most DART_COPIED_MOST bytes in a row is copied before return. */
  dart_ret_t (*put)(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                    const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out);
  dart_ret_t (*get)(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                    const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out);

  /** The same, locally and remotely complete on return. DART_ERR_INVAL: the target has freed or deregistered
   *  the memory. */
  dart_ret_t (*put_blocking)(const dart__address_t *at, const dart__type_t *at_type,
                             const void *src, const dart__type_t *src_type, size_t nelem);
  dart_ret_t (*get_blocking)(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                             const dart__type_t *dst_type, size_t nelem);

  /** The same of `nbytes` > 0 bytes in a row on both sides. Blocking ones make progress, as `progress` does. */
  dart_ret_t (*put_bytes)(const dart__address_t *at, const void *src, size_t nbytes,
                          dart_handle_t *handle_out);
  dart_ret_t (*get_bytes)(const dart__address_t *at, void *dst, size_t nbytes,
                          dart_handle_t *handle_out);
  dart_ret_t (*put_bytes_blocking)(const dart__address_t *at, const void *src, size_t nbytes);
  dart_ret_t (*get_bytes_blocking)(const dart__address_t *at, void *dst, size_t nbytes);

  /** Atomics: applied on the target's node, by CPU atomics. Operands are copied before return; results are
   *  valid after a flush of at->unit. */
  void (*accumulate)(const dart__address_t *at, const void *values, size_t nelem,
                     dart_datatype_t type, dart_operation_t op);
  /** As many accumulates of one element of 8 bytes each: places[i] is the number of the word in the portion. `at` is
   *  the address of one of them. */
  void (*updates)(const dart__address_t *at, const uint64_t *values, const uint32_t *places,
                  size_t nelem, dart_datatype_t type, dart_operation_t op);
  void (*fetch)(const dart__address_t *at, const void *value, void *result, dart_datatype_t type,
                dart_operation_t op);
  /** `fetch` of each of `nelem` elements in a row. */
  void (*fetch_elements)(const dart__address_t *at, const void *values, void *results, size_t nelem,
                         dart_datatype_t type, dart_operation_t op);
  void (*swap)(const dart__address_t *at, const void *value, const void *compare, void *result,
               dart_datatype_t type);

  /** Put, and then notify the same unit; nelem 0: only notify. It is sent at once, not aggregated; `src` stays in
   *  place until a local flush of signal->flag->unit. */
  void (*put_notify)(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                     const dart__type_t *src_type, size_t nelem, const dart__signal_t *signal);

  /** Get, and then update signal->flag: of this unit, not registered, when the data are in `dst`; of at->unit, when they
   *  were read there. It is sent as put_notify; a flush of at->unit, if only locally, completes the get and an update
   *  here. False: the flag is neither, or the elements are not requested in this way; nothing was done. */
  bool (*get_notify)(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                     const dart__type_t *dst_type, size_t nelem, const dart__signal_t *signal);

  /** Have dart__world.called of the unit operate on the object at `at`, in its pool: `nbytes` > 0 of operand, at most
   *  3800, copied before return. With `result_out` it waits for the result; else it is sent at once. */
  void (*call)(const dart__address_t *at, const void *operand, size_t nbytes, uint64_t *result_out);

  /** Complete this process's outstanding operations on a team unit, or on all units of the team: remotely, or
   *  (flush_local) only locally. Without outstanding operations it costs nothing. DART_ERR_INVAL, after one
   *  log line: all are complete, but the target has refused some, whose memory was freed or deregistered. */
  dart_ret_t (*flush)(dart__team_t *team, int32_t unit);
  dart_ret_t (*flush_all)(dart__team_t *team);
  dart_ret_t (*flush_local)(dart__team_t *team, int32_t unit);
  dart_ret_t (*flush_local_all)(dart__team_t *team);

  /** What was started towards a team unit takes effect there before what is started later. */
  void (*order)(dart__team_t *team, int32_t unit);

  /** Raise the mark to what this process has started towards a team unit until now, by the way that the newest
   *  operation of the calling thread went, which is one on that unit. */
  void (*mark)(const dart__team_t *team, int32_t unit, dart__mark_t *mark);

  /** Have the unit say when what was started up to the mark is complete, locally, or at_target; does not wait. */
  void (*ask_to)(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target);

  /** Complete what was started up to the mark, locally, or at_target: refused operations as `settle`. */
  void (*settle_to)(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target);

  /** Whether settle_to at the target has nothing to wait for, or did it: the transport's transfers, which it cannot be
   *  asked about, are completed once the unit has answered a request that was made after them. To be called after
   *  `look`, again and again until then. */
  bool (*test_to)(dart__team_t *team, int32_t unit, dart__mark_t *mark);

  /** `flush` for DART's own operations: operations that were refused are reported by the next flush. */
  void (*settle)(dart__team_t *team, int32_t unit);

  /** `*handle` is not NULL; wait and release release it and set it to NULL. wait: for local, or also for
   *  remote completion. test: whether the transfer itself is complete, so that wait returns soon; never
   *  blocks. */
  void (*wait)(dart_handle_t *handle, bool at_target);
  bool (*test)(dart_handle_t handle);
  void (*release)(dart_handle_t *handle);

  /** A handle for atomics that this thread is about to start on at->unit; NULL: no memory. After these, handle_mark:
   *  they are what `wait` and `test` are about. Before it the handle can only be released. */
  dart_handle_t (*handle_new)(const dart__address_t *at);
  void (*handle_mark)(dart_handle_t handle);

  /** Serve requests of far units and progress own operations, but not in every call: for entry points that
   *  are called often and do not wait. */
  void (*progress)(void);

  /** The same in every call. */
  void (*look)(void);

  /** Send what was aggregated for far units; serves no requests. */
  void (*push)(void);

  /** While held, no request of a far unit is applied to this unit's memory. */
  dart__deferred_guard_t requests;
} dart__far_ops_t;

/** Epochs, see epoch/epoch.h: operations and words that arrive at a far unit in order. */
typedef struct {
  /** Start an operation. False: words do not come after it unless the unit is flushed before. Sources stay
   *  in place until a local flush, operands of accumulates are copied. */
  bool (*start)(const dart__epoch_op_t *op);

  /** Send a word: at once, or, not `now`, with what is sent to the unit next. */
  void (*say)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
              dart__epoch_word_t word, uint64_t value, bool now);

  /** The last fence that the unit has left. Waits for the answer. False: its memory is gone. */
  bool (*exposed)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                  uint32_t *fence_out);

  /** Ask for the lock of a unit's portion; with operations: apply them when it is granted, and unlock. Does
   *  not wait, and need not be sent before `answered` or a push. */
  void (*lock)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
               bool exclusive, const dart__epoch_op_t *const ops[], size_t nops,
               dart__epoch_request_t *request);

  /** Wait for the answer, which comes at once. DART_OK: the lock is held, or the operations are applied, and
   *  data[0] is what gets have read. DART_PENDING: `granted` is going to be 1 when that is so, after data[1],
   *  or DART__REQUEST_GONE. DART_ERR_INVAL: the memory is gone. */
  dart_ret_t (*answered)(const dart__team_t *team, int32_t unit,
                         const dart__epoch_request_t *request);

  /** Lock, apply puts and accumulates, unlock, without an answer; sent by the agent at the latest, and at once if
   *  there is none. `*done` is incremented in any case; if the memory is gone, the next flush reports it. */
  void (*lock_lazily)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                      bool exclusive, const dart__epoch_op_t *const ops[], size_t nops,
                      _Atomic uint32_t *done);

  /** End an access by start whose post has not come: operations and DART__EPOCH_COMPLETED (value: that) in
   *  one message, which the target keeps until it posts. Operations are copied. */
  void (*completed)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                    const dart__epoch_op_t *const ops[], size_t nops, uint64_t value);

  /** Leave the lock, when what was started before is applied; sent at once. With `done`, `*done` is incremented
   *  after that. */
  void (*unlock)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                 bool exclusive, _Atomic uint32_t *done);

  /** Increment `*done` when what was started before is applied, or its memory is gone; sent at once. */
  void (*report)(const dart__team_t *team, const dart__segment_t *segment, int32_t unit,
                 _Atomic uint32_t *done);
} dart__epoch_ops_t;

/* What `lock` and `completed` take: so many operations, of so many bytes together. */
#define DART__LOCKED_OPS   16
#define DART__LOCKED_BYTES ((size_t)6400)
/* Of these, for an operation with types: words beside those of data/describe.h. */
#define DART__LOCKED_NAMING 4

typedef struct dart__far_message dart__far_message_t;

/** Messages to and from far units, by global id; any thread. */
typedef struct {
  /** The largest tag of messages that a program may use, to near units, too. At least 32767. */
  int (*largest_tag)(void);

  /** Start to send, or to receive a message of at most `nbytes`; the buffer stays in place until the message
   *  is done. Messages match by unit and tag, in the order sent; tags from -32768 to -1 are those of DART's own.
   *  DART_ERR_NOMEM. */
  dart_ret_t (*send)(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                     dart__far_message_t **message_out);
  dart_ret_t (*recv)(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                     dart__far_message_t **message_out);

  /** Whether a message of the program's is here from far `unit`, or DART_UNIT_ANY, with `tag`, or DART_TAG_ANY: which
   *  one, to `*found_out`. Never blocks. */
  void (*look)(dart_unit_t unit, int tag, dart_message_t *found_out, bool *is_found_out);

  /** Start to receive the message that was found. `*message_out` NULL: another thread has received it; else `*found`
   *  says which one it is, and `test` completes it. DART_ERR_NOMEM: nothing was received. */
  dart_ret_t (*take)(dart_message_t *found, void *buffer, size_t nbytes,
                     dart__far_message_t **message_out);

  /** Cancel a receive for which `test` was not called yet. */
  void (*forget)(dart__far_message_t *message);

  /** Progress the message; never blocks. `*done_out` true: it is complete, or failed, and is released.
   *  DART_ERR_OTHER: the message received is longer than the buffer; it is lost. */
  dart_ret_t (*test)(dart__far_message_t *message, bool *done_out);
} dart__message_ops_t;

extern const dart__nodes_ops_t *const   dart__nodes;
extern const dart__far_ops_t *const     dart__far;
extern const dart__epoch_ops_t *const   dart__epochs;
extern const dart__message_ops_t *const dart__messages;

#endif
