#ifndef DART__FAR_AM_TARGET_H
#define DART__FAR_AM_TARGET_H
/* The target's side: the requests of a batch are applied to the memory of this unit.
 *
 * Atomics are CPU atomics, as those of near units are, so all atomics on a word are atomic towards each
 * other, from any node. A batch selects a segment once for many requests, so that applying one is a check
 * of bounds and the access. */
#include "far/am/am.h"
#include "far/am/known.h"
#include "far/am/wire.h"
#include "wait/deferred.h"

/* What became of a batch. */
typedef struct {
  size_t   nresults; /* words */
  uint32_t refused;  /* requests that named no memory */
  bool     notified; /* a counter was raised; a thread may be waiting for it */
  bool     granted;  /* a call of an object has left a grant for `answer` */
} dart__am_applied_t;

/** Apply `nwords` words of requests of a peer. `results` has room for DART__AM_WORDS; NULL: the requests
 *  have no results. `updates` is empty before and after. `*known`: the known types of the peer, NULL if there
 *  is nothing yet. One thread at a time. */
dart__am_applied_t dart__am_apply_batch(const dart__am_host_t *host, dart__deferred_t *updates,
                                        dart__am_known_t **known, int32_t peer,
                                        const uint64_t *words, size_t nwords, uint64_t *results);

/** dart__am_apply_batch for requests that were kept back, while other batches may have changed what is known: they describe
 *  their types themselves. */
dart__am_applied_t dart__am_apply(const dart__am_host_t *host, dart__deferred_t *updates,
                                  int32_t peer, const uint64_t *words, size_t nwords,
                                  uint64_t *results);

/** The memory of this unit that a message of data is for; NULL if there is none. */
void *dart__am_find(const dart__am_host_t *host, const dart__am_data_t *data);

#endif
