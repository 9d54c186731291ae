/* Atomic updates in near memory.
 *
 * An element is updated as the machine word of its size: by the CPU's own fetch operation, or by
 * reading the word, computing, and exchanging it if it is still bitwise what was read. Bits are
 * what is compared, so NaN, -0.0 and the padding of long double need no special treatment.
 *
 * Every update is acq_rel: its release pairs with the acquire of whichever update or fetch, of any
 * process, reads the value it stored. A load that only starts a loop is relaxed, for the exchange
 * that ends the loop is what counts. */
#include "wait/atomic.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/sanitizer.h"
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
#define ACCUMULATE_LOOP(op, expression)     \
  case op:                                  \
    for (size_t i = 0; i < nelem; i++) {    \
      operand_t a, b = values[i];           \
                                            \
      INTEGER_LOOP(&target[i], expression); \
    }                                       \
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

void dart__atomic_accumulate(void *target, const void *values, size_t nelem, dart_datatype_t type,
                             dart_operation_t op)
{
  dart__assert(dart__op_is_atomic(op, type));
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
