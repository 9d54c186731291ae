#ifndef DASH__DART__EXT__DART_INLINE_NEAR_H__INCLUDED
#define DASH__DART__EXT__DART_INLINE_NEAR_H__INCLUDED
/** @file dart_inline_near.h
 *  The near path of puts, gets and atomics: the look-up of an address by the direct map, copies and atomics. The library
 *  and dart_inline.h both call these functions; programs call those of dart_inline.h. */

#include <stddef.h>
#include <string.h>

#include <dash/dart/ext/dart_inline_tables.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- resolving a pointer --------------------------------------------------------------------- */

/* What a pointer names, as unsigned numbers: a negative id is a large one. */
typedef struct {
  uint64_t unit, segment, team, offset;
} dart_inline_ids_t;

/* By the pointer's address, not as a value: the compiler copies a pointer that came in two registers to memory and from
 * there as a whole, for which it waits until the two stores are in the cache. */
DART_INLINE dart_inline_ids_t dart_inline_ids(const dart_gptr_t *gptr)
{
  dart_inline_ids_t ids;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t head; /* the struct is passed in a register: one shift for each id */

  memcpy(&head, gptr, sizeof head);
  ids.unit    = head & 0xffffff;
  ids.segment = head >> 32 & 0xffff;
  ids.team    = head >> 48;
#else
  ids.unit    = (uint32_t)gptr->unitid & 0xffffff;
  ids.segment = (uint16_t)gptr->segid;
  ids.team    = (uint16_t)gptr->teamid;
#endif
  ids.offset = gptr->addr_or_offs.offset;
  return ids;
}

/* The portion in the list of a map without arithmetic. NULL: the unit is far, there is no list, or the library is to make
 * progress. */
DART_INLINE char *dart_inline_listed(const dart_inline_map_t *map, uint64_t unit)
{
  char *near;

  if (unit >= __atomic_load_n(&map->nlisted, __ATOMIC_RELAXED))
    return NULL;
  near = ((char *const *)(uintptr_t)map->step)[unit];
  if (near == NULL || dart_inline_budget == 1)
    return NULL;
  dart_inline_budget--;
  return near + (uintptr_t)map->first;
}

/* The portion that the ids name, and the map in `maps` that has it. NULL: none has. */
DART_INLINE char *dart_inline_portion(dart_inline_maps_t maps, dart_inline_ids_t ids,
                                      const dart_inline_map_t **map_out)
{
  const dart_inline_map_t *map = maps[ids.team];

  if (__builtin_expect(map == NULL, 0))
    return NULL;
  map += ids.segment;
  *map_out = map;
  /* relaxed: another thread may withdraw the map, and change nothing else in it */
  if (__builtin_expect(ids.unit < __atomic_load_n(&map->nunits, __ATOMIC_RELAXED), 1))
    return map->first + ids.unit * map->step;
  return dart_inline_listed(map, ids.unit);
}

/** The address of an element of `size` = 1, 2, 4 or 8 bytes that is near by the direct map, and aligned. NULL: it is
 *  not. */
DART_INLINE char *dart_inline_element(dart_inline_maps_t maps, dart_inline_ids_t ids, unsigned size)
{
  const dart_inline_map_t *map;
  char                    *portion = dart_inline_portion(maps, ids, &map);

  if (__builtin_expect(portion == NULL, 0) ||
      __builtin_expect((ids.offset & (size - 1)) != 0 || ids.offset >= map->nbytes, 0))
    return NULL;
  return portion + ids.offset;
}

/** The address of `nbytes` bytes that are near by the direct map. NULL: they are not. */
DART_INLINE char *dart_inline_bytes(dart_inline_maps_t maps, dart_inline_ids_t ids, uint64_t nbytes)
{
  const dart_inline_map_t *map;
  char                    *portion = dart_inline_portion(maps, ids, &map);

  if (__builtin_expect(portion == NULL, 0) ||
      __builtin_expect(nbytes > map->nbytes || ids.offset > map->nbytes - nbytes, 0))
    return NULL;
  return portion + ids.offset;
}

/* ---- copies ----------------------------------------------------------------------------------
 *
 * One aligned element is a store-release or a load-acquire, so it is not torn; whatever reads the data of a
 * put by a get acquires what was released. More bytes are ordered by a fence. */

typedef uint64_t dart_inline_word_64_t __attribute__((may_alias));
typedef uint32_t dart_inline_word_32_t __attribute__((may_alias));
typedef uint16_t dart_inline_word_16_t __attribute__((may_alias));
typedef uint8_t  dart_inline_word_8_t __attribute__((may_alias));

#define DART_INLINE_STORE(width)                                                          \
  {                                                                                       \
    uint##width##_t word;                                                                 \
                                                                                          \
    memcpy(&word, from, sizeof word);                                                     \
    __atomic_store_n((dart_inline_word_##width##_t *)(void *)to, word, __ATOMIC_RELEASE); \
    return;                                                                               \
  }
#define DART_INLINE_LOAD(width)                                                      \
  {                                                                                  \
    uint##width##_t word = __atomic_load_n(                                          \
        (const dart_inline_word_##width##_t *)(const void *)from, __ATOMIC_ACQUIRE); \
                                                                                     \
    memcpy(to, &word, sizeof word);                                                  \
    return;                                                                          \
  }

DART_INLINE void dart_inline_store(char *to, const void *from, unsigned size)
{
  switch (size) {
  case 8: DART_INLINE_STORE(64)
  case 4: DART_INLINE_STORE(32)
  case 2: DART_INLINE_STORE(16)
  default: DART_INLINE_STORE(8)
  }
}

DART_INLINE void dart_inline_load(void *to, const char *from, unsigned size)
{
  switch (size) {
  case 8: DART_INLINE_LOAD(64)
  case 4: DART_INLINE_LOAD(32)
  case 2: DART_INLINE_LOAD(16)
  default: DART_INLINE_LOAD(8)
  }
}

#undef DART_INLINE_STORE
#undef DART_INLINE_LOAD

/* 16 bytes at any address, in a register. */
typedef struct {
  long long word __attribute__((vector_size(16), aligned(1), may_alias));
} __attribute__((may_alias, packed)) dart_inline_16_t;

enum { DART_INLINE_MOST_BYTES = 64 }; /* that are copied without a call */

/* All is loaded before anything is stored, for the two may overlap: the first bytes and the last, which may
 * be in part the same. `nbytes` is 16 to 64, and better a constant. */
DART_INLINE void dart_inline_copy(void *to, const void *from, uint64_t nbytes)
{
  const dart_inline_16_t *source = (const dart_inline_16_t *)from;
  const dart_inline_16_t *source_last =
      (const dart_inline_16_t *)(const void *)((const char *)from + nbytes);
  dart_inline_16_t *target      = (dart_inline_16_t *)to;
  dart_inline_16_t *target_last = (dart_inline_16_t *)(void *)((char *)to + nbytes);

  if (nbytes <= 32) {
    dart_inline_16_t a = source[0], b = source_last[-1];

    target[0]       = a;
    target_last[-1] = b;
  } else {
    dart_inline_16_t a = source[0], b = source[1], c = source_last[-2], d = source_last[-1];

    target[0]       = a;
    target[1]       = b;
    target_last[-2] = c;
    target_last[-1] = d;
  }
}

/* ---- atomics on a word: acq_rel -------------------------------------------------------------------- */

#define DART_INLINE_FETCH(width)                                                                  \
  DART_INLINE int dart_inline_fetch_##width(char *near, const void *value, void *result,          \
                                            dart_operation_t op)                                  \
  {                                                                                               \
    dart_inline_word_##width##_t *word    = (dart_inline_word_##width##_t *)(void *)near;         \
    uint##width##_t               operand = 0, found;                                             \
                                                                                                  \
    if (op != DART_OP_NO_OP)                                                                      \
      memcpy(&operand, value, sizeof operand);                                                    \
    switch (op) {                                                                                 \
    case DART_OP_SUM: found = __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); break;         \
    case DART_OP_BXOR: found = __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL); break;        \
    case DART_OP_BOR: found = __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL); break;          \
    case DART_OP_BAND: found = __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL); break;        \
    case DART_OP_REPLACE: found = __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL); break;    \
    case DART_OP_NO_OP: found = __atomic_load_n(word, __ATOMIC_ACQUIRE); break;                   \
    default: return 0;                                                                            \
    }                                                                                             \
    memcpy(result, &found, sizeof found);                                                         \
    return 1;                                                                                     \
  }                                                                                               \
                                                                                                  \
  DART_INLINE void dart_inline_swap_##width(char *near, const void *value, const void *compare,   \
                                            void *result)                                         \
  {                                                                                               \
    dart_inline_word_##width##_t *word = (dart_inline_word_##width##_t *)(void *)near;            \
    uint##width##_t               desired, expected;                                              \
                                                                                                  \
    memcpy(&desired, value, sizeof desired);                                                      \
    memcpy(&expected, compare, sizeof expected);                                                  \
    __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
    memcpy(result, &expected, sizeof expected);                                                   \
  }

DART_INLINE_FETCH(64)
DART_INLINE_FETCH(32)

#undef DART_INLINE_FETCH

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_INLINE_NEAR_H__INCLUDED */
