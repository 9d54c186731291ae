#ifndef DART__WAIT_NEAR_H
#define DART__WAIT_NEAR_H
/* Copies between a local buffer and near memory.
 *
 * Order: a put releases everything its thread did before, a get acquires what the put it observes
 * released (contract, section 1.6). For one naturally aligned element of 1, 2, 4 or 8 bytes that
 * is a store-release and a load-acquire, so it is never torn; for anything else a fence before
 * the stores, or after the loads. A put pairs with the get that reads its data.
 * A get reads memory anew each time: programs that poll depend on it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <dash/dart/ext/dart_inline_near.h>

#include "base/copy.h"
#include "data/type.h"

/** Copy `nelem` base elements from `src`, laid out as `src_type`, to `dst`, laid out as
 *  `dst_type`. The types are compatible; bytes that `dst_type` does not cover stay untouched.
 *  Any alignment. `src` and `dst` may overlap only if both types are contiguous. */
void dart__near_copy(void *dst, const dart__type_t *dst_type, const void *src,
                     const dart__type_t *src_type, size_t nelem);

/** dart__near_copy of elements of `size` bytes at a constant distance in each buffer, in elements. False: nothing
 *  was done, for elements of this size are no machine words. */
bool dart__near_copy_steps(void *dst, size_t dst_step, const void *src, size_t src_step,
                           size_t nelem, size_t size);

/** Elements [from, from + nelem) of a buffer laid out as `type`, to and from consecutive ones. */
void dart__near_gather(void *dst, const void *src, const dart__type_t *type, size_t from,
                       size_t nelem);
void dart__near_scatter(void *dst, const dart__type_t *type, size_t from, const void *src,
                        size_t nelem);

/* One element of a power-of-two size, mostly of 8 bytes, that is aligned in near memory; false for any other, and
 * nothing is done. */
#define DART__NEAR_WORD(size, copy, target, source) \
  case size:                                        \
    if ((uintptr_t)near % (size) != 0)              \
      return 0;                                     \
    copy(target, source, size);                     \
    return 1;
static inline int dart__near_put_word(void *near, const void *src, size_t nbytes)
{
  switch (__builtin_expect((long)nbytes, 8)) {
    DART__NEAR_WORD(8, dart_inline_store, near, src)
    DART__NEAR_WORD(4, dart_inline_store, near, src)
    DART__NEAR_WORD(2, dart_inline_store, near, src)
    DART__NEAR_WORD(1, dart_inline_store, near, src)
  default: return 0;
  }
}

static inline int dart__near_get_word(void *dst, const void *near, size_t nbytes)
{
  switch (__builtin_expect((long)nbytes, 8)) {
    DART__NEAR_WORD(8, dart_inline_load, dst, near)
    DART__NEAR_WORD(4, dart_inline_load, dst, near)
    DART__NEAR_WORD(2, dart_inline_load, dst, near)
    DART__NEAR_WORD(1, dart_inline_load, dst, near)
  default: return 0;
  }
}
#undef DART__NEAR_WORD

#define DART__FEW_BYTES_MOST ((size_t)DART_INLINE_MOST_BYTES) /* of dart_inline_copy */

/* Any number of bytes. Larger copies are left to memmove: it uses non-temporal stores by itself for sizes
 * beyond the caches, and non-temporal stores of our own were slower at every size measured. */
static inline void dart__near_put_bytes(void *near, const void *src, size_t nbytes)
{
  if (dart__near_put_word(near, src, nbytes))
    return;
  atomic_thread_fence(memory_order_release); /* earlier stores before the data */
  dart__copy_bytes(near, src, nbytes);
}

static inline void dart__near_get_bytes(void *dst, const void *near, size_t nbytes)
{
  if (dart__near_get_word(dst, near, nbytes))
    return;
  dart__copy_bytes(dst, near, nbytes);
  atomic_thread_fence(memory_order_acquire); /* the data before later loads */
}

static inline void dart__near_put(void *near, const dart__type_t *near_type, const void *src,
                                  const dart__type_t *src_type, size_t nelem)
{
  if (dart__type_is_contiguous(near_type) && dart__type_is_contiguous(src_type)) {
    dart__near_put_bytes(near, src, nelem * near_type->elem_size);
    return;
  }
  atomic_thread_fence(memory_order_release);
  dart__near_copy(near, near_type, src, src_type, nelem);
}

static inline void dart__near_get(void *dst, const dart__type_t *dst_type, const void *near,
                                  const dart__type_t *near_type, size_t nelem)
{
  if (dart__type_is_contiguous(near_type) && dart__type_is_contiguous(dst_type)) {
    dart__near_get_bytes(dst, near, nelem * near_type->elem_size);
    return;
  }
  dart__near_copy(dst, dst_type, near, near_type, nelem);
  atomic_thread_fence(memory_order_acquire);
}

#endif
