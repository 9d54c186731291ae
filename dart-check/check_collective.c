/* Collectives that move data: the arguments that must be the same on all members are compared before the call, and the
 * source buffers are checked. A call that DART refuses on this unit alone is not compared: DART gets it at once, and
 * says why it is wrong. */
#include "board.h"
#include "bytes.h"
#include "check_type.h"
#include "object.h"
#include "pending.h"
#include "race.h"

static uint64_t operator_number(dart_operation_t op)
{
  return op < DART_OP_LAST ? op : UINT64_C(1) << 32;
}

/* Whether DART accepts the arguments, as far as the header says which are invalid. */
static bool takes_part(dart_team_t team, size_t nelem, dart_datatype_t dtype, int32_t root)
{
  int32_t me;
  size_t  size;

  return dart__check_team(team, &me, &size) && root >= 0 && (size_t)root < size &&
         dart__check_size(dtype) > 0 && nelem >> 46 == 0;
}

/* The call reads `nblocks` blocks at `buffer`, or nothing if `buffer` is NULL. */
static void enter_data(dart_team_t team, size_t nelem, dart_datatype_t dtype, int32_t root,
                       bool has_root, uint64_t op, const void *buffer, size_t nblocks,
                       dart__at_t at)
{
  dart__check_record_t record = { .nelem = nelem, .op = op };

  if (!takes_part(team, nelem, dtype, root))
    return;
  record.type = dart__check_type_number(dtype);
  record.root = has_root ? (uint64_t)root + 1 : 0;
  if (buffer != NULL)
    dart__check_source(buffer, nblocks * nelem * dart__check_size(dtype), at);
  dart__check_enter(team, record, at);
}

static size_t size_of(dart_team_t team)
{
  int32_t me;
  size_t  size = 0;

  dart__check_team(team, &me, &size);
  return size;
}

static bool is_me(dart_team_t team, dart_team_unit_t unit)
{
  int32_t me;
  size_t  size;

  return dart__check_team(team, &me, &size) && me == unit.id;
}

dart_ret_t dart_barrier(dart_team_t team)
{
  dart__check_enter(team, (dart__check_record_t){ .root = 0 }, DART__AT(dart_barrier));
  return pdart_barrier(team);
}

dart_ret_t dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                      dart_team_t team)
{
  if (nelem == 0 || buf != NULL)
    enter_data(team, nelem, dtype, root.id, true, 0, is_me(team, root) ? buf : NULL, 1,
               DART__AT(dart_bcast));
  return pdart_bcast(buf, nelem, dtype, root, team);
}

dart_ret_t dart_scatter(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                        dart_team_unit_t root, dart_team_t team)
{
  bool sends = is_me(team, root);

  if (nelem == 0 || (recvbuf != NULL && (!sends || sendbuf != NULL)))
    enter_data(team, nelem, dtype, root.id, true, 0, sends ? sendbuf : NULL, size_of(team),
               DART__AT(dart_scatter));
  return pdart_scatter(sendbuf, recvbuf, nelem, dtype, root, team);
}

dart_ret_t dart_gather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_team_unit_t root, dart_team_t team)
{
  if (nelem == 0 || (sendbuf != NULL && (!is_me(team, root) || recvbuf != NULL)))
    enter_data(team, nelem, dtype, root.id, true, 0, sendbuf, 1, DART__AT(dart_gather));
  return pdart_gather(sendbuf, recvbuf, nelem, dtype, root, team);
}

dart_ret_t dart_allgather(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_team_t team)
{
  if (nelem == 0 || recvbuf != NULL)
    enter_data(team, nelem, dtype, 0, false, 0, sendbuf == recvbuf ? NULL : sendbuf, 1,
               DART__AT(dart_allgather));
  return pdart_allgather(sendbuf, recvbuf, nelem, dtype, team);
}

/* Whether the arrays are valid; they are the same on all members. */
static bool is_layout(dart_team_t team, size_t nsendelem, const size_t *nrecvelem,
                      const size_t *recvdispls)
{
  int32_t me;
  size_t  size;

  if (nrecvelem == NULL || recvdispls == NULL || !dart__check_team(team, &me, &size) ||
      nrecvelem[me] != nsendelem)
    return false;
  for (size_t i = 0; i < size; i++)
    if (nrecvelem[i] >> 40 != 0 || recvdispls[i] >> 40 != 0)
      return false;
  return true;
}

dart_ret_t dart_allgatherv(const void *sendbuf, size_t nsendelem, dart_datatype_t dtype,
                           void *recvbuf, const size_t *nrecvelem, const size_t *recvdispls,
                           dart_team_t teamid)
{
  dart__check_record_t record = { .type = dart__check_type_number(dtype) };
  size_t               size   = size_of(teamid);

  if (takes_part(teamid, nsendelem, dtype, 0) && recvbuf != NULL &&
      is_layout(teamid, nsendelem, nrecvelem, recvdispls)) {
    record.other = dart__check_hash(0, nrecvelem, size * sizeof *nrecvelem);
    record.other = dart__check_hash(record.other, recvdispls, size * sizeof *recvdispls);
    dart__check_enter(teamid, record, DART__AT(dart_allgatherv));
  }
  return pdart_allgatherv(sendbuf, nsendelem, dtype, recvbuf, nrecvelem, recvdispls, teamid);
}

dart_ret_t dart_allreduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_operation_t op, dart_team_t team)
{
  if (nelem == 0 || (sendbuf != NULL && recvbuf != NULL))
    enter_data(team, nelem, dtype, 0, false, operator_number(op), sendbuf, 1,
               DART__AT(dart_allreduce));
  return pdart_allreduce(sendbuf, recvbuf, nelem, dtype, op, team);
}

dart_ret_t dart_alltoall(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_team_t team)
{
  if (nelem == 0 || recvbuf != NULL)
    enter_data(team, nelem, dtype, 0, false, 0, sendbuf == recvbuf ? NULL : sendbuf, size_of(team),
               DART__AT(dart_alltoall));
  return pdart_alltoall(sendbuf, recvbuf, nelem, dtype, team);
}

dart_ret_t dart_reduce(const void *sendbuf, void *recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_operation_t op, dart_team_unit_t root, dart_team_t team)
{
  if (nelem == 0 || (sendbuf != NULL && (!is_me(team, root) || recvbuf != NULL)))
    enter_data(team, nelem, dtype, root.id, true, operator_number(op), sendbuf, 1,
               DART__AT(dart_reduce));
  return pdart_reduce(sendbuf, recvbuf, nelem, dtype, op, root, team);
}

/* ---- messages ------------------------------------------------------------------------------------- */

/* The place of messages from one unit to another with a tag. */
static dart__check_place_t mail(int32_t from, int32_t to, int tag)
{
  if (from < 0 || to < 0 || (size_t)from >= dart__check.nunits || (size_t)to >= dart__check.nunits)
    return (dart__check_place_t){ .home = -1 };
  return dart__check_thing(to, DART__CALL_dart_send, (uint64_t)from, (uint64_t)to, (uint64_t)tag);
}

dart_ret_t dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit)
{
  dart__check_source(sendbuf, dart__check_extent(dtype, nelem), DART__AT(dart_send));
  dart__check_publish(mail(dart__check.me, unit.id, tag));
  return pdart_send(sendbuf, nelem, dtype, tag, unit);
}

dart_ret_t dart_recv(void *recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit)
{
  dart_ret_t ret = pdart_recv(recvbuf, nelem, dtype, tag, unit);

  if (ret == DART_OK)
    dart__check_take(mail(unit.id, dart__check.me, tag));
  return ret;
}

dart_ret_t dart_recv_any(void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_global_unit_t unit, int tag, dart_message_t *message)
{
  dart_ret_t ret = pdart_recv_any(recvbuf, nelem, dtype, unit, tag, message);

  if (ret == DART_OK)
    dart__check_take(mail(message->unit.id, dart__check.me, message->tag));
  return ret;
}

dart_ret_t dart_sendrecv(const void *sendbuf, size_t send_nelem, dart_datatype_t send_dtype,
                         int send_tag, dart_global_unit_t dest, void *recvbuf, size_t recv_nelem,
                         dart_datatype_t recv_dtype, int recv_tag, dart_global_unit_t src)
{
  dart_ret_t ret;

  dart__check_source(sendbuf, dart__check_extent(send_dtype, send_nelem), DART__AT(dart_sendrecv));
  dart__check_publish(mail(dart__check.me, dest.id, send_tag));
  ret = pdart_sendrecv(sendbuf, send_nelem, send_dtype, send_tag, dest, recvbuf, recv_nelem,
                       recv_dtype, recv_tag, src);
  if (ret == DART_OK)
    dart__check_take(mail(src.id, dart__check.me, recv_tag));
  return ret;
}
