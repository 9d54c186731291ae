/* Collectives of the leaders by messages, waited for like everything else, so that a leader
 * serves far requests meanwhile. (MPI's non-blocking collectives would do, but make a schedule for each
 * call, which takes as long as the messages themselves.)
 *
 * Algorithms: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; dissemination: Hensgen, Finkel, Manber, *Two
 * algorithms for barrier synchronization*, Int. J. of Parallel Programming 17(1), 1988. */
#include "coll/nodes.h"

#include <string.h>

#include "base/size.h"
#include "coll/leader_messages.h"
#include "far/far_team.h"

/* Bytes: from here on what is sent takes the time, not the calls. */
#define LARGE (32 * (size_t)1024)

void dart__nodes_barrier(dart__team_t *team)
{
  int32_t n = team->nnodes, me = team->node;

  for (int32_t step = 1; step < n; step *= 2)
    dart__nodes_exchange(team, (me + step) % n, NULL, 0, (me - step + n) % n, NULL, 0);
}

/* In pieces: where what is received replaces what is sent, that is set aside, and the other leader cannot
 * know. */
void dart__nodes_swap(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes,
                      void *recv, size_t recv_nbytes)
{
  char *aside = dart__far_team(team)->room;

  for (size_t at = 0; at < send_nbytes || at < recv_nbytes; at += DART__TEAM_ROOM) {
    size_t      out  = dart__in_piece(send_nbytes, at, DART__TEAM_ROOM);
    size_t      in   = dart__in_piece(recv_nbytes, at, DART__TEAM_ROOM);
    const char *from = send == recv ? aside : (const char *)send + at;

    if (send == recv)
      memcpy(aside, (const char *)send + at, out);
    dart__nodes_exchange(team, out > 0 ? node : DART__NOBODY, from, out,
                         in > 0 ? node : DART__NOBODY, (char *)recv + at, in);
  }
}

/* ---- parts of a buffer ------------------------------------------------------------------------ */

/* Bytes of a buffer, perhaps none. */
typedef struct {
  char  *at;
  size_t nbytes;
} part_t;

/* The blocks of nodes [first, first + count), counted around the ring, are up to two parts of a buffer. */
static void find_parts(char *buffer, const size_t *starts, int32_t n, int32_t first, int32_t count,
                       part_t parts_out[2])
{
  int32_t end = first + count < n ? first + count : n;

  parts_out[0] = (part_t){ buffer + starts[first], starts[end] - starts[first] };
  parts_out[1] = (part_t){ buffer, starts[first + count - end] };
}

/* Both parts in one place, which is that of the first, or, if there are two, `aside`. */
static const char *join(const part_t parts[2], char *aside)
{
  if (parts[1].nbytes == 0)
    return parts[0].at;
  memcpy(aside, parts[0].at, parts[0].nbytes);
  memcpy(aside + parts[0].nbytes, parts[1].at, parts[1].nbytes);
  return aside;
}

static void separate(const part_t parts[2], const char *aside)
{
  memcpy(parts[0].at, aside, parts[0].nbytes);
  memcpy(parts[1].at, aside + parts[0].nbytes, parts[1].nbytes);
}

/* ---- one to all, all to one ------------------------------------------------------------------
 *
 * Along a binomial tree of the nodes, counted from the root. `me` has the blocks of a span of nodes, from its own on.
 * Its children are me + 1, me + 2, me + 4 ... as far as the span goes. A span has at most `limit` nodes, so that large
 * blocks are not passed on, and the root has a child for each further span. Where nodes are few, all are children of
 * the root. */

#define FEW_NODES 16

typedef struct {
  const size_t *starts;
  int32_t       n, root, limit;
  int32_t       me, span; /* of the root: all */
} tree_t;

static tree_t tree_of(const dart__team_t *team, const size_t *starts, int32_t root)
{
  int32_t n       = team->nnodes;
  tree_t  t       = { starts, n, root, 1, (team->node - root + n) % n, n };
  size_t  largest = 1;

  for (int32_t k = 0; k < n; k++)
    if (largest < starts[k + 1] - starts[k])
      largest = starts[k + 1] - starts[k];
  while (n > FEW_NODES && t.limit < n && 2 * (size_t)t.limit * largest <= LARGE)
    t.limit *= 2;
  if (t.me > 0) {
    t.span = t.me & -t.me;
    t.span = t.span < t.limit ? t.span : t.limit;
  }
  return t;
}

static int32_t node_in(const tree_t *t, int32_t relative)
{
  return (relative + t->root) % t->n;
}

static int32_t parent_of(const tree_t *t)
{
  return node_in(t, t->span < t->limit ? t->me - t->span : 0);
}

/* Children are `step` nodes further. */
static bool has_child(const tree_t *t, int32_t step)
{
  return step > 0 && step < t->span && t->me + step < t->n;
}

static int32_t next_step(const tree_t *t, int32_t step)
{
  return step < t->limit ? 2 * step : step + t->limit;
}

static int32_t last_step(const tree_t *t)
{
  int32_t step = 1;

  while (has_child(t, next_step(t, step)))
    step = next_step(t, step);
  return step;
}

static int32_t step_before(const tree_t *t, int32_t step)
{
  return step > t->limit ? step - t->limit : step / 2;
}

/* The span of a node that is `step` further than another one, or of this node. */
static int32_t count_from(const tree_t *t, int32_t first, int32_t step)
{
  int32_t most = step < t->limit ? step : t->limit;

  return most < t->n - first ? most : t->n - first;
}

static size_t bytes_from(const tree_t *t, int32_t first, int32_t count)
{
  int32_t from = node_in(t, first), end = from + count;

  if (end <= t->n)
    return t->starts[end] - t->starts[from];
  return t->starts[t->n] - t->starts[from] + t->starts[end - t->n];
}

static void scatter_by_tree(dart__team_t *team, const tree_t *t, char *send, char *recv)
{
  char  *aside = dart__far_team(team)->room;
  part_t parts[2];

  if (t->me > 0) {
    dart__nodes_exchange(team, DART__NOBODY, NULL, 0, parent_of(t), aside,
                         bytes_from(t, t->me, count_from(t, t->me, t->span)));
    memcpy(recv, aside, bytes_from(t, t->me, 1));
  }
  for (int32_t step = last_step(t); has_child(t, step); step = step_before(t, step)) {
    int32_t     child = t->me + step, count = count_from(t, child, step);
    const char *from = aside;

    if (t->me > 0) {
      from += bytes_from(t, t->me, step);
    } else {
      find_parts(send, t->starts, t->n, node_in(t, child), count, parts);
      from = join(parts, aside);
    }
    dart__nodes_exchange(team, node_in(t, child), from, bytes_from(t, child, count), DART__NOBODY,
                         NULL, 0);
  }
}

static void gather_by_tree(dart__team_t *team, const tree_t *t, const char *send, char *recv)
{
  char  *aside = dart__far_team(team)->room;
  size_t have  = t->me > 0 ? bytes_from(t, t->me, 1) : 0;
  part_t parts[2];

  if (t->me > 0)
    memcpy(aside, send, have);
  for (int32_t step = 1; has_child(t, step); step = next_step(t, step)) {
    int32_t child = t->me + step, count = count_from(t, child, step);
    size_t  nbytes = bytes_from(t, child, count);

    dart__nodes_exchange(team, DART__NOBODY, NULL, 0, node_in(t, child), aside + have, nbytes);
    if (t->me > 0) {
      have += nbytes;
    } else {
      find_parts(recv, t->starts, t->n, node_in(t, child), count, parts);
      separate(parts, aside);
    }
  }
  if (t->me > 0)
    dart__nodes_exchange(team, parent_of(t), aside, have, DART__NOBODY, NULL, 0);
}

void dart__nodes_scatter(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                         int32_t root)
{
  tree_t t = tree_of(team, starts, root);

  if (t.limit > 1)
    scatter_by_tree(team, &t, (char *)(uintptr_t)send, recv);
  else if (t.me == 0)
    dart__nodes_send_blocks(team, send, starts);
  else
    dart__nodes_exchange(team, DART__NOBODY, NULL, 0, root, recv,
                         starts[team->node + 1] - starts[team->node]);
}

void dart__nodes_gather(dart__team_t *team, const void *send, void *recv, const size_t *starts,
                        int32_t root)
{
  tree_t t = tree_of(team, starts, root);

  if (t.limit > 1)
    gather_by_tree(team, &t, send, recv);
  else if (t.me == 0)
    dart__nodes_recv_blocks(team, recv, starts);
  else
    dart__nodes_exchange(team, root, send, starts[team->node + 1] - starts[team->node],
                         DART__NOBODY, NULL, 0);
}

/* ---- all to all ------------------------------------------------------------------------------ */

/* In every round each leader sends its right neighbour the block that it received last. */
static void allgather_in_ring(dart__team_t *team, char *buffer, const size_t *starts)
{
  int32_t n = team->nnodes, me = team->node;

  for (int32_t round = 0; round < n - 1; round++) {
    int32_t own = (me - round + n) % n, next = (own - 1 + n) % n;

    dart__nodes_exchange(team, (me + 1) % n, buffer + starts[own], starts[own + 1] - starts[own],
                         (me - 1 + n) % n, buffer + starts[next], starts[next + 1] - starts[next]);
  }
}

/* A leader sends blocks to `to` and receives others from `from`. Few bytes are one message. */
static void exchange_parts(dart__team_t *team, int32_t to, const part_t out[2], int32_t from,
                           const part_t in[2], bool are_few)
{
  char *aside = dart__far_team(team)->room, *recv;

  if (are_few) {
    recv = in[1].nbytes == 0 ? in[0].at : aside + DART__TEAM_ROOM / 2;
    dart__nodes_exchange(team, to, join(out, aside), out[0].nbytes + out[1].nbytes, from, recv,
                         in[0].nbytes + in[1].nbytes);
    if (recv != in[0].at)
      separate(in, recv);
    return;
  }
  for (int i = 0; i < 2; i++)
    dart__nodes_exchange(team, out[i].nbytes > 0 ? to : DART__NOBODY, out[i].at, out[i].nbytes,
                         in[i].nbytes > 0 ? from : DART__NOBODY, in[i].at, in[i].nbytes);
}

/* In every round a leader has twice as many blocks as before, its own and those after it. */
static void allgather_by_doubling(dart__team_t *team, char *buffer, const size_t *starts)
{
  int32_t n = team->nnodes, me = team->node;

  for (int32_t have = 1; have < n; have *= 2) {
    int32_t count = have < n - have ? have : n - have, from = (me + have) % n;
    part_t  out[2], in[2];

    find_parts(buffer, starts, n, me, count, out);
    find_parts(buffer, starts, n, from, count, in);
    exchange_parts(team, (me - have + n) % n, out, from, in, starts[n] <= DART__TEAM_ROOM / 2);
  }
}

/* A ring needs no copies, but a message for each node: for few nodes, and for blocks whose bytes take the time. */
void dart__nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  size_t n = (size_t)team->nnodes, all = starts[n];

  if (all >= (n > FEW_NODES ? n * LARGE : LARGE))
    allgather_in_ring(team, buffer, starts);
  else
    allgather_by_doubling(team, buffer, starts);
}

/* ---- broadcast ------------------------------------------------------------------------------- */

static void bcast_by_tree(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  int32_t n = team->nnodes, relative = (team->node - root + n) % n, step = 1;

  while (step < n && !(relative & step))
    step *= 2;
  if (relative > 0)
    dart__nodes_exchange(team, DART__NOBODY, NULL, 0, (relative - step + root) % n, buffer, nbytes);
  while ((step /= 2) > 0)
    if (relative + step < n)
      dart__nodes_exchange(team, (relative + step + root) % n, buffer, nbytes, DART__NOBODY, NULL,
                           0);
}

/* The root sends everyone a block, and all send one another theirs. */
static void bcast_by_blocks(dart__team_t *team, char *buffer, size_t nbytes, int32_t root)
{
  size_t *starts = dart__far_team(team)->starts;
  size_t  each   = nbytes / (size_t)team->nnodes;

  for (int32_t k = 0; k < team->nnodes; k++)
    starts[k] = (size_t)k * each;
  starts[team->nnodes] = nbytes;
  dart__nodes_scatter(team, buffer, buffer + starts[team->node], starts, root);
  dart__nodes_allgather(team, buffer, starts);
}

void dart__nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  if (team->nnodes == 2 || nbytes < LARGE)
    bcast_by_tree(team, buffer, nbytes, root);
  else
    bcast_by_blocks(team, buffer, nbytes, root);
}
