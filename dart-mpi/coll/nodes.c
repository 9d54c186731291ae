/* Between nodes: non-blocking MPI collectives of the leaders, waited for like everything else, so
 * that a leader serves far requests meanwhile. */
#include <pthread.h>

#include "data/op.h"
#include "memory/team.h"
#include "mpi/comm.h"
#include "port.h"

static MPI_Comm leaders(const dart__team_t *team)
{
  return dart__team_port(team)->leaders;
}

static void nodes_barrier(dart__team_t *team)
{
  MPI_Request request;

  DART__MPI(MPI_Ibarrier, leaders(team), &request);
  dart__mpi_wait_by(&team->wait, &request);
}

static void nodes_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  MPI_Request request;

  DART__MPI(MPI_Ibcast, buffer, (int)nbytes, MPI_BYTE, root, leaders(team), &request);
  dart__mpi_wait_by(&team->wait, &request);
}

/* The parts of a buffer as MPI takes them; they fit an int, for the buffers are an exchange's. */
static void describe(const dart__team_t *team, const size_t *starts)
{
  dart__team_port_t *port = dart__team_port(team);

  for (int32_t k = 0; k < team->nnodes; k++) {
    port->starts[k] = (int)starts[k];
    port->counts[k] = (int)(starts[k + 1] - starts[k]);
  }
}

static void nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  dart__team_port_t *port = dart__team_port(team);
  MPI_Request        request;

  describe(team, starts);
  DART__MPI(MPI_Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, port->counts, port->starts,
            MPI_BYTE, port->leaders, &request);
  dart__mpi_wait_by(&team->wait, &request);
}

static void nodes_gather(dart__team_t *team, void *buffer, const size_t *starts, int32_t root)
{
  dart__team_port_t *port = dart__team_port(team);
  const void        *own  = team->node == root ? MPI_IN_PLACE : (char *)buffer + starts[team->node];
  MPI_Request        request;

  describe(team, starts);
  DART__MPI(MPI_Igatherv, own, port->counts[team->node], MPI_BYTE, buffer, port->counts,
            port->starts, MPI_BYTE, root, port->leaders, &request);
  dart__mpi_wait_by(&team->wait, &request);
}

static void nodes_scatter(dart__team_t *team, void *buffer, const size_t *starts, int32_t root)
{
  dart__team_port_t *port = dart__team_port(team);
  void              *own  = team->node == root ? MPI_IN_PLACE : (char *)buffer + starts[team->node];
  MPI_Request        request;

  describe(team, starts);
  DART__MPI(MPI_Iscatterv, buffer, port->counts, port->starts, MPI_BYTE, own,
            port->counts[team->node], MPI_BYTE, root, port->leaders, &request);
  dart__mpi_wait_by(&team->wait, &request);
}

static void nodes_swap(dart__team_t *team, int32_t node, const void *send, size_t send_nbytes,
                       void *recv, size_t recv_nbytes)
{
  MPI_Request sent, received;

  DART__MPI(MPI_Irecv, recv, (int)recv_nbytes, MPI_BYTE, node, 0, leaders(team), &received);
  DART__MPI(MPI_Isend, send, (int)send_nbytes, MPI_BYTE, node, 0, leaders(team), &sent);
  dart__mpi_wait_by(&team->wait, &sent);
  dart__mpi_wait_by(&team->wait, &received);
}

/* ---- reductions: MPI moves the operands, DART combines them, so the result is the same as on one
 * node for every type and operator. What to combine, and how, hangs on the MPI datatype. ------ */

typedef struct {
  dart_datatype_t  type;
  dart_operation_t op;
  size_t           nelem; /* DART elements per MPI element: pairs of MINMAX stay together */
} operands_t;

static int            key      = MPI_KEYVAL_INVALID;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
  DART__MPI(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
}

static void combine(void *in, void *inout, int *count, MPI_Datatype *mpi_type)
{
  operands_t *operands;
  int         found;

  DART__MPI(MPI_Type_get_attr, *mpi_type, key, &operands, &found);
  if (found)
    dart__op_combine(operands->op, operands->type, in, inout, (size_t)*count * operands->nelem);
}

static MPI_Datatype make_type(operands_t *operands)
{
  size_t       nbytes = operands->nelem * dart__type_find(operands->type)->elem_size;
  MPI_Datatype type;

  pthread_once(&key_once, make_key);
  DART__MPI(MPI_Type_contiguous, (int)nbytes, MPI_BYTE, &type);
  DART__MPI(MPI_Type_commit, &type);
  DART__MPI(MPI_Type_set_attr, type, key, operands);
  return type;
}

/* Reduced to the first leader and sent from there, so that all have the same bits. */
static void reduce_and_tell(const dart__team_t *team, void *buffer, int count, MPI_Datatype type,
                            MPI_Op op)
{
  MPI_Comm    comm = leaders(team);
  MPI_Request request;
  int         rank;

  DART__MPI(MPI_Comm_rank, comm, &rank);
  DART__MPI(MPI_Ireduce, rank == 0 ? MPI_IN_PLACE : buffer, rank == 0 ? buffer : NULL, count, type,
            op, 0, comm, &request);
  dart__mpi_wait_by(&team->wait, &request);
  DART__MPI(MPI_Ibcast, buffer, count, type, 0, comm, &request);
  dart__mpi_wait_by(&team->wait, &request);
}

static void nodes_reduce(dart__team_t *team, void *buffer, size_t nelem, dart_datatype_t dtype,
                         dart_operation_t dop)
{
  operands_t   operands = { dtype, dop, dop == DART_OP_MINMAX ? 2 : 1 };
  MPI_Datatype type     = make_type(&operands);
  MPI_Op       op;

  DART__MPI(MPI_Op_create, combine, 1, &op);
  reduce_and_tell(team, buffer, (int)(nelem / operands.nelem), type, op);
  DART__MPI(MPI_Op_free, &op);
  DART__MPI(MPI_Type_free, &type);
}

static const dart__nodes_ops_t ops = { .barrier   = nodes_barrier,
                                       .bcast     = nodes_bcast,
                                       .allgather = nodes_allgather,
                                       .gather    = nodes_gather,
                                       .scatter   = nodes_scatter,
                                       .swap      = nodes_swap,
                                       .reduce    = nodes_reduce };

const dart__nodes_ops_t *const dart__nodes = &ops;
