/* Memory of the user, registered with a team: statements G63 to G69. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>

#include "dart_test.h"

SUITE(register);

static int right_by(int distance)
{
  return (me + distance) % n;
}

static int left_by(int distance)
{
  return (me + n - distance) % n;
}

static dart_gptr_t registered(int64_t *buffer, size_t nelem)
{
  dart_gptr_t gptr = DART_GPTR_NULL;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, nelem, T_INT64, buffer, &gptr));
  return gptr;
}

TEST(registered_memory_is_a_segment) /* G63 */
{
  enum { COUNT = 100 };
  int64_t    *buffer = malloc((COUNT + 2) * sizeof *buffer);
  dart_gptr_t gptr, first;
  void       *addr = NULL;

  for (int i = 0; i < COUNT + 2; i++)
    buffer[i] = -1;
  gptr  = registered(buffer + 1, COUNT);
  first = gptr;
  EXPECT_TRUE(gptr.segid < 0);
  EXPECT_EQ(gptr.unitid, 0);
  EXPECT_EQ(gptr.addr_or_offs.offset, 0);
  EXPECT_EQ(gptr.flags, 0);
  EXPECT_EQ(gptr.teamid, DART_TEAM_ALL);
  EXPECT_OK(dart_bcast(&first, sizeof first, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_TRUE(DART_GPTR_EQUAL(gptr, first));
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), &addr));
  EXPECT_TRUE(addr == buffer + 1);

  for (int distance = 0; distance < n; distance++) {
    int64_t values[COUNT];

    for (int i = 0; i < COUNT; i++)
      values[i] = 1000 * me + 100 * distance + i;
    EXPECT_OK(
        dart_put_blocking(test_unit(gptr, right_by(distance)), values, COUNT, T_INT64, T_INT64));
    test_barrier();
    test_note("distance %d", distance);
    EXPECT_EQ(buffer[0], -1);
    for (int i = 0; i < COUNT; i++)
      EXPECT_EQ(buffer[i + 1], 1000 * left_by(distance) + 100 * distance + i);
    EXPECT_EQ(buffer[COUNT + 1], -1);
    test_barrier();
  }
  EXPECT_OK(dart_team_memderegister(gptr));
  free(buffer);
}

/* More than 21 units on several nodes do not fit its first result: it becomes wider, and then its slots, too. */
TEST(a_new_team_shares_what_it_registers)
{
  enum { MANY = 64, LONG = 3000 };
  static int64_t   wide[MANY * LONG], part[LONG];
  int64_t          cell[2] = { 10 * me, 10 * me + 1 }, all[MANY] = { 0 }, own = 7 * me, got = -1;
  dart_team_unit_t unit = DART_TEAM_UNIT_ID(right_by(1)), root = DART_TEAM_UNIT_ID(n - 1);
  dart_gptr_t      gptr;
  dart_team_t      team;

  if (n > MANY)
    return;
  team = test_split(DART_TEAM_ALL, 1);
  EXPECT_OK(dart_team_memregister(team, 2, T_INT64, cell, &gptr));
  EXPECT_OK(dart_gptr_setunit(&gptr, unit));
  EXPECT_OK(dart_get_blocking(&got, test_at(gptr, 1), 1, T_INT64, T_INT64));
  EXPECT_EQ(got, 10 * unit.id + 1);
  EXPECT_OK(dart_gather(&own, all, 1, T_INT64, root, team));
  for (int u = 0; u < n && me == root.id; u++)
    EXPECT_EQ(all[u], 7 * u);
  EXPECT_OK(dart_scatter(all, &got, 1, T_INT64, root, team));
  EXPECT_EQ(got, own);
  for (int i = 0; i < LONG; i++)
    part[i] = me * LONG + i;
  EXPECT_OK(dart_allgather(part, wide, LONG, T_INT64, team));
  for (int i = 0; i < n * LONG; i++)
    EXPECT_EQ(wide[i], i);
  EXPECT_OK(dart_team_memderegister(test_unit(gptr, 0)));
  test_barrier();
  test_use_team(team);
}

TEST(units_may_register_nothing) /* G64 */
{
  for (int some = 0; some < n; some++) {
    int64_t     cell[2] = { 10 * me, 10 * me + 1 }, got = -1;
    bool        mine = me != some;
    dart_gptr_t gptr = registered(mine ? cell : NULL, mine ? 2 : 0);

    for (int unit = 0; unit < n; unit++) {
      if (unit == some) {
        EXPECT_INVAL(dart_get_blocking(&got, test_unit(gptr, unit), 1, T_INT64, T_INT64));
        continue;
      }
      EXPECT_OK(dart_get_blocking(&got, test_at(test_unit(gptr, unit), 1), 1, T_INT64, T_INT64));
      EXPECT_EQ(got, 10 * unit + 1);
    }
    test_barrier();
    EXPECT_OK(dart_team_memderegister(gptr));
  }
}

TEST_N(2, deregistration_is_local) /* G65: and may be uneven */
{
  int64_t     cell[3] = { me, 100 + me, 200 + me }, got = -1;
  dart_gptr_t one = registered(&cell[0], 1), two = registered(&cell[1], 1), three;
  dart_gptr_t first;

  EXPECT_TRUE(one.segid != two.segid);
  if (me == 0)
    EXPECT_OK(dart_team_memderegister(one)); /* the others do not, for now */
  three = first = registered(&cell[2], 1);
  EXPECT_TRUE(three.segid < 0);
  EXPECT_OK(dart_bcast(&first, sizeof first, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(three.segid, first.segid);
  EXPECT_TRUE(three.segid != one.segid); /* in use on some */
  EXPECT_TRUE(three.segid != two.segid);

  EXPECT_OK(dart_get_blocking(&got, test_unit(three, right_by(1)), 1, T_INT64, T_INT64));
  EXPECT_EQ(got, 200 + right_by(1));
  EXPECT_OK(dart_get_blocking(&got, test_unit(two, right_by(1)), 1, T_INT64, T_INT64));
  EXPECT_EQ(got, 100 + right_by(1));
  test_barrier();
  if (me != 0)
    EXPECT_OK(dart_team_memderegister(one));
  EXPECT_OK(dart_team_memderegister(two));
  EXPECT_OK(dart_team_memderegister(three));
}

/* A unit that has deregistered its portion makes all operations on that of `unit`, which is `cells`, and its own is
 * closed. */
static void use_after_own_end(dart_gptr_t gptr, int unit)
{
  int64_t       got = -1, put = 1000 + me, one = 1, old = -1, large[600];
  dart_gptr_t   at = test_at(test_unit(gptr, unit), 600 * (size_t)me);
  dart_handle_t handle;

  for (int i = 0; i < 600; i++)
    large[i] = put + i;
  EXPECT_OK(dart_get_blocking(&got, at, 1, T_INT64, T_INT64));
  EXPECT_EQ(got, 7 * unit);
  EXPECT_OK(dart_put(at, large, 600, T_INT64, T_INT64));
  EXPECT_OK(dart_flush(at));
  EXPECT_OK(dart_put_blocking(at, &put, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_accumulate(at, &one, 1, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_order(at));
  EXPECT_OK(dart_fetch_and_op(at, &one, &old, T_INT64, DART_OP_SUM));
  EXPECT_OK(dart_flush_all(at));
  EXPECT_EQ(old, put + 1);
  EXPECT_OK(dart_notify(at, 1));
  EXPECT_OK(dart_flush_local(at));
  EXPECT_OK(dart_flush_local_all(at));
  EXPECT_OK(dart_flush(at)); /* the notification has arrived only now */
  EXPECT_OK(dart_get_handle(&got, test_at(at, 1), 1, T_INT64, T_INT64, &handle));
  EXPECT_OK(dart_wait(&handle));
  EXPECT_EQ(got, put + 1);
  EXPECT_INVAL(dart_get_blocking(&got, test_at(at, (size_t)(n - me) * 600), 1, T_INT64, T_INT64));
  EXPECT_REFUSED(dart_get_blocking, (&got, test_unit(gptr, me), 1, T_INT64, T_INT64),
                 DART_ERR_INVAL, "has deregistered its portion");
  EXPECT_INVAL(dart_get_blocking(&got, test_unit(gptr, n), 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_epoch_lock(at, DART_EPOCH_SHARED, 0));
  EXPECT_INVAL(dart_team_memderegister(gptr));
}

TEST_N(2, who_has_deregistered_reaches_those_who_have_not)
{
  size_t  nelem = 600 * (size_t)n;
  int16_t first = 0;

  for (int last = 0; last < n; last++) {
    int64_t    *cells = malloc(nelem * sizeof *cells);
    dart_gptr_t gptr, later;

    test_note("unit %d deregisters last", last);
    for (size_t i = 0; i < nelem; i++)
      cells[i] = 7 * me;
    gptr  = registered(cells, nelem);
    first = last == 0 ? gptr.segid : first;
    EXPECT_EQ(gptr.segid, first); /* all had deregistered it: nothing is left of it */
    test_barrier();
    if (me != last) {
      EXPECT_OK(dart_team_memderegister(gptr));
      free(cells);
      use_after_own_end(gptr, last);
    }
    later = registered(NULL, 0); /* with another id, which does not end the first */
    EXPECT_TRUE(later.segid != gptr.segid);
    EXPECT_OK(dart_team_memderegister(later));
    test_barrier();
    if (me == last) {
      for (int unit = 0; unit < n; unit++) {
        EXPECT_EQ(cells[600 * unit], unit == me ? 7 * me : 1000 + unit + 3);
        EXPECT_EQ(cells[600 * unit + 599], unit == me ? 7 * me : 1000 + unit + 599);
      }
      EXPECT_OK(dart_team_memderegister(gptr));
      free(cells);
    }
    test_barrier();
  }
}

/* Teams end with segments that some have deregistered, some not. */
TEST_N(2, a_team_ends_with_what_some_have_deregistered)
{
  for (int round = 0; round < 3; round++) {
    int64_t     cell[2] = { me, me };
    dart_team_t team;
    dart_gptr_t one, two;

    EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
    EXPECT_OK(dart_team_memregister(team, 1, T_INT64, &cell[0], &one));
    EXPECT_OK(dart_team_memregister(team, 1, T_INT64, &cell[1], &two));
    EXPECT_OK(dart_team_memderegister(me % 2 == round % 2 ? one : two));
    EXPECT_OK(dart_team_destroy(&team));
  }
}

TEST(memory_is_the_users_after_deregistration) /* G66 */
{
  int cycles = test_rounds(1000);

  for (int cycle = 0; cycle < cycles; cycle++) {
    size_t      count  = 1 + (size_t)(cycle * 7 + me) % 50;
    int64_t    *buffer = malloc(count * sizeof *buffer), value = 1000 * cycle + me;
    dart_gptr_t gptr = registered(buffer, count);

    EXPECT_OK(dart_put_blocking(test_unit(gptr, right_by(1)), &value, 1, T_INT64, T_INT64));
    test_barrier();
    test_note("cycle %d", cycle);
    EXPECT_EQ(buffer[0], 1000 * cycle + left_by(1));
    EXPECT_OK(dart_team_memderegister(test_byte(test_unit(gptr, cycle % n), 4)));
    memset(buffer, 0xee, count * sizeof *buffer);
    free(buffer);
  }
}

static void put_around(void *memory, size_t nbytes, bool aligned)
{
  unsigned char *mine = memory, values[200], expected[200];
  dart_gptr_t    gptr = DART_GPTR_NULL;

  memset(mine, 0x5a, nbytes);
  if (aligned)
    EXPECT_OK(dart_team_memregister_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, mine, &gptr));
  else
    EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, mine, &gptr));
  EXPECT_TRUE(gptr.segid < 0);
  test_fill(values, me, 0, sizeof values);
  test_fill(expected, left_by(1), 0, sizeof expected);
  EXPECT_OK(dart_put_blocking(test_byte(test_unit(gptr, right_by(1)), 3), values, nbytes - 6,
                              DART_TYPE_BYTE, DART_TYPE_BYTE));
  test_barrier();
  EXPECT_FILLED(mine, 0x5a, 3);
  EXPECT_BYTES(mine + 3, expected, nbytes - 6);
  EXPECT_FILLED(mine + nbytes - 3, 0x5a, 3);
  EXPECT_OK(dart_team_memderegister(gptr));
}

TEST(any_memory_can_be_registered) /* G67 */
{
  static unsigned char in_data[200];
  unsigned char        on_stack[200];
  unsigned char       *mapped;

  mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!EXPECT_TRUE(mapped != MAP_FAILED))
    return;
  for (int aligned = 0; aligned < 2; aligned++) {
    test_note("data");
    put_around(in_data, 200, aligned);
    test_note("stack");
    put_around(on_stack, 150, aligned);
    test_note("unaligned");
    put_around(on_stack + 1, 101, aligned);
    put_around(in_data + 7, 60, aligned);
    test_note("mapped, across pages");
    put_around(mapped + 4001, 190, aligned);
  }
  munmap(mapped, 8192);
}

TEST(deregistration_of_nothing) /* G68 */
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, 64, 0x5a), wrong = gptr;

  EXPECT_OK(dart_team_memderegister(DART_GPTR_NULL));
  wrong.segid = -77;
  EXPECT_INVAL(dart_team_memderegister(wrong));
  wrong.segid = INT16_MIN;
  EXPECT_INVAL(dart_team_memderegister(wrong));
  EXPECT_INVAL(dart_team_memderegister(gptr)); /* allocated, not registered */
  wrong.segid  = -1;
  wrong.teamid = 12345;
  EXPECT_INVAL(dart_team_memderegister(wrong));
  EXPECT_FILLED(test_mine(gptr), 0x5a, 64);
}

TEST(what_is_no_memory_is_refused)
{
  int64_t     cell;
  dart_gptr_t gptr = { .segid = 9 };

  EXPECT_INVAL(dart_team_memregister(12345, 1, T_INT64, &cell, &gptr));
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  gptr.segid = 9;
  EXPECT_INVAL(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_UNDEFINED, &cell, &gptr));
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  EXPECT_INVAL(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &cell, NULL));
  gptr.segid = 9;
  EXPECT_INVAL(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, NULL, &gptr));
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
}

/* Some memory of the last unit's, and what is wrong with it; other units pass fine memory of theirs. */
static void refuse_on_all(const char *what, char *wrong, char *fine, size_t nbytes)
{
  dart_gptr_t gptr = { .segid = 9 };

  test_note("%s", what);
  EXPECT_INVAL(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE,
                                     me == n - 1 ? wrong : fine, &gptr));
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
}

TEST(what_is_no_memory_on_one_unit_is_refused_on_all)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = 16 * page;
  char *fine  = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *wrong = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  dart_gptr_t gptr;

  if (!EXPECT_TRUE(fine != MAP_FAILED && wrong != MAP_FAILED))
    return;
  refuse_on_all("more than memory can hold", wrong, fine, me == n - 1 ? SIZE_MAX : 1);
  mprotect(wrong + 15 * page, page, PROT_READ);
  refuse_on_all("the end cannot be written", wrong, fine, nbytes);
  refuse_on_all("one byte beyond", wrong, fine, 15 * page + 1);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 15 * page, DART_TYPE_BYTE, wrong, &gptr));
  EXPECT_OK(dart_team_memderegister(gptr));
  mprotect(wrong, page, PROT_NONE);
  refuse_on_all("the start cannot be used", wrong, fine, page + 1);
  munmap(wrong + 8 * page, page);
  refuse_on_all("a hole in the middle", wrong + page, fine, 10 * page);
  munmap(wrong, nbytes);
  refuse_on_all("nothing is there", wrong, fine, 8);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, fine, &gptr));
  EXPECT_OK(dart_team_memderegister(gptr));
  munmap(fine, nbytes);
}

TEST(all_operations_work_on_registered_memory) /* G69 */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t       cells[4] = { 10 * me, 0, 0, 7 }, got = -1, old = -1, put = 300 + me, one = 1;
    int64_t       seven = 7, eight = 8;
    dart_gptr_t   at = test_unit(registered(cells, 4), right_by(distance));
    dart_handle_t handle;

    test_note("distance %d", distance);
    EXPECT_OK(dart_get_handle(&got, at, 1, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait(&handle));
    EXPECT_EQ(got, 10 * right_by(distance));
    EXPECT_OK(dart_put(test_at(at, 1), &put, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(at));
    EXPECT_OK(dart_accumulate(test_at(at, 2), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(test_at(at, 2), &one, &old, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush_all(at));
    EXPECT_EQ(old, 1);
    EXPECT_OK(dart_compare_and_swap(test_at(at, 3), &eight, &seven, &old, T_INT64));
    EXPECT_OK(dart_flush_local(at));
    EXPECT_EQ(old, 7);
    EXPECT_OK(dart_flush_local_all(at));
    EXPECT_OK(dart_flush(at));
    test_barrier();
    EXPECT_EQ(cells[0], 10 * me);
    EXPECT_EQ(cells[1], 300 + left_by(distance));
    EXPECT_EQ(cells[2], 2);
    EXPECT_EQ(cells[3], 8);
    EXPECT_OK(dart_team_memderegister(at));
  }
}

TEST(atomics_on_registered_memory_lose_nothing) /* G69 */
{
  int64_t     counter = 0, one = 1;
  dart_gptr_t gptr = registered(&counter, 1);

  for (int round = 0; round < 100; round++) {
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_accumulate(test_unit(gptr, unit), &one, 1, T_INT64, DART_OP_SUM));
  }
  EXPECT_OK(dart_flush_all(gptr));
  test_barrier();
  EXPECT_EQ(counter, 100 * n);
  EXPECT_OK(dart_team_memderegister(gptr));
}

/* Its unit calls nothing of DART before all others have put to it. The kernel copies for units of its node, and for those
 * of simulated nodes whose network has RDMA. */
TEST_N(2, registered_memory_of_a_computing_unit_is_reached)
{
  enum { MOST = 64 };
  const char *net         = getenv("DART_NET");
  bool        is_asked    = !test_uses_mpi() && (net == NULL || strstr(net, "software") == NULL);
  int         computing   = n - 1, missing;
  int64_t     cells[MOST] = { 0 }, value = 900 + me, got = 0;
  dart_gptr_t gptr  = registered(cells, MOST);
  time_t      start = time(NULL);

  if (n <= MOST && me != computing) {
    EXPECT_OK(dart_put_blocking(test_at(test_unit(gptr, computing), (size_t)me), &value, 1, T_INT64,
                                T_INT64));
    EXPECT_OK(dart_get_blocking(&got, test_at(test_unit(gptr, computing), (size_t)me), 1, T_INT64,
                                T_INT64));
    EXPECT_EQ(got, value);
  } else if (n <= MOST) {
    do {
      missing = n - 1;
      for (int unit = 0; unit < n - 1; unit++)
        missing -= __atomic_load_n(&cells[unit], __ATOMIC_ACQUIRE) == 900 + unit;
    } while (missing > 0 && time(NULL) - start < (is_asked ? 60 : 1));
    EXPECT_TRUE(!is_asked || missing == 0);
  }
  test_barrier();
  EXPECT_OK(dart_team_memderegister(gptr));
}

/* More than units of simulated nodes can note: with an older one each shares a place, which has the newer. */
TEST_N(2, many_registrations_are_told_apart)
{
  enum { MANY = 1100 };
  static int64_t     cells[MANY];
  static dart_gptr_t gptr[MANY];
  int                right = (me + 1) % n;

  if (test_uses_mpi())
    return;
  for (int i = 0; i < MANY; i++) {
    cells[i] = -1;
    gptr[i]  = test_unit(registered(&cells[i], 1), right);
  }
  test_barrier();
  for (int step = 1; step <= 2; step++) { /* in the second, without each other one */
    for (int i = step - 1; i < MANY; i += step) {
      int64_t value = 10000 * (me + n * step) + i;

      EXPECT_OK(dart_put_blocking(gptr[i], &value, 1, T_INT64, T_INT64));
    }
    test_barrier();
    for (int i = step - 1; i < MANY; i++)
      EXPECT_EQ(cells[i], 10000 * ((me + n - 1) % n + n * (step == 1 || i % 2 == 0 ? 1 : 2)) + i);
    test_barrier();
    for (int i = step - 1; i < MANY; i += 2)
      EXPECT_OK(dart_team_memderegister(gptr[i]));
  }
}

TEST(exit_does_not_touch_registered_memory) /* A9: its buffer may be gone */
{
  enum { NBYTES = 8192 };
  dart_gptr_t gptr;
  void       *mapped;

  mapped = mmap(NULL, NBYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!EXPECT_TRUE(mapped != MAP_FAILED))
    return;
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, mapped, &gptr));
  munmap(mapped, NBYTES);
  EXPECT_OK(dart_exit());
  EXPECT_OK(dart_init(NULL, NULL));
}
