/* Messages on a node: an inbox, which is a stack that the receiver empties whole, and their data in
 * pieces (p2p/mailbox.h; p2p/twosided.c: transfer).
 *
 * Claims, as assertions: messages of a sender come in the order sent, and whole; a slot of a
 * message's buffer is not filled again before it was read; a message that was released is not
 * accessed any more, though its sender reuses the memory at once. And no unit waits for ever (no
 * invalid end state).
 *
 * Bounds. Two units send messages to a third, which receives the messages of each with a thread of
 * its own; each sender has memory for two messages. The first sends MESSAGES: each is one piece,
 * which is eager and detached, or has PIECES, which go through the two slots of its buffer and are
 * awaited. The other sends one piece.
 *
 * Abstractions. Waiting is what doze.pml shows of it. Tags, messages that are refused, and the
 * limit of detached messages are left out; a sender without memory for a message waits until it can
 * reclaim one.
 *
 * Memory order. `push_message` releases the message to the exchange in `collect_inbox`, `filled` releases a slot
 * that was written and `taken` one that was read: each is in one step with the last of what it
 * releases, or after it. Mutants take them apart.
 *
 * run: inbox   -DMESSAGES=2 -DPIECES=1
 * run: pieces  -DMESSAGES=1 -DPIECES=4
 * large: both        -DMESSAGES=2
 * large: more_messages -DMESSAGES=3 -DPIECES=1
 * mutant: push_not_release      -DMESSAGES=1
 * mutant: filled_not_release    -DMESSAGES=1
 * mutant: taken_not_release     -DMESSAGES=1
 * mutant: touches_after_taken   -DMESSAGES=2 -DPIECES=1
 * mutant: event_before_push     -DMESSAGES=1
 * mutant: not_reversed      -DMESSAGES=2 -DPIECES=1
 * mutant: pushes_by_store       -DMESSAGES=1
 */
#include "common.pml"

#ifndef PIECES
#define PIECES 3
#endif
#define NSLOTS 2
#define MESSAGES_OF(sender) (sender == 0 -> MESSAGES : 1)

/* Messages have names from 1: 1 and 2 are of sender 0, 3 and 4 of sender 1. */
typedef message_t {
  bool in_use;       /* a ghost: it is allocated */
  byte number;       /* of the message, from 1 */
  byte npieces, filled, taken, next;
  bool awaited;
  byte slot[NSLOTS]; /* of which piece, from 1 */
}

message_t message[5];
#define M message[name]
#define SENDER_OF(name) ((name - 1) / 2)

byte newest;           /* the receiver's inbox */
bool raised[2];          /* the receiver's event was raised since its thread last read it */
bool sender_raised[2]; /* each sender's */
byte first[2];         /* queues, by sender, linked by `next` */
bool locked;           /* dart__mailbox_t */

#define RAISE atomic { raised[0] = true; raised[1] = true }

/* ---- sending ---- */

#define WRITE_SLOT M.slot[filled % NSLOTS] = filled + 1

#ifdef MUTANT_filled_not_release
#define FILL UNORDERED(WRITE_SLOT, M.filled = filled + 1)
#else
#define FILL d_step { WRITE_SLOT; M.filled = filled + 1 }
#endif

/* `fill_slots`; `is_known`: to the receiver, whose event is raised for every piece */
inline fill(is_known)
{
  do
  :: filled < M.npieces && filled - taken < NSLOTS ->
    FILL;
    filled++;
    if
    :: is_known -> RAISE
    :: else
    fi
  :: else -> break
  od
}

#ifdef MUTANT_pushes_by_store
#define SWAP newest = name; done = true
#else
#define SWAP                                                                    \
  atomic {                                                                      \
    if                                                                          \
    :: newest == M.next -> newest = name; done = true                           \
    :: else -> M.next = newest                                                  \
    fi                                                                          \
  }
#endif

/* `push_message` */
inline push()
{
  done = false;
  M.next = newest;
  do
  :: done -> break
  :: else -> SWAP
  od
}

inline write_head(n)
{
  d_step { M.number = number; M.npieces = n; M.awaited = n > 1 }
}

#ifdef MUTANT_push_not_release
#define WRITE_AND_PUSH(n) UNORDERED(write_head(n), push())
#else
#define WRITE_AND_PUSH(n) push()
#endif

#ifdef MUTANT_event_before_push
#define POST(n) RAISE; WRITE_AND_PUSH(n)
#else
#define POST(n) WRITE_AND_PUSH(n); RAISE
#endif

/* dart__mailbox_reclaim: a message that was detached and is taken */
#define IS_TAKEN(name) (message[name].taken == message[name].npieces)
#define IS_FREE(name) (!message[name].in_use || (!message[name].awaited && IS_TAKEN(name)))

/* dart__pool_alloc, dart__mailbox_post */
inline post(n)
{
  if
  :: atomic { IS_FREE(2 * me + 1) -> name = 2 * me + 1 }
  :: atomic { IS_FREE(2 * me + 2) -> name = 2 * me + 2 }
  fi;
  d_step {
    M.in_use = true;
    M.filled = 0;
    M.taken = 0;
    M.slot[0] = 0;
    M.slot[1] = 0;
    filled = 0;
    taken = 0
  }
#ifdef MUTANT_push_not_release
  M.npieces = n;
  fill(false);
  M.npieces = 0;
#else
  write_head(n);
  fill(false);
#endif
  POST(n)
}

/* dart__pool_free; the contents of the message are forgotten, so that states recur */
inline give_back()
{
  d_step {
    M.in_use = false;
    M.filled = 0;
    M.slot[0] = 0;
    M.slot[1] = 0;
    name = 0;
    filled = 0;
    taken = 0
  }
}

/* transfer, dart__mailbox_feed */
inline feed()
{
  do
  :: sender_raised[me] = false;
     taken = M.taken;
     if
     :: taken == M.npieces -> give_back(); break
     :: else -> fill(true); sender_raised[me]
     fi
  od
}

proctype sender(byte me)
{
  byte number, name, filled, taken;
  bool done;

  for (number : 1 .. MESSAGES_OF(me)) {
    if
    :: post(1) /* dart__mailbox_detach */
    :: me == 0 && PIECES > 1 -> post(PIECES); feed()
    fi
  }
}

/* ---- receiving ---- */

#ifdef MUTANT_not_reversed
#define ENQUEUE(queue, name) message[name].next = queue; queue = name
#else
#define ENQUEUE(queue, name)                                                         \
  message[name].next = 0;                                                        \
  if                                                                            \
  :: queue == 0 -> queue = name                                                   \
  :: else ->                                                                    \
    last = queue;                                                                \
    do                                                                          \
    :: message[last].next != 0 -> last = message[last].next                       \
    :: else -> break                                                            \
    od;                                                                         \
    message[last].next = name;                                                   \
    last = 0                                                                    \
  fi
#endif

/* `collect_inbox`: reverse what was taken from the inbox, and sort it into queues */
inline collect()
{
  name = newest;
  newest = 0;
  do
  :: name != 0 ->
    assert(M.in_use);
    last = M.next;
    M.next = oldest;
    oldest = name;
    name = last
  :: else -> break
  od;
  do
  :: oldest != 0 ->
    name = oldest;
    oldest = message[oldest].next;
    ENQUEUE(first[SENDER_OF(name)], name)
  :: else -> break
  od
}

/* dart__mailbox_match: the lock is held for one step */
inline match()
{
  atomic {
    collect();
    name = first[from];
    if
    :: name != 0 -> assert(M.number == number); first[from] = M.next
    :: else
    fi
  }
}

#define READ_SLOT assert(M.in_use && M.number == number && M.slot[taken % NSLOTS] == taken + 1)

#ifdef MUTANT_taken_not_release
#define ACKNOWLEDGE awaited = M.awaited; UNORDERED(READ_SLOT, M.taken = taken + 1); taken++
#else
#define ACKNOWLEDGE d_step { READ_SLOT; awaited = M.awaited; taken++; M.taken = taken }
#endif

/* dart__mailbox_take, acknowledge */
inline take()
{
  filled = M.filled;
  do
  :: taken < filled ->
    ACKNOWLEDGE;
#ifdef MUTANT_touches_after_taken
    assert(M.in_use && M.number == number);
#endif
    if
    :: awaited -> sender_raised[from] = true
    :: else
    fi
  :: else -> break
  od
}

inline forget()
{
  d_step {
    name = 0;
    npieces = 0;
    filled = 0;
    taken = 0;
    awaited = false
  }
}

/* transfer */
proctype receiver(byte from)
{
  byte number, name, npieces, filled, taken, last, oldest;
  bool awaited;

  for (number : 1 .. MESSAGES_OF(from)) {
    do
    :: raised[from] = false;
       if
       :: name == 0 -> match(); npieces = (name == 0 -> 0 : M.npieces)
       :: else
       fi;
       if
       :: name != 0 -> take()
       :: else
       fi;
       if
       :: name != 0 && taken == npieces -> forget(); break
       :: else -> raised[from]
       fi
    od
  }
}

init
{
  atomic {
    run receiver(0);
    run receiver(1);
    run sender(0);
    run sender(1)
  }
}
