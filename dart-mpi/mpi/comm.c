/* See comm.h. */
#include "mpi/comm.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "model/world.h"
#include "mpi/vendor.h"
#include "net.h"

dart__comm_t dart__comm = { .world    = MPI_COMM_NULL,
                            .node     = MPI_COMM_NULL,
                            .requests = MPI_COMM_NULL,
                            .messages = MPI_COMM_NULL };

/* dartrun --nodes: MPICH divides one machine into nodes by itself. Another MPI finds one node, which DART divides: units
 * go round the nodes, as with MPICH. */
static void divide_node(int nunits, int me)
{
  int nodes = (int)dart__settings.nodes, here;

  DART__MPI(MPI_Comm_size, dart__comm.node, &here);
  if (nodes < 2 || here < nunits)
    return;
  DART__MPI(MPI_Comm_free, &dart__comm.node);
  DART__MPI(MPI_Comm_split, dart__comm.world, me % nodes, me, &dart__comm.node);
  dart__comm.is_divided = true;
}

/* MPI finds the nodes by blocking collectives, in which units that share cores wait for each other's time slices:
 * for a second, if they are 16 on two. It is not asked where all units are told that there is one node. */
static void open_node(int nunits, bool is_one)
{
  int me;

  if (is_one) {
    dart__comm.node = dart__comm.world;
    return;
  }
  DART__MPI(MPI_Comm_rank, dart__comm.world, &me);
  DART__MPI(MPI_Comm_split_type, dart__comm.world, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL,
            &dart__comm.node);
  divide_node(nunits, me);
}

/* The maximum of each value over the units. */
static void most_of(MPI_Comm comm, int *values, int count)
{
  MPI_Request request;

  DART__MPI(MPI_Iallreduce, MPI_IN_PLACE, values, count, MPI_INT, MPI_MAX, comm, &request);
  dart__mpi_wait(&request);
}

dart_ret_t dart__comm_open(int nunits, dart_ret_t mine)
{
  int worst[2] = { (int)mine, !dart__vendor_is_one_node(nunits) };

  if (dart__comm.world == MPI_COMM_NULL) {
    DART__MPI(MPI_Comm_dup, MPI_COMM_WORLD, &dart__comm.world);
    /* duplicates and subsets of it inherit this */
    DART__MPI(MPI_Comm_set_errhandler, dart__comm.world, MPI_ERRORS_RETURN);
  }
  most_of(dart__comm.world, worst, 2);
  if (dart__comm.node == MPI_COMM_NULL)
    open_node(nunits, worst[1] == 0);
  return (dart_ret_t)worst[0];
}

void dart__comm_dup(MPI_Comm *comm)
{
  if (*comm == MPI_COMM_NULL)
    DART__MPI(MPI_Comm_dup, dart__comm.world, comm);
}

void dart__mpi_wait(MPI_Request *request)
{
  dart__turns_t turns = { 0 };
  int           done;

  for (uint32_t looks = 1;; looks++) {
    DART__MPI(MPI_Test, request, &done, MPI_STATUS_IGNORE);
    if (done)
      return;
    if (looks % DART__LOOKS == 0) /* MPI_Test makes MPI's progress, and this call makes DART's */
      dart__wait_turn(&turns, &dart__world.wait);
  }
}

int dart__mpi_most(MPI_Comm comm, int value)
{
  most_of(comm, &value, 1);
  return value;
}

void dart__net_agree(int32_t *values, size_t count)
{
  most_of(dart__comm.world, values, (int)count);
}
