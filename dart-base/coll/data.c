/* Collectives that move data without combining them: in pieces that fit the result of the team's exchange, one piece a
 * step, so that any size goes through buffers of a fixed size. What is large enough on one node (direct.h), and what
 * goes from node to node only (spread.h), moves directly. */
#include "coll/coll.h"

#include "base/config.h"
#include "base/copy.h"
#include "base/log.h"
#include "base/size.h"
#include "coll/direct.h"
#include "coll/nodes.h"
#include "coll/share_by_leaders.h"
#include "coll/spread.h"
#include "coll/step.h"

#define OVERLAP_BYTES (32 * DART__KI) /* a step in a node costs little beside a copy of so many */

/* ---- in equal blocks ------------------------------------------------------------------------ */

/* A collective and its current step, which transfers the bytes [at, at + count) of every block. */
typedef struct {
  dart__team_t *team;
  const char   *send;
  char         *recv;
  size_t        nbytes; /* of a block */
  int32_t       root;
  size_t        at, count;
  char *result; /* of the step: a piece of one block, or of every unit's block, node by node */
} blocks_t;

/* One piece after the other: units write into the result, leaders complete it between nodes, units read
 * it. */
static void in_pieces(blocks_t *b, size_t piece, void (*write)(const blocks_t *),
                      void (*lead)(const blocks_t *), void (*read)(const blocks_t *))
{
  for (b->at = 0; b->at < b->nbytes; b->at += piece) {
    b->count  = dart__least(piece, b->nbytes - b->at);
    b->result = dart__exchange_result(&b->team->exchange);
    write(b);
    if (dart__step_end(b->team)) {
      lead(b);
      dart__step_release(b->team);
    }
    if (dart__team_is_broken(b->team))
      return;
    read(b);
  }
}

/* Bytes of a piece where the result has one for every unit. */
static size_t piece_per_unit(const dart__team_t *team)
{
  return team->exchange.result_bytes / (size_t)team->nunits;
}

/* Fail, the same on all units: the result has no room for a byte of each. */
static dart_ret_t refuse_large(const dart__team_t *team)
{
  return dart__fail(
      DART_ERR_NOMEM,
      "no memory in the pool for a byte of each of the %d units of team %d, see DART_POOL",
      team->nunits, team->id);
}

/* On one node pieces are smaller than they could be: the next one is written while this one is read. */
static size_t overlapping(const dart__team_t *team, size_t piece)
{
  return team->nnodes == 1 ? dart__least(piece, OVERLAP_BYTES) : piece;
}

static char *block_of(const blocks_t *b, int32_t unit)
{
  return b->result + (size_t)dart__team_rank(b->team, unit) * b->count;
}

static const size_t *node_starts(const blocks_t *b)
{
  return dart__step_blocks(b->team, b->count);
}

static int32_t root_node(const blocks_t *b)
{
  return dart__team_node_of(b->team, b->root);
}

/* From the sender's buffer to the receiver's, which are both the caller's, and may be the same. */
static void copy_own(const blocks_t *b, const char *send, char *recv)
{
  if (recv != send)
    dart__copy_bytes(recv + b->at, send + b->at, b->count);
}

static void write_own(const blocks_t *b)
{
  dart__copy_bytes(block_of(b, b->team->me), b->send + b->at, b->count);
}

static void root_writes_others(const blocks_t *b)
{
  char *block = b->result;

  for (int32_t rank = 0; rank < b->team->nunits && b->team->me == b->root; rank++) {
    int32_t u = dart__team_unit_at(b->team, rank);

    if (u != b->root)
      dart__copy_bytes(block, b->send + (size_t)u * b->nbytes + b->at, b->count);
    block += b->count;
  }
}

static void read_own(const blocks_t *b)
{
  if (b->team->me == b->root)
    copy_own(b, b->send + (size_t)b->root * b->nbytes, b->recv);
  else
    dart__copy_bytes(b->recv + b->at, block_of(b, b->team->me), b->count);
}

static void read_others(const blocks_t *b)
{
  const char *block = b->result;

  for (int32_t rank = 0; rank < b->team->nunits; rank++, block += b->count) {
    int32_t u = dart__team_unit_at(b->team, rank);

    if (u != b->team->me)
      dart__copy_bytes(b->recv + (size_t)u * b->nbytes + b->at, block, b->count);
  }
}

static void keep_own(const blocks_t *b)
{
  copy_own(b, b->send, b->recv + (size_t)b->team->me * b->nbytes);
}

/* The caller's block comes last, for it need not come from another core. */
static void read_all(const blocks_t *b)
{
  read_others(b);
  keep_own(b);
}

/* On several nodes the leader of the root's node needs the root's block, too. The root keeps its block while others write. */
static void others_write_own(const blocks_t *b)
{
  if (b->team->me != b->root || b->team->nnodes > 1)
    write_own(b);
  if (b->team->me == b->root)
    keep_own(b);
}

static void root_reads_others(const blocks_t *b)
{
  if (b->team->me == b->root)
    read_others(b);
}

static void root_writes_one(const blocks_t *b)
{
  if (b->team->me == b->root)
    dart__copy_bytes(b->result, b->send + b->at, b->count);
}

static void others_read_one(const blocks_t *b)
{
  if (b->team->me != b->root)
    dart__copy_bytes(b->recv + b->at, b->result, b->count);
}

static void lead_bcast(const blocks_t *b)
{
  dart__nodes_bcast(b->team, b->result, b->count, root_node(b));
}

static void lead_scatter(const blocks_t *b)
{
  const size_t *starts = node_starts(b);

  dart__nodes_scatter(b->team, b->result, b->result + starts[b->team->node], starts, root_node(b));
}

static void lead_gather(const blocks_t *b)
{
  const size_t *starts = node_starts(b);

  dart__nodes_gather(b->team, b->result + starts[b->team->node], b->result, starts, root_node(b));
}

static void lead_allgather(const blocks_t *b)
{
  dart__nodes_allgather(b->team, b->result, node_starts(b));
}

/* ---- along the tree of a node --------------------------------------------------------------- */

/* From the slot of the node's leader, into which the root writes, from group to group. */
static void bcast_in_tree(dart__team_t *team, char *buffer, size_t nbytes, int32_t root)
{
  dart__exchange_t *x    = &team->exchange;
  dart__tree_data_t data = { .slots      = dart__exchange_slot(x, 0),
                             .slot_bytes = x->slot_bytes,
                             .nbytes     = nbytes };

  if (team->me == root)
    dart__copy_bytes(data.slots, buffer, nbytes);
  if (dart__step_join(team, &data)) {
    if (team->nnodes > 1)
      dart__nodes_bcast(team, data.slots, nbytes, dart__team_node_of(team, root));
    dart__step_release(team);
  }
  if (team->me != root && !dart__team_is_broken(team))
    dart__copy_bytes(buffer, dart__tree_result(&x->tree, &data), nbytes);
}

dart_ret_t dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  blocks_t   b = { .team = team, .send = buffer, .recv = buffer, .nbytes = nbytes, .root = root };
  dart_ret_t ret;

  if (team->nunits == 1 || nbytes == 0)
    return DART_OK;
  if (dart__direct_may(team, nbytes, 0) && dart__direct_bcast(team, buffer, nbytes, root, &ret))
    return ret;
  if (dart__is_spread(team)) {
    dart__spread_bcast(team, buffer, nbytes, root);
    return DART_OK;
  }
  if (nbytes <= DART__STEP_RESULT)
    dart__step_make_room(team, nbytes);
  else
    dart__step_make_room_for_all(team, nbytes); /* larger pieces are fewer */
  if (dart__step_is_tree(team, nbytes)) {
    bcast_in_tree(team, buffer, nbytes, root);
    return DART_OK;
  }
  in_pieces(&b, overlapping(team, team->exchange.result_bytes), root_writes_one, lead_bcast,
            others_read_one);
  return DART_OK;
}

/* A block for each unit: from the root, or to it. */
static dart_ret_t move_blocks(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                              int32_t root, bool is_scatter)
{
  blocks_t   b = { .team = team, .send = send, .recv = recv, .nbytes = nbytes, .root = root };
  dart_ret_t ret;

  if (team->nunits == 1) {
    dart__copy_bytes(recv, send, nbytes);
    return DART_OK;
  }
  if (dart__direct_may(team, nbytes, is_scatter ? DART__DIRECT_FEW : 0) &&
      (is_scatter ? dart__direct_scatter : dart__direct_gather)(team, send, recv, nbytes, root,
                                                                &ret))
    return ret;
  if (dart__is_spread(team)) {
    (is_scatter ? dart__spread_scatter : dart__spread_gather)(team, send, recv, nbytes, root);
    return DART_OK;
  }
  dart__step_make_room_for_all(team, nbytes);
  if (piece_per_unit(team) == 0)
    return refuse_large(team);
  in_pieces(&b, overlapping(team, piece_per_unit(team)),
            is_scatter ? root_writes_others : others_write_own,
            is_scatter ? lead_scatter : lead_gather, is_scatter ? read_own : root_reads_others);
  return DART_OK;
}

dart_ret_t dart__coll_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                              int32_t root)
{
  return move_blocks(team, send, recv, nbytes, root, true);
}

dart_ret_t dart__coll_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                             int32_t root)
{
  return move_blocks(team, send, recv, nbytes, root, false);
}

/* Of teams of more units than `scattered` a result has no room before it was widened for all: in tests of few units, too. */
static bool has_no_room(const dart__team_t *team, size_t nbytes)
{
  return piece_per_unit(team) < dart__least(DART__STEP_PIECE, nbytes) ||
         (team->nunits > dart__settings.scattered && team->widen_for_all != NULL);
}

static void leader_reads_all(const blocks_t *b)
{
  if (dart__team_is_leader(b->team))
    read_all(b);
}

static void share(dart__team_t *team, const void *own, void *all, size_t nbytes,
                  bool is_for_leaders)
{
  blocks_t b = { .team = team, .send = own, .recv = all, .nbytes = nbytes };

  if (dart__is_spread(team)) {
    dart__spread_allgather(team, own, all, nbytes);
    return;
  }
  dart__step_make_room_to_share(team, nbytes);
  if (team->nnodes > 1 && has_no_room(team, nbytes))
    dart__coll_share_by_leaders(team, own, all, nbytes, is_for_leaders);
  else if (team->nunits > 1)
    in_pieces(&b, piece_per_unit(team), write_own, lead_allgather,
              is_for_leaders ? leader_reads_all : read_all);
  else if (own != all)
    dart__copy_bytes(all, own, nbytes);
}

void dart__coll_share(dart__team_t *team, const void *own, void *all, size_t nbytes)
{
  share(team, own, all, nbytes, false);
}

void dart__coll_share_with_leaders(dart__team_t *team, const void *own, void *all, size_t nbytes)
{
  share(team, own, all, nbytes, true);
}

/* What the units of the node have announced, a slot each; valid until the next step but one. */
static const char *tell_node(dart__team_t *team, const void *own, size_t nbytes)
{
  const dart__exchange_t *x     = &team->exchange;
  const char             *slots = dart__exchange_slot(x, 0);

  dart__copy_bytes(dart__exchange_slot(x, x->me), own, nbytes);
  dart__step_end_on_node(team);
  return slots;
}

void dart__coll_share_on_node(dart__team_t *team, const void *own, void *all, size_t nbytes)
{
  const char *slots = tell_node(team, own, nbytes);

  for (uint32_t i = 0; i < team->exchange.nunits && !dart__team_is_broken(team); i++)
    dart__copy_bytes((char *)all + i * nbytes, slots + i * team->exchange.slot_bytes, nbytes);
}

void dart__coll_hear_on_node(dart__team_t *team, const void *own, void *from_out, size_t nbytes,
                             int32_t index)
{
  const char *slots = tell_node(team, own, nbytes);

  if (!dart__team_is_broken(team))
    dart__copy_bytes(from_out, slots + (size_t)index * team->exchange.slot_bytes, nbytes);
  else if (from_out != own)
    dart__copy_bytes(from_out, own, nbytes);
}

dart_ret_t dart__coll_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  dart_ret_t ret;

  if (team->nunits > 1 && dart__direct_may(team, nbytes, DART__DIRECT_FEW) &&
      dart__direct_allgather(team, send, recv, NULL, NULL, nbytes, nbytes, &ret))
    return ret;
  if (team->nunits > 1 && !dart__is_spread(team))
    dart__step_make_room_for_all(team, nbytes);
  dart__coll_share(team, send, recv, nbytes);
  return DART_OK;
}

/* ---- in blocks of any size --------------------------------------------------------------- */

/* Blocks of different sizes: each step transfers one slice of every unit's block, 1/nsteps of it, so that all
 * units have work in all steps. */
typedef struct {
  const size_t *nelem; /* per unit */
  const size_t *displs;
  size_t        size; /* bytes of an element */
  size_t        nsteps;
} slices_t;

/* The slice of step k: bytes [*from_out, *from_out + return value) of the unit's block. */
static size_t slice_of(const slices_t *s, int32_t unit, size_t k, size_t *from_out)
{
  size_t nbytes = s->nelem[unit] * s->size;
  size_t each = nbytes / s->nsteps, rest = nbytes % s->nsteps;

  /* the first `rest` slices have one byte more */
  *from_out = k * each + dart__least(k, rest);
  return each + (k < rest);
}

/* Copy this unit's slice to its position in the result of step k; a leader computes where each node's block of the
 * result starts, too. */
static void write_slice(dart__team_t *team, const slices_t *s, size_t k, const char *send,
                        char *result)
{
  size_t start = 0;

  for (int32_t node = 0; node < team->nnodes; node++) {
    if (team->node_bytes != NULL)
      team->node_bytes[node] = start;
    for (int32_t index = dart__team_node_start(team, node);
         index < dart__team_node_start(team, node + 1); index++) {
      int32_t u = dart__team_unit_at(team, index);
      size_t  from, count = slice_of(s, u, k, &from);

      if (u == team->me && count > 0)
        dart__copy_bytes(result + start, send + from, count);
      start += count;
    }
  }
  if (team->node_bytes != NULL)
    team->node_bytes[team->nnodes] = start;
}

static void read_slices(const dart__team_t *team, const slices_t *s, size_t k, const char *result,
                        char *recv)
{
  for (int32_t index = 0; index < team->nunits; index++) {
    int32_t u = dart__team_unit_at(team, index);
    size_t  from, count = slice_of(s, u, k, &from);

    if (count > 0)
      dart__copy_bytes(recv + s->displs[u] * s->size + from, result, count);
    result += count;
  }
}

dart_ret_t dart__coll_allgatherv(dart__team_t *team, const void *send, void *recv,
                                 const size_t *nelem, const size_t *displs, size_t size)
{
  slices_t   s     = { .nelem = nelem, .displs = displs, .size = size };
  size_t     total = 0, mean, room;
  dart_ret_t ret;

  if (team->nunits == 1) {
    if (nelem[0] > 0)
      dart__copy_bytes((char *)recv + displs[0] * size, send, nelem[0] * size);
    return DART_OK;
  }
  for (int32_t u = 0; u < team->nunits; u++)
    total += nelem[u] * size;
  mean = total / (size_t)team->nunits;
  if (dart__direct_may(team, mean, DART__DIRECT_FEW) &&
      dart__direct_allgather(team, send, recv, nelem, displs, size, mean, &ret))
    return ret;
  dart__step_make_room_for_all(team, mean);
  if (piece_per_unit(team) < 2)
    return refuse_large(team);
  room     = team->exchange.result_bytes - (size_t)team->nunits; /* slices are rounded up */
  s.nsteps = total / room + (total % room > 0);

  for (size_t k = 0; k < s.nsteps; k++) {
    char *result = dart__exchange_result(&team->exchange);

    write_slice(team, &s, k, send, result);
    if (dart__step_end(team)) {
      dart__nodes_allgather(team, result, team->node_bytes);
      dart__step_release(team);
    }
    if (!dart__team_is_broken(team))
      read_slices(team, &s, k, result, recv);
  }
  return DART_OK;
}

/* ---- between all pairs -------------------------------------------------------------------
 *
 * Nodes are paired: in round d, node a with node (d - a) mod nnodes, which may be itself. Units of the two nodes are
 * paired in the same way by their positions: those whose sum is q, modulo the size of the largest node. Both rules are
 * symmetric, so in any step a unit receives from the units it sends to, and the blocks received can replace the blocks
 * sent. A step covers `window` values of q and a piece of each block. So its buffers have room for window pieces per
 * unit of a node, not for every pair, and a piece never gets too small, however large the team. */

typedef struct {
  int32_t node;   /* the paired node */
  int32_t widest; /* units of the largest node */
  int32_t first;  /* sums [first, first + window) */
  int32_t window;
  size_t  at; /* bytes [at, at + piece) of each block */
  size_t  piece;
} pairing_t;

/* Bytes of all pieces of a node's units in a step. */
static size_t node_bytes(const dart__team_t *team, const pairing_t *m, int32_t node)
{
  return (size_t)dart__team_units_on(team, node) * (size_t)m->window * m->piece;
}

/* The piece of the unit at `position` for its pair `index`. */
static char *piece_of(const pairing_t *m, char *buffer, int32_t position, int32_t index)
{
  return buffer + ((size_t)position * (size_t)m->window + (size_t)index) * m->piece;
}

/* Whether the caller is paired with the unit at `position` of the paired node in this step; then it is the
 * caller's pair `*index_out`. */
static bool is_paired(const dart__team_t *team, const pairing_t *m, int32_t position,
                      int32_t *index_out)
{
  *index_out = (team->node_me + position) % m->widest - m->first;
  return *index_out >= 0 && *index_out < m->window;
}

/* The caller's block for itself goes through no buffer. */
static bool is_own(const dart__team_t *team, const pairing_t *m, int32_t position)
{
  return m->node == team->node && position == team->node_me;
}

static void swap_pieces(dart__team_t *team, const pairing_t *m, const char *send, char *recv,
                        size_t nbytes)
{
  char   *out   = dart__exchange_result(&team->exchange);
  char   *in    = m->node == team->node ? out : out + team->exchange.result_bytes / 2;
  int32_t first = dart__team_node_start(team, m->node), count = dart__team_units_on(team, m->node);
  int32_t index;

  for (int32_t position = 0; position < count; position++)
    if (is_paired(team, m, position, &index) && !is_own(team, m, position))
      dart__copy_bytes(piece_of(m, out, team->node_me, index),
                       send + (size_t)dart__team_unit_at(team, first + position) * nbytes + m->at,
                       m->piece);
  if (dart__step_end(team)) {
    if (m->node != team->node)
      dart__nodes_swap(team, m->node, out, node_bytes(team, m, team->node), in,
                       node_bytes(team, m, m->node));
    dart__step_release(team);
  }
  for (int32_t position = 0; position < count; position++)
    if (is_paired(team, m, position, &index)) {
      size_t at = (size_t)dart__team_unit_at(team, first + position) * nbytes + m->at;

      if (!is_own(team, m, position))
        dart__copy_bytes(recv + at, piece_of(m, in, position, index), m->piece);
      else if (send != recv)
        dart__copy_bytes(recv + at, send + at, m->piece);
    }
}

dart_ret_t dart__coll_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  pairing_t  m = { .widest = dart__team_widest_node(team) };
  size_t     half, room, piece;
  dart_ret_t ret;

  if (nbytes == 0)
    return DART_OK;
  if (team->nunits == 1) {
    if (send != recv)
      dart__copy_bytes(recv, send, nbytes);
    return DART_OK;
  }
  if (send == recv && !dart__is_spread(team)) /* slots are what blocks are swapped through */
    dart__step_make_room(team, nbytes);
  if (dart__direct_may(team, (size_t)team->nunits * nbytes / 2, 2) &&
      dart__direct_alltoall(team, send, recv, nbytes, &ret))
    return ret;
  if (dart__is_spread(team)) {
    dart__spread_alltoall(team, send, recv, nbytes);
    return DART_OK;
  }
  if (nbytes > DART__CACHE_LINE) /* small blocks of a node go through its first result */
    dart__step_make_room_for_all(team, nbytes);
  half     = team->exchange.result_bytes / (team->nnodes == 1 ? 1 : 2);
  room     = half / (size_t)m.widest; /* bytes of a unit in a step */
  piece    = dart__least(room, nbytes);
  m.window = (int32_t)dart__least(room / piece, (size_t)m.widest);
  for (int32_t round = 0; round < team->nnodes; round++) {
    m.node = (round + team->nnodes - team->node) % team->nnodes;
    for (m.first = 0; m.first < m.widest; m.first += m.window)
      for (m.at = 0; m.at < nbytes; m.at += m.piece) {
        m.piece = dart__least(piece, nbytes - m.at);
        swap_pieces(team, &m, send, recv, nbytes);
      }
  }
  return DART_OK;
}
