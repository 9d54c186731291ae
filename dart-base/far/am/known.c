/* See known.h. */
#include "far/am/known.h"

#include <stdlib.h>

#include "base/assert.h"

dart__am_known_t *dart__am_known_new(void)
{
  return calloc(1, sizeof(dart__am_known_t));
}

void dart__am_known_delete(dart__am_known_t *known)
{
  for (int i = 0; known != NULL && i < DART__AM_TYPES; i++)
    dart__type_forget(&known->place[i].type);
  free(known);
}

/* ---- the origin's side ----------------------------------------------------------------------- */

dart__am_place_t *dart__am_known_find(dart__am_known_t *known, unsigned count,
                                      const dart__type_t *type)
{
  for (unsigned i = 0; known != NULL && i < count; i++) {
    dart__am_place_t *place = &known->place[i];

    if (place->number != 0 && dart__type_is_like(&place->type, type)) {
      place->used = ++known->clock;
      return place;
    }
  }
  return NULL;
}

dart__am_place_t *dart__am_known_add(dart__am_known_t *known, unsigned count,
                                     const dart__type_t *type, dart__type_t *old_out)
{
  dart__am_place_t *oldest = &known->place[0];

  for (unsigned i = 1; i < count; i++)
    if (known->place[i].used < oldest->used)
      oldest = &known->place[i];
  *old_out       = oldest->type;
  oldest->number = ++known->numbers;
  oldest->used   = ++known->clock;
  dart__type_copy(type, &oldest->type); /* needs no memory: the program has created it */
  return oldest;
}

/* ---- the target's side ----------------------------------------------------------------------- */

/* False: no memory. */
static bool keep(dart__am_known_t **known, dart_datatype_t index, uint64_t number,
                 const dart__type_t *type)
{
  dart__am_place_t *place;

  if (*known == NULL)
    *known = dart__am_known_new();
  if (*known == NULL)
    return false;
  place = &(*known)->place[index];
  if (place->number == number) /* described again before the origin knew */
    return true;
  dart__type_forget(&place->type);
  place->number = dart__type_copy(type, &place->type) ? number : 0;
  return place->number != 0;
}

const dart__type_t *dart__am_known_read(dart__am_known_t **known, uint64_t word,
                                        const uint64_t *description, dart__type_room_t *room,
                                        uint64_t *result)
{
  dart_datatype_t     index  = dart__am_word_type(word);
  uint64_t            number = dart__am_word_offset(word);
  const dart__type_t *type;

  if (dart__am_word_op(word) == DART__AM_TYPE_KEPT) {
    dart__assert(known != NULL && *known != NULL && (*known)->place[index].number == number);
    return &(*known)->place[index].type;
  }
  type = dart__type_read(description, room);
  if (dart__am_word_op(word) == DART__AM_TYPE_KEEP)
    *result = known != NULL && keep(known, index, number, type) ? number : 0;
  return type;
}
