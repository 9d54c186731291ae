/* The leader of each node reads its units' blocks. Leaders then exchange what they have, each time twice as many nodes' blocks
 * as before. At the end each leader shows all blocks to the units of its node, unless leaders alone want them. See share_by_leaders.h. */
#include "coll/share_by_leaders.h"

#include "base/copy.h"
#include "base/size.h"
#include "coll/leader_messages.h"
#include "coll/nodes.h"
#include "coll/step.h"
#include "far/far_team.h"

/* A call, and its current step, which moves the bytes [at, at + count) of blocks. */
typedef struct {
  dart__team_t *team;
  const char   *send;
  char         *recv;
  size_t        nbytes; /* of a block */
  size_t        at, count;
} share_t;

/* The blocks of the node's units, to the leader's buffer. */
static void gather_on_node(share_t *b)
{
  dart__team_t *team  = b->team;
  size_t        piece = team->exchange.result_bytes / (size_t)dart__team_widest_node(team);

  for (b->at = 0; b->at < b->nbytes; b->at += piece) {
    char *pieces = dart__exchange_result(&team->exchange);

    b->count = dart__least(piece, b->nbytes - b->at);
    dart__copy_bytes(pieces + (size_t)team->node_me * b->count, b->send + b->at, b->count);
    dart__step_end_on_node(team);
    if (dart__team_is_broken(team))
      return;
    for (int32_t i = 0; i < team->node_nunits && dart__team_is_leader(team); i++)
      dart__copy_bytes(b->recv + (size_t)team->node_units[i] * b->nbytes + b->at,
                       pieces + (size_t)i * b->count, b->count);
  }
}

/* The blocks of units from a rank on, at their places in the leader's buffer; behind the last rank is the first. */
static char *ranked(const share_t *b, size_t rank)
{
  size_t unit = (size_t)dart__team_unit_at(b->team, (int32_t)(rank % (size_t)b->team->nunits));

  return b->recv + unit * b->nbytes + b->at;
}

/* Units of `count` nodes from `first` on, around the ring. */
static size_t units_from(const dart__team_t *team, int32_t first, int32_t count)
{
  int32_t end = first + count, n = team->nnodes;

  if (end <= n)
    return (size_t)(dart__team_node_start(team, end) - dart__team_node_start(team, first));
  return (size_t)(team->nunits - dart__team_node_start(team, first) +
                  dart__team_node_start(team, end - n));
}

/* The bytes [at, at + count) of the blocks of `count_out` units from rank `out` on go to a leader, and those of `count_in`
 * from rank `in` on come from another. They lie apart, so each message has a copy of some. */
static void swap_copies(const share_t *b, int32_t to, size_t out, size_t count_out, int32_t from,
                        size_t in, size_t count_in)
{
  size_t half = DART__TEAM_ROOM / 2, most = half / b->count;
  char  *sent = dart__far_team(b->team)->room, *taken = sent + half;

  for (size_t i = 0; i < count_out || i < count_in; i += most) {
    size_t nout = dart__in_piece(count_out, i, most), nin = dart__in_piece(count_in, i, most);

    for (size_t k = 0; k < nout; k++)
      dart__copy_bytes(sent + k * b->count, ranked(b, out + i + k), b->count);
    dart__nodes_exchange(b->team, nout > 0 ? to : DART__NOBODY, sent, nout * b->count,
                         nin > 0 ? from : DART__NOBODY, taken, nin * b->count);
    for (size_t k = 0; k < nin; k++)
      dart__copy_bytes(ranked(b, in + i + k), taken + k * b->count, b->count);
  }
}

/* As allgather_by_doubling in nodes.c, of blocks that are not in the order of nodes. */
static void exchange_copies(share_t *b)
{
  dart__team_t *team = b->team;
  int32_t       n = team->nnodes, me = team->node;

  for (b->at = 0; b->at < b->nbytes; b->at += b->count) {
    b->count = dart__least(DART__TEAM_ROOM / 2, b->nbytes - b->at);
    for (int32_t have = 1; have < n && !dart__team_is_broken(team); have *= 2) {
      int32_t count = have < n - have ? have : n - have;
      int32_t to = (me - have + n) % n, from = (me + have) % n;

      swap_copies(b, to, (size_t)team->node_first, units_from(team, me, count), from,
                  (size_t)dart__team_node_start(team, from), units_from(team, from, count));
    }
  }
}

/* All blocks from the leader's buffer to those of the node's units. */
static void spread_on_node(const share_t *b)
{
  dart__team_t *team  = b->team;
  size_t        all   = (size_t)team->nunits * b->nbytes;
  size_t        piece = team->exchange.result_bytes;

  for (size_t at = 0; at < all && team->node_nunits > 1; at += piece) {
    char  *shown = dart__exchange_result(&team->exchange);
    size_t count = dart__least(piece, all - at);

    if (dart__team_is_leader(team))
      dart__copy_bytes(shown, b->recv + at, count);
    dart__step_end_on_node(team);
    if (dart__team_is_broken(team))
      return;
    if (!dart__team_is_leader(team))
      dart__copy_bytes(b->recv + at, shown, count);
  }
}

void dart__coll_share_by_leaders(dart__team_t *team, const void *own, void *all, size_t nbytes,
                                 bool is_for_leaders)
{
  share_t b = { .team = team, .send = own, .recv = all, .nbytes = nbytes };

  gather_on_node(&b);
  if (dart__step_end(team)) {
    if (team->nodes.kind == DART__PLACED_IN_BLOCKS)
      dart__nodes_allgather(team, all, dart__step_blocks(team, nbytes));
    else
      exchange_copies(&b);
    dart__step_release(team);
  }
  if (!is_for_leaders && !dart__team_is_broken(team))
    spread_on_node(&b);
}
