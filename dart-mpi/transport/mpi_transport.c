/* See mpi_transport.h. A transport request is an MPI_Request, kept as a number. */
#include "transport/mpi_transport.h"

#include <string.h>

#include "mpi/call.h"

struct dart__transport {
  MPI_Comm comm;
  int32_t  npeers;
};

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "a request of MPI is a number of 64 bits");

dart__transport_t *dart__transport_over(MPI_Comm comm)
{
  static dart__transport_t transport;
  int                      size;

  DART__MPI(MPI_Comm_size, comm, &size);
  transport = (dart__transport_t){ comm, size };
  return &transport;
}

int32_t dart__transport_npeers(const dart__transport_t *transport)
{
  return transport->npeers;
}

dart__transport_request_t dart__transport_request_of(MPI_Request mpi_request)
{
  dart__transport_request_t request = { 0 };

  memcpy(&request.id, &mpi_request, sizeof mpi_request);
  return request;
}

static MPI_Request unwrap(const dart__transport_request_t *request)
{
  MPI_Request mpi_request;

  memcpy(&mpi_request, &request->id, sizeof mpi_request);
  return mpi_request;
}

static bool is_done(const dart__transport_request_t *request)
{
  return request->id == DART__TRANSPORT_DONE.id;
}

void dart__transport_send(dart__transport_t *transport, int32_t peer, dart__channel_t channel,
                          const void *data, size_t nbytes, dart__transport_request_t *request_out)
{
  MPI_Request request;

  DART__MPI(MPI_Isend, data, (int)nbytes, MPI_BYTE, peer, (int)channel, transport->comm, &request);
  if (request_out != NULL)
    *request_out = dart__transport_request_of(request);
  else /* the peer's acknowledgement shows that the message was received */
    DART__MPI(MPI_Request_free, &request);
}

void dart__transport_recv(dart__transport_t *transport, int32_t peer, dart__channel_t channel,
                          void *buffer, size_t nbytes, dart__transport_request_t *request_out)
{
  MPI_Request request;

  DART__MPI(MPI_Irecv, buffer, (int)nbytes, MPI_BYTE,
            peer == DART__TRANSPORT_ANY_PEER ? MPI_ANY_SOURCE : peer, (int)channel, transport->comm,
            &request);
  *request_out = dart__transport_request_of(request);
}

/* A request is complete, with this status. */
static void note_completion(dart__transport_request_t *request, MPI_Status *status,
                            int32_t *peer_out, size_t *nbytes_out)
{
  int nbytes;

  *request = DART__TRANSPORT_DONE;
  if (peer_out != NULL)
    *peer_out = status->MPI_SOURCE;
  if (nbytes_out != NULL) {
    DART__MPI(MPI_Get_count, status, MPI_BYTE, &nbytes);
    *nbytes_out = (size_t)nbytes;
  }
}

bool dart__transport_test(dart__transport_t *transport, dart__transport_request_t *request,
                          int32_t *peer_out, size_t *nbytes_out)
{
  MPI_Request mpi_request;
  MPI_Status  status;
  int         done;

  (void)transport;
  if (is_done(request))
    return true;
  mpi_request = unwrap(request);
  DART__MPI(MPI_Test, &mpi_request, &done, &status);
  if (done)
    note_completion(request, &status, peer_out, nbytes_out);
  return done;
}

/* MPI makes progress once for all of them, and that is what a test costs. */
int dart__transport_test_any(dart__transport_t               *transport,
                             dart__transport_request_t *const request[], int count,
                             int32_t *peer_out, size_t *nbytes_out)
{
  MPI_Request mpi_request[DART__TRANSPORT_TEST_MOST];
  MPI_Status  status;
  int         index, done;

  (void)transport;
  for (int i = 0; i < count; i++)
    mpi_request[i] = unwrap(request[i]);
  DART__MPI(MPI_Testany, count, mpi_request, &index, &done, &status);
  if (!done || index == MPI_UNDEFINED)
    return -1;
  note_completion(request[index], &status, peer_out, nbytes_out);
  return index;
}

void dart__transport_cancel(dart__transport_t *transport, dart__transport_request_t *request)
{
  MPI_Request mpi_request = unwrap(request);

  (void)transport;
  if (is_done(request))
    return;
  DART__MPI(MPI_Cancel, &mpi_request);
  DART__MPI(MPI_Wait, &mpi_request, MPI_STATUS_IGNORE);
  *request = DART__TRANSPORT_DONE;
}
