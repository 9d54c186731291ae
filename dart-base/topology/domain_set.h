#ifndef DART__TOPOLOGY_DOMAIN_SET_H
#define DART__TOPOLOGY_DOMAIN_SET_H
/* Sets of domains of one tree: the domains that a list of tags names, and their ancestors.
 *
 * A look-up takes a time that grows with the logarithm of the size, so that one walk over a tree suffices
 * for a list of as many tags as it has domains. */
#include <stdbool.h>
#include <stddef.h>

#include "topology/domain.h"

typedef struct {
  const dart_domain_locality_t **members; /* ascending addresses, each once; to be freed */
  size_t                         count;
} dart__domain_set_t;

/** The domains of these tags in `domain`, as far as they exist; `missing_out` gets the first tag that
 *  names no domain, or NULL. false: no memory; the set is empty. */
bool dart__domain_set_find(const dart_domain_locality_t *domain, int ntags, const char **tags,
                           dart__domain_set_t *set_out, const char **missing_out);

/** All domains above one of `set`, up to `top` and including it. Each domain of `set` is `top` or below it.
 *  false: no memory; the set is empty. */
bool dart__domain_set_above(const dart_domain_locality_t *top, const dart__domain_set_t *set,
                            dart__domain_set_t *ancestors_out);

bool dart__domain_set_has(const dart__domain_set_t *set, const dart_domain_locality_t *domain);

#endif
