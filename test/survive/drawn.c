/* Units that are killed at drawn moments, while all of them work: survive drawn SEED.
 *
 * Each step is a call, or a few, on the team that is left, the same on all units. Its values tell who wrote them, and
 * are checked. After each step units agree whether it was complete on all; if not they shrink the team, make anew what they
 * work with, and take the step again. So a step that all agree on is right, whoever died. Units that are to die have a
 * timer. The others go on until all of those are lost. Between nodes it is sometimes a whole node. */
#include "drawn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_range.h>

#include "calls.h"

#define MOST_US  30000 /* until a victim dies */
#define ELEMENTS 1000
#define LEAST    40 /* steps */

/* What is left: the team, and what was made on it. */
static struct {
  dart_team_t  team;
  int          me, n;
  dart_gptr_t  memory; /* ELEMENTS on each unit, and a counter behind them */
  dart_lock_t  lock;
  dart_range_t range;
} left;

static long step;

/* SplitMix, as the tables of ranges have it. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15U;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return (z ^ (z >> 31)) % below;
}

static dart_gptr_t element(int unit, size_t index)
{
  dart_gptr_t gptr = left.memory;

  gptr.unitid = unit;
  gptr.addr_or_offs.offset += index * sizeof(long);
  return gptr;
}

static int after(int by)
{
  return (left.me + by) % left.n;
}

/* The first error of several calls; others are not made. */
#define TRY(call)                      \
  do {                                 \
    dart_ret_t try_ret = call;         \
                                       \
    if (try_ret == DART_ERR_UNIT_LOST) \
      return try_ret;                  \
    must(try_ret, #call, __LINE__);    \
  } while (0)

#define RIGHT(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

/* ---- steps ------------------------------------------------------------------------------------------ */

static dart_ret_t sum(void)
{
  long own[ELEMENTS], all[ELEMENTS];

  for (int i = 0; i < ELEMENTS; i++)
    own[i] = step + left.me + i;
  TRY(dart_allreduce(own, all, ELEMENTS, DART_TYPE_LONG, DART_OP_SUM, left.team));
  for (int i = 0; i < ELEMENTS; i++)
    RIGHT(all[i] == left.n * (step + i) + left.n * (left.n - 1) / 2);
  return DART_OK;
}

static dart_ret_t spread(void)
{
  static long data[20000];
  int         root = (int)(step % left.n);

  for (int i = 0; i < 20000 && left.me == root; i++)
    data[i] = step * 7 + i;
  TRY(dart_bcast(data, 20000, DART_TYPE_LONG, DART_TEAM_UNIT_ID(root), left.team));
  for (int i = 0; i < 20000; i++)
    RIGHT(data[i] == step * 7 + i);
  return DART_OK;
}

static dart_ret_t put_right(void)
{
  long values[ELEMENTS], seen[ELEMENTS];

  for (int i = 0; i < ELEMENTS; i++)
    values[i] = step * 1000 + left.me;
  TRY(dart_put_blocking(element(after(1), 0), values, ELEMENTS, DART_TYPE_LONG, DART_TYPE_LONG));
  TRY(dart_barrier(left.team));
  TRY(dart_get_blocking(seen, element(left.me, 0), ELEMENTS, DART_TYPE_LONG, DART_TYPE_LONG));
  for (int i = 0; i < ELEMENTS; i++)
    RIGHT(seen[i] == step * 1000 + after(left.n - 1));
  return dart_barrier(left.team);
}

/* Under a lock, which is released whatever comes of it: the counter may be gone. */
static dart_ret_t increment(dart_gptr_t counter)
{
  long value;

  TRY(dart_get_blocking(&value, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  value++;
  return dart_put_blocking(counter, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
}

static dart_ret_t count_by_lock(void)
{
  long       sum_of_all;
  dart_ret_t ret;

  TRY(dart_put_blocking(element(left.me, 1), &(long){ 0 }, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  TRY(dart_barrier(left.team));
  TRY(dart_lock_acquire(left.lock));
  ret = increment(element(0, 1));
  TRY(dart_lock_release(left.lock));
  TRY(ret);
  TRY(dart_barrier(left.team));
  TRY(dart_get_blocking(&sum_of_all, element(0, 1), 1, DART_TYPE_LONG, DART_TYPE_LONG));
  RIGHT(sum_of_all == left.n);
  return dart_barrier(left.team);
}

static dart_ret_t count_by_word(void)
{
  dart_gptr_t word = element(left.n - 1, ELEMENTS + 1);
  long        value;
  dart_ret_t  ret;

  TRY(dart_put_blocking(element(left.me, 2), &(long){ 0 }, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  TRY(dart_barrier(left.team));
  TRY(dart_lock_at_acquire(word));
  ret = increment(element(0, 2));
  TRY(dart_lock_at_release(word));
  TRY(ret);
  TRY(dart_barrier(left.team));
  TRY(dart_get_blocking(&value, element(0, 2), 1, DART_TYPE_LONG, DART_TYPE_LONG));
  RIGHT(value == left.n);
  return dart_barrier(left.team);
}

static dart_ret_t count_by_range(void)
{
  dart_range_span_t span = { (uint64_t)step, (uint64_t)step + 5, DART_RANGE_EXCLUSIVE };
  dart_range_hold_t hold;

  TRY(dart_range_acquire(left.range, &span, 1, -1, &hold));
  return dart_range_release(&hold);
}

/* The tag tells a step that is made again by fewer units from its first attempt, whose messages may be there. */
static dart_ret_t ring(void)
{
  long               out = step * 100 + left.me, in = -1;
  int                tag = (int)(step % 3000) * 10 + left.n;
  dart_global_unit_t to, from;

  TRY(dart_team_unit_l2g(left.team, DART_TEAM_UNIT_ID(after(1)), &to));
  TRY(dart_team_unit_l2g(left.team, DART_TEAM_UNIT_ID(after(left.n - 1)), &from));
  TRY(dart_sendrecv(&out, 1, DART_TYPE_LONG, tag, to, &in, 1, DART_TYPE_LONG, tag, from));
  RIGHT(in == step * 100 + after(left.n - 1));
  return DART_OK;
}

static dart_ret_t notify_right(void)
{
  dart_gptr_t flag = element(left.me, ELEMENTS);
  long        zero = 0;

  TRY(dart_put_blocking(flag, &zero, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  TRY(dart_barrier(left.team));
  TRY(dart_notify(element(after(1), ELEMENTS), 1));
  TRY(dart_notify_wait(flag, 1, -1));
  return dart_barrier(left.team);
}

static dart_ret_t fence_right(void)
{
  long value = step + left.me, seen;

  TRY(dart_epoch_fence(left.memory, 0));
  TRY(dart_put(element(after(1), 3), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  TRY(dart_epoch_fence(left.memory, DART_EPOCH_NOSUCCEED));
  TRY(dart_get_blocking(&seen, element(left.me, 3), 1, DART_TYPE_LONG, DART_TYPE_LONG));
  RIGHT(seen == step + after(left.n - 1));
  return dart_barrier(left.team);
}

static dart_ret_t new_memory(void)
{
  dart_gptr_t memory;

  TRY(dart_team_memalloc_aligned(left.team, (size_t)(step % 7 + 1) * 10000, DART_TYPE_LONG,
                                 &memory));
  memory.unitid = after(1);
  TRY(dart_put_blocking(memory, &step, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  memory.unitid = 0;
  return dart_team_memfree(memory);
}

static dart_ret_t new_team(void)
{
  dart_team_t team;
  long        one = 1, all;

  TRY(dart_team_clone(left.team, &team));
  if (dart_allreduce(&one, &all, 1, DART_TYPE_LONG, DART_OP_SUM, team) == DART_OK)
    RIGHT(all == left.n);
  return dart_team_destroy(&team);
}

typedef dart_ret_t step_t(void);

static step_t *const steps[] = { sum,           spread,         put_right, count_by_lock,
                                 count_by_word, count_by_range, ring,      notify_right,
                                 fence_right,   new_memory,     new_team };

#define NSTEPS (sizeof steps / sizeof *steps)

/* ---- the team ----------------------------------------------------------------------------------------- */

/* What steps work with. The last agreement of a lock or range may be the one that fails: so it is part of the step. */
static dart_ret_t make_objects(void)
{
  TRY(dart_team_memalloc_aligned(left.team, ELEMENTS + 2, DART_TYPE_LONG, &left.memory));
  TRY(dart_put_blocking(element(left.me, ELEMENTS + 1), &(long){ 0 }, 1, DART_TYPE_LONG,
                        DART_TYPE_LONG));
  TRY(dart_team_lock_init(left.team, &left.lock));
  TRY(dart_team_range_init(left.team, 0, 0, &left.range));
  return dart_barrier(left.team);
}

/* Whether all that are left have got DART_OK. */
static bool agree_on(dart_ret_t ret)
{
  uint64_t is_done = ret == DART_OK;

  if (ret != DART_OK && ret != DART_ERR_UNIT_LOST)
    must(ret, "a step", (int)(step % (long)NSTEPS));
  return dart_team_agree(left.team, &is_done) == DART_OK && is_done != 0;
}

static void shrink(void)
{
  dart_team_t      before = left.team;
  dart_team_unit_t mine;
  size_t           size;

  MUST(dart_team_shrink(before, &left.team));
  if (before != DART_TEAM_ALL)
    MUST(dart_team_destroy(&before));
  MUST(dart_team_myid(left.team, &mine));
  MUST(dart_team_size(left.team, &size));
  left.me = mine.id;
  left.n  = (int)size;
}

static void make_team(void)
{
  do
    shrink();
  while (!agree_on(make_objects()));
}

static size_t nlost(void)
{
  size_t count = 0;

  MUST(dart_team_lost(DART_TEAM_ALL, NULL, &count));
  return count;
}

/* ---- the end of victims ------------------------------------------------------------------------------ */

static void die(int signal)
{
  (void)signal;
  raise(SIGKILL);
}

void die_after(uint64_t us)
{
  struct itimerval time = { .it_value = { 0, (suseconds_t)us + 1 } };

  signal(SIGALRM, die);
  setitimer(ITIMER_REAL, &time, NULL);
}

/* Draw who dies: one unit or two, or, one time in four, all of a node. Returns how many; at least one is left. */
static size_t draw_victims(uint64_t *state, bool *is_victim)
{
  int    first = (int)draw(state, (uint64_t)n), second = (int)draw(state, (uint64_t)n);
  int    nodes   = nnodes();
  bool   is_node = draw(state, 4) == 0 && nodes > 1;
  size_t count   = 0;

  for (int u = 0; u < n; u++) {
    is_victim[u] = is_node ? u % nodes == first % nodes : u == first || (u == second && n > 2);
    count += is_victim[u];
  }
  return count;
}

void work_until_lost(uint64_t seed)
{
  uint64_t state = seed;
  bool     is_victim[64];
  size_t   nvictims = draw_victims(&state, is_victim);

  left.team = DART_TEAM_ALL;
  make_team();
  for (int u = 0; u < n; u++) {
    uint64_t us = draw(&state, MOST_US);

    if (u == me && is_victim[u])
      die_after(us);
  }
  for (bool goes_on = true; goes_on; step++) {
    uint64_t is_over;

    if (!is_victim[me])
      alarm(LIMIT_S);
    while (!agree_on(steps[draw(&state, NSTEPS)]()))
      make_team();
    is_over = step >= LEAST && nlost() == nvictims;
    goes_on = dart_team_agree(left.team, &is_over) != DART_OK || is_over == 0;
  }
}
