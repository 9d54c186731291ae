/* Epochs. */
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>

#include "parts.h"

enum { MOST = 3000 };

static long values[MOST];

/* A few elements, or many, to the next unit. Deferred, it `may` fail where it may not wait for its target. */
static void put_some(dart_gptr_t gptr, size_t count, int may)
{
  dart_gptr_t next = of_unit(gptr, next_unit());

  OWN(may, dart_put(next, values, count, DART_TYPE_LONG, DART_TYPE_LONG));
}

static void check_mine(dart_gptr_t gptr, size_t count)
{
  void *own;
  long *got;

  FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
  got = own;
  EXPECT(got[0] == values[0] && got[count - 1] == values[count - 1]);
  board_wait("all have looked");
  memset(own, 0, MOST * sizeof *got);
  board_wait("all have cleared");
}

static void use_fences(dart_gptr_t gptr)
{
  ALL(NOMEM, dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE));
  put_some(gptr, 5, NEVER);
  ALL(NEVER, dart_epoch_fence(gptr, 0));
  board_wait("all have it");
  put_some(gptr, MOST, NEVER);
  ALL(NEVER, dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
  check_mine(gptr, MOST);
}

static void use_posts(dart_gptr_t gptr)
{
  dart_team_unit_t next = DART_TEAM_UNIT_ID(next_unit()), before = { (me + n - 1) % n };
  int32_t          done = 0;

  for (int i = 0; i < 2; i++) {
    OWN(NOMEM, dart_epoch_post(gptr, 1, &before, 0));
    OWN(NOMEM, dart_epoch_start(gptr, 1, &next, 0));
    put_some(gptr, 9, NOMEM);
    FINE(dart_epoch_complete(gptr));
    if (i == 0)
      FINE(dart_epoch_wait(gptr));
    while (i == 1 && !done)
      FINE(dart_epoch_test(gptr, &done));
    check_mine(gptr, 9);
  }
}

static void use_epoch_locks(dart_gptr_t gptr)
{
  dart_gptr_t next = of_unit(gptr, next_unit());
  long        got;

  OWN(NOMEM, dart_epoch_lock(next, DART_EPOCH_EXCLUSIVE, 0));
  put_some(gptr, 3, NEVER);
  OWN(NEVER, dart_epoch_unlock(next, 0));
  OWN(NOMEM, dart_epoch_lock(next, DART_EPOCH_SHARED, 0));
  OWN(NEVER, dart_get(&got, next, 1, DART_TYPE_LONG, DART_TYPE_LONG)); /* travels with the lock */
  OWN(NEVER, dart_epoch_unlock(next, 0));
  EXPECT(got == values[0]);
  board_wait("all have put");
  check_mine(gptr, 3);
  OWN(NOMEM, dart_epoch_lock_all(gptr, 0));
  put_some(gptr, 2, NOMEM);
  OWN(NEVER, dart_flush(next)); /* nothing else orders the get after the puts */
  OWN(NEVER, dart_get_blocking(&got, next, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(got == values[0]);
  OWN(NEVER, dart_epoch_unlock_all(gptr, DART_EPOCH_LAZY));
  FINE(dart_flush_all(gptr));
  board_wait("all have put");
  check_mine(gptr, 2);
}

/* By types that end before their epoch does; the target knows them the second time. */
static void put_scattered(dart_gptr_t next)
{
  static const size_t lengths[] = { 2, 1 }, starts[] = { 4, 1 };
  dart_datatype_t     strided, indexed;

  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
  OWN(NOMEM, dart_type_create_indexed(DART_TYPE_LONG, 2, lengths, starts, &indexed));
  OWN(NEVER, dart_put(next, values, 4, DART_TYPE_LONG, strided));
  FINE(dart_gptr_incaddr(&next, 20 * (int64_t)sizeof(long)));
  OWN(NEVER, dart_put(next, values, 6, strided, indexed));
  FINE(dart_type_destroy(&strided));
  FINE(dart_type_destroy(&indexed));
}

/* The elements that these put, and what lies between some of them. */
static void get_scattered(dart_gptr_t next, long got[11])
{
  dart_datatype_t strided;

  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
  OWN(NEVER, dart_get(got, next, 4, strided, strided));
  FINE(dart_gptr_incaddr(&next, 21 * (int64_t)sizeof(long)));
  OWN(NEVER, dart_get(got + 7, next, 4, strided, DART_TYPE_LONG));
  FINE(dart_type_destroy(&strided));
}

static void use_types_in_epochs(dart_gptr_t gptr)
{
  dart_gptr_t next = of_unit(gptr, next_unit());
  void       *own;

  for (int i = 0; i < 3; i++) {
    long got[11] = { 0 };

    ALL(NEVER, dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE));
    put_scattered(next);
    ALL(NEVER, dart_epoch_fence(gptr, 0));
    get_scattered(next, got);
    ALL(NEVER, dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
    for (int k = 0; k < 4; k++)
      EXPECT(got[2 * k] == values[k]);
    EXPECT(got[1] == 0 && got[3] == 0 && got[5] == 0);
    EXPECT(got[7] == values[4] && got[8] == 0 && got[9] == values[2] && got[10] == 0);
    board_wait("all have got it");
    FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
    memset(own, 0, MOST * sizeof(long));
    board_wait("all have cleared");
    OWN(NEVER, dart_epoch_lock(next, DART_EPOCH_EXCLUSIVE, 0));
    put_scattered(next);
    OWN(NEVER, dart_epoch_unlock(next, 0));
    board_wait("all have put");
    EXPECT(((long *)own)[6] == values[3] && ((long *)own)[24] == values[0]);
    memset(own, 0, MOST * sizeof(long));
    board_wait("all have looked");
  }
}

void use_epochs(dart_team_t all)
{
  dart_gptr_t fenced, posted, locked;

  for (long i = 0; i < MOST; i++)
    values[i] = i + 5;
  ALL(NOMEM, dart_team_memalloc_aligned(all, MOST, DART_TYPE_LONG, &fenced));
  ALL(NOMEM, dart_team_memalloc_aligned(all, MOST, DART_TYPE_LONG, &posted));
  ALL(NOMEM, dart_team_memalloc_aligned(all, MOST, DART_TYPE_LONG, &locked));
  use_fences(fenced);
  use_posts(posted);
  use_epoch_locks(locked);
  use_types_in_epochs(fenced);
  ALL(NEVER, dart_team_memfree(locked));
  ALL(NEVER, dart_team_memfree(posted));
  ALL(NEVER, dart_team_memfree(fenced));
}
