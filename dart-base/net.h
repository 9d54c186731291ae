#ifndef DART__NET_H
#define DART__NET_H
/* What a network must supply: the only seam between the runtime and what carries its data.
 *
 * A network joins the units of a job, maps memory that the units of a node share, moves bytes to and from the memory of
 * units on other nodes, and carries messages. One network is linked into a library: dart-mpi's over MPI-3, or
 * dart-shmem's on one machine. All else is the same for every network.
 *
 * "Collective" means over the units of the team, in the same order on all; the caller has passed a barrier of the team
 * just before. "Agreed" means that the result is the same on all units. "Local" calls need no other unit. A failure of
 * the transport itself ends the program, after one log line, so callers have nothing to undo.
 *
 * A job of one node makes none of the calls of the last two sections. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart_initialization.h>

#include "data/type.h"
#include "model/chunk.h"
#include "model/team.h"
#include "wait/wait.h"

/* ---- what the network can ------------------------------------------------------------------- */

/* Peers that send each other messages; what it has is the network's own. */
typedef struct dart__net_comm dart__net_comm_t;

/* Functions and tables of functions are there from the start, the rest is set by dart__net_join. 0 and NULL are defaults: a
 * network names only what it has.
 *
 * Order is no capability, for nothing would ask for it: no network has to keep more of it than puts and messages promise
 * below, and far/word_order.h and far/am make of that the order that programs may rely on. Whether puts and gets need the
 * target is a matter of each chunk, too (model/chunk.h: `is_reached`, `by_requests`). */
typedef struct {
  /* The transport and its version, as text without a newline. */
  const char *(*describe)(void);

  /* What the transport's own library counts; NULL: nothing. Any thread, at any time. */
  const struct dart__net_stats *stats;

  /* Raised by the sender when something has come for this unit, so that waits can sleep until then. NULL: nothing is
   * raised, as before dart__net_join. */
  dart__event_t *arrivals;
  /* How long progress has nothing to do, if nothing comes: at most `most_us`; 0: something has come. Any thread. */
  uint32_t (*idle_us)(uint32_t most_us);

  /* In a job of several nodes: its units, for all calls about messages. */
  dart__net_comm_t *messages;

  /* What the network has of each team, in team->net; NULL: nothing. */
  const struct dart__net_teams *teams;

  /* Strided transfers, see dart__net_transfer; NULL: none. */
  size_t (*transfer)(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                     const dart__type_t *at_type, void *buffer, const dart__type_t *type,
                     size_t from, size_t nelem, bool is_put);

  /* Drop all operations to units that are lost (model/lost.h), and those started later: sends, puts and gets complete
   * without effect. Messages of these units that have arrived can still be received. A receive of another message from them
   * never completes; a receive from any peer may complete with 0 bytes. Tests of requests do the same. NULL: units of
   * this network cannot be lost. */
  void (*drop_lost)(dart__net_comm_t *comm);

  int  largest_tag;    /* of messages on DART__CHANNEL_PROGRAM and LEADERS, at least 32767 */
  bool any_thread;     /* several threads may call at a time; else only that of dart__net_join */
  bool sends_alone;    /* a send that is done needs nothing more of this unit to arrive */
  bool reaches_memory; /* puts and gets of chunks with `is_reached` need nobody at the target */

  /* A unit that ends without dart_exit leaves its memory behind: nobody calls dart__net_leave. Else its process has to
   * stay until all end. */
  bool memory_stays;
} dart__net_t;

extern dart__net_t dart__net;

typedef struct dart__net_stats {
  /* How many there are: constant from the first dart__net_join on, 0 before. */
  size_t (*size)(void);
  /* A name with a prefix of the transport, and its meaning. The texts stay. */
  dart_stats_info_t (*describe)(size_t index);
  /* DART_STATS_EVENTS and DART_STATS_TIME since the last reset, DART_STATS_VALUE as it is. */
  uint64_t (*read)(size_t index);
  void (*reset)(void);
} dart__net_stats_t;

/* See dart__net.teams. A team is made by all its units: they prepare, agree, and open it. */
typedef struct dart__net_teams {
  /* Allocate what the network needs, in team->net. Local. DART_ERR_NOMEM: nothing stays allocated. */
  dart_ret_t (*prepare)(dart__team_t *team);
  /* Open a prepared team. Collective. The exchange of the team is open, except that of the first team: there the result
   * is agreed. NULL: a prepared team needs nothing more, so its units do not agree again. */
  dart_ret_t (*open)(dart__team_t *team);
  /* Undo both, or only `prepare`. Collective if the team was opened on all. */
  void (*close)(dart__team_t *team);
} dart__net_teams_t;

/* ---- the job -------------------------------------------------------------------------------- */

/** Join the job: fills `me`, `nunits` and `node_of` of dart__world, and dart__net. Collective over the job. `wanted` is
 *  the thread level that the program asks for, `*provided_out` the one it gets. */
dart_ret_t dart__net_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                          dart_thread_support_level_t *provided_out);

/** Leave the job; all teams are closed. Collective over the job. dart__net_join may be called again. */
void dart__net_leave(void);

/** The one function that a network calls: the process ends while dart__world.initialized. `code`: its exit code, as far as
 *  it is known. `is_alone`: no other thread may call the network any more. See job/leave.c. */
void dart__leave(int code, bool is_alone);

/** Replace each value by its maximum over the job: at most DART__NET_VALUES. Collective over the job; needs no team. */
#define DART__NET_VALUES 4
void dart__net_agree(int32_t *values, size_t count);

/** End all units. `is_asked`: the program has called dart_abort; else this unit fails with `code`, which is not 0.
 *  Callable at any time, before dart__net_join too. */
void dart__net_abort(int code, bool is_asked) __attribute__((noreturn));

/* ---- memory ---------------------------------------------------------------------------------- */

/** Allocate what the network needs for a chunk of the team, in chunk->net. Local, but the team agrees between this and the
 *  open or register of the chunk, and again before it prepares the next. DART_ERR_NOMEM: nothing stays allocated. */
dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk);

/** Free chunk->net, unless it is NULL. Local. */
void dart__net_chunk_discard(dart__chunk_t *chunk);

/** Map chunk->nbytes bytes (whole pages) for each unit, this unit's portion aligned as chunk->alignment says. Fills
 *  chunk->near for the units of this node, and makes all portions accessible to units of other nodes, or says by
 *  chunk->by_requests that puts and gets of far portions are to be requests. Pages are not
 *  reserved. Collective. DART_ERR_NOMEM: nothing stays mapped on this unit. */
dart_ret_t dart__net_chunk_open(dart__team_t *team, dart__chunk_t *chunk);

/** Reserve pages for bytes [from, to) of this unit's portion. Local. This unit is the first to touch the pages, so the
 *  system takes them from its NUMA domain. DART_ERR_NOMEM: there are not enough; none was reserved. */
dart_ret_t dart__net_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to);

/** Return the pages of bytes [from, to) of this unit's portion; they can be reserved again. Local. */
void dart__net_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to);

/** Make `nbytes` at `address` this unit's portion of a prepared chunk that is near to no unit, so that far units can
 *  access it once all have called this. Collective. DART_ERR_NOMEM: it is not accessible. */
dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes);

/** End what dart__net_chunk_open or dart__net_register has begun. Collective after the first; local after the second:
 *  other units may not have done so yet, or long ago. */
void dart__net_chunk_close(dart__team_t *team, dart__chunk_t *chunk);

/* ---- puts and gets ---------------------------------------------------------------------------
 *
 * Bytes of a far unit's portion of a chunk, from `offset` on. Nothing is ordered, but puts of at most 8 bytes of one
 * unit to one place, which take effect in the order of their calls. Buffers stay in place until the operation is
 * locally complete: after a flush, or when its request is done. Any thread, if any_thread. */

/* An operation under way; `id` has a meaning for the network only. */
typedef struct {
  uint64_t id;
} dart__net_request_t;

#define DART__NET_DONE ((dart__net_request_t){ UINT64_MAX })

#define DART__NET_MOST ((size_t)1 << 30) /* bytes of one put or get */

/** Start to move `nbytes` bytes, 1 to DART__NET_MOST, from `buffer` (`is_put`) or to it. `request_out` NULL: a flush
 *  completes it. Else it is locally complete when the request is done, and complete at the target after a flush. */
void dart__net_move(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                    void *buffer, size_t nbytes, bool is_put, dart__net_request_t *request_out);

/** Complete what this process has started towards a unit: on the portion of `chunk`, or, NULL, of all chunks of the
 *  team; at the target, or only locally. Costs nothing if nothing is outstanding. */
void dart__net_flush(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, bool at_target);

/* ---- messages ---------------------------------------------------------------------------------
 *
 * Between peers, numbered from 0; those of dart__net.messages are the units of the job, by global id. Messages of one
 * channel and tag from one peer to another arrive in the order sent, and so do all of the program's channel, which are
 * also received by any tag; nothing else is ordered. A receive takes the next message of its channel and tag from its
 * peer, or from any peer; receives that could take the same message do so in the order posted. All calls return at
 * once. */

typedef enum {
  DART__CHANNEL_AM,      /* what far/am/wire.h describes; tag 0, as of the next three */
  DART__CHANNEL_REPLY,   /* where there was no memory for one: see there */
  DART__CHANNEL_DATA,    /* payload alone, received in place */
  DART__CHANNEL_GOT,     /* payload that was asked for */
  DART__CHANNEL_LEADERS, /* of the leaders of a team; the lowest 16 bits of tags are its id */
  DART__CHANNEL_OWN,     /* DART's own between two units; tags from 1 to 32768 */
  DART__CHANNEL_PROGRAM, /* the program's; tags from 0 to largest_tag */
  DART__CHANNELS
} dart__channel_t;

#define DART__ANY_PEER (-1)
#define DART__ANY_TAG  (-1)

/* A message that was found, or received. */
typedef struct {
  int32_t  peer;
  int      tag;
  size_t   nbytes;
  uint64_t id; /* claimed: what dart__net_recv receives */
} dart__net_message_t;

/** Start to send any number of bytes. `data` must not change until the request is done; `request_out` NULL: until a
 *  message of the peer acknowledges it. */
void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out);

/** Start to receive a message of at most `nbytes`: the one that was claimed, or, NULL, the next of the peer, channel and
 *  tag. */
void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out);

/** Whether a message has come that no posted receive takes. `claims`: it is the caller's, which must receive it;
 *  no other call finds it any more. Channels LEADERS, without a claim, OWN and PROGRAM. By any
 *  tag of LEADERS, messages of OWN may be found. */
bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out);

/** Test requests of messages, puts or gets, none of which is done, for the price of one: the index of one that is done
 *  now, which becomes DART__NET_DONE; -1: none is. Of a receive `*message_out`, unless NULL, says what has come. */
#define DART__NET_TEST_MOST 4
int dart__net_test(dart__net_comm_t *comm, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out);

/** Cancel a receive for which no message was sent; or, where units may be lost, any request of a message that is
 *  dropped. The buffer is not accessed any more. If its peer is not lost, that drops the message, too. */
void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request);

/* ---- helpers over these ------------------------------------------------------------------------ */

/** Start to put or get elements [from, nelem) that lie as the types say on either side, from `offset` and from `buffer`
 *  on. Returns the first element that was not started, `nelem`: all were. The caller moves the rest by puts and gets of
 *  bytes, so a network without such transfers has none to offer. */
static inline size_t dart__net_transfer(dart__team_t *team, dart__chunk_t *chunk, int32_t unit,
                                        uint64_t offset, const dart__type_t *at_type, void *buffer,
                                        const dart__type_t *type, size_t from, size_t nelem,
                                        bool is_put)
{
  return dart__net.transfer == NULL ? from
                                    : dart__net.transfer(team, chunk, unit, offset, at_type, buffer,
                                                         type, from, nelem, is_put);
}

static inline dart_ret_t dart__net_team_prepare(dart__team_t *team)
{
  return dart__net.teams == NULL ? DART_OK : dart__net.teams->prepare(team);
}

/* The parentheses: `open` and `close` are macros in the build that makes calls fail (test/inject). */
static inline dart_ret_t dart__net_team_open(dart__team_t *team)
{
  return dart__net.teams == NULL || dart__net.teams->open == NULL ? DART_OK
                                                                  : (dart__net.teams->open)(team);
}

/** Nothing if the team is not prepared. */
static inline void dart__net_team_close(dart__team_t *team)
{
  if (team->net != NULL)
    (dart__net.teams->close)(team);
}

/** Whether a request is done: one that is done already is. */
static inline bool dart__net_is_done(dart__net_comm_t *comm, dart__net_request_t *request)
{
  return request->id == DART__NET_DONE.id ||
         dart__net_test(comm, (dart__net_request_t *const[]){ request }, 1, NULL) == 0;
}

/** A barrier over the job: the worst of all units' results. */
static inline dart_ret_t dart__net_agree_on_result(dart_ret_t mine)
{
  int32_t worst = (int32_t)mine;

  dart__net_agree(&worst, 1);
  return (dart_ret_t)worst;
}

/** The exit status that a process can return for `code`: 8 bits, 0 only for 0. */
static inline int dart__exit_code(int code)
{
  return code != 0 && (code & 0xff) == 0 ? EXIT_FAILURE : code & 0xff;
}

#endif
