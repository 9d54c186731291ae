/* Operations with a handle: the program's handle is the address of the operation, which has DART's handle. */
#include "handle_book.h"

#include <stdlib.h>
#include <string.h>

#include "check_report.h"
#include "operation.h"

static bool handles_lost; /* the program has handles that are not in the list */

/* The list has no room for the operation, so its result is completed at once. */
static void wait_at_once(dart_handle_t *handle, void *buffer, void *result, uint64_t nbytes)
{
  pdart_wait(handle);
  memcpy(result, buffer, nbytes);
  free(buffer);
}

dart_handle_t dart__check_handle(dart_gptr_t gptr, const void *source, void *buffer, void *result,
                                 uint64_t nbytes, dart_handle_t handle, dart__at_t at)
{
  dart__operation_t *operation;

  dart__check_lock();
  operation = dart__operation_add(gptr, at);
  if (operation != NULL) {
    operation->has_handle = true;
    operation->inner      = handle;
    if (buffer != result)
      dart__check_buffer_result(&operation->buffer, buffer, result, nbytes);
    else
      dart__check_buffer_source(&operation->buffer, source, nbytes);
  } else {
    handles_lost = true;
    if (buffer != result)
      wait_at_once(&handle, buffer, result, nbytes);
  }
  dart__check_unlock();
  return operation == NULL ? handle : (dart_handle_t)operation;
}

static dart__operation_t *find_handle(dart_handle_t handle)
{
  for (size_t i = dart__operations.n; i > 0; i--) {
    dart__operation_t *operation = dart__operations.operation[i - 1];

    if (operation == (dart__operation_t *)handle && operation->has_handle)
      return operation;
  }
  return NULL;
}

bool dart__check_handle_inner(dart_handle_t handle, dart_handle_t *inner_out, dart__at_t at)
{
  dart__check_report_t     report;
  const dart__operation_t *operation;

  *inner_out = handle;
  if (handle == DART_HANDLE_NULL || !dart__check_for(DART__CHECK_COMPLETION))
    return true;
  dart__check_lock();
  operation = find_handle(handle);
  if (operation != NULL)
    *inner_out = operation->inner;
  dart__check_unlock();
  if (operation != NULL || handles_lost)
    return true;
  if (dart__check_begin(&report, "completion", at,
                        "%s is called with an invalid handle, or one that was waited for",
                        dart__check_calls[at.id])) {
    dart__check_place(&report, "in", at);
    dart__check_end(&report);
  }
  return false;
}

void dart__check_handle_done(dart_handle_t handle, dart__at_t at)
{
  dart__operation_t *operation;

  dart__check_lock();
  operation = find_handle(handle);
  if (operation != NULL) {
    dart__check_buffer_look(&operation->buffer, at);
    dart__check_buffer_end(&operation->buffer);
    operation->has_handle = false;
    operation->is_done    = true;
    dart__operations_sweep();
  }
  dart__check_unlock();
}

void dart__check_handle_now(dart_handle_t handle, dart_handle_t inner)
{
  dart__operation_t *operation;

  dart__check_lock();
  operation = find_handle(handle);
  if (operation != NULL)
    operation->inner = inner;
  dart__check_unlock();
}

void dart__check_handle_given_up(dart_handle_t handle)
{
  dart__operation_t *operation;

  dart__check_lock();
  operation = find_handle(handle);
  if (operation != NULL)
    operation->has_handle = false;
  dart__operations_sweep();
  dart__check_unlock();
}
