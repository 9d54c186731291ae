#ifndef DART__RMA_WORDS_H
#define DART__RMA_WORDS_H
/* Waits for words of this unit's memory: what dart_wait_word.h and the waits of dart_notify.h have in common. await.h
 * says how they wait.
 *
 * Where units outnumber cores a word comes within a few turns of the units that share this one's core, and each of them
 * looks and yields. What a unit does from its look to the program, and from there to its next yield, all wait for, and
 * others have used the caches meanwhile. So the first turns are a yield and a look. A wait for one word to which there
 * is a direct map is as short as can be, and inlined: what counts is how many lines of code and data it needs. */
#include <sched.h>

#include "far/progress.h"
#include "model/address.h"
#include "rma/compare.h"
#include "wait/timed.h"
#include "wait/waiting.h"

#define DART__WORDS_MANY 64 /* to look at more words takes longer than a poll for messages */

typedef struct {
  const char        *function; /* of the interface */
  const dart_gptr_t *gptrs;
  size_t             n;
  dart_datatype_t    type;
  dart_comparison_t  comparison;
  const void        *values; /* n of `type` */
  int64_t            timeout_us;
  dart__wait_kind_t  kind;   /* WORD, which others change by anything; COUNTER: by notifications */
  bool               is_all; /* wait for all; else for any */
  bool               is_counted; /* already, and has had its first turns */
  bool ends_check; /* a word that compares at once: those behind it are not looked at */

  /* Of words at constant steps, behind the one pointer, with the one value: */
  size_t step; /* bytes from word to word; 0: there are n pointers */
  size_t from; /* the index that a look starts at */

  /* From here on they are set by the checks. */
  size_t             index; /* of the first that compares; all: that has not been found to */
  dart__comparison_t how;
  const char     *start; /* of the portion that all words are in; NULL: of several, or registered */
  dart__address_t first; /* start is NULL: the first word */
} dart__words_t;

/** DART_OK: they compare so. DART_PENDING: timed out. DART_ERR_INVAL, logged: bad arguments. */
dart_ret_t dart__words_wait(dart__words_t *w);

/** dart__words_wait where all is checked, and set up to `first`. */
dart_ret_t dart__words_wait_checked(dart__words_t *w);

/** Resolve `nbytes` bytes with words of `size` bytes, from an aligned one on, in this unit's memory. DART_ERR_INVAL,
 *  logged: they are not there. */
dart_ret_t dart__words_locate(const char *function, dart__wait_kind_t kind, dart_gptr_t gptr,
                              size_t nbytes, unsigned size, dart__address_t *at_out);

/** As dart__words_wait, and which they are: the lowest index; or all, ascending, and how many. A NULL result is a bad
 *  argument, too. */
dart_ret_t dart__words_wait_any(dart__words_t *w, size_t *index);
dart_ret_t dart__words_wait_some(dart__words_t *w, size_t indices[], size_t *count);

/* ---- the first turns, and one word ----------------------------------------------------------------- */

/** The id of this unit in a team that it is in. The team of all is not looked at: it is memory that the wait does not
 *  need otherwise. */
static inline int32_t dart__words_me(dart_team_t team)
{
  return team == DART_TEAM_ALL ? dart__world.me : dart__teams[team]->me;
}

/** Whether a wait begins with turns, and counts it: the unit has no core of its own, and no other nodes to serve; the
 *  wait is none of those that are timed. */
static inline bool dart__words_begin_turns(int64_t timeout_us)
{
  const dart__wait_pace_t *pace = &dart__world.pace;

  return pace->yields == 0 && pace->progress == NULL && timeout_us != 0 &&
         dart__timed_skips(DART__COUNT_NOTIFY_WAIT);
}

/** Whether the turns are over, after so many: somebody computes on this core, for they take long, or the wait does.
 *  `*since` is 0 at first. */
bool dart__words_end_turns(unsigned turns, int64_t *since);

/** Yield and look, as long as there are turns. */
static inline __attribute__((always_inline)) bool dart__words_take_turns(bool (*is_there)(void *),
                                                                         void *context)
{
  int64_t since = 0;

  for (unsigned turns = 1;; turns++) {
    dart__yield();
    if (is_there(context))
      return true;
    if (turns % DART__FEW == 0 && dart__words_end_turns(turns, &since))
      return false;
  }
}

typedef struct {
  dart__comparison_t how;
  const char        *near;
  const void        *value;
} dart__word_t;

static inline bool dart__word_compares(void *context)
{
  const dart__word_t *word = context;

  return dart__compares(word->how, word->near, word->value);
}

/** Wait for one word as far as a direct map and turns go. False: it is not there, the arguments may be bad, and
 *  dart__words_wait goes on; `*is_counted_out` is its `is_counted`. */
static inline __attribute__((always_inline)) bool dart__word_comes(
    dart_gptr_t gptr, dart_datatype_t type, dart_comparison_t comparison, const void *value,
    int64_t timeout_us, bool *is_counted_out)
{
  dart__word_t word = { .value = value };

  if (!dart__comparison_of(type, comparison, &word.how) || value == NULL)
    return false;
  word.near = dart_inline_bytes(dart__progress_maps, dart_inline_ids(&gptr), word.how.size);
  if (word.near == NULL || gptr.unitid != dart__words_me(gptr.teamid) ||
      ((uintptr_t)word.near & (word.how.size - 1U)) != 0)
    return false;
  if (dart__word_compares(&word)) {
    if (dart__world.many_nodes)
      dart__progress_at_once();
    return true;
  }
  *is_counted_out = dart__words_begin_turns(timeout_us);
  return *is_counted_out && dart__words_take_turns(dart__word_compares, &word);
}

#endif
