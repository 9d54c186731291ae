/* Insertion of whole domains into a tree: added from outside, moved within, or copied over an existing
 * domain. */
#include <string.h>

#include "base/log.h"
#include "topology/domain_edit.h"
#include "topology/domain_image.h"

typedef dart_domain_locality_t domain_t;

static bool check_position(const char *function, const domain_t *domain, int nchildren,
                           int *position)
{
  if (*position < 0)
    *position = nchildren;
  if (*position <= nchildren)
    return true;
  return dart__fail(false, "%s: there is no place %d among the %d children of '%s'", function,
                    *position, nchildren, domain->domain_tag);
}

dart_ret_t dart__domain_add(domain_t *domain, domain_t *subdomain, int position)
{
  static const char function[] = "dart_domain_add_subdomain";
  char              tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (!check_position(function, domain, domain->num_domains, &position))
    return DART_ERR_INVAL;
  if (dart__domain_lies_in(domain, subdomain))
    return dart__fail(DART_ERR_INVAL, "%s: '%s' lies in the domain to be added", function,
                      domain->domain_tag);
  if (!dart__domain_is_top(subdomain))
    return dart__fail(DART_ERR_INVAL, "%s: '%s' is in a tree already", function,
                      subdomain->domain_tag);
  if (!dart__tag_child(domain->domain_tag, dart__domain_number_at(domain, position), tag) ||
      !dart__domain_fits(subdomain, tag))
    return dart__domain_tag_too_long(function, domain);
  if (!dart__domain_make_room(domain, subdomain->num_units)) {
    dart__domain_give_room_back(domain);
    return dart__domain_no_memory(function);
  }
  dart__domain_put_in(domain, subdomain, position);
  dart__domain_retag(subdomain, tag, domain->level + 1);
  dart__domain_collect_units(domain);
  dart__domain_collect_above(domain);
  return DART_OK;
}

static const domain_t *top_of(const domain_t *domain)
{
  while (!dart__domain_is_top(domain))
    domain = domain->parent;
  return domain;
}

dart_ret_t dart__domain_move(domain_t *domain, domain_t *new_parent, int position)
{
  static const char function[] = "dart_domain_move_subdomain";
  domain_t         *parent     = domain->parent;
  bool              stays      = parent == new_parent; /* it keeps its tag then */
  char              tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
  int               number;

  if (dart__domain_is_top(domain))
    return dart__fail(DART_ERR_INVAL, "%s: '%s' has no parent to be taken from", function,
                      domain->domain_tag);
  if (dart__domain_lies_in(new_parent, domain))
    return dart__fail(DART_ERR_INVAL, "%s: the new parent '%s' lies in '%s'", function,
                      new_parent->domain_tag, domain->domain_tag);
  if (!check_position(function, new_parent, new_parent->num_domains - stays, &position))
    return DART_ERR_INVAL;
  memcpy(tag, domain->domain_tag, sizeof tag);
  number = dart__domain_number_at(new_parent, position);
  if (!stays &&
      (!dart__tag_child(new_parent->domain_tag, number, tag) || !dart__domain_fits(domain, tag)))
    return dart__domain_tag_too_long(function, new_parent);
  if (!dart__domain_make_room(new_parent, domain->num_units)) {
    dart__domain_give_room_back(new_parent);
    return dart__domain_no_memory(function);
  }
  if (top_of(domain) != top_of(new_parent))
    dart__domain_image_keep(domain);
  dart__domain_take_out(domain);
  dart__domain_put_in(new_parent, domain, position);
  dart__domain_close_ranks(parent);
  dart__domain_retag(domain, tag, new_parent->level + 1);
  dart__domain_collect_units(parent);
  dart__domain_collect_above(parent);
  dart__domain_collect_units(new_parent);
  dart__domain_collect_above(new_parent);
  return DART_OK;
}

/* Below the top of a tree the copy keeps parent, index, tag and level of the domain that it replaces. */
dart_ret_t dart__domain_assign(domain_t *domain, const domain_t *source)
{
  static const char function[] = "dart_domain_assign";
  bool              top        = dart__domain_is_top(domain);
  domain_t          copy, replaced = *domain;

  if (domain == source)
    return DART_OK;
  if (!top && !dart__domain_fits(source, domain->domain_tag))
    return dart__domain_tag_too_long(function, domain);
  if (!dart__domain_copy(&copy, source))
    return dart__domain_no_memory(function);
  if (!top && !dart__domain_make_room(domain->parent, copy.num_units)) {
    dart__domain_give_room_back(domain->parent);
    dart__domain_clear(&copy);
    return dart__domain_no_memory(function);
  }
  dart__domain_clear(domain);
  *domain = copy;
  for (int i = 0; i < domain->num_domains; i++)
    domain->children[i]->parent = domain;
  if (top)
    return DART_OK;
  domain->parent         = replaced.parent;
  domain->relative_index = replaced.relative_index;
  dart__domain_mark_top(domain, false);
  dart__domain_retag(domain, replaced.domain_tag, replaced.level);
  dart__domain_collect_above(domain);
  return DART_OK;
}
