/* When the table of samples is full, every second sample is dropped, and new ones are taken half as often. So the table
 * covers the whole run evenly, however long it takes. */
#include "trace_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace_job.h"

static pthread_mutex_t      mutex = PTHREAD_MUTEX_INITIALIZER;
static dart__trace_sample_t table[DART__TRACE_SAMPLES_MOST];
static size_t               nsamples;
static uint64_t             interval = 50000; /* ns between two samples */

static size_t levels(size_t      indices[DART__TRACE_LEVELS_MOST],
                     const char *names[DART__TRACE_LEVELS_MOST])
{
  dart_stats_info_t info;
  size_t            n = 0;

  for (size_t i = 0; i < pdart_stats_size() && n < DART__TRACE_LEVELS_MOST; i++)
    if (pdart_stats_describe(i, &info) == DART_OK && info.kind == DART_STATS_LEVEL) {
      names[n]     = info.name;
      indices[n++] = i;
    }
  return n;
}

size_t dart__trace_memory_levels(const char *names[DART__TRACE_LEVELS_MOST])
{
  size_t indices[DART__TRACE_LEVELS_MOST];

  return levels(indices, names);
}

/* With the mutex. */
static void thin_out(void)
{
  for (size_t i = 1; 2 * i < nsamples; i++)
    table[i] = table[2 * i];
  nsamples = (nsamples + 1) / 2;
  interval *= 2;
}

static void take_sample(uint64_t now)
{
  const char *names[DART__TRACE_LEVELS_MOST];
  size_t      indices[DART__TRACE_LEVELS_MOST], n = levels(indices, names);
  size_t      nvalues = n > 0 ? indices[n - 1] + 1 : 0;
  uint64_t   *values  = calloc(nvalues + 1, sizeof *values);

  if (values == NULL)
    return;
  if (nsamples == DART__TRACE_SAMPLES_MOST)
    thin_out();
  (void)pdart_stats_read(values, nvalues);
  table[nsamples].time = now;
  for (size_t i = 0; i < n; i++)
    table[nsamples].level[i] = values[indices[i]];
  nsamples++;
  free(values);
}

void dart__trace_memory_sample(uint64_t now)
{
  if (pthread_mutex_trylock(&mutex) != 0)
    return; /* another thread takes a sample */
  if (nsamples == 0 || now - table[nsamples - 1].time >= interval)
    take_sample(now);
  pthread_mutex_unlock(&mutex);
}

void dart__trace_memory_last(uint64_t now)
{
  pthread_mutex_lock(&mutex);
  take_sample(now);
  pthread_mutex_unlock(&mutex);
}

size_t dart__trace_memory_copy(dart__trace_sample_t *samples)
{
  size_t n;

  pthread_mutex_lock(&mutex);
  n = nsamples;
  memcpy(samples, table, n * sizeof table[0]);
  pthread_mutex_unlock(&mutex);
  return n;
}
