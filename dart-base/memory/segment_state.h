#ifndef DART__MEMORY_SEGMENT_STATE_H
#define DART__MEMORY_SEGMENT_STATE_H
/* State that the room of epochs has for each portion of a segment, and what it does when memory comes and goes. It is
 * registered before the first memory is allocated.
 *
 * The state of an allocated portion lies behind it in its chunk, and is zeroed when the segment is made. That of the pool
 * is the pool's first block. That of memory of the program is a block of the pool. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/segment.h"
#include "wait/wait.h"

typedef struct {
  size_t nbytes; /* of the state of a portion */

  /** Allocate that of this unit's portion in the pool: sets segment->epoch_at and has_epoch_block. False: no memory. */
  bool (*alloc)(dart__segment_t *segment);
  /** How many segments have had that state before. */
  uint32_t (*count_ends)(const dart__segment_t *segment);
  /** Release it, when no other unit knows of it. */
  void (*release)(uint64_t offset);
  /** The segment ends on this unit. */
  void (*end)(dart__segment_t *segment);
} dart__segment_state_t;

extern dart__segment_state_t dart__segment_state;

/** Where the state of a portion of `nbytes` is in it. */
static inline uint64_t dart__segment_state_at(uint64_t nbytes)
{
  return (nbytes + DART__CACHE_LINE - 1) / DART__CACHE_LINE * DART__CACHE_LINE;
}

#endif
