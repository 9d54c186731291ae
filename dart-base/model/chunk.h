#ifndef DART__MODEL_CHUNK_H
#define DART__MODEL_CHUNK_H
/* A chunk: mapped memory that segments are allocated from. Its portions, one per unit of a team, have equal
 * size.
 *
 * All units of the team have the same state of its arena, so a collective allocation finds the same
 * offset on all units without communication. Pages are reserved from the start of each portion upwards, in
 * steps, before memory is handed out: if pages run out an allocation returns an error code, and no access
 * ever raises a signal. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "model/arena.h"

typedef struct dart__chunk {
  size_t nbytes;    /* of each portion */
  size_t alignment; /* of this unit's portion, beyond that of pages; 0: none was asked for */
  size_t reserved;  /* bytes of this unit's portion, from its start, that have pages */
  size_t extent;    /* where segments have ended so far, at most: the same on all units */
  char **near; /* slot (dart__team_near_slot) → that unit's portion, as mapped here; NULL: far */
  dart__arena_t   *arena; /* allocates the portions; NULL: one segment occupies the whole chunk */
  void            *net;   /* what the network has of it, see net.h */
  bool             is_reached;  /* puts and gets of far portions need nobody at the target */
  bool             by_requests; /* the network has none of them: all go as requests (far/way.h) */
  dart__level_id_t level;       /* what is reserved counts as, ... */
  size_t           counted;     /* ... and as how many bytes */
  struct dart__chunk *next;     /* in the team's list */
} dart__chunk_t;

#endif
