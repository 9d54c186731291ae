#ifndef BENCH_SCALE_SCALE_H
#define BENCH_SCALE_SCALE_H
/* What the files of bench/scale share: the job that this process plays a unit of, and the memory that was counted. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_globmem.h>

/* ---- the job ------------------------------------------------------------------------------------ */

typedef enum { PLACEMENT_BLOCK, PLACEMENT_CYCLIC, PLACEMENT_RANDOM } placement_t;

typedef struct {
  int32_t     nunits;
  int32_t     per_node; /* units on each node; fewer on the last one */
  placement_t placement;
} shape_t;

/* The job that dart__net_join joins, as unit 0. */
extern shape_t scale_shape;

/* In allocations the last unit asks for another size than this one. */
extern bool scale_last_differs;

int32_t scale_nodes(shape_t shape);

/* ---- memory ------------------------------------------------------------------------------------- */

#define SITES_MOST 192

/* Memory that one place of the source has allocated. */
typedef struct {
  uintptr_t site;     /* where its call returns to; 0: none, and none follows */
  size_t    is_pool;  /* in the pool, of which a node has one: not private to the process */
  size_t    asked;    /* what is not free */
  size_t    most;     /* the most of it at a time since it was read before */
  size_t    resident; /* bytes of that on pages that exist */
} place_t;

/** Count what is allocated from now on. */
void count_start(void);

/** Write what is allocated now, by place, and the most that was. */
void count_read(place_t places_out[SITES_MOST]);

/** The most that was allocated at a time since the call before, private to the process. */
size_t count_peak(void);

/* ---- time --------------------------------------------------------------------------------------- */

/** ns to resolve a pointer to a far unit of this segment, of all units in any order; 0: none is far. */
double resolve_ns(dart_gptr_t segment);

#endif
