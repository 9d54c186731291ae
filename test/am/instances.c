/* See instances.h. */
#include "instances.h"

#include <stdlib.h>

#include "far/am/target.h"

static bool resolve(void *context, int16_t team, int16_t segid, dart__am_region_t *region_out)
{
  test_peer_t *peer = context;

  *region_out = (dart__am_region_t){ .base         = peer->memory,
                                     .nbytes       = peer->nbytes,
                                     .mutex        = segid == TEST_BY_MUTEX ? &peer->mutex : NULL,
                                     .is_exclusive = peer->is_alone };
  return team == TEST_TEAM && (segid == TEST_PLAIN || segid == TEST_BY_MUTEX);
}

static void notified(void *context)
{
  ((test_peer_t *)context)->notified++;
}

static void informed(void *context, int32_t peer, uint64_t word)
{
  test_peer_t *me = context;

  me->informer = peer;
  me->informed += word;
}

/* Applies the requests that come with it, answers the value plus one, and sends the value back, unless it
 * was sent back. */
static dart__am_epoch_served_t epoch(const dart__am_host_t *host, dart__deferred_t *updates,
                                     int32_t peer, const dart__am_epoch_t *about,
                                     const uint64_t *words, size_t nwords, uint64_t *results_out)
{
  test_peer_t *me = host->context;

  if (about->segid != TEST_PLAIN)
    return DART__AM_EPOCH_REFUSED;
  me->informer = peer;
  me->informed += about->value;
  dart__am_apply(host, updates, peer, words, nwords, results_out + 1);
  *results_out = about->value + 1;
  if (about->what != TEST_SENT_BACK) {
    me->back       = *about;
    me->has_answer = true;
  }
  return DART__AM_EPOCH_NOTIFIED;
}

static void *turns(const dart__am_host_t *host, dart__deferred_t *updates)
{
  test_peer_t *me      = host->context;
  void        *answers = me->has_answer ? me : NULL;

  (void)updates;
  me->has_answer = false;
  return answers;
}

static void answer(dart__am_t *am, void *answers)
{
  test_peer_t     *me = answers;
  dart__am_epoch_t back;

  if (me == NULL)
    return;
  back      = me->back;
  back.what = TEST_SENT_BACK;
  dart__am_epoch(am, me->informer, &back, NULL, 0, NULL, 0, true);
}

/* Adds the operand's first byte, and its size, to the object. */
static uint64_t called(void *context, char *object, const void *operand, size_t nbytes)
{
  uint64_t *sum = (uint64_t *)(void *)object;

  ((test_peer_t *)context)->called += nbytes;
  return *sum += *(const unsigned char *)operand + nbytes;
}

static bool has_grants(void *context)
{
  return ((test_peer_t *)context)->has_grants;
}

dart__am_host_t test_host(test_peer_t *peer)
{
  return (dart__am_host_t){ .context    = peer,
                            .resolve    = resolve,
                            .notified   = notified,
                            .informed   = informed,
                            .epoch      = epoch,
                            .turns      = turns,
                            .answer     = answer,
                            .called     = called,
                            .has_grants = has_grants };
}

uint64_t test_draw(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* ---- the linker redirects malloc and calloc here ---------------------------------------------- */

void *__real_malloc(size_t nbytes);
void *__real_calloc(size_t n, size_t nbytes);
void *__wrap_malloc(size_t nbytes);
void *__wrap_calloc(size_t n, size_t nbytes);

static _Thread_local unsigned fail_often;
static _Thread_local uint64_t fail_state;

void test_fail_allocations(unsigned often)
{
  fail_often = often;
}

static bool fails(void)
{
  if (fail_state == 0)
    fail_state = (uintptr_t)&fail_state;
  return fail_often > 0 && test_draw(&fail_state) % fail_often == 0;
}

void *__wrap_malloc(size_t nbytes)
{
  return fails() ? NULL : __real_malloc(nbytes);
}

void *__wrap_calloc(size_t n, size_t nbytes)
{
  return fails() ? NULL : __real_calloc(n, nbytes);
}
