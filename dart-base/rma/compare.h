#ifndef DART__RMA_COMPARE_H
#define DART__RMA_COMPARE_H
/* A comparison of a word with a value, in few instructions: a unit that yields its core between its looks makes others
 * wait for each of them. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <dash/dart/ext/dart_wait_word.h>

#include "base/sanitizer.h"
#include "data/op.h"
#include "data/type.h"

typedef struct {
  uint64_t sign;   /* the bit that is flipped to compare signed numbers as unsigned ones; or 0 */
  uint8_t  size;   /* bytes of the word and the value */
  uint8_t  orders; /* it compares so if the word is less: bit 0; equal: bit 1; greater: bit 2 */
} dart__comparison_t;

/** False: `type` is no integer type, or there is no such comparison. The tables are constants of the code: a waiter's
 *  data are in no cache. */
static inline bool dart__comparison_of(dart_datatype_t type, dart_comparison_t comparison,
                                       dart__comparison_t *how_out)
{
  enum { SIGNED = 4, INTEGER = 8 };
#define DART__LOG2(value_t) ((sizeof(value_t) > 1) + (sizeof(value_t) > 2) + (sizeof(value_t) > 4))
#define DART__KIND(id, value_t, unsigned_t)                                             \
  +((uint64_t)(INTEGER + ((value_t)-1 < (value_t)1 ? SIGNED : 0) + DART__LOG2(value_t)) \
    << 4 * (id - 1))
  /* a digit for each of the types 1 to 16, from the lowest on: the kind, and the logarithm of the size */
  const uint64_t kinds = 0 DART__FOR_INTEGERS(DART__KIND);
#undef DART__KIND
#undef DART__LOG2
  /* for each comparison: EQ, NE, LT, LE, GT, GE */
  const uint32_t orders = 0x643152;
  uintptr_t      digit  = (uintptr_t)type - 1;
  unsigned       kind   = digit < 16 ? (unsigned)(kinds >> 4 * digit) & 15 : 0;

  if (kind == 0 || (unsigned)comparison > DART_WAIT_GE)
    return false;
  how_out->size   = (uint8_t)(1U << (kind & 3));
  how_out->sign   = (kind & SIGNED) != 0 ? UINT64_C(1) << (8 * how_out->size - 1) : 0;
  how_out->orders = orders >> (4 * (unsigned)comparison) & 7;
  return true;
}

/** Whether the word at `near`, aligned, compares so to `*value`. Acquires what the word's writer released. */
static inline bool dart__compares(dart__comparison_t how, const void *near, const void *value)
{
  uint64_t a, b;

  switch (how.size) {
#define DART__LOAD_BOTH(width)                                        \
  {                                                                   \
    typedef uint##width##_t word_t __attribute__((may_alias));        \
    word_t                  operand;                                  \
                                                                      \
    memcpy(&operand, value, sizeof operand);                          \
    b = operand;                                                      \
    /* acquire: pairs with the put, the atomic or the notification */ \
    a = __atomic_load_n((const word_t *)near, __ATOMIC_ACQUIRE);      \
    break;                                                            \
  }
  case 8: DART__LOAD_BOTH(64)
  case 4: DART__LOAD_BOTH(32)
  case 2: DART__LOAD_BOTH(16)
  default: DART__LOAD_BOTH(8)
#undef DART__LOAD_BOTH
  }
  dart__tsan_hear(); /* the writer may be another process */
  a ^= how.sign;
  b ^= how.sign;
  return (how.orders >> ((a > b) + (a >= b)) & 1) != 0;
}

#endif
