#ifndef DART__FAR_AM_AM_H
#define DART__FAR_AM_AM_H
/* Active messages: small operations on the memory of far units, sent as requests to the unit that has
 * the memory, its target.
 *
 *     origin                                       target
 *     request.c  operation → record                receive.c  messages, in order
 *     typed.c    the same, of elements of types     known.c    layouts that were described
 *     endpoint.c records → batches → messages  →   target.c   applies the records
 *     retire.c   delivers results              ←   receive.c  acknowledges, replies
 *     flush.c    waits for that
 *
 * Requests to one peer are collected in a batch and travel together; batches of one peer are applied whole and in
 * order. A batch is sent when it is full, flushed or old, or when its origin waits; an atomic also if it is likely to stay
 * alone. At most a window of batches is under way to a peer; a unit with more to send makes progress meanwhile. Every
 * message acknowledges what was applied, so units that send to each other need no replies. A reply is sent for results, or
 * where the origin waits.
 * (Aggregation by target: as in conveyors, Maley and DeVinney, IA3 2019; acknowledgements as in any sliding-window
 * protocol.)
 *
 * All state is in the instance, so that several can be in one process. Any thread may call; threads that work with
 * different peers share only the short locks of the pool and the sets. All memory is bounded: batches by
 * DART__AM_BATCHES_MOST, and messages under way to a peer, and thus what the target keeps of them, by the window.
 * Notifications that must not be held back may exceed the window, by that number of batches. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "data/type.h"
#include "far/am/peers.h"
#include "far/am/wire.h"
#include "net.h"
#include "wait/deferred.h"
#include "wait/mutex.h"
#include "wait/wait.h"

typedef struct dart__am dart__am_t;
struct dart__am_relay; /* node_relay.h */
struct dart__am_relays;

/* Memory of this unit, the target of requests. */
typedef struct {
  char          *base;
  uint64_t       nbytes;
  dart__mutex_t *mutex; /* held for atomics on it; NULL: they are CPU atomics */
  bool is_exclusive; /* until the caller is done nobody else updates it: they may be plain loops */
  /* The portions of its node's units, all of nbytes: that of number i is at near[units[i]] + start. NULL: not known. */
  char *const   *near;
  const int32_t *units; /* NULL: near[i] + start */
  int32_t        nunits;
  uint64_t       start;
} dart__am_region_t;

/* What became of something about epochs. */
typedef enum {
  DART__AM_EPOCH_REFUSED, /* there is no such segment */
  DART__AM_EPOCH_SERVED,
  DART__AM_EPOCH_NOTIFIED /* and a thread may be waiting for it */
} dart__am_epoch_served_t;

/* What the core needs from the rest of the library. */
typedef struct dart__am_host {
  void *context;
  /* This unit is about to make its first request. Does not block for long: locks are held. NULL: nothing. */
  void (*first)(void *context);
  /* This unit's portion of a segment. False: there is no such segment. */
  bool (*resolve)(void *context, int16_t team, int16_t segid, dart__am_region_t *region_out);
  /* A counter was raised; a thread may be waiting for it. Does not block: locks may be held. */
  void (*notified)(void *context);
  /* A word that a peer has sent by dart__am_inform. */
  void (*informed)(void *context, int32_t peer, uint64_t word);

  /* Epochs; one thread at a time, which must not wait for anything of a peer. `words`: requests, to be
   * applied by dart__am_apply (target.h) with `updates`, which are empty. The first is about what a peer
   * has sent by dart__am_epoch. The second is called after messages were
   * handled, for requests that waited; NULL: there are no epochs. Both may leave something to be answered. */
  dart__am_epoch_served_t (*epoch)(const struct dart__am_host *host, dart__deferred_t *updates,
                                   int32_t peer, const dart__am_epoch_t *about,
                                   const uint64_t *words, size_t nwords, uint64_t *results_out);
  void *(*turns)(const struct dart__am_host *host, dart__deferred_t *updates);
  /* An operation on the object at `object`, as dart__am_call says. It returns soon and requests nothing. */
  uint64_t (*called)(void *context, char *object, const void *operand, size_t nbytes);
  /* Whether grants wait to be told by `answer`. After `called`. */
  bool (*has_grants)(void *context);
  /* Send what these have left to be sent, for epochs what `turns` has returned. After every look for messages, by
   * any thread, which may have to wait here. NULL: there is nothing. */
  void (*answer)(dart__am_t *am, void *answers);
} dart__am_host_t;

typedef struct {
  dart__net_comm_t          *comm;
  int32_t                    npeers; /* of `comm` */
  dart__am_host_t            host;
  const dart__wait_policy_t *wait;
  unsigned                   window; /* batches under way to a peer, at least 1 */

  /* At most DART__AM_BYTES, at least 2 * DART__AM_PUT_MOST if notified puts are used. */
  size_t batch_bytes;
  /* Requests that may wait to be sent, to all peers together. */
  size_t collected;
  /* Descriptions of types that each peer is asked to keep, at most DART__AM_TYPES. */
  unsigned types;
  /* Notifications may be held back: some thread makes progress and sends them. */
  bool is_sent_later;
  /* Whether a peer is lost (model/lost.h): what is requested of it is dropped; and how many are. NULL: none is ever. */
  bool (*is_lost)(int32_t peer);
  uint32_t (*nlost)(void);
  /* For tests: the number before that of the first batch. */
  uint64_t first_batch;
} dart__am_config_t;

#define DART__AM_CONFIG(the_comm, the_npeers, the_wait, the_host)                             \
  (dart__am_config_t)                                                                         \
  {                                                                                           \
    .comm = the_comm, .npeers = the_npeers, .host = the_host, .wait = the_wait, .window = 16, \
    .batch_bytes = 8000, .collected = 1024, .types = DART__AM_TYPES                           \
  }

/** NULL: no memory. */
dart__am_t *dart__am_open(const dart__am_config_t *config);

/** Set config.is_sent_later. */
void dart__am_rely_on_progress(dart__am_t *am, bool is_sent_later);

/** Have relays (node_relay.h), before the first request; NULL: not any more, after the last one. */
void dart__am_use_relays(dart__am_t *am, const struct dart__am_relays *relays);

/** What stands for a node as a peer, where something is requested or completed by its relay. */
int32_t dart__am_node_peer(const dart__am_t *am, int32_t node);

/** Whether such a peer has its relay; and give it that, before the first request. One thread. */
bool dart__am_has_relay(const dart__am_t *am, int32_t peer);
void dart__am_use_relay(dart__am_t *am, int32_t peer, struct dart__am_relay *relay);

/** Complete all requests, and wait for every reply that was asked for. After a barrier that follows, no
 *  message is under way to this unit. */
void dart__am_quiesce(dart__am_t *am);

/** After dart__am_quiesce and a barrier over all peers. */
void dart__am_close(dart__am_t *am);

/* ---- progress ---------------------------------------------------------------------------- */

/** Handle messages that have come, a bounded number, fewer if the caller does not wait; and send open
 *  batches: those that are old, or all if the caller waits. True if requests were handled. Never blocks. */
bool dart__am_progress(dart__am_t *am, bool waits);

/** dart__am_progress for a caller that waits for a request of the network's: true
 *  if that is complete, and `*own` is then DART__NET_DONE. */
bool dart__am_progress_on(dart__am_t *am, dart__net_request_t *own);

/** Count a wait that has ended before it made progress, as the others are counted. */
void dart__am_count_wait(dart__am_t *am);

/** Send all open batches. */
void dart__am_push(dart__am_t *am);

/** Whether no request is applied until dart__am_release: the caller has the receiver's lock, which is only tried. */
bool dart__am_hold(dart__am_t *am);
void dart__am_release(dart__am_t *am);

/** Time since a peer's requests last came. */
int64_t dart__am_quiet_ns(const dart__am_t *am);

/* ---- requests: they wait for memory, and so do not fail -----------------------------------
 *
 * Those of operations return the number of the batch that completes them (dart__am_settle_to). */

typedef struct {
  int32_t  peer;
  int16_t  team;
  int16_t  segid;
  uint64_t offset;
} dart__am_address_t;

/** Put or get at most DART__AM_PUT_MOST bytes, which stay in one piece if they are an aligned word. `src` is
 *  copied before return; `dst` is filled when the request is complete. */
#define DART__AM_PUT_MOST 3800 /* two, with a notification, fit a batch; bounds DART_AGGREGATE */
uint64_t dart__am_put(dart__am_t *am, const dart__am_address_t *at, const void *src, size_t nbytes);
uint64_t dart__am_get(dart__am_t *am, const dart__am_address_t *at, void *dst, size_t nbytes);

/** Put or get any number of elements that lie as `at_type` says in the peer's memory, and as `type` says in the buffer. The
 *  types are compatible, were created by the program or are copies of such, and may end before the request is complete. */
uint64_t dart__am_move_typed(dart__am_t *am, const dart__am_address_t *at,
                             const dart__type_t *at_type, void *buffer, const dart__type_t *type,
                             size_t nelem, bool is_put);

/** Whether these take elements of such a type, on either side. */
bool dart__am_takes_type(const dart__am_t *am, const dart__type_t *type);

/** Atomics on elements of a basic type. Operands are copied before return. */
uint64_t dart__am_accumulate(dart__am_t *am, const dart__am_address_t *at, const void *values,
                             size_t nelem, dart_datatype_t type, dart_operation_t op);

/** As many accumulates of one element of 8 bytes each: values[i] to element places[i] of the segment's portion;
 *  at->offset is 0. `nelem`, at least 2, fit a batch. */
uint64_t dart__am_updates(dart__am_t *am, const dart__am_address_t *at, const uint64_t *values,
                          const uint32_t *places, size_t nelem, dart_datatype_t type,
                          dart_operation_t op);

/** An accumulate of one element of 8 bytes, by the relay of a node: in the portion of the unit that has the index
 *  `near_index` among those of the team on the node; at->peer is dart__am_node_peer, and has its relay. */
uint64_t dart__am_near_update(dart__am_t *am, const dart__am_address_t *at, uint32_t near_index,
                              uint64_t value, dart_datatype_t type, dart_operation_t op);
#define DART__AM_NEAR_UNITS DART__AM_COUNT_MOST /* indices are below */

/** Of each of `nelem` elements in a row. `values` is not used for DART_OP_NO_OP. */
uint64_t dart__am_fetch(dart__am_t *am, const dart__am_address_t *at, const void *values,
                        void *results, size_t nelem, dart_datatype_t type, dart_operation_t op);
uint64_t dart__am_swap(dart__am_t *am, const dart__am_address_t *at, const void *value,
                       const void *compare, void *result, dart_datatype_t type);

/** Put or get any number of bytes, received in place. The buffer of a put may be reused, that of a get is filled, when it
 *  is locally complete. Later requests to the peer are applied after a put; after the bytes of a get were read, which may
 *  be before earlier batches that wait for their data. */
uint64_t dart__am_move_data(dart__am_t *am, const dart__am_address_t *at, void *buffer,
                            size_t nbytes, bool is_put);

/** Put `nbytes`, at most DART__AM_PUT_MOST, perhaps 0, and then update a flag of the same peer, a word of 64
 *  bits, by an operator of DART_TYPE_ULONG. Sent at once, even beyond the window; with is_sent_later set, if
 *  more notifications of the peer are expected soon, or the window is full, by progress. */
uint64_t dart__am_notify(dart__am_t *am, const dart__am_address_t *at, const void *src,
                         size_t nbytes, const dart__am_address_t *flag, uint64_t value,
                         dart_operation_t op);

/** Update a flag of this unit itself by an operator of DART_TYPE_ULONG, a word at `flag`, when all that was requested of
 *  the peer until now is complete: results and data are here. The host is told as of a peer's notification. It is the
 *  work of whichever thread makes progress then. Sent as dart__am_notify, but never beyond the window. */
uint64_t dart__am_notify_here(dart__am_t *am, int32_t peer, void *flag, uint64_t value,
                              dart_operation_t op);

/** Keep a peer's progress awake: this unit is at work on its memory. Sent at once, unless one is on its way; nothing
 *  waits for it, so the peer need not make progress. */
void dart__am_wake(dart__am_t *am, int32_t peer);

/** An operation on an object in the peer's memory, made by its host: `nbytes` > 0 of operand, at most
 *  DART__AM_PUT_MOST, copied before return. `result` is there when the request is complete; NULL: none is wanted.
 *  Sent at once, or, with is_sent_later set and the window full, by progress. */
void dart__am_call(dart__am_t *am, const dart__am_address_t *at, const void *operand, size_t nbytes,
                   uint64_t *result);

/** Send a word to a peer's host, see dart__am_host_t. */
void dart__am_inform(dart__am_t *am, int32_t peer, uint64_t word);

/** Send a peer's host something about epochs, in order with the requests before; with `now`, at once, even
 *  beyond the window. `nwords` words of requests go with it, less than DART__AM_COUNT_MOST -
 *  DART__AM_EPOCH_WORDS. `results`: `nresults` words, which are there after local completion; all 0: the peer
 *  has no such segment. */
void dart__am_epoch(dart__am_t *am, int32_t peer, const dart__am_epoch_t *about,
                    const uint64_t *words, size_t nwords, uint64_t *results, size_t nresults,
                    bool now);

/** Count a request of a peer as refused that was not when its batch was applied: the peer's next flush that hears of
 *  this unit reports it. */
void dart__am_refuse(dart__am_t *am, int32_t peer);

/** A request that accesses no memory, sent at once. */
void dart__am_ping(dart__am_t *am, int32_t peer);

/** Make it likely that a peer is in DART: ask it for a reply, unless one is on its way, and wait for all replies that it was
 *  asked for. While another thread sends to it, perhaps nothing is asked. Completes no requests. */
void dart__am_ping_blocking(dart__am_t *am, int32_t peer);

/* ---- completion: DART_ERR_INVAL, the peer had no such memory for some of the requests; DART_ERR_UNIT_LOST, some were
 * dropped, for the peer is lost; or some peer is lost, and the memory may have been released for that. What waits for a
 * peer that is lost ends. ------------------------------------------------------------------------ */

typedef enum {
  DART__AM_LOCAL, /* local completion: results are there, and sources may be reused */
  DART__AM_REMOTE /* remote completion: all was applied at the target */
} dart__am_scope_t;

/** Whether all that was requested of a peer is complete at the target, and reported. */
bool dart__am_is_flushed(const dart__am_t *am, int32_t peer);

/** The peers towards which something is outstanding: none of them, and all is flushed. Constant. */
const dart__am_peers_t *dart__am_busy(const dart__am_t *am);

/** Remote completion for a peer; refused requests are left to the next flush to report. */
void dart__am_settle(dart__am_t *am, int32_t peer);

/** The newest batch with requests to a peer; it may be open yet. */
uint64_t dart__am_newest(const dart__am_t *am, int32_t peer);

/** Of the batches up to `number`, the newest that local completion waits for; a later one of other threads may hide it,
 *  then it is `number`. */
uint64_t dart__am_local_to(const dart__am_t *am, int32_t peer, uint64_t number);

/** Whether the batches up to `number` are known to be complete; settled: or are found to be, without progress. */
bool dart__am_is_done(const dart__am_t *am, int32_t peer, uint64_t number);
bool dart__am_is_settled_to(dart__am_t *am, int32_t peer, uint64_t number);

/** Ask for a reply to the batches up to `number`, which are sent if one is open. Never waits for the peer. */
void dart__am_ask_to(dart__am_t *am, int32_t peer, uint64_t number);

/** What a flush returns of a peer: DART_ERR_INVAL, after one log line, if it has refused requests since the last report. */
dart_ret_t dart__am_report(dart__am_t *am, int32_t peer);

/** Remote completion of the batches up to `number`, as dart__am_settle. */
void dart__am_settle_to(dart__am_t *am, int32_t peer, uint64_t number);

/** Complete what was requested of all peers that `is_member` accepts. */
dart_ret_t dart__am_flush_members(dart__am_t *am, bool (*is_member)(const void *set, int32_t peer),
                                  const void *set, dart__am_scope_t scope);

#endif
