#ifndef DASH__DART__EXT__DART_INLINE_TABLES_H__INCLUDED
#define DASH__DART__EXT__DART_INLINE_TABLES_H__INCLUDED
/** @file dart_inline_tables.h
 *  What the functions of dart_inline.h read from the library: all of it, and in which layout. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Of the two structures below. Raised when one of them changes. */
#define DART_INLINE_VERSION 4

/** The direct map of a segment. Where all portions are near and lie at a constant step, as they do on a single node,
 *  arithmetic gives the address of a portion; elsewhere a list of the team's units does, of which those of other nodes have
 *  none. Portions start at multiples of 64 bytes. */
typedef struct {
  char *first; /**< the first unit's portion; with a list, bytes from what is listed to a portion, as a pointer */
  uint64_t step;   /**< bytes from each unit's portion to the next's, modulo 2^64; or the address of the list: a char * for
                        each unit, NULL: far */
  uint64_t nbytes; /**< of the smallest near portion, less what exceeds a multiple of 8: so an aligned element of
                        up to 8 bytes is in it if its offset is */
  uint32_t nunits;  /**< of the team, by arithmetic; 0: not by it */
  uint32_t nlisted; /**< of the team, by the list; 0: there is none */
} dart_inline_map_t;

/** Team id, as an unsigned number of 16 bits → 65536 maps, by the segment's id as such a number; NULL: no
 *  such team. An entry changes only in a collective call of the unit, which makes or frees the team or
 *  segment. */
typedef const dart_inline_map_t *const *dart_inline_maps_t;

typedef struct {
  uint32_t           version;   /**< DART_INLINE_VERSION of the library */
  uint32_t           map_bytes; /**< sizeof(dart_inline_map_t) there */
  dart_inline_maps_t maps;      /**< for gets that return at once */

  /** For puts that return at once: maps, or a table of NULL while updates by dart_accumulate are deferred, which come
   *  before the put. */
  const dart_inline_maps_t *put_maps;

  /** For blocking calls and atomics: maps, or a table of NULL while these have to make progress, in the
   *  library. So a look-up of the map is the check for this, too. */
  const dart_inline_maps_t *blocking_maps;

  /** How many long waits there are on the node that a change of a word may end (dart_wait_word.h); 0 as a rule.
   *  Read after a store. */
  const volatile uint32_t *nwatched;
} dart_inline_tables_t;

/** Constant from the start of the program to its end. */
extern const dart_inline_tables_t dart_inline_tables;

/** How many accesses of this thread may go by a list until one has to be a call of the library, which makes progress there,
 *  for it may be part of a polling loop. They count it down, to 1, and the library sets it anew. */
extern __thread uint32_t dart_inline_budget __attribute__((tls_model("initial-exec")));

/** At most 64 bytes at `gptr` have changed while `*nwatched` is not 0: wake the units that wait for that. */
void dart_inline_wrote(dart_gptr_t gptr) DART_NOTHROW;

/** Says that code of this version is part of the program; called by itself, before main. */
void dart_inline_require(uint32_t version, uint32_t map_bytes) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_INLINE_TABLES_H__INCLUDED */
