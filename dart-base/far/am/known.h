#ifndef DART__FAR_AM_KNOWN_H
#define DART__FAR_AM_KNOWN_H
/* Layouts of types that two peers know: described once, and then named by a place in a table.
 *
 * An origin has a table for each peer, and decides alone what is in which place; the target has the same table
 * and does as it is told. Batches are applied in order, so a place means the same on both sides whenever it is
 * named, and no word is needed when a description is replaced, or a type destroyed. Each description has a
 * number, by which the target says that it had the memory to keep it: until then the origin sends the
 * description with each batch. (The cache of data types at the target: Traeff, Ritzdorf, Hempel, SC 2000.) */
#include <stdbool.h>
#include <stdint.h>

#include "data/describe.h"
#include "far/am/wire.h"

typedef struct {
  uint64_t number; /* 0: the place is free */
  uint64_t kept;   /* of the origin: the last number of this place that the target said it keeps */
  uint64_t used;   /* of the origin: when it was asked for */
  dart__type_t type; /* a copy */
} dart__am_place_t;

typedef struct {
  uint64_t         numbers; /* of the origin: given so far */
  uint64_t         clock;   /* of the origin */
  dart__am_place_t place[DART__AM_TYPES];
} dart__am_known_t;

/** NULL: no memory. */
dart__am_known_t *dart__am_known_new(void);
void              dart__am_known_delete(dart__am_known_t *known);

/* ---- the origin's side; `count`: places that are used ---------------------------------------- */

/** The place of a layout like that of the type. NULL: there is none, or no table (`known` NULL). */
dart__am_place_t *dart__am_known_find(dart__am_known_t *known, unsigned count,
                                      const dart__type_t *type);

/** Give the type the place that was not asked for longest. `*old_out`, what was there, is the caller's. */
dart__am_place_t *dart__am_known_add(dart__am_known_t *known, unsigned count,
                                     const dart__type_t *type, dart__type_t *old_out);

/* ---- the target's side ----------------------------------------------------------------------- */

/** What a TYPE record says: valid until the next one, and as long as `room`. `*known`: the peer's table, NULL if
 *  there is none yet; `known` NULL: nothing is kept. `*result`: the record's result, if it has one. */
const dart__type_t *dart__am_known_read(dart__am_known_t **known, uint64_t word,
                                        const uint64_t *description, dart__type_room_t *room,
                                        uint64_t *result);

#endif
