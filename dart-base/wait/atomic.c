/* Atomic updates in near memory.
 *
 * An element is updated as the machine word of its size: by the CPU's own fetch operation, or by
 * reading the word, computing, and exchanging it if it is still bitwise what was read. Bits are
 * what is compared, so NaN, -0.0 and the padding of long double need no special treatment.
 *
 * Every update is acq_rel: its release pairs with the acquire of whichever update or fetch, of any
 * process, reads the value it stored. A load that only starts a loop is relaxed, for the exchange
 * that ends the loop is what counts. An accumulate that finds nothing to change stores nothing, so
 * that nobody can acquire what it would release. */
#include "wait/atomic.h"

#include <float.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/sanitizer.h"
#include "base/size.h"
#include "data/op.h"

/* --- Words --- */

/* Of 4 and 8 bytes. compare_swap: as __atomic_compare_exchange, strong. */
#define DEFINE_WORD(nbytes, width)                                                                \
  typedef uint##width##_t   word_##nbytes##_t;                                                    \
  typedef word_##nbytes##_t word_##nbytes##_cell_t __attribute__((may_alias));                    \
                                                                                                  \
  static inline word_##nbytes##_t load_##nbytes(word_##nbytes##_cell_t *cell, int order)          \
  {                                                                                               \
    return __atomic_load_n(cell, order);                                                          \
  }                                                                                               \
                                                                                                  \
  static inline bool compare_swap_##nbytes(word_##nbytes##_cell_t *cell, word_##nbytes##_t *seen, \
                                           word_##nbytes##_t next)                                \
  {                                                                                               \
    return __atomic_compare_exchange_n(cell, seen, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);  \
  }

DEFINE_WORD(4, 32)
DEFINE_WORD(8, 64)

/* 16 bytes, by __sync and not __atomic: for the latter gcc calls libatomic, which would have to be linked. It may also
 * use a lock that is private to the process. __sync is the instruction itself (x86-64: -mcx16) and a full barrier.
 * ThreadSanitizer's has such a lock, too, so in the build `tsan` it does not see the instruction. */
#ifndef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
#error "DART needs a 16-byte compare-and-swap: on x86-64 compile with -mcx16"
#endif
_Static_assert(sizeof(long double) == 16, "DART_TYPE_LONG_DOUBLE has 16 bytes");

__extension__ typedef unsigned __int128 word_16_t;
typedef word_16_t                       word_16_cell_t __attribute__((may_alias));

DART__TSAN_UNSEEN static inline word_16_t swap_16(word_16_cell_t *cell, word_16_t seen,
                                                  word_16_t next)
{
  return __sync_val_compare_and_swap(cell, seen, next);
}

/* There is no 16-byte load; exchanging 0 for 0 is one. */
static inline word_16_t load_16(word_16_cell_t *cell, int order)
{
  word_16_t found = swap_16(cell, 0, 0);

  (void)order;
  dart__tsan_hear();
  return found;
}

static inline bool compare_swap_16(word_16_cell_t *cell, word_16_t *seen, word_16_t next)
{
  word_16_t found;
  bool      equal;

  dart__tsan_tell();
  found = swap_16(cell, *seen, next);
  equal = found == *seen;
  dart__tsan_hear();

  *seen = found;
  return equal;
}

/* --- Integers --- */

/* Leaves an element alone that it does not change: other units keep its line. */
#define UPDATE_LOOP(cell, expression)                                                           \
  do {                                                                                          \
    a = __atomic_load_n(cell, __ATOMIC_RELAXED);                                                \
    while ((operand_t)(expression) != a &&                                                      \
           !__atomic_compare_exchange_n(cell, &a, (operand_t)(expression), 1, __ATOMIC_ACQ_REL, \
                                        __ATOMIC_RELAXED))                                      \
      ;                                                                                         \
  } while (0)

/* Leaves the old value in `a`. */
#define INTEGER_LOOP(cell, expression)                                                          \
  do {                                                                                          \
    a = __atomic_load_n(cell, __ATOMIC_RELAXED);                                                \
    while (!__atomic_compare_exchange_n(cell, &a, (operand_t)(expression), 1, __ATOMIC_ACQ_REL, \
                                        __ATOMIC_RELAXED))                                      \
      ;                                                                                         \
  } while (0)

#define ACCUMULATE_NATIVE(op, native, expression)                       \
  case op:                                                              \
    for (size_t i = 0; i < nelem; i++)                                  \
      __atomic_fetch_##native(&target[i], values[i], __ATOMIC_ACQ_REL); \
    break;
#define ACCUMULATE_LOOP(op, expression)    \
  case op:                                 \
    for (size_t i = 0; i < nelem; i++) {   \
      operand_t a, b = values[i];          \
                                           \
      UPDATE_LOOP(&target[i], expression); \
    }                                      \
    break;

#define FETCH_NATIVE(op, native, expression)                  \
  case op:                                                    \
    a = __atomic_fetch_##native(target, b, __ATOMIC_ACQ_REL); \
    break;
#define FETCH_LOOP(op, expression) \
  case op: INTEGER_LOOP(target, expression); break;

/* `values` may lie at any address, as in a message. */
#define DEFINE_INTEGER(type, ctype, utype)                                                         \
  typedef utype type##_cell_t __attribute__((may_alias));                                          \
                                                                                                   \
  static void accumulate_##type(void *target_data, const void *values_data, size_t nelem,          \
                                dart_operation_t op)                                               \
  {                                                                                                \
    typedef ctype    value_t;                                                                      \
    typedef utype    operand_t;                                                                    \
    typedef utype    element_t __attribute__((may_alias, aligned(1)));                             \
    type##_cell_t   *target = target_data;                                                         \
    const element_t *values = values_data;                                                         \
                                                                                                   \
    switch (op) {                                                                                  \
      DART__FOR_NATIVE_OPS(ACCUMULATE_NATIVE)                                                      \
      DART__FOR_OTHER_OPS(ACCUMULATE_LOOP)                                                         \
    case DART_OP_REPLACE:                                                                          \
      for (size_t i = 0; i < nelem; i++)                                                           \
        __atomic_exchange_n(&target[i], values[i], __ATOMIC_ACQ_REL);                              \
      break;                                                                                       \
    default: dart__assert(op == DART_OP_NO_OP);                                                    \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  static void fetch_##type(void *target_data, const void *value, void *result,                     \
                           dart_operation_t op)                                                    \
  {                                                                                                \
    typedef ctype  value_t;                                                                        \
    typedef utype  operand_t;                                                                      \
    type##_cell_t *target = target_data;                                                           \
    operand_t      a, b = 0;                                                                       \
                                                                                                   \
    if (op != DART_OP_NO_OP)                                                                       \
      memcpy(&b, value, sizeof b);                                                                 \
    switch (op) {                                                                                  \
      DART__FOR_NATIVE_OPS(FETCH_NATIVE)                                                           \
      DART__FOR_OTHER_OPS(FETCH_LOOP)                                                              \
    case DART_OP_REPLACE: a = __atomic_exchange_n(target, b, __ATOMIC_ACQ_REL); break;             \
    default:                                                                                       \
      dart__assert(op == DART_OP_NO_OP);                                                           \
      a = __atomic_load_n(target, __ATOMIC_ACQUIRE); /* pairs with the updates above */            \
    }                                                                                              \
    memcpy(result, &a, sizeof a);                                                                  \
  }                                                                                                \
                                                                                                   \
  static void swap_##type(void *target_data, const void *value, const void *compare, void *result) \
  {                                                                                                \
    type##_cell_t *target = target_data;                                                           \
    utype          seen, next;                                                                     \
                                                                                                   \
    memcpy(&seen, compare, sizeof seen);                                                           \
    memcpy(&next, value, sizeof next);                                                             \
    __atomic_compare_exchange_n(target, &seen, next, 0, __ATOMIC_ACQ_REL,                          \
                                __ATOMIC_ACQUIRE); /* a failed swap is a load */                   \
    memcpy(result, &seen, sizeof seen);                                                            \
  }

DART__FOR_INTEGERS(DEFINE_INTEGER)

/* --- Floating point, and complex numbers of it --- */

/* Bytes that hold a value; the rest of a long double is padding, stored as 0. */
#define LONG_DOUBLE_NBYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))

/* Leaves the old word in `seen`. */
#define FLOAT_LOOP(nbytes, cell, expression)             \
  do {                                                   \
    value_t a, combined;                                 \
                                                         \
    seen = load_##nbytes(cell, __ATOMIC_RELAXED);        \
    do {                                                 \
      memcpy(&a, &seen, sizeof a);                       \
      combined = expression;                             \
      next     = 0;                                      \
      memcpy(&next, &combined, value_nbytes);            \
    } while (!compare_swap_##nbytes(cell, &seen, next)); \
  } while (0)

#define FLOAT_EXCHANGE(nbytes, cell, word)            \
  do {                                                \
    seen = load_##nbytes(cell, __ATOMIC_RELAXED);     \
    while (!compare_swap_##nbytes(cell, &seen, word)) \
      ;                                               \
  } while (0)

#define FLOAT_ACCUMULATE(nbytes, op, expression)  \
  case op:                                        \
    for (size_t i = 0; i < nelem; i++) {          \
      value_t b;                                  \
                                                  \
      memcpy(&b, values + i * nbytes, sizeof b);  \
      FLOAT_LOOP(nbytes, &target[i], expression); \
    }                                             \
    break;
#define ACCUMULATE_4(op, expression)  FLOAT_ACCUMULATE(4, op, expression)
#define ACCUMULATE_8(op, expression)  FLOAT_ACCUMULATE(8, op, expression)
#define ACCUMULATE_16(op, expression) FLOAT_ACCUMULATE(16, op, expression)

#define FLOAT_FETCH(nbytes, op, expression) \
  case op:                                  \
    FLOAT_LOOP(nbytes, target, expression); \
    break;
#define FETCH_4(op, expression)  FLOAT_FETCH(4, op, expression)
#define FETCH_8(op, expression)  FLOAT_FETCH(8, op, expression)
#define FETCH_16(op, expression) FLOAT_FETCH(16, op, expression)

#define DEFINE_NUMBER(type, ctype, nbytes, meaning, FOR_OPS)                              \
  static void accumulate_##type(void *target_data, const void *values_data, size_t nelem, \
                                dart_operation_t op)                                      \
  {                                                                                       \
    typedef ctype value_t;                                                                \
    enum { value_nbytes = meaning };                                                      \
    word_##nbytes##_cell_t *target = target_data;                                         \
    const char             *values = values_data;                                         \
    word_##nbytes##_t       seen, next;                                                   \
                                                                                          \
    switch (op) {                                                                         \
      FOR_OPS(ACCUMULATE_##nbytes)                                                        \
    case DART_OP_REPLACE:                                                                 \
      for (size_t i = 0; i < nelem; i++) {                                                \
        memcpy(&next, values + i * nbytes, sizeof next);                                  \
        FLOAT_EXCHANGE(nbytes, &target[i], next);                                         \
      }                                                                                   \
      break;                                                                              \
    default: dart__assert(op == DART_OP_NO_OP);                                           \
    }                                                                                     \
  }                                                                                       \
                                                                                          \
  static void fetch_##type(void *target_data, const void *value, void *result,            \
                           dart_operation_t op)                                           \
  {                                                                                       \
    typedef ctype value_t;                                                                \
    enum { value_nbytes = meaning };                                                      \
    word_##nbytes##_cell_t *target = target_data;                                         \
    word_##nbytes##_t       seen, next;                                                   \
    value_t                 b = 0;                                                        \
                                                                                          \
    if (op != DART_OP_NO_OP && op != DART_OP_REPLACE)                                     \
      memcpy(&b, value, sizeof b);                                                        \
    switch (op) {                                                                         \
      FOR_OPS(FETCH_##nbytes)                                                             \
    case DART_OP_REPLACE:                                                                 \
      memcpy(&next, value, sizeof next); /* bits as they are */                           \
      FLOAT_EXCHANGE(nbytes, target, next);                                               \
      break;                                                                              \
    default:                                                                              \
      dart__assert(op == DART_OP_NO_OP);                                                  \
      seen = load_##nbytes(target, __ATOMIC_ACQUIRE); /* pairs with compare_swap */       \
    }                                                                                     \
    memcpy(result, &seen, sizeof seen);                                                   \
  }

DEFINE_NUMBER(DART_TYPE_FLOAT, float, 4, 4, DART__FOR_FLOAT_OPS)
DEFINE_NUMBER(DART_TYPE_DOUBLE, double, 8, 8, DART__FOR_FLOAT_OPS)
DEFINE_NUMBER(DART_TYPE_LONG_DOUBLE, long double, 16, LONG_DOUBLE_NBYTES, DART__FOR_FLOAT_OPS)
DEFINE_NUMBER(DART_TYPE_FLOAT_COMPLEX, float _Complex, 8, 8, DART__FOR_COMPLEX_OPS)
DEFINE_NUMBER(DART_TYPE_DOUBLE_COMPLEX, double _Complex, 16, 16, DART__FOR_COMPLEX_OPS)

/* --- By type --- */

static void accumulate_elements(void *target, const void *values, size_t nelem,
                                dart_datatype_t type, dart_operation_t op)
{
  switch (type) {
#define ACCUMULATE_INTEGER(type, ctype, utype)    \
  case type:                                      \
    accumulate_##type(target, values, nelem, op); \
    break;
#define ACCUMULATE_NUMBER(type, ctype, kind) \
  case type: accumulate_##type(target, values, nelem, op); break;
    DART__FOR_INTEGERS(ACCUMULATE_INTEGER)
    DART__FOR_NUMBERS(ACCUMULATE_NUMBER)
  default: dart__assert(false);
  }
}

/* --- Many elements ---
 *
 * They are updated chunk by chunk, while the lines of the next chunk are fetched. An atomic instruction waits for all
 * accesses before it, so that those on its elements would fetch one line after the other.
 *
 * Such an instruction on 16 bytes takes about twice as long as one on 1 to 8 bytes. So elements of at most 4 bytes are
 * updated in blocks: a chunk is loaded, and combined with the values by a loop that the compiler vectorises. Then each
 * block is exchanged if it is still what was loaded; if not, its elements are updated one by one. Other units may update
 * the elements meanwhile by words of their size: the processor orders an exchange of a block with those, too. A block
 * that the updates do not change needs no exchange. */

#define CHUNK_BYTES ((size_t)512)
#define CHUNK_WORDS (CHUNK_BYTES / sizeof(word_8_t))
#define LINE_BYTES  ((size_t)64)
#define MANY        8                /* elements, and ... */
#define MANY_BYTES  (2 * LINE_BYTES) /* ... bytes: fewer are not worth the loops */

#if DART__TSAN /* it does not see an instruction on 16 bytes */
typedef word_8_t      block_t;
typedef word_8_cell_t block_cell_t;
#define compare_swap_block compare_swap_8
#else
typedef word_16_t      block_t;
typedef word_16_cell_t block_cell_t;
#define compare_swap_block compare_swap_16
#endif

/* To have the lines alone before they are loaded, or the exchange would fetch them once more. */
static void prefetch(const char *at, size_t nbytes)
{
  for (size_t i = 0; i < nbytes; i += LINE_BYTES)
    __builtin_prefetch(at + i, 1);
}

#if DART__TSAN
static void load_words(word_8_t *seen, word_8_cell_t *words, size_t nwords)
{
  for (size_t i = 0; i < nwords; i++)
    seen[i] = load_8(&words[i], __ATOMIC_RELAXED);
}
#else
/* Not word by word: larger loads of `seen` would wait for the stores. A block that changes meanwhile is not exchanged. */
static void load_words(word_8_t *seen, word_8_cell_t *words, size_t nwords)
{
  memcpy(seen, words, nwords * sizeof *seen);
}
#endif

/* Whether the block is still what was loaded, word by word: it was so at one time, and its updates take effect then. */
static bool is_unchanged(word_8_cell_t *words, const void *seen)
{
  for (size_t i = 0; i < sizeof(block_t) / sizeof(word_8_t); i++) {
    word_8_t was;

    memcpy(&was, (const word_8_t *)seen + i, sizeof was);
    if (load_8(&words[i], __ATOMIC_RELAXED) != was)
      return false;
  }
  return true;
}

static bool exchange_block(char *target, const char *seen, const char *next)
{
  block_t was, is;

  memcpy(&was, seen, sizeof was);
  memcpy(&is, next, sizeof is);
  if (was == is)
    return is_unchanged((word_8_cell_t *)(void *)target, seen);
  return compare_swap_block((block_cell_t *)(void *)target, &was, is);
}

/* `nbytes`: whole blocks, at most a chunk; `target` is aligned to a block. */
static void accumulate_chunk(char *target, const char *values, size_t nbytes, dart_datatype_t type,
                             dart_operation_t op)
{
  size_t                size = dart__type_basic_size(type);
  _Alignas(16) word_8_t seen[CHUNK_WORDS], next[CHUNK_WORDS];

  load_words(seen, (word_8_cell_t *)(void *)target, nbytes / sizeof *seen);
  memcpy(next, values, nbytes);
  dart__op_combine(op, type, seen, next, nbytes / size);
  for (size_t at = 0; at < nbytes; at += sizeof(block_t))
    if (!exchange_block(target + at, (const char *)seen + at, (const char *)next + at))
      accumulate_elements(target + at, values + at, sizeof(block_t) / size, type, op);
}

/* Nobody sees what was there before, so a store is enough. */
static void replace_words(char *target, const char *values, size_t nbytes)
{
  for (size_t at = 0; at < nbytes; at += sizeof(word_8_t)) {
    word_8_t next;

    memcpy(&next, values + at, sizeof next);
    __atomic_store_n((word_8_cell_t *)(void *)(target + at), next, __ATOMIC_RELEASE);
  }
}

/* As accumulate_chunk, of elements of any size. */
static void update_chunk(char *target, const char *values, size_t nbytes, dart_datatype_t type,
                         dart_operation_t op)
{
  size_t size = dart__type_basic_size(type);

  if (op == DART_OP_REPLACE && size <= sizeof(word_8_t))
    replace_words(target, values, nbytes);
  else if (size <= sizeof(word_4_t))
    accumulate_chunk(target, values, nbytes, type, op);
  else
    accumulate_elements(target, values, nbytes / size, type, op);
}

static void update_chunks(char *target, const char *values, size_t nbytes, dart_datatype_t type,
                          dart_operation_t op)
{
  prefetch(target, dart__least(nbytes, CHUNK_BYTES));
  for (size_t at = 0; at < nbytes; at += CHUNK_BYTES) {
    size_t count = dart__least(nbytes - at, CHUNK_BYTES);

    prefetch(target + at + count, dart__least(nbytes - at - count, CHUNK_BYTES));
    update_chunk(target + at, values + at, count, type, op);
  }
  /* in order with what the caller does next, as an instruction on each element would be */
  atomic_thread_fence(op == DART_OP_REPLACE ? memory_order_seq_cst : memory_order_acq_rel);
}

static void accumulate_many(char *target, const char *values, size_t nelem, dart_datatype_t type,
                            dart_operation_t op)
{
  size_t size = dart__type_basic_size(type), nbytes = nelem * size;
  size_t head  = -(uintptr_t)target % sizeof(block_t);
  size_t whole = (nbytes - head) & ~(sizeof(block_t) - 1), tail = nbytes - head - whole;

  accumulate_elements(target, values, head / size, type, op);
  update_chunks(target + head, values + head, whole, type, op);
  accumulate_elements(target + head + whole, values + head + whole, tail / size, type, op);
}

void dart__atomic_accumulate(void *target, const void *values, size_t nelem, dart_datatype_t type,
                             dart_operation_t op)
{
  dart__assert(dart__op_is_atomic(op, type));
  if (__builtin_expect(nelem >= MANY, 0) && op != DART_OP_NO_OP &&
      nelem * dart__type_basic_size(type) >= MANY_BYTES)
    accumulate_many(target, values, nelem, type, op);
  else
    accumulate_elements(target, values, nelem, type, op);
}

void dart__atomic_fetch(void *target, const void *value, void *result, dart_datatype_t type,
                        dart_operation_t op)
{
  dart__assert(dart__op_is_atomic(op, type));
  switch (type) {
#define FETCH_INTEGER(type, ctype, utype)    \
  case type:                                 \
    fetch_##type(target, value, result, op); \
    break;
#define FETCH_NUMBER(type, ctype, kind) \
  case type: fetch_##type(target, value, result, op); break;
    DART__FOR_INTEGERS(FETCH_INTEGER)
    DART__FOR_NUMBERS(FETCH_NUMBER)
  default: dart__assert(false);
  }
}

void dart__atomic_swap(void *target, const void *value, const void *compare, void *result,
                       dart_datatype_t type)
{
  switch (type) {
#define SWAP_INTEGER(type, ctype, utype) \
  case type: swap_##type(target, value, compare, result); break;
    DART__FOR_INTEGERS(SWAP_INTEGER)
  default: dart__assert(false);
  }
}
