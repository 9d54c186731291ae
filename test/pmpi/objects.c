/* What the program made and has not freed: communicators, windows, datatypes, requests and so on,
 * by their handles. What it never made, as predefined types, is not here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adversary.h"

#define BUCKETS 4096

static adv_object_t *table[BUCKETS];

static const char *const names[ADV_KINDS] = { "communicator", "attribute key", "window",
                                              "datatype",     "group",         "info",
                                              "operator",     "request" };

static adv_object_t **bucket(adv_kind_t kind, uint64_t handle)
{
  return &table[((handle ^ handle >> 17) * 31 + kind) % BUCKETS];
}

/* The link to it, or to the end of its bucket. */
static adv_object_t **find(adv_kind_t kind, uint64_t handle)
{
  adv_object_t **link = bucket(kind, handle);

  while (*link != NULL && ((*link)->kind != kind || (*link)->handle != handle))
    link = &(*link)->next;
  return link;
}

void adv_object_add(adv_kind_t kind, uint64_t handle, void *data)
{
  adv_object_t **link = find(kind, handle);

  if (*link == NULL) {
    *link         = calloc(1, sizeof **link);
    (*link)->kind = kind;
  }
  (*link)->handle  = handle;
  (*link)->made_by = adv_call();
  (*link)->data    = data;
}

void *adv_object_find(adv_kind_t kind, uint64_t handle)
{
  adv_object_t *object = *find(kind, handle);

  return object != NULL ? object->data : NULL;
}

bool adv_object_is(adv_kind_t kind, uint64_t handle)
{
  return *find(kind, handle) != NULL;
}

bool adv_object_remove(adv_kind_t kind, uint64_t handle)
{
  adv_object_t **link = find(kind, handle), *object = *link;

  if (object == NULL)
    return false;
  *link = object->next;
  free(object);
  return true;
}

void adv_made(adv_kind_t kind, uint64_t handle)
{
  adv_lock();
  adv_object_add(kind, handle, NULL);
  adv_unlock();
}

void adv_gone(adv_kind_t kind, uint64_t handle)
{
  adv_lock();
  adv_object_remove(kind, handle);
  adv_unlock();
}

bool adv_type_is_usable(MPI_Datatype type)
{
  adv_object_t *object = *find(ADV_TYPE, ADV_HANDLE(type));

  return type != MPI_DATATYPE_NULL && (object == NULL || object->data != NULL); /* or predefined */
}

/* ---- the end ---------------------------------------------------------------------------- */

static int count(adv_kind_t kind, const char **made_by_out)
{
  int n = 0;

  for (size_t i = 0; i < BUCKETS; i++)
    for (const adv_object_t *o = table[i]; o != NULL; o = o->next)
      if (o->kind == kind) {
        *made_by_out = o->made_by;
        n++;
      }
  return n;
}

void adv_leaks(void)
{
  char        text[400];
  size_t      length  = 0;
  const char *made_by = NULL;

  if (!adv_does(ADV_LEAKS))
    return;
  for (adv_kind_t kind = 0; kind < ADV_KINDS; kind++) {
    int n = count(kind, &made_by);

    if (n > (kind <= ADV_KEYVAL ? adv_kept((int)kind) : 0))
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%d of kind %s, one by %s",
                                 length > 0 ? "; " : "", n, names[kind], made_by);
  }
  if (length > 0)
    adv_refuse("not freed: %s", text);
}
