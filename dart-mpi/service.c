/* Messages of the service: received in order, handled, answered; see service.h.
 *
 * Receiving is behind one lock, so that batches are applied in the order in which they came. Who
 * finds it taken goes on: another thread of the unit is at it, the agent perhaps. */
#include "service.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "model/world.h"

#define RING 16 /* receives posted */

typedef struct {
  dart__message_t head;
  uint64_t        words[DART__BATCH_WORDS];
} message_t;

typedef struct {
  MPI_Request request;
  message_t   message;
} receive_t;

/* An answer that MPI may still send, or a spare one. */
typedef struct answer {
  struct answer *next;
  MPI_Request    sent;
  message_t      message;
} answer_t;

static struct {
  pthread_mutex_t  lock;
  bool             is_open;
  unsigned         head;      /* the next receive to complete */
  receive_t       *ring;
  answer_t        *answering;
  answer_t        *spare;
  bool             any;       /* requests came, in this drain */
  _Atomic int64_t  last_ns;   /* when something last came */
} service = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- receiving ring ---------------------------------------------------------------------- */

static dart_ret_t post(receive_t *slot)
{
  return DART__MPI(MPI_Irecv, &slot->message, sizeof slot->message, MPI_BYTE, MPI_ANY_SOURCE, 0,
                   dart__mpi.service, &slot->request);
}

static dart_ret_t open_ring(void)
{
  dart_ret_t ret = DART_OK;

  service.head = 0;
  service.ring = calloc(RING, sizeof *service.ring);
  if (service.ring == NULL)
    return DART_ERR_NOMEM;
  for (int i = 0; i < RING; i++)
    service.ring[i].request = MPI_REQUEST_NULL;
  for (int i = 0; i < RING && ret == DART_OK; i++)
    ret = post(&service.ring[i]);
  return ret;
}

static void close_ring(void)
{
  for (int i = 0; service.ring != NULL && i < RING; i++)
    if (service.ring[i].request != MPI_REQUEST_NULL) {
      MPI_Cancel(&service.ring[i].request);
      MPI_Wait(&service.ring[i].request, MPI_STATUS_IGNORE);
    }
  free(service.ring);
  service.ring = NULL;
}

/* ---- answers ----------------------------------------------------------------------------- */

static answer_t *new_answer(dart_unit_t unit)
{
  answer_t *answer = service.spare;

  if (answer != NULL)
    service.spare = answer->next;
  else
    answer = malloc(sizeof *answer);
  if (answer == NULL) {
    dart__error("no memory to answer unit %d", unit);
    dart__port_abort(EXIT_FAILURE);
  }
  return answer;
}

static void answer_batch(dart_unit_t unit, const message_t *batch, size_t nwords)
{
  answer_t *answer = new_answer(unit);
  size_t    nresults;

  answer->message.head.kind    = DART__ANSWER;
  answer->message.head.refused = dart__owner_apply(batch->words, nwords, answer->message.words,
                                                   &nresults);
  if (DART__MPI(MPI_Isend, &answer->message,
                (int)(sizeof answer->message.head + nresults * sizeof(uint64_t)), MPI_BYTE, unit,
                0, dart__mpi.service, &answer->sent) != DART_OK)
    dart__port_abort(EXIT_FAILURE); /* the unit would wait forever */
  answer->next      = service.answering;
  service.answering = answer;
}

static void recycle_answers(void)
{
  for (answer_t **link = &service.answering; *link != NULL;) {
    answer_t *answer = *link;
    int       done;

    if (DART__MPI(MPI_Test, &answer->sent, &done, MPI_STATUS_IGNORE) == DART_OK && !done) {
      link = &answer->next;
      continue;
    }
    *link         = answer->next;
    answer->next  = service.spare;
    service.spare = answer;
  }
}

/* ---- progress ---------------------------------------------------------------------------- */

static void handle(dart_unit_t unit, const message_t *message, size_t nbytes)
{
  if (message->head.kind == DART__ANSWER) {
    dart__lanes_answer(unit, message->head.refused, message->words);
    return;
  }
  answer_batch(unit, message, (nbytes - sizeof message->head) / sizeof message->words[0]);
  service.any = true;
}

/* Handle what has come, in order; the lock is held. True if others asked for something. */
static bool drain(void)
{
  service.any = false;
  for (;;) {
    receive_t *slot = &service.ring[service.head % RING];
    MPI_Status status;
    int        done, nbytes;

    if (DART__MPI(MPI_Test, &slot->request, &done, &status) != DART_OK || !done)
      break;
    MPI_Get_count(&status, MPI_BYTE, &nbytes);
    handle(status.MPI_SOURCE, &slot->message, (size_t)nbytes);
    if (post(slot) != DART_OK)
      dart__port_abort(EXIT_FAILURE); /* the transport is gone */
    service.head++;
  }
  if (service.answering != NULL)
    recycle_answers();
  if (service.any) /* relaxed: a hint for who decides how long to sleep */
    atomic_store_explicit(&service.last_ns, dart__now_ns(), memory_order_relaxed);
  return service.any;
}

bool dart__service_look(bool waiting)
{
  bool any = false;

  if (pthread_mutex_trylock(&service.lock) == 0) {
    if (service.is_open)
      any = drain();
    pthread_mutex_unlock(&service.lock);
  }
  dart__lanes_send(waiting);
  return any;
}

void dart__service_progress(bool waiting)
{
  /* relaxed, and not one step, for the agent only compares it with what it was */
  atomic_store_explicit(&dart__agent_looks,
                        atomic_load_explicit(&dart__agent_looks, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  dart__service_look(waiting);
}

int64_t dart__service_quiet_ns(void)
{
  return dart__now_ns() - atomic_load_explicit(&service.last_ns, memory_order_relaxed);
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__service_open(void)
{
  dart_ret_t ret = DART_OK;

  if (dart__mpi.service == MPI_COMM_NULL)
    ret = DART__MPI(MPI_Comm_dup, dart__mpi.world, &dart__mpi.service);
  if (ret == DART_OK)
    ret = dart__lanes_open();
  if (ret == DART_OK)
    ret = open_ring();
  if (ret == DART_OK)
    ret = dart__pace_open();
  service.is_open = ret == DART_OK;
  return ret;
}

/* All units have completed their requests, and passed a barrier since. */
void dart__service_close(void)
{
  service.is_open = false;
  while (service.answering != NULL)
    recycle_answers();
  close_ring();
  for (answer_t *answer = service.spare, *next; answer != NULL; answer = next) {
    next = answer->next;
    free(answer);
  }
  service.spare = NULL;
  dart__lanes_close();
  dart__pace_close();
}
