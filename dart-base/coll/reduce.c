/* Reductions of any size: through the exchange; or directly, if there is one unit a node, or much on one
 * node. */
#include "base/copy.h"
#include "coll/coll.h"
#include "coll/direct.h"
#include "coll/nodes.h"
#include "coll/spread.h"
#include "data/op.h"
#include "data/type.h"

dart_ret_t dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                             dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  size_t     size = dart__type_find(dtype)->elem_size;
  dart_ret_t ret;

  if (team->nunits == 1) {
    if (send != recv)
      dart__copy_bytes(recv, send, nelem * size);
    return DART_OK;
  }
  if (dart__direct_may(team, nelem * size, DART__DIRECT_FEW) &&
      dart__direct_reduce(team, send, recv, nelem, dtype, op, root, &ret))
    return ret;
  if (dart__is_spread(team) && dart__op_commutes(op) && size <= DART__NODES_ELEMENT) {
    dart__spread_reduce(team, send, recv, nelem, dtype, op, root);
    return DART_OK;
  }
  return dart__staged_reduce(team, send, recv, nelem, dtype, op, root);
}
