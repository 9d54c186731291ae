#ifndef DASH__DART__EXT__DART_BASIC_H__INCLUDED
#define DASH__DART__EXT__DART_BASIC_H__INCLUDED
/** @file dart_basic.h
 *  More basic types: integers of fixed width, bool, and complex numbers.
 *
 *  They are basic types like those of dart_types.h, and every function that takes one of those takes these: puts and
 *  gets, atomics, collectives, messages, allocation, strided and indexed types. The names of fixed width that
 *  an older basic type has the size and sign of are that type, so data put as DART_TYPE_INT may be read as
 *  DART_TYPE_INT32; all others differ from every older type, and from each other.
 *
 *                            reduce,     accumulate*
 *                            allreduce   fetch_and_op   operators
 *    INT8 .. UINT64             yes         yes         all; they wrap, and MIN, MAX and MINMAX are those
 *                                                       of their sign
 *    BOOL                       yes         yes         BAND BOR BXOR LAND LOR LXOR; operands are true or
 *                                                       false, and so are results
 *    FLOAT_, DOUBLE_COMPLEX     yes         yes         SUM PROD: complex numbers have no order
 *    all                         -          yes         REPLACE NO_OP
 *
 *  dart_compare_and_swap takes the integers and BOOL. All others: DART_ERR_INVAL, as in dart_types.h. An
 *  atomic needs its elements aligned to their size: 16 bytes for DOUBLE_COMPLEX, where C asks for 8. */

#include <limits.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#define DART_TYPE_INT8           ((dart_datatype_t)13) /**< int8_t; BYTE has the sign of char */
#define DART_TYPE_UINT8          ((dart_datatype_t)14) /**< uint8_t */
#define DART_TYPE_INT16          DART_TYPE_SHORT       /**< int16_t */
#define DART_TYPE_UINT16         ((dart_datatype_t)15) /**< uint16_t */
#define DART_TYPE_INT32          DART_TYPE_INT         /**< int32_t */
#define DART_TYPE_UINT32         DART_TYPE_UINT        /**< uint32_t */
#define DART_TYPE_BOOL           ((dart_datatype_t)16) /**< bool of C and C++, one byte */
#define DART_TYPE_FLOAT_COMPLEX  ((dart_datatype_t)17) /**< float _Complex, std::complex<float> */
#define DART_TYPE_DOUBLE_COMPLEX ((dart_datatype_t)18) /**< double _Complex, std::complex<double> */

#if LONG_MAX == INT64_MAX
#define DART_TYPE_INT64  DART_TYPE_LONG  /**< int64_t */
#define DART_TYPE_UINT64 DART_TYPE_ULONG /**< uint64_t */
#else
#define DART_TYPE_INT64  DART_TYPE_LONGLONG
#define DART_TYPE_UINT64 DART_TYPE_ULONGLONG
#endif

#define DART_TYPE_BASIC_END ((dart_datatype_t)19) /**< one past all basic types; not a type */

#endif /* DASH__DART__EXT__DART_BASIC_H__INCLUDED */
