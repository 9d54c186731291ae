/* Handles: a handle of the program is an entry of the list of operations (handle_book.c). That holds even if DART has
 * completed the operation at once and has no handle. So a missing wait is found on every machine. A wait completes a
 * put at its target as well, even if the wait is only local (doc/guide.md), so all waits are the same here. */
#include <stdlib.h>

#include "handle_book.h"
#include "underway.h"

enum { LOOKS = DART__CHECK_COMPLETION | DART__CHECK_RACES }; /* that need to know the handles */

typedef dart_ret_t (*test_t)(dart_handle_t[], size_t, int32_t *);

/* DART's handles for the program's handles; NULL if one of these is invalid. */
static dart_handle_t *inner_of(const dart_handle_t handles[], size_t n, dart__at_t at)
{
  dart_handle_t *inner = dart__check_room(NULL, n * sizeof *inner);

  for (size_t i = 0; i < n; i++)
    if (!dart__check_handle_inner(handles[i], &inner[i], at)) {
      free(inner);
      return NULL;
    }
  return inner;
}

static void done(dart_handle_t handles[], size_t n, dart__at_t at)
{
  for (size_t i = 0; i < n; i++) {
    if (handles[i] != DART_HANDLE_NULL) {
      dart__check_handle_done(handles[i], at);
      dart__check_race_handle(handles[i]);
    }
    handles[i] = DART_HANDLE_NULL;
  }
}

static dart_ret_t wait_all(dart_ret_t (*second)(dart_handle_t[], size_t), dart_handle_t handles[],
                           size_t n, dart__at_t at)
{
  dart_handle_t *inner;
  dart_ret_t     ret;

  if (!dart__check_for(LOOKS) || handles == NULL)
    return second(handles, n);
  inner = inner_of(handles, n, at);
  if (inner == NULL)
    return DART_ERR_INVAL;
  ret = second(inner, n);
  done(handles, n, at);
  free(inner);
  return ret;
}

static dart_ret_t test_all(test_t second, dart_handle_t handles[], size_t n, int32_t *result,
                           dart__at_t at)
{
  dart_handle_t *inner;
  dart_ret_t     ret;

  if (!dart__check_for(LOOKS) || handles == NULL || result == NULL)
    return second(handles, n, result);
  inner = inner_of(handles, n, at);
  if (inner == NULL)
    return DART_ERR_INVAL;
  ret = second(inner, n, result);
  if (ret != DART_OK || *result != 0)
    done(handles, n, at);
  else
    for (size_t i = 0; i < n; i++)
      if (dart__check_for(DART__CHECK_COMPLETION))
        dart__check_handle_now(handles[i], inner[i]);
  free(inner);
  return ret;
}

dart_ret_t dart_wait(dart_handle_t *handle)
{
  return wait_all(pdart_waitall, handle, handle != NULL, DART__AT(dart_wait));
}

dart_ret_t dart_waitall(dart_handle_t handles[], size_t n)
{
  return wait_all(pdart_waitall, handles, n, DART__AT(dart_waitall));
}

dart_ret_t dart_wait_local(dart_handle_t *handle)
{
  return wait_all(pdart_waitall_local, handle, handle != NULL, DART__AT(dart_wait_local));
}

dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n)
{
  return wait_all(pdart_waitall_local, handles, n, DART__AT(dart_waitall_local));
}

dart_ret_t dart_test(dart_handle_t *handleptr, int32_t *is_finished)
{
  return test_all(pdart_testall, handleptr, handleptr != NULL, is_finished, DART__AT(dart_test));
}

dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t *is_finished)
{
  return test_all(pdart_testall, handles, n, is_finished, DART__AT(dart_testall));
}

dart_ret_t dart_test_local(dart_handle_t *handle, int32_t *result)
{
  return test_all(pdart_testall_local, handle, handle != NULL, result, DART__AT(dart_test_local));
}

dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t *result)
{
  return test_all(pdart_testall_local, handles, n, result, DART__AT(dart_testall_local));
}

dart_ret_t dart_handle_free(dart_handle_t *handle)
{
  dart__at_t    at = DART__AT(dart_handle_free);
  dart_handle_t inner;
  dart_ret_t    ret;

  if (!dart__check_for(LOOKS) || handle == NULL)
    return pdart_handle_free(handle);
  if (!dart__check_handle_inner(*handle, &inner, at))
    return DART_ERR_INVAL;
  ret = pdart_handle_free(&inner);
  if (*handle != DART_HANDLE_NULL) {
    dart__check_handle_given_up(*handle);
    dart__check_race_no_handle(*handle);
  }
  *handle = DART_HANDLE_NULL;
  return ret;
}
