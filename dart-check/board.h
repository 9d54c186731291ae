#ifndef DART__CHECK_BOARD_H
#define DART__CHECK_BOARD_H
/* Collective calls: before each of them, the members of the team check that all of them make the same call. */
#include "check.h"
#include "member.h"

/** What must be the same on all members, and where the call is. A field that does not apply is 0. */
typedef struct {
  uint64_t call; /* dart__call_t */
  uint64_t root; /* root, segment id or serial number, plus 1 */
  uint64_t nelem;
  uint64_t type;   /* dart__check_type_number */
  uint64_t op;     /* a predefined operator; 1 << 32: an operator of the program */
  uint64_t other;  /* a hash of further arguments; 0: this unit compares none */
  uint64_t from;   /* dart__check_place_number */
  uint64_t number; /* the number of the unit's call in this team */
} dart__check_record_t;

/** Make the boards, and the team of all units in whose memory they are; returns that team. dart_exit frees both.
 *  Collective over all units. */
dart_team_t dart__check_board_open(void);

/** Wait until all members of the team have reached the call `at`. If members are in different calls, or wait for each
 *  other in different teams, the program ends with a report. Also checks the guards of memory. The caller sets all
 *  fields of `record` but call, from and number. */
void dart__check_enter(dart_team_t team, dart__check_record_t record, dart__at_t at);

/** Before dart_init. False: DART_CHECK_PATIENCE has a value that it cannot have. */
bool dart__check_read_patience(void);

/** Seconds after which a note names a unit that has not arrived (DART_CHECK_PATIENCE). */
double dart__check_patience(void);

/** The same for dart_exit. */
void dart__check_enter_exit(dart__at_t at);

#endif
