#ifndef DART__EPOCH_EPOCH_H
#define DART__EPOCH_EPOCH_H
/* What a process knows about the epochs of a segment (dash/dart/ext/dart_epoch.h).
 *
 * Each portion has a state that all units of its node see: its lock, and what they have to know of each other's posts
 * and fences. It lies behind the portion in its chunk, where all units find it without a message. That of the pool is
 * the pool's first block; that of registered memory is a block of the pool, whose offset is shared when memory is
 * registered. Such a block stays one: units may be in its lock when the memory is deregistered. All else is the
 * process's own, made by its first call about epochs, or by the first message about them.
 *
 * Far units tell each other by control messages (dart__epoch_control_t). They arrive in the order of the operations
 * that were sent in order before (epoch_origin.h), so one that ends an epoch says that its operations were applied. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/ext/dart_value.h>

#include "data/type.h"
#include "far/progress.h"
#include "model/address.h"
#include "model/holds.h"
#include "model/team.h"
#include "rma/gate.h"
#include "wait/rwlock.h"

/* Of a portion's unit and another one of its node, to which the line goes and from which it comes once in an epoch. */
typedef struct {
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t posted; /* how often that one was named by a post */
  _Atomic uint32_t done; /* written by that one: how many of its accesses by start have ended */
} dart__epoch_post_t;

/* The state of a portion in shared memory. Zeroed memory: no epochs yet. */
typedef struct {
  dart__rwlock_t lock;
  /* Written by the portion's unit: */
  _Alignas(DART__CACHE_LINE) _Atomic uint32_t exposed; /* the last fence that the unit has left */
  _Atomic uint32_t is_read_only; /* by DART_EPOCH_NOPUT, in this fence, or in an exposure; 0: no */
  /* Offset in the unit's pool, plus one, of its posts: a dart__epoch_post_t for each unit of the team on the node.
   * 0: there are none yet. */
  _Atomic uint64_t posts;
  /* Of a state in the pool, which segments have one after the other: how many have ended that had it, and, the unit's
   * own, the next state that may be used again, as `posts`. */
  _Atomic uint32_t ends;
  _Atomic uint32_t far_held; /* far units in the lock, or DART__EPOCH_FAR_EXCLUSIVE */
  uint64_t         next_ended;
} dart__epoch_shared_t;

#define DART__EPOCH_ROOM sizeof(dart__epoch_shared_t)

/** The state of a portion on this node. */
static inline dart__epoch_shared_t *dart__epoch_shared(const dart__team_t    *team,
                                                       const dart__segment_t *segment, int32_t unit)
{
  char *at =
      segment->epoch_pool == NULL
          ? segment->near[dart__team_near_slot(team, unit)] + segment->base + segment->epoch_at
          : dart__pool_address(dart__team_member(team, unit),
                               segment->epoch_pool[dart__team_near_index(team, unit)]);

  return (dart__epoch_shared_t *)(void *)at;
}

/** Whether the unit, of this node, has deregistered its memory. Its lock can still be entered and left. */
static inline bool dart__epoch_has_ended(const dart__team_t *team, const dart__segment_t *segment,
                                         int32_t unit)
{
  /* seq_cst: after the lock was entered; pairs with end_state (epoch_memory.c), which lets it be entered after that */
  return segment->epoch_ends != NULL &&
         atomic_load_explicit(&dart__epoch_shared(team, segment, unit)->ends,
                              memory_order_seq_cst) !=
             segment->epoch_ends[dart__team_near_index(team, unit)];
}

#define DART__EPOCH_FAR_EXCLUSIVE UINT32_C(0x80000000)

/* ---- deferred operations --------------------------------------------------------------------- */

#define DART__EPOCH_QUEUE 256 /* of a segment, if more of them may wait: see epoch/access.h */

typedef struct dart__epoch dart__epoch_t;

/* A deferred operation, in a place of the queue. */
typedef struct {
  dart__rma_t rma;  /* its buffer is NULL: `value` is the operand */
  uint32_t    next; /* the place of the next one for the same unit, or of the next free one */
  _Alignas(16) char value[DART_COPIED_MOST];
} dart__queued_t;

static inline const void *dart__queued_source(const dart__queued_t *op)
{
  return op->rma.buffer != NULL ? op->rma.buffer : op->value;
}

/** Copy a small operand, and the types until dart__epoch_release: those of a program may end before it is started.
 *  False: no memory, and nothing is kept. */
bool dart__epoch_keep(dart__queued_t *op);
void dart__epoch_release(const dart__queued_t *op);

/* ---- the process's own state ---------------------------------------------------------------- */

typedef enum {
  DART__EPOCH_NONE,
  DART__EPOCH_FENCE,
  DART__EPOCH_START,
  DART__EPOCH_LOCK,
  DART__EPOCH_LOCK_ALL
} dart__epoch_kind_t;

/* What this unit knows of one unit of the team. */
typedef struct {
  /* In the access epoch: */
  bool is_member;          /* it was started or locked; not used by a fence */
  bool is_open;            /* its portion may be accessed now: it is exposed, or its lock is held */
  bool is_used;            /* this unit has issued operations */
  bool is_written;         /* of these, some that write */
  bool is_read;            /* some have results */
  bool needs_flush;        /* some were started as transfers: the control message follows a flush */
  bool is_requested;       /* some were started as requests: the control message follows them */
  bool is_exclusive;       /* its lock */
  bool is_counted;         /* its unlock, in dart__lazy.sent */
  bool is_checked;         /* it is asked whether it may be accessed: no DART_EPOCH_NOCHECK */
  bool is_listed;          /* among the epoch's targets */
  bool is_named[2];        /* scratch of post and of start: finds units that are named twice */
  _Atomic bool is_mutual;  /* it was a target of a short access by start since the last post */
  bool         is_behind;  /* an access to it was abandoned: none runs ahead of its post */
  bool         has_ticket; /* for the lock of a near portion: */
  uint32_t     ticket;
  uint32_t     nqueued; /* deferred operations; the places of the first and last of them: */
  uint32_t     first, last;
  uint32_t     since;   /* dart__epoch.nsince, when the first was deferred */
  dart_ret_t   failed;  /* the worst result of those that were started, not reported yet */
  uint32_t     started; /* accesses by start that have ended; modulo 2^32, as all counters */
  /* Control messages that have come, counted: */
  _Atomic uint32_t posted; /* it is far or this unit, and has exposed its portion to this unit */
  /* Counted by this unit as a target: */
  _Atomic uint32_t exposed; /* it is far, and was named in a post (without NOCHECK) */
  uint32_t         ended;   /* its accesses that followed; by the thread that receives messages */
  uint32_t         named;   /* how often a post has named it */
  int32_t          next;    /* origin of the exposure, or -1; see dart__epoch.awaited */
  uint32_t         next_target; /* see dart__epoch.first_target */
  _Atomic uint32_t done; /* it is far or this unit: how many of its accesses by start have ended */
} dart__epoch_target_t;

struct dart__epoch {
  int32_t            own;    /* this unit */
  pthread_mutex_t    access; /* of the accessing side; see the header for threads */
  dart__epoch_kind_t kind;
  bool               is_all_open; /* fence: all units are known to have begun the epoch */
  bool               is_lazy;     /* fence: it is being closed, and units do not wait */
  bool               is_issued;   /* fence: this unit has issued operations */
  bool               is_prepared; /* fence: agreed on with all units, once */
  uint32_t           fences;      /* called; the same on all units */
  uint32_t expected;  /* fence: control messages of units that have accessed this portion, ... */
  uint32_t history;   /* fences' assertions, for verification */
  int32_t  nlocked;   /* lock: members */
  bool     is_broken; /* lock: a promise of NOCHECK was not kept */
  dart__hold_t *hold; /* lock: the portions that are locked; NULL: none were yet */
  dart__hold_t  spare;
  /* The access epoch's targets, those that were started or locked, or that this unit has issued operations on, in this
   * order: each a unit plus one; 0: none. A team may have many units, so no call looks at them all. */
  uint32_t first_target, last_target;
  bool     is_checked; /* lock_all: each is, without DART_EPOCH_NOCHECK */
  /* Deferred operations: a list for each target, in the order of the calls. A place is an index, plus one; 0: none. */
  uint32_t        nqueued;
  uint32_t        nplaces; /* of `queue`; it grows, and stays until the segment ends */
  uint32_t        nused;   /* of these, the first that were used, perhaps free again: */
  uint32_t        free;    /* the first of a list */
  uint32_t        nsince;  /* how often a unit's list was begun */
  dart__queued_t *queue;
  uint32_t       *counts;  /* [nunits], for counted fences over several nodes; NULL: none yet */
  bool            is_owed; /* counted fences: control messages of lazy ones may be under way */

  pthread_mutex_t exposure; /* of the exposing side */
  pthread_mutex_t state;    /* of `kind` and `is_exposed`, when they change; nobody waits with it */
  _Atomic bool    is_exposed;
  bool            is_read_only; /* the fence epoch or the exposure, by DART_EPOCH_NOPUT */
  int32_t         awaited;   /* exposure: the first origin that may not have completed; -1: none */
  dart__epoch_post_t *posts; /* [units of the node], see dart__epoch_shared_t; NULL: none yet */

  _Atomic uint32_t arrived;    /* ... and those that have come */
  _Atomic bool     is_written; /* a far unit has put to this portion, since that was reset */

  dart__epoch_target_t target[]; /* [nunits] */
};

/** The targets of the access epoch, one after the other; -1: there is no more. */
static inline int32_t dart__epoch_first_target(const dart__epoch_t *epoch)
{
  return (int32_t)epoch->first_target - 1;
}

static inline int32_t dart__epoch_next_target(const dart__epoch_t *epoch, int32_t unit)
{
  return (int32_t)epoch->target[unit].next_target - 1;
}

/** A loop over them: the head of a statement, in which `unit` is each of them. */
#define DART__EPOCH_TARGETS(unit, epoch)                            \
  for (int32_t unit = dart__epoch_first_target(epoch); (unit) >= 0; \
       (unit)       = dart__epoch_next_target(epoch, unit))

/** The unit is one of them. */
static inline void dart__epoch_add_target(dart__epoch_t *epoch, int32_t unit)
{
  dart__epoch_target_t *t = &epoch->target[unit];

  if (t->is_listed)
    return;
  t->is_listed   = true;
  t->is_checked  = epoch->is_checked;
  t->next_target = 0;
  if (epoch->last_target == 0)
    epoch->first_target = (uint32_t)unit + 1;
  else
    epoch->target[epoch->last_target - 1].next_target = (uint32_t)unit + 1;
  epoch->last_target = (uint32_t)unit + 1;
}

/** Whether all accesses of fences' epochs that have ended have arrived. */
static inline bool dart__epoch_has_arrived(const dart__epoch_t *epoch)
{
  /* acquire: what the messages announce is here; pairs with note_control */
  uint32_t arrived =
      atomic_load_explicit((_Atomic uint32_t *)&epoch->arrived, memory_order_acquire);

  return (int32_t)(arrived - epoch->expected) >= 0;
}

/** The epochs of a segment, made if there were none. NULL: no memory. Any thread. */
dart__epoch_t *dart__epoch_make(const dart__team_t *team, dart__segment_t *segment);

/** Forget them, when the segment ends. Logs operations that are dropped. */
void dart__epoch_delete(dart__segment_t *segment);

/* ---- control messages between nodes ---------------------------------------------------------- */

typedef enum {
  DART__EPOCH_POSTED,    /* the sender has exposed its portion to this unit */
  DART__EPOCH_COMPLETED, /* the sender's access by start has ended; value: DART__EPOCH_WROTE ... */
  DART__EPOCH_ARRIVED,   /* all operations of the sender's fence epoch are here; value as above */
  DART__EPOCH_GRANTED,   /* value: the address of a counter, which the receiver of this has sent */
  DART__EPOCH_GONE       /* instead of a grant: the memory has ended while the request waited */
} dart__epoch_control_t;

#define DART__LOCKED_GET ((size_t)1024) /* bytes that gets which travel with their request read */

/* A request for the lock of a far portion. What gets have read is in the order of the gets, each in whole
 * words. It comes with the answer or, if the request has to wait, with the grant, which may overtake the
 * answer: so each has a place of its own. */
typedef struct {
  _Atomic uint32_t granted; /* first: GRANTED names it. 0: not yet; DART__REQUEST_GONE */
  uint64_t         result;  /* the backend's; `data[0]` follows it in the answer */
  uint64_t         data[2][DART__LOCKED_GET / sizeof(uint64_t)];
} dart__epoch_request_t;

#define DART__REQUEST_GONE 2

/* Flags in the value of COMPLETED, and, the first, of ARRIVED. */
enum { DART__EPOCH_WROTE = 1, DART__EPOCH_CHECKED = 2 /* the access goes with a post */ };

/* ---- lock epochs ---------------------------------------------------------------------------- */

static inline bool dart__epoch_is_locking(dart__epoch_kind_t kind)
{
  return kind == DART__EPOCH_LOCK || kind == DART__EPOCH_LOCK_ALL;
}

/** Whether a lock epoch is this process's only one, and of one portion, or of all. */
static inline bool dart__epoch_is_alone(const dart__epoch_t *epoch)
{
  /* relaxed: the epochs of this unit's own calls */
  return atomic_load_explicit(&dart__lazy.nlocking, memory_order_relaxed) == 1 &&
         (epoch->kind == DART__EPOCH_LOCK_ALL || epoch->nlocked == 1);
}

#endif
