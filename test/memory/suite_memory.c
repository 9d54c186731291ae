/* Collective allocation: statements E41 to E51. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_memalign.h>

#include "base/log.h"
#include "dart_test.h"

SUITE(memory);

TEST(all_units_get_the_same_pointer) /* E41 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int i = 0; i < 2; i++) {
    dart_gptr_t mine, first;

    EXPECT_OK(dart_team_memalloc_aligned(team[i], 10, DART_TYPE_INT, &mine));
    EXPECT_EQ(mine.unitid, 0);
    EXPECT_EQ(mine.addr_or_offs.offset, 0);
    EXPECT_EQ(mine.flags, 0);
    EXPECT_EQ(mine.teamid, team[i]);
    EXPECT_TRUE(mine.segid > 0);
    first = mine;
    EXPECT_OK(dart_bcast(&first, sizeof first, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), team[i]));
    EXPECT_TRUE(DART_GPTR_EQUAL(mine, first));
    EXPECT_OK(dart_team_memfree(mine));
  }
}

TEST(nothing_is_an_allocation_too) /* E42 */
{
  dart_gptr_t gptr, other;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 0, DART_TYPE_INT, &gptr));
  EXPECT_TRUE(!DART_GPTR_ISNULL(gptr));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 0, DART_TYPE_INT, &other));
  EXPECT_TRUE(other.segid != gptr.segid);
  EXPECT_OK(dart_flush_all(gptr));
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_OK(dart_team_memfree(other));
}

static void read_every_portion(dart_team_t team, int scale, int offset)
{
  int         self = test_team_me(team), size = test_team_size(team);
  int         ask = scale * ((self + offset) % size);
  dart_gptr_t gptr;

  EXPECT_OK(dart_team_memalloc_aligned(team, (size_t)ask, DART_TYPE_INT, &gptr));
  if (ask > 0) {
    int *mine = (int *)test_mine(gptr);

    for (int i = 0; i < ask; i++)
      mine[i] = 10000 * self + i;
  }
  EXPECT_OK(dart_barrier(team));
  for (int unit = 0; unit < size; unit++) {
    int  count = scale * ((unit + offset) % size);
    int *got   = malloc(((size_t)count + 1) * sizeof *got);

    got[count] = -5;
    EXPECT_OK(
        dart_get_blocking(got, test_unit(gptr, unit), (size_t)count, DART_TYPE_INT, DART_TYPE_INT));
    for (int i = 0; i < count; i++) {
      if (!EXPECT_EQ(got[i], 10000 * unit + i))
        break;
    }
    EXPECT_EQ(got[count], -5);
    free(got);
  }
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(units_ask_for_different_sizes) /* E43: none included */
{
  for (int offset = 0; offset < n; offset++) {
    test_note("offset %d", offset);
    read_every_portion(DART_TEAM_ALL, 100, offset);
  }
  read_every_portion(test_split(DART_TEAM_ALL, 2), 333, 0);
}

TEST(freed_segment_ids_come_back_first) /* E44 */
{
  dart_gptr_t a = DART_GPTR_NULL, b = DART_GPTR_NULL, c = DART_GPTR_NULL, again;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &a));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &b));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &c));
  EXPECT_TRUE(a.segid != b.segid && b.segid != c.segid && a.segid != c.segid);
  EXPECT_OK(dart_team_memfree(a));
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 3000, DART_TYPE_INT, &again));
  EXPECT_EQ(again.segid, a.segid);
  EXPECT_OK(dart_team_memfree(b));
  EXPECT_OK(dart_team_memfree(c));
  EXPECT_OK(dart_team_memfree(again));
}

TEST(every_team_counts_its_own_segments) /* E44 */
{
  dart_gptr_t all  = test_segment(DART_TEAM_ALL, 16, 0);
  dart_team_t half = test_split(DART_TEAM_ALL, 2);
  dart_gptr_t one = test_segment(half, 16, 0), two = test_segment(half, 16, 0);

  EXPECT_EQ(all.segid, 1);
  EXPECT_EQ(one.segid, 1);
  EXPECT_EQ(two.segid, 2);
}

TEST(memfree_takes_any_pointer_into_the_segment) /* E45 */
{
  dart_gptr_t gptr;
  void       *addr;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 100, DART_TYPE_BYTE, &gptr));
  EXPECT_OK(dart_team_memfree(test_byte(test_unit(gptr, me), 50)));
  EXPECT_INVAL(dart_gptr_getaddr(test_unit(gptr, me), &addr));
}

TEST(memfree_of_null_is_local) /* E46 */
{
  if (me == n - 1)
    EXPECT_OK(dart_team_memfree(DART_GPTR_NULL));
}

TEST(memfree_of_nothing_is_refused) /* E46 */
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, 16, 0x5a), wrong = gptr, block;

  wrong.segid = 77;
  EXPECT_INVAL(dart_team_memfree(wrong));
  wrong.segid = -1;
  EXPECT_INVAL(dart_team_memfree(wrong));
  wrong        = gptr;
  wrong.teamid = 12345;
  EXPECT_INVAL(dart_team_memfree(wrong));
  EXPECT_OK(dart_memalloc(1, DART_TYPE_INT, &block));
  EXPECT_INVAL(dart_team_memfree(block)); /* segid 0 */
  EXPECT_OK(dart_memfree(block));
  EXPECT_FILLED(test_mine(gptr), 0x5a, 16);
}

TEST(portions_are_aligned) /* E47 */
{
  for (size_t nbytes = 1; nbytes < 100; nbytes += 13) {
    dart_gptr_t gptr = test_segment(DART_TEAM_ALL, nbytes, 0);

    EXPECT_EQ((uintptr_t)test_mine(gptr) % 16, 0);
  }
}

TEST(only_types_have_memory) /* E47 */
{
  const dart_datatype_t wrong[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20 };

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dart_gptr_t gptr = { .unitid = 0, .segid = 1 };

    test_note("type %ld", (long)wrong[i]);
    EXPECT_INVAL(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, wrong[i], &gptr));
    EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  }
}

TEST_N(3, units_of_a_sub_team_are_counted_in_it) /* E48 */
{
  dart_team_t team  = test_team(DART_TEAM_ALL, (int[]){ n - 1, 0 }, 2);
  int64_t     value = 77;
  dart_gptr_t gptr;

  if (team != DART_TEAM_NULL) {
    gptr = test_segment(team, sizeof value, 0);
    if (me == 0)
      EXPECT_OK(dart_put_blocking(test_unit(gptr, 1), &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_barrier(team));
    EXPECT_EQ(*test_mine(gptr), me == n - 1 ? 77 : 0);
  }
}

static long resident_pages(void)
{
  long  all, resident = 0;
  FILE *statm = fopen("/proc/self/statm", "r");

  if (EXPECT_TRUE(statm != NULL)) {
    EXPECT_EQ(fscanf(statm, "%ld %ld", &all, &resident), 2);
    fclose(statm);
  }
  return resident;
}

TEST(allocations_are_returned) /* E49 */
{
  enum { NBYTES = 256 << 10, PAIRS = 1000, WARM_UP = 100, SPARE = 8 << 20 };
  dart_gptr_t gptr;
  int16_t     segid  = 0;
  long        before = 0;

  for (int pair = 0; pair < PAIRS; pair++) {
    test_note("pair %d", pair);
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, &gptr));
    if (pair % 10 == 0) /* 90 times after the warm-up: 22 MiB, were they not released */
      memset(test_mine(gptr), pair, NBYTES);
    if (pair == 0)
      segid = gptr.segid;
    EXPECT_EQ(gptr.segid, segid);
    EXPECT_OK(dart_team_memfree(gptr));
    if (pair == WARM_UP)
      before = resident_pages();
  }
  EXPECT_TRUE((resident_pages() - before) * sysconf(_SC_PAGESIZE) < SPARE);
}

TEST(large_segments_are_writable_end_to_end) /* E49 */
{
  size_t      nbytes = (size_t)128 << 20 >> (n > 4 ? 3 : n > 2 ? 2 : 1);
  size_t      count = nbytes / sizeof(int64_t), piece = count / 16;
  int64_t    *values = malloc(piece * sizeof *values), *mine;
  dart_gptr_t gptr;
  int         left = (me + n - 1) % n, wrong = 0;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, count, T_INT64, &gptr));
  for (size_t from = 0; from < count; from += piece) {
    for (size_t i = 0; i < piece; i++)
      values[i] = ((int64_t)me << 32) + (int64_t)(from + i);
    EXPECT_OK(dart_put_blocking(test_at(test_unit(gptr, (me + 1) % n), from), values, piece,
                                T_INT64, T_INT64));
  }
  test_barrier();
  mine = test_mine(gptr);
  for (size_t i = 0; i < count; i++)
    wrong += mine[i] != ((int64_t)left << 32) + (int64_t)i;
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_team_memfree(gptr));
  free(values);
}

TEST(too_much_is_refused_on_all_units) /* and the next allocation is none the worse */
{
  dart_gptr_t gptr = { .unitid = 0, .segid = 1 };
  dart_ret_t  ret;
  int         code, first;

  ret = dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)1 << 46, T_INT64, &gptr);
  EXPECT_TRUE(ret == DART_ERR_NOMEM || ret == DART_ERR_OTHER);
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  code = first = (int)ret;
  EXPECT_OK(dart_bcast(&first, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(code, first);

  gptr = (dart_gptr_t){ .unitid = 0, .segid = 1 }; /* more bytes than a size_t can count */
  EXPECT_TRUE(dart_team_memalloc_aligned(DART_TEAM_ALL, SIZE_MAX / 4, T_INT64, &gptr) != DART_OK);
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  read_every_portion(DART_TEAM_ALL, 50, 1);
}

TEST_N(2, one_unit_asking_too_much_is_refused_on_all) /* sizes may differ, the answer may not */
{
  for (int greedy = 0; greedy < n; greedy++) {
    size_t      ask  = me == greedy ? (size_t)1 << 46 : 8;
    dart_gptr_t gptr = { .unitid = 0, .segid = 1 };

    EXPECT_TRUE(dart_team_memalloc_aligned(DART_TEAM_ALL, ask, T_INT64, &gptr) != DART_OK);
    EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  }
  read_every_portion(DART_TEAM_ALL, 50, 1);
}

TEST_N(2, one_unit_asking_for_the_impossible_is_refused_on_all)
{
  const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 8 + 2, SIZE_MAX / 16,
                           SIZE_MAX / 8 / 2 / (size_t)n + 1 };

  for (int i = 0; i < 4 * n; i++) {
    dart_gptr_t gptr = { .segid = 9 };

    test_note("%zu elements on unit %d", sizes[i % 4], i / 4);
    EXPECT_INVAL(
        dart_team_memalloc_aligned(DART_TEAM_ALL, me == i / 4 ? sizes[i % 4] : 1, T_INT64, &gptr));
    EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  }
  test_segment(DART_TEAM_ALL, 1000, 0);
}

TEST_N(2, one_unit_asking_for_an_impossible_pool_is_refused_on_all)
{
  for (int greedy = 0; greedy < n; greedy++) {
    dart_allocator_t allocator;

    EXPECT_RET(dart_allocator_new(me == greedy ? SIZE_MAX : 4096, DART_TEAM_ALL, &allocator),
               DART_ERR_NOMEM);
    EXPECT_TRUE(allocator == NULL);
  }
  test_barrier();
}

TEST(segments_are_usable_at_once) /* E50: without a barrier */
{
  for (int round = 0; round < 50; round++) {
    int64_t     value = 1000 * round + me;
    dart_gptr_t gptr;

    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, T_INT64, &gptr));
    EXPECT_OK(dart_put_blocking(test_unit(gptr, (me + 1) % n), &value, 1, T_INT64, T_INT64));
    test_barrier();
    EXPECT_EQ(*test_mine(gptr), 1000 * round + (me + n - 1) % n);
    EXPECT_OK(dart_team_memfree(gptr));
  }
}

TEST(late_units_are_safe_from_a_free) /* of small segments, and of one that fills a chunk */
{
  const size_t large = ((size_t)66 << 20) / sizeof(int64_t);

  for (int round = 0; round < 20; round++) {
    int         owner = round % n;
    size_t      count = round < 3 ? large : 8;
    int64_t     value = -1;
    dart_gptr_t gptr, next;

    test_note("round %d", round);
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, me == owner ? count : 1, T_INT64, &gptr));
    if (me == owner)
      test_mine(gptr)[count - 1] = 1000 * round + me;
    test_barrier();
    if (me != owner) { /* while the owner is in memfree already */
      EXPECT_OK(dart_get_blocking(&value, test_at(test_unit(gptr, owner), count - 1), 1, T_INT64,
                                  T_INT64));
      EXPECT_EQ(value, 1000 * round + owner);
    }
    EXPECT_OK(dart_team_memfree(gptr));
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, T_INT64, &next));
    *test_mine(next) = -7;
    EXPECT_OK(dart_team_memfree(next));
  }
}

TEST(neighbouring_segments_stay_untouched) /* E51 */
{
  for (size_t nbytes = 1; nbytes < 400; nbytes = 2 * nbytes + 3) {
    size_t        mine_nbytes = nbytes + (size_t)me, right_nbytes = nbytes + (size_t)((me + 1) % n);
    dart_gptr_t   before = test_segment(DART_TEAM_ALL, nbytes, 0x5a);
    dart_gptr_t   middle, after;
    unsigned char buffer[1024], expected[1024];

    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, mine_nbytes, DART_TYPE_BYTE, &middle));
    after = test_segment(DART_TEAM_ALL, nbytes, 0x66);

    test_note("%zu bytes", nbytes);
    test_fill(buffer, me, 0, right_nbytes);
    test_fill(expected, (me + n - 1) % n, 0, mine_nbytes);
    EXPECT_OK(dart_put_blocking(test_unit(middle, (me + 1) % n), buffer, right_nbytes,
                                DART_TYPE_BYTE, DART_TYPE_BYTE));
    test_barrier();
    EXPECT_BYTES(test_mine(middle), expected, mine_nbytes);
    EXPECT_FILLED(test_mine(before), 0x5a, nbytes);
    EXPECT_FILLED(test_mine(after), 0x66, nbytes);
    EXPECT_OK(dart_team_memfree(middle));
  }
}

TEST(thousands_of_segments_live_at_once)
{
  enum { MANY = 2000 };
  static dart_gptr_t segment[MANY];

  for (int i = 0; i < MANY; i++) {
    EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 3, T_INT64, &segment[i]));
    for (int k = 0; k < 3; k++)
      test_mine(segment[i])[k] = 1000000 * me + 3 * i + k;
  }
  test_barrier();
  for (int i = 0; i < MANY; i += 37) {
    int64_t got[3] = { -1, -1, -1 };
    int     unit   = (me + i) % n;

    EXPECT_OK(dart_get_blocking(got, test_unit(segment[i], unit), 3, T_INT64, T_INT64));
    for (int k = 0; k < 3; k++)
      EXPECT_EQ(got[k], 1000000 * unit + 3 * i + k);
  }
  for (int i = 0; i < MANY; i++)
    EXPECT_OK(dart_team_memfree(segment[(i * 7) % MANY]));
}

/* ---- aligned portions (dart/ext/dart_memalign.h) ------------------------------------------------ */

static dart_gptr_t aligned(dart_team_t team, size_t alignment, size_t nelem)
{
  dart_gptr_t gptr;
  void       *own;

  EXPECT_OK(dart_team_memalign(team, alignment, nelem, T_INT64, &gptr));
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, test_team_me(team)), &own));
  EXPECT_EQ((uintptr_t)own % alignment, 0);
  EXPECT_EQ(gptr.addr_or_offs.offset, 0);
  return gptr;
}

/* First and last element are put to the right, and found where the owner looks. */
static void expect_usable(dart_team_t team, dart_gptr_t gptr, size_t nelem)
{
  int         size = test_team_size(team), self = test_team_me(team);
  dart_gptr_t right = test_unit(gptr, (self + 1) % size);
  int64_t     value = 1000 + self, *mine = test_mine(gptr);

  EXPECT_OK(dart_put_blocking(right, &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put_blocking(test_at(right, nelem - 1), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_barrier(team));
  EXPECT_EQ(mine[0], 1000 + (self + size - 1) % size);
  EXPECT_EQ(mine[nelem - 1], 1000 + (self + size - 1) % size);
  EXPECT_OK(dart_barrier(team));
}

TEST(portions_are_as_aligned_as_asked_for) /* on every unit, in teams of all and of some */
{
  static const size_t lengths[] = { 1, 1000, 400000 };
  dart_team_t         team[]    = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int t = 0; t < 2; t++)
    for (size_t alignment = 4; alignment <= DART_ALIGNMENT_MOST; alignment *= 16) {
      dart_gptr_t gptr[3], plain;

      for (int i = 0; i < 3; i++) {
        test_note("team %d, %zu elements at multiples of %zu", t, lengths[i], alignment);
        gptr[i] = aligned(team[t], alignment, lengths[i]);
        expect_usable(team[t], gptr[i], lengths[i]);
      }
      EXPECT_OK(dart_team_memfree(gptr[1]));
      EXPECT_OK(dart_team_memalloc_aligned(team[t], 100, T_INT64, &plain)); /* where that was */
      expect_usable(team[t], plain, 100);
      EXPECT_OK(dart_team_memfree(gptr[0]));
      EXPECT_OK(dart_team_memfree(gptr[2]));
      EXPECT_OK(dart_team_memfree(plain));
    }
}

TEST(aligned_blocks_are_returned) /* or the address space of the team's chunk would be used up */
{
  dart__log_mute(true);
  for (int i = 0; i < test_rounds(3000); i++) {
    dart_gptr_t gptr = aligned(DART_TEAM_ALL, 4096, 8000);

    EXPECT_OK(dart_team_memfree(gptr));
  }
  dart__log_mute(false);
}

TEST(aligned_portions_may_differ_in_size)
{
  dart_gptr_t gptr;
  int64_t     value = me, *own;

  EXPECT_OK(dart_team_memalign(DART_TEAM_ALL, 1 << 22, (size_t)(me % 3) * 1000, T_INT64, &gptr));
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), (void **)&own));
  if (me % 3 > 0) {
    EXPECT_EQ((uintptr_t)own % (1 << 22), 0);
    EXPECT_OK(dart_put_blocking(test_at(test_unit(gptr, me), 999), &value, 1, T_INT64, T_INT64));
    EXPECT_EQ(own[999], me);
  }
  EXPECT_INVAL(dart_put_blocking(test_at(test_unit(gptr, me), (size_t)(me % 3) * 1000), &value, 1,
                                 T_INT64, T_INT64));
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(alignments_are_agreed_on) /* every unit hears of an error of one */
{
  const size_t wrong[] = { 0, 3, 96, DART_ALIGNMENT_MOST * 2, SIZE_MAX };
  dart_gptr_t  gptr;

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gptr.segid = 4711;
    EXPECT_INVAL(
        dart_team_memalign(DART_TEAM_ALL, me == n - 1 ? wrong[i] : 128, 10, T_INT64, &gptr));
    EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  }
  if (n > 1)
    EXPECT_INVAL(dart_team_memalign(DART_TEAM_ALL, me == 0 ? 256 : 128, 10, T_INT64, &gptr));
  EXPECT_INVAL(dart_team_memalign(DART_TEAM_ALL, 128, 10, DART_TYPE_UNDEFINED, &gptr));
  gptr = aligned(DART_TEAM_ALL, 128, 10); /* as if nothing had been */
  EXPECT_OK(dart_team_memfree(gptr));
}
