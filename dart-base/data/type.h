#ifndef DART__DATA_TYPE_H
#define DART__DATA_TYPE_H
/* Data types: how the elements of a transfer lie in memory.
 *
 * A basic type is its number in dart_types.h; any other value names an object in a table private
 * to the process, so a wrong value is an error and never an address. Positions count base
 * elements from the start of a buffer (contract, section 1.7). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/ext/dart_value.h>
#include <dash/dart/if/dart_types.h>

#include "base/handle.h"

typedef enum {
  DART__TYPE_BASIC,
  DART__TYPE_CUSTOM,
  DART__TYPE_STRIDED,
  DART__TYPE_INDEXED
} dart__type_kind_t;

/* The three arrays of an indexed type, which its copies share. */
typedef struct {
  _Atomic uint32_t users;
  size_t           array[];
} dart__type_blocks_t;

typedef struct dart__type {
  dart__type_kind_t kind;
  dart_datatype_t   base;       /* basic or custom type of the elements; itself if contiguous */
  size_t            elem_size;  /* bytes of a base element */
  size_t            elem_count; /* base elements per instance */
  size_t            stride; /* strided: elements from block start to block start; contiguous: 1 */
  size_t            block_count;  /* indexed: number of blocks, none of them empty ... */
  size_t           *block_length; /* ... elements of each ... */
  size_t           *block_offset; /* ... positions at which they start, in an instance ... */
  size_t           *block_first;  /* ... and the element each starts with */
  size_t            extent;       /* indexed: elements from instance to instance */
  size_t            end;          /* indexed: one past the last element of an instance */
  dart__type_blocks_t *blocks; /* indexed: where these arrays are; NULL: elsewhere, for a while */
} dart__type_t;

/* Slots DART_TYPE_UNDEFINED and DART_TYPE_LAST are types without elements. */
extern const dart__type_t dart__type_basic[DART_TYPE_BASIC_END];

/** Bytes of an element of a basic type; 0 for any other value. */
static inline size_t dart__type_basic_size(dart_datatype_t type)
{
  static const uint8_t size[DART_TYPE_BASIC_END] = {
    [DART_TYPE_BYTE]           = sizeof(char),
    [DART_TYPE_SHORT]          = sizeof(short),
    [DART_TYPE_INT]            = sizeof(int),
    [DART_TYPE_UINT]           = sizeof(unsigned),
    [DART_TYPE_LONG]           = sizeof(long),
    [DART_TYPE_ULONG]          = sizeof(unsigned long),
    [DART_TYPE_LONGLONG]       = sizeof(long long),
    [DART_TYPE_ULONGLONG]      = sizeof(unsigned long long),
    [DART_TYPE_FLOAT]          = sizeof(float),
    [DART_TYPE_DOUBLE]         = sizeof(double),
    [DART_TYPE_LONG_DOUBLE]    = sizeof(long double),
    [DART_TYPE_INT8]           = sizeof(int8_t),
    [DART_TYPE_UINT8]          = sizeof(uint8_t),
    [DART_TYPE_UINT16]         = sizeof(uint16_t),
    [DART_TYPE_BOOL]           = sizeof(bool),
    [DART_TYPE_FLOAT_COMPLEX]  = sizeof(float _Complex),
    [DART_TYPE_DOUBLE_COMPLEX] = sizeof(double _Complex)
  };

  return __builtin_expect((uintptr_t)type < DART_TYPE_BASIC_END, 1) ? size[type] : 0;
}

extern dart__handles_t dart__type_objects; /* the types that a program has created */

/** The description of `type`, or NULL if there is no such type. May be called while other threads create and
 *  destroy types. The object does not change until it is destroyed. */
static inline const dart__type_t *dart__type_find(dart_datatype_t type)
{
  if (__builtin_expect(dart__type_basic_size(type) != 0, 1))
    return &dart__type_basic[type];
  return dart__handle_find(&dart__type_objects, (uintptr_t)type);
}

static inline bool dart__type_is_contiguous(const dart__type_t *type)
{
  return type->kind <= DART__TYPE_CUSTOM;
}

/** Bytes from the first address to one past the last byte that `nelem` elements may touch;
 *  SIZE_MAX if that does not fit. */
size_t dart__type_span(const dart__type_t *type, size_t nelem);

/** Whether `nelem` elements can go from one layout to the other: equal base types (custom and
 *  BYTE of equal size are equal), whole instances. Does not log. */
bool dart__type_compatible(const dart__type_t *src, const dart__type_t *dst, size_t nelem);

/** The next run of elements at consecutive positions, from element `elem` on: its length in elements, and the position
 *  of its first element. It does not go beyond the instance's block. A contiguous type has no end, so the caller bounds
 *  the run by the transfer. */
size_t dart__type_run(const dart__type_t *type, size_t elem, size_t *position_out);

/** The block of an instance of an indexed type that holds its element `elem`. */
size_t dart__type_block(const dart__type_t *type, size_t elem);

/** Of an indexed type whose blocks' lengths and offsets are there, and which is zeroed else: compute what
 *  follows from these. */
void dart__type_sum_up(dart__type_t *type);

/** A copy that does not depend on the type's life. False: no memory; never for a type that a program has
 *  created, or a copy of it. */
bool dart__type_copy(const dart__type_t *type, dart__type_t *copy_out);

/** Free what a copy has; nothing if it is of a basic type, which need not be a copy. */
void dart__type_forget(dart__type_t *copy);

/** Whether elements lie at the same bytes of any buffer. */
bool dart__type_is_like(const dart__type_t *a, const dart__type_t *b);

/** Destroy all objects (exit). */
void dart__type_clear(void);

#endif
