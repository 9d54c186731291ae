#ifndef DART__MODEL_CHUNK_H
#define DART__MODEL_CHUNK_H
/* A chunk: mapped memory, as many bytes on every unit of a team, that segments are cut from.
 *
 * All units of the team keep the same books on it, so a collective allocation finds the same
 * offset everywhere without a word. Pages are reserved from the start of each part upwards, in
 * steps, before memory is handed out: running out of them is an error code, never a signal. */
#include <stddef.h>
#include <stdint.h>

#include "model/arena.h"

typedef struct dart__chunk {
  size_t              nbytes;   /* of each unit's part */
  size_t              reserved; /* bytes of the own part, from its start, that have pages */
  char              **near;     /* team unit → its part, as mapped here; NULL: far */
  dart__arena_t      *arena;    /* what is free; NULL: one segment has it all */
  void               *port;     /* the backend's part, see port.h */
  struct dart__chunk *next;     /* chunks of the same team */
} dart__chunk_t;

#endif
