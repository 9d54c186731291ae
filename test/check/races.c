/* Accesses of two units to the same bytes that nothing orders. */
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "races.h"

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

/* The message was sent too early, whoever has sent it. */
static void race_recv_any(void)
{
  dart_gptr_t    gptr = segment(ROOM, 2);
  dart_message_t from;
  int            word = 0;

  if (me == 0) {
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
    PUT(gptr);
  } else if (me == 1) {
    dart_recv_any(&word, 1, DART_TYPE_INT, DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &from);
    PUT(gptr);
  }
  end(gptr);
}

/* The counter tells the unit that gets, and nobody the one that puts. */
static void race_get_notify(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1) {
    dart_get_notify(two, gptr, 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 1, FLAG), 1);
    dart_notify_wait(at(gptr, 1, FLAG), 1, -1);
  }
  if (me == 2)
    PUT(gptr);
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

enum { UPDATES = 5 };

/* Unit 1 begins when unit 0 has ended, by chance as far as the checker is told: second names are not looked at. */
static void by_chance(dart_gptr_t gptr)
{
  int value = 0;

  while (me == 1 && value < UPDATES)
    pdart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
}

/* Each finds what the other has put, and nothing is lost this time. */
static void race_update(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  by_chance(gptr);
  for (int i = 0, value; i < UPDATES && me < 2; i++) {
    dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    value++;
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

/* The lock is around the puts alone. */
static void race_get_before_lock(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  dart_lock_t lock;

  dart_team_lock_init(DART_TEAM_ALL, &lock);
  by_chance(gptr);
  for (int i = 0, value; i < UPDATES && me < 2; i++) {
    dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    value++;
    dart_lock_acquire(lock);
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_lock_release(lock);
  }
  all_meet();
  dart_team_lock_destroy(&lock);
  end(gptr);
}

const case_t race_cases[] = {
  { "race_put_put", RACE("0", "1"), race_put_put, TOGETHER },
  { "race_put_get", RACE("1", "0"), race_put_get, TOGETHER },
  { "race_overlap", RACE("0", "1"), race_overlap, TOGETHER },
  { "race_next_put", RACE("1", "0"), race_next_put, TOGETHER },
  { "race_no_flush", RACE("0", "1"), race_no_flush, TOGETHER },
  { "race_no_flush_of_word", RACE("0", "1"), race_no_flush_of_word, TOGETHER },
  { "race_local_flush", RACE("2", "1"), race_local_flush, TOGETHER },
  { "race_no_wait", RACE("0", "1"), race_no_wait, TOGETHER },
  { "race_atomic_put", RACE("1", "0"), race_atomic_put, TOGETHER },
  { "race_atomic_get", RACE("1", "0"), race_atomic_get, TOGETHER },
  { "race_types", RACE("0", "1"), race_types, TOGETHER },
  { "race_bcast", RACE("2", "1"), race_bcast, TOGETHER },
  { "race_reduce", RACE("1", "0"), race_reduce, TOGETHER },
  { "race_two_locks", RACE("0", "1"), race_two_locks, TOGETHER },
  { "race_without_lock", RACE("0", "1"), race_without_lock, TOGETHER },
  { "race_late", RACE("*", "*"), race_late, TOGETHER },
  { "race_message", RACE("0", "1"), race_message, TOGETHER },
  { "race_notify", RACE("2", "1"), race_notify, TOGETHER },
  { "race_recv_any", RACE("0", "1"), race_recv_any, TOGETHER },
  { "race_get_notify", RACE("1", "2"), race_get_notify, TOGETHER },
  { "race_flag", RACE("2", "1"), race_flag, TOGETHER },
  { "race_fence", RACE("0", "1"), race_fence, TOGETHER },
  { "race_columns", RACE("*", "*"), race_columns, TOGETHER },
  { "race_team", RACE("0", "2"), race_team, TOGETHER },
  { "race_update", RACE("0", "1"), race_update, TOGETHER },
  { "race_get_before_lock", RACE("1", "0"), race_get_before_lock, TOGETHER },
  { NULL, NULL, NULL, TOGETHER },
};
