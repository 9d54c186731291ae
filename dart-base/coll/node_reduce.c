/* dart__nodes_reduce. DART combines the operands, so the result is the same as on one node for every
 * type and operator.
 *
 * To one node: a binomial tree. To all: few leaders send one another their operands, so that all have them after one
 * message. Of more leaders recursive doubling, or, from LARGE on, where what is sent and
 * combined takes the time, recursive halving and then doubling: each leader combines its share of the
 * elements, and all send one another their shares. Both want a power of two: of the first 2 * extra
 * leaders, those with odd numbers give their operands to their left neighbours and get the result.
 * (Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA
 * 19(1), 2005.)
 *
 * All leaders get the same bits: whenever two of them combine the same operands, that of the one with the
 * lower number is the left one. */
#include "coll/nodes.h"

#include <stddef.h>

#include "base/copy.h"
#include "base/size.h"
#include "coll/leader_messages.h"
#include "data/op.h"
#include "data/type.h"
#include "far/far_team.h"

#define LARGE 2048 /* bytes */
#define FEW   4    /* leaders that send all others what they have, ... */
#define SMALL 512  /* ... if it is as many bytes at most */

typedef struct {
  dart__team_t    *team;
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size; /* bytes of an element */
  size_t           nelem;
  char            *recv; /* the operands combined so far */
  char            *room; /* for what comes */
} reduction_t;

static void exchange(const reduction_t *r, int32_t to, const char *send, size_t nsend, int32_t from,
                     char *recv, size_t nrecv)
{
  dart__nodes_exchange(r->team, to, send, nsend * r->size, from, recv, nrecv * r->size);
}

/* Combine elements [from, to) with those that have come, which are at the start of the room. */
static void combine(reduction_t *r, size_t from, size_t to, bool is_from_left)
{
  char *own = r->recv + from * r->size;

  if (from == to)
    return;
  if (is_from_left) {
    dart__op_combine(r->op, r->dtype, r->room, own, to - from);
    return;
  }
  dart__op_combine(r->op, r->dtype, own, r->room, to - from);
  dart__copy_bytes(own, r->room, (to - from) * r->size);
}

/* ---- to one --------------------------------------------------------------------------------- */

/* Leaders are counted from the root on; each combines what those above it in its subtree have. The operator
 * commutes, and only one gets the result, so the order does not matter. */
static void to_one(reduction_t *r, const char *send, int32_t root)
{
  int32_t n = r->team->nnodes, relative = (r->team->node - root + n) % n;

  for (int32_t step = 1; step < n; step *= 2) {
    if (relative & step) {
      exchange(r, (relative - step + root) % n, send, r->nelem, DART__NOBODY, NULL, 0);
      return;
    }
    if (relative + step >= n)
      continue;
    exchange(r, DART__NOBODY, NULL, 0, (relative + step + root) % n, r->room, r->nelem);
    if (send != r->recv)
      dart__copy_bytes(r->recv, send, r->nelem * r->size);
    send = r->recv;
    combine(r, 0, r->nelem, true);
  }
}

/* ---- to all --------------------------------------------------------------------------------- */

/* What is left when each of `extra` leaders has given its operands to its left neighbour. */
typedef struct {
  int32_t nnodes; /* a power of two */
  int32_t extra;
  int32_t me; /* own number among them; -1: gave its operands */
} group_t;

static group_t group_of(const dart__team_t *team)
{
  group_t g = { .nnodes = 1 };

  while (2 * g.nnodes <= team->nnodes)
    g.nnodes *= 2;
  g.extra = team->nnodes - g.nnodes;
  if (team->node >= 2 * g.extra)
    g.me = team->node - g.extra;
  else
    g.me = team->node % 2 == 0 ? team->node / 2 : -1;
  return g;
}

static int32_t node_of(const group_t *g, int32_t member)
{
  return member < g->extra ? 2 * member : member + g->extra;
}

static void doubling(reduction_t *r, const group_t *g)
{
  for (int32_t step = 1; step < g->nnodes; step *= 2) {
    int32_t other = node_of(g, g->me ^ step);

    exchange(r, other, r->recv, r->nelem, other, r->room, r->nelem);
    combine(r, 0, r->nelem, (g->me & step) != 0);
  }
}

/* The elements that a leader combines, after so many halvings. */
typedef struct {
  size_t from, to;
} range_t;

static size_t middle(range_t range)
{
  return range.from + ((range.to - range.from) / 2 & ~(size_t)1); /* pairs of MINMAX stay so */
}

static void halving(reduction_t *r, const group_t *g)
{
  range_t range[32] = { { 0, r->nelem } };
  int     depth     = 0;

  for (int32_t step = g->nnodes / 2; step > 0; step /= 2, depth++) {
    bool    is_right = (g->me & step) != 0;
    int32_t other    = node_of(g, g->me ^ step);
    size_t  mid      = middle(range[depth]);
    range_t low = { range[depth].from, mid }, high = { mid, range[depth].to };
    range_t keep = is_right ? high : low, give = is_right ? low : high;

    exchange(r, other, r->recv + give.from * r->size, give.to - give.from, other, r->room,
             keep.to - keep.from);
    combine(r, keep.from, keep.to, is_right);
    range[depth + 1] = keep;
  }
  for (int32_t step = 1; step < g->nnodes; step *= 2, depth--) {
    int32_t other = node_of(g, g->me ^ step);
    range_t own = range[depth], all = range[depth - 1];
    range_t its =
        own.from == all.from ? (range_t){ own.to, all.to } : (range_t){ all.from, own.from };

    exchange(r, other, r->recv + own.from * r->size, own.to - own.from, other,
             r->recv + its.from * r->size, its.to - its.from);
  }
}

/* All leaders combine all operands in the order of their nodes. */
static void directly(reduction_t *r, const char *send)
{
  size_t                     nbytes = r->nelem * r->size;
  _Alignas(max_align_t) char blocks[FEW * SMALL];
  char                      *sum = blocks;

  for (int32_t node = 0; node < r->team->nnodes; node++)
    dart__copy_bytes(blocks + (size_t)node * nbytes, send, nbytes);
  dart__nodes_swap_blocks(r->team, blocks, blocks, nbytes);
  for (int32_t node = 1; node < r->team->nnodes; node++) {
    dart__op_combine(r->op, r->dtype, sum, sum + nbytes, r->nelem);
    sum += nbytes;
  }
  dart__copy_bytes(r->recv, sum, nbytes);
}

static void to_all(reduction_t *r, const char *send)
{
  group_t g    = group_of(r->team);
  int32_t node = r->team->node;

  if (r->team->nnodes > 2 && r->team->nnodes <= FEW && r->nelem * r->size <= SMALL) {
    directly(r, send);
    return;
  }
  if (g.me < 0) { /* one after the other: `send` may be r->recv, and MPI wants them apart */
    exchange(r, node - 1, send, r->nelem, DART__NOBODY, NULL, 0);
    exchange(r, DART__NOBODY, NULL, 0, node - 1, r->recv, r->nelem);
    return;
  }
  if (send != r->recv)
    dart__copy_bytes(r->recv, send, r->nelem * r->size);
  if (node < 2 * g.extra) {
    exchange(r, DART__NOBODY, NULL, 0, node + 1, r->room, r->nelem);
    combine(r, 0, r->nelem, false);
  }
  if (r->nelem * r->size < LARGE)
    doubling(r, &g);
  else
    halving(r, &g);
  if (node < 2 * g.extra)
    exchange(r, node + 1, r->recv, r->nelem, DART__NOBODY, NULL, 0);
}

/* Elements of a piece. To all by halving, half of it comes at a time, or up to three elements more, for pairs
 * of MINMAX stay together. To one, there is room for what comes, and for what a leader combines that gets no
 * result. */
static size_t piece_elements(const dart__team_t *team, size_t size, int32_t root)
{
  size_t room = DART__TEAM_ROOM / size;

  if (root >= 0)
    return room / 2 & ~(size_t)1;
  return ((team->nnodes & (team->nnodes - 1)) == 0 ? 2 * (room - 3) : room) & ~(size_t)1;
}

void dart__nodes_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                        dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  size_t      size  = dart__type_find(dtype)->elem_size;
  size_t      piece = piece_elements(team, size, root);
  char       *room  = dart__far_team(team)->room;
  bool        gets  = root < 0 || root == team->node;
  reduction_t r     = { .team = team, .dtype = dtype, .op = op, .size = size, .room = room };

  for (size_t at = 0; at < nelem; at += piece) {
    const char *own = (const char *)send + at * size;

    r.nelem = dart__in_piece(nelem, at, piece);
    r.recv  = gets ? (char *)recv + at * size : room + DART__TEAM_ROOM / 2;
    if (root < 0)
      to_all(&r, own);
    else
      to_one(&r, own, root);
  }
}
