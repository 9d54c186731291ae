#ifndef DART__MODEL_MEMBERS_H
#define DART__MODEL_MEMBERS_H
/* The members of a team: units of the job. */
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

/* Global ids, ascending: first, first + stride, ...; or a list. */
typedef struct {
  int32_t            count;
  dart_unit_t        first;
  int32_t            stride;
  const dart_unit_t *ids; /* NULL: there is no list */
} dart__members_t;

/** The first of `count` ascending ids that is not below a unit; `count`: there is none. */
size_t dart__ids_position(const dart_unit_t *ids, size_t count, dart_unit_t unit);

/** Describe `count` > 0 ascending ids; if there is no rule, the description refers to `ids`. */
dart__members_t dart__members_of(const dart_unit_t *ids, int32_t count);

/** The index of a member; -1: the unit is none. */
int32_t dart__members_find(const dart__members_t *members, dart_unit_t global);

/** How many members are below a unit, where `from` are, and at most `most` more. */
int32_t dart__members_below(const dart__members_t *members, dart_unit_t unit, int32_t from,
                            int32_t most);

/** The member with an index. */
static inline dart_unit_t dart__member(const dart__members_t *members, int32_t index)
{
  return members->ids != NULL ? members->ids[index] : members->first + index * members->stride;
}

#endif
