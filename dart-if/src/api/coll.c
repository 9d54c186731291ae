/* Collectives: rows of steps on the team's exchange, see node/exchange.h for why one barrier a
 * step is enough. */
#include "api/coll.h"

#include <string.h>

#include "base/log.h"
#include "model/op.h"
#include "model/world.h"
#include "port.h"

#define ALONE_BYTES 512 /* up to here every unit combines all slots itself: one step less */

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* End the step: returns once the node's units have arrived. True at the leader of a node of a team
 * over several nodes, whose units now wait for its release_step. */
static bool end_step(dart__team_t *team)
{
  dart__exchange_t *x       = &team->exchange;
  dart__barrier_t  *barrier = &x->shared->barrier;

  if (team->nnodes == 1) {
    dart__barrier_wait(barrier, &x->episode, &dart__world.wait);
    return false;
  }
  if (!dart__team_is_leader(team)) {
    dart__barrier_follow(barrier, &x->episode, &dart__world.wait);
    return false;
  }
  dart__barrier_collect(barrier, &x->episode, &dart__world.wait);
  return true;
}

static void release_step(dart__team_t *team, dart_ret_t status)
{
  dart__exchange_t *x = &team->exchange;

  /* relaxed: the barrier publishes it; followers read it before they can arrive again */
  atomic_store_explicit(&x->shared->status, (uint32_t)status, memory_order_relaxed);
  dart__barrier_open(&x->shared->barrier, &x->episode);
}

/* What the leader met between the nodes. */
static dart_ret_t step_status(const dart__team_t *team)
{
  return team->nnodes == 1 ? DART_OK
                           : (dart_ret_t)atomic_load_explicit(&team->exchange.shared->status,
                                                              memory_order_relaxed);
}

dart_ret_t dart__coll_barrier(dart__team_t *team)
{
  if (end_step(team))
    release_step(team, dart__port_nodes_barrier(team));
  return step_status(team);
}

dart_ret_t dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  size_t piece = team->exchange.result_bytes;

  if (team->nunits == 1)
    return DART_OK;
  for (size_t at = 0; at < nbytes; at += piece) {
    size_t     count  = least(piece, nbytes - at);
    char      *result = dart__exchange_result(&team->exchange);
    dart_ret_t ret;

    if (team->me == root)
      memcpy(result, (char *)buffer + at, count);
    if (end_step(team))
      release_step(team, dart__port_nodes_bcast(team, result, count, team->node_of[root]));
    ret = step_status(team);
    if (ret != DART_OK)
      return ret;
    if (team->me != root)
      memcpy((char *)buffer + at, result, count);
  }
  return DART_OK;
}

dart_ret_t dart__coll_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  size_t piece = team->exchange.result_bytes / (size_t)team->nunits;
  char  *mine  = (char *)recv + (size_t)team->me * nbytes;

  if (team->nunits == 1) {
    if (send != mine)
      memcpy(mine, send, nbytes);
    return DART_OK;
  }
  for (size_t at = 0; at < nbytes; at += piece) {
    size_t     count  = least(piece, nbytes - at);
    char      *result = dart__exchange_result(&team->exchange);
    dart_ret_t ret;

    memcpy(result + (size_t)team->rank[team->me] * count, (const char *)send + at, count);
    if (end_step(team))
      release_step(team, dart__port_nodes_gather(team, result, count));
    ret = step_status(team);
    if (ret != DART_OK)
      return ret;
    for (int32_t u = 0; u < team->nunits; u++)
      memcpy((char *)recv + (size_t)u * nbytes + at, result + (size_t)team->rank[u] * count, count);
  }
  return DART_OK;
}

/* ---- reductions ------------------------------------------------------------------------- */

typedef struct {
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size;  /* bytes of an element */
  int32_t          root;
} reduction_t;

static bool is_receiver(const dart__team_t *team, const reduction_t *r)
{
  return r->root == DART__EVERY_UNIT || r->root == team->me;
}

/* Combine elements [from, to) of the slots of all the node's units into `result`. The order is
 * the same wherever it is done, so results agree bit by bit. */
static void combine_slots(char *const first_slot, size_t slot_bytes, uint32_t nunits, char *result,
                          size_t from, size_t to, const reduction_t *r)
{
  size_t start = from * r->size;

  if (from >= to)
    return;
  memcpy(result + start, first_slot + (nunits - 1) * slot_bytes + start, (to - from) * r->size);
  for (uint32_t u = nunits - 1; u-- > 0;)
    dart__op_combine(r->op, r->dtype, first_slot + u * slot_bytes + start, result + start,
                     to - from);
}

/* One piece, one node. Short ones: every receiver combines all slots. Long ones: every unit
 * combines its share into the result, and a second step makes it known. */
static void reduce_on_node(dart__team_t *team, char *recv, size_t nelem, const reduction_t *r)
{
  dart__exchange_t *x      = &team->exchange;
  char             *slots  = dart__exchange_slot(x, 0);
  char             *result = dart__exchange_result(x);
  size_t            share;

  end_step(team);
  if (nelem * r->size <= ALONE_BYTES || r->root != DART__EVERY_UNIT) {
    if (is_receiver(team, r))
      combine_slots(slots, x->slot_bytes, x->nunits, recv, 0, nelem, r);
    return;
  }
  share = (nelem / x->nunits + 2) & ~(size_t)1; /* even: pairs of MINMAX stay together */
  combine_slots(slots, x->slot_bytes, x->nunits, result, least(nelem, x->me * share),
                least(nelem, (x->me + 1) * share), r);
  end_step(team);
  memcpy(recv, result, nelem * r->size);
}

/* One piece, several nodes: leaders combine their node's slots, then one another's results. */
static dart_ret_t reduce_over_nodes(dart__team_t *team, char *recv, size_t nelem,
                                    const reduction_t *r)
{
  dart__exchange_t *x      = &team->exchange;
  char             *slots  = dart__exchange_slot(x, 0);
  char             *result = dart__exchange_result(x);
  dart_ret_t        ret;

  if (end_step(team)) {
    combine_slots(slots, x->slot_bytes, x->nunits, result, 0, nelem, r);
    release_step(team, dart__port_nodes_reduce(team, result, nelem, r->dtype, r->op));
  }
  ret = step_status(team);
  if (ret == DART_OK && is_receiver(team, r))
    memcpy(recv, result, nelem * r->size);
  return ret;
}

static dart_ret_t reduce_commuting(dart__team_t *team, const char *send, char *recv, size_t nelem,
                                   const reduction_t *r)
{
  size_t piece = least(team->exchange.slot_bytes, team->exchange.result_bytes) / r->size;

  piece = piece > 1 ? piece & ~(size_t)1 : piece;
  for (size_t at = 0; at < nelem; at += piece) {
    size_t     count = least(piece, nelem - at);
    char      *into  = is_receiver(team, r) ? recv + at * r->size : NULL;
    dart_ret_t ret   = DART_OK;

    memcpy(dart__exchange_slot(&team->exchange, team->exchange.me), send + at * r->size,
           count * r->size);
    if (team->nnodes == 1)
      reduce_on_node(team, into, count, r);
    else
      ret = reduce_over_nodes(team, into, count, r);
    if (ret != DART_OK)
      return ret;
  }
  return DART_OK;
}

/* Operators that do not commute are applied in team order: gather the operands of as many elements
 * as fit, and fold from the last unit to the first. */
static dart_ret_t reduce_in_order(dart__team_t *team, const char *send, char *recv, size_t nelem,
                                  const reduction_t *r)
{
  size_t piece = team->exchange.result_bytes / ((size_t)team->nunits * r->size);

  for (size_t at = 0; at < nelem; at += piece) {
    size_t     count  = least(piece, nelem - at) * r->size;
    char      *result = dart__exchange_result(&team->exchange);
    dart_ret_t ret;

    memcpy(result + (size_t)team->rank[team->me] * count, send + at * r->size, count);
    if (end_step(team))
      release_step(team, dart__port_nodes_gather(team, result, count));
    ret = step_status(team);
    if (ret != DART_OK)
      return ret;
    if (!is_receiver(team, r))
      continue;
    memcpy(recv + at * r->size, result + (size_t)team->rank[team->nunits - 1] * count, count);
    for (int32_t u = team->nunits - 1; u-- > 0;)
      dart__op_combine(r->op, r->dtype, result + (size_t)team->rank[u] * count,
                       recv + at * r->size, count / r->size);
  }
  return DART_OK;
}

dart_ret_t dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                             dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  reduction_t r = { dtype, op, dart__type_find(dtype)->elem_size, root };
  bool        commutes = dart__op_commutes(op);
  size_t      room = commutes ? least(team->exchange.slot_bytes, team->exchange.result_bytes)
                              : team->exchange.result_bytes / (size_t)team->nunits;

  if (team->nunits == 1) {
    if (send != recv)
      memcpy(recv, send, nelem * r.size);
    return DART_OK;
  }
  if (r.size > room) {
    dart__error("reduce: an element of %zu bytes exceeds %zu, see DART_SLOT", r.size, room);
    return DART_ERR_NOMEM;
  }
  return commutes ? reduce_commuting(team, send, recv, nelem, &r)
                  : reduce_in_order(team, send, recv, nelem, &r);
}

dart_ret_t dart__coll_agree(dart__team_t *team, dart_ret_t mine)
{
  int        worst = mine;
  dart_ret_t ret   = dart__coll_reduce(team, &worst, &worst, 1, DART_TYPE_INT, DART_OP_MAX,
                                       DART__EVERY_UNIT);

  return ret != DART_OK ? ret : (dart_ret_t)worst;
}
