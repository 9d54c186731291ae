#ifndef DASH__DART__EXT__DART_VALUE_H__INCLUDED
#define DASH__DART__EXT__DART_VALUE_H__INCLUDED
/** @file dart_value.h
 *  Small operands: copied when the call returns, or passed by value.
 *
 *  The functions of dart_communication.h may read their operands until a flush. Of operands of at most
 *  DART_COPIED_MOST bytes in all, that lie in a row, DART promises more: they are the caller's again as soon as
 *  the call returns, whatever way the data take, inside epochs and outside. So a layer on top need not keep
 *  copies. That is so for
 *
 *      dart_put                    `nelem` elements of `src`, of a basic or custom `src_type`
 *      dart_put_notify(_op)        the same
 *      dart_accumulate             `values`
 *      dart_fetch_and_op           `value`
 *      dart_compare_and_swap       `value` and `compare`
 *
 *  and not for dart_put_handle, nor for elements that are strided or indexed in `src`. Nothing else changes:
 *  the operation is complete remotely after a flush, and so is what a fetch or a swap stores in `result`.
 *  (Other runtimes have this for single elements: shmem_p of OpenSHMEM, gex_RMA_PutNBIVal of GASNet-EX.) */

#include <stdbool.h>

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#include <dash/dart/ext/dart_basic.h>

#define DART_COPIED_MOST 64 /**< bytes of an operand that is copied before the call returns */

/* dart_put_value(gptr, value), for a value of any of these C types, is dart_put of one element, passed by value: it
 * returns at once, is complete remotely after a flush, and has the errors of dart_put. In C the macro chooses the
 * function by the type of the expression, in C++ overloading does; the functions can also be called by their
 * names, dart_put_value_int and so on. A plain char is BYTE; true, false and 'c' are ints in C. */
#define DART_VALUE_TYPES(X)                                \
  X(bool, bool, DART_TYPE_BOOL)                            \
  X(char, char, DART_TYPE_BYTE)                            \
  X(schar, signed char, DART_TYPE_INT8)                    \
  X(uchar, unsigned char, DART_TYPE_UINT8)                 \
  X(short, short, DART_TYPE_SHORT)                         \
  X(ushort, unsigned short, DART_TYPE_UINT16)              \
  X(int, int, DART_TYPE_INT)                               \
  X(uint, unsigned, DART_TYPE_UINT)                        \
  X(long, long, DART_TYPE_LONG)                            \
  X(ulong, unsigned long, DART_TYPE_ULONG)                 \
  X(longlong, long long, DART_TYPE_LONGLONG)               \
  X(ulonglong, unsigned long long, DART_TYPE_ULONGLONG)    \
  X(float, float, DART_TYPE_FLOAT)                         \
  X(double, double, DART_TYPE_DOUBLE)                      \
  X(longdouble, long double, DART_TYPE_LONG_DOUBLE)

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

#define DART_VALUE_PUT(name, ctype, type)                                              \
  DART_INLINE dart_ret_t dart_put_value_##name(dart_gptr_t gptr, ctype value)          \
  {                                                                                    \
    return dart_put(gptr, &value, 1, type, type);                                      \
  }
DART_VALUE_TYPES(DART_VALUE_PUT)
#undef DART_VALUE_PUT

DART_INTERFACE_OFF
#ifdef __cplusplus
}

#define DART_VALUE_OVERLOAD(name, ctype, type)                                         \
  inline dart_ret_t dart_put_value(dart_gptr_t gptr, ctype value)                      \
  {                                                                                    \
    return dart_put_value_##name(gptr, value);                                         \
  }
DART_VALUE_TYPES(DART_VALUE_OVERLOAD)
#undef DART_VALUE_OVERLOAD
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DART_VALUE_CASE(name, ctype, type) , ctype : dart_put_value_##name
#define dart_put_value(gptr, value) \
  _Generic((value)DART_VALUE_TYPES(DART_VALUE_CASE))((gptr), (value))
#endif

#endif /* DASH__DART__EXT__DART_VALUE_H__INCLUDED */
