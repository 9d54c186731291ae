/* Accesses of units to the same bytes that something orders. */
#include <unistd.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "races.h"

static void add(dart_gptr_t gptr)
{
  int one = 1;

  dart_accumulate(gptr, &one, 1, DART_TYPE_INT, DART_OP_SUM);
}

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

/* Each tells the next one, which learns from the message alone who that was. */
static void ordered_recv_any(void)
{
  dart_gptr_t    gptr = segment(ROOM, 2);
  dart_message_t from;
  int            word = 0;

  for (int turn = 0; turn < 3 && me < 3; turn++) {
    if (me == turn && turn > 0) {
      dart_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &from);
      dart_recv_any(&word, 1, DART_TYPE_INT, DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &from);
      if (from.unit.id != turn - 1 || from.tag != 10 + turn)
        abort();
    }
    if (me == turn)
      PUT(gptr);
    if (me == turn && turn < 2)
      dart_send(&word, 1, DART_TYPE_INT, 11 + turn, DART_GLOBAL_UNIT_ID(turn + 1));
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

/* The unit that has the data is told that they were read. */
static void ordered_get_notify(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1)
    dart_get_notify(two, gptr, 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 2, FLAG), 1);
  if (me == 2) {
    dart_notify_wait(at(gptr, 2, FLAG), 1, -1);
    PUT(gptr);
  }
  end(gptr);
}

/* The unit that got them tells it itself; and then their counter is a third unit's. */
static void ordered_got_data(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 1) {
    dart_get_notify_op(two, gptr, 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 1, FLAG), 1,
                       DART_OP_REPLACE);
    dart_notify_wait(at(gptr, 1, FLAG), 1, -1);
    dart_notify(at(gptr, 2, FLAG), 1);
    dart_get_notify(two, at(gptr, 2, 2), 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 0, FLAG), 1);
  }
  if (me == 2) {
    dart_notify_wait(at(gptr, 2, FLAG), 1, -1);
    PUT(gptr);
  }
  if (me == 0) {
    dart_notify_wait(at(gptr, 0, FLAG), 1, -1);
    PUT(at(gptr, 2, 2));
  }
  end(gptr);
}

/* Flags that only grow, of which some may be seen at the first look; the last is reset by the unit that has seen it. */
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

static void ordered_columns(void)
{
  dart_gptr_t     gptr = segment(ROOM * (size_t)n, 2);
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, (size_t)n, 1, &type);
  dart_put_blocking(at(gptr, 2, (size_t)me), twelve, 12, DART_TYPE_INT, type);
  dart_type_destroy(&type);
  end(gptr);
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

/* A unit that works looks at a flag now and then. */
static void ordered_stop(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one = 1, stop = 0;

  while (me == 0 && !stop) {
    PUT(gptr);
    dart_get_blocking(&stop, at(gptr, 2, FLAG), 1, DART_TYPE_INT, DART_TYPE_INT);
    usleep(1000);
  }
  if (me == 1) {
    usleep(20000);
    dart_put_blocking(at(gptr, 2, FLAG), &one, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

/* A team that its members alone have made. */
static void ordered_group(void)
{
  dart_gptr_t  gptr = segment(ROOM, 2);
  dart_group_t group;
  dart_team_t  team;

  if (me < 2) {
    dart_group_create(&group);
    dart_group_addmember(group, DART_GLOBAL_UNIT_ID(0));
    dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1));
    dart_team_create_group(DART_TEAM_ALL, group, 0, &team);
    dart_group_destroy(&group);
    if (me == 1)
      PUT(gptr);
    dart_barrier(team);
    if (me == 0)
      PUT(gptr);
    dart_team_destroy(&team);
  }
  end(gptr);
}

/* What reads a word does not pass on the clock, so the message does. */
static void ordered_get_of_word(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0, one = 1;

  if (me == 0) {
    dart_get_blocking(&word, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
  }
  if (me == 1) {
    dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(0));
    dart_put_blocking(gptr, &one, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

/* The flag is the first of several elements. */
static void ordered_accumulate(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flags = at(gptr, 2, FLAG);
  int         ones[3] = { 1, 1, 1 }, seen = 0;

  if (me == 0) {
    PUT(gptr);
    dart_accumulate(at(flags, 2, 0), ones, 3, DART_TYPE_INT, DART_OP_SUM);
    dart_flush(flags);
  }
  while (me == 1 && seen == 0) {
    dart_fetch_and_op(at(flags, 2, 1), NULL, &seen, DART_TYPE_INT, DART_OP_NO_OP);
    dart_flush(flags);
  }
  if (me == 1)
    GET(gptr);
  end(gptr);
}

/* The last one finds with its atomic what the others did, so its get finds nothing new. */
static void ordered_counter(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         one  = 1, seen;

  dart_fetch_and_op(gptr, &one, &seen, DART_TYPE_INT, DART_OP_SUM);
  dart_flush(gptr);
  do
    dart_get_blocking(&seen, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
  while (seen < n);
  end(gptr);
}

/* Units take turns by a word that they get until it is theirs, and then put: now and then at the first look. */
static void ordered_baton(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), flag = at(gptr, 2, FLAG);

  for (int turn = 0; turn < 12 && me < 2; turn++) {
    int seen = -1, next = turn + 1;

    if (turn % 2 != me)
      continue;
    if (turn % 4 < 2)
      usleep(2000);
    while (seen != turn)
      dart_get_blocking(&seen, flag, 1, DART_TYPE_INT, DART_TYPE_INT);
    PUT(gptr);
    dart_put_blocking(flag, &next, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

/* A unit counts in a word that another one waits for, perhaps for one look alone, which goes on counting then. */
static void ordered_count(void)
{
  dart_gptr_t gptr  = segment(ROOM, 2);
  int         value = 0, last = 5;

  if (me == 1) {
    usleep(20000);
    while (value < last)
      dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  for (int i = 0; i < last && me < 2; i++) {
    dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    value++;
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

/* Each updates the word in its turn, which a message passes on. */
static void ordered_updates(void)
{
  dart_gptr_t gptr  = segment(ROOM, 2);
  int         value = 0, word = 0;

  for (int round = 0; round < 3 && me < 2; round++) {
    if (me == 1 || round > 0)
      dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1 - me));
    for (int i = 0; i < 3; i++) {
      dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
      value++;
      dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
    }
    if (me == 0 || round < 2)
      dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1 - me));
  }
  end(gptr);
}

/* More accesses than a log has, in a job that may have one unit. */
static void ordered_many(void)
{
  dart_gptr_t gptr = segment(ROOM, me);

  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 1000; k++)
      PUT(gptr);
    all_meet();
  }
  end(gptr);
}

const case_t ordered_cases[] = {
  { "ordered_barrier", NULL, ordered_barrier, TOGETHER },
  { "ordered_apart", NULL, ordered_apart, TOGETHER },
  { "ordered_reads", NULL, ordered_reads, TOGETHER },
  { "ordered_flush", NULL, ordered_flush, TOGETHER },
  { "ordered_handle", NULL, ordered_handle, TOGETHER },
  { "ordered_atomics", NULL, ordered_atomics, TOGETHER },
  { "ordered_lock", NULL, ordered_lock, TOGETHER },
  { "ordered_lock_at", NULL, ordered_lock_at, TOGETHER },
  { "ordered_range", NULL, ordered_range, TOGETHER },
  { "ordered_message", NULL, ordered_message, TOGETHER },
  { "ordered_ring", NULL, ordered_ring, TOGETHER },
  { "ordered_notify", NULL, ordered_notify, TOGETHER },
  { "ordered_get_notify", NULL, ordered_get_notify, TOGETHER },
  { "ordered_got_data", NULL, ordered_got_data, TOGETHER },
  { "ordered_recv_any", NULL, ordered_recv_any, TOGETHER },
  { "ordered_poll", NULL, ordered_poll, TOGETHER },
  { "ordered_word", NULL, ordered_word, TOGETHER },
  { "ordered_turns", NULL, ordered_turns, TOGETHER },
  { "ordered_swap", NULL, ordered_swap, TOGETHER },
  { "ordered_bcast", NULL, ordered_bcast, TOGETHER },
  { "ordered_reduce", NULL, ordered_reduce, TOGETHER },
  { "ordered_columns", NULL, ordered_columns, TOGETHER },
  { "ordered_team", NULL, ordered_team, TOGETHER },
  { "ordered_stop", NULL, ordered_stop, TOGETHER },
  { "ordered_group", NULL, ordered_group, TOGETHER },
  { "ordered_get_of_word", NULL, ordered_get_of_word, TOGETHER },
  { "ordered_accumulate", NULL, ordered_accumulate, TOGETHER },
  { "ordered_counter", NULL, ordered_counter, TOGETHER },
  { "ordered_baton", NULL, ordered_baton, TOGETHER },
  { "ordered_count", NULL, ordered_count, TOGETHER },
  { "ordered_updates", NULL, ordered_updates, TOGETHER },
  { "ordered_many", NULL, ordered_many, TOGETHER },
  { NULL, NULL, NULL, TOGETHER },
};
