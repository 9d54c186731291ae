/* See words.h.
 *
 * Near puts and atomics are single instructions, in programs that have dart_inline.h in the program itself. They wake a
 * sleeper that has noted what it waits for (watch.h); plain stores wake nobody, so the waiter looks again, too. */
#include "api/rma/words.h"

#include "api/rma/await.h"
#include "api/rma/remote.h"
#include "base/log.h"

/* Where all words are waited for, each of them may wake the waiter once. */
#define MORE_THAN_WORDS 8

#define MOST_TURNS 16 /* then the wait is noted for others to see, soon */
#define LONG_NS \
  1000000 /* by the coarse clock: two turns of others who compute, or some hundred of units */

/* ---- checks -------------------------------------------------------------------------------- */

/* The words lie in one portion of this unit, to which there is a direct map, and are aligned: stores where it is. */
static bool find_start(dart__words_t *w)
{
  const dart_gptr_t first = w->gptrs[0];
  const char       *near  = dart__near_address_by(dart__progress_maps, first, w->how.size);
  uintptr_t         bits  = (uintptr_t)near;

  if (near == NULL || first.unitid != dart__words_me(first.teamid))
    return false;
  w->start = near - first.addr_or_offs.offset;
  for (size_t i = 1; i < w->n; i++) {
    near = dart__near_address_by(dart__progress_maps, w->gptrs[i], w->how.size);
    bits |= (uintptr_t)near;
    if (near != w->start + w->gptrs[i].addr_or_offs.offset)
      return false;
  }
  return (bits & (w->how.size - 1U)) == 0;
}

static const char *name_of(const dart__words_t *w)
{
  return w->kind == DART__WAIT_COUNTER ? "counter" : "word";
}

/* False: it is no word of this unit, or is not aligned, which was logged. */
static bool locate(const dart__words_t *w, dart_gptr_t gptr, dart__address_t *at_out)
{
  if (dart__locate(w->function, gptr, w->how.size, at_out) != DART_OK)
    return false;
  if (at_out->unit != at_out->team->me) {
    dart__error("%s: the %s is unit %d's, and this is unit %d", w->function, name_of(w),
                at_out->team->members[at_out->unit], dart__world.me);
    return false;
  }
  if (!dart__is_aligned(at_out, w->how.size)) {
    dart__error("%s: a %s at offset %llu is not aligned to %u bytes", w->function, name_of(w),
                (unsigned long long)at_out->offset, w->how.size);
    return false;
  }
  return true;
}

static __attribute__((noinline)) dart_ret_t locate_all(dart__words_t *w)
{
  w->start = NULL;
  for (size_t i = w->n; i-- > 0;) /* the first one last, to keep its address */
    if (!locate(w, w->gptrs[i], &w->first))
      return DART_ERR_INVAL;
  return DART_OK;
}

static __attribute__((cold)) dart_ret_t refuse(const dart__words_t *w)
{
  bool counts = w->kind == DART__WAIT_COUNTER;

  if (w->gptrs == NULL || w->values == NULL || w->n == 0)
    dart__error("%s: %zu %ss, %s %p, %s %p", w->function, w->n, name_of(w),
                counts ? "flags" : "pointers", (const void *)w->gptrs, counts ? "least" : "values",
                w->values);
  else if ((unsigned)w->comparison > DART_WAIT_GE)
    dart__error("%s: there is no comparison %d", w->function, (int)w->comparison);
  else
    dart__error("%s: type %#lx is no integer type", w->function, (unsigned long)w->type);
  return DART_ERR_INVAL;
}

static __attribute__((cold)) dart_ret_t refuse_null(const dart__words_t *w, const char *name)
{
  dart__error("%s: %s is NULL", w->function, name);
  return DART_ERR_INVAL;
}

static inline dart_ret_t check(dart__words_t *w)
{
  if (!dart__comparison_of(w->type, w->comparison, &w->how) || w->gptrs == NULL ||
      w->values == NULL || w->n == 0)
    return refuse(w);
  return find_start(w) ? DART_OK : locate_all(w);
}

/* ---- looking -------------------------------------------------------------------------------- */

static bool compares_located(const dart__words_t *w, size_t i, const void *value)
{
  dart__address_t at = w->first;
  uint64_t        found;

  if (i > 0 && dart__locate(w->function, w->gptrs[i], w->how.size, &at) != DART_OK)
    return false;
  if (!dart__compares(w->how, dart__own_address(&at), value))
    return false;
  if (at.segment->address == NULL)
    return true;
  /* The kernel may have copied the word by its bytes; atomics of registered memory exclude each other. */
  return dart__remote_fetch(&at, NULL, &found, w->type, DART_OP_NO_OP) == DART_OK &&
         dart__compares(w->how, &found, value);
}

static inline const void *value_of(const dart__words_t *w, size_t i)
{
  return (const char *)w->values + i * w->how.size;
}

/* The lowest index from `i` on whose word compares, or does not, as `does` says; n if there is none. */
static inline size_t next_that(const dart__words_t *w, size_t i, bool does)
{
  const dart__comparison_t how   = w->how;
  const dart_gptr_t *const gptrs = w->gptrs;
  const char *const        start = w->start;
  const size_t             n     = w->n;

  if (start != NULL)
    while (i < n &&
           dart__compares(how, start + gptrs[i].addr_or_offs.offset, value_of(w, i)) != does)
      i++;
  else
    while (i < n && compares_located(w, i, value_of(w, i)) != does)
      i++;
  return i;
}

/* Where all are waited for, those that were found to compare are not looked at again. */
static inline bool is_there(dart__words_t *w)
{
  if (!w->is_all) {
    w->index = next_that(w, 0, true);
    return w->index < w->n;
  }
  w->index = next_that(w, w->index, false);
  return w->index == w->n;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static bool is_there_now(void *context)
{
  return is_there(context);
}

static bool is_of_segment(const dart__watched_t *watched, dart_gptr_t gptr)
{
  return watched->gptr.teamid == gptr.teamid && watched->gptr.segid == gptr.segid;
}

static dart__watched_t watched_word(const dart__words_t *w, size_t i)
{
  dart__watched_t watched = {
    .gptr = w->gptrs[i], .nbytes = w->how.size, .type = w->type, .comparison = w->comparison
  };

  memcpy(&watched.value, value_of(w, i), w->how.size);
  return watched;
}

/* Make them several words, one of which is at `offset`. */
static void extend(dart__watched_t *watched, uint64_t offset, uint64_t nbytes)
{
  uint64_t first = watched->gptr.addr_or_offs.offset, end = first + watched->nbytes;

  first                             = offset < first ? offset : first;
  end                               = offset + nbytes > end ? offset + nbytes : end;
  watched->gptr.addr_or_offs.offset = first;
  watched->nbytes                   = end - first;
  watched->is_several               = true;
}

/* What near units are to wake it for, by segments: words of more of these it finds by itself. */
static int watch(const void *context, dart__watched_t watched_out[])
{
  const dart__words_t *w = context;
  int                  n = 0;

  for (size_t i = w->is_all ? w->index : 0; i < w->n; i++) {
    int k = 0;

    while (k < n && !is_of_segment(&watched_out[k], w->gptrs[i]))
      k++;
    if (k == DART__WATCHED_MOST)
      continue;
    if (k < n)
      extend(&watched_out[k], w->gptrs[i].addr_or_offs.offset, w->how.size);
    else
      watched_out[n++] = watched_word(w, i);
  }
  return n;
}

static __attribute__((noinline)) dart_ret_t await(dart__words_t *w)
{
  dart_gptr_t   word  = w->gptrs[0];
  dart__await_t await = { w->function,
                          is_there_now,
                          w,
                          DART__COUNT_NOTIFY_WAIT,
                          .is_counted = w->is_counted,
                          .timeout_us = w->timeout_us,
                          .is_silent  = w->kind != DART__WAIT_COUNTER,
                          .what = { w->kind, word.teamid, word.segid, word.addr_or_offs.offset, 0 },
                          .watch        = watch,
                          .most_in_vain = w->n > 1 ? w->n + MORE_THAN_WORDS : 0 };

  if (w->kind == DART__WAIT_COUNTER)
    memcpy(&await.what.last, w->values, sizeof await.what.last);
  return dart__await_within(&await) ? DART_OK : DART_PENDING;
}

bool dart__words_end_turns(unsigned turns, int64_t *since)
{
  int64_t now = dart__coarse_ns();

  if (*since == 0)
    *since = now;
  return turns >= MOST_TURNS || now - *since > LONG_NS;
}

dart_ret_t dart__words_wait(dart__words_t *w)
{
  dart_ret_t ret = check(w);

  if (ret != DART_OK)
    return ret;
  if (w->start == NULL)
    dart__progress(); /* none is due where there is a direct map */
  if (is_there(w))
    return DART_OK;
  if (!w->is_counted && dart__words_begin_turns(w->timeout_us)) {
    w->is_counted = true;
    if (dart__words_take_turns(is_there_now, w))
      return DART_OK;
  }
  return await(w);
}

dart_ret_t dart__words_wait_any(dart__words_t *w, size_t *index)
{
  dart_ret_t ret = index != NULL ? dart__words_wait(w) : refuse_null(w, "index");

  if (ret == DART_OK)
    *index = w->index;
  return ret;
}

dart_ret_t dart__words_wait_some(dart__words_t *w, size_t indices[], size_t *count)
{
  dart_ret_t ret;

  if (indices == NULL || count == NULL)
    return refuse_null(w, indices == NULL ? "indices" : "count");
  ret = dart__words_wait(w);
  if (ret == DART_ERR_INVAL)
    return ret;
  *count = 0;
  for (size_t i = w->index; ret == DART_OK && i < w->n; i = next_that(w, i + 1, true))
    indices[(*count)++] = i;
  return ret;
}
