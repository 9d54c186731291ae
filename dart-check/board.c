/* Before a collective call, each member of the team puts a record of the call to the first member, with a notification
 * (dash/dart/ext/dart_notify.h). The first member waits until all records have arrived, and compares them with its own.
 * Then it notifies the other members, which wait for that. So all members have reached the call before it begins, a
 * difference is known before anything hangs, and one unit reports it. (MUST and its predecessors compare MPI's
 * collectives before each call, too: Hilbrich et al., MPI Runtime Error Detection with MUST, Parallel Tools Workshop
 * 2012.)
 *
 * A record at the first member stays unchanged until the first member notifies the others. All records are in memory of
 * a team that belongs to this library, so epochs of the program do not affect them. Their size is bounded: with many
 * units, fewer teams are checked.
 *
 * A waiting unit publishes the team in which it waits. If it waits for a unit that itself waits in another team, and
 * both are members of both teams, neither can continue: their collectives are in different orders. A unit looks for
 * this only after it has waited for a while.
 *
 * A unit that does not arrive may also wait in an epoch for a call of a unit that waits here (stuck.h).
 *
 * All of this happens before DART gets the program's call. So the wait is registered under the name of that call:
 * reports of waits (DART_HANG) show the call and the units that have not reached it. */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>

#include "check_report.h"
#include "check_shared.h"
#include "check_type.h"
#include "compare.h"
#include "object.h"
#include "segment.h"
#include "stuck.h"
#include "where.h"

enum {
  BYTES    = 4 << 20, /* of all records, at most */
  SLICE_US = 100000   /* microseconds; after each slice of a wait a unit looks for the cause */
};

/* What a unit knows of a team. Other units read `posted` and `record` when a wait takes long. */
typedef struct {
  uint64_t             posted;  /* the number of the unit's newest call */
  uint64_t             arrived; /* at the first member: how many records have arrived */
  uint64_t             opened;  /* at the other members: how many calls may begin */
  dart__check_record_t record;
} slot_t;

typedef struct {
  uint64_t waits; /* the team in which the unit waits, plus 1; 0: it does not wait */
  slot_t   slot[DART__CHECK_TEAMS];
} board_t;

static board_t              *own;
static dart__check_record_t *inbox;  /* behind the board: for each team, a record of each unit */
static size_t                nteams; /* how many teams have room in the inbox */
static dart_gptr_t           boards;
static uint64_t calls[DART__CHECK_TEAMS]; /* how many calls this unit has made in each team */

/* ---- the board ----------------------------------------------------------------------------------- */

static dart_gptr_t at_board(int32_t unit, size_t offset)
{
  return dart__check_part(boards, unit, offset);
}

static uint64_t read_word(int32_t unit, size_t offset)
{
  uint64_t word;

  dart__check_read(&word, boards, unit, offset, sizeof word);
  return word;
}

static size_t field_offset(dart_team_t team, size_t field)
{
  return offsetof(board_t, slot) + (size_t)team * sizeof(slot_t) + field;
}

static size_t inbox_of(dart_team_t team, int32_t unit)
{
  return sizeof(board_t) +
         ((size_t)team * dart__check.nunits + (size_t)unit) * sizeof(dart__check_record_t);
}

dart_team_t dart__check_board_open(void)
{
  dart_team_t own_team;
  size_t      nbytes;
  void       *part;

  nteams = BYTES / (dart__check.nunits * sizeof *inbox);
  if (nteams > DART__CHECK_TEAMS)
    nteams = DART__CHECK_TEAMS;
  nbytes = sizeof *own + nteams * dart__check.nunits * sizeof *inbox;
  if (pdart_team_clone(DART_TEAM_ALL, &own_team) != DART_OK)
    pdart_abort(DART_EXIT_ABORT);
  boards = dart__check_share(own_team, nbytes, &part);
  own    = part;
  memset(own, 0, nbytes);
  memset(calls, 0, sizeof calls);
  inbox = (dart__check_record_t *)(own + 1);
  dart__check_teams_forget();
  pdart_barrier(own_team); /* no unit may read a board before it is cleared */
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_races_open(own_team);
  if (dart__check_for(DART__CHECK_COLLECTIVES))
    dart__check_stuck_open(own_team);
  dart__check_team_known(DART_TEAM_ALL);
  return own_team;
}

/* ---- reports ------------------------------------------------------------------------------------- */

static void describe_call(dart__check_report_t *report, int32_t unit,
                          const dart__check_record_t *record)
{
  char       what[256];
  dart__at_t at = { record->call < DART__CALLS ? (dart__call_t)record->call : DART__CALL_dart_exit,
                    dart__check_place_address(record->from) };
  size_t length;

  snprintf(what, sizeof what, "unit %d:", unit);
  dart__check_place(report, what, at);
  length  = 0;
  what[0] = '\0';
  if (record->type != 0)
    length +=
        (size_t)snprintf(what + length, sizeof what - length, ", %llu elements of %s",
                         (unsigned long long)record->nelem, dart__check_type_name(record->type));
  if (record->root != 0)
    length += (size_t)snprintf(what + length, sizeof what - length, ", root or object %llu",
                               (unsigned long long)record->root - 1);
  if (record->op != 0)
    length +=
        (size_t)snprintf(what + length, sizeof what - length, ", %s",
                         record->op < DART_OP_LAST ? pdart_op_name((dart_operation_t)record->op)
                                                   : "a custom operator");
  if (length > 0)
    dart__check_line(report, "  with%s", what + 1);
}

static const char *difference(const dart__check_record_t *a, const dart__check_record_t *b)
{
  if (a->call != b->call)
    return "call";
  if (a->root != b->root)
    return "root or object";
  if (a->nelem != b->nelem)
    return "number of elements";
  if (a->type != b->type)
    return "type";
  if (a->op != b->op)
    return "operator";
  if (a->other != 0 && b->other != 0 && a->other != b->other)
    return "other arguments";
  return NULL;
}

static int32_t global_id(dart_team_t team, int32_t member)
{
  dart_global_unit_t unit;

  pdart_team_unit_l2g(team, DART_TEAM_UNIT_ID(member), &unit);
  return unit.id;
}

static void end_program(dart__check_report_t *report)
{
  dart__check_line(report, "the program cannot continue");
  dart__check_end(report);
  pdart_abort(DART__CHECK_EXIT_CODE);
}

/* Whether a member has reached the call that this unit is in. If it is in another call, the program ends with a
 * report. */
static bool has_called(dart_team_t team, int32_t member, dart__at_t at)
{
  const dart__check_record_t *mine   = &own->slot[team].record;
  int32_t                     unit   = global_id(team, member);
  const dart__check_record_t *record = &inbox[(size_t)team * dart__check.nunits + (size_t)unit];
  dart__check_report_t        report;
  const char                 *differs;

  if (record->number != mine->number)
    return false;
  differs = difference(mine, record);
  if (differs == NULL)
    return true;
  report.length = 0;
  dart__check_begin(&report, "collectives", at,
                    "units %d and %d of team %d are in collective calls that do not match: %s",
                    dart__check.me, unit, team, differs);
  describe_call(&report, dart__check.me, mine);
  describe_call(&report, unit, record);
  end_program(&report);
  return true;
}

/* ---- waiting -------------------------------------------------------------------------------------- */

static double patience = 30;

bool dart__check_read_patience(void)
{
  const char *text = getenv("DART_CHECK_PATIENCE");

  return text == NULL || dart__check_read_seconds(text, &patience);
}

double dart__check_patience(void)
{
  return patience;
}

/* Two teams created by their members alone may have the same id and different members. */
static bool is_member(dart_team_t team, int32_t unit)
{
  dart_team_unit_t member;

  return dart__check_team_size(team) > 0 &&
         pdart_team_unit_g2l(team, DART_GLOBAL_UNIT_ID(unit), &member) == DART_OK && member.id >= 0;
}

/* Whether `unit`, for which this unit waits in `team`, waits for this unit in another team. */
static bool waits_for_me(dart_team_t team, int32_t unit, dart_team_t *other_out)
{
  uint64_t    waits = read_word(unit, offsetof(board_t, waits));
  dart_team_t other = (dart_team_t)(waits - 1);

  *other_out = other;
  return waits != 0 && other != team && is_member(other, unit) && !dart__check.threads &&
         read_word(unit, field_offset(other, offsetof(slot_t, posted))) > own->slot[other].posted;
}

static void report_order(dart_team_t team, int32_t unit, dart_team_t other, dart__at_t at)
{
  dart__check_record_t record;
  dart__check_report_t report;

  dart__check_read(&record, boards, unit, field_offset(other, offsetof(slot_t, record)),
                   sizeof record);
  report.length = 0;
  dart__check_begin(&report, "collectives", at,
                    "units %d and %d wait for each other in collective calls of teams %d and %d",
                    dart__check.me, unit, team, other);
  describe_call(&report, dart__check.me, &own->slot[team].record);
  describe_call(&report, unit, &record);
  end_program(&report);
}

/* The unit may only be slow, so this is a note and not an error. */
static void note_missing(dart_team_t team, int32_t unit, dart__at_t at)
{
  bool     said = false;
  uint64_t call;
  char     here[512];

  call = read_word(unit, field_offset(team, offsetof(slot_t, record.call)));
  dart__check_where(at.from, here, sizeof here);
  dart__check_note(&said,
                   "unit %d has not reached %s of team %d after %.0f s, called by %s; its last "
                   "call there was %s",
                   unit, dart__check_calls[at.id], team, dart__check_patience(), here,
                   call < DART__CALLS ? dart__check_calls[call] : "nothing");
}

/* The wait takes long: look at the unit that is waited for. If two units wait for each other, the first one reports it;
 * the other one reports it later if the first does not. */
static void compare_call(dart_team_t team, int32_t unit, unsigned slices, dart__at_t at)
{
  dart_team_t other;

  if ((dart__check.me < unit || slices > 50) && waits_for_me(team, unit, &other))
    report_order(team, unit, other, at);
  if (slices == (unsigned)(dart__check_patience() * 1e6 / SLICE_US))
    note_missing(team, unit, at);
}

/* At the first member: check the records that have arrived, and look at the first unit whose record is missing. */
static void look_at_members(dart_team_t team, unsigned slices, dart__at_t at)
{
  for (uint32_t member = 1; member < dart__check_team_size(team); member++)
    if (!has_called(team, (int32_t)member, at)) {
      compare_call(team, global_id(team, (int32_t)member), slices, at);
      return;
    }
}

static void report_stuck(dart_team_t team, int32_t unit, const dart__check_stuck_t *stuck,
                         dart__at_t at)
{
  dart__check_report_t report;
  char                 what[64];

  report.length = 0;
  dart__check_begin(
      &report, "collectives", at,
      "unit %d waits in an epoch for unit %d, which waits for it in a collective call", unit,
      dart__check.me);
  snprintf(what, sizeof what, "unit %d:", unit);
  dart__check_place(&report, what, stuck->at);
  describe_call(&report, dart__check.me, &own->slot[team].record);
  dart__check_line(&report, "missing: %s by unit %d for unit %d, on segment %d of team %d",
                   dart__check_calls[stuck->what], dart__check.me, unit, stuck->segment,
                   stuck->team);
  end_program(&report);
}

/* Every few slices: look at all members that have not arrived. A unit counts as stuck if it is in the same wait
 * twice. */
static void look_at_stuck(dart_team_t team, unsigned slices, dart__at_t at)
{
  enum { EVERY = 3 };
  static uint64_t    *numbers; /* of the waits of each unit, when they were last read */
  dart__check_stuck_t stuck;

  if (slices % EVERY != 0 || dart__check.threads)
    return;
  numbers = dart__check_room(numbers, dart__check.nunits * sizeof *numbers);
  if (slices == EVERY)
    memset(numbers, 0, dart__check.nunits * sizeof *numbers);
  for (uint32_t member = 0; member < dart__check_team_size(team); member++) {
    int32_t unit = global_id(team, (int32_t)member);

    if (unit != dart__check.me &&
        read_word(unit, field_offset(team, offsetof(slot_t, posted))) < own->slot[team].posted &&
        dart__check_stuck_for_me(unit, &numbers[unit], &stuck))
      report_stuck(team, unit, &stuck, at);
  }
}

static dart_ret_t wait_for_field(dart_team_t team, size_t field, uint64_t least)
{
  return pdart_notify_wait(at_board(dart__check.me, field_offset(team, field)), least, SLICE_US);
}

static void gather(dart_team_t team, uint64_t number, dart__at_t at)
{
  uint64_t others = dart__check_team_size(team) - 1;

  for (unsigned slices = 1;
       wait_for_field(team, offsetof(slot_t, arrived), number * others) == DART_PENDING; slices++) {
    look_at_members(team, slices, at);
    look_at_stuck(team, slices, at);
  }
  for (uint32_t member = 1; member <= others; member++)
    has_called(team, (int32_t)member, at);
  for (uint32_t member = 1; member <= others; member++)
    pdart_notify(
        at_board(global_id(team, (int32_t)member), field_offset(team, offsetof(slot_t, opened))),
        1);
}

static void follow(dart_team_t team, uint64_t number, dart__at_t at)
{
  const dart__check_record_t *record = &own->slot[team].record;
  int32_t                     first  = global_id(team, 0);

  pdart_put_notify(at_board(first, inbox_of(team, dart__check.me)), record,
                   sizeof *record / sizeof record->call, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG,
                   at_board(first, field_offset(team, offsetof(slot_t, arrived))), 1);
  for (unsigned slices = 1; wait_for_field(team, offsetof(slot_t, opened), number) == DART_PENDING;
       slices++) {
    compare_call(team, first, slices, at);
    look_at_stuck(team, slices, at);
  }
}

static void agree(dart_team_t team, int32_t me, dart__check_record_t record, dart__at_t at)
{
  static bool said;
  slot_t     *slot = &own->slot[team];

  if ((size_t)team >= nteams) {
    dart__check_note(&said, "collective calls of teams with ids of %zu and more are not checked",
                     nteams);
    return;
  }
  record.call   = at.id;
  record.from   = dart__check_place_number(at.from);
  record.number = slot->posted + 1;
  slot->record  = record;
  __atomic_store_n(&slot->posted, record.number, __ATOMIC_RELEASE);
  __atomic_store_n(&own->waits, (uint64_t)team + 1, __ATOMIC_RELEASE);
  if (me == 0)
    gather(team, record.number, at);
  else
    follow(team, record.number, at);
  __atomic_store_n(&own->waits, 0, __ATOMIC_RELEASE);
}

void dart__check_enter(dart_team_t team, dart__check_record_t record, dart__at_t at)
{
  int32_t me;
  size_t  size;
  void   *wait;

  if (!dart__check_team(team, &me, &size))
    return;
  dart__check_guards(at);
  if (size == 1)
    return;
  wait = dart__layer_wait(dart__check_calls[at.id], team, ++calls[team]);
  if (dart__check_for(DART__CHECK_COLLECTIVES))
    agree(team, me, record, at);
  if (dart__check_for(DART__CHECK_RACES))
    dart__check_race_collective(team, at.id, (int32_t)record.root - 1);
  dart__layer_waited(wait);
}

void dart__check_enter_exit(dart__at_t at)
{
  dart__check_enter(DART_TEAM_ALL, (dart__check_record_t){ .root = 0 }, at);
}
