/* Words of memory that the program waits for or locks. The bounds are checked here, since DART takes the guards for a
 * part of the portion. */

#include "check_type.h"
#include "nesting.h"
#include "race.h"
#include "segment.h"

static bool may_access_all(const dart_gptr_t gptrs[], size_t n, uint64_t nbytes, dart__at_t at)
{
  for (size_t i = 0; gptrs != NULL && i < n; i++)
    if (!dart__check_access(gptrs[i], nbytes, at))
      return false;
  return true;
}

/* The call has found `count` words as the program waited for them: those at `indices`, or all if `indices` is NULL. */
static dart_ret_t found(dart_ret_t ret, const dart_gptr_t gptrs[], const size_t indices[],
                        size_t count)
{
  for (size_t i = 0; ret == DART_OK && i < count; i++)
    dart__check_race_waited(gptrs[indices == NULL ? i : indices[i]]);
  return ret;
}

static dart_ret_t found_some(dart_ret_t ret, const dart_gptr_t gptrs[], const size_t indices[],
                             const size_t *count)
{
  return found(ret, gptrs, indices, ret == DART_OK ? *count : 0);
}

/* ---- counters ------------------------------------------------------------------------------------- */

dart_ret_t dart_notify_wait(dart_gptr_t flag, uint64_t least, int64_t timeout_us)
{
  dart__at_t at = DART__AT(dart_notify_wait);

  dart__check_guards(at);
  return dart__check_access(flag, sizeof least, at)
             ? found(pdart_notify_wait(flag, least, timeout_us), &flag, NULL, 1)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify_waitany(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                               int64_t timeout_us, size_t *index)
{
  return may_access_all(flags, n, sizeof least[0], DART__AT(dart_notify_waitany))
             ? found(pdart_notify_waitany(flags, least, n, timeout_us, index), flags, index, 1)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify_waitsome(const dart_gptr_t flags[], const uint64_t least[], size_t n,
                                int64_t timeout_us, size_t indices[], size_t *count)
{
  return may_access_all(flags, n, sizeof least[0], DART__AT(dart_notify_waitsome))
             ? found_some(pdart_notify_waitsome(flags, least, n, timeout_us, indices, count), flags,
                          indices, count)
             : DART_ERR_INVAL;
}

dart_ret_t dart_notify_op(dart_gptr_t flag, uint64_t value, dart_operation_t op)
{
  dart__at_t at = DART__AT(dart_notify_op);

  if (!dart__check_access(flag, sizeof value, at))
    return DART_ERR_INVAL;
  dart__check_race_notify(flag, at);
  return pdart_notify_op(flag, value, op);
}

/* ---- words ---------------------------------------------------------------------------------------- */

dart_ret_t dart_wait_word(dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison,
                          const void *value, int64_t timeout_us)
{
  return dart__check_access(gptr, dart__check_size(type), DART__AT(dart_wait_word))
             ? found(pdart_wait_word(gptr, type, comparison, value, timeout_us), &gptr, NULL, 1)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_any(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us,
                              size_t *index)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_any))
             ? found(pdart_wait_word_any(gptrs, n, type, comparison, values, timeout_us, index),
                     gptrs, index, 1)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_some(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                               dart_comparison_t comparison, const void *values, int64_t timeout_us,
                               size_t indices[], size_t *count)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_some))
             ? found_some(pdart_wait_word_some(gptrs, n, type, comparison, values, timeout_us,
                                               indices, count),
                          gptrs, indices, count)
             : DART_ERR_INVAL;
}

dart_ret_t dart_wait_word_all(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us)
{
  return may_access_all(gptrs, n, dart__check_size(type), DART__AT(dart_wait_word_all))
             ? found(pdart_wait_word_all(gptrs, n, type, comparison, values, timeout_us), gptrs,
                     NULL, n)
             : DART_ERR_INVAL;
}

/* The bytes of the range; UINT64_MAX on overflow. */
static uint64_t nbytes_of(size_t n, size_t stride, uint64_t size)
{
  uint64_t nbytes;

  return __builtin_mul_overflow(n - 1, stride, &nbytes) ||
                 __builtin_mul_overflow(nbytes, size, &nbytes) ||
                 __builtin_add_overflow(nbytes, size, &nbytes)
             ? UINT64_MAX
             : nbytes;
}

dart_ret_t dart_wait_word_range(dart_gptr_t first, size_t n, size_t stride, dart_datatype_t type,
                                dart_comparison_t comparison, const void *value, size_t from,
                                int64_t timeout_us, size_t *index)
{
  uint64_t    size = dart__check_size(type);
  dart_gptr_t word = first;
  dart_ret_t  ret;

  if (n > 0 &&
      !dart__check_access(first, nbytes_of(n, stride, size), DART__AT(dart_wait_word_range)))
    return DART_ERR_INVAL;
  ret = pdart_wait_word_range(first, n, stride, type, comparison, value, from, timeout_us, index);
  if (ret == DART_OK)
    word.addr_or_offs.offset += *index * stride * size;
  return found(ret, &word, NULL, 1);
}

/* ---- locks in words ------------------------------------------------------------------------------- */

static dart_ret_t taken(dart_ret_t ret, dart_gptr_t gptr, const dart__check_lock_t *known,
                        dart__at_t at)
{
  if (ret == DART_OK) {
    dart__check_take(dart__check_word(gptr));
    dart__check_nest_taken(known, 0, at);
  }
  return ret;
}

dart_ret_t dart_lock_at_acquire(dart_gptr_t gptr)
{
  dart__at_t         at = DART__AT(dart_lock_at_acquire);
  dart__check_lock_t known;

  dart__check_guards(at);
  if (!dart__check_access(gptr, sizeof(uint64_t), at))
    return DART_ERR_INVAL;
  known = dart__check_lock_word(gptr);
  dart__check_nest_wanted(&known, 1, at);
  return taken(pdart_lock_at_acquire(gptr), gptr, &known, at);
}

dart_ret_t dart_lock_at_try_acquire(dart_gptr_t gptr, int32_t *result)
{
  dart__at_t         at = DART__AT(dart_lock_at_try_acquire);
  dart__check_lock_t known;
  dart_ret_t         ret;

  if (dart__check_access(gptr, sizeof(uint64_t), at)) {
    known = dart__check_lock_word(gptr);
    ret   = pdart_lock_at_try_acquire(gptr, result);
    return ret == DART_OK && *result ? taken(ret, gptr, &known, at) : ret;
  }
  if (result != NULL)
    *result = 0;
  return DART_ERR_INVAL;
}

dart_ret_t dart_lock_at_release(dart_gptr_t gptr)
{
  dart__at_t         at = DART__AT(dart_lock_at_release);
  dart__check_lock_t known;

  dart__check_guards(at);
  if (!dart__check_access(gptr, sizeof(uint64_t), at))
    return DART_ERR_INVAL;
  dart__check_publish(dart__check_word(gptr));
  known = dart__check_lock_word(gptr);
  dart__check_nest_left_lock(&known);
  return pdart_lock_at_release(gptr);
}
