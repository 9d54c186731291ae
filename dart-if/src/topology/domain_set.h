#ifndef DART__MODEL_DOMAIN_SET_H
#define DART__MODEL_DOMAIN_SET_H
/* Sets of domains of one tree: what a list of tags means, and the ways there from the top.
 *
 * Asking takes a time that grows with the logarithm of the size, so that a tree can be walked once
 * for a list of as many tags as it has domains. */
#include <stdbool.h>
#include <stddef.h>

#include "topology/domain.h"

typedef struct {
  const dart_domain_locality_t **members; /* ascending addresses, each once; to be freed */
  size_t                         count;
} dart__domain_set_t;

/** The domains of these tags in `domain` that there are; `missing_out` gets the first tag that
 *  names none, or NULL. false: no memory; the set is empty. */
bool dart__domain_set_find(const dart_domain_locality_t *domain, int ntags, const char **tags,
                           dart__domain_set_t *set_out, const char **missing_out);

/** All domains above one of `set`, up to `top` and including it. `top` is or is above each of them.
 *  false: no memory; the set is empty. */
bool dart__domain_set_above(const dart_domain_locality_t *top, const dart__domain_set_t *set,
                            dart__domain_set_t *ways_out);

bool dart__domain_set_has(const dart__domain_set_t *set, const dart_domain_locality_t *domain);

#endif
