/* Reshaping trees of domains, in place: domains that stay, stay where they are in memory, for users
 * hold pointers to them.
 *
 * Each change first gets all the memory it needs, which may fail, and then is made, which cannot.
 * Removing needs no memory but for the set of what is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/domain.h"

typedef dart_domain_locality_t domain_t;

static dart_ret_t no_memory(const char *function)
{
  dart__error("%s: no memory", function);
  return DART_ERR_NOMEM;
}

/* ---- sets of domains --------------------------------------------------------------------- */

typedef struct {
  const domain_t **members; /* ascending addresses, each once */
  size_t           count;
} set_t;

static int by_address(const void *a, const void *b)
{
  uintptr_t left  = (uintptr_t)*(const domain_t *const *)a;
  uintptr_t right = (uintptr_t)*(const domain_t *const *)b;

  return (left > right) - (left < right);
}

static void sort_set(set_t *set)
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

static bool is_in(const set_t *set, const domain_t *domain)
{
  return set->count > 0 && bsearch(&domain, set->members, set->count, sizeof(const domain_t *),
                                   by_address) != NULL;
}

/* The domains of these tags in `domain` that there are; `missing_out` gets the first tag that names
 * none, or NULL. false: no memory. */
static bool find_all(const domain_t *domain, int ntags, const char **tags, set_t *set_out,
                     const char **missing_out)
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

/* All domains above one of `set`, up to `top` and including it. */
static bool find_ways(const domain_t *top, const set_t *set, set_t *ways_out)
{
  size_t count = 0;

  for (size_t i = 0; i < set->count; i++)
    for (const domain_t *d = set->members[i]; d != top; d = d->parent)
      count++;
  ways_out->count   = 0;
  ways_out->members = calloc(count + 1, sizeof(const domain_t *));
  if (ways_out->members == NULL)
    return false;
  for (size_t i = 0; i < set->count; i++)
    for (const domain_t *d = set->members[i]; d != top; d = d->parent)
      ways_out->members[ways_out->count++] = d->parent;
  sort_set(ways_out);
  return true;
}

/* ---- places in a tree -------------------------------------------------------------------- */

/* Children stand where their indices say; an array without any is none. */
static void close_ranks(domain_t *domain)
{
  for (int i = 0; i < domain->num_domains; i++)
    domain->children[i]->relative_index = i;
  if (domain->num_domains == 0) {
    free(domain->children);
    domain->children = NULL;
  }
}

/* Whether `inner` is `domain` or below it. */
static bool lies_in(const domain_t *inner, const domain_t *domain)
{
  while (inner != domain && !dart__domain_is_top(inner))
    inner = inner->parent;
  return inner == domain;
}

/* After a change in the units of `domain`: those of all above it. */
static void collect_above(domain_t *domain)
{
  while (!dart__domain_is_top(domain)) {
    domain = domain->parent;
    dart__domain_collect_units(domain);
  }
}

/* Room for one more child of `domain`, and for `nunits` more units there and above. */
static bool make_room(domain_t *domain, int nunits)
{
  size_t     nchildren = (size_t)domain->num_domains + 1;
  domain_t **children  = realloc(domain->children, nchildren * sizeof(domain_t *));

  if (children == NULL)
    return false;
  domain->children = children;
  for (; nunits > 0; domain = domain->parent) {
    size_t count = (size_t)nunits + (domain->num_units > 0 ? (size_t)domain->num_units : 0);
    dart_global_unit_t *ids = realloc(domain->unit_ids, count * sizeof *ids);

    if (ids == NULL)
      return false;
    domain->unit_ids = ids;
    if (dart__domain_is_top(domain))
      break;
  }
  return true;
}

/* Where there was nothing before, nothing remains. */
static void give_room_back(domain_t *domain)
{
  close_ranks(domain);
  for (;; domain = domain->parent) {
    if (domain->num_units <= 0) {
      free(domain->unit_ids);
      domain->unit_ids = NULL;
    }
    if (dart__domain_is_top(domain))
      break;
  }
}

/* The array of children stays, even if it is empty now. */
static void take_out(domain_t *domain)
{
  domain_t *parent = domain->parent;

  parent->num_domains--;
  for (int i = domain->relative_index; i < parent->num_domains; i++) {
    parent->children[i]                 = parent->children[i + 1];
    parent->children[i]->relative_index = i;
  }
}

/* There is room. */
static void put_in(domain_t *parent, domain_t *child, int position)
{
  for (int i = parent->num_domains; i > position; i--) {
    parent->children[i]                 = parent->children[i - 1];
    parent->children[i]->relative_index = i;
  }
  parent->children[position] = child;
  parent->num_domains++;
  child->parent         = parent;
  child->relative_index = position;
  dart__domain_set_top(child, false);
}

/* ---- tags and levels --------------------------------------------------------------------- */

/* ".j" of a tag; empty for that of a blank domain. */
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

/* A number that no child has, and none that was here and moved into a group had. */
static int fresh_number(const domain_t *domain)
{
  int fresh = 0;

  for (int i = 0; i < domain->num_domains; i++) {
    int number = atoi(last_number(domain->children[i]->domain_tag) + 1);

    if (number >= fresh)
      fresh = number + 1;
  }
  return fresh;
}

/* Characters of the longest tag below `domain`, not counting those of its own. */
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

static bool fits(const domain_t *domain, const char *tag)
{
  return strlen(tag) + longest_below(domain) < DART_LOCALITY_DOMAIN_TAG_MAX_SIZE;
}

/* Give `domain` a new tag and level, and those below it what follows from that. They fit. */
static void retag(domain_t *domain, const char *tag, int level)
{
  char full[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (domain->domain_tag != tag)
    snprintf(domain->domain_tag, sizeof domain->domain_tag, "%s", tag);
  domain->level = level;
  for (int i = 0; i < domain->num_domains; i++) {
    domain_t *child = domain->children[i];

    if (dart__tag_child(domain->domain_tag, atoi(last_number(child->domain_tag) + 1), full))
      retag(child, full, level + 1);
  }
}

/* ---- select, exclude --------------------------------------------------------------------- */

/* Keep of all below `domain` what `ways` lead to, and all of what is `kept`; or (both NULL) what is
 * not `removed`. */
static void prune(domain_t *domain, const set_t *kept, const set_t *ways, const set_t *removed)
{
  int count = 0;

  if (domain->num_domains == 0)
    return;
  for (int i = 0; i < domain->num_domains; i++) {
    domain_t *child = domain->children[i];
    bool      whole = kept != NULL && is_in(kept, child);

    if (!whole && (kept != NULL ? !is_in(ways, child) : is_in(removed, child))) {
      dart__domain_delete(child);
      continue;
    }
    domain->children[count++] = child;
    if (!whole)
      prune(child, kept, ways, removed);
  }
  domain->num_domains = count;
  close_ranks(domain);
  dart__domain_collect_units(domain);
}

dart_ret_t dart__domain_select(domain_t *domain, int ntags, const char **tags)
{
  set_t       tagged = { NULL, 0 }, ways = { NULL, 0 };
  const char *missing;
  dart_ret_t  ret = DART_OK;

  if (!find_all(domain, ntags, tags, &tagged, &missing) || !find_ways(domain, &tagged, &ways))
    ret = no_memory("dart_domain_select");
  else if (!is_in(&tagged, domain)) {
    prune(domain, &tagged, &ways, NULL);
    collect_above(domain);
  }
  free(tagged.members);
  free(ways.members);
  return ret;
}

dart_ret_t dart__domain_exclude(domain_t *domain, int ntags, const char **tags)
{
  set_t       tagged;
  const char *missing;

  if (!find_all(domain, ntags, tags, &tagged, &missing))
    return no_memory("dart_domain_exclude");
  prune(domain, NULL, NULL, &tagged);
  collect_above(domain);
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

/* Copy `source` with only the way to, and all of, the `count` domains in `run`, which stand below
 * it in the order of the tree. On failure `copy` is half done, fit to be cleared. */
static bool copy_run(domain_t *copy, const domain_t *source, domain_t **run, int count)
{
  int nchildren = 0;

  if (count == 1 && run[0] == source)
    return dart__domain_copy(copy, source);
  *copy             = *source;
  copy->aliases     = NULL;
  copy->num_aliases = 0;
  copy->children    = NULL;
  copy->num_domains = 0;
  copy->unit_ids    = NULL;
  copy->num_units   = 0;
  dart__domain_set_top(copy, copy->parent != NULL);
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
    put_in(copy, below, copy->num_domains);
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
  return no_memory(function);
}

/* ---- group ------------------------------------------------------------------------------- */

/* A group in the making. */
typedef struct {
  set_t     members; /* what it gathers */
  set_t     ways;    /* domains above members */
  domain_t *above;   /* the closest one above all of them, which the group becomes a child of */
} group_t;

/* The closest domain above all members, where none is above another. */
static dart_ret_t check_group(const domain_t *domain, group_t *group)
{
  if (is_in(&group->members, domain)) {
    dart__error("dart_domain_group: '%s' is the domain itself, not below it", domain->domain_tag);
    return DART_ERR_INVAL;
  }
  for (size_t i = 0; i < group->members.count; i++)
    if (is_in(&group->ways, group->members.members[i])) {
      dart__error("dart_domain_group: '%s' is above another domain of the group",
                  group->members.members[i]->domain_tag);
      return DART_ERR_INVAL;
    }
  group->above = group->members.members[0]->parent;
  for (size_t i = 1; i < group->members.count; i++)
    while (!lies_in(group->members.members[i], group->above))
      group->above = group->above->parent;
  return DART_OK;
}

/* Free copies of ways, but not the members below them. */
static void delete_copies(const group_t *group, domain_t *copy)
{
  for (int i = 0; i < copy->num_domains; i++)
    if (!is_in(&group->members, copy->children[i]))
      delete_copies(group, copy->children[i]);
  copy->num_domains = 0;
  dart__domain_delete(copy);
}

/* Give `copy` the members below `source` as children, and copies of what lies between; members do
 * not notice yet. Copies get their tags here, to see whether there is room for those below. */
static dart_ret_t copy_ways(const group_t *group, const domain_t *source, domain_t *copy)
{
  dart_ret_t ret = DART_OK;

  copy->children = calloc((size_t)source->num_domains, sizeof(domain_t *));
  if (copy->children == NULL)
    return DART_ERR_NOMEM;
  for (int i = 0; i < source->num_domains && ret == DART_OK; i++) {
    domain_t *child = source->children[i], *below;
    char      tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    bool      member = is_in(&group->members, child);

    if (!member && !is_in(&group->ways, child))
      continue;
    if (!dart__tag_child(copy->domain_tag, copy->num_domains, tag) || (member && !fits(child, tag)))
      return DART_ERR_INVAL;
    if (member) {
      copy->children[copy->num_domains++] = child;
      continue;
    }
    below = dart__domain_new();
    if (below == NULL)
      return DART_ERR_NOMEM;
    *below             = *child;
    below->aliases     = NULL;
    below->num_aliases = 0;
    below->children    = NULL;
    below->num_domains = 0;
    below->unit_ids    = NULL;
    below->num_units   = 0;
    copy->children[copy->num_domains] = below;
    below->parent                     = copy;
    below->relative_index             = copy->num_domains++;
    retag(below, tag, copy->level + 1);
    ret = copy_ways(group, child, below);
    if (ret == DART_OK && child->num_units > 0 && child->num_cores > 0) { /* its share of them */
      below->num_cores = (int)((int64_t)child->num_cores * below->num_units / child->num_units);
      below->num_cores = below->num_cores > 0 ? below->num_cores : 1;
    }
  }
  if (ret == DART_OK && !dart__domain_collect_units(copy))
    ret = DART_ERR_NOMEM;
  return ret;
}

static domain_t *new_group(const domain_t *above)
{
  domain_t *group = dart__domain_new();

  if (group == NULL)
    return NULL;
  memcpy(group->host, above->host, sizeof group->host);
  dart__domain_set_top(group, false);
  group->scope        = DART_LOCALITY_SCOPE_GROUP;
  group->team         = above->team;
  group->level        = above->level + 1;
  group->global_index = 0;
  for (int i = 0; i < above->num_domains; i++)
    group->global_index += above->children[i]->scope == DART_LOCALITY_SCOPE_GROUP;
  return group;
}

/* What the group is, now that it has its children. */
static void describe_group(domain_t *group, const domain_t *above)
{
  group->num_cores = 0;
  group->num_nodes = 0;
  for (int i = 0; i < group->num_domains; i++) {
    group->num_cores += group->children[i]->num_cores;
    group->num_nodes += group->children[i]->num_nodes;
  }
  if (above->node_id >= 0)
    group->num_nodes = 1;
  group->node_id      = group->num_nodes == 1 ? group->children[0]->node_id : -1;
  group->is_symmetric = group->num_domains == 1 || above->is_symmetric == 1;
}

/* Members leave their parents for their place in the group. */
static void hand_over(const group_t *group, domain_t *copy)
{
  char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  for (int i = 0; i < copy->num_domains; i++) {
    domain_t *child = copy->children[i];

    if (!is_in(&group->members, child)) {
      hand_over(group, child);
      continue;
    }
    take_out(child);
    child->parent         = copy;
    child->relative_index = i;
    if (dart__tag_child(copy->domain_tag, i, tag))
      retag(child, tag, copy->level + 1);
  }
}

/* Units of the domains that members have left, up to the one with the group. */
static void collect_ways(const group_t *group, domain_t *domain)
{
  for (int i = 0; i < domain->num_domains; i++)
    if (is_in(&group->ways, domain->children[i]))
      collect_ways(group, domain->children[i]);
  close_ranks(domain);
  dart__domain_collect_units(domain);
}

static dart_ret_t form_group(group_t *group, char *tag_out)
{
  domain_t  *above = group->above, *copy = new_group(above);
  dart_ret_t ret   = DART_ERR_INVAL;

  if (copy == NULL || !make_room(above, 0))
    ret = DART_ERR_NOMEM;
  else if (dart__tag_child(above->domain_tag, fresh_number(above), copy->domain_tag))
    ret = copy_ways(group, above, copy);
  if (ret == DART_ERR_INVAL)
    dart__error("dart_domain_group: tags below a group in '%s' would have more than %d characters",
                above->domain_tag, DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
  if (ret != DART_OK) {
    if (copy != NULL)
      delete_copies(group, copy);
    return ret == DART_ERR_NOMEM ? no_memory("dart_domain_group") : ret;
  }

  hand_over(group, copy);
  describe_group(copy, above);
  put_in(above, copy, above->num_domains);
  collect_ways(group, above);
  collect_above(above);
  memcpy(tag_out, copy->domain_tag, sizeof copy->domain_tag);
  return DART_OK;
}

dart_ret_t dart__domain_group(domain_t *domain, int ntags, const char **tags, char *tag_out)
{
  group_t     group = { 0 };
  const char *missing;
  dart_ret_t  ret;

  if (!find_all(domain, ntags, tags, &group.members, &missing)) {
    ret = no_memory("dart_domain_group");
  }
  else if (missing != NULL) {
    dart__error("dart_domain_group: no domain '%s' in '%s'", missing, domain->domain_tag);
    ret = DART_ERR_NOTFOUND;
  }
  else if (!find_ways(domain, &group.members, &group.ways)) {
    ret = no_memory("dart_domain_group");
  }
  else {
    ret = check_group(domain, &group);
    if (ret == DART_OK)
      ret = form_group(&group, tag_out);
  }
  free(group.members.members);
  free(group.ways.members);
  return ret;
}

/* ---- add, move, assign ------------------------------------------------------------------- */

static dart_ret_t tag_too_long(const char *function, const domain_t *domain)
{
  dart__error("%s: tags below '%s' would have more than %d characters", function,
              domain->domain_tag, DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
  return DART_ERR_INVAL;
}

/* The number in the tag of a new child: its position, if no other child has it. */
static int number_at(const domain_t *domain, int position)
{
  return has_number(domain, position) ? fresh_number(domain) : position;
}

static bool check_position(const char *function, const domain_t *domain, int nchildren,
                           int *position)
{
  if (*position < 0)
    *position = nchildren;
  if (*position <= nchildren)
    return true;
  dart__error("%s: there is no place %d among the %d children of '%s'", function, *position,
              nchildren, domain->domain_tag);
  return false;
}

dart_ret_t dart__domain_add(domain_t *domain, domain_t *subdomain, int position)
{
  static const char function[] = "dart_domain_add_subdomain";
  char              tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (!check_position(function, domain, domain->num_domains, &position))
    return DART_ERR_INVAL;
  if (lies_in(domain, subdomain)) {
    dart__error("%s: '%s' lies in the domain to be added", function, domain->domain_tag);
    return DART_ERR_INVAL;
  }
  if (!dart__domain_is_top(subdomain)) {
    dart__error("%s: '%s' is in a tree already", function, subdomain->domain_tag);
    return DART_ERR_INVAL;
  }
  if (!dart__tag_child(domain->domain_tag, number_at(domain, position), tag) ||
      !fits(subdomain, tag))
    return tag_too_long(function, domain);
  if (!make_room(domain, subdomain->num_units)) {
    give_room_back(domain);
    return no_memory(function);
  }
  put_in(domain, subdomain, position);
  retag(subdomain, tag, domain->level + 1);
  dart__domain_collect_units(domain);
  collect_above(domain);
  return DART_OK;
}

dart_ret_t dart__domain_move(domain_t *domain, domain_t *new_parent, int position)
{
  static const char function[] = "dart_domain_move_subdomain";
  domain_t         *parent     = domain->parent;
  bool              stays      = parent == new_parent; /* keeps its tag then */
  char              tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (dart__domain_is_top(domain)) {
    dart__error("%s: '%s' has no parent to be taken from", function, domain->domain_tag);
    return DART_ERR_INVAL;
  }
  if (lies_in(new_parent, domain)) {
    dart__error("%s: the new parent '%s' lies in '%s'", function, new_parent->domain_tag,
                domain->domain_tag);
    return DART_ERR_INVAL;
  }
  if (!check_position(function, new_parent, new_parent->num_domains - stays, &position))
    return DART_ERR_INVAL;
  memcpy(tag, domain->domain_tag, sizeof tag);
  if (!stays && (!dart__tag_child(new_parent->domain_tag, number_at(new_parent, position), tag) ||
                 !fits(domain, tag)))
    return tag_too_long(function, new_parent);
  if (!make_room(new_parent, domain->num_units)) {
    give_room_back(new_parent);
    return no_memory(function);
  }
  take_out(domain);
  put_in(new_parent, domain, position);
  close_ranks(parent);
  retag(domain, tag, new_parent->level + 1);
  dart__domain_collect_units(parent);
  collect_above(parent);
  dart__domain_collect_units(new_parent);
  collect_above(new_parent);
  return DART_OK;
}

/* In the midst of a tree the copy takes the place of what was there: parent, tag and level. */
dart_ret_t dart__domain_assign(domain_t *domain, const domain_t *source)
{
  static const char function[] = "dart_domain_assign";
  bool              top        = dart__domain_is_top(domain);
  domain_t          copy, place = *domain;

  if (domain == source)
    return DART_OK;
  if (!top && !fits(source, domain->domain_tag))
    return tag_too_long(function, domain);
  if (!dart__domain_copy(&copy, source))
    return no_memory(function);
  if (!top && !make_room(domain->parent, copy.num_units)) {
    give_room_back(domain->parent);
    dart__domain_clear(&copy);
    return no_memory(function);
  }
  dart__domain_clear(domain);
  *domain = copy;
  for (int i = 0; i < domain->num_domains; i++)
    domain->children[i]->parent = domain;
  if (top)
    return DART_OK;
  domain->parent         = place.parent;
  domain->relative_index = place.relative_index;
  dart__domain_set_top(domain, false);
  retag(domain, place.domain_tag, place.level);
  collect_above(domain);
  return DART_OK;
}
