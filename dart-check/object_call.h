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

/* The key of the object at `handle`. */
#define DART__CHECK_KEY(handle) ((handle) != NULL ? (uintptr_t) * (handle) : 0)

/** DART__CHECK_MAKES(FUNCTION, KIND, HANDLE, TEAM, OTHER, ARGUMENTS...): the body of a call by which a team creates an
 *  object. `other`: see dart__check_record_t. */
#define DART__CHECK_MAKES(function, kind, handle, team, other_, ...)                             \
  dart__at_t at_ = DART__AT(function);                                                           \
  dart_ret_t ret_;                                                                               \
                                                                                                 \
  dart__check_enter(team, (dart__check_record_t){ .other = (other_) }, at_);                     \
  ret_ = p##function(__VA_ARGS__);                                                               \
  dart__check_made(ret_, DART__CHECK_##kind, ret_ == DART_OK ? (uintptr_t) * (handle) : 0, team, \
                   at_);                                                                         \
  return ret_

/** DART__CHECK_ENDS(FUNCTION, KIND, HANDLE): the body of a call by which a team ends one. */
#define DART__CHECK_ENDS(function, kind, handle)                   \
  dart__at_t at_  = DART__AT(function);                            \
  uintptr_t  key_ = DART__CHECK_KEY(handle);                       \
  dart_ret_t ret_;                                                 \
                                                                   \
  if (!dart__check_may_use(DART__CHECK_##kind, key_, at_))         \
    return DART_ERR_INVAL;                                         \
  dart__check_enter_object(DART__CHECK_##kind, (void *)key_, at_); \
  ret_ = p##function(handle);                                      \
  dart__check_ended(ret_, DART__CHECK_##kind, key_, at_);          \
  return ret_

#endif
