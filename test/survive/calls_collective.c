/* Collectives, alone and beside other threads. */
#include "prepare.h"

#include <pthread.h>

static dart_team_t team;

static void new_team(void)
{
  MUST(dart_team_clone(DART_TEAM_ALL, &team));
}

/* ---- collectives --------------------------------------------------------------------------------- */

static dart_team_unit_t root(void)
{
  return DART_TEAM_UNIT_ID((victim + 1) % n);
}

static dart_ret_t barrier(void)
{
  return dart_barrier(DART_TEAM_ALL);
}

static dart_ret_t bcast_of_victim(void)
{
  return dart_bcast(in, 10, DART_TYPE_LONG, DART_TEAM_UNIT_ID(victim), DART_TEAM_ALL);
}

static dart_ret_t bcast_large(void)
{
  return dart_bcast(in, LARGE, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t scatter(void)
{
  return dart_scatter(in, out, 10, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t gather(void)
{
  return dart_gather(in, out, LARGE, DART_TYPE_LONG, root(), DART_TEAM_ALL);
}

static dart_ret_t allgather(void)
{
  return dart_allgather(in, out, 10, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t allgather_large(void)
{
  return dart_allgather(in, out, LARGE, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t allgatherv(void)
{
  size_t count[64], at[64];

  for (int u = 0; u < n; u++) {
    count[u] = (size_t)u + 1;
    at[u]    = (size_t)u * 100;
  }
  return dart_allgatherv(in, count[me], DART_TYPE_LONG, out, count, at, DART_TEAM_ALL);
}

static dart_ret_t alltoall(void)
{
  return dart_alltoall(in, out, 10, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t alltoall_large(void)
{
  return dart_alltoall(in, out, LARGE / 2, DART_TYPE_LONG, DART_TEAM_ALL);
}

static dart_ret_t reduce(void)
{
  return dart_reduce(in, out, 10, DART_TYPE_LONG, DART_OP_SUM, root(), DART_TEAM_ALL);
}

static dart_ret_t allreduce(void)
{
  return dart_allreduce(in, out, 1000, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
}

static dart_ret_t allreduce_large(void)
{
  return dart_allreduce(in, out, LARGE, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
}

/* ---- beside a thread in a collective ------------------------------------------------------------ */

static pthread_t  gatherer;
static dart_ret_t gathered;

/* Collectives of the team until one fails. Each that does not has brought what every unit has given for that round. */
static void *gather_until_lost(void *unused)
{
  (void)unused;
  for (long round = 0; gathered == DART_OK; round++) {
    long mine = round * n + me;

    gathered = dart_allgather(&mine, out, 1, DART_TYPE_LONG, team);
    for (int u = 0; u < n && gathered == DART_OK; u++)
      if (out[u] != round * n + u)
        fail("what a unit has given", __LINE__);
  }
  return NULL;
}

static void begin_to_gather(void)
{
  buffers();
  new_team();
  if (pthread_create(&gatherer, NULL, gather_until_lost, NULL) != 0)
    fail("pthread_create", __LINE__);
}

/* This thread learns of the loss by an agreement, and breaks the team in whose collectives the other one is. */
static dart_ret_t agree_beside_gather(void)
{
  uint64_t bits = 1;

  if (dart_team_agree(team, &bits) != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  pthread_join(gatherer, NULL);
  return gathered;
}

/* Two threads of each unit agree at a time, each with those of other units in a team of its own. */
static dart_team_t agreeing[2];

static void two_teams(void)
{
  MUST(dart_team_clone(DART_TEAM_ALL, &agreeing[0]));
  MUST(dart_team_clone(DART_TEAM_ALL, &agreeing[1]));
}

static void *agree_until_lost(void *which)
{
  dart_ret_t ret = DART_OK;

  for (uint64_t round = 1; ret == DART_OK; round++) {
    uint64_t bits = round << 1 | (which == &agreeing[1]), before = bits;

    ret = dart_team_agree(*(dart_team_t *)which, &bits);
    if (bits != before)
      fail("what all have agreed on", __LINE__);
  }
  if (ret != DART_ERR_UNIT_LOST)
    fail("dart_team_agree", __LINE__);
  return NULL;
}

static dart_ret_t agree_in_threads(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, agree_until_lost, &agreeing[1]) != 0)
    fail("pthread_create", __LINE__);
  agree_until_lost(&agreeing[0]);
  pthread_join(thread, NULL);
  return DART_ERR_UNIT_LOST;
}

static const entry_t entries[] = {
  { "barrier", NULL, barrier, LOST },
  { "bcast_of_victim", buffers, bcast_of_victim, ROOTED },
  { "bcast_large", buffers, bcast_large, ROOTED },
  { "scatter", buffers, scatter, ROOTED },
  { "gather", buffers, gather, ROOTED },
  { "allgather", buffers, allgather, LOST },
  { "allgather_large", buffers, allgather_large, LOST },
  { "allgatherv", buffers, allgatherv, LOST },
  { "alltoall", buffers, alltoall, LOST },
  { "alltoall_large", buffers, alltoall_large, LOST },
  { "reduce", buffers, reduce, ROOTED },
  { "allreduce", buffers, allreduce, LOST },
  { "agree_beside_gather", begin_to_gather, agree_beside_gather, LOST },
  { "agree_in_threads", two_teams, agree_in_threads, LOST },
  { "allreduce_large", buffers, allreduce_large, LOST },
};

const call_table_t collective_calls = { entries, sizeof entries / sizeof *entries };
