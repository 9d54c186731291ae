#ifndef DART__LOCK_RANGE_OBJECT_H
#define DART__LOCK_RANGE_OBJECT_H
/* Range objects: what a unit has of them, and of their tables, from init to exit. */
#include <pthread.h>

#include <dash/dart/ext/dart_range.h>

#include "lock/range_table.h"
#include "model/holds.h"
#include "model/team.h"

/** A counter in this unit's pool that one thread at a time waits for. */
typedef struct dart__range_slot {
  struct dart__range_slot *next;
  uint64_t                 offset;
  uint64_t                 told; /* what it is when nothing is awaited */
} dart__range_slot_t;

struct dart_range_struct {
  dart_range_t        next;  /* of all */
  uint32_t            cycle; /* of init and exit that it belongs to */
  dart_team_t         teamid;
  uint64_t            stripe;
  int32_t             nunits;       /* of the team */
  uint64_t            own;          /* offset of this unit's table in its pool */
  void               *tables;       /* uint64_t: offsets of all units' tables, by team id */
  uint32_t            tables_owner; /* dart__node_table_owner */
  pthread_mutex_t     guard;        /* of `slots` */
  dart__range_slot_t *slots;        /* that nobody waits for */
  uint32_t            nbusy;        /* slots that threads have to wait with; under `guard` */
  dart__hold_t       *hold;         /* what this unit holds */
  dart__hold_t        spare;
};

/** The table of a unit. The team of the object is there. */
static inline dart__table_t dart__range_table_of(dart_range_t range, int32_t unit)
{
  return (dart__table_t){ dart__team_member(dart__team_find(range->teamid), unit),
                          ((const uint64_t *)range->tables)[unit] };
}

/** A slot to wait with; NULL: there is no memory. To be released; NULL may be released, too. */
dart__range_slot_t *dart__range_take_slot(dart_range_t range);
void                dart__range_give_slot(dart_range_t range, dart__range_slot_t *slot);

/** Release what a call has acquired; any thread, also the one that makes progress. */
void dart__range_end(dart_range_hold_t hold);

/** Release all ranges that this unit holds, of all objects; none of its threads uses DART any more. */
void dart__range_release_all(void);

#endif
