#ifndef DART__COLL_UNMATCHED_H
#define DART__COLL_UNMATCHED_H
/* Collectives between nodes that did not match, found at the end of the job.
 *
 * A leader that only sends, as the root of a broadcast, waits for nobody. If two leaders take their own nodes for the
 * root's, each sends, and both go on. What they have sent is still there in dart_exit, with a tag that tells which call it
 * is of. So dart_exit looks. To name the calls, each unit remembers its last ones on data of the team of all. */
#include "model/team.h"

/** The unit is in a call on data of the team of all, of several nodes. */
void dart__unmatched_note(const dart__team_t *all);

/** The last barrier in dart_exit. If data are left, the job ends after one line, which names the calls of two units as far
 *  as these remember them. */
void dart__unmatched_meet(dart__team_t *all);

#endif
