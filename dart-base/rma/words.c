/* See words.h.
 *
 * Near puts and atomics are single instructions, in programs that have dart_inline.h in the program itself. They wake a
 * sleeper that has noted what it waits for (watch.h); plain stores wake nobody, so the waiter looks again, too. */
#include "rma/words.h"

#include "base/log.h"
#include "data/name.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "rma/await.h"
#include "rma/remote.h"

/* Others may change words that do not end the wait, and wake it each time: so often, and for each word once. */
#define MORE_THAN_WORDS 8

/* ---- checks -------------------------------------------------------------------------------- */

static inline const void *compared_value(const dart__words_t *w, size_t i)
{
  return (const char *)w->values + (w->step > 0 ? 0 : i * w->how.size);
}

/* This unit's portion of an allocated segment. False: it is registered memory, or another unit's, or not there. */
static bool find_portion(dart_gptr_t gptr, const char **start_out, uint64_t *nbytes_out)
{
  dart__team_t          *team;
  const dart__segment_t *segment = dart__locate_segment(gptr, &team);

  if (segment == NULL || gptr.unitid != team->me || segment->address != NULL)
    return false;
  *start_out  = segment->near[team->near_me] + segment->base;
  *nbytes_out = dart__segment_size(segment, team->me);
  return true;
}

/* Check that all words lie aligned in one portion, and set w->start; the segment is found once. DART_PENDING: they do.
 * DART_OK: a word that compares has ended the check. DART_ERR_INVAL, not logged: a word is elsewhere, or none. */
static dart_ret_t check_portion(dart__words_t *w)
{
  const dart_gptr_t first = w->gptrs[0];
  const size_t      size  = w->how.size;
  const char       *start;
  uint64_t          nbytes;

  w->start = NULL;
  if (!find_portion(first, &start, &nbytes) || nbytes < size)
    return DART_ERR_INVAL;
  for (size_t i = 0; i < w->n; i++) {
    uint64_t offset = w->gptrs[i].addr_or_offs.offset;

    if (!dart__is_same_portion(w->gptrs[i], first) || offset > nbytes - size ||
        ((uintptr_t)(start + offset) & (size - 1)) != 0)
      return DART_ERR_INVAL;
    if (w->ends_check && dart__compares(w->how, start + offset, compared_value(w, i))) {
      w->index = i;
      return DART_OK;
    }
  }
  w->start = start;
  return DART_PENDING;
}

static const char *name_of(dart__wait_kind_t kind)
{
  return kind == DART__WAIT_COUNTER ? "counter" : "word";
}

dart_ret_t dart__words_locate(const char *function, dart__wait_kind_t kind, dart_gptr_t gptr,
                              size_t nbytes, unsigned size, dart__address_t *at_out)
{
  if (dart__locate(function, gptr, nbytes, at_out) != DART_OK)
    return DART_ERR_INVAL;
  if (at_out->unit != at_out->team->me)
    return dart__fail(DART_ERR_INVAL, "%s: the %s is unit %d's, and this is unit %d", function,
                      name_of(kind), dart__team_member(at_out->team, at_out->unit), dart__world.me);
  if (!dart__is_aligned(at_out, size))
    return dart__fail(DART_ERR_INVAL, "%s: a %s at offset %lld is not aligned to %u bytes",
                      function, name_of(kind), (long long)at_out->offset, size);
  return DART_OK;
}

/* Whether a word of this unit, resolved, compares so to `*value`. */
static bool compares_at(const dart__address_t *at, dart__comparison_t how, dart_datatype_t type,
                        const void *value)
{
  dart__rma_t look;
  uint64_t    found;

  if (!dart__compares(how, dart__own_address(at), value))
    return false;
  if (at->segment->address == NULL)
    return true;
  /* The kernel may have copied the word by its bytes; atomics of registered memory exclude each other. */
  look = dart__rma_fetch(at, NULL, &found, 1, type, DART_OP_NO_OP);
  return dart__remote_start(&look, NULL) == DART_OK && dart__compares(how, &found, value);
}

/* Words of several portions, or of registered memory: as check_portion, with an address for each. */
static __attribute__((noinline)) dart_ret_t check_each(dart__words_t *w)
{
  for (size_t i = 0; i < w->n; i++) {
    dart__address_t at;

    if (dart__words_locate(w->function, w->kind, w->gptrs[i], w->how.size, w->how.size, &at) !=
        DART_OK)
      return DART_ERR_INVAL;
    if (i == 0)
      w->first = at;
    if (w->ends_check && compares_at(&at, w->how, w->type, compared_value(w, i))) {
      w->index = i;
      return DART_OK;
    }
  }
  return DART_PENDING;
}

static __attribute__((cold)) dart_ret_t refuse_words(const dart__words_t *w)
{
  bool counts = w->kind == DART__WAIT_COUNTER;

  if (w->gptrs == NULL || w->values == NULL || w->n == 0)
    dart__error("%s: %zu %ss, %s %p, %s %p", w->function, w->n, name_of(w->kind),
                counts ? "flags" : "pointers", (const void *)w->gptrs, counts ? "least" : "values",
                w->values);
  else if ((unsigned)w->comparison > DART_WAIT_GE)
    dart__error("%s: there is no comparison %d", w->function, (int)w->comparison);
  else
    dart__error("%s: type %s is no integer type", w->function, dart__type_text(w->type).text);
  return DART_ERR_INVAL;
}

static inline dart_ret_t check_words(dart__words_t *w)
{
  dart_ret_t ret = check_portion(w);

  return ret != DART_ERR_INVAL ? ret : check_each(w);
}

/* ---- looking -------------------------------------------------------------------------------- */

static bool compares_located(const dart__words_t *w, size_t i)
{
  dart__address_t at = w->first;

  if (w->step > 0)
    at.offset += i * w->step;
  else if (i > 0 && dart__locate(w->function, w->gptrs[i], w->how.size, &at) != DART_OK)
    return false;
  return compares_at(&at, w->how, w->type, compared_value(w, i));
}

/* The lowest index from `i` to below `end` whose word compares, or does not, as `does` says; or `end`. */
static inline size_t next_that(const dart__words_t *w, size_t i, size_t end, bool does)
{
  const dart__comparison_t how   = w->how;
  const dart_gptr_t *const gptrs = w->gptrs;
  const char *const        start = w->start;

  if (start == NULL)
    while (i < end && compares_located(w, i) != does)
      i++;
  else if (w->step > 0)
    while (i < end && dart__compares(how, start + i * w->step, w->values) != does)
      i++;
  else
    while (i < end &&
           dart__compares(how, start + gptrs[i].addr_or_offs.offset, compared_value(w, i)) != does)
      i++;
  return i;
}

/* Where all are waited for, those that were found to compare are not looked at again. */
static inline bool is_there(dart__words_t *w)
{
  if (w->is_all) {
    w->index = next_that(w, w->index, w->n, false);
    return w->index == w->n;
  }
  w->index = next_that(w, w->from, w->n, true);
  if (w->index < w->n)
    return true;
  w->index = next_that(w, 0, w->from, true);
  return w->index < w->from;
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

  memcpy(&watched.value, compared_value(w, i), w->how.size);
  return watched;
}

/* Widen the watched range to include `nbytes` at `offset`. */
static void extend(dart__watched_t *watched, uint64_t offset, uint64_t nbytes)
{
  uint64_t first = watched->gptr.addr_or_offs.offset, end = first + watched->nbytes;

  first                             = offset < first ? offset : first;
  end                               = offset + nbytes > end ? offset + nbytes : end;
  watched->gptr.addr_or_offs.offset = first;
  watched->nbytes                   = end - first;
  watched->is_several               = true;
}

/* What near units are to wake it for, by segments: words of more of these it finds by itself. Of words at constant steps
 * all that lies between them, too. */
static int watch_words(const void *context, dart__watched_t watched_out[])
{
  const dart__words_t *w = context;
  int                  n = 0;

  if (w->step > 0) {
    watched_out[0] = watched_word(w, 0);
    extend(&watched_out[0], w->gptrs[0].addr_or_offs.offset, (w->n - 1) * w->step + w->how.size);
    return 1;
  }
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

/* Of the teams of all words that it waits for: an unknown loss in any; or nobody is left who could end it. */
static bool gives_up(const void *context)
{
  const dart__words_t *w     = context;
  bool                 alone = !w->is_all, is_over = false;
  dart_team_t          last = DART_TEAM_NULL;

  if (!dart__survives())
    return false;
  for (size_t i = w->is_all ? w->index : 0; i < w->n && !is_over; i++) {
    dart_gptr_t   word = w->gptrs[w->step > 0 ? 0 : i];
    dart__team_t *team;

    if (word.teamid == last)
      continue;
    last    = word.teamid;
    team    = dart__team_find(last);
    team    = team != NULL ? team : dart__teams[DART_TEAM_ALL];
    is_over = dart__lost_is_unknown(team);
    if (w->is_all)
      is_over |= dart__lost_is_alone(team);
    else
      alone &= dart__lost_is_alone(team);
  }
  is_over |= alone;
  if (is_over)
    dart__lost_tell();
  return is_over;
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
                          .is_slow    = w->n > DART__WORDS_MANY,
                          .is_silent  = w->kind != DART__WAIT_COUNTER,
                          .what = { w->kind, word.teamid, word.segid, word.addr_or_offs.offset, 0 },
                          .watch        = watch_words,
                          .gives_up     = gives_up,
                          .most_in_vain = w->n > 1 || w->step > 0 ? w->n + MORE_THAN_WORDS : 0 };

  if (w->kind == DART__WAIT_COUNTER)
    memcpy(&await.what.last, w->values, sizeof await.what.last);
  if (dart__await_within(&await))
    return DART_OK;
  return gives_up(w) ? DART_ERR_UNIT_LOST : DART_PENDING;
}

bool dart__words_end_turns(unsigned turns, int64_t *since)
{
  int64_t now = dart__coarse_ns();

  if (*since == 0)
    *since = now;
  /* by the coarse clock: two turns of others who compute, or some hundred of units */
  return turns >= DART__LOOKS || now - *since > DART__AWAKE_US * INT64_C(1000);
}

/* No word compares yet. */
static dart_ret_t wait_on(dart__words_t *w)
{
  dart__lost_begin_wait();
  if (!w->is_counted && dart__words_begin_turns(w->timeout_us)) {
    w->is_counted = true;
    if (dart__words_take_turns(is_there_now, w))
      return DART_OK;
  }
  return await(w);
}

static dart_ret_t end_at_once(void)
{
  dart__progress_at_once();
  return DART_OK;
}

dart_ret_t dart__words_wait_checked(dart__words_t *w)
{
  return is_there(w) ? end_at_once() : wait_on(w);
}

dart_ret_t dart__words_wait(dart__words_t *w)
{
  dart_ret_t ret;

  if (!dart__comparison_of(w->type, w->comparison, &w->how) || w->gptrs == NULL ||
      w->values == NULL || w->n == 0)
    return refuse_words(w);
  dart__progress();
  ret = check_words(w);
  if (ret == DART_ERR_INVAL)
    return ret;
  if (ret == DART_OK)
    return end_at_once();
  return w->ends_check ? wait_on(w) : dart__words_wait_checked(w);
}

dart_ret_t dart__words_wait_any(dart__words_t *w, size_t *index)
{
  dart_ret_t ret;

  w->ends_check = true;
  ret           = index != NULL ? dart__words_wait(w) : dart__null_argument(w->function, "index");
  if (ret == DART_OK)
    *index = w->index;
  return ret;
}

dart_ret_t dart__words_wait_some(dart__words_t *w, size_t indices[], size_t *count)
{
  dart_ret_t ret;

  if (indices == NULL || count == NULL)
    return dart__null_argument(w->function, indices == NULL ? "indices" : "count");
  ret = dart__words_wait(w);
  if (ret == DART_ERR_INVAL)
    return ret;
  *count = 0;
  for (size_t i = w->index; ret == DART_OK && i < w->n; i = next_that(w, i + 1, w->n, true))
    indices[(*count)++] = i;
  return ret;
}
