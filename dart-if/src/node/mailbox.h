#ifndef DART__NODE_MAILBOX_H
#define DART__NODE_MAILBOX_H
/* Messages between the units of a node.
 *
 * A message travels as a letter: a block of the sender's memory with a head and room for data. The
 * sender pushes it on the receiver's inbox and raises the receiver's event. The receiver empties
 * its inbox whenever it looks for a message, files what it found by sender, and takes the first
 * letter that has the tag it wants.
 *
 * The inbox is a stack that anyone pushes on and its owner empties whole (Treiber: Systems
 * Programming: Coping with Parallelism, IBM RJ 5118, 1986); nothing is ever popped alone, so there is
 * no ABA, and turned round it gives letters of a sender in the order sent. Data go through the
 * letter in pieces, a ring with one writer and one reader (Lamport: Proving the Correctness of
 * Multiprocess Programs, IEEE TSE 3(2), 1977): a message may be longer than its letter, and one that
 * is not lies in it from the start, so its sender need not wait.
 *
 * Units map one another's memory at different addresses, so a letter is named by its unit and its
 * offset there. All state is passed in; any thread of a unit may call. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/wait.h"

/** Where letters for a unit arrive; in its memory. */
typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t newest; /* name of the last letter; 0: none */
  _Alignas(DART__CACHE_LINE)
      dart__event_t event; /* a letter came, a piece came, a piece was taken */
} dart__inbox_t;

typedef struct dart__letter dart__letter_t;

/** Letters of a sender that wait to be received, oldest first: names, 0 if there are none. */
typedef struct {
  uint64_t first, last;
} dart__pile_t;

/** What a unit sends and receives with; private to it. */
typedef struct {
  int32_t         me;
  char *const    *parts;   /* unit → its memory, as mapped here */
  const uint64_t *inboxes; /* unit → offset of its inbox there */
  pthread_mutex_t lock;    /* of what follows */
  dart__pile_t   *piles;   /* unit → its letters */
  dart__pile_t    left;    /* own letters left to their receivers, oldest first */
  size_t          left_bytes;
} dart__mailbox_t;

/** Prepare the memory of an inbox, before others know of it. */
void dart__inbox_format(dart__inbox_t *inbox);

/** `parts` and `inboxes` have `nunits` entries and stay in place; NULL parts are never asked for.
 *  False: no memory. */
bool dart__mailbox_open(dart__mailbox_t *box, int32_t me, int32_t nunits, char *const *parts,
                        const uint64_t *inboxes);
void dart__mailbox_close(dart__mailbox_t *box);

/** The event to wait for whenever a call below has said that it cannot go on: look at its counter,
 *  call, and if nothing moved wait for another count. */
dart__event_t *dart__mailbox_event(const dart__mailbox_t *box);

/* ---- sending ----------------------------------------------------------------------------- */

/** Up to here a letter holds the whole message; longer ones go through it in pieces. */
#define DART__LETTER_ROOM ((size_t)256 << 10)

/** Bytes of own memory that a letter with room for `room` bytes of data needs; SIZE_MAX, which no pool
 *  has, if that is more than a size_t holds. */
size_t dart__letter_bytes(size_t room);

typedef struct {
  dart__letter_t *letter;
  uint64_t        offset; /* of the letter */
  const char     *data;
  uint64_t        filled; /* pieces */
  int32_t         to;
} dart__outgoing_t;

/** Post a message. The letter lies at `offset` of the own memory and has `room` for data: all
 *  `nbytes` of it, or at least DART__LETTER_ROOM. `awaited`: the caller will wait until it is taken;
 *  necessary unless all is in the letter. */
void dart__mailbox_post(dart__mailbox_t *box, int32_t to, int32_t tag, const void *data,
                        size_t nbytes, uint64_t offset, size_t room, bool awaited,
                        dart__outgoing_t *out);

/** Go on with an awaited message. True: all of it was taken, and the letter is the caller's again. */
bool dart__mailbox_feed(dart__mailbox_t *box, dart__outgoing_t *out);

/** Leave a message that is not awaited to its receiver. */
void dart__mailbox_leave(dart__mailbox_t *box, dart__outgoing_t *out);

/** Give back letters that were left and have been taken since: those older than the oldest that was
 *  not taken, or, if more than `most` bytes are left, all. Returns the bytes left then. */
size_t dart__mailbox_reclaim(dart__mailbox_t *box, size_t most, void (*give_back)(uint64_t offset));

/* ---- receiving --------------------------------------------------------------------------- */

typedef struct {
  dart__letter_t *letter;
  size_t          nbytes; /* of the message */
  uint64_t        taken;  /* pieces */
} dart__incoming_t;

/** Find the oldest message of a sender with a tag. True: it is the caller's to take or refuse. */
bool dart__mailbox_match(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in);

/** Copy to `buffer`, of in->nbytes, what has come. True: that was all, and the letter is gone. */
bool dart__mailbox_take(dart__mailbox_t *box, dart__incoming_t *in, void *buffer);

/** Drop the message. */
void dart__mailbox_refuse(dart__mailbox_t *box, dart__incoming_t *in);

#endif
