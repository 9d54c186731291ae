#ifndef DART__WAIT_WAITING_H
#define DART__WAIT_WAITING_H
/* What this unit waits for, where others can read it: in the record that the unit shares with its launcher.
 *
 * A hang is a matter between units, and none of them can be asked: those that wait sleep, the one that they wait for
 * computes. So each thread notes a wait in an entry of its own when it begins, by plain stores to a cache line that
 * nobody else writes, and clears one word at the end. The time is added only where the wait turns out to be long
 * (dart__waiting_stamp, called before a sleep), so a short wait reads no clock. Where a wait may be as short as a
 * barrier of two units, it is noted only then, too (`note` of dart__wait_policy_t). The outermost wait is the one that
 * is noted: a lock that waits for a notification waits for the lock.
 *
 * A reader takes what it finds: it looks at waits that have lasted seconds, and those do not change. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"

typedef enum {
  DART__WAIT_NONE,
  DART__WAIT_JOB,        /* all units, in dart_init */
  DART__WAIT_COLLECTIVE, /* all units of `team`; unit: its first; first: the step; last: how many */
  DART__WAIT_LOCK,       /* lock `first` of `team` */
  DART__WAIT_LOCK_AT, /* the lock at offset `first` of `unit`, last: its id in `team` and the segment, 32 bits each */
  DART__WAIT_RANGE,   /* range lock `unit` of `team`, from `first` to `last` */
  DART__WAIT_COUNTER, /* own counter at offset `first` in segment `unit` of `team` to reach `last` */
  DART__WAIT_WORD,    /* own word at offset `first` in segment `unit` of `team` */
  DART__WAIT_SEND,    /* the receive of `unit`, tag `first` */
  DART__WAIT_RECV,    /* a message of `unit`, tag `first`; either may be DART__WAIT_ANY */
  DART__WAIT_SENDRECV, /* both: to `unit`, tag `first`, and of unit `last` */
  DART__WAIT_FLUSH,    /* `unit` of the job, -1: any unit of `team`, to apply what was sent there */
  /* Of epochs, on segment `first` of `team`. */
  DART__WAIT_FENCE, /* `unit` to leave its fence; -1: operations from before others' fence */
  DART__WAIT_POST,  /* the post of `unit` */
  DART__WAIT_ORIGINS, /* other units, to complete their accesses to this one's portion; last: bits, those of units 0
                       * to 63 that have not */
  DART__WAIT_PORTION /* the lock of the portion of `unit`; last: its id in the team */
} dart__wait_kind_t;

#define DART__WAIT_ANY INT32_MIN

/* Units are global ids. */
typedef struct {
  dart__wait_kind_t kind;
  int32_t           team;
  int32_t           unit;
  uint64_t          first;
  uint64_t          last;
} dart__wait_for_t;

#define DART__WAIT_NAME 40

/* Of a thread, which alone writes it. When `kind` is NONE, the name is of an earlier call. */
typedef struct dart__waiting {
  _Alignas(64) _Atomic uint32_t kind;
  _Atomic int32_t  team;
  _Atomic int32_t  unit;
  uint32_t         unused;
  _Atomic uint64_t first, last;
  _Atomic int64_t  since;    /* ns of CLOCK_MONOTONIC; 0: the wait is short so far */
  _Atomic uint64_t function; /* address of the name of the call, in the unit; 0: none is known */
  _Atomic uint64_t named;    /* the address of the name that follows */
  char             name[DART__WAIT_NAME];
} dart__waiting_t;

#define DART__WAITERS    64   /* threads that note their waits */
#define DART__WAIT_TEAMS 8192 /* teams, by id, whose members are noted */

typedef struct dart__waits {
  _Atomic int32_t  pid;      /* of the unit, once it has come to dart_init; 0: it has not */
  _Atomic uint32_t answers;  /* 1: the unit answers SIGUSR1, by completing the names of its calls */
  _Atomic uint32_t answered; /* how often it has */
  _Atomic uint64_t team[DART__WAIT_TEAMS / 64]; /* bits: the teams of which the unit is a member */
  dart__waiting_t  thread[DART__WAITERS];
} dart__waits_t;

/* In memory that is shared with the launcher, or in the unit's own. Zeroed memory: nothing. */
extern dart__waits_t *dart__waits;

/** Note that this thread begins to wait, in the call `function`. Returns what dart__waiting_end is to get: NULL if it
 *  waits already, or is one of too many threads. */
static inline dart__waiting_t *dart__waiting_begin(const char *function, dart__wait_for_t what)
{
  dart__tally_t   *own = dart__tally();
  dart__waiting_t *w;

  if (__builtin_expect(own == NULL || own->number >= DART__WAITERS, 0))
    return NULL;
  w = &dart__waits->thread[own->number];
  if (atomic_load_explicit(&w->kind, memory_order_relaxed) != DART__WAIT_NONE)
    return NULL;
  atomic_store_explicit(&w->team, what.team, memory_order_relaxed);
  atomic_store_explicit(&w->unit, what.unit, memory_order_relaxed);
  atomic_store_explicit(&w->first, what.first, memory_order_relaxed);
  atomic_store_explicit(&w->last, what.last, memory_order_relaxed);
  atomic_store_explicit(&w->since, 0, memory_order_relaxed);
  atomic_store_explicit(&w->function, (uint64_t)(uintptr_t)function, memory_order_relaxed);
  /* release: a reader that sees the wait sees what it is for; pairs with the acquire in waiting.c */
  atomic_store_explicit(&w->kind, what.kind, memory_order_release);
  return w;
}

/** Whether this thread has noted a wait of that kind. */
static inline bool dart__waiting_is_noted(dart__wait_kind_t kind)
{
  const dart__tally_t *own = dart__tally_own;

  return own != NULL && own->number < DART__WAITERS &&
         atomic_load_explicit(&dart__waits->thread[own->number].kind, memory_order_relaxed) == kind;
}

/** What `last` of the wait that this thread has noted is by now. */
static inline void dart__waiting_narrow(uint64_t last)
{
  atomic_store_explicit(&dart__waits->thread[dart__tally_own->number].last, last,
                        memory_order_relaxed);
}

static inline void dart__waiting_end(dart__waiting_t *w)
{
  if (w != NULL)
    atomic_store_explicit(&w->kind, DART__WAIT_NONE, memory_order_relaxed);
}

/** The wait of this thread lasts: note since when, and the name of the call. Called before every sleep. */
void dart__waiting_stamp(void);

/** Complete the names of all threads' calls; for the calling thread, if it does not wait, that is its last call which
 *  checked a team or a pointer (base/last_call.h). In a signal handler, too. */
void dart__waits_complete(void);

/** From now on in `waits`; NULL: in the unit's own memory. */
void dart__waits_move(dart__waits_t *waits);

/** This unit is a member of the team, or not any more. */
void dart__waits_join(int32_t team, bool is_member);
bool dart__waits_is_member(const dart__waits_t *waits, int32_t team);

/* ---- reading, in the launcher or in the unit itself ------------------------------------------ */

typedef struct {
  dart__wait_for_t what;      /* kind NONE: it does not wait */
  int64_t          since;     /* ns; 0: for a short time only */
  char name[DART__WAIT_NAME]; /* of the call that waits, or of an earlier one; "": none is known */
} dart__wait_seen_t;

/** The longest wait of the unit's threads, or none. */
dart__wait_seen_t dart__waits_read(const dart__waits_t *waits);

/** "dart_recv: a message of unit 2, tag 7"; "nothing of DART; before, it was in dart_barrier". */
void dart__wait_describe(const dart__wait_seen_t *seen, char *text, size_t size);

#endif
