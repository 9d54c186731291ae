/* Messages to far units: MPI's, on a communicator of their own.
 *
 * A receive is a matched probe first, so that the length is known before any byte is written, and
 * several threads may receive at once: who probed a message has it. (Hoefler, Bronevetsky, Barrett,
 * de Supinski, Lumsdaine: Efficient MPI Support for Advanced Hybrid Programming Models, EuroMPI 2010.)
 *
 * The communicator outlives a cycle of init and exit, but messages must not. So every unit counts
 * what it sent to each and what it received, and the last act of a cycle is to receive the rest. */
#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"
#include "mpi_port.h"

struct dart__far_message {
  MPI_Request request;
  bool        started; /* the request is: always when sending, once matched when receiving */
  dart_unit_t unit;
  int         tag;
  void       *buffer;
  size_t      nbytes;  /* of the message sent, or the buffer to receive in */
  void       *dropped; /* a message too long for the buffer goes here */
  dart_ret_t  ret;     /* when the request is complete */
};

static struct {
  bool              is_open;
  int               largest_tag;
  _Atomic int64_t  *sent;     /* unit → messages sent to it in this cycle */
  _Atomic int64_t   received; /* from all */
} mail;

/* ---- any number of bytes as an MPI count ------------------------------------------------- */

#define CHUNK_BITS 30

typedef struct {
  MPI_Datatype type;
  int          count;
} bytes_t;

/* More than an int can count are one element: a row of large chunks, then the rest. */
static dart_ret_t describe(size_t nbytes, bytes_t *bytes_out)
{
  int          counts[2] = { (int)(nbytes >> CHUNK_BITS), (int)(nbytes & ((1 << CHUNK_BITS) - 1)) };
  MPI_Aint     starts[2] = { 0, (MPI_Aint)(nbytes >> CHUNK_BITS << CHUNK_BITS) };
  MPI_Datatype types[2]  = { MPI_DATATYPE_NULL, MPI_BYTE };
  dart_ret_t   ret;

  *bytes_out = (bytes_t){ MPI_BYTE, (int)nbytes };
  if (nbytes <= INT_MAX)
    return DART_OK;
  bytes_out->count = 1;
  ret = DART__MPI(MPI_Type_contiguous, 1 << CHUNK_BITS, MPI_BYTE, &types[0]);
  if (ret != DART_OK)
    return ret;
  ret = DART__MPI(MPI_Type_create_struct, 2, counts, starts, types, &bytes_out->type);
  MPI_Type_free(&types[0]);
  return ret == DART_OK ? DART__MPI(MPI_Type_commit, &bytes_out->type) : ret;
}

/* May be called as soon as the operation has started. */
static void forget(bytes_t *bytes)
{
  if (bytes->type != MPI_BYTE)
    MPI_Type_free(&bytes->type);
}

/* ---- messages ---------------------------------------------------------------------------- */

static dart__far_message_t *new_message(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                                        dart_ret_t *ret_out)
{
  dart__far_message_t *m = NULL;

  *ret_out = DART_ERR_INVAL;
  if (tag > mail.largest_tag) {
    dart__error("tag %d to or from unit %d exceeds %d, the largest of this MPI", tag, unit,
                mail.largest_tag);
    return NULL;
  }
  m        = calloc(1, sizeof *m);
  *ret_out = m == NULL ? DART_ERR_NOMEM : DART_OK;
  if (m == NULL) {
    dart__error("no memory for a message to or from unit %d", unit);
    return NULL;
  }
  m->request = MPI_REQUEST_NULL;
  m->unit    = unit;
  m->tag     = tag;
  m->buffer  = buffer;
  m->nbytes  = nbytes;
  return m;
}

dart_ret_t dart__far_send(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                          dart__far_message_t **message_out)
{
  dart_ret_t           ret;
  dart__far_message_t *m = new_message(unit, tag, (void *)data, nbytes, &ret);
  bytes_t              bytes;

  if (m == NULL)
    return ret;
  ret = describe(nbytes, &bytes);
  if (ret == DART_OK) {
    ret = DART__MPI(MPI_Isend, data, bytes.count, bytes.type, unit, tag, dart__mpi.mail, &m->request);
    forget(&bytes);
  }
  if (ret != DART_OK) {
    free(m);
    return ret;
  }
  /* relaxed, as all of these counts: read after the barrier of dart_exit */
  atomic_fetch_add_explicit(&mail.sent[unit], 1, memory_order_relaxed);
  m->started   = true;
  *message_out = m;
  return DART_OK;
}

dart_ret_t dart__far_recv(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                          dart__far_message_t **message_out)
{
  dart_ret_t ret;

  *message_out = new_message(unit, tag, buffer, nbytes, &ret);
  return ret;
}

/* Receive what was probed; too long a message goes where it does no harm. */
static dart_ret_t start_receive(dart__far_message_t *m, MPI_Message *matched, const MPI_Status *status)
{
  MPI_Count  nbytes;
  bytes_t    bytes;
  dart_ret_t ret = DART__MPI(MPI_Get_elements_x, status, MPI_BYTE, &nbytes);

  if (ret != DART_OK)
    return ret;
  if ((size_t)nbytes > m->nbytes) {
    dart__error("a message of %lld bytes from unit %d, tag %d, does not fit the buffer of %zu",
                (long long)nbytes, m->unit, m->tag, m->nbytes);
    m->ret     = DART_ERR_OTHER;
    m->dropped = malloc((size_t)nbytes);
    if (m->dropped == NULL) {
      dart__error("no memory for the %lld bytes either", (long long)nbytes);
      return DART_ERR_NOMEM;
    }
  }
  ret = describe((size_t)nbytes, &bytes);
  if (ret != DART_OK)
    return ret;
  ret = DART__MPI(MPI_Imrecv, m->dropped != NULL ? m->dropped : m->buffer, bytes.count, bytes.type,
                  matched, &m->request);
  forget(&bytes);
  if (ret == DART_OK)
    atomic_fetch_add_explicit(&mail.received, 1, memory_order_relaxed);
  return ret;
}

dart_ret_t dart__far_message_test(dart__far_message_t *m, bool *done_out)
{
  MPI_Message matched;
  MPI_Status  status;
  int         found = 1, complete = 0;
  dart_ret_t  ret = DART_OK;

  if (!m->started) {
    ret = DART__MPI(MPI_Improbe, m->unit, m->tag, dart__mpi.mail, &found, &matched, &status);
    if (ret == DART_OK && found) {
      ret        = start_receive(m, &matched, &status);
      m->started = true;
    }
  }
  if (ret == DART_OK && found)
    ret = DART__MPI(MPI_Test, &m->request, &complete, MPI_STATUS_IGNORE);
  *done_out = complete || ret != DART_OK;
  if (!*done_out)
    return DART_OK;
  if (ret == DART_OK)
    ret = m->ret;
  free(m->dropped);
  free(m);
  return ret;
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__mail_open(void)
{
  dart_ret_t ret = DART_OK;
  int       *largest, found = 0;

  if (dart__mpi.mail == MPI_COMM_NULL)
    ret = DART__MPI(MPI_Comm_dup, dart__mpi.world, &dart__mpi.mail);
  if (ret == DART_OK)
    ret = DART__MPI(MPI_Comm_get_attr, dart__mpi.mail, MPI_TAG_UB, &largest, &found);
  mail.largest_tag = found ? *largest : 32767; /* what MPI promises */
  mail.received    = 0;
  mail.sent        = calloc((size_t)dart__world.nunits, sizeof *mail.sent);
  if (ret == DART_OK && mail.sent == NULL)
    ret = DART_ERR_NOMEM;
  ret          = dart__port_agree(ret);
  mail.is_open = ret == DART_OK;
  return ret;
}

/* How many messages were sent to this unit in all. */
static dart_ret_t count_sent(int64_t *count_out)
{
  int64_t    *sent = calloc((size_t)dart__world.nunits, sizeof *sent);
  MPI_Request request;
  dart_ret_t  ret = dart__port_agree(sent == NULL ? DART_ERR_NOMEM : DART_OK);

  for (int32_t u = 0; u < dart__world.nunits && ret == DART_OK; u++)
    sent[u] = atomic_load_explicit(&mail.sent[u], memory_order_relaxed);
  if (ret == DART_OK)
    ret = DART__MPI(MPI_Ireduce_scatter_block, sent, count_out, 1, MPI_INT64_T, MPI_SUM,
                    dart__mpi.world, &request);
  if (ret == DART_OK)
    ret = dart__mpi_wait(&request);
  free(sent);
  return ret;
}

/* Receive one message of anyone and drop it; `*any_out`: there was one. */
static dart_ret_t drop_one(bool *any_out)
{
  dart__far_message_t none = { .request = MPI_REQUEST_NULL };
  MPI_Message         matched;
  MPI_Status          status;
  MPI_Count           nbytes;
  int                 found;
  dart_ret_t ret = DART__MPI(MPI_Improbe, MPI_ANY_SOURCE, MPI_ANY_TAG, dart__mpi.mail, &found,
                             &matched, &status);

  *any_out = ret == DART_OK && found;
  if (!*any_out)
    return ret;
  ret = DART__MPI(MPI_Get_elements_x, &status, MPI_BYTE, &nbytes);
  if (ret != DART_OK)
    return ret;
  none.nbytes = (size_t)nbytes;
  none.buffer = malloc((size_t)nbytes);
  if (nbytes > 0 && none.buffer == NULL)
    return DART_ERR_NOMEM;
  ret = start_receive(&none, &matched, &status);
  if (ret == DART_OK)
    ret = dart__mpi_wait(&none.request);
  free(none.buffer);
  return ret;
}

void dart__mail_close(void)
{
  int64_t    expected = 0;
  uint32_t   turns = 0;
  dart_ret_t ret = mail.is_open ? count_sent(&expected) : DART_OK;

  while (ret == DART_OK && mail.received < expected) {
    bool any;

    ret = drop_one(&any);
    if (!any)
      dart__wait_turn(&turns, &dart__world.wait);
  }
  free(mail.sent);
  mail.sent    = NULL;
  mail.is_open = false;
}
