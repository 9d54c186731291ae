#ifndef DART__CHECK_OBJECT_CALL_H
#define DART__CHECK_OBJECT_CALL_H
/* Collective calls about objects that a team creates and destroys together. */
#include "board.h"
#include "object.h"

/** All units must name the same object. */
static inline void dart__check_enter_object(dart__check_kind_t kind, const void *object,
                                            dart__at_t at)
{
  dart_team_t team;
  uint64_t    serial;

  if (object != NULL && dart__check_owner(kind, (uintptr_t)object, &team, &serial))
    dart__check_enter(team, (dart__check_record_t){ .root = serial + 1 }, at);
}

/** A call that creates one. `other`: see dart__check_record_t. */
static inline void dart__check_enter_team(dart_team_t team, uint64_t other, dart__at_t at)
{
  dart__check_enter(team, (dart__check_record_t){ .other = other }, at);
}

/** The call that ends an object has returned `ret`. */
static inline dart_ret_t dart__check_end_object(dart_ret_t ret, dart__check_kind_t kind,
                                                uintptr_t key, dart__at_t at)
{
  dart__check_ended(ret, kind, key, at);
  return ret;
}

/* The key of the object at `handle`. */
#define DART__CHECK_KEY(handle) ((handle) != NULL ? (uintptr_t) * (handle) : 0)

#endif
