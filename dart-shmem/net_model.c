/* See net_model.h. */
#include "net_model.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name; /* NULL ends a list of them */
  double      factor;
} scale_t;

static const scale_t times[] = {
  { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", -1 }, { 0 } /* 0 needs no unit */
};
static const scale_t sizes[] = { { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "", 1 }, { 0 } };

/* Read a number and the name of its scale. False: it is not that, or the result is not from `least` to `most`. */
static bool read_quantity(const char *text, const scale_t *scale, double least, double most,
                          double *value_out)
{
  char *end;

  *value_out = strtod(text, &end);
  if (!isdigit((unsigned char)*text) || end != text + strspn(text, "0123456789."))
    return false;
  while (scale->name != NULL && strcmp(scale->name, end) != 0)
    scale++;
  *value_out *= scale->factor;
  return scale->name != NULL && *value_out >= least && *value_out <= most;
}

static bool read_seed(const char *text, uint64_t *seed_out)
{
  char *end;

  errno     = 0;
  *seed_out = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && *end == '\0' && errno == 0;
}

/* What a word sets, a bit each. */
enum { WAY = 1, LATENCY = 2, JITTER = 4, BANDWIDTH = 8, SEED = 16 };

/* What this word sets; 0: it is wrong. */
static unsigned read_word(char *name, dart__net_model_t *model)
{
  char *value = strchr(name, '=');

  if (value == NULL) {
    model->is_software = strcmp(name, "software") == 0;
    return model->is_software || strcmp(name, "rdma") == 0 ? WAY : 0;
  }
  *value++ = '\0';
  if (strcmp(name, "latency") == 0)
    return read_quantity(value, times, 0, 1e9, &model->latency_ns) ? LATENCY : 0;
  if (strcmp(name, "jitter") == 0)
    return read_quantity(value, times, 0, 1e9, &model->jitter_ns) ? JITTER : 0;
  if (strcmp(name, "bandwidth") == 0)
    return read_quantity(value, sizes, 1e3, 1e15, &model->bandwidth) ? BANDWIDTH : 0;
  return strcmp(name, "seed") == 0 && read_seed(value, &model->seed) ? SEED : 0;
}

const char *dart__net_model_read(const char *text, dart__net_model_t *model_out)
{
  char     word[64];
  size_t   length;
  unsigned sets, seen = 0;

  *model_out = (dart__net_model_t){ .seed = 1 };
  do {
    length = strcspn(text, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    sets = length < sizeof word ? read_word(word, model_out) : 0;
    if (sets == 0 || (seen & sets) != 0)
      return text;
    seen |= sets;
    text += length + 1;
  } while (text[-1] != '\0');
  model_out->has_delays =
      model_out->latency_ns > 0 || model_out->jitter_ns > 0 || model_out->bandwidth > 0;
  return NULL;
}
