#ifndef DART__MODEL_SEGMENT_H
#define DART__MODEL_SEGMENT_H
/* A segment: one allocation over a team; `(team, segid)` names it. A portion is the memory of one unit in
 * it. Portions may differ in size. Those of an allocated segment start at the same offset in the portions of
 * its chunk. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/ext/dart_inline_tables.h>

#include "model/chunk.h"

typedef _Atomic(struct dart__epoch *) dart__epoch_ref_t;

typedef struct dart__segment {
  char   **near;   /* the chunk's table: slot → that unit's portion of the chunk, NULL if far */
  uint64_t base;   /* where portions start in those of the chunk */
  uint64_t block;  /* where their block of the chunk's arena starts: before, if they are aligned */
  uint64_t nbytes; /* of every portion; of the largest, if they differ */
  const uint64_t *sizes; /* team unit → bytes of its portion; NULL: all have nbytes */
  /* Registered memory: where portions are in the processes of this node's units, by their index in node_units; `near`
   * is NULL for all. NULL: an allocated segment. */
  uint64_t       *address;
  const uint8_t  *low; /* registered memory: team unit → its address modulo DART__CACHE_LINE */
  char           *adopted;       /* where the program has this unit's portion, too; NULL: nowhere */
  uint64_t        adopted_bytes; /* of it; the tables may be gone when it ends */
  const uint64_t *heads;     /* adopted memory: team unit → where its portion starts on a page */
  void           *tables[2]; /* `sizes`, and `low` or `heads`: this unit's, or the node's */
  dart__chunk_t  *chunk;
  int16_t         id;
  _Atomic bool has_ended;  /* this unit has deregistered its portion, and others perhaps not yet */
  uint32_t     number;     /* of this process's segments: one that has the id later has another */
  uint32_t     generation; /* of registered memory in its team, the same on all units; else 0 */
  uint16_t     flags;      /* the user's, dart_gptr_setflags */

  /* See epoch/epoch.h. */
  dart__epoch_ref_t epoch;    /* NULL: no call was about epochs of this segment */
  uint64_t          epoch_at; /* where a portion's shared state is in the portion ... */
  uint64_t *epoch_pool; /* ... or, the program's memory, in the pool, as `address`; else NULL */
  uint32_t *epoch_ends; /* `ends` in it while memory is registered, as `address`; else NULL */
  bool      has_epoch_block; /* of this unit's pool, at epoch_at */
  uint32_t  tables_owner;    /* whose `tables` are: dart__node_table_owner */
} dart__segment_t;

/* The direct map of a segment: by arithmetic where all portions are near and lie at a constant step, as they do on a
 * single node, else by the list of the chunk's near portions. It saves dependent loads, of which the general path has
 * several in a chain. Programs read it, too: dash/dart/ext/dart_inline.h has its fields. */
typedef dart_inline_map_t dart__direct_map_t;

/** The epochs of a segment (epoch/). NULL: there were none yet. */
static inline struct dart__epoch *dart__segment_epoch(const dart__segment_t *segment)
{
  /* acquire: pairs with the release in dart__epoch_make, by the thread that serves messages */
  return atomic_load_explicit((dart__epoch_ref_t *)&segment->epoch, memory_order_acquire);
}

static inline bool dart__segment_has_ended(const dart__segment_t *segment)
{
  /* relaxed, and the store in dart__segment_end: a thread that accesses the portion meanwhile is in error */
  return atomic_load_explicit((_Atomic bool *)&segment->has_ended, memory_order_relaxed);
}

static inline uint64_t dart__segment_size(const dart__segment_t *segment, int32_t unit)
{
  return __builtin_expect(segment->sizes == NULL, 1) ? segment->nbytes : segment->sizes[unit];
}

#endif
