/* Sets of domains, as sorted arrays of addresses: built at once, then only searched. */
#include "topology/domain_set.h"

#include <stdint.h>
#include <stdlib.h>

typedef dart_domain_locality_t domain_t;

static int by_address(const void *a, const void *b)
{
  uintptr_t left  = (uintptr_t) * (const domain_t *const *)a;
  uintptr_t right = (uintptr_t) * (const domain_t *const *)b;

  return (left > right) - (left < right);
}

static void sort_set(dart__domain_set_t *set)
{
  size_t kept = 0;

  if (set->count == 0)
    return;
  qsort(set->members, set->count, sizeof(const domain_t *), by_address);
  for (size_t i = 1; i < set->count; i++)
    if (set->members[i] != set->members[kept])
      set->members[++kept] = set->members[i];
  set->count = kept + 1;
}

bool dart__domain_set_has(const dart__domain_set_t *set, const domain_t *domain)
{
  return set->count > 0 &&
         bsearch(&domain, set->members, set->count, sizeof(const domain_t *), by_address) != NULL;
}

bool dart__domain_set_find(const domain_t *domain, int ntags, const char **tags,
                           dart__domain_set_t *set_out, const char **missing_out)
{
  set_out->count   = 0;
  set_out->members = calloc((size_t)ntags + 1, sizeof(const domain_t *));
  *missing_out     = NULL;
  if (set_out->members == NULL)
    return false;
  for (int i = 0; i < ntags; i++) {
    const domain_t *found = dart__domain_find(domain, tags[i]);

    if (found != NULL)
      set_out->members[set_out->count++] = found;
    else if (*missing_out == NULL)
      *missing_out = tags[i];
  }
  sort_set(set_out);
  return true;
}

bool dart__domain_set_above(const domain_t *top, const dart__domain_set_t *set,
                            dart__domain_set_t *ancestors_out)
{
  size_t count = 0;

  for (size_t i = 0; i < set->count; i++)
    for (const domain_t *d = set->members[i]; d != top; d = d->parent)
      count++;
  ancestors_out->count   = 0;
  ancestors_out->members = calloc(count + 1, sizeof(const domain_t *));
  if (ancestors_out->members == NULL)
    return false;
  for (size_t i = 0; i < set->count; i++)
    for (const domain_t *d = set->members[i]; d != top; d = d->parent)
      ancestors_out->members[ancestors_out->count++] = d->parent;
  sort_set(ancestors_out);
  return true;
}
