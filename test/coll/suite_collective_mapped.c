/* Collectives from and to memory that the units of a node share, the pool and segments, which may be copied there
 * without a buffer between; also where only some units' buffers are such memory, in place, and in sub-teams. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(collective_mapped);

enum { FEW = 2049, SOME = 4099, MANY = 40001 }; /* words of a block */

typedef enum { PRIVATE, POOL, SEGMENT, ODD_IN_SEGMENT, IN_DIFFERENT, PLACES } place_t;

/* A buffer of the caller: where it is, by its unit's number. */
typedef struct {
  dart_gptr_t segment, block;
  int64_t    *words, *heap;
} buffer_t;

static buffer_t make(dart_team_t team, place_t place, size_t words)
{
  int      self = test_team_me(team);
  place_t  mine = place == ODD_IN_SEGMENT ? (self % 2 ? SEGMENT : PRIVATE)
                  : place == IN_DIFFERENT ? (place_t)(self % 3)
                                          : place;
  buffer_t b    = { .heap = NULL };
  void    *pool;

  EXPECT_OK(dart_team_memalloc_aligned(team, words, T_INT64, &b.segment));
  EXPECT_OK(dart_memalloc(words, T_INT64, &b.block));
  EXPECT_OK(dart_gptr_getaddr(b.block, &pool));
  b.heap  = malloc(words * sizeof(int64_t));
  b.words = mine == SEGMENT ? test_mine(b.segment) : mine == POOL ? pool : b.heap;
  return b;
}

static void delete (buffer_t *b)
{
  free(b->heap);
  EXPECT_OK(dart_memfree(b->block));
  EXPECT_OK(dart_team_memfree(b->segment));
}

/* Word i of what unit `from` has for unit `to`. */
static int64_t word(int from, int to, size_t i)
{
  return 1000003 * (int64_t)from + 10007 * (int64_t)to + (int64_t)i;
}

static void fill(int64_t *block, int from, int to, size_t words)
{
  for (size_t i = 0; i < words; i++)
    block[i] = word(from, to, i);
}

static bool has(const int64_t *block, int from, int to, size_t words)
{
  for (size_t i = 0; i < words; i++)
    if (block[i] != word(from, to, i))
      return false;
  return true;
}

typedef struct {
  dart_team_t team;
  int         self, size;
  size_t      words;
  int64_t    *send, *recv; /* a block for every unit */
} run_t;

static void rooted(const run_t *r, int root)
{
  dart_team_unit_t from = DART_TEAM_UNIT_ID(root);

  fill(r->send, r->self, 0, r->words);
  EXPECT_OK(dart_bcast(r->send, r->words, T_INT64, from, r->team));
  EXPECT_TRUE(has(r->send, root, 0, r->words));

  fill(r->send, r->self, root, r->words);
  EXPECT_OK(dart_gather(r->send, r->recv, r->words, T_INT64, from, r->team));
  for (int u = 0; u < r->size && r->self == root; u++)
    EXPECT_TRUE(has(r->recv + (size_t)u * r->words, u, root, r->words));

  for (int u = 0; u < r->size; u++)
    fill(r->send + (size_t)u * r->words, r->self, u, r->words);
  EXPECT_OK(dart_scatter(r->send, r->recv, r->words, T_INT64, from, r->team));
  EXPECT_TRUE(has(r->recv, root, r->self, r->words));
}

static void for_all(const run_t *r, bool in_place)
{
  int64_t *send = in_place ? r->recv : r->send;
  int64_t *own  = in_place ? r->recv + (size_t)r->self * r->words : r->send;

  fill(own, r->self, 7, r->words);
  EXPECT_OK(dart_allgather(own, r->recv, r->words, T_INT64, r->team));
  for (int u = 0; u < r->size; u++)
    EXPECT_TRUE(has(r->recv + (size_t)u * r->words, u, 7, r->words));

  for (int u = 0; u < r->size; u++)
    fill(send + (size_t)u * r->words, r->self, u, r->words);
  EXPECT_OK(dart_alltoall(send, r->recv, r->words, T_INT64, r->team));
  for (int u = 0; u < r->size; u++)
    EXPECT_TRUE(has(r->recv + (size_t)u * r->words, u, r->self, r->words));
}

/* Blocks of different sizes: of unit 0 there is none. */
static void of_any_size(const run_t *r)
{
  size_t *nelem = malloc(2 * (size_t)r->size * sizeof *nelem), *displs = nelem + r->size;

  for (int u = 0; u < r->size; u++) {
    nelem[u]  = r->words / (size_t)r->size * (size_t)u;
    displs[u] = (size_t)(r->size - 1 - u) * r->words;
  }
  fill(r->send, r->self, 3, nelem[r->self]);
  EXPECT_OK(dart_allgatherv(r->send, nelem[r->self], T_INT64, r->recv, nelem, displs, r->team));
  for (int u = 0; u < r->size; u++)
    EXPECT_TRUE(has(r->recv + displs[u], u, 3, nelem[u]));
  free(nelem);
}

static void reduced(const run_t *r, int root, bool in_place)
{
  int64_t *send = in_place ? r->recv : r->send;
  int64_t  sum = 0, wrong = 0, most = word(r->size - 1, 0, 0);

  for (int u = 0; u < r->size; u++)
    sum += word(u, 0, 0);
  fill(send, r->self, 0, r->words);
  EXPECT_OK(dart_allreduce(send, r->recv, r->words, T_INT64, DART_OP_SUM, r->team));
  for (size_t i = 0; i < r->words; i++)
    wrong += r->recv[i] != sum + r->size * (int64_t)i;
  EXPECT_EQ(wrong, 0);

  fill(send, r->self, 0, r->words);
  EXPECT_OK(
      dart_reduce(send, r->recv, r->words, T_INT64, DART_OP_MAX, DART_TEAM_UNIT_ID(root), r->team));
  for (size_t i = 0; i < r->words && r->self == root; i++)
    wrong += r->recv[i] != most + (int64_t)i;
  EXPECT_EQ(wrong, 0);
}

static void run(dart_team_t team, place_t send_place, place_t recv_place, size_t words)
{
  run_t    r    = { team, test_team_me(team), test_team_size(team), words, NULL, NULL };
  buffer_t send = make(team, send_place, (size_t)r.size * words);
  buffer_t recv = make(team, recv_place, (size_t)r.size * words);

  r.send = send.words;
  r.recv = recv.words;
  test_note("team %d, %zu words, from %d to %d", team, words, send_place, recv_place);
  rooted(&r, 0);
  rooted(&r, r.size - 1);
  for_all(&r, false);
  for_all(&r, true);
  of_any_size(&r);
  reduced(&r, r.size - 1, false);
  reduced(&r, 0, true);
  delete (&send);
  delete (&recv);
}

TEST(buffers_of_all_kinds_meet)
{
  run(DART_TEAM_ALL, SEGMENT, SEGMENT, MANY);
  for (place_t place = POOL; place < PLACES; place++)
    run(DART_TEAM_ALL, place, place, SOME);
  run(DART_TEAM_ALL, SEGMENT, PRIVATE, FEW);
  run(DART_TEAM_ALL, PRIVATE, SEGMENT, FEW);
}

TEST_N(3, memory_of_a_sub_team_is_found)
{
  dart_team_t team = test_split(DART_TEAM_ALL, 2);

  run(team, SEGMENT, POOL, SOME);
  run(team, IN_DIFFERENT, SEGMENT, SOME);
}

TEST(a_buffer_at_the_end_of_its_portion)
{
  dart_gptr_t first = test_segment(DART_TEAM_ALL, 32768, 0), at;

  for (int i = 0; i < 3; i++) /* segments in a row; a buffer is the second half of one */
    test_segment(DART_TEAM_ALL, 32768, 0);
  at = first;
  for (int round = 0; round < 2; round++) {
    int64_t *half = (int64_t *)test_mine(at) + 2048;

    fill(half, me, round, 2048);
    EXPECT_OK(dart_bcast(half, 2048, T_INT64, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
    EXPECT_TRUE(has(half, n - 1, round, 2048));
  }
}
