/* Updates that travel by the relays of a node (far/relayed.h). Small jobs have none, so builds with assertions are told
 * here to have them; others have them if there are units enough. Results are the same with and without: what is asserted
 * of the path is asserted where there are relays. */
#include <stdlib.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/ext/dart_wait_word.h>

#include "counted.h"
#include "dart_test.h"

SUITE_WITHOUT_INIT(relayed);

enum { UNITS = 1024, WORDS = 64 };

/* Each unit's node, and its index there, as the library numbers them. */
static struct {
  int node[UNITS], index[UNITS], nunits[UNITS]; /* nunits: by node */
  int nnodes, most, least;
} nodes;

static dart_gptr_t words; /* WORDS of each unit on each unit */

static int first_near(dart_gptr_t gptr)
{
  int u = 0;

  while (dart_near_ptr(test_unit(gptr, u)) == NULL)
    u++;
  return u;
}

static void find_nodes(void)
{
  int first[UNITS], mine = first_near(words);

  EXPECT_OK(dart_allgather(&mine, first, 1, DART_TYPE_INT, DART_TEAM_ALL));
  nodes.nnodes = 0;
  for (int u = 0; u < n; u++) {
    int node = first[u] == u ? nodes.nnodes++ : nodes.node[first[u]];

    if (first[u] == u)
      nodes.nunits[node] = 0;
    nodes.node[u]  = node;
    nodes.index[u] = nodes.nunits[node]++;
  }
  nodes.most = nodes.least = nodes.nunits[0];
  for (int node = 0; node < nodes.nnodes; node++) {
    nodes.most  = nodes.nunits[node] > nodes.most ? nodes.nunits[node] : nodes.most;
    nodes.least = nodes.nunits[node] < nodes.least ? nodes.nunits[node] : nodes.least;
  }
}

static void begin(void)
{
  setenv("DART_TEST_RELAYED", "1", 1);
  test_init();
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)n * WORDS, T_INT64, &words));
  for (int i = 0; i < n * WORDS; i++)
    test_mine(words)[i] = 0;
  find_nodes();
  look();
  test_barrier();
}

static void end(void)
{
  EXPECT_OK(dart_flush_all(words));
  test_barrier();
  EXPECT_OK(dart_team_memfree(words));
  EXPECT_OK(dart_exit());
  unsetenv("DART_TEST_RELAYED");
}

static bool are_relayed(void)
{
#ifdef DART_ENABLE_ASSERTIONS
  return test_has_agent() && nodes.nnodes > 1 && nodes.most > 1;
#else
  return since(DART__COUNT_RELAYED) > 0;
#endif
}

static dart_gptr_t word_of(int unit, int writer, int index)
{
  return test_at(test_unit(words, unit), (size_t)(writer * WORDS + index));
}

static void add(dart_gptr_t at, int64_t by)
{
  EXPECT_OK(dart_accumulate(at, &by, 1, T_INT64, DART_OP_SUM));
}

/* ---- results ---------------------------------------------------------------------------------- */

TEST(updates_of_all_units_are_exact)
{
  enum { ROUNDS = 40 };
  int64_t sum = 0;

  begin();
  for (int round = 1; round <= ROUNDS; round++)
    for (int u = 0; u < n; u++)
      for (int i = 0; i < WORDS; i += 1 + round % 7)
        add(word_of(u, 0, i), round + me);
  if (me % 2 == 0)
    EXPECT_OK(dart_flush_all(words));
  for (int u = 0; me % 2 != 0 && u < n; u++)
    EXPECT_OK(dart_flush(test_unit(words, u)));
  test_barrier();
  for (int i = 0; i < WORDS; i++, sum = 0) {
    for (int round = 1; round <= ROUNDS; round++)
      if (i % (1 + round % 7) == 0)
        sum += round * n + n * (n - 1) / 2;
    EXPECT_EQ(test_mine(words)[i], sum);
  }
  EXPECT_TRUE(!are_relayed() || since(DART__COUNT_RELAYED) == since(DART__COUNT_ATOMIC_FAR));
  test_barrier();
  end();
}

/* Each operation gives another result in another place of the row. */
static int64_t update(dart_gptr_t at, int64_t value, uint64_t random)
{
  int64_t operand = 1 + (int64_t)(random >> 8 & 0xff);

  switch (random % 4) {
  case 0: EXPECT_OK(dart_accumulate(at, &operand, 1, T_INT64, DART_OP_REPLACE)); return operand;
  case 1:
    EXPECT_OK(dart_accumulate(at, &operand, 1, T_INT64, DART_OP_BXOR));
    return value ^ operand;
  case 2:
    EXPECT_OK(dart_accumulate(at, &operand, 1, T_INT64, DART_OP_MAX));
    return value > operand ? value : operand;
  default: add(at, operand); return value + operand;
  }
}

TEST(updates_of_a_word_take_effect_in_their_order)
{
  enum { MANY = 6000 };
  test_random_t random          = { 17 };
  int64_t       value[UNITS][4] = { { 0 } };

  begin();
  for (int i = 0; i < MANY; i++) {
    uint64_t drawn = test_random(&random);
    int      u = (int)(drawn % (uint64_t)n), w = (int)(drawn >> 32) & 3;

    value[u][w] = update(word_of(u, me, w), value[u][w], drawn >> 16);
    if (i % 16 == 15) /* so that units send one after the other what all have appended */
      EXPECT_OK(dart_progress());
    if (i % 1000 == 999)
      EXPECT_OK(dart_flush_local_all(words));
  }
  EXPECT_OK(dart_flush_all(words));
  for (int u = 0; u < n; u++)
    for (int w = 0; w < 4; w++) {
      int64_t found;

      EXPECT_OK(dart_get_blocking(&found, word_of(u, me, w), 1, T_INT64, T_INT64));
      EXPECT_EQ(found, value[u][w]);
    }
  test_barrier();
  end();
}

/* Another operation on the word, whose result `value` is, without a flush before it. */
static void put_in_one_way(dart_gptr_t at, int way, int64_t value)
{
  dart_handle_t handle = DART_HANDLE_NULL;
  int64_t       before;

  switch (way) {
  case 0: EXPECT_OK(dart_put(at, &value, 1, T_INT64, T_INT64)); break;
  case 1: EXPECT_OK(dart_put_blocking(at, &value, 1, T_INT64, T_INT64)); break;
  case 2:
    EXPECT_OK(dart_put_handle(at, &value, 1, T_INT64, T_INT64, &handle));
    EXPECT_OK(dart_wait(&handle));
    break;
  default:
    EXPECT_OK(dart_fetch_and_op(at, &value, &before, T_INT64, DART_OP_REPLACE));
    EXPECT_OK(dart_flush_local(at));
    EXPECT_EQ(before % 100, 7); /* the update before it */
  }
}

TEST(other_operations_on_a_word_keep_their_order)
{
  enum { ROUNDS = 12, WAYS = 4 };

  begin();
  for (int round = 0; round < ROUNDS; round++)
    for (int u = 0; u < n; u++) {
      dart_gptr_t at    = word_of(u, me, round % 3);
      int64_t     value = 100 * round, found;

      for (int i = 0; i < 40 * (round % 2); i++) /* a stream, or not */
        add(word_of(u, me, 8 + i), 1);
      value += 7;
      EXPECT_OK(dart_accumulate(at, &value, 1, T_INT64, DART_OP_REPLACE));
      value += 1000;
      put_in_one_way(at, round % WAYS, value);
      add(at, 1);
      EXPECT_OK(dart_flush(at));
      EXPECT_OK(dart_get_blocking(&found, at, 1, T_INT64, T_INT64));
      EXPECT_EQ(found, value + 1);
    }
  test_barrier();
  end();
}

TEST(an_order_holds_for_updates_before_it)
{
  enum { ROUNDS = 50 };
  int     to, from;
  int64_t round;

  begin();
  to   = (me + 1) % n;
  from = (me + n - 1) % n;
  for (round = 1; round <= ROUNDS; round++) {
    add(word_of(to, me, 0), 1);
    EXPECT_OK(dart_order(test_unit(words, to)));
    EXPECT_OK(dart_put(word_of(to, me, 1), &round, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush_local(test_unit(words, to)));
    EXPECT_OK(dart_wait_word(word_of(me, from, 1), T_INT64, DART_WAIT_GE, &round, -1));
    EXPECT_TRUE(test_mine(words)[from * WORDS] >= round);
  }
  end();
}

/* The gets are requests that wait until the agent of unit 0, which computes, serves them; the update comes by another unit
 * of the node. */
TEST(an_order_holds_for_updates_after_it)
{
  enum { ROUNDS = 20, GETS = 16 };
  int64_t got[GETS];

  begin();
  for (int64_t round = 1; round <= ROUNDS; round++) {
    test_barrier();
    if (me == 0) {
      if (test_has_agent() || nodes.nnodes == 1)
        for (int u = 1; u < n; u++)
          while (__atomic_load_n(&test_mine(words)[u * WORDS], __ATOMIC_ACQUIRE) < round)
            test_pause(); /* no call of DART */
      continue;
    }
    for (int i = 0; i < GETS; i++)
      EXPECT_OK(dart_get(&got[i], word_of(0, me, 0), 1, T_INT64, T_INT64));
    EXPECT_OK(dart_order(test_unit(words, 0)));
    add(word_of(0, me, 0), 1);
    EXPECT_OK(dart_flush(test_unit(words, 0)));
    for (int i = 0; i < GETS; i++)
      EXPECT_EQ(got[i], round - 1);
  }
  end();
}

/* ---- the path --------------------------------------------------------------------------------- */

/* Whether some node's relay sends to this unit. */
static bool is_partner(void)
{
  for (int node = 0; node < nodes.nnodes; node++)
    if (node != nodes.node[me] && node % nodes.nunits[nodes.node[me]] == nodes.index[me])
      return true;
  return false;
}

TEST(only_partners_of_nodes_get_messages)
{
  begin();
  for (int round = 0; round < 20; round++)
    for (int u = 0; u < n; u++)
      add(word_of(u, me, round), 1);
  EXPECT_OK(dart_flush_all(words));
  test_barrier();
  for (int i = 0; i < n; i++)
    EXPECT_EQ(test_mine(words)[i * WORDS + 19], 1);
  if (are_relayed())
    EXPECT_EQ(since(DART__COUNT_APPLIED) > 0, is_partner());
  test_barrier();
  end();
}

/* A unit with agent that computes holds up nobody: what it has collected, and what is for its node. */
TEST(updates_leave_and_come_while_a_unit_computes)
{
  int64_t all = 0;

  begin();
  for (int u = 0; u < n; u++)
    add(word_of(u, 0, 0), 1);
  if (test_has_agent() || nodes.nnodes == 1)
    while (__atomic_load_n(&test_mine(words)[0], __ATOMIC_ACQUIRE) < n)
      test_pause(); /* no call of DART */
  EXPECT_OK(dart_flush_all(words));
  test_barrier();
  EXPECT_OK(dart_get_blocking(&all, word_of((me + 1) % n, 0, 0), 1, T_INT64, T_INT64));
  EXPECT_EQ(all, n);
  test_barrier();
  end();
}
