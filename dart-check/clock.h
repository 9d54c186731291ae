#ifndef DART__CHECK_CLOCK_H
#define DART__CHECK_CLOCK_H
/* Vector clocks: which calls of each unit have happened before what this unit does now. */
#include "check.h"

#define DART__CHECK_NO_ROW UINT32_MAX /* not an enumerator: in ISO C these have type int */

/** A place: a slot where units publish their clocks, for a word of memory, a lock, or the messages of a pair of units.
 *  Two such things may share a slot, which then orders more than the program does, never less. */
typedef struct {
  int32_t  home; /* the unit that has the slot; negative: there is none */
  uint64_t hash;
} dart__check_place_t;

/** Make the clocks in memory of DART_TEAM_ALL; dart_exit frees it. Collective over all units. */
void dart__check_clocks_open(void);
void dart__check_clocks_forget(void);

/** The number of this unit in its clock. Each release increments it: what has this number or a lower one happened
 *  before everything after an acquire of that release. With the lock. */
uint64_t dart__check_now(void);

/** A counter that goes up when the clock learns something new. With the lock. */
uint64_t dart__check_news(void);

/** Publish the clock at a place, before the call by which others may continue. May wait for the unit that has the
 *  place. */
void dart__check_release(dart__check_place_t place);

/** Publish the clock at `n` places of one unit. `is_ordered`: others may continue by an operation on memory of
 *  DART_TEAM_ALL at that unit, outside of epochs. Then the release does not wait. */
void dart__check_release_all(const dart__check_place_t places[], size_t n, bool is_ordered);

/** Join the clock that was published at a place, after the call that has waited. True: the clock has learned something
 *  new. */
bool dart__check_acquire(dart__check_place_t place);

/** Join the clocks at `n` places of one unit, and copy the result, nunits numbers, to `clock`. */
void dart__check_acquire_all(const dart__check_place_t places[], size_t n, uint64_t *clock);

/** Pass clocks on as the collective call does: from its root, to its root, or from all units to all. `root` is a unit
 *  of the team. */
void dart__check_clocks_collective(dart_team_t team, dart__call_t call, int32_t root);

/** Store the clock as a row of the unit's table, which other units can read. DART__CHECK_NO_ROW: the table is full.
 *  With the lock. */
uint32_t dart__check_row(void);

/** Store `row`, joined with `clock`, as a row; see dart__check_row. */
uint32_t dart__check_row_after(uint32_t row, const uint64_t *clock);

/** Read the first `nrows` rows of the table of `unit`; a row is nunits numbers. */
void dart__check_rows_read(int32_t unit, uint32_t nrows, uint64_t *rows);

/** How many rows there are. `keep` moves the rows at `kept` to the front, updates the indices, and drops all other
 *  rows. With the lock. */
uint32_t dart__check_rows(void);
void     dart__check_rows_keep(uint32_t *kept[], size_t n);

#endif
