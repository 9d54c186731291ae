/* Paths: by which way operations go under the settings that decide it, read from the counters of the
 * library (base/counters.h). Results are the other suites' business; a result that is right may have come
 * by the wrong way.
 *
 * Settings are read at dart_init, so each test starts and ends outside. What has no far unit, or none that
 * is near, has nothing to assert there. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_range.h>

#include "net.h"
#include "paths.h"

SUITE_WITHOUT_INIT(path);

/* ---- what is free ------------------------------------------------------------------------- */

enum { TURNS = 100 };

/* The first unit that is far from unit 0; n: there is none. */
static int first_far(const path_t *path)
{
  int64_t mine = dart_near_ptr(path->base) == NULL ? me : n, first;

  EXPECT_OK(dart_allreduce(&mine, &first, 1, DART_TYPE_LONG, DART_OP_MIN, DART_TEAM_ALL));
  return (int)first;
}

/* One far unit has acquired and released TURNS times what nobody else wants and unit 0 decides on: of two requests each
 * time, one is answered, and nothing else is waited for. */
static void expect_one_round_trip_each(int far)
{
  if (me == far) {
    EXPECT_EQ(since(DART__COUNT_REQUEST), 2 * TURNS);
    EXPECT_TRUE(since(DART__COUNT_BATCH) <= 2 * TURNS);
    EXPECT_EQ(since(DART__COUNT_ACK_REQUEST), 0);
    EXPECT_EQ(since(DART__COUNT_FLUSH), 0);
    EXPECT_EQ(since(DART__COUNT_NOTIFY_WAIT), 0);
    EXPECT_EQ(since(DART__COUNT_LOCK_WAIT), 0);
  }
  if (me == 0 && far < n) {
    EXPECT_EQ(since(DART__COUNT_REPLY), TURNS);
  }
  test_barrier(); /* only then does the far unit ask for what completes the last release */
}

TEST_N(2, a_free_far_range_takes_one_round_trip)
{
  dart_range_span_t span = { 10, 20, DART_RANGE_EXCLUSIVE };
  dart_range_hold_t hold;
  dart_range_t      range;
  path_t            path = begin();
  int               far  = first_far(&path);

  EXPECT_OK(dart_team_range_init(DART_TEAM_ALL, UINT64_MAX, 0, &range)); /* all unit 0's */
  look();
  test_barrier();
  for (int i = 0; i < TURNS && me == far; i++) {
    EXPECT_OK(dart_range_acquire(range, &span, 1, -1, &hold));
    EXPECT_OK(dart_range_release(&hold));
  }
  test_barrier();
  expect_one_round_trip_each(far);
  EXPECT_OK(dart_team_range_destroy(&range));
  end(&path);
}

TEST_N(2, a_free_far_lock_takes_one_round_trip)
{
  dart_lock_t lock;
  path_t      path = begin();
  int         far  = first_far(&path);

  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  look();
  test_barrier();
  for (int i = 0; i < TURNS && me == far; i++) {
    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_lock_release(lock));
  }
  test_barrier();
  expect_one_round_trip_each(far);
  EXPECT_OK(dart_team_lock_destroy(&lock));
  end(&path);
}

/* ---- windows ------------------------------------------------------------------------------ */

static void windows(const char *kind, bool is_static)
{
  path_t path;

  set("DART_MPI_WINDOW", kind);
  path = begin();
  EXPECT_EQ(since(DART__COUNT_WINDOW_DYNAMIC), path.has_far && !is_static ? 1 : 0);
  EXPECT_EQ(since(DART__COUNT_WINDOW_STATIC), path.has_far && is_static ? 1 : 0);
  end(&path);
  set("DART_MPI_WINDOW", NULL);
}

TEST(windows_are_of_the_kind_asked_for)
{
  if (!test_uses_mpi())
    return;
  windows("dynamic", false);
  windows("static", true);
}

/* ---- transfers and atomics ---------------------------------------------------------------- */

TEST(small_transfers_are_collected)
{
  enum { MANY = 9 };
  int             calls    = test_uses_mpi() ? 1 : MANY; /* for as many elements */
  char            data[72] = { 0 }, got[64];
  dart_datatype_t every_other;
  path_t          path;

  set("DART_AGGREGATE", "64");
  path = begin();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &every_other));
  look();
  if (path.has_far) {
    for (int i = 0; i < 10; i++)
      EXPECT_OK(dart_put(test_byte(path.far, 64 * (uint64_t)i), data, 64, DART_TYPE_BYTE,
                         DART_TYPE_BYTE));
    EXPECT_OK(dart_get(got, test_byte(path.far, 1000), 64, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), 11);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT) + since(DART__COUNT_RMA_GET), 0);
    EXPECT_TRUE(since(DART__COUNT_REQUEST) >= 11 && since(DART__COUNT_BATCH) < 11);
    EXPECT_OK(dart_put(path.far, data, 65, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_RMA_PUT), 1);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT_BYTES), 65);
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), 11);
    EXPECT_OK(dart_put(path.far, data, 8, DART_TYPE_LONG, every_other));
    EXPECT_OK(dart_get(got, path.far, 8, every_other, DART_TYPE_LONG));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), 13);
    EXPECT_EQ(since(DART__COUNT_TYPED), 2);
    EXPECT_OK(dart_put(path.far, data, MANY, DART_TYPE_LONG, every_other));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), 13);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT), 1 + calls);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT_BYTES), 65 + MANY * sizeof(long));
  }
  EXPECT_OK(dart_type_destroy(&every_other));
  end(&path);
  set("DART_AGGREGATE", NULL);
}

/* One put between two flushes would go by MPI, and have to be flushed for what comes after it in order. */
TEST(order_after_a_lone_put_waits_for_nothing)
{
  path_t path;
  long   value = 3;

  set("DART_AGGREGATE", "64");
  test_set_net("rdma");
  path = begin();
  for (int round = 0; round < 10 && path.has_far; round++) {
    if (round == 2)
      look();
    EXPECT_OK(dart_put(path.far, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_OK(dart_order(path.far));
    EXPECT_OK(dart_notify(test_byte(path.far, 64), 1));
    EXPECT_OK(dart_flush(path.far));
  }
  if (path.has_far) {
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), 8);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT) + since(DART__COUNT_RMA_FLUSH), 0);
  }
  end(&path);
  test_set_net(NULL);
  set("DART_AGGREGATE", NULL);
}

TEST(nothing_is_collected_that_should_not_be)
{
  char   data = 0, got[8];
  path_t path;

  set("DART_AGGREGATE", "0");
  path = begin();
  look();
  if (path.has_far) {
    EXPECT_OK(dart_put(path.far, &data, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_get(got, test_byte(path.far, 8), 8, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_RMA_PUT), 1);
    EXPECT_EQ(since(DART__COUNT_RMA_GET), 1);
    EXPECT_EQ(since(DART__COUNT_RMA_PUT_BYTES), 1);
    EXPECT_EQ(since(DART__COUNT_RMA_GET_BYTES), 8);
  }
  EXPECT_EQ(since(DART__COUNT_AGGREGATED), 0);
  end(&path);
  set("DART_AGGREGATE", NULL);
}

/* Where a flush was for one small transfer, so will be the next: there is nothing to collect. Now and then one is
 * a request all the same, to keep the target awake; how often is a matter of time, which is not asserted. */
TEST(small_transfers_that_come_alone_are_not_collected)
{
  enum { MANY = 3 };
  static char data[8];
  path_t      path;

  set("DART_AGGREGATE", "64");
  test_set_net("rdma");
  path = begin();
  look();
  if (path.has_far) {
    uint64_t collected, alone = 0;

    for (; since(DART__COUNT_RMA_PUT) == 0; alone++) {
      EXPECT_OK(dart_put(path.far, data, 8, DART_TYPE_BYTE, DART_TYPE_BYTE));
      EXPECT_OK(dart_flush(path.far));
    }
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), alone - 1);
    for (int i = 0; i < MANY; i++)
      EXPECT_OK(
          dart_put(test_byte(path.far, 8 * (uint64_t)i), data, 8, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(path.far));
    collected = since(DART__COUNT_AGGREGATED);
    EXPECT_TRUE(collected >= alone - 1 + MANY - 1);
    EXPECT_OK(dart_put(path.far, data, 8, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_EQ(since(DART__COUNT_AGGREGATED), collected + 1);
  }
  end(&path);
  set("DART_AGGREGATE", NULL);
  test_set_net(NULL);
}

/* Ways to look at a word. */
static uint64_t look_at(int how, dart_gptr_t word)
{
  uint64_t found = 0;

  if (how == 0)
    EXPECT_OK(dart_get_blocking(&found, word, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  else
    EXPECT_OK(dart_fetch_and_op(word, NULL, &found, DART_TYPE_ULONG, DART_OP_NO_OP));
  return found;
}

/* A unit that finds what it found before waits for somebody, who may wait for what it has collected: so that leaves
 * then, at once. One that finds something new does not wait. */
TEST(what_was_collected_leaves_at_the_first_look_that_finds_nothing_new)
{
  uint64_t value = 1;
  path_t   path;

  set("DART_AGGREGATE", "64");
  set("DART_PROGRESS", "none");
  for (int how = 0; how < 2; how++) {
    path = begin();
    test_note("way %d to look", how);
    if (path.has_far) {
      dart_gptr_t own  = test_unit(path.base, me);
      uint64_t   *mine = dart_near_ptr(own);

      *mine = 5;
      EXPECT_EQ(look_at(how, own), 5);
      for (uint64_t round = 1; round <= 3; round++) {
        look();
        EXPECT_OK(dart_put(test_byte(path.far, 64), &value, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
        EXPECT_EQ(since(DART__COUNT_AGGREGATED), 1);
        *mine = 5 + round;
        EXPECT_EQ(look_at(how, own), 5 + round);
        EXPECT_EQ(since(DART__COUNT_BATCH), 0);
        EXPECT_EQ(look_at(how, own), 5 + round);
        EXPECT_EQ(since(DART__COUNT_BATCH), 1);
        EXPECT_EQ(look_at(how, own), 5 + round); /* there is nothing more to send */
        EXPECT_EQ(since(DART__COUNT_BATCH), 1);
      }
    }
    end(&path);
  }
  set("DART_AGGREGATE", NULL);
  set("DART_PROGRESS", NULL);
}

TEST(what_was_collected_leaves_when_a_handle_is_tested)
{
  uint64_t value = 1, found;
  path_t   path;

  set("DART_AGGREGATE", "64");
  set("DART_PROGRESS", "none");
  path = begin();
  look();
  if (path.has_far) {
    dart_handle_t handle;
    int32_t       done;

    EXPECT_OK(dart_put(test_byte(path.far, 64), &value, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    EXPECT_OK(dart_get_handle(&found, path.far, 1, DART_TYPE_ULONG, DART_TYPE_ULONG, &handle));
    EXPECT_EQ(since(DART__COUNT_BATCH), 0);
    EXPECT_OK(dart_test_local(&handle, &done));
    EXPECT_EQ(since(DART__COUNT_BATCH), 1);
    EXPECT_OK(dart_wait_local(&handle));
  }
  end(&path);
  set("DART_AGGREGATE", NULL);
  set("DART_PROGRESS", NULL);
}

TEST(atomics_are_requests)
{
  long   one  = 1, old[2];
  path_t path = begin();

  look();
  if (path.has_far) {
    EXPECT_OK(dart_accumulate(path.far, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(path.far, &one, &old[0], DART_TYPE_LONG, DART_OP_SUM));
    EXPECT_OK(dart_compare_and_swap(path.far, &one, &one, &old[1], DART_TYPE_LONG));
    EXPECT_OK(dart_flush(path.far));
    EXPECT_TRUE(since(DART__COUNT_REQUEST) >= 3);
  }
  end(&path);
}

/* ---- scattered data ------------------------------------------------------------------------ */

TEST(many_scattered_data_go_in_pieces)
{
  enum { WORDS = 40000 };
  int             calls = test_uses_mpi() ? 5 : WORDS; /* 64 KiB in a call */
  static long     words[WORDS], back[WORDS];
  dart_datatype_t strided;
  dart_gptr_t     base, to;
  path_t          path = begin();

  EXPECT_OK(
      dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)n * WORDS * 2, DART_TYPE_LONG, &base));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
  to        = base;
  to.unitid = path.has_far ? path.far.unitid : me;
  dart_gptr_incaddr(&to, (int64_t)me * WORDS * 2 * (int64_t)sizeof(long));
  for (int i = 0; i < WORDS; i++)
    words[i] = i + 1000 * me;
  look();
  EXPECT_OK(dart_put_blocking(to, words, WORDS, DART_TYPE_LONG, strided));
  EXPECT_EQ(since(DART__COUNT_RMA_PUT), path.has_far ? calls : 0);
  look();
  EXPECT_OK(dart_get_blocking(back, to, WORDS, strided, DART_TYPE_LONG));
  EXPECT_EQ(since(DART__COUNT_RMA_GET), path.has_far ? calls : 0);
  EXPECT_EQ(memcmp(words, back, sizeof words), 0);
  EXPECT_OK(dart_type_destroy(&strided));
  test_barrier();
  EXPECT_OK(dart_team_memfree(base));
  end(&path);
}

/* The target keeps what it is told of a type, unless nothing is to be kept. */
static void put_in_epochs(const char *kept, int described)
{
  enum { NELEM = 20, EPOCHS = 3 };
  long            values[2 * NELEM] = { 0 }; /* every other is put */
  dart_datatype_t every_other;
  dart_gptr_t     to;
  path_t          path;

  set("DART_TEST_TYPES", kept);
  path = begin();
  to   = path.has_far ? path.far : test_unit(path.base, me);
  look();
  for (int epoch = 0; epoch < EPOCHS; epoch++) {
    EXPECT_OK(dart_type_create_strided(DART_TYPE_LONG, 2, 1, &every_other));
    EXPECT_OK(dart_epoch_fence(path.base, DART_EPOCH_NOPRECEDE));
    for (int64_t i = 0; i < 2; i++)
      EXPECT_OK(
          dart_put(test_byte(to, (uint64_t)i * 512), values, NELEM, every_other, every_other));
    EXPECT_OK(dart_type_destroy(&every_other));
    EXPECT_EQ(since(DART__COUNT_TYPED), path.has_far ? 2 * epoch : 0);
    EXPECT_OK(dart_epoch_fence(path.base, DART_EPOCH_NOSUCCEED));
    EXPECT_OK(dart_flush(to)); /* the target has said that it keeps it */
  }
  EXPECT_EQ(since(DART__COUNT_TYPED), path.has_far ? 2 * EPOCHS : 0);
  EXPECT_EQ(since(DART__COUNT_DESCRIBED), path.has_far ? described : 0);
  EXPECT_EQ(since(DART__COUNT_RMA_PUT), 0);
  end(&path);
  set("DART_TEST_TYPES", NULL);
}

TEST(types_are_described_once_or_each_time)
{
  put_in_epochs("16", 1);
  put_in_epochs("1", 1);
  put_in_epochs("0", 6);
}

/* ---- notifications ------------------------------------------------------------------------ */

typedef struct by {
  const char     *what;
  size_t          nelem;
  bool            is_strided;
  dart__counter_t way;
} by_t;

TEST(notified_data_go_by_their_size_and_shape)
{
  static char     data[20000]; /* all the same, for units put to the same places */
  path_t          path  = begin();
  const size_t    few   = test_has_agent() ? 7600 : 3800;
  const size_t    typed = test_has_agent() ? 19000 : 3800;
  const by_t      by[]  = { { "few", few, false, DART__COUNT_NOTIFY_INLINE },
                            { "more", few + 1, false, DART__COUNT_NOTIFY_DATA },
                            { "few scattered", typed, true, DART__COUNT_NOTIFY_TYPED },
                            { "more scattered", typed + 1, true, DART__COUNT_NOTIFY_AFTER_RMA } };
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(DART_TYPE_BYTE, 2, 1, &strided));
  for (int i = 0; i < 4 && path.has_far; i++) {
    test_note("%s", by[i].what);
    look();
    EXPECT_OK(dart_put_notify(test_byte(path.far, 64), data, by[i].nelem, DART_TYPE_BYTE,
                              by[i].is_strided ? strided : DART_TYPE_BYTE, path.far, 1));
    EXPECT_EQ(since(by[i].way), 1);
    EXPECT_OK(dart_flush(path.far));
  }
  EXPECT_OK(dart_type_destroy(&strided));
  end(&path);
}

TEST(notified_gets_go_by_their_size_and_shape)
{
  static char     got[60000];
  path_t          path = begin();
  const by_t      by[] = { { "few", 30400, false, DART__COUNT_NOTIFY_GOT },
                           { "more", 30401, false, DART__COUNT_NOTIFY_GOT_DATA },
                           { "few scattered", 19000, true, DART__COUNT_NOTIFY_GOT },
                           { "more scattered", 19001, true, DART__COUNT_NOTIFY_AFTER_GET } };
  dart_gptr_t     mine = test_byte(test_unit(path.base, me), 8); /* in front of what others get */
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(DART_TYPE_BYTE, 2, 1, &strided));
  for (int i = 0; i < 8 && path.has_far; i++) {
    test_note("%s, counter of %s", by[i / 2].what, i % 2 == 0 ? "this unit" : "that unit");
    look();
    EXPECT_OK(dart_get_notify(got, test_byte(path.far, 64), by[i / 2].nelem,
                              by[i / 2].is_strided ? strided : DART_TYPE_BYTE, DART_TYPE_BYTE,
                              i % 2 == 0 ? mine : path.far, 1));
    EXPECT_EQ(since(by[i / 2].way), 1);
    EXPECT_OK(dart_flush(path.far));
  }
  EXPECT_OK(dart_type_destroy(&strided));
  end(&path);
}

/* By MPI's put, or, where that may have to wait for the target, as messages. */
TEST(many_notified_data_go_one_of_two_ways)
{
  enum { MANY = 20000, ROUNDS = 20 };
  static char data[MANY], back[MANY];
  path_t      path = begin();
  dart_gptr_t base, to;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)n * MANY, DART_TYPE_BYTE, &base));
  to        = base;
  to.unitid = path.has_far ? path.far.unitid : me;
  dart_gptr_incaddr(&to, (int64_t)me * MANY);
  for (int round = 0; round < ROUNDS && path.has_far; round++) {
    memset(data, me + round, sizeof data);
    look();
    EXPECT_OK(dart_put_notify(to, data, MANY, DART_TYPE_BYTE, DART_TYPE_BYTE, path.far, 1));
    EXPECT_EQ(since(DART__COUNT_NOTIFY_DATA) + since(DART__COUNT_NOTIFY_AFTER_RMA), 1);
    EXPECT_OK(dart_flush(path.far));
    EXPECT_OK(dart_get_blocking(back, to, MANY, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_EQ(memcmp(data, back, sizeof data), 0);
  }
  test_barrier();
  EXPECT_OK(dart_team_memfree(base));
  end(&path);
}

/* ---- bursts: several notifications between two waits, which may share a batch, whatever way their data go ---- */

enum { SIDES = 4, SIDE_ROOM = 20000, BURSTS = 30 };

/* The blocks of odd and even rounds are apart, behind a counter for each side. */
static uint64_t side_at(int round, int side)
{
  return 64 + (uint64_t)(round % 2 * SIDES + side) * SIDE_ROOM;
}

/* In a round each of the two units puts a block for each side, and then finds those of the other one. */
static void exchange_sides(dart_gptr_t there, dart_gptr_t here, const char *mine, int round,
                           size_t nbytes)
{
  static char data[2][SIDES][SIDE_ROOM];

  for (int side = 0; side < SIDES; side++) {
    char *block = data[round % 2][side];

    memset(block, 1 + round * SIDES + side, nbytes);
    EXPECT_OK(dart_put_notify(test_byte(there, side_at(round, side)), block, nbytes, DART_TYPE_BYTE,
                              DART_TYPE_BYTE, test_byte(there, (uint64_t)side * 8), 1));
  }
  for (int side = 0; side < SIDES; side++) {
    const char *block = mine + side_at(round, side);
    char        value = (char)(1 + round * SIDES + side);

    EXPECT_OK(dart_notify_wait(test_byte(here, (uint64_t)side * 8), (uint64_t)round + 1, -1));
    EXPECT_TRUE(block[0] == value && memcmp(block, block + 1, nbytes - 1) == 0);
  }
  EXPECT_OK(dart_flush_local(there));
}

TEST_N(2, bursts_of_notified_data_come_with_their_counters)
{
  static const size_t sizes[] = { 2000, 2049, 4096, 6000, 8192, SIDE_ROOM };
  path_t              path    = begin();
  int                 far = first_far(&path), other = me == 0 ? far : 0;

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && far < n; i++) {
    dart_gptr_t base, here;
    void       *mine;

    test_note("%zu bytes", sizes[i]);
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64 + 2 * SIDES * SIDE_ROOM, DART_TYPE_BYTE,
                                         &base));
    here = test_unit(base, me);
    EXPECT_OK(dart_gptr_getaddr(here, &mine));
    memset(mine, 0, 64);
    test_barrier();
    look();
    for (int round = 0; round < BURSTS && (me == 0 || me == far); round++)
      exchange_sides(test_unit(base, other), here, mine, round, sizes[i]);
    EXPECT_EQ(since(DART__COUNT_NOTIFY_INLINE) + since(DART__COUNT_NOTIFY_DATA) +
                  since(DART__COUNT_NOTIFY_AFTER_RMA),
              me == 0 || me == far ? SIDES * BURSTS : 0);
    EXPECT_OK(dart_team_memfree(base));
  }
  end(&path);
}

/* Blocks of a burst lie in turns in memory of two teams, and their counters in that of the first; later they all lie in that
 * of the second. After a local flush, of the data, later of the counter, the source is written anew. */
TEST_N(2, bursts_of_notified_data_reach_two_teams)
{
  static char data[SIDE_ROOM];
  path_t      path = begin();
  int         far = first_far(&path), other = me == 0 ? far : 0;
  dart_gptr_t base[2];
  dart_team_t team;
  void       *mine[2];

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(dart_team_memalloc_aligned(i == 0 ? DART_TEAM_ALL : team, 64 + 2 * SIDES * SIDE_ROOM,
                                         DART_TYPE_BYTE, &base[i]));
    EXPECT_OK(dart_gptr_getaddr(test_unit(base[i], me), &mine[i]));
    memset(mine[i], 0, 64);
  }
  test_barrier();
  for (int round = 0; round < 2 * BURSTS && far < n && (me == 0 || me == far); round++) {
    dart_gptr_t flag  = test_unit(base[0], other);
    bool        later = round >= BURSTS;

    for (int side = 0; side < SIDES; side++) {
      int in = later ? 1 : side % 2;

      memset(data, 1 + round * SIDES + side, sizeof data);
      EXPECT_OK(dart_put_notify(test_byte(test_unit(base[in], other), side_at(round, side)), data,
                                sizeof data, DART_TYPE_BYTE, DART_TYPE_BYTE, flag, 1));
      EXPECT_OK(dart_flush_local(later ? flag : test_unit(base[in], other)));
    }
    memset(data, 0, sizeof data);
    EXPECT_OK(dart_notify_wait(test_unit(base[0], me), (uint64_t)(round + 1) * SIDES, -1));
    for (int side = 0; side < SIDES; side++) {
      const char *block = (char *)mine[later ? 1 : side % 2] + side_at(round, side);

      EXPECT_EQ(block[0], (char)(1 + round * SIDES + side));
      EXPECT_EQ(memcmp(block, block + 1, SIDE_ROOM - 1), 0);
    }
  }
  EXPECT_OK(dart_team_memfree(base[1]));
  EXPECT_OK(dart_team_memfree(base[0]));
  EXPECT_OK(dart_team_destroy(&team));
  end(&path);
}

/* What a fence has to wait for is to be started after its reduction; but where it is known that all units have what came
 * before, as always in teams of two, operations start when they are called, which large data show. */
static void put_between_fences(const path_t *path, const void *data, size_t nbytes, bool at_once)
{
  look();
  EXPECT_OK(dart_put(path->far, data, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_EQ(since(DART__COUNT_DATA), at_once);
  EXPECT_OK(dart_epoch_fence(path->base, 0));
}

TEST(operations_start_at_once_after_a_fence_that_all_have_left)
{
  static char data[80000]; /* more than the network puts by itself */
  path_t      path    = begin();
  bool        is_pair = n == 2, moves = dart__net.reaches_memory;

  if (path.has_far) {
    EXPECT_OK(dart_epoch_fence(path.base, DART_EPOCH_NOPRECEDE));
    EXPECT_OK(dart_epoch_fence(path.base, 0));
    put_between_fences(&path, data, sizeof data, true);
    put_between_fences(&path, data, sizeof data, is_pair);
    put_between_fences(&path, data, 8, false);
    put_between_fences(&path, data, sizeof data, is_pair);
    put_between_fences(&path, data, 10000, false);
    put_between_fences(&path, data, sizeof data, is_pair || moves);
    EXPECT_OK(dart_epoch_fence(path.base, DART_EPOCH_NOSUCCEED));
  }
  end(&path);
}

/* The unit may compute next, and nobody would send what was kept. */
TEST(without_an_agent_notifications_leave_at_once)
{
  enum { ROUNDS = 5, MANY = 3 };
  path_t   path;
  uint64_t zero = 0;

  set("DART_PROGRESS", "none");
  path = begin();
  EXPECT_OK(
      dart_put_blocking(test_unit(path.base, me), &zero, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  test_barrier();
  for (int round = 0; round < ROUNDS && path.has_far; round++) {
    for (int i = 0; i < MANY; i++) {
      look();
      EXPECT_OK(dart_notify(path.far, 1));
      EXPECT_EQ(since(DART__COUNT_BATCH), 1);
    }
    EXPECT_OK(dart_flush(path.far)); /* as programs end a step */
  }
  end(&path);
  set("DART_PROGRESS", NULL);
}

/* An exchange by post and start with one unit; after some the word of a post could travel with the data. */
static void exchange(dart_gptr_t gptr, int partner)
{
  dart_team_unit_t unit = DART_TEAM_UNIT_ID(partner);
  uint64_t         sent = (uint64_t)me;

  look();
  EXPECT_OK(dart_epoch_post(gptr, 1, &unit, 0));
  EXPECT_EQ(since(DART__COUNT_BATCH), 1);
  EXPECT_OK(dart_epoch_start(gptr, 1, &unit, 0));
  EXPECT_OK(dart_put(test_unit(gptr, partner), &sent, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  EXPECT_OK(dart_epoch_complete(gptr));
  EXPECT_OK(dart_epoch_wait(gptr));
}

/* The same of the words of epochs that nobody waits for here: posts, and lazy unlocks with their operations. */
TEST(without_an_agent_words_of_epochs_leave_at_once)
{
  path_t path;
  int    partner;
  bool   is_far;

  set("DART_PROGRESS", "none");
  path    = begin();
  partner = n - 1 - me;
  is_far  = partner != me && dart_near_ptr(test_unit(path.base, partner)) == NULL;
  for (int round = 0; round < 5 && is_far; round++) {
    exchange(path.base, partner);
    EXPECT_OK(dart_flush(test_unit(path.base, partner))); /* as programs end a step */
  }
  test_barrier();
  for (int64_t i = 0; i < 5 && path.has_far && me == 0; i++) {
    look();
    EXPECT_OK(dart_epoch_lock(path.far, DART_EPOCH_EXCLUSIVE, 0));
    EXPECT_OK(dart_put(path.far, &i, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_OK(dart_epoch_unlock(path.far, DART_EPOCH_LAZY));
    EXPECT_EQ(since(DART__COUNT_BATCH), 1);
    EXPECT_OK(dart_flush(path.far));
  }
  end(&path);
  set("DART_PROGRESS", NULL);
}

/* ---- near --------------------------------------------------------------------------------- */

TEST(large_mapped_data_of_one_node_are_copied_once)
{
  path_t path = begin();

  look();
  EXPECT_OK(
      dart_bcast(test_mine(path.base), ROOM, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  if (n > 1 && path.all_near)
    EXPECT_EQ(since(DART__COUNT_COLL_DIRECT), 1);
  else
    EXPECT_EQ(since(DART__COUNT_COLL_DIRECT), 0);
  look();
  EXPECT_OK(
      dart_bcast(test_mine(path.base), 64, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(since(DART__COUNT_COLL_DIRECT), 0);
  end(&path);
}

/* A unit makes one update of a near word, or a few, and stays away from DART until they were seen. */
TEST(few_updates_are_applied_when_their_calls_end)
{
  enum { FEW = 20 };
  path_t             path = begin();
  volatile uint64_t *own, *theirs;
  uint64_t           one = 1;

  own    = dart_near_ptr(test_unit(path.base, me));
  theirs = dart_near_ptr(test_unit(path.base, (me + 1) % n));
  own[0] = own[1] = 0;
  test_barrier();
  if (theirs != NULL) {
    for (int i = 0; i < FEW; i++)
      EXPECT_OK(dart_accumulate(test_unit(path.base, (me + 1) % n), &one, 1, DART_TYPE_ULONG,
                                DART_OP_SUM));
    EXPECT_EQ(theirs[0], FEW);
    EXPECT_OK(dart_accumulate_blocking_local(test_byte(test_unit(path.base, (me + 1) % n), 8), &one,
                                             1, DART_TYPE_ULONG, DART_OP_SUM));
    EXPECT_EQ(theirs[1], 1);
  }
  end(&path);
}

/* ---- locks -------------------------------------------------------------------------------- */

/* Operations that travel with their lock: one message there, as many as `nops` requests inside. */
TEST(operations_travel_with_their_lock)
{
  path_t path = begin();

  if (path.has_far && me == 0)
    for (int kind = 0; kind < 4; kind++) {
      int64_t     one = 1, got[2] = { -1, -1 };
      dart_gptr_t to = path.far, beside = test_byte(to, sizeof one);

      look();
      EXPECT_OK(dart_epoch_lock(to, DART_EPOCH_EXCLUSIVE, 0));
      if (kind != 1)
        EXPECT_OK(dart_put(to, &one, 1, DART_TYPE_LONG, DART_TYPE_LONG));
      if (kind >= 1)
        EXPECT_OK(dart_get(got, beside, kind == 3 ? 2 : 1, DART_TYPE_LONG, DART_TYPE_LONG));
      EXPECT_OK(dart_epoch_unlock(to, 0));
      EXPECT_EQ(since(DART__COUNT_BATCH), 1);
      EXPECT_EQ(since(DART__COUNT_REQUEST), 1);
    }
  end(&path);
}

/* Nobody waits for anything, with the lock and without one, unless too many are under way. */
TEST(lazy_unlocks_wait_for_nothing)
{
  path_t path = begin();

  for (int checked = 0; checked < 2 && path.has_far && me == 0; checked++) {
    int64_t got = -1;

    look();
    for (int64_t i = 0; i < 20; i++) {
      EXPECT_OK(dart_epoch_lock(path.far, DART_EPOCH_EXCLUSIVE, checked ? 0 : DART_EPOCH_NOCHECK));
      EXPECT_OK(dart_put(path.far, &i, 1, DART_TYPE_LONG, DART_TYPE_LONG));
      EXPECT_OK(dart_epoch_unlock(path.far, DART_EPOCH_LAZY));
    }
    EXPECT_EQ(since(DART__COUNT_FLUSH), 0);
    EXPECT_EQ(since(DART__COUNT_EPOCH_WAIT), 0);
    EXPECT_EQ(since(DART__COUNT_RMA_FLUSH), 0);
    EXPECT_OK(dart_flush(path.far));
    EXPECT_OK(dart_get_blocking(&got, path.far, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    EXPECT_EQ(got, 19);
  }
  end(&path);
}

/* With all units locked every far one gets one message, if its operations are few and short; a second one where they
 * are not, which comes with the operations. */
TEST(lock_all_asks_all_at_once)
{
  path_t   path = begin();
  uint64_t nfar = 0;
  char     long_get[2000];

  for (int unit = 0; unit < n; unit++)
    nfar += dart_near_ptr(test_unit(path.base, unit)) == NULL;
  for (int is_long = 0; is_long < 2; is_long++) {
    test_barrier();
    look();
    if (me == 0) {
      EXPECT_OK(dart_epoch_lock_all(path.base, 0));
      for (int unit = 0; unit < n; unit++)
        EXPECT_OK(dart_get(long_get, test_unit(path.base, unit), is_long ? sizeof long_get : 8,
                           DART_TYPE_BYTE, DART_TYPE_BYTE));
      EXPECT_OK(dart_epoch_unlock_all(path.base, 0));
      EXPECT_EQ(since(DART__COUNT_BATCH), (is_long ? 2 : 1) * nfar);
    }
  }
  end(&path);
}
