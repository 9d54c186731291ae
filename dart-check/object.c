/* A search tree of entries by kind and handle (tsearch). The entry of a destroyed object stays until its handle is used
 * again. So a report about a second destroy, or about a use after it, can name the first. Handles come from a heap and
 * from tables, which reuse them. So there are about as many entries as there were objects at a time. */
#include "object.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_report.h"

/* In the order of dart__check_kind_t: the name of a kind, and what ends an object of it. */
static const struct {
  const char *name, *ended;
} kinds[] = {
  { "group", "destroyed" },    { "team", "destroyed" },      { "type", "destroyed" },
  { "operator", "destroyed" }, { "lock", "destroyed" },      { "range object", "destroyed" },
  { "file", "closed" },        { "allocator", "destroyed" }, { "registered memory", "deregistered" }
};

static void *objects; /* root of the tree */

static int compare_objects(const void *a, const void *b)
{
  const dart__check_object_t *left = a, *right = b;

  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return left->key < right->key ? -1 : left->key > right->key;
}

static dart__check_object_t *find_object(dart__check_kind_t kind, uintptr_t key)
{
  dart__check_object_t   wanted = { .kind = kind, .key = key };
  dart__check_object_t **node   = tfind(&wanted, &objects, compare_objects);

  return node == NULL ? NULL : *node;
}

/* A team creates its objects in the same order on all members, so the numbers agree. */
static uint64_t next_serial(dart__check_kind_t kind, dart_team_t team)
{
  static uint64_t serials[DART__CHECK_OBJECT_KINDS][1 << 10];

  return team < 0 || team >= 1 << 10 ? 0 : ++serials[kind][team];
}

dart__check_object_t *dart__check_made(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key,
                                       dart_team_t team, dart__at_t at)
{
  dart__check_object_t *object;

  if (ret != DART_OK || dart__check.kinds == 0)
    return NULL;
  dart__check_lock();
  object = find_object(kind, key);
  if (object == NULL) {
    object = dart__check_room(NULL, sizeof *object);
    memset(object, 0, sizeof *object);
    object->kind = kind;
    object->key  = key;
    if (tsearch(object, &objects, compare_objects) == NULL)
      abort();
  }
  object->is_alive = true;
  object->team     = team;
  object->serial   = next_serial(kind, team);
  object->made     = at;
  dart__check_unlock();
  return object;
}

dart__check_object_t *dart__check_object(dart__check_kind_t kind, uintptr_t key)
{
  dart__check_object_t *object;

  dart__check_lock();
  object = find_object(kind, key);
  dart__check_unlock();
  return object != NULL && object->is_alive ? object : NULL;
}

static void report_misuse(const dart__check_object_t *object, dart__check_kind_t kind,
                          dart__at_t at)
{
  dart__check_report_t report;
  const char          *name = kinds[kind].name, *ended = kinds[kind].ended;
  char                 by[32];

  if (object == NULL) {
    if (!dart__check_begin(&report, "memory", at, "%s is called with an invalid %s",
                           dart__check_calls[at.id], name))
      return;
    dart__check_place(&report, "in", at);
    dart__check_line(&report, "this unit has not made it, or dart_exit has ended it");
  } else {
    if (!dart__check_begin(&report, "memory", at, "%s is called with a %s %s",
                           dart__check_calls[at.id], ended, name))
      return;
    snprintf(by, sizeof by, "%s by", ended);
    dart__check_place(&report, "in", at);
    dart__check_place(&report, by, object->ended);
    dart__check_place(&report, "made by", object->made);
  }
  dart__check_end(&report);
}

bool dart__check_may_use(dart__check_kind_t kind, uintptr_t key, dart__at_t at)
{
  dart__check_object_t *object;

  if (key == 0 || !dart__check_for(DART__CHECK_MEMORY))
    return true;
  dart__check_lock();
  object = find_object(kind, key);
  dart__check_unlock();
  if (object != NULL && object->is_alive)
    return true;
  report_misuse(object, kind, at);
  return false;
}

void dart__check_ended(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key, dart__at_t at)
{
  dart__check_object_t *object;

  if (ret != DART_OK)
    return;
  dart__check_lock();
  object = find_object(kind, key);
  if (object != NULL) {
    object->is_alive = false;
    object->ended    = at;
  }
  dart__check_unlock();
}

bool dart__check_owner(dart__check_kind_t kind, uintptr_t key, dart_team_t *team_out,
                       uint64_t *serial_out)
{
  dart__check_object_t *object = dart__check_object(kind, key);

  if (object == NULL)
    return false;
  *team_out   = object->team;
  *serial_out = object->serial;
  return true;
}

/* ---- leaks --------------------------------------------------------------------------------------- */

typedef struct {
  dart__check_kind_t     first, last;
  dart__check_object_t **found;
  size_t                 nfound;
} collect_t;

static void collect(const void *node, VISIT visit, void *data)
{
  dart__check_object_t *object = *(dart__check_object_t *const *)node;
  collect_t            *all    = data;

  if ((visit != postorder && visit != leaf) || !object->is_alive || object->kind < all->first ||
      object->kind > all->last)
    return;
  if ((all->nfound & (all->nfound + 1)) == 0) /* the room grows by powers of two */
    all->found = dart__check_room(all->found, 2 * (all->nfound + 1) * sizeof *all->found);
  all->found[all->nfound++] = object;
}

static bool is_of_place(const dart__check_object_t *a, const dart__check_object_t *b)
{
  return a->kind == b->kind && a->made.from == b->made.from;
}

/* One report for all objects that one place of the program has created. */
static void report_objects(const collect_t *all, size_t i)
{
  const dart__check_object_t *object = all->found[i];
  dart__check_report_t        report;
  size_t                      n = 0;

  for (size_t j = 0; j < i; j++)
    if (is_of_place(all->found[j], object))
      return;
  for (size_t j = i; j < all->nfound; j++)
    n += is_of_place(all->found[j], object);
  if (!dart__check_begin(&report, "memory", object->made, "%s was never %s, %zu time%s",
                         kinds[object->kind].name, kinds[object->kind].ended, n, n == 1 ? "" : "s"))
    return;
  dart__check_place(&report, "made by", object->made);
  dart__check_end(&report);
}

void dart__check_leaks(dart__check_kind_t first, dart__check_kind_t last)
{
  collect_t all = { first, last, NULL, 0 };

  twalk_r(objects, collect, &all);
  for (size_t i = 0; i < all.nfound; i++)
    report_objects(&all, i);
  free(all.found);
}

uint64_t dart__check_alive(dart__check_kind_t first, dart__check_kind_t last)
{
  collect_t all = { first, last, NULL, 0 };

  twalk_r(objects, collect, &all);
  free(all.found);
  return all.nfound;
}

/* `team` NULL: of any team. */
static void forget_objects(dart__check_kind_t first, dart__check_kind_t last,
                           const dart_team_t *team)
{
  collect_t all = { first, last, NULL, 0 };

  twalk_r(objects, collect, &all);
  for (size_t i = 0; i < all.nfound; i++)
    if (team == NULL || all.found[i]->team == *team) {
      tdelete(all.found[i], &objects, compare_objects);
      free(all.found[i]);
    }
  free(all.found);
}

void dart__check_forget(dart__check_kind_t first, dart__check_kind_t last)
{
  forget_objects(first, last, NULL);
}

void dart__check_forget_of(dart__check_kind_t kind, dart_team_t team)
{
  dart__check_lock();
  forget_objects(kind, kind, &team);
  dart__check_unlock();
}
