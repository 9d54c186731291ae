/* Allocator objects: statements F59 to F62. */
#include <pthread.h>
#include <string.h>

#include "base/log.h"
#include "dart_test.h"

SUITE(allocator);

static char *address(dart_gptr_t block)
{
  void *addr = NULL;

  EXPECT_OK(dart_gptr_getaddr(block, &addr));
  return addr;
}

TEST(every_unit_writes_to_a_block_of_the_first) /* F59 */
{
  dart_allocator_t allocator;
  dart_gptr_t      block = DART_GPTR_NULL;

  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
  if (me == 0) {
    EXPECT_OK(dart_allocator_alloc((size_t)n, DART_TYPE_INT, &block, allocator));
    EXPECT_EQ(block.unitid, 0);
    EXPECT_EQ(block.teamid, DART_TEAM_ALL);
    EXPECT_TRUE(block.segid > 0);
    memset(address(block), 0xff, (size_t)n * sizeof(int));
  }
  EXPECT_OK(dart_bcast(&block, sizeof block, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_OK(
      dart_put_blocking(test_byte(block, 4 * (uint64_t)me), &me, 1, DART_TYPE_INT, DART_TYPE_INT));
  test_barrier();
  if (me == 0) {
    for (int unit = 0; unit < n; unit++)
      EXPECT_EQ(((int *)address(block))[unit], unit);
    EXPECT_OK(dart_allocator_free(&block, allocator));
    EXPECT_TRUE(DART_GPTR_ISNULL(block)); /* F61 */
  }
  EXPECT_OK(dart_allocator_destroy(&allocator));
  EXPECT_TRUE(allocator == NULL); /* F61 */
}

static void take_all(dart_allocator_t allocator, size_t ints)
{
  dart_gptr_t block = DART_GPTR_NULL, more = block;

  EXPECT_OK(dart_allocator_alloc(ints, DART_TYPE_INT, &block, allocator));
  more.segid = 9;
  EXPECT_RET(dart_allocator_alloc(1, DART_TYPE_INT, &more, allocator), DART_ERR_NOMEM);
  EXPECT_TRUE(DART_GPTR_ISNULL(more));
  memset(address(block), 0x5a, ints * sizeof(int));
  EXPECT_OK(dart_allocator_free(&block, allocator));
}

TEST(blocks_pack_without_loss) /* F60 */
{
  enum { BLOCKS = 128, INTS = 8 };
  dart_allocator_t allocator;
  dart_gptr_t      block[BLOCKS], more = { .segid = 9 };

  EXPECT_OK(dart_allocator_new(4096, DART_TEAM_ALL, &allocator));
  take_all(allocator, 1024);
  for (int i = 0; i < BLOCKS; i++) {
    EXPECT_OK(dart_allocator_alloc(INTS, DART_TYPE_INT, &block[i], allocator));
    EXPECT_EQ(block[i].unitid, me);
    memset(address(block[i]), i, INTS * sizeof(int));
  }
  EXPECT_RET(dart_allocator_alloc(INTS, DART_TYPE_INT, &more, allocator), DART_ERR_NOMEM);
  EXPECT_TRUE(DART_GPTR_ISNULL(more));
  for (int i = 0; i < BLOCKS; i++)
    EXPECT_FILLED(address(block[i]), i, INTS * sizeof(int));
  for (int i = 0; i < BLOCKS; i++)
    EXPECT_OK(dart_allocator_free(&block[(i * 37) % BLOCKS], allocator));
  take_all(allocator, 1024);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

TEST(pool_sizes_are_rounded_up) /* F62 */
{
  dart_allocator_t allocator;

  EXPECT_OK(dart_allocator_new(1000, DART_TEAM_ALL, &allocator));
  take_all(allocator, 256);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

TEST(blocks_of_nothing_are_distinct)
{
  dart_allocator_t allocator;
  dart_gptr_t      a, b;

  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
  EXPECT_OK(dart_allocator_alloc(0, DART_TYPE_INT, &a, allocator));
  EXPECT_OK(dart_allocator_alloc(0, DART_TYPE_INT, &b, allocator));
  EXPECT_TRUE(!DART_GPTR_ISNULL(a) && !DART_GPTR_EQUAL(a, b));
  EXPECT_OK(dart_allocator_free(&a, allocator));
  EXPECT_OK(dart_allocator_free(&b, allocator));
  take_all(allocator, 256);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

TEST(custom_types_have_memory) /* strided ones do not */
{
  dart_datatype_t  custom, strided;
  dart_allocator_t allocator;
  dart_gptr_t      block;

  EXPECT_OK(dart_type_create_custom(64, &custom));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
  EXPECT_OK(dart_allocator_alloc(16, custom, &block, allocator));
  memset(address(block), 0x11, 1024);
  EXPECT_OK(dart_allocator_free(&block, allocator));
  EXPECT_INVAL(dart_allocator_alloc(1, strided, &block, allocator));
  EXPECT_TRUE(DART_GPTR_ISNULL(block));
  EXPECT_OK(dart_allocator_destroy(&allocator));
  EXPECT_OK(dart_type_destroy(&custom));
  EXPECT_OK(dart_type_destroy(&strided));
}

TEST(allocators_serve_sub_teams)
{
  dart_team_t      team = test_split(DART_TEAM_ALL, 2);
  int              self = test_team_me(team), size = test_team_size(team);
  dart_allocator_t allocator;
  dart_gptr_t      block, right;
  int64_t          value = 200 + self;

  EXPECT_OK(dart_allocator_new(1024, team, &allocator));
  EXPECT_OK(dart_allocator_alloc(4, T_INT64, &block, allocator));
  EXPECT_EQ(block.unitid, self);
  EXPECT_EQ(block.teamid, team);
  memset(address(block), 0xff, 4 * sizeof(int64_t));
  EXPECT_OK(dart_barrier(team));
  right = test_unit(block, (self + 1) % size); /* all did the same: the offset is equal */
  EXPECT_OK(dart_put_blocking(test_at(right, 2), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_barrier(team));
  EXPECT_EQ(((int64_t *)address(block))[1], -1);
  EXPECT_EQ(((int64_t *)address(block))[2], 200 + (self + size - 1) % size);
  EXPECT_EQ(((int64_t *)address(block))[3], -1);
  EXPECT_OK(dart_allocator_free(&block, allocator));
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

/* Segment ids end at 32767. The units do that each in a team of its own, where no step waits for anybody. */
TEST(allocators_need_one_of_the_segments_of_their_team)
{
  enum { MOST = INT16_MAX };
  dart_team_t      alone     = test_split(DART_TEAM_ALL, n);
  dart_allocator_t allocator = (dart_allocator_t)&alone;
  dart_gptr_t      segment = DART_GPTR_NULL, last = segment;

  dart__log_mute(true); /* else most of what all suites write is the line of this call */
  for (int i = 1; i <= MOST && EXPECT_OK(dart_team_memalloc_aligned(alone, 1, T_INT64, &segment));
       i++)
    if (i == MOST / 2)
      last = segment;
  dart__log_mute(false);
  EXPECT_EQ(segment.segid, MOST);
  EXPECT_RET(dart_allocator_new(1024, alone, &allocator), DART_ERR_OTHER);
  EXPECT_TRUE(allocator == NULL);
  EXPECT_OK(dart_team_memfree(last));
  EXPECT_OK(dart_allocator_new(1024, alone, &allocator));
  EXPECT_RET(dart_team_memalloc_aligned(alone, 1, T_INT64, &segment), DART_ERR_OTHER);
  EXPECT_OK(dart_allocator_alloc(1024, DART_TYPE_BYTE, &segment, allocator));
  EXPECT_EQ(segment.segid, last.segid);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

TEST(only_own_live_blocks_can_be_freed) /* F61 */
{
  dart_allocator_t one, other, none = (dart_allocator_t)&none;
  dart_gptr_t      block, foreign, wrong, copy, segment = test_segment(DART_TEAM_ALL, 64, 0);

  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &one));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &other));
  EXPECT_OK(dart_allocator_alloc(8, T_INT64, &block, one));
  EXPECT_OK(dart_allocator_alloc(8, T_INT64, &foreign, other));
  memset(address(block), 0x5a, 64);

  EXPECT_INVAL(dart_allocator_free(NULL, one));
  copy = block;
  EXPECT_INVAL(dart_allocator_free(&copy, NULL));
  EXPECT_INVAL(dart_allocator_free(&foreign, one));
  wrong = test_unit(segment, me);
  EXPECT_INVAL(dart_allocator_free(&wrong, one));
  wrong = DART_GPTR_NULL;
  EXPECT_INVAL(dart_allocator_free(&wrong, one));
  wrong = test_byte(block, 8);
  EXPECT_INVAL(dart_allocator_free(&wrong, one));
  wrong = test_unit(block, (me + 1) % n);
  if (n > 1)
    EXPECT_INVAL(dart_allocator_free(&wrong, one));
  EXPECT_FILLED(address(block), 0x5a, 64);

  copy = block;
  EXPECT_OK(dart_allocator_free(&block, one));
  EXPECT_INVAL(dart_allocator_free(&copy, one));
  EXPECT_OK(dart_allocator_free(&foreign, other));

  EXPECT_INVAL(dart_allocator_alloc(1, T_INT64, NULL, one));
  EXPECT_INVAL(dart_allocator_alloc(1, T_INT64, &wrong, NULL));
  EXPECT_INVAL(dart_allocator_alloc(1, DART_TYPE_UNDEFINED, &wrong, one));
  EXPECT_INVAL(dart_allocator_new(1024, 12345, &none));
  EXPECT_INVAL(dart_allocator_new(1024, DART_TEAM_ALL, NULL));
  EXPECT_INVAL(dart_allocator_destroy(NULL));
  EXPECT_OK(dart_allocator_destroy(&one));
  EXPECT_OK(dart_allocator_destroy(&other));
}

TEST(what_is_freed_coalesces) /* F60: in whatever order, of whatever sizes */
{
  enum { BLOCKS = 100, ROUNDS = 4000 };
  static dart_gptr_t block[BLOCKS];
  static size_t      nbytes[BLOCKS];
  dart_allocator_t   allocator;
  test_random_t      random = { 77 + (uint64_t)me };
  unsigned char      expected[64];

  EXPECT_OK(dart_allocator_new(8192, DART_TEAM_ALL, &allocator));
  memset(nbytes, 0, sizeof nbytes);
  for (int round = 0; round < ROUNDS + BLOCKS; round++) {
    size_t i = round < ROUNDS ? test_random(&random) % BLOCKS : (size_t)(round - ROUNDS);

    test_note("round %d, block %zu", round, i);
    if (nbytes[i] > 0) {
      test_fill(expected, me, (int)i, nbytes[i]);
      EXPECT_BYTES(address(block[i]), expected, nbytes[i]);
      EXPECT_OK(dart_allocator_free(&block[i], allocator));
      nbytes[i] = 0;
    } else if (round < ROUNDS) {
      nbytes[i] = 1 + test_random(&random) % 64;
      EXPECT_OK(dart_allocator_alloc(nbytes[i], DART_TYPE_BYTE, &block[i], allocator));
      EXPECT_EQ((uintptr_t)address(block[i]) % 16, 0);
      test_fill(address(block[i]), me, (int)i, nbytes[i]);
    }
  }
  take_all(allocator, 2048);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

TEST(destroy_gives_the_segment_back) /* with blocks that are still alive */
{
  int16_t segid = 0;

  for (int round = 0; round < 50; round++) {
    dart_allocator_t one, other;
    dart_gptr_t      block, second;

    EXPECT_OK(dart_allocator_new(1 << 16, DART_TEAM_ALL, &one));
    EXPECT_OK(dart_allocator_new(1 << 16, DART_TEAM_ALL, &other));
    EXPECT_OK(dart_allocator_alloc(1 << 16, DART_TYPE_BYTE, &block, one));
    EXPECT_OK(dart_allocator_alloc(1 << 16, DART_TYPE_BYTE, &second, other));
    memset(address(block), 0x11, 1 << 16);
    memset(address(second), 0x22, 1 << 16);
    EXPECT_FILLED(address(block), 0x11, 1 << 16);
    if (round == 0)
      segid = block.segid;
    EXPECT_EQ(block.segid, segid);
    EXPECT_TRUE(second.segid != segid);
    EXPECT_OK(dart_allocator_destroy(&one));
    EXPECT_OK(dart_allocator_destroy(&other));
  }
}

TEST(allocators_may_outlive_their_team)
{
  dart_team_t      team;
  dart_allocator_t allocator;
  dart_gptr_t      block;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_allocator_new(1024, team, &allocator));
  EXPECT_OK(dart_allocator_alloc(1, T_INT64, &block, allocator));
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_INVAL(dart_allocator_alloc(1, T_INT64, &block, allocator));
  EXPECT_TRUE(DART_GPTR_ISNULL(block));
  EXPECT_OK(dart_allocator_destroy(&allocator));
  EXPECT_TRUE(allocator == NULL);
  EXPECT_INVAL(dart_allocator_destroy(&allocator));
}

TEST(too_large_a_pool_is_refused) /* on every unit, and a smaller one is fine */
{
  const size_t     wrong[] = { SIZE_MAX, SIZE_MAX / 2 + 2, (size_t)1 << 46 };
  dart_allocator_t allocator;

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    test_note("%zu bytes", wrong[i]);
    allocator = (dart_allocator_t)&allocator;
    EXPECT_RET(dart_allocator_new(wrong[i], DART_TEAM_ALL, &allocator), DART_ERR_NOMEM);
    EXPECT_TRUE(allocator == NULL);
  }
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &allocator));
  take_all(allocator, 256);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, TAKEN = 16 };

typedef struct worker {
  pthread_t        thread;
  int              number;
  dart_allocator_t allocator;
} worker_t;

static void *take_and_give(void *argument)
{
  worker_t *w = argument;

  for (int round = 0; round < 200; round++) {
    dart_gptr_t block[TAKEN];

    for (int i = 0; i < TAKEN; i++) {
      EXPECT_OK(dart_allocator_alloc(16, DART_TYPE_BYTE, &block[i], w->allocator));
      memset(address(block[i]), 16 * w->number + i, 16);
    }
    for (int i = 0; i < TAKEN; i++) {
      EXPECT_FILLED(address(block[i]), 16 * w->number + i, 16);
      EXPECT_OK(dart_allocator_free(&block[i], w->allocator));
    }
  }
  return NULL;
}

TEST(threads_share_an_allocator) /* just enough for all: nothing is lost, nothing is given twice */
{
  worker_t         worker[THREADS];
  dart_allocator_t allocator;

  EXPECT_OK(dart_allocator_new(THREADS * TAKEN * 16, DART_TEAM_ALL, &allocator));
  for (int t = 0; t < THREADS; t++) {
    worker[t] = (worker_t){ .number = t, .allocator = allocator };
    EXPECT_EQ(pthread_create(&worker[t].thread, NULL, take_and_give, &worker[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(worker[t].thread, NULL);
  take_all(allocator, THREADS * TAKEN * 4);
  EXPECT_OK(dart_allocator_destroy(&allocator));
}
