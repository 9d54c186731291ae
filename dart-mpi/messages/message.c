/* Messages to far units: MPI's, on a communicator of their own.
 *
 * A receive is a matched probe first, so that the length is known before any byte is written, and
 * several threads may receive at once: the thread that probed a message has it. (Hoefler, Bronevetsky,
 * Barrett, de Supinski, Lumsdaine: Efficient MPI Support for Advanced Hybrid Programming Models, EuroMPI
 * 2010.)
 *
 * The communicator outlives a cycle of init and exit, but messages must not. So every unit counts
 * what it sent to each unit and what it received, and at the end of a cycle it receives the rest.
 *
 * Messages of DART's own, which have negative tags, are all received, and not counted. They go by the communicator of
 * the leaders' messages, with tags above those, which are team ids. (MPI promises tags of 15 bits; those that we know
 * have 19 and more.) */
#include "messages/message.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "port.h"
#include "progress/engine.h"

#define TRIES 1000 /* turns of waiting for memory to drop a message in */

struct dart__far_message {
  enum { WANTED, MATCHED, STARTED } stage; /* of a receive; a send is started */
  MPI_Message matched;
  MPI_Request request;
  MPI_Comm    comm;
  dart_unit_t unit;
  int         tag; /* MPI's */
  void       *buffer;
  size_t      nbytes;  /* of the message sent, or the buffer to receive in */
  size_t      arrived; /* of the message matched */
  void       *dropped; /* room for a message that is too long for `buffer` */
  unsigned    tries;   /* to allocate that */
};

static struct {
  bool             is_open;
  int              largest_tag;
  _Atomic int64_t *sent;     /* unit → messages sent to it in this cycle */
  int64_t         *copy;     /* [nunits], room for the same as plain numbers, for MPI */
  _Atomic int64_t  received; /* from all */
} counts;

/* ---- any number of bytes as an MPI count ------------------------------------------------- */

#define BLOCK_BITS 30

typedef struct {
  MPI_Datatype type;
  int          count;
} bytes_t;

/* More bytes than an int can count are one element: a row of large blocks, then the rest. */
static bytes_t describe_bytes(size_t nbytes)
{
  int          counts[2] = { (int)(nbytes >> BLOCK_BITS), (int)(nbytes & ((1 << BLOCK_BITS) - 1)) };
  MPI_Aint     starts[2] = { 0, (MPI_Aint)(nbytes >> BLOCK_BITS << BLOCK_BITS) };
  MPI_Datatype types[2]  = { MPI_DATATYPE_NULL, MPI_BYTE };
  bytes_t      bytes     = { MPI_BYTE, (int)nbytes };

  if (nbytes <= INT_MAX)
    return bytes;
  bytes.count = 1;
  DART__MPI(MPI_Type_contiguous, 1 << BLOCK_BITS, MPI_BYTE, &types[0]);
  DART__MPI(MPI_Type_create_struct, 2, counts, starts, types, &bytes.type);
  DART__MPI(MPI_Type_commit, &bytes.type);
  DART__MPI(MPI_Type_free, &types[0]);
  return bytes;
}

/* Free the datatype; may be called as soon as the operation has started. */
static void forget(bytes_t *bytes)
{
  if (bytes->type != MPI_BYTE)
    DART__MPI(MPI_Type_free, &bytes->type);
}

/* ---- messages ---------------------------------------------------------------------------- */

static int largest_tag(void)
{
  return counts.largest_tag;
}

static dart__far_message_t *new_message(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                                        dart_ret_t *ret_out)
{
  dart__far_message_t *m = calloc(1, sizeof *m);

  *ret_out = m == NULL ? DART_ERR_NOMEM : DART_OK;
  if (m == NULL) {
    dart__error("no memory for a message to or from unit %d", unit);
    return NULL;
  }
  m->request = MPI_REQUEST_NULL;
  m->comm    = tag < 0 ? dart__comm.world : dart__comm.messages;
  m->unit    = unit;
  m->tag     = tag < 0 ? INT16_MAX - tag : tag;
  m->buffer  = buffer;
  m->nbytes  = nbytes;
  return m;
}

static bool is_counted(const dart__far_message_t *m)
{
  return m->comm == dart__comm.messages;
}

static dart_ret_t message_send(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                               dart__far_message_t **message_out)
{
  dart_ret_t           ret;
  dart__far_message_t *m = new_message(unit, tag, (void *)data, nbytes, &ret);
  bytes_t              bytes;

  if (m == NULL)
    return ret;
  bytes = describe_bytes(nbytes);
  DART__MPI(MPI_Isend, data, bytes.count, bytes.type, unit, m->tag, m->comm, &m->request);
  forget(&bytes);
  /* relaxed, as all of these counts: read after the barrier of dart_exit */
  if (is_counted(m))
    atomic_fetch_add_explicit(&counts.sent[unit], 1, memory_order_relaxed);
  m->stage     = STARTED;
  *message_out = m;
  return DART_OK;
}

static dart_ret_t message_recv(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                               dart__far_message_t **message_out)
{
  dart_ret_t ret;

  *message_out = new_message(unit, tag, buffer, nbytes, &ret);
  return ret;
}

static void message_look(dart_unit_t unit, int tag, dart_message_t *found_out, bool *is_found_out)
{
  MPI_Status status;
  MPI_Count  nbytes;
  int        found;

  DART__MPI(MPI_Iprobe, unit == DART_UNIT_ANY ? MPI_ANY_SOURCE : unit,
            tag == DART_TAG_ANY ? MPI_ANY_TAG : tag, dart__comm.messages, &found, &status);
  *is_found_out = found != 0;
  if (!found)
    return;
  DART__MPI(MPI_Get_elements_x, &status, MPI_BYTE, &nbytes);
  *found_out = (dart_message_t){ .unit   = DART_GLOBAL_UNIT_ID(status.MPI_SOURCE),
                                 .tag    = status.MPI_TAG,
                                 .nbytes = (size_t)nbytes };
}

static void message_forget(dart__far_message_t *message)
{
  free(message);
}

static bool is_too_long(const dart__far_message_t *m)
{
  return m->arrived > m->nbytes;
}

/* Match a message to this receive. False: there is none yet. */
static bool match(dart__far_message_t *m)
{
  MPI_Status status;
  MPI_Count  nbytes;
  int        found;

  DART__MPI(MPI_Improbe, m->unit, m->tag, m->comm, &found, &m->matched, &status);
  if (!found)
    return false;
  DART__MPI(MPI_Get_elements_x, &status, MPI_BYTE, &nbytes);
  m->arrived = (size_t)nbytes;
  m->stage   = MATCHED;
  if (is_counted(m))
    atomic_fetch_add_explicit(&counts.received, 1, memory_order_relaxed);
  return true;
}

/* Another message of this unit and tag may have been matched than was found, if threads receive at once. */
static dart_ret_t message_take(dart_message_t *found, void *buffer, size_t nbytes,
                               dart__far_message_t **message_out)
{
  dart_ret_t           ret;
  dart__far_message_t *m = new_message(found->unit.id, found->tag, buffer, nbytes, &ret);

  *message_out = NULL;
  if (m == NULL)
    return ret;
  if (match(m)) {
    found->nbytes = m->arrived;
    *message_out  = m;
  } else {
    free(m);
  }
  return DART_OK;
}

/* Room for a message that will be dropped. A message that is matched has to be received, for its sender
 * may wait for that; so a lack of memory is retried for a moment. */
static bool find_room_to_drop(dart__far_message_t *m)
{
  m->dropped = malloc(m->arrived);
  if (m->dropped != NULL)
    return true;
  if (m->tries == 0)
    dart__error("no memory to drop a message of %zu bytes", m->arrived);
  if (++m->tries == TRIES)
    dart__port_abort(EXIT_FAILURE);
  return false;
}

static bool start_receive(dart__far_message_t *m)
{
  bytes_t bytes = describe_bytes(m->arrived);

  if (is_too_long(m) && !find_room_to_drop(m)) {
    forget(&bytes);
    return false;
  }
  DART__MPI(MPI_Imrecv, m->dropped != NULL ? m->dropped : m->buffer, bytes.count, bytes.type,
            &m->matched, &m->request);
  forget(&bytes);
  m->stage = STARTED;
  return true;
}

/* Whether the message is complete. */
static bool move_on(dart__far_message_t *m)
{
  int complete;

  if ((m->stage == WANTED && !match(m)) || (m->stage == MATCHED && !start_receive(m)))
    return false;
  DART__MPI(MPI_Test, &m->request, &complete, MPI_STATUS_IGNORE);
  return complete;
}

static dart_ret_t message_test(dart__far_message_t *m, bool *done_out)
{
  dart_ret_t ret = DART_OK;

  *done_out = move_on(m);
  if (!*done_out)
    return DART_OK;
  if (is_too_long(m)) {
    dart__error("a message of %zu bytes from unit %d, tag %d, does not fit the buffer of %zu",
                m->arrived, m->unit, m->tag, m->nbytes);
    ret = DART_ERR_OTHER;
  }
  free(m->dropped);
  free(m);
  return ret;
}

/* ---- life -------------------------------------------------------------------------------- */

void dart__messages_find_largest_tag(void)
{
  int *largest, found = 0;

  DART__MPI(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  counts.largest_tag = found ? *largest : 32767; /* what MPI promises */
}

dart_ret_t dart__messages_open(void)
{
  dart_ret_t ret;

  dart__comm_dup(&dart__comm.messages);
  counts.received = 0;
  counts.sent     = calloc((size_t)dart__world.nunits, sizeof *counts.sent);
  counts.copy     = calloc((size_t)dart__world.nunits, sizeof *counts.copy);
  ret = dart__port_agree(counts.sent != NULL && counts.copy != NULL ? DART_OK : DART_ERR_NOMEM);
  counts.is_open = ret == DART_OK;
  return ret;
}

/* How many messages were sent to this unit in all. Collective. */
static int64_t count_sent(void)
{
  int64_t     count;
  MPI_Request request;

  for (int32_t u = 0; u < dart__world.nunits; u++)
    counts.copy[u] = atomic_load_explicit(&counts.sent[u], memory_order_relaxed);
  DART__MPI(MPI_Ireduce_scatter_block, counts.copy, &count, 1, MPI_INT64_T, MPI_SUM,
            dart__comm.world, &request);
  dart__engine_wait(&request);
  return count;
}

/* Receive one message of any unit, and drop it. */
static void drop_one(void)
{
  dart__far_message_t any   = { .request = MPI_REQUEST_NULL,
                                .comm    = dart__comm.messages,
                                .unit    = MPI_ANY_SOURCE,
                                .tag     = MPI_ANY_TAG };
  uint32_t            turns = 0;

  while (!move_on(&any))
    dart__wait_turn(&turns, &dart__world.wait);
  free(any.dropped);
}

void dart__messages_close(void)
{
  int64_t expected = counts.is_open ? count_sent() : 0;

  while (counts.is_open && counts.received < expected)
    drop_one();
  free(counts.sent);
  free(counts.copy);
  counts.sent    = NULL;
  counts.copy    = NULL;
  counts.is_open = false;
}

static const dart__message_ops_t ops = { .largest_tag = largest_tag,
                                         .send        = message_send,
                                         .recv        = message_recv,
                                         .look        = message_look,
                                         .take        = message_take,
                                         .forget      = message_forget,
                                         .test        = message_test };

const dart__message_ops_t *const dart__messages = &ops;
