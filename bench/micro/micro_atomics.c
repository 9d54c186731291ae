/* Atomic operations on words nobody else wants at the time, on one that all want, and on random
 * words. Whatever fetches is complete after its flush, as a program needs it; "bare" leaves the flush
 * out, which makes a difference only if near. Accumulates come 64 at a time, then a flush.
 *
 * The floor is the C11 atomic on the same line: one instruction where the processor has one, else a
 * loop around compare-and-swap. */
#include "micro.h"

#include <complex.h>

#include <dash/dart/ext/dart_basic.h>

/* MIN shall have something to do each time. */
static long falling;

/* ---- floors ---------------------------------------------------------------------------------- */

/* `body` has the word as `word`, and leaves in `before` what a fetch would return. */
#define FLOOR_LOOP(name, c_type, body)                   \
  void name(micro_t *m, size_t n)                        \
  {                                                      \
    c_type *result = (c_type *)m->recv;                  \
                                                         \
    for (size_t i = 0; i < n; i++) {                     \
      _Atomic c_type *word = (_Atomic c_type *)m->there; \
      c_type          before;                            \
                                                         \
      body;                                              \
      *result = before;                                  \
      micro_again();                                     \
    }                                                    \
  }

#define SWAP_UNTIL_DONE(result)                                  \
  do {                                                           \
    before = atomic_load_explicit(word, memory_order_relaxed);   \
    while (!atomic_compare_exchange_weak(word, &before, result)) \
      continue;                                                  \
  } while (0)

/* The formatter would take these for one declaration. */
/* clang-format off */
FLOOR_LOOP(floor_sum_long, long, before = atomic_fetch_add(word, 1))
static FLOOR_LOOP(floor_sum_int, int, before = atomic_fetch_add(word, 1))
static FLOOR_LOOP(floor_sum_uint8, uint8_t, before = atomic_fetch_add(word, 1))
static FLOOR_LOOP(floor_sum_uint16, uint16_t, before = atomic_fetch_add(word, 1))
static FLOOR_LOOP(floor_lxor_bool, bool, SWAP_UNTIL_DONE(!before))
static FLOOR_LOOP(floor_sum_complex, float complex, SWAP_UNTIL_DONE(before + 1))
static FLOOR_LOOP(floor_sum_double, double, SWAP_UNTIL_DONE(before + 1))
static FLOOR_LOOP(floor_prod_long, long, SWAP_UNTIL_DONE((long)((unsigned long)before * 3)))
static FLOOR_LOOP(floor_min_long, long,
                  falling--; SWAP_UNTIL_DONE(before < falling ? before : falling))
static FLOOR_LOOP(floor_bxor_long, long, before = atomic_fetch_xor(word, 0x5555))
static FLOOR_LOOP(floor_lxor_long, long, SWAP_UNTIL_DONE(!before))
static FLOOR_LOOP(floor_replace_long, long, before = atomic_exchange(word, 7))
static FLOOR_LOOP(floor_no_op_long, long, before = atomic_load(word))
    /* clang-format on */

    static void floor_add(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    atomic_fetch_add((_Atomic long *)m->there, 1);
    micro_again();
  }
}

static void floor_xor(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    atomic_fetch_xor((_Atomic long *)m->there, 0x5555);
    micro_again();
  }
}

void floor_swap(micro_t *m, size_t n)
{
  long *before = (long *)m->recv;

  for (size_t i = 0; i < n; i++) {
    long expected = *before, value = expected + 1;

    if (atomic_compare_exchange_strong((_Atomic long *)m->there, &expected, value))
      expected = value;
    *before = expected;
    micro_again();
  }
}

static void floor_many(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    _Atomic long *word  = (_Atomic long *)m->there;
    const long   *value = (const long *)m->send;

    for (size_t k = 0; k < m->nwords; k++)
      atomic_fetch_add(&word[k], value[k]);
    micro_again();
  }
}

static void floor_random(micro_t *m, size_t n)
{
  _Atomic uint64_t *word   = (_Atomic uint64_t *)m->there;
  uint64_t          number = 1, nwords = m->area / sizeof(uint64_t);

  for (size_t i = 0; i < n; i++) {
    number = micro_random(number);
    atomic_fetch_xor(&word[(number >> 32) % nwords], number);
  }
}

static void floor_contended(micro_t *m, size_t n)
{
  _Atomic long *word = bench_shared_block(&m->shared, 0);

  for (size_t i = 0; i < n; i++) {
    atomic_fetch_add(word, 1);
    micro_again();
  }
}

/* ---- loops of DART, for each operator and type ----------------------------------------------- */

#define FETCH_LOOP(name, c_type, dart_type, op, operand)                 \
  static void name(micro_t *m, size_t n)                                 \
  {                                                                      \
    c_type *before = (c_type *)m->recv;                                  \
                                                                         \
    for (size_t i = 0; i < n; i++) {                                     \
      c_type value = operand;                                            \
                                                                         \
      BENCH_OK(dart_fetch_and_op(m->at, &value, before, dart_type, op)); \
      BENCH_OK(dart_flush(m->at));                                       \
      micro_again();                                                     \
    }                                                                    \
  }

FETCH_LOOP(fetch_sum_long, long, DART_TYPE_LONG, DART_OP_SUM, 1)
FETCH_LOOP(fetch_sum_int, int, DART_TYPE_INT, DART_OP_SUM, 1)
FETCH_LOOP(fetch_sum_uint8, uint8_t, DART_TYPE_UINT8, DART_OP_SUM, 1)
FETCH_LOOP(fetch_sum_uint16, uint16_t, DART_TYPE_UINT16, DART_OP_SUM, 1)
FETCH_LOOP(fetch_lxor_bool, bool, DART_TYPE_BOOL, DART_OP_LXOR, true)
FETCH_LOOP(fetch_sum_complex, float complex, DART_TYPE_FLOAT_COMPLEX, DART_OP_SUM, 1)
FETCH_LOOP(fetch_sum_double, double, DART_TYPE_DOUBLE, DART_OP_SUM, 1)
FETCH_LOOP(fetch_prod_long, long, DART_TYPE_LONG, DART_OP_PROD, 3)
FETCH_LOOP(fetch_min_long, long, DART_TYPE_LONG, DART_OP_MIN, --falling)
FETCH_LOOP(fetch_bxor_long, long, DART_TYPE_LONG, DART_OP_BXOR, 0x5555)
FETCH_LOOP(fetch_lxor_long, long, DART_TYPE_LONG, DART_OP_LXOR, 1)
FETCH_LOOP(fetch_replace_long, long, DART_TYPE_LONG, DART_OP_REPLACE, 7)
FETCH_LOOP(fetch_no_op_long, long, DART_TYPE_LONG, DART_OP_NO_OP, 0)

/* Both sides of a case: a turn is a batch. */
#define ACCUMULATE_LOOP(name, c_type, dart_type, op, operand, floor)   \
  static void name(micro_t *m, size_t n)                               \
  {                                                                    \
    c_type *value = (c_type *)m->send;                                 \
                                                                       \
    for (size_t i = 0; i < n; i++) {                                   \
      for (size_t k = 0; k < BATCH; k++) {                             \
        value[k] = operand;                                            \
        BENCH_OK(dart_accumulate(m->at, &value[k], 1, dart_type, op)); \
        micro_again();                                                 \
      }                                                                \
      BENCH_OK(dart_flush(m->at));                                     \
    }                                                                  \
  }                                                                    \
                                                                       \
  static void floor_##name(micro_t *m, size_t n)                       \
  {                                                                    \
    floor(m, n *BATCH);                                                \
  }

ACCUMULATE_LOOP(accumulate_sum_long, long, DART_TYPE_LONG, DART_OP_SUM, 1, floor_add)
ACCUMULATE_LOOP(accumulate_sum_double, double, DART_TYPE_DOUBLE, DART_OP_SUM, 1, floor_sum_double)
ACCUMULATE_LOOP(accumulate_prod_long, long, DART_TYPE_LONG, DART_OP_PROD, 3, floor_prod_long)
ACCUMULATE_LOOP(accumulate_min_long, long, DART_TYPE_LONG, DART_OP_MIN, --falling, floor_min_long)
ACCUMULATE_LOOP(accumulate_bxor_long, long, DART_TYPE_LONG, DART_OP_BXOR, 0x5555, floor_xor)
ACCUMULATE_LOOP(accumulate_lxor_long, long, DART_TYPE_LONG, DART_OP_LXOR, 1, floor_lxor_long)
ACCUMULATE_LOOP(accumulate_replace_long, long, DART_TYPE_LONG, DART_OP_REPLACE, 7,
                floor_replace_long)

FETCH_WORD_LOOP(fetch_bare,
                BENCH_OK(dart_fetch_and_op(m->at, &value, before, DART_TYPE_LONG, DART_OP_SUM)))
static void fetch_bare_int(micro_t *m, size_t n)
{
  int *before = (int *)m->recv;

  for (size_t i = 0; i < n; i++) {
    int value = 1;

    BENCH_OK(dart_fetch_and_op(m->at, &value, before, DART_TYPE_INT, DART_OP_SUM));
    micro_again();
  }
}

SWAP_WORD_LOOP(swap_bare,
               BENCH_OK(dart_compare_and_swap(m->at, &value, &expected, before, DART_TYPE_LONG)))
SWAP_WORD_LOOP(swap,
               BENCH_OK(dart_compare_and_swap(m->at, &value, &expected, before, DART_TYPE_LONG));
               BENCH_OK(dart_flush(m->at)))

/* As many elements as the size has, in one call. */
static void accumulate_many(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_accumulate(m->at, m->send, m->nwords, DART_TYPE_LONG, DART_OP_SUM));
    BENCH_OK(dart_flush(m->at));
    micro_again();
  }
}

static void accumulate_random(micro_t *m, size_t n)
{
  uint64_t *value  = (uint64_t *)m->send;
  uint64_t  number = 1, nwords = m->area / sizeof(uint64_t);

  for (size_t i = 0; i < n; i++) {
    dart_gptr_t at = m->at;

    number               = micro_random(number);
    value[i % LOOKAHEAD] = number;
    dart_gptr_incaddr(&at, (int64_t)((number >> 32) % nwords * sizeof(uint64_t)));
    BENCH_OK(dart_accumulate(at, &value[i % LOOKAHEAD], 1, DART_TYPE_ULONG, DART_OP_BXOR));
    if ((i + 1) % LOOKAHEAD == 0)
      BENCH_OK(dart_flush(m->at));
  }
  BENCH_OK(dart_flush(m->at));
}

/* All units, on the first word of unit 0. */
static void fetch_contended(micro_t *m, size_t n)
{
  long *before = (long *)m->recv;

  for (size_t i = 0; i < n; i++) {
    long value = 1;

    BENCH_OK(dart_fetch_and_op(m->segment, &value, before, DART_TYPE_LONG, DART_OP_SUM));
    BENCH_OK(dart_flush(m->segment));
    micro_again();
  }
}

/* ---- the cases ------------------------------------------------------------------------------- */

/* Words are 0 in the beginning of each case, and so is what swaps expect. */
static void clear(micro_t *m)
{
  micro_clear(m, BATCH * sizeof(long));
}

#define FETCH(op_type)                                                                \
  {                                                                                   \
    .name = "fetch_and_op." #op_type, .places = IN_NEAR | IN_FAR, .sizes = SIZE_WORD, \
    .dart = { .loop = fetch_##op_type }, .floor = { .loop = floor_##op_type },        \
    .about = "fetch_and_op, flush", .prepare = clear                                  \
  }

#define ACCUMULATE(op_type)                                                                    \
  {                                                                                            \
    .name = "accumulate." #op_type, .places = IN_NEAR | IN_FAR, .sizes = SIZE_WORD,            \
    .dart = { .loop = accumulate_##op_type }, .floor = { .loop = floor_accumulate_##op_type }, \
    .weight = BATCH, .about = "one of 64 accumulates, then a flush", .prepare = clear          \
  }

const case_t atomic_cases[] = {
  FETCH(sum_long),
  FETCH(sum_int),
  FETCH(sum_uint8),
  FETCH(sum_uint16),
  FETCH(lxor_bool),
  FETCH(sum_complex),
  FETCH(sum_double),
  FETCH(prod_long),
  FETCH(min_long),
  FETCH(bxor_long),
  FETCH(lxor_long),
  FETCH(replace_long),
  FETCH(no_op_long),
  { .name    = "fetch_and_op.bare",
    .places  = IN_NEAR,
    .sizes   = SIZE_WORD,
    .dart    = { .loop = fetch_bare },
    .floor   = { .loop = floor_sum_long },
    .about   = "fetch_and_op.sum_long without the flush",
    .prepare = clear },
  { .name    = "fetch_and_op.bare_int",
    .places  = IN_NEAR,
    .sizes   = SIZE_WORD,
    .dart    = { .loop = fetch_bare_int },
    .floor   = { .loop = floor_sum_int },
    .about   = "fetch_and_op.sum_int without the flush",
    .prepare = clear },
  { .name    = "compare_and_swap",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_WORD,
    .dart    = { .loop = swap },
    .floor   = { .loop = floor_swap },
    .about   = "compare_and_swap, flush",
    .prepare = clear },
  { .name    = "compare_and_swap.bare",
    .places  = IN_NEAR,
    .sizes   = SIZE_WORD,
    .dart    = { .loop = swap_bare },
    .floor   = { .loop = floor_swap },
    .about   = "compare_and_swap without the flush",
    .prepare = clear },
  ACCUMULATE(sum_long),
  ACCUMULATE(sum_double),
  ACCUMULATE(prod_long),
  ACCUMULATE(min_long),
  ACCUMULATE(bxor_long),
  ACCUMULATE(lxor_long),
  ACCUMULATE(replace_long),
  { .name    = "accumulate",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_BYTES,
    .dart    = { .loop = accumulate_many },
    .floor   = { .loop = floor_many },
    .about   = "accumulate of many elements by SUM, flush",
    .prepare = clear },
  { .name    = "accumulate.random",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_WORD,
    .dart    = { .loop = accumulate_random },
    .floor   = { .loop = floor_random },
    .about   = "accumulate by BXOR to random words, a flush after 1024",
    .prepare = clear },
  { .name     = "fetch_and_op.contended",
    .places   = IN_TEAM,
    .sizes    = SIZE_WORD,
    .dart     = { .loop = fetch_contended, .by = BY_ALL },
    .floor    = { .loop = floor_contended, .by = BY_ALL },
    .by_units = true,
    .about    = "fetch_and_op of all units on one word",
    .prepare  = clear },
  { 0 },
};
