#ifndef DASH__DART__EXT__DART_RESOLVED_H__INCLUDED
#define DASH__DART__EXT__DART_RESOLVED_H__INCLUDED
/** @file dart_resolved.h
 *  Pointers that are resolved once, for many puts and gets of single elements.
 *
 *  Each put and get checks its pointer and finds the memory behind it. In a loop over one portion that is the same
 *  work every time, and it takes longer than the store. dart_resolve (dart_near.h) does it once, for a range of bytes:
 *
 *      dart_resolved_t row;
 *
 *      dart_resolve(gptr, n * sizeof(double), &row);
 *      for (size_t i = 0; i < n; i++) {
 *        double x;
 *
 *        dart_resolved_get(&x, &row, i * sizeof x, DART_TYPE_DOUBLE);
 *        dart_resolved_put(&row, i * sizeof x, &(double){ 2 * x }, DART_TYPE_DOUBLE);
 *      }
 *
 *  Near memory is loaded and stored in the program itself; of far memory each access is the blocking call of the
 *  library. So a program has one loop for both. In contrast to the address that dart_near_ptr gives, an element is
 *  never torn, a put orders all earlier stores before it and wakes units in dart_wait_word, and with the debug
 *  mode (DART_CHECK) and with DART_STATS=near each access is a call, which is checked, traced and counted.
 *
 *  A short loop has more cache misses under way at once. So where accesses are at random, find the ranges and offsets of
 *  some hundred of them before the loop that makes them: that doubles the rate of bench/randomaccess.
 *
 *  What the loop saves, it does not check: without the debug mode, an access to near memory outside of the range, or at
 *  an offset that is not a multiple of the element's size, is undefined, as that of an array is. Other differences to
 *  dart_put_blocking and dart_get_blocking: near accesses make no progress, so a loop that waits for another unit
 *  uses dart_wait_word or dart_progress; updates of the same element by the caller's dart_accumulate are
 *  completed by a flush first; and no epoch begins on the memory after dart_resolve. */

#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Where the byte `offset` of the range is, for other calls. */
DART_INLINE dart_gptr_t dart_resolved_at(const dart_resolved_t *range, uint64_t offset)
{
  dart_gptr_t gptr = range->gptr;

  gptr.addr_or_offs.offset += offset;
  return gptr;
}

/** Put one element of a basic type to the byte `offset` of the range. Complete on return, as dart_put_blocking.
 *
 *  DART_ERR_INVAL, where the access is a call of the library: it is not within the range, `type` is no basic type, or
 *  as dart_put_blocking. */
DART_INLINE dart_ret_t dart_resolved_put(const dart_resolved_t *to, uint64_t offset, const void *src, dart_datatype_t type)
{
  unsigned size = dart_inline_size(type);

  if (__builtin_expect(to->near == NULL || size == 0, 0)) {
    dart_ret_t ret = dart_resolved_check("dart_resolved_put", to->nbytes, offset, type);

    return ret != DART_OK ? ret
                          : dart_put_blocking(dart_resolved_at(to, offset), src, 1, type, type);
  }
  dart_inline_store(to->near + offset, src, size);
  if (__builtin_expect(dart_inline_is_watched(), 0))
    dart_inline_wrote(dart_resolved_at(to, offset));
  return DART_OK;
}

/** Get one element of a basic type from the byte `offset` of the range. Errors as dart_resolved_put. */
DART_INLINE dart_ret_t dart_resolved_get(void *dest, const dart_resolved_t *from, uint64_t offset, dart_datatype_t type)
{
  unsigned size = dart_inline_size(type);

  if (__builtin_expect(from->near == NULL || size == 0, 0)) {
    dart_ret_t ret = dart_resolved_check("dart_resolved_get", from->nbytes, offset, type);

    return ret != DART_OK ? ret
                          : dart_get_blocking(dest, dart_resolved_at(from, offset), 1, type, type);
  }
  dart_inline_load(dest, from->near + offset, size);
  return DART_OK;
}

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_RESOLVED_H__INCLUDED */
