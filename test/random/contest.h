#ifndef RANDOM_CONTEST_H
#define RANDOM_CONTEST_H
/* Whether accesses of a file in atomic mode that overlap are sequentially consistent, as far as one unit can tell.
 *
 * Each write fills all its bytes with a number of its own, so a byte that was read says whose it is. That is an order
 * of two accesses, and an alternative: every other write of that byte came before this one, or after the read. Who
 * found the file's end came before all writes beyond it, and who read more than there was at first after some write
 * that reaches as far. Orders that follow are added until nothing follows any more; a circle means that no order of
 * whole accesses explains what was read. What is at the end is one more read. (The problem as a whole is hard: Gibbons
 * and Korach, Testing Shared Memories, SIAM J. Comput. 26(4), 1997; this never cries wolf, and misses little.) */
#include "op_file.h"

enum { CONTEST_NODES = 190 }; /* at least CONTESTS_MOST and an access of each unit */

typedef struct {
  int    actor;
  size_t begin,
      end; /* an actor's access that ends before another begins, or as that does, comes before it */
  bool          is_write;
  unsigned char tag; /* of a write: each of its bytes */
  file_region_t region;
  const unsigned char
        *seen;   /* of a read: bytes, element by element; NULL: another unit's, not known */
  size_t nseen;  /* how many; fewer than the region has: the file ended there */
  size_t beyond; /* the file had fewer bytes than this then; 0: as many as were read, or more */
} contest_node_t;

typedef struct {
  const unsigned char *before, *after;
  size_t               was, is;     /* bytes before and after */
  bool                 is_appended; /* others than these accesses have made it longer */
} contest_file_t;

/** `nodes` in the order of their `begin`. NULL: there may be an order; or what is wrong. */
const char *contest_explain(const contest_node_t *nodes, int n, const contest_file_t *file);

#endif
