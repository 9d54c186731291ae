/* Put, get and their completion, with basic types: statements I80 to I94. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/if/dart_locality.h>

#include "dart_test.h"

SUITE(onesided);

static int right_by(int distance)
{
  return (me + distance) % n;
}

static int left_by(int distance)
{
  return (me + n - distance) % n;
}

/* ---- One transfer ---------------------------------------------------------------------------- */

TEST(put_reaches_only_its_target) /* I80 I89: for every distance */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t     cell[3] = { -1, -1, -1 }, value = 1000 + me;
    dart_gptr_t target = test_alloc(cell, 3, right_by(distance));

    test_note("distance %d", distance);
    EXPECT_OK(dart_put_blocking(test_at(target, 1), &value, 1, T_INT64, T_INT64));
    test_barrier();
    EXPECT_EQ(test_mine(target)[0], -1);
    EXPECT_EQ(test_mine(target)[1], 1000 + left_by(distance));
    EXPECT_EQ(test_mine(target)[2], -1);
  }
}

TEST(get_reads_only_its_source) /* I80 I89 */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t     cell[3] = { 10 * me, 10 * me + 1, 10 * me + 2 }, got[3] = { -1, -1, -1 };
    dart_gptr_t source = test_alloc(cell, 3, right_by(distance));

    test_note("distance %d", distance);
    EXPECT_OK(dart_get_blocking(&got[1], test_at(source, 1), 1, T_INT64, T_INT64));
    EXPECT_EQ(got[0], -1);
    EXPECT_EQ(got[1], 10 * right_by(distance) + 1);
    EXPECT_EQ(got[2], -1);
    EXPECT_BYTES(test_mine(source), cell, sizeof cell);
  }
}

TEST(blocking_get_sees_own_blocking_put) /* I80 */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0);

  for (int round = 0; round < 20; round++) {
    for (int unit = 0; unit < n; unit++) {
      dart_gptr_t cell  = test_at(test_unit(cells, unit), (size_t)me);
      int64_t     value = 100 * round + me, got = -1;

      EXPECT_OK(dart_put_blocking(cell, &value, 1, T_INT64, T_INT64));
      EXPECT_OK(dart_get_blocking(&got, cell, 1, T_INT64, T_INT64));
      EXPECT_EQ(got, value);
    }
  }
}

TEST(get_sees_plain_stores_before_a_barrier)
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);

  for (int round = 0; round < 20; round++) {
    int64_t got = -1;

    *test_mine(cells) = 100 * me + round;
    test_barrier();
    for (int unit = 0; unit < n; unit++) {
      EXPECT_OK(dart_get_blocking(&got, test_unit(cells, unit), 1, T_INT64, T_INT64));
      EXPECT_EQ(got, 100 * unit + round);
    }
    test_barrier();
  }
}

/* ---- Completion ------------------------------------------------------------------------------ */

TEST(put_is_seen_after_flush_and_barrier) /* I81 */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t     cell[2] = { -1, -1 }, value = 2000 + me;
    dart_gptr_t target = test_alloc(cell, 2, right_by(distance));

    test_note("distance %d", distance);
    EXPECT_OK(dart_put(target, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(target));
    test_barrier();
    EXPECT_EQ(test_mine(target)[0], 2000 + left_by(distance));
    EXPECT_EQ(test_mine(target)[1], -1);
  }
}

TEST(get_is_here_after_flush_local) /* I81 */
{
  for (int distance = 0; distance < n; distance++) {
    int64_t     cell[2] = { 5 * me, 5 * me + 1 }, got[2] = { -1, -1 };
    dart_gptr_t source = test_alloc(cell, 2, right_by(distance));

    test_note("distance %d", distance);
    EXPECT_OK(dart_get(got, source, 2, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_local(source));
    EXPECT_EQ(got[0], 5 * right_by(distance));
    EXPECT_EQ(got[1], 5 * right_by(distance) + 1);

    got[0] = -1;
    EXPECT_OK(dart_get(got, test_at(source, 1), 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(source));
    EXPECT_EQ(got[0], 5 * right_by(distance) + 1);
  }
}

TEST(source_is_free_after_flush_local) /* I82 */
{
  enum { COUNT = 5000 };
  static int64_t values[COUNT];

  for (int distance = 0; distance < n; distance++) {
    dart_gptr_t target =
        test_unit(test_segment(DART_TEAM_ALL, sizeof values, 0), right_by(distance));
    int wrong = 0;

    test_note("distance %d", distance);
    for (int i = 0; i < COUNT; i++)
      values[i] = 10000 * me + i;
    EXPECT_OK(dart_put(target, values, COUNT, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_local(target));
    memset(values, 0xee, sizeof values);
    EXPECT_OK(dart_flush(target));
    test_barrier();
    for (int i = 0; i < COUNT; i++)
      wrong += test_mine(target)[i] != 10000 * left_by(distance) + i;
    EXPECT_EQ(wrong, 0);
  }
}

TEST(flush_all_completes_at_all_units) /* I83 */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(int64_t), 0xff);
  int64_t     value = 3000 + me, later = -9;

  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(dart_put(test_at(test_unit(cells, unit), (size_t)me), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush_all(test_unit(cells, n - 1)));
  value = later;
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(test_mine(cells)[unit], 3000 + unit);
}

TEST(flush_local_all_completes_towards_all_units) /* I83 */
{
  int64_t     cell[1] = { 600 + me }, got[64];
  dart_gptr_t cells   = test_alloc(cell, 1, 0);

  if (!EXPECT_TRUE(n <= 64))
    return;
  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(dart_get(&got[unit], test_unit(cells, unit), 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush_local_all(cells));
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(got[unit], 600 + unit);
}

TEST(flushes_cover_all_segments_of_the_team) /* I84 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int i = 0; i < 2; i++) {
    int         self = test_team_me(team[i]), size = test_team_size(team[i]);
    dart_gptr_t one = test_segment(team[i], 64, 0xff), other = test_segment(team[i], 64, 0xff);

    for (int distance = 0; distance < size; distance++) {
      int     to = (self + distance) % size, from = (self + size - distance) % size;
      int64_t value[2] = { 10 * self + distance, 1000 * self + distance };

      test_note("team %d, distance %d", team[i], distance);
      EXPECT_OK(dart_put(test_unit(one, to), &value[0], 1, T_INT64, T_INT64));
      EXPECT_OK(dart_put(test_unit(other, to), &value[1], 1, T_INT64, T_INT64));
      if (distance % 2 == 0)
        EXPECT_OK(dart_flush_all(one));
      else
        EXPECT_OK(dart_flush(test_unit(one, to)));
      EXPECT_OK(dart_barrier(team[i]));
      EXPECT_EQ(*test_mine(one), 10 * from + distance);
      EXPECT_EQ(*test_mine(other), 1000 * from + distance);
      EXPECT_OK(dart_barrier(team[i]));
    }
  }
}

TEST(flush_has_nothing_to_do) /* I85: nothing pending, any offset, every unit */
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, 64, 0x5a), block;

  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_flush(test_unit(gptr, unit)));
    EXPECT_OK(dart_flush_local(test_unit(gptr, unit)));
    EXPECT_OK(dart_flush_all(test_unit(gptr, unit)));
    EXPECT_OK(dart_flush_local_all(test_unit(gptr, unit)));
    EXPECT_OK(dart_flush(test_byte(test_unit(gptr, unit), (uint64_t)1 << 40)));
    EXPECT_OK(dart_flush_local(test_byte(test_unit(gptr, unit), 63)));
  }
  EXPECT_OK(dart_memalloc(1, T_INT64, &block));
  EXPECT_OK(dart_flush(block));
  EXPECT_OK(dart_flush_all(block));
  EXPECT_OK(dart_flush_local(block));
  EXPECT_OK(dart_flush_local_all(block));
  EXPECT_OK(dart_memfree(block));
  EXPECT_FILLED(test_mine(gptr), 0x5a, 64);
}

TEST(nothing_to_move_is_no_error) /* I86 */
{
  dart_gptr_t gptr  = test_segment(DART_TEAM_ALL, 64, 0x5a);
  int64_t     value = 7;

  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t   at     = test_unit(gptr, unit);
    dart_handle_t handle = (dart_handle_t)&handle;

    EXPECT_OK(dart_put(at, &value, 0, T_INT64, T_INT64));
    EXPECT_OK(dart_get(&value, at, 0, T_INT64, T_INT64));
    EXPECT_OK(dart_put_blocking(at, &value, 0, T_INT64, T_INT64));
    EXPECT_OK(dart_get_blocking(&value, at, 0, T_INT64, T_INT64));
    EXPECT_OK(dart_put_handle(at, &value, 0, T_INT64, T_INT64, &handle));
    EXPECT_TRUE(handle == NULL);
    handle = (dart_handle_t)&handle;
    EXPECT_OK(dart_get_handle(&value, at, 0, T_INT64, T_INT64, &handle));
    EXPECT_TRUE(handle == NULL);
    EXPECT_OK(dart_accumulate(at, &value, 0, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_accumulate_blocking_local(at, &value, 0, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(at));
  }
  test_barrier();
  EXPECT_EQ(value, 7);
  EXPECT_FILLED(test_mine(gptr), 0x5a, 64);
}

/* ---- Sizes, offsets and types ---------------------------------------------------------------- */

enum { GUARD = 64 };

/* Put nbytes to `target` and get them back, both by and to odd addresses; nothing else moves. */
static void there_and_back(dart_gptr_t segment, int distance, size_t nbytes, size_t offset)
{
  dart_gptr_t    to     = test_byte(test_unit(segment, right_by(distance)), GUARD + offset);
  unsigned char *mine   = (unsigned char *)test_mine(segment);
  size_t         around = 2 * GUARD + offset + nbytes;
  unsigned char *buffer = malloc(around), *expected = malloc(nbytes);

  memset(mine, 0x5a, around);
  test_fill(buffer + offset, me, (int)offset, nbytes);
  test_barrier();
  EXPECT_OK(dart_put_blocking(to, buffer + offset, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
  test_barrier();
  test_fill(expected, left_by(distance), (int)offset, nbytes);
  EXPECT_FILLED(mine, 0x5a, GUARD + offset);
  EXPECT_BYTES(mine + GUARD + offset, expected, nbytes);
  EXPECT_FILLED(mine + GUARD + offset + nbytes, 0x5a, GUARD);

  memset(buffer, 0x66, around);
  test_fill(expected, me, (int)offset, nbytes); /* what we wrote there */
  EXPECT_OK(dart_get_blocking(buffer + GUARD, to, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE));
  EXPECT_FILLED(buffer, 0x66, GUARD);
  EXPECT_BYTES(buffer + GUARD, expected, nbytes);
  EXPECT_FILLED(buffer + GUARD + nbytes, 0x66, GUARD + offset);
  test_barrier();
  free(buffer);
  free(expected);
}

TEST(odd_sizes_and_offsets_are_exact) /* I87 */
{
  const size_t sizes[] = {
    1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4095, 4097, 65537
  };
  const size_t offsets[] = { 0, 1, 3, 8, 13 };
  dart_gptr_t  segment   = test_segment(DART_TEAM_ALL, 2 * GUARD + 65537 + 13, 0);

  for (int distance = 0; distance < n; distance++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        test_note("distance %d, %zu bytes at %zu", distance, sizes[s], offsets[o]);
        there_and_back(segment, distance, sizes[s], offsets[o]);
      }
    }
  }
}

TEST(large_transfers_are_exact) /* I87: 1 MiB and 16 MiB, about */
{
  size_t      large   = ((size_t)16 << 20 >> (n > 4 ? 2 : 0)) + 5;
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 2 * GUARD + large + 3, 0);

  there_and_back(segment, 1 % n, (1 << 20) - 1, 3);
  there_and_back(segment, n - 1, large, 1);
}

TEST(every_type_keeps_its_bits) /* I87: NaNs and other odd patterns included */
{
  enum { COUNT = 33 };
  dart_gptr_t   segment = test_segment(DART_TEAM_ALL, COUNT * TEST_TYPE_SIZE_MAX, 0);
  test_random_t random  = { 42 };

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t         *type   = &test_types[t];
    size_t                     nbytes = COUNT * type->size;
    _Alignas(16) unsigned char sent[COUNT * TEST_TYPE_SIZE_MAX], got[COUNT * TEST_TYPE_SIZE_MAX];

    for (size_t i = 0; i < nbytes; i++)
      sent[i] = (unsigned char)test_random(&random);
    for (size_t i = 0; i < type->size; i++)
      sent[i] = 0xff; /* a NaN */
    for (int distance = 0; distance < n; distance++) {
      dart_gptr_t at = test_unit(segment, right_by(distance));

      test_note("%s, distance %d", type->name, distance);
      memset(got, 0, sizeof got);
      EXPECT_OK(dart_put_blocking(at, sent, COUNT, type->id, type->id));
      EXPECT_OK(dart_get_blocking(got, at, COUNT, type->id, type->id));
      EXPECT_BYTES(got, sent, nbytes);
      test_barrier();
      EXPECT_BYTES(test_mine(segment), sent, nbytes); /* all units send the same */
      test_barrier();
    }
  }
}

TEST(many_pieces_arrive_in_their_places) /* non-blocking, of every type, to all units at once */
{
  enum { COUNT = 7 };

  for (int t = 0; t < TEST_TYPES; t++) {
    const test_type_t *type  = &test_types[t];
    size_t             block = COUNT * type->size;
    dart_gptr_t        table = test_segment(DART_TEAM_ALL, (size_t)n * block, 0);
    _Alignas(16) char  sent[COUNT * TEST_TYPE_SIZE_MAX];

    for (size_t i = 0; i < COUNT; i++)
      test_store(type, sent, i, test_operand(type, DART_OP_SUM, me, i));
    for (int unit = 0; unit < n; unit++)
      EXPECT_OK(dart_put(test_byte(test_unit(table, unit), (size_t)me * block), sent, COUNT,
                         type->id, type->id));
    EXPECT_OK(dart_flush_all(table));
    test_barrier();
    test_note("%s", type->name);
    for (int unit = 0; unit < n; unit++) {
      for (size_t i = 0; i < COUNT; i++)
        EXPECT_EQ(test_load(type, test_mine(table), (size_t)unit * COUNT + i),
                  test_operand(type, DART_OP_SUM, unit, i));
    }
  }
}

TEST(sub_teams_count_their_own_units)
{
  for (int parts = 2; parts <= 3; parts++) {
    dart_team_t team = test_split(DART_TEAM_ALL, parts);
    int         self = test_team_me(team), size = test_team_size(team);
    dart_gptr_t table = test_segment(team, (size_t)size * sizeof(int64_t), 0xff);
    int64_t     value = 100 * parts + me;

    for (int unit = 0; unit < size; unit++)
      EXPECT_OK(
          dart_put(test_at(test_unit(table, unit), (size_t)self), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_all(table));
    EXPECT_OK(dart_barrier(team));
    for (int unit = 0; unit < size; unit++)
      EXPECT_EQ(test_mine(table)[unit], 100 * parts + me % parts + parts * unit);
  }
}

/* ---- Order and visibility -------------------------------------------------------------------- */

static double seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether the unit is on this unit's node: tags of its domains start with the node's, ".3". */
static bool is_near(int unit)
{
  dart_unit_locality_t *mine, *its;

  if (!EXPECT_OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(me), &mine)) ||
      !EXPECT_OK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &its)))
    return false;
  return atoi(mine->domain_tag + 1) == atoi(its->domain_tag + 1);
}

static bool all_are_near(void)
{
  bool all = true;

  for (int unit = 0; unit < n; unit++)
    all = is_near(unit) && all;
  return all;
}

/* Whether all others have put both of their words; by loads, which make no progress. */
static bool all_have_put(const int64_t *cells)
{
  for (int unit = 0; unit < n - 1; unit++)
    if (__atomic_load_n(&cells[2 * unit + 1], __ATOMIC_ACQUIRE) == 0)
      return false;
  return true;
}

/* I90: it calls nothing of DART before all others have returned from a blocking put to it. Far ones need
 * its agent for that. */
TEST_N(2, a_computing_target_is_reached)
{
  int         computing     = n - 1;
  int64_t     cells[2 * 64] = { 0 }, value[2] = { 800 + me, 1 };
  dart_gptr_t segment  = test_alloc(cells, 2 * 64, computing);
  bool        is_asked = all_are_near() || test_has_agent();

  if (me == computing && n <= 64) {
    double start = seconds();

    while (!all_have_put(test_mine(segment)) && seconds() - start < (is_asked ? 60 : 1))
      continue;
    EXPECT_TRUE(!is_asked || all_have_put(test_mine(segment)));
  } else if (n <= 64) {
    for (size_t i = 0; i < 2; i++)
      EXPECT_OK(
          dart_put_blocking(test_at(segment, 2 * (size_t)me + i), &value[i], 1, T_INT64, T_INT64));
  }
  test_barrier();
  for (int unit = 0; unit < n - 1 && n <= 64 && me == computing; unit++)
    EXPECT_EQ(test_mine(segment)[2 * unit], 800 + unit);
}

/* Flags that units poll in their own portion: the data from the left are ready; the right one has
 * taken ours. */
typedef struct flags {
  unsigned char ready, taken, unused[62];
} flags_t;

static void wait_for(dart_gptr_t segment, size_t offset, unsigned char value)
{
  unsigned char got;

  do {
    got = (unsigned char)~value;
    if (!EXPECT_OK(dart_get_blocking(&got, test_byte(test_unit(segment, me), offset), 1,
                                     DART_TYPE_BYTE, DART_TYPE_BYTE)))
      return;
    test_pause();
  } while (got != value);
}

static void tell(dart_gptr_t segment, int unit, size_t offset, unsigned char value)
{
  EXPECT_OK(dart_put_blocking(test_byte(test_unit(segment, unit), offset), &value, 1,
                              DART_TYPE_BYTE, DART_TYPE_BYTE));
}

TEST_N(2, who_sees_the_flag_gets_the_data) /* I91 */
{
  enum { COUNT = 1000 };
  int         rounds = test_rounds(1000);
  dart_gptr_t flags  = test_segment(DART_TEAM_ALL, sizeof(flags_t), 0);
  dart_gptr_t data   = test_segment(DART_TEAM_ALL, COUNT * sizeof(int), 0);
  int        *mine   = (int *)test_mine(data), got[COUNT];

  for (int round = 1; round <= rounds; round++) {
    unsigned char stamp  = (unsigned char)(1 + round % 200);
    dart_handle_t handle = DART_HANDLE_NULL;
    int           wrong  = 0;

    test_note("round %d", round);
    for (int i = 0; i < COUNT; i++)
      mine[i] = 1000 * me + 7 * round + i;
    EXPECT_OK(dart_put_handle(test_byte(test_unit(flags, right_by(1)), offsetof(flags_t, ready)),
                              &stamp, 1, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle));
    EXPECT_OK(dart_waitall_local(&handle, 1));

    wait_for(flags, offsetof(flags_t, ready), stamp);
    EXPECT_OK(
        dart_get_blocking(got, test_unit(data, left_by(1)), COUNT, DART_TYPE_INT, DART_TYPE_INT));
    for (int i = 0; i < COUNT; i++)
      wrong += got[i] != 1000 * left_by(1) + 7 * round + i;
    EXPECT_EQ(wrong, 0);
    tell(flags, left_by(1), offsetof(flags_t, taken), stamp);
    wait_for(flags, offsetof(flags_t, taken), stamp);
  }
}

TEST_N(2, data_put_before_the_flag_are_there) /* I92 */
{
  enum { COUNT = 100 };
  int         rounds = test_rounds(500);
  dart_gptr_t flags  = test_segment(DART_TEAM_ALL, sizeof(flags_t), 0);
  dart_gptr_t data   = test_segment(DART_TEAM_ALL, COUNT * sizeof(int), 0);
  int        *mine   = (int *)test_mine(data), sent[COUNT];

  for (int round = 1; round <= rounds; round++) {
    unsigned char stamp = (unsigned char)(1 + round % 200);
    int           to = right_by(1 + round % (n - 1)), from = left_by(1 + round % (n - 1));
    int           wrong = 0;

    test_note("round %d", round);
    for (int i = 0; i < COUNT; i++)
      sent[i] = 500 * me + 3 * round + i;
    EXPECT_OK(dart_put_blocking(test_unit(data, to), sent, COUNT, DART_TYPE_INT, DART_TYPE_INT));
    tell(flags, to, offsetof(flags_t, ready), stamp);
    wait_for(flags, offsetof(flags_t, ready), stamp);
    for (int i = 0; i < COUNT; i++)
      wrong += mine[i] != 500 * from + 3 * round + i;
    EXPECT_EQ(wrong, 0);
    test_barrier();
  }
}

TEST_N(2, an_element_is_never_torn) /* I93 */
{
  enum { WRITES = 500 };
  const uint64_t pattern = 0x0101010101010101u;

  for (int target = 0; target < n; target += n - 1) {
    dart_gptr_t cells = test_segment(DART_TEAM_ALL, 16, 0); /* the element, and who is done */
    int64_t     one = 1, done = 0;
    int         torn = 0;

    if (me != target) {
      for (uint64_t i = 0; i < WRITES; i++) {
        uint64_t value = pattern * ((i * (uint64_t)(me + 1)) % 256);

        EXPECT_OK(dart_put_blocking(test_unit(cells, target), &value, 1, T_INT64, T_INT64));
      }
      EXPECT_OK(
          dart_accumulate(test_at(test_unit(cells, target), 1), &one, 1, T_INT64, DART_OP_SUM));
      EXPECT_OK(dart_flush(test_unit(cells, target)));
    }
    while (me == target && done < n - 1) {
      uint64_t value = 0, loaded = __atomic_load_n(test_mine(cells), __ATOMIC_RELAXED);

      EXPECT_OK(dart_get_blocking(&value, test_unit(cells, me), 1, T_INT64, T_INT64));
      torn += value != pattern * (value % 256) || loaded != pattern * (loaded % 256);
      if (!EXPECT_OK(
              dart_get_blocking(&done, test_at(test_unit(cells, me), 1), 1, T_INT64, T_INT64)))
        break;
      test_pause();
    }
    EXPECT_EQ(torn, 0);
    test_barrier();
  }
}

TEST(random_puts_all_arrive) /* I94: every slot of a table once, in random order */
{
  int           slots = 10000 / n, places = slots * n;
  dart_gptr_t   table  = test_segment(DART_TEAM_ALL, (size_t)places * sizeof(int), 0xff);
  int          *values = malloc((size_t)places * sizeof *values);
  int          *order  = malloc((size_t)places * sizeof *order);
  int          *mine = (int *)test_mine(table), wrong = 0;
  test_random_t random = { 77 + (uint64_t)me };

  for (int i = 0; i < places; i++) { /* place i: unit i % n, slot i / n of the writer */
    int k = (int)(test_random(&random) % (uint64_t)(i + 1));

    order[i]  = order[k];
    order[k]  = i;
    values[i] = 100000 * me + i;
  }
  for (int i = 0; i < places; i++) {
    int         place = order[i];
    dart_gptr_t at =
        test_byte(test_unit(table, place % n), (uint64_t)(me * slots + place / n) * sizeof(int));

    EXPECT_OK(dart_put(at, &values[place], 1, DART_TYPE_INT, DART_TYPE_INT));
  }
  EXPECT_OK(dart_flush_all(table));
  test_barrier();
  for (int writer = 0; writer < n; writer++) {
    for (int slot = 0; slot < slots; slot++)
      wrong += mine[writer * slots + slot] != 100000 * writer + slot * n + me;
  }
  EXPECT_EQ(wrong, 0);
  free(values);
  free(order);
}

TEST(random_gets_all_read_their_place) /* the same, the other way */
{
  enum { COUNT = 4000 };
  dart_gptr_t   table = test_segment(DART_TEAM_ALL, COUNT * sizeof(int), 0);
  int          *mine = (int *)test_mine(table), wrong = 0;
  static int    got[COUNT], unit[COUNT], slot[COUNT];
  test_random_t random = { 99 + (uint64_t)me };

  for (int i = 0; i < COUNT; i++)
    mine[i] = 100000 * me + i;
  test_barrier();
  for (int i = 0; i < COUNT; i++) {
    unit[i] = (int)(test_random(&random) % (uint64_t)n);
    slot[i] = (int)(test_random(&random) % COUNT);
    got[i]  = -1;
    EXPECT_OK(dart_get(&got[i],
                       test_byte(test_unit(table, unit[i]), (uint64_t)slot[i] * sizeof(int)), 1,
                       DART_TYPE_INT, DART_TYPE_INT));
  }
  EXPECT_OK(dart_flush_local_all(table));
  for (int i = 0; i < COUNT; i++)
    wrong += got[i] != 100000 * unit[i] + slot[i];
  EXPECT_EQ(wrong, 0);
}
