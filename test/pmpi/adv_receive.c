/* Messages that are received: into memory of the adversary, so that the program's buffer holds
 * poison until its request is complete, and then nothing but the message is new in it. Probes say
 * "no" a few times. */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "adversary.h"

typedef struct {
  adv_buffer_t result;
  char        *packed; /* what comes; NULL: it goes to the buffer at once */
} receive_t;

/* ---- requests --------------------------------------------------------------------------- */

/* What came, and what was there before in the rest. */
static void deliver(receive_t *receive, const MPI_Status *status)
{
  MPI_Count nbytes = 0;
  int       cancelled;

  PMPI_Test_cancelled(status, &cancelled);
  if (!cancelled)
    PMPI_Get_elements_x(status, MPI_BYTE, &nbytes);
  adv_result_check(&receive->result);
  if (receive->result.copy != NULL)
    memcpy(receive->result.copy, receive->packed, (size_t)nbytes);
  adv_result_restore(&receive->result);
}

static bool advance(adv_request_t *r, MPI_Status *status)
{
  receive_t *receive = r->what;

  if (!adv_advance_real(r, status))
    return false;
  if (receive->packed != NULL)
    deliver(receive, status);
  adv_buffer_close(&receive->result);
  return true;
}

static void finish(adv_request_t *r)
{
  receive_t *receive = r->what;

  free(receive->packed);
  free(receive);
}

static void release(adv_request_t *r, MPI_Request *request)
{
  (void)request;
  adv_refuse("the adversary cannot follow a receive (%s) whose request is freed", r->call);
}

static void cancel(adv_request_t *r, MPI_Request *request)
{
  (void)r;
  PMPI_Cancel(request);
}

static const adv_request_class_t receive_class = { advance, finish, release, cancel };

/* Where MPI is to receive. With the lock held. */
static receive_t *open_receive(void **buffer, int *count, MPI_Datatype *type)
{
  receive_t *receive = calloc(1, sizeof *receive);

  if (*count < 0)
    adv_refuse("count %d", *count);
  if (!adv_type_is_usable(*type))
    adv_refuse("the datatype was not committed, or is gone");
  adv_result_open(&receive->result, *buffer, *count, *type);
  if (receive->result.copy != NULL && receive->result.nbytes <= INT_MAX) {
    receive->packed = malloc(receive->result.nbytes);
    *buffer         = receive->packed;
    if (!receive->result.is_dense) {
      *count = (int)receive->result.nbytes;
      *type  = MPI_PACKED;
    }
  }
  return receive;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  receive_t *receive;
  int        ret;

  if (from == MPI_PROC_NULL || !adv_enter("MPI_Irecv"))
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  adv_lock();
  receive = open_receive(&buffer, &count, &type);
  ret     = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  adv_request_watch(*request, &receive_class, receive);
  adv_unlock();
  adv_leave();
  return ret;
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request)
{
  receive_t *receive;
  int        ret;

  if (*message == MPI_MESSAGE_NO_PROC || !adv_enter("MPI_Imrecv"))
    return PMPI_Imrecv(buffer, count, type, message, request);
  adv_lock();
  receive = open_receive(&buffer, &count, &type);
  ret     = PMPI_Imrecv(buffer, count, type, message, request);
  adv_request_watch(*request, &receive_class, receive);
  adv_unlock();
  adv_leave();
  return ret;
}

/* ---- probes ----------------------------------------------------------------------------- */

/* Whether this probe says "no". Not many one after the other do. */
static bool is_blind(void)
{
  static _Atomic unsigned times;

  if (!adv_does(ADV_LATER) || !adv_chance(30) || atomic_fetch_add(&times, 1) % 8 == 7)
    return false;
  return true;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
  int ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Iprobe"))
    return PMPI_Iprobe(from, tag, comm, flag, status);
  *flag = 0;
  if (!is_blind())
    ret = PMPI_Iprobe(from, tag, comm, flag, status);
  adv_leave();
  return ret;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
  int ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Improbe"))
    return PMPI_Improbe(from, tag, comm, flag, message, status);
  *flag = 0;
  if (!is_blind())
    ret = PMPI_Improbe(from, tag, comm, flag, message, status);
  adv_leave();
  return ret;
}

ADV_PLAIN(MPI_Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status),
          (from, tag, comm, status));
ADV_PLAIN(MPI_Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
          (from, tag, comm, message, status));
ADV_PLAIN(MPI_Recv,
          (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
           MPI_Status *status),
          (buffer, count, type, from, tag, comm, status));
ADV_PLAIN(MPI_Mrecv,
          (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
          (buffer, count, type, message, status));
