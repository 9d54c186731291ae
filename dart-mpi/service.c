/* Messages of the service: received in order, handled, answered; see service.h.
 *
 * Receiving is behind one lock, so that batches are applied in the order in which they came. Who
 * finds it taken goes on: another thread of the unit is at it, the agent perhaps.
 *
 * A batch that comes when there is no memory to serve it stays where it is until there is. Of what that
 * takes one piece is there from the beginning, and comes back, so this is soon. */
#include "service.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/log.h"
#include "model/world.h"

#define RING    16                  /* receives posted */
#define LACK_NS INT64_C(3000000000) /* the longest wait for memory */
#define FEW  4  /* messages that a call which does not wait handles at most, so that others cannot hold it */

typedef struct {
  dart__message_t head;
  uint64_t        words[DART__BATCH_WORDS];
} message_t;

typedef struct {
  MPI_Request request;
  dart_unit_t unit;   /* of what has come */
  size_t      nbytes; /* of it; 0: not here yet */
  message_t   message;
} receive_t;

/* An answer that MPI may still send, or a spare one. */
typedef struct answer {
  struct answer *next;
  MPI_Request    sent;
  message_t      message;
} answer_t;

/* A batch that is applied when its data are here, and those of earlier ones of its unit. */
typedef struct pending {
  struct pending *next;
  dart_unit_t     unit;
  MPI_Request     data[DART__DATA_MOST];
  void           *to[DART__DATA_MOST];
  void           *dropped[DART__DATA_MOST]; /* data that belong nowhere go here; else NULL */
  size_t          nbytes; /* of the message */
  message_t       message;
} pending_t;

/* What was applied of a unit's requests; see dart__message_t. */
typedef struct {
  _Atomic uint32_t applied;
  _Atomic uint64_t refused;
} done_t;

static struct {
  pthread_mutex_t  lock;
  bool             is_open;
  unsigned         head;      /* the next receive to complete */
  receive_t       *ring;
  answer_t        *answering;
  answer_t        *spare;
  pending_t       *pending;   /* in the order in which they came */
  pending_t       *spare_pending; /* for when there is no memory; NULL: in use */
  int64_t          lacks_since;   /* 0: there is memory */
  done_t          *done;      /* [global id] */
  bool             any;       /* requests came, in this drain; */
  bool             raised;    /* and among them notifications */
  _Atomic int64_t  last_ns;   /* when something last came */
} service = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- receiving ring ---------------------------------------------------------------------- */

static void post(receive_t *slot)
{
  slot->nbytes = 0;
  DART__MPI(MPI_Irecv, &slot->message, sizeof slot->message, MPI_BYTE, MPI_ANY_SOURCE,
            DART__TAG_MESSAGE, dart__mpi.service, &slot->request);
}

static dart_ret_t open_ring(void)
{
  service.head = 0;
  service.ring = calloc(RING, sizeof *service.ring);
  if (service.ring == NULL)
    return DART_ERR_NOMEM;
  for (int i = 0; i < RING; i++)
    post(&service.ring[i]);
  return DART_OK;
}

static void close_ring(void)
{
  for (int i = 0; service.ring != NULL && i < RING; i++)
    if (service.ring[i].request != MPI_REQUEST_NULL) {
      DART__MPI(MPI_Cancel, &service.ring[i].request);
      DART__MPI(MPI_Wait, &service.ring[i].request, MPI_STATUS_IGNORE);
    }
  free(service.ring);
  service.ring = NULL;
}

/* ---- answers ----------------------------------------------------------------------------- */

/* NULL: no memory. */
static answer_t *new_answer(void)
{
  answer_t *answer = service.spare;

  if (answer == NULL)
    return malloc(sizeof *answer);
  service.spare = answer->next;
  return answer;
}

static void spare_answer(answer_t *answer)
{
  answer->next  = service.spare;
  service.spare = answer;
}

void dart__service_tell(dart_unit_t unit, dart__message_t *head)
{
  /* acquire: pairs with the release in note_applied, so refused is not older */
  head->applied = atomic_load_explicit(&service.done[unit].applied, memory_order_acquire);
  head->refused = atomic_load_explicit(&service.done[unit].refused, memory_order_relaxed);
}

/* The lock is held: one thread writes. */
static void note_applied(dart_unit_t unit, uint32_t refused)
{
  done_t *done = &service.done[unit];

  atomic_fetch_add_explicit(&done->refused, refused, memory_order_relaxed);
  atomic_fetch_add_explicit(&done->applied, 1, memory_order_release);
}

static void send_answer(dart_unit_t unit, answer_t *answer, size_t nresults)
{
  answer->message.head = (dart__message_t){ .kind = DART__ANSWER };
  dart__service_tell(unit, &answer->message.head);
  DART__MPI(MPI_Isend, &answer->message,
            (int)(sizeof answer->message.head + nresults * sizeof(uint64_t)), MPI_BYTE, unit,
            DART__TAG_MESSAGE, dart__mpi.service, &answer->sent);
  dart__count(DART__COUNT_ANSWER);
  answer->next      = service.answering;
  service.answering = answer;
}

/* Words of requests in a batch of so many bytes; data are announced behind them. */
static size_t request_words(const message_t *batch, size_t nbytes)
{
  return (nbytes - sizeof batch->head) / sizeof batch->words[0] -
         batch->head.ndata * DART__DATA_WORDS;
}

/* Apply a batch of so many bytes, and answer it if it asks for that. `refused`: of its data. False: no
 * memory, nothing was done. */
static bool serve(dart_unit_t unit, const message_t *batch, size_t nbytes, uint32_t refused)
{
  answer_t       *answer = new_answer();
  dart__applied_t applied;

  if (answer == NULL)
    return false;
  applied = dart__owner_apply(batch->words, request_words(batch, nbytes), answer->message.words);
  dart__count(DART__COUNT_APPLIED);
  note_applied(unit, refused + applied.refused);
  service.raised |= applied.raised;
  if (batch->head.is_wanted)
    send_answer(unit, answer, applied.nresults);
  else
    spare_answer(answer);
  return true;
}

static void recycle_answers(void)
{
  for (answer_t **link = &service.answering; *link != NULL;) {
    answer_t *answer = *link;
    int       done;

    DART__MPI(MPI_Test, &answer->sent, &done, MPI_STATUS_IGNORE);
    if (!done) {
      link = &answer->next;
      continue;
    }
    *link = answer->next;
    spare_answer(answer);
  }
}

/* ---- batches that wait ------------------------------------------------------------------- */

static dart__data_t announced(const message_t *batch, size_t nbytes, int i)
{
  dart__data_t data;

  memcpy(&data, batch->words + request_words(batch, nbytes) + (size_t)i * DART__DATA_WORDS,
         sizeof data);
  return data;
}

static pending_t *new_pending(void)
{
  pending_t *pending = malloc(sizeof *pending);

  if (pending == NULL) {
    pending               = service.spare_pending;
    service.spare_pending = NULL;
  }
  return pending;
}

/* With what it has for data that belong nowhere. */
static void delete_pending(pending_t *pending)
{
  for (int i = 0; i < pending->message.head.ndata; i++)
    free(pending->dropped[i]);
  if (service.spare_pending == NULL)
    service.spare_pending = pending;
  else
    free(pending);
}

/* A copy of a batch, with memory for data that belong nowhere. NULL: no memory. */
static pending_t *copy_batch(const receive_t *slot)
{
  pending_t *pending = new_pending();
  bool       lacks   = false;

  if (pending == NULL)
    return NULL;
  pending->next   = NULL;
  pending->unit   = slot->unit;
  pending->nbytes = slot->nbytes;
  memcpy(&pending->message, &slot->message, slot->nbytes);
  for (int i = 0; i < pending->message.head.ndata; i++) {
    dart__data_t data = announced(&pending->message, pending->nbytes, i);

    pending->to[i]      = dart__owner_memory(&data);
    pending->dropped[i] = pending->to[i] == NULL ? malloc(data.nbytes) : NULL;
    if (pending->to[i] == NULL)
      pending->to[i] = pending->dropped[i];
    lacks = lacks || pending->to[i] == NULL;
  }
  if (!lacks)
    return pending;
  delete_pending(pending);
  return NULL;
}

/* Receive the data of a batch where they belong. */
static void receive_data(pending_t *pending)
{
  for (int i = 0; i < pending->message.head.ndata; i++) {
    dart__data_t data = announced(&pending->message, pending->nbytes, i);

    DART__MPI(MPI_Irecv, pending->to[i], (int)data.nbytes, MPI_BYTE, pending->unit, DART__TAG_DATA,
              dart__mpi.service, &pending->data[i]);
  }
}

/* Keep a batch for later. Its data are received from now on, in the order in which they are sent. False:
 * no memory. */
static bool keep(const receive_t *slot)
{
  pending_t  *pending = copy_batch(slot);
  pending_t **link    = &service.pending;

  if (pending == NULL)
    return false;
  while (*link != NULL)
    link = &(*link)->next;
  *link = pending;
  receive_data(pending);
  return true;
}

/* Whether one before `end`, NULL for all, is of the unit. */
static bool is_waited_for(dart_unit_t unit, const pending_t *end)
{
  const pending_t *before = service.pending;

  while (before != end && before->unit != unit)
    before = before->next;
  return before != end;
}

static bool has_data(pending_t *pending)
{
  MPI_Status status[DART__DATA_MOST];
  int        here;

  DART__MPI(MPI_Testall, pending->message.head.ndata, pending->data, &here, status);
  return here;
}

static uint32_t count_dropped(const pending_t *pending)
{
  uint32_t count = 0;

  for (int i = 0; i < pending->message.head.ndata; i++)
    count += pending->dropped[i] != NULL;
  return count;
}

/* Apply those that need not wait any longer, at most so many. */
static void apply_pending(int most)
{
  for (pending_t **link = &service.pending; *link != NULL && most > 0;) {
    pending_t *pending = *link;

    if (is_waited_for(pending->unit, pending) || !has_data(pending) ||
        !serve(pending->unit, &pending->message, pending->nbytes, count_dropped(pending))) {
      link = &pending->next;
      continue;
    }
    *link = pending->next;
    most--;
    delete_pending(pending);
  }
}

/* ---- progress ---------------------------------------------------------------------------- */

static bool has_come(receive_t *slot)
{
  MPI_Status status;
  int        done, nbytes;

  if (slot->nbytes > 0)
    return true;
  DART__MPI(MPI_Test, &slot->request, &done, &status);
  if (!done)
    return false;
  DART__MPI(MPI_Get_count, &status, MPI_BYTE, &nbytes);
  slot->unit   = status.MPI_SOURCE;
  slot->nbytes = (size_t)nbytes;
  return true;
}

/* The unit would wait for ever, so this cannot last. Nearly always it passes. */
static void wait_for_memory(dart_unit_t unit)
{
  int64_t now = dart__now_ns();

  if (service.lacks_since == 0) {
    service.lacks_since = now;
    dart__error("no memory to serve unit %d; waiting for some", unit);
  }
  if (now - service.lacks_since > LACK_NS)
    dart__port_abort(EXIT_FAILURE);
}

/* False: not now, for want of memory. */
static bool handle(const receive_t *slot)
{
  const message_t *message   = &slot->message;
  bool             is_answer = message->head.kind == DART__ANSWER, done;

  dart__lanes_hear(slot->unit, &message->head, is_answer ? message->words : NULL);
  if (message->head.kind == DART__GONE)
    dart__hear_gone(slot->unit, message->words, request_words(message, slot->nbytes));
  if (message->head.kind != DART__REQUESTS)
    return true;
  if (message->head.ndata > 0 || is_waited_for(slot->unit, NULL))
    done = keep(slot);
  else
    done = serve(slot->unit, message, slot->nbytes, 0);
  if (done)
    service.lacks_since = 0;
  else
    wait_for_memory(slot->unit);
  service.any = true;
  return done;
}

/* Handle what has come, in order, at most so many messages; the lock is held. True if others asked for
 * something. After data and notifications the caller looks whether it has what it waits for: two units
 * that exchange data would wait for each other in turns, if each took in all that the other had ahead. */
static bool drain(int most)
{
  bool is_data = false;
  int  left    = most;

  service.any    = false;
  service.raised = false;
  while (!is_data && !service.raised && left-- > 0) {
    receive_t *slot = &service.ring[service.head % RING];

    if (!has_come(slot) || !handle(slot))
      break;
    is_data = slot->message.head.ndata > 0;
    post(slot);
    service.head++;
  }
  if (service.pending != NULL)
    apply_pending(most);
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
      any = drain(waiting ? RING : FEW);
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

/* One of each, so that nobody is served never. */
static bool have_reserves(void)
{
  service.spare_pending = malloc(sizeof *service.spare_pending);
  service.spare         = malloc(sizeof *service.spare);
  if (service.spare != NULL)
    service.spare->next = NULL;
  return service.spare_pending != NULL && service.spare != NULL;
}

dart_ret_t dart__service_open(void)
{
  dart_ret_t ret = DART_OK;

  if (dart__mpi.service == MPI_COMM_NULL)
    DART__MPI(MPI_Comm_dup, dart__mpi.world, &dart__mpi.service);
  service.done = calloc((size_t)dart__world.nunits, sizeof *service.done);
  if (service.done == NULL || !have_reserves())
    ret = DART_ERR_NOMEM;
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
  free(service.spare_pending);
  free(service.done);
  service.spare         = NULL;
  service.spare_pending = NULL;
  service.done = NULL;
  dart__lanes_close();
  dart__pace_close();
}
