/* Program order on one element: what a unit puts there and updates there by atomics takes effect in the order of its
 * calls, without a flush between, near and far and by every path (doc/guide.md, Order).
 *
 * Every unit has elements of its own in every portion, so it knows what each of its calls must find. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_notify.h>

#include "dart_test.h"

SUITE(word_order);

/* A generator of its own for each unit and test, so that a run can be repeated. */
static uint64_t state;

static unsigned draw(unsigned below)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % below;
}

static dart_ret_t put_inlined(dart_gptr_t gptr, const long *value)
{
  return dart_inline_put(gptr, value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
}

static void expect_word(dart_gptr_t gptr, long value)
{
  long found = -1;

  EXPECT_OK(dart_flush(gptr));
  EXPECT_OK(dart_get_blocking(&found, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT_EQ(found, value);
}

/* The path of a small put depends on what came between the last two flushes: alone it is MPI's, else a request. */
TEST(later_puts_of_a_word_win)
{
  enum { ROUNDS = 60, MOST = 17 };
  dart_gptr_t words = test_segment(DART_TEAM_ALL, (size_t)n * sizeof(long), 0);

  for (int round = 0; round < ROUNDS; round++)
    for (int distance = 1; distance < n; distance++) {
      dart_gptr_t at    = test_at(test_unit(words, (me + distance) % n), (size_t)me);
      int         count = 1 + round % MOST;

      for (long i = 1; i <= count; i++) {
        long value = 1000 * round + i;

        EXPECT_OK(dart_put(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
        if (round % 3 != 2)
          EXPECT_OK(dart_flush_local(at));
      }
      expect_word(at, 1000 * round + count);
    }
  test_barrier();
}

/* A put, in one of the ways that there are. */
static dart_ret_t put_by(int way, dart_gptr_t at, const long *value)
{
  dart_handle_t handle = DART_HANDLE_NULL;

  switch (way) {
  case 0: return dart_put(at, value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  case 1: return put_inlined(at, value);
  case 2: return dart_put_blocking(at, value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  default:
    EXPECT_OK(dart_put_handle(at, value, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    return dart_wait(&handle);
  }
}

/* A long row of updates of many cache lines is collected before it is applied. */
TEST(a_put_comes_after_the_updates_before_it)
{
  enum { LINES = 100, LINE = 8, WAYS = 4 };
  const size_t portion = (size_t)LINES * LINE;
  dart_gptr_t  words   = test_segment(DART_TEAM_ALL, (size_t)n * portion * sizeof(long), 0);

  for (int distance = 0; distance < n; distance++)
    for (int way = 0; way < WAYS; way++) {
      dart_gptr_t base = test_at(test_unit(words, (me + distance) % n), (size_t)me * portion);
      dart_gptr_t at   = test_at(base, (size_t)(LINES - 1 - way) * LINE);
      long        one = 1, value = -5 - way;

      test_note("distance %d, way %d", distance, way);
      for (size_t i = 0; i < LINES; i++)
        EXPECT_OK(dart_accumulate(test_at(base, i * LINE), &one, 1, DART_TYPE_LONG, DART_OP_SUM));
      EXPECT_OK(put_by(way, at, &value));
      EXPECT_OK(dart_accumulate(at, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
      expect_word(at, value + 1);
    }
  test_barrier();
}

/* The notification is applied behind many updates of other elements, and by then a put by MPI would be there. */
TEST(a_put_of_a_flag_comes_after_the_notification_before_it)
{
  enum { ROUNDS = 20, WAYS = 4, UPDATED = 500 };
  const size_t portion = UPDATED + 1;
  dart_gptr_t  words   = test_segment(DART_TEAM_ALL, (size_t)n * portion * sizeof(long), 0);
  long         ones[UPDATED];

  for (int i = 0; i < UPDATED; i++)
    ones[i] = 1;
  for (int distance = 0; distance < n; distance++)
    for (int round = 0; round < ROUNDS * WAYS; round++) {
      dart_gptr_t flag  = test_at(test_unit(words, (me + distance) % n), (size_t)me * portion);
      long        value = 5 + 2 * round;

      test_note("distance %d, way %d", distance, round % WAYS);
      for (int i = 0; i < 10; i++)
        EXPECT_OK(dart_accumulate(test_at(flag, 1), ones, UPDATED, DART_TYPE_LONG, DART_OP_SUM));
      EXPECT_OK(dart_notify_op(flag, (uint64_t)value - 1, DART_OP_REPLACE));
      EXPECT_OK(put_by(round % WAYS, flag, &value));
      EXPECT_OK(dart_notify(flag, 7));
      expect_word(flag, value + 7);
    }
  test_barrier();
}

/* ---- mixtures ---------------------------------------------------------------------------------- */

enum { WORDS = 3, STEPS = 600, HANDLES = 8, PENDING = 32 };

typedef struct {
  dart_datatype_t type;
  size_t          size;
} kind_t;

static const kind_t kinds[] = { { DART_TYPE_LONG, sizeof(long) },
                                { DART_TYPE_INT, sizeof(int) },
                                { DART_TYPE_SHORT, sizeof(short) },
                                { DART_TYPE_BYTE, 1 } };

typedef struct {
  dart_gptr_t   at[WORDS];
  uint64_t      value[WORDS]; /* what each holds after the calls so far, in its low bytes */
  kind_t        kind;
  dart_handle_t handle[HANDLES];
  uint64_t      source[HANDLES]; /* stays as it is until its handle is waited for */
  int           nhandles;
  uint64_t      found[PENDING], must[PENDING]; /* by fetches since the last flush */
  int           nfetches;
} mixture_t;

static uint64_t truncated(uint64_t value, size_t size)
{
  return size == sizeof value ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

static uint64_t applied(uint64_t value, uint64_t operand, dart_operation_t op)
{
  return op == DART_OP_SUM ? value + operand : op == DART_OP_BXOR ? value ^ operand : operand;
}

static void wait_all(mixture_t *m)
{
  for (int i = 0; i < m->nhandles; i++)
    EXPECT_OK(dart_wait(&m->handle[i]));
  m->nhandles = 0;
}

static void flush(mixture_t *m)
{
  EXPECT_OK(dart_flush(m->at[0]));
  wait_all(m);
  for (int i = 0; i < m->nfetches; i++)
    EXPECT_EQ(truncated(m->found[i], m->kind.size), m->must[i]);
  m->nfetches = 0;
}

static void put(mixture_t *m, int word, uint64_t value)
{
  dart_gptr_t     at   = m->at[word];
  dart_datatype_t type = m->kind.type;

  switch (draw(4)) {
  case 0: EXPECT_OK(dart_put_blocking(at, &value, 1, type, type)); break;
  case 1:
    if (m->nhandles == HANDLES)
      wait_all(m);
    m->source[m->nhandles] = value;
    EXPECT_OK(dart_put_handle(at, &m->source[m->nhandles], 1, type, type, &m->handle[m->nhandles]));
    m->nhandles++;
    break;
  default: EXPECT_OK(dart_put(at, &value, 1, type, type)); break;
  }
  m->value[word] = truncated(value, m->kind.size);
}

static void update(mixture_t *m, int word, uint64_t operand)
{
  static const dart_operation_t ops[] = { DART_OP_SUM, DART_OP_BXOR, DART_OP_REPLACE };
  dart_operation_t              op    = ops[draw(3)];
  dart_datatype_t               type  = m->kind.type;

  if (m->nfetches == PENDING)
    flush(m);
  if (draw(3) == 0) {
    m->must[m->nfetches] = m->value[word];
    EXPECT_OK(dart_fetch_and_op(m->at[word], &operand, &m->found[m->nfetches++], type, op));
  } else {
    EXPECT_OK(dart_accumulate(m->at[word], &operand, 1, type, op));
  }
  m->value[word] = truncated(applied(m->value[word], operand, op), m->kind.size);
}

static void swap(mixture_t *m, int word, uint64_t value)
{
  uint64_t compare = m->value[word] + draw(2); /* every other one fails */

  if (m->nfetches == PENDING)
    flush(m);
  m->must[m->nfetches] = m->value[word];
  EXPECT_OK(
      dart_compare_and_swap(m->at[word], &value, &compare, &m->found[m->nfetches++], m->kind.type));
  if (truncated(compare, m->kind.size) == m->value[word])
    m->value[word] = truncated(value, m->kind.size);
}

static void notify(mixture_t *m, int word, uint64_t value, dart_gptr_t flag)
{
  EXPECT_OK(dart_put_notify(m->at[word], &value, 1, m->kind.type, m->kind.type, flag, 1));
  m->value[word] = truncated(value, m->kind.size);
}

/* The word as a flag, which has eight bytes. */
static void raise_word(mixture_t *m, int word, uint64_t value)
{
  dart_operation_t op = draw(2) ? DART_OP_SUM : DART_OP_REPLACE;

  if (m->kind.size != sizeof value)
    return;
  EXPECT_OK(dart_notify_op(m->at[word], value, op));
  m->value[word] = applied(m->value[word], value, op);
}

static void step(mixture_t *m, dart_gptr_t flag)
{
  int      word  = (int)draw(WORDS);
  uint64_t value = ((uint64_t)draw(1 << 30) << 31) ^ draw(1 << 30);

  switch (draw(13)) {
  case 0: EXPECT_OK(dart_flush_local(m->at[0])); break;
  case 1: flush(m); break;
  case 2: notify(m, word, value, flag); break;
  case 3: raise_word(m, word, value); break;
  case 4: swap(m, word, value); break;
  case 5:
  case 6:
  case 7:
  case 8: update(m, word, value); break;
  default: put(m, word, value); break;
  }
}

static void mix(dart_gptr_t base, kind_t kind)
{
  mixture_t   m    = { .kind = kind };
  dart_gptr_t flag = test_at(base, (size_t)me * (WORDS + 1) + WORDS);

  for (int w = 0; w < WORDS; w++) {
    m.at[w] = test_at(base, (size_t)me * (WORDS + 1) + (size_t)w);
    EXPECT_OK(dart_put_blocking(m.at[w], &m.value[w], 1, kind.type, kind.type));
  }
  for (int i = 0; i < STEPS; i++)
    step(&m, flag);
  flush(&m);
  for (int w = 0; w < WORDS; w++) {
    uint64_t found = 0;

    EXPECT_OK(dart_get_blocking(&found, m.at[w], 1, kind.type, kind.type));
    EXPECT_EQ(truncated(found, kind.size), m.value[w]);
  }
}

TEST(mixtures_on_an_element_take_effect_in_order)
{
  dart_gptr_t words = test_segment(DART_TEAM_ALL, (size_t)n * (WORDS + 1) * sizeof(long), 0);
  void       *own   = NULL;
  dart_gptr_t registered;

  state = 1000003u * (unsigned)(me + 1);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_note("elements of %zu bytes", kinds[k].size);
    mix(test_unit(words, me), kinds[k]);
    mix(test_unit(words, (me + 1) % n), kinds[k]);
    mix(test_unit(words, (me + n / 2) % n), kinds[k]);
  }
  test_barrier();
  own = calloc((size_t)n * (WORDS + 1), sizeof(long));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, (size_t)n * (WORDS + 1), DART_TYPE_LONG, own,
                                  &registered));
  test_barrier();
  test_note("registered memory");
  mix(test_unit(registered, (me + n / 2) % n), kinds[0]);
  test_barrier();
  EXPECT_OK(dart_team_memderegister(registered));
  free(own);
}
