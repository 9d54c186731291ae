/* See grants.h. */
#include "far/grants.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "far/engine.h"
#include "model/world.h"

static struct {
  dart__grant_t   *waiting; /* in the order of arrival */
  dart__grant_t   *answers;
  _Atomic uint32_t untold; /* of `answers`, and of those that threads are telling */
} grants;

typedef struct {
  size_t nbytes;
  void  *block;
} memory_t;

static bool try_malloc(void *context)
{
  memory_t *memory = context;

  memory->block = malloc(memory->nbytes);
  return memory->block != NULL;
}

void *dart__grant_new(size_t nbytes)
{
  memory_t memory = { nbytes, NULL };

  dart__wait_for(try_malloc, &memory, &dart__wait_briefly);
  return memory.block;
}

static void append(dart__grant_t **list, dart__grant_t *grant, const dart__grant_kind_t *kind)
{
  while (*list != NULL)
    list = &(*list)->next;
  grant->next = NULL;
  grant->kind = kind;
  *list       = grant;
}

void dart__grant_wait(dart__grant_t *grant, const dart__grant_kind_t *kind)
{
  append(&grants.waiting, grant, kind);
}

void dart__grant_now(dart__grant_t *grant, const dart__grant_kind_t *kind)
{
  /* relaxed: a unit settles when no request is under way, so this is before */
  atomic_fetch_add_explicit(&grants.untold, 1, memory_order_relaxed);
  append(&grants.answers, grant, kind);
}

bool dart__grants_due(void *unused)
{
  (void)unused;
  return grants.answers != NULL;
}

const dart__grant_t *dart__grants_waiting(void)
{
  return grants.waiting;
}

bool dart__grants_look(const dart__am_host_t *host, dart__deferred_t *updates)
{
  bool any = false;

  for (dart__grant_t **link = &grants.waiting; *link != NULL;) {
    dart__grant_t     *grant = *link;
    dart__grant_turn_t turn  = grant->kind->look(grant, host, updates);

    if (turn == DART__GRANT_LATER) {
      link = &grant->next;
      continue;
    }
    *link = grant->next;
    any   = true;
    if (turn == DART__GRANT_NOW)
      dart__grant_now(grant, grant->kind);
    else
      free(grant);
  }
  return any;
}

void *dart__grants_serve(const dart__am_host_t *host, dart__deferred_t *updates)
{
  dart__grant_t *answers;

  if (grants.waiting == NULL && grants.answers == NULL)
    return NULL;
  while (dart__grants_look(host, updates))
    ; /* one that has left, or entered shared, may have let another in */
  answers        = grants.answers;
  grants.answers = NULL;
  return answers;
}

void dart__grants_tell(dart__am_t *am, void *answers)
{
  for (dart__grant_t *grant = answers, *next; grant != NULL; grant = next) {
    next = grant->next;
    grant->kind->tell(am, grant);
    free(grant);
    /* release: what was sent is there to be flushed; pairs with the acquire in are_told */
    atomic_fetch_sub_explicit(&grants.untold, 1, memory_order_release);
  }
}

static bool are_told(void *unused)
{
  (void)unused;
  return atomic_load_explicit(&grants.untold, memory_order_acquire) == 0;
}

void dart__grants_settle(void)
{
  dart__wait_for(are_told, NULL, &dart__world.wait);
}

void dart__grants_close(void)
{
  dart__engine_hold();
  while (grants.waiting != NULL) {
    dart__grant_t *grant = grants.waiting;

    grants.waiting = grant->next;
    free(grant);
  }
  dart__engine_release();
}
