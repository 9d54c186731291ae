#ifndef RANDOM_CONTEST_H
#define RANDOM_CONTEST_H
/* Whether accesses of a file in atomic mode that overlap are sequentially consistent, as far as one unit can tell.
 *
 * Each write fills all its bytes with a number of its own, so a byte that was read says whose it is. That is an order
 * of two accesses, and an alternative: every other write of that byte came before this one, or after the read. Orders
 * that follow are added until nothing follows any more; a circle means that no order of whole accesses explains what
 * was read. What is at the end is one more read. (The problem as a whole is hard: Gibbons and Korach, Testing Shared
 * Memories, SIAM J. Comput. 26(4), 1997; this never cries wolf, and misses little.) */
#include "file.h"

enum { CONTEST_NODES = 126 };

typedef struct {
  int    actor;
  size_t begin,
      end; /* an actor's access that ends before another begins, or as that does, comes before it */
  bool          is_write;
  unsigned char tag; /* of a write: each of its bytes */
  file_region_t region;
  const unsigned char
      *seen; /* of a read: bytes, element by element; NULL: another unit's, not known */
} contest_node_t;

/** `nodes` in the order of their `begin`. NULL: there may be an order; or what is wrong. `before`, `after`: the file's bytes. */
const char *contest_explain(const contest_node_t *nodes, int n, const unsigned char *before,
                            const unsigned char *after, size_t size);

#endif
