/* See leader_messages.h. */
#include "leaders/leader_messages.h"

#include "base/size.h"
#include "mpi/comm.h"
#include "progress/engine.h"
#include "window/team_windows.h"

#define MOST ((size_t)1 << 30) /* bytes of one message; MPI counts them as int */

/* The leader of a node, as a rank. */
static dart_unit_t leader(const dart__team_t *team, int32_t node)
{
  return team->members[team->unit_at[team->node_start[node]]];
}

static size_t messages(size_t nbytes)
{
  return nbytes == 0 ? 1 : (nbytes + MOST - 1) / MOST;
}

/* The data of message `k`. A block without bytes may be NULL, to which C adds nothing, not even 0. */
static char *data_of(const char *block, size_t k)
{
  return (char *)((uintptr_t)block + k * MOST);
}

static void isend(const dart__team_t *team, int32_t to, const char *send, size_t nbytes, size_t k,
                  MPI_Request *request)
{
  DART__MPI(MPI_Isend, data_of(send, k), (int)dart__in_piece(nbytes, k * MOST, MOST), MPI_BYTE,
            leader(team, to), team->id, dart__comm.world, request);
}

static void irecv(const dart__team_t *team, int32_t from, char *recv, size_t nbytes, size_t k,
                  MPI_Request *request)
{
  DART__MPI(MPI_Irecv, data_of(recv, k), (int)dart__in_piece(nbytes, k * MOST, MOST), MPI_BYTE,
            leader(team, from), team->id, dart__comm.world, request);
}

void dart__nodes_exchange(dart__team_t *team, int32_t to, const void *send, size_t send_nbytes,
                          int32_t from, void *recv, size_t recv_nbytes)
{
  size_t sends    = to == DART__NOBODY ? 0 : messages(send_nbytes);
  size_t receives = from == DART__NOBODY ? 0 : messages(recv_nbytes);

  for (size_t k = 0; k < sends || k < receives; k++) {
    MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;

    if (k < receives)
      irecv(team, from, recv, recv_nbytes, k, &received);
    if (k < sends)
      isend(team, to, send, send_nbytes, k, &sent);
    if (k < receives)
      dart__engine_wait_by(&team->wait, &received);
    if (k < sends)
      dart__engine_wait_by(&team->wait, &sent);
  }
}

/* ---- to or from all others at a time --------------------------------------------------------- */

typedef void transfer_t(const dart__team_t *team, int32_t node, char *block, size_t nbytes,
                        size_t k, MPI_Request *request);

static void send_block(const dart__team_t *team, int32_t node, char *block, size_t nbytes, size_t k,
                       MPI_Request *request)
{
  isend(team, node, block, nbytes, k, request);
}

static void each_block(dart__team_t *team, char *buffer, const size_t *starts, transfer_t *transfer)
{
  MPI_Request *request = dart__team_port(team)->requests;
  bool         more    = true;

  for (size_t k = 0; more; k++) {
    more = false;
    for (int32_t node = 0; node < team->nnodes; node++) {
      size_t nbytes = starts[node + 1] - starts[node];

      request[node] = MPI_REQUEST_NULL;
      if (node != team->node && k < messages(nbytes))
        transfer(team, node, buffer + starts[node], nbytes, k, &request[node]);
      more = more || k + 1 < messages(nbytes);
    }
    for (int32_t node = 0; node < team->nnodes; node++)
      if (request[node] != MPI_REQUEST_NULL)
        dart__engine_wait_by(&team->wait, &request[node]);
  }
}

void dart__nodes_send_blocks(dart__team_t *team, const char *send, const size_t *starts)
{
  each_block(team, (char *)send, starts, send_block); /* which only reads there */
}

void dart__nodes_recv_blocks(dart__team_t *team, char *recv, const size_t *starts)
{
  each_block(team, recv, starts, irecv);
}
