/* Settings, and lots: what happens by chance follows from the seed, the rank and the number of the
 * thread, as far as threads and processes run as they did before. */
#include <ctype.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adversary.h"

#define ALL                                                                              \
  (ADV_HOLD | ADV_SHUFFLE | ADV_POISON | ADV_LATER | ADV_DELAY | ADV_CHECK | ADV_LEAKS | \
   ADV_ATTACH | ADV_FOREVER | ADV_PUTS)

static unsigned               behaviour;
static unsigned long          seed;
static uint32_t               sleep_us = 200, sleep_one_in = 256;
static int                    most_threads = MPI_THREAD_MULTIPLE, kept[2];
static int                    my_rank;
static _Atomic uint32_t       nthreads;
static _Thread_local uint64_t state;

/* ---- settings --------------------------------------------------------------------------- */

static const struct {
  const char *word;
  unsigned    bits;
} words[] = { { "all", ALL },           { "none", 0 },
              { "hold", ADV_HOLD },     { "shuffle", ADV_SHUFFLE },
              { "tags", ADV_TAGS },     { "poison", ADV_POISON },
              { "later", ADV_LATER },   { "delay", ADV_DELAY },
              { "check", ADV_CHECK },   { "leaks", ADV_LEAKS },
              { "attach", ADV_ATTACH }, { "forever", ADV_FOREVER },
              { "puts", ADV_PUTS } };

static void wrong(const char *name, const char *text)
{
  fprintf(stderr, "adversary: %s=%s is not understood\n", name, text);
  exit(EXIT_FAILURE);
}

static void set_word(const char *word, size_t length, const char *text)
{
  bool is_minus = *word == '-';

  word += is_minus;
  length -= is_minus;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0) {
      behaviour = is_minus ? behaviour & ~words[i].bits : behaviour | words[i].bits;
      return;
    }
  wrong("ADVERSARY", text);
}

static void set_behaviour(const char *text)
{
  behaviour = 0;
  for (const char *word = text; *word != '\0'; word += *word == ',') {
    size_t length = strcspn(word, ",");

    set_word(word, length, text);
    word += length;
  }
}

static void set_level(const char *text)
{
  if (strcmp(text, "single") == 0)
    most_threads = MPI_THREAD_SINGLE;
  else if (strcmp(text, "funneled") == 0)
    most_threads = MPI_THREAD_FUNNELED;
  else if (strcmp(text, "serialized") == 0)
    most_threads = MPI_THREAD_SERIALIZED;
  else
    wrong("ADVERSARY_LEVEL", text);
}

__attribute__((constructor)) static void read_settings(void)
{
  const char *text = getenv("ADVERSARY");

  set_behaviour(text != NULL ? text : "all");
  text = getenv("ADVERSARY_SEED");
  seed = text != NULL ? strtoul(text, NULL, 10) : 1;
  text = getenv("ADVERSARY_SLEEP");
  if (text != NULL && (sscanf(text, "%u:%u", &sleep_us, &sleep_one_in) != 2 || sleep_one_in == 0))
    wrong("ADVERSARY_SLEEP", text);
  text = getenv("ADVERSARY_KEPT");
  if (text != NULL && sscanf(text, "%d:%d", &kept[0], &kept[1]) != 2)
    wrong("ADVERSARY_KEPT", text);
  text = getenv("ADVERSARY_LEVEL");
  if (text != NULL)
    set_level(text);
}

bool adv_does(adv_behaviour_t what)
{
  return (behaviour & what) != 0;
}

unsigned long adv_seed(void)
{
  return seed;
}

int adv_level(int wanted)
{
  return wanted < most_threads ? wanted : most_threads;
}

int adv_kept(int which)
{
  return kept[which];
}

/* ---- lots: splitmix64, Steele, Lea, Flood, OOPSLA 2014 ---------------------------------- */

static uint64_t next(void)
{
  uint64_t z;

  if (state == 0) /* relaxed: only a number that differs */
    state = seed * 1000003 + (uint64_t)my_rank * 8191 +
            atomic_fetch_add_explicit(&nthreads, 1, memory_order_relaxed) * 131 + 1;
  z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void adv_chance_open(int rank)
{
  my_rank = rank;
  state   = 0;
}

uint32_t adv_random(uint32_t n)
{
  return n <= 1 ? 0 : (uint32_t)(next() >> 32) % n;
}

bool adv_chance(uint32_t percent)
{
  return adv_random(100) < percent;
}

void adv_stumble(void)
{
  struct timespec time = { 0, 0 };

  if (!adv_does(ADV_DELAY))
    return;
  if (adv_random(sleep_one_in) == 0) {
    time.tv_sec  = sleep_us / 1000000;
    time.tv_nsec = (long)adv_random(sleep_us % 1000000 + 1) * 1000;
    nanosleep(&time, NULL);
  } else if (adv_random(16) == 0) {
    sched_yield();
  }
}
