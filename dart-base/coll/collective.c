/* Entry points of the collectives: they check the arguments and call the functions of coll/coll.h. */
#include <string.h>

#include <dash/dart/if/dart_communication.h>

#include "base/profile.h"
#include "coll/coll.h"
#include "coll/unmatched.h"
#include "data/name.h"
#include "data/op.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "wait/timed.h"

DART__PROFILED(dart_barrier, dart_bcast, dart_scatter, dart_gather);
DART__PROFILED(dart_allgather, dart_allgatherv, dart_alltoall, dart_allreduce);
DART__PROFILED(dart_reduce);

static bool check_buffer(const char *function, const char *name, const void *buffer, size_t nbytes)
{
  if (buffer != NULL || nbytes == 0)
    return true;
  return dart__fail(false, "%s: %s is NULL for %zu bytes", function, name, nbytes);
}

static bool check_root(const char *function, const dart__team_t *team, dart_team_unit_t root)
{
  if (root.id >= 0 && root.id < team->nunits)
    return true;
  return dart__fail(false, "%s: root %d is not in 0..%d of team %d", function, root.id,
                    team->nunits - 1, team->id);
}

typedef enum {
  BARRIER = 1,
  BCAST,
  SCATTER,
  GATHER,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  REDUCE,
  ALLREDUCE
} call_t;

/* What all units of the team have to pass alike, as a number: other for each call, size and root. It is squared and folded,
 * so that the sum of other numbers is hardly ever the same, as it would be where sizes or roots grow with the unit. */
static inline uint32_t kind_of(call_t call, size_t nbytes, int32_t root)
{
  uint64_t bits = ((uint64_t)nbytes << 4) + call + (uint64_t)(uint32_t)root * 0x9e3779b1u;

  bits *= bits;
  return (uint32_t)(bits ^ bits >> 32);
}

static inline void begin_call(dart__team_t *team, const char *function, call_t call, size_t nbytes,
                              int32_t root)
{
  team->call.function = function;
  team->call.nbytes   = nbytes;
  team->call.root     = root;
  team->call.kind     = kind_of(call, nbytes, root);
  team->call.number++;
  if (team->nnodes > 1 && team->id == DART_TEAM_ALL)
    dart__unmatched_note(team);
}

static inline dart__timed_t begin_timed(dart__team_t *team, const char *function, call_t call,
                                        size_t nbytes, int32_t root)
{
  begin_call(team, function, call, nbytes, root);
  return dart__timed_begin(DART__COUNT_COLLECTIVE);
}

/* The collective that began with begin_timed is over. */
static dart_ret_t ended(const dart__team_t *team, dart__timed_t timed, dart_ret_t ret)
{
  dart__timed_end(DART__COUNT_COLLECTIVE, timed);
  return dart__team_result(team, ret);
}

static __attribute__((noinline)) dart_ret_t timed_barrier(dart__team_t *team)
{
  dart__timed_t timed = dart__timed_begin(DART__COUNT_BARRIER);
  dart_ret_t    ret   = dart__coll_barrier(team);

  dart__timed_end(DART__COUNT_BARRIER, timed);
  return ret;
}

dart_ret_t dart_barrier(dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (team == NULL)
    return DART_ERR_INVAL;
  begin_call(team, __func__, BARRIER, 0, DART__EVERY_UNIT);
  return dart__timed_skips(DART__COUNT_BARRIER) ? dart__coll_barrier(team) : timed_barrier(team);
}

dart_ret_t dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                      dart_team_t teamid)
{
  dart__team_t       *team = dart__check_team(__func__, teamid);
  const dart__type_t *type = dart__check_contiguous(__func__, dtype);
  dart__timed_t       timed;
  size_t              nbytes;

  if (team == NULL || type == NULL || !check_root(__func__, team, root) ||
      !dart__check_nbytes(__func__, nelem, type->elem_size, &nbytes) ||
      !check_buffer(__func__, "buf", buf, nbytes))
    return DART_ERR_INVAL;
  timed = begin_timed(team, __func__, BCAST, nbytes, root.id);
  return ended(team, timed, dart__coll_bcast(team, buf, nbytes, root.id));
}

/* Compute `nbytes` per unit of the team, and check that all units' blocks together fit memory. */
static bool check_blocks(const char *function, const dart__team_t *team, dart_datatype_t dtype,
                         size_t nelem, size_t *nbytes_out)
{
  const dart__type_t *type = dart__check_contiguous(function, dtype);
  size_t              total;

  return team != NULL && type != NULL &&
         dart__check_nbytes(function, nelem, type->elem_size, nbytes_out) &&
         dart__check_nbytes(function, (size_t)team->nunits, *nbytes_out, &total);
}

dart_ret_t dart_scatter(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                        dart_team_unit_t root, dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart__timed_t timed;
  size_t        nbytes;

  if (!check_blocks(__func__, team, dtype, nelem, &nbytes) || !check_root(__func__, team, root) ||
      (team->me == root.id && !check_buffer(__func__, "sendbuf", sendbuf, nbytes)) ||
      !check_buffer(__func__, "recvbuf", recvbuf, nbytes))
    return DART_ERR_INVAL;
  if (nbytes == 0)
    return DART_OK;
  timed = begin_timed(team, __func__, SCATTER, nbytes, root.id);
  return ended(team, timed, dart__coll_scatter(team, sendbuf, recvbuf, nbytes, root.id));
}

dart_ret_t dart_gather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_team_unit_t root, dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart__timed_t timed;
  size_t        nbytes;

  if (!check_blocks(__func__, team, dtype, nelem, &nbytes) || !check_root(__func__, team, root) ||
      (team->me == root.id && !check_buffer(__func__, "recvbuf", recvbuf, nbytes)) ||
      !check_buffer(__func__, "sendbuf", sendbuf, nbytes))
    return DART_ERR_INVAL;
  if (nbytes == 0)
    return DART_OK;
  timed = begin_timed(team, __func__, GATHER, nbytes, root.id);
  return ended(team, timed, dart__coll_gather(team, sendbuf, recvbuf, nbytes, root.id));
}

dart_ret_t dart_allgather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart__timed_t timed;
  size_t        nbytes;

  if (!check_blocks(__func__, team, dtype, nelem, &nbytes) ||
      !check_buffer(__func__, "recvbuf", recvbuf, nbytes))
    return DART_ERR_INVAL;
  if (nbytes == 0)
    return DART_OK;
  if (sendbuf == NULL || sendbuf == recvbuf) /* in place */
    sendbuf = (char *)recvbuf + (size_t)team->me * nbytes;
  timed = begin_timed(team, __func__, ALLGATHER, nbytes, DART__EVERY_UNIT);
  return ended(team, timed, dart__coll_allgather(team, sendbuf, recvbuf, nbytes));
}

/* Check all units' counts and displacements for overflows. */
static bool check_layout(const char *function, const dart__team_t *team, size_t size,
                         const size_t *nelem, const size_t *displs, size_t *total_out)
{
  size_t end, nbytes;

  *total_out = 0;
  for (int32_t u = 0; u < team->nunits; u++) {
    if (__builtin_add_overflow(displs[u], nelem[u], &end))
      return dart__fail(false, "%s: %zu elements from element %zu on are more than memory can hold",
                        function, nelem[u], displs[u]);
    if (!dart__check_nbytes(function, end, size, &nbytes))
      return false;
    nbytes = nelem[u] * size;
    if (__builtin_add_overflow(*total_out, nbytes, total_out))
      return dart__fail(false, "%s: %zu bytes and more from %d units are more than memory can hold",
                        function, nbytes, u + 1);
  }
  return true;
}

dart_ret_t dart_allgatherv(const void *sendbuf, size_t nsendelem, dart_datatype_t dtype,
                           void *recvbuf, const size_t *nrecvelem, const size_t *recvdispls,
                           dart_team_t teamid)
{
  dart__team_t       *team = dart__check_team(__func__, teamid);
  const dart__type_t *type = dart__check_contiguous(__func__, dtype);
  dart__timed_t       timed;
  size_t              total;

  if (team == NULL || type == NULL)
    return DART_ERR_INVAL;
  if (nrecvelem == NULL || recvdispls == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: %s is NULL", __func__,
                      nrecvelem == NULL ? "nrecvelem" : "recvdispls");
  if (nsendelem != nrecvelem[team->me])
    return dart__fail(DART_ERR_INVAL, "%s: nsendelem is %zu, but nrecvelem[%d] of this unit is %zu",
                      __func__, nsendelem, team->me, nrecvelem[team->me]);
  if (!check_layout(__func__, team, type->elem_size, nrecvelem, recvdispls, &total) ||
      !check_buffer(__func__, "recvbuf", recvbuf, total))
    return DART_ERR_INVAL;
  if (total == 0)
    return DART_OK;
  if (sendbuf == NULL || sendbuf == recvbuf) /* in place, or nothing to send */
    sendbuf = (char *)recvbuf + recvdispls[team->me] * type->elem_size;
  timed = begin_timed(team, __func__, ALLGATHERV, total, DART__EVERY_UNIT);
  return ended(
      team, timed,
      dart__coll_allgatherv(team, sendbuf, recvbuf, nrecvelem, recvdispls, type->elem_size));
}

dart_ret_t dart_alltoall(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);
  dart__timed_t timed;
  size_t        nbytes;

  if (!check_blocks(__func__, team, dtype, nelem, &nbytes) ||
      !check_buffer(__func__, "recvbuf", recvbuf, nbytes))
    return DART_ERR_INVAL;
  timed = begin_timed(team, __func__, ALLTOALL, nbytes, DART__EVERY_UNIT);
  return ended(team, timed,
               dart__coll_alltoall(team, sendbuf == NULL ? recvbuf : sendbuf, recvbuf, nbytes));
}

/* Reduce to one unit or, if `root` is DART__EVERY_UNIT, to all. */
static dart_ret_t reduce(const char *function, const void *sendbuf, void *recvbuf, size_t nelem,
                         dart_datatype_t dtype, dart_operation_t op, dart__team_t *team,
                         int32_t root)
{
  const dart__type_t *type = dart__check_contiguous(function, dtype);
  dart__timed_t       timed;
  size_t              nbytes;

  if (team == NULL || type == NULL)
    return DART_ERR_INVAL;
  if (!dart__op_reduces(op, dtype, nelem))
    return dart__fail(DART_ERR_INVAL, "%s: operation %s does not reduce %zu elements of type %s",
                      function, dart__op_text(op).text, nelem, dart__type_text(dtype).text);
  if (!dart__check_nbytes(function, nelem, type->elem_size, &nbytes) ||
      !check_buffer(function, "sendbuf", sendbuf, nbytes) ||
      ((root == DART__EVERY_UNIT || root == team->me) &&
       !check_buffer(function, "recvbuf", recvbuf, nbytes)))
    return DART_ERR_INVAL;
  if (nelem == 0)
    return DART_OK;
  timed = begin_timed(team, function, root == DART__EVERY_UNIT ? ALLREDUCE : REDUCE, nbytes, root);
  return ended(team, timed, dart__coll_reduce(team, sendbuf, recvbuf, nelem, dtype, op, root));
}

dart_ret_t dart_allreduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_operation_t op, dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  return reduce(__func__, sendbuf, recvbuf, nelem, dtype, op, team, DART__EVERY_UNIT);
}

dart_ret_t dart_reduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_operation_t op, dart_team_unit_t root, dart_team_t teamid)
{
  dart__team_t *team = dart__check_team(__func__, teamid);

  if (team == NULL || !check_root(__func__, team, root))
    return DART_ERR_INVAL;
  return reduce(__func__, sendbuf, recvbuf, nelem, dtype, op, team, root.id);
}
