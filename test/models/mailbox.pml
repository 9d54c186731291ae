/* Messages on a node: letters on a stack that its owner empties whole, and their data in pieces
 * (node/mailbox.h; api/p2p/twosided.c: converse).
 *
 * Claims, as assertions: messages of a sender come in the order sent, and whole; a slot of a letter
 * is not filled again before it was read; nobody touches a letter that was given back, though its
 * sender makes another one of it at once. And nobody waits for ever (no invalid end state).
 *
 * Bounds. Two units send messages to a third, which receives those of each with a thread of its
 * own; each sender has two letters. The first sends MESSAGES: each is one piece, which is left to
 * its receiver, or has PIECES, which go through the two slots of its letter and are awaited. The
 * other sends one piece.
 *
 * Abstractions. Waiting is what doze.pml shows of it. Tags, messages that are refused, and the
 * limit of what is left are left out; a sender without a free letter waits until it can reclaim
 * one.
 *
 * Memory order. `push` releases the letter to the exchange in `collect`, `filled` releases a slot
 * that was written and `taken` one that was read: each is in one step with the last of what it
 * releases, or after it. Mutants take them apart.
 *
 * run: inbox   -DMESSAGES=2 -DPIECES=1
 * run: pieces  -DMESSAGES=1 -DPIECES=4
 * large: both        -DMESSAGES=2
 * large: more_letters -DMESSAGES=3 -DPIECES=1
 * mutant: push_not_release      -DMESSAGES=1
 * mutant: filled_not_release    -DMESSAGES=1
 * mutant: taken_not_release     -DMESSAGES=1
 * mutant: touches_after_taken   -DMESSAGES=2 -DPIECES=1
 * mutant: event_before_push     -DMESSAGES=1
 * mutant: not_turned_round      -DMESSAGES=2 -DPIECES=1
 * mutant: pushes_by_store       -DMESSAGES=1
 */
#include "common.pml"

#ifndef PIECES
#define PIECES 3
#endif
#define NSLOTS 2
#define MESSAGES_OF(sender) (sender == 0 -> MESSAGES : 1)

/* Letters have names from 1: 1 and 2 are of sender 0, 3 and 4 of sender 1. */
typedef letter_t {
  bool in_use;       /* a ghost: it is allocated */
  byte number;       /* of the message, from 1 */
  byte npieces, filled, taken, next;
  bool awaited;
  byte slot[NSLOTS]; /* of which piece, from 1 */
}

letter_t letter[5];
#define L letter[name]
#define SENDER_OF(name) ((name - 1) / 2)

byte newest;           /* the receiver's inbox */
bool told[2];          /* the receiver's event was raised since its thread last read it */
bool sender_told[2];   /* each sender's */
byte first[2];         /* piles, by sender, linked by `next` */
bool locked;           /* dart__mailbox_t */

#define RAISE atomic { told[0] = true; told[1] = true }

/* ---- sending ---- */

#define WRITE_SLOT L.slot[filled % NSLOTS] = filled + 1

#ifdef MUTANT_filled_not_release
#define FILL UNORDERED(WRITE_SLOT, L.filled = filled + 1)
#else
#define FILL d_step { WRITE_SLOT; L.filled = filled + 1 }
#endif

/* `fill`; `is_known`: to the receiver, which is told of every piece */
inline fill(is_known)
{
  do
  :: filled < L.npieces && filled - taken < NSLOTS ->
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
    :: newest == L.next -> newest = name; done = true                           \
    :: else -> L.next = newest                                                  \
    fi                                                                          \
  }
#endif

/* `push` */
inline push()
{
  done = false;
  L.next = newest;
  do
  :: done -> break
  :: else -> SWAP
  od
}

inline write_head(n)
{
  d_step { L.number = number; L.npieces = n; L.awaited = n > 1 }
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

/* dart__mailbox_reclaim: a letter that was left and is taken */
#define IS_TAKEN(name) (letter[name].taken == letter[name].npieces)
#define IS_FREE(name) (!letter[name].in_use || (!letter[name].awaited && IS_TAKEN(name)))

/* dart__pool_alloc, dart__mailbox_post */
inline post(n)
{
  if
  :: atomic { IS_FREE(2 * me + 1) -> name = 2 * me + 1 }
  :: atomic { IS_FREE(2 * me + 2) -> name = 2 * me + 2 }
  fi;
  d_step {
    L.in_use = true;
    L.filled = 0;
    L.taken = 0;
    L.slot[0] = 0;
    L.slot[1] = 0;
    filled = 0;
    taken = 0
  }
#ifdef MUTANT_push_not_release
  L.npieces = n;
  fill(false);
  L.npieces = 0;
#else
  write_head(n);
  fill(false);
#endif
  POST(n)
}

/* dart__pool_free; what the letter held is forgotten, so that states recur */
inline give_back()
{
  d_step {
    L.in_use = false;
    L.filled = 0;
    L.slot[0] = 0;
    L.slot[1] = 0;
    name = 0;
    filled = 0;
    taken = 0
  }
}

/* converse, dart__mailbox_feed */
inline feed()
{
  do
  :: sender_told[me] = false;
     taken = L.taken;
     if
     :: taken == L.npieces -> give_back(); break
     :: else -> fill(true); sender_told[me]
     fi
  od
}

proctype sender(byte me)
{
  byte number, name, filled, taken;
  bool done;

  for (number : 1 .. MESSAGES_OF(me)) {
    if
    :: post(1) /* dart__mailbox_leave */
    :: me == 0 && PIECES > 1 -> post(PIECES); feed()
    fi
  }
}

/* ---- receiving ---- */

#ifdef MUTANT_not_turned_round
#define ADD(pile, name) letter[name].next = pile; pile = name
#else
#define ADD(pile, name)                                                         \
  letter[name].next = 0;                                                        \
  if                                                                            \
  :: pile == 0 -> pile = name                                                   \
  :: else ->                                                                    \
    last = pile;                                                                \
    do                                                                          \
    :: letter[last].next != 0 -> last = letter[last].next                       \
    :: else -> break                                                            \
    od;                                                                         \
    letter[last].next = name;                                                   \
    last = 0                                                                    \
  fi
#endif

/* `collect`: turn round what was taken from the inbox, and file it */
inline collect()
{
  name = newest;
  newest = 0;
  do
  :: name != 0 ->
    assert(L.in_use);
    last = L.next;
    L.next = oldest;
    oldest = name;
    name = last
  :: else -> break
  od;
  do
  :: oldest != 0 ->
    name = oldest;
    oldest = letter[oldest].next;
    ADD(first[SENDER_OF(name)], name)
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
    :: name != 0 -> assert(L.number == number); first[from] = L.next
    :: else
    fi
  }
}

#define READ_SLOT assert(L.in_use && L.number == number && L.slot[taken % NSLOTS] == taken + 1)

#ifdef MUTANT_taken_not_release
#define TELL_TAKEN awaited = L.awaited; UNORDERED(READ_SLOT, L.taken = taken + 1); taken++
#else
#define TELL_TAKEN d_step { READ_SLOT; awaited = L.awaited; taken++; L.taken = taken }
#endif

/* dart__mailbox_take, tell_taken */
inline take()
{
  filled = L.filled;
  do
  :: taken < filled ->
    TELL_TAKEN;
#ifdef MUTANT_touches_after_taken
    assert(L.in_use && L.number == number);
#endif
    if
    :: awaited -> sender_told[from] = true
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

/* converse */
proctype receiver(byte from)
{
  byte number, name, npieces, filled, taken, last, oldest;
  bool awaited;

  for (number : 1 .. MESSAGES_OF(from)) {
    do
    :: told[from] = false;
       if
       :: name == 0 -> match(); npieces = (name == 0 -> 0 : L.npieces)
       :: else
       fi;
       if
       :: name != 0 -> take()
       :: else
       fi;
       if
       :: name != 0 && taken == npieces -> forget(); break
       :: else -> told[from]
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
