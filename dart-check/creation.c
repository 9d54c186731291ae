/* Each unit publishes a record of its current call. It writes its own record before it reads those of the members. So
 * if two units are in calls with different groups, at least one of them sees the other. A record may also belong to a
 * call that both units have made, and that the other unit is about to leave. So the record is read again until
 * DART_CHECK_PATIENCE is over: a unit that waits in vain stays in its call. */
#include "creation.h"

#include <stdlib.h>
#include <time.h>

#include "board.h"
#include "bytes.h"
#include "check_report.h"
#include "check_shared.h"
#include "where.h"

enum { SLICE_MS = 20, BITS = 64 };

typedef struct {
  uint64_t tag;     /* plus 1; 0: the unit is in no call */
  uint64_t serial;  /* counts the unit's calls */
  uint64_t subject; /* a hash of parent and group */
  uint64_t from;    /* dart__check_place_number */
} call_t;

/* Behind the record: one bit for each unit in the group. */
static call_t     *own;
static dart_gptr_t records;

static size_t nwords(void)
{
  return (dart__check.nunits + BITS - 1) / BITS;
}

static uint64_t *own_bits(void)
{
  return (uint64_t *)(own + 1);
}

void dart__check_creation_open(dart_team_t team)
{
  void *part;

  records = dart__check_share(team, sizeof *own + nwords() * sizeof(uint64_t), &part);
  own     = part;
  *own    = (call_t){ 0, 0, 0, 0 };
  pdart_barrier(team); /* no unit may read a record before it is cleared */
}

/* Whether `unit` is in a call with the same tag and another group, which contains this unit. */
static bool differs(int32_t unit, call_t *other_out)
{
  size_t   me = (size_t)dart__check.me;
  uint64_t bits;

  dart__check_read(other_out, records, unit, 0, sizeof *other_out);
  if (other_out->tag != own->tag || other_out->subject == own->subject)
    return false;
  dart__check_read(&bits, records, unit, sizeof *other_out + me / BITS * sizeof bits, sizeof bits);
  return (bits >> me % BITS & 1) != 0;
}

static void report_creation(int32_t unit, const call_t *other, dart__at_t at)
{
  dart__check_report_t report = { .length = 0 };
  dart__at_t           there  = { at.id, dart__check_place_address(other->from) };

  dart__check_begin(&report, "collectives", at,
                    "units %d and %d create teams of different groups with tag %llu, and both "
                    "groups contain both",
                    dart__check.me, unit, (unsigned long long)own->tag - 1);
  dart__check_place(&report, "here:", at);
  dart__check_place(&report, "there:", there);
  dart__check_line(&report, "the program cannot continue");
  dart__check_end(&report);
  pdart_abort(DART__CHECK_EXIT_CODE);
}

/* If two units see each other, the first one reports it; the other one reports it later if the first does not. */
static void compare_creation(int32_t unit, dart__at_t at)
{
  double patience = dart__check_patience() + (dart__check.me < unit ? 0 : 5);
  call_t other, seen = { 0, 0, 0, 0 };

  for (unsigned slices = 0; differs(unit, &other); slices++) {
    if (slices == 0)
      seen = other;
    if (other.serial != seen.serial)
      return;
    if (slices * SLICE_MS >= patience * 1000)
      report_creation(unit, &other, at);
    nanosleep(&(struct timespec){ 0, SLICE_MS * 1000000L }, NULL);
  }
}

void dart__check_creation_enter(dart_team_t parent, const dart_group_t group, int tag,
                                dart__at_t at)
{
  dart_global_unit_t *members;
  size_t              size;

  if (!dart__check_for(DART__CHECK_COLLECTIVES) || dart__check.threads || group == NULL ||
      tag < 0 || pdart_group_size(group, &size) != DART_OK)
    return;
  members = dart__check_room(NULL, (size + 1) * sizeof *members);
  pdart_group_getmembers(group, members);
  for (size_t i = 0; i < nwords(); i++)
    own_bits()[i] = 0;
  for (size_t i = 0; i < size; i++)
    if (members[i].id >= 0 && (size_t)members[i].id < dart__check.nunits)
      own_bits()[members[i].id / BITS] |= UINT64_C(1) << members[i].id % BITS;
  own->subject = dart__check_hash((uint64_t)parent, members, size * sizeof *members);
  own->from    = dart__check_place_number(at.from);
  own->serial++;
  /* release: a unit that sees the tag sees the rest; the fence comes before the reads of other records */
  __atomic_store_n(&own->tag, (uint64_t)tag + 1, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (size_t i = 0; i < size; i++)
    if (members[i].id != dart__check.me && members[i].id >= 0 &&
        (size_t)members[i].id < dart__check.nunits)
      compare_creation(members[i].id, at);
  free(members);
}

void dart__check_creation_leave(void)
{
  if (own != NULL && dart__check.kinds != 0)
    __atomic_store_n(&own->tag, 0, __ATOMIC_RELEASE);
}
