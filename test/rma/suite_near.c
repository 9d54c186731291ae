/* dart/ext/dart_near.h: the memory of other units by plain loads and stores; dart_resolved.h: pointers that are resolved
 * once. */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_resolved.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "dart_test.h"

SUITE(near);

enum { WORDS = 32 };

static bool is_listed(const dart_team_unit_t *units, size_t count, int unit)
{
  for (size_t i = 0; i < count; i++)
    if (units[i].id == unit)
      return true;
  return false;
}

TEST(near_units_are_ascending_and_hold_the_caller)
{
  dart_team_unit_t units[64], few[1] = { { -7 } };
  size_t           count = 0, again = 0;

  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 64, units, &count));
  EXPECT_TRUE(count >= 1 && count <= (size_t)n);
  EXPECT_TRUE(is_listed(units, count, me));
  for (size_t i = 1; i < count; i++)
    EXPECT_TRUE(units[i - 1].id < units[i].id);
  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 0, NULL, &again));
  EXPECT_EQ(again, count);
  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 1, few, &again));
  EXPECT_EQ(again, count);
  EXPECT_EQ(few[0].id, units[0].id);
}

/* An address is given for near units and no others; what is stored there is the owner's. */
TEST(near_memory_is_read_and_written_in_place)
{
  int64_t          init[WORDS];
  dart_gptr_t      start;
  dart_team_unit_t units[64];
  size_t           count = 0;

  for (int i = 0; i < WORDS; i++)
    init[i] = 1000 * me + i;
  start = test_alloc(init, WORDS, 0);
  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 64, units, &count));
  for (int unit = 0; unit < n; unit++) {
    int64_t *at = dart_near_ptr(test_at(test_unit(start, unit), 3));

    test_note("unit %d", unit);
    EXPECT_EQ(at != NULL, is_listed(units, count, unit));
    if (at != NULL)
      for (int i = 3; i < WORDS; i++)
        EXPECT_EQ(at[i - 3], 1000 * unit + i);
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  for (size_t i = 0; i < count; i++) { /* each near unit writes a word of its own */
    int64_t *at = dart_near_ptr(test_unit(start, units[i].id));

    if (EXPECT_TRUE(at != NULL))
      at[me] = -me - 1;
  }
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  for (size_t i = 0; i < count; i++) {
    int64_t value = 0;

    EXPECT_OK(dart_get_blocking(&value, test_at(test_unit(start, me), (size_t)units[i].id), 1,
                                T_INT64, T_INT64));
    EXPECT_EQ(value, -units[i].id - 1);
  }
}

TEST(the_own_address_is_that_of_getaddr)
{
  dart_gptr_t start = test_unit(test_segment(DART_TEAM_ALL, 64, 0), me), local = DART_GPTR_NULL;
  void       *own = NULL;

  EXPECT_OK(dart_gptr_getaddr(start, &own));
  EXPECT_TRUE(dart_near_ptr(start) == own);
  EXPECT_OK(dart_memalloc(64, DART_TYPE_BYTE, &local));
  EXPECT_OK(dart_gptr_getaddr(local, &own));
  EXPECT_TRUE(dart_near_ptr(local) == own);
  EXPECT_OK(dart_memfree(local));
}

TEST(registered_memory_is_near_to_its_owner_alone)
{
  static int64_t words[WORDS];
  dart_gptr_t    start = DART_GPTR_NULL;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, WORDS, T_INT64, words, &start));
  for (int unit = 0; unit < n; unit++)
    EXPECT_TRUE(dart_near_ptr(test_unit(start, unit)) == (unit == me ? words : NULL));
  EXPECT_OK(dart_barrier(DART_TEAM_ALL));
  EXPECT_OK(dart_team_memderegister(start));
}

TEST(bad_arguments_are_refused)
{
  dart_team_unit_t units[1];
  size_t           count = 0;
  dart_gptr_t      start = test_segment(DART_TEAM_ALL, 64, 0);

  /* one past the end is an address, as in C */
  EXPECT_TRUE(dart_near_ptr(test_byte(test_unit(start, me), 64)) ==
              (char *)dart_near_ptr(test_unit(start, me)) + 64);
  EXPECT_TRUE(dart_near_ptr(test_byte(start, 65)) == NULL);
  EXPECT_TRUE(dart_near_ptr(DART_GPTR_NULL) == NULL);
  EXPECT_TRUE(dart_near_ptr(test_unit(start, n)) == NULL);
  EXPECT_REFUSED(dart_team_near_units, (12345, 1, units, &count), DART_ERR_INVAL, "team 12345");
  EXPECT_REFUSED(dart_team_near_units, (DART_TEAM_ALL, 1, NULL, &count), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_team_near_units, (DART_TEAM_ALL, 1, units, NULL), DART_ERR_INVAL, "NULL");
}

/* ---- dart_resolved.h --------------------------------------------------------------------------- */

#define EXPECT_SAME(type, ctype, range, from, value)                        \
  do {                                                                      \
    ctype in = (value), out = 0;                                            \
                                                                            \
    EXPECT_OK(dart_resolved_put(&(range), (from) * sizeof in, &in, type));  \
    EXPECT_OK(dart_resolved_get(&out, &(range), (from) * sizeof in, type)); \
    EXPECT_TRUE(out == in);                                                 \
  } while (0)

static bool is_near(int unit)
{
  dart_team_unit_t units[64];
  size_t           count = 0;

  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 64, units, &count));
  return is_listed(units, count, unit);
}

/* Every unit writes its words at every unit, near or far. */
TEST(resolved_words_arrive_at_every_unit)
{
  dart_gptr_t start = test_segment(DART_TEAM_ALL, (size_t)n * WORDS * sizeof(int64_t), 0);

  for (int unit = 0; unit < n; unit++) {
    dart_gptr_t     mine = test_at(test_unit(start, unit), (size_t)me * WORDS);
    dart_resolved_t range;

    test_note("unit %d", unit);
    EXPECT_OK(dart_resolve(mine, WORDS * sizeof(int64_t), &range));
    EXPECT_TRUE(range.near == (is_near(unit) ? dart_near_ptr(mine) : NULL));
    EXPECT_EQ(range.nbytes, WORDS * sizeof(int64_t));
    for (size_t i = 0; i < WORDS; i++)
      EXPECT_SAME(T_INT64, int64_t, range, i, 1000 * me + (int64_t)i);
  }
  test_barrier();
  for (int i = 0; i < n * WORDS; i++)
    EXPECT_EQ(test_mine(start)[i], 1000 * (i / WORDS) + i % WORDS);
}

TEST(elements_of_every_basic_type_are_resolved)
{
  dart_gptr_t     start = test_segment(DART_TEAM_ALL, (size_t)n * 32, 0);
  dart_resolved_t range;

  EXPECT_OK(dart_resolve(test_byte(test_unit(start, (me + 1) % n), (size_t)me * 32), 32, &range));
  EXPECT_SAME(DART_TYPE_BYTE, char, range, 31, 'x');
  EXPECT_SAME(DART_TYPE_SHORT, short, range, 1, -2);
  EXPECT_SAME(DART_TYPE_UINT, unsigned, range, 1, 4000000000U);
  EXPECT_SAME(DART_TYPE_FLOAT, float, range, 2, 1.5F);
  EXPECT_SAME(DART_TYPE_DOUBLE, double, range, 3, -2.25);
  EXPECT_SAME(DART_TYPE_LONG_DOUBLE, long double, range, 1, 3.125L); /* by the library */
  EXPECT_SAME(DART_TYPE_BYTE, char, range, 0, 'y');
}

TEST(registered_memory_is_resolved)
{
  static int64_t  words[WORDS];
  dart_gptr_t     start = DART_GPTR_NULL;
  dart_resolved_t range;

  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, WORDS, T_INT64, words, &start));
  EXPECT_OK(dart_resolve(test_unit(start, (me + 1) % n), sizeof words, &range));
  EXPECT_SAME(T_INT64, int64_t, range, 3, 33 + me);
  test_barrier();
  EXPECT_EQ(words[3], 33 + (me + n - 1) % n);
  EXPECT_OK(dart_team_memderegister(start));
}

TEST(what_has_epochs_is_resolved_for_the_library)
{
  dart_gptr_t     start = test_segment(DART_TEAM_ALL, 64, 0);
  dart_resolved_t range;

  EXPECT_OK(dart_epoch_fence(start, 0));
  EXPECT_OK(dart_epoch_fence(start, DART_EPOCH_NOSUCCEED));
  EXPECT_OK(dart_resolve(test_unit(start, me), 64, &range));
  EXPECT_TRUE(range.near == NULL);
  EXPECT_SAME(T_INT64, int64_t, range, 1, 5 + me);
}

/* A put by a resolved pointer wakes a unit that sleeps for the word. */
TEST(a_resolved_put_wakes_who_waits_for_the_word)
{
  dart_gptr_t     start = test_segment(DART_TEAM_ALL, 2 * sizeof(int64_t), 0);
  int64_t         round, found;
  dart_resolved_t next;

  EXPECT_OK(dart_resolve(test_unit(start, (me + 1) % n), sizeof round, &next));
  for (round = 1; round <= 50; round++) {
    if (me == 0)
      EXPECT_OK(dart_resolved_put(&next, 0, &round, T_INT64));
    found = round;
    EXPECT_OK(dart_wait_word(test_unit(start, me), T_INT64, DART_WAIT_EQ, &found, -1));
    if (me != 0)
      EXPECT_OK(dart_resolved_put(&next, 0, &round, T_INT64));
  }
}

TEST(what_cannot_be_resolved_is_refused)
{
  dart_gptr_t     start = test_segment(DART_TEAM_ALL, 64, 0);
  dart_resolved_t range = { (char *)&start, start, 5 };
  int64_t         word  = 7;

  EXPECT_REFUSED(dart_resolve, (start, 65, &range), DART_ERR_INVAL, "65");
  EXPECT_TRUE(range.near == NULL && range.nbytes == 0);
  EXPECT_REFUSED(dart_resolve, (start, 8, NULL), DART_ERR_INVAL, "NULL");
  EXPECT_REFUSED(dart_resolve, (test_unit(start, n), 8, &range), DART_ERR_INVAL, "unit");
  EXPECT_OK(dart_resolve(test_byte(start, 4), 16, &range)); /* not aligned: by the library */
  EXPECT_TRUE(range.near == NULL);
  EXPECT_REFUSED(dart_resolved_put, (&range, 16, &word, T_INT64), DART_ERR_INVAL,
                 "offset 16 of a range of 16");
  EXPECT_REFUSED(dart_resolved_get, (&word, &range, UINT64_MAX - 7, T_INT64), DART_ERR_INVAL,
                 "offset");
  EXPECT_REFUSED(dart_resolved_put, (&range, 0, &word, DART_TYPE_UNDEFINED), DART_ERR_INVAL,
                 "no basic type");
  EXPECT_REFUSED(dart_resolved_put, (&range, 3, &word, T_INT64), DART_ERR_INVAL, "offset 3");
  EXPECT_OK(dart_resolved_get(&word, &range, 8, T_INT64));
}
