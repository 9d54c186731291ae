#ifndef DART__CHECK_BOARD_H
#define DART__CHECK_BOARD_H
/* Collective calls: before each of them the members of the team agree that it is the same. */
#include "check.h"
#include "member.h"

/** What must be the same on all members, and where the call is. A field that does not count is 0. */
typedef struct {
  uint64_t call; /* dart__call_t */
  uint64_t root; /* team id; or of what the call is about: a segment's id, a serial number */
  uint64_t nelem;
  uint64_t type;  /* dart__check_type_number */
  uint64_t op;    /* of those that all units know; an operator of the program's counts as 1 << 32 */
  uint64_t other; /* a hash of what else is the same, or 0: this unit does not say */
  uint64_t from;  /* dart__check_place_number */
  uint64_t number; /* of the unit's call in this team */
} dart__check_record_t;

/** Make the boards, which go with dart_exit, and the team of all units whose memory they are. Collective over all
 *  units. */
dart_team_t dart__check_board_open(void);

/** The call `at` of the team's members comes next. Returns when all members have come to it. Members that
 *  came to different calls, or that wait for each other in different teams, end the program with a report.
 *  Also looks at the guards of memory. `record`: all but call, from and number. */
void dart__check_enter(dart_team_t team, dart__check_record_t record, dart__at_t at);

/** Seconds after which a unit that has not come is worth a line (DART_CHECK_PATIENCE). */
double dart__check_patience(void);

/** Of dart_exit. */
void dart__check_enter_exit(dart__at_t at);

#endif
