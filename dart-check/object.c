/* A search tree of entries by kind and handle (tsearch). The entry of a destroyed object stays until its handle is used
 * again. So a report about a second destroy, or about a use after it, can name the first. Handles come from a heap and
 * from tables, which reuse them. So there are about as many entries as there were objects at a time. */
#include "object.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_report.h"

static const struct {
  const char *name, *ended;
  bool        lasts;
} kinds[] = {
#define DART__CHECK_KIND(id, name, ended, lasts) { name, ended, lasts },
  DART__CHECK_KINDS(DART__CHECK_KIND)
#undef DART__CHECK_KIND
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

/* Which objects, and those of them that exist. */
typedef struct {
  bool                   lasting;
  const dart_team_t     *team; /* not NULL: those of `kind` that it has created, not `lasting` */
  dart__check_kind_t     kind;
  dart__check_object_t **found;
  size_t                 nfound;
} collect_t;

static bool is_meant(const collect_t *all, const dart__check_object_t *object)
{
  if (all->team != NULL)
    return object->kind == all->kind && object->team == *all->team;
  return kinds[object->kind].lasts == all->lasting;
}

static void collect(const void *node, VISIT visit, void *data)
{
  dart__check_object_t *object = *(dart__check_object_t *const *)node;
  collect_t            *all    = data;

  if ((visit != postorder && visit != leaf) || !object->is_alive || !is_meant(all, object))
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

void dart__check_leaks(bool lasting)
{
  collect_t all = { .lasting = lasting };

  twalk_r(objects, collect, &all);
  for (size_t i = 0; i < all.nfound; i++)
    report_objects(&all, i);
  free(all.found);
}

uint64_t dart__check_lasting(void)
{
  collect_t all = { .lasting = true };

  twalk_r(objects, collect, &all);
  free(all.found);
  return all.nfound;
}

static void forget_objects(collect_t all)
{
  twalk_r(objects, collect, &all);
  for (size_t i = 0; i < all.nfound; i++) {
    tdelete(all.found[i], &objects, compare_objects);
    free(all.found[i]);
  }
  free(all.found);
}

void dart__check_forget(void)
{
  forget_objects((collect_t){ .lasting = false });
}

void dart__check_forget_of(dart__check_kind_t kind, dart_team_t team)
{
  dart__check_lock();
  forget_objects((collect_t){ .kind = kind, .team = &team });
  dart__check_unlock();
}

void dart__check_forget_of_team(dart_team_t team)
{
  for (int kind = DART__CHECK_LOCK; kind <= DART__CHECK_REGISTERED; kind++)
    dart__check_forget_of((dart__check_kind_t)kind, team);
}
