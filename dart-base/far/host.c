/* See host.h. */
#include "far/host.h"

#include <string.h>

#include "far/agent.h"
#include "far/grants.h"
#include "far/handlers.h"
#include "model/address.h"
#include "model/world.h"

/* Whether no one but the calling thread updates this unit's portions of a team until it has applied a batch: no
 * other unit maps them, and requests are applied by one thread at a time. While the agent applies them, the
 * unit's own thread may be in an atomic. */
static bool is_exclusive(const dart__team_t *team)
{
  return team->node_nunits == 1 && !dart__world.many_threads && !dart__agent_is_me();
}

/* What is collected is to be sent while the unit computes. Without a thread for that it waits for the next call. */
static void first(void *context)
{
  (void)context;
  dart__agent_start();
}

/* Registered memory is mapped by its unit alone, and its atomics hold a mutex, see wait/foreign.h. */
static bool resolve(void *context, int16_t teamid, int16_t segid, dart__am_region_t *region_out)
{
  dart__team_t    *team    = dart__team_find(teamid);
  dart__segment_t *segment = team == NULL ? NULL : dart__segment_find(team, segid);

  (void)context;
  if (segment == NULL)
    return false;
  *region_out = (dart__am_region_t){ .nbytes = dart__segment_size(segment, team->me) };
  if (segment->near[team->near_me] != NULL) {
    region_out->base         = segment->near[team->near_me] + segment->base;
    region_out->is_exclusive = is_exclusive(team);
    if (segment->sizes == NULL && segment->heads == NULL) {
      region_out->near   = segment->near;
      region_out->units  = team->is_scattered ? NULL : team->node_units;
      region_out->nunits = team->node_nunits;
      region_out->start  = segment->base;
    }
  } else {
    region_out->base  = (char *)(uintptr_t)segment->address[team->node_me];
    region_out->mutex = &dart__teams[DART_TEAM_ALL]->exchange.shared->registered;
  }
  return true;
}

static void notified(void *context)
{
  (void)context;
  if (dart__world.event != NULL)
    dart__event_add(dart__world.event);
}

_Atomic uint64_t dart__messages_expected;
_Atomic int32_t  dart__awaited = -1;
_Atomic uint64_t dart__awaited_waits, dart__awaited_call;
_Atomic int32_t  dart__waiter = -1;
_Atomic uint64_t dart__waiter_waits, dart__waits_passed;

/* relaxed, all: pair with coll/leader_messages.c, which looks again and again, and the word is all there is to know. */
static void note_wait(int32_t peer, uint64_t word)
{
  bool is_wait = (word & DART__INFORM_WAITS) != 0;

  if (is_wait && (word & DART__INFORM_PASSED) != 0) {
    atomic_store_explicit(&dart__waits_passed, word, memory_order_relaxed);
  } else if (atomic_load_explicit(&dart__awaited, memory_order_relaxed) == peer) {
    atomic_store_explicit(is_wait ? &dart__awaited_waits : &dart__awaited_call, word,
                          memory_order_relaxed);
  } else if (is_wait) {
    atomic_store_explicit(&dart__waiter, peer, memory_order_relaxed);
    atomic_store_explicit(&dart__waiter_waits, word, memory_order_relaxed);
  }
}

/* A far unit says how many messages it has sent, or that it waits, or has left the job. Then the word is a team, and below
 * that the last step that the unit took part in, see job/network.c. The team is open on all its units, and stays open until
 * this unit has left, too, for a team ends with a step of all its units. */
static void informed(void *context, int32_t peer, uint64_t word)
{
  dart__team_t *team;
  int32_t       member;

  (void)context;
  if ((word & DART__INFORM_MESSAGES) != 0) {
    atomic_fetch_add_explicit(&dart__messages_expected, word & ~DART__INFORM_MESSAGES,
                              memory_order_relaxed); /* read after the barrier of dart_exit */
    return;
  }
  if ((word & (DART__INFORM_WAITS | DART__INFORM_CALL)) != 0) {
    note_wait(peer, word);
    return;
  }
  team   = dart__world.initialized ? dart__team_find((dart_team_t)(word >> 32)) : NULL;
  member = team == NULL ? -1 : dart__team_unit_of(team, peer);
  if (member >= 0)
    dart__exchange_note_gone(&team->exchange, member, (uint32_t)word);
}

static uint64_t called(void *context, char *object, const void *operand, size_t nbytes)
{
  dart__object_handler_t *handler = NULL;
  uint32_t                request;

  (void)context;
  memcpy(&request, operand, sizeof request);
  if (request / DART__OBJECT_REQUESTS < DART__OBJECTS)
    handler = dart__handlers.object[request / DART__OBJECT_REQUESTS];
  return handler == NULL ? 0 : handler(object, operand, nbytes);
}

/* Grants of locks, and ranges that were kept for long enough. Nobody else sends these where there is no agent, so it is done
 * here, where every wait passes. */
static void send_answers(dart__am_t *am, void *answers)
{
  dart__grants_tell(am, answers);
  /* relaxed: a hint, looked at again soon. acq_rel: pairs with the release in dart__answer_is_due */
  if (atomic_load_explicit(&dart__handlers.is_answer_due, memory_order_relaxed) &&
      atomic_exchange_explicit(&dart__handlers.is_answer_due, false, memory_order_acq_rel))
    dart__handlers.answer();
}

dart__am_host_t dart__am_host(void)
{
  return (dart__am_host_t){ .first      = first,
                            .resolve    = resolve,
                            .notified   = notified,
                            .informed   = informed,
                            .epoch      = dart__handlers.epoch,
                            .turns      = dart__grants_serve,
                            .called     = called,
                            .has_grants = dart__grants_due,
                            .answer     = send_answers };
}
