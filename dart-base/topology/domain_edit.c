/* The elementary changes of trees: children, and the units and tags that depend on them. */
#include "topology/domain_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "topology/domain_image.h"

typedef dart_domain_locality_t domain_t;

/* ---- children and units ------------------------------------------------------------------ */

void dart__domain_close_ranks(domain_t *domain)
{
  for (int i = 0; i < domain->num_domains; i++)
    domain->children[i]->relative_index = i;
  if (domain->num_domains == 0) {
    dart__domain_free(domain->children);
    domain->children = NULL;
  }
}

bool dart__domain_lies_in(const domain_t *inner, const domain_t *domain)
{
  while (inner != domain && !dart__domain_is_top(inner))
    inner = inner->parent;
  return inner == domain;
}

void dart__domain_collect_above(domain_t *domain)
{
  while (!dart__domain_is_top(domain)) {
    domain = domain->parent;
    dart__domain_collect_units(domain);
  }
}

bool dart__domain_make_room(domain_t *domain, int nunits)
{
  size_t     nchildren = (size_t)domain->num_domains;
  domain_t **children  = dart__domain_resize(domain->children, nchildren * sizeof(domain_t *),
                                             (nchildren + 1) * sizeof(domain_t *));

  if (children == NULL)
    return false;
  domain->children = children;
  for (; nunits > 0; domain = domain->parent) {
    size_t              count = dart__domain_units(domain);
    dart_global_unit_t *ids   = dart__domain_resize(domain->unit_ids, count * sizeof *ids,
                                                    (count + (size_t)nunits) * sizeof *ids);

    if (ids == NULL)
      return false;
    domain->unit_ids = ids;
    if (dart__domain_is_top(domain))
      break;
  }
  return true;
}

void dart__domain_give_room_back(domain_t *domain)
{
  dart__domain_close_ranks(domain);
  for (;; domain = domain->parent) {
    if (domain->num_units <= 0) {
      dart__domain_free(domain->unit_ids);
      domain->unit_ids = NULL;
    }
    if (dart__domain_is_top(domain))
      break;
  }
}

void dart__domain_take_out(domain_t *domain)
{
  domain_t *parent = domain->parent;

  parent->num_domains--;
  for (int i = domain->relative_index; i < parent->num_domains; i++) {
    parent->children[i]                 = parent->children[i + 1];
    parent->children[i]->relative_index = i;
  }
}

void dart__domain_put_in(domain_t *parent, domain_t *child, int position)
{
  for (int i = parent->num_domains; i > position; i--) {
    parent->children[i]                 = parent->children[i - 1];
    parent->children[i]->relative_index = i;
  }
  parent->children[position] = child;
  parent->num_domains++;
  child->parent         = parent;
  child->relative_index = position;
  dart__domain_mark_top(child, false);
}

/* ---- tags and levels --------------------------------------------------------------------- */

/* ".j", the end of a tag; empty for the tag of a blank domain. */
static const char *last_number(const char *tag)
{
  const char *dot = strrchr(tag, '.');

  return dot != NULL ? dot : "";
}

static bool has_number(const domain_t *domain, int number)
{
  for (int i = 0; i < domain->num_domains; i++)
    if (atoi(last_number(domain->children[i]->domain_tag) + 1) == number)
      return true;
  return false;
}

int dart__domain_fresh_number(const domain_t *domain)
{
  int fresh = 0;

  for (int i = 0; i < domain->num_domains; i++) {
    int number = atoi(last_number(domain->children[i]->domain_tag) + 1);

    if (number >= fresh)
      fresh = number + 1;
  }
  return fresh;
}

int dart__domain_number_at(const domain_t *domain, int position)
{
  return has_number(domain, position) ? dart__domain_fresh_number(domain) : position;
}

/* Characters of the longest tag below `domain`, not counting those of the domain's own tag. */
static size_t longest_below(const domain_t *domain)
{
  size_t longest = 0;

  for (int i = 0; i < domain->num_domains; i++) {
    const domain_t *child  = domain->children[i];
    size_t          length = strlen(last_number(child->domain_tag)) + longest_below(child);

    if (length > longest)
      longest = length;
  }
  return longest;
}

bool dart__domain_fits(const domain_t *domain, const char *tag)
{
  return strlen(tag) + longest_below(domain) < DART_LOCALITY_DOMAIN_TAG_MAX_SIZE;
}

void dart__domain_retag(domain_t *domain, const char *tag, int level)
{
  char full[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (domain->domain_tag != tag)
    snprintf(domain->domain_tag, sizeof domain->domain_tag, "%s", tag);
  domain->level = level;
  for (int i = 0; i < domain->num_domains; i++) {
    domain_t *child = domain->children[i];

    if (dart__tag_child(domain->domain_tag, atoi(last_number(child->domain_tag) + 1), full))
      dart__domain_retag(child, full, level + 1);
  }
}

/* ---- errors ------------------------------------------------------------------------------ */

dart_ret_t dart__domain_no_memory(const char *function)
{
  return dart__fail(DART_ERR_NOMEM, "%s: no memory", function);
}

dart_ret_t dart__domain_tag_too_long(const char *function, const domain_t *domain)
{
  return dart__fail(DART_ERR_INVAL, "%s: tags below '%s' would have more than %d characters",
                    function, domain->domain_tag, DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
}
