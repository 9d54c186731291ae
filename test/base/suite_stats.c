/* Statistics (dash/dart/ext/dart_stats.h): what is counted, exactly where the program determines it.
 *
 * Whether near operations are counted is a setting, which is read at dart_init, so each test starts and ends
 * outside. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_stats.h>

#include "dart_test.h"
#include "file_path.h"

SUITE_WITHOUT_INIT(stats);

enum { SIZE_MOST = 256, ROOM = 4096, TIMES = 7 };

static uint64_t before[SIZE_MOST], after[SIZE_MOST];

static size_t index_of(const char *name)
{
  size_t index = 0;

  EXPECT_OK(dart_stats_find(name, &index));
  return index;
}

static void look(void)
{
  EXPECT_OK(dart_stats_read(before, dart_stats_size()));
}

/* What a statistic says about what has happened since look(). */
static uint64_t since(const char *name)
{
  EXPECT_OK(dart_stats_read(after, dart_stats_size()));
  EXPECT_OK(dart_stats_difference(before, after, after, dart_stats_size()));
  return after[index_of(name)];
}

static void expect(const char *name, uint64_t value)
{
  test_note("%s", name);
  EXPECT_EQ(since(name), value);
}

static void begin(bool near)
{
  if (near)
    setenv("DART_STATS", "near", 1);
  else
    unsetenv("DART_STATS");
  test_init();
}

static void end(void)
{
  test_barrier();
  EXPECT_OK(dart_exit());
  unsetenv("DART_STATS");
}

static dart_gptr_t allocate(void)
{
  dart_gptr_t gptr;
  int64_t    *own;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ROOM, DART_TYPE_BYTE, &gptr));
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), (void **)&own));
  memset(own, 0, ROOM);
  test_barrier();
  return gptr;
}

/* The portion of the first unit after this one that is near or, not `near`, is not; at last, of this one, which
 * is near. False: there is none. */
static bool find_unit(dart_gptr_t gptr, bool near, dart_gptr_t *found_out)
{
  for (int i = 1; i <= n; i++) {
    *found_out = test_unit(gptr, (me + i) % n);
    if ((dart_near_ptr(*found_out) != NULL) == near)
      return true;
  }
  return false;
}

/* ---- the list ------------------------------------------------------------------------------ */

TEST(the_list_describes_itself)
{
  size_t            index;
  dart_stats_info_t info;

  EXPECT_TRUE(dart_stats_size() > 0 && dart_stats_size() <= SIZE_MOST);
  for (size_t i = 0; i < dart_stats_size(); i++) {
    EXPECT_OK(dart_stats_describe(i, &info));
    test_note("%s", info.name);
    if (strncmp(info.name, "mpi.", 4) != 0)
      EXPECT_EQ(strspn(info.name, "abcdefghijklmnopqrstuvwxyz_"), strlen(info.name));
    EXPECT_TRUE(info.meaning[0] != '\0' && info.kind <= DART_STATS_VALUE);
    EXPECT_EQ(index_of(info.name), i); /* so names differ */
  }
  EXPECT_RET(dart_stats_find("no_such_statistic", &index), DART_ERR_NOTFOUND);
}

TEST(wrong_arguments_are_refused)
{
  size_t            size = dart_stats_size(), index;
  dart_stats_info_t info;

  EXPECT_REFUSED(dart_stats_describe, (size, &info), DART_ERR_INVAL, "index");
  EXPECT_REFUSED(dart_stats_describe, (0, NULL), DART_ERR_INVAL, "info");
  EXPECT_REFUSED(dart_stats_find, (NULL, &index), DART_ERR_INVAL, "name");
  EXPECT_REFUSED(dart_stats_find, ("barrier", NULL), DART_ERR_INVAL, "index");
  EXPECT_REFUSED(dart_stats_read, (NULL, 1), DART_ERR_INVAL, "values");
  EXPECT_REFUSED(dart_stats_read, (after, size + 1), DART_ERR_INVAL, "values");
  EXPECT_REFUSED(dart_stats_difference, (NULL, after, after, 1), DART_ERR_INVAL, "before");
  EXPECT_REFUSED(dart_stats_difference, (after, NULL, after, 1), DART_ERR_INVAL, "after");
  EXPECT_REFUSED(dart_stats_difference, (after, after, NULL, 1), DART_ERR_INVAL, "difference");
  EXPECT_OK(dart_stats_read(NULL, 0));
}

TEST(only_what_grows_is_subtracted)
{
  uint64_t difference[SIZE_MOST];

  for (size_t i = 0; i < dart_stats_size(); i++) {
    before[i] = 1000 + i;
    after[i]  = 5000 + 3 * i;
  }
  EXPECT_OK(dart_stats_difference(before, after, difference, dart_stats_size()));
  for (size_t i = 0; i < dart_stats_size(); i++) {
    dart_stats_info_t info;

    EXPECT_OK(dart_stats_describe(i, &info));
    EXPECT_EQ(difference[i], info.kind >= DART_STATS_LEVEL ? after[i] : after[i] - before[i]);
  }
}

TEST(a_reset_begins_anew)
{
  begin(false);
  test_barrier();
  EXPECT_OK(dart_stats_reset());
  EXPECT_OK(dart_stats_read(after, dart_stats_size()));
  EXPECT_EQ(after[index_of("barrier")], 0);
  EXPECT_EQ(after[index_of("barrier_time")], 0);
  EXPECT_EQ(after[index_of("memory_pool_peak")], after[index_of("memory_pool")]);
  for (int i = 0; i < TIMES; i++)
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_stats_read(after, dart_stats_size()));
  EXPECT_EQ(after[index_of("barrier")], TIMES);
  end();
}

/* ---- operations ---------------------------------------------------------------------------- */

/* TIMES of each kind at `at`, 24 bytes a transfer. */
static void transfer(dart_gptr_t at)
{
  int64_t       data[3] = { 1, 2, 3 }, got[3];
  dart_handle_t handle;

  for (int i = 0; i < TIMES; i++) {
    EXPECT_OK(dart_put_blocking(at, data, 3, T_INT64, T_INT64));
    EXPECT_OK(dart_put(at, data, 3, T_INT64, T_INT64));
    EXPECT_OK(dart_put_handle(at, data, 3, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait(&handle));
    EXPECT_OK(dart_inline_put_blocking(at, data, 3, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(at));
    EXPECT_OK(dart_get_blocking(data, at, 3, T_INT64, T_INT64));
    EXPECT_OK(dart_get(got, at, 3, T_INT64, T_INT64));
    EXPECT_OK(dart_get_handle(data, at, 3, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait(&handle));
    EXPECT_OK(dart_flush(at));
  }
}

/* TIMES of each, 8 bytes an element. */
static void update(dart_gptr_t at)
{
  int64_t operands[2] = { 1, 1 }, zero = 0, result;

  for (int i = 0; i < TIMES; i++) {
    EXPECT_OK(dart_accumulate(at, operands, 2, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_accumulate(at, operands, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(at, operands, &result, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_compare_and_swap(at, &zero, operands, &result, T_INT64));
    EXPECT_OK(dart_flush(at));
  }
}

/* The same, with the types of a strided transfer: 3 elements. */
static void transfer_strided(dart_gptr_t at)
{
  int64_t         data[3] = { 1, 2, 3 };
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &strided));
  EXPECT_OK(dart_put_blocking(at, data, 3, T_INT64, strided));
  EXPECT_OK(dart_get_blocking(data, at, 3, strided, T_INT64));
  EXPECT_OK(dart_type_destroy(&strided));
}

static void notify(dart_gptr_t at)
{
  int64_t data[3] = { 1, 2, 3 };

  for (int i = 0; i < TIMES; i++) {
    EXPECT_OK(dart_notify(test_at(at, 8), 1));
    EXPECT_OK(dart_put_notify(at, data, 3, T_INT64, T_INT64, test_at(at, 8), 1));
    EXPECT_OK(dart_get_notify(data, at, 3, T_INT64, T_INT64, test_at(at, 8), 1));
    EXPECT_OK(dart_flush(at));
  }
}

static void expect_operations(uint64_t times, const char *const names[])
{
  const uint64_t counts[] = { 5 * times + (times > 0),
                              24 * (5 * times + (times > 0)),
                              4 * times + (times > 0),
                              24 * (4 * times + (times > 0)),
                              4 * times,
                              40 * times,
                              3 * times };

  for (int i = 0; i < 7; i++)
    expect(names[i], counts[i]);
}

static const char *const near_names[] = { "put_near",       "put_near_bytes", "get_near",
                                          "get_near_bytes", "atomic_near",    "atomic_near_bytes",
                                          "notify_near" };
static const char *const far_names[]  = { "put_far",       "put_far_bytes", "get_far",
                                          "get_far_bytes", "atomic_far",    "atomic_far_bytes",
                                          "notify_far" };

static void count_operations(bool near, bool asked)
{
  dart_gptr_t gptr, at;
  bool        is_there;

  begin(asked);
  gptr     = allocate();
  is_there = find_unit(gptr, near, &at);
  at       = test_at(at, 16 * (size_t)me); /* a place of this unit's, there */
  look();
  if (is_there) {
    transfer(at);
    transfer_strided(at);
    update(at);
    notify(at);
  }
  expect_operations(is_there && near && asked ? TIMES : 0, near_names);
  expect_operations(is_there && !near ? TIMES : 0, far_names);
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(far_operations_are_counted)
{
  count_operations(false, false);
}

TEST(near_operations_are_counted_if_asked)
{
  count_operations(true, true);
  count_operations(false, true);
}

TEST(near_operations_are_not_counted_unasked)
{
  count_operations(true, false);
}

/* Memory that a unit has registered is near to itself, though no unit has it mapped. */
static void count_registered(int unit, bool asked)
{
  static int64_t own[ROOM / sizeof(int64_t)];
  dart_gptr_t    gptr, at;

  begin(asked);
  memset(own, 0, sizeof own);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, ROOM, DART_TYPE_BYTE, own, &gptr));
  test_barrier();
  at = test_at(test_unit(gptr, unit), 16 * (size_t)me);
  look();
  transfer(at);
  transfer_strided(at);
  update(at);
  notify(at);
  expect_operations(unit == me && asked ? TIMES : 0, near_names);
  expect_operations(unit == me ? 0 : TIMES, far_names);
  EXPECT_OK(dart_flush_all(gptr));
  test_barrier();
  EXPECT_OK(dart_team_memderegister(gptr));
  end();
}

TEST(own_registered_memory_is_near_and_of_others_is_far)
{
  count_registered(me, true);
  count_registered(me, false);
  count_registered((me + 1) % n, true);
}

TEST(refused_operations_are_not_counted)
{
  int64_t     value = 1;
  dart_gptr_t gptr, at;

  begin(true);
  gptr = allocate();
  at   = test_byte(gptr, ROOM);
  look();
  EXPECT_REFUSED(dart_put_blocking, (at, &value, 1, T_INT64, T_INT64), DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_get, (&value, at, 1, T_INT64, T_INT64), DART_ERR_INVAL, "exceed");
  EXPECT_REFUSED(dart_accumulate, (at, &value, 1, T_INT64, DART_OP_SUM), DART_ERR_INVAL, "exceed");
  EXPECT_OK(dart_put(gptr, &value, 0, T_INT64, T_INT64));
  expect_operations(0, near_names);
  expect_operations(0, far_names);
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

/* In a memory that all units share, each adds to every other: what was counted is what came. */
TEST(what_was_counted_took_place)
{
  int64_t     one = 1, *own;
  dart_gptr_t gptr;
  uint64_t    near, far;

  begin(true);
  gptr = allocate();
  look();
  for (int u = 0; u < n; u++)
    for (int i = 0; i < TIMES; i++)
      EXPECT_OK(dart_accumulate(test_unit(gptr, u), &one, 1, T_INT64, DART_OP_SUM));
  near = since("atomic_near");
  far  = since("atomic_far");
  EXPECT_EQ(near + far, (uint64_t)n * TIMES);
  EXPECT_OK(dart_flush_all(gptr));
  test_barrier();
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), (void **)&own));
  EXPECT_EQ(*own, n * TIMES);
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(messages_are_counted)
{
  char               out[48] = "", in[48];
  dart_global_unit_t right = { 0 }, left = { 0 };
  dart_gptr_t        gptr;
  bool               near;

  begin(false);
  gptr     = allocate();
  right.id = (me + 1) % n;
  left.id  = (me + n - 1) % n;
  near     = dart_near_ptr(test_unit(gptr, right.id)) != NULL;
  look();
  for (int i = 0; i < TIMES; i++)
    EXPECT_OK(dart_sendrecv(out, sizeof out, DART_TYPE_BYTE, 1, right, in, sizeof in,
                            DART_TYPE_BYTE, 1, left));
  expect(near ? "send_near" : "send_far", TIMES);
  expect(near ? "send_near_bytes" : "send_far_bytes", TIMES * sizeof out);
  expect(near ? "send_far" : "send_near", 0);
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

/* ---- completion and waiting ---------------------------------------------------------------- */

TEST(flushes_with_nothing_to_do_are_told_apart)
{
  int64_t     value = 1;
  dart_gptr_t gptr, far;
  bool        has_far;

  begin(false);
  gptr    = allocate();
  has_far = find_unit(gptr, false, &far);
  if (has_far) {
    EXPECT_OK(dart_flush(far));
    look();
    for (int i = 0; i < 80; i++) { /* more than are not timed in a row */
      EXPECT_OK(dart_accumulate(far, &value, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(
          dart_accumulate(far, &value, 1, T_INT64, DART_OP_SUM)); /* one alone may be complete */
      EXPECT_OK(dart_flush(far));
    }
    expect("flush", 80);
    expect("flush_idle", 0);
    EXPECT_TRUE(since("flush_time") > 0);
    EXPECT_OK(dart_flush(far));
    EXPECT_OK(dart_flush_local(far));
    expect("flush", 80);
    expect("flush_idle", 2);
  } else {
    look();
    EXPECT_OK(dart_put(gptr, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(gptr));
    expect("flush", 0);
    expect("flush_idle", 0);
  }
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(barriers_are_counted_and_timed)
{
  begin(false);
  look();
  for (int i = 0; i < 100; i++) /* more than are not timed in a row */
    EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  expect("barrier", 100);
  EXPECT_TRUE(since("barrier_time") > 0);
  end();
}

enum { TIMED = 80 }; /* more than are not timed in a row */

/* How many units have the same processors as this unit. */
static int units_on_my_processors(const cpu_set_t *mine)
{
  cpu_set_t *all     = malloc((size_t)n * sizeof *all);
  int        sharing = 0;

  EXPECT_TRUE(all != NULL);
  EXPECT_OK(dart_allgather(mine, all, sizeof *mine, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (int u = 0; u < n; u++)
    sharing += CPU_EQUAL(&all[u], mine);
  free(all);
  return sharing;
}

/* Yields of all units in many barriers of `team`. */
static long yields_in_barriers(dart_team_t team)
{
  long own, all = -1;

  look();
  for (int i = 0; i < 1000; i++)
    EXPECT_OK(dart_barrier(team));
  own = (long)since("yield");
  EXPECT_OK(dart_allreduce(&own, &all, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  return all;
}

/* DART_TEAM_ALL is made before units know which of them share processors; a later team is not. */
TEST_N(2, units_with_cores_of_their_own_do_not_yield_in_barriers)
{
  dart_gptr_t gptr, far;
  dart_team_t later;
  cpu_set_t   mine;
  int         has_core, all_have;

  begin(false);
  gptr = allocate();
  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &later));
  EXPECT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  has_core = units_on_my_processors(&mine) <= CPU_COUNT(&mine);
  EXPECT_OK(dart_allreduce(&has_core, &all_have, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  if (!find_unit(gptr, false, &far)) { /* between nodes a wait yields now and then */
    EXPECT_EQ(yields_in_barriers(DART_TEAM_ALL) > 0, !all_have);
    EXPECT_EQ(yields_in_barriers(later) > 0, !all_have);
  }
  EXPECT_OK(dart_team_destroy(&later));
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(collectives_are_counted_and_timed)
{
  const dart_team_unit_t first = DART_TEAM_UNIT_ID(0);
  int64_t                value = 1, all[64];

  if (n > 64)
    return;
  begin(false);
  look();
  for (int i = 0; i < TIMED; i++) {
    EXPECT_OK(dart_bcast(&value, 1, T_INT64, first, DART_TEAM_ALL));
    EXPECT_OK(dart_allgather(&value, all, 1, T_INT64, DART_TEAM_ALL));
    EXPECT_OK(dart_reduce(&value, all, 1, T_INT64, DART_OP_SUM, first, DART_TEAM_ALL));
  }
  expect("collective", 3 * TIMED);
  expect("barrier", 0);
  EXPECT_TRUE(since("collective_time") > 0);
  EXPECT_OK(dart_gather(&value, all, 0, T_INT64, first, DART_TEAM_ALL));
  EXPECT_OK(dart_scatter(all, &value, 1, T_INT64, first, DART_TEAM_ALL));
  EXPECT_OK(dart_gather(&value, all, 1, T_INT64, first, DART_TEAM_ALL));
  EXPECT_OK(dart_alltoall(all, all, 1, T_INT64, DART_TEAM_ALL));
  EXPECT_OK(dart_allreduce(&value, all, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL));
  expect("collective", 3 * TIMED + 4);
  end();
}

TEST(fences_are_counted_and_timed)
{
  dart_gptr_t gptr;

  begin(false);
  gptr = allocate();
  look();
  for (int i = 0; i < TIMED; i++)
    EXPECT_OK(dart_epoch_fence(gptr, 0));
  expect("fence", TIMED);
  EXPECT_TRUE(since("fence_time") > 0);
  EXPECT_OK(dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED));
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(reads_and_writes_of_files_are_counted_and_timed)
{
  int64_t             value = 7;
  dart_file_t         file;
  dart_file_request_t request;

  begin(false);
  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "stats"),
                           DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  look();
  for (int i = 0; i < TIMED; i++)
    EXPECT_OK(dart_file_write_at(file, (uint64_t)me, &value, 1, T_INT64, T_INT64, NULL));
  expect("file", TIMED);
  EXPECT_TRUE(since("file_time") > 0);
  EXPECT_OK(dart_file_write_all(file, (uint64_t)me, &value, 1, T_INT64, T_INT64, NULL));
  EXPECT_OK(dart_file_read_at_request(file, (uint64_t)me, &value, 1, T_INT64, T_INT64, &request));
  EXPECT_OK(dart_file_wait(&request, NULL));
  expect("file", TIMED + 2);
  EXPECT_OK(dart_file_close(&file));
  end();
}

/* Unit 0 is late, by longer at first, until all others have waited for its message, and one of their waits was
 * timed. */
TEST_N(2, waits_of_messages_are_counted_and_timed)
{
  int waited = 0;

  begin(false);
  look();
  for (long ms = 1; waited == 0; ms = ms < 8 ? 2 * ms : ms) {
    dart_global_unit_t unit = DART_GLOBAL_UNIT_ID(0);
    int                own  = 1;

    test_barrier();
    if (me == 0) {
      nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
      for (unit.id = 1; unit.id < n; unit.id++)
        EXPECT_OK(dart_send(&ms, sizeof ms, DART_TYPE_BYTE, 1, unit));
    } else {
      long got;

      EXPECT_OK(dart_recv(&got, sizeof got, DART_TYPE_BYTE, 1, unit));
      own = since("message_wait") > 0 && since("message_time") > 0;
    }
    EXPECT_OK(dart_allreduce(&own, &waited, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  }
  end();
}

TEST(waits_for_notifications_are_counted_if_they_wait)
{
  dart_gptr_t gptr, flag;

  begin(false);
  gptr = allocate();
  flag = test_unit(gptr, me);
  look();
  EXPECT_RET(dart_notify_wait(flag, 1, 0), DART_PENDING);
  expect("notify_wait", 0);
  EXPECT_RET(dart_notify_wait(flag, 1, 1000), DART_PENDING);
  expect("notify_wait", 1);
  EXPECT_OK(dart_notify(flag, 1));
  EXPECT_OK(dart_notify_wait(flag, 1, -1));
  expect("notify_wait", 1);
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

/* Unit 0 holds the lock, for longer at first, until all others have found it taken, and one of their waits was timed:
 * after a short one the next 63 are not. */
TEST_N(2, waits_for_locks_are_counted)
{
  dart_lock_t lock;
  int         waited = 0;

  begin(false);
  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  look();
  for (long ms = 1; waited == 0; ms = ms < 8 ? 2 * ms : ms) {
    int own;

    if (me == 0)
      EXPECT_OK(dart_lock_acquire(lock));
    test_barrier();
    if (me == 0)
      nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
    else
      EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_lock_release(lock));
    own = me == 0 || (since("lock_wait") > 0 && since("lock_time") > 0);
    EXPECT_OK(dart_allreduce(&own, &waited, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
  end();
}

/* Each unit that waits for the lock of another one which holds it; in memory that was allocated or registered. */
static void wait_for_word(dart_gptr_t lock)
{
  int waited = 0;

  look();
  for (long ms = 1; waited == 0; ms = ms < 8 ? 2 * ms : ms) {
    int own;

    if (me == 0)
      EXPECT_OK(dart_lock_at_acquire(lock));
    test_barrier();
    if (me == 0)
      nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
    else
      EXPECT_OK(dart_lock_at_acquire(lock));
    EXPECT_OK(dart_lock_at_release(lock));
    EXPECT_OK(dart_flush(lock));
    own = me == 0 || (since("lock_wait") > 0 && since("lock_time") > 0);
    EXPECT_OK(dart_allreduce(&own, &waited, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  }
}

TEST_N(2, waits_for_locks_in_words_are_counted)
{
  int64_t     word = 0;
  dart_gptr_t allocated, registered;

  begin(false);
  allocated = allocate();
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &word, &registered));
  test_barrier();
  wait_for_word(test_unit(allocated, 0));
  wait_for_word(test_unit(allocated, n - 1));
  wait_for_word(test_unit(registered, 0));
  test_barrier();
  EXPECT_EQ(word, 0);
  EXPECT_OK(dart_team_memderegister(registered));
  EXPECT_OK(dart_team_memfree(allocated));
  end();
}

/* ---- paths and memory ---------------------------------------------------------------------- */

TEST(requests_are_counted_in_batches)
{
  enum { MANY = 3000 };
  int64_t     one = 1;
  dart_gptr_t gptr, far;

  begin(false);
  gptr = allocate();
  if (find_unit(gptr, false, &far)) {
    look();
    for (int i = 0; i < MANY; i++)
      EXPECT_OK(dart_accumulate(far, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(far));
    EXPECT_TRUE(since("request") >= MANY);
    EXPECT_TRUE(since("batch_bytes") >=
                MANY * (sizeof one + sizeof(uint32_t))); /* an operand and its place each */
    EXPECT_TRUE(since("batch") >= since("batch_full"));  /* all of them, by chance */
    /* without an agent the origin itself sends what is collected, and a slow one before it is much */
    EXPECT_TRUE(since("batch_full") > 0 || getenv("DART_PROGRESS") != NULL);
    EXPECT_TRUE(since("batch_bytes") <= 8000 * since("batch"));
    EXPECT_TRUE(since("memory_batches") > 0);
    look();
    EXPECT_OK(dart_accumulate(far, &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(far));
    EXPECT_TRUE(since("batch") > 0);
    EXPECT_EQ(since("batch_full"), 0);
  }
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(the_path_of_a_segment_is_counted)
{
  dart_gptr_t gptr;

  begin(false);
  look();
  gptr = allocate();
  expect("segment_direct", 1);
  EXPECT_OK(dart_team_memfree(gptr));
  end();
  begin(true);
  look();
  gptr = allocate();
  expect("segment_general", 1);
  expect("segment_direct", 0);
  EXPECT_OK(dart_team_memfree(gptr));
  end();
}

TEST(memory_comes_and_goes)
{
  const uint64_t large = 2 << 20;
  dart_gptr_t    gptr, own;
  uint64_t       segments, pool;

  setenv("DART_HEAP_CHUNK", "1M", 1); /* so that what is larger gets a chunk of its own */
  begin(false);
  unsetenv("DART_HEAP_CHUNK");
  segments = since("memory_segments");
  pool     = since("memory_pool");
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, large, DART_TYPE_BYTE, &gptr));
  EXPECT_TRUE(since("memory_segments") >= segments + large);
  EXPECT_TRUE(since("memory_segments") < segments + large + (1 << 20));
  EXPECT_OK(dart_team_memfree(gptr));
  expect("memory_segments", segments);
  EXPECT_TRUE(since("memory_segments_peak") >= segments + large);
  EXPECT_OK(dart_stats_reset());
  expect("memory_segments_peak", segments);
  EXPECT_OK(dart_memalloc(4 << 20, DART_TYPE_BYTE, &own));
  EXPECT_TRUE(since("memory_pool") >= 4 << 20 && since("memory_pool") > pool);
  EXPECT_OK(dart_memfree(own));
  EXPECT_TRUE(since("memory_tables") > 0);
  end();
  expect("memory_segments", 0);
  expect("memory_pool", 0);
  expect("memory_batches", 0);
}

TEST(
    memory_of_small_segments_is_used_again) /* of a team, in several chunks; where memory is scarce: cli.tmpfs */
{
  enum { COUNT = 40, SMALL = 100 << 10 };
  dart_gptr_t  gptr[COUNT];
  dart_group_t all;
  dart_team_t  team;
  uint64_t     before, most;

  setenv("DART_HEAP_CHUNK", "1M", 1);
  begin(false);
  unsetenv("DART_HEAP_CHUNK");
  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, all, &team));
  EXPECT_OK(dart_group_destroy(&all));
  before = since("memory_segments");
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < COUNT; i++) {
      EXPECT_OK(dart_team_memalloc_aligned(team, SMALL, DART_TYPE_BYTE, &gptr[i]));
      memset(test_mine(gptr[i]), i, SMALL);
    }
    EXPECT_TRUE(since("memory_segments") >= before + (uint64_t)COUNT * SMALL);
    if (round == 0)
      most = since("memory_segments");
    expect("memory_segments", most);
    for (int i = 0; i < COUNT; i++) { /* freed in another order than they were allocated in */
      int k = i * 7 % COUNT;

      EXPECT_EQ(*(char *)test_mine(gptr[k]), k);
      EXPECT_OK(dart_team_memfree(gptr[k]));
    }
  }
  EXPECT_OK(dart_team_destroy(&team));
  expect("memory_segments", before);
  end();
}

/* Pages are populated once: to do so again takes a millisecond for each MiB. */
static void free_and_allocate(size_t nbytes)
{
  dart_gptr_t gptr;
  uint64_t    before;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr));
  before = since("memory_segments");
  for (int i = 0; i < 100; i++) {
    EXPECT_OK(dart_team_memfree(gptr));
    expect("memory_segments", before);
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr));
    expect("memory_segments", before);
  }
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(freeing_and_allocating_in_a_loop_opens_one_chunk)
{
  begin(false);
  free_and_allocate(1000);
  free_and_allocate(5 << 20);
  end();
}
