#ifndef DART__MODEL_HOLDS_H
#define DART__MODEL_HOLDS_H
/* What locks this unit holds, where that can be read when the unit is gone: a launcher names the locks of a unit that
 * was killed, on which others wait in vain.
 *
 * Every lock object has an entry, with its name, in a record of the unit. To hold the lock is to count in the entry, a
 * store or two to a line that this unit alone writes. The record is a page of memory that the backend shares with its
 * launcher, or private memory where there is none. Objects that find the record full have an entry of their own: their
 * locks are not named.
 *
 * A unit that is killed between taking a lock and counting, or the other way round at the end, is not said to hold
 * it; none is said to hold what it does not. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>

typedef enum {
  DART__HOLD_FREE, /* the entry is nobody's */
  DART__HOLD_LOCK,
  DART__HOLD_RANGE,
  DART__HOLD_EPOCH
} dart__hold_kind_t;

typedef struct {
  _Atomic uint32_t kind;
  _Atomic uint32_t count; /* how often it is held, of one unit */
  int32_t          team;
  int32_t          number; /* of the objects of this kind in the team, from 1 on; of the segment */
  /* Of what is held: a range from first to last; the unit, and 1 if it is exclusive. If several are, the newest;
   * first > last, and a unit of -1: unknown, since that one was released before others. */
  _Atomic uint64_t first;
  _Atomic uint64_t last;
} dart__hold_t;

/* A lock in a word of the program's memory (dart_lock_at.h) is no object, and to take it takes some nanoseconds. So it
 * is noted only where DART_HANG asks for reports, and has one of a few places, by its offset: taking another lock with
 * the same place overwrites it, and then it is not named. */
typedef struct {
  _Atomic uint64_t at;      /* the offset, which is even, plus 1; 0: nothing is held here */
  _Atomic uint64_t portion; /* the other half of the global pointer, without flags */
} dart__held_word_t;

#define DART__HOLDS      128
#define DART__HELD_WORDS 16

typedef struct dart__holds {
  dart__hold_t      entry[DART__HOLDS]; /* zeroed memory: nothing is held */
  dart__held_word_t word[DART__HELD_WORDS];
} dart__holds_t;

/** An entry for an object; `number` -1: the next one of the team's. `spare` if the record is full. */
dart__hold_t *dart__hold_new(dart__hold_kind_t kind, dart_team_t team, int32_t number,
                             dart__hold_t *spare);
void          dart__hold_delete(dart__hold_t *hold);

/** Count what is held. Any thread. */
void dart__hold_enter(dart__hold_t *hold, uint64_t first, uint64_t last);
void dart__hold_leave(dart__hold_t *hold);

/** What was counted last has another name by now. */
void dart__hold_name(dart__hold_t *hold, uint64_t first, uint64_t last);

/** Set what is held, where one thread at a time counts, and there is nothing to name. */
static inline void dart__hold_set(dart__hold_t *hold, uint32_t count)
{
  atomic_store_explicit(&hold->count, count, memory_order_relaxed);
}

/** Whether any is held. */
static inline bool dart__hold_is_held(const dart__hold_t *hold)
{
  /* relaxed: the result does not cover threads that acquire or release during this call */
  return atomic_load_explicit(&hold->count, memory_order_relaxed) != 0;
}

/** The other half of the pointer than its offset. */
static inline uint64_t dart__held_portion(dart_gptr_t gptr)
{
  uint64_t half;

  gptr.flags = 0;
  memcpy(&half, &gptr, sizeof half);
  return half;
}

static inline dart__held_word_t *dart__held_word(dart__holds_t *holds, dart_gptr_t gptr)
{
  return &holds->word[gptr.addr_or_offs.offset / sizeof(uint64_t) % DART__HELD_WORDS];
}

/** The lock in the word at `gptr` is held. Any thread. `holds` is dart__world.holds_words; NULL: nothing is noted. */
static inline void dart__held_word_note(dart__holds_t *holds, dart_gptr_t gptr)
{
  dart__held_word_t *word;

  if (__builtin_expect(holds == NULL, 1))
    return;
  word = dart__held_word(holds, gptr);
  atomic_store_explicit(&word->portion, dart__held_portion(gptr), memory_order_relaxed);
  atomic_store_explicit(&word->at, gptr.addr_or_offs.offset + 1, memory_order_relaxed);
}

/** It is about to be released. One at the same offset elsewhere may be forgotten instead. */
static inline void dart__held_word_forget(dart__holds_t *holds, dart_gptr_t gptr)
{
  dart__held_word_t *word;

  if (__builtin_expect(holds == NULL, 1))
    return;
  word = dart__held_word(holds, gptr);
  if (atomic_load_explicit(&word->at, memory_order_relaxed) == gptr.addr_or_offs.offset + 1)
    atomic_store_explicit(&word->at, 0, memory_order_relaxed);
}

/** Whether that lock is known to be held. */
bool dart__holds_word(const dart__holds_t *holds, dart_gptr_t gptr);

/** Nothing is held any more: a cycle of init and exit begins. */
void dart__holds_clear(void);

/** What is held as text: "lock 1 of team 0"; of several the first, and how many there are. "": nothing is. */
void dart__holds_describe(const dart__holds_t *holds, char *text, size_t size);

/** What this unit holds, but for words; and what a record in a file says. */
void dart__holds_own(char *text, size_t size);
void dart__holds_read(int fd, uint64_t offset, char *text, size_t size);

#endif
