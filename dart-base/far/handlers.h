#ifndef DART__FAR_HANDLERS_H
#define DART__FAR_HANDLERS_H
/* Handlers: what rooms above do about messages of theirs that come from far units. A room registers its handlers while a
 * cycle of dart_init begins, before any unit can send it such a message. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "far/am/am.h"

/* Objects in the pool of a unit, which far units operate on by dart__far_call. The first 32 bits of a request say what is
 * asked: each kind of object has DART__OBJECT_REQUESTS numbers, from its own times that on. */
typedef enum { DART__OBJECT_RANGE_TABLE, DART__OBJECT_LOCK_AT, DART__OBJECTS } dart__object_t;
#define DART__OBJECT_REQUESTS 16

/* Operate on the object, in the midst of receiving. It returns soon, and requests nothing; whom it lets in it lists among
 * the grants (far/grants.h). */
typedef uint64_t dart__object_handler_t(char *object, const void *operand, size_t nbytes);

typedef struct {
  dart__object_handler_t *object[DART__OBJECTS];
  /* What progress calls outside of receiving if is_answer_due, which it takes back first. Any thread; it may wait there. */
  void (*answer)(void);
  _Atomic bool is_answer_due;
  /* Release what this unit keeps locked for a next call: before it, or a team, ends. NULL, like `answer`: no room has
   * anything of that kind. */
  void (*release_cached)(void);
  /* See dart__am_host_t. */
  dart__am_epoch_served_t (*epoch)(const dart__am_host_t *host, dart__deferred_t *updates,
                                   int32_t peer, const dart__am_epoch_t *about,
                                   const uint64_t *words, size_t nwords, uint64_t *results_out);
} dart__handlers_t;

extern dart__handlers_t dart__handlers;

/** Forget the `object` handlers: before rooms register them in a new cycle. */
void dart__handlers_clear(void);

void dart__handle_object(dart__object_t kind, dart__object_handler_t *handler);

static inline void dart__release_cached(void)
{
  if (dart__handlers.release_cached != NULL)
    dart__handlers.release_cached();
}

/** The `answer` handler has something to do. release: pairs with the exchange of progress. */
static inline void dart__answer_is_due(void)
{
  atomic_store_explicit(&dart__handlers.is_answer_due, true, memory_order_release);
}

#endif
