/* Local pool, dart_memalloc: statements F52 to F58. The first test wants the pool fresh. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(pool);

static char *address(dart_gptr_t block)
{
  void *addr = NULL;

  EXPECT_OK(dart_gptr_getaddr(block, &addr));
  return addr;
}

TEST(small_blocks_ascend_in_a_fresh_pool) /* F52 */
{
  dart_gptr_t three, one;

  EXPECT_OK(dart_memalloc(3, DART_TYPE_INT, &three));
  EXPECT_EQ(three.unitid, me);
  EXPECT_EQ(three.segid, 0);
  EXPECT_EQ(three.teamid, DART_TEAM_ALL);
  EXPECT_EQ(three.flags, 0);
  EXPECT_OK(dart_memalloc(1, DART_TYPE_INT, &one));
  EXPECT_TRUE(address(one) - address(three) >= 16);
  EXPECT_OK(dart_memfree(three));
  EXPECT_OK(dart_memfree(one));
}

TEST(every_unit_reads_a_published_block) /* F53 */
{
  dart_gptr_t block, published[64];
  int         values[3] = { 10 * me, 10 * me + 1, 10 * me + 2 }, got[3];

  if (!EXPECT_TRUE(n <= 64))
    return;
  EXPECT_OK(dart_memalloc(3, DART_TYPE_INT, &block));
  memcpy(address(block), values, sizeof values);
  EXPECT_OK(dart_allgather(&block, published, sizeof block, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (int unit = 0; unit < n; unit++) {
    EXPECT_OK(dart_get_blocking(got, published[unit], 3, DART_TYPE_INT, DART_TYPE_INT));
    for (int i = 0; i < 3; i++)
      EXPECT_EQ(got[i], 10 * unit + i);
  }
  test_barrier();
  EXPECT_OK(dart_memfree(block));
}

TEST(blocks_are_written_from_everywhere) /* put and flush on segment 0 */
{
  dart_gptr_t block, published[64];
  int64_t     value = 300 + me;

  if (!EXPECT_TRUE(n <= 64))
    return;
  EXPECT_OK(dart_memalloc((size_t)n, T_INT64, &block));
  EXPECT_OK(dart_allgather(&block, published, sizeof block, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (int unit = 0; unit < n; unit++)
    EXPECT_OK(dart_put(test_at(published[unit], (size_t)me), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush_all(block));
  test_barrier();
  for (int unit = 0; unit < n; unit++)
    EXPECT_EQ(((int64_t *)address(block))[unit], 300 + unit);
  EXPECT_OK(dart_memfree(block));
}

typedef struct block {
  dart_gptr_t    gptr;
  unsigned char *addr;
  size_t         nbytes;
  int            round;
} block_t;

static void take(block_t *block, size_t nbytes, int round)
{
  size_t alignment = 1;

  while (2 * alignment <= nbytes && alignment < 16)
    alignment *= 2;
  EXPECT_OK(dart_memalloc(nbytes, DART_TYPE_BYTE, &block->gptr));
  block->addr   = (unsigned char *)address(block->gptr);
  block->nbytes = nbytes;
  block->round  = round;
  EXPECT_EQ((uintptr_t)block->addr % alignment, 0);
  test_fill(block->addr, me, round, nbytes);
}

static void check_and_give(block_t *block)
{
  unsigned char expected[64];

  test_fill(expected, me, block->round, block->nbytes);
  EXPECT_BYTES(block->addr, expected, block->nbytes);
  EXPECT_OK(dart_memfree(block->gptr));
  block->nbytes = 0;
}

TEST(blocks_never_overlap_and_come_back) /* F54 */
{
  enum { BLOCKS = 200, ROUNDS = 5000 };
  block_t       blocks[BLOCKS] = { 0 };
  test_random_t random         = { 1000 + (uint64_t)me };
  dart_gptr_t   small, large, again;

  EXPECT_OK(dart_memalloc(1, DART_TYPE_BYTE, &small));
  EXPECT_OK(dart_memalloc(1 << 20, DART_TYPE_BYTE, &large));
  EXPECT_OK(dart_memfree(small));
  EXPECT_OK(dart_memfree(large));

  for (int round = 0; round < ROUNDS; round++) {
    block_t *block = &blocks[test_random(&random) % BLOCKS];

    test_note("round %d", round);
    if (block->nbytes > 0)
      check_and_give(block);
    else
      take(block, 1 + test_random(&random) % 64, round);
  }
  for (int i = 0; i < BLOCKS; i++) {
    if (blocks[i].nbytes > 0)
      check_and_give(&blocks[i]);
  }

  /* The pool is what it was: the same requests find the same places. */
  EXPECT_OK(dart_memalloc(1, DART_TYPE_BYTE, &again));
  EXPECT_EQ(again.addr_or_offs.offset, small.addr_or_offs.offset);
  EXPECT_OK(dart_memalloc(1 << 20, DART_TYPE_BYTE, &small));
  EXPECT_EQ(small.addr_or_offs.offset, large.addr_or_offs.offset);
  EXPECT_OK(dart_memfree(again));
  EXPECT_OK(dart_memfree(small));
}

TEST(too_large_a_block_is_refused) /* F55 */
{
  dart_gptr_t gptr = { .unitid = 0, .segid = 1 };

  EXPECT_RET(dart_memalloc((size_t)1 << 50, DART_TYPE_BYTE, &gptr), DART_ERR_OTHER);
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  gptr = (dart_gptr_t){ .unitid = 0, .segid = 1 };
  EXPECT_TRUE(dart_memalloc(SIZE_MAX / 4, T_INT64, &gptr) != DART_OK); /* wraps as a byte count */
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));

  EXPECT_OK(dart_memalloc(100, T_INT64, &gptr));
  memset(address(gptr), 0x5a, 100 * sizeof(int64_t));
  EXPECT_FILLED(address(gptr), 0x5a, 100 * sizeof(int64_t));
  EXPECT_OK(dart_memfree(gptr));
}

TEST(only_types_have_memory)
{
  const dart_datatype_t wrong[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20 };

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dart_gptr_t gptr = { .unitid = 0, .segid = 1 };

    test_note("type %ld", (long)wrong[i]);
    EXPECT_INVAL(dart_memalloc(4, wrong[i], &gptr));
    EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  }
}

TEST(only_own_live_blocks_can_be_freed) /* F56 */
{
  dart_gptr_t block[3], published[64], segment = test_segment(DART_TEAM_ALL, 64, 0), wrong;

  if (!EXPECT_TRUE(n <= 64))
    return;
  for (int i = 0; i < 3; i++) {
    EXPECT_OK(dart_memalloc(8, T_INT64, &block[i]));
    memset(address(block[i]), 0x40 + i, 64);
  }
  EXPECT_OK(dart_allgather(&block[1], published, sizeof block[1], DART_TYPE_BYTE, DART_TEAM_ALL));

  EXPECT_INVAL(dart_memfree(DART_GPTR_NULL));
  EXPECT_INVAL(dart_memfree(test_unit(segment, me)));
  for (int unit = 0; unit < n; unit++) {
    if (unit != me)
      EXPECT_INVAL(dart_memfree(published[unit]));
  }
  EXPECT_INVAL(dart_memfree(test_unit(block[1], n)));
  EXPECT_INVAL(dart_memfree(test_byte(block[1], 8)));
  EXPECT_INVAL(dart_memfree(test_byte(block[1], (uint64_t)1 << 50)));
  wrong        = block[1];
  wrong.teamid = test_split(DART_TEAM_ALL, 1);
  EXPECT_INVAL(dart_memfree(wrong));

  EXPECT_OK(dart_memfree(block[1]));
  EXPECT_INVAL(dart_memfree(block[1]));

  for (int i = 0; i < 3; i += 2) { /* the others are as they were */
    EXPECT_FILLED(address(block[i]), 0x40 + i, 64);
    EXPECT_OK(dart_memfree(block[i]));
  }
}

TEST(blocks_of_nothing_are_distinct) /* F57 */
{
  dart_gptr_t a, b, full;

  EXPECT_OK(dart_memalloc(0, DART_TYPE_INT, &a));
  EXPECT_OK(dart_memalloc(0, DART_TYPE_INT, &b));
  EXPECT_OK(dart_memalloc(8, DART_TYPE_INT, &full));
  EXPECT_TRUE(!DART_GPTR_ISNULL(a) && !DART_GPTR_ISNULL(b));
  EXPECT_TRUE(!DART_GPTR_EQUAL(a, b));
  EXPECT_TRUE(!DART_GPTR_EQUAL(a, full) && !DART_GPTR_EQUAL(b, full));
  EXPECT_OK(dart_memfree(a));
  EXPECT_OK(dart_memfree(full));
  EXPECT_OK(dart_memfree(b));
  EXPECT_INVAL(dart_memfree(b));
}

TEST(all_units_count_on_one_block) /* F58 */
{
  for (int owner = 0; owner < n; owner++) {
    dart_gptr_t block = DART_GPTR_NULL;
    int         one = 1, before = -1;

    if (me == owner) {
      EXPECT_OK(dart_memalloc(1, DART_TYPE_INT, &block));
      *(int *)address(block) = 0;
    }
    EXPECT_OK(
        dart_bcast(&block, sizeof block, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(owner), DART_TEAM_ALL));
    EXPECT_OK(dart_fetch_and_op(block, &one, &before, DART_TYPE_INT, DART_OP_SUM));
    EXPECT_OK(dart_flush(block));
    EXPECT_TRUE(before >= 0 && before < n);
    test_barrier();
    if (me == owner) {
      EXPECT_EQ(*(int *)address(block), n);
      EXPECT_OK(dart_memfree(block));
    }
  }
}

TEST(blocks_hold_what_many_segments_do) /* more than a first piece of pool, in several blocks */
{
  enum { BLOCKS = 12, NBYTES = 1 << 20 };
  dart_gptr_t block[BLOCKS], last;
  int64_t     got = -1;

  for (int i = 0; i < BLOCKS; i++) {
    EXPECT_OK(dart_memalloc(NBYTES, DART_TYPE_BYTE, &block[i]));
    memset(address(block[i]), 0x10 + i, NBYTES);
  }
  last = block[BLOCKS - 1];
  EXPECT_OK(dart_bcast(&last, sizeof last, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_OK(dart_get_blocking(&got, test_byte(last, NBYTES - 8), 1, T_INT64, T_INT64));
  EXPECT_FILLED(&got, 0x10 + BLOCKS - 1, 8);
  test_barrier();
  for (int i = 0; i < BLOCKS; i++) {
    EXPECT_FILLED(address(block[i]), 0x10 + i, NBYTES);
    EXPECT_OK(dart_memfree(block[i]));
  }
}

/* A description of so many blocks fits no request: run by run, where the network has no transfers of the pool. */
TEST(many_runs_and_much_data_reach_another_pool)
{
  enum { RUNS = 1500, LONG = 40000 };
  static size_t   length[RUNS], offset[RUNS];
  static int64_t  data[LONG], got[LONG];
  dart_gptr_t     block, published[64], right;
  dart_datatype_t runs;
  int64_t        *mine;

  if (!EXPECT_TRUE(n <= 64))
    return;
  for (size_t i = 0; i < RUNS; i++) {
    length[i] = 1 + i % 2;
    offset[i] = 3 * i;
  }
  for (int i = 0; i < LONG; i++)
    data[i] = (int64_t)me * LONG + i;
  EXPECT_OK(dart_type_create_indexed(T_INT64, RUNS, length, offset, &runs));
  EXPECT_OK(dart_memalloc(LONG, T_INT64, &block));
  mine = (int64_t *)(void *)address(block);
  memset(mine, 0, LONG * sizeof *mine);
  EXPECT_OK(dart_allgather(&block, published, sizeof block, DART_TYPE_BYTE, DART_TEAM_ALL));
  right = published[(me + 1) % n];

  EXPECT_OK(dart_put_blocking(right, data, RUNS + RUNS / 2, runs, runs));
  EXPECT_OK(dart_get_blocking(got, right, RUNS + RUNS / 2, runs, runs));
  test_barrier();
  for (int i = 0; i < 3 * RUNS; i++) {
    bool is_in = i % 3 == 0 || i % 6 == 4;

    EXPECT_EQ(got[i], is_in ? data[i] : 0);
    EXPECT_EQ(mine[i], is_in ? (int64_t)((me + n - 1) % n) * LONG + i : 0);
  }
  test_barrier();
  EXPECT_OK(dart_put(right, data, LONG, T_INT64, T_INT64));
  EXPECT_OK(dart_flush(right));
  memset(got, 0, sizeof got);
  EXPECT_OK(dart_get_blocking(got, right, LONG, T_INT64, T_INT64));
  EXPECT_EQ(memcmp(got, data, sizeof got), 0);
  test_barrier();
  EXPECT_EQ(mine[LONG - 1], (int64_t)((me + n - 1) % n) * LONG + LONG - 1);
  EXPECT_OK(dart_type_destroy(&runs));
  EXPECT_OK(dart_memfree(block));
}
