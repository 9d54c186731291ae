/* Messages, locks and notifications. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "parts.h"

static int previous_unit(void)
{
  return (me + n - 1) % n;
}

/* Round the ring; a message of any size. */
static void pass_on(int *send, int *recv, size_t count)
{
  dart_global_unit_t next = DART_GLOBAL_UNIT_ID(next_unit()), before = { previous_unit() };

  send[0] = send[count - 1] = 70 + me;
  OWN(NOMEM,
      dart_sendrecv(send, count, DART_TYPE_INT, 3, next, recv, count, DART_TYPE_INT, 3, before));
  EXPECT(recv[0] == 70 + before.id && recv[count - 1] == 70 + before.id);
}

/* Two messages round the ring, which are looked at before they are received. */
static void receive_any(dart_global_unit_t next, dart_global_unit_t before)
{
  dart_message_t found    = { DART_UNDEFINED_GLOBAL_UNIT_ID, -1, 0 };
  int32_t        is_found = 0;
  int            value    = -1;

  OWN(NOMEM, dart_send(&me, 1, DART_TYPE_INT, 6, next));
  OWN(NOMEM, dart_send(&me, 1, DART_TYPE_INT, 7, next));
  FINE(dart_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &found));
  EXPECT(found.unit.id == before.id && found.tag == 6 && found.nbytes == sizeof value);
  OWN(NOMEM, dart_recv_any(&value, 1, DART_TYPE_INT, DART_GLOBAL_UNIT_ANY, 7, &found));
  EXPECT(value == before.id && found.tag == 7);
  while (!is_found)
    FINE(dart_try_probe(before, DART_TAG_ANY, &is_found, &found));
  OWN(NOMEM, dart_recv(&value, 1, DART_TYPE_INT, found.tag, found.unit));
}

void use_messages(void)
{
  enum { MOST = 200000 };
  int               *send = malloc(MOST * sizeof *send), *recv = malloc(MOST * sizeof *recv);
  dart_global_unit_t next = DART_GLOBAL_UNIT_ID(next_unit()), before = { previous_unit() };

  if (n > 1 && me % 2 == 0) {
    OWN(NOMEM, dart_send(&me, 1, DART_TYPE_INT, 1, next));
    OWN(NOMEM, dart_recv(recv, 1, DART_TYPE_INT, 1, before));
  } else if (n > 1) {
    OWN(NOMEM, dart_recv(recv, 1, DART_TYPE_INT, 1, before));
    OWN(NOMEM, dart_send(&me, 1, DART_TYPE_INT, 1, next));
  }
  EXPECT(n == 1 || recv[0] == before.id);
  pass_on(send, recv, 100);
  pass_on(send, recv, MOST);
  receive_any(next, before);
  OWN(NOMEM, dart_send(&me, 1, DART_TYPE_INT, 5, next)); /* nobody receives it */
  free(send);
  free(recv);
}

void use_locks(dart_team_t all)
{
  dart_lock_t lock;
  dart_gptr_t gptr;
  long        value;
  int32_t     taken = 0;
  void       *own;

  ALL(NOMEM, dart_team_lock_init(all, &lock));
  EXPECT(dart_lock_initialized(lock));
  ALL(NOMEM, dart_team_memalloc_aligned(all, 1, DART_TYPE_LONG, &gptr));
  FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
  memset(own, 0, sizeof value);
  ALL(NEVER, dart_barrier(all));
  for (int i = 0; i < 3; i++) {
    if (i == 0)
      FINE(dart_lock_acquire(lock));
    for (taken = i == 0; !taken;)
      FINE(dart_lock_try_acquire(lock, &taken));
    OWN(NEVER, dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    value++;
    OWN(NEVER, dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    FINE(dart_lock_release(lock));
  }
  ALL(NEVER, dart_barrier(all));
  OWN(NEVER, dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(value == 3L * n);
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_memfree(gptr));
  ALL(NEVER, dart_team_lock_destroy(&lock));
}

/* A lock and the counter that it protects, of the last unit. */
void use_locks_in_words(dart_team_t all)
{
  dart_gptr_t lock, counter;
  long        value;
  int32_t     taken;
  void       *own;

  ALL(NOMEM, dart_team_memalloc_aligned(all, 2, DART_TYPE_LONG, &lock));
  FINE(dart_gptr_getaddr(of_unit(lock, me), &own));
  memset(own, 0, 2 * sizeof value);
  lock = counter = of_unit(lock, n - 1);
  counter.addr_or_offs.offset += sizeof value;
  ALL(NEVER, dart_barrier(all));
  for (int i = 0; i < 3; i++) {
    taken = i == 0;
    if (taken)
      OWN(NOMEM, dart_lock_at_acquire(lock));
    while (!taken)
      FINE(dart_lock_at_try_acquire(lock, &taken));
    OWN(NEVER, dart_get_blocking(&value, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    value++;
    OWN(NEVER, dart_put_blocking(counter, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    FINE(dart_lock_at_release(lock));
    FINE(dart_flush(lock));
  }
  ALL(NEVER, dart_barrier(all));
  OWN(NEVER, dart_get_blocking(&value, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(value == 3L * n);
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_memfree(lock));
}

/* Data of many sizes to the next unit; one counter for all. Without an agent a flush waits for calls of its
 * target, so the units wait for each other in DART. */
static void notify(dart_team_t all, dart_gptr_t base, const long *data, size_t count,
                   uint64_t times)
{
  dart_gptr_t to = of_unit(base, next_unit()), flag = to;
  long       *own;
  void       *address;

  to.addr_or_offs.offset += 64;
  FINE(dart_put_notify(to, data, count, DART_TYPE_LONG, DART_TYPE_LONG, flag, 1));
  FINE(dart_notify_wait(of_unit(base, me), times, -1));
  FINE(dart_gptr_getaddr(of_unit(base, me), &address));
  own = address;
  EXPECT(own[8] == data[0] && own[8 + count - 1] == data[count - 1]);
  FINE(dart_flush(to));
  ALL(NEVER, dart_barrier(all)); /* all have seen the data */
}

/* Data of the next unit, told to this one, and then to that one. `times`: of the words that are counters. */
static void get_notified(dart_team_t all, dart_gptr_t base, long *got, size_t count, uint64_t times)
{
  dart_gptr_t from = of_unit(base, next_unit()), here = of_unit(base, me), there = from;

  here.addr_or_offs.offset += 8;
  there.addr_or_offs.offset += 16;
  from.addr_or_offs.offset += 64;
  memset(got, 0, count * sizeof *got);
  OWN(NEVER, dart_get_notify(got, from, count, DART_TYPE_LONG, DART_TYPE_LONG, here, 1));
  FINE(dart_notify_wait(here, times, -1));
  EXPECT(got[0] == 1 && got[count - 1] == (long)count);
  memset(got, 0, count * sizeof *got);
  OWN(NEVER, dart_get_notify_op(got, from, count, DART_TYPE_LONG, DART_TYPE_LONG, there, times,
                                DART_OP_REPLACE));
  there = of_unit(there, me);
  FINE(dart_notify_wait(there, times, -1));
  FINE(dart_flush(from));
  EXPECT(got[0] == 1 && got[count - 1] == (long)count);
  ALL(NEVER, dart_barrier(all)); /* all have been told */
}

static void set_flag(dart_team_t all, dart_gptr_t base)
{
  dart_gptr_t to = of_unit(base, next_unit()), data = to;
  long        value = 11;
  uint64_t    seen  = 99;

  data.addr_or_offs.offset += 64;
  FINE(
      dart_put_notify_op(data, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG, to, 98, DART_OP_REPLACE));
  FINE(dart_notify_op(to, 1, DART_OP_BOR));
  FINE(dart_wait_word(of_unit(base, me), DART_TYPE_ULONG, DART_WAIT_EQ, &seen, -1));
  FINE(dart_flush(to));
  ALL(NEVER, dart_barrier(all)); /* all have seen it */
}

/* The next unit's word is put and waited for in each way. */
static void wait_for_words(dart_team_t all, dart_gptr_t base)
{
  dart_gptr_t to = of_unit(base, next_unit()), word = of_unit(base, me);
  size_t      which = 7, count = 0;

  for (long value = 100; value < 105; value++) {
    OWN(NEVER, dart_put_blocking(to, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    if (value == 100)
      FINE(dart_wait_word(word, DART_TYPE_LONG, DART_WAIT_EQ, &value, -1));
    else if (value == 101)
      FINE(dart_wait_word_any(&word, 1, DART_TYPE_LONG, DART_WAIT_EQ, &value, -1, &which));
    else if (value == 102)
      FINE(dart_wait_word_some(&word, 1, DART_TYPE_LONG, DART_WAIT_EQ, &value, -1, &which, &count));
    else if (value == 103)
      FINE(dart_wait_word_all(&word, 1, DART_TYPE_LONG, DART_WAIT_EQ, &value, -1));
    else
      FINE(dart_wait_word_range(word, 1, 1, DART_TYPE_LONG, DART_WAIT_EQ, &value, 0, -1, &which));
    ALL(NEVER, dart_barrier(all)); /* all have seen it */
  }
  EXPECT(which == 0 && count == 1);
}

void use_notifications(dart_team_t all)
{
  enum { MOST = 20000 };
  const size_t sizes[] = { 1, 100, 2000, MOST };
  uint64_t     least   = 5;
  long        *data    = malloc(MOST * sizeof *data);
  dart_gptr_t  gptr, flag;
  void        *own;
  size_t       which, count;

  for (long i = 0; i < MOST; i++)
    data[i] = i + 1;
  ALL(NOMEM, dart_team_memalloc_aligned(all, MOST + 8, DART_TYPE_LONG, &gptr));
  FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
  memset(own, 0, (MOST + 8) * sizeof(long));
  ALL(NEVER, dart_barrier(all));
  for (uint64_t i = 0; i < 4; i++)
    notify(all, gptr, data, sizes[i], i + 1);
  for (uint64_t i = 0; i < 4; i++)
    get_notified(all, gptr, data, sizes[i], i + 1);
  flag = of_unit(gptr, me);
  FINE(dart_notify(of_unit(gptr, next_unit()), 1));
  FINE(dart_notify_waitany(&flag, &least, 1, -1, &which));
  FINE(dart_notify_waitsome(&flag, &least, 1, -1, &which, &count));
  EXPECT(which == 0 && count == 1);
  FINE(dart_flush_all(gptr));
  ALL(NEVER, dart_barrier(all));
  set_flag(all, gptr);
  wait_for_words(all, gptr);
  ALL(NEVER, dart_team_memfree(gptr));
  free(data);
}
