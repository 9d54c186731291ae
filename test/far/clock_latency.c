/* Which targets count as slow, and for how long (far/latency.h), and which small transfers are expected to be
 * alone (far/way.h): each decision, by a clock that the test sets. No MPI is called, nothing is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "far/engine.h"
#include "far/latency.h"
#include "far/way.h"
#include "model/world.h"

enum { UNITS = 3, EVERY = 8, SLOW_NS = 50000, SLOW_FOR = 64, PING_NS = 2500000, BYTE_NS = 10 };

static int64_t now_ns;       /* the clock */
static bool    memory_fails; /* calloc does */
static int     pings[UNITS]; /* sent to each unit */

dart__engine_t dart__engine;

int   __wrap_clock_gettime(clockid_t clock, struct timespec *now);
void *__wrap_calloc(size_t n, size_t nbytes);
void *__real_calloc(size_t n, size_t nbytes);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
  (void)clock;
  *now = (struct timespec){ now_ns / 1000000000, now_ns % 1000000000 };
  return 0;
}

void *__wrap_calloc(size_t n, size_t nbytes)
{
  return memory_fails ? NULL : __real_calloc(n, nbytes);
}

void dart__am_wake(dart__am_t *am, dart_unit_t peer)
{
  assert_ptr_equal(am, dart__engine.am);
  pings[peer]++;
}

static int open_all(void **state)
{
  (void)state;
  now_ns                  = INT64_C(1000000000);
  memory_fails            = false;
  dart__engine.am         = (dart__am_t *)&now_ns; /* nobody looks into it */
  dart__engine.by_agents  = true;
  dart__world.nunits      = UNITS;
  dart__world.pace.yields = 100; /* units do not outnumber cores */
  for (int unit = 0; unit < UNITS; unit++)
    pings[unit] = 0;
  return dart__latency_open() == DART_OK ? 0 : -1;
}

static int close_all(void **state)
{
  (void)state;
  dart__latency_close();
  return 0;
}

/* The start of an operation that is measured; some before it are not. */
static int64_t measured(void)
{
  int64_t began = 0;
  int     n     = 0;

  for (; began == 0; n++) {
    assert_true(n <= EVERY);
    began = dart__latency_begin();
  }
  return began;
}

/* An operation on `nbytes` of the unit that takes so long. */
static void takes(dart_unit_t unit, size_t nbytes, int64_t ns)
{
  int64_t began = measured();

  now_ns += ns;
  dart__latency_end(unit, began, nbytes);
}

static void one_of_eight_is_measured(void **state)
{
  (void)state;
  measured();
  for (int i = 1; i <= 10 * EVERY; i++)
    assert_int_equal(dart__latency_begin(), i % EVERY == 0 ? now_ns : 0);
}

static void nobody_is_slow_at_first(void **state)
{
  (void)state;
  for (dart_unit_t unit = 0; unit < UNITS; unit++)
    assert_false(dart__latency_is_slow(unit));
}

/* The unit that was slow is, and no other; to the operation. */
static void a_unit_that_was_slow_is_for_a_while(void **state)
{
  (void)state;
  takes(1, 0, SLOW_NS + 1);
  for (int i = 0; i < SLOW_FOR; i++) {
    assert_true(dart__latency_is_slow(1));
    assert_false(dart__latency_is_slow(0));
    assert_false(dart__latency_is_slow(2));
  }
  assert_false(dart__latency_is_slow(1));
}

static void slow_again_is_slow_from_then_on(void **state)
{
  (void)state;
  takes(1, 0, SLOW_NS + 1);
  for (int i = 0; i < SLOW_FOR / 2; i++)
    assert_true(dart__latency_is_slow(1));
  takes(1, 0, 2 * SLOW_NS);
  for (int i = 0; i < SLOW_FOR; i++)
    assert_true(dart__latency_is_slow(1));
  assert_false(dart__latency_is_slow(1));
}

/* One that was fast does not end it: it may have been a request that kept the unit awake. */
static void fast_is_not_slow_and_ends_nothing(void **state)
{
  (void)state;
  takes(2, 0, SLOW_NS);
  assert_false(dart__latency_is_slow(2));
  takes(1, 0, SLOW_NS + 1);
  takes(1, 0, 1);
  assert_true(dart__latency_is_slow(1));
}

static void bytes_take_their_time(void **state)
{
  enum { MANY = 1 << 20 };

  (void)state;
  takes(0, MANY, SLOW_NS + (int64_t)MANY * BYTE_NS);
  assert_false(dart__latency_is_slow(0));
  takes(0, MANY, SLOW_NS + (int64_t)MANY * BYTE_NS + 1);
  assert_true(dart__latency_is_slow(0));
}

static void what_is_not_measured_says_nothing(void **state)
{
  (void)state;
  now_ns += INT64_C(10) * 1000000000;
  dart__latency_end(1, 0, 0);
  assert_false(dart__latency_is_slow(1));
}

/* MPI's flush spins, and takes the core from the target. */
static void all_are_slow_where_units_outnumber_cores(void **state)
{
  (void)state;
  dart__world.pace.yields = 0;
  for (int i = 0; i < 2 * SLOW_FOR; i++)
    assert_true(dart__latency_is_slow(0));
}

/* A request would wait for a target that is inside MPI. What was measured is kept. */
static void nobody_is_slow_without_agents(void **state)
{
  (void)state;
  dart__engine.by_agents  = false;
  dart__world.pace.yields = 0;
  takes(1, 0, SLOW_NS + 1);
  for (int i = 0; i < 2 * SLOW_FOR; i++)
    assert_false(dart__latency_is_slow(1));
  dart__engine.by_agents = true;
  assert_true(dart__latency_is_slow(1));
}

static void a_unit_is_awake_for_a_while_after_a_request(void **state)
{
  (void)state;
  assert_false(dart__latency_is_awake(1)); /* the caller sends it one */
  assert_true(dart__latency_is_awake(1));
  assert_false(dart__latency_is_awake(0));
  now_ns += PING_NS - 1;
  assert_true(dart__latency_is_awake(1));
  now_ns += 1;
  assert_false(dart__latency_is_awake(1));
  assert_true(dart__latency_is_awake(1));
  for (int unit = 0; unit < UNITS; unit++)
    assert_int_equal(pings[unit], 0); /* it is up to the caller */
}

static void a_stream_pings_now_and_then(void **state)
{
  (void)state;
  for (int i = 0; i < 10; i++)
    dart__latency_ping(2);
  assert_int_equal(pings[2], 1);
  assert_true(dart__latency_is_awake(2)); /* by that */
  now_ns += PING_NS;
  for (int i = 0; i < 10; i++)
    dart__latency_ping(2);
  assert_int_equal(pings[2], 2);
  assert_int_equal(pings[0] + pings[1], 0);
  now_ns += PING_NS;
  assert_false(dart__latency_is_awake(2)); /* a request of the caller's is as good as a ping */
  dart__latency_ping(2);
  assert_int_equal(pings[2], 2);
}

static void units_without_agents_are_pinged_too(void **state)
{
  (void)state;
  dart__engine.by_agents = false;
  dart__latency_ping(1);
  dart__latency_ping(1);
  assert_int_equal(pings[1], 1);
}

/* Large puts: after three slow ones in a row other ways are taken for a while; then one is tried. */
static void slow_puts_are_left_for_a_while(void **state)
{
  enum { BYTES = 16384, FAST = 5000, SLOW = 7000 }; /* 2000 ns, and a quarter of the bytes */

  (void)state;
  for (int i = 0; i < 10; i++) {
    dart__latency_put_took(1, SLOW, BYTES);
    dart__latency_put_took(1, SLOW, BYTES);
    dart__latency_put_took(1, FAST, BYTES);
    assert_false(dart__latency_puts_slowly(1));
  }
  for (int i = 0; i < 3; i++) {
    assert_false(dart__latency_puts_slowly(1));
    dart__latency_put_took(1, SLOW, BYTES);
  }
  for (int round = 0; round < 3; round++) {
    dart__latency_put_took(1, SLOW, BYTES);
    for (int i = 0; i < SLOW_FOR; i++)
      assert_true(dart__latency_puts_slowly(1));
    assert_false(dart__latency_puts_slowly(1));
    assert_false(dart__latency_puts_slowly(0));
  }
  dart__latency_put_took(1, FAST, BYTES);
  dart__latency_put_took(1, SLOW, BYTES);
  assert_false(dart__latency_puts_slowly(1));
}

static void without_memory_it_does_not_open(void **state)
{
  (void)state;
  dart__latency_close();
  memory_fails = true;
  assert_int_equal(dart__latency_open(), DART_ERR_NOMEM);
  dart__latency_close(); /* twice is fine */
  memory_fails = false;
  assert_int_equal(dart__latency_open(), DART_OK);
  assert_false(dart__latency_is_slow(0));
}

/* As many transfers to a target, and its flush; whether the first was expected to be alone. No other may be. */
static bool burst_of(dart__burst_t *burst, int transfers)
{
  bool alone = dart__burst_add(burst);

  for (int i = 1; i < transfers; i++)
    assert_false(dart__burst_add(burst));
  dart__burst_end(burst);
  return alone;
}

static void bursts_are_expected_to_be_as_the_last(void **state)
{
  dart__burst_t burst = { 0 };

  (void)state;
  assert_false(burst_of(&burst, 1)); /* nothing is known yet */
  assert_true(burst_of(&burst, 1));
  assert_true(burst_of(&burst, 5));
  assert_false(burst_of(&burst, 5));
  assert_false(burst_of(&burst, 1));
  dart__burst_end(&burst); /* a flush of nothing says nothing */
  assert_true(burst_of(&burst, 2));
}

int main(void)
{
#define PACE(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)
  const struct CMUnitTest tests[] = {
    PACE(one_of_eight_is_measured),
    PACE(nobody_is_slow_at_first),
    PACE(a_unit_that_was_slow_is_for_a_while),
    PACE(slow_again_is_slow_from_then_on),
    PACE(fast_is_not_slow_and_ends_nothing),
    PACE(bytes_take_their_time),
    PACE(what_is_not_measured_says_nothing),
    PACE(all_are_slow_where_units_outnumber_cores),
    PACE(nobody_is_slow_without_agents),
    PACE(a_unit_is_awake_for_a_while_after_a_request),
    PACE(a_stream_pings_now_and_then),
    PACE(slow_puts_are_left_for_a_while),
    PACE(units_without_agents_are_pinged_too),
    PACE(without_memory_it_does_not_open),
    cmocka_unit_test(bursts_are_expected_to_be_as_the_last),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
