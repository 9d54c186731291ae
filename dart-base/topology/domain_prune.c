/* Subtrees: selecting or excluding domains by tags, and splitting a tree into copies with some of its domains
 * each.
 *
 * Removing domains needs memory only for the sets of domains. */
#include <stdlib.h>

#include "topology/domain_edit.h"
#include "topology/domain_set.h"

typedef dart_domain_locality_t domain_t;

/* ---- select, exclude --------------------------------------------------------------------- */

/* Remove domains below `domain`: if `kept` and `ancestors` are given, all but `kept`, the domains below
 * these, and their ancestors; else (both NULL) those in `removed`. */
static void prune(domain_t *domain, const dart__domain_set_t *kept,
                  const dart__domain_set_t *ancestors, const dart__domain_set_t *removed)
{
  int count = 0;

  if (domain->num_domains == 0)
    return;
  for (int i = 0; i < domain->num_domains; i++) {
    domain_t *child = domain->children[i];
    bool      whole = kept != NULL && dart__domain_set_has(kept, child);

    if (!whole && (kept != NULL ? !dart__domain_set_has(ancestors, child)
                                : dart__domain_set_has(removed, child))) {
      dart__domain_delete(child);
      continue;
    }
    domain->children[count++] = child;
    if (!whole)
      prune(child, kept, ancestors, removed);
  }
  domain->num_domains = count;
  dart__domain_close_ranks(domain);
  dart__domain_collect_units(domain);
}

dart_ret_t dart__domain_select(domain_t *domain, int ntags, const char **tags)
{
  dart__domain_set_t tagged = { NULL, 0 }, ancestors = { NULL, 0 };
  const char        *missing;
  dart_ret_t         ret = DART_OK;

  if (!dart__domain_set_find(domain, ntags, tags, &tagged, &missing) ||
      !dart__domain_set_above(domain, &tagged, &ancestors))
    ret = dart__domain_no_memory("dart_domain_select");
  else if (!dart__domain_set_has(&tagged, domain)) {
    prune(domain, &tagged, &ancestors, NULL);
    dart__domain_collect_above(domain);
  }
  free(tagged.members);
  free(ancestors.members);
  return ret;
}

dart_ret_t dart__domain_exclude(domain_t *domain, int ntags, const char **tags)
{
  dart__domain_set_t tagged;
  const char        *missing;

  if (!dart__domain_set_find(domain, ntags, tags, &tagged, &missing))
    return dart__domain_no_memory("dart_domain_exclude");
  prune(domain, NULL, NULL, &tagged);
  dart__domain_collect_above(domain);
  free(tagged.members);
  return DART_OK;
}

/* ---- split ------------------------------------------------------------------------------- */

static domain_t *child_above(const domain_t *domain, domain_t *inner)
{
  while (inner->parent != domain)
    inner = inner->parent;
  return inner;
}

/* Copy `source` with only the `count` domains in `run`, all below these, and their ancestors. `run` is in the
 * order of the tree. On failure `copy` is incomplete, but can be cleared. */
static bool copy_run(domain_t *copy, const domain_t *source, domain_t **run, int count)
{
  int nchildren = 0;

  if (count == 1 && run[0] == source)
    return dart__domain_copy(copy, source);
  dart__domain_copy_alone(copy, source);
  dart__domain_mark_top(copy, copy->parent != NULL);
  for (int i = 0; i < count; i++)
    if (i == 0 || child_above(source, run[i]) != child_above(source, run[i - 1]))
      nchildren++;
  if (nchildren == 0)
    return true;
  copy->children = calloc((size_t)nchildren, sizeof(domain_t *));
  if (copy->children == NULL)
    return false;

  for (int from = 0, to; from < count; from = to) {
    const domain_t *child = child_above(source, run[from]);
    domain_t       *below = calloc(1, sizeof *below);

    for (to = from + 1; to < count && child_above(source, run[to]) == child;)
      to++;
    if (below == NULL)
      return false;
    copy->children[copy->num_domains] = below;
    if (!copy_run(below, child, run + from, to - from)) {
      copy->num_domains++;
      return false;
    }
    dart__domain_put_in(copy, below, copy->num_domains);
  }
  return dart__domain_collect_units(copy);
}

dart_ret_t dart__domain_split(const domain_t *domain, dart_locality_scope_t scope, int nparts,
                              domain_t *parts_out)
{
  static const char function[] = "dart_domain_split_scope";
  domain_t        **found;
  int               count, length, part;
  dart_ret_t        ret = dart__domain_of_scope(function, domain, scope, &count, &found);

  if (ret != DART_OK)
    return ret;
  length = count / nparts + (count % nparts > 0);
  for (part = 0; part < nparts; part++) {
    int from = part < count && part * length < count ? part * length : count;
    int left = count - from;

    if (!copy_run(&parts_out[part], domain, found + from, left < length ? left : length))
      break;
  }
  free(found);
  if (part == nparts)
    return DART_OK;
  do
    dart__domain_clear(&parts_out[part]);
  while (part-- > 0);
  return dart__domain_no_memory(function);
}
