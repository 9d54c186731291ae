/* See counters.h. Two tallies are static, for the program's thread and the progress agent: a process that has
 * no more threads needs no memory to count. The list of tallies only grows. */
#include "base/counters.h"

#include <pthread.h>
#include <stdlib.h>

#define LINE 64 /* bytes of a cache line: tallies of two threads share none */

_Thread_local dart__tally_t *dart__tally_own;

bool dart__counts_near;

static _Alignas(LINE) dart__tally_t first[2] = { { .next = &first[1] }, { .number = 1 } };

static _Atomic(dart__tally_t *) tallies  = &first[0];
static _Atomic uint32_t         ntallies = 2;
static _Atomic uint64_t         common[DART__NVALUES]; /* of threads that have no tally */

static pthread_key_t  key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool           has_key;

/* The thread ends, and leaves its tally to another. */
static void return_tally(void *tally)
{
  dart__tally_own = NULL;
  /* release: pairs with the acquire in take_free, so that the next thread continues from these values */
  atomic_store_explicit(&((dart__tally_t *)tally)->is_taken, false, memory_order_release);
}

static void make_key(void)
{
  has_key = pthread_key_create(&key, return_tally) == 0;
}

static dart__tally_t *take_free(void)
{
  /* acquire: pairs with the release in take_new */
  dart__tally_t *tally = atomic_load_explicit(&tallies, memory_order_acquire);

  for (; tally != NULL; tally = tally->next) {
    bool is_taken = false;

    if (atomic_compare_exchange_strong_explicit(&tally->is_taken, &is_taken, true,
                                                memory_order_acquire, memory_order_relaxed))
      return tally;
  }
  return NULL;
}

static dart__tally_t *take_new(void)
{
  size_t         nbytes = (sizeof(dart__tally_t) + LINE - 1) / LINE * LINE;
  dart__tally_t *tally  = aligned_alloc(LINE, nbytes);

  if (tally == NULL)
    return NULL;
  *tally      = (dart__tally_t){ .number = atomic_fetch_add(&ntallies, 1), .is_taken = true };
  tally->next = atomic_load_explicit(&tallies, memory_order_relaxed);
  /* release: the tally is complete before it is found */
  while (!atomic_compare_exchange_weak_explicit(&tallies, &tally->next, tally, memory_order_release,
                                                memory_order_relaxed))
    ;
  return tally;
}

dart__tally_t *dart__tally_take(void)
{
  dart__tally_t *tally;

  pthread_once(&key_once, make_key);
  tally = has_key ? take_free() : NULL;
  if (tally == NULL && has_key)
    tally = take_new();
  if (tally != NULL && pthread_setspecific(key, tally) != 0) {
    return_tally(tally);
    tally = NULL;
  }
  dart__tally_own = tally;
  return tally;
}

void dart__count_in_common(size_t index, uint64_t by)
{
  atomic_fetch_add_explicit(&common[index], by, memory_order_relaxed);
}

static const struct {
  const char          *name, *meaning;
  dart__counter_kind_t kind;
} counters[] = {
#define ENTRY(id, kind, name, meaning) { name, meaning, DART__KIND_##kind },
  DART__COUNTERS(ENTRY)
#undef ENTRY
};

/* What all threads have noted. */
static uint64_t sum_of(size_t index)
{
  /* acquire: as in take_free */
  const dart__tally_t *tally = atomic_load_explicit(&tallies, memory_order_acquire);
  uint64_t             sum   = atomic_load_explicit(&common[index], memory_order_relaxed);

  for (; tally != NULL; tally = tally->next)
    sum += atomic_load_explicit(&tally->value[index], memory_order_relaxed);
  return sum;
}

uint64_t dart__counted(dart__counter_t counter)
{
  if (counters[counter].kind == DART__KIND_BYTES)
    return sum_of(counter) + DART__COUNT_WORD * sum_of((size_t)counter - 1);
  return sum_of(counter) + sum_of(DART__COUNT_OTHERS + counter);
}

const char *dart__counter_name(dart__counter_t counter)
{
  return counters[counter].name;
}

const char *dart__counter_meaning(dart__counter_t counter)
{
  return counters[counter].meaning;
}

dart__counter_kind_t dart__counter_kind(dart__counter_t counter)
{
  return counters[counter].kind;
}

/* ---- memory --------------------------------------------------------------------------------- */

const dart__level_text_t dart__level_text[DART__NLEVELS] = {
#define ENTRY(id, name, meaning) { name, meaning, name "_peak" },
  DART__LEVELS(ENTRY)
#undef ENTRY
};

static struct {
  _Atomic int64_t now, peak;
} levels[DART__NLEVELS];

void dart__level_add(dart__level_id_t level, int64_t nbytes)
{
  int64_t now =
      atomic_fetch_add_explicit(&levels[level].now, nbytes, memory_order_relaxed) + nbytes;
  int64_t peak = atomic_load_explicit(&levels[level].peak, memory_order_relaxed);

  while (now > peak &&
         !atomic_compare_exchange_weak_explicit(&levels[level].peak, &peak, now,
                                                memory_order_relaxed, memory_order_relaxed))
    ;
}

uint64_t dart__level_now(dart__level_id_t level)
{
  return (uint64_t)atomic_load_explicit(&levels[level].now, memory_order_relaxed);
}

uint64_t dart__level_peak(dart__level_id_t level)
{
  return (uint64_t)atomic_load_explicit(&levels[level].peak, memory_order_relaxed);
}

void dart__level_restart(dart__level_id_t level)
{
  atomic_store_explicit(&levels[level].peak, (int64_t)dart__level_now(level), memory_order_relaxed);
}
