/* The library's own collectives, between threads: each is a unit with its own view of a team, and
 * nodes are groups of threads that share no exchange. Steps follow one another without a pause, in
 * every order; under ThreadSanitizer, a buffer that is used in two steps at once is a race. Blocks
 * are often large enough to be copied by the kernel, which moves them within this process here. */
#include "node_threads.h"

#include "coll/coll.h"
#include "coll/leader_messages.h"
#include "coll/nodes.h"
#include "coll/step.h"
#include "data/op.h"
#include "data/type.h"
#include "far/far_team.h"
#include "model/world.h"

enum {
  STEPS  = 300,
  SLOT   = 1024, /* bytes */
  RESULT = 2048,
  LITTLE = 64,   /* a result that has no piece of every unit: their nodes' pieces go around */
  WORDS  = 700,  /* most of a block: several pieces */
  MANY   = 30000 /* the same where blocks go directly */
};

static uint32_t         nnodes;
static size_t           result_bytes = RESULT;
static size_t           most_words;
static uint32_t         fan; /* of a tree of barriers; 0: one barrier */
static dart__team_t    *teams[TEST_MOST_THREADS];
static size_t           permitted[TEST_MOST_THREADS]; /* as units found at the end of a job */
static dart_operation_t op_first; /* of two operands the first: does not commute */

/* --- Between nodes: leaders show one another their buffers --- */

typedef struct {
  void         *buffer;
  const size_t *starts;
} shown_t;

static shown_t           shown[TEST_MOST_THREADS];
static int32_t           receiver[TEST_MOST_THREADS]; /* of a leader's message, and its bytes */
static size_t            sent[TEST_MOST_THREADS];
static dart__far_team_t  far[TEST_MOST_THREADS]; /* rooms for messages */
static pthread_barrier_t all_leaders, pair[TEST_MOST_THREADS][TEST_MOST_THREADS];

static void show(const dart__team_t *team, void *buffer, const size_t *starts)
{
  shown[team->node] = (shown_t){ buffer, starts };
  pthread_barrier_wait(&all_leaders);
}

static void seen(void)
{
  pthread_barrier_wait(&all_leaders);
}

void dart__nodes_barrier(dart__team_t *team)
{
  (void)team;
  seen();
}

void dart__nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  show(team, buffer, NULL);
  if (team->node != root)
    memcpy(buffer, shown[root].buffer, nbytes);
  seen();
}

void dart__nodes_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                        dart_datatype_t type, dart_operation_t op, int32_t root)
{
  size_t nbytes = nelem * dart__type_find(type)->elem_size;
  char  *sum    = malloc(nbytes);

  show(team, (void *)(uintptr_t)send, NULL);
  memcpy(sum, shown[team->nnodes - 1].buffer, nbytes);
  for (int32_t node = team->nnodes - 1; node-- > 0;)
    dart__op_combine(op, type, shown[node].buffer, sum, nelem);
  seen();
  if (root < 0 || root == team->node)
    memcpy(recv, sum, nbytes);
  free(sum);
}

/* All leaders call at a time, each with the next one in a ring. */
void dart__nodes_exchange(dart__team_t *team, int32_t to, const void *send, size_t send_nbytes,
                          int32_t from, void *recv, size_t recv_nbytes)
{
  receiver[team->node] = to;
  sent[team->node]     = send_nbytes;
  show(team, (void *)(uintptr_t)send, NULL);
  CHECK(receiver[from] == team->node && sent[from] == recv_nbytes);
  memcpy(recv, shown[from].buffer, recv_nbytes);
  seen();
}

void dart__nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  show(team, buffer, starts);
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      memcpy((char *)buffer + starts[node], (char *)shown[node].buffer + starts[node],
             starts[node + 1] - starts[node]);
  seen();
}

void dart__nodes_gather(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                        int32_t root)
{
  show(team, (void *)(uintptr_t)send, starts);
  for (int32_t node = 0; node < team->nnodes && team->node == root; node++)
    if (node != root)
      memcpy((char *)recv + starts[node], shown[node].buffer, starts[node + 1] - starts[node]);
  seen();
}

void dart__nodes_scatter(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                         int32_t root)
{
  show(team, (void *)(uintptr_t)send, starts);
  if (team->node != root)
    memcpy(recv, (char *)shown[root].buffer + starts[team->node],
           starts[team->node + 1] - starts[team->node]);
  seen();
}

void dart__nodes_swap(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes,
                      void *recv, size_t recv_nbytes)
{
  pthread_barrier_t *both = team->node < node ? &pair[team->node][node] : &pair[node][team->node];
  void              *sent = malloc(send_nbytes);

  memcpy(sent, send, send_nbytes); /* it may be received to where it is */
  shown[team->node].buffer = sent;
  pthread_barrier_wait(both);
  memcpy(recv, shown[node].buffer, recv_nbytes);
  pthread_barrier_wait(both);
  free(sent);
}

void dart__nodes_swap_blocks(dart__team_t *team, const char *send, char *recv, size_t nbytes)
{
  size_t total = (size_t)team->nnodes * nbytes;
  char  *sent  = malloc(total);

  memcpy(sent, send, total); /* as in dart__nodes_swap */
  show(team, sent, NULL);
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      memcpy(recv + (size_t)node * nbytes, (char *)shown[node].buffer + (size_t)team->node * nbytes,
             nbytes);
  seen();
  free(sent);
}

/* --- Units --- */

static uint64_t value_of(uint32_t step, int32_t unit, size_t word)
{
  return ((uint64_t)step << 32 | (uint64_t)unit << 16 | word) * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(uint64_t *block, size_t words, uint32_t step, int32_t unit)
{
  for (size_t word = 0; word < words; word++)
    block[word] = value_of(step, unit, word);
}

static void check(const uint64_t *block, size_t words, uint32_t step, int32_t unit)
{
  for (size_t word = 0; word < words; word++)
    CHECK(block[word] == value_of(step, unit, word));
}

static void reduce(dart__team_t *team, uint32_t step, uint64_t *send, uint64_t *recv, size_t words,
                   int32_t root)
{
  fill(send, words, step, team->me);
  CHECK(dart__coll_reduce(team, send, recv, words, DART_TYPE_ULONGLONG, DART_OP_SUM, root) ==
        DART_OK);
  for (size_t word = 0; word < words && (root < 0 || root == team->me); word++) {
    uint64_t sum = 0;

    for (int32_t u = 0; u < team->nunits; u++)
      sum += value_of(step, u, word);
    CHECK(recv[word] == sum);
  }
}

static void reduce_in_order(dart__team_t *team, uint32_t step, uint64_t *send, uint64_t *recv,
                            size_t words)
{
  fill(send, words, step, team->me);
  CHECK(dart__coll_reduce(team, send, recv, words, DART_TYPE_ULONGLONG, op_first,
                          DART__EVERY_UNIT) == DART_OK);
  check(recv, words, step, 0);
}

static void bcast(dart__team_t *team, uint32_t step, uint64_t *buffer, size_t words, int32_t root)
{
  if (team->me == root)
    fill(buffer, words, step, root);
  CHECK(dart__coll_bcast(team, buffer, words * 8, root) == DART_OK);
  check(buffer, words, step, root);
}

static void allgather(dart__team_t *team, uint32_t step, uint64_t *send, uint64_t *recv,
                      size_t words)
{
  fill(send, words, step, team->me);
  CHECK(dart__coll_allgather(team, send, recv, words * 8) == DART_OK);
  for (int32_t u = 0; u < team->nunits; u++)
    check(recv + (size_t)u * words, words, step, u);
}

static void gather_and_scatter(dart__team_t *team, uint32_t step, uint64_t *send, uint64_t *recv,
                               size_t words, int32_t root)
{
  fill(send, words, step, team->me);
  CHECK(dart__coll_gather(team, send, recv, words * 8, root) == DART_OK);
  for (int32_t u = 0; u < team->nunits && team->me == root; u++)
    check(recv + (size_t)u * words, words, step, u);
  memset(send, 0, words * 8);
  CHECK(dart__coll_scatter(team, recv, send, words * 8, root) == DART_OK);
  check(send, words, step, team->me);
}

static void alltoall(dart__team_t *team, uint32_t step, uint64_t *send, uint64_t *recv,
                     size_t words)
{
  for (int32_t u = 0; u < team->nunits; u++)
    fill(send + (size_t)u * words, words, step, team->me * TEST_MOST_THREADS + u);
  CHECK(dart__coll_alltoall(team, send, recv, words * 8) == DART_OK);
  for (int32_t u = 0; u < team->nunits; u++)
    check(recv + (size_t)u * words, words, step, u * TEST_MOST_THREADS + team->me);
}

static void work(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  dart__team_t *team = teams[me];
  uint64_t     *send = calloc(n * most_words, sizeof *send);
  uint64_t     *recv = calloc(n * most_words, sizeof *recv);
  uint32_t      plan = *(uint32_t *)shared, random = me + 1;
  uint32_t      rounds = test_rounds(policy, n, most_words > WORDS ? STEPS / 5 : STEPS);

  CHECK(send != NULL && recv != NULL);
  for (uint32_t step = 1; step <= rounds; step++) {
    int32_t root  = (int32_t)(test_random(&plan) % n);
    size_t  most  = step % 4 == 0 ? most_words : 1 + test_random(&plan) % most_words;
    size_t  words = 1 + test_random(&plan) % most;

    switch (test_random(&plan) % 9) {
    case 0: dart__coll_barrier(team); break;
    case 1: reduce(team, step, send, recv, words, DART__EVERY_UNIT); break;
    case 2: reduce(team, step, send, recv, words, root); break;
    case 3: reduce_in_order(team, step, send, recv, words); break;
    case 4: bcast(team, step, send, words, root); break;
    case 5: allgather(team, step, send, recv, words); break;
    case 6: gather_and_scatter(team, step, send, recv, words, root); break;
    case 7: alltoall(team, step, send, recv, words); break;
    default: alltoall(team, step, recv, recv, words);
    }
    if (test_random(&random) % 8 == 0)
      test_dawdle(&random);
  }
  free(send);
  free(recv);
}

/* --- Jobs --- */

static void first_of_two(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  (void)user_data;
  memcpy(inoutvec, invec, len * sizeof(uint64_t));
}

/* Put the units of a node into groups; NULL: there are too few. */
static void *make_tree(uint32_t node)
{
  dart__tree_place_t places[TEST_MOST_THREADS] = { { { 0 } } };
  uint32_t           here                      = (uint32_t)teams[node]->node_nunits;
  dart__tree_plan_t *plan = fan == 0 || here <= fan ? NULL : dart__tree_plan(places, here, fan);
  void              *tree = NULL;

  if (plan != NULL) {
    tree = aligned_alloc(DART__CACHE_LINE, dart__tree_bytes(plan));
    assert_non_null(tree);
    dart__tree_format(tree, plan, 0);
    free(plan);
  }
  return tree;
}

/* Units are dealt to the nodes in turn. */
static void run_job(uint32_t n, uint32_t over_nodes, const dart__wait_policy_t *policy,
                    size_t words, size_t direct_least)
{
  int32_t         node_of[TEST_MOST_THREADS], pid_of[TEST_MOST_THREADS];
  dart__members_t members = { .count = (int32_t)n, .stride = 1 };
  char           *memory[TEST_MOST_THREADS];
  void           *tree[TEST_MOST_THREADS];
  uint32_t        seed = 77 + n;

  nnodes     = over_nodes;
  most_words = words;
  for (uint32_t u = 0; u < n; u++) {
    node_of[u] = (int32_t)(u % nnodes);
    pid_of[u]  = getpid();
  }
  dart__world.me       = 0;
  dart__world.nunits   = (int32_t)n;
  dart__world.node_of  = node_of;
  dart__world.near_pid = pid_of;
  assert_true(dart__world_find_nodes());
  dart__world.wait = *policy;
  for (uint32_t u = 0; u < n; u++) {
    dart__world.me = (dart_unit_t)u;
    teams[u]       = dart__team_new(&members);
    assert_non_null(teams[u]);
    if (u < nnodes) {
      uint32_t here = (uint32_t)teams[u]->node_nunits;

      memory[u] =
          aligned_alloc(DART__CACHE_LINE, dart__exchange_bytes(here, n, SLOT, result_bytes));
      assert_non_null(memory[u]);
      dart__exchange_format(memory[u], here, n);
      tree[u] = make_tree(u);
    }
    dart__exchange_open(&teams[u]->exchange, memory[u % nnodes], (uint32_t)teams[u]->node_nunits, n,
                        (uint32_t)teams[u]->node_me, SLOT, result_bytes);
    if (tree[u % nnodes] != NULL)
      dart__step_use_tree(teams[u], tree[u % nnodes]);
    teams[u]->exchange.direct_least = direct_least;
    far[u].room                     = malloc(DART__TEAM_ROOM);
    assert_non_null(far[u].room);
    teams[u]->far = &far[u];
  }
  assert_int_equal(pthread_barrier_init(&all_leaders, NULL, nnodes), 0);
  for (uint32_t k = 0; k < nnodes; k++)
    for (uint32_t l = k + 1; l < nnodes; l++)
      assert_int_equal(pthread_barrier_init(&pair[k][l], NULL, 2), 0);

  test_threads(n, work, &seed, policy);

  for (uint32_t k = 0; k < nnodes; k++)
    for (uint32_t l = k + 1; l < nnodes; l++)
      pthread_barrier_destroy(&pair[k][l]);
  pthread_barrier_destroy(&all_leaders);
  for (uint32_t u = 0; u < n; u++) {
    permitted[u]  = teams[u]->exchange.direct_least;
    teams[u]->far = NULL;
    free(far[u].room);
    dart__team_delete(teams[u]);
  }
  dart__placement_clear(&dart__world.nodes);
  for (uint32_t k = 0; k < nnodes; k++) {
    free(memory[k]);
    free(tree[k]);
  }
}

static void steps_on_one_node_do_not_disturb_each_other(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  run_job(n, 1, policy, WORDS, SIZE_MAX);
}

static void blocks_of_any_size_arrive(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    run_job(n, 1, &test_policies[0], MANY, 0);
    for (uint32_t u = 0; u < n; u++) /* nothing else would say that the kernel is not asked */
      assert_true(permitted[u] > 0 && permitted[u] < SIZE_MAX);
  }
}

static void steps_over_nodes_do_not_disturb_each_other(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  for (uint32_t over_nodes = 2; over_nodes <= 3 && over_nodes <= n; over_nodes++)
    run_job(n, over_nodes, policy, WORDS, 0);
}

static void steps_in_groups_do_not_disturb_each_other(void **state)
{
  (void)state;
  TEST_FOR_POLICIES(policy)
  for (fan = 2; fan <= 3; fan++)
    run_job(TEST_MOST_THREADS, fan - 1, policy, WORDS, SIZE_MAX);
  fan = 0;
}

static void results_without_a_piece_of_each_unit_do(void **state)
{
  (void)state;
  result_bytes = LITTLE;
  TEST_FOR_THREADS(n)
  for (uint32_t over_nodes = 2; over_nodes <= 3 && over_nodes <= n; over_nodes++)
    run_job(n, over_nodes, &test_policies[0], WORDS / 10, 0);
  result_bytes = RESULT;
}

static int create_operator(void **state)
{
  (void)state;
  return dart_op_create(first_of_two, NULL, false, DART_TYPE_ULONGLONG, false, &op_first) !=
         DART_OK;
}

static int destroy_operator(void **state)
{
  (void)state;
  return dart_op_destroy(&op_first) != DART_OK;
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(steps_on_one_node_do_not_disturb_each_other),
                                      cmocka_unit_test(blocks_of_any_size_arrive),
                                      cmocka_unit_test(steps_over_nodes_do_not_disturb_each_other),
                                      cmocka_unit_test(steps_in_groups_do_not_disturb_each_other),
                                      cmocka_unit_test(results_without_a_piece_of_each_unit_do) };

  test_watch();
  return cmocka_run_group_tests_name("collectives", tests, create_operator, destroy_operator);
}
