/* See victims.h. A victim has a timer, whose signal it dies of: so it may be at any place of the program, or of DART. */
#include "victims.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_survive.h>

#define MOST_US 3000 /* from the start of the phase */

static long        my_phase = -1; /* in which this unit dies; -1: in none */
static suseconds_t my_us;         /* after its start */

static _Noreturn void give_up(const char *why)
{
  dart_global_unit_t me;

  MUST(dart_myid(&me));
  if (me.id == 0)
    fprintf(stderr, "survive: %s\n", why);
  MUST(dart_exit());
  exit(EXIT_FAILURE);
}

static bool is_kind(const char *kind)
{
  static const char *const kinds[] = { "none", "one", "two", "pair", "node" };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kind, kinds[i]) == 0)
      return true;
  return false;
}

options_t victims_init(int *argc, char ***argv)
{
  options_t options = { .kind = "none", .seed = 1 };

  if (dart_init(argc, argv) != DART_OK)
    exit(EXIT_FAILURE);
  if (!dart_survives())
    give_up("start it with DART_SURVIVE=1 in the environment");
  if (*argc > 1)
    options.kind = (*argv)[1];
  if (*argc > 2)
    options.seed = strtoull((*argv)[2], NULL, 10);
  if (*argc > 3)
    options.path = (*argv)[3];
  if (*argc > 4 || !is_kind(options.kind))
    give_up("usage: [none|one|two|pair|node [SEED [FILE]]]");
  return options;
}

/* SplitMix: Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15U;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return (z ^ (z >> 31)) % below;
}

/* Whether `unit` is on this node; `*nnear`: how many units are. */
static bool is_near(const array_t *a, int unit, size_t *nnear)
{
  dart_team_unit_t near[1024];
  bool             is_there = false;

  MUST(dart_team_near_units(a->team, sizeof near / sizeof *near, near, nnear));
  for (size_t i = 0; i < *nnear && i < sizeof near / sizeof *near; i++)
    is_there |= near[i].id == unit;
  return is_there;
}

static void die_in(long phase, uint64_t us)
{
  my_phase = phase;
  my_us    = (suseconds_t)us;
}

static void draw_two(const array_t *a, uint64_t *state, int first, long nphases)
{
  int  second = (first + 1 + (int)draw(state, (uint64_t)a->n - 1)) % a->n;
  long phase = (long)draw(state, (uint64_t)nphases), other = (long)draw(state, (uint64_t)nphases);
  uint64_t us = draw(state, MOST_US), other_us = draw(state, MOST_US);

  if (a->me == first)
    die_in(phase, us);
  if (a->me == second)
    die_in(draw(state, 2) == 0 ? phase : other, other_us);
}

void victims_draw(const options_t *options, const array_t *a, long nphases)
{
  uint64_t state = options->seed, us;
  int first = (int)draw(&state, (uint64_t)a->n), ndying = strcmp(options->kind, "one") == 0 ? 1 : 2;
  long   phase = (long)draw(&state, (uint64_t)nphases);
  size_t nnear;
  bool   is_there = is_near(a, first, &nnear), is_node = strcmp(options->kind, "node") == 0;

  us = draw(&state, MOST_US);
  if (strcmp(options->kind, "none") == 0)
    return;
  if (a->n <= (is_node ? (int)nnear : ndying))
    give_up("no unit would be left: start more units, or, for a node, more nodes");
  if (strcmp(options->kind, "two") == 0)
    draw_two(a, &state, first, nphases);
  else if (strcmp(options->kind, "pair") == 0 && (a->me == first || a->me == a->buddy[first]))
    die_in(phase, 0); /* both before the others can do anything about it */
  else if ((is_node && is_there) || a->me == first)
    die_in(phase, us);
}

static void die(int signal)
{
  (void)signal;
  raise(SIGKILL);
}

void victims_start(long phase, long nphases)
{
  struct itimerval time = { .it_value = { 0, my_us } };

  if (phase == nphases)
    time.it_value.tv_usec = 0; /* no timer any more */
  else if (phase != my_phase)
    return;
  else if (my_us == 0)
    raise(SIGKILL);
  signal(SIGALRM, die);
  setitimer(ITIMER_REAL, &time, NULL);
}
