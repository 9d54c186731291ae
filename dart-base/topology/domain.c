/* Trees of domains: creation, destruction, copies, and look-ups. */
#include "topology/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart_team_group.h>

#include "base/log.h"
#include "topology/domain_image.h"

/* ---- life -------------------------------------------------------------------------------- */

dart_domain_locality_t *dart__domain_new(void)
{
  dart_domain_locality_t *domain = calloc(1, sizeof *domain);

  if (domain == NULL)
    return NULL;
  domain->scope            = DART_LOCALITY_SCOPE_UNDEFINED;
  domain->team             = DART_TEAM_NULL;
  domain->global_index     = -1;
  domain->is_symmetric     = -1;
  domain->num_units        = -1;
  domain->num_nodes        = -1;
  domain->node_id          = -1;
  domain->num_cores        = -1;
  domain->shared_mem_bytes = -1;
  return domain;
}

/* Writes nothing: a page of an image would be copied by that. */
static void free_contents(const dart_domain_locality_t *domain)
{
  for (int i = 0; i < domain->num_domains; i++)
    dart__domain_delete(domain->children[i]);
  dart__domain_free(domain->children);
  dart__domain_free(domain->unit_ids);
  dart__domain_free(domain->aliases);
}

void dart__domain_clear(dart_domain_locality_t *domain)
{
  free_contents(domain);
  domain->children    = NULL;
  domain->num_domains = 0;
  domain->unit_ids    = NULL;
  domain->num_units   = 0;
  domain->aliases     = NULL;
  domain->num_aliases = 0;
}

void dart__domain_delete(dart_domain_locality_t *domain)
{
  if (domain == NULL)
    return;
  free_contents(domain);
  dart__domain_free(domain);
}

void dart__domain_copy_alone(dart_domain_locality_t *copy, const dart_domain_locality_t *source)
{
  *copy             = *source;
  copy->aliases     = NULL;
  copy->num_aliases = 0;
  copy->children    = NULL;
  copy->num_domains = 0;
  copy->unit_ids    = NULL;
  copy->num_units   = 0;
}

static bool copy_below(dart_domain_locality_t *copy, const dart_domain_locality_t *source)
{
  size_t nunits = dart__domain_units(source);

  dart__domain_copy_alone(copy, source);
  copy->num_units = source->num_units;
  if (nunits > 0) {
    copy->unit_ids = malloc(nunits * sizeof *copy->unit_ids);
    if (copy->unit_ids == NULL)
      return false;
    memcpy(copy->unit_ids, source->unit_ids, nunits * sizeof *copy->unit_ids);
  }
  if (source->num_domains == 0)
    return true;
  copy->children = calloc((size_t)source->num_domains, sizeof(dart_domain_locality_t *));
  if (copy->children == NULL)
    return false;
  for (int i = 0; i < source->num_domains; i++) {
    dart_domain_locality_t *child = malloc(sizeof *child);

    if (child == NULL)
      return false;
    copy->children[copy->num_domains++] = child;
    if (!copy_below(child, source->children[i]))
      return false;
    child->parent = copy;
    dart__domain_mark_top(child, false);
  }
  return true;
}

bool dart__domain_copy(dart_domain_locality_t *copy, const dart_domain_locality_t *source)
{
  if (!copy_below(copy, source)) {
    dart__domain_clear(copy);
    return false;
  }
  dart__domain_mark_top(copy, copy->parent != NULL);
  return true;
}

/* ---- tags -------------------------------------------------------------------------------- */

/* The root's tag is the only one that ends in the dot that its children's begin with. */
static const char *prefix_of(const char *tag)
{
  return strcmp(tag, ".") == 0 ? "" : tag;
}

const char *dart__tag_below(const char *tag, const char *path)
{
  size_t length = strlen(prefix_of(tag));

  if (strncmp(prefix_of(tag), path, length) != 0)
    return NULL;
  return path[length] == '.' || path[length] == '\0' ? path + length : NULL;
}

bool dart__tag_child(const char *parent_tag, int number,
                     char tag_out[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE])
{
  char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE + 16];
  int  length = snprintf(tag, sizeof tag, "%s.%d", prefix_of(parent_tag), number);

  if (length >= DART_LOCALITY_DOMAIN_TAG_MAX_SIZE)
    return false;
  memset(tag_out, 0, DART_LOCALITY_DOMAIN_TAG_MAX_SIZE);
  memcpy(tag_out, tag, (size_t)length);
  return true;
}

/* ---- looking up -------------------------------------------------------------------------- */

/* The child that is, or is above, the domain `tag`. Its index is its number in the tag, unless siblings were
 * removed or inserted. */
static dart_domain_locality_t *child_towards(const dart_domain_locality_t *domain, const char *tag)
{
  const char *rest = dart__tag_below(domain->domain_tag, tag);
  long        guess;

  if (rest == NULL || *rest == '\0')
    return NULL;
  guess = strtol(rest + 1, NULL, 10);
  if (guess >= 0 && guess < domain->num_domains &&
      dart__tag_below(domain->children[guess]->domain_tag, tag) != NULL)
    return domain->children[guess];
  for (int i = 0; i < domain->num_domains; i++)
    if (dart__tag_below(domain->children[i]->domain_tag, tag) != NULL)
      return domain->children[i];
  return NULL;
}

dart_domain_locality_t *dart__domain_find(const dart_domain_locality_t *domain, const char *tag)
{
  while (domain != NULL && strcmp(domain->domain_tag, tag) != 0)
    domain = child_towards(domain, tag);
  return (dart_domain_locality_t *)domain;
}

/* The number of domains of `scope`, which are also stored unless `found_out` is NULL. */
static int collect_scope(const dart_domain_locality_t *domain, dart_locality_scope_t scope,
                         dart_domain_locality_t **found_out)
{
  int count = 0;

  if (domain->scope == scope) {
    if (found_out != NULL)
      *found_out = (dart_domain_locality_t *)domain;
    return 1;
  }
  for (int i = 0; i < domain->num_domains; i++)
    count +=
        collect_scope(domain->children[i], scope, found_out != NULL ? found_out + count : NULL);
  return count;
}

dart_ret_t dart__domain_of_scope(const char *function, const dart_domain_locality_t *domain,
                                 dart_locality_scope_t scope, int *count_out,
                                 dart_domain_locality_t ***found_out)
{
  int                      count = collect_scope(domain, scope, NULL);
  dart_domain_locality_t **found;

  if (count == 0)
    return dart__fail(DART_ERR_NOTFOUND, "%s: no domain of scope %d in '%s'", function, (int)scope,
                      domain->domain_tag);
  found = calloc((size_t)count, sizeof(dart_domain_locality_t *));
  if (found == NULL)
    return dart__fail(DART_ERR_NOMEM, "%s: no memory for %d domains", function, count);
  *count_out = collect_scope(domain, scope, found);
  *found_out = found;
  return DART_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
  const dart_global_unit_t *left = a, *right = b;

  return (left->id > right->id) - (left->id < right->id);
}

bool dart__domain_collect_units(dart_domain_locality_t *domain)
{
  dart_global_unit_t *ids;
  size_t              count = 0;

  for (int i = 0; i < domain->num_domains; i++)
    if (domain->children[i]->num_units > 0)
      count += (size_t)domain->children[i]->num_units;
  if (count == 0) {
    dart__domain_free(domain->unit_ids);
    domain->unit_ids  = NULL;
    domain->num_units = 0;
    return true;
  }
  ids = dart__domain_resize(domain->unit_ids, dart__domain_units(domain) * sizeof *ids,
                            count * sizeof *ids);
  if (ids == NULL)
    return false;
  domain->unit_ids  = ids;
  domain->num_units = (int)count;
  for (int i = 0; i < domain->num_domains; i++)
    if (domain->children[i]->num_units > 0) {
      memcpy(ids, domain->children[i]->unit_ids,
             (size_t)domain->children[i]->num_units * sizeof *ids);
      ids += domain->children[i]->num_units;
    }
  if (domain->scope == DART_LOCALITY_SCOPE_GLOBAL)
    qsort(domain->unit_ids, count, sizeof *ids, by_id);
  return true;
}
