#ifndef DART__MODEL_ARGUMENT_CHECK_H
#define DART__MODEL_ARGUMENT_CHECK_H
/* Checks that entry points share: each logs a failure in one line that names the function and the
 * value. */
#include "base/last_call.h"
#include "base/log.h"
#include "data/name.h"
#include "data/type.h"
#include "model/team.h"

/** The error of an argument that must not be NULL. */
static inline dart_ret_t dart__null_argument(const char *function, const char *name)
{
  return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", function, name);
}

/** The team, or NULL after a log line. */
static inline dart__team_t *dart__check_team(const char *function, dart_team_t id)
{
  dart__team_t *team = dart__team_find(id);

  dart__call_note(function);
  if (__builtin_expect(team == NULL, 0))
    dart__team_error(function, id);
  return team;
}

/** The type if it is contiguous, or NULL after a log line. */
static inline const dart__type_t *dart__check_contiguous(const char     *function,
                                                         dart_datatype_t dtype)
{
  const dart__type_t *type = dart__type_find(dtype);

  if (__builtin_expect(type != NULL && dart__type_is_contiguous(type), 1))
    return type;
  return dart__fail(NULL, "%s: type %s is %s", function, dart__type_text(dtype).text,
                    type == NULL ? "unknown" : "not contiguous");
}

/** nelem * size into `*nbytes_out`; false, after a log line, if it does not fit. */
static inline bool dart__check_nbytes(const char *function, size_t nelem, size_t size,
                                      size_t *nbytes_out)
{
  if (__builtin_expect(!__builtin_mul_overflow(nelem, size, nbytes_out), 1))
    return true;
  return dart__fail(false, "%s: %zu elements of %zu bytes are more than memory can hold", function,
                    nelem, size);
}

#endif
