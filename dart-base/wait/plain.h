#ifndef DART__WAIT_PLAIN_H
#define DART__WAIT_PLAIN_H
/* Updates of words that nobody else updates meanwhile, by a load and a store.
 *
 * The processor has several of these under way at once, where an atomic instruction waits for all accesses
 * around it. They acquire and release as the updates of wait/atomic.h do, and give the same values. */
#include "data/op.h"
#include "wait/atomic.h"

typedef uint64_t dart__plain_word_t __attribute__((may_alias));

/* acquire and release: pair with whichever update, put or get of the word comes before or after */
static inline bool dart__plain_accumulate_64(dart__plain_word_t *word, uint64_t operand,
                                             dart_operation_t op)
{
  uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);

  switch (op) {
  case DART_OP_SUM: value += operand; break;
  case DART_OP_BXOR: value ^= operand; break;
  case DART_OP_BOR: value |= operand; break;
  case DART_OP_BAND: value &= operand; break;
  case DART_OP_REPLACE: value = operand; break;
  default: return false;
  }
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  return true;
}

/** dart__atomic_accumulate_one, of a word that only the caller updates. */
static inline void dart__plain_accumulate_one(void *target, const void *value, dart_datatype_t type,
                                              dart_operation_t op)
{
  uint64_t operand;

  if (dart__atomic_word_size(type) == sizeof operand && (uintptr_t)target % sizeof operand == 0) {
    memcpy(&operand, value, sizeof operand);
    if (dart__plain_accumulate_64(target, operand, op))
      return;
  }
  dart__atomic_accumulate_one(target, value, type, op);
}

#endif
