/* Data types: the table of the types that a program has created, and the arithmetic of their layouts.
 *
 * Sizes given by the program are at most INT_MAX, so sums of two of them fit; whatever is
 * multiplied by a count of elements is checked. An object has copies of all it needs of its
 * base type, which may be destroyed first. */
#include "data/type.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>

#include "base/assert.h"
#include "base/handle.h"
#include "base/log.h"
#include "base/profile.h"
#include "data/name.h"

DART__PROFILED(dart_type_create_custom, dart_type_create_strided, dart_type_create_indexed);
DART__PROFILED(dart_type_destroy, dart_type_name);

#define BASIC(type, ctype)                   \
  [type] = { .kind       = DART__TYPE_BASIC, \
             .base       = type,             \
             .elem_size  = sizeof(ctype),    \
             .elem_count = 1,                \
             .stride     = 1 }

const dart__type_t dart__type_basic[DART_TYPE_BASIC_END] = {
  BASIC(DART_TYPE_BYTE, char),
  BASIC(DART_TYPE_SHORT, short),
  BASIC(DART_TYPE_INT, int),
  BASIC(DART_TYPE_UINT, unsigned),
  BASIC(DART_TYPE_LONG, long),
  BASIC(DART_TYPE_ULONG, unsigned long),
  BASIC(DART_TYPE_LONGLONG, long long),
  BASIC(DART_TYPE_ULONGLONG, unsigned long long),
  BASIC(DART_TYPE_FLOAT, float),
  BASIC(DART_TYPE_DOUBLE, double),
  BASIC(DART_TYPE_LONG_DOUBLE, long double),
  BASIC(DART_TYPE_INT8, int8_t),
  BASIC(DART_TYPE_UINT8, uint8_t),
  BASIC(DART_TYPE_UINT16, uint16_t),
  BASIC(DART_TYPE_BOOL, bool),
  BASIC(DART_TYPE_FLOAT_COMPLEX, float _Complex),
  BASIC(DART_TYPE_DOUBLE_COMPLEX, double _Complex)
};

/* What dash/dart/ext/dart_basic.h says of the names that it gives to older types. */
_Static_assert(sizeof(short) == 2 && sizeof(int) == 4 && sizeof(bool) == 1,
               "16 and 32 bits, and bool");

static void release_type(void *object)
{
  dart__type_forget(object);
}

dart__handles_t dart__type_objects = DART__HANDLES(dart__type_t, release_type);

/* Room for the arrays of `nblocks` blocks, with one user. NULL: no memory. */
static dart__type_blocks_t *new_blocks(size_t nblocks)
{
  dart__type_blocks_t *blocks = malloc(sizeof *blocks + 3 * nblocks * sizeof blocks->array[0]);

  if (blocks != NULL)
    atomic_init(&blocks->users, 1);
  return blocks;
}

static void set_arrays(dart__type_t *type, dart__type_blocks_t *blocks, size_t nblocks)
{
  type->blocks       = blocks;
  type->block_count  = nblocks;
  type->block_length = blocks->array;
  type->block_offset = blocks->array + nblocks;
  type->block_first  = blocks->array + 2 * nblocks;
}

static void copy_arrays(const dart__type_t *type, dart__type_blocks_t *blocks)
{
  size_t n = type->block_count;

  memcpy(blocks->array, type->block_length, n * sizeof blocks->array[0]);
  memcpy(blocks->array + n, type->block_offset, n * sizeof blocks->array[0]);
  memcpy(blocks->array + 2 * n, type->block_first, n * sizeof blocks->array[0]);
}

bool dart__type_copy(const dart__type_t *type, dart__type_t *copy_out)
{
  dart__type_t         copy = *type;
  dart__type_blocks_t *blocks;

  if (type->blocks != NULL) {
    /* relaxed: a thread that copies has a user's right to the blocks */
    atomic_fetch_add_explicit(&type->blocks->users, 1, memory_order_relaxed);
  } else if (type->kind == DART__TYPE_INDEXED) {
    blocks = new_blocks(type->block_count);
    if (blocks == NULL)
      return false;
    copy_arrays(type, blocks);
    set_arrays(&copy, blocks, type->block_count);
  }
  *copy_out = copy;
  return true;
}

void dart__type_forget(dart__type_t *copy)
{
  /* acq_rel: what the other users have read comes before the last one frees it */
  if (copy->blocks != NULL &&
      atomic_fetch_sub_explicit(&copy->blocks->users, 1, memory_order_acq_rel) == 1)
    free(copy->blocks);
  copy->blocks = NULL;
}

bool dart__type_is_like(const dart__type_t *a, const dart__type_t *b)
{
  size_t nbytes = a->block_count * sizeof *a->block_length;

  return a->kind == b->kind && a->elem_size == b->elem_size && a->elem_count == b->elem_count &&
         a->stride == b->stride && a->block_count == b->block_count &&
         (nbytes == 0 || a->blocks == b->blocks ||
          (memcmp(a->block_length, b->block_length, nbytes) == 0 &&
           memcmp(a->block_offset, b->block_offset, nbytes) == 0));
}

void dart__type_clear(void)
{
  dart__handle_clear(&dart__type_objects);
}

const char *dart_type_name(dart_datatype_t type)
{
  static const char *const kind_name[] = { [DART__TYPE_CUSTOM]  = "custom type",
                                           [DART__TYPE_STRIDED] = "strided type",
                                           [DART__TYPE_INDEXED] = "indexed type" };
  const char              *name        = dart__basic_type_name(type);
  const dart__type_t      *object      = name == NULL ? dart__type_find(type) : NULL;

  if (name == NULL)
    name = object != NULL ? kind_name[object->kind] : "no type";
  return name;
}

/* --- Layouts --- */

/* Whole instances before element `elem`; `*within_out`: elements after them. Few types have more than one
 * element, or transfers more than one instance, and a division takes as long as a small copy. */
static inline size_t instances(const dart__type_t *type, size_t elem, size_t *within_out)
{
  *within_out = 0;
  if (type->elem_count == 1)
    return elem;
  *within_out = elem;
  if (elem < type->elem_count)
    return 0;
  *within_out = elem % type->elem_count;
  return elem / type->elem_count;
}

size_t dart__type_span(const dart__type_t *type, size_t nelem)
{
  size_t end = nelem; /* one past the last position */
  size_t nbytes, before, within;
  bool   too_large = false;

  if (nelem == 0)
    return 0;
  before = instances(type, nelem - 1, &within);
  if (type->kind == DART__TYPE_STRIDED)
    too_large = __builtin_mul_overflow(before, type->stride, &end) ||
                __builtin_add_overflow(end, within + 1, &end);
  else if (type->kind == DART__TYPE_INDEXED)
    too_large = __builtin_mul_overflow(before, type->extent, &end) ||
                __builtin_add_overflow(end, type->end, &end);
  if (too_large || __builtin_mul_overflow(end, type->elem_size, &nbytes))
    return SIZE_MAX;
  return nbytes;
}

/* Whether elements are bytes that DART does not interpret: BYTE, or a custom type, even a destroyed one. */
static bool is_opaque(dart_datatype_t base)
{
  return base == DART_TYPE_BYTE || dart__type_basic_size(base) == 0;
}

static bool equal_base(const dart__type_t *a, const dart__type_t *b)
{
  return a->base == b->base ||
         (a->elem_size == b->elem_size && is_opaque(a->base) && is_opaque(b->base));
}

static bool is_whole(const dart__type_t *type, size_t nelem)
{
  return type->elem_count == 1 || nelem == type->elem_count || nelem % type->elem_count == 0;
}

bool dart__type_compatible(const dart__type_t *src, const dart__type_t *dst, size_t nelem)
{
  if (!equal_base(src, dst))
    return false;
  if (dart__type_is_contiguous(src) && dart__type_is_contiguous(dst))
    return true;
  return is_whole(src, nelem) && is_whole(dst, nelem);
}

size_t dart__type_block(const dart__type_t *type, size_t elem)
{
  size_t low = 0, high = type->block_count; /* block low starts at or before elem, high after it */

  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;

    if (type->block_first[middle] <= elem)
      low = middle;
    else
      high = middle;
  }
  return low;
}

size_t dart__type_run(const dart__type_t *type, size_t elem, size_t *position_out)
{
  size_t instance = elem / type->elem_count;
  size_t within   = elem % type->elem_count;
  size_t block;

  switch (type->kind) {
  case DART__TYPE_STRIDED:
    *position_out = instance * type->stride + within;
    return type->elem_count - within;
  case DART__TYPE_INDEXED:
    block = dart__type_block(type, within);
    within -= type->block_first[block];
    *position_out = instance * type->extent + type->block_offset[block] + within;
    return type->block_length[block] - within;
  default: *position_out = elem; return SIZE_MAX - elem;
  }
}

void dart__type_sum_up(dart__type_t *type)
{
  size_t first = SIZE_MAX;

  for (size_t block = 0; block < type->block_count; block++) {
    size_t length = type->block_length[block], offset = type->block_offset[block];

    type->block_first[block] = type->elem_count;
    type->elem_count += length;
    if (offset < first)
      first = offset;
    if (offset + length > type->end)
      type->end = offset + length;
  }
  type->extent = type->end - first;
}

/* --- Creation --- */

/* Set `*newtype` to its null value; false if `newtype` is NULL. */
static bool clear_result(const char *function, dart_datatype_t *newtype)
{
  if (newtype == NULL)
    return dart__fail(false, "%s: newtype is NULL", function);
  *newtype = DART_TYPE_UNDEFINED;
  return true;
}

/* The base of a new type, which is basic or custom; NULL, after a log line, for any other. */
static const dart__type_t *find_base(const char *function, dart_datatype_t basetype)
{
  const dart__type_t *base = dart__type_find(basetype);

  if (base == NULL)
    dart__error("%s: basetype %s is no data type", function, dart__type_text(basetype).text);
  else if (!dart__type_is_contiguous(base))
    base = dart__fail(NULL, "%s: basetype %s is %s, not basic or custom", function,
                      dart__type_text(basetype).text,
                      base->kind == DART__TYPE_STRIDED ? "strided" : "indexed");
  return base;
}

/* A new object; NULL, after a log line, if there is no memory. */
static dart__type_t *reserve_type(const char *function, uintptr_t *handle_out)
{
  dart__type_t *type = dart__handle_reserve(&dart__type_objects, handle_out);

  if (type == NULL)
    dart__error("%s: no memory for a data type, or %d of them exist", function, DART__HANDLE_SLOTS);
  return type;
}

static void publish_type(uintptr_t handle, dart_datatype_t *newtype)
{
  dart__handle_publish(&dart__type_objects, handle);
  *newtype = (dart_datatype_t)handle;
}

dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t *newtype)
{
  dart__type_t *type;
  uintptr_t     handle;

  if (!clear_result("dart_type_create_custom", newtype))
    return DART_ERR_INVAL;
  if (num_bytes == 0 || num_bytes > INT_MAX)
    return dart__fail(DART_ERR_INVAL, "dart_type_create_custom: num_bytes %zu is not in 1..%d",
                      num_bytes, INT_MAX);

  type = reserve_type("dart_type_create_custom", &handle);
  if (type == NULL)
    return DART_ERR_NOMEM;
  type->kind       = DART__TYPE_CUSTOM;
  type->base       = (dart_datatype_t)handle;
  type->elem_size  = num_bytes;
  type->elem_count = 1;
  type->stride     = 1;
  publish_type(handle, newtype);
  return DART_OK;
}

dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t *newtype)
{
  const dart__type_t *base;
  dart__type_t       *type;
  uintptr_t           handle;

  if (!clear_result("dart_type_create_strided", newtype))
    return DART_ERR_INVAL;
  base = find_base("dart_type_create_strided", basetype);
  if (base == NULL)
    return DART_ERR_INVAL;
  if (blocklen == 0 || blocklen > INT_MAX)
    return dart__fail(DART_ERR_INVAL, "dart_type_create_strided: blocklen %zu is not in 1..%d",
                      blocklen, INT_MAX);
  if (stride < blocklen || stride > INT_MAX)
    return dart__fail(DART_ERR_INVAL,
                      "dart_type_create_strided: stride %zu is not in blocklen %zu..%d", stride,
                      blocklen, INT_MAX);

  type = reserve_type("dart_type_create_strided", &handle);
  if (type == NULL)
    return DART_ERR_NOMEM;
  type->kind       = DART__TYPE_STRIDED;
  type->base       = base->base;
  type->elem_size  = base->elem_size;
  type->elem_count = blocklen;
  type->stride     = stride;
  publish_type(handle, newtype);
  return DART_OK;
}

/* Check the blocks of an indexed type, and count those with elements. */
static dart_ret_t check_blocks(size_t count, const size_t blocklen[], const size_t offset[],
                               size_t *nblocks_out)
{
  size_t nblocks = 0;

  if (count == 0 || count > INT_MAX)
    return dart__fail(DART_ERR_INVAL, "dart_type_create_indexed: count %zu is not in 1..%d", count,
                      INT_MAX);
  if (blocklen == NULL || offset == NULL)
    return dart__fail(DART_ERR_INVAL, "dart_type_create_indexed: %s is NULL",
                      blocklen == NULL ? "blocklen" : "offset");
  for (size_t i = 0; i < count; i++) {
    if (blocklen[i] > INT_MAX || offset[i] > INT_MAX)
      return dart__fail(DART_ERR_INVAL, "dart_type_create_indexed: %s[%zu] is %zu, more than %d",
                        blocklen[i] > INT_MAX ? "blocklen" : "offset", i,
                        blocklen[i] > INT_MAX ? blocklen[i] : offset[i], INT_MAX);
    nblocks += blocklen[i] > 0;
  }
  if (nblocks == 0)
    return dart__fail(DART_ERR_INVAL, "dart_type_create_indexed: all of count %zu blocklen are 0",
                      count);
  *nblocks_out = nblocks;
  return DART_OK;
}

/* Blocks without elements are left out: they do not count for the extent, either. */
static void set_blocks(dart__type_t *type, size_t count, const size_t blocklen[],
                       const size_t offset[])
{
  size_t block = 0;

  for (size_t i = 0; i < count; i++) {
    if (blocklen[i] == 0)
      continue;
    type->block_length[block]   = blocklen[i];
    type->block_offset[block++] = offset[i];
  }
  dart__assert(block == type->block_count);
  dart__type_sum_up(type);
}

dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t *newtype)
{
  const dart__type_t  *base;
  dart__type_t        *type;
  uintptr_t            handle;
  size_t               nblocks;
  dart__type_blocks_t *blocks;

  if (!clear_result("dart_type_create_indexed", newtype))
    return DART_ERR_INVAL;
  base = find_base("dart_type_create_indexed", basetype);
  if (base == NULL || check_blocks(count, blocklen, offset, &nblocks) != DART_OK)
    return DART_ERR_INVAL;

  blocks = new_blocks(nblocks);
  if (blocks == NULL)
    return dart__fail(DART_ERR_NOMEM, "dart_type_create_indexed: no memory for %zu blocks",
                      nblocks);
  type = reserve_type("dart_type_create_indexed", &handle);
  if (type == NULL) {
    free(blocks);
    return DART_ERR_NOMEM;
  }
  type->kind      = DART__TYPE_INDEXED;
  type->base      = base->base;
  type->elem_size = base->elem_size;
  set_arrays(type, blocks, nblocks);
  set_blocks(type, count, blocklen, offset);
  publish_type(handle, newtype);
  return DART_OK;
}

dart_ret_t dart_type_destroy(dart_datatype_t *dart_type)
{
  if (dart_type == NULL)
    return dart__fail(DART_ERR_INVAL, "dart_type_destroy: dart_type is NULL");
  if (!dart__handle_remove(&dart__type_objects, (uintptr_t)*dart_type))
    return dart__fail(DART_ERR_INVAL,
                      "dart_type_destroy: dart_type %s is no type that a program made",
                      dart__type_text(*dart_type).text);
  *dart_type = DART_TYPE_UNDEFINED;
  return DART_OK;
}
