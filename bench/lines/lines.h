#ifndef LINES_H
#define LINES_H
/* Cache lines that change hands, in a model of a machine.
 *
 * DART's own code is compiled with the calls that ThreadSanitizer would make at each access of memory, and runtime.c takes
 * these calls: it counts, and decides who goes on. Units are coroutines of one thread, and the one whose clock is the
 * earliest makes the next access, so a run is the same each time. A unit that has a line pays nothing; else the line
 * comes from who wrote it last, or has a copy, and the unit's clock advances by the time that takes: that of the distance
 * between the two. A line that is written goes to one unit after the other; copies are made at the same time. */
#include <stddef.h>
#include <stdint.h>

enum { LINES_UNITS = 256 }; /* most units */

/* How far two units are from each other: they share the outermost cache, the NUMA domain, the package, or the node. */
typedef enum {
  LINES_CACHE,
  LINES_DOMAIN,
  LINES_PACKAGE,
  LINES_NODE,
  LINES_DISTANCES
} lines_distance_t;

typedef struct {
  uint32_t transfers[LINES_DISTANCES]; /* of all units */
  uint32_t most;                       /* of one unit */
  uint32_t chain; /* the longest row of transfers that each waited for the one before */
  double   ns;    /* until the last unit is done */
} lines_counts_t;

/** Run `body` as each of `nunits` units, and watch `nbytes` at `memory`. `distance` and `ns` describe the machine. The
 *  counts are of what the units do between two calls of lines_begin and lines_end, which all make. */
void lines_run(uint32_t nunits, void (*body)(uint32_t unit), const void *memory, size_t nbytes,
               lines_distance_t (*distance)(uint32_t a, uint32_t b),
               const double ns[LINES_DISTANCES], lines_counts_t *counts_out);

/** All units: begin to count, and end, when all have come; without a transfer. */
void lines_begin(void);
void lines_end(void);

#endif
