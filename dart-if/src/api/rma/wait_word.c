/* Waits for words of the own memory: see dart_wait_word.h, and await.h for how they wait.
 *
 * Near puts and atomics are single instructions, in programs that have dart_inline.h in the program itself. Looking
 * for a sleeper after each would cost them more than they do themselves, for it would need a fence. So they do not, and
 * the waiter looks again. */
#include "api/rma/wait_word.h"

#include "api/rma/await.h"
#include "api/rma/remote.h"
#include "base/log.h"
#include "base/profile.h"
#include "data/op.h"
#include "data/type.h"
#include "model/address.h"
#include "model/world.h"
#include "node/near.h"

DART__PROFILED(dart_wait_word);
DART__PROFILED(dart_wait_word_any);
DART__PROFILED(dart_wait_word_some);
DART__PROFILED(dart_wait_word_all);

typedef struct {
  const char        *function;
  const dart_gptr_t *gptrs;
  size_t             n;
  dart_datatype_t    type;
  dart_comparison_t  comparison;
  const char        *values;
  size_t             size;  /* bytes of a word */
  size_t             index; /* of the first that was found to compare */
  dart__address_t    first; /* the first word */
} wait_t;

/* ---- checks -------------------------------------------------------------------------------- */

static bool is_integer(dart_datatype_t type)
{
  return dart__op_is_atomic(DART_OP_BAND, type);
}

/* False: it is no word of this unit, or is not aligned, which was logged. */
static bool locate(const wait_t *w, dart_gptr_t gptr, dart__address_t *at_out)
{
  if (dart__locate(w->function, gptr, w->size, at_out) != DART_OK)
    return false;
  if (at_out->unit != at_out->team->me) {
    dart__error("%s: the word is unit %d's, and this is unit %d", w->function,
                at_out->team->members[at_out->unit], dart__world.me);
    return false;
  }
  if (!dart__is_aligned(at_out, w->size)) {
    dart__error("%s: a word at offset %llu is not aligned to %zu bytes", w->function,
                (unsigned long long)at_out->offset, w->size);
    return false;
  }
  return true;
}

static dart_ret_t check(wait_t *w)
{
  if (!is_integer(w->type)) {
    dart__error("%s: type %#lx is no integer type", w->function, (unsigned long)w->type);
    return DART_ERR_INVAL;
  }
  if ((unsigned)w->comparison > DART_WAIT_GE) {
    dart__error("%s: there is no comparison %d", w->function, (int)w->comparison);
    return DART_ERR_INVAL;
  }
  if (w->gptrs == NULL || w->values == NULL || w->n == 0) {
    dart__error("%s: %zu words, pointers %p, values %p", w->function, w->n, (const void *)w->gptrs,
                (const void *)w->values);
    return DART_ERR_INVAL;
  }
  w->size = dart__type_basic_size(w->type);
  for (size_t i = w->n; i-- > 0;) /* the first one last, to keep its address */
    if (!locate(w, w->gptrs[i], &w->first))
      return DART_ERR_INVAL;
  return DART_OK;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* -1, 0, 1: the first is less, equal, greater. */
static int order_of(dart_datatype_t type, const void *first, const void *second)
{
  switch (type) {
#define DART__ORDER(id, value_t, unsigned_t) \
  case id: {                                 \
    value_t a, b;                            \
                                             \
    memcpy(&a, first, sizeof a);             \
    memcpy(&b, second, sizeof b);            \
    return (a > b) - (a < b);                \
  }
    DART__FOR_INTEGERS(DART__ORDER)
#undef DART__ORDER
  default: return 0;
  }
}

static bool is_as_said(dart_comparison_t comparison, int order)
{
  switch (comparison) {
  case DART_WAIT_EQ: return order == 0;
  case DART_WAIT_NE: return order != 0;
  case DART_WAIT_LT: return order < 0;
  case DART_WAIT_LE: return order <= 0;
  case DART_WAIT_GT: return order > 0;
  default: return order >= 0;
  }
}

bool dart__word_compares(const dart__address_t *at, dart_datatype_t type,
                         dart_comparison_t comparison, const void *value)
{
  uint64_t found;

  /* the load acquires: it pairs with the put, the atomic or the notification that stored the word */
  if (!dart__near_get_word(&found, dart__own_address(at), dart__type_basic_size(type)) ||
      !is_as_said(comparison, order_of(type, &found, value)))
    return false;
  if (at->segment->address == NULL)
    return true;
  /* The kernel may have copied the word by its bytes; atomics of registered memory exclude each other. */
  return dart__remote_fetch(at, NULL, &found, type, DART_OP_NO_OP) == DART_OK &&
         is_as_said(comparison, order_of(type, &found, value));
}

static bool compares(const wait_t *w, size_t i)
{
  dart__address_t at;

  if (i == 0)
    return dart__word_compares(&w->first, w->type, w->comparison, w->values);
  return dart__locate(w->function, w->gptrs[i], w->size, &at) == DART_OK &&
         dart__word_compares(&at, w->type, w->comparison, w->values + i * w->size);
}

/* The lowest index from `i` on whose word does, n if none does. */
static size_t next_that_compares(const wait_t *w, size_t i)
{
  while (i < w->n && !compares(w, i))
    i++;
  return i;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static bool does_any(void *context)
{
  wait_t *w = context;

  w->index = next_that_compares(w, 0);
  return w->index < w->n;
}

/* Words that were found to compare are not looked at again. */
static bool has_each(void *context)
{
  wait_t *w = context;

  while (w->index < w->n && compares(w, w->index))
    w->index++;
  return w->index == w->n;
}

static dart_ret_t wait_until(wait_t *w, bool (*is_there)(void *context), int64_t timeout_us)
{
  dart_gptr_t   word  = w->gptrs[0];
  dart__await_t await = { w->function,
                          is_there,
                          w,
                          DART__COUNT_NOTIFY_WAIT,
                          .timeout_us = timeout_us,
                          .is_silent  = true,
                          .what       = { DART__WAIT_WORD, word.teamid, word.segid,
                                          word.addr_or_offs.offset, 0 } };

  return dart__await_within(&await) ? DART_OK : DART_PENDING;
}

dart_ret_t dart_wait_word(dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison,
                          const void *value, int64_t timeout_us)
{
  wait_t     w   = { __func__, &gptr, 1, type, comparison, value, .index = 0 };
  dart_ret_t ret = check(&w);

  return ret == DART_OK ? wait_until(&w, does_any, timeout_us) : ret;
}

dart_ret_t dart_wait_word_any(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us,
                              size_t *index)
{
  wait_t     w   = { __func__, gptrs, n, type, comparison, values, .index = 0 };
  dart_ret_t ret = check(&w);

  if (ret == DART_OK && index == NULL) {
    dart__error("%s: index is NULL", __func__);
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  ret = wait_until(&w, does_any, timeout_us);
  if (ret == DART_OK)
    *index = w.index;
  return ret;
}

dart_ret_t dart_wait_word_some(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                               dart_comparison_t comparison, const void *values, int64_t timeout_us,
                               size_t indices[], size_t *count)
{
  wait_t     w   = { __func__, gptrs, n, type, comparison, values, .index = 0 };
  dart_ret_t ret = check(&w);

  if (ret == DART_OK && (indices == NULL || count == NULL)) {
    dart__error("%s: %s is NULL", __func__, indices == NULL ? "indices" : "count");
    ret = DART_ERR_INVAL;
  }
  if (ret != DART_OK)
    return ret;
  *count = 0;
  ret    = wait_until(&w, does_any, timeout_us);
  for (size_t i = w.index; ret == DART_OK && i < n; i = next_that_compares(&w, i + 1))
    indices[(*count)++] = i;
  return ret;
}

dart_ret_t dart_wait_word_all(const dart_gptr_t gptrs[], size_t n, dart_datatype_t type,
                              dart_comparison_t comparison, const void *values, int64_t timeout_us)
{
  wait_t     w   = { __func__, gptrs, n, type, comparison, values, .index = 0 };
  dart_ret_t ret = check(&w);

  return ret == DART_OK ? wait_until(&w, has_each, timeout_us) : ret;
}
