/* dart_wait_word_range: a wait for any of many words at constant steps, see dart_wait_word.h.
 *
 * It is not dart_wait_word_any with n pointers: a wait for one of 65,536 notifications would have as many pointers
 * checked and compared by each call. One check covers all words, and an address is a sum. */
#include <dash/dart/ext/dart_wait_word.h>

#include "base/log.h"
#include "base/profile.h"
#include "data/name.h"
#include "rma/words.h"

DART__PROFILED(dart_wait_word_range);

/* The bytes from the first word to the end of the last; false: no memory has so many. */
static bool range_bytes(const dart__words_t *w, size_t *nbytes_out)
{
  return !__builtin_mul_overflow(w->n - 1, w->step, nbytes_out) &&
         !__builtin_add_overflow(*nbytes_out, (size_t)w->how.size, nbytes_out);
}

static dart_ret_t check_range(dart__words_t *w, size_t stride, const size_t *index)
{
  size_t nbytes;

  if (!dart__comparison_of(w->type, w->comparison, &w->how))
    return dart__fail(DART_ERR_INVAL,
                      "%s: type %s is no integer type, or there is no comparison %d", w->function,
                      dart__type_text(w->type).text, (int)w->comparison);
  if (w->n == 0 || w->values == NULL || index == NULL ||
      __builtin_mul_overflow(stride, (size_t)w->how.size, &w->step) || stride == 0 ||
      !range_bytes(w, &nbytes))
    return dart__fail(DART_ERR_INVAL, "%s: %zu words, stride %zu, value %p, index %p", w->function,
                      w->n, stride, w->values, (const void *)index);
  return dart__words_locate(w->function, w->kind, w->gptrs[0], nbytes, w->how.size, &w->first);
}

dart_ret_t dart_wait_word_range(dart_gptr_t first, size_t n, size_t stride, dart_datatype_t type,
                                dart_comparison_t comparison, const void *value, size_t from,
                                int64_t timeout_us, size_t *index)
{
  dart__words_t w   = { __func__,        &first,         n, type, comparison, value, timeout_us,
                        DART__WAIT_WORD, .is_all = false };
  dart_ret_t    ret = check_range(&w, stride, index);

  if (ret != DART_OK)
    return ret;
  w.from  = from % n;
  w.start = w.first.near;
  dart__progress();
  ret = dart__words_wait_checked(&w);
  if (ret == DART_OK)
    *index = w.index;
  return ret;
}
