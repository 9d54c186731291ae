#ifndef DART_TEST_INJECT_PARTS_H
#define DART_TEST_INJECT_PARTS_H
/* The parts of the tested program, which use the whole interface between them. All units run them, in
 * this order, inside init..exit. `all` is a team of all units. */
#include "inject_board.h"

void use_groups(void);
void use_teams(void);
void use_survivors(void);
void use_memory(dart_team_t all);
void use_registered_memory(dart_team_t all);
void use_adopted_memory(dart_team_t all);
void use_pointers(dart_team_t all);
void use_types(void);
void use_transfers(dart_team_t all);
void use_handles(dart_team_t all);
void use_atomics(dart_team_t all);
void use_collectives(dart_team_t all);
void use_large_collectives(dart_team_t all);
void use_messages(void);
void use_locks(dart_team_t all);
void use_locks_in_words(dart_team_t all);
void use_notifications(dart_team_t all);
void use_epochs(dart_team_t all);
void use_locality(dart_team_t all);
void use_trees(void);
void use_files(dart_team_t all);
void use_ranges(dart_team_t all);
void use_team_files(dart_team_t all);
void use_statistics(void);

/** The unit after this one, and the place of its portion, in a team of all. */
static inline int next_unit(void)
{
  return (me + 1) % n;
}

static inline dart_gptr_t of_unit(dart_gptr_t gptr, int unit)
{
  gptr.unitid = unit;
  return gptr;
}

#endif
