/* Collectives: small ones through the exchange, large ones directly where that is possible. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

typedef struct {
  dart_team_t all;
  size_t      count;       /* of a block */
  long       *send, *recv; /* a block for every unit, and more */
} work_t;

static long value_of(int unit, size_t i)
{
  return 1000L * unit + (long)i;
}

static void fill(const work_t *w, int blocks)
{
  for (size_t i = 0; i < (size_t)blocks * w->count; i++)
    w->send[i] = value_of(me, i);
  memset(w->recv, 0, (size_t)n * w->count * sizeof(long));
}

static void try_rooted(const work_t *w)
{
  dart_team_unit_t root  = DART_TEAM_UNIT_ID(n - 1);
  size_t           count = w->count;
  dart_team_t      all   = w->all;

  fill(w, 1);
  ALL(OTHER, dart_bcast(w->send, count, DART_TYPE_LONG, root, all));
  EXPECT(w->send[count - 1] == value_of(n - 1, count - 1));
  fill(w, n);
  ALL(OTHER, dart_scatter(w->send, w->recv, count, DART_TYPE_LONG, root, all));
  EXPECT(w->recv[count - 1] == value_of(n - 1, ((size_t)me + 1) * count - 1));
  fill(w, 1);
  ALL(OTHER, dart_gather(w->send, w->recv, count, DART_TYPE_LONG, root, all));
  EXPECT(me != n - 1 || w->recv[count - 1] == value_of(0, count - 1));
  fill(w, 1);
  ALL(NOMEM | OTHER, dart_reduce(w->send, w->recv, count, DART_TYPE_LONG, DART_OP_MAX, root, all));
  EXPECT(me != n - 1 || w->recv[0] == value_of(n - 1, 0));
}

static void try_symmetric(const work_t *w)
{
  size_t      count = w->count, counts[8], displs[8];
  dart_team_t all   = w->all;

  fill(w, 1);
  ALL(OTHER, dart_allgather(w->send, w->recv, count, DART_TYPE_LONG, all));
  EXPECT(w->recv[(size_t)n * count - 1] == value_of(n - 1, count - 1));
  for (int u = 0; u < n; u++) {
    counts[u] = count - (size_t)u;
    displs[u] = (size_t)u * count;
  }
  fill(w, 1);
  ALL(OTHER, dart_allgatherv(w->send, counts[me], DART_TYPE_LONG, w->recv, counts, displs, all));
  EXPECT(w->recv[(size_t)(n - 1) * count] == value_of(n - 1, 0));
  fill(w, n);
  ALL(OTHER, dart_alltoall(w->send, w->recv, count, DART_TYPE_LONG, all));
  EXPECT(w->recv[(size_t)(n - 1) * count] == value_of(n - 1, (size_t)me * count));
  fill(w, 1);
  ALL(NOMEM | OTHER, dart_allreduce(w->send, w->recv, count, DART_TYPE_LONG, DART_OP_SUM, all));
  EXPECT(w->recv[0] == 500L * n * (n - 1));
}

static void later(const void *in, void *inout, size_t count, void *user)
{
  (void)in, (void)inout, (void)count, (void)user; /* a op b is b */
}

static void try_in_order(const work_t *w)
{
  dart_operation_t op;

  OWN(NOMEM, dart_op_create(later, NULL, false, DART_TYPE_LONG, false, &op));
  fill(w, 1);
  ALL(NOMEM | OTHER, dart_allreduce(w->send, w->recv, w->count, DART_TYPE_LONG, op, w->all));
  EXPECT(w->recv[0] == value_of(n - 1, 0));
  FINE(dart_op_destroy(&op));
}

static void run(dart_team_t all, size_t count)
{
  work_t w = { .all = all, .count = count };

  w.send = calloc((size_t)n * count, sizeof(long));
  w.recv = calloc((size_t)n * count, sizeof(long));
  try_rooted(&w);
  try_symmetric(&w);
  try_in_order(&w);
  free(w.send);
  free(w.recv);
}

void use_collectives(dart_team_t all)
{
  ALL(NEVER, dart_barrier(all));
  run(all, 10);
}

void use_large_collectives(dart_team_t all)
{
  run(all, 20000);
}
