/* See net_model.h. */
#include "net_model.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS    1e9 /* of latency and jitter */
#define LEAST_RATE 1e3 /* bytes a second */
#define MOST_RATE  1e15

typedef struct {
  const char *name;
  double      factor;
} scale_t;

static bool is_word(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* A number and the name of a scale; the list ends with the empty name. -1: it is not that. */
static double read_quantity(const char *text, size_t length, const scale_t *scale)
{
  char  *end;
  double value;

  value = strtod(text, &end);
  if (!isdigit((unsigned char)*text) || end != text + strspn(text, "0123456789."))
    return -1;
  for (;; scale++) {
    if (is_word(end, length - (size_t)(end - text), scale->name))
      return value * scale->factor;
    if (*scale->name == '\0')
      return -1;
  }
}

static bool read_time(const char *text, size_t length, int64_t *ns_out)
{
  static const scale_t times[] = {
    { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", -1 } /* 0 needs no unit */
  };
  double ns = read_quantity(text, length, times);

  *ns_out = (int64_t)ns;
  return ns >= 0 && ns <= MOST_NS;
}

static bool read_bandwidth(const char *text, size_t length, double *ns_per_byte_out)
{
  static const scale_t sizes[] = { { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "", 1 } };
  double               rate    = read_quantity(text, length, sizes);

  *ns_per_byte_out = 1e9 / rate;
  return rate >= LEAST_RATE && rate <= MOST_RATE;
}

static bool read_seed(const char *text, size_t length, uint64_t *seed_out)
{
  char *end;

  errno     = 0;
  *seed_out = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && end == text + length && errno == 0;
}

static bool read_word(const char *word, size_t length, dart__net_model_t *model)
{
  const char *value = memchr(word, '=', length);
  size_t      name, rest;

  if (value == NULL) {
    model->is_software = is_word(word, length, "software");
    return model->is_software || is_word(word, length, "rdma");
  }
  name = (size_t)(value++ - word);
  rest = length - name - 1;
  if (is_word(word, name, "latency"))
    return read_time(value, rest, &model->latency_ns);
  if (is_word(word, name, "jitter"))
    return read_time(value, rest, &model->jitter_ns);
  if (is_word(word, name, "bandwidth"))
    return read_bandwidth(value, rest, &model->ns_per_byte);
  return is_word(word, name, "seed") && read_seed(value, rest, &model->seed);
}

bool dart__net_model_read(const char *text, dart__net_model_t *model_out, const char **wrong_out)
{
  *model_out = (dart__net_model_t){ .seed = 1 };
  for (;;) {
    size_t length = strcspn(text, ",");

    *wrong_out = text;
    if (!read_word(text, length, model_out))
      return false;
    if (text[length] == '\0')
      break;
    text += length + 1;
  }
  model_out->has_delays =
      model_out->latency_ns > 0 || model_out->jitter_ns > 0 || model_out->ns_per_byte > 0;
  return true;
}

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). */
uint64_t dart__net_model_draw(uint64_t *state, uint64_t most)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return most == UINT64_MAX ? z : z % (most + 1);
}
