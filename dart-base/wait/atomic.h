#ifndef DART__WAIT_ATOMIC_H
#define DART__WAIT_ATOMIC_H
/* Atomic updates of elements in memory that this process can load and store.
 *
 * One CPU instruction where there is one, a compare-and-swap loop otherwise; 16-byte elements by a
 * 16-byte compare-and-swap. So every update is atomic towards every other update of the element,
 * from any process that maps it. Each is acq_rel: it releases what its caller did before and
 * acquires what the update it observes released. An accumulate, which shows its caller nothing, only releases where that
 * is faster.
 * Preconditions: `target` is aligned to its element; dart__op_is_atomic(op, type). The other
 * buffers may lie at any address and do not overlap the target. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <dash/dart/ext/dart_inline_near.h>
#include <dash/dart/if/dart_types.h>

#include "data/type.h"

/** target[i] = target[i] op values[i], for i < nelem, atomically element by element. */
void dart__atomic_accumulate(void *target, const void *values, size_t nelem, dart_datatype_t type,
                             dart_operation_t op);

/** *result = *target; *target = *target op *value, in one atomic step. `value` may be NULL for
 *  DART_OP_NO_OP. */
void dart__atomic_fetch(void *target, const void *value, void *result, dart_datatype_t type,
                        dart_operation_t op);

/** dart__atomic_fetch of `nelem` elements in a row, each in a step of its own. */
static inline void dart__atomic_fetch_elements(void *target, const void *values, void *results,
                                               size_t nelem, dart_datatype_t type,
                                               dart_operation_t op)
{
  size_t size = dart__type_basic_size(type);

  for (size_t i = 0; i < nelem; i++)
    dart__atomic_fetch((char *)target + i * size,
                       values == NULL ? NULL : (const char *)values + i * size,
                       (char *)results + i * size, type, op);
}

/** *result = *target; if (*target == *compare) *target = *value, bitwise, in one atomic step.
 *  `type` is an integer type. */
void dart__atomic_swap(void *target, const void *value, const void *compare, void *result,
                       dart_datatype_t type);

/* ---- one integer of 4 or 8 bytes by one CPU instruction, without a call ---------------------
 *
 * They return false, and do nothing, for any other type, operator or alignment; the caller then calls the
 * functions above. The instructions are the same, and so is the order: acq_rel, paired with whichever
 * update or fetch reads the value. Those with a result are in dart_inline_near.h, for programs call them, too. */

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8,
               "the numbers of these types follow each other");

/** Bytes of `type` if it is an integer of 4 or 8 bytes, else 0. */
static inline unsigned dart__atomic_word_size(dart_datatype_t type)
{
  if ((uintptr_t)type - DART_TYPE_LONG <= DART_TYPE_ULONGLONG - DART_TYPE_LONG)
    return 8;
  return (uintptr_t)type - DART_TYPE_INT <= DART_TYPE_UINT - DART_TYPE_INT ? 4 : 0;
}

/** Whether an update of such an integer by this operator is one instruction. */
static inline bool dart__atomic_is_instruction(dart_operation_t op)
{
  enum {
    INSTRUCTIONS = 1 << DART_OP_SUM | 1 << DART_OP_BXOR | 1 << DART_OP_BOR | 1 << DART_OP_BAND |
                   1 << DART_OP_REPLACE
  };

  return (uintptr_t)op < DART_OP_LAST && (INSTRUCTIONS >> op & 1) != 0;
}

#define DART__ATOMIC_WORD(width)                                                             \
  typedef uint##width##_t dart__atomic_word_##width##_t __attribute__((may_alias));          \
                                                                                             \
  static inline __attribute__((always_inline)) bool dart__atomic_accumulate_##width(         \
      dart__atomic_word_##width##_t *word, const void *value, dart_operation_t op)           \
  {                                                                                          \
    uint##width##_t operand;                                                                 \
                                                                                             \
    memcpy(&operand, value, sizeof operand);                                                 \
    switch (op) {                                                                            \
    case DART_OP_SUM: __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); return true;      \
    case DART_OP_BXOR: __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL); return true;     \
    case DART_OP_BOR: __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL); return true;       \
    case DART_OP_BAND: __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL); return true;     \
    case DART_OP_REPLACE: __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL); return true; \
    default: return false;                                                                   \
    }                                                                                        \
  }

DART__ATOMIC_WORD(32)
DART__ATOMIC_WORD(64)
#undef DART__ATOMIC_WORD

static inline bool dart__atomic_accumulate_word(void *word, const void *value, dart_datatype_t type,
                                                dart_operation_t op)
{
  switch (dart__atomic_word_size(type)) {
  case 8: return (uintptr_t)word % 8 == 0 && dart__atomic_accumulate_64(word, value, op);
  case 4: return (uintptr_t)word % 4 == 0 && dart__atomic_accumulate_32(word, value, op);
  default: return false;
  }
}

/** dart__atomic_accumulate of one element of at most 8 bytes. */
static inline void dart__atomic_accumulate_one(void *target, const void *value,
                                               dart_datatype_t type, dart_operation_t op)
{
  if (!dart__atomic_accumulate_word(target, value, type, op))
    dart__atomic_accumulate(target, value, 1, type, op);
}

/** `value` is NULL only for DART_OP_NO_OP. */
static inline bool dart__atomic_fetch_word(void *word, const void *value, void *result,
                                           dart_datatype_t type, dart_operation_t op)
{
  switch (dart__atomic_word_size(type)) {
  case 8: return (uintptr_t)word % 8 == 0 && dart_inline_fetch_64(word, value, result, op);
  case 4: return (uintptr_t)word % 4 == 0 && dart_inline_fetch_32(word, value, result, op);
  default: return false;
  }
}

static inline bool dart__atomic_swap_word(void *word, const void *value, const void *compare,
                                          void *result, dart_datatype_t type)
{
  unsigned size = dart__atomic_word_size(type);

  if (size == 0 || (uintptr_t)word % size != 0)
    return false;
  if (size == 8)
    dart_inline_swap_64(word, value, compare, result);
  else
    dart_inline_swap_32(word, value, compare, result);
  return true;
}

#endif
