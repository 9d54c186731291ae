/* Collectives through the exchange: see staged.h. */
#include "coll/staged.h"

#include "base/copy.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/size.h"
#include "coll/nodes.h"
#include "coll/step.h"
#include "data/name.h"
#include "data/op.h"
#include "data/type.h"
#include "model/lost.h"
#include "model/tell.h"

/* Up to this size every unit combines all slots itself, which takes one step less; with two units always, for
 * then it copies less, too. */
#define ALONE_BYTES 512

dart_ret_t dart__coll_barrier(dart__team_t *team)
{
  if (dart__step_end(team)) {
    dart__nodes_barrier(team);
    dart__step_release(team);
  }
  return dart__team_result(team, DART_OK);
}

void dart__coll_node_barrier(dart__team_t *team)
{
  dart__step_end_on_node(team);
}

/* ---- reductions ------------------------------------------------------------------------- */

typedef struct {
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size; /* bytes of an element */
  int32_t          root;
} reduction_t;

static bool is_receiver(const dart__team_t *team, const reduction_t *r)
{
  return r->root == DART__EVERY_UNIT || r->root == team->me;
}

/* What all the node's units have written. */
typedef struct {
  const char *first;
  size_t      bytes; /* from a slot to the next */
  uint32_t    nunits;
  uint32_t    me;
  const char *own; /* what the slot of the caller has, in private memory; or NULL */
} slots_t;

static slots_t slots_of(const dart__exchange_t *x, const char *own)
{
  return (slots_t){ dart__exchange_slot(x, 0), x->slot_bytes, x->nunits, x->me, own };
}

static const char *operand(const slots_t *slots, uint32_t unit)
{
  return unit == slots->me && slots->own != NULL ? slots->own : slots->first + unit * slots->bytes;
}

/* Combine elements [from, to) of all the node's units into `result`. The order is the same on all units, so
 * results agree bit by bit. */
static void combine_slots(const slots_t *slots, char *result, size_t from, size_t to,
                          const reduction_t *r)
{
  size_t start = from * r->size;

  if (from >= to)
    return;
  dart__copy_bytes(result + start, operand(slots, slots->nunits - 1) + start,
                   (to - from) * r->size);
  for (uint32_t u = slots->nunits - 1; u-- > 0;)
    dart__op_combine(r->op, r->dtype, operand(slots, u) + start, result + start, to - from);
}

/* One piece, one node. Short ones: every receiver combines all slots. Long ones: every unit
 * combines its share of the elements into the result, and a second step publishes it. */
static void reduce_on_node(dart__team_t *team, const char *send, char *recv, size_t nelem,
                           const reduction_t *r)
{
  dart__exchange_t *x     = &team->exchange;
  slots_t           slots = slots_of(x, send == recv ? NULL : send);
  char             *result;
  size_t            share;

  dart__step_end(team);
  if (dart__team_is_broken(team))
    return;
  if (nelem * r->size <= ALONE_BYTES || x->nunits == 2 || r->root != DART__EVERY_UNIT) {
    if (is_receiver(team, r))
      combine_slots(&slots, recv, 0, nelem, r);
    return;
  }
  share  = (nelem / x->nunits + 2) & ~(size_t)1; /* even: pairs of MINMAX stay together */
  result = dart__exchange_result(x); /* taken in the second step, in which it is written */
  combine_slots(&slots, result, dart__least(nelem, x->me * share),
                dart__least(nelem, (x->me + 1) * share), r);
  dart__step_end(team);
  if (!dart__team_is_broken(team))
    dart__copy_bytes(recv, result, nelem * r->size);
}

/* ---- along the tree of a node ---- */

typedef struct {
  const reduction_t *r;
  size_t             nelem;
} joined_t;

static void combine_own(const void *context, const char *other, char *own)
{
  const joined_t *j = context;

  dart__op_combine(j->r->op, j->r->dtype, other, own, j->nelem);
}

/* One piece: the leader of each group combines what its members have, and takes the result from the next group. */
static void reduce_in_tree(dart__team_t *team, char *recv, size_t nelem, const reduction_t *r)
{
  dart__exchange_t *x      = &team->exchange;
  joined_t          joined = { r, nelem };
  dart__tree_data_t data = { dart__exchange_slot(x, 0), x->slot_bytes, nelem * r->size, combine_own,
                             &joined };
  char             *result = dart__exchange_result(x);

  if (dart__step_join(team, &data)) {
    if (team->nnodes > 1) { /* the leader's slot is the first */
      dart__nodes_reduce(team, data.slots, result, nelem, r->dtype, r->op,
                         r->root == DART__EVERY_UNIT ? DART__EVERY_UNIT
                                                     : dart__team_node_of(team, r->root));
      dart__copy_bytes(data.slots, result, data.nbytes);
    }
    dart__step_release(team);
  }
  if (is_receiver(team, r) && !dart__team_is_broken(team))
    dart__copy_bytes(recv, dart__tree_result(&x->tree, &data), data.nbytes);
}

/* One piece, several nodes: leaders combine their node's slots, then one another's results. */
static void reduce_over_nodes(dart__team_t *team, char *recv, size_t nelem, const reduction_t *r)
{
  dart__exchange_t *x      = &team->exchange;
  slots_t           slots  = slots_of(x, NULL);
  char             *result = dart__exchange_result(x);

  if (dart__step_end(team)) {
    combine_slots(&slots, result, 0, nelem, r);
    dart__nodes_reduce(team, result, result, nelem, r->dtype, r->op,
                       r->root == DART__EVERY_UNIT ? DART__EVERY_UNIT
                                                   : dart__team_node_of(team, r->root));
    dart__step_release(team);
  }
  if (is_receiver(team, r) && !dart__team_is_broken(team))
    dart__copy_bytes(recv, result, nelem * r->size);
}

static void reduce_commuting(dart__team_t *team, const char *send, char *recv, size_t nelem,
                             const reduction_t *r)
{
  size_t piece = dart__least(team->exchange.slot_bytes, team->exchange.result_bytes) / r->size;

  piece = piece > 1 ? piece & ~(size_t)1 : piece;
  for (size_t at = 0; at < nelem; at += piece) {
    size_t count = dart__least(piece, nelem - at);
    char  *into  = is_receiver(team, r) ? recv + at * r->size : NULL;

    dart__copy_bytes(dart__exchange_slot(&team->exchange, team->exchange.me), send + at * r->size,
                     count * r->size);
    if (dart__step_is_tree(team, count * r->size))
      reduce_in_tree(team, into, count, r);
    else if (team->nnodes == 1)
      reduce_on_node(team, send + at * r->size, into, count, r);
    else
      reduce_over_nodes(team, into, count, r);
  }
}

/* Operators that do not commute are applied in team order: gather the operands of as many elements
 * as fit, and fold from the last unit to the first. */
static void reduce_in_order(dart__team_t *team, const char *send, char *recv, size_t nelem,
                            const reduction_t *r)
{
  size_t piece = team->exchange.result_bytes / ((size_t)team->nunits * r->size);

  for (size_t at = 0; at < nelem; at += piece) {
    size_t count  = dart__least(piece, nelem - at) * r->size;
    char  *result = dart__exchange_result(&team->exchange);

    dart__copy_bytes(result + (size_t)dart__team_rank(team, team->me) * count, send + at * r->size,
                     count);
    if (dart__step_end(team)) {
      dart__nodes_allgather(team, result, dart__step_blocks(team, count));
      dart__step_release(team);
    }
    if (!is_receiver(team, r) || dart__team_is_broken(team))
      continue;
    dart__copy_bytes(recv + at * r->size,
                     result + (size_t)dart__team_rank(team, team->nunits - 1) * count, count);
    for (int32_t u = team->nunits - 1; u-- > 0;)
      dart__op_combine(r->op, r->dtype, result + (size_t)dart__team_rank(team, u) * count,
                       recv + at * r->size, count / r->size);
  }
}

dart_ret_t dart__staged_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                               dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  reduction_t r        = { dtype, op, dart__type_find(dtype)->elem_size, root };
  bool        commutes = dart__op_commutes(op);
  size_t      room;

  if (commutes)
    dart__step_make_room(team, nelem * r.size);
  else
    dart__step_make_room_for_all(team, nelem * r.size);
  room = commutes ? dart__least(team->exchange.slot_bytes, team->exchange.result_bytes)
                  : team->exchange.result_bytes / (size_t)team->nunits;

  if (team->nnodes > 1)
    room = dart__least(room, DART__NODES_ELEMENT);
  if (r.size > room)
    return dart__fail(DART_ERR_NOMEM, "%s: an element of %zu bytes, of type %s, exceeds %zu",
                      dart__call, r.size, dart__type_text(dtype).text, room);
  if (commutes)
    reduce_commuting(team, send, recv, nelem, &r);
  else
    reduce_in_order(team, send, recv, nelem, &r);
  return dart__team_result(team, DART_OK);
}

void dart__coll_most(dart__team_t *team, unsigned long *values, size_t count)
{
  reduction_t r = { DART_TYPE_ULONG, DART_OP_MAX, sizeof *values, DART__EVERY_UNIT };

  dart__team_forget_call(team);
  if (team->nunits > 1)
    reduce_commuting(team, (const char *)values, (char *)values, count, &r);
}

dart_ret_t dart__coll_agree(dart__team_t *team, dart_ret_t mine)
{
  unsigned long worst = mine;

  dart__coll_most(team, &worst, 1);
  return dart__team_result(team, (dart_ret_t)worst);
}

dart_ret_t dart__coll_refused(const char *function, const dart__team_t *team, dart_ret_t mine,
                              dart_ret_t worst, uint64_t value)
{
  if (worst == DART_ERR_INVAL && mine == DART_OK)
    dart__error("%s: refused: units of team %d give different arguments, or one a wrong one; "
                "this one %llu",
                function, team->id, (unsigned long long)value);
  else if (worst != DART_OK && worst != DART_ERR_UNIT_LOST && mine == DART_OK &&
           !dart__was_told(dart__team_call_number(team)))
    dart__error("%s: it has failed on another unit of team %d", function, team->id);
  return worst;
}

dart_ret_t dart__coll_agree_on(const char *function, dart__team_t *team, dart_ret_t mine,
                               const uint64_t values[2])
{
  unsigned long most[5] = { mine, values[0], ~values[0], values[1], ~values[1] };
  bool          is_same;

  dart__coll_most(team, most, 5);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  is_same = most[1] == ~most[2];
  if (most[0] == DART_OK && !(is_same && most[3] == ~most[4]))
    most[0] = DART_ERR_INVAL;
  return dart__coll_refused(function, team, mine, (dart_ret_t)most[0], values[is_same ? 1 : 0]);
}
