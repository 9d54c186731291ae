/* Accesses of two units to the same bytes, which something orders, or which race. Memory is unit 2's, whose checker
 * reports. */
#include "check.h"

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_wait_word.h>

enum { ROOM = 16, FLAG = 8 }; /* ints of a portion, a flag's place */

static int two[2], twelve[12];

static void all_meet(void)
{
  dart_barrier(DART_TEAM_ALL);
}

static void end(dart_gptr_t gptr)
{
  dart_flush_all(gptr);
  all_meet();
  dart_team_memfree(gptr);
}

static void put(dart_gptr_t gptr, size_t first, size_t count)
{
  dart_put_blocking(at(gptr, 2, first), twelve, count, DART_TYPE_INT, DART_TYPE_INT);
}

/* What the report names is the case, so it is the one that calls. */
#define PUT(gptr) dart_put_blocking(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT)
#define GET(gptr) dart_get_blocking(twelve, gptr, 2, DART_TYPE_INT, DART_TYPE_INT)

static void add(dart_gptr_t gptr)
{
  int one = 1;

  dart_accumulate(gptr, &one, 1, DART_TYPE_INT, DART_OP_SUM);
}

/* ---- ordered -------------------------------------------------------------------------------------- */

static void ordered_barrier(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 6; i++) {
    if (me == i % n)
      PUT(gptr);
    all_meet();
    GET(gptr);
    all_meet();
  }
  end(gptr);
}

static void ordered_apart(void)
{
  dart_gptr_t gptr = segment(ROOM * (size_t)n, 2);

  put(gptr, (size_t)me * 4, 4);
  end(gptr);
}

static void ordered_reads(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  GET(gptr);
  dart_get(twelve, gptr, 8, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void ordered_flush(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1) {
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_put(at(gptr, 2, 2), two, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_flush(gptr);
  }
  all_meet();
  dart_get_blocking(twelve, gptr, 3, DART_TYPE_INT, DART_TYPE_INT);
  dart_get_blocking(twelve, at(gptr, 2, 2), 1, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void ordered_handle(void)
{
  dart_gptr_t   gptr = segment(ROOM, 2);
  dart_handle_t handle;

  if (me == 1) {
    dart_put_handle(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT, &handle);
    dart_wait(&handle);
  }
  all_meet();
  GET(gptr);
  end(gptr);
}

static void ordered_atomics(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         before, one = 1;

  for (int i = 0; i < 10; i++) {
    add(gptr);
    dart_fetch_and_op(gptr, &one, &before, DART_TYPE_INT, DART_OP_SUM);
    dart_flush(gptr);
  }
  all_meet();
  GET(gptr);
  end(gptr);
}

static void ordered_lock(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  dart_lock_t lock;
  int         value;

  dart_team_lock_init(DART_TEAM_ALL, &lock);
  for (int i = 0; i < 10; i++) {
    dart_lock_acquire(lock);
    dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    value++;
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
    PUT(at(gptr, 2, 2));
    dart_lock_release(lock);
  }
  all_meet();
  dart_team_lock_destroy(&lock);
  end(gptr);
}

static void ordered_lock_at(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 10; i++) {
    dart_lock_at_acquire(at(gptr, 2, FLAG));
    GET(gptr);
    PUT(gptr);
    dart_lock_at_release(at(gptr, 2, FLAG));
  }
  end(gptr);
}

static void ordered_range(void)
{
  dart_gptr_t       gptr = segment(ROOM, 2);
  dart_range_t      range;
  dart_range_hold_t hold;

  dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
  for (int i = 0; i < 5; i++) {
    dart_range_acquire(range, &(dart_range_span_t){ 0, 7, DART_RANGE_EXCLUSIVE }, 1, -1, &hold);
    PUT(gptr);
    dart_range_release(&hold);
  }
  all_meet();
  dart_team_range_destroy(&range);
  end(gptr);
}

static void ordered_message(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 0) {
    PUT(gptr);
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
  } else if (me == 1) {
    dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(0));
    PUT(gptr);
  }
  end(gptr);
}

/* Around the ring, so that everybody's turn comes after the one before. */
static void ordered_ring(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0, got;

  for (int turn = 0; turn < n; turn++) {
    if (me == turn)
      PUT(gptr);
    dart_sendrecv(&word, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID((me + 1) % n), &got, 1,
                  DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID((me + n - 1) % n));
  }
  end(gptr);
}

static void ordered_notify(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1)
    dart_put_notify(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 2, FLAG), 1);
  if (me == 2) {
    dart_notify_wait(at(gptr, 2, FLAG), 1, -1);
    GET(gptr);
  }
  end(gptr);
}

/* Flags that only grow, of which some may be seen at the first look; the last is reset by who has seen it. */
static void ordered_poll(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flag = at(gptr, 2, FLAG);

  for (int i = 1; i <= 4; i++) {
    if (me == 1) {
      put(gptr, (size_t)i, 1);
      dart_put_blocking(flag, &i, 1, DART_TYPE_INT, DART_TYPE_INT);
    }
    if (me == 0) {
      for (int seen = 0; seen < i;)
        dart_get_blocking(&seen, flag, 1, DART_TYPE_INT, DART_TYPE_INT);
      dart_get_blocking(two, at(gptr, 2, (size_t)i), 1, DART_TYPE_INT, DART_TYPE_INT);
      put(gptr, (size_t)i, 1);
    }
  }
  if (me == 0)
    dart_put_blocking(flag, twelve, 1, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void ordered_word(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flag = at(gptr, 2, FLAG);
  int         one = 1, zero = 0;

  if (me == 1) {
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_order(gptr);
    dart_put(flag, &one, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  if (me == 2) {
    dart_wait_word(flag, DART_TYPE_INT, DART_WAIT_EQ, &one, -1);
    PUT(gptr);
    dart_put_blocking(flag, &zero, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

static void ordered_turns(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         mine = 1, theirs = 0;

  for (int turn = 0; turn < 4 && me < 2; turn++) {
    dart_gptr_t flag = at(gptr, 2, FLAG);

    mine = 1 - me;
    do {
      dart_fetch_and_op(flag, NULL, &theirs, DART_TYPE_INT, DART_OP_NO_OP);
      dart_flush(flag);
    } while (theirs != me);
    PUT(gptr);
    dart_fetch_and_op(flag, &mine, &theirs, DART_TYPE_INT, DART_OP_REPLACE);
    dart_flush(flag);
  }
  end(gptr);
}

static void ordered_swap(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), lock = at(gptr, 2, FLAG);
  int         one = 1, zero = 0, was;

  for (int i = 0; i < 5; i++) {
    do {
      dart_compare_and_swap(lock, &one, &zero, &was, DART_TYPE_INT);
      dart_flush(lock);
    } while (was != 0);
    GET(gptr);
    PUT(gptr);
    dart_accumulate(lock, &zero, 1, DART_TYPE_INT, DART_OP_REPLACE);
    dart_flush(lock);
  }
  end(gptr);
}

static void ordered_bcast(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 1)
    PUT(gptr);
  dart_bcast(&word, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(1), DART_TEAM_ALL);
  GET(gptr);
  end(gptr);
}

static void ordered_reduce(void)
{
  dart_gptr_t gptr = segment(ROOM * (size_t)n, 2);
  int         sum;

  PUT(at(gptr, 2, 2 * (size_t)me));
  dart_reduce(&me, &sum, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  if (me == 0)
    dart_get_blocking(twelve, gptr, 6, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

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

static void ordered_columns(void)
{
  dart_gptr_t     gptr = segment(ROOM * (size_t)n, 2);
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, (size_t)n, 1, &type);
  dart_put_blocking(at(gptr, 2, (size_t)me), twelve, 12, DART_TYPE_INT, type);
  dart_type_destroy(&type);
  end(gptr);
}

/* A team of units 0 and 1. */
static dart_team_t pair(void)
{
  dart_group_t group;
  dart_team_t  team;

  dart_group_create(&group);
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(0));
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1));
  dart_team_create(DART_TEAM_ALL, group, &team);
  dart_group_destroy(&group);
  return team;
}

static void ordered_team(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  dart_team_t team = pair();

  if (me == 0)
    PUT(gptr);
  if (me < 2)
    dart_barrier(team);
  if (me == 1)
    PUT(gptr);
  if (me < 2)
    dart_team_destroy(&team);
  end(gptr);
}

/* ---- races ---------------------------------------------------------------------------------------- */

static void race_put_put(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me < 2)
    PUT(gptr);
  end(gptr);
}

static void race_put_get(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    PUT(gptr);
  if (me == 1)
    GET(gptr);
  end(gptr);
}

static void race_overlap(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    dart_put_blocking(gptr, twelve, 3, DART_TYPE_INT, DART_TYPE_INT);
  if (me == 1)
    dart_put_blocking(at(gptr, 2, 2), twelve, 5, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void race_next_put(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 2; i++) {
    if (me == 0)
      PUT(gptr);
    if (i == 0)
      all_meet();
    if (me == 1 && i == 0)
      GET(gptr);
  }
  end(gptr);
}

static void race_no_flush(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  all_meet();
  if (me == 0)
    GET(gptr);
  end(gptr);
}

static void race_no_flush_of_word(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1)
    dart_put(gptr, two, 1, DART_TYPE_INT, DART_TYPE_INT);
  all_meet();
  if (me == 0)
    dart_get_blocking(twelve, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void race_local_flush(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_flush_local(gptr);
  all_meet();
  if (me == 2)
    GET(gptr);
  end(gptr);
}

static void race_no_wait(void)
{
  dart_gptr_t   gptr = segment(ROOM, 2);
  dart_handle_t handle;

  if (me == 1)
    dart_put_handle(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT, &handle);
  all_meet();
  if (me == 0)
    PUT(gptr);
  if (me == 1)
    dart_wait(&handle);
  end(gptr);
}

static void race_atomic_put(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one  = 1;

  if (me == 0)
    dart_accumulate(gptr, &one, 1, DART_TYPE_INT, DART_OP_SUM);
  dart_flush(gptr);
  if (me == 1)
    dart_put_blocking(gptr, &one, 1, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void race_atomic_get(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one  = 1;

  if (me == 0)
    dart_accumulate(at(gptr, 2, 1), &one, 1, DART_TYPE_INT, DART_OP_SUM);
  if (me == 1)
    GET(gptr);
  end(gptr);
}

static void race_types(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one  = 1;

  if (me < 2)
    dart_accumulate(gptr, &one, 1, me == 0 ? DART_TYPE_INT : DART_TYPE_UINT, DART_OP_SUM);
  end(gptr);
}

static void race_bcast(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 1)
    PUT(gptr);
  dart_bcast(&word, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  if (me == 2)
    GET(gptr);
  end(gptr);
}

static void race_reduce(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         sum;

  if (me == 0)
    PUT(gptr);
  dart_reduce(&me, &sum, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  if (me == 1)
    GET(gptr);
  end(gptr);
}

static void race_two_locks(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  dart_lock_t lock[2];

  dart_team_lock_init(DART_TEAM_ALL, &lock[0]);
  dart_team_lock_init(DART_TEAM_ALL, &lock[1]);
  if (me < 2) {
    dart_lock_acquire(lock[me]);
    PUT(gptr);
    dart_lock_release(lock[me]);
  }
  all_meet();
  dart_team_lock_destroy(&lock[0]);
  dart_team_lock_destroy(&lock[1]);
  end(gptr);
}

static void race_without_lock(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    dart_lock_at_acquire(at(gptr, 2, FLAG));
  if (me < 2)
    PUT(gptr);
  if (me == 0)
    dart_lock_at_release(at(gptr, 2, FLAG));
  end(gptr);
}

/* The lock does not help: what it is about is complete only later. */
static void race_late(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  if (me < 2) {
    dart_lock_at_acquire(at(gptr, 2, FLAG));
    dart_lock_at_release(at(gptr, 2, FLAG));
  }
  if (me == 1)
    PUT(gptr);
  end(gptr);
}

static void race_message(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 0) {
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
    PUT(gptr);
  } else if (me == 1) {
    dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(0));
    PUT(gptr);
  }
  end(gptr);
}

static void race_notify(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1) {
    dart_notify(at(gptr, 2, FLAG), 1);
    PUT(gptr);
  }
  if (me == 2) {
    dart_notify_wait(at(gptr, 2, FLAG), 1, -1);
    GET(gptr);
  }
  end(gptr);
}

static void race_flag(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one  = 1;

  if (me == 1) {
    dart_put_blocking(at(gptr, 2, FLAG), &one, 1, DART_TYPE_INT, DART_TYPE_INT);
    PUT(gptr);
  }
  if (me == 2) {
    dart_wait_word(at(gptr, 2, FLAG), DART_TYPE_INT, DART_WAIT_EQ, &one, -1);
    GET(gptr);
  }
  end(gptr);
}

static void race_fence(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_fence(gptr, 0);
  if (me < 2)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  all_meet();
  dart_team_memfree(gptr);
}

static void race_columns(void)
{
  dart_gptr_t     gptr = segment(ROOM, 2);
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, 3, 2, &type);
  if (me < 2)
    dart_put_blocking(at(gptr, 2, (size_t)me), twelve, 2, DART_TYPE_INT, type);
  dart_type_destroy(&type);
  end(gptr);
}

static void race_team(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  dart_team_t team = pair();

  if (me == 2)
    PUT(gptr);
  if (me < 2) {
    dart_barrier(team);
    if (me == 0)
      GET(gptr);
    dart_team_destroy(&team);
  }
  end(gptr);
}

#define RACE(a, b) \
  "*unit 2: races: units " a " and " b " access the same bytes, from * on, of this unit's portion"

const case_t race_cases[] = {
  { "ordered_barrier", NULL, ordered_barrier, false },
  { "ordered_apart", NULL, ordered_apart, false },
  { "ordered_reads", NULL, ordered_reads, false },
  { "ordered_flush", NULL, ordered_flush, false },
  { "ordered_handle", NULL, ordered_handle, false },
  { "ordered_atomics", NULL, ordered_atomics, false },
  { "ordered_lock", NULL, ordered_lock, false },
  { "ordered_lock_at", NULL, ordered_lock_at, false },
  { "ordered_range", NULL, ordered_range, false },
  { "ordered_message", NULL, ordered_message, false },
  { "ordered_ring", NULL, ordered_ring, false },
  { "ordered_notify", NULL, ordered_notify, false },
  { "ordered_poll", NULL, ordered_poll, false },
  { "ordered_word", NULL, ordered_word, false },
  { "ordered_turns", NULL, ordered_turns, false },
  { "ordered_swap", NULL, ordered_swap, false },
  { "ordered_bcast", NULL, ordered_bcast, false },
  { "ordered_reduce", NULL, ordered_reduce, false },
  { "ordered_fence", NULL, ordered_fence, false },
  { "ordered_post", NULL, ordered_post, false },
  { "ordered_epoch_lock", NULL, ordered_epoch_lock, false },
  { "ordered_columns", NULL, ordered_columns, false },
  { "ordered_team", NULL, ordered_team, false },
  { "race_put_put", RACE("0", "1"), race_put_put, false },
  { "race_put_get", RACE("1", "0"), race_put_get, false },
  { "race_overlap", RACE("0", "1"), race_overlap, false },
  { "race_next_put", RACE("1", "0"), race_next_put, false },
  { "race_no_flush", RACE("0", "1"), race_no_flush, false },
  { "race_no_flush_of_word", RACE("0", "1"), race_no_flush_of_word, false },
  { "race_local_flush", RACE("2", "1"), race_local_flush, false },
  { "race_no_wait", RACE("0", "1"), race_no_wait, false },
  { "race_atomic_put", RACE("1", "0"), race_atomic_put, false },
  { "race_atomic_get", RACE("1", "0"), race_atomic_get, false },
  { "race_types", RACE("0", "1"), race_types, false },
  { "race_bcast", RACE("2", "1"), race_bcast, false },
  { "race_reduce", RACE("1", "0"), race_reduce, false },
  { "race_two_locks", RACE("0", "1"), race_two_locks, false },
  { "race_without_lock", RACE("0", "1"), race_without_lock, false },
  { "race_late", RACE("*", "*"), race_late, false },
  { "race_message", RACE("0", "1"), race_message, false },
  { "race_notify", RACE("2", "1"), race_notify, false },
  { "race_flag", RACE("2", "1"), race_flag, false },
  { "race_fence", RACE("0", "1"), race_fence, false },
  { "race_columns", RACE("*", "*"), race_columns, false },
  { "race_team", RACE("0", "2"), race_team, false },
  { NULL, NULL, NULL, false },
};
