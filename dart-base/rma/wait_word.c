/* Waits for words of the calling unit's memory: see dart_wait_word.h, and words.h for how they are made. */
#include <dash/dart/ext/dart_wait_word.h>

#include "base/profile.h"
#include "rma/words.h"

DART__PROFILED(dart_wait_word, dart_wait_word_any, dart_wait_word_some, dart_wait_word_all);

static __attribute__((noinline)) dart_ret_t go_on(dart_gptr_t gptr, dart_datatype_t type,
                                                  dart_comparison_t comparison, const void *value,
                                                  int64_t timeout_us, bool is_counted)
{
  dart__words_t w = {
    "dart_wait_word",        &gptr, 1, type, comparison, value, timeout_us, DART__WAIT_WORD,
    .is_counted = is_counted
  };

  return dart__words_wait(&w);
}

dart_ret_t dart_wait_word(dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison,
                          const void *value, int64_t timeout_us)
{
  bool is_counted = false;

  if (__builtin_expect(dart__word_comes(gptr, type, comparison, value, timeout_us, &is_counted), 1))
    return DART_OK;
  return go_on(gptr, type, comparison, value, timeout_us, is_counted);
}

dart_ret_t dart_wait_word_any(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us,
                              size_t *index)
{
  dart__words_t w = { __func__,        gptrs,          n, type, comparison, values, timeout_us,
                      DART__WAIT_WORD, .is_all = false };

  return dart__words_wait_any(&w, index);
}

dart_ret_t dart_wait_word_some(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                               dart_comparison_t comparison, const void *values, int64_t timeout_us,
                               size_t indices[], size_t *count)
{
  dart__words_t w = { __func__,        gptrs,          n, type, comparison, values, timeout_us,
                      DART__WAIT_WORD, .is_all = false };

  return dart__words_wait_some(&w, indices, count);
}

dart_ret_t dart_wait_word_all(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us)
{
  dart__words_t w = { __func__,        gptrs,         n, type, comparison, values, timeout_us,
                      DART__WAIT_WORD, .is_all = true };

  return dart__words_wait(&w);
}
