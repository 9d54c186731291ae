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

/* ---- by the job's placement ---------------------------------------------------------------------- */

#define BITS 32 /* of a word */

/* Members among the units of the job from one rank on and below another. */
static int32_t count_members(const dart__placement_t *p, int32_t from, int32_t to)
{
  int32_t  count = 0;
  uint32_t mask  = UINT32_MAX << from % BITS; /* of the first word */

  for (int32_t word = from / BITS; word * BITS < to; word++, mask = UINT32_MAX) {
    if (to - word * BITS < BITS)
      mask &= ~(UINT32_MAX << (to - word * BITS));
    count += __builtin_popcount(p->bits[word] & mask);
  }
  return count;
}

/* The rank in the job of member number `before`, counted from rank `from`. */
static int32_t find_member(const dart__placement_t *p, int32_t from, int32_t before)
{
  int32_t  word = from / BITS, count;
  uint32_t bits = p->bits[word] & UINT32_MAX << from % BITS;

  while ((count = __builtin_popcount(bits)) <= before) {
    before -= count;
    bits = p->bits[++word];
  }
  while (before-- > 0)
    bits &= bits - 1;
  return word * BITS + __builtin_ctz(bits);
}

static int32_t rank_as_in_job(const dart__placement_t *p, int32_t unit)
{
  dart_unit_t global = dart__member(&p->members, unit);
  int32_t     home   = dart__placement_node(p->job, global);

  return p->start[p->number[home]] +
         count_members(p, p->job->start[home], dart__placement_rank(p->job, global));
}

static int32_t unit_as_in_job(const dart__placement_t *p, int32_t rank)
{
  int32_t node = node_of_rank(p, rank);
  int32_t at   = find_member(p, p->job->start[p->home[node]], rank - p->start[node]);

  return dart__members_find(&p->members, dart__placement_unit(p->job, at));
}

/* ---- by tables ----------------------------------------------------------------------------------- */

int32_t dart__placement_search_node(const dart__placement_t *p, int32_t unit)
{
  if (p->kind == DART__PLACED_AS_IN_JOB)
    return p->number[dart__placement_node(p->job, dart__member(&p->members, unit))];
  return node_of_rank(p, unit); /* in blocks, ranks are units */
}

int32_t dart__placement_search_rank(const dart__placement_t *p, int32_t unit)
{
  int32_t low, high;

  if (p->kind == DART__PLACED_AS_IN_JOB)
    return rank_as_in_job(p, unit);
  low  = p->start[p->node_of[unit]];
  high = p->start[p->node_of[unit] + 1];
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;

    if (p->unit_at[middle] <= unit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int32_t dart__placement_search_unit(const dart__placement_t *p, int32_t rank)
{
  int32_t node;

  if (p->kind == DART__PLACED_AS_IN_JOB)
    return unit_as_in_job(p, rank);
  node = node_of_rank(p, rank);
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

bool dart__placement_in_blocks(dart__placement_t *p, const dart__placement_t *job,
                               const dart__members_t *members)
{
  int32_t *start = calloc((size_t)job->nnodes + 1, sizeof *start), *fits;
  int32_t  n     = 0;

  *p = (dart__placement_t){ .nunits = 0 };
  if (start == NULL)
    return false;
  for (int32_t k = 0; k < job->nnodes && start[n] < members->count; k++) {
    int32_t most = job->start[k + 1] - job->start[k];

    start[n + 1] = dart__members_below(members, job->start[k + 1], start[n], most);
    n += start[n + 1] > start[n];
  }
  fits = realloc(start, ((size_t)n + 1) * sizeof *start); /* it is not longer */
  *p   = (dart__placement_t){ .kind   = DART__PLACED_IN_BLOCKS,
                              .nunits = members->count,
                              .nnodes = n,
                              .start  = fits != NULL ? fits : start };
  return true;
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

/* ---- deriving ------------------------------------------------------------------------------------ */

static size_t derived_elements(const dart__placement_t *p, const dart__placement_t *job)
{
  return (size_t)p->nnodes + 1 + (size_t)job->nnodes + (size_t)p->nnodes +
         ((size_t)job->nunits + BITS - 1) / BITS;
}

static void point_into(dart__placement_t *p, const int32_t *tables)
{
  p->start  = tables;
  p->number = p->start + p->nnodes + 1;
  p->home   = p->number + p->job->nnodes;
  p->bits   = (const uint32_t *)(p->home + p->nnodes);
}

static void fill_derived(const dart__placement_t *from, int32_t *tables, const dart__placement_t *p)
{
  int32_t  *number = tables + p->nnodes + 1, *home = number + p->job->nnodes;
  uint32_t *bits = (uint32_t *)(home + p->nnodes);

  memcpy(tables, from->start, ((size_t)p->nnodes + 1) * sizeof *tables);
  for (int32_t u = 0; u < p->nunits; u++) {
    dart_unit_t global = dart__member(&p->members, u);
    int32_t     at     = dart__placement_rank(p->job, global);

    number[dart__placement_node(p->job, global)] = from->node_of[u];
    home[from->node_of[u]]                       = dart__placement_node(p->job, global);
    bits[at / BITS] |= UINT32_C(1) << at % BITS;
  }
}

bool dart__placement_derive(dart__placement_t *p, const dart__placement_t *job,
                            const dart__members_t *members)
{
  dart__placement_t derived = { .kind    = DART__PLACED_AS_IN_JOB,
                                .nunits  = p->nunits,
                                .nnodes  = p->nnodes,
                                .job     = job,
                                .members = *members };
  size_t            count   = derived_elements(p, job);
  int32_t          *tables;

  if (p->kind != DART__PLACED_ANYHOW || count >= dart__placement_elements(p))
    return true;
  tables = calloc(count, sizeof *tables);
  if (tables == NULL)
    return false;
  fill_derived(p, tables, &derived);
  point_into(&derived, tables);
  dart__placement_clear(p);
  *p = derived;
  return true;
}

/* ---- sharing ------------------------------------------------------------------------------------- */

size_t dart__placement_elements(const dart__placement_t *p)
{
  if (p->kind == DART__PLACED_AS_IN_JOB)
    return derived_elements(p, p->job);
  return (size_t)p->nnodes + 1 + (p->node_of != NULL ? 2 * (size_t)p->nunits : 0);
}

void dart__placement_copy(const dart__placement_t *p, int32_t to[])
{
  size_t nstarts = (size_t)p->nnodes + 1, nunits = (size_t)p->nunits;

  if (p->kind == DART__PLACED_AS_IN_JOB)
    nstarts = dart__placement_elements(p);
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
  if (p->kind == DART__PLACED_AS_IN_JOB)
    point_into(p, from);
  if (p->node_of == NULL)
    return;
  p->node_of = from + nstarts;
  p->unit_at = from + nstarts + p->nunits;
}
