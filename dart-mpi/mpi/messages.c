/* See messages.h.
 *
 * A program's message is received by a matched probe, so that its length is known before any byte is written, and
 * several threads may receive at once: the thread that probed a message has it. (Hoefler, Bronevetsky, Barrett, de
 * Supinski, Lumsdaine: Efficient MPI Support for Advanced Hybrid Programming Models, EuroMPI 2010.)
 *
 * Messages of leaders and DART's own share the job's communicator: the tags of the former are team ids, those of the
 * latter lie above them. (MPI promises tags of 15 bits; those that we know have 19 and more.) */
#include "mpi/messages.h"

#include <limits.h>
#include <string.h>

#include "mpi/comm.h"

int dart__mpi_largest_tag(void)
{
  int *largest, found = 0;

  DART__MPI(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  return found ? *largest : 32767; /* what MPI promises */
}

/* ---- channels ------------------------------------------------------------------------------- */

typedef struct {
  MPI_Comm comm;
  int      tag;
} envelope_t;

static inline envelope_t envelope(dart__channel_t channel, int tag)
{
  switch (channel) {
  case DART__CHANNEL_LEADERS:
    return (envelope_t){ dart__comm.world, tag == DART__ANY_TAG ? MPI_ANY_TAG : tag };
  case DART__CHANNEL_OWN: return (envelope_t){ dart__comm.world, INT16_MAX + tag };
  case DART__CHANNEL_PROGRAM:
    return (envelope_t){ dart__comm.messages, tag == DART__ANY_TAG ? MPI_ANY_TAG : tag };
  default: return (envelope_t){ dart__comm.requests, (int)channel };
  }
}

static inline int rank_of(int32_t peer)
{
  return peer == DART__ANY_PEER ? MPI_ANY_SOURCE : peer;
}

/* ---- any number of bytes as an MPI count ------------------------------------------------------ */

#define BLOCK_BITS 30

typedef struct {
  MPI_Datatype type;
  int          count;
} bytes_t;

/* More bytes than an int can count are one element: a row of large blocks, then the rest. */
static bytes_t describe_many(size_t nbytes)
{
  int          counts[2] = { (int)(nbytes >> BLOCK_BITS), (int)(nbytes & ((1 << BLOCK_BITS) - 1)) };
  MPI_Aint     starts[2] = { 0, (MPI_Aint)(nbytes >> BLOCK_BITS << BLOCK_BITS) };
  MPI_Datatype types[2]  = { MPI_DATATYPE_NULL, MPI_BYTE };
  bytes_t      bytes     = { MPI_DATATYPE_NULL, 1 };

  DART__MPI(MPI_Type_contiguous, 1 << BLOCK_BITS, MPI_BYTE, &types[0]);
  DART__MPI(MPI_Type_create_struct, 2, counts, starts, types, &bytes.type);
  DART__MPI(MPI_Type_commit, &bytes.type);
  DART__MPI(MPI_Type_free, &types[0]);
  return bytes;
}

static inline bytes_t describe_bytes(size_t nbytes)
{
  return nbytes <= INT_MAX ? (bytes_t){ MPI_BYTE, (int)nbytes } : describe_many(nbytes);
}

/* Free the datatype; may be called as soon as the operation has started. */
static inline void forget(bytes_t *bytes)
{
  if (bytes->type != MPI_BYTE)
    DART__MPI(MPI_Type_free, &bytes->type);
}

/* ---- sending and receiving ------------------------------------------------------------------- */

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  envelope_t  to    = envelope(channel, tag);
  bytes_t     bytes = describe_bytes(nbytes);
  MPI_Request request;

  (void)comm;
  DART__MPI(MPI_Isend, data, bytes.count, bytes.type, peer, to.tag, to.comm, &request);
  forget(&bytes);
  if (request_out != NULL)
    *request_out = dart__mpi_wrap(request);
  else /* the peer's acknowledgement shows that the message was received */
    DART__MPI(MPI_Request_free, &request);
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out)
{
  envelope_t  from  = envelope(channel, tag);
  bytes_t     bytes = describe_bytes(nbytes);
  MPI_Message message;
  MPI_Request request;

  (void)comm;
  if (claimed != NULL) {
    memcpy(&message, &claimed->id, sizeof message);
    DART__MPI(MPI_Imrecv, buffer, bytes.count, bytes.type, &message, &request);
  } else {
    DART__MPI(MPI_Irecv, buffer, bytes.count, bytes.type, rank_of(peer), from.tag, from.comm,
              &request);
  }
  forget(&bytes);
  *request_out = dart__mpi_wrap(request);
}

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  envelope_t  from = envelope(channel, tag);
  MPI_Message message;
  MPI_Status  status;
  MPI_Count   nbytes;
  int         found;

  (void)comm;
  if (claims)
    DART__MPI(MPI_Improbe, rank_of(peer), from.tag, from.comm, &found, &message, &status);
  else
    DART__MPI(MPI_Iprobe, rank_of(peer), from.tag, from.comm, &found, &status);
  if (!found)
    return false;
  DART__MPI(MPI_Get_elements_x, &status, MPI_BYTE, &nbytes);
  *found_out = (dart__net_message_t){ .peer   = status.MPI_SOURCE,
                                      .tag    = channel == DART__CHANNEL_OWN ? tag : status.MPI_TAG,
                                      .nbytes = (size_t)nbytes };
  if (claims)
    memcpy(&found_out->id, &message, sizeof message);
  return true;
}

_Static_assert(sizeof(MPI_Message) <= sizeof(uint64_t), "a message of MPI is a number of 64 bits");

/* ---- completion ------------------------------------------------------------------------------- */

static inline MPI_Request unwrap(const dart__net_request_t *request)
{
  MPI_Request mpi_request;

  memcpy(&mpi_request, &request->id, sizeof mpi_request);
  return mpi_request;
}

/* MPI makes progress once for all of them, and that is what a test costs. */
int dart__net_test(dart__net_comm_t *comm, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  MPI_Request request[DART__NET_TEST_MOST];
  MPI_Status  status;
  int         index = 0, done, nbytes;

  (void)comm;
  for (int i = 0; i < count; i++)
    request[i] = unwrap(requests[i]);
  if (count == 1)
    DART__MPI(MPI_Test, request, &done, &status);
  else
    DART__MPI(MPI_Testany, count, request, &index, &done, &status);
  if (!done || index == MPI_UNDEFINED)
    return -1;
  *requests[index] = DART__NET_DONE;
  if (message_out != NULL) {
    DART__MPI(MPI_Get_count, &status, MPI_BYTE, &nbytes);
    *message_out = (dart__net_message_t){ .peer   = status.MPI_SOURCE,
                                          .tag    = status.MPI_TAG,
                                          .nbytes = (size_t)nbytes };
  }
  return index;
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  MPI_Request mpi_request = unwrap(request);

  (void)comm;
  if (request->id == DART__NET_DONE.id)
    return;
  DART__MPI(MPI_Cancel, &mpi_request);
  DART__MPI(MPI_Wait, &mpi_request, MPI_STATUS_IGNORE);
  *request = DART__NET_DONE;
}
