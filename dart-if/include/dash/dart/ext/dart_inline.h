#ifndef DASH__DART__EXT__DART_INLINE_H__INCLUDED
#define DASH__DART__EXT__DART_INLINE_H__INCLUDED
/** @file dart_inline.h
 *  Puts, gets and atomics of near memory, without a call.
 *
 *  A put or get of one element of near memory is a few loads and compares before the copy; as a call it costs
 *  several times as much as the copy. The functions of this file have the same contract as those they are
 *  named after, and do this path in the program itself; for everything else (far memory, other types, wrong
 *  pointers, a call that has to make progress) they call the library, which checks all again, with the same
 *  arguments.
 *
 *      #define DART_USE_INLINE
 *      #include <dash/dart/if/dart.h>
 *
 *  makes `dart_put(...)` mean `dart_inline_put(...)`, and so on for all functions of this file. Without the macro
 *  both are there under their own names, for files that include this one. The name of a function alone,
 *  `&dart_put`, is the library's as before. Files with and without the macro may be linked into one program.
 *
 *  What these functions read is in dart_inline_tables.h. A program with this file compiled in says at its start
 *  which version of it that was; dart_init fails with DART_ERR_OTHER and one line if the library does not know it,
 *  as it may where a program is linked with a library that was built later. One of version 3 runs, but calls the library
 *  in jobs of several nodes. */

#include <string.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/ext/dart_inline_near.h>
#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- at the start of the program --------------------------------------------------------------- */

/* Runs before main, once for each file that includes this one. */
static __attribute__((constructor)) void dart_inline_started(void)
{
  dart_inline_require(DART_INLINE_VERSION, (uint32_t)sizeof(dart_inline_map_t));
}

/* The size of a basic type of 1, 2, 4 or 8 bytes; 0 for any other value. */
DART_INLINE unsigned dart_inline_size(dart_datatype_t type)
{
  switch (type) {
  case DART_TYPE_BYTE:
  case DART_TYPE_INT8:
  case DART_TYPE_UINT8:
  case DART_TYPE_BOOL: return 1;
  case DART_TYPE_SHORT:
  case DART_TYPE_UINT16: return sizeof(short);
  case DART_TYPE_INT:
  case DART_TYPE_UINT: return sizeof(int);
  case DART_TYPE_FLOAT: return sizeof(float);
  case DART_TYPE_LONG:
  case DART_TYPE_ULONG: return sizeof(long);
  case DART_TYPE_LONGLONG:
  case DART_TYPE_ULONGLONG: return sizeof(long long);
  case DART_TYPE_DOUBLE: return sizeof(double);
  case DART_TYPE_FLOAT_COMPLEX: return 2 * sizeof(float);
  default: return 0;
  }
}

/* ---- put and get -----------------------------------------------------------------------------
 *
 * False: nothing was done, and the library is to be called. */

/* After a store: whether a unit may sleep until it comes. The order of store and load is only the compiler's: the unit that
 * sleeps has had it made one of the machine, so this is a load and a branch. */
DART_INLINE int dart_inline_is_watched(void)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return *dart_inline_tables.nwatched != 0;
}

DART_INLINE void dart_inline_tell(dart_gptr_t gptr)
{
  if (__builtin_expect(dart_inline_is_watched(), 0))
    dart_inline_wrote(gptr);
}

/* Whether so many bytes, no single element, are copied here: their number is known to the compiler. */
#define DART_INLINE_IS_FEW(nbytes) \
  (__builtin_constant_p(nbytes) && (nbytes) >= 16 && (nbytes) <= (unsigned)DART_INLINE_MOST_BYTES)

#define DART_INLINE_ALWAYS DART_INLINE __attribute__((always_inline))

DART_INLINE_ALWAYS int dart_inline_try_put(dart_inline_maps_t maps, dart_gptr_t gptr,
                                           const void *src, size_t nelem, dart_datatype_t src_type,
                                           dart_datatype_t dst_type)
{
  unsigned size = dart_inline_size(src_type);
  uint64_t nbytes;
  char    *near;

  if (size == 0 || src_type != dst_type || src == NULL)
    return 0;
  if (nelem == 1) {
    near = dart_inline_element(maps, dart_inline_ids(&gptr), size);
    if (__builtin_expect(near == NULL, 0))
      return 0;
    dart_inline_store(near, src, size);
    dart_inline_tell(gptr);
    return 1;
  }
  nbytes = nelem <= (unsigned)DART_INLINE_MOST_BYTES ? (uint64_t)nelem * size : 0;
  if (!DART_INLINE_IS_FEW(nbytes))
    return 0;
  near = dart_inline_bytes(maps, dart_inline_ids(&gptr), nbytes);
  if (__builtin_expect(near == NULL, 0))
    return 0;
  __atomic_thread_fence(__ATOMIC_RELEASE); /* earlier stores before the data */
  dart_inline_copy(near, src, nbytes);
  dart_inline_tell(gptr);
  return 1;
}

DART_INLINE_ALWAYS int dart_inline_try_get(dart_inline_maps_t maps, void *dest, dart_gptr_t gptr,
                                           size_t nelem, dart_datatype_t src_type,
                                           dart_datatype_t dst_type)
{
  unsigned size = dart_inline_size(src_type);
  uint64_t nbytes;
  char    *near;

  if (size == 0 || src_type != dst_type || dest == NULL)
    return 0;
  if (nelem == 1) {
    near = dart_inline_element(maps, dart_inline_ids(&gptr), size);
    if (__builtin_expect(near == NULL, 0))
      return 0;
    dart_inline_load(dest, near, size);
    return 1;
  }
  nbytes = nelem <= (unsigned)DART_INLINE_MOST_BYTES ? (uint64_t)nelem * size : 0;
  if (!DART_INLINE_IS_FEW(nbytes))
    return 0;
  near = dart_inline_bytes(maps, dart_inline_ids(&gptr), nbytes);
  if (__builtin_expect(near == NULL, 0))
    return 0;
  dart_inline_copy(dest, near, nbytes);
  __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the data before later loads */
  return 1;
}

/* The maps of a blocking call, and of a put that returns at once. Read anew each time, for the library changes them. */
DART_INLINE dart_inline_maps_t dart_inline_blocking(void)
{
  return *(const dart_inline_maps_t volatile *)dart_inline_tables.blocking_maps;
}
DART_INLINE dart_inline_maps_t dart_inline_putting(void)
{
  return *(const dart_inline_maps_t volatile *)dart_inline_tables.put_maps;
}

/** dart_put_blocking: one element of 1, 2, 4 or 8 bytes, or 16 to 64 bytes if `nelem` and the type are
 *  constants, without a call. The same for all puts and gets. */
DART_INLINE dart_ret_t dart_inline_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                                                dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!dart_inline_try_put(dart_inline_blocking(), gptr, src, nelem, src_type, dst_type))
    return dart_put_blocking(gptr, src, nelem, src_type, dst_type);
  return DART_OK;
}

/** dart_get_blocking. */
DART_INLINE dart_ret_t dart_inline_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem,
                                                dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!dart_inline_try_get(dart_inline_blocking(), dest, gptr, nelem, src_type, dst_type))
    return dart_get_blocking(dest, gptr, nelem, src_type, dst_type);
  return DART_OK;
}

/** dart_put. */
DART_INLINE dart_ret_t dart_inline_put(dart_gptr_t gptr, const void *src, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!dart_inline_try_put(dart_inline_putting(), gptr, src, nelem, src_type, dst_type))
    return dart_put(gptr, src, nelem, src_type, dst_type);
  return DART_OK;
}

/** dart_get. */
DART_INLINE dart_ret_t dart_inline_get(void *dest, dart_gptr_t gptr, size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type)
{
  if (!dart_inline_try_get(dart_inline_tables.maps, dest, gptr, nelem, src_type, dst_type))
    return dart_get(dest, gptr, nelem, src_type, dst_type);
  return DART_OK;
}

/** dart_put_handle. */
DART_INLINE dart_ret_t dart_inline_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                                              dart_datatype_t src_type, dart_datatype_t dst_type,
                                              dart_handle_t *handle)
{
  if (handle == NULL ||
      !dart_inline_try_put(dart_inline_putting(), gptr, src, nelem, src_type, dst_type))
    return dart_put_handle(gptr, src, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}

/** dart_get_handle. */
DART_INLINE dart_ret_t dart_inline_get_handle(void *dest, dart_gptr_t gptr, size_t nelem,
                                              dart_datatype_t src_type, dart_datatype_t dst_type,
                                              dart_handle_t *handle)
{
  if (handle == NULL ||
      !dart_inline_try_get(dart_inline_tables.maps, dest, gptr, nelem, src_type, dst_type))
    return dart_get_handle(dest, gptr, nelem, src_type, dst_type, handle);
  *handle = DART_HANDLE_NULL;
  return DART_OK;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Whether an element is an integer of 4 or 8 bytes. */
DART_INLINE int dart_inline_is_integer(dart_datatype_t type)
{
  return type >= DART_TYPE_INT && type <= DART_TYPE_ULONGLONG;
}

/** dart_fetch_and_op: an integer of 4 or 8 bytes, by SUM, BXOR, BOR, BAND, REPLACE or NO_OP, without a
 *  call. */
DART_INLINE dart_ret_t dart_inline_fetch_and_op(dart_gptr_t gptr, const void *value, void *result,
                                                dart_datatype_t dtype, dart_operation_t op)
{
  unsigned size = dart_inline_size(dtype);
  char    *near = NULL;

  if (dart_inline_is_integer(dtype) && result != NULL && (value != NULL || op == DART_OP_NO_OP))
    near = dart_inline_element(dart_inline_blocking(), dart_inline_ids(&gptr), size);
  if (__builtin_expect(near == NULL, 0) ||
      !(size == 8 ? dart_inline_fetch_64(near, value, result, op)
                  : dart_inline_fetch_32(near, value, result, op)))
    return dart_fetch_and_op(gptr, value, result, dtype, op);
  if (op != DART_OP_NO_OP)
    dart_inline_tell(gptr);
  return DART_OK;
}

/** dart_compare_and_swap: an integer of 4 or 8 bytes without a call. */
DART_INLINE dart_ret_t dart_inline_compare_and_swap(dart_gptr_t gptr, const void *value,
                                                    const void *compare, void *result,
                                                    dart_datatype_t dtype)
{
  unsigned size = dart_inline_size(dtype);
  char    *near = NULL;

  if (dart_inline_is_integer(dtype) && value != NULL && compare != NULL && result != NULL)
    near = dart_inline_element(dart_inline_blocking(), dart_inline_ids(&gptr), size);
  if (__builtin_expect(near == NULL, 0))
    return dart_compare_and_swap(gptr, value, compare, result, dtype);
  if (size == 8)
    dart_inline_swap_64(near, value, compare, result);
  else
    dart_inline_swap_32(near, value, compare, result);
  dart_inline_tell(gptr);
  return DART_OK;
}

/* ---- pointer arithmetic ----------------------------------------------------------------------
 *
 * dart_gptr_incaddr and dart_gptr_setunit of dart_globmem.h are inline, too. */

/** `gptr` moved by `nelem` elements of `size` bytes, and to another unit of its team. */
DART_INLINE dart_gptr_t dart_inline_gptr_at(dart_gptr_t gptr, dart_team_unit_t unit, int64_t nelem,
                                            size_t size)
{
  dart_gptr_setunit(&gptr, unit);
  gptr.addr_or_offs.offset += (uint64_t)nelem * size;
  return gptr;
}

#ifdef DART_USE_INLINE
#define dart_put_blocking(...)     dart_inline_put_blocking(__VA_ARGS__)
#define dart_get_blocking(...)     dart_inline_get_blocking(__VA_ARGS__)
#define dart_put(...)              dart_inline_put(__VA_ARGS__)
#define dart_get(...)              dart_inline_get(__VA_ARGS__)
#define dart_put_handle(...)       dart_inline_put_handle(__VA_ARGS__)
#define dart_get_handle(...)       dart_inline_get_handle(__VA_ARGS__)
#define dart_fetch_and_op(...)     dart_inline_fetch_and_op(__VA_ARGS__)
#define dart_compare_and_swap(...) dart_inline_compare_and_swap(__VA_ARGS__)
#endif

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_INLINE_H__INCLUDED */
