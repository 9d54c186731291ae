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
  /* Of what is held: a range from first to last; the unit, and 1 if it is exclusive. If several are, the newest; first >
   * last, and a unit of -1: unknown, for that was given up before others. */
  _Atomic uint64_t first;
  _Atomic uint64_t last;
} dart__hold_t;

#define DART__HOLDS 128

typedef struct dart__holds {
  dart__hold_t entry[DART__HOLDS]; /* zeroed memory: nothing is held */
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

/** The same where one thread at a time counts, and there is nothing to name. */
static inline void dart__hold_set(dart__hold_t *hold, uint32_t count)
{
  atomic_store_explicit(&hold->count, count, memory_order_relaxed);
}

/** Whether any is held. */
static inline bool dart__hold_is_held(const dart__hold_t *hold)
{
  /* relaxed: the result does not cover threads that take or give up during this call */
  return atomic_load_explicit(&hold->count, memory_order_relaxed) != 0;
}

/** Nothing is held any more: a cycle of init and exit begins. */
void dart__holds_clear(void);

/** What is held as text: "lock 1 of team 0"; of several the first, and how many there are. "": nothing is. */
void dart__holds_describe(const dart__holds_t *holds, char *text, size_t size);

/** The same of this unit, and of a record in a file. */
void dart__holds_own(char *text, size_t size);
void dart__holds_read(int fd, uint64_t offset, char *text, size_t size);

#endif
