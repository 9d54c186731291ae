/* Statistics: the counters and levels of base/counters.h and the transport's own as one list, and from when on they
 * count.
 *
 * Counters only grow, and levels are shared by all threads, so nothing is written where it is counted when the program
 * begins anew: what the counters were then is subtracted by each read. */
#include "job/job.h"

#include <stdbool.h>
#include <string.h>

#include <dash/dart/ext/dart_stats.h>

#include "base/counters.h"
#include "base/log.h"
#include "base/profile.h"
#include "net.h"

DART__PROFILED(dart_stats_size, dart_stats_describe, dart_stats_find, dart_stats_read);
DART__PROFILED(dart_stats_reset, dart_stats_difference);

/* The list: the counters, then each level and its peak, then what the transport has. */
#define OWN_SIZE ((size_t)DART__NCOUNTERS + 2 * (size_t)DART__NLEVELS)

/* Read before the counter, by an acquire that pairs with the release in dart_stats_reset: so the counter is not less,
 * also when another thread resets meanwhile. */
static _Atomic uint64_t start[DART__NCOUNTERS];

static bool is_counter(size_t index)
{
  return index < DART__NCOUNTERS;
}

static dart__level_id_t level_of(size_t index)
{
  return (dart__level_id_t)((index - DART__NCOUNTERS) / 2);
}

static bool is_peak(size_t index)
{
  return (index - DART__NCOUNTERS) % 2 == 1;
}

static size_t net_size(void)
{
  return dart__net.stats == NULL ? 0 : dart__net.stats->size();
}

/* The transport's list is made when it is asked for, so that is not done for an index of DART's own. */
static bool is_in_list(size_t index)
{
  return index < OWN_SIZE || index - OWN_SIZE < net_size();
}

size_t dart_stats_size(void)
{
  return OWN_SIZE + net_size();
}

static dart_stats_kind_t stats_kind(dart__counter_t counter)
{
  switch (dart__counter_kind(counter)) {
  case DART__KIND_BYTES: return DART_STATS_BYTES;
  case DART__KIND_TIME: return DART_STATS_TIME;
  default: return DART_STATS_EVENTS;
  }
}

static dart_stats_info_t info_of(size_t index)
{
  const dart__level_text_t *text;

  if (index >= OWN_SIZE)
    return dart__net.stats->describe(index - OWN_SIZE);
  if (is_counter(index)) {
    dart__counter_t counter = (dart__counter_t)index;

    return (dart_stats_info_t){ dart__counter_name(counter), dart__counter_meaning(counter),
                                stats_kind(counter) };
  }
  text = &dart__level_text[level_of(index)];
  if (is_peak(index))
    return (dart_stats_info_t){ text->peak_name, "the most that this was", DART_STATS_PEAK };
  return (dart_stats_info_t){ text->name, text->meaning, DART_STATS_LEVEL };
}

static uint64_t read_statistic(size_t index)
{
  if (index >= OWN_SIZE)
    return dart__net.stats->read(index - OWN_SIZE);
  if (is_counter(index)) {
    uint64_t before = atomic_load_explicit(&start[index], memory_order_acquire);

    return dart__counted((dart__counter_t)index) - before;
  }
  return is_peak(index) ? dart__level_peak(level_of(index)) : dart__level_now(level_of(index));
}

dart_ret_t dart_stats_describe(size_t index, dart_stats_info_t *info)
{
  if (info == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: info is NULL", __func__);
  *info = (dart_stats_info_t){ NULL, NULL, DART_STATS_EVENTS };
  if (!is_in_list(index))
    return dart__fail(DART_ERR_INVAL, "%s: index %zu is not less than %zu", __func__, index,
                      dart_stats_size());
  *info = info_of(index);
  return DART_OK;
}

dart_ret_t dart_stats_find(const char *name, size_t *index)
{
  if (name == NULL || index == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", __func__, name == NULL ? "name" : "index");
  for (size_t i = 0; is_in_list(i); i++)
    if (strcmp(info_of(i).name, name) == 0) {
      *index = i;
      return DART_OK;
    }
  return DART_ERR_NOTFOUND;
}

static bool check_values(const char *function, const char *name, const uint64_t *values, size_t n)
{
  if (n > 0 && !is_in_list(n - 1))
    dart__error("%s: %zu values, and there are %zu", function, n, dart_stats_size());
  else if (values == NULL && n > 0)
    dart__error("%s: %s is NULL for %zu values", function, name, n);
  else
    return true;
  return false;
}

dart_ret_t dart_stats_read(uint64_t *values, size_t n)
{
  if (!check_values(__func__, "values", values, n))
    return DART_ERR_INVAL;
  for (size_t i = 0; i < n; i++)
    values[i] = read_statistic(i);
  return DART_OK;
}

void dart__stats_begin(void)
{
  for (int i = 0; i < DART__NCOUNTERS; i++)
    atomic_store_explicit(&start[i], dart__counted((dart__counter_t)i), memory_order_release);
  for (int i = 0; i < DART__NLEVELS; i++)
    dart__level_restart((dart__level_id_t)i);
  if (dart__net.stats != NULL)
    dart__net.stats->reset();
}

dart_ret_t dart_stats_reset(void)
{
  (void)net_size(); /* what the transport counts from now on is asked for */
  dart__stats_begin();
  return DART_OK;
}

dart_ret_t dart_stats_difference(const uint64_t *before, const uint64_t *after,
                                 uint64_t *difference, size_t n)
{
  if (!check_values(__func__, "before", before, n) || !check_values(__func__, "after", after, n) ||
      !check_values(__func__, "difference", difference, n))
    return DART_ERR_INVAL;
  for (size_t i = 0; i < n; i++)
    difference[i] = info_of(i).kind < DART_STATS_LEVEL ? after[i] - before[i] : after[i];
  return DART_OK;
}
