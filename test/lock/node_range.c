/* Tables of range locks: requests are served in the order in which they conflict, by comparison with a list that
 * is searched; and between threads nobody is in where another is. */
#include "node_threads.h"

#include "range_check.h"

enum { CAPACITY = 64, STEPS = 60000, NUMBERS = 40, MOST_SPANS = 4, ROUNDS = 3000 };

static dart__range_table_t *new_table(uint32_t capacity)
{
  dart__range_table_t *table = aligned_alloc(64, (dart__range_bytes(capacity) + 63) / 64 * 64);

  assert_non_null(table);
  dart__range_format(table, capacity);
  return table;
}

static uint32_t draw(uint64_t *random, uint32_t below)
{
  *random = *random * 6364136223846793005U + 1442695040888963407U;
  return (uint32_t)(*random >> 33) % below;
}

static size_t draw_spans(uint64_t *random, dart__span_t *spans)
{
  size_t n = 1 + draw(random, MOST_SPANS);

  for (size_t i = 0; i < n; i++) {
    spans[i].first     = draw(random, NUMBERS);
    spans[i].last      = spans[i].first + draw(random, draw(random, 4) == 0 ? NUMBERS : 4);
    spans[i].exclusive = draw(random, 2);
  }
  return n;
}

/* ---- against a list ---------------------------------------------------------------------------- */

/* Requests in the order in which they came. */
typedef struct {
  dart__span_t spans[MOST_SPANS];
  size_t       n;
  uint64_t     ticket;
  uint64_t     name;
  bool         is_held;
} entry_t;

static struct {
  entry_t entry[CAPACITY];
  size_t  n;
  size_t  nspans;
} list;

static bool entries_conflict(const entry_t *a, const entry_t *b)
{
  for (size_t i = 0; i < a->n; i++)
    for (size_t j = 0; j < b->n; j++)
      if (a->spans[i].first <= b->spans[j].last && b->spans[j].first <= a->spans[i].last &&
          (a->spans[i].exclusive || b->spans[j].exclusive))
        return true;
  return false;
}

/* Whether an entry has none before it that it conflicts with. */
static bool may_hold(const entry_t *entry)
{
  for (const entry_t *older = list.entry; older < entry; older++)
    if (entries_conflict(older, entry))
      return false;
  return true;
}

static void remove_entry(size_t at)
{
  list.nspans -= list.entry[at].n;
  memmove(&list.entry[at], &list.entry[at + 1], (list.n - at - 1) * sizeof list.entry[0]);
  list.n--;
}

/* Those that are listed as granted are those that may hold now, and did not before. */
static void expect_granted(const dart__range_waiter_t *granted, size_t n)
{
  size_t expected = 0;

  for (size_t i = 0; i < list.n; i++) {
    entry_t *entry     = &list.entry[i];
    bool     is_listed = false;

    if (entry->is_held || !may_hold(entry))
      continue;
    expected++;
    entry->is_held = true;
    for (size_t k = 0; k < n; k++)
      is_listed |= granted[k].flag == entry->name && granted[k].unit == (int64_t)entry->name + 7;
    assert_true(is_listed);
  }
  assert_int_equal(n, expected);
}

static void enter_one(dart__range_table_t *table, uint64_t *random, uint64_t name)
{
  entry_t             *entry    = &list.entry[list.n];
  dart__range_waiter_t waiter   = { name, (int32_t)name + 7, 0 };
  bool                 may_wait = draw(random, 2) == 0, is_free;
  dart__range_state_t  state;

  *entry   = (entry_t){ .name = name };
  entry->n = draw_spans(random, entry->spans);
  is_free  = may_hold(entry);
  state    = dart__range_enter(table, &waiter, entry->spans, entry->n, may_wait, &entry->ticket);
  if (list.nspans + entry->n > CAPACITY) {
    assert_int_equal(state, DART__RANGE_FULL);
    return;
  }
  if (state == DART__RANGE_NEXT)
    state = DART__RANGE_WAITS;
  assert_int_equal(state, is_free    ? DART__RANGE_HELD
                          : may_wait ? DART__RANGE_WAITS
                                     : DART__RANGE_BUSY);
  if (state == DART__RANGE_BUSY)
    return;
  entry->is_held = is_free;
  list.nspans += entry->n;
  list.n++;
}

static void leave_one(dart__range_table_t *table, uint64_t *random)
{
  dart__range_waiter_t granted[CAPACITY];
  size_t               at     = draw(random, (uint32_t)list.n), n;
  uint64_t             ticket = list.entry[at].ticket;

  if (list.entry[at].is_held && draw(random, 8) != 0) {
    n = dart__range_leave(table, ticket, granted, CAPACITY, NULL);
    remove_entry(at);
  } else {
    bool waits = !list.entry[at].is_held;

    assert_int_equal(dart__range_cancel(table, ticket, granted, CAPACITY, &n), waits);
    if (waits)
      remove_entry(at);
  }
  expect_granted(granted, n);
}

static void requests_are_served_as_a_list_would(void **state)
{
  dart__range_table_t *table  = new_table(CAPACITY);
  uint64_t             random = 1;

  (void)state;
  for (uint64_t step = 0; step < STEPS; step++) {
    if (list.n == 0 || draw(&random, 100) < (step / 500 % 2 == 0 ? 65 : 35))
      enter_one(table, &random, step);
    else
      leave_one(table, &random);
    if (step % 16 == 0)
      assert_ptr_equal(range_check(table), NULL);
  }
  while (list.n > 0)
    leave_one(table, &random);
  assert_ptr_equal(range_check(table), NULL);
  free(table);
}

static void the_ends_of_the_numbers_are_numbers(void **state)
{
  dart__range_table_t *table = new_table(4);
  dart__range_waiter_t none  = { 0, 0, 0 };
  dart__span_t         all = { 0, UINT64_MAX, 1 }, first = { 0, 0, 1 },
               last = { UINT64_MAX, UINT64_MAX, 0 };
  uint64_t ticket[2];

  (void)state;
  assert_int_equal(dart__range_enter(table, &none, &first, 1, false, &ticket[0]), DART__RANGE_HELD);
  assert_int_equal(dart__range_enter(table, &none, &last, 1, false, &ticket[1]), DART__RANGE_HELD);
  assert_int_equal(dart__range_enter(table, &none, &all, 1, false, &ticket[0]), DART__RANGE_BUSY);
  dart__range_leave(table, ticket[0], NULL, 0, NULL);
  assert_int_equal(dart__range_enter(table, &none, &all, 1, false, &ticket[0]), DART__RANGE_BUSY);
  dart__range_leave(table, ticket[1], NULL, 0, NULL);
  assert_int_equal(dart__range_enter(table, &none, &all, 1, false, &ticket[0]), DART__RANGE_HELD);
  assert_int_equal(dart__range_enter(table, &none, &last, 1, false, &ticket[1]), DART__RANGE_BUSY);
  free(table);
}

/* Requests of many spans each, one behind the other, and some of them leave. */
static void the_tree_is_not_deep(void **state)
{
  enum { REQUESTS = 128, SPANS = 128 };
  dart__range_table_t *table = new_table(REQUESTS * SPANS);
  dart__range_waiter_t none  = { 0, 0, 0 };
  uint64_t             ticket[REQUESTS];

  (void)state;
  for (uint64_t i = 0; i < REQUESTS; i++) {
    dart__span_t spans[SPANS];

    for (uint64_t k = 0; k < SPANS; k++)
      spans[k] = (dart__span_t){ 10 * (i * SPANS + k), 10 * (i * SPANS + k) + 5, 1 };
    assert_int_equal(dart__range_enter(table, &none, spans, SPANS, false, &ticket[i]),
                     DART__RANGE_HELD);
  }
  assert_ptr_equal(range_check(table), NULL);
  for (int i = 0; i < REQUESTS; i += 3)
    dart__range_leave(table, ticket[i], NULL, 0, NULL);
  assert_ptr_equal(range_check(table), NULL);
  free(table);
}

/* Nodes that are visited by a request, and by its leave if it was held. */
static uint64_t visits_of(dart__range_table_t *table, dart__span_t span,
                          dart__range_state_t expected)
{
  dart__range_waiter_t none   = { 0, 0, 0 }, granted[4];
  uint64_t             before = visited, ticket;

  assert_int_equal(dart__range_enter(table, &none, &span, 1, false, &ticket), expected);
  if (expected == DART__RANGE_HELD)
    assert_int_equal(dart__range_leave(table, ticket, granted, 4, NULL), 0);
  return visited - before;
}

/* Shared spans from 0 on, all of the same numbers, and exclusive ones behind them. What it costs to come in beside
 * them, or to be told that one may not, does not grow with how many they are. */
static void few_of_many_are_looked_at(void **state)
{
  enum { HELD = 4096, MOST = 16 + 5 * 14 }; /* as most_depth of range_check.h */
  dart__range_table_t *table = new_table(HELD + 2);
  dart__range_waiter_t none  = { 0, 0, 0 };
  uint64_t             ticket;

  (void)state;
  for (uint64_t i = 0; i < HELD; i++) {
    dart__span_t span = i < HELD / 2 ? (dart__span_t){ 0, 100 + i % 7, 0 }
                                     : (dart__span_t){ 10 * i, 10 * i + 5, i % 2 };

    assert_int_equal(dart__range_enter(table, &none, &span, 1, false, &ticket), DART__RANGE_HELD);
  }
  assert_ptr_equal(range_check(table), NULL);
  assert_in_range(visits_of(table, (dart__span_t){ 0, 0, 0 }, DART__RANGE_HELD), 1, 2 * MOST);
  assert_in_range(visits_of(table, (dart__span_t){ 0, 200, 0 }, DART__RANGE_HELD), 1, 2 * MOST);
  assert_in_range(visits_of(table, (dart__span_t){ 50, 60, 0 }, DART__RANGE_HELD), 1, 2 * MOST);
  assert_in_range(visits_of(table, (dart__span_t){ 0, 0, 1 }, DART__RANGE_BUSY), 1, MOST);
  assert_in_range(visits_of(table, (dart__span_t){ 0, UINT64_MAX, 1 }, DART__RANGE_BUSY), 1, MOST);
  assert_in_range(visits_of(table, (dart__span_t){ 0, UINT64_MAX, 0 }, DART__RANGE_BUSY), 1, MOST);
  free(table);
}

static uint64_t must_wait(dart__range_table_t *table, const dart__span_t *spans, size_t n,
                          int32_t unit)
{
  dart__range_waiter_t waiter = { 0, unit, 1 };
  uint64_t             ticket;

  assert_in_range(dart__range_enter(table, &waiter, spans, n, true, &ticket), DART__RANGE_WAITS,
                  DART__RANGE_NEXT);
  return ticket;
}

/* Thousands wait for the same. Another one comes, gives up, and is let in, without a look at all of them. */
static void few_of_many_that_wait_are_looked_at(void **state)
{
  enum { WAITING = 4096, MOST = 16 + 5 * 14 };
  dart__range_table_t *table = new_table(WAITING + 2);
  dart__range_waiter_t granted[4], none = { 0, 0, 0 };
  dart__span_t         span = { 100, 200, 1 };
  uint64_t             ticket[WAITING], last, before;
  size_t               n;

  (void)state;
  assert_int_equal(dart__range_enter(table, &none, &span, 1, true, &ticket[0]), DART__RANGE_HELD);
  for (int i = 1; i < WAITING; i++)
    ticket[i] = must_wait(table, &span, 1, i);
  for (int i = 0; i + 3 < WAITING; i += 2) {
    before = visited;
    span   = (dart__span_t){ 150, 160, (uint64_t)(i & 2) / 2 };
    last   = must_wait(table, &span, 1, -1);
    assert_true(dart__range_cancel(table, last, granted, 4, &n));
    assert_int_equal(n, 0);
    assert_true(dart__range_cancel(table, ticket[i + 1], granted, 4, &n)); /* from the middle */
    assert_int_equal(n, 0);
    assert_int_equal(dart__range_leave(table, ticket[i], granted, 4, NULL), 1);
    assert_int_equal(granted[0].unit, i + 2);
    assert_in_range(visited - before, 1, 8 * MOST);
  }
  assert_ptr_equal(range_check(table), NULL);
  free(table);
}

/* One waits for thousands that are held, which leave in any order: at most one look for each of them. */
static void one_waits_for_many(void **state)
{
  enum { HELD = 4096, MOST = 16 + 5 * 14 };
  dart__range_table_t *table = new_table(HELD + 2);
  dart__range_waiter_t granted[4], none = { 0, 0, 0 };
  dart__span_t         all = { 0, UINT64_MAX, 1 };
  uint64_t             ticket[HELD], before;

  (void)state;
  for (uint64_t i = 0; i < HELD; i++) {
    dart__span_t span = { 10 * i, 10 * i + 20, 0 };

    assert_int_equal(dart__range_enter(table, &none, &span, 1, false, &ticket[i]),
                     DART__RANGE_HELD);
  }
  before = visited;
  must_wait(table, &all, 1, 7);
  assert_in_range(visited - before, 1, MOST);
  for (uint64_t i = 0; i < HELD; i++) { /* neither the newest nor the oldest first */
    size_t n;

    before = visited;
    n      = dart__range_leave(table, ticket[(3 * (HELD - 1 - i) + 1) % HELD], granted, 4, NULL);
    assert_int_equal(n, i == HELD - 1);
    assert_in_range(visited - before, 0, MOST);
  }
  assert_int_equal(granted[0].unit, 7);
  assert_ptr_equal(range_check(table), NULL);
  free(table);
}

/* An exclusive span of number 0 alone, whose last number is that of no span. */
static void number_zero_is_locked_like_others(void **state)
{
  dart__range_table_t *table = new_table(4);
  dart__range_waiter_t none  = { 0, 0, 0 };
  dart__span_t         zero  = { 0, 0, 1 };
  uint64_t             ticket;

  (void)state;
  assert_int_equal(dart__range_enter(table, &none, &zero, 1, false, &ticket), DART__RANGE_HELD);
  visits_of(table, (dart__span_t){ 0, 0, 0 }, DART__RANGE_BUSY);
  visits_of(table, (dart__span_t){ 0, 9, 0 }, DART__RANGE_BUSY);
  visits_of(table, (dart__span_t){ 1, 9, 0 }, DART__RANGE_HELD);
  free(table);
}

/* What a unit holds leaves at once, and what waits for it is granted; what waits of its own stays. */
static void a_unit_leaves_with_all_it_holds(void **state)
{
  dart__range_table_t *table = new_table(16);
  dart__span_t span[5] = { { 0, 9, 1 }, { 20, 29, 1 }, { 40, 49, 0 }, { 0, 9, 1 }, { 5, 25, 1 } };
  static const int32_t unit[5] = { 3, 3, 4, 3, 4 };
  dart__range_waiter_t granted[4];
  uint64_t             ticket[5];

  (void)state;
  for (int i = 0; i < 5; i++) {
    dart__range_waiter_t waiter = { 100 + (uint64_t)i, unit[i], 0 };

    assert_int_equal(dart__range_enter(table, &waiter, &span[i], 1, true, &ticket[i]) ==
                         DART__RANGE_HELD,
                     i < 3);
  }
  assert_int_equal(dart__range_leave_all(table, 5, granted, 4), 0);
  assert_int_equal(dart__range_leave_all(table, 3, granted, 4), 1);
  assert_int_equal(granted[0].flag, 103); /* was granted by it, and stays */
  assert_ptr_equal(range_check(table), NULL);
  assert_int_equal(dart__range_leave(table, ticket[3], granted, 4, NULL), 1);
  assert_int_equal(granted[0].flag, 104);
  assert_int_equal(dart__range_leave_all(table, 4, granted, 4), 0);
  assert_ptr_equal(range_check(table), NULL);
  free(table);
}

/* Who is behind the one that a leave has let in; not who waits for two, nor who waits for nobody. */
static void who_is_next_but_one_is_known(void **state)
{
  dart__range_table_t *table = new_table(16);
  dart__span_t span[5] = { { 5, 9, 1 }, { 0, 20, 1 }, { 7, 8, 0 }, { 9, 9, 1 }, { 40, 50, 1 } };
  dart__range_waiter_t granted[4], soon;
  uint64_t             ticket[5];

  (void)state;
  for (int i = 0; i < 5; i++) {
    static const dart__range_state_t expected[5] = { DART__RANGE_HELD, DART__RANGE_NEXT,
                                                     DART__RANGE_WAITS, DART__RANGE_WAITS,
                                                     DART__RANGE_HELD };
    dart__range_waiter_t             waiter      = { 100 + (uint64_t)i, i, 1 };

    assert_int_equal(dart__range_enter(table, &waiter, &span[i], 1, true, &ticket[i]), expected[i]);
  }
  assert_int_equal(dart__range_leave(table, ticket[4], granted, 4, &soon), 0);
  assert_int_equal(soon.unit, -1);
  assert_int_equal(dart__range_leave(table, ticket[0], granted, 4, &soon), 1);
  assert_int_equal(granted[0].unit, 1);
  assert_true(soon.unit == 2 || soon.unit == 3); /* both wait for 1 only */
  assert_int_equal(dart__range_leave(table, ticket[1], granted, 4, &soon), 2);
  assert_int_equal(soon.unit, -1);
  free(table);
}

/* ---- between threads ----------------------------------------------------------------------------- */

static struct {
  dart__range_table_t *table;
  uint64_t             value[2 * NUMBERS]; /* plain: exclusive holders write, shared ones read */
  _Atomic uint32_t     flag[TEST_MOST_THREADS];
} common;

static void tell(const dart__range_waiter_t *waiter)
{
  atomic_fetch_add_explicit(&common.flag[waiter->unit], 1, memory_order_release);
  dart__futex_wake(&common.flag[waiter->unit], 1);
}

static void await(uint32_t me, uint32_t before)
{
  while (atomic_load_explicit(&common.flag[me], memory_order_acquire) == before)
    dart__futex_wait(&common.flag[me], before, 0);
}

/* Cell i and cell NUMBERS + i are written together. */
static void work(const dart__span_t *span)
{
  for (uint64_t i = span->first; i <= span->last && i < NUMBERS; i++) {
    if (span->exclusive)
      common.value[i]++;
    CHECK(common.value[i] == common.value[NUMBERS + i] + (span->exclusive ? 1 : 0));
    if (span->exclusive)
      common.value[NUMBERS + i]++;
  }
}

static void one_span(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  uint64_t random = me + 1;

  (void)n, (void)shared, (void)policy;
  for (int round = 0; round < ROUNDS; round++) {
    dart__range_waiter_t granted[TEST_MOST_THREADS], waiter = { 0, (int32_t)me, 1 };
    dart__span_t         span   = { draw(&random, NUMBERS), 0, draw(&random, 2) };
    uint32_t             before = atomic_load_explicit(&common.flag[me], memory_order_relaxed);
    uint64_t             ticket;
    size_t               count;

    span.last = span.first + draw(&random, 10);
    if (dart__range_enter(common.table, &waiter, &span, 1, true, &ticket) != DART__RANGE_HELD)
      await(me, before);
    work(&span);
    count = dart__range_leave(common.table, ticket, granted, TEST_MOST_THREADS, NULL);
    for (size_t i = 0; i < count; i++)
      tell(&granted[i]);
  }
}

static void holders_exclude_one_another(void **state)
{
  (void)state;
  TEST_FOR_THREADS(n)
  {
    memset(&common, 0, sizeof common);
    common.table = new_table(TEST_MOST_THREADS);
    test_threads(n, one_span, NULL, &test_policies[0]);
    assert_ptr_equal(range_check(common.table), NULL);
    free(common.table);
  }
}

/* ---- units that are lost ------------------------------------------------------------------------- */

static bool is_five(int32_t unit)
{
  return unit == 5;
}

static const dart__range_waiter_t nobody_told = { 0, 1, 0 };

/* What a unit that is killed may leave behind: all is wrong but which requests are there, and their spans. */
static void scramble(dart__range_table_t *t, uint64_t *random)
{
  t->root = t->free_node = t->free_request = 1 + draw(random, t->capacity);
  t->nfree                                 = draw(random, t->capacity);
  t->granted[0] = t->granted[1] = t->soon = 1 + draw(random, t->capacity);
  for (uint32_t i = 1; i <= t->capacity; i++) {
    request_t *request = request_at(t, i);
    node_t    *node    = node_at(t, i);

    request->blocker = request->blocker == NONE ? draw(random, 2) : request->blocker;
    request->waiters = request->next = request->before = 1 + draw(random, t->capacity);
    node->left = node->right = 1 + draw(random, t->capacity);
    node->most[0] = node->newest[0] = node->oldest[0] = draw(random, 9);
  }
  dart__mutex_set_robust(is_five, 5);
  dart__mutex_lock(&t->mutex, &dart__wait_briefly);
  dart__mutex_set_robust(is_five, 3);
}

static void a_table_that_was_left_half_changed_is_put_in_order(void **state)
{
  enum { TICKETS = 12, TURNS = 4000 };
  dart__range_table_t *table           = new_table(CAPACITY);
  uint64_t             ticket[TICKETS] = { 0 }, random = 11;
  dart__range_waiter_t told[CAPACITY];
  dart__span_t         spans[MOST_SPANS];

  (void)state;
  dart__mutex_set_robust(is_five, 3);
  for (int i = 0; i < TURNS; i++) {
    uint64_t *one = &ticket[draw(&random, TICKETS)];
    bool      held[TICKETS], is_broken;

    if (*one == 0)
      dart__range_enter(table, &nobody_told, spans, draw_spans(&random, spans), true, one);
    else if (dart__range_is_held(table, *one, &is_broken)) {
      dart__range_leave(table, *one, told, CAPACITY, NULL);
      *one = 0;
    }
    if (draw(&random, 4) != 0)
      continue;
    for (int k = 0; k < TICKETS; k++)
      held[k] = ticket[k] != 0 && dart__range_is_held(table, ticket[k], &is_broken);
    scramble(table, &random);
    for (int k = 0; k < TICKETS; k++)
      assert_int_equal(held[k],
                       ticket[k] != 0 && dart__range_is_held(table, ticket[k], &is_broken));
    assert_ptr_equal(range_check(table), NULL);
  }
  dart__mutex_set_robust(NULL, 0);
  free(table);
}

/* The next one is told, and nobody else: one that waited, or comes later. */
static void what_a_lost_unit_held_is_broken_for_the_next(void **state)
{
  dart__range_table_t       *table = new_table(CAPACITY);
  const dart__range_waiter_t five = { 0, 5, 0 }, seven = { 70, 7, 0 };
  const dart__span_t         low = { 0, 9, 1 }, high = { 20, 29, 1 };
  dart__range_waiter_t       told[CAPACITY];
  uint64_t                   first, second = 0;
  bool                       is_broken;

  (void)state;
  assert_int_equal(dart__range_enter(table, &five, &low, 1, true, &first), DART__RANGE_HELD);
  assert_int_equal(dart__range_enter(table, &five, &high, 1, true, &first), DART__RANGE_HELD);
  assert_int_equal(dart__range_enter(table, &seven, &low, 1, true, &first), DART__RANGE_NEXT);
  assert_int_equal(dart__range_enter(table, &nobody_told, &high, 1, false, &second),
                   DART__RANGE_BUSY);
  dart__range_set_robust(is_five);
  assert_int_equal(dart__range_leave_lost(table, told, CAPACITY), 1);
  assert_int_equal(told[0].flag, 70);
  assert_true(dart__range_is_held(table, first, &is_broken) && is_broken);
  assert_int_equal(dart__range_enter(table, &nobody_told, &high, 1, false, &second),
                   DART__RANGE_HELD);
  assert_true(dart__range_is_held(table, second, &is_broken) && is_broken);
  dart__range_leave(table, second, told, CAPACITY, NULL);
  assert_int_equal(dart__range_enter(table, &nobody_told, &high, 1, false, &second),
                   DART__RANGE_HELD);
  assert_true(dart__range_is_held(table, second, &is_broken) && !is_broken);
  assert_ptr_equal(range_check(table), NULL);
  dart__range_set_robust(NULL);
  free(table);
}

static bool is_five_or_six(int32_t unit)
{
  return unit == 5 || unit == 6;
}

/* One that is lost waits for another one, and a third unit for it: it is not granted what it will never hold, and the table
 * has room for all again. */
static void lost_units_may_wait_for_one_another(void **state)
{
  const dart__range_waiter_t five = { 0, 5, 0 }, six = { 60, 6, 0 }, seven = { 70, 7, 0 };
  const dart__span_t         low = { 0, 9, 1 };
  dart__range_waiter_t       told[CAPACITY];
  uint64_t                   first, second = 0, third = 0, ticket[CAPACITY];
  bool                       is_broken;

  (void)state;
  for (int waits = 0; waits <= 1; waits++) {
    dart__range_table_t *table = new_table(CAPACITY);

    assert_int_equal(dart__range_enter(table, &five, &low, 1, true, &first), DART__RANGE_HELD);
    assert_int_equal(dart__range_enter(table, &six, &low, 1, true, &second), DART__RANGE_NEXT);
    if (waits)
      dart__range_enter(table, &seven, &low, 1, true, &third);
    dart__range_set_robust(is_five_or_six);
    if (waits) {
      assert_int_equal(dart__range_leave_lost(table, told, CAPACITY), 1);
      assert_int_equal(told[0].flag, 70);
    } else {
      assert_int_equal(dart__range_enter(table, &nobody_told, &low, 1, false, &third),
                       DART__RANGE_HELD);
      assert_int_equal(dart__range_granted(table, told, CAPACITY), 0);
    }
    assert_true(dart__range_is_held(table, third, &is_broken) && is_broken);
    dart__range_leave(table, third, told, CAPACITY, NULL);
    for (uint64_t i = 0; i < CAPACITY; i++)
      assert_int_equal(dart__range_enter(table, &nobody_told,
                                         &(dart__span_t){ 20 * i, 20 * i + 9, 1 }, 1, false,
                                         &ticket[i]),
                       DART__RANGE_HELD);
    assert_ptr_equal(range_check(table), NULL);
    for (int i = 0; i < CAPACITY; i++)
      dart__range_leave(table, ticket[i], told, CAPACITY, NULL);
    assert_ptr_equal(range_check(table), NULL);
    dart__range_set_robust(NULL);
    free(table);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(requests_are_served_as_a_list_would),
    cmocka_unit_test(the_ends_of_the_numbers_are_numbers),
    cmocka_unit_test(the_tree_is_not_deep),
    cmocka_unit_test(few_of_many_are_looked_at),
    cmocka_unit_test(few_of_many_that_wait_are_looked_at),
    cmocka_unit_test(one_waits_for_many),
    cmocka_unit_test(number_zero_is_locked_like_others),
    cmocka_unit_test(a_unit_leaves_with_all_it_holds),
    cmocka_unit_test(who_is_next_but_one_is_known),
    cmocka_unit_test(a_table_that_was_left_half_changed_is_put_in_order),
    cmocka_unit_test(what_a_lost_unit_held_is_broken_for_the_next),
    cmocka_unit_test(lost_units_may_wait_for_one_another),
    cmocka_unit_test(holders_exclude_one_another)
  };

  test_watch();
  return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
