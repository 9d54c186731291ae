#ifndef RANDOM_LAYOUT_H
#define RANDOM_LAYOUT_H
/* How the elements of a transfer lie in memory: the contract's data types once more, written from its
 * text and not from the library, for the library is what is tested. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_BLOCKS_MAX = 6 };

typedef struct layout {
  enum { LAYOUT_RUN, LAYOUT_STRIDED, LAYOUT_INDEXED } kind;
  int      basic;            /* the elements: a basic type; 0: opaque */
  uint32_t custom;           /* bytes of an opaque element, else 0 */
  uint32_t stride, blocklen; /* strided, in elements */
  uint32_t nblocks;          /* indexed */
  uint32_t len[LAYOUT_BLOCKS_MAX], off[LAYOUT_BLOCKS_MAX]; /* in elements */
} layout_t;

/** Bytes of a basic type. */
size_t type_size(int basic);

/** Bytes of an element. */
size_t layout_elem(const layout_t *layout);

/** Elements of an instance. */
size_t layout_instance(const layout_t *layout);

/** Where element k lies, in bytes. */
size_t layout_at(const layout_t *layout, size_t k);

/** Bytes from the start to the end of the last of n elements. */
size_t layout_span(const layout_t *layout, size_t n);

/** Elements from element k on that lie side by side, of n in all. */
size_t layout_run(const layout_t *layout, size_t k, size_t n);

/** Whether n elements may go from one layout to the other. */
bool layout_fits(const layout_t *a, const layout_t *b, size_t n);

/** Whether no two of n elements share a byte. */
bool layout_is_disjoint(const layout_t *layout);

/** Copy n elements from one layout to the other. */
void layout_copy(void *to, const layout_t *to_layout, const void *from, const layout_t *from_layout,
                 size_t n);

/** Set the bytes of n elements in `map` to `mark`; whether one of them was not 0 before. */
bool layout_mark(const layout_t *layout, size_t n, unsigned char *map, unsigned char mark);

#endif
