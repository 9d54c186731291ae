#ifndef DART__DATA_OP_H
#define DART__DATA_OP_H
/* Operators: which element types each accepts, and how a reduction combines two operands. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

/* BYTE is ordered as C's `char`; it wraps at 256. BOOL is a byte that is 0 or 1. */
#define DART__FOR_INTEGERS(X)                                    \
  X(DART_TYPE_BYTE, char, unsigned char)                         \
  X(DART_TYPE_SHORT, short, unsigned short)                      \
  X(DART_TYPE_INT, int, unsigned)                                \
  X(DART_TYPE_UINT, unsigned, unsigned)                          \
  X(DART_TYPE_LONG, long, unsigned long)                         \
  X(DART_TYPE_ULONG, unsigned long, unsigned long)               \
  X(DART_TYPE_LONGLONG, long long, unsigned long long)           \
  X(DART_TYPE_ULONGLONG, unsigned long long, unsigned long long) \
  X(DART_TYPE_INT8, signed char, unsigned char)                  \
  X(DART_TYPE_UINT8, unsigned char, unsigned char)               \
  X(DART_TYPE_UINT16, unsigned short, unsigned short)            \
  X(DART_TYPE_BOOL, unsigned char, unsigned char)

/* Numbers that are no integers: FLOAT is ordered, COMPLEX is not. */
#define DART__FOR_NUMBERS(X)                          \
  X(DART_TYPE_FLOAT, float, FLOAT)                    \
  X(DART_TYPE_DOUBLE, double, FLOAT)                  \
  X(DART_TYPE_LONG_DOUBLE, long double, FLOAT)        \
  X(DART_TYPE_FLOAT_COMPLEX, float _Complex, COMPLEX) \
  X(DART_TYPE_DOUBLE_COMPLEX, double _Complex, COMPLEX)

/* What the operators compute, once for reductions and atomics: X(op, [native,] expression) over
 * operands `a` and `b`. Integers are given in their unsigned type, so they wrap, and `value_t` is
 * the type they are compared as; `native` completes the name of the CPU's fetch operation. */
#define DART__FOR_NATIVE_OPS(X)   \
  X(DART_OP_SUM, add, 0U + a + b) \
  X(DART_OP_BAND, and, a &b)      \
  X(DART_OP_BOR, or, a | b)       \
  X(DART_OP_BXOR, xor, a ^ b)

#define DART__FOR_OTHER_OPS(X)                    \
  X(DART_OP_MIN, (value_t)a < (value_t)b ? a : b) \
  X(DART_OP_MAX, (value_t)a > (value_t)b ? a : b) \
  X(DART_OP_PROD, 1U * a * b)                     \
  X(DART_OP_LAND, a != 0 && b != 0)               \
  X(DART_OP_LOR, a != 0 || b != 0)                \
  X(DART_OP_LXOR, (a != 0) != (b != 0))

#define DART__FOR_COMPLEX_OPS(X) \
  X(DART_OP_SUM, a + b)          \
  X(DART_OP_PROD, a *b)

#define DART__FOR_FLOAT_OPS(X)  \
  X(DART_OP_MIN, a < b ? a : b) \
  X(DART_OP_MAX, a > b ? a : b) \
  DART__FOR_COMPLEX_OPS(X)

/** Whether a reduction may combine `nelem` elements of `type` by `op` (contract, section 2.2). A
 *  user-defined operator takes the value of `type` it was created for, whether or not that type
 *  still exists. */
bool dart__op_reduces(dart_operation_t op, dart_datatype_t type, size_t nelem);

/** Whether `op` may be applied atomically to elements of `type`. */
static inline bool dart__op_is_atomic(dart_operation_t op, dart_datatype_t type)
{
  enum { /* operators, as bits */
         ANY     = 1 << DART_OP_REPLACE | 1 << DART_OP_NO_OP,
         BITWISE = ANY | 1 << DART_OP_BAND | 1 << DART_OP_BOR | 1 << DART_OP_BXOR |
                   1 << DART_OP_LAND | 1 << DART_OP_LOR | 1 << DART_OP_LXOR,
         COMPLEX = ANY | 1 << DART_OP_SUM | 1 << DART_OP_PROD,
         FLOAT   = COMPLEX | 1 << DART_OP_MIN | 1 << DART_OP_MAX
  };
  /* clang-format off */
#define DART__INTEGER_OPS(type, ctype, utype) [type] = type == DART_TYPE_BOOL ? BITWISE : BITWISE | FLOAT,
#define DART__NUMBER_OPS(type, ctype, kind)   [type] = kind,
  static const uint16_t allowed[DART_TYPE_BASIC_END] = {
    DART__FOR_INTEGERS(DART__INTEGER_OPS)
    DART__FOR_NUMBERS(DART__NUMBER_OPS)
  };
  /* clang-format on */

  return (uintptr_t)type < DART_TYPE_BASIC_END && (uintptr_t)op < DART_OP_LAST &&
         (allowed[type] >> op & 1) != 0;
}

/** False only for user-defined operators that were created as not commutative. */
bool dart__op_commutes(dart_operation_t op);

/** inout[i] = in[i] op inout[i] for i < nelem; `in` comes from units with lower ids. The buffers
 *  do not overlap; predefined operators take them at any alignment.
 *  Precondition: dart__op_reduces(op, type, nelem). */
void dart__op_combine(dart_operation_t op, dart_datatype_t type, const void *in, void *inout,
                      size_t nelem);

/** Destroy all objects (exit). */
void dart__op_clear(void);

#endif
