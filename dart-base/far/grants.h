#ifndef DART__FAR_GRANTS_H
#define DART__FAR_GRANTS_H
/* Requests of far units that wait for something at this unit, and the grants that tell these units.
 *
 * A request is served in the midst of receiving, where nothing may be sent or waited for. If it cannot be granted it is
 * listed, in the order of arrival. After every look for messages the list is looked through, and a request whose turn has
 * come leaves it. Its unit is told outside of receiving, by the thread that has looked: no thread waits for a far unit's
 * turn. What a request waits for, and how its unit is told, is up to its kind: portions (epoch/epoch_target.c), words
 * (lock/lock_at.c), ranges and dart_lock (lock/range_table.c).
 *
 * Near units ask for the same things, so the order of requests is not here but in shared memory: tickets of a portion's lock
 * (wait/rwlock.h) or of a word's mutex (wait/mutex.h), a table of ranges (lock/range.h). A range is listed here only once it
 * is granted, since a near unit that releases one tells far waiters itself, and this unit need make no progress for it.
 * Portions and words have no such table: a near unit takes and releases a word by 114 instructions, a range by 1,357.
 *
 * Unless said otherwise, functions are for the thread that receives, one at a time. */
#include <stdbool.h>
#include <stddef.h>

#include "far/am/am.h"

typedef struct dart__grant dart__grant_t;

typedef enum {
  DART__GRANT_LATER, /* it waits on */
  DART__GRANT_NOW,   /* its unit is to be told */
  DART__GRANT_OVER   /* it is done, and nobody is told */
} dart__grant_turn_t;

typedef struct {
  /* Whether it is its turn; what that takes is done then. `host`, `updates`: for dart__am_apply. */
  dart__grant_turn_t (*look)(dart__grant_t *grant, const dart__am_host_t *host,
                             dart__deferred_t *updates);
  /* Tell its unit. Any thread, which may wait here. */
  void (*tell)(dart__am_t *am, const dart__grant_t *grant);
} dart__grant_kind_t;

/* The start of each request. */
struct dart__grant {
  dart__grant_t            *next;
  const dart__grant_kind_t *kind;
};

/** Memory for a request, freed by what follows. A lack of it is waited out: the unit that asks cannot be told. */
void *dart__grant_new(size_t nbytes);

/** List it until its turn comes. */
void dart__grant_wait(dart__grant_t *grant, const dart__grant_kind_t *kind);

/** It waits for nothing, but its unit is to be told. */
void dart__grant_now(dart__grant_t *grant, const dart__grant_kind_t *kind);

/** Whether some unit is to be told: `has_grants` of dart__am_host_t. */
bool dart__grants_due(void *unused);

/** The first request that waits; `next` leads to the others. */
const dart__grant_t *dart__grants_waiting(void);

/** Look through the list once. True: some have left it. */
bool dart__grants_look(const dart__am_host_t *host, dart__deferred_t *updates);

/** Look until no more leave the list; returns those to be told, for dart__grants_tell: `turns` of dart__am_host_t. */
void *dart__grants_serve(const dart__am_host_t *host, dart__deferred_t *updates);

/** Tell their units, outside of receiving. Any thread. */
void dart__grants_tell(dart__am_t *am, void *answers);

/** Wait until all have been told, as far as sending goes; no request is under way. Any thread, outside of receiving. */
void dart__grants_settle(void);

/** Forget those that still wait, at exit. */
void dart__grants_close(void);

#endif
