/* Copies between any two layouts, without a buffer in between.
 *
 * Where elements follow each other at a constant step on both sides, one loop moves them as machine
 * words; unrolled, and with the step 1 as a constant, it costs a load and a store per element. All
 * other layouts are copied run by run: each iteration copies as much as is consecutive on both sides. */
#include "wait/near.h"

#include <stdbool.h>

#include "base/size.h"

/* --- Constant steps --- */

/* Positions from one element to the next; 0 if they vary. */
static size_t step_of(const dart__type_t *type)
{
  if (type->elem_count == 1)
    return type->kind == DART__TYPE_INDEXED ? 0 : type->stride;
  return type->elem_count == type->stride; /* an indexed type has no stride, and some elements */
}

__extension__ typedef unsigned __int128 uint128_t;

#define FOR_ELEMENTS _Pragma("GCC unroll 4") for (size_t i = 0; i < nelem; i++)

#define DEFINE_COPY_STEPS(width)                                                               \
  static void copy_steps_##width(void *restrict dst_data, size_t       dst_step,               \
                                 const void *restrict src_data, size_t src_step, size_t nelem) \
  {                                                                                            \
    typedef uint##width##_t element_t __attribute__((may_alias, aligned(1)));                  \
    element_t *restrict dst       = dst_data;                                                  \
    const element_t *restrict src = src_data;                                                  \
                                                                                               \
    if (dst_step == 1) {                                                                       \
      FOR_ELEMENTS                                                                             \
      dst[i] = src[i * src_step];                                                              \
    } else if (src_step == 1) {                                                                \
      FOR_ELEMENTS                                                                             \
      dst[i * dst_step] = src[i];                                                              \
    } else {                                                                                   \
      FOR_ELEMENTS                                                                             \
      dst[i * dst_step] = src[i * src_step];                                                   \
    }                                                                                          \
  }

DEFINE_COPY_STEPS(8)
DEFINE_COPY_STEPS(16)
DEFINE_COPY_STEPS(32)
DEFINE_COPY_STEPS(64)
DEFINE_COPY_STEPS(128)

bool dart__near_copy_steps(void *dst, size_t dst_step, const void *src, size_t src_step,
                           size_t nelem, size_t size)
{
  switch (size) {
  case 1: copy_steps_8(dst, dst_step, src, src_step, nelem); return true;
  case 2: copy_steps_16(dst, dst_step, src, src_step, nelem); return true;
  case 4: copy_steps_32(dst, dst_step, src, src_step, nelem); return true;
  case 8: copy_steps_64(dst, dst_step, src, src_step, nelem); return true;
  case 16: copy_steps_128(dst, dst_step, src, src_step, nelem); return true;
  default: return false;
  }
}

/* --- Blocks of an indexed type, consecutive on the other side --- */

/* Blocks of up to three words, the most frequent ones, are copied without a branch on their length: the first
 * word, the last, and the one in the middle, which may be the same. */
#define DEFINE_COPY_BLOCKS(width)                                                             \
  typedef uint##width##_t block_##width##_t __attribute__((may_alias, aligned(1)));           \
                                                                                              \
  static inline void copy_words_##width(block_##width##_t *dst, const block_##width##_t *src, \
                                        size_t n)                                             \
  {                                                                                           \
    if (__builtin_expect(n <= 3, 1)) {                                                        \
      block_##width##_t first = src[0], middle = src[n / 2], last = src[n - 1];               \
                                                                                              \
      dst[0]     = first;                                                                     \
      dst[n / 2] = middle;                                                                    \
      dst[n - 1] = last;                                                                      \
    } else                                                                                    \
      memcpy(dst, src, n * sizeof *dst);                                                      \
  }                                                                                           \
                                                                                              \
  static void scatter_##width(void *dst_data, const dart__type_t *type, const void *src_data, \
                              size_t nelem)                                                   \
  {                                                                                           \
    const size_t            *length = type->block_length, *offset = type->block_offset;       \
    block_##width##_t       *dst = dst_data;                                                  \
    const block_##width##_t *src = src_data, *end = src + nelem;                              \
                                                                                              \
    for (; src != end; dst += type->extent)                                                   \
      for (size_t b = 0; b < type->block_count; src += length[b++])                           \
        copy_words_##width(dst + offset[b], src, length[b]);                                  \
  }                                                                                           \
                                                                                              \
  static void gather_##width(void *dst_data, const void *src_data, const dart__type_t *type,  \
                             size_t nelem)                                                    \
  {                                                                                           \
    const size_t            *length = type->block_length, *offset = type->block_offset;       \
    block_##width##_t       *dst = dst_data, *end = dst + nelem;                              \
    const block_##width##_t *src = src_data;                                                  \
                                                                                              \
    for (; dst != end; src += type->extent)                                                   \
      for (size_t b = 0; b < type->block_count; dst += length[b++])                           \
        copy_words_##width(dst, src + offset[b], length[b]);                                  \
  }

DEFINE_COPY_BLOCKS(8)
DEFINE_COPY_BLOCKS(16)
DEFINE_COPY_BLOCKS(32)
DEFINE_COPY_BLOCKS(64)

/* False: it is another pair of types, or elements of this size are no machine words. */
static bool copy_blocks(void *dst, const dart__type_t *dst_type, const void *src,
                        const dart__type_t *src_type, size_t nelem)
{
  bool scatters = dst_type->kind == DART__TYPE_INDEXED && step_of(src_type) == 1;

  if (!scatters && (src_type->kind != DART__TYPE_INDEXED || step_of(dst_type) != 1))
    return false;
#define COPY_BLOCKS(width)                                \
  case width / 8:                                         \
    scatters ? scatter_##width(dst, dst_type, src, nelem) \
             : gather_##width(dst, src, src_type, nelem); \
    return true;
  switch (dst_type->elem_size) {
    COPY_BLOCKS(8)
    COPY_BLOCKS(16)
    COPY_BLOCKS(32)
    COPY_BLOCKS(64)
  default: return false;
  }
#undef COPY_BLOCKS
}

/* --- Runs --- */

/* The position of one side of a copy. */
typedef struct {
  const dart__type_t *type;
  size_t              position; /* of the next element */
  size_t              left;     /* consecutive elements from `position` on, never 0 */
  size_t              start;    /* strided: position of the block; indexed: of the instance */
  size_t              block;    /* indexed: the block in the instance */
} cursor_t;

/* The run that element `elem` is in, from it on. */
static cursor_t run_of(const dart__type_t *type, size_t elem)
{
  cursor_t cursor   = { .type = type };
  size_t   instance = elem / type->elem_count;

  cursor.left = dart__type_run(type, elem, &cursor.position);
  if (type->kind == DART__TYPE_INDEXED) {
    cursor.start = instance * type->extent;
    cursor.block = dart__type_block(type, elem % type->elem_count);
  } else {
    cursor.start = instance * type->stride;
  }
  return cursor;
}

static void next_run(cursor_t *cursor)
{
  const dart__type_t *type = cursor->type;

  if (type->kind == DART__TYPE_STRIDED) {
    cursor->start += type->stride;
    cursor->position = cursor->start;
    cursor->left     = type->elem_count;
    return;
  }
  if (++cursor->block == type->block_count) {
    cursor->block = 0;
    cursor->start += type->extent;
  }
  cursor->position = cursor->start + type->block_offset[cursor->block];
  cursor->left     = type->block_length[cursor->block];
}

static inline void advance(cursor_t *cursor, size_t nelem)
{
  cursor->position += nelem;
  cursor->left -= nelem;
  if (cursor->left == 0)
    next_run(cursor);
}

/* Runs of a single element are common; with a constant size each is one load and one store. */
static inline void copy_run(char *dst, const char *src, size_t nbytes)
{
  switch (nbytes) {
  case 1: memcpy(dst, src, 1); break;
  case 2: memcpy(dst, src, 2); break;
  case 4: memcpy(dst, src, 4); break;
  case 8: memcpy(dst, src, 8); break;
  case 16: memcpy(dst, src, 16); break;
  default: memcpy(dst, src, nbytes);
  }
}

static void copy_runs(char *dst, cursor_t to, const char *src, cursor_t from, size_t nelem)
{
  size_t size = to.type->elem_size;

  while (nelem > 0) {
    size_t n = dart__least(dart__least(to.left, from.left), nelem);

    copy_run(dst + to.position * size, src + from.position * size, n * size);
    nelem -= n;
    advance(&to, n);
    advance(&from, n);
  }
}

void dart__near_copy(void *dst, const dart__type_t *dst_type, const void *src,
                     const dart__type_t *src_type, size_t nelem)
{
  size_t dst_step = step_of(dst_type);
  size_t src_step = step_of(src_type);
  size_t size     = dst_type->elem_size;

  if (nelem == 0)
    return;
  if (dst_step == 1 && src_step == 1)
    memmove(dst, src, nelem * size);
  else if (dst_step == 0 || src_step == 0 ||
           !dart__near_copy_steps(dst, dst_step, src, src_step, nelem, size)) {
    if (!copy_blocks(dst, dst_type, src, src_type, nelem))
      copy_runs(dst, run_of(dst_type, 0), src, run_of(src_type, 0), nelem);
  }
}

/* --- Parts of a buffer --- */

/* Consecutive elements of the type's size. */
static dart__type_t row_of(const dart__type_t *type)
{
  return (dart__type_t){
    .kind = DART__TYPE_CUSTOM, .elem_size = type->elem_size, .elem_count = 1, .stride = 1
  };
}

/* Whether the elements are whole instances; `*offset_out`: bytes at which these start. */
static bool are_whole_instances(const dart__type_t *type, size_t from, size_t nelem,
                                size_t *offset_out)
{
  size_t step = type->kind == DART__TYPE_INDEXED ? type->extent : type->stride;

  *offset_out = from / type->elem_count * step * type->elem_size;
  return from % type->elem_count == 0 && nelem % type->elem_count == 0;
}

void dart__near_gather(void *dst, const void *src, const dart__type_t *type, size_t from,
                       size_t nelem)
{
  dart__type_t row = row_of(type);
  size_t       offset;

  if (are_whole_instances(type, from, nelem, &offset))
    dart__near_copy(dst, &row, (const char *)src + offset, type, nelem);
  else
    copy_runs(dst, run_of(&row, 0), src, run_of(type, from), nelem);
}

void dart__near_scatter(void *dst, const dart__type_t *type, size_t from, const void *src,
                        size_t nelem)
{
  dart__type_t row = row_of(type);
  size_t       offset;

  if (are_whole_instances(type, from, nelem, &offset))
    dart__near_copy((char *)dst + offset, type, src, &row, nelem);
  else
    copy_runs(dst, run_of(type, from), src, run_of(&row, 0), nelem);
}
