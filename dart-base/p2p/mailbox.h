#ifndef DART__P2P_MAILBOX_H
#define DART__P2P_MAILBOX_H
/* Messages between the units of a node.
 *
 * A message is a block of the sender's memory: a header, and a buffer for data. The sender pushes it on
 * the receiver's inbox and raises the receiver's event. The receiver empties its inbox whenever it looks
 * for a message, sorts what it found into a queue per sender, and takes the first message with the tag
 * it wants from the sender's queue.
 *
 * The inbox is a stack that any unit pushes on and the receiver empties whole (Treiber: Systems Programming: Coping
 * with Parallelism, IBM RJ 5118, 1986). Nothing is ever popped alone, so there is no ABA, and reversed it gives the
 * messages of a sender in the order sent. Data go through the buffer in pieces, a ring with one writer and one reader
 * (Lamport: Proving the Correctness of Multiprocess Programs, IEEE TSE 3(2), 1977). So the data may be longer than the
 * buffer; if they are not, the message is eager: all data are in the buffer from the start, so its sender need not
 * wait.
 *
 * Units map one another's memory at different addresses, so a message is named by its sender and its
 * offset in the sender's memory. All state is passed in; any thread of a unit may call. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wait/wait.h"

/** Where messages for a unit arrive; in its memory. */
typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t newest; /* name of the message pushed last; 0: none */
  _Alignas(DART__CACHE_LINE) dart__event_t event; /* a message or piece arrived, or one was taken */
} dart__inbox_t;

typedef struct dart__mailbox_message dart__mailbox_message_t;

/** A queue of messages, oldest first: their names, 0 if there are none. */
typedef struct {
  uint64_t first, last;
} dart__mailbox_queue_t;

/** What a unit sends and receives with; private to it. */
typedef struct {
  int32_t      me;
  char *const *portions;            /* slot → that unit's memory, as mapped here */
  int32_t (*slot_of)(int32_t unit); /* NULL: the slot is the unit */
  uint64_t               inbox;     /* where each unit's inbox is in its memory */
  int32_t                nunits;
  pthread_mutex_t        lock;     /* for all below */
  dart__mailbox_queue_t *arrived;  /* sender → its messages that were not matched yet */
  size_t                 narrived; /* of all senders */
  int32_t                turn;     /* the sender that is looked at first for a message of any */
  dart__mailbox_queue_t  detached; /* sent, and not known to be taken */
  size_t                 detached_bytes;
} dart__mailbox_t;

/** Initialise the memory of an inbox, before other units know of it. */
void dart__inbox_format(dart__inbox_t *inbox);

/** `portions` stays in place, and has an entry for every unit that is sent to: by `slot_of`, or, NULL, by units. `inbox`:
 *  where a unit's inbox is in its memory. False: no memory. */
bool dart__mailbox_open(dart__mailbox_t *box, int32_t me, int32_t nunits, char *const *portions,
                        int32_t (*slot_of)(int32_t unit), uint64_t inbox);
void dart__mailbox_close(dart__mailbox_t *box);

/** The event to wait for when a call below made no progress: read its counter, call, and if the call made
 *  none wait for another count. */
dart__event_t *dart__mailbox_event(const dart__mailbox_t *box);

/* ---- sending ----------------------------------------------------------------------------- */

/** Messages of up to so many bytes can be eager: the buffer holds all data. Longer ones go in pieces. */
#define DART__MAILBOX_EAGER_MOST ((size_t)256 << 10)

/** Bytes that a message with a buffer of `room` bytes needs; SIZE_MAX, which no pool has,
 *  if that is more than a size_t holds. */
size_t dart__mailbox_message_bytes(size_t room);

typedef struct {
  dart__mailbox_message_t *message;
  uint64_t                 offset; /* of the message */
  const char              *data;
  uint64_t                 filled; /* pieces */
  int32_t                  to;
} dart__outgoing_t;

/** Post a message. It lies at `offset` of the caller's memory and has a buffer of `room` bytes: all `nbytes`,
 *  or at least DART__MAILBOX_EAGER_MOST. `awaited`: the caller will wait until it is taken; necessary unless
 *  all data fit the buffer. */
void dart__mailbox_post(dart__mailbox_t *box, int32_t to, int32_t tag, const void *data,
                        size_t nbytes, uint64_t offset, size_t room, bool awaited,
                        dart__outgoing_t *out);

/** Send more pieces of an awaited message. True: all of it was taken; its memory is the caller's again. */
bool dart__mailbox_feed(dart__mailbox_t *box, dart__outgoing_t *out);

/** Queue a message that is not awaited until dart__mailbox_reclaim finds that it was taken. */
void dart__mailbox_detach(dart__mailbox_t *box, dart__outgoing_t *out);

/** Release the memory of detached messages that have been taken, or whose receiver is lost: those before the first that is
 *  neither, or, if more than `most` bytes are detached, all. Returns the bytes still detached. The memory of one of them
 *  whose buffer suits a message with `*room` is left to the caller, at `*reused_out`, and `*room` is then what its buffer
 *  has; 0: there is none. */
size_t dart__mailbox_reclaim(dart__mailbox_t *box, size_t most, size_t *room,
                             void (*release)(uint64_t offset), uint64_t *reused_out);

/* ---- receiving --------------------------------------------------------------------------- */

typedef struct {
  dart__mailbox_message_t *message; /* NULL: it was looked at */
  size_t                   nbytes;  /* of the data */
  uint64_t                 taken;   /* pieces */
  int32_t                  from;
  int32_t                  tag;
} dart__incoming_t;

/** For `from` and `tag` below: any sender; any tag that is not negative. */
#define DART__MAILBOX_ANY INT32_MIN

/** Find the oldest message of a sender with a tag; senders have turns. True: found; the caller must take or refuse
 *  it. */
bool dart__mailbox_match(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in);

/** dart__mailbox_match, but the message stays where it is, and its sender has the next turn. */
bool dart__mailbox_look(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in);

/** Copy to `buffer`, of in->nbytes, the pieces that have arrived. True: that was all, and the message must
 *  not be touched any more. */
bool dart__mailbox_take(dart__mailbox_t *box, dart__incoming_t *in, void *buffer);

/** Drop the message. */
void dart__mailbox_refuse(dart__mailbox_t *box, dart__incoming_t *in);

#endif
