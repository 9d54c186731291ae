/* dart_wait_word_range: a wait for any of many words at constant steps, see dart_wait_word.h.
 *
 * It is not dart_wait_word_any with n pointers: whoever waits for one of 65,536 notifications would have as many pointers
 * checked and compared by each call. One check covers all words, and an address is a sum. */
#include <dash/dart/ext/dart_wait_word.h>

#include "base/log.h"
#include "base/profile.h"
#include "data/name.h"
#include "rma/await.h"
#include "rma/words.h"

DART__PROFILED(dart_wait_word_range);

/* Others may change words that do not end the wait, and wake it each time: so often, and for each word once. */
#define MORE_THAN_WORDS 8

typedef struct {
  dart__address_t    at;    /* of the first word */
  const char        *start; /* where that is */
  size_t             n;
  size_t             step; /* bytes from word to word */
  size_t             from; /* the index that a look starts at */
  size_t             index;
  dart__comparison_t how;
  dart_datatype_t    type;
  const void        *value;
} range_t;

/* ---- looking -------------------------------------------------------------------------------- */

/* Registered memory: the kernel may have copied the word by its bytes. */
static bool is_word_whole(const range_t *range, size_t i)
{
  dart__address_t at = range->at;

  if (at.segment->address == NULL)
    return true;
  at.offset += i * range->step;
  return dart__words_compares_at(&at, range->how, range->type, range->value);
}

/* The lowest index from `i` to below `end` whose word compares, or `end`. */
static size_t next_that_compares(const range_t *range, size_t i, size_t end)
{
  const dart__comparison_t how = range->how;

  for (const char *word = range->start + i * range->step; i < end; i++, word += range->step)
    if (dart__compares(how, word, range->value) && is_word_whole(range, i))
      break;
  return i;
}

static bool is_there(void *context)
{
  range_t *range = context;

  range->index = next_that_compares(range, range->from, range->n);
  if (range->index < range->n)
    return true;
  range->index = next_that_compares(range, 0, range->from);
  return range->index < range->from;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static dart_gptr_t pointer_of(const range_t *range)
{
  return (dart_gptr_t){ .teamid              = range->at.team->id,
                        .segid               = range->at.segment->id,
                        .unitid              = range->at.unit,
                        .addr_or_offs.offset = range->at.offset };
}

/* What near units are to wake it for: all that lies between the words, too. */
static int watch_range(const void *context, dart__watched_t watched_out[])
{
  const range_t *range = context;

  watched_out[0] = (dart__watched_t){ .gptr       = pointer_of(range),
                                      .nbytes     = (range->n - 1) * range->step + range->how.size,
                                      .is_several = true };
  return 1;
}

static dart_ret_t await(range_t *range, int64_t timeout_us, bool is_counted)
{
  dart__wait_for_t what  = { DART__WAIT_WORD, range->at.team->id, range->at.segment->id,
                             range->at.offset, 0 };
  dart__await_t    await = { "dart_wait_word_range",
                             is_there,
                             range,
                             DART__COUNT_NOTIFY_WAIT,
                             .is_counted   = is_counted,
                             .timeout_us   = timeout_us,
                             .is_slow      = range->n > DART__WORDS_MANY,
                             .is_silent    = true,
                             .what         = what,
                             .watch        = watch_range,
                             .most_in_vain = range->n + MORE_THAN_WORDS };

  return dart__await_within(&await) ? DART_OK : DART_PENDING;
}

/* ---- the entry point -------------------------------------------------------------------------- */

/* The bytes from the first word to the end of the last; false: no memory has so many. */
static bool range_bytes(const range_t *range, size_t *nbytes_out)
{
  return !__builtin_mul_overflow(range->n - 1, range->step, nbytes_out) &&
         !__builtin_add_overflow(*nbytes_out, (size_t)range->how.size, nbytes_out);
}

static dart_ret_t check_range(range_t *range, dart_gptr_t first, size_t stride,
                              dart_comparison_t comparison, const size_t *index)
{
  const char *function = "dart_wait_word_range";
  size_t      nbytes;

  if (!dart__comparison_of(range->type, comparison, &range->how)) {
    dart__error("%s: type %s is no integer type, or there is no comparison %d", function,
                dart__type_text(range->type).text, (int)comparison);
    return DART_ERR_INVAL;
  }
  if (range->n == 0 || range->value == NULL || index == NULL ||
      __builtin_mul_overflow(stride, (size_t)range->how.size, &range->step) || stride == 0 ||
      !range_bytes(range, &nbytes)) {
    dart__error("%s: %zu words, stride %zu, value %p, index %p", function, range->n, stride,
                range->value, (const void *)index);
    return DART_ERR_INVAL;
  }
  return dart__words_locate(function, DART__WAIT_WORD, first, nbytes, range->how.size, &range->at);
}

dart_ret_t dart_wait_word_range(dart_gptr_t first, size_t n, size_t stride, dart_datatype_t type,
                                dart_comparison_t comparison, const void *value, size_t from,
                                int64_t timeout_us, size_t *index)
{
  range_t    range = { .n = n, .type = type, .value = value };
  dart_ret_t ret   = check_range(&range, first, stride, comparison, index);
  bool       is_counted;

  if (ret != DART_OK)
    return ret;
  range.from  = from % n;
  range.start = dart__own_address(&range.at);
  dart__progress();
  if (!is_there(&range)) {
    is_counted = dart__words_begin_turns(timeout_us);
    if (!is_counted || !dart__words_take_turns(is_there, &range))
      ret = await(&range, timeout_us, is_counted);
  }
  if (ret == DART_OK)
    *index = range.index;
  return ret;
}
