#ifndef DART__CHECK_CLOCK_H
#define DART__CHECK_CLOCK_H
/* Vector clocks: what of each unit has happened before what this one does now. */
#include "check.h"

#define DART__CHECK_NO_ROW UINT32_MAX /* no enumerator: in ISO C those are of type int */

/** Where units pass clocks on: a word of memory, a lock, messages of a pair. Different ones may share a place,
 *  which then orders more than the program does, never less. */
typedef struct {
  int32_t  home; /* the unit that has it; negative: there is none */
  uint64_t hash;
} dart__check_place_t;

/** Make the clocks in memory of DART_TEAM_ALL, which goes with dart_exit. Collective over all units. */
void dart__check_clocks_open(void);
void dart__check_clocks_forget(void);

/** The unit's own clock. It goes on at each release: what carries this number or a lower one happened before who
 *  acquired that. With the lock. */
uint64_t dart__check_now(void);

/** Goes on when the clock takes over something new. With the lock. */
uint64_t dart__check_news(void);

/** Pass the clock on, before the call that lets others go on. May wait for the home of the place. */
void dart__check_release(dart__check_place_t place);

/** The same to several places of one home. `is_ordered`: what lets others go on is an operation on memory of
 *  DART_TEAM_ALL at that home, outside of epochs, so that nothing has to be waited for. */
void dart__check_release_all(const dart__check_place_t places[], size_t n, bool is_ordered);

/** Take over what was passed on, after the call that has waited; true: something new was. */
bool dart__check_acquire(dart__check_place_t place);

/** The same of `n` places of one home, and a copy of it, nunits numbers, to `clock`. */
void dart__check_acquire_all(const dart__check_place_t places[], size_t n, uint64_t *clock);

/** Pass clocks on as the collective call does: from its root (of team unit `root`), to it, or from all to all. */
void dart__check_clocks_collective(dart_team_t team, dart__call_t call, int32_t root);

/** The clock as a row of the unit's table, which other units can read; DART__CHECK_NO_ROW: the table is full. With
 *  the lock. */
uint32_t dart__check_row(void);

/** A row of what happened before `row`, or before what was passed on in `clock`. The same of that. */
uint32_t dart__check_row_after(uint32_t row, const uint64_t *clock);

/** Rows of the table of `unit` from the first one to `nrows`: nunits numbers each. */
void dart__check_rows_read(int32_t unit, uint32_t nrows, uint64_t *rows);

/** How many rows there are; and make those at `kept` the first ones and forget the others. With the lock. */
uint32_t dart__check_rows(void);
void     dart__check_rows_keep(uint32_t *kept[], size_t n);

#endif
