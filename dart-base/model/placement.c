/* See placement.h. */
#include "model/placement.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The last node whose ranks start at or before `rank`; the first guess is right if all nodes have as many units. */
static int32_t node_of_rank(const dart__placement_t *p, int32_t rank)
{
  int32_t low = 0, high = p->nnodes, guess = rank / p->start[1];

  if (guess < high && p->start[guess] <= rank && rank < p->start[guess + 1])
    return guess;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;

    if (p->start[middle] <= rank)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int32_t dart__placement_search_node(const dart__placement_t *p, int32_t unit)
{
  return node_of_rank(p, unit); /* in blocks, ranks are units */
}

int32_t dart__placement_search_rank(const dart__placement_t *p, int32_t unit)
{
  int32_t low = p->start[p->node_of[unit]], high = p->start[p->node_of[unit] + 1];

  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;

    if (p->unit_at[middle] <= unit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int32_t dart__placement_unit_in_turn(const dart__placement_t *p, int32_t rank)
{
  int32_t node = node_of_rank(p, rank);

  return node + (rank - p->start[node]) * p->nnodes;
}

/* ---- finding ------------------------------------------------------------------------------------- */

typedef struct {
  dart__placement_t *p;
  int32_t (*node_at)(const void *of, int32_t unit);
  const void *of;
  int32_t    *number; /* name of a node → its number + 1; 0: it has none */
  int32_t    *start;  /* the placement's */
} search_t;

static int32_t number_at(const search_t *s, int32_t unit)
{
  return s->number[s->node_at(s->of, unit)] - 1;
}

/* Number the nodes. */
static void number_nodes(search_t *s)
{
  for (int32_t u = 0; u < s->p->nunits; u++) {
    int32_t *number = &s->number[s->node_at(s->of, u)];

    if (*number == 0)
      *number = ++s->p->nnodes;
  }
}

/* Count units of nodes, and see whether a rule gives their nodes. */
static void count_units(const search_t *s)
{
  dart__placement_t *p         = s->p;
  bool               in_blocks = true, in_turn = true;

  for (int32_t u = 0, before = 0; u < p->nunits; u++) {
    int32_t node = number_at(s, u);

    s->start[node + 1]++;
    in_blocks = in_blocks && node >= before;
    in_turn   = in_turn && node == u % p->nnodes;
    before    = node;
  }
  for (int32_t k = 0; k < p->nnodes; k++)
    s->start[k + 1] += s->start[k];
  p->kind = in_blocks ? DART__PLACED_IN_BLOCKS
            : in_turn ? DART__PLACED_IN_TURN
                      : DART__PLACED_ANYHOW;
}

/* Each node's next rank is kept in its start, which so becomes that of the node after it. */
static bool make_tables(const search_t *s)
{
  dart__placement_t *p       = s->p;
  int32_t           *node_of = calloc((size_t)p->nunits, sizeof *node_of);
  int32_t           *unit_at = calloc((size_t)p->nunits, sizeof *unit_at);

  p->node_of = node_of;
  p->unit_at = unit_at;
  if (node_of == NULL || unit_at == NULL)
    return false;
  for (int32_t u = 0; u < p->nunits; u++) {
    node_of[u]                      = number_at(s, u);
    unit_at[s->start[node_of[u]]++] = u;
  }
  for (int32_t k = p->nnodes; k > 0; k--)
    s->start[k] = s->start[k - 1];
  s->start[0] = 0;
  return true;
}

bool dart__placement_find(dart__placement_t *p, int32_t nunits, int32_t nids,
                          int32_t (*node_at)(const void *of, int32_t unit), const void *of)
{
  search_t s        = { p, node_at, of, calloc((size_t)nids, sizeof *s.number), NULL };
  bool     is_found = false;

  *p = (dart__placement_t){ .nunits = nunits };
  if (s.number == NULL)
    return false;
  number_nodes(&s);
  p->start = s.start = calloc((size_t)p->nnodes + 1, sizeof *s.start);
  if (p->start != NULL) {
    count_units(&s);
    is_found = p->kind != DART__PLACED_ANYHOW || make_tables(&s);
  }
  free(s.number);
  if (!is_found)
    dart__placement_clear(p);
  return is_found;
}

static void free_tables(dart__placement_t *p)
{
  if (p->is_shared)
    return;
  free((void *)(uintptr_t)p->start);
  free((void *)(uintptr_t)p->node_of);
  free((void *)(uintptr_t)p->unit_at);
}

void dart__placement_clear(dart__placement_t *p)
{
  free_tables(p);
  *p = (dart__placement_t){ .nunits = 0 };
}

/* ---- sharing ------------------------------------------------------------------------------------- */

size_t dart__placement_elements(const dart__placement_t *p)
{
  return (size_t)p->nnodes + 1 + (p->node_of != NULL ? 2 * (size_t)p->nunits : 0);
}

void dart__placement_copy(const dart__placement_t *p, int32_t to[])
{
  size_t nstarts = (size_t)p->nnodes + 1, nunits = (size_t)p->nunits;

  memcpy(to, p->start, nstarts * sizeof *to);
  if (p->node_of == NULL)
    return;
  memcpy(to + nstarts, p->node_of, nunits * sizeof *to);
  memcpy(to + nstarts + nunits, p->unit_at, nunits * sizeof *to);
}

void dart__placement_share(dart__placement_t *p, const int32_t from[])
{
  size_t nstarts = (size_t)p->nnodes + 1;

  free_tables(p);
  p->is_shared = true;
  p->start     = from;
  if (p->node_of == NULL)
    return;
  p->node_of = from + nstarts;
  p->unit_at = from + nstarts + p->nunits;
}
