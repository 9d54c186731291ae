/* Accesses that epochs order, and one that they do not. */
#include <unistd.h>

#include "races.h"

static void ordered_fence(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < n; i++) {
    dart_epoch_fence(gptr, 0);
    if (me == i)
      dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  }
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  GET(gptr);
  all_meet();
  dart_team_memfree(gptr);
}

static void ordered_post(void)
{
  dart_gptr_t      gptr   = segment(ROOM, 2);
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(1), target = DART_TEAM_UNIT_ID(2);

  if (me == 2) {
    PUT(gptr);
    dart_epoch_post(gptr, 1, &origin, 0);
    dart_epoch_wait(gptr);
    PUT(gptr);
  }
  if (me == 1) {
    put(gptr, 4, 2);
    dart_epoch_start(gptr, 1, &target, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  if (me == 2)
    put(gptr, 4, 2);
  end(gptr);
}

static void ordered_epoch_lock(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, 0);
  dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_unlock(gptr, 0);
  all_meet();
  GET(gptr);
  end(gptr);
}

/* A fence that nothing preceded waits for nobody, so unit 1 comes to it only when unit 0 tells it. */
static void ordered_silent(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 0)
    PUT(gptr);
  dart_epoch_fence(gptr, 0);
  if (me == 1)
    dart_recv(&word, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(0));
  dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE);
  if (me == 0)
    dart_send(&word, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(1));
  if (me == 2)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  GET(gptr);
  all_meet();
  dart_team_memfree(gptr);
}

static int seen_at(dart_gptr_t flag)
{
  int seen;

  dart_fetch_and_op(flag, NULL, &seen, DART_TYPE_INT, DART_OP_NO_OP);
  dart_flush(flag);
  return seen;
}

/* Passive target: flags are in a segment that all have locked, shared. */
static void ordered_flag_in_epoch(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flags = segment(ROOM, 2);
  int         one = 1;

  dart_epoch_lock_all(flags, 0);
  if (me == 0) {
    PUT(gptr);
    dart_accumulate(flags, &one, 1, DART_TYPE_INT, DART_OP_SUM);
    dart_flush(flags);
  }
  while (me == 1 && seen_at(flags) == 0)
    ;
  if (me == 1)
    GET(gptr);
  dart_epoch_unlock_all(flags, 0);
  end(flags);
  end(gptr);
}

/* The result of an atomic is there at the end of its epoch at the latest. */
static void ordered_result_in_epoch(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flags = segment(ROOM, 2);
  int         one = 1, word = 0, seen;

  if (me == 0) {
    PUT(gptr);
    dart_accumulate(flags, &one, 1, DART_TYPE_INT, DART_OP_SUM);
    dart_flush(flags);
  }
  for (seen = 0; me == 1 && seen == 0;) {
    dart_epoch_lock(flags, DART_EPOCH_SHARED, 0);
    dart_fetch_and_op(flags, NULL, &seen, DART_TYPE_INT, DART_OP_NO_OP);
    dart_epoch_unlock(flags, 0);
  }
  if (me == 1) {
    GET(gptr);
    dart_send(&word, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(0));
  }
  if (me == 0) {
    dart_recv(&word, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(1));
    PUT(gptr);
  }
  end(flags);
  end(gptr);
}

/* A portion is locked by the first operation on it that waits, or by a flush, and the lock is about another segment. */
static void ordered_locked_by(bool is_blocking)
{
  dart_gptr_t gptr = segment(ROOM, 2), locked = segment(ROOM, 2);
  int         word;

  for (int i = 0; i < 5; i++) {
    dart_epoch_lock(locked, DART_EPOCH_EXCLUSIVE, 0);
    if (is_blocking) {
      dart_get_blocking(&word, locked, 1, DART_TYPE_INT, DART_TYPE_INT);
    } else {
      dart_put(locked, two, 2, DART_TYPE_INT, DART_TYPE_INT);
      dart_flush(locked);
    }
    GET(gptr);
    PUT(gptr);
    dart_epoch_unlock(locked, 0);
  }
  end(locked);
  end(gptr);
}

static void ordered_locked_by_get(void)
{
  ordered_locked_by(true);
}

static void ordered_locked_by_flush(void)
{
  ordered_locked_by(false);
}

/* What the target did before it has posted is seen by a unit that has accessed it. */
static void ordered_posted(bool is_blocking)
{
  dart_gptr_t      gptr = segment(ROOM, 2), posted = segment(ROOM, 2);
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(1), target = DART_TEAM_UNIT_ID(2);

  if (me == 2) {
    PUT(gptr);
    dart_epoch_post(posted, 1, &origin, 0);
    dart_epoch_wait(posted);
  }
  if (me == 1) {
    dart_epoch_start(posted, 1, &target, 0);
    if (is_blocking) {
      GET(posted);
    } else {
      dart_put(posted, two, 2, DART_TYPE_INT, DART_TYPE_INT);
      dart_flush_all(posted);
    }
    GET(gptr);
    dart_epoch_complete(posted);
  }
  end(posted);
  end(gptr);
}

static void ordered_posted_get(void)
{
  ordered_posted(true);
}

static void ordered_posted_flush(void)
{
  ordered_posted(false);
}

/* More locks at a time than segments that have epochs are kept: still the last segment's second lock is its own. */
static void ordered_many_locks(void)
{
  enum { SEGMENTS = 86 };
  dart_gptr_t gptr[SEGMENTS], last;

  for (int i = 0; i < SEGMENTS; i++)
    gptr[i] = segment(ROOM, 2);
  last = gptr[SEGMENTS - 1];
  for (int i = 0; i < SEGMENTS - 1; i++)
    for (int unit = 0; unit < 3; unit++)
      dart_epoch_lock(at(gptr[i], unit, 0), DART_EPOCH_SHARED, 0);
  dart_epoch_lock(at(last, 0, 0), DART_EPOCH_SHARED, 0);
  dart_epoch_lock(last, DART_EPOCH_EXCLUSIVE, 0);
  dart_epoch_unlock(at(last, 0, 0), 0);
  dart_put(last, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_unlock(last, 0);
  for (int i = 0; i < SEGMENTS - 1; i++)
    for (int unit = 0; unit < 3; unit++)
      dart_epoch_unlock(at(gptr[i], unit, 0), 0);
  for (int i = 0; i < SEGMENTS; i++)
    end(gptr[i]);
}

/* Ids of segments are used again, and those of the first segments were in an epoch at their end. */
static dart_gptr_t used_again(void)
{
  enum { SEGMENTS = 12 };
  dart_gptr_t gptr;

  for (int i = 0; i < SEGMENTS; i++) {
    gptr = segment(ROOM, 2);
    dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE);
    all_meet();
    dart_team_memfree(gptr);
  }
  return segment(ROOM, 2);
}

static void wrong_after_epoch(void)
{
  dart_gptr_t gptr = used_again();

  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  all_meet();
  dart_team_memfree(gptr);
}

static void race_after_epoch(void)
{
  dart_gptr_t gptr = used_again();

  if (me < 2)
    PUT(gptr);
  end(gptr);
}

/* ---- units that wait in an epoch for a call that does not come --------------------------------------- */

/* Unit 1 has posted once, for the first of two starts. */
static void wrong_no_post(void)
{
  dart_gptr_t      gptr   = segment(ROOM, 1);
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(2), target = DART_TEAM_UNIT_ID(1);

  if (me == 1) {
    dart_epoch_post(gptr, 1, &origin, 0);
    dart_epoch_wait(gptr);
  }
  for (int i = 0; i < 2 && me == 2; i++) {
    dart_epoch_start(gptr, 1, &target, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  all_meet();
}

/* Nor at all, for a start whose operation waits. */
static void wrong_no_post_for_get(void)
{
  dart_gptr_t      gptr   = segment(ROOM, 1);
  dart_team_unit_t target = DART_TEAM_UNIT_ID(1);

  if (me == 0) {
    dart_epoch_start(gptr, 1, &target, 0);
    GET(gptr);
  }
  all_meet();
}

static void wrong_no_complete(void)
{
  dart_gptr_t      gptr   = segment(ROOM, 1);
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(2), target = DART_TEAM_UNIT_ID(1);

  if (me == 1) {
    dart_epoch_post(gptr, 1, &origin, 0);
    dart_epoch_wait(gptr);
  }
  if (me == 2) {
    dart_epoch_start(gptr, 1, &target, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  }
  all_meet();
}

/* Unit 1 meets unit 2 alone, which comes late, and posts then. */
static void right_late_post(void)
{
  dart_gptr_t      gptr   = segment(ROOM, 1);
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(0), target = DART_TEAM_UNIT_ID(1);
  dart_group_t     group;
  dart_team_t      team;

  dart_group_create(&group);
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1));
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(2));
  dart_team_create(DART_TEAM_ALL, group, &team);
  dart_group_destroy(&group);
  if (me == 2)
    usleep(1000000);
  if (me > 0) {
    dart_barrier(team);
    dart_team_destroy(&team);
  }
  if (me == 1) {
    dart_epoch_post(gptr, 1, &origin, 0);
    dart_epoch_wait(gptr);
  }
  if (me == 0) {
    dart_epoch_start(gptr, 1, &target, 0);
    GET(gptr);
    dart_epoch_complete(gptr);
  }
  end(gptr);
}

#define STUCK(reporter, origin)                                                           \
  "*unit " reporter ": collectives: unit " origin " waits in an epoch for unit " reporter \
  ", which waits for it in a collective call"

const case_t epoch_cases[] = {
  { "ordered_fence", NULL, ordered_fence, TOGETHER },
  { "ordered_post", NULL, ordered_post, TOGETHER },
  { "ordered_epoch_lock", NULL, ordered_epoch_lock, TOGETHER },
  { "ordered_silent", NULL, ordered_silent, TOGETHER },
  { "ordered_flag_in_epoch", NULL, ordered_flag_in_epoch, TOGETHER },
  { "ordered_result_in_epoch", NULL, ordered_result_in_epoch, TOGETHER },
  { "ordered_locked_by_get", NULL, ordered_locked_by_get, TOGETHER },
  { "ordered_locked_by_flush", NULL, ordered_locked_by_flush, TOGETHER },
  { "ordered_posted_get", NULL, ordered_posted_get, TOGETHER },
  { "ordered_posted_flush", NULL, ordered_posted_flush, TOGETHER },
  { "ordered_many_locks", NULL, ordered_many_locks, TOGETHER },
  { "wrong_after_epoch", "*unit 1: completion: an operation was never completed", wrong_after_epoch,
    TOGETHER },
  { "race_after_epoch", RACE("0", "1"), race_after_epoch, TOGETHER },
  { "right_late_post", NULL, right_late_post, TOGETHER },
  { "wrong_no_post", STUCK("1", "2"), wrong_no_post, ALONE },
  { "wrong_no_post_for_get", STUCK("1", "0"), wrong_no_post_for_get, ALONE },
  { "wrong_no_complete", STUCK("2", "1"), wrong_no_complete, ALONE },
  { NULL, NULL, NULL, TOGETHER },
};
