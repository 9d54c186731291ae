/* Atomics from far: requests to the unit that owns the word, applied there by CPU atomics.
 *
 * So near and far atomics on a word are atomic towards each other, which MPI's own accumulates and
 * CPU atomics are not. Requests to one unit are collected in a batch and travel together, in the
 * order they were made; the owner applies a batch whole and answers it with the results. Batches of
 * one unit are answered in order, because MPI delivers messages of one sender in order and both
 * sides receive into a ring of buffers that they handle in the order they were posted.
 *
 *   unit                                      owner
 *   append to the open batch of the lane
 *   full, flushed, or waiting: send     →     serve: apply each request, in order
 *   results to where they belong        ←     answer
 *
 * Nobody blocks here: sends are non-blocking, and who waits for an answer serves meanwhile. At most
 * BATCHES batches are under way between two units, which bounds the buffers of both sides.
 * All state is behind one lock; the owner's memory is touched by CPU atomics alone. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/remote.h"
#include "base/assert.h"
#include "base/log.h"
#include "model/op.h"
#include "model/world.h"
#include "mpi_port.h"
#include "node/atomic.h"

#define BATCH_BYTES ((size_t)16 << 10)
#define BATCHES     8    /* under way between two units */
#define RING        16   /* receives posted for requests, and for answers */
#define AGE_NS      100000 /* a batch that nobody flushed is sent when it is this old */

#define TAG_REQUEST 1
#define TAG_ANSWER  2

enum { ACCUMULATE, FETCH, SWAP };

/* Followed by its operands: nelem elements; value; or value and compare. Padded to 8 bytes. */
typedef struct {
  uint64_t    offset;
  dart_team_t team;
  int16_t     segid;
  uint8_t     kind;
  uint8_t     type;
  uint8_t     op;
  uint8_t     unused;
  uint32_t    nelem;
  uint32_t    nbytes; /* of the operands */
} request_t;

/* Starts an answer, before the results. */
typedef struct {
  uint64_t refused; /* requests of the batch that named no memory */
} answer_t;

typedef struct {
  void    *to;
  uint32_t nbytes;
} result_t;

typedef struct batch {
  struct batch *next;
  MPI_Request   sent;
  size_t        nbytes;
  size_t        nresults;
  struct timespec born;
  result_t      results[BATCH_BYTES / sizeof(request_t)]; /* of FETCH and SWAP, in order */
  char          bytes[BATCH_BYTES];
} batch_t;

/* Towards one unit. */
typedef struct {
  batch_t *open;   /* being collected, or NULL */
  batch_t *first;  /* under way, oldest first */
  batch_t *last;
  unsigned count;  /* under way */
  uint64_t sent;   /* batches, ever */
  uint64_t answered;
  uint64_t refused;
  bool     listed; /* is in service.busy */
} lane_t;

typedef struct answer_sent {
  struct answer_sent *next;
  MPI_Request         sent;
  char                bytes[sizeof(answer_t) + BATCH_BYTES];
} answer_sent_t;

typedef struct {
  MPI_Request request;
  char        bytes[sizeof(answer_t) + BATCH_BYTES];
} receive_t;

typedef struct {
  unsigned   head; /* the next to complete */
  receive_t  slot[RING];
} ring_t;

static struct {
  pthread_mutex_t lock;
  bool            is_open;
  lane_t        **lanes;    /* global id → lane, NULL until it is used */
  dart_unit_t    *busy;     /* units whose lane has something open or under way */
  int32_t         nbusy;
  _Atomic int32_t any_busy; /* nbusy, for a look without the lock */
  ring_t         *requests, *answers;
  answer_sent_t  *answering; /* answers that MPI still sends */
  batch_t        *spare;     /* free batches */
} service = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- receiving rings --------------------------------------------------------------------- */

static dart_ret_t post(receive_t *slot, int tag)
{
  return DART__MPI(MPI_Irecv, slot->bytes, sizeof slot->bytes, MPI_BYTE, MPI_ANY_SOURCE, tag,
                   dart__mpi.service, &slot->request);
}

static dart_ret_t open_ring(ring_t **ring_out, int tag)
{
  ring_t    *ring = calloc(1, sizeof *ring);
  dart_ret_t ret  = ring == NULL ? DART_ERR_NOMEM : DART_OK;

  for (int i = 0; ring != NULL && i < RING; i++)
    ring->slot[i].request = MPI_REQUEST_NULL;
  for (int i = 0; i < RING && ret == DART_OK; i++)
    ret = post(&ring->slot[i], tag);
  *ring_out = ring;
  return ret;
}

static void close_ring(ring_t *ring)
{
  for (int i = 0; ring != NULL && i < RING; i++)
    if (ring->slot[i].request != MPI_REQUEST_NULL) {
      MPI_Cancel(&ring->slot[i].request);
      MPI_Wait(&ring->slot[i].request, MPI_STATUS_IGNORE);
    }
  free(ring);
}

/* Handle what has come in, in order; true if there was anything. */
static bool drain(ring_t *ring, int tag, void (*handle)(int source, const char *bytes, int nbytes))
{
  bool any = false;

  for (;;) {
    receive_t *slot = &ring->slot[ring->head % RING];
    MPI_Status status;
    int        done, nbytes;

    if (DART__MPI(MPI_Test, &slot->request, &done, &status) != DART_OK || !done)
      return any;
    MPI_Get_count(&status, MPI_BYTE, &nbytes);
    handle(status.MPI_SOURCE, slot->bytes, nbytes);
    if (post(slot, tag) != DART_OK)
      dart__port_abort(EXIT_FAILURE); /* the transport is gone */
    ring->head++;
    any = true;
  }
}

/* ---- the owner's side -------------------------------------------------------------------- */

/* Where a request points: into the own part of a segment. */
static bool find_words(const request_t *r, dart__place_t *place_out)
{
  dart__team_t *team = dart__team_find(r->team);
  dart_gptr_t   gptr = { .unitid = 0, .segid = r->segid, .teamid = r->team };

  gptr.unitid              = team == NULL ? 0 : team->me;
  gptr.addr_or_offs.offset = r->offset;
  return dart__locate("request from another node", gptr,
                      r->nelem * dart__type_basic[r->type].elem_size, place_out) == DART_OK;
}

/* Apply one request; its result goes to `result`. Registered memory has no near address, and a way
 * of its own. */
static bool apply(const request_t *r, const char *operands, char *result)
{
  size_t        size = dart__type_basic[r->type].elem_size;
  dart__place_t at;

  if (!find_words(r, &at))
    return false;
  switch (r->kind) {
  case ACCUMULATE:
    if (at.near == NULL)
      return dart__remote_accumulate(&at, operands, r->nelem, r->type, r->op) == DART_OK;
    dart__atomic_accumulate(at.near, operands, r->nelem, r->type, r->op);
    return true;
  case FETCH:
    if (at.near == NULL)
      return dart__remote_fetch(&at, operands, result, r->type, r->op) == DART_OK;
    dart__atomic_fetch(at.near, operands, result, r->type, r->op);
    return true;
  default:
    if (at.near == NULL)
      return dart__remote_swap(&at, operands, operands + size, result, r->type) == DART_OK;
    dart__atomic_swap(at.near, operands, operands + size, result, r->type);
    return true;
  }
}

static void serve(int source, const char *bytes, int nbytes)
{
  answer_sent_t *answer = malloc(sizeof *answer);
  answer_t       head   = { 0 };
  size_t         length = sizeof head;

  if (answer == NULL) {
    dart__error("no memory to answer unit %d", source);
    dart__port_abort(EXIT_FAILURE);
  }
  for (int at = 0; at < nbytes;) {
    request_t   r;
    long double operands[BATCH_BYTES / sizeof(long double)]; /* aligned for any type */
    long double result = 0;

    memcpy(&r, bytes + at, sizeof r);
    memcpy(operands, bytes + at + sizeof r, r.nbytes);
    at += (int)(sizeof r + ((r.nbytes + 7) & ~7u));
    if (!apply(&r, (const char *)operands, (char *)&result))
      head.refused++;
    if (r.kind != ACCUMULATE) {
      memcpy(answer->bytes + length, &result, dart__type_basic[r.type].elem_size);
      length += dart__type_basic[r.type].elem_size;
    }
  }
  memcpy(answer->bytes, &head, sizeof head);
  if (DART__MPI(MPI_Isend, answer->bytes, (int)length, MPI_BYTE, source, TAG_ANSWER,
                dart__mpi.service, &answer->sent) != DART_OK) {
    free(answer);
    return;
  }
  answer->next      = service.answering;
  service.answering = answer;
}

static void release_answers(void)
{
  for (answer_sent_t **link = &service.answering; *link != NULL;) {
    answer_sent_t *answer = *link;
    int            done;

    if (DART__MPI(MPI_Test, &answer->sent, &done, MPI_STATUS_IGNORE) == DART_OK && !done) {
      link = &answer->next;
      continue;
    }
    *link = answer->next;
    free(answer);
  }
}

/* ---- the asking side --------------------------------------------------------------------- */

static lane_t *lane_to(dart_unit_t unit)
{
  if (service.lanes[unit] == NULL)
    service.lanes[unit] = calloc(1, sizeof(lane_t));
  return service.lanes[unit];
}

static void list_busy(dart_unit_t unit, lane_t *lane)
{
  if (lane->listed)
    return;
  lane->listed                  = true;
  service.busy[service.nbusy++] = unit;
  atomic_store_explicit(&service.any_busy, service.nbusy, memory_order_release);
}

static void unlist_idle(void)
{
  for (int32_t i = 0; i < service.nbusy;) {
    lane_t *lane = service.lanes[service.busy[i]];

    if (lane->open != NULL || lane->first != NULL) {
      i++;
      continue;
    }
    lane->listed    = false;
    service.busy[i] = service.busy[--service.nbusy];
  }
  atomic_store_explicit(&service.any_busy, service.nbusy, memory_order_release);
}

static batch_t *new_batch(void)
{
  batch_t *batch = service.spare;

  if (batch != NULL)
    service.spare = batch->next;
  else
    batch = malloc(sizeof *batch);
  if (batch == NULL)
    return NULL;
  batch->next     = NULL;
  batch->sent     = MPI_REQUEST_NULL;
  batch->nbytes   = 0;
  batch->nresults = 0;
  clock_gettime(CLOCK_MONOTONIC, &batch->born);
  return batch;
}

/* Send the lane's open batch. Too many under way: it stays open. */
static dart_ret_t send_open(dart_unit_t unit, lane_t *lane)
{
  batch_t   *batch = lane->open;
  dart_ret_t ret;

  if (batch == NULL || lane->count == BATCHES)
    return DART_OK;
  ret = DART__MPI(MPI_Isend, batch->bytes, (int)batch->nbytes, MPI_BYTE, unit, TAG_REQUEST,
                  dart__mpi.service, &batch->sent);
  if (ret != DART_OK)
    return ret;
  lane->open = NULL;
  if (lane->last != NULL)
    lane->last->next = batch;
  else
    lane->first = batch;
  lane->last = batch;
  lane->count++;
  lane->sent++;
  return DART_OK;
}

/* The answer to the lane's oldest batch. */
static void take_answer(int source, const char *bytes, int nbytes)
{
  lane_t  *lane  = service.lanes[source];
  batch_t *batch = lane->first;
  answer_t head;

  dart__assert(batch != NULL);
  memcpy(&head, bytes, sizeof head);
  lane->refused += head.refused;
  bytes += sizeof head;
  for (size_t i = 0; i < batch->nresults; i++) {
    memcpy(batch->results[i].to, bytes, batch->results[i].nbytes);
    bytes += batch->results[i].nbytes;
  }
  (void)nbytes;

  lane->first = batch->next;
  if (lane->first == NULL)
    lane->last = NULL;
  lane->count--;
  lane->answered++;
  /* the answer is proof that the batch was received, but MPI wants its request back */
  MPI_Wait(&batch->sent, MPI_STATUS_IGNORE);
  batch->next   = service.spare;
  service.spare = batch;
}

/* ---- progress; the lock is held ---------------------------------------------------------- */

static bool is_old(const batch_t *batch)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - batch->born.tv_sec) * 1000000000L + (now.tv_nsec - batch->born.tv_nsec) >
         AGE_NS;
}

static void progress_locked(bool waiting)
{
  drain(service.requests, TAG_REQUEST, serve);
  if (service.nbusy > 0) {
    drain(service.answers, TAG_ANSWER, take_answer);
    for (int32_t i = 0; i < service.nbusy; i++) {
      lane_t *lane = service.lanes[service.busy[i]];

      if (lane->open != NULL && (waiting || is_old(lane->open)))
        send_open(service.busy[i], lane);
    }
    unlist_idle();
  }
  release_answers();
}

void dart__service_progress(bool waiting)
{
  if (pthread_mutex_trylock(&service.lock) != 0)
    return; /* another thread is at it */
  if (service.is_open)
    progress_locked(waiting);
  pthread_mutex_unlock(&service.lock);
}

/* Wait, without the lock, for others to get on. */
static void wait_unlocked(uint32_t *turns)
{
  pthread_mutex_unlock(&service.lock);
  dart__wait_turn(turns, &dart__world.wait);
  pthread_mutex_lock(&service.lock);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Append a request to the lane of its owner. `result` is NULL where there is none. */
static dart_ret_t append(const dart__place_t *at, request_t *r, const void *first,
                         size_t first_bytes, const void *second, size_t second_bytes, void *result)
{
  dart_unit_t unit  = at->team->members[at->unit];
  size_t      room  = sizeof *r + first_bytes + second_bytes + 7;
  uint32_t    turns = 0;
  dart_ret_t  ret   = DART_OK;
  lane_t     *lane;
  batch_t    *batch;

  r->team   = at->team->id;
  r->segid  = at->segment->id;
  r->nbytes = (uint32_t)(first_bytes + second_bytes);

  pthread_mutex_lock(&service.lock);
  lane = lane_to(unit);
  if (lane == NULL)
    goto no_memory;
  while (lane->open != NULL && lane->open->nbytes + room > BATCH_BYTES) {
    ret = send_open(unit, lane);
    if (ret != DART_OK)
      goto unlock;
    if (lane->open != NULL) /* too many under way */
      wait_unlocked(&turns);
  }
  if (lane->open == NULL)
    lane->open = new_batch();
  batch = lane->open;
  if (batch == NULL)
    goto no_memory;
  list_busy(unit, lane);

  memcpy(batch->bytes + batch->nbytes, r, sizeof *r);
  batch->nbytes += sizeof *r;
  if (first_bytes > 0)
    memcpy(batch->bytes + batch->nbytes, first, first_bytes);
  if (second_bytes > 0)
    memcpy(batch->bytes + batch->nbytes + first_bytes, second, second_bytes);
  batch->nbytes += (r->nbytes + 7) & ~(size_t)7;
  if (result != NULL)
    batch->results[batch->nresults++] =
        (result_t){ result, (uint32_t)dart__type_basic[r->type].elem_size };

unlock:
  pthread_mutex_unlock(&service.lock);
  return ret;

no_memory:
  dart__error("no memory for requests to unit %d", unit);
  ret = DART_ERR_NOMEM;
  goto unlock;
}

dart_ret_t dart__far_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                                dart_datatype_t type, dart_operation_t op)
{
  size_t     size  = dart__type_basic[type].elem_size;
  size_t     piece = (BATCH_BYTES - sizeof(request_t) - 8) / 2 / size;
  dart_ret_t ret   = DART_OK;

  for (size_t from = 0; from < nelem && ret == DART_OK; from += piece) {
    size_t    count = nelem - from < piece ? nelem - from : piece;
    request_t r     = { .offset = at->offset + from * size,
                        .kind   = ACCUMULATE,
                        .type   = (uint8_t)type,
                        .op     = (uint8_t)op,
                        .nelem  = (uint32_t)count };

    ret = append(at, &r, (const char *)values + from * size, count * size, NULL, 0, NULL);
  }
  return ret;
}

dart_ret_t dart__far_fetch(const dart__place_t *at, const void *value, void *result,
                           dart_datatype_t type, dart_operation_t op)
{
  request_t r = { .offset = at->offset, .kind = FETCH, .type = (uint8_t)type, .op = (uint8_t)op,
                  .nelem = 1 };

  return append(at, &r, value, op == DART_OP_NO_OP ? 0 : dart__type_basic[type].elem_size, NULL, 0,
                result);
}

dart_ret_t dart__far_swap(const dart__place_t *at, const void *value, const void *compare,
                          void *result, dart_datatype_t type)
{
  size_t    size = dart__type_basic[type].elem_size;
  request_t r    = { .offset = at->offset, .kind = SWAP, .type = (uint8_t)type, .nelem = 1 };

  return append(at, &r, value, size, compare, size, result);
}

/* ---- completion -------------------------------------------------------------------------- */

/* Waits for what was asked for until now; other threads may go on asking. */
static dart_ret_t flush_locked(dart_unit_t unit)
{
  lane_t    *lane  = service.lanes[unit];
  uint32_t   turns = 0;
  dart_ret_t ret   = DART_OK;
  uint64_t   last;

  if (lane == NULL)
    return DART_OK;
  last = lane->sent + (lane->open != NULL);
  while (lane->answered < last && ret == DART_OK) {
    if (lane->sent < last)
      ret = send_open(unit, lane);
    if (ret == DART_OK)
      progress_locked(true);
    if (lane->answered < last)
      wait_unlocked(&turns);
  }
  if (ret == DART_OK && lane->refused > 0) {
    dart__error("unit %d refused %llu atomic operations: the memory is gone", unit,
                (unsigned long long)lane->refused);
    lane->refused = 0;
    ret           = DART_ERR_INVAL;
  }
  return ret;
}

static bool nothing_outstanding(void)
{
  /* acquire: pairs with the release by a thread that took our answers, so results are visible */
  return atomic_load_explicit(&service.any_busy, memory_order_acquire) == 0;
}

dart_ret_t dart__service_flush(dart_unit_t unit)
{
  dart_ret_t ret;

  if (nothing_outstanding())
    return DART_OK;
  pthread_mutex_lock(&service.lock);
  ret = flush_locked(unit);
  pthread_mutex_unlock(&service.lock);
  return ret;
}

/* Send to all first, then wait for each. */
dart_ret_t dart__service_flush_team(const dart__team_t *team)
{
  dart_ret_t ret = DART_OK;

  if (nothing_outstanding())
    return DART_OK;
  pthread_mutex_lock(&service.lock);
  progress_locked(true);
  for (int32_t u = 0; u < team->nunits && ret == DART_OK; u++)
    ret = flush_locked(team->members[u]);
  pthread_mutex_unlock(&service.lock);
  return ret;
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__service_open(void)
{
  dart_ret_t ret = DART_OK;

  if (dart__mpi.service == MPI_COMM_NULL)
    ret = DART__MPI(MPI_Comm_dup, dart__mpi.world, &dart__mpi.service);
  service.lanes = calloc((size_t)dart__world.nunits, sizeof *service.lanes);
  service.busy  = calloc((size_t)dart__world.nunits, sizeof *service.busy);
  if (ret == DART_OK && (service.lanes == NULL || service.busy == NULL))
    ret = DART_ERR_NOMEM;
  if (ret == DART_OK)
    ret = open_ring(&service.requests, TAG_REQUEST);
  if (ret == DART_OK)
    ret = open_ring(&service.answers, TAG_ANSWER);
  service.is_open = ret == DART_OK;
  return ret;
}

/* All units have completed their requests, and passed a barrier since. */
void dart__service_close(void)
{
  service.is_open = false;
  while (service.answering != NULL)
    release_answers();
  close_ring(service.requests);
  close_ring(service.answers);
  service.requests = NULL;
  service.answers  = NULL;
  for (batch_t *batch = service.spare, *next; batch != NULL; batch = next) {
    next = batch->next;
    free(batch);
  }
  service.spare = NULL;
  for (int32_t u = 0; service.lanes != NULL && u < dart__world.nunits; u++)
    free(service.lanes[u]);
  free(service.lanes);
  free(service.busy);
  service.lanes = NULL;
  service.busy  = NULL;
  service.nbusy = 0;
}
