/* Words of the program's memory that it waits for or locks: DART would take the guards for a part of the
 * portion. */
#include <dash/dart/ext/dart_basic.h>

#include "memory.h"
#include "type.h"

static bool may_access_all(const dart_gptr_t gptrs[], size_t n, uint64_t nbytes, dart__at_t at)
{
  for (size_t i = 0; gptrs != NULL && i < n; i++)
    if (!dart__check_access(gptrs[i], nbytes, at))
      return false;
  return true;
}

/* ---- counters ------------------------------------------------------------------------------------- */

dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us)
{
  dart__at_t at = DART__AT(dart_notify_wait);

  dart__check_guards(at);
  return dart__check_access(flag, sizeof least, at) ? pdart_notify_wait(flag, least, timeout_us)
                                                    : DART_ERR_INVAL;
}

dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index)
{
  return may_access_all(flags, n, sizeof least[0], DART__AT(dart_notify_waitany))
             ? pdart_notify_waitany(flags, least, n, timeout_us, index)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify_waitsome(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                                int64_t timeout_us, size_t indices[], size_t *count)
{
  return may_access_all(flags, n, sizeof least[0], DART__AT(dart_notify_waitsome))
             ? pdart_notify_waitsome(flags, least, n, timeout_us, indices, count)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify_op(dart_gptr_t flag, uint64_t value, dart_operation_t op)
{
  return dart__check_access(flag, sizeof value, DART__AT(dart_notify_op))
             ? pdart_notify_op(flag, value, op)
             : DART_ERR_INVAL;
}

/* ---- words ---------------------------------------------------------------------------------------- */

dart_ret_t dart_wait_word(dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison,
                          const void *value, int64_t timeout_us)
{
  return dart__check_access(gptr, dart__check_size(type), DART__AT(dart_wait_word))
             ? pdart_wait_word(gptr, type, comparison, value, timeout_us)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_any(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us,
                              size_t *index)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_any))
             ? pdart_wait_word_any(gptrs, n, type, comparison, values, timeout_us, index)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_some(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                               dart_comparison_t comparison, const void *values, int64_t timeout_us,
                               size_t indices[], size_t *count)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_some))
             ? pdart_wait_word_some(gptrs, n, type, comparison, values, timeout_us, indices, count)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_all(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_all))
             ? pdart_wait_word_all(gptrs, n, type, comparison, values, timeout_us)
             : DART_ERR_INVAL;
}

/* ---- locks in words ------------------------------------------------------------------------------- */

dart_ret_t dart_lock_at_acquire(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_lock_at_acquire);

  dart__check_guards(at);
  return dart__check_access(gptr, sizeof(uint64_t), at) ? pdart_lock_at_acquire(gptr)
                                                        : DART_ERR_INVAL;
}

dart_ret_t dart_lock_at_try_acquire(dart_gptr_t gptr, int32_t *result)
{
  if (dart__check_access(gptr, sizeof(uint64_t), DART__AT(dart_lock_at_try_acquire)))
    return pdart_lock_at_try_acquire(gptr, result);
  if (result != NULL)
    *result = 0;
  return DART_ERR_INVAL;
}

dart_ret_t dart_lock_at_release(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_lock_at_release);

  dart__check_guards(at);
  return dart__check_access(gptr, sizeof(uint64_t), at) ? pdart_lock_at_release(gptr)
                                                        : DART_ERR_INVAL;
}
