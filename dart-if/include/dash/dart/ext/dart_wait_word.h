#ifndef DASH__DART__EXT__DART_WAIT_WORD_H__INCLUDED
#define DASH__DART__EXT__DART_WAIT_WORD_H__INCLUDED
/** @file dart_wait_word.h
 *  Waiting until a word of the caller's memory has a value.
 *
 *  Other units put the word, update it by atomics, or raise it by the notifications of dart_notify.h; its owner
 *  waits for it without a loop of dart_get_blocking. (OpenSHMEM has the same as shmem_wait_until, and its forms for
 *  vectors of words.)
 *
 *  A wait polls, yields its core for about a millisecond, and then sleeps. It is woken by a notification, and by what
 *  gives the word the value by a put or atomic of DART: of a unit of its node at once, of another node when this unit
 *  serves it. Plain stores (dart_near_ptr) announce themselves to nobody: for these the sleeper looks again by itself,
 *  after a sixteenth of the time that it has waited, at most a millisecond. So it does where the kernel has no
 *  membarrier, or pages that are not of 4 KiB, and for what the unit's own threads receive, get, read from a file, or
 *  take part in collectively. Words of four segments wake a wait, and of eight in all waits of the unit's threads,
 *  where each counts its own; others are found by looking. A wait for several words of a segment is woken by what
 *  others change between the first and the last of them, too; after eight more such wake-ups than it has words it
 *  only looks by itself.
 *
 *  The word is an aligned integer of 1 to 8 bytes in this unit's portion of memory that a team allocated or
 *  registered, or in memory of dart_memalloc. The value found was stored in one piece if the word was written as one
 *  element of its size (in registered memory: by an atomic or a notification), and the thread that waited sees what its
 *  writer had stored or completed before. Waiting changes nothing. Far units are served meanwhile. Any thread;
 *  several may wait for the same word. */

#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** How the word, on the left, compares to the value, on the right. */
typedef enum {
  DART_WAIT_EQ = 0, /**< is equal */
  DART_WAIT_NE = 1, /**< differs */
  DART_WAIT_LT = 2, /**< is less */
  DART_WAIT_LE = 3, /**< is not greater */
  DART_WAIT_GT = 4, /**< is greater */
  DART_WAIT_GE = 5  /**< is not less */
} dart_comparison_t;

/** Wait until the word at `gptr` compares to `*value` as `comparison` says.
 *
 *  `type`: an integer type, of the word and of `*value`; it decides on size and sign (BYTE is C's `char`).
 *  `timeout_us`: microseconds after which it gives up, at the next look at the clock; 0: only look; negative:
 *  no limit.
 *
 *  DART_PENDING: it timed out. DART_ERR_INVAL, at once: `gptr` is no word of this unit's memory, or misaligned;
 *  no integer type, no such comparison, `value` NULL. */
dart_ret_t dart_wait_word(dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison,
                          const void *value, int64_t timeout_us) DART_NOTHROW;

/** Wait until one of `n` words, each at a pointer of its own, compares as said to the element of `values` of the same
 *  index: its index to `*index`, the lowest of those. `n` 0, or a NULL: DART_ERR_INVAL. All else as dart_wait_word, but
 *  that pointers behind the first word that compares at once are not looked at, so wrong ones are not found there. */
dart_ret_t dart_wait_word_any(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us,
                              size_t *index) DART_NOTHROW;

/** Wait until one or more of `n` words compare as said to the elements of `values` of the same index, and store all
 *  that do: their number to `*count`, their indices, ascending, to `indices`, which has room for `n`. At DART_PENDING
 *  `*count` is 0. All else as dart_wait_word. */
dart_ret_t dart_wait_word_some(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                               dart_comparison_t comparison, const void *values, int64_t timeout_us,
                               size_t indices[], size_t *count) DART_NOTHROW;

/** Wait until each of `n` words has been found to compare as said to the element of `values` of the same index, in
 *  the order of their indices; a word that was found is not looked at again, so they need not all do at the same
 *  time. All else as dart_wait_word_any. */
dart_ret_t dart_wait_word_all(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values,
                              int64_t timeout_us) DART_NOTHROW;

/** Wait until one of `n` words of a segment, the first at `first` and each `stride` elements of `type` behind the one
 *  before, compares to `*value`, which is one for all: its index to `*index`.
 *
 *  The search starts at word `from % n`, goes on to the last word and then from the first: 0 prefers low indices, and
 *  a caller that passes the index found plus 1 next time serves all words in turn. The pointer is resolved once, and a word that
 *  compares ends the search, so a call takes no longer the more words there are, if the one that it starts at compares.
 *  A look that finds none loads all n. `stride` 1: a vector; the elements between words are not looked at.
 *
 *  DART_ERR_INVAL, at once: as dart_wait_word, for the bytes from the first word to the end of the last; `n` or `stride`
 *  0; `index` NULL. All else as dart_wait_word. */
dart_ret_t dart_wait_word_range(dart_gptr_t first, size_t n, size_t stride, dart_datatype_t type,
                                dart_comparison_t comparison, const void *value, size_t from,
                                int64_t timeout_us, size_t *index) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_WAIT_WORD_H__INCLUDED */
